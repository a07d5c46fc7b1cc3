"""The rows of any input, in the form that all further steps use: topics, documents, numbers and pair keys.

A run has millions of ids. They stay in a column of polars and are compared by hash; few become texts of Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import DuplicateDocumentError, advise, spell

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.reader import Duplicates


@dataclass(frozen=True)
class RowTopics:
    """The topic of each row."""

    names: tuple[str, ...]
    """In the order in which the file first mentions them."""
    of_row: NDArray[np.int32]
    """The topic of each row, as an index into `names`."""

    @classmethod
    def from_column(cls, topic_ids: pl.Series) -> RowTopics:
        stretches = topic_ids.rle().struct.unnest()
        index: dict[str, int] = {}
        codes = [index.setdefault(name, len(index)) for name in stretches["value"]]
        return cls(tuple(index), np.repeat(np.array(codes, np.int32), stretches["len"].to_numpy()))

    @cached_property
    def grouped(self) -> bool:
        """Whether the rows of each topic are consecutive, and the topics in the order of their names."""
        return bool((self.of_row[1:] >= self.of_row[:-1]).all())

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The first row of each topic, where they are grouped."""
        return np.searchsorted(self.of_row, np.arange(len(self.names), dtype=np.int32))

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The number of rows of each topic, where they are grouped."""
        return np.diff(self.starts, append=len(self.of_row))

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each topic; a document of the same text has the same hash."""
        import polars as pl

        return pl.Series(self.names, dtype=pl.String).hash().to_numpy()


class Rows(NamedTuple):
    """The rows of a run or of qrels, in the order of the file, and counts of irregularities."""

    topics: RowTopics
    docs: pl.Series
    numbers: NDArray[np.number[Any]]
    """The scores or the relevance."""
    line_of: Callable[[int], int | None]
    """Maps a row to its line in the file."""
    odd: dict[str, int]
    """Counts of `malformed` lines left out, of `bad_scores` among them, `comments`, `wide` lines, and `other_tags`."""
    ranks: NDArray[np.float64] | None = None
    """The rank column, if there is one; NaN where it is not a number."""
    tag: str | None = None
    """The name that a TREC file itself gives to a run, on its first line."""

    @classmethod
    def from_frame(
        cls, frame: pl.DataFrame, value: str, line_of: Callable[[int], int | None], odd: dict[str, int]
    ) -> Rows:
        """The rows of a checked frame with topic_id, doc_id and `value`, and where the file has them rank and tag."""
        import polars as pl

        columns = {name: frame[name] for name in frame.columns}
        ranks, tags = columns.get("rank"), columns.get("tag")
        # A file has one tag; two or more are what files joined into one have. Comparing is faster than counting.
        if tags is not None and not (tags == tags[0]).all():
            odd = odd | {"other_tags": tags.n_unique() - 1}
        return cls(
            RowTopics.from_column(columns["topic_id"]),
            columns["doc_id"].rechunk(),  # rows are gathered from it
            columns[value].to_numpy(),
            line_of,
            odd,
            None if ranks is None else ranks.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy(),
            None if tags is None else tags[0],
        )

    def group(self) -> Rows:
        """The same rows topic by topic, where the file interleaves topics; those of a topic stay in their order."""
        if self.topics.grouped:
            return self
        order = np.argsort(self.topics.of_row, kind="stable")
        return self._replace(
            topics=RowTopics(self.topics.names, self.topics.of_row[order]),
            docs=self.docs.gather(order),
            numbers=self.numbers[order],
            line_of=lambda row: self.line_of(int(order[row])),
            ranks=None if self.ranks is None else self.ranks[order],
        )


TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""An odd number, so that a topic and a document of the same text do not cancel out."""


def hash_pairs(topics: RowTopics, docs: pl.Series) -> NDArray[np.uint64]:
    """The 64-bit key of each (topic, document): equal pairs have equal keys, other pairs almost never.

    Keys make it cheap to look at every row of every run. Pairs with equal keys have to be compared as texts. The keys
    are those of this version of polars: they are never stored.
    """
    hashes = topics.hashes * TOPIC_FACTOR
    # The first is much faster.
    keys: NDArray[np.uint64] = np.repeat(hashes, topics.lengths) if topics.grouped else hashes[topics.of_row]
    keys ^= docs.hash().to_numpy()
    return keys


def count_self_retrieved(topics: RowTopics, docs: pl.Series, keys: NDArray[np.uint64]) -> int:
    """How many topics are retrieved as their own document."""
    own = topics.hashes * TOPIC_FACTOR ^ topics.hashes
    rows = np.flatnonzero(keys == np.repeat(own, topics.lengths))
    pairs = zip(topics.of_row[rows].tolist(), docs.gather(rows), strict=True)
    return len({topic for topic, doc_id in pairs if topics.names[topic] == doc_id})


def find_duplicates(keys: NDArray[np.uint64], topic: NDArray[np.int32], docs: pl.Series) -> list[NDArray[np.int64]]:
    """For each (topic, document) that appears more than once: its rows, in the order of the file.

    Sorting keys finds candidates in a few milliseconds per million rows; only those are compared as texts.
    """
    ordered = np.sort(keys)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if not len(twice):
        return []
    import polars as pl

    rows = np.flatnonzero(np.isin(keys, twice))
    frame = pl.DataFrame({"row": rows, "topic": topic[rows], "doc": docs.gather(rows)})
    groups = frame.group_by("topic", "doc", maintain_order=True).agg("row").filter(pl.col("row").list.len() > 1)
    return [group.to_numpy() for group in groups["row"]]


def choose_dropped_rows(
    rows: Rows, duplicates: list[NDArray[np.int64]], policy: Duplicates, source: str
) -> NDArray[np.int64]:
    """The rows that the policy drops; with `error`, the first document that repeats is reported instead."""
    if not duplicates or policy == "keep":
        return np.empty(0, np.int64)
    if policy == "error":
        first, second = min((copies[:2].tolist() for copies in duplicates), key=itemgetter(1))
        more = len(duplicates) - 1
        others = f", and so do {more} more documents" if more else ""
        raise DuplicateDocumentError(
            f"appears twice (first on line {rows.line_of(first)}){others}",
            source=source,
            line=rows.line_of(second),
            topic_id=rows.topics.names[rows.topics.of_row[second]],
            doc_id=rows.docs[second],
            remedy=f"""remove one, or pass {spell("duplicates", "first")} or {advise('"last"', "last")}""",
        )
    dropped = slice(1, None) if policy == "first" else slice(None, -1)
    return np.concatenate([copies[dropped] for copies in duplicates])
