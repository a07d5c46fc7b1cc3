"""Exact top-k search over a compact layer, which skips most of a large matrix (block-max pruning).

1. Bounds: for each block of 64 positions, the sum of the largest levels of the query terms in it, each times its
   weight. No row of the block can score more.
2. Visits: groups of four blocks are scored in levels, those with the highest bounds first, until no other block can
   contain one of the k best. If most would have to be visited, all postings are added instead, which is cheaper.
3. Exact scores: every row whose score in levels can belong to one of the k best is scored exactly, from the counts in
   the matrix, in 32-bit floats in the order of the query, as `kernel.accumulate` does.

The ranking is that of the exhaustive search in documents and in scores: levels only decide what is computed exactly.

Mallia, Suel & Tonellotto, "Faster learned sparse retrieval with block-max pruning", SIGIR 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.search.hits import ScoringWork
from antecede.search.pruning_kernels import (
    BLOCKS_IN_GROUP,
    GROUP_BITS,
    LEVELS,
    PAGE_BITS,
    bound_blocks,
    look_up_terms,
    score_groups,
    sweep_pages,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.search.compact_layers import CompactLayer, LocatedTerms

FIRST_GROUPS = 8
"""Groups that are visited first, at least."""
GROWTH = 3
"""How many times as many groups as before the next visit may have."""
ROOM = 4
"""Pages of candidates that there is room for at first."""
LARGEST_REST = 0.15
"""The largest share of the threshold that terms may add that are looked up for candidates only."""
BLOCKS, TERMS, ALL = WAYS = "blocks", "terms", "all postings"
FREQUENT_COST, RARE_COST, VISIT_COST, POSTING_COST = 0.15, 1.6, 18.0, 1.0
"""Nanoseconds, measured: to add a maximum; to find the maximum of a block of a rare term, per posting; to visit a
group, per term; to add a posting. Only their ratios matter: they choose the way."""


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
    whole = POSTING_COST * float(at.sizes.sum())
    if way == BLOCKS or (way is None and search.bounds_cost < whole / 2):
        found = search.visit_groups(np.inf if way == BLOCKS else whole / 4)
        if found is not None:
            return found
    return search.sweep(LARGEST_REST if way != ALL else 0.0)


class PrunedSearch:
    """The search for one query: where the terms are, and what is known so far of the score that is needed."""

    def __init__(
        self, layer: CompactLayer, at: LocatedTerms, query: QueryWeights, k: int, eligible: NDArray[np.bool_] | None
    ) -> None:
        self.layer, self.at, self.query, self.k, self.eligible = layer, at, query, k, eligible
        self.threshold = 1
        """The least sum of levels that can be among the k best, as far as is known."""
        self.visited, self.added = 0, 0

    @property
    def bounds_cost(self) -> float:
        """The estimated time to compute the bounds of all blocks."""
        frequent = self.at.frequent >= 0
        dense = int(frequent.sum()) * self.layer.groups * BLOCKS_IN_GROUP
        return FREQUENT_COST * dense + RARE_COST * float(self.at.sizes[~frequent].sum())

    def raise_threshold(self, sums: NDArray[np.uint32]) -> None:
        """Raise the threshold, if there are k sums of different rows, each no more than the sum of all terms."""
        if len(sums) >= self.k:
            kth = int(np.partition(sums, len(sums) - self.k)[len(sums) - self.k])
            self.threshold = max(self.threshold, self.query.threshold(kth))

    def visit_groups(self, most: float) -> Candidates | None:
        """The candidates in groups visited in the order of their bounds; None if more than `most` would be spent.

        The threshold is raised in any case.
        """
        bounds = self.bound_groups()
        order = np.argsort(bounds)[::-1]
        ordered = bounds[order].astype(np.int64)
        each = VISIT_COST * len(self.at.starts) + POSTING_COST * float(self.at.sizes.sum()) / self.layer.groups
        places, sums = np.zeros(0, np.int64), np.zeros(0, np.uint32)
        size = max(FIRST_GROUPS, -(-4 * self.k // (1 << GROUP_BITS)))
        while (remaining := int(np.searchsorted(-ordered, -self.threshold, "right")) - self.visited) > 0:
            if self.visited and remaining * each > most:
                return None
            groups = np.sort(order[self.visited : self.visited + min(size, remaining)])
            scores = self.score(groups)
            found = np.flatnonzero(scores >= self.threshold)
            places = np.concatenate([places, (groups[found >> GROUP_BITS] << GROUP_BITS) + (found & 255)])
            sums = np.concatenate([sums, scores[found]])
            self.visited, size = self.visited + len(groups), size * GROWTH
            self.raise_threshold(sums)
            kept = sums >= self.threshold
            places, sums = places[kept], sums[kept]
        return self.candidates(BLOCKS, places)

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
            layer.low, layer.levels, layer.page_starts, layer.offsets, at.starts, at.slots, at.frequent,
            self.query.levels, groups, scores,
        )  # fmt: skip
        if self.eligible is not None:
            places = (groups[:, None] << GROUP_BITS) + np.arange(1 << GROUP_BITS)
            scores[~self.eligible[np.minimum(places, len(self.eligible) - 1).reshape(-1)]] = 0
        return scores

    def sweep(self, largest_rest: float) -> Candidates:
        """The candidates after the postings of the terms that matter most were added, and the others looked up.

        `largest_rest` is the share of the threshold that the others may add.
        """
        at, levels = self.at, self.query.levels.astype(np.int64)
        order = np.argsort(-levels / at.sizes, kind="stable")
        rest = np.append(np.cumsum((levels * LEVELS)[order][::-1])[::-1], 0)
        """What the terms from each on can add at most, and 0."""
        first = int(np.searchsorted(-rest, -int(largest_rest * self.threshold), "left"))
        main, others = order[:first], order[first:]
        positions, sums, found = self.add_postings(main, int(rest[first]))
        found, looked = look_up_terms(
            self.layer.low, self.layer.levels, self.layer.page_starts, self.layer.offsets, at.starts[others],
            at.slots[others], at.frequent[others], self.query.levels[others], rest[first + 1 :], self.threshold,
            positions, sums, found,
        )  # fmt: skip
        self.added += looked
        self.raise_threshold(sums[:found])
        return self.candidates(TERMS if len(others) else ALL, positions[:found][sums[:found] >= self.threshold])

    def add_postings(self, main: NDArray[np.int64], rest: int) -> tuple[NDArray[np.int64], NDArray[np.uint32], int]:
        """The positions that can reach the threshold by the postings of some terms, if others add `rest` at most."""
        layer, at = self.layer, self.at
        positions, sums = np.empty(ROOM << PAGE_BITS, np.int64), np.empty(ROOM << PAGE_BITS, np.uint32)
        scores = np.empty(1 << PAGE_BITS, np.uint32)
        eligible = np.zeros(0, np.bool_) if self.eligible is None else self.eligible
        starts, slots, levels = at.starts[main], at.slots[main], self.query.levels[main]
        page = found = 0
        while page < layer.pages:
            if found + (1 << PAGE_BITS) > len(positions):
                positions, sums = (np.concatenate([each, np.empty_like(each)]) for each in (positions, sums))
            limit = max(self.threshold - rest, 1)
            page, found = sweep_pages(
                layer.low, layer.levels, layer.page_starts, starts, slots, levels, eligible, limit, page,
                layer.matrix.rows, scores, positions, sums, found,
            )  # fmt: skip
            self.raise_threshold(sums[:found])
            kept = sums[:found] >= self.threshold - rest
            number = int(kept.sum())
            positions[:number], sums[:number], found = positions[:found][kept], sums[:found][kept], number
        self.added += int(at.sizes[main].sum())
        return positions, sums, found

    def candidates(self, way: str, positions: NDArray[np.int64]) -> Candidates:
        """These candidates, with the work that finding them took."""
        groups = self.layer.groups
        skipped = groups - self.visited if way == BLOCKS else 0
        return Candidates(
            positions, ScoringWork(way, int(self.at.sizes.sum()), self.added, groups, skipped, len(positions))
        )
