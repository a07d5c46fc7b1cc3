"""Compact impact layers: three bytes per posting, from which a search finds the rows whose exact scores it needs.

The rows of a matrix are arranged by class (`index/metadata.py`), so that neighbours share words; the place of a row
there is its *position*. Positions are cut into pages of 65,536, groups of 256 and blocks of 64. A posting is the
position in its page (16 bits) and the level of its impact (8 bits): the impact rounded up to a multiple of the largest
impact of the term ÷ 255. A frequent term also has its largest level in each block (8 bits), and the place of each
group in its postings (16 bits). A term that occurs in 15 % of the rows or more is a *plane* instead of postings: a
level for each position, 0 where the row lacks the term, which is added without positions and looked up in one step.
`pruned_search.py` searches with them; exact impacts are computed from the counts in the matrix.

As in `layers.py`, the postings of a term are decoded, weighted and appended when a query first has the term.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.ranking.models import CollectionFacts, Postings
from antecede.search.layers import DECODED_AT_ONCE, NOT_YET, iterate_postings, split_sizes
from antecede.search.pruning_kernels import (
    BLOCKS_IN_GROUP,
    GROUP_BITS,
    LEVELS,
    PAGE_BITS,
    add_impacts,
    pack_postings,
    spread_levels,
    unpack_postings,
)
from antecede.search.scratch import scratch_arrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix
    from antecede.index.statistics import Statistics
    from antecede.ranking.models import Model
    from antecede.search.layers import SegmentTerms

FREQUENT = 1 / 64
"""The share of the rows in which a term must occur to have maxima of blocks."""
PLANE = 0.15
"""The share of the rows in which a term must occur to have a level for each position instead of postings."""
UNSUITABLE = -2
"""The slot of a term with an impact that is not positive, which levels cannot express."""
ROUND_UP = 1 + 2.0**-50
"""Keeps 255 levels from falling short of the largest impact, since a quotient is rounded."""
SCORED_AT_ONCE = 1 << 14
"""Rows that are scored exactly at a time."""


@dataclass(frozen=True)
class LocatedTerms:
    """The places of the postings of terms in the arrays of a compact layer."""

    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    slots: NDArray[np.int64]
    frequent: NDArray[np.int64]
    """−1 for a term without maxima of blocks."""
    planes: NDArray[np.int64]
    """−1 for a term with postings."""
    scales: NDArray[np.float64]
    """The impact of one level."""


class CompactLayer:
    """The levels of one matrix under one model, with the statistics of the whole collection."""

    def __init__(
        self,
        matrix: Matrix,
        model: Model,
        statistics: Statistics,
        order: NDArray[np.uint32] | None = None,
    ) -> None:
        """`order` are the documents of the segment by class."""
        self.matrix, self.model = matrix, model
        self.collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        self.lengths = matrix.lengths
        self.rows = rows_in_order(matrix, order)
        """The row at each position."""
        self.positions = np.empty(matrix.rows, np.uint32)
        self.positions[self.rows] = np.arange(matrix.rows, dtype=np.uint32)
        self.arranged = order is not None
        self.pages = -(-matrix.rows // (1 << PAGE_BITS))
        self.groups = -(-matrix.rows // (1 << GROUP_BITS))
        frequent, planes = (int((matrix.df >= share * matrix.rows).sum()) for share in (FREQUENT, PLANE))
        shapes = [
            ((matrix.postings,), np.uint16),
            ((matrix.postings,), np.uint8),
            ((matrix.terms, self.pages + 1), np.uint32),
            ((frequent, self.groups * BLOCKS_IN_GROUP), np.uint8),
            ((frequent, self.groups), np.uint16),
            ((planes, self.groups << GROUP_BITS), np.uint8),
        ]
        try:
            self.arrays = scratch_arrays(shapes, matrix.folder)
        except MemoryError:
            raise UsageError(
                f"{matrix.folder}: {matrix.postings} postings do not fit into the memory of this process; "
                "allow it more, or split the index"
            ) from None
        self.starts = np.full(matrix.terms, NOT_YET, np.int64)
        self.slots = np.full(matrix.terms, NOT_YET, np.int32)
        self.frequent = np.full(matrix.terms, NOT_YET, np.int32)
        self.plane_numbers = np.full(matrix.terms, NOT_YET, np.int32)
        self.scales = np.zeros(matrix.terms, np.float64)
        self.used, self.used_slots, self.used_frequent, self.used_planes = 0, 0, 0, 0
        self.smallest_impact = np.inf
        self.lock = threading.Lock()
        self.buffers = threading.local()

    @property
    def low(self) -> NDArray[np.uint16]:
        """The position of each posting in its page."""
        return self.arrays[0].values

    @property
    def levels(self) -> NDArray[np.uint8]:
        """The level of each posting."""
        return self.arrays[1].values

    @property
    def page_starts(self) -> NDArray[np.uint32]:
        """The start of each page in the postings of a term, by slot."""
        return self.arrays[2].values

    @property
    def maxima(self) -> NDArray[np.uint8]:
        """The largest level of a frequent term in each block."""
        return self.arrays[3].values

    @property
    def offsets(self) -> NDArray[np.uint16]:
        """The start of each group in the page of a frequent term."""
        return self.arrays[4].values

    @property
    def planes(self) -> NDArray[np.uint8]:
        """The level of each position, for the most frequent terms."""
        return self.arrays[5].values

    def sum_buffer(self) -> NDArray[np.uint16]:
        """The sums of this thread, one per position in whole pages, reused from query to query."""
        if not hasattr(self.buffers, "sums"):
            self.buffers.sums = np.empty(self.pages << PAGE_BITS, np.uint16)
        sums: NDArray[np.uint16] = self.buffers.sums
        return sums

    def locate(self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]) -> LocatedTerms | None:
        """The places of the postings of terms, or None where an impact is not positive.

        `df` and `cf` are their frequencies in the whole collection.
        """
        if len(terms) and (self.slots[terms] == NOT_YET).any():
            with self.lock:
                missing = np.flatnonzero(self.slots[terms] == NOT_YET)
                _, first = np.unique(terms[missing], return_index=True)
                self.weigh(terms[missing[first]], df[missing[first]], cf[missing[first]])
        slots = self.slots[terms].astype(np.int64)
        if (slots == UNSUITABLE).any():
            return None
        sizes, frequent = self.matrix.df[terms].astype(np.int64), self.frequent[terms].astype(np.int64)
        planes = self.plane_numbers[terms].astype(np.int64)
        return LocatedTerms(self.starts[terms], sizes, slots, frequent, planes, self.scales[terms])

    def weigh(self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]) -> None:
        """Decode the postings of terms, compute their impacts and append their levels."""
        for part in split_sizes(self.matrix.df[terms].astype(np.int64), DECODED_AT_ONCE):
            lists = self.matrix.postings_of(terms[part])
            impacts = np.empty(len(lists.items), np.float32)
            for place, postings in iterate_postings(lists, self.lengths, df[part], cf[part]):
                impacts[place] = self.model.impacts(postings, self.collection)
            for at, term in enumerate(terms[part].tolist()):
                here = slice(int(lists.ptr[at]), int(lists.ptr[at + 1]))
                self.append(term, lists.items[here], impacts[here])

    def append(self, term: int, rows: NDArray[np.uint32], impacts: NDArray[np.float32]) -> None:
        """Append the postings of a term."""
        smallest, largest = float(impacts.min()), float(impacts.max())
        if not smallest > 0:
            self.slots[term] = UNSUITABLE
            return
        scale = largest / LEVELS * ROUND_UP
        keys = np.empty(len(rows), np.uint64)
        pack_postings(rows, impacts, self.positions, scale, keys)
        if self.arranged:
            keys.sort()
        frequent, plane = (
            used if len(rows) >= share * self.matrix.rows else NOT_YET
            for used, share in ((self.used_frequent, FREQUENT), (self.used_planes, PLANE))
        )
        end, slot = self.used + (len(rows) if plane == NOT_YET else 0), self.used_slots
        for array, items in zip(self.arrays, (end, end, slot + 1, frequent + 1, frequent + 1, plane + 1), strict=True):
            array.reserve(items)
        maxima, offsets = self.maxima[:0].reshape(-1), self.offsets[:0].reshape(-1)
        if frequent != NOT_YET:
            maxima, offsets = self.maxima[frequent], self.offsets[frequent]
            maxima.fill(0)
            self.used_frequent += 1
        low, levels = self.low[self.used : end], self.levels[self.used : end]
        if plane == NOT_YET:
            unpack_postings(keys, low, levels, self.page_starts[slot], maxima, offsets)
        else:
            self.planes[plane].fill(0)
            spread_levels(keys, self.planes[plane], maxima)
            self.used_planes += 1
        self.smallest_impact = min(self.smallest_impact, smallest)
        self.starts[term], self.scales[term], self.frequent[term] = self.used, scale, frequent
        self.plane_numbers[term] = plane
        self.used, self.used_slots = end, slot + 1
        self.slots[term] = slot  # last: other threads take a term with a slot as complete

    def score_rows(self, rows: NDArray[np.int64], terms: SegmentTerms) -> NDArray[np.float32]:
        """The exact scores of rows: the same numbers that `kernel.accumulate` computes, to the last bit."""
        wanted, first, order = terms.distinct
        df, cf = terms.df[first], terms.cf[first]
        buffer, scores = np.zeros(len(wanted), np.float32), np.zeros(len(rows), np.float32)
        for start in range(0, len(rows), SCORED_AT_ONCE):
            part = slice(start, start + SCORED_AT_ONCE)
            ptr, found, impacts = self.impacts_in(rows[part], wanted, df, cf)
            add_impacts(ptr, found, impacts, order, terms.weights, buffer, scores[part])
        return scores

    def scores(self, terms: SegmentTerms) -> ScoresOnDemand:
        """The exact scores of all rows."""
        return ScoresOnDemand(self, terms)

    def impacts_of_row(
        self, terms: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64], row: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
        """Which of these terms a row contains, and the exact impact of each."""
        wanted, first, order = np.unique(terms, return_index=True, return_inverse=True)
        _, found, impacts = self.impacts_in(np.array([row]), wanted, df[first], cf[first])
        present, every = np.zeros(len(wanted), np.bool_), np.zeros(len(wanted), np.float32)
        present[found], every[found] = True, impacts
        return present[order.reshape(-1)], every[order.reshape(-1)]

    def impacts_in(
        self, rows: NDArray[np.int64], wanted: NDArray[np.int64], df: NDArray[np.int64], cf: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Which of the wanted terms, ascending, each row has, as lists of their places, and their exact impacts."""
        found = self.matrix.matches_of(rows, wanted)
        lengths = np.repeat(self.lengths[rows].astype(np.float64), np.diff(found.ptr))
        often = df.astype(np.float64)[found.places], cf.astype(np.float64)[found.places]
        postings = Postings(found.counts.astype(np.float64), lengths, *often)
        return found.ptr, found.places, self.model.impacts(postings, self.collection)

    @property
    def bytes_used(self) -> int:
        """The number of bytes in use, of postings and of everything beside them that grows with the rows or terms."""
        sides = self.used_slots * (self.pages + 1) * 4 + self.used_frequent * self.groups * (BLOCKS_IN_GROUP + 2)
        return 3 * self.used + sides + self.used_planes * (self.groups << GROUP_BITS)


class ScoresOnDemand:
    """The exact scores of the rows of a matrix for a query, computed where they are asked for."""

    def __init__(self, layer: CompactLayer, terms: SegmentTerms) -> None:
        self.layer, self.terms = layer, terms

    def __getitem__(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The scores of rows; 0 for one without a term of the query."""
        return self.layer.score_rows(rows, self.terms)


def rows_in_order(matrix: Matrix, order: NDArray[np.uint32] | None) -> NDArray[np.uint32]:
    """The rows of a matrix in the order of their documents, or as they are where there is no order."""
    if order is None:
        return np.arange(matrix.rows, dtype=np.uint32)
    found = np.full(len(order), -1, np.int64)
    found[matrix.documents] = np.arange(matrix.rows)
    rows = found[order]
    return rows[rows >= 0].astype(np.uint32)
