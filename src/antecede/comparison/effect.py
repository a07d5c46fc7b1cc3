"""Effect sizes: how large a difference is, whatever the number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from antecede.comparison.ranks import Floats

ROUNDING = 1e-12
"""A spread this small beside the largest difference is rounding: all differences are the same."""


def mean_difference(differences: Floats) -> Floats:
    """Mean over the topics of each row of float64[pairs, topics], NaN left out; NaN where nothing is left."""
    here = ~np.isnan(differences)
    count = here.sum(axis=1)
    total = np.where(here, differences, 0.0).sum(axis=1)
    mean: Floats = np.divide(total, count, out=np.full(len(differences), np.nan), where=count > 0)
    return mean


def cohen_d(differences: Floats) -> Floats:
    """Cohen's d for paired scores, d_z = mean / standard deviation (n − 1) of the differences (Cohen, 1988).

    0.2 is called small, 0.5 medium, 0.8 large. It is t/√n: unlike t it does not grow with the topics.
    Differences all zero give 0. Differences all alike and not zero have no spread: ±∞. Fewer than two topics: NaN.
    Not to be held beside the d of unpaired samples, which is divided by the spread of the scores themselves.
    """
    here = ~np.isnan(differences)
    count = here.sum(axis=1)
    mean = mean_difference(differences)
    apart = np.where(here, differences - mean[:, None], 0.0)
    spread = np.sqrt((apart**2).sum(axis=1) / np.maximum(count - 1, 1))
    largest = np.where(here, np.abs(differences), 0.0).max(axis=1, initial=0.0)
    flat = spread <= ROUNDING * largest
    effect: Floats = np.divide(mean, spread, out=np.copysign(np.inf, mean), where=~flat)
    effect[flat & (largest == 0)] = 0.0
    effect[count < 2] = np.nan
    return effect
