"""The rows of any input, in the form that all further steps use: topics, documents as bytes, numbers and pair keys.

A run has millions of ids. Each is a range of bytes; they are compared by hash, and few are ever decoded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import DuplicateDocumentError, advise, spell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from antecede.trec.reader import Duplicates

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]
    Places = NDArray[np.int64]
    Lengths = NDArray[np.integer[Any]]

WORD = np.dtype("<u8")
"""Eight bytes as a number: the first byte is the lowest, on every machine."""
WINDOW = 16
"""Bytes that are compared and hashed together: two words."""
HASHED = 1024
"""Bytes of a text that are hashed. Longer texts with the same beginning have equal hashes and are compared."""
LONG = 128
"""Longer texts are compared one by one."""

MASKS = np.array(
    [np.frombuffer((b"\xff" * count).ljust(WINDOW, b"\0"), WORD) for count in range(WINDOW + 1)], np.uint64
).T.copy()
"""For each word of a window: a mask that keeps the first `count` bytes of the window."""


def load_words(buffer: Bytes, places: Places, count: int = 2) -> Words:
    """The bytes from each place on, as `count` words, each in a row of its own. The buffer must extend that far."""
    kind = np.dtype((np.void, 8 * count))  # together, as loading takes the same time for one word and for three
    view = np.ndarray(len(buffer) - kind.itemsize + 1, kind, buffer=buffer, strides=(1,))
    return view[places].view(WORD).reshape(-1, count).T


def load_masked_windows(buffer: Bytes, places: Places, lengths: Lengths) -> tuple[Words, Words]:
    """The first 16 bytes of each text, as two numbers; bytes after the end of a text are zero."""
    first, second = load_words(buffer, places)
    counts = np.minimum(lengths, WINDOW)
    if (counts == counts[0]).all():  # as in most runs: no need to look each of them up
        return first & MASKS[0, counts[0]], second & MASKS[1, counts[0]]
    return first & MASKS[0].take(counts), second & MASKS[1].take(counts)


FACTOR, OTHER_FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Two odd numbers whose bits look drawn at random: the golden ratio, and a prime of the hash xxh64."""
HALF = np.uint64(32)


def hash_texts(buffer: Bytes, places: Places, lengths: Lengths) -> Words:
    """A 64-bit hash of each text. The buffer must extend 16 bytes beyond the last text.

    Every byte affects the upper bits, so the hashes are well distributed there.
    """
    found = mix_window(*load_masked_windows(buffer, places, lengths))
    for begin in range(WINDOW, min(int(lengths.max()), HASHED), WINDOW):
        rows = np.flatnonzero(lengths > begin)
        before = found[rows]
        before ^= before >> HALF
        found[rows] = before * FACTOR ^ mix_window(
            *load_masked_windows(buffer, places[rows] + begin, lengths[rows] - begin)
        )
    return found


def mix_window(first: Words, second: Words) -> Words:
    """The hash of a window. Multiplying spreads each bit to all bits above it; folding brings it to those below."""
    found = first * FACTOR
    found ^= found >> HALF
    found += second
    found *= OTHER_FACTOR
    return found


