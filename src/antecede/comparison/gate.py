"""A regression gate: is a run significantly worse than the baseline?

The scores per topic of a run can be saved to a small file, so that a later gate does not need the old run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.advice import FEW_TOPICS
from antecede.comparison.arrays import finite_or_none
from antecede.comparison.effect_sizes import bootstrap, mean_difference
from antecede.comparison.multiple_testing import CORRECTIONS, SignificancePlan
from antecede.comparison.saved_scores import TopicScores, read_baseline, scores_of
from antecede.comparison.significance import TESTS, Sampling
from antecede.comparison.validation import check_values
from antecede.errors import UsageError, shown
from antecede.evaluation.audit import MISSING_FATES
from antecede.ranges import DROP, write_number
from antecede.results import concise_repr
from antecede.tables import PValue, Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.arrays import Floats
    from antecede.tables import Value
    from antecede.trec.policies import Duplicates, Malformed, Order, Ties

LISTED_TOPICS = 3
FELL, WITHIN, ROSE, OPEN, SAME = "fell", "fell within drop", "rose", "not significant", "identical"


@dataclass(frozen=True)
class Verdict:
    """One measure, for the baseline and the run, over the topics that both have."""

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
        """Whether the measure fell significantly, and by more than the permitted drop."""
        return self.verdict == FELL

    def to_dict(self) -> dict[str, Any]:
        """The verdict as JSON data."""
        numbers = ("baseline", "now", "difference", "low", "high", "p", "adjusted")
        return {
            "measure": self.measure,
            **{name: finite_or_none(getattr(self, name)) for name in numbers},
            "topics": self.topics,
            "verdict": self.verdict,
            "fell": self.fell,
        }


@dataclass(frozen=True, eq=False)
class Gate(Tabled):
    """The result of the gate for one run."""

    __repr__ = concise_repr

    run: TopicScores
    baseline: TopicScores
    plan: SignificancePlan
    drop: float
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no measure fell."""
        return not any(each.fell for each in self.verdicts)

    def table(self) -> Table:
        """One row per measure."""
        columns = ("measure", "baseline", "now", "difference", "low", "high", "p", "verdict")
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (v.measure, v.baseline, v.now, v.difference, v.low, v.high, PValue(v.adjusted), v.verdict)
            for v in self.verdicts
        )
        fell = [each.measure for each in self.verdicts if each.fell]
        end = f"Gate: failed, {', '.join(fell)} fell." if fell else "Gate: passed."
        permitted = f", a drop of up to {self.drop:g} permitted" if self.drop else ""
        level = f"{100 * (1 - self.plan.alpha):g} %"
        procedure = f"{self.plan.test} test, two-sided, {self.plan.correction} correction over {len(rows)} measures"
        interval = f"Low to high: {level} interval of the difference."
        notes = (f"p: {procedure}; α = {self.plan.alpha:g}{permitted}. {interval}", *self.notes, end)
        return Table(columns, rows, title=f"{self.run.name} compared with {self.baseline.name}", notes=notes)

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
    duplicates: Duplicates = "error",
    malformed: Malformed = "error",
    ties: Ties = "docid",
    order: Order = "score",
    depth: int | None = None,
) -> Gate:
    """Compare a run with a baseline: did a measure fall significantly?

    A measure falls if the corrected p of a two-sided paired test is at most `alpha` and its mean over the common topics
    is lower by more than `drop` (higher, for a measure where lower scores are better). A topic for which a run has no
    documents scores 0, as in `evaluate`; a topic that only one side was scored on, since the qrels differ, is left out.

    Args:
        qrels: The relevance judgements, as for `rank_table`.
        run: The run to check, as for `rank_table`.
        baseline: Another run, or a file written by `TopicScores.save`.
        measures: The measures; by default those of a saved baseline, or else the default measures.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        alpha: The significance level.
        correction: The correction over the measures: `holm`, `bh`, `bonferroni` or `none`.
        drop: The permitted decrease of the mean.
        samples: The number of sign patterns of the randomization test.
        seed: Random seed of the randomization test.
        duplicates: How files are read, as for `rank_table`.
        malformed: As for `rank_table`.
        ties: As for `rank_table`.
        order: As for `rank_table`.
        depth: As for `rank_table`.
    """
    plan = SignificancePlan(test=test, correction=correction, alpha=alpha, sampling=Sampling(samples, seed))
    if drop not in DROP:
        raise UsageError(f"drop must be 0 or more, not {write_number(drop)}; it is the permitted decrease of the mean")
    reading: dict[str, Any] = {
        "duplicates": duplicates,
        "malformed": malformed,
        "ties": ties,
        "order": order,
        "depth": depth,
    }
    before = read_baseline(baseline, qrels, measures, **reading)
    now = scores_of(qrels, run, measures or before.measures, **reading)
    return compare_scores(now, before, plan, drop)


