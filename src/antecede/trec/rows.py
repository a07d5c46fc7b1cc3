"""The rows of any input, in the form that all further steps use: topics, documents as bytes, numbers and pair keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import DuplicateDocumentError
from antecede.trec.texts import Texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.policies import Duplicates


@dataclass(frozen=True)
class Topics:
    """The topic of each row, as runs of consecutive rows ("stretches"). In most files a topic is one stretch."""

    names: tuple[str, ...]
    """In the order in which the file first mentions them. Rows may have been dropped since, so the codes need not
    rise from stretch to stretch."""
    codes: NDArray[np.int32]
    """The topic of each stretch, as an index into `names`."""
    lengths: NDArray[np.int64]
    """The number of rows of each stretch."""

    @classmethod
    def from_stretches(cls, names: Sequence[str], starts: NDArray[np.int64], rows: int) -> Topics:
        """Build from the topic and the first row of each stretch; adjacent stretches of one topic are joined."""
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32, len(names))
        new = np.concatenate(([True], codes[1:] != codes[:-1]))
        return cls(tuple(index), codes[new], np.diff(starts[new], append=rows))

    @classmethod
    def from_series(cls, topic_ids: pl.Series) -> Topics:
        """Build from the topic of each row."""
        hashes = topic_ids.hash().to_numpy()
        starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
        ends = np.append(starts[1:], len(hashes))
        if (topic_ids.gather(starts) != topic_ids.gather(ends - 1)).any():  # adjacent topics have the same hash
            starts = np.flatnonzero((topic_ids != topic_ids.shift(1)).fill_null(value=True).to_numpy())
        return cls.from_stretches(topic_ids.gather(starts).to_list(), starts, len(hashes))

    @cached_property
    def contiguous(self) -> bool:
        """Whether the rows of each topic are consecutive, whatever the order of the topics."""
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
        """The number of rows of each topic."""
        return np.bincount(self.codes, self.lengths, len(self.names)).astype(np.int64)

    def spread(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """For each row, the value of its topic."""
        return np.repeat(values[self.codes], self.lengths)

    def gather(self, rows: NDArray[np.int64]) -> Topics:
        """The topics of a selection of rows, in its order."""
        of_row = self.of_row[rows]
        starts = np.flatnonzero(np.concatenate(([True], of_row[1:] != of_row[:-1])))
        return Topics(self.names, of_row[starts], np.diff(starts, append=len(rows)))


class Rows(NamedTuple):
    """The rows of a run or of qrels, in the order of the file, and counts of irregularities."""

    topics: Topics
    docs: Texts
    numbers: NDArray[np.number[Any]]
    """The scores or the relevance."""
    line_of: Callable[[int], int | None]
    """Maps a row to its line in the file."""
    odd: dict[str, int]
    """Counts of `malformed` lines left out, of `bad_scores` among them, `comments`, and `wide` lines."""
    ranks: NDArray[np.float64] | None = None
    """The rank column where it was requested or costs nothing to read; NaN where it is not a number."""
    rank_keys: NDArray[np.unsignedinteger] | None = None
    """The rank column of up to eight digits, not yet parsed: words that compare as the ranks do."""

    def locate(self, row: int) -> tuple[str, str, int | None]:
        """The topic, the document and the line of a row."""
        return self.topics.names[self.topics.of_row[row]], self.docs[row], self.line_of(row)


TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""An odd number, so that a topic and a document of the same text do not cancel out."""


def hash_topics(topics: Sequence[str]) -> NDArray[np.uint64]:
    """The hash of each topic; a document of the same text has the same hash."""
    return Texts.from_list(topics).hashes


def hash_pairs(topics: Topics, docs: Texts) -> NDArray[np.uint64]:
    """The 64-bit key of each (topic, document): equal pairs have equal keys, other pairs almost never.

    Keys make it cheap to look at every row of every run. Pairs with equal keys have to be compared as texts.
    """
    keys = topics.spread(hash_topics(topics.names) * TOPIC_FACTOR)
    keys ^= docs.hashes
    return keys


def find_duplicates(keys: NDArray[np.uint64], topic: NDArray[np.int32], docs: Texts) -> list[NDArray[np.int64]]:
    """For each (topic, document) that appears more than once: its rows, in the order of the file.

    Sorting keys finds candidates in a few milliseconds per million rows; only those are compared as texts.
    """
    ordered = np.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return []
    import polars as pl

    rows = np.flatnonzero(np.isin(keys, twice))
    frame = pl.DataFrame({"row": rows, "topic": topic[rows], "doc": docs.gather(rows).to_series()})
    groups = frame.group_by("topic", "doc", maintain_order=True).agg("row").filter(pl.col("row").list.len() > 1)
    return [group.to_numpy() for group in groups["row"]]


def choose_dropped_rows(
    duplicates: list[NDArray[np.int64]],
    policy: Duplicates,
    source: str,
    locate: Callable[[int], tuple[str, str, int | None]],
) -> NDArray[np.int64]:
    """The rows that the policy drops; with `error`, the first document that repeats is reported instead.

    `locate` gives the topic, the document and the line of a row.
    """
    if not duplicates or policy == "keep":
        return np.empty(0, np.int64)
    if policy == "error":
        first = min(duplicates, key=lambda rows: int(rows[1]))
        topic_id, doc_id, line = locate(int(first[1]))
        before = locate(int(first[0]))[2]
        more = len(duplicates) - 1
        others = f", and so do {more} more documents" if more else ""
        raise DuplicateDocumentError(
            f"appears twice (first on line {before}){others}",
            source=source,
            line=line,
            topic_id=topic_id,
            doc_id=doc_id,
            remedy="remove one, or pass --duplicates first or last",
        )
    dropped = slice(1, None) if policy == "first" else slice(None, -1)
    return np.concatenate([rows[dropped] for rows in duplicates])
