"""The input of a measure: the ranks of judged documents, as arrays over runs and judged pairs.

A measure requests a *selection* of pairs, such as the relevant ones, and computes with its ranks. A document that a run
did not retrieve has rank ∞: 1/∞ = 0 and ∞ > any cut-off, so most formulas need no special case.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import MeasureError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]
    """One number per run and topic: float64[runs, topics]."""

NOT_FOUND = np.int64(2**31)


@dataclass(frozen=True, eq=False)
class Origin:
    """The table that another one is part of: counts computed there once need not be computed in each part."""

    table: Ranks
    pairs: NDArray[np.int64]
    """int64[J]: the corresponding pair of the table for each pair."""
    topics: NDArray[np.int64]
    """int64[T]: the corresponding topic of the table for each topic."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """For R runs, T topics and J judged pairs sorted by topic: the rank of each pair in each run."""

    ranks: NDArray[np.int32]
    """int32[R, J]; 0 = not retrieved."""
    relevance: NDArray[np.int32]
    """int32[J]; negative = in the pool, but not judged."""
    offsets: NDArray[np.int64]
    """int64[T + 1]: topic t has the pairs from offsets[t] up to, but excluding, offsets[t + 1]."""
    retrieved: NDArray[np.int32]
    """int32[R, T]: how many documents the run returned for the topic."""
    copies: NDArray[np.bool_] | None = None
    """bool[J]: columns for further copies of a document that a run returned twice; they count as found, not in n."""
    origin: Origin | None = field(default=None, repr=False)
    """The table that this one is part of, if any."""
    topic_ids: tuple[str, ...] | None = field(default=None, repr=False)
    """The names of the topics, where they are known."""
    _selections: dict[tuple[int, int], JudgedPairs] = field(default_factory=dict, repr=False)

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

    def topic_name(self, topic: int) -> str:
        """The name of a topic; its number where names are not known."""
        return str(topic + 1) if self.topic_ids is None else self.topic_ids[topic]

    def select(self, pairs: NDArray[np.int64]) -> Ranks:
        """The table of some of the pairs, given in ascending order."""
        return replace(
            self,
            ranks=self.ranks.take(pairs, axis=1),
            relevance=self.relevance[pairs],
            offsets=np.searchsorted(pairs, self.offsets),
            copies=None if self.copies is None else self.copies[pairs],
            origin=None,
            _selections={},
        )

    def between(self, low: int, high: int) -> JudgedPairs:
        """The pairs whose relevance is at least `low` and below `high`."""
        if (low, high) not in self._selections:
            chosen = np.flatnonzero((self.relevance >= low) & (self.relevance < high))
            self._selections[low, high] = JudgedPairs(self, chosen, (low, high))
        return self._selections[low, high]

    def relevant(self, rel: int = 1) -> JudgedPairs:
        """The pairs whose relevance is `rel` or more."""
        return self.between(rel, ABOVE_ALL)

    def nonrelevant(self, rel: int = 1) -> JudgedPairs:
        """The pairs that were judged with a relevance below `rel`."""
        return self.between(0, rel)

    def judged(self) -> JudgedPairs:
        """The pairs that were judged."""
        return self.between(0, ABOVE_ALL)

    def unjudged(self) -> JudgedPairs:
        """The pairs that were in the pool but not judged: those with a negative relevance in the qrels."""
        return self.between(-ABOVE_ALL, 0)

    @property
    def used_pairs(self) -> NDArray[np.bool_]:
        """bool[J]: the pairs that measures have selected so far. The others do not affect those measures."""
        used = np.zeros(len(self.relevance), np.bool_)
        for selection in self._selections.values():
            used[selection.chosen] = True
        return used

    def forget(self) -> None:
        """Release the cached selections; they refer back to their table, so reference counting does not free them."""
        self._selections.clear()

    def check_collection(self, docs: int, name: str) -> None:
        """Refuse a collection size below the number of relevant or retrieved documents of a topic."""
        least = int(max(np.nan_to_num(self.relevant().n).max(initial=0), self.retrieved.max(initial=0)))
        if docs < least:
            raise MeasureError(
                f"{name}(docs={docs}): the collection has at least {least} documents; set docs to its size"
            )


ABOVE_ALL = 2**31


class JudgedPairs:
    """A selection of K judged pairs, sorted by topic."""

    def __init__(self, table: Ranks, chosen: NDArray[np.int64], levels: tuple[int, int]) -> None:
        self.table = table
        self.chosen = chosen
        self.levels = levels
        """The range of their relevance: lower bound, included, and upper bound, excluded."""
        self._found: dict[float | None, Scores] = {}
        self._above: dict[tuple[int, int], NDArray[np.int64]] = {}
        self.topic = table.topic[chosen]
        """int64[K]: the topic of each pair."""
        self.relevance = table.relevance[chosen]
        """int32[K]."""
        counted = np.ones(len(chosen)) if table.copies is None else 1.0 - table.copies[chosen]
        n = np.bincount(self.topic, weights=counted, minlength=table.topics)
        self.n = np.where(n > 0, n, np.nan)
        """float64[T]: the number of pairs per topic; NaN where there is none, so that quotients are NaN too."""
        self.topics_with = np.flatnonzero(np.bincount(self.topic))  # np.unique would load numpy.ma, for 15 ms
        self.starts = np.searchsorted(self.topic, self.topics_with)
        """Where the pairs of each of `topics_with` start."""
        self.ith = np.arange(1, len(chosen) + 1) - np.repeat(self.starts, self.lengths)
        """int64[K]: 1, 2, … within each topic."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of pairs of each of `topics_with`."""
        return np.diff(np.append(self.starts, len(self.chosen)))

    @cached_property
    def of_topic(self) -> NDArray[np.int64]:
        """int64[T]: the number of pairs per topic, copies included."""
        return np.bincount(self.topic, minlength=self.table.topics)

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """float64[R, K]: the rank of each pair, ∞ where it was not retrieved."""
        return mask_not_found(self.places > 0, np.maximum(self.places, 1))

    @cached_property
    def places(self) -> NDArray[np.int32]:
        """int32[R, K]: the rank of each pair, 0 where it was not retrieved."""
        return self.table.ranks[:, self.chosen]

    @property
    def marks(self) -> NDArray[np.int64]:
        """int64[R, K]: the ranks, prefixed with the topic."""
        marks = np.minimum(self.ranks, NOT_FOUND).astype(np.int64)
        marks += self.topic << 32
        return marks

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """int64[R, K]: the ranks, prefixed with the topic and sorted, so that one search serves all topics."""
        keys = self.marks
        keys.sort(axis=1)
        return keys

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """int64[R, K]: which pair is the ith found of its topic; `relevance[order]` are the grades in ranked order."""
        return np.argsort(self.marks, axis=1, kind="stable")

    @cached_property
    def in_order(self) -> NDArray[np.float64]:
        """float64[R, K]: the ranks sorted within each topic, so that column `ith` is the ith found."""
        ranks = self.keys & 0xFFFFFFFF
        return mask_not_found(ranks < NOT_FOUND, ranks)

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """float64[R, K]: precision at the ith pair found; 0 where it was not found."""
        precision: NDArray[np.float64] = self.ith / self.in_order
        return precision

    def found(self, cutoff: float | None = None) -> Scores:
        """The number of pairs ranked at `cutoff` or above; without a cut-off, the number retrieved."""
        if cutoff not in self._found:
            found = self.places > 0
            self._found[cutoff] = self.sum(found if cutoff is None else found & (self.places <= cutoff))
        return self._found[cutoff]

    def sum(self, values: NDArray[np.float64] | NDArray[np.bool_]) -> Scores:
        """Sums of values[R, K] over the pairs of each topic."""
        sums = np.zeros((self.table.runs, self.table.topics))
        if len(self.chosen):
            counts = values.dtype == np.bool_
            numbers: NDArray[Any] = values.view(np.int8) if counts else values  # which numpy adds up twice as fast
            kind = np.int32 if counts else np.float64
            sums[:, self.topics_with] = np.add.reduceat(numbers, self.starts, axis=1, dtype=kind)
        return sums

    def accumulate(self, values: NDArray[np.float64], step: np.ufunc = np.add) -> NDArray[np.float64]:
        """Cumulative sums (or products) of values[…, K] within each topic.

        Each round adds the value 1, 2, 4 … positions before, so that no topic's digits depend on another topic.
        """
        sums = np.array(values, dtype=np.float64)
        reach = 1
        while reach < self.lengths.max(initial=0):
            at = np.flatnonzero(self.ith > reach)
            sums[..., at] = step(sums[..., at], sums[..., at - reach])
            reach *= 2
        return sums

    def max(self, values: NDArray[np.float64]) -> Scores:
        """The largest of values[R, K] over the pairs of each topic; 0 where there are none."""
        largest = np.zeros((self.table.runs, self.table.topics))
        if len(self.chosen):
            largest[:, self.topics_with] = np.maximum.reduceat(values, self.starts, axis=1)
        return largest

    @cached_property
    def ideal_gains(self) -> NDArray[np.float64]:
        """float64[K]: the grades of each topic in the best order, highest first.

        Copies of a document are not further documents to find: they gain nothing and come last.
        """
        gains = self.relevance.astype(np.float64)
        if self.table.copies is not None:
            gains[self.table.copies[self.chosen]] = 0.0
        best: NDArray[np.float64] = gains[np.lexsort((-gains, self.topic))]
        return best

    def value_at(self, cumulative: NDArray[np.float64], ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[R, K]: a cumulative sum over the positions of each topic at the given ranks; at ∞, its last value."""
        lengths = np.repeat(self.lengths, self.lengths)
        first = np.repeat(self.starts, self.lengths)
        return cumulative[first + np.minimum(ranks, lengths).astype(np.int64) - 1]

    def at(self, ith: NDArray[np.float64]) -> Scores:
        """The rank of the ith[T] pair found in each topic; ∞ where fewer were found."""
        ranks = np.full((self.table.runs, self.table.topics), np.inf)
        if len(self.chosen):
            ranks[:, self.topics_with] = self.in_order[:, self.starts + ith[self.topics_with].astype(np.int64) - 1]
        return ranks

    def above(self, others: JudgedPairs) -> NDArray[np.float64]:
        """float64[R, K]: how many of the `others` are ranked above the ith of these pairs in each run."""
        counts = self.lookup_above(others)
        if counts is None:
            counts = others.count_before(self.keys, self.topic)
        return counts.astype(np.float64)

    def lookup_above(self, others: JudgedPairs) -> NDArray[np.int64] | None:
        """The same, looked up in the table that this one is part of; None unless all the others are in this table."""
        if (origin := self.table.origin) is None or self.levels[0] < 0:  # pairs may have become unjudged
            return None
        ours, theirs = origin.table.between(*self.levels), origin.table.between(*others.levels)
        if len(others.chosen) != theirs.of_topic[origin.topics].sum():
            return None
        if theirs.levels not in ours._above:
            ours._above[theirs.levels] = theirs.count_before(ours.marks, ours.topic)
        places = np.searchsorted(ours.chosen, origin.pairs[self.chosen])
        return np.take_along_axis(ours._above[theirs.levels][:, places], self.order, axis=1)

    def count_before(self, marks: NDArray[np.int64], topic: NDArray[np.int64]) -> NDArray[np.int64]:
        """int64[R, K]: how many of these pairs are ranked above each of the marked ranks of these topics."""
        first = np.cumsum(self.of_topic) - self.of_topic
        counts = [np.searchsorted(ours, wanted) for ours, wanted in zip(self.keys, marks, strict=True)]
        return np.array(counts, np.int64).reshape(marks.shape) - first[topic]


def mask_not_found(found: NDArray[np.bool_], ranks: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.float64]:
    """The ranks, ∞ where not found: a division by 1 or 0, which is faster than an unpredictable branch."""
    with np.errstate(divide="ignore"):
        divided: NDArray[np.float64] = ranks / found
    return divided