def compare_scores(now: TopicScores, before: TopicScores, plan: SignificancePlan, drop: float) -> Gate:
    """The gate for two sets of scores, over the topics that both have."""
    lacking = [measure for measure in now.measures if measure not in before.scores]
    if lacking:
        available = ", ".join(before.measures)
        raise UsageError(
            f"{shown(before.name)}: has no {lacking[0]}; it has {available}. Save it again with that measure"
        )
    common = [topic for topic in now.topics if topic in {*before.topics}]
    if len(common) < 2:
        raise UsageError(
            f"{shown(now.name)} and {shown(before.name)} have {len(common)} topics in common; a paired test needs two"
        )
    values = {name: np.array([before.of(name, common), now.of(name, common)]) for name in now.measures}
    checked = check_values(values, [before.name, now.name])
    signs = {name: now.sign(name) for name in now.measures}
    verdicts = reach_verdicts(checked, signs, plan, drop)
    return Gate(now, before, plan, drop, verdicts, tuple(describe_topics(now, before, common)))


def reach_verdicts(
    values: Mapping[str, Floats], signs: Mapping[str, int], plan: SignificancePlan, drop: float
) -> tuple[Verdict, ...]:
    """A verdict for each measure; `values` are float64[2, topics], baseline and run."""
    differences = np.array([after - earlier for earlier, after in values.values()])
    found = TESTS[plan.test](differences, plan.sampling)
    adjusted = CORRECTIONS[plan.correction](np.nan_to_num(found.p, nan=1.0))
    intervals = bootstrap(differences, confidence=1 - plan.alpha, seed=plan.sampling.seed)
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
                low=float(intervals.low[at]),
                high=float(intervals.high[at]),
                p=float(found.p[at]),
                adjusted=float(adjusted[at]),
                topics=int(found.topics[at]),
                verdict=classify(advantage, significant, drop, differences[at]),
            )
        )
    return tuple(verdicts)


def classify(advantage: float, significant: bool, drop: float, differences: Floats) -> str:
    """The verdict on a difference; `advantage` is negative where the run is worse."""
    if not np.nan_to_num(differences).any():
        return SAME
    if not significant:
        return OPEN
    if advantage < 0:
        return FELL if -advantage > drop else WITHIN
    return ROSE


def describe_topics(now: TopicScores, before: TopicScores, common: Sequence[str]) -> list[str]:
    """Notes on which topics the comparison covers."""
    notes = [f"{len(common)} topics."]
    for each, label in ((before, "the baseline"), (now, "this run")):
        only = [topic for topic in each.topics if topic not in {*common}]
        if only:
            notes.append(f"{list_topics(only)} scored only for {label}: left out.")
        notes += describe_unanswered(each, label)
        notes += [note for warning in each.warnings if (note := f"Note: {warning}.") not in notes]
    if before.qrels and now.qrels and before.qrels != now.qrels:
        notes.append("Note: the baseline was scored with different qrels, which may explain a difference.")
    if len(common) < FEW_TOPICS:
        notes.append(f"Note: only {len(common)} topics: a real decrease may be missed, and no test is reliable.")
    return notes


def describe_unanswered(scores: TopicScores, label: str) -> list[str]:
    """A note on the topics for which a run has no document, if there are any."""
    topics = scores.unanswered
    return [f"{list_topics(topics)} without results in {label} {MISSING_FATES['zero']}."] if topics else []


def list_topics(topics: Sequence[str]) -> str:
    """The number of topics, and the names of the first few."""
    some = ", ".join(shown(topic) for topic in topics[:LISTED_TOPICS])
    count = f"{len(topics)} topic{'s' * (len(topics) > 1)}"
    return f"{count} ({some}{', …' if len(topics) > LISTED_TOPICS else ''})"
