"""Exact top-k search over a compact layer, which skips most of a large matrix (block-max pruning).

1. Threshold: the terms that add most for their number of postings are added for all rows, in levels. The rows that
   lead then are scored exactly, which shows what the k best need at least.
2. Blocks: for each block of 64 positions, the sum of the largest levels of the terms in it bounds the scores of its
   rows. If few groups of four blocks reach the threshold, only these are scored (block-max pruning).
3. Terms: otherwise terms are added until the rest cannot lift a row over the threshold unless it is close to it. For
   these few rows the other terms are looked up one by one, and rows that fall behind are dropped (MaxScore).
4. Exact scores: the k rows with the largest sums are scored exactly, then all others whose sums can belong to one of
   the k best: from the counts in the matrix, in 32-bit floats, in the order of the query, as `kernel.accumulate` does.

The ranking is that of the exhaustive search in documents and in scores: levels only decide what is computed exactly.

Mallia, Suel & Tonellotto, "Faster learned sparse retrieval with block-max pruning", SIGIR 2024; Turtle & Flood, "Query
evaluation: strategies and optimizations", Information Processing & Management 1995.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.search.hits import EVERY_ROW, SAMPLE, ScoringWork, estimate_thresholds
from antecede.search.pruning_kernels import (
    BLOCKS_IN_GROUP,
    GROUP_BITS,
    LEVELS,
    add_terms,
    bound_blocks,
    collect_positions,
    look_up_terms,
    score_groups,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.search.compact_layers import CompactLayer, LocatedTerms
    from antecede.search.layers import SegmentTerms

FIRST_COST = 0.2
"""The share of the cost of adding all postings that is spent on the first terms, to estimate the threshold."""
SPARE = 1.5
"""How many times k rows are scored to estimate the threshold."""
STEP = 0.2
"""The share of this cost after which the candidates are counted again."""
TRIAL = 0.1
"""The share of this cost that is spent to avoid it."""
SAMPLED_BLOCKS = 32
LARGEST_SUM = (1 << 16) - 1
MOST_TERMS = 1 << 14
"""The number of terms of a query up to which sums of 16 bits tell rows apart."""
LARGEST_VALUES = np.array([((1 << 16) - (1 << shift)) // LEVELS / (1 << shift) for shift in range(16)])
"""The largest factor ÷ 2^shift, by shift, for which 255 · factor, rounded up to a multiple of 2^shift, fits 16 bits."""
BLOCKS, TERMS, ALL = WAYS = "blocks", "terms", "all postings"
FREQUENT_COST, RARE_COST, VISIT_COST, POSTING_COST, PLANE_COST, LOOK_UP_COST = 0.15, 1.6, 18.0, 1.0, 0.1, 12.0
"""Nanoseconds, measured: to add a maximum; to find the maximum of a block of a rare term, per posting; to visit a
group, per term; to add a posting, or a position of a plane; to look up a term of a row. Only their ratios matter: they
choose the way."""
COLLECT_COST, SCORE_COST = 1.2, 3000.0
"""Nanoseconds that the estimate of a threshold takes besides: per row, and per document wanted."""


@dataclass(frozen=True)
class QueryWeights:
    """Query weights as integers with a shift, so that sums of weighted levels fit 16 bits and bound the float scores.

    A level l of a term adds ⌈l · factor ÷ 2^shift⌉ to the sum s of a row, where factor ÷ 2^shift is its weight · scale
    ÷ unit, rounded up to about eight significant bits. Let r be the exact sum of the weighted impacts of the row and f
    its score in 32-bit floats. An impact is at most l levels, so r ≤ unit · s. The n products and n sums of f are each
    rounded with a relative error of at most 2⁻²⁴, hence f ≤ (1 + ε) · r with ε = (n + 2) · 2⁻²⁴. A row with a score of
    at least φ thus has s ≥ φ ÷ (1 + ε) ÷ unit: `least_sum`, with ε rounded up fourfold.
    """

    factors: NDArray[np.uint16]
    shifts: NDArray[np.uint16]
    values: NDArray[np.float64]
    """What one level of each term adds, before rounding."""
    most: NDArray[np.int64]
    """What the largest level of each term adds."""
    unit: float
    """The score that a sum of 1 represents."""

    @classmethod
    def of(cls, weights: NDArray[np.float32], scales: NDArray[np.float64]) -> QueryWeights:
        """The integers of positive weights, at most `MOST_TERMS`."""
        exact = weights.astype(np.float64) * scales
        room = (LARGEST_SUM - 2 * len(exact)) * (1 - 2.0**-6)
        unit = LEVELS * float(exact.sum()) / room
        values = exact / unit
        shifts = np.minimum(np.searchsorted(-LARGEST_VALUES, -values, side="right") - 1, len(LARGEST_VALUES) - 1)
        factors = np.ceil(np.ldexp(values, shifts))
        rounded = np.ldexp(factors, -shifts)
        most = np.ceil(LEVELS * rounded).astype(np.int64)
        return cls(factors.astype(np.uint16), shifts.astype(np.uint16), values, most, unit)

    def least_sum(self, score: float) -> int:
        """The least sum of levels of a row that can have this score, or a higher one."""
        margin = (len(self.factors) + 2) * 2.0**-22
        return max(int(score / self.unit * (1 - margin)) - 1, 1)


@dataclass(frozen=True)
class Candidates:
    """The positions that can be among the k best, their exact scores, and how they were found."""

    positions: NDArray[np.int64]
    scores: NDArray[np.float32]
    work: ScoringWork


def find_candidates(
    layer: CompactLayer,
    at: LocatedTerms,
    terms: SegmentTerms,
    k: int,
    eligible: NDArray[np.bool_] | None,
    *,
    way: str | None = None,
) -> Candidates:
    """The positions that can be among the k best, and may be: `eligible` says which positions count.

    `way` chooses one of `WAYS` for tests; otherwise it is the one that is estimated to be the cheapest.
    """
    if len(terms.weights) > MOST_TERMS:
        return score_all(layer, at, terms, eligible)
    search = PrunedSearch(layer, at, terms, k, eligible)
    if way == ALL or (way is None and not search.may_pay):
        return search.sweep(all_terms=True)
    search.estimate_threshold()
    found = search.visit_groups(must=way == BLOCKS) if way != TERMS else None
    return search.sweep(all_terms=False) if found is None else found


def score_all(
    layer: CompactLayer, at: LocatedTerms, terms: SegmentTerms, eligible: NDArray[np.bool_] | None
) -> Candidates:
    """Every position with a term, for a query with too many terms for sums of levels."""
    positions = np.arange(layer.matrix.rows) if eligible is None else np.flatnonzero(eligible)
    scores = layer.score_rows(layer.rows[positions].astype(np.int64), terms)
    work = ScoringWork(ALL, int(at.sizes.sum()), 0, layer.groups, 0, len(positions))
    return Candidates(positions[scores > 0], scores[scores > 0], work)


class PrunedSearch:
    """The search for one query: where the terms are, and what is known so far of the score that is needed."""

    def __init__(
        self, layer: CompactLayer, at: LocatedTerms, terms: SegmentTerms, k: int, eligible: NDArray[np.bool_] | None
    ) -> None:
        self.layer, self.at, self.terms, self.k, self.eligible = layer, at, terms, k, eligible
        self.query = QueryWeights.of(terms.weights, at.scales)
        self.threshold = 1
        """The least sum of levels that can be among the k best, as far as is known."""
        self.added = 0
        self.costs = np.where(at.planes >= 0, PLANE_COST * layer.matrix.rows, POSTING_COST * at.sizes)
        """The estimated time to add the postings of each term."""
        self.order = np.argsort(-self.query.values / at.sizes, kind="stable")
        """The terms that add most for their number of postings first."""
        self.swept = 0
        """The number of terms in this order whose postings were added to `sums`."""
        self.sums = layer.sum_buffer()
        """As the search before left them, until terms are added."""
        self.scored, self.scores = np.empty(0, np.int64), np.empty(0, np.float32)
        """Positions, ascending, whose exact scores are known, and these scores."""

    @property
    def bounds_cost(self) -> float:
        """The estimated time to compute the bounds of all blocks."""
        frequent = self.at.frequent >= 0
        dense = int(frequent.sum()) * self.layer.groups * BLOCKS_IN_GROUP
        return FREQUENT_COST * dense + RARE_COST * float(self.at.sizes[~frequent].sum())

    @property
    def likely_groups(self) -> float:
        """The estimated number of groups that reach the threshold: in a sample of blocks, by their frequent terms."""
        every, frequent = self.layer.maxima, self.at.frequent >= 0
        most = every[:, :: max(1, every.shape[1] // SAMPLED_BLOCKS)][self.at.frequent[frequent]]
        bounds = self.query.values[frequent] @ most
        return float((bounds >= self.threshold).mean()) * self.layer.groups

    @property
    def whole_cost(self) -> float:
        """The estimated time to add all postings."""
        return float(self.costs.sum())

    @property
    def may_pay(self) -> bool:
        """Whether a threshold is likely to save more than its estimate costs, in which further rows are scored."""
        return self.whole_cost > COLLECT_COST * self.layer.matrix.rows + SCORE_COST * self.k

    def raise_threshold(self, positions: NDArray[np.int64]) -> None:
        """Score eligible positions; if there are k of them, the k best reach what the k-th of these does."""
        scores, others = self.score(positions), len(positions) - self.k
        if others >= 0:
            kth = float(np.partition(scores, others)[others])
            self.threshold = max(self.threshold, self.query.least_sum(kth))

    def estimate_threshold(self) -> None:
        """Find rows that are likely to be among the best by the terms with few postings, and score these rows."""
        costs = np.cumsum(self.costs[self.order])
        self.add_terms(min(int(np.searchsorted(costs, FIRST_COST * costs[-1])) + 1, len(costs)))
        self.raise_threshold(self.collect_best(int(SPARE * self.k)))

    def score(self, positions: NDArray[np.int64]) -> NDArray[np.float32]:
        """The exact scores of positions, which ascend; each is computed once."""
        new = positions
        if len(self.scored):
            new = positions[np.append(self.scored, -1)[np.searchsorted(self.scored, positions)] != positions]
        if len(new):
            scores = self.layer.score_rows(self.layer.rows[new].astype(np.int64), self.terms)
            if not len(self.scored):
                self.scored, self.scores = new, scores
                return scores
            scored = np.concatenate([self.scored, new])
            order = np.argsort(scored)
            self.scored, self.scores = scored[order], np.concatenate([self.scores, scores])[order]
        return self.scores[np.searchsorted(self.scored, positions)]

    def collect_best(self, wanted: int) -> NDArray[np.int64]:
        """The eligible positions with the largest sums so far: as many as are wanted, if there are so many."""
        positions = np.empty(0, np.int64)
        for threshold in estimate_thresholds(self.sums[: self.layer.matrix.rows], wanted, self.eligible, np.uint16(1)):
            positions = self.collect(int(threshold))
            if len(positions) >= wanted:
                break
        return positions[select_largest(self.sums[positions], wanted)]

    def collect(self, threshold: int) -> NDArray[np.int64]:
        """The eligible positions whose sums so far reach a threshold."""
        positions = np.empty(self.layer.matrix.rows, np.int64)
        eligible = EVERY_ROW if self.eligible is None else self.eligible
        return positions[: collect_positions(self.sums[: len(positions)], eligible, threshold, positions)].copy()

    def add_terms(self, end: int) -> None:
        """Add the postings of the terms that were not added yet, up to the `end`-th in order."""
        some = self.order[self.swept : end]
        if len(some):
            some = some[np.argsort(self.at.planes[some] < 0, kind="stable")]
            layer, at, query = self.layer, self.at, self.query
            add_terms(
                layer.low, layer.levels, layer.page_starts, layer.planes, at.starts[some], at.slots[some],
                at.planes[some], query.factors[some], query.shifts[some], int(self.swept == 0), self.sums,
            )  # fmt: skip
            self.added += int(at.sizes[some].sum())
            self.swept = end

    @cached_property
    def rest(self) -> NDArray[np.int64]:
        """What the terms from each in order on can add at most, and 0 after the last."""
        return np.append(np.cumsum(self.query.most[self.order][::-1])[::-1], 0)

    def look_up(
        self, positions: NDArray[np.int64], sums: NDArray[np.uint16], threshold: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint16]]:
        """Of positions with the sums of the terms so far, those that reach a threshold with all terms, and the sums."""
        layer, at, others = self.layer, self.at, self.order[self.swept :]
        others = others[np.argsort(-self.query.values[others], kind="stable")]  # few rows are left soon
        query, most = self.query, self.query.most[others]
        after = most.sum() - np.cumsum(most)
        looked = np.zeros(1, np.int64)
        found = look_up_terms(
            layer.low, layer.levels, layer.page_starts, layer.offsets, layer.planes, at.starts[others],
            at.slots[others], at.frequent[others], at.planes[others], query.factors[others], query.shifts[others],
            after, threshold, positions, sums, looked,
        )  # fmt: skip
        self.added += int(looked[0])
        return positions[:found], sums[:found]

    def visit_groups(self, *, must: bool) -> Candidates | None:
        """The candidates in the groups whose bounds reach the threshold; None if a sweep is estimated to be cheaper."""
        each = VISIT_COST * len(self.at.starts) + self.whole_cost / self.layer.groups
        most = TRIAL * self.whole_cost
        if not must and (self.bounds_cost > most or self.likely_groups * each > most):
            return None
        groups = np.flatnonzero(self.bound_groups() >= self.threshold)
        if not must and len(groups) * each > most:
            return None
        sums = self.sum_groups(groups)
        found = np.flatnonzero(sums >= self.threshold)
        positions = (groups[found >> GROUP_BITS] << GROUP_BITS) + (found & 255)
        return self.candidates(BLOCKS, positions, sums[found], self.layer.groups - len(groups))

    def bound_groups(self) -> NDArray[np.uint16]:
        """The largest bound of the blocks of each group; 0 for a group without an eligible position."""
        layer, at = self.layer, self.at
        blocks, groups = np.zeros(layer.groups * BLOCKS_IN_GROUP, np.uint16), np.empty(layer.groups, np.uint16)
        bound_blocks(
            layer.low, layer.levels, layer.page_starts, layer.maxima, at.starts, at.slots, at.frequent,
            self.query.factors, self.query.shifts, blocks, groups,
        )  # fmt: skip
        if self.eligible is not None:
            whole = np.zeros(layer.groups << GROUP_BITS, np.bool_)
            whole[: len(self.eligible)] = self.eligible
            groups[~whole.reshape(layer.groups, -1).any(axis=1)] = 0
        return groups

    def sum_groups(self, groups: NDArray[np.int64]) -> NDArray[np.uint16]:
        """The sums of levels of the positions of groups, 0 for those that are not eligible."""
        layer, at = self.layer, self.at
        scores = np.zeros(len(groups) << GROUP_BITS, np.uint16)
        self.added += score_groups(
            layer.low, layer.levels, layer.page_starts, layer.offsets, layer.planes, at.starts, at.slots, at.frequent,
            at.planes, self.query.factors, self.query.shifts, groups, scores,
        )  # fmt: skip
        if self.eligible is not None:
            places = (groups[:, None] << GROUP_BITS) + np.arange(1 << GROUP_BITS)
            scores[~self.eligible[np.minimum(places, len(self.eligible) - 1).reshape(-1)]] = 0
        return scores

    def sweep(self, *, all_terms: bool) -> Candidates:
        """The candidates after the postings of the terms that matter most were added, and the others looked up."""
        every = len(self.order)
        if all_terms:
            self.add_terms(every)
        else:
            steps = np.cumsum(self.costs[self.order])
            while self.swept < every and not self.are_few_left():
                target = steps[self.swept - 1] + STEP * steps[-1] if self.swept else 0
                self.add_terms(min(max(int(np.searchsorted(steps, target)), self.swept) + 1, every))
        if self.swept == every:
            self.raise_threshold(self.collect_best(self.k))
        positions = self.collect(max(self.threshold - int(self.rest[self.swept]), 1))
        way = TERMS if self.swept < every else ALL
        positions, sums = self.look_up(positions, self.sums[positions], self.threshold)
        return self.candidates(way, positions, sums, 0)

    def are_few_left(self) -> bool:
        """Whether looking up the other terms for the rows that can still reach the threshold is cheaper than a step."""
        limit = self.threshold - int(self.rest[self.swept])
        if limit <= 1:
            return False
        rows, others = self.layer.matrix.rows, len(self.order) - self.swept
        step = max(1, rows // SAMPLE)
        left = int((self.sums[:rows:step] >= np.uint16(limit)).sum()) * step
        return left * others * LOOK_UP_COST < float(self.costs[self.order[self.swept :]].sum())

    def candidates(self, way: str, positions: NDArray[np.int64], sums: NDArray[np.uint16], skipped: int) -> Candidates:
        """Those of positions, given the sums of all their terms, that can be among the k best, and the work so far."""
        if len(positions) > SPARE * self.k:  # otherwise all are scored as fast
            self.raise_threshold(positions[select_largest(sums, self.k)])
            positions = positions[sums >= self.threshold]
        scores, sizes, groups = self.score(positions), self.at.sizes, self.layer.groups
        work = ScoringWork(way, int(sizes.sum()), self.added, groups, skipped, len(self.scored))
        return Candidates(positions, scores, work)


def select_largest(sums: NDArray[np.uint16], number: int) -> NDArray[np.int64]:
    """The places of the largest sums, at most so many, ascending."""
    others = len(sums) - number
    return np.sort(np.argpartition(sums, others)[others:]) if others > 0 else np.arange(len(sums))
