"""How far a review is: counts, every estimate that the reading allows, and what the stopping rules say."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.estimators import ESTIMATORS, Estimate, Estimator
from antecede.review.reading import DEFAULT_TARGET
from antecede.review.stopping import STOPPING_RULES, Decision, StoppingRule, parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.review.case import Review
    from antecede.review.reading import Reading

DEFAULT_RULE = "quasi_sampling"
"""The rule of a review without a calibration: no published rule is safer, and few read as much."""
CALIBRATED = "calibrated"


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
    """What each estimator says that the reading allows."""
    notes: tuple[str, ...] = ()

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
        note = f"{self.reading.found} found; intervals of {100 * level:g} %, which hold if the assumption does"
        return counts, Table(columns, rows, "How many relevant documents there are", (note,), digits=2)

    def to_dict(self) -> dict[str, Any]:
        """The status in a JSON-compatible form."""
        names = ("name", "topic_id", "title", "source", "feedback", "documents", "read", "counts", "changes")
        estimates = {name: each.as_dict() for name, each in self.estimates.items()}
        return {**{name: getattr(self, name) for name in names}, "estimates": estimates, "notes": list(self.notes)}


def review_status(review: Review, estimators: Sequence[Estimator] | None = None) -> ReviewStatus:
    """How far a review is, with every estimate that its reading allows.

    Args:
        review: The case, from `Review.open`.
        estimators: The estimators; by default the calibrated one, if the review has a calibration, and all that need
            nothing that the reading lacks.
    """
    reading, calibration = review.reading(), review.calibration
    notes: list[str] = []
    estimates: dict[str, Estimate] = {}
    if reading.read or estimators is not None:
        for each in estimators if estimators is not None else usable_estimators(reading, calibration):
            try:
                estimates[str(each)] = each.estimate(reading)
            except AntecedeError as error:
                if estimators is not None:
                    raise
                notes.append(f"{each}: {error}")
    if reading.complete:
        notes.append("everything is read; nothing remains to be estimated")
    elif reading.read and not reading.found:
        notes.append("nothing relevant is found yet; estimates from finds are wide")
    marks = review.marks
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
        estimates,
        tuple(notes),
    )


def shorten_paths(call: str) -> str:
    """An estimator or a rule as tables show it: a file in its parameters without its folder.

    >>> shorten_paths("calibrated(file=/home/me/clefip.calibration.json)")
    'calibrated(file=clefip.calibration.json)'
    """
    return re.sub(r"(?<=file=).*[/\\]", "", call)


def usable_estimators(reading: Reading, calibration: str | None = None) -> list[Estimator]:
    """The calibrated estimator, if there is a calibration, and those that need nothing that the reading lacks."""
    calibrated = [Estimator(ESTIMATORS[CALIBRATED], {"file": calibration})] if calibration is not None else []
    definitions = [each for each in ESTIMATORS.values() if has_needs(each.needs, reading)]
    free = [Estimator(each) for each in definitions if not any(parameter.required for parameter in each.parameters)]
    return [*calibrated, *free]


def has_needs(needs: str, reading: Reading) -> bool:
    """Whether a reading has what an estimator requires."""
    return needs == "ranking" or getattr(reading, needs, None) is not None


def decide_stop(review: Review, rules: Sequence[str] = (), target: float = DEFAULT_TARGET) -> dict[str, Decision]:
    """What stopping rules say about a review.

    Args:
        review: The case, from `Review.open`.
        rules: Stopping rules, as in `knee` or `misses(n=50)`; by default the calibrated one, if the review has a
            calibration, else `quasi_sampling`.
        target: The recall that is to be reached.
    """
    reading = review.reading()
    chosen = [parse_rule(each) for each in rules] or [default_rule(review)]
    return {str(rule): rule.decide(reading, target) for rule in chosen}


def default_rule(review: Review) -> StoppingRule:
    """The rule of a review for which none is chosen."""
    if review.calibration is None:
        return parse_rule(DEFAULT_RULE)
    return StoppingRule(STOPPING_RULES[CALIBRATED], {"file": review.calibration})
