"""Runs: read in any form, checked, ranked by score; and written in the TREC format."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import InputError
from antecede.trec.layout import RUN
from antecede.trec.policies import Policies
from antecede.trec.rows import choose_dropped_rows, find_duplicates, hash_pairs, hash_topics
from antecede.trec.sources import load

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.policies import Ties
    from antecede.trec.rows import Topics
    from antecede.trec.texts import Texts


@dataclass(frozen=True)
class Run:
    """The rankings of one system: one row per document, in the order of the file, with its rank by score."""

    name: str
    source: str
    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    """The topic of each row, as an index into `topics`."""
    lengths: NDArray[np.int64]
    """The number of rows of each topic."""
    docs: Texts
    keys: NDArray[np.uint64]
    """The key of each (topic, document): see `hash_pairs`."""
    scores: NDArray[np.float64]
    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows that share their score with another row of the topic; None where there are none."""
    odd: dict[str, int] = field(default_factory=dict)
    """Counts of irregularities in the file, such as `duplicates`, `malformed` and `unsorted_topics`."""

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def doc_ids(self) -> pl.Series:
        """The document of each row."""
        return self.docs.to_series()

    def to_polars(self) -> pl.DataFrame:
        """topic_id, doc_id, rank and score, best first."""
        import polars as pl

        names = pl.Series("topic_id", self.topics, dtype=pl.String).gather(self.topic)
        frame = pl.DataFrame(
            {"topic_id": names, "doc_id": self.doc_ids, "rank": self.ranks, "score": self.scores, "at": self.topic}
        )
        return frame.sort("at", "rank").drop("at")


def read_run(given: object, policies: Policies | None = None, *, name: str | None = None) -> Run:
    """Read a run.

    Args:
        given: A path (TREC, CSV, TSV or Parquet, plain or compressed), `-`, a frame or a dict {topic: {document:
            score}}.
        policies: How irregular input is treated; strict by default.
        name: The name of the run; by default that of the file.
    """
    policies = policies or Policies()
    if isinstance(given, Run):
        return given if policies.depth is None else cut_run(given, policies.depth)
    source, own_name, rows = load(given, RUN, policies.malformed, name, with_ranks=policies.ties == "rank")
    topics, docs, scores = rows.topics, rows.docs, rows.numbers.astype(np.float64, copy=False)
    keys = hash_pairs(topics, docs)
    duplicates = find_duplicates(keys, topics.of_row, docs)
    dropped = choose_dropped_rows(duplicates, policies.duplicates, source, rows.locate)
    odd = {**rows.odd, "duplicates": sum(len(copies) - 1 for copies in duplicates)}
    odd["self_retrieved"] = count_self_retrieved(topics, docs)
    ranks = rows.ranks
    if ranks is not None and not np.isfinite(ranks).all():
        raise InputError("its rank column is not all numbers", source=source, remedy="choose another --ties")
    if len(dropped):
        keep = np.delete(np.arange(len(docs)), dropped)
        topics = topics.gather(keep)
        docs, scores, keys = docs.gather(keep), scores[keep], keys[keep]
        ranks = None if ranks is None else ranks[keep]
    found = rank_rows(topics, scores, docs, ranks, policies.ties)
    odd["unsorted_topics"] = found.unsorted_topics
    run = Run(
        own_name, source, topics.names, topics.of_row, topics.counts, docs, keys, scores, found.ranks, found.tied, odd
    )
    return run if policies.depth is None else cut_run(run, policies.depth)


def count_self_retrieved(topics: Topics, docs: Texts) -> int:
    """How many topics are retrieved as their own document."""
    alike = np.flatnonzero(docs.hashes == topics.spread(hash_topics(topics.names)))
    found = {(topics.names[topics.of_row[row]], docs[row]) for row in alike.tolist()}
    return sum(topic_id == doc_id for topic_id, doc_id in found)


def cut_run(run: Run, depth: int) -> Run:
    """The first `depth` documents of each topic."""
    kept = np.flatnonzero(run.ranks <= depth)
    return Run(
        run.name,
        run.source,
        run.topics,
        run.topic[kept],
        np.minimum(run.lengths, depth),
        run.docs.gather(kept),
        run.keys[kept],
        run.scores[kept],
        run.ranks[kept],
        None if run.tied is None else run.tied[kept],
        run.odd,
    )


