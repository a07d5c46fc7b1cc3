"""The best order of a topic's documents, by grade, which graded measures compare a run with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Selection


def ideal_gains(graded: Selection) -> NDArray[np.float64]:
    """float64[K]: the grades of each topic, highest first.

    Copies of a document are no further documents to find: they gain nothing here, and so stand last.
    """
    gains = graded.relevance.astype(np.float64)
    if graded.table.copies is not None:
        gains[graded.table.copies[graded.chosen]] = 0.0
    best: NDArray[np.float64] = gains[np.lexsort((-gains, graded.topic))]
    return best


def reached(graded: Selection, running: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[R, K]: what a running sum over the places of each topic has reached at the ranks; at ∞, its end."""
    lengths = np.repeat(graded.lengths, graded.lengths)
    first = np.repeat(graded.starts, graded.lengths)
    return running[first + np.minimum(ranks, lengths).astype(np.int64) - 1]
