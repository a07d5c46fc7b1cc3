"""Agreement of measures: do they say the same of each pair of runs?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.advice import advice
from antecede.comparison.family import Plan, family
from antecede.comparison.paired import Sampling
from antecede.comparison.pairs import all_pairs
from antecede.comparison.validation import check_runs, check_values, directions
from antecede.errors import UsageError
from antecede.plots import Plotted
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.pairs import Ints, Pairs
    from antecede.comparison.ranks import Floats
    from antecede.comparison.validation import Better


@dataclass(frozen=True)
class Contradiction:
    """Two runs of which some measures call the first significantly better, and others the second."""

    first: str
    second: str
    first_better: tuple[str, ...]
    second_better: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Agreement(Tabled, Plotted):
    """How often measures agree on pairs of runs. The counts of the three categories add up to `pairs`."""

    figure = "agreement"

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    plan: Plan
    verdicts: Ints
    """int64[measures, pairs]: +1 first better, −1 second better, 0 indistinguishable; pairs as `all_pairs` has them."""
    all_agree: int
    stands_apart: Mapping[str, int]
    """Pairs where all other measures agree and only this one does not; empty for two measures."""
    other: int
    """The rest. Three measures: no two agree. Two: they differ. More: any other split."""
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
        """What the last category means for this number of measures."""
        return {2: "they differ", 3: "none agree"}.get(len(self.measures), "other split")

    def categories(self) -> dict[str, int]:
        """Counts by what to call them, in the order of a chart."""
        apart = {f"only {name} stands apart": count for name, count in self.stands_apart.items()}
        return {"all agree": self.all_agree, **apart, self.other_name: self.other}

    def told_apart(self) -> dict[str, int]:
        """For each measure the pairs it can tell apart."""
        return dict(zip(self.measures, np.count_nonzero(self.verdicts, axis=1).tolist(), strict=True))

    def table(self) -> Table:
        rows = tuple((name, count, 100 * self.share(count)) for name, count in self.categories().items())
        told = ", ".join(f"{name} {100 * self.share(count):.1f} %" for name, count in self.told_apart().items())
        notes = (
            f"{self.pairs:,} pairs of {len(self.runs)} runs; {self.plan}.",
            f"Pairs told apart: {told}. Contradictions: {len(self.contradictions)}.",
            *(f"Note: {text}" for text in self.advice),
        )
        return Table(("agreement", "pairs", "%"), rows, title="Agreement of measures", notes=notes, digits=1)

    def contradictions_table(self) -> Table:
        """One row for each pair that measures put in opposite order."""
        rows = tuple(
            (c.first, c.second, ", ".join(c.first_better), ", ".join(c.second_better)) for c in self.contradictions
        )
        columns = ("first", "second", "first better by", "second better by")
        return Table(columns, rows, title="Contradictions", notes=(f"{self.plan}.",))

    def to_dict(self) -> dict[str, Any]:
        def counted(count: int) -> dict[str, float]:
            return {"count": count, "share": self.share(count)}

        return {
            "measures": [*self.measures],
            "runs": len(self.runs),
            "pairs": self.pairs,
            "test": self.plan.test,
            "correction": self.plan.correction,
            "alpha": self.plan.alpha,
            "all_agree": counted(self.all_agree),
            "stands_apart": {name: counted(count) for name, count in self.stands_apart.items()},
            "other": {"name": self.other_name, **counted(self.other)},
            "told_apart": {name: counted(count) for name, count in self.told_apart().items()},
            "contradictions": [
                {
                    "first": c.first,
                    "second": c.second,
                    "first_better": [*c.first_better],
                    "second_better": [*c.second_better],
                }
                for c in self.contradictions
            ],
            "advice": [*self.advice],
        }


def agreement_of_values(
    values_by_measure: Mapping[str, Floats],
    runs: Sequence[str],
    *,
    test: str = "wilcoxon",
    alpha: float = 0.05,
    correction: str = "none",
    samples: int = 10_000,
    seed: int = 0,
    better: Better | None = None,
) -> Agreement:
    """Each pair of runs under each measure: better, worse or indistinguishable; then how often measures agree.

    The study of Magdy & Jones (SIGIR 2010, figure 7): 48 runs, 1,128 pairs, Wilcoxon at 0.95, no correction.
    `values_by_measure` holds float64[runs, topics], NaN where a topic is left out; `better` says `lower` for a
    measure where less is better. That measures agree does not make them right, and measures that both can tell
    little apart agree often: look at the share each tells apart as well.
    """
    plan = Plan(test=test, correction=correction, alpha=alpha, sampling=Sampling(samples, seed))
    check_runs(runs)
    checked = check_values(values_by_measure, runs)
    if len(checked) < 2:
        raise UsageError(f"agreement needs at least two measures, there is {len(checked)}; name another")
    sign = directions(checked, better)
    pairs = all_pairs(len(runs))
    families = {name: family(name, values, pairs, runs, plan, direction=sign[name]) for name, values in checked.items()}
    verdicts = np.stack([tests.verdicts for tests in families.values()])
    measures = tuple(checked)
    all_agree, apart, other = categorise(verdicts)
    return Agreement(
        measures=measures,
        runs=tuple(runs),
        plan=plan,
        verdicts=verdicts,
        all_agree=all_agree,
        stands_apart=dict(zip(measures, apart, strict=True)) if len(measures) > 2 else {},
        other=other,
        contradictions=contradicting(verdicts, measures, runs, pairs),
        advice=advice(families, runs, plan),
    )


def categorise(verdicts: Ints) -> tuple[int, list[int], int]:
    """Pairs where all agree; where only measure m stands apart, for each m; and the rest.

    Of two measures that differ neither stands apart: there is no company of others to stand apart from.
    """
    measures, pairs = verdicts.shape
    # How many of the measures, itself included, say what this one says.
    company = (verdicts[:, None, :] == verdicts[None, :, :]).sum(axis=1)
    agree = int((company[0] == measures).sum())
    split = (company == 1) & ((company == measures - 1).sum(axis=0) == measures - 1)
    apart = [int(count) for count in split.sum(axis=1)]
    return agree, apart, pairs - agree - sum(apart)


def contradicting(
    verdicts: Ints, measures: tuple[str, ...], runs: Sequence[str], pairs: Pairs
) -> tuple[Contradiction, ...]:
    """The pairs of which one measure says better and another worse, with who says what."""

    def saying(verdict: int, pair: int) -> tuple[str, ...]:
        return tuple(name for name, said in zip(measures, verdicts[:, pair], strict=True) if said == verdict)

    return tuple(
        Contradiction(runs[pairs.first[pair]], runs[pairs.second[pair]], saying(1, pair), saying(-1, pair))
        for pair in np.flatnonzero((verdicts > 0).any(axis=0) & (verdicts < 0).any(axis=0)).tolist()
    )
