"""What it costs to reach a level of recall: the documents that must be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.registry import Documents, Level, Percent, measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks, Scores


def needed(n: NDArray[np.float64], percent: int) -> NDArray[np.float64]:
    """How many of n relevant documents make `percent` of them, rounded up; in whole numbers, so 95 % of 20 is 19."""
    whole = np.nan_to_num(n).astype(np.int64)
    return np.maximum(-(-percent * whole // 100), 1).astype(np.float64)


@measure("Effort", at="percent", cite="Cormack & Grossman, SIGIR 2014", better="lower", bounds=(1.0, float("inf")))
def effort(ranks: Ranks, *, percent: Percent, docs: Documents | None = None, rel: Level = 1) -> Scores:
    """Effort: how many documents must be read until so many percent of the relevant ones are seen.

    The rank of the ⌈percent · n⌉-th relevant document.

    A run that never gets there has no effort for that topic: it is shown as ∞, and so is the mean, with the number of
    such topics beside it. Give docs=D, the size of the collection, to count such a topic as reading all D instead.

    >>> score("Effort@80", found=[1, 5, 9, 30], relevant=5)
    30.0
    >>> score("Effort@95", found=[1, 5, 9, 30], relevant=5)
    inf
    """
    relevant = ranks.relevant(rel)
    reached = relevant.at(needed(relevant.n, percent))
    if docs is None:
        return reached
    ranks.check_collection(docs, "Effort")
    return np.where(np.isinf(reached), float(docs), reached)
