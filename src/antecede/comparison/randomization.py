"""The randomisation test over many pairs of runs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.effect import mean_difference
from antecede.comparison.paired import DEFAULT_SAMPLING, Sampling, Significance, settle

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from antecede.comparison.pairs import Ints
    from antecede.comparison.ranks import Floats

EXACT_TOPICS = 16
"""Up to this many topics with a difference, every sign pattern is counted; beyond, patterns are drawn."""

ROUNDING = 1e-10
"""Sums closer than this, beside the sum of all |d|, count as equal: they differ only by the order of adding."""

PATTERNS = 1024
"""Sign patterns drawn at a time. Fixed, so that a pair's p-value does not depend on the pairs tested with it."""

PAIRS = 4096
"""Pairs handled at a time, which bounds the memory at 32 MB a step."""


def randomization(differences: Floats, sampling: Sampling = DEFAULT_SAMPLING, /) -> Significance:
    """Sign-flip test of the mean difference (Fisher, 1935; for retrieval Smucker, Allan & Carterette, CIKM 2007).

    If the runs were the same, each topic's difference could as well have the other sign. p is the share of sign
    patterns whose |mean| is at least the observed one: over all 2ⁿ for n ≤ 16 topics with a difference, else
    (1 + hits) / (1 + samples) over patterns drawn with the seed, so that p is never 0.

    Assumes nothing about the shape of the differences beyond symmetry under the null. A sampled p below 0.05
    has a standard error of about √(p/samples). All pairs see the same patterns.
    """
    known = np.nan_to_num(differences)
    moving = np.count_nonzero(known, axis=1)
    few = moving <= EXACT_TOPICS
    p = np.ones(len(known))
    p[few] = enumerated(known[few])
    p[~few] = sampled(known[~few], sampling)
    smallest = np.where(few, np.exp2(1.0 - np.maximum(moving, 1)), 1.0 / (1 + sampling.samples))
    return settle(differences, mean_difference(differences), p, smallest=smallest, sampled=~few)


def enumerated(differences: Floats) -> Floats:
    """The share of all sign patterns that reach the observed |sum|."""
    if not differences.size:
        return np.ones(len(differences))
    longest = max(1, int(np.count_nonzero(differences, axis=1).max()))
    # The largest differences first, so that only zeros are cut off; a zero doubles hits and patterns alike.
    order = np.argsort(-np.abs(differences), axis=1)[:, :longest]
    kept = np.take_along_axis(differences, order, axis=1)
    # A pattern and its mirror image have the same |sum|, so the first sign can stay as it is.
    codes = np.arange(2 ** (longest - 1))[:, None] >> np.arange(longest - 1)[None, :]
    signs = np.hstack([np.ones((len(codes), 1)), 1.0 - 2.0 * (codes & 1)])
    steps = (signs[at : at + PATTERNS] for at in range(0, len(signs), PATTERNS))
    return reaching(kept, steps) / len(signs)


def sampled(differences: Floats, sampling: Sampling) -> Floats:
    """The share of drawn sign patterns that reach the observed |sum|, the observed pattern counted in."""
    if not len(differences):
        return np.ones(0)
    rng = np.random.default_rng(sampling.seed)
    topics = differences.shape[1]
    steps = (
        rng.integers(0, 2, size=(min(PATTERNS, sampling.samples - at), topics), dtype=np.int8) * 2.0 - 1.0
        for at in range(0, sampling.samples, PATTERNS)
    )
    return (1 + reaching(differences, steps)) / (1 + sampling.samples)


def reaching(differences: Floats, steps: Iterable[npt.NDArray[np.floating]]) -> Ints:
    """For each pair, how many of the sign patterns give a |sum| at least as large as the observed one."""
    needed = np.abs(differences.sum(axis=1)) - ROUNDING * np.abs(differences).sum(axis=1)
    hits = np.zeros(len(differences), dtype=np.int64)
    for signs in steps:
        for at in range(0, len(differences), PAIRS):
            rows = slice(at, at + PAIRS)
            sums = np.abs(differences[rows] @ signs.T)
            hits[rows] += np.count_nonzero(sums >= needed[rows, None], axis=1)
    return hits
