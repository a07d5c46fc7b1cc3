"""Impact layers: what every posting of a matrix is worth to a ranking model, made when it is first asked for.

Two arrays as long as the postings are laid out but not touched. The terms that queries use are put into them one behind
the other, decoded and weighed once. So opening is instant, memory is what the queries needed, and a batch of queries
runs as fast as memory.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.search.models import CollectionFacts, Postings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.codec import Lists
    from antecede.index.matrix import Matrix
    from antecede.index.statistics import Statistics
    from antecede.search.models import Model

DECODED = 1 << 20
"""Postings that are decoded at a time."""
WEIGHED = 1 << 14
"""Postings that are weighed at a time: as many as stay in the cache."""
NOT_YET = -1


class Layer:
    """The impacts of one matrix under one model, with the statistics of the whole collection."""

    def __init__(self, matrix: Matrix, model: Model, statistics: Statistics) -> None:
        self.matrix, self.model = matrix, model
        self.collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        self.lengths = matrix.lengths.astype(np.float64)
        self.document = model.document(self.lengths)
        try:
            self.rows = np.empty(matrix.postings, np.uint32)
            self.impacts = np.empty(matrix.postings, np.float32)
        except MemoryError:
            raise UsageError(
                f"{matrix.folder}: {matrix.postings} postings do not fit into the memory of this process; "
                "allow it more, or split the index"
            ) from None
        self.starts = np.full(matrix.terms, NOT_YET, np.int64)
        self.used = 0
        self.least = np.inf
        """The smallest impact so far: where it is above 0, so is the score of each document that has a term."""
        self.lock = threading.Lock()

    def places(
        self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the postings of terms begin and end; `df` and `cf` are theirs in the whole collection."""
        starts = self.starts[terms]
        if len(starts) and starts.min() < 0:
            with self.lock:
                missing = np.flatnonzero(self.starts[terms] < 0)
                _, first = np.unique(terms[missing], return_index=True)
                self.weigh(terms[missing[first]], df[missing[first]], cf[missing[first]])
            starts = self.starts[terms]
        return starts, starts + self.matrix.df[terms]

    def weigh(self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]) -> None:
        """Decode the postings of terms and work out what they are worth."""
        for part in portions(self.matrix.df[terms].astype(np.int64), DECODED):
            lists = self.matrix.postings_of(terms[part])
            size = len(lists.items)
            self.rows[self.used : self.used + size] = lists.items
            for place, postings in self.postings(lists, df[part], cf[part]):
                impacts = self.model.impacts(postings, self.collection)
                self.impacts[self.used + place.start : self.used + place.stop] = impacts
                self.least = min(self.least, float(impacts.min()))
            self.starts[terms[part]] = self.used + lists.ptr[:-1]
            self.used += size

    def postings(self, lists: Lists, df: NDArray[np.int64], cf: NDArray[np.int64]) -> Iterator[tuple[slice, Postings]]:
        """The postings of lists in handy pieces, with all that a model asks of them."""
        sizes = np.diff(lists.ptr)
        for part in portions(sizes, WEIGHED):
            # One long list has one frequency, which need not be written out a thousand times.
            alone = part.stop - part.start == 1
            often = [each[part] if alone else np.repeat(each[part], sizes[part]) for each in (df, cf)]
            for begin in range(int(lists.ptr[part.start]), int(lists.ptr[part.stop]), WEIGHED):
                place = slice(begin, min(begin + WEIGHED, int(lists.ptr[part.stop])))
                here = slice(place.start - int(lists.ptr[part.start]), place.stop - int(lists.ptr[part.start]))
                of_df, of_cf = (each.astype(np.float64) if alone else each[here].astype(np.float64) for each in often)
                counts, lengths = lists.counts[place].astype(np.float64), self.lengths[lists.items[place]]
                yield place, Postings(counts, lengths, of_df, of_cf)

    @property
    def touched(self) -> int:
        """Bytes of the layer that are in use."""
        return self.used * 8


def portions(sizes: NDArray[np.int64], most: int) -> Sequence[slice]:
    """Slices of neighbours whose sizes add up to so much at most, or that are one."""
    bounds, total = [0], 0
    for at, size in enumerate(sizes.tolist()):
        total += size
        if total > most and at > bounds[-1]:
            bounds.append(at)
            total = size
    return [slice(start, end) for start, end in pairwise([*bounds, len(sizes)]) if start < end]