class Order(NamedTuple):
    """The rank of each row in its topic, and irregularities of the order in the file."""

    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows that share their score with another row of the topic; None where there are none."""
    unsorted_topics: int


def rank_rows(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Order:
    """Rank the rows of each topic: by score descending, then as `ties` says. A rank column never overrides scores."""
    if not topics.contiguous:
        return rank_interleaved_rows(topics, scores, docs, ranks, ties)
    starts, count = topics.starts, len(scores)
    positions = np.arange(1, count + 1, dtype=np.int32)
    positions -= np.repeat(starts.astype(np.int32), topics.lengths)
    same = np.ones(count - 1, bool)
    same[starts[1:] - 1] = False
    not_falling = same & ~(scores[1:] < scores[:-1])
    if not not_falling.any():
        return Order(positions, None, 0)
    # Stretches are numbered in the order of the file, which topic codes are not: sorting by them keeps topics in place.
    stretch = np.repeat(np.arange(len(starts), dtype=np.int32), topics.lengths)
    rising = same & (scores[1:] > scores[:-1])
    unsorted_topics = len(np.unique(stretch[1:][rising]))
    affected = np.zeros(len(starts), bool)
    affected[stretch[1:][not_falling]] = True
    rows = np.flatnonzero(affected[stretch])
    tied = np.zeros(count, bool)
    by_rank, equal = sort_rows(rows, stretch, scores, docs, ranks, ties)
    # The rows of a topic are contiguous, so the i-th sorted row takes the i-th position of the stretch.
    positions[by_rank] = positions[rows]
    tied[by_rank] = equal
    return Order(positions, tied if equal.any() else None, unsorted_topics)


def rank_interleaved_rows(
    topics: Topics, scores: NDArray[np.float64], docs: Texts, ranks: NDArray[np.float64] | None, ties: Ties
) -> Order:
    """The same for interleaved topics: group the rows by topic, rank them, and restore the order of the file."""
    grouped = np.argsort(topics.of_row, kind="stable")
    moved_ranks = None if ranks is None else ranks[grouped]
    found = rank_rows(topics.gather(grouped), scores[grouped], docs.gather(grouped), moved_ranks, ties)
    back = np.empty_like(grouped)
    back[grouped] = np.arange(len(grouped))
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
    """`rows`, sorted within each stretch, and which of them share their score with an adjacent row."""
    rows, score, of = rows.copy(), scores[rows], stretch[rows]
    if ((score[1:] > score[:-1]) & (of[1:] == of[:-1])).any():
        by_score = np.lexsort((-score, of))
        rows, score, of = rows[by_score], score[by_score], of[by_score]
    alike = (score[1:] == score[:-1]) & (of[1:] == of[:-1])
    tied = np.concatenate((alike, [False])) | np.concatenate(([False], alike))
    # Only rows with equal scores are sorted further, each group within its places.
    places = np.flatnonzero(tied)
    group = np.cumsum(np.concatenate(([True], ~alike)))[places]
    again = rows[places]
    if ties == "docid" and len(again):
        falling = [~key for key in docs.gather(again).sort_keys()]
        rows[places] = again[np.lexsort((*falling, group))]
    elif ties == "rank" and ranks is not None:
        rows[places] = again[np.lexsort((ranks[again], group))]
    return rows, tied


def write_run(run: Run, path: str | Path, *, tag: str | None = None) -> None:
    """Write a run as TREC text, best first, completely or not at all.

    Scores keep all their digits, so that the file gives the same ranks when it is read again.

    Args:
        run: The run.
        path: The file; it is compressed if its name ends in `.gz` or a similar suffix.
        tag: The last column; by default the name of the run.
    """
    import polars as pl

    from antecede.trec.output import write_columns

    frame = run.to_polars()
    lines = frame.select("topic_id", pl.lit("Q0"), "doc_id", "rank", "score", pl.lit(tag or run.name).alias("tag"))
    write_columns(lines, path)
