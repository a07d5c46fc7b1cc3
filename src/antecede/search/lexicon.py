"""A cache of the terms that queries have used: their numbers in each segment and their frequencies.

Finding a term among half a million takes a microsecond, mostly waiting for memory: as long as adding a thousand
postings. Terms recur from query to query, so each is looked up once.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.statistics import Statistics

MAX_TERMS = 1 << 20
"""The capacity of the cache, which is cleared when it is full."""


class Lexicon:
    """The cached terms of one language."""

    def __init__(self, statistics: Statistics) -> None:
        self.statistics = statistics
        self.lock = threading.Lock()
        self.clear()

    def clear(self) -> None:
        """Remove all terms."""
        # Rows: document frequency, collection frequency, then the term's number in each matrix.
        self.known: tuple[dict[str, int], NDArray[np.int64]] = (
            {},
            np.empty((2 + len(self.statistics.matrices), 1024), np.int64),
        )

    def look_up(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """One column per term: document frequency, collection frequency, its number in each matrix (−1 for none)."""
        places, columns = self.known
        try:
            at = [places[term] for term in terms]
        except KeyError:
            with self.lock:
                places, columns = self.add_terms(terms)
            at = [places[term] for term in terms]
        return columns[:, at]

    def add_terms(self, terms: Sequence[str]) -> tuple[dict[str, int], NDArray[np.int64]]:
        """Look up the terms that are not cached yet."""
        if len(self.known[0]) + len(terms) > MAX_TERMS:
            self.clear()
        places, columns = self.known
        new = [term for term in dict.fromkeys(terms) if term not in places]
        size = len(places) + len(new)
        if size > columns.shape[1]:
            grown = np.empty((len(columns), 2 * size), np.int64)
            grown[:, : len(places)] = columns[:, : len(places)]
            # A thread that still reads the old columns must not see new terms.
            places, columns = dict(places), grown
        numbers = [matrix.find(new) for matrix in self.statistics.matrices]
        often = self.statistics.frequencies_of(numbers)
        columns[:, len(places) : size] = [often.documents, often.occurrences, *numbers]
        self.known = places, columns
        places.update(zip(new, range(len(places), size), strict=True))
        return self.known
