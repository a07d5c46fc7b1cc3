"""Exact top-k search in large segments that adds a fraction of the postings (MaxScore over impacts in levels).

Why it is here: exact impacts take eight bytes per posting, and the plain kernel adds all postings of all terms. In a
million full texts that is 15 ms for a query of 75 terms and 80 ms for a whole patent; with a compact layer of three
bytes per posting it is 5 and 21 ms for the best 100 documents, and the index may be larger than the memory. Documents
and scores are the same to the last bit, since levels only decide what is scored exactly (figures: bench/results.md).

The rows of a matrix are cut into pages of 65,536. A posting is the row in its page (16 bits) and the level of its
impact (8 bits): the impact rounded up to a multiple of the largest impact of the term ÷ 255. A term that occurs in 15 %
of the rows or more is a *plane* instead: a level for each row, 0 where the row lacks the term. As in `layers.py`, the
postings of a term are decoded, weighted and appended when a query first has the term.

1. Threshold: the terms that add most for their number of postings are added for all rows, in levels. The rows that
   lead then are scored exactly, which shows what the k best need at least.
2. Terms are added until the rest cannot lift a row over the threshold unless it is close to it. For these few rows the
   other terms are looked up one by one, and rows that fall behind are dropped.
3. The k rows with the largest sums are scored exactly, then all others whose sums can belong to one of the k best: from
   the counts in the matrix, in 32-bit floats, in the order of the query, as `layers.accumulate` does.

Turtle & Flood, "Query evaluation: strategies and optimizations", Information Processing & Management 1995.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.arrays import allocate_arrays
from antecede.embedded.layers import (
    DECODING_BATCH,
    EVERY_ROW,
    NOT_YET,
    SAMPLE,
    estimate_thresholds,
    iterate_postings,
    no_room,
    split_sizes,
)
from antecede.kernels import kernel
from antecede.models import CollectionFacts, Postings

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from antecede.arrays import F32, U8, U16, U32, Floats, Ints, Mask
    from antecede.embedded.layers import SegmentTerms
    from antecede.index.matrix import Matrix
    from antecede.index.statistics import Statistics
    from antecede.models import Model

    LayerArrays = tuple[U16, U8, U32, U8]
    """Row in its page, and level, of each posting; by slot, where each page of a term begins; planes."""
    TermArrays = tuple[Ints, Ints, Ints, U16, U16]
    """Of each term: the start of its postings, its slot, its plane or −1; its weight as factor and shift."""

PAGE_BITS = 16
BLOCK = 64
"""Rows that are looked at together for one that reaches a threshold."""
LEVELS = 255
PART = 1 << 14
"""Rows whose sums stay in the innermost cache while planes are added to them."""
PLANE = 0.15
"""The share of the rows in which a term must occur to have a level for each row instead of postings."""
UNSUITABLE = -2
"""The slot of a term with an impact that is not positive, which levels cannot express."""
ROUND_UP = 1 + 2.0**-50
"""Keeps 255 levels from falling short of the largest impact, since a quotient is rounded."""
SCORING_BATCH = 1 << 14
"""Rows that are scored exactly at a time."""

FIRST_COST = 0.2
"""The share of the cost of adding all postings that is spent on the first terms, to estimate the threshold."""
SPARE = 1.5
"""How many times k rows are scored to estimate the threshold."""
STEP = 0.2
"""The share of this cost after which the candidates are counted again."""
MAX_SUM = (1 << 16) - 1
MAX_TERMS = 1 << 14
"""The number of terms of a query up to which sums of 16 bits tell rows apart."""
MAX_VALUES = np.array([((1 << 16) - (1 << shift)) // LEVELS / (1 << shift) for shift in range(16)])
"""The largest factor ÷ 2^shift, by shift, for which 255 · factor, rounded up to a multiple of 2^shift, fits 16 bits."""
POSTING_COST, PLANE_COST, LOOK_UP_COST = 1.0, 0.1, 12.0
"""Nanoseconds, measured: to add a posting, or a row of a plane; to look up a term of a row."""
COLLECT_COST, SCORE_COST = 1.2, 3000.0
"""Nanoseconds that the estimate of a threshold takes besides: per row, and per document wanted."""


# Kernels. All sums are sums of integers of 16 bits (`QueryWeights`), so none is rounded and the order of the additions
# does not matter. They take half of the memory of 32-bit numbers, and moving them is what takes the time. Arrays come
# in plain tuples: numba keeps the types of arguments on disk, and later versions would look for a class of ours there.


@kernel
def _weigh(level: np.uint8, factor: np.uint16, shift: np.uint16) -> np.uint16:
    """A level times factor ÷ 2^shift, rounded up, in 16 bits: at least 1 unless the level is 0.

    Bounds: `QueryWeights` chooses factors and shifts so that no step exceeds 16 bits, and shifts below 16. The loops
    are vectorized in 16 bits only because `bits` is visibly below 16.
    """
    bits = np.uint16(shift & np.uint16(15))
    product = np.uint16(np.uint16(level) * factor)
    return np.uint16(np.uint16(product + np.uint16((np.uint16(1) << bits) - np.uint16(1))) >> bits)


@kernel
def _add_terms(arrays: LayerArrays, terms: TermArrays, anew: int, sums: U16) -> None:  # noqa: C901 - two loops
    """Add all postings of terms to the sums of their rows, page by page, so that the sums stay in the cache.

    The sums begin at 0 if `anew` is not 0, and as they are otherwise. Terms that are planes come first: four are added
    at a time, which takes half as long as one by one.

    Bounds: `starts`, `slots` and `plane` come from `CompactLayer.locate`; all planes are equally long; the pages of a
    slot are the starts of pages in the postings of its term, and `sums` has 65,536 places for each.
    """
    low, levels, pages, planes = arrays
    starts, slots, plane, factors, shifts = terms
    first = 0
    while first < len(plane) and plane[first] >= 0:
        first += 1
    for page in range(pages.shape[1] - 1):
        for part in range(page << PAGE_BITS, (page + 1) << PAGE_BITS, PART):
            some = sums[part : part + PART]
            if anew != 0:
                some[:] = 0
            for i in range(0, first & ~3, 4):
                w, x, y, z = factors[i], factors[i + 1], factors[i + 2], factors[i + 3]
                by_w, by_x, by_y, by_z = shifts[i], shifts[i + 1], shifts[i + 2], shifts[i + 3]
                one, two = planes[plane[i], part : part + PART], planes[plane[i + 1], part : part + PART]
                three, four = planes[plane[i + 2], part : part + PART], planes[plane[i + 3], part : part + PART]
                for j in range(len(one)):
                    some[j] += (
                        _weigh(one[j], w, by_w)
                        + _weigh(two[j], x, by_x)
                        + _weigh(three[j], y, by_y)
                        + _weigh(four[j], z, by_z)
                    )
            for i in range(first & ~3, first):
                factor, shift = factors[i], shifts[i]
                every = planes[plane[i], part : part + PART]
                for j in range(len(every)):
                    some[j] += _weigh(every[j], factor, shift)
        page_sums = sums[page << PAGE_BITS : (page + 1) << PAGE_BITS]
        for i in range(first, len(plane)):
            factor, shift = factors[i], shifts[i]
            start = starts[i] + np.int64(pages[slots[i], page])
            end = starts[i] + np.int64(pages[slots[i], page + 1])
            row, level = low[start:end], levels[start:end]
            for j in range(len(row)):
                page_sums[row[j]] += _weigh(level[j], factor, shift)


@kernel
def _look_up_terms(
    arrays: LayerArrays, terms: TermArrays, after: Ints, threshold: int, rows: Ints, sums: U16, looked: Ints
) -> int:
    """Add further terms to the sums of rows, which ascend, term by term; drop those that cannot reach a threshold.

    `after` is what the terms after each can add at most. Returns the number of rows left; `looked[0]` is raised by the
    number of look-ups.

    Bounds: as in `_add_terms`; rows are below the number of rows, and have one sum each.
    """
    low, levels, pages, planes = arrays
    starts, slots, plane, factors, shifts = terms
    number = len(rows)
    for i in range(len(starts)):
        factor, shift, own = factors[i], shifts[i], plane[i]
        looked[0] += number
        left = 0
        if own >= 0:
            levels_of_rows = planes[own]
            for n in range(number):  # without a branch that depends on the data
                row = rows[n]
                total = np.uint16(sums[n] + _weigh(levels_of_rows[row], factor, shift))
                rows[left] = row
                sums[left] = total
                left += int(np.int64(total) + after[i] >= threshold)
            number = left
            continue
        page, start, end = np.int64(-1), np.int64(0), np.int64(0)
        for n in range(number):
            row = rows[n]
            if row >> PAGE_BITS != page:
                page = row >> PAGE_BITS
                start = starts[i] + np.int64(pages[slots[i], page])
                end = starts[i] + np.int64(pages[slots[i], page + 1])
            row_in_page = np.uint16(row & 0xFFFF)
            # Rows ascend: the search goes on from the last one.
            size = end - start
            while size > 0:  # without a branch that depends on the data
                half = (size + 1) >> 1
                start += half * np.int64(low[start + half - 1] < row_in_page)
                size -= half
            total = sums[n]
            if start < end and low[start] == row_in_page:
                total = np.uint16(total + _weigh(levels[start], factor, shift))
            rows[left] = row
            sums[left] = total
            left += int(np.int64(total) + after[i] >= threshold)
        number = left
    return number


@kernel
def _collect_rows(sums: U16, eligible: Mask, threshold: int, rows: Ints) -> int:
    """Collect the eligible rows whose sums reach a threshold, ascending; their number.

    Every row is eligible if `eligible` is empty. Most blocks have none: their largest sum shows it.

    Bounds: `rows` is as long as `sums`, and so is `eligible` unless it is empty.
    """
    number, every, least = 0, len(eligible) == 0, np.uint16(threshold)
    for first in range(0, len(sums), BLOCK):
        block = sums[first : first + BLOCK]
        most = np.uint16(0)
        for j in range(len(block)):
            most = max(most, block[j])
        if most >= least:
            for j in range(len(block)):
                if block[j] >= least and (every or eligible[first + j]):
                    rows[number] = first + j
                    number += 1
    return number


@kernel
def _add_impacts(ptr: Ints, terms: Ints, impacts: F32, order: Ints, weights: F32, buffer: F32, scores: F32) -> None:
    """Add impacts, each times its weight, in the order of the query; each product and sum is rounded separately.

    `order` is the place of each query term among the distinct terms that `terms` refers to. A term that a row lacks
    adds 0, which changes nothing.

    Bounds: `ptr` and `terms` come from `Matrix.matches_of`; `buffer` has one place for each distinct term.
    """
    for n in range(len(ptr) - 1):
        for j in range(ptr[n], ptr[n + 1]):
            buffer[terms[j]] = impacts[j]
        score = np.float32(0)
        for i in range(len(order)):
            score += weights[i] * buffer[order[i]]
        scores[n] = score
        for j in range(ptr[n], ptr[n + 1]):
            buffer[terms[j]] = np.float32(0)


def levels_of(impacts: F32, scale: float) -> U8:
    """The least level of each impact with level · scale ≥ impact."""
    exact = impacts.astype(np.float64)
    levels = np.ceil(exact / scale)
    levels += levels * scale < exact
    return np.clip(levels, 1, LEVELS, out=levels).astype(np.uint8)


def exact_impacts(
    matrix: Matrix, model: Model, collection: CollectionFacts, rows: Ints, terms: Ints, df: Ints, cf: Ints
) -> tuple[Ints, Ints, F32]:
    """Which of the wanted terms, ascending, each row has, as lists of their places, and their exact impacts."""
    matches = matrix.matches_of(rows, terms)
    lengths = np.repeat(matrix.lengths[rows].astype(np.float64), np.diff(matches.ptr))
    places = matches.items.astype(np.int64)
    postings = Postings(
        matches.counts.astype(np.float64), lengths, df.astype(np.float64)[places], cf.astype(np.float64)[places]
    )
    return matches.ptr, places, model.impacts(postings, collection)


class CompactLayer:
    """The levels of one matrix under one model, with the statistics of the whole collection."""

    def __init__(self, matrix: Matrix, model: Model, statistics: Statistics) -> None:
        self.matrix, self.model = matrix, model
        self.collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        self.pages = -(-matrix.rows // (1 << PAGE_BITS))
        shapes: list[tuple[tuple[int, ...], DTypeLike]] = [
            ((matrix.postings,), np.uint16),
            ((matrix.postings,), np.uint8),
            ((matrix.terms, self.pages + 1), np.uint32),
            ((int((matrix.df >= PLANE * matrix.rows).sum()), matrix.rows), np.uint8),
        ]
        try:
            self.low, self.levels, self.page_starts, self.planes = allocate_arrays(shapes, matrix.folder)
        except MemoryError:
            raise no_room(matrix) from None
        self.arrays: LayerArrays = (self.low, self.levels, self.page_starts, self.planes)
        self.starts = np.full(matrix.terms, NOT_YET, np.int64)
        self.slots = np.full(matrix.terms, NOT_YET, np.int64)
        self.plane_numbers = np.full(matrix.terms, NOT_YET, np.int64)
        self.scales = np.zeros(matrix.terms, np.float64)
        self.used, self.used_slots, self.used_planes = 0, 0, 0
        self.smallest_impact = np.inf
        self.lock = threading.Lock()
        self.buffers = threading.local()

    def sum_buffer(self) -> U16:
        """The sums of this thread, one per row in whole pages, reused from query to query."""
        if not hasattr(self.buffers, "sums"):
            self.buffers.sums = np.empty(self.pages << PAGE_BITS, np.uint16)
        sums: U16 = self.buffers.sums
        return sums

    def locate(self, terms: Ints, df: Ints, cf: Ints) -> bool:
        """Make sure that terms are there, with their frequencies in the collection; False if one is unsuitable."""
        if len(terms) and (self.slots[terms] == NOT_YET).any():
            with self.lock:
                missing = np.flatnonzero(self.slots[terms] == NOT_YET)
                _, first = np.unique(terms[missing], return_index=True)
                self._weigh(terms[missing[first]], df[missing[first]], cf[missing[first]])
        return not (self.slots[terms] == UNSUITABLE).any()

    def _weigh(self, terms: Ints, df: Ints, cf: Ints) -> None:
        for part in split_sizes(self.matrix.df[terms].astype(np.int64), DECODING_BATCH):
            lists = self.matrix.postings_of(terms[part])
            impacts = np.empty(len(lists.items), np.float32)
            for place, postings in iterate_postings(lists, self.matrix.lengths, df[part], cf[part]):
                impacts[place] = self.model.impacts(postings, self.collection)
            for at, term in enumerate(terms[part].tolist()):
                here = slice(int(lists.ptr[at]), int(lists.ptr[at + 1]))
                self._append(term, lists.items[here], impacts[here])

    def _append(self, term: int, rows: U32, impacts: F32) -> None:
        smallest = float(impacts.min())
        if not smallest > 0:
            self.slots[term] = UNSUITABLE
            return
        scale = float(impacts.max()) / LEVELS * ROUND_UP
        levels = levels_of(impacts, scale)
        if len(rows) >= PLANE * self.matrix.rows:
            self.planes[self.used_planes] = 0
            self.planes[self.used_planes, rows] = levels
            self.plane_numbers[term] = self.used_planes
            self.used_planes += 1
        else:
            end = self.used + len(rows)
            self.low[self.used : end], self.levels[self.used : end] = rows & np.uint32(0xFFFF), levels
            starts = np.arange(self.pages + 1) << PAGE_BITS
            self.page_starts[self.used_slots] = np.searchsorted(rows, starts)
            self.starts[term], self.used = self.used, end
        self.smallest_impact = min(self.smallest_impact, smallest)
        self.scales[term] = scale
        self.slots[term] = self.used_slots  # last: other threads take a term with a slot as complete
        self.used_slots += 1

    def score_rows(self, rows: Ints, terms: SegmentTerms) -> F32:
        """The exact scores of rows, as `layers.accumulate` computes them, to the last bit; 0 for one without a term."""
        numbers, first, order = terms.distinct
        buffer, scores = np.zeros(len(numbers), np.float32), np.zeros(len(rows), np.float32)
        for start in range(0, len(rows), SCORING_BATCH):
            part = slice(start, start + SCORING_BATCH)
            ptr, places, impacts = exact_impacts(
                self.matrix, self.model, self.collection, rows[part], numbers, terms.df[first], terms.cf[first]
            )
            _add_impacts(ptr, places, impacts, order, terms.weights, buffer, scores[part])
        return scores

    @property
    def bytes_used(self) -> int:
        """The number of bytes in use, of postings and of everything beside them that grows with the rows or terms."""
        return 3 * self.used + self.used_slots * (self.pages + 1) * 4 + self.used_planes * self.matrix.rows


@dataclass(frozen=True)
class QueryWeights:
    """Query weights as integers with a shift, so that sums of weighted levels fit 16 bits and bound the float scores.

    A level l of a term adds ⌈l · factor ÷ 2^shift⌉ to the sum s of a row, where factor ÷ 2^shift is its weight · scale
    ÷ unit, rounded up to about eight significant bits. Let r be the exact sum of the weighted impacts of the row and f
    its score in 32-bit floats. An impact is at most l levels, so r ≤ unit · s. The n products and n sums of f are each
    rounded with a relative error of at most 2⁻²⁴, hence f ≤ (1 + ε) · r with ε = (n + 2) · 2⁻²⁴. A row with a score of
    at least φ thus has s ≥ φ ÷ (1 + ε) ÷ unit: `least_sum`, with ε rounded up fourfold.
    """

    factors: U16
    shifts: U16
    values: Floats
    """What one level of each term adds, before rounding."""
    most: Ints
    """What the largest level of each term adds."""
    unit: float
    """The score that a sum of 1 represents."""

    @classmethod
    def of(cls, weights: F32, scales: Floats) -> QueryWeights:
        """The integers of positive weights, at most `MAX_TERMS`."""
        exact = weights.astype(np.float64) * scales
        room = (MAX_SUM - 2 * len(exact)) * (1 - 2.0**-6)
        unit = LEVELS * float(exact.sum()) / room
        values = exact / unit
        shifts = np.minimum(np.searchsorted(-MAX_VALUES, -values, side="right") - 1, len(MAX_VALUES) - 1)
        factors = np.ceil(np.ldexp(values, shifts))
        most = np.ceil(LEVELS * np.ldexp(factors, -shifts)).astype(np.int64)
        return cls(factors.astype(np.uint16), shifts.astype(np.uint16), values, most, unit)

    def least_sum(self, score: float) -> int:
        """The least sum of levels of a row that can have this score, or a higher one."""
        margin = (len(self.factors) + 2) * 2.0**-22
        return max(int(score / self.unit * (1 - margin)) - 1, 1)


def find_candidates(layer: CompactLayer, terms: SegmentTerms, k: int, eligible: Mask | None) -> tuple[Ints, F32]:
    """The rows that can be among the k best, and their exact scores; `eligible` says which rows count."""
    if len(terms.weights) > MAX_TERMS:  # sums of levels would not fit 16 bits
        rows = np.arange(layer.matrix.rows) if eligible is None else np.flatnonzero(eligible)
        scores = layer.score_rows(rows, terms)
        return rows[scores > 0], scores[scores > 0]
    search = PrunedSearch(layer, terms, k, eligible)
    if search.may_pay:
        search.prune()
    else:
        search.add(len(search.order))
    return search.candidates()


class PrunedSearch:
    """The search for one query: where the terms are, and what is known so far of the score that is needed."""

    def __init__(self, layer: CompactLayer, terms: SegmentTerms, k: int, eligible: Mask | None) -> None:
        self.layer, self.terms, self.k, self.eligible = layer, terms, k, eligible
        self.query = QueryWeights.of(terms.weights, layer.scales[terms.numbers])
        self.sizes = layer.matrix.df[terms.numbers].astype(np.int64)
        self.planes = layer.plane_numbers[terms.numbers]
        self.threshold = 1
        """The least sum of levels that can be among the k best, as far as is known."""
        self.added = 0
        """Postings that were added, and terms that were looked up."""
        self.order = np.argsort(-self.query.values / self.sizes, kind="stable")
        """The terms that add most for their number of postings first."""
        costs = np.where(self.planes >= 0, PLANE_COST * layer.matrix.rows, POSTING_COST * self.sizes)
        self.costs = np.cumsum(costs[self.order])
        """The estimated time to add the postings of the terms up to each in order."""
        self.swept = 0
        """The number of terms in this order whose postings were added to `sums`."""
        self.sums = layer.sum_buffer()
        """As the search before left them, until terms are added."""
        self.scored, self.scores = np.empty(0, np.int64), np.empty(0, np.float32)
        """Rows, ascending, whose exact scores are known, and these scores."""

    @property
    def may_pay(self) -> bool:
        """Whether a threshold is likely to save more than its estimate costs, in which further rows are scored."""
        return float(self.costs[-1]) > COLLECT_COST * self.layer.matrix.rows + SCORE_COST * self.k

    @cached_property
    def rest(self) -> Ints:
        """What the terms from each in order on can add at most, and 0 after the last."""
        return np.append(np.cumsum(self.query.most[self.order][::-1])[::-1], 0)

    def prune(self) -> None:
        """Add terms until looking up the others, for the rows that can still reach the threshold, is cheaper.

        The threshold is that of rows which are likely to be among the best by the terms with few postings.
        """
        self.add(min(int(np.searchsorted(self.costs, FIRST_COST * self.costs[-1])) + 1, len(self.costs)))
        self.raise_threshold(self.collect_best(int(SPARE * self.k)))
        while self.swept < len(self.order) and not self.are_few_left():
            target = self.costs[self.swept - 1] + STEP * self.costs[-1]
            self.add(min(max(int(np.searchsorted(self.costs, target)), self.swept) + 1, len(self.order)))

    def are_few_left(self) -> bool:
        """Whether looking up the other terms for the rows that can still reach the threshold is cheaper than a step."""
        limit = self.threshold - int(self.rest[self.swept])
        if limit <= 1:
            return False
        rows, others = self.layer.matrix.rows, len(self.order) - self.swept
        step = max(1, rows // SAMPLE)
        left = int((self.sums[:rows:step] >= np.uint16(limit)).sum()) * step
        return left * others * LOOK_UP_COST < float(self.costs[-1] - self.costs[self.swept - 1])

    def add(self, end: int) -> None:
        """Add the postings of the terms that were not added yet, up to the `end`-th in order."""
        some = self.order[self.swept : end]
        if len(some):
            some = some[np.argsort(self.planes[some] < 0, kind="stable")]
            _add_terms(self.layer.arrays, self.weighted(some), int(self.swept == 0), self.sums)
            self.added += int(self.sizes[some].sum())
            self.swept = end

    def weighted(self, some: Ints) -> TermArrays:
        numbers, layer, query = self.terms.numbers[some], self.layer, self.query
        places = layer.starts[numbers], layer.slots[numbers], layer.plane_numbers[numbers]
        return *places, query.factors[some], query.shifts[some]

    def collect(self, threshold: int) -> Ints:
        """The eligible rows whose sums so far reach a threshold."""
        rows = np.empty(self.layer.matrix.rows, np.int64)
        eligible = EVERY_ROW if self.eligible is None else self.eligible
        return rows[: _collect_rows(self.sums[: len(rows)], eligible, threshold, rows)].copy()

    def collect_best(self, number: int) -> Ints:
        """The eligible rows with the largest sums so far: as many as are wanted, if there are so many."""
        rows = np.empty(0, np.int64)
        for threshold in estimate_thresholds(self.sums[: self.layer.matrix.rows], number, self.eligible, np.uint16(1)):
            rows = self.collect(int(threshold))
            if len(rows) >= number:
                break
        return rows[_select_largest(self.sums[rows], number)]

    def raise_threshold(self, rows: Ints) -> None:
        """Score eligible rows; if there are k of them, the k best reach what the k-th of these does."""
        scores, others = self.score(rows), len(rows) - self.k
        if others >= 0:
            kth = float(np.partition(scores, others)[others])
            self.threshold = max(self.threshold, self.query.least_sum(kth))

    def score(self, rows: Ints) -> F32:
        """The exact scores of rows, which ascend; each is computed once."""
        new = rows[~np.isin(rows, self.scored, assume_unique=True)] if len(self.scored) else rows
        if len(new):
            scored = np.concatenate([self.scored, new])
            scores = self.layer.score_rows(new, self.terms)
            order = np.argsort(scored)
            self.scored, self.scores = scored[order], np.concatenate([self.scores, scores])[order]
        return self.scores[np.searchsorted(self.scored, rows)]

    def candidates(self) -> tuple[Ints, F32]:
        """The rows that can be among the k best, and their exact scores."""
        if self.swept == len(self.order):
            self.raise_threshold(self.collect_best(self.k))
        rows = self.collect(max(self.threshold - int(self.rest[self.swept]), 1))
        rows, sums = self.look_up(rows, self.sums[rows])
        if len(rows) > SPARE * self.k:  # otherwise all are scored as fast
            self.raise_threshold(rows[_select_largest(sums, self.k)])
            rows = rows[sums >= self.threshold]
        return rows, self.score(rows)

    def look_up(self, rows: Ints, sums: U16) -> tuple[Ints, U16]:
        """Of rows with the sums of the terms so far, those that reach the threshold with all, and the sums."""
        others = self.order[self.swept :]
        others = others[np.argsort(-self.query.values[others], kind="stable")]  # few rows are left soon
        most, looked = self.query.most[others], np.zeros(1, np.int64)
        after, terms = most.sum() - np.cumsum(most), self.weighted(others)
        left = _look_up_terms(self.layer.arrays, terms, after, self.threshold, rows, sums, looked)
        self.added += int(looked[0])
        return rows[:left], sums[:left]


def _select_largest(sums: U16, number: int) -> Ints:
    """The places of the largest sums, at most so many, ascending."""
    others = len(sums) - number
    return np.sort(np.argpartition(sums, others)[others:]) if others > 0 else np.arange(len(sums))
