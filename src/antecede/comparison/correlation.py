"""Coefficients: correlation of the orders of systems, overlap of their rankings, agreement of two assessors.

A correlation is of the order of systems under two measures, or under one measure and many samples of judgements. Each
coefficient takes `reference`, float64[runs], and `samples`, float64[samples, runs], and returns float64[samples]. It is
NaN where either side is the same for all runs, so that there is no order to correlate, where a score is NaN, and with
fewer than two runs. Higher scores are better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np

from antecede.comparison.inputs import (
    ScoreTable,
    average_ranks,
    check_runs,
    check_totals,
    find_entry,
)
from antecede.errors import UsageError, advise, printable
from antecede.evaluation.scores import require_scores
from antecede.measures.definition import round_totals
from antecede.operations import Help
from antecede.plots import PlotMixin
from antecede.ranges import ALPHA
from antecede.results import concise_repr, to_json
from antecede.tables import Table, Tabled, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.comparison.inputs import Flags, Floats, Ints
    from antecede.evaluation.scores import Scores


def kendall_many(reference: Floats, samples: Floats, /) -> Floats:
    """Kendall's τ-b: (concordant − discordant) / √(pairs untied in one · pairs untied in the other) (Kendall, 1945).

    Equals `scipy.stats.kendalltau`. A swap at the bottom of the ranking costs as much as one at the top.
    """
    columns = np.ascontiguousarray(samples.T)
    net = np.zeros(len(samples))
    for i in range(len(reference) - 1):
        net += np.sign(reference[i + 1 :] - reference[i]) @ np.sign(columns[i + 1 :] - columns[i])
    untied = np.sqrt(_count_untied_pairs(reference[None, :])) * np.sqrt(_count_untied_pairs(samples))
    return _clip_ratio(net, untied, _has_order(reference, samples))


def _count_untied_pairs(values: Floats) -> Floats:
    _, sizes = average_ranks(values)
    return np.asarray((values.shape[-1] - sizes).sum(axis=-1) / 2)


def tau_ap_many(reference: Floats, samples: Floats, /) -> Floats:
    """AP correlation: τ_AP = 2/(n−1) · Σᵢ₌₂ⁿ C(i)/(i−1) − 1 (Yilmaz, Aslam & Robertson, SIGIR 2008).

    C(i) counts the runs ranked above position i in the sample that the reference also ranks above it, so a swap at the
    top costs more than one at the bottom. Not symmetric: the reference is the truth, the sample the estimate.

    Ties on both sides are broken in all possible ways and the results averaged, in closed form. For ties in the sample
    alone this is the τ_AP,a of Urbano & Marrero (ICTIR 2017). Since ties are penalised, a ranking with ties scores
    below 1 even against itself.
    """
    columns = np.ascontiguousarray(samples.T)
    weights = _position_weights(samples).T
    net = np.zeros(len(samples))
    for i in range(len(reference)):
        above = (columns > columns[i]).astype(np.float64)
        net += weights[i] * (np.sign(reference - reference[i]) @ above)
    return _clip_ratio(net, np.full(len(samples), len(reference) - 1.0), _has_order(reference, samples))


def _position_weights(samples: Floats) -> Floats:
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
    known = _has_order(reference, samples)
    rho = pearson_many(average_ranks(reference)[0], average_ranks(samples)[0])
    return np.where(known, rho, np.nan)


def pearson_many(reference: Floats, samples: Floats, /) -> Floats:
    """Pearson's r of the scores themselves: Σ(x−x̄)(y−ȳ) / √(Σ(x−x̄)² Σ(y−ȳ)²) (Pearson, 1895).

    Equals `scipy.stats.pearsonr`. Measures linear association, not order; a few outlying runs can dominate it.
    """
    known = _has_order(reference, samples)
    return _clip_ratio(_normalise_rows(samples) @ _normalise_rows(reference), np.ones(len(samples)), known)


def _normalise_rows(values: Floats) -> Floats:
    """Each row minus its mean, scaled to length 1; a row of equal values becomes 0."""
    if not values.shape[-1]:
        return values
    centred = values - values.mean(axis=-1, keepdims=True)
    largest = np.abs(centred).max(axis=-1, keepdims=True)
    centred = np.divide(centred, largest, out=np.zeros_like(centred), where=largest > 0)
    length = np.linalg.norm(centred, axis=-1, keepdims=True)
    return np.asarray(np.divide(centred, length, out=np.zeros_like(centred), where=length > 0))


def _has_order(reference: Floats, samples: Floats) -> Flags:
    """The samples for which a coefficient is defined: at least two runs, no NaN, and neither side all equal."""
    if len(reference) < 2:
        return np.zeros(len(samples), dtype=bool)
    usable: Flags = ~np.isnan(samples).any(axis=1) & (samples != samples[:, :1]).any(axis=1)
    return usable & bool((reference != reference[0]).any() and not np.isnan(reference).any())


def _clip_ratio(value: Floats, over: Floats, known: Flags) -> Floats:
    """value/over where known, clipped to [−1, 1] against rounding errors; NaN elsewhere."""
    ratio = np.divide(value, over, out=np.full(len(value), np.nan), where=known)
    return np.asarray(np.clip(ratio, -1.0, 1.0))


Coefficient = Literal["kendall", "tau_ap", "spearman", "pearson"]
CORRELATIONS: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "kendall": kendall_many,
    "tau_ap": tau_ap_many,
    "spearman": spearman_many,
    "pearson": pearson_many,
}


_COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)


def coefficient(first: Sequence[float] | Floats, second: Sequence[float] | Floats, method: str = "kendall") -> float:
    """One coefficient of two lists of scores with the systems in the same order; `first` is the reference."""
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise UsageError(f"the lists to correlate have shapes {one.shape} and {other.shape}; they must be equally long")
    by_score = np.lexsort((other, one))  # sums of floating-point numbers must not depend on the order of the systems
    return float(find_entry(CORRELATIONS, method, "correlation")(one[by_score], other[None, by_score])[0])


@dataclass(frozen=True, repr=False)
class Correlations(Tabled, PlotMixin):
    """Coefficients between every two measures over the same runs."""

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
            notes += (f"Left out because a score is missing: {', '.join(printable(name) for name in self.left_out)}.",)
        notes += tuple(f"Note: {text}" for text in self.advice)
        return Table(("measures", *self.values), rows, title="Correlation of measures", notes=notes, digits=3)

    def to_dict(self) -> dict[str, Any]:
        """By coefficient, then by `first|second`; None where the coefficient is undefined. `advice` where there is."""
        coefficients: dict[str, Any] = {
            name: {"|".join(pair): value for pair, value in by_pair.items()} for name, by_pair in self.values.items()
        }
        return dict(to_json(coefficients | ({"advice": self.advice} if self.advice else {})))


def correlation(
    scores: Scores | ScoreTable,
    methods: Annotated[Coefficient | Sequence[Coefficient], Help("A coefficient; may be repeated.")] = _COEFFICIENTS,
) -> Correlations:
    """Show how similarly measures order the same runs: Kendall's τ-b, τ_AP, Spearman's ρ and Pearson's r.

    In place of qrels and runs it takes a table of scores: the names of the measures in the first line, then one line
    per run, its name first. Scores that are equal to 12 decimals are ties.

    Args:
        scores: The evaluation, or a table from `read_score_table`.

    Shell:
        antecede study correlation qrels.txt runs/*.gz -m AP@1000,R@1000,PRES@1000 --figure correlation.svg
        antecede study correlation scores.csv
        antecede evaluate qrels.txt runs/*.gz --format csv | antecede study correlation -
    """
    caveats: tuple[str, ...] = ()
    if not isinstance(scores, ScoreTable):
        check_totals(scores.totals, scores.measures, scores.runs)
        require_scores(scores.measures, scores.totals, scores.rank_table)
        caveats = scores.caveats()
        scores = ScoreTable(scores.runs, dict(zip(map(str, scores.measures), scores.totals, strict=True)))
    runs = scores.runs
    check_runs(runs)
    if len(scores.scores) < 2:
        raise UsageError(
            f"a correlation needs two measures, but got {len(scores.scores)}; add another{advise('', ' with -m')}"
        )
    arrays = {name: round_totals(values) for name, values in scores.scores.items()}  # a table may have other decimals
    for name, values in arrays.items():
        if values.shape != (len(runs),):
            raise UsageError(f"{name}: the scores have shape {values.shape}; expected one for each of {len(runs)} runs")
    used: Flags = ~np.any(np.isnan(np.stack([*arrays.values()])), axis=0)
    if used.sum() < 2:
        raise UsageError("fewer than two runs have a score under every measure; leave out the measure without scores")
    coefficients: dict[str, dict[tuple[str, str], float]] = {}
    for method in [methods] if isinstance(methods, str) else methods:
        coefficients[method] = {
            (first, second): coefficient(arrays[first][used], arrays[second][used], method)
            for first, second in combinations(arrays, 2)
        }
    left_out = tuple(name for name, kept in zip(runs, used, strict=True) if not kept)
    return Correlations(tuple(arrays), int(used.sum()), coefficients, left_out, caveats)


# Rank-biased overlap


PERSISTENCE = 0.9


def rank_biased_overlap(first: Floats, second: Floats, p: float = PERSISTENCE) -> float:
    """RBO of the orders of the same runs under two sets of scores, higher scores first (Webber, Moffat & Zobel, 2010).

    RBO = Xₙ/n · pⁿ + (1 − p)/p · Σ_d X_d/d · p^d, where X_d counts the runs that are among the first d of both; the
    extrapolated form (their equation 30), which for two complete rankings is 1 if they are identical. p is the
    persistence: with 0.9, the first ten ranks carry 86 % of the weight. Runs with equal scores are in the order given
    in both rankings. Equals `rbo.RankingSimilarity(…).rbo_ext(p)`. NaN where a score is.

    Unlike τ, a swap at the bottom of the ranking costs next to nothing.
    """
    if p not in ALPHA:
        raise UsageError(f"p must lie between 0 and 1, not {p:g}; 0.9 is usual")
    if len(first) != len(second) or not len(first):
        raise UsageError(f"RBO compares two rankings of the same runs, not of {len(first)} and {len(second)}")
    if np.isnan(first).any() or np.isnan(second).any():
        return float("nan")
    places = [np.argsort(np.argsort(-scores, kind="stable"), kind="stable") for scores in (first, second)]
    depth = np.arange(1, len(first) + 1)
    common = np.searchsorted(np.sort(np.maximum(*places)), depth, side="left")  # both places below d
    agreement = common / depth
    weights = p**depth
    return float(agreement[-1] * weights[-1] + (1 - p) / p * (agreement * weights).sum())


# Agreement of two assessors who judged the same documents: Cohen's κ, Krippendorff's α, and overlap
#
# Every coefficient takes counts, int64[…, G, G]: how many documents the first assessor gave the grade of the row, and
# the second the grade of the column. Leading axes, such as bootstrap samples, are kept. A coefficient is NaN where
# chance alone explains everything: where all documents have the same grade, or there is no document.


def count_grades(first: Ints, second: Ints, grades: Sequence[int], topic: Ints, topics: int) -> Ints:
    """int64[topics, G, G]: the documents of each topic by the grades of both assessors."""
    size = len(grades)
    known = np.asarray(grades)
    cell = (topic * size + np.searchsorted(known, first)) * size + np.searchsorted(known, second)
    return np.bincount(cell, minlength=topics * size * size).reshape(topics, size, size).astype(np.int64)


def observed_agreement(counts: Ints) -> Floats:
    """The share of the documents that both gave the same grade."""
    return _divide(np.trace(counts, axis1=-2, axis2=-1).astype(np.float64), counts.sum(axis=(-2, -1)))


_WEIGHTS: Mapping[str, Callable[[Floats], Floats]] = {"none": np.sign, "linear": np.abs, "quadratic": np.square}
"""What a disagreement costs whose grades are so many steps apart."""


def cohen_kappa(counts: Ints | Floats, weights: str = "none") -> Floats:
    """Cohen's κ: 1 − (weighted disagreement observed) / (expected from each assessor's own grades) (Cohen, 1960, 1968).

    Equals `sklearn.metrics.cohen_kappa_score`. Each assessor keeps a bias of their own: two who judge at random with
    the same leniency have κ = 0. Where one grade dominates, as non-relevant documents do in a pool, κ can be low
    although nearly all judgements agree.
    """
    steps = np.arange(counts.shape[-1], dtype=np.float64)
    cost = _WEIGHTS[weights](np.abs(steps[:, None] - steps[None, :]))
    shares = _divide(counts.astype(np.float64), counts.sum(axis=(-2, -1), keepdims=True))
    expected = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    return 1.0 - _divide((cost * shares).sum(axis=(-2, -1)), (cost * expected).sum(axis=(-2, -1)))


def _squared_distances(level: str, values: Floats, totals: Floats) -> Floats:
    """What it costs to give one grade instead of another, at a level of measurement.

    Nominal grades are the same or not. Between ordinal ones lie the judgements with a grade between them, and half of
    those with either grade. Interval grades are numbers.
    """
    if level == "nominal":
        return 1.0 - np.eye(totals.shape[-1])
    if level == "ordinal":
        values = np.cumsum(totals, axis=-1) - totals / 2
    return (values[..., :, None] - values[..., None, :]) ** 2


def krippendorff_alpha(counts: Ints, grades: Sequence[int], level: str = "nominal") -> Floats:
    """Krippendorff's α: 1 − observed / expected disagreement, over all judgements of both (Krippendorff, 1970, 2011).

    Equals `krippendorff.alpha` for two assessors. Unlike κ, the expected disagreement comes from the grades of both
    together, so that a difference in leniency counts as disagreement, and it is corrected for small samples. `level`
    is how grades are compared: `nominal`, `ordinal` or `interval`.
    """
    both = (counts + counts.swapaxes(-1, -2)).astype(np.float64)
    totals = both.sum(axis=-1)
    cost = _squared_distances(level, np.asarray(grades, np.float64), totals)
    number = totals.sum(axis=-1)
    chance = (cost * totals[..., :, None] * totals[..., None, :]).sum(axis=(-2, -1))
    return 1.0 - _divide((number - 1) * (cost * both).sum(axis=(-2, -1)), chance)


def _divide(value: Floats, over: Floats) -> Floats:
    """value/over; NaN where the latter is 0."""
    value, over = np.broadcast_arrays(np.asarray(value, np.float64), np.asarray(over, np.float64))
    ratio: Floats = np.divide(value, over, out=np.full(value.shape, np.nan), where=over > 0)
    return ratio


@dataclass(frozen=True, eq=False)
class GradeAgreement:
    """How far two assessors agree on G grades over T topics."""

    __repr__ = concise_repr

    grades: tuple[int, ...]
    by_topic: Ints
    """int64[T, G, G]: the documents of a topic by the grade of the first (row) and of the second assessor (column)."""
    rel: int
    unjudged: Literal["skip", "nonrelevant"]
    only: tuple[int, int]
    """Documents that only the first, or only the second, judged."""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By coefficient, the 95 % interval over bootstrap samples of the topics."""

    @property
    def counts(self) -> Ints:
        """int64[G, G]: the documents by both grades."""
        return np.asarray(self.by_topic.sum(axis=0))

    @property
    def judged(self) -> int:
        """The number of documents whose grades are compared."""
        return int(self.by_topic.sum())

    def coefficients(self) -> dict[str, float]:
        """Every coefficient of agreement by its name."""
        return {name: float(values) for name, values in self.coefficients_of(self.counts).items()}

    def coefficients_of(self, counts: Ints) -> dict[str, Floats]:
        """Every coefficient over counts, int64[…, G, G]; those for grades only where there are more than two."""
        binary = self._at_level(counts, self.rel)
        values = {
            "agreement": observed_agreement(binary),
            "Cohen's κ": cohen_kappa(binary),
            "Krippendorff's α": krippendorff_alpha(binary, (0, 1)),
        }
        if len(self.grades) > 2:
            values |= {"agreement on grades": observed_agreement(counts), "κ on grades": cohen_kappa(counts)}
            values |= {f"κ on grades, {weights}": cohen_kappa(counts, weights) for weights in ("linear", "quadratic")}
            levels = ("nominal", "ordinal", "interval")
            values |= {f"α on grades, {level}": krippendorff_alpha(counts, self.grades, level) for level in levels}
        return values

    def _at_level(self, counts: Ints, level: int) -> Ints:
        """int64[…, 2, 2]: the counts below a grade, and at this grade or above."""
        high = np.asarray(self.grades) >= level
        member = np.stack([~high, high]).astype(np.int64)
        return np.asarray(np.einsum("ai,...ij,bj->...ab", member, counts, member))

    def overlap(self) -> dict[int, tuple[int, int, int]]:
        """By level ≥ 1: documents that the first, the second, and both give at least this grade."""
        cuts = {level: self._at_level(self.counts, level) for level in self.grades if level >= 1}
        return {level: (int(cut[1].sum()), int(cut[:, 1].sum()), int(cut[1, 1])) for level, cut in cuts.items()}

    def topic_overlap(self, level: int) -> float:
        """The mean over topics of intersection / union (Voorhees, SIGIR 1998); topics with an empty union left out."""
        cut = self._at_level(self.by_topic, level)
        union = cut.sum(axis=(1, 2)) - cut[:, 0, 0]
        return float((cut[:, 1, 1][union > 0] / union[union > 0]).mean()) if (union > 0).any() else float("nan")
