"""How good estimators and stopping rules are on topics whose answers are known.

Nothing is reported on topics that it was calibrated on: topics are split into two halves in the order in which they are
given (by date, where it is known), and each half is decided by the calibration of the other.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from antecede.errors import UsageError
from antecede.operations import Help
from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.review.calibration import FEWEST, TARGETS, Calibration, fit_calibration
from antecede.review.distributions import clopper_pearson
from antecede.review.estimators import Bounds, Estimate, Estimator, parse_estimator
from antecede.review.reading import DEFAULT_TARGET, Reading, Target, required
from antecede.review.simulation import Outcome, draw_by_rank, simulate
from antecede.review.status import CALIBRATED
from antecede.review.stopping import parse_rule
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.review.judged_topics import JudgedReading

    Progress = Callable[[int, int], None]

STATED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
"""The reliabilities for which the observed one is shown."""
RULES = (
    "depth(n=100)",
    "misses(n=200)",
    "share_without_find(share=0.1)",
    "knee",
    "budget",
    "target",
    "qbcb",
    "poisson(rate=power)",
    "poisson(rate=hyperbolic)",
    "poisson(rate=exponential)",
    "quasi_sampling",
    "autostop",
)
"""The published rules, with their customary parameters."""
ESTIMATORS = (
    "poisson(rate=power)",
    "poisson(rate=hyperbolic)",
    "poisson(rate=exponential)",
    "horvitz_thompson",
    "audit",
)
SHARES = (0.05, 0.2, 0.5)
"""Of the list that is read when estimates are made."""
LEVEL, SEED = 0.95, 0
AUDIT = 100
"""Documents of the audit sample, at most half of what is read."""


# Halves


Halves = list[tuple["JudgedReading", Calibration]]
"""Topics, each with a calibration on the half that it is not in."""


def split_halves(judged: Sequence[JudgedReading], targets: Sequence[float] = (DEFAULT_TARGET,)) -> Halves:
    """Topics in two halves, in the order in which they are given; each calibrated on the other."""
    usable = [each for each in judged if each.total > 0]
    if len(usable) < 2 * FEWEST:
        raise UsageError(f"{len(usable)} topics are too few for two halves; give {2 * FEWEST} or more")
    middle = len(usable) // 2
    first, second = usable[:middle], usable[middle:]
    one, other = (fit_calibration(each, targets=targets) for each in (first, second))
    return [*((each, other) for each in first), *((each, one) for each in second)]


# Reliability of the calibrated rule


class Assessment(PlotMixin, Tabled):
    """Rows of figures about topics, as a table and as JSON; what a subclass has besides says what they are."""

    __repr__ = concise_repr
    TITLE: ClassVar[str]
    COLUMNS: ClassVar[tuple[str, ...]]
    NOTE: ClassVar[str]
    """What the columns mean; fields stand in braces."""

    topics: int
    rows: tuple[dict[str, Any], ...]

    def table(self) -> Table:
        rows = tuple(tuple(row[name] for name in self.COLUMNS) for row in self.rows)
        return Table(self.COLUMNS, rows, self.TITLE, (self.NOTE.format_map(vars(self)),), digits=3)

    def to_dict(self) -> dict[str, Any]:
        names = (each.name for each in fields(self) if each.name not in ("rows", "points"))  # type: ignore[arg-type]
        return {**{name: getattr(self, name) for name in names}, "rows": [dict(row) for row in self.rows]}


@dataclass(frozen=True, eq=False, repr=False)
class Reliability(Assessment):
    """How often a review that stops at a stated reliability reaches its target, on topics not calibrated on."""

    TITLE = "Reliability of the calibrated rule"
    COLUMNS = ("stated", "observed", "low", "high", "effort", "recall")
    NOTE = (
        "{topics} topics in two halves, each decided by the calibration of the other; target {target:g}; low and high: "
        "exact binomial interval, 95 %; effort: share of the list that is read"
    )

    target: float
    topics: int
    rows: tuple[dict[str, float], ...]
    """For each stated reliability: the observed one with its interval, the share of the list read, and the recall."""


def assess_reliability(
    halves: Halves,
    *,
    target: float = DEFAULT_TARGET,
    stated: Sequence[float] = STATED,
    confidence: float | None = None,
) -> Reliability:
    """The observed reliability of the calibrated rule at each stated one."""
    risks = [1 - level for level in stated]
    outcomes = [stop_calibrated(each, calibration, target, risks, confidence) for each, calibration in halves]
    rows = []
    for at, level in enumerate(stated):
        described = describe_outcomes([row[at] for row in outcomes])
        rows.append({"stated": level, "observed": described.pop("reliability"), **described})
    return Reliability(target, len(outcomes), tuple(rows))


def describe_outcomes(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The share of reviews that reached the target, with its exact interval, and the mean effort and recall."""
    hits = sum(outcome.reached for outcome in outcomes)
    low, high = clopper_pearson(hits, len(outcomes), 0.95)
    means = {name: float(np.mean([getattr(outcome, name) for outcome in outcomes])) for name in ("effort", "recall")}
    return {"reliability": hits / len(outcomes), "low": low, "high": high, **means}


