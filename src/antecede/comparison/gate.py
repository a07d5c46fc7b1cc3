"""A gate: has a run become worse than the one before, so much that chance does not explain it?

What a run scored on each topic can be saved as a small file, so that the next version needs no old run beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.bootstrap import bootstrap
from antecede.comparison.comparison import finite
from antecede.comparison.corrections import CORRECTIONS
from antecede.comparison.effect import mean_difference
from antecede.comparison.family import Plan
from antecede.comparison.paired import Sampling
from antecede.comparison.saved_scores import TopicScores, read_baseline, scores_of
from antecede.comparison.significance import TESTS
from antecede.comparison.validation import check_values
from antecede.errors import UsageError, shown
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.ranks import Floats
    from antecede.tables import Value

FEW_TOPICS = 10
NAMED = 3
FELL, WITHIN, ROSE, OPEN, SAME = "fell", "fell, as allowed", "rose", "not told apart", "the same"


@dataclass(frozen=True)
class Verdict:
    """One measure, before and now, over the topics that both have."""

    measure: str
    baseline: float
    now: float
    difference: float
    low: float
    high: float
    p: float
    adjusted: float
    topics: int
    verdict: str

    @property
    def fell(self) -> bool:
        """Whether it fell significantly, and by more than is allowed."""
        return self.verdict == FELL

    def to_dict(self) -> dict[str, Any]:
        numbers = ("baseline", "now", "difference", "low", "high", "p", "adjusted")
        return {
            "measure": self.measure,
            **{name: finite(getattr(self, name)) for name in numbers},
            "topics": self.topics,
            "verdict": self.verdict,
            "fell": self.fell,
        }


@dataclass(frozen=True, eq=False)
class Gate(Tabled):
    """What the gate says of a run."""

    run: TopicScores
    baseline: TopicScores
    plan: Plan
    drop: float
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not any(each.fell for each in self.verdicts)

    def table(self) -> Table:
        """A row a measure."""
        columns = ("measure", "baseline", "now", "difference", "low", "high", "p", "verdict")
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (v.measure, v.baseline, v.now, v.difference, v.low, v.high, v.adjusted, v.verdict) for v in self.verdicts
        )
        fell = [each.measure for each in self.verdicts if each.fell]
        end = f"Gate: failed, {', '.join(fell)} fell." if fell else "Gate: passed."
        allowed = f", a fall of up to {self.drop:g} allowed" if self.drop else ""
        level = f"{100 * (1 - self.plan.alpha):g} %"
        how = f"{self.plan.test} test, two-sided, {self.plan.correction} over {len(rows)} measures"
        ends = f"Low to high: {level} interval of the difference."
        notes = (f"p: {how}; α = {self.plan.alpha:g}{allowed}. {ends}", *self.notes, end)
        return Table(columns, rows, title=f"{self.run.name} beside {self.baseline.name}", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        there, here = {*self.baseline.topics}, {*self.run.topics}
        return {
            "passed": self.passed,
            "run": self.run.name,
            "baseline": self.baseline.name,
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "drop": self.drop,
            "topics": len(there & here),
            "only_in_baseline": sorted(there - here),
            "only_in_run": sorted(here - there),
            "unanswered": {"baseline": [*self.baseline.unanswered], "run": [*self.run.unanswered]},
            "measures": [each.to_dict() for each in self.verdicts],
            "notes": [*self.notes],
        }


def gate(
    qrels: object,
    run: object,
    baseline: object,
    measures: str | Sequence[str] | None = None,
    *,
    test: str = "t",
    alpha: float = 0.05,
    correction: str = "holm",
    drop: float = 0.0,
    samples: int = 10_000,
    seed: int = 0,
    **reading: Any,
) -> Gate:
    """Compare a run with a baseline, which is another run or a file that `TopicScores.save` wrote.

    A measure falls where its mean over the common topics is lower (higher, for one where less is better) by more than
    `drop`, and the corrected p of a two-sided paired test is at most α. The correction runs over the measures. Without
    `measures` those of the saved baseline are taken, or else the usual ones. `reading` goes to `rank_table`.
    """
    plan = Plan(test=test, correction=correction, alpha=alpha, sampling=Sampling(samples, seed))
    if not (np.isfinite(drop) and drop >= 0):
        raise UsageError(f"drop must be 0 or more, not {drop:g}; it is the fall that is allowed")
    before = read_baseline(baseline, qrels, measures, **reading)
    now = scores_of(qrels, run, measures or before.measures, **reading)
    return compared(now, before, plan, drop)


def compared(now: TopicScores, before: TopicScores, plan: Plan, drop: float) -> Gate:
    """The two over the topics that both have."""
    lacking = [measure for measure in now.measures if measure not in before.scores]
    if lacking:
        has = ", ".join(before.measures)
        raise UsageError(f"{shown(before.name)}: has no {lacking[0]}; it has {has}. Save it again with that measure")
    common = [topic for topic in now.topics if topic in {*before.topics}]
    if len(common) < 2:
        raise UsageError(
            f"{shown(now.name)} and {shown(before.name)} have {len(common)} topics in common; a paired test needs two"
        )
    values = {name: np.array([before.of(name, common), now.of(name, common)]) for name in now.measures}
    checked = check_values(values, [before.name, now.name])
    signs = {name: now.sign(name) for name in now.measures}
    return Gate(now, before, plan, drop, tested(checked, signs, plan, drop), tuple(notes_on(now, before, common)))


def tested(values: Mapping[str, Floats], signs: Mapping[str, int], plan: Plan, drop: float) -> tuple[Verdict, ...]:
    """A verdict for each measure; `values` are float64[2, topics], before and now."""
    differences = np.array([after - earlier for earlier, after in values.values()])
    found = TESTS[plan.test](differences, plan.sampling)
    adjusted = CORRECTIONS[plan.correction](np.nan_to_num(found.p, nan=1.0))
    ends = bootstrap(differences, confidence=1 - plan.alpha, seed=plan.sampling.seed)
    moved = mean_difference(differences)
    verdicts = []
    for at, (measure, both) in enumerate(values.items()):
        earlier, after = mean_difference(both).tolist()
        advantage, significant = float(moved[at]) * signs[measure], bool(adjusted[at] <= plan.alpha)
        verdicts.append(
            Verdict(
                measure,
                earlier,
                after,
                difference=float(moved[at]),
                low=float(ends.low[at]),
                high=float(ends.high[at]),
                p=float(found.p[at]),
                adjusted=float(adjusted[at]),
                topics=int(found.topics[at]),
                verdict=verdict_of(advantage, significant, drop, differences[at]),
            )
        )
    return tuple(verdicts)


def verdict_of(advantage: float, significant: bool, drop: float, differences: Floats) -> str:
    """What a difference comes to; `advantage` is below 0 where the run got worse."""
    if not np.nan_to_num(differences).any():
        return SAME
    if not significant:
        return OPEN
    if advantage < 0:
        return FELL if -advantage > drop else WITHIN
    return ROSE


def notes_on(now: TopicScores, before: TopicScores, common: Sequence[str]) -> list[str]:
    """What a reader must know of the topics."""
    notes = [f"{len(common)} topics."]
    for each, called in ((before, "the baseline"), (now, "this run")):
        only = [topic for topic in each.topics if topic not in {*common}]
        if only:
            notes.append(f"{named(only)} scored for {called} alone: left out.")
        if each.unanswered:
            notes.append(f"{named(each.unanswered)} without results in {called}: scored as if nothing was found.")
    if before.qrels and now.qrels and before.qrels != now.qrels:
        notes.append("Note: the baseline was scored with other qrels; a difference may come from these.")
    if len(common) < FEW_TOPICS:
        notes.append(f"Note: only {len(common)} topics: so few can miss real falls, and no test can be relied on.")
    return notes


def named(topics: Sequence[str]) -> str:
    """How many topics, and the names of some."""
    some = ", ".join(shown(topic) for topic in topics[:NAMED])
    many = f"{len(topics)} topic{'s' * (len(topics) > 1)}"
    return f"{many} ({some}{', …' if len(topics) > NAMED else ''})"
