"""Correlation of the order of systems under two measures, or under one measure and many samples of judgements.

Each coefficient takes `reference`, float64[runs], and `samples`, float64[samples, runs], and returns float64[samples].
It is NaN where either side is the same for all runs, so that there is no order to correlate, where a score is NaN, and
with fewer than two runs. Higher scores are better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.comparison.arrays import TIE_DECIMALS, average_ranks, finite_or_none
from antecede.comparison.score_table import ScoreTable
from antecede.comparison.validation import check_runs, check_totals, find_entry
from antecede.errors import UsageError, shown
from antecede.plots import PlotMixin
from antecede.results import concise_repr
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from antecede.comparison.arrays import Flags, Floats
    from antecede.evaluation.scores import Scores
    from antecede.tables import Value


class Correlation(Protocol):
    """The signature of a coefficient."""

    def __call__(self, reference: Floats, samples: Floats, /) -> Floats: ...


def kendall_many(reference: Floats, samples: Floats, /) -> Floats:
    """Kendall's τ-b: (concordant − discordant) / √(pairs untied in one · pairs untied in the other) (Kendall, 1945).

    Equals `scipy.stats.kendalltau`. A swap at the bottom of the ranking costs as much as one at the top.
    """
    columns = np.ascontiguousarray(samples.T)
    net = np.zeros(len(samples))
    for i in range(len(reference) - 1):
        net += np.sign(reference[i + 1 :] - reference[i]) @ np.sign(columns[i + 1 :] - columns[i])
    untied = np.sqrt(count_untied_pairs(reference[None, :])) * np.sqrt(count_untied_pairs(samples))
    return clip_ratio(net, untied, has_order(reference, samples))


def count_untied_pairs(values: Floats) -> Floats:
    """The number of pairs of values in each row that differ."""
    _, sizes = average_ranks(values)
    untied: Floats = (values.shape[-1] - sizes).sum(axis=-1) / 2
    return untied


def tau_ap_many(reference: Floats, samples: Floats, /) -> Floats:
    """AP correlation: τ_AP = 2/(n−1) · Σᵢ₌₂ⁿ C(i)/(i−1) − 1 (Yilmaz, Aslam & Robertson, SIGIR 2008).

    C(i) counts the runs ranked above position i in the sample that the reference also ranks above it, so a swap at the
    top costs more than one at the bottom. Not symmetric: the reference is the truth, the sample the estimate.

    Ties on both sides are broken in all possible ways and the results averaged, in closed form. For ties in the sample
    alone this is the τ_AP,a of Urbano & Marrero (ICTIR 2017). Since ties are penalised, a ranking with ties scores
    below 1 even against itself.
    """
    columns = np.ascontiguousarray(samples.T)
    weights = position_weights(samples).T
    net = np.zeros(len(samples))
    for i in range(len(reference)):
        above = (columns > columns[i]).astype(np.float64)
        net += weights[i] * (np.sign(reference - reference[i]) @ above)
    return clip_ratio(net, np.full(len(samples), len(reference) - 1.0), has_order(reference, samples))


def position_weights(samples: Floats) -> Floats:
    """For each run the mean of 1/(position − 1) over the positions of its tie group; 0 at the top."""
    ranks, sizes = average_ranks(-samples)
    first = np.rint(ranks - (sizes - 1) / 2).astype(np.int64)
    last = np.rint(ranks + (sizes - 1) / 2).astype(np.int64)
    harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, samples.shape[1] + 1))])
    return np.where(first > 1, (harmonic[last - 1] - harmonic[np.maximum(first - 2, 0)]) / sizes, 0.0)


def spearman_many(reference: Floats, samples: Floats, /) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks, tied scores sharing their mean rank (Spearman, 1904).

    Equals `scipy.stats.spearmanr`. One run moving far weighs more than many moving by one position.
    """
    known = has_order(reference, samples)
    rho = pearson_many(average_ranks(reference)[0], average_ranks(samples)[0])
    return np.where(known, rho, np.nan)


def pearson_many(reference: Floats, samples: Floats, /) -> Floats:
    """Pearson's r of the scores themselves: Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²) (Pearson, 1895).

    Equals `scipy.stats.pearsonr`. Measures linear association, not order; a few outlying runs can dominate it.
    """
    known = has_order(reference, samples)
    return clip_ratio(normalise_rows(samples) @ normalise_rows(reference), np.ones(len(samples)), known)


def normalise_rows(values: Floats) -> Floats:
    """Each row minus its mean, scaled to length 1; a row of equal values becomes 0."""
    if not values.shape[-1]:
        return values
    centred = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    scaled: Floats = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0)
    return scaled


def has_order(reference: Floats, samples: Floats) -> Flags:
    """The samples for which a coefficient is defined: at least two runs, no NaN, and neither side all equal."""
    if len(reference) < 2:
        return np.zeros(len(samples), dtype=bool)
    moves: Flags = (samples != samples[:, :1]).any(axis=1)
    usable: Flags = ~np.isnan(samples).any(axis=1) & moves
    return usable & bool((reference != reference[0]).any() and not np.isnan(reference).any())