def stop_calibrated(
    judged: JudgedReading,
    calibration: Calibration,
    target: float,
    risks: Sequence[float],
    confidence: float | None = None,
) -> list[Outcome]:
    """Where the calibrated rule stops at each risk: looked up for all checkpoints at once, as if asked at each."""
    reading = judged.reading
    depths, by_depth = calibration.risks(reading, target, confidence)
    needed = required(judged.total, target)
    outcomes = []
    for left in risks:
        can_vouch = calibration.smallest_risk(confidence) <= left + 1e-12
        safe = depths[by_depth <= left + 1e-12] if can_vouch else depths[:0]
        read = int(safe[0]) if len(safe) else reading.read
        hits = int(np.count_nonzero(reading.relevant[:read]))
        outcomes.append(Outcome(judged, read, hits, hits >= needed, f"the risk is at most {left:g}"))
    return outcomes


# Rules side by side


@dataclass(frozen=True, eq=False, repr=False)
class RuleAssessment(Assessment):
    """Stopping rules side by side: how reliable they are, and what they cost."""

    TITLE = "Stopping rules"
    COLUMNS = ("rule", "recall", "reliability", "low", "high", "effort", "read / ideal")
    NOTE = (
        "{topics} topics, target {target:g}; reliability: share of topics that reach it, with an exact binomial "
        "interval; effort: share of the list that is read, {ideal:.3f} if one knew when to stop; read / ideal: median "
        "over topics"
    )

    target: float
    topics: int
    ideal: float
    """The mean share of the list at which the target is reached."""
    rows: tuple[dict[str, Any], ...]


def assess_rules(
    judged: Sequence[JudgedReading],
    rules: Sequence[str] = RULES,
    *,
    target: float = DEFAULT_TARGET,
    halves: Halves | None = None,
    left: float = 0.05,
    seeds: int = 3,
    progress: Progress | None = None,
) -> RuleAssessment:
    """Simulate every rule on every topic that has a relevant document; with halves, the calibrated rule too.

    `seeds` is how many random samples are drawn for rules that sample; the calibrated rule stops at the risk `left`.
    """
    used = [each for each in judged if each.total > 0]
    if not used:
        raise UsageError("no topic has a relevant document; there is nothing to find")
    parsed = [parse_rule(each) for each in rules]
    outcomes: dict[str, list[Outcome]] = {str(each): [] for each in parsed}
    for number, topic in enumerate(used, 1):
        for rule in parsed:
            rounds = seeds if rule.definition.needs in ("audited", "probabilities") else 1
            outcomes[str(rule)] += [simulate(topic, rule, target=target, seed=seed) for seed in range(rounds)]
        if progress is not None:
            progress(number, len(used))
    if halves is not None:
        name = f"{CALIBRATED} ({left:g} left)"
        outcomes[name] = [stop_calibrated(each, calibration, target, [left])[0] for each, calibration in halves]
    ideal_depths = {topic.topic_id: topic.depth_of(required(topic.total, target)) for topic in used}
    ideal = float(np.mean([ideal_depths[topic.topic_id] / topic.reading.documents for topic in used]))
    rows = []
    for name, stops in outcomes.items():
        beyond = float(np.median([outcome.read / ideal_depths[outcome.judged.topic_id] for outcome in stops]))
        row = {"rule": name, **describe_outcomes(stops), "read / ideal": beyond}
        rows.append({column: row[column] for column in RuleAssessment.COLUMNS})
    return RuleAssessment(target, len(used), ideal, tuple(rows))


