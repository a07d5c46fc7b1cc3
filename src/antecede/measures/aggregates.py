"""From the topics of a run to one number. A topic that is NaN is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.measures.ranks import Scores

    Aggregate: TypeAlias = Callable[[Scores], Scores]
else:
    Aggregate = object

FLOOR = 1e-5


def mean(scores: Scores) -> Scores:
    """The arithmetic mean; NaN where every topic is left out."""
    counted = ~np.isnan(scores)
    totals = np.where(counted, scores, 0.0).sum(axis=-1)
    means = np.full(totals.shape, np.nan)
    return np.asarray(np.divide(totals, counted.sum(axis=-1), out=means, where=counted.any(axis=-1)))


def total(scores: Scores) -> Scores:
    """The sum."""
    return np.asarray(np.nansum(scores, axis=-1))


def geometric_mean(scores: Scores) -> Scores:
    """The geometric mean, a score below 0.00001 counted as that, so that one zero does not wipe out the rest."""
    return np.exp(mean(np.log(np.maximum(scores, FLOOR))))
