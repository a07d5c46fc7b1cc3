"""How far a case is: counts, the estimate that may be believed, and what the stopping rules say.

An interval is a promise: an estimate is shown where its interval held the truth, by simulation, after as much reading.
`coverage.json` has the rule, and for each estimator, number of documents read and number found how often its interval
contained the truth on judged collections (`docs/studies/estimators.md`). The terminal, the page and the search report
all ask `choose_estimates`.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from antecede.errors import AntecedeError, advise
from antecede.operations import Help
from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.estimators import ESTIMATORS, Estimate, Estimator, parse_estimator, percent_at_least
from antecede.review.reading import DEFAULT_TARGET, STATIC, Target
from antecede.review.stopping import STOPPING_RULES, Rules, StoppingRule, parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.review.case import Review
    from antecede.review.reading import Reading

COVERAGE = Path(__file__).parent / "coverage.json"
LEADING = ("calibrated", "general", "audit")
"""The estimate that is shown is that of the first of these that may be; others are shown on request."""
Rates = dict[str, tuple[int, int]]
"""Collection → the number of intervals that contained the truth, and of all."""
DEFAULT_RULE = "quasi_sampling(confidence=0.9)"
"""The rule of a review without a calibration: of those that missed the target in no public review, it reads least."""
RECORDS = Path(__file__).parent / "rule_records.json"
"""How rules did on public reviews that none of them was fitted to (`docs/studies/stopping.md`)."""
STEADY = ("depth", "quasi_sampling")
"""Rules for which the number of further documents was right within a factor of two from the start. For others it is
right once as many documents in a row were not relevant: before that, the next find changes it."""
CALIBRATED = "calibrated"
MAX_AHEAD, LEAST_AHEAD = 10, 500
"""What is still to be read is announced up to so many times what was read, and up to so many documents in any case."""
OTHER_ESTIMATES = "other estimates that hold here"
"""How the note on estimates begins that are not shown."""


# Which estimates may be shown


class Rule(NamedTuple):
    """Where an estimator may be shown."""

    level: float
    """The nominal coverage of its interval."""
    least: float
    """The coverage that it must have reached on every collection."""
    fewest: int
    """The readings of a collection below which its coverage says nothing."""
    read: tuple[int, ...]
    found: tuple[int, ...]
    """The least numbers of documents read and found of each cell."""

    def allows(self, rates: Rates) -> bool:
        measured = [held / readings for held, readings in rates.values() if readings >= self.fewest]
        return bool(measured) and min(measured) >= self.least


def find_cell(rule: Rule, read: int, found: int) -> tuple[int, int] | None:
    """The cell of a reading; None where less is read than was ever measured."""
    if read < rule.read[0]:
        return None
    return max(least for least in rule.read if least <= read), max(least for least in rule.found if least <= found)


@cache
def _measured() -> tuple[Rule, dict[str, dict[tuple[int, int], Rates]]]:
    whole = json.loads(COVERAGE.read_bytes())
    rows = whole.pop("estimators")
    rule = Rule(**{**whole, "read": tuple(whole["read"]), "found": tuple(whole["found"])})
    return rule, {name: {(read, found): rates for read, found, rates in cells} for name, cells in rows.items()}


def explain_silence(estimator: Estimator, reading: Reading) -> str:
    """Why an estimate may not be shown; empty where it may."""
    rule, measured = _measured()
    cell = find_cell(rule, reading.read, reading.found)
    if cell is None:
        return f"{rule.read[0]} documents must be read before an estimate can be believed, and {reading.read} are"
    name = estimator.definition.name
    rate = f"(rate={estimator.parameters.get('rate', 'power')})" if name == "poisson" else ""
    rates = measured.get(name + rate, {}).get(cell, {})
    if rule.allows(rates):
        return ""
    measured_on = [(held / read, read, where) for where, (held, read) in rates.items() if read >= rule.fewest]
    if not measured_on:
        return "it was not measured after so much reading with so many finds"
    share, readings, where = min(measured_on)
    return (
        f"after so much reading with so many finds, its interval of {100 * rule.level:g} % contained the truth in "
        f"{100 * share:.0f} % of {readings} readings of {where}"
    )


@dataclass(frozen=True)
class Evidence:
    """What may be said about the number of relevant documents."""

    shown: dict[str, Estimate] = field(default_factory=dict)
    """The one estimate that is shown; empty where none may be."""
    others: dict[str, Estimate] = field(default_factory=dict)
    """Estimates that also hold here, on request."""
    silent: dict[str, str] = field(default_factory=dict)
    """Why other estimators are not shown."""


def choose_estimates(reading: Reading, calibration: str | None = None) -> Evidence:
    """What may be said after a reading, with a calibration of the user's own collection if there is one."""
    evidence = Evidence()
    if reading.complete or not reading.read:
        return evidence
    for name in dict.fromkeys((*LEADING, *ESTIMATORS)):
        definition = ESTIMATORS[name]
        given = {"file": calibration} if name == CALIBRATED and calibration is not None else {}
        has_needs = definition.needs == "ranking" or getattr(reading, definition.needs, None) is not None
        if not given and (not has_needs or any(parameter.required for parameter in definition.parameters)):
            continue  # the reading lacks what it needs
        estimator = Estimator(definition, given)
        if reason := explain_silence(estimator, reading):
            evidence.silent[str(estimator)] = reason
            continue
        try:
            estimate = estimator.estimate(reading)
        except AntecedeError as error:
            evidence.silent[str(estimator)] = str(error)
            continue
        chosen = evidence.others if evidence.shown or name not in LEADING else evidence.shown
        chosen[str(estimator)] = estimate
    return evidence


