"""How far a case is: counts, the estimate that may be believed, and what the stopping rules say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.case import STATIC
from antecede.review.evidence import Evidence, choose_estimates, explain_silence
from antecede.review.reading import DEFAULT_TARGET
from antecede.review.stopping import STOPPING_RULES, StoppingRule, parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.review.case import Review
    from antecede.review.estimators import Estimate, Estimator
    from antecede.review.reading import Reading

DEFAULT_RULE = "quasi_sampling"
"""The rule of a review without a calibration: no published rule is safer, and few read as much."""
CALIBRATED = "calibrated"


class Advice(NamedTuple):
    """What a stopping rule says about a case."""

    stop: bool
    reason: str
    more: int | None
    """About how many more documents it takes to stop, if none of them is relevant."""


@dataclass(frozen=True, eq=False)
class ReviewStatus(PlotMixin, Tabled):
    """How far a review is."""

    __repr__ = concise_repr

    name: str
    topic_id: str
    title: str
    source: str
    feedback: str
    documents: int
    counts: dict[str, int]
    """How many documents are marked as relevant, maybe and not."""
    changes: int
    """How many marks contradict an earlier mark of the same document."""
    reading: Reading
    estimates: dict[str, Estimate]
    """The estimate that may be believed, or those that were asked for."""
    notes: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=Evidence)
    """What else may be said, and why other estimators are silent."""

    @property
    def read(self) -> int:
        """How many documents are marked."""
        return self.reading.read

    def discovery(self) -> NDArray[np.int64]:
        """The number of relevant documents found after each document, from none."""
        return np.concatenate(([0], np.cumsum(self.reading.relevant)))

    def tables(self) -> tuple[Table, ...]:
        """The counts, and the estimates."""
        facts: list[tuple[str, str | int]] = [
            ("topic", self.topic_id),
            *([("title", self.title)] if self.title else []),
            ("ranking", self.source),
            ("feedback", self.feedback),
            ("documents", self.documents),
            ("read", f"{self.read} ({100 * self.read / self.documents:.1f} %)"),
            *((f"  {name}", count) for name, count in self.counts.items()),
            *([("marks that contradict an earlier one", self.changes)] if self.changes else []),
        ]
        counts = Table((f"case {self.name}", ""), tuple(facts), notes=self.notes)
        if not self.estimates:
            return (counts,)
        rows = tuple(
            (
                shorten_paths(name),
                each.total,
                each.low,
                each.high,
                each.recall,
                each.recall_low,
                each.recall_high,
                each.assumption,
            )
            for name, each in self.estimates.items()
        )
        columns = ("estimator", "relevant", "low", "high", "recall", "recall low", "recall high", "if")
        level = next(iter(self.estimates.values())).level
        note = f"{self.reading.found} found; intervals of {100 * level:g} %"
        return counts, Table(columns, rows, "How many relevant documents there are", (note,), digits=2)

    def to_dict(self) -> dict[str, Any]:
        """The status in a JSON-compatible form."""
        names = ("name", "topic_id", "title", "source", "feedback", "documents", "read", "counts", "changes")
        estimates = {name: each.as_dict() for name, each in self.estimates.items()}
        return {
            **{name: getattr(self, name) for name in names},
            "estimates": estimates,
            "silent": dict(self.evidence.silent),
            "notes": list(self.notes),
        }


def shorten_paths(call: str) -> str:
    """An estimator or a rule as tables show it: a file in its parameters without its folder.

    >>> shorten_paths("calibrated(file=/home/me/clefip.calibration.json)")
    'calibrated(file=clefip.calibration.json)'
    """
    return re.sub(r"(?<=file=).*[/\\]", "", call)


UNUSED = "the calibration is not used: it holds without feedback"


def calibration_of(review: Review, given: str | None = None) -> tuple[str | None, str]:
    """The calibration that suits how a case was read, and what is to be said about it.

    Args:
        review: The case.
        given: A calibration of the index for reading without feedback, for cases that have none of their own.
    """
    path = review.calibration or given
    if path is None:
        return None, "`antecede review calibrate` makes narrower estimates and advice for this collection"
    if any(search.kind == "feedback" for search in review.searches):
        return None, f"{UNUSED}, and this case has a search with feedback"
    if review.calibration is None and review.plan.feedback != STATIC:
        return None, f"{UNUSED}, and this case is read with it"
    return path, ""


def review_status(
    review: Review, estimators: Sequence[Estimator] | None = None, calibration: str | None = None
) -> ReviewStatus:
    """How far a case is, with the estimate that may be believed, if there is one.

    Args:
        review: The case, from `Review.open`.
        estimators: Estimators to ask in any case; what speaks against them is noted.
        calibration: A calibration of the index for reading without feedback, for cases that have none of their own.
    """
    reading, marks = review.reading(), review.marks
    own, note = calibration_of(review, calibration)
    evidence = choose_estimates(reading, own)
    notes: list[str] = []
    if estimators is not None:
        reasons = {str(each): explain_silence(each, reading) for each in estimators}
        notes += [f"{name} cannot be believed here: {why}" for name, why in reasons.items() if why]
        evidence = Evidence({str(each): each.estimate(reading) for each in estimators})
    elif reading.complete:
        notes.append("everything is read; nothing remains to be estimated")
    elif reading.read and not evidence.shown:
        notes.append(f"no estimate: {next(iter(evidence.silent.values()))}")
    if note and estimators is None and reading.read and not reading.complete:
        notes.append(note)
    if evidence.others:
        names = ", ".join(shorten_paths(name) for name in evidence.others)
        notes.append(f"other estimates that hold here, with --estimator: {names}")
    return ReviewStatus(
        review.case.name,
        review.plan.topic_id,
        review.plan.title,
        review.plan.source,
        review.plan.feedback,
        reading.documents,
        marks.counts,
        len(marks.changes),
        reading,
        evidence.shown,
        tuple(notes),
        evidence,
    )


def decide_stop(
    review: Review, rules: Sequence[str] = (), target: float = DEFAULT_TARGET, calibration: str | None = None
) -> dict[str, Advice]:
    """What stopping rules say about a case; where one says go on, also about how many more documents it takes.

    Args:
        review: The case, from `Review.open`.
        rules: Stopping rules, as in `knee` or `misses(n=50)`; by default the calibrated one, if there is a calibration
            that suits, else `quasi_sampling`.
        target: The recall that is to be reached.
        calibration: A calibration of the index for reading without feedback, for cases that have none of their own.
    """
    reading, own = review.reading(), calibration_of(review, calibration)[0]
    usual = StoppingRule(STOPPING_RULES[CALIBRATED], {"file": own}) if own is not None else parse_rule(DEFAULT_RULE)
    decisions = {}
    for rule in [parse_rule(each) for each in rules] or [usual]:
        decision = rule.decide(reading, target)
        more = None if decision.stop else further_reading(rule, reading, target)
        decisions[str(rule)] = Advice(*decision, more)
    return decisions


def further_reading(rule: StoppingRule, reading: Reading, target: float) -> int | None:
    """About how many more documents a rule wants to see, to two digits, if none of them is relevant.

    None where nothing is read, since no rule can say it then.
    """
    if not reading.read or reading.complete:
        return None
    low, high = 1, reading.unread  # after all of them, every rule stops
    while low < high:
        middle = (low + high) // 2
        if rule.decide(extend_reading(reading, middle), target).stop:
            high = middle
        else:
            low = middle + 1
    step = 10 ** max(len(str(low)) - 2, 0)
    return int(min(-(-low // step) * step, reading.unread))


def extend_reading(reading: Reading, misses: int) -> Reading:
    """The reading after so many more documents of the ranking, none of them relevant."""
    longer: dict[str, Any] = {}
    for name in ("relevant", "audited", "found_by"):
        values = getattr(reading, name)
        if values is not None:
            longer[name] = np.concatenate([values, np.zeros((*values.shape[:-1], misses), np.bool_)], axis=-1)
    return replace(reading, **longer)
