"""Qrels: which documents were judged for which topic, and how relevant they are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from antecede.trec.columns import QRELS
from antecede.trec.duplicates import repeated_rows, rows_to_drop
from antecede.trec.keys import pair_keys
from antecede.trec.ordering import topics_of
from antecede.trec.policies import Policies
from antecede.trec.sources import load
from antecede.trec.writing import write_columns

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Qrels:
    """Judged pairs, sorted by topic and document. A negative relevance means: in the pool, but not judged."""

    source: str
    topics: tuple[str, ...]
    """In the order of their numbers where all are numbers, else of their letters."""
    offsets: NDArray[np.int64]
    """The pairs of topic t stand at offsets[t] … offsets[t+1]."""
    doc_ids: pl.Series
    relevance: NDArray[np.int32]
    odd: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.relevance)

    @property
    def topic(self) -> NDArray[np.int32]:
        """The topic of each pair, as an index into `topics`."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.offsets))

    def to_polars(self) -> pl.DataFrame:
        """topic_id, doc_id and relevance."""
        names = pl.Series("topic_id", self.topics, dtype=pl.String).gather(self.topic)
        return pl.DataFrame({"topic_id": names, "doc_id": self.doc_ids, "relevance": self.relevance})


def read_qrels(given: object, policies: Policies | None = None) -> Qrels:
    """Read qrels from a path (TREC, CSV, TSV or Parquet, plain or packed), `-`, a frame or a dict of dicts.

    `duplicates="keep"` is for runs: a pair judged twice is refused here all the same.
    """
    policies = policies or Policies()
    if isinstance(given, Qrels):
        return given
    source, _, columns = load(given, QRELS, policies.malformed, ("topic_id", "doc_id", "relevance"), None)
    frame = columns.frame
    found = topics_of(frame["topic_id"])
    keys = pair_keys(found.names, found.of_row, frame["doc_id"])
    repeated = repeated_rows(keys, found.of_row, frame["doc_id"])

    def place(row: int) -> tuple[str, str, int | None]:
        return frame["topic_id"][row], frame["doc_id"][row], columns.line_of(row)

    policy = "error" if policies.duplicates == "keep" else policies.duplicates
    drop = rows_to_drop(repeated, policy, source, place)
    names = in_order(found.names)
    place_of = {name: at for at, name in enumerate(names)}
    renumbered = np.array([place_of[name] for name in found.names], np.int32)[found.of_row]
    frame = frame.with_columns(at=pl.Series(renumbered)).with_row_index("row")
    frame = frame.filter(~pl.col("row").is_in(drop)).sort("at", "doc_id")
    counts = np.bincount(frame["at"].to_numpy(), minlength=len(names))
    odd = {**columns.odd, "duplicates": sum(len(rows) - 1 for rows in repeated)}
    return Qrels(
        source,
        tuple(names),
        np.concatenate(([0], np.cumsum(counts))),
        frame["doc_id"].rechunk(),
        frame["relevance"].to_numpy().astype(np.int32),
        odd,
    )


def in_order(topics: tuple[str, ...]) -> list[str]:
    """Topics sorted: 9 before 10 where all are numbers."""
    if all(name.isascii() and name.isdigit() for name in topics):
        # By length, then by letters: the order of whole numbers, however long they are.
        digits = {name: name.lstrip("0") for name in topics}
        return sorted(topics, key=lambda name: (len(digits[name]), digits[name], name))
    return sorted(topics)


def write_qrels(qrels: Qrels, path: str | Path) -> None:
    """Write qrels as TREC text, packed if the name ends in .gz and the like; whole or not at all."""
    lines = qrels.to_polars().select("topic_id", pl.lit("0").alias("iteration"), "doc_id", "relevance")
    write_columns(lines, path)