# How far a case is


class Advice(NamedTuple):
    """What a stopping rule says about a case."""

    stop: bool
    reason: str
    more: int | None
    """About how many more documents it takes to stop; None where that would often be wrong by a factor of two."""
    record: str = ""
    """How the rule did on public reviews; empty where that was not measured."""


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
    """How many documents can be read: those that are listed or marked."""
    searched: int
    """How many documents the last search looked at."""
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
                math.floor(estimate.low + 1e-9),
                math.ceil(estimate.high - 1e-9),
                percent_at_least(estimate.recall_low),
                estimate.assumption,
            )
            for name, estimate in self.estimates.items()
        )
        columns = ("estimator", "at least", "at most", "recall at least", "if")
        level = next(iter(self.estimates.values())).level
        note = f"{self.reading.found} found of the {self.documents:,} documents listed; intervals of {100 * level:g} %"
        return counts, Table(columns, rows, "How many relevant documents there are", (note,))

    def to_dict(self) -> dict[str, Any]:
        """The status in a JSON-compatible form."""
        names = ("name", "topic_id", "title", "source", "feedback", "documents", "searched", "read", "counts",
                 "changes")  # fmt: skip
        return {
            **{name: getattr(self, name) for name in names},
            "estimates": {name: estimate.as_dict() for name, estimate in self.estimates.items()},
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
MAKE_CALIBRATION = "`antecede review calibrate` makes narrower estimates and advice for this collection"


def calibration_of(review: Review, given: str | None = None) -> tuple[str | None, str]:
    """The calibration that suits how a case was read, and what is to be said about it.

    One that is given is of the index, for reading without feedback, for cases that have none of their own.
    """
    path = review.calibration or given
    if path is None:
        return None, MAKE_CALIBRATION if review.plan.protocol is None else ""
    with_feedback = {search.number for search in review.searches if search.kind == "feedback"}
    if any(mark.search in with_feedback for mark in review.marks.current.values()):
        return None, f"{UNUSED}, and documents of this case were marked in a search with feedback"
    if review.calibration is None and review.plan.feedback != STATIC:
        return None, f"{UNUSED}, and this case is read with it"
    return path, ""


def review_status(
    review: Review,
    estimators: Annotated[
        Sequence[str | Estimator] | None,
        Help(
            "An estimator; may be repeated.",
            flags="--estimator",
            metavar="ESTIMATOR",
            default="the best that can be trusted here",
        ),
    ] = None,
    calibration: str | None = None,
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
        chosen = [parse_estimator(each) if isinstance(each, str) else each for each in estimators]
        reasons = {str(each): explain_silence(each, reading) for each in chosen}
        notes += [f"{name} cannot be believed here: {why}" for name, why in reasons.items() if why]
        evidence = Evidence({str(each): each.estimate(reading) for each in chosen})
    elif reading.complete:
        notes.append("everything is read; nothing remains to be estimated")
    elif reading.read and not evidence.shown:
        notes.append(f"no estimate: {next(iter(evidence.silent.values()))}")
    if review.searched > reading.documents:
        notes.append(f"the search looked at {review.searched:,} documents; the case ends with those that it lists")
    if note and estimators is None and reading.read and not reading.complete:
        notes.append(note)
    if evidence.others:
        names = ", ".join(shorten_paths(name) for name in evidence.others)
        notes.append(f"{OTHER_ESTIMATES}, with {advise('estimators=', '--estimator')}: {names}")
    plan, found = (
        review.plan,
        (reading.documents, review.searched, marks.counts, len(marks.changes), reading, evidence.shown),
    )
    return ReviewStatus(
        review.case.name, plan.topic_id, plan.title, plan.source, plan.feedback, *found, tuple(notes), evidence
    )


def decide_stop(
    review: Review, rules: Rules = (), target: Target = DEFAULT_TARGET, calibration: str | None = None
) -> dict[str, Advice]:
    """What stopping rules say about a case; where one says go on, also about how many more documents it takes.

    Args:
        review: The case, from `Review.open`.
        rules: Stopping rules, as in `knee` or `misses(n=50)`; by default the calibrated one, if there is a calibration
            that suits, else `quasi_sampling(confidence=0.9)`.
        calibration: A calibration of the index for reading without feedback, for cases that have none of their own.
    """
    reading, own = review.reading(), calibration_of(review, calibration)[0]
    usual = StoppingRule(STOPPING_RULES[CALIBRATED], {"file": own}) if own is not None else parse_rule(DEFAULT_RULE)
    decisions = {}
    for rule in [parse_rule(each) if isinstance(each, str) else each for each in rules] or [usual]:
        decision = rule.decide(reading, target)
        more = None if decision.stop else further_reading(rule, reading, target)
        believable = more if more is not None and is_believable(rule, reading, more) else None
        decisions[str(rule)] = Advice(*decision, believable, describe_record(rule, target))
    return decisions


def is_believable(rule: StoppingRule, reading: Reading, more: int) -> bool:
    """Whether the number of further documents is right within a factor of two in four of five cases: see `STEADY`."""
    ranked = reading.from_ranking
    since = ranked.read - (int(ranked.finds[-1]) if ranked.found else 0)
    return rule.definition.name in STEADY or since >= more


@cache
def _records() -> dict[str, Any]:
    records: dict[str, Any] = json.loads(RECORDS.read_bytes())
    return {**records, "rules": {_full_name(parse_rule(name)): row for name, row in records["rules"].items()}}


def _full_name(rule: StoppingRule) -> str:
    """A rule with all its parameters, those that have their defaults too."""
    return f"{rule.definition.name} {sorted({**rule.definition.defaults, **rule.parameters}.items())}"


def describe_record(rule: StoppingRule, target: float) -> str:
    """How a rule did on public reviews, in words; empty where that was not measured.

    >>> describe_record(parse_rule("misses(n=100)"), 0.95)
    'found 95 % in 75 of 108 simulated screenings of 27 public reviews, reading 51 % of the records'
    """
    records = _records()
    row = records["rules"].get(_full_name(rule)) if math.isclose(target, records["target"]) else None
    if row is None:
        return ""
    screenings = f"{row['reached']} of {records['screenings']} simulated screenings"
    where = f"{screenings} of {records['reviews']} public reviews"
    return f"found {100 * target:g} % in {where}, reading {100 * row['effort']:.0f} % of the records"


def further_reading(rule: StoppingRule, reading: Reading, target: float) -> int | None:
    """About how many more documents a rule wants to see, to two digits, if none of them is relevant.

    None where no number would be honest: nothing is read, or it is so much more than what was read (`MAX_AHEAD`) that
    the next find would change it beyond recognition.
    """
    if not reading.read or reading.complete:
        return None

    def stops(misses: int) -> bool:
        return rule.decide(extend_reading(reading, misses), target).stop

    most = min(reading.unread, max(MAX_AHEAD * reading.read, LEAST_AHEAD))
    if most < reading.unread and not stops(most):
        return None
    more = 1 + bisect_left(range(1, most), True, key=stops)  # after all of them, every rule stops
    step = 10 ** max(len(str(more)) - 2, 0)
    return int(min(-(-more // step) * step, reading.unread))


def extend_reading(reading: Reading, misses: int) -> Reading:
    """The reading after so many more documents of the ranking, none of them relevant."""
    longer: dict[str, Any] = {}
    for name in ("relevant", "audited", "found_by"):
        values = getattr(reading, name)
        if values is not None:
            longer[name] = np.concatenate([values, np.zeros((*values.shape[:-1], misses), np.bool_)], axis=-1)
    if reading.ranks is not None:
        ahead = np.setdiff1d(np.arange(1, reading.documents + 1), reading.ranks)
        longer["ranks"] = np.concatenate([reading.ranks, ahead[:misses]])
    return replace(reading, **longer)
