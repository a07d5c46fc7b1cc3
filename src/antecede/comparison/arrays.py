"""Array types and operations shared by the comparisons and the studies."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

TIE_DECIMALS = 12
"""Totals equal to this many decimals are ties: rounding errors in the last place must not order runs."""


def average_ranks(values: Floats) -> tuple[Floats, Floats]:
    """Ranks along the last axis, 1 for the smallest, tied values sharing the mean of their ranks; and group sizes.

    The second array gives, for each value, how many values equal it (itself included). A NaN ranks after everything
    else and is tied with nothing.
    """
    count = values.shape[-1]
    order = np.argsort(values, axis=-1)
    ordered = np.take_along_axis(values, order, axis=-1)
    opens = np.ones(values.shape, dtype=bool)
    opens[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    closes = np.ones(values.shape, dtype=bool)
    closes[..., :-1] = opens[..., 1:]
    place = np.arange(count)
    first = np.maximum.accumulate(np.where(opens, place, 0), axis=-1)
    last = np.minimum.accumulate(np.where(closes, place, count)[..., ::-1], axis=-1)[..., ::-1]
    ranks, sizes = np.empty(values.shape), np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    np.put_along_axis(sizes, order, last - first + 1.0, axis=-1)
    return ranks, sizes


def finite_or_none(value: float) -> float | None:
    """The value as a float that JSON can represent, or None where it is NaN or infinite."""
    return float(value) if math.isfinite(value) else None
