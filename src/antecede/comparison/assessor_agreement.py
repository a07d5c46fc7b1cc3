"""Agreement of two assessors who judged the same documents: Cohen's κ, Krippendorff's α, and overlap.

Every coefficient takes counts, int64[…, G, G]: how many documents the first assessor gave the grade of the row, and the
second the grade of the column. Leading axes, such as bootstrap samples, are kept. A coefficient is NaN where chance
alone explains everything: where all documents have the same grade, or there is no document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.validation import find_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.comparison.arrays import Floats, Ints


def count_grades(first: Ints, second: Ints, grades: Sequence[int], topic: Ints, topics: int) -> Ints:
    """int64[topics, G, G]: the documents of each topic by the grades of both assessors."""
    size = len(grades)
    known = np.asarray(grades)
    cell = (topic * size + np.searchsorted(known, first)) * size + np.searchsorted(known, second)
    return np.bincount(cell, minlength=topics * size * size).reshape(topics, size, size).astype(np.int64)


def observed_agreement(counts: Ints) -> Floats:
    """The share of the documents that both gave the same grade."""
    return divide(np.trace(counts, axis1=-2, axis2=-1).astype(np.float64), counts.sum(axis=(-2, -1)))


def no_weights(size: int) -> Floats:
    """Every disagreement counts 1."""
    return 1.0 - np.eye(size)


def linear_weights(size: int) -> Floats:
    """A disagreement counts as many steps as the grades are apart."""
    steps = np.arange(size, dtype=np.float64)
    return np.abs(steps[:, None] - steps[None, :])


def quadratic_weights(size: int) -> Floats:
    """A disagreement counts the square of the steps that the grades are apart."""
    return linear_weights(size) ** 2


WEIGHTS: Mapping[str, Callable[[int], Floats]] = {
    "none": no_weights,
    "linear": linear_weights,
    "quadratic": quadratic_weights,
}


def cohen_kappa(counts: Ints, weights: str = "none") -> Floats:
    """Cohen's κ: 1 − (weighted disagreement observed) / (expected from each assessor's own grades) (Cohen, 1960, 1968).

    Equals `sklearn.metrics.cohen_kappa_score`. Each assessor keeps a bias of their own: two who judge at random with
    the same leniency have κ = 0. Where one grade dominates, as non-relevant documents do in a pool, κ can be low
    although nearly all judgements agree.
    """
    size = counts.shape[-1]
    cost = find_entry(WEIGHTS, weights, "weighting of disagreements")(size)
    shares = divide(counts.astype(np.float64), counts.sum(axis=(-2, -1), keepdims=True))
    expected = shares.sum(axis=-1)[..., :, None] * shares.sum(axis=-2)[..., None, :]
    return 1.0 - divide((cost * shares).sum(axis=(-2, -1)), (cost * expected).sum(axis=(-2, -1)))


def nominal_distances(_values: Floats, totals: Floats) -> Floats:
    """Grades are the same or not."""
    return np.broadcast_to(no_weights(totals.shape[-1]), (*totals.shape, totals.shape[-1]))


def ordinal_distances(_values: Floats, totals: Floats) -> Floats:
    """The squared number of judgements that lie between two grades, half of those with either grade included."""
    above = np.cumsum(totals, axis=-1) - totals / 2
    return (above[..., :, None] - above[..., None, :]) ** 2


def interval_distances(values: Floats, totals: Floats) -> Floats:
    """The squared difference of the grades as numbers."""
    return np.broadcast_to((values[:, None] - values[None, :]) ** 2, (*totals.shape, totals.shape[-1]))


DISTANCES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "nominal": nominal_distances,
    "ordinal": ordinal_distances,
    "interval": interval_distances,
}


def krippendorff_alpha(counts: Ints, grades: Sequence[int], level: str = "nominal") -> Floats:
    """Krippendorff's α: 1 − observed / expected disagreement, over all judgements of both (Krippendorff, 1970, 2011).

    Equals `krippendorff.alpha` for two assessors. Unlike κ, the expected disagreement comes from the grades of both
    together, so that a difference in leniency counts as disagreement, and it is corrected for small samples. `level`
    is how grades are compared: `nominal`, `ordinal` or `interval`.
    """
    distances = find_entry(DISTANCES, level, "level of measurement")
    both = (counts + counts.swapaxes(-1, -2)).astype(np.float64)
    totals = both.sum(axis=-1)
    cost = distances(np.asarray(grades, np.float64), totals)
    number = totals.sum(axis=-1)
    chance = (cost * totals[..., :, None] * totals[..., None, :]).sum(axis=(-2, -1))
    return 1.0 - divide((number - 1) * (cost * both).sum(axis=(-2, -1)), chance)


def divide(value: Floats, over: Floats) -> Floats:
    """value/over; NaN where the latter is 0."""
    value, over = np.broadcast_arrays(np.asarray(value, np.float64), np.asarray(over, np.float64))
    ratio: Floats = np.divide(value, over, out=np.full(value.shape, np.nan), where=over > 0)
    return ratio
