"""Rows of a run → ranks: by score, equal scores by the policy for ties. The rank column is never trusted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.policies import Ties
    from antecede.trec.texts import Texts


@dataclass(frozen=True)
class Topics:
    """Which topic each row belongs to: stretches of rows, each of one topic. In most files a topic has just one."""

    names: tuple[str, ...]
    """In the order in which the file first mentions them. Rows may have been dropped since, so the codes need not
    rise from stretch to stretch."""
    codes: NDArray[np.int32]
    """The topic of each stretch, as an index into `names`."""
    lengths: NDArray[np.int64]
    """How many rows each stretch has."""

    @property
    def together(self) -> bool:
        """Whether the rows of each topic are contiguous, whatever the order of the topics."""
        return len(np.unique(self.codes)) == len(self.codes)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each stretch."""
        return np.cumsum(self.lengths) - self.lengths

    @cached_property
    def of_row(self) -> NDArray[np.int32]:
        """The topic of each row."""
        return np.repeat(self.codes, self.lengths)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows each topic has."""
        return np.bincount(self.codes, self.lengths, len(self.names)).astype(np.int64)

    def spread(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For each row, the value of its topic."""
        return np.repeat(values[self.codes], self.lengths)

    def gather(self, rows: NDArray[np.int64]) -> Topics:
        """Those of some rows, in their order."""
        of_row = self.of_row[rows]
        starts = np.flatnonzero(np.concatenate(([True], of_row[1:] != of_row[:-1])))
        return Topics(self.names, of_row[starts], np.diff(starts, append=len(rows)))


def topics_of(topic_ids: pl.Series) -> Topics:
    hashes = topic_ids.hash().to_numpy()
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    ends = np.append(starts[1:], len(hashes))
    if (topic_ids.gather(starts) != topic_ids.gather(ends - 1)).any():  # two topics of one hash stand side by side
        starts = np.flatnonzero((topic_ids != topic_ids.shift(1)).fill_null(value=True).to_numpy())
    return topics_from(topic_ids.gather(starts).to_list(), starts, len(hashes))


def topics_from(names: list[str], starts: NDArray[np.int64], rows: int) -> Topics:
    """The same from the name of each stretch and the row it begins at. Two of one topic may touch: they are one."""
    index: dict[str, int] = {}
    codes = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32, len(names))
    new = np.concatenate(([True], codes[1:] != codes[:-1]))
    return Topics(tuple(index), codes[new], np.diff(starts[new], append=rows))


class Order(NamedTuple):
    """The rank of each row in its topic, and what was odd about the order in the file."""

    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows whose score another row of the topic shares; None where there are none."""
    unsorted_topics: int


def order(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Order:
    """Rank the rows of each topic: score descending, then as `ties` says."""
    if not topics.together:
        return order_apart(topics, scores, docs, ranks, ties)
    starts, rows_in_all = topics.starts, len(scores)
    positions = np.arange(1, rows_in_all + 1, dtype=np.int32)
    positions -= np.repeat(starts.astype(np.int32), topics.lengths)
    same = np.ones(rows_in_all - 1, bool)
    same[starts[1:] - 1] = False
    not_falling = same & ~(scores[1:] < scores[:-1])
    if not not_falling.any():
        return Order(positions, None, 0)
    # Stretches are numbered in file order, which topic codes are not: sorting by them keeps each topic in its place.
    stretch = np.repeat(np.arange(len(starts), dtype=np.int32), topics.lengths)
    rising = same & (scores[1:] > scores[:-1])
    unsorted_topics = len(np.unique(stretch[1:][rising]))
    affected = np.zeros(len(starts), bool)
    affected[stretch[1:][not_falling]] = True
    rows = np.flatnonzero(affected[stretch])
    tied = np.zeros(rows_in_all, bool)
    by_rank, equal = sort_rows(rows, stretch, scores, docs, ranks, ties)
    # The rows of a topic are contiguous, so sorted row i takes the place that position i of the stretch had.
    positions[by_rank] = positions[rows]
    tied[by_rank] = equal
    return Order(positions, tied if equal.any() else None, unsorted_topics)


def order_apart(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Order:
    """The same for a file whose topics are interleaved: bring them together, rank, and put the ranks back."""
    together = np.argsort(topics.of_row, kind="stable")
    moved_ranks = None if ranks is None else ranks[together]
    found = order(topics.gather(together), scores[together], docs.gather(together), moved_ranks, ties)
    back = np.empty_like(together)
    back[together] = np.arange(len(together))
    tied = None if found.tied is None else found.tied[back]
    return Order(found.ranks[back], tied, found.unsorted_topics)


def sort_rows(
    rows: NDArray[np.int64],
    stretch: NDArray[np.int32],
    scores: NDArray[np.float64],
    docs: Texts,
    ranks: NDArray[np.float64] | None,
    ties: Ties,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`rows`, stretch by stretch, sorted within each, and which of them share their score with a neighbour."""
    rows, score, of = rows.copy(), scores[rows], stretch[rows]
    if ((score[1:] > score[:-1]) & (of[1:] == of[:-1])).any():
        by_score = np.lexsort((-score, of))
        rows, score, of = rows[by_score], score[by_score], of[by_score]
    alike = (score[1:] == score[:-1]) & (of[1:] == of[:-1])
    tied = np.concatenate((alike, [False])) | np.concatenate(([False], alike))
    # Only what shares its score is sorted further: each such group among itself, in the places it has.
    places = np.flatnonzero(tied)
    group = np.cumsum(np.concatenate(([True], ~alike)))[places]
    again = rows[places]
    if ties == "docid" and len(again):
        falling = [~key for key in docs.gather(again).order()]
        rows[places] = again[np.lexsort((*falling, group))]
    elif ties == "rank" and ranks is not None:
        rows[places] = again[np.lexsort((ranks[again], group))]
    return rows, tied
