"""Effort to reach a level of recall: the number of documents that must be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Documents, Level, Percent, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores


def required_count(n: NDArray[np.float64], percent: int) -> NDArray[np.float64]:
    """The number of documents that make up `percent` of n, rounded up, in integer arithmetic: 95 % of 20 is 19."""
    whole = np.nan_to_num(n).astype(np.int64)
    return np.maximum(-(-percent * whole // 100), 1).astype(np.float64)


@measure("Effort", at="percent", cite="Cormack & Grossman, SIGIR 2014", better="lower", bounds=(1.0, float("inf")))
def effort(ranks: Ranks, *, percent: Percent, docs: Documents | None = None, rel: Level = 1) -> Scores:
    """Effort: how many documents must be read to see the given percentage of the relevant ones.

        Effort = r_j, j = ⌈p·n / 100⌉

    p is the percentage: the effort is the rank of the jth relevant document.

    For a topic on which a run never reaches this percentage, the effort is ∞, and so is the mean, which is reported
    with the number of such topics. Set docs=D, the size of the collection, to count such a topic as reading all
    D: one number, docs=judged (the documents judged for the topic) or docs=FILE (lines of `topic size`).

    >>> score("Effort@80", found=[1, 5, 9, 30], relevant=5)
    30.0
    >>> score("Effort@95", found=[1, 5, 9, 30], relevant=5)
    inf
    """
    relevant = ranks.relevant(rel)
    reached = relevant.at(required_count(relevant.n, percent))
    if docs is None:
        return reached
    return np.where(np.isinf(reached), docs.resolve(ranks, "Effort"), reached)
