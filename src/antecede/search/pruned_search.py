"""Exact top-k search over a compact layer, which skips most of a large matrix (block-max pruning).

1. Threshold: the terms that add most for their number of postings are added for all rows, in levels. The rows that
   lead then are scored with all terms, which shows what the k best need at least.
2. Blocks: for each block of 64 positions, the sum of the largest levels of the terms in it bounds the scores of its
   rows. If few groups of four blocks reach the threshold, only these are scored (block-max pruning).
3. Terms: otherwise terms are added until the rest cannot lift a row over the threshold unless it is close to it. For
   these few rows the other terms are looked up one by one, and rows that fall behind are dropped (MaxScore).
4. Exact scores: every row whose score in levels can belong to one of the k best is scored exactly, from the counts in
   the matrix, in 32-bit floats in the order of the query, as `kernel.accumulate` does.

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
    BLOCK_BITS,
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

FIRST_COST = 0.06
"""The share of the cost of adding all postings that is spent on the first terms, to estimate the threshold."""
SPARE = 2
"""How many times k rows are scored to estimate the threshold."""
STEP = 0.08
"""The share of this cost after which the candidates are counted again."""
TRIAL = 0.1
"""The share of this cost that is spent to avoid it."""
BLOCKS, TERMS, ALL = WAYS = "blocks", "terms", "all postings"
FREQUENT_COST, RARE_COST, VISIT_COST, POSTING_COST, PLANE_COST, LOOK_UP_COST = 0.15, 1.6, 18.0, 1.0, 0.1, 12.0
"""Nanoseconds, measured: to add a maximum; to find the maximum of a block of a rare term, per posting; to visit a
group, per term; to add a posting, or a position of a plane; to look up a term of a row. Only their ratios matter: they
choose the way."""


@dataclass(frozen=True)
class QueryWeights:
    """Query weights as integers, so that sums of levels are exact in 32 bits and bound the float scores.

    Let r be the exact sum of the weighted impacts of a row, s its sum of weighted levels, f its score in 32-bit floats.
    Each integer exceeds weight · scale / unit by at most 1, so unit · (s − `gap`) ≤ r ≤ unit · s, where the gap is one
    level of each term and the rounding of the integers. The n products and n sums of f are each rounded with a relative
    error of at most 2⁻²⁴, hence |f − r| ≤ ε · r with ε = (n + 2) · 2⁻²⁴. If k rows have s ≥ σ, each of the k best has
    f ≥ unit · (σ − gap) · (1 − ε), thus s ≥ (σ − gap) · (1 − ε) / (1 + ε): `threshold`, with 2ε rounded up twofold.
    """

    levels: NDArray[np.uint32]
    gap: int
    """How far a sum of levels may exceed the exact score."""

    @classmethod
    def of(cls, weights: NDArray[np.float32], scales: NDArray[np.float64]) -> QueryWeights:
        """The integers of positive weights."""
        exact = weights.astype(np.float64) * scales
        room = (1 << 32) - 2 * (LEVELS + 1) * (len(weights) + 1)
        unit = float(exact.sum()) * LEVELS / room
        levels = (exact / unit).astype(np.uint32) + np.uint32(1)
        return cls(levels, int(levels.sum(dtype=np.int64)) + LEVELS * len(levels))

    def threshold(self, kth: int) -> int:
        """The least sum of levels of a row that can be among the k best, if k rows reach the sum `kth`."""
        margin = (len(self.levels) + 2) * 2.0**-22
        return max(int((kth - self.gap) * (1 - margin)) - 1, 1)


@dataclass(frozen=True)
class Candidates:
    """The positions that can be among the k best, and how they were found."""

    positions: NDArray[np.int64]
    work: ScoringWork


def find_positions(
    layer: CompactLayer,
    at: LocatedTerms,
    weights: NDArray[np.float32],
    k: int,
    eligible: NDArray[np.bool_] | None,
    *,
    way: str | None = None,
) -> Candidates:
    """The positions that can be among the k best, and may be: `eligible` says which positions count.

    `way` chooses one of `WAYS` for tests; otherwise it is the one that is estimated to be the cheapest.
    """
    search = PrunedSearch(layer, at, QueryWeights.of(weights, at.scales), k, eligible)
    if way == ALL or (way is None and search.rows_to_try < k):
        return search.sweep(all_terms=True)
    search.estimate_threshold()
    found = search.visit_groups(must=way == BLOCKS) if way != TERMS else None
    return search.sweep(all_terms=False) if found is None else found


class PrunedSearch:
    """The search for one query: where the terms are, and what is known so far of the score that is needed."""

    def __init__(
        self, layer: CompactLayer, at: LocatedTerms, query: QueryWeights, k: int, eligible: NDArray[np.bool_] | None
    ) -> None:
        self.layer, self.at, self.query, self.k, self.eligible = layer, at, query, k, eligible
        self.threshold = 1
        """The least sum of levels that can be among the k best, as far as is known."""
        self.added = 0
        self.costs = np.where(at.planes >= 0, PLANE_COST * layer.matrix.rows, POSTING_COST * at.sizes)
        """The estimated time to add the postings of each term."""
        self.order = np.argsort(-query.levels.astype(np.float64) / at.sizes, kind="stable")
        """The terms that add most for their number of postings first."""
        self.swept = 0
        """The number of terms in this order whose postings were added to `sums`."""
        self.sums = layer.sum_buffer()
        """As the search before left them, until terms are added."""

    @property
    def bounds_cost(self) -> float:
        """The estimated time to compute the bounds of all blocks."""
        frequent = self.at.frequent >= 0
        dense = int(frequent.sum()) * self.layer.groups * BLOCKS_IN_GROUP
        return FREQUENT_COST * dense + RARE_COST * float(self.at.sizes[~frequent].sum())

    @property
    def usual_bound(self) -> float:
        """The estimated bound of a block: the terms that one of its rows is likely to have, at half of their levels."""
        present = 1 - (1 - self.at.sizes / self.layer.matrix.rows) ** (1 << BLOCK_BITS)
        return float((present * self.query.levels).sum()) * LEVELS / 2

    @property
    def whole_cost(self) -> float:
        """The estimated time to add all postings."""
        return float(self.costs.sum())

    @property
    def rows_to_try(self) -> int:
        """How many rows may be scored to estimate the threshold, since that takes a small part of the whole cost."""
        return min(SPARE * self.k, int(TRIAL * self.whole_cost / (LOOK_UP_COST * len(self.at.starts))))

    def raise_threshold(self, sums: NDArray[np.uint32]) -> None:
        """Raise the threshold, if there are k sums of different rows, each no more than the sum of all terms."""
        if len(sums) >= self.k:
            kth = int(np.partition(sums, len(sums) - self.k)[len(sums) - self.k])
            self.threshold = max(self.threshold, self.query.threshold(kth))

    def estimate_threshold(self) -> None:
        """Find rows that are likely to be among the best by the terms with few postings, and score these rows."""
        costs = np.cumsum(self.costs[self.order])
        self.add_terms(min(int(np.searchsorted(costs, FIRST_COST * costs[-1])) + 1, len(costs)))
        wanted = max(self.rows_to_try, self.k)
        positions = self.collect_best(wanted)
        sums = self.sums[positions]
        if len(positions) > 2 * wanted:
            best = np.argpartition(sums, len(sums) - wanted)[len(sums) - wanted :]
            best.sort()
            positions, sums = positions[best], sums[best]
        _, sums = self.look_up(positions, sums, 1)
        self.raise_threshold(sums)

    def collect_best(self, wanted: int) -> NDArray[np.int64]:
        """The eligible positions with the largest sums so far: at least as many as are wanted, if there are so many."""
        positions = np.empty(0, np.int64)
        for threshold in estimate_thresholds(self.sums[: self.layer.matrix.rows], wanted, self.eligible, np.uint32(1)):
            positions = self.collect(int(threshold))
            if len(positions) >= wanted:
                break
        return positions

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
            layer, at, levels = self.layer, self.at, self.query.levels
            add_terms(
                layer.low, layer.levels, layer.page_starts, layer.planes, at.starts[some], at.slots[some],
                at.planes[some], levels[some], int(self.swept == 0), self.sums,
            )  # fmt: skip
            self.added += int(at.sizes[some].sum())
            self.swept = end

    @cached_property
    def rest(self) -> NDArray[np.int64]:
        """What the terms from each in order on can add at most, and 0 after the last."""
        most = self.query.levels.astype(np.int64)[self.order] * LEVELS
        return np.append(np.cumsum(most[::-1])[::-1], 0)

    def look_up(
        self, positions: NDArray[np.int64], sums: NDArray[np.uint32], threshold: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Of positions with the sums of the terms so far, those that reach a threshold with all terms, and the sums."""
        layer, at, others = self.layer, self.at, self.order[self.swept :]
        others = others[
            np.argsort(-self.query.levels[others].astype(np.int64), kind="stable")
        ]  # few rows are left soon
        after = self.query.levels[others].astype(np.int64) * LEVELS
        after = after.sum() - np.cumsum(after)
        looked = np.zeros(1, np.int64)
        found = look_up_terms(
            layer.low, layer.levels, layer.page_starts, layer.offsets, layer.planes, at.starts[others],
            at.slots[others], at.frequent[others], at.planes[others], self.query.levels[others],
            after, threshold, positions, sums, looked,
        )  # fmt: skip
        self.added += int(looked[0])
        return positions[:found], sums[:found]

    def visit_groups(self, *, must: bool) -> Candidates | None:
        """The candidates in the groups whose bounds reach the threshold; None if a sweep is estimated to be cheaper."""
        if not must and (self.bounds_cost > TRIAL * self.whole_cost or self.usual_bound >= self.threshold):
            return None
        groups = np.flatnonzero(self.bound_groups() >= self.threshold)
        each = VISIT_COST * len(self.at.starts) + self.whole_cost / self.layer.groups
        if not must and len(groups) * each > TRIAL * self.whole_cost:
            return None
        scores = self.score(groups)
        self.raise_threshold(scores[scores > 0])
        found = np.flatnonzero(scores >= self.threshold)
        positions = (groups[found >> GROUP_BITS] << GROUP_BITS) + (found & 255)
        return self.candidates(BLOCKS, positions, self.layer.groups - len(groups))

    def bound_groups(self) -> NDArray[np.uint32]:
        """The largest bound of the blocks of each group; 0 for a group without an eligible position."""
        layer, at = self.layer, self.at
        blocks, groups = np.zeros(layer.groups * BLOCKS_IN_GROUP, np.uint32), np.empty(layer.groups, np.uint32)
        bound_blocks(
            layer.low, layer.levels, layer.page_starts, layer.maxima, at.starts, at.slots, at.frequent,
            self.query.levels, blocks, groups,
        )  # fmt: skip
        if self.eligible is not None:
            whole = np.zeros(layer.groups << GROUP_BITS, np.bool_)
            whole[: len(self.eligible)] = self.eligible
            groups[~whole.reshape(layer.groups, -1).any(axis=1)] = 0
        return groups

    def score(self, groups: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The sums of levels of the positions of groups, 0 for those that are not eligible."""
        layer, at = self.layer, self.at
        scores = np.zeros(len(groups) << GROUP_BITS, np.uint32)
        self.added += score_groups(
            layer.low, layer.levels, layer.page_starts, layer.offsets, layer.planes, at.starts, at.slots, at.frequent,
            at.planes, self.query.levels, groups, scores,
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
            self.raise_threshold(self.sums[self.collect_best(self.k)])
        positions = self.collect(max(self.threshold - int(self.rest[self.swept]), 1))
        way = TERMS if self.swept < every else ALL
        positions, found = self.look_up(positions, self.sums[positions], self.threshold)
        self.raise_threshold(found)
        return self.candidates(way, positions[found >= self.threshold], 0)

    def are_few_left(self) -> bool:
        """Whether looking up the other terms for the rows that can still reach the threshold is cheaper than a step."""
        limit = self.threshold - int(self.rest[self.swept])
        if limit <= 1:
            return False
        rows, others = self.layer.matrix.rows, len(self.order) - self.swept
        step = max(1, rows // SAMPLE)
        left = int((self.sums[:rows:step] >= np.uint32(limit)).sum()) * step
        return left * others * LOOK_UP_COST < float(self.costs[self.order[self.swept :]].sum())

    def candidates(self, way: str, positions: NDArray[np.int64], skipped: int) -> Candidates:
        """These candidates, with the work that finding them took."""
        sizes, groups = self.at.sizes, self.layer.groups
        return Candidates(positions, ScoringWork(way, int(sizes.sum()), self.added, groups, skipped, len(positions)))
