"""What a measure sees: the ranks of judged documents, as arrays over runs and judged pairs.

A measure asks for a *selection* of pairs (the relevant ones, say) and does arithmetic on its ranks. A document that
a run did not retrieve has rank ∞: 1/∞ = 0 and ∞ > any cut-off, so most formulas need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import MeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]
    """One number for each run and topic: float64[runs, topics]."""

NOT_FOUND = np.int64(2**31)


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that another one was cut out of: what is counted there once need not be counted in each part."""

    table: Ranks
    pairs: NDArray[np.int64]
    """int64[J]: which pair of it each pair is."""
    topics: NDArray[np.int64]
    """int64[T]: which topic of it each topic is, or a part of which."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """For R runs, T topics and J judged pairs sorted by topic: the rank at which each run put each pair."""

    ranks: NDArray[np.int32]
    """int32[R, J]; 0 = not retrieved."""
    relevance: NDArray[np.int32]
    """int32[J]; negative = in the pool, but not judged."""
    offsets: NDArray[np.int64]
    """int64[T + 1]: the pairs of topic t stand at offsets[t] … offsets[t + 1]."""
    retrieved: NDArray[np.int32]
    """int32[R, T]: how many documents the run returned for the topic."""
    copies: NDArray[np.bool_] | None = None
    """bool[J]: columns for further copies of a document that a run returned twice. They count as found, not in n."""
    origin: Origin | None = field(default=None, repr=False)
    """The table that this one is a part of, if it is one of many parts."""
    _selections: dict[tuple[int, int], Selection] = field(default_factory=dict, repr=False)

    @property
    def topics(self) -> int:
        return len(self.offsets) - 1

    @property
    def runs(self) -> int:
        return len(self.ranks)

    @cached_property
    def topic(self) -> NDArray[np.int64]:
        """The topic of each pair."""
        return np.repeat(np.arange(self.topics), np.diff(self.offsets))

    def between(self, low: int, high: int) -> Selection:
        """The pairs whose relevance is `low` or more and below `high`."""
        if (low, high) not in self._selections:
            chosen = np.flatnonzero((self.relevance >= low) & (self.relevance < high))
            self._selections[low, high] = Selection(self, chosen, (low, high))
        return self._selections[low, high]

    def relevant(self, rel: int = 1) -> Selection:
        """The pairs whose relevance is `rel` or more."""
        return self.between(rel, ABOVE_ALL)

    def nonrelevant(self, rel: int = 1) -> Selection:
        """The pairs that were judged and found below `rel`."""
        return self.between(0, rel)

    def judged(self) -> Selection:
        """The pairs that were judged at all."""
        return self.between(0, ABOVE_ALL)

    def unjudged(self) -> Selection:
        """The pairs that were in the pool and not judged: the qrels give them a negative relevance."""
        return self.between(-ABOVE_ALL, 0)

    @property
    def looked_at(self) -> NDArray[np.bool_]:
        """bool[J]: the pairs that measures have asked for so far. To those measures the others make no difference."""
        asked = np.zeros(len(self.relevance), np.bool_)
        for selection in self._selections.values():
            asked[selection.chosen] = True
        return asked

    def forget(self) -> None:
        """Let go of the selections. They point back to their table, so they would stay until garbage is collected."""
        self._selections.clear()

    def check_collection(self, docs: int, name: str) -> None:
        """Refuse a size of the collection below what is relevant in it or was retrieved from it."""
        least = int(max(np.nan_to_num(self.relevant().n).max(initial=0), self.retrieved.max(initial=0)))
        if docs < least:
            raise MeasureError(f"{name}(docs={docs}): the collection holds at least {least} documents; give its size")


ABOVE_ALL = 2**31


class Selection:
    """Some of the judged pairs, still sorted by topic. K is their number."""

    def __init__(self, table: Ranks, chosen: NDArray[np.int64], levels: tuple[int, int]) -> None:
        self.table = table
        self.chosen = chosen
        self.levels = levels
        """What their relevance is not below, and what it is below."""
        self._found: dict[float | None, Scores] = {}
        self._above: dict[tuple[int, int], NDArray[np.int64]] = {}
        self.topic = table.topic[chosen]
        """int64[K]: the topic of each pair."""
        self.relevance = table.relevance[chosen]
        """int32[K]."""
        counted = np.ones(len(chosen)) if table.copies is None else 1.0 - table.copies[chosen]
        n = np.bincount(self.topic, weights=counted, minlength=table.topics)
        self.n = np.where(n > 0, n, np.nan)
        """float64[T]: how many pairs each topic has; NaN where it has none, so that what is divided by it is too."""
        self.topics_with = np.unique(self.topic)
        self.starts = np.searchsorted(self.topic, self.topics_with)
        """Where the pairs of each of `topics_with` begin."""
        self.ith = np.arange(1, len(chosen) + 1) - np.repeat(self.starts, self.lengths)
        """int64[K]: 1, 2, … within each topic."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many pairs each of `topics_with` has."""
        return np.diff(np.append(self.starts, len(self.chosen)))

    @cached_property
    def of_topic(self) -> NDArray[np.int64]:
        """int64[T]: how many pairs each topic has, copies too."""
        return np.bincount(self.topic, minlength=self.table.topics)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """float64[R, K]: the rank of each pair, ∞ where it was not retrieved."""
        ranks = self.table.ranks[:, self.chosen]
        return infinite_unless(ranks > 0, np.maximum(ranks, 1))

    @property
    def marks(self) -> NDArray[np.int64]:
        """int64[R, K]: the ranks with the topic in front."""
        marks = np.minimum(self.ranks, NOT_FOUND).astype(np.int64)
        marks += self.topic << 32
        return marks

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """int64[R, K]: the ranks with the topic in front, sorted, so that one search serves all topics."""
        keys = self.marks
        keys.sort(axis=1)
        return keys

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """int64[R, K]: which pair is the ith found of its topic: `relevance[order]` are the grades as ranked."""
        return np.argsort(self.marks, axis=1, kind="stable")

    @cached_property
    def in_order(self) -> NDArray[np.float64]:
        """float64[R, K]: the ranks sorted within each topic, so that column `ith` is the ith found."""
        ranks = self.keys & 0xFFFFFFFF
        return infinite_unless(ranks < NOT_FOUND, ranks)

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """float64[R, K]: precision at the ith pair found; 0 where it was not."""
        precision: NDArray[np.float64] = self.ith / self.in_order
        return precision

    def found(self, cutoff: float | None = None) -> Scores:
        """How many of the pairs stand at `cutoff` or above; without it, how many were retrieved at all."""
        if cutoff not in self._found:
            self._found[cutoff] = self.sum(self.ranks <= (np.finfo(np.float64).max if cutoff is None else cutoff))
        return self._found[cutoff]

    def sum(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> Scores:
        """Add up values[R, K] over the pairs of each topic."""
        sums = np.zeros((self.table.runs, self.table.topics))
        if len(self.chosen):
            sums[:, self.topics_with] = np.add.reduceat(values, self.starts, axis=1, dtype=np.float64)
        return sums

    def running(self, values: NDArray[np.float64], step: np.ufunc = np.add) -> NDArray[np.float64]:
        """Values[…, K] added up (or multiplied) from the first pair of each topic to every other.

        Each round adds what stands 1, 2, 4 … places before, so no topic's digits depend on another topic.
        """
        sums = np.array(values, dtype=np.float64)
        reach = 1
        while reach < self.lengths.max(initial=0):
            at = np.flatnonzero(self.ith > reach)
            sums[..., at] = step(sums[..., at], sums[..., at - reach])
            reach *= 2
        return sums

    def max(self, values: NDArray[np.float64]) -> Scores:
        """The largest of values[R, K] among the pairs of each topic; 0 where it has none."""
        largest = np.zeros((self.table.runs, self.table.topics))
        if len(self.chosen):
            largest[:, self.topics_with] = np.maximum.reduceat(values, self.starts, axis=1)
        return largest

    def at(self, ith: NDArray[np.float64]) -> Scores:
        """The rank of the ith[T] pair found in each topic; ∞ where so many were not found."""
        ranks = np.full((self.table.runs, self.table.topics), np.inf)
        if len(self.chosen):
            ranks[:, self.topics_with] = self.in_order[:, self.starts + ith[self.topics_with].astype(np.int64) - 1]
        return ranks

    def above(self, others: Selection) -> NDArray[np.float64]:
        """float64[R, K]: how many of the `others` stand above the ith of these pairs, in each run."""
        counts = self.counted_before(others)
        if counts is None:
            counts = others.before(self.keys, self.topic)
        return counts.astype(np.float64)

    def counted_before(self, others: Selection) -> NDArray[np.int64] | None:
        """The same from the table that this is a part of, where it has been counted once; if it has all the others."""
        if (origin := self.table.origin) is None:
            return None
        ours, theirs = origin.table.between(*self.levels), origin.table.between(*others.levels)
        if len(others.chosen) != theirs.of_topic[origin.topics].sum():
            return None
        if theirs.levels not in ours._above:
            ours._above[theirs.levels] = theirs.before(ours.marks, ours.topic)
        places = np.searchsorted(ours.chosen, origin.pairs[self.chosen])
        return np.take_along_axis(ours._above[theirs.levels][:, places], self.order, axis=1)

    def before(self, marks: NDArray[np.int64], topic: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[R, K]: how many of these pairs stand above the ranks that are marked with these topics."""
        first = np.cumsum(self.of_topic) - self.of_topic
        counts = [np.searchsorted(ours, wanted) for ours, wanted in zip(self.keys, marks, strict=True)]
        return np.array(counts, np.int64).reshape(marks.shape) - first[topic]


def infinite_unless(found: NDArray[np.bool_], ranks: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.float64]:
    """The ranks, ∞ where not found: divided by 1 or 0, as a choice is slow where it cannot be foreseen."""
    with np.errstate(divide="ignore"):
        divided: NDArray[np.float64] = ranks / found
    return divided