# Estimators side by side


@dataclass(frozen=True, eq=False, repr=False)
class EstimatorAssessment(Assessment):
    """Estimators side by side: how often their intervals contain the truth, and how far off they are."""

    TITLE = "Estimators"
    COLUMNS = ("estimator", "read", "coverage", "error", "width")
    NOTE = (
        "{topics} topics; read: share of the list; coverage: share of intervals, nominally {level:g}, that contain the "
        "true number; error: median of |estimate − truth| / truth; width: median width of the interval over the truth"
    )

    level: float
    topics: int
    rows: tuple[dict[str, Any], ...]
    points: dict[str, tuple[tuple[float, int, float], ...]]
    """Estimator → the estimate, the truth and the share read of each state, for the figure."""


def assess_estimators(
    judged: Sequence[JudgedReading],
    estimators: Sequence[str] = ESTIMATORS,
    *,
    shares: Sequence[float] = SHARES,
    halves: Halves | None = None,
    extra: dict[str, Callable[[JudgedReading, int], Estimate | None]] | None = None,
) -> EstimatorAssessment:
    """Estimate on every topic after each share of its list; with halves, by the calibrated estimator too.

    Each estimator has read the same number of documents: for `audit`, the last ones are a random sample; for
    `horvitz_thompson`, all were drawn with probabilities that fall along the ranking. `extra` names further ones, as
    functions of the reading and the number of documents.
    """
    used = [each for each in judged if each.total > 0]

    def make(estimator: Estimator, each: JudgedReading, depth: int) -> Estimate:
        return estimator.estimate(read_for(estimator.definition.needs, each, depth))

    makers: dict[str, Callable[[JudgedReading, int], Estimate | Bounds | None]] = {
        **{name: partial(make, parse_estimator(name)) for name in estimators},
        **(extra or {}),
    }
    if halves is not None:
        own = {each.topic_id: calibration for each, calibration in halves}
        makers[CALIBRATED] = lambda each, depth: own[each.topic_id].estimate(each.reading.up_to(depth))
    rows, points = [], {}
    for name, estimate in makers.items():
        seen: list[tuple[float, int, float]] = []
        for share in shares:
            depths = [(topic, round(share * topic.reading.documents)) for topic in used]
            states = [(estimate(*at), at[0].total) for at in depths if 2 <= at[1] < at[0].reading.documents]
            answers = [(answer, truth) for answer, truth in states if answer is not None]
            if answers:
                inside = [answer.low - 1e-9 <= truth <= answer.high + 1e-9 for answer, truth in answers]
                row = {
                    "estimator": name,
                    "read": share,
                    "coverage": float(np.mean(inside)),
                    "error": float(np.median([abs(answer.total - truth) / truth for answer, truth in answers])),
                    "width": float(np.median([(answer.high - answer.low) / truth for answer, truth in answers])),
                    "topics": len(answers),
                }
                rows.append(row)
                seen += [(answer.total, truth, share) for answer, truth in answers]
        points[name] = tuple(seen)
    return EstimatorAssessment(LEVEL, len(used), tuple(rows), points)


