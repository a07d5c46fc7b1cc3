"""Rank-biased overlap of two rankings of the same runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.ranges import ALPHA

if TYPE_CHECKING:
    from antecede.comparison.arrays import Floats

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
