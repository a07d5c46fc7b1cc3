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

from antecede.search.hits import ScoringWork, find_candidates
from antecede.search.pruning_kernels import (
    BLOCKS_IN_GROUP,
    GROUP_BITS,
    LEVELS,
    PAGE_BITS,
    bound_blocks,
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
TRIAL = 10
"""The share of the cost of adding all postings, 1 in so many, that is spent to find out whether visits are cheaper."""
FREQUENT_COST, RARE_COST, VISIT_COST, POSTING_COST, ROW_COST = 0.15, 1.6, 18.0, 1.0, 0.8
"""Nanoseconds, measured: to add a maximum; to find the maximum of a block of a rare term, per posting; to visit a
group, per term; to add a posting; to clear and compare a score. Only their ratios matter: they choose the way."""


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
    prune: bool | None = None,
) -> Candidates:
    """The positions that can be among the k best, and may be: `eligible` says which positions count.

    `prune` chooses a way for tests; otherwise it is the one that is estimated to be cheaper.
    """
    query = QueryWeights.of(weights, at.scales)
    whole = POSTING_COST * float(at.sizes.sum()) + ROW_COST * layer.matrix.rows
    if prune or (prune is None and bounds_cost(layer, at) < whole / 2):
        found = visit_groups(layer, at, query, k, eligible, np.inf if prune else whole)
        if found is not None:
            return found
    return sweep(layer, at, query, k, eligible)


def bounds_cost(layer: CompactLayer, at: LocatedTerms) -> float:
    """The estimated time to compute the bounds of all blocks."""
    frequent = at.frequent >= 0
    dense = int(frequent.sum()) * layer.groups * BLOCKS_IN_GROUP
    return FREQUENT_COST * dense + RARE_COST * float(at.sizes[~frequent].sum())


def visit_groups(
    layer: CompactLayer,
    at: LocatedTerms,
    query: QueryWeights,
    k: int,
    eligible: NDArray[np.bool_] | None,
    whole: float,
) -> Candidates | None:
    """The candidates in groups visited by their bounds; None if adding all postings would be cheaper (cost `whole`)."""
    bounds = bound_groups(layer, at, query, eligible)
    order = np.argsort(bounds)[::-1]
    ordered = bounds[order]
    each = VISIT_COST * len(at.starts) + POSTING_COST * float(at.sizes.sum()) / max(layer.groups, 1)
    places, sums = np.zeros(0, np.int64), np.zeros(0, np.uint32)
    visited, postings, threshold = 0, 0, 1
    size = max(FIRST_GROUPS, -(-4 * k // (1 << GROUP_BITS)))
    while True:
        remaining = int(np.searchsorted(-ordered.astype(np.int64), -threshold, "right")) - visited
        if remaining <= 0:
            break
        if remaining * each > whole / 2 and visited * each > whole / TRIAL:
            return None
        size = remaining if remaining <= size else size
        groups = np.sort(order[visited : visited + size])
        scores, added = score(layer, at, query, groups, eligible)
        found = np.flatnonzero(scores >= threshold)
        places = np.concatenate([places, (groups[found >> GROUP_BITS] << GROUP_BITS) + (found & 255)])
        sums = np.concatenate([sums, scores[found]])
        visited, postings, size = visited + len(groups), postings + added, size * GROWTH
        if len(sums) >= k:
            threshold = query.threshold(int(np.partition(sums, len(sums) - k)[len(sums) - k]))
            kept = sums >= threshold
            places, sums = places[kept], sums[kept]
    work = ScoringWork("pruned", int(at.sizes.sum()), postings, layer.groups, layer.groups - visited, len(places))
    return Candidates(places, work)


def bound_groups(
    layer: CompactLayer, at: LocatedTerms, query: QueryWeights, eligible: NDArray[np.bool_] | None
) -> NDArray[np.uint32]:
    """The largest bound of the blocks of each group that have an eligible position."""
    blocks, groups = np.zeros(layer.groups * BLOCKS_IN_GROUP, np.uint32), np.empty(layer.groups, np.uint32)
    bound_blocks(
        layer.low, layer.levels, layer.page_starts, layer.maxima, at.starts, at.slots, at.frequent, query.levels,
        blocks, groups,
    )  # fmt: skip
    if eligible is not None:
        whole = np.zeros(layer.groups << GROUP_BITS, np.bool_)
        whole[: len(eligible)] = eligible
        groups[~whole.reshape(layer.groups, -1).any(axis=1)] = 0
    return groups


def score(
    layer: CompactLayer,
    at: LocatedTerms,
    query: QueryWeights,
    groups: NDArray[np.int64],
    eligible: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.uint32], int]:
    """The sums of levels of the positions of groups, 0 for those that are not eligible, and the postings added."""
    scores = np.zeros(len(groups) << GROUP_BITS, np.uint32)
    added = score_groups(
        layer.low, layer.levels, layer.page_starts, layer.offsets, at.starts, at.slots, at.frequent, query.levels,
        groups, scores,
    )  # fmt: skip
    if eligible is not None:
        places = (groups[:, None] << GROUP_BITS) + np.arange(1 << GROUP_BITS)
        scores[~eligible[np.minimum(places, len(eligible) - 1).reshape(-1)]] = 0
    return scores, added


def sweep(
    layer: CompactLayer, at: LocatedTerms, query: QueryWeights, k: int, eligible: NDArray[np.bool_] | None
) -> Candidates:
    """The candidates after all postings were added."""
    rows, postings = layer.matrix.rows, int(at.sizes.sum())
    scores = np.zeros(layer.pages << PAGE_BITS, np.uint32)
    sweep_pages(layer.low, layer.levels, layer.page_starts, at.starts, at.slots, query.levels, scores)
    scores = scores[:rows]
    found = find_candidates(scores, k, eligible, np.uint32(1))
    threshold = 1
    if len(found) >= k:
        best = scores[found]
        threshold = query.threshold(int(np.partition(best, len(best) - k)[len(best) - k]))
    reached = scores >= threshold
    found = np.flatnonzero(reached if eligible is None else reached & eligible)
    return Candidates(found, ScoringWork("all postings", postings, postings, layer.groups, 0, len(found)))
