"""From the topics of a run to one number. A topic that is NaN is left out."""

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
    """A sum over topics, with what each topic adds to it and what is made of it and of the number of topics.

    Being a sum, it can be taken topic by topic, which is how studies score thousands of samples of the judgements.
    """

    adds: Callable[[Scores], Scores]
    makes: Callable[[Scores, Scores], Scores]

    def __call__(self, scores: Scores) -> Scores:
        """One number for each run, from float64[…, topics]."""
        counted = ~np.isnan(scores)
        if counted.all():
            return self.makes(self.adds(scores).sum(axis=-1), counted.sum(axis=-1, dtype=np.float64))
        added = np.where(counted, self.adds(scores), 0.0)
        return self.makes(added.sum(axis=-1), counted.sum(axis=-1, dtype=np.float64))


def itself(scores: Scores) -> Scores:
    return scores


def logarithm(scores: Scores) -> Scores:
    """A score below 0.00001 counts as that, so that one zero does not wipe out the rest."""
    return np.log(np.maximum(scores, FLOOR))


def over_all(sums: Scores, topics: Scores) -> Scores:
    """NaN where every topic is left out."""
    return np.divide(sums, topics, out=np.full_like(sums, np.nan), where=topics > 0)


mean = Aggregate(itself, over_all)
"""The arithmetic mean."""

total = Aggregate(itself, lambda sums, _topics: sums)
"""The sum."""

geometric_mean = Aggregate(logarithm, lambda sums, topics: np.exp(over_all(sums, topics)))
"""The geometric mean, with a floor of 0.00001."""
