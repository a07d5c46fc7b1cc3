"""The terms of a query as engines look them up, those that documents share with it, and sums over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from antecede.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.arrays import F32, I32, U32, Floats, Ints
    from antecede.engine import QueryTerms

_TABLE = 1024
"""Counts below this have their damped frequency in a table."""
DAMPED = np.concatenate(([0.0], 1 + np.log(np.arange(1, _TABLE)))).astype(np.float32)
"""1 + log n."""


@dataclass(frozen=True, eq=False)
class ResolvedQuery:
    """The terms of a query that contribute to scores, looked up in an index: the same for every ranking model."""

    query: QueryTerms
    used: Ints
    """The positions of these terms in the query."""
    weights: F32
    df: Ints
    """Their frequencies in the whole collection; likewise `cf`."""
    cf: Ints
    numbers: tuple[Ints, ...]
    """Their numbers in each table of terms that the engine has; −1 where one lacks the term."""
    weight_sum: np.float32
    """The sum of the weights of all terms, including those that occur in no document."""
    unmatched: tuple[str, ...]
    """Terms that occur in no document."""

    @property
    def language(self) -> str:
        return self.query.language

    @cached_property
    def terms(self) -> tuple[str, ...]:
        return tuple(self.query.terms[at] for at in self.used.tolist())


def resolve_query(query: QueryTerms, df: Ints, cf: Ints, *numbers: Ints) -> ResolvedQuery:
    """The terms of a query that contribute, from the frequencies and the numbers of all of them."""
    weights = query.weights.astype(np.float32)
    unmatched = () if df.all() else tuple(compress(query.terms, (df == 0).tolist()))
    used = np.flatnonzero((df > 0) & (weights != 0))
    if len(used) < len(query):
        weights, df, cf, numbers = weights[used], df[used], cf[used], tuple(own[used] for own in numbers)
    weight_sum = np.float32(query.weights.sum())
    return ResolvedQuery(query, used, weights, df, cf, numbers, weight_sum, unmatched)


@dataclass(frozen=True, eq=False)
class TermMatches:
    """The query terms that each document has: the n-th has those from `ptr[n]` to `ptr[n + 1]`.

    There may be hundreds of thousands: they take eight bytes each, and are added up without arrays of their size.
    """

    documents: Ints
    """The position of the n-th document among those that were asked for."""
    ptr: Ints
    terms: I32
    """Positions in the query."""
    counts: U32

    def add_up(self, by_count: Callable[[Floats], Floats], weights: Floats) -> Floats:
        """Σ of a function of the count of a match times the weight of its term, for each document."""
        table = by_count(np.arange(int(self.counts.max(initial=0)) + 1, dtype=np.float64))
        sums, ordered = np.empty(len(self.ptr) - 1), np.empty(len(self.ptr) - 1)
        put_sums(self.ptr, self.terms, self.counts, table, weights, sums)
        ordered[self.documents] = sums
        return ordered


def find_matches(starts: Ints, ends: Ints, items: U32, counts: U32, slots: I32, most: int) -> tuple[Ints, I32, U32]:
    """The slots of the items that have one, of which there are at most so many: where each list ends, slots, counts."""
    ptr, found, often = np.zeros(len(starts) + 1, np.int64), np.empty(most + 1, np.int32), np.empty(most + 1, np.uint32)
    put_matches(starts, ends, items, counts, slots, ptr, found, often)
    return ptr, found[: ptr[-1]], often[: ptr[-1]]


@kernel
def put_matches(
    starts: Ints, ends: Ints, items: U32, counts: U32, slots: I32, ptr: Ints, found: I32, often: U32
) -> None:
    """Put the slots of the items that have one into `found`, their counts into `often`, where lists end into `ptr`.

    Every item is written to the next free place, which only advances for one that has a slot: guessing which ones have
    takes longer than writing.

    Bounds: `starts` and `ends` are places that an engine gave to lists in `items` and `counts`, whose items are
    below the number of terms, and `slots` has one entry per term. A list has each item once, so that there are at
    most as many matches as lists times slots, nor more than items: the length of `found` and `often` in
    `find_matches` is one more than the smaller, and the last item is put below it. `ptr` has one entry more than
    there are lists.
    """
    at = np.uint64(0)
    for n in range(len(starts)):
        for j in range(np.uint64(starts[n]), np.uint64(ends[n])):
            slot = slots[items[j]]
            found[at] = slot
            often[at] = counts[j]
            at += np.uint64(slot >= 0)
        ptr[n + 1] = np.int64(at)


@kernel
def put_sums(ptr: Ints, terms: I32, counts: U32, table: Floats, weights: Floats, sums: Floats) -> None:
    """Put Σ value of its count · weight of its term over each list into `sums`.

    Bounds: `ptr` and `terms` are those of `TermMatches`; `table` has one entry more than the largest count, `weights`
    has one per term of the query, `sums` one per list.
    """
    for n in range(len(sums)):
        total = 0.0
        for j in range(np.uint64(ptr[n]), np.uint64(ptr[n + 1])):
            total += table[counts[j]] * weights[terms[j]]
        sums[n] = total


@kernel
def add_squares(starts: Ints, ends: Ints, items: U32, counts: U32, rarity: F32, damped: F32, sums: Floats) -> None:
    """Σ ((1 + log n) · rarity)² of each list.

    Bounds: as in `put_matches`; `rarity` has one entry per term, and counts beyond the table `damped` are computed.
    `sums` has one entry per list.
    """
    for n in range(len(starts)):
        total = 0.0
        for j in range(starts[n], ends[n]):
            count = counts[j]
            factor = np.float64(damped[count]) if count < len(damped) else 1.0 + np.log(np.float64(count))
            each = factor * rarity[items[j]]
            total += each * each
        sums[n] = total