def clip_ratio(value: Floats, over: Floats, known: Flags) -> Floats:
    """value/over where known, clipped to [−1, 1] against rounding errors; NaN elsewhere."""
    ratio = np.divide(value, over, out=np.full(len(value), np.nan), where=known)
    clipped: Floats = np.clip(ratio, -1.0, 1.0)
    return clipped


CORRELATIONS: Mapping[str, Correlation] = {
    "kendall": kendall_many,
    "tau_ap": tau_ap_many,
    "spearman": spearman_many,
    "pearson": pearson_many,
}


def correlation(first: Sequence[float] | Floats, second: Sequence[float] | Floats, method: str = "kendall") -> float:
    """One coefficient of two lists of scores with the systems in the same order; `first` is the reference."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise UsageError(f"the lists to correlate have shapes {one.shape} and {other.shape}; they must be equally long")
    return float(find_entry(CORRELATIONS, method, "correlation")(one, other[None, :])[0])


@dataclass(frozen=True)
class Correlations(Tabled, PlotMixin):
    """Coefficients between every two measures over the same runs."""

    __repr__ = concise_repr

    measures: tuple[str, ...]
    runs: int
    values: Mapping[str, Mapping[tuple[str, str], float]]
    """By coefficient, then by pair of measures; the first of a pair is the reference of τ_AP."""
    left_out: tuple[str, ...] = ()
    """Runs without a score under some measure."""
    advice: tuple[str, ...] = ()
    """What the runs or the qrels lack, and how it is scored."""

    def table(self) -> Table:
        """One row per pair of measures, one column per coefficient."""
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (f"{first} – {second}", *(by_pair[first, second] for by_pair in self.values.values()))
            for first, second in combinations(self.measures, 2)
        )
        notes: tuple[str, ...] = (f"{self.runs} runs.",)
        if self.left_out:
            notes += (f"Left out because a score is missing: {', '.join(shown(name) for name in self.left_out)}.",)
        notes += tuple(f"Note: {text}" for text in self.advice)
        return Table(("measures", *self.values), rows, title="Correlation of measures", notes=notes, digits=3)

    def to_dict(self) -> dict[str, Any]:
        """By coefficient, then by `first|second`; None where the coefficient is undefined. `advice` where there is."""
        coefficients = {
            name: {"|".join(pair): finite_or_none(value) for pair, value in by_pair.items()}
            for name, by_pair in self.values.items()
        }
        return coefficients | ({"advice": [*self.advice]} if self.advice else {})


def correlate(scores: Scores | ScoreTable, methods: Sequence[str] = tuple(CORRELATIONS)) -> Correlations:
    """Correlate every two measures of an evaluation, or of a table of scores, over the same runs.

    Totals of an evaluation that are equal to 12 decimals are ties.

    Args:
        scores: The evaluation, or a table from `read_score_table`.
        methods: The coefficients: `kendall` (τ-b), `tau_ap`, `spearman`, `pearson`.
    """
    if isinstance(scores, ScoreTable):
        return correlate_values(scores.scores, scores.runs, methods)
    check_totals(scores.totals, scores.measures, scores.runs)
    totals = np.round(scores.totals, TIE_DECIMALS)
    found = correlate_values(dict(zip(map(str, scores.measures), totals, strict=True)), scores.runs, methods)
    return replace(found, advice=scores.caveats())


def correlate_values(
    scores: Mapping[str, npt.ArrayLike], runs: Sequence[str], methods: Sequence[str] = tuple(CORRELATIONS)
) -> Correlations:
    """The given coefficients between every two measures; `scores` holds one value per run for each measure."""
    check_runs(runs)
    if len(scores) < 2:
        raise UsageError(f"a correlation needs two measures, but got {len(scores)}; add another with -m")
    arrays = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
    for name, values in arrays.items():
        if values.shape != (len(runs),):
            raise UsageError(f"{name}: the scores have shape {values.shape}; expected one for each of {len(runs)} runs")
    used: Flags = ~np.any(np.isnan(np.stack([*arrays.values()])), axis=0)
    if used.sum() < 2:
        raise UsageError("fewer than two runs have a score under every measure; leave out the measure without scores")
    found: dict[str, dict[tuple[str, str], float]] = {}
    for method in methods:
        coefficient = find_entry(CORRELATIONS, method, "correlation")
        found[method] = {
            (first, second): float(coefficient(arrays[first][used], arrays[second][used][None, :])[0])
            for first, second in combinations(arrays, 2)
        }
    left_out = tuple(name for name, kept in zip(runs, used, strict=True) if not kept)
    return Correlations(tuple(arrays), int(used.sum()), found, left_out)