class ByteTexts:
    """Many texts, each a range of the same bytes, which are UTF-8. None contains a zero byte."""

    def __init__(self, data: bytes, begin: Places, length: Lengths, *, hashes: Words | None = None) -> None:
        """`data` should extend 16 bytes beyond the last text, else it is copied when the texts are compared."""
        self.data = data
        self.begin = begin
        self.length = length
        self._hashes = hashes
        self._series: pl.Series | None = None
        self._is_padded = False

    @classmethod
    def from_list(cls, texts: Sequence[str]) -> ByteTexts:
        joined = "".join(texts)
        sizes = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
        length = np.fromiter(sizes, np.int64, len(texts))
        return cls(joined.encode(), np.cumsum(length) - length, length)

    @classmethod
    def from_series(cls, series: pl.Series) -> ByteTexts:
        texts = cls.from_list(series.to_list())
        texts._series = series
        return texts

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, row: int) -> str:
        begin = int(self.begin[row])
        return self.data[begin : begin + int(self.length[row])].decode()

    def gather(self, rows: NDArray[np.int64]) -> ByteTexts:
        """The texts of a selection of rows; only their places and hashes are copied."""
        hashes = None if self._hashes is None else self._hashes[rows]
        texts = ByteTexts(self.data, self.begin[rows], self.length[rows], hashes=hashes)
        texts._is_padded = self._is_padded
        return texts

    @property
    def hashes(self) -> Words:
        if self._hashes is None:
            self._hashes = hash_texts(self.padded(), self.begin, self.length)
        return self._hashes

    def padded(self) -> Bytes:
        """The bytes, extended so that a window can be loaded at the end of every text."""
        if not self._is_padded and int((self.begin + self.length).max(initial=0)) + WINDOW > len(self.data):
            self.data += bytes(WINDOW)
        self._is_padded = True
        return np.frombuffer(self.data, np.uint8)

    def equal(self, rows: Places, others: ByteTexts, other_rows: Places) -> NDArray[np.bool_]:
        """Which texts of a selection of rows equal those in the same places of a selection of `others`."""
        length = self.length[rows]
        same: NDArray[np.bool_] = length == others.length[other_rows]
        longest = int(length.max(initial=0))
        if longest > LONG:
            pairs = zip(self.gather(rows).to_bytes(), others.gather(other_rows).to_bytes(), strict=True)
            return np.fromiter((mine == theirs for mine, theirs in pairs), np.bool_, len(rows))
        mine, theirs = self.padded(), others.padded()
        begin, other_begin = self.begin[rows], others.begin[other_rows]
        for offset in range(0, longest, WINDOW):
            left = np.flatnonzero(same & (length > offset))
            counts = np.minimum(length[left] - offset, WINDOW)
            first, second = load_words(mine, begin[left] + offset)
            other_first, other_second = load_words(theirs, other_begin[left] + offset)
            differs = (first ^ other_first) & MASKS[0].take(counts)
            differs |= (second ^ other_second) & MASKS[1].take(counts)
            same[left] = differs == 0
        return same

    def sort_keys(self) -> list[Words]:
        """Keys for `np.lexsort`, primary key last, that sort the texts by their bytes."""
        longest = int(self.length.max())
        if longest > LONG:
            _, place = np.unique(np.array(self.to_bytes(), object), return_inverse=True)
            return [place.astype(np.uint64)]
        buffer = self.padded()
        keys: list[Words] = []
        for begin in reversed(range(0, max(longest, 1), WINDOW)):
            left = np.maximum(self.length, begin) - begin
            first, second = load_masked_windows(buffer, np.where(left > 0, self.begin + begin, 0), left)
            keys += [second.byteswap(), first.byteswap()]  # the first byte is the most significant
        return keys

    def to_bytes(self) -> list[bytes]:
        data, begins, ends = self.data, self.begin.tolist(), (self.begin + self.length).tolist()
        return [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def to_list(self) -> list[str]:
        return [text.decode() for text in self.to_bytes()]

    def to_series(self) -> pl.Series:
        if self._series is None:
            import polars as pl

            self._series = pl.Series("doc_id", self.to_list(), dtype=pl.String)
        return self._series


def are_sorted(keys: Sequence[NDArray[np.integer[Any]]]) -> bool:
    """Whether rows are in the order that `np.lexsort` gives them: ten times as fast to see as to sort."""
    alike: NDArray[np.bool_] = np.ones(max(len(keys[-1]) - 1, 0), np.bool_)
    for key in reversed(keys):
        if (alike & (key[1:] < key[:-1])).any():
            return False
        alike &= key[1:] == key[:-1]
    return True


@dataclass(frozen=True)
class RowTopics:
    """The topic of each row."""

    names: tuple[str, ...]
    """In the order in which the file first mentions them."""
    of_row: NDArray[np.int32]
    """The topic of each row, as an index into `names`."""

    @classmethod
    def from_changes(cls, names: Sequence[str], starts: NDArray[np.int64], rows: int) -> RowTopics:
        """Build from the rows where the topic changes, and the topic from there on."""
        index: dict[str, int] = {}
        codes = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32, len(names))
        return cls(tuple(index), np.repeat(codes, np.diff(starts, append=rows)))

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
    def hashes(self) -> Words:
        """The hash of each topic; a document of the same text has the same hash."""
        return ByteTexts.from_list(self.names).hashes


class Rows(NamedTuple):
    """The rows of a run or of qrels, in the order of the file, and counts of irregularities."""

    topics: RowTopics
    docs: ByteTexts
    numbers: NDArray[np.number[Any]]
    """The scores or the relevance."""
    line_of: Callable[[int], int | None]
    """Maps a row to its line in the file."""
    odd: dict[str, int]
    """Counts of `malformed` lines left out, of `bad_scores` among them, `comments`, `wide` lines, and `other_tags`."""
    ranks: NDArray[np.number[Any]] | None = None
    """The rank column, if there is one; NaN where it is not a number."""
    tag: str | None = None
    """The name that a TREC file itself gives to a run, on its first line."""

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


def count_tags(tags: set[bytes]) -> dict[str, int]:
    """The count of the tags of a run that has more than one, as files joined into one have."""
    return {"other_tags": len(tags) - 1} if len(tags) > 1 else {}


TOPIC_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""An odd number, so that a topic and a document of the same text do not cancel out."""


def hash_pairs(topics: RowTopics, docs: ByteTexts) -> NDArray[np.uint64]:
    """The 64-bit key of each (topic, document): equal pairs have equal keys, other pairs almost never.

    Keys make it cheap to look at every row of every run. Pairs with equal keys have to be compared as texts.
    """
    hashes = topics.hashes * TOPIC_FACTOR
    keys = np.repeat(hashes, topics.lengths) if topics.grouped else hashes[topics.of_row]  # the first is much faster
    keys ^= docs.hashes
    return keys


def find_duplicates(keys: NDArray[np.uint64], topic: NDArray[np.int32], docs: ByteTexts) -> list[NDArray[np.int64]]:
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
