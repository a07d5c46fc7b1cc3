"""Aggregation of the scores of a run over topics. A topic that is NaN is left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.measures.ranks import Scores

FLOOR = 1e-5


@dataclass(frozen=True)
class Aggregate:
    """A sum over topics: a transformation of each score, and a combination of the sum and the number of topics.

    Because it is a sum, it can be computed topic by topic, which is how studies score thousands of samples of the
    judgements.
    """

    transform: Callable[[Scores], Scores]
    combine: Callable[[Scores, Scores], Scores]

    def __call__(self, scores: Scores) -> Scores:
        """One number per run, from float64[…, topics]."""
        counted = ~np.isnan(scores)
        if counted.all():
            return self.combine(self.transform(scores).sum(axis=-1), counted.sum(axis=-1, dtype=np.float64))
        terms = np.where(counted, self.transform(scores), 0.0)
        return self.combine(terms.sum(axis=-1), counted.sum(axis=-1, dtype=np.float64))


def identity(scores: Scores) -> Scores:
    """The scores unchanged."""
    return scores


def logarithm(scores: Scores) -> Scores:
    """The logarithm, with a floor of 0.00001 so that a single zero does not make the whole mean zero."""
    return np.log(np.maximum(scores, FLOOR))


def divide_by_topics(sums: Scores, topics: Scores) -> Scores:
    """Sums divided by the number of topics; NaN where every topic is left out."""
    return np.divide(sums, topics, out=np.full_like(sums, np.nan), where=topics > 0)


mean = Aggregate(identity, divide_by_topics)
"""The arithmetic mean."""

total = Aggregate(identity, lambda sums, _topics: sums)
"""The sum."""

geometric_mean = Aggregate(logarithm, lambda sums, topics: np.exp(divide_by_topics(sums, topics)))
"""The geometric mean, with a floor of 0.00001."""
