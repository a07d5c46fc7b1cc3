"""Runs: read in any form, checked, ordered; and written in the form of TREC."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.trec.duplicates import repeated_rows, rows_to_drop
from antecede.trec.keys import pair_keys, topic_hashes
from antecede.trec.layout import RUN
from antecede.trec.ordering import order
from antecede.trec.policies import Policies
from antecede.trec.sources import load

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.ordering import Topics
    from antecede.trec.texts import Texts


@dataclass(frozen=True)
class Run:
    """What one system retrieved: a row a document, in the order of the file, with its rank by score."""

    name: str
    source: str
    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    """The topic of each row, as an index into `topics`."""
    lengths: NDArray[np.int64]
    """How many rows each topic has."""
    docs: Texts
    keys: NDArray[np.uint64]
    """Of topic and document: see `pair_keys`."""
    scores: NDArray[np.float64]
    ranks: NDArray[np.int32]
    tied: NDArray[np.bool_] | None
    """Rows whose score another row of the topic shares; None where there are none."""
    odd: dict[str, int] = field(default_factory=dict)
    """What was odd in the file: counts by name, such as `duplicates`, `malformed` and `unsorted_topics`."""

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
    """Read a run from a path (TREC, CSV, TSV or Parquet, plain or packed), `-`, a frame or a dict of dicts."""
    policies = policies or Policies()
    if isinstance(given, Run):
        return given if policies.depth is None else cut(given, policies.depth)
    by_rank = policies.ties == "rank"
    source, own_name, rows = load(given, RUN, policies.malformed, name, with_rank=by_rank)
    topics, docs, scores = rows.topics, rows.docs, rows.numbers.astype(np.float64, copy=False)
    keys = pair_keys(topics, docs)
    repeated = repeated_rows(keys, topics.of_row, docs)
    drop = rows_to_drop(repeated, policies.duplicates, source, rows.place)
    odd = {**rows.odd, "duplicates": sum(len(copies) - 1 for copies in repeated)}
    odd["self_retrieved"] = self_retrieved(topics, docs)
    ranks = as_numbers(rows.rank, source) if rows.rank is not None else None
    if len(drop):
        keep = np.delete(np.arange(len(docs)), drop)
        topics = topics.gather(keep)
        docs, scores, keys = docs.gather(keep), scores[keep], keys[keep]
        ranks = None if ranks is None else ranks[keep]
    found = order(topics, scores, docs, ranks, policies.ties)
    odd["unsorted_topics"] = found.unsorted_topics
    run = Run(
        own_name, source, topics.names, topics.of_row, topics.counts, docs, keys, scores, found.ranks, found.tied, odd
    )
    return run if policies.depth is None else cut(run, policies.depth)


def self_retrieved(topics: Topics, docs: Texts) -> int:
    """How many topics are retrieved as their own document."""
    alike = np.flatnonzero(docs.hashes == topics.spread(topic_hashes(topics.names)))
    found = {(topics.names[topics.of_row[row]], docs[row]) for row in alike.tolist()}
    return sum(topic_id == doc_id for topic_id, doc_id in found)


def as_numbers(column: pl.Series, source: str) -> NDArray[np.float64]:
    import polars as pl

    ranks = column.cast(pl.Float64, strict=False)
    if ranks.null_count() or not ranks.is_finite().all():
        raise InputError("its rank column is not all numbers", source=source, remedy="choose another --ties")
    return ranks.to_numpy()


def cut(run: Run, depth: int) -> Run:
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


def write_run(run: Run, path: str | Path, *, tag: str | None = None) -> None:
    """Write a run as TREC text, best first, packed if the name ends in .gz and the like; whole or not at all.

    Scores keep all their digits, so that the file gives the same ranks when it is read again.
    """
    import polars as pl

    from antecede.trec.writing import write_columns

    frame = run.to_polars()
    lines = frame.select("topic_id", pl.lit("Q0"), "doc_id", "rank", "score", pl.lit(tag or run.name).alias("tag"))
    write_columns(lines, path)
