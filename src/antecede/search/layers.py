"""Impact layers: what every posting of a matrix is worth to a ranking model, made when it is first asked for.

Two arrays as long as the postings are laid out but not touched, so they take no memory until a term is used; a term's
part is then decoded and weighed once, and stays. Opening is instant, and a batch of queries runs as fast as memory.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.search.models import CollectionFacts, Postings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix
    from antecede.index.statistics import Statistics
    from antecede.search.models import Model

AT_ONCE = 1 << 22
"""Postings that are weighed at a time: enough to be quick, few enough to stay small."""


class Layer:
    """The impacts of one matrix under one model, with the statistics of the whole collection."""

    def __init__(self, matrix: Matrix, model: Model, statistics: Statistics) -> None:
        self.matrix, self.model = matrix, model
        self.collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        self.lengths = matrix.lengths.astype(np.float64)
        self.document = model.document(self.lengths)
        self.offsets = np.zeros(matrix.terms + 1, np.int64)
        np.cumsum(matrix.df, out=self.offsets[1:])
        self.rows = np.empty(self.offsets[-1], np.uint32)
        self.impacts = np.empty(self.offsets[-1], np.float32)
        self.ready = np.zeros(matrix.terms, np.bool_)
        self.lock = threading.Lock()

    def ensure(self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]) -> None:
        """Have the impacts of these terms ready; `df` and `cf` are theirs in the whole collection."""
        if self.ready[terms].all():
            return
        with self.lock:
            missing = np.flatnonzero(~self.ready[terms])
            sizes = self.matrix.df[terms[missing]].astype(np.int64)
            for part in portions(sizes, AT_ONCE):
                some = missing[part]
                self.weigh(terms[some], df[some], cf[some])

    def weigh(self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]) -> None:
        """Decode the postings of terms and work out what they are worth."""
        lists = self.matrix.postings_of(terms)
        sizes = np.diff(lists.ptr)
        impacts = self.model.impacts(
            Postings(
                lists.counts.astype(np.float64),
                self.lengths[lists.items],
                np.repeat(df.astype(np.float64), sizes),
                np.repeat(cf.astype(np.float64), sizes),
            ),
            self.collection,
        )
        for at, (start, end) in enumerate(
            zip(self.offsets[terms].tolist(), self.offsets[terms + 1].tolist(), strict=True)
        ):
            part = slice(lists.ptr[at], lists.ptr[at + 1])
            self.rows[start:end] = lists.items[part]
            self.impacts[start:end] = impacts[part]
        self.ready[terms] = True

    @property
    def touched(self) -> int:
        """Bytes of the layer that are in use."""
        return int(np.diff(self.offsets)[self.ready].sum()) * 8


def portions(sizes: NDArray[np.int64], most: int) -> Sequence[slice]:
    """Slices of neighbours whose sizes add up to about so much."""
    group = np.cumsum(sizes) // most
    bounds = [0, *(np.flatnonzero(np.diff(group)) + 1).tolist(), len(sizes)]
    return [slice(start, end) for start, end in pairwise(bounds)]