def read_for(needs: str, judged: JudgedReading, depth: int) -> Reading:
    """So many documents, read as an estimator requires."""
    complete = judged.reading
    if needs == "probabilities":
        return next(reading for reading in draw_by_rank(complete, SEED) if reading.read >= depth)
    if needs == "audited":
        sample = min(AUDIT, depth // 2)
        top = depth - sample
        drawn = np.random.default_rng(SEED).choice(np.arange(top, complete.read), sample, replace=False)
        order = np.concatenate([np.arange(top), drawn])
        return Reading(complete.relevant[order], complete.documents, audited=np.arange(depth) >= top)
    return complete.up_to(depth)


# What calibrate reports


@dataclass(frozen=True, eq=False)
class CalibrationReport(Tabled):
    """A calibration, and how it does on topics that it was not made from."""

    __repr__ = concise_repr

    calibration: Calibration
    reliability: Reliability | None
    """None where there are too few topics for two halves."""
    dropped: dict[str, int]
    """Topics that were left out, by reason."""
    list_recall: float = 1.0
    """The mean share of the relevant documents that the lists have; recall here is that of the list."""
    rules: RuleAssessment | None = None
    estimators: EstimatorAssessment | None = None

    def tables(self) -> tuple[Table, ...]:
        """What was calibrated; its reliability; and, if they were compared, rules and estimators side by side."""
        made = self.calibration
        rows: list[tuple[str, str | int | float]] = [
            ("ranking", made.method),
            ("topics", made.topics),
            *((f"topics left out: {reason}", count) for reason, count in self.dropped.items()),
            ("documents that could be read, median", made.documents),
            ("relevant documents that the lists have", f"{100 * self.list_recall:.1f} %"),
            ("smallest risk that can be vouched for", round(made.smallest_risk(), 4)),
        ]
        notes = () if self.reliability is not None else (f"{2 * FEWEST} topics or more show the reliability, too",)
        first = Table(("calibration", ""), tuple(rows), notes=notes)
        others = (self.reliability, self.rules, self.estimators)
        return (first, *(each.table() for each in others if each is not None))

    def plot(self, path: Any = None) -> Any:
        """Draw the reliability diagram."""
        if self.reliability is None:
            raise UsageError(f"a reliability diagram needs {2 * FEWEST} topics or more, not {self.calibration.topics}")
        return self.reliability.plot(path)

    def to_dict(self) -> dict[str, Any]:
        """The report in a JSON-compatible form."""
        made = self.calibration
        parts = {"reliability": self.reliability, "rules": self.rules, "estimators": self.estimators}
        return {
            "ranking": made.method,
            "topics": made.topics,
            "dropped": dict(self.dropped),
            "documents": made.documents,
            "list_recall": self.list_recall,
            "targets": sorted(made.targets),
            "smallest_risk": made.smallest_risk(),
            **{name: None if each is None else each.to_dict() for name, each in parts.items()},
        }


def calibrate(
    judged: Sequence[JudgedReading],
    *,
    method: str = "",
    target: Target = DEFAULT_TARGET,
    dropped: dict[str, int] | None = None,
    compare: Annotated[bool, Help("Also show every published rule and estimator (slow).")] = False,
    progress: Progress | None = None,
) -> CalibrationReport:
    """Calibrate on all topics, and report on each half what the calibration of the other half is worth.

    Recall is that of the list: what a ranking does not have cannot be read, and no rule can find it.

    Args:
        judged: One reading per topic, the earliest first.
        method: The ranking that was read, for the record.
        target: The target whose reliability is reported; it is calibrated beside .8, .9, .95 and 1.
        dropped: Topics that could not be read, by reason.
        progress: Called with the number of topics done and of all, where rules are compared.
    """
    usable = [replace(each, total=each.reading.found) for each in judged if each.reading.found]
    left_out = {**(dropped or {}), "no relevant document is in the list": len(judged) - len(usable)}
    list_recall = float(np.mean([each.reading.found / each.total for each in judged if each.total])) if usable else 0.0
    made = fit_calibration(usable, method=method, targets=(*TARGETS, target))
    halves = split_halves(usable, (target,)) if len(usable) >= 2 * FEWEST else None
    return CalibrationReport(
        made,
        None if halves is None else assess_reliability(halves, target=target),
        {reason: count for reason, count in left_out.items() if count},
        list_recall,
        assess_rules(usable, target=target, halves=halves, progress=progress) if compare else None,
        assess_estimators(usable, halves=halves) if compare else None,
    )
