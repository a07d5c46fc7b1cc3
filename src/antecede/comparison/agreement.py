"""Measures compared on pairs of runs: do they reach the same conclusion, and how many pairs can each tell apart?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.inputs import Floats, Ints, TopicValues, check_level, topic_values
from antecede.comparison.significance import GivenPlan, SignificancePlan, all_pairs, give_advice, run_tests
from antecede.errors import UsageError
from antecede.operations import operation
from antecede.plots import PlotMixin
from antecede.results import to_json
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from antecede.comparison.significance import Correction, Test
    from antecede.evaluation.scores import Scores


@dataclass(frozen=True)
class Contradiction:
    """Two runs of which the first is significantly better under some measures, and the second under others."""

    first: str
    second: str
    first_better: tuple[str, ...]
    second_better: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Tabled, PlotMixin):
    """How often measures agree on pairs of runs. The counts of the three categories add up to `pairs`."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    plan: SignificancePlan
    verdicts: Ints
    """int64[measures, pairs]: +1 first better, −1 second better, 0 indistinguishable; pairs as in `all_pairs`."""
    all_agree: int
    stands_apart: Mapping[str, int]
    """Pairs on which all other measures agree and only this one differs; empty for two measures."""
    other: int
    """All other pairs. Two measures: they differ. Three: no two agree. More: any other split."""
    contradictions: tuple[Contradiction, ...]
    advice: tuple[str, ...] = ()

    @property
    def pairs(self) -> int:
        return int(self.verdicts.shape[1])

    def share(self, count: int) -> float:
        """A count as a share of the pairs."""
        return count / self.pairs

    @property
    def other_name(self) -> str:
        """The label of the last category, which depends on the number of measures."""
        return {2: "they differ", 3: "none agree"}.get(len(self.measures), "other split")

    def categories(self) -> dict[str, int]:
        """The counts by label, in the order of the chart."""
        apart = {f"only {name} differs": count for name, count in self.stands_apart.items()}
        return {"all agree": self.all_agree, **apart, self.other_name: self.other}

    def count_told_apart(self) -> dict[str, int]:
        """For each measure, the number of pairs it can distinguish."""
        return dict(zip(self.measures, np.count_nonzero(self.verdicts, axis=1).tolist(), strict=True))

    def table(self) -> Table:
        """One row per category: the number of pairs and their share."""
        rows = tuple((name, count, 100 * self.share(count)) for name, count in self.categories().items())
        shares = ", ".join(f"{name} {100 * self.share(count):.1f} %" for name, count in self.count_told_apart().items())
        notes = (
            f"{self.pairs:,} pairs of {len(self.runs)} runs; {self.plan}.",
            f"Pairs told apart: {shares}. Contradictions: {len(self.contradictions)}.",
            *(f"Note: {text}" for text in self.advice),
        )
        return Table(("agreement", "pairs", "%"), rows, title="Agreement of measures", notes=notes, digits=1)

    def contradictions_table(self) -> Table:
        """One row for each pair that measures order in opposite ways."""
        rows = tuple(
            (c.first, c.second, ", ".join(c.first_better), ", ".join(c.second_better)) for c in self.contradictions
        )
        columns = ("first", "second", "first better by", "second better by")
        notes = (f"{self.plan}.", *(f"Note: {text}" for text in self.advice))
        return Table(columns, rows, title="Contradictions", notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""

        def with_share(count: int) -> dict[str, float]:
            return {"count": count, "share": self.share(count)}

        document = {
            "measures": self.measures,
            "runs": len(self.runs),
            "pairs": self.pairs,
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "all_agree": with_share(self.all_agree),
            "stands_apart": {name: with_share(count) for name, count in self.stands_apart.items()},
            "other": {"name": self.other_name, **with_share(self.other)},
            "told_apart": {name: with_share(count) for name, count in self.count_told_apart().items()},
            "contradictions": self.contradictions,
            "advice": self.advice,
        }
        return dict(to_json(document))


@operation
def agreement(
    scores: Scores | TopicValues,
    *,
    plan: SignificancePlan = SignificancePlan("wilcoxon", "none"),
    **_given: Unpack[GivenPlan],
) -> Agreement:
    """Count how often the measures of an evaluation agree on pairs of runs.

    Under each measure, a run of a pair is significantly better, significantly worse, or neither. Magdy & Jones (SIGIR
    2010, figure 7) compared the 1,128 pairs of 48 runs with Wilcoxon's test at 0.95 and no correction. Agreement does
    not make measures right, and two measures that can tell few pairs apart agree often: consider the share that each
    tells apart as well.

    Args:
        scores: The evaluation, or scores per topic that were computed elsewhere, with at least two measures.
        plan: The test, as one value.
    """
    given = topic_values(scores)
    measures, runs = tuple(given.by_measure), given.runs
    if len(measures) < 2:
        raise UsageError(f"agreement needs at least two measures, but got {len(measures)}; add another")
    directions = given.directions
    pairs = all_pairs(len(runs))
    families = {
        name: run_tests(name, values, pairs, runs, plan, direction=directions[name])
        for name, values in given.by_measure.items()
    }
    verdicts = np.stack([tests.verdicts for tests in families.values()])
    all_agree, apart, other = categorise(verdicts)

    def supporters(verdict: int, pair: int) -> tuple[str, ...]:
        return tuple(name for name, given in zip(measures, verdicts[:, pair], strict=True) if given == verdict)

    opposed = np.flatnonzero((verdicts > 0).any(axis=0) & (verdicts < 0).any(axis=0)).tolist()
    return Agreement(
        measures=measures,
        runs=tuple(runs),
        plan=plan,
        verdicts=verdicts,
        all_agree=all_agree,
        stands_apart=dict(zip(measures, apart, strict=True)) if len(measures) > 2 else {},
        other=other,
        contradictions=tuple(
            Contradiction(runs[pairs.first[pair]], runs[pairs.second[pair]], supporters(1, pair), supporters(-1, pair))
            for pair in opposed
        ),
        advice=(*given.caveats, *give_advice(families, runs, plan)),
    )


def categorise(verdicts: Ints) -> tuple[int, list[int], int]:
    """The number of pairs on which all measures agree; on which only measure m differs, for each m; and the rest.

    Two measures that differ fall into the rest: neither of them differs from an agreeing majority.
    """
    measures, pairs = verdicts.shape
    # How many of the measures, itself included, give the same verdict as this one.
    supporters = (verdicts[:, None, :] == verdicts[None, :, :]).sum(axis=1)
    agree = int((supporters[0] == measures).sum())
    split = (supporters == 1) & ((supporters == measures - 1).sum(axis=0) == measures - 1)
    apart = [int(count) for count in split.sum(axis=1)]
    return agree, apart, pairs - agree - sum(apart)


# Discriminative power


_ALPHAS = (0.001, 0.01, 0.05, 0.1)


@dataclass(frozen=True, eq=False)
class DiscriminativePower:
    """The share of pairs told apart at each α, and the p-values it is computed from."""

    alphas: tuple[float, ...]
    share: Floats
    """float64[alphas]"""
    p: Floats
    """The achieved significance levels: the p-values of all pairs in ascending order."""
    test: str
    correction: str

    @property
    def pairs(self) -> int:
        return len(self.p)

    def to_dict(self) -> dict[str, Any]:
        """The shares by α, as JSON data."""
        shares = {f"{alpha:g}": float(share) for alpha, share in zip(self.alphas, self.share, strict=True)}
        return {"pairs": self.pairs, "test": self.test, "correction": self.correction, "share": shares}


def discriminative_power(
    values: Floats | Scores,
    alphas: Sequence[float] = _ALPHAS,
    *,
    test: Test = "t",
    correction: Correction = "none",
    samples: int = 10_000,
    seed: int = 0,
    runs: Sequence[str] | None = None,
    measure: str = "scores",
) -> DiscriminativePower:
    """Test every pair of runs and count the pairs with p ≤ α (Sakai, SIGIR 2006).

    A measure that distinguishes more pairs at the same α is more stable over topics, but not necessarily more valid: a
    measure can be consistently wrong. Without a correction, about a share α of the pairs that do not differ is counted
    as well. Sakai used a bootstrap test; any of `TESTS` can be used here.

    Args:
        values: The scores of one measure: float64[runs, topics], or an evaluation by it alone.
        alphas: The significance levels α.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        correction: The correction for multiple tests: `holm`, `bh`, `bonferroni` or `none`.
        samples: The number of sign patterns of the randomization test.
        seed: Random seed of the randomization test.
        runs: The names of the runs, for error messages.
        measure: The name of the measure, for error messages.
    """
    values, runs, measure = _choose_values(values, runs, measure)
    names = [f"{number}" for number in range(1, len(values) + 1)] if runs is None else runs
    for alpha in alphas:
        check_level(alpha)
    plan = SignificancePlan(test=test, correction=correction, samples=samples, seed=seed)
    checked = topic_values(TopicValues({measure: values}, names)).by_measure[measure]
    tests = run_tests(measure, checked, all_pairs(len(names)), names, plan)
    p = np.sort(tests.adjusted)
    share = np.searchsorted(p, np.asarray(alphas), side="right") / len(p)
    return DiscriminativePower(tuple(alphas), share, p, test, correction)


def _choose_values(
    values: Floats | Scores, runs: Sequence[str] | None, measure: str
) -> tuple[Floats, Sequence[str] | None, str]:
    """The values of one measure, with the names of runs and measure; an evaluation by several is refused."""
    if isinstance(values, np.ndarray):
        return values, runs, measure
    name, *others = map(str, values.measures)
    if others:
        several = ", ".join([name, *others])
        raise UsageError(
            f"values: these are the scores of {len(values.measures)} measures ({several}); give those of one, as in "
            f"scores.of({name!r})"
        )
    return values.of(name), values.runs if runs is None else runs, name
