"""Qrels: the documents that were judged for each topic, and their relevance."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError
from antecede.files import cannot_write
from antecede.results import concise_repr, make_pandas
from antecede.trec.reader import QRELS, Policies, load
from antecede.trec.rows import are_sorted, choose_dropped_rows, find_duplicates, hash_pairs

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.rows import ByteTexts


@dataclass(frozen=True)
class Qrels:
    """Judged pairs, sorted by topic and document. A negative relevance means in the pool, but not judged."""

    __repr__ = concise_repr

    source: str
    topics: tuple[str, ...]
    """In numerical order where all are numbers, else in alphabetical order."""
    offsets: NDArray[np.int64]
    """The pairs of topic t are offsets[t] … offsets[t+1] − 1."""
    docs: ByteTexts
    relevance: NDArray[np.int32]
    odd: dict[str, int] = field(default_factory=dict)
    """Counts of irregularities in the file, such as `duplicates` and `malformed`."""

    def __len__(self) -> int:
        return len(self.relevance)

    @property
    def topic(self) -> NDArray[np.int32]:
        """The topic of each pair, as an index into `topics`."""
        return np.repeat(np.arange(len(self.topics), dtype=np.int32), np.diff(self.offsets))

    @cached_property
    def doc_ids(self) -> pl.Series:
        """The document of each pair."""
        return self.docs.to_series()

    def relevant_documents(self) -> dict[str, list[str]]:
        """The relevant documents of each topic that has any."""
        relevant: dict[str, list[str]] = {}
        for topic_id, doc_id, relevance in self.to_polars().iter_rows():
            if relevance > 0:
                relevant.setdefault(topic_id, []).append(doc_id)
        return relevant

    def to_polars(self) -> pl.DataFrame:
        """topic_id, doc_id and relevance."""
        import polars as pl

        names = pl.Series("topic_id", self.topics, dtype=pl.String).gather(self.topic)
        return pl.DataFrame({"topic_id": names, "doc_id": self.doc_ids, "relevance": self.relevance})

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas frame, which must be installed."""
        return make_pandas(self.to_polars().to_dict(as_series=False))


def read_qrels(given: object, policies: Policies | None = None) -> Qrels:
    """Read relevance judgements.

    Args:
        given: A path (TREC, CSV, TSV or Parquet, plain or compressed; a folder in the form of BEIR), `-`, a frame, a
            dict {topic: {document: relevance}}, `Qrels` of ranx, or a list of `Qrel` of ir_measures.
        policies: How irregular input is treated; strict by default. `duplicates="keep"` applies to runs only: a pair
            that is judged twice is refused nevertheless.
    """
    policies = policies or Policies()
    if isinstance(given, Qrels):
        return given
    if isinstance(given, str | Path) and Path(given).is_dir():
        given = _find_in_folder(Path(given))
    source, _, rows = load(given, QRELS, policies.malformed, None)
    found, docs = rows.topics, rows.docs
    duplicates = find_duplicates(hash_pairs(found, docs), found.of_row, docs)
    policy = "error" if policies.duplicates == "keep" else policies.duplicates
    drop = choose_dropped_rows(rows, duplicates, policy, source)
    names = sort_topics(found.names)
    index = {name: at for at, name in enumerate(names)}
    topic = np.array([index[name] for name in found.names], np.int64)[found.of_row]
    numbers = rows.numbers
    if len(drop):
        kept = np.delete(np.arange(len(docs)), drop)
        docs, topic, numbers = docs.gather(kept), topic[kept], numbers[kept]
    keys = (*docs.sort_keys(), topic)
    if not are_sorted(keys):
        by_topic = np.lexsort(keys)
        docs, topic, numbers = docs.gather(by_topic), topic[by_topic], numbers[by_topic]
    return Qrels(
        source,
        tuple(names),
        np.searchsorted(topic, np.arange(len(names) + 1)),
        docs,
        numbers.astype(np.int32),
        {**rows.odd, "duplicates": sum(len(copies) - 1 for copies in duplicates)},
    )


def _find_in_folder(folder: Path) -> Path:
    """The judgements in a folder in the form of BEIR: those named `test`, else the only ones."""
    files = sorted((folder / "qrels").glob("*.tsv*"))
    test = [path for path in files if path.name.startswith("test.")]
    if len(test or files) != 1:
        names = ", ".join(path.name for path in files) or "there is no qrels/*.tsv in it"
        raise InputError(f"is a folder ({names})", source=str(folder), remedy="name the file of the judgements")
    return (test or files)[0]


def sort_topics(topics: tuple[str, ...]) -> list[str]:
    """Sort topics: numerically where all are numbers, else alphabetically."""
    if all(name.isascii() and name.isdigit() for name in topics):
        # By length, then by digits: the order of whole numbers, however long they are.
        digits = {name: name.lstrip("0") for name in topics}
        return sorted(topics, key=lambda name: (len(digits[name]), digits[name], name))
    return sorted(topics)


def write_qrels(qrels: Qrels, path: str | Path) -> None:
    """Write qrels as TREC text, completely or not at all.

    Args:
        qrels: The judgements.
        path: The file; it is compressed if its name ends in `.gz` or a similar suffix.
    """
    import polars as pl

    from antecede.trec.output import write_columns

    lines = qrels.to_polars().select("topic_id", pl.lit("0").alias("iteration"), "doc_id", "relevance")
    write_columns(lines, path)


def store_named_qrels(given: str) -> Path:
    """Write the judgements of a collection to the user's cache folder, for work that needs a file, and return it."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "antecede" / "ir_datasets"
    path = cache / given.partition(":")[2] / "qrels.txt"
    judged = read_qrels(given)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path.parent, error, "cannot be made") from None
    write_qrels(judged, path)
    return path
