"""Confidence intervals of rank correlations between measures: how far τ depends on the topics and runs at hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from antecede.comparison.correlation import CORRELATIONS, Coefficient, coefficient
from antecede.comparison.effect_sizes import draw_topics
from antecede.comparison.inputs import Floats, Ints, check_level, check_runs, check_totals, find_entry
from antecede.errors import UsageError, advise
from antecede.evaluation.scores import require_scores
from antecede.operations import Help
from antecede.ranges import SAMPLES, SEED
from antecede.results import to_json
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.evaluation.scores import Scores
    from antecede.operations import Alpha, Samples, Seed
    from antecede.tables import Value

Over = Literal["topics", "runs", "both"]
_METHODS: tuple[Coefficient, ...] = ("kendall", "tau_ap", "spearman")


@dataclass(frozen=True, eq=False, repr=False)
class CorrelationIntervals(Tabled):
    """Coefficients between every two measures, each with its interval."""

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    topics: int
    over: Over
    alpha: float
    samples: int
    seed: int
    values: Mapping[str, Mapping[tuple[str, str], tuple[float, float, float]]]
    """By coefficient, then by pair of measures: the coefficient, and the ends of its interval."""
    undefined: int
    """Samples without an order of the runs, left out of an interval; the largest number of any."""
    advice: tuple[str, ...] = ()

    def table(self) -> Table:
        """One row per pair of measures and coefficient."""
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (f"{first} – {second}", method, *of_method[first, second])
            for first, second in combinations(self.measures, 2)
            for method, of_method in self.values.items()
        )
        what = "topics and runs" if self.over == "both" else self.over
        notes = (
            (
                f"Low to high: {100 * (1 - self.alpha):g} % percentile interval over {self.samples:,} bootstrap "
                f"samples of the {what} ({len(self.runs)} runs, {self.topics} topics), seed {self.seed}."
            ),
            *([f"{self.undefined} samples without an order of the runs are left out."] if self.undefined else []),
            *(f"Note: {text}" for text in self.advice),
        )
        columns = ("measures", "coefficient", "value", "low", "high")
        return Table(columns, rows, title="Intervals of correlations", notes=notes, digits=3, grouped=1)

    def to_dict(self) -> dict[str, Any]:
        """By coefficient, then by `first|second`, the value and the ends of the interval."""
        by_method = {
            method: {
                "|".join(pair): dict(zip(("value", "low", "high"), ends, strict=True))
                for pair, ends in of_method.items()
            }
            for method, of_method in self.values.items()
        }
        plan = {"over": self.over, "alpha": self.alpha, "samples": self.samples, "seed": self.seed}
        return dict(to_json({**plan, "runs": len(self.runs), "topics": self.topics, **by_method}))


def intervals(
    scores: Scores,
    methods: Annotated[Coefficient | Sequence[Coefficient], Help("A coefficient; may be repeated.")] = _METHODS,
    *,
    over: Annotated[Over, Help("What is drawn anew: topics, runs, or both.")] = "both",
    alpha: Alpha = 0.05,
    samples: Samples = 1_000,
    seed: Seed = 0,
) -> CorrelationIntervals:
    """Show confidence intervals of the correlations between measures: τ-b, τ_AP, ρ, r (bootstrap).

    Topics are drawn with replacement and the totals of the runs computed anew; runs are drawn with replacement, and two
    copies of one run are not compared. Use it before calling one τ larger than another, or any τ high enough.

    Args:
        scores: The evaluation.

    Shell:
        antecede study intervals qrels.txt runs/*.gz -m AP,nDCG@10,PRES@1000 --over topics
    """
    check_level(alpha)
    SAMPLES.check(samples, "samples")
    SEED.check(seed, "seed")
    check_runs(scores.runs)
    check_totals(scores.totals, scores.measures, scores.runs)
    require_scores(scores.measures, scores.totals, scores.rank_table)
    if len(scores.measures) < 2:
        raise UsageError(f"a correlation needs two measures, but got 1; add another{advise('', ' with -m')}")
    names = tuple(map(str, scores.measures))
    drawn = {name: resample_totals(scores, at, over, samples, seed) for at, name in enumerate(names)}
    totals = dict(zip(names, scores.totals, strict=True))
    runs = len(scores.runs)
    rows = draw_runs(runs, samples, seed, alone=over == "runs") if over != "topics" else None
    values: dict[str, dict[tuple[str, str], tuple[float, float, float]]] = {}
    undefined = 0
    for method in [methods] if isinstance(methods, str) else methods:
        find_entry(CORRELATIONS, method, "correlation")
        values[method] = {}
        for first, second in combinations(names, 2):
            sampled = correlate_samples(method, drawn[first], drawn[second], rows)
            undefined = max(undefined, int(np.isnan(sampled).sum()))
            known = sampled[~np.isnan(sampled)]
            ends = np.quantile(known, [alpha / 2, 1 - alpha / 2]).tolist() if len(known) else [np.nan, np.nan]
            values[method][first, second] = (coefficient(totals[first], totals[second], method), *ends)
    topics = int(scores.evaluated.sum())
    return CorrelationIntervals(
        *(names, scores.runs, topics, over, alpha, samples, seed, values, undefined, scores.caveats())
    )


def resample_totals(scores: Scores, at: int, over: Over, samples: int, seed: int) -> Floats:
    """float64[samples, runs]: the totals of a measure over samples of the topics, or as they are."""
    if over == "runs":
        return np.broadcast_to(scores.totals[at], (samples, len(scores.runs)))
    aggregate = scores.measures[at].definition.aggregate
    values = scores.values[at][:, scores.evaluated]
    weights = draw_topics(values.shape[1], samples, seed).astype(np.float64)
    known = ~np.isnan(values)
    sums = weights @ np.where(known, aggregate.transform(values), 0.0).T
    return aggregate.total(sums, weights @ known.T.astype(np.float64))


def draw_runs(runs: int, samples: int, seed: int, *, alone: bool) -> Ints:
    """int64[samples, runs]: the runs of each sample; topics that are drawn too have a stream of their own."""
    rng = np.random.default_rng(seed if alone else [seed, 1])
    return rng.integers(0, runs, size=(samples, runs))


def correlate_samples(method: str, first: Floats, second: Floats, rows: Ints | None) -> Floats:
    """The coefficient in each sample; NaN where the runs of a sample have no order."""
    if rows is None:
        correlate = CORRELATIONS[method]
        return np.array([float(correlate(one, other[None])[0]) for one, other in zip(first, second, strict=True)])
    if method == "tau_ap":
        return np.array([tau_ap_of_copies(*each) for each in zip(first, second, rows, strict=True)])
    correlate, result = CORRELATIONS[method], np.empty(len(rows))
    for at, chosen in enumerate(rows):
        result[at] = correlate(first[at][chosen], second[at][chosen][None])[0]
    return result


def tau_ap_of_copies(reference: Floats, sample: Floats, chosen: Ints) -> float:
    """τ_AP of runs that were drawn with replacement: each copy is compared with the copies of other runs only.

    Without copies and ties this is τ_AP. Copies compared as ties would lower it, as τ_AP penalises ties.
    """
    copies = np.bincount(chosen, minlength=len(reference)).astype(np.float64)
    above = (sample[:, None] > sample[None, :]) * copies[:, None]
    agreeing = np.where(reference[:, None] > reference[None, :], above, 0.0).sum(axis=0)
    every = above.sum(axis=0)
    ranked = (every > 0) & (copies > 0)
    if not ranked.any():
        return float("nan")
    share = agreeing[ranked] / every[ranked]
    return float(2 * (copies[ranked] * share).sum() / copies[ranked].sum() - 1)
