"""Rows of a run → ranks: by score, equal scores by the policy for ties. The rank column is never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.trec.policies import Ties


class Topics(NamedTuple):
    """Which topic each row belongs to."""

    names: tuple[str, ...]
    """In the order of first appearance."""
    of_row: NDArray[np.int32]
    together: bool
    """Whether the rows of each topic stand in one stretch, as they do in most files."""


def topics_of(topic_ids: pl.Series) -> Topics:
    hashes = topic_ids.hash().to_numpy()
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    ends = np.append(starts[1:], len(hashes))
    if (topic_ids.gather(starts) != topic_ids.gather(ends - 1)).any():  # two topics of one hash stand side by side
        starts = np.flatnonzero((topic_ids != topic_ids.shift(1)).fill_null(value=True).to_numpy())
        ends = np.append(starts[1:], len(hashes))
    index: dict[str, int] = {}
    names = topic_ids.gather(starts).to_list()
    codes = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32, len(names))
    return Topics(tuple(index), np.repeat(codes, ends - starts), len(index) == len(names))


class Order(NamedTuple):
    """The rank of each row in its topic, and what was odd about the order in the file."""

    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows whose score another row of the topic shares; None where there are none."""
    unsorted_topics: int


def order(topics: Topics, scores: NDArray[np.float64], docs: pl.Series, ranks: pl.Series | None, ties: Ties) -> Order:
    """Rank the rows of each topic: score descending, then as `ties` says."""
    if not topics.together:
        return order_apart(topics, scores, docs, ranks, ties)
    topic = topics.of_row
    same = topic[1:] == topic[:-1]
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    lengths = np.diff(np.append(starts, len(topic)))
    positions = np.arange(1, len(topic) + 1, dtype=np.int32) - np.repeat(starts.astype(np.int32), lengths)
    not_falling = same & ~(scores[1:] < scores[:-1])
    if not not_falling.any():
        return Order(positions, None, 0)
    rising = same & (scores[1:] > scores[:-1])
    unsorted_topics = len(np.unique(topic[1:][rising]))
    affected = np.zeros(len(topics.names), bool)
    affected[topic[1:][not_falling]] = True
    rows = np.flatnonzero(affected[topic])
    tied = np.zeros(len(topic), bool)
    by_rank, equal = sort_rows(rows, topic, scores, docs, ranks, ties)
    # The rows of a topic stand together, so sorted row i takes the place that position i of the stretch had.
    positions[by_rank] = positions[rows]
    tied[by_rank] = equal
    return Order(positions, tied if equal.any() else None, unsorted_topics)


def order_apart(
    topics: Topics, scores: NDArray[np.float64], docs: pl.Series, ranks: pl.Series | None, ties: Ties
) -> Order:
    """The same for a file whose topics are interleaved: bring them together, rank, and put the ranks back."""
    together = np.argsort(topics.of_row, kind="stable")
    gathered = Topics(topics.names, topics.of_row[together], together=True)
    moved_ranks = None if ranks is None else ranks.gather(together)
    found = order(gathered, scores[together], docs.gather(together), moved_ranks, ties)
    back = np.empty_like(together)
    back[together] = np.arange(len(together))
    tied = None if found.tied is None else found.tied[back]
    return Order(found.ranks[back], tied, found.unsorted_topics)


def sort_rows(
    rows: NDArray[np.int64],
    topic: NDArray[np.int32],
    scores: NDArray[np.float64],
    docs: pl.Series,
    ranks: pl.Series | None,
    ties: Ties,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """`rows` sorted within their topics, and which of them share their score with a neighbour."""
    frame = pl.DataFrame({"row": rows, "topic": topic[rows], "score": scores[rows] + 0.0})  # −0.0 equals 0.0
    keys, falling = ["topic", "score"], [False, True]
    if ties == "docid":
        frame = frame.with_columns(doc=docs.gather(rows))
        keys, falling = [*keys, "doc"], [*falling, True]
    elif ties == "rank" and ranks is not None:
        frame = frame.with_columns(rank=ranks.gather(rows))
        keys, falling = [*keys, "rank"], [*falling, False]
    frame = frame.sort(keys, descending=falling, maintain_order=True)
    score, of = frame["score"].to_numpy(), frame["topic"].to_numpy()
    alike = (score[1:] == score[:-1]) & (of[1:] == of[:-1])
    return frame["row"].to_numpy(), np.concatenate((alike, [False])) | np.concatenate(([False], alike))
