"""Runs: read in any form, checked, ordered; and written in the form of TREC."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from antecede.errors import InputError
from antecede.trec.columns import RUN
from antecede.trec.duplicates import repeated_rows, rows_to_drop
from antecede.trec.keys import pair_keys
from antecede.trec.ordering import Topics, order, topics_of
from antecede.trec.policies import Policies
from antecede.trec.sources import load
from antecede.trec.writing import write_columns

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Run:
    """What one system retrieved: a row a document, in the order of the file, with its rank by score."""

    name: str
    source: str
    topics: tuple[str, ...]
    topic: NDArray[np.int32]
    """The topic of each row, as an index into `topics`."""
    doc_ids: pl.Series
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

    def to_polars(self) -> pl.DataFrame:
        """topic_id, doc_id, rank and score, best first."""
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
    wanted = ("topic_id", "doc_id", "score", *(["rank"] if policies.ties == "rank" else []))
    source, own_name, columns = load(given, RUN, policies.malformed, wanted, name)
    frame = columns.frame
    topics = topics_of(frame["topic_id"])
    keys = pair_keys(topics.names, topics.of_row, frame["doc_id"])
    repeated = repeated_rows(keys, topics.of_row, frame["doc_id"])

    def place(row: int) -> tuple[str, str, int | None]:
        return frame["topic_id"][row], frame["doc_id"][row], columns.line_of(row)

    drop = rows_to_drop(repeated, policies.duplicates, source, place)
    odd = {**columns.odd, "duplicates": sum(len(rows) - 1 for rows in repeated)}
    odd["self_retrieved"] = frame["topic_id"].filter(frame["topic_id"] == frame["doc_id"]).n_unique()
    ranks = rank_column(frame, source) if policies.ties == "rank" else None
    docs, scores = frame["doc_id"], frame["score"].to_numpy()
    if len(drop):
        keep = np.delete(np.arange(frame.height), drop)
        topics = Topics(topics.names, topics.of_row[keep], topics.together)
        docs, scores, keys = docs.gather(keep), scores[keep], keys[keep]
        ranks = None if ranks is None else ranks.gather(keep)
    found = order(topics, scores, docs, ranks, policies.ties)
    odd["unsorted_topics"] = found.unsorted_topics
    run = Run(own_name, source, topics.names, topics.of_row, docs, keys, scores, found.ranks, found.tied, odd)
    return run if policies.depth is None else cut(run, policies.depth)


def rank_column(frame: pl.DataFrame, source: str) -> pl.Series:
    ranks = frame["rank"].cast(pl.Float64, strict=False)
    if ranks.null_count() or not ranks.is_finite().all():
        raise InputError("its rank column is not all numbers", source=source, remedy="choose another --ties")
    return ranks


def cut(run: Run, depth: int) -> Run:
    """The first `depth` documents of each topic."""
    kept = np.flatnonzero(run.ranks <= depth)
    return Run(
        run.name,
        run.source,
        run.topics,
        run.topic[kept],
        run.doc_ids.gather(kept),
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
    frame = run.to_polars()
    lines = frame.select("topic_id", pl.lit("Q0"), "doc_id", "rank", "score", pl.lit(tag or run.name).alias("tag"))
    write_columns(lines, path)
