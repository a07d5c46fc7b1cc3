"""Texts as places in bytes. A run holds ids by the million: they are told apart by number, few are ever spelt out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Words = NDArray[np.uint64]
    Places = NDArray[np.int64]
    Lengths = NDArray[np.integer[Any]]

WORD = np.dtype("<u8")
"""Eight bytes as a number: the first byte is the lowest, on every machine."""
WINDOW, TWO_WORDS = 16, np.dtype("V16")
"""How many bytes are looked at together: two words."""
HASHED = 1024
"""Of a longer text no more is hashed. Others with the same beginning get the same number, and are compared as texts."""
LONG = 128
"""Longer texts are compared one by one."""

KEPT = np.array(
    [np.frombuffer((b"\xff" * count).ljust(WINDOW, b"\0"), WORD) for count in range(WINDOW + 1)], np.uint64
).T.copy()
"""For each word of a window: what to keep of it if only the first `count` bytes of the window count."""


def words_at(buffer: Bytes, places: Places) -> Words:
    """The eight bytes from each place on, as a number. The buffer must go on so far."""
    view = np.ndarray(len(buffer) - 7, WORD, buffer=buffer, strides=(1,))
    found: Words = view[places]
    return found


def windows_at(buffer: Bytes, places: Places) -> tuple[Words, Words]:
    """The 16 bytes from each place on, as two numbers. The buffer must go on so far."""
    view = np.ndarray(len(buffer) - WINDOW + 1, TWO_WORDS, buffer=buffer, strides=(1,))
    found: Words = view[places].view(WORD)
    return found[::2], found[1::2]


def beginnings(buffer: Bytes, places: Places, lengths: Lengths) -> tuple[Words, Words]:
    """The same, zero behind the end of each text."""
    first, second = windows_at(buffer, places)
    counts = np.minimum(lengths, WINDOW)
    if (counts == counts[0]).all():  # as in most runs: saves to look each of them up
        return first & KEPT[0, counts[0]], second & KEPT[1, counts[0]]
    return first & KEPT[0].take(counts), second & KEPT[1].take(counts)


ODD, OTHER_ODD = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
"""Two odd numbers whose bits look drawn at random: the golden ratio, and a prime of the hash xxh64."""
HALF = np.uint64(32)


def hashes(buffer: Bytes, places: Places, lengths: Lengths) -> Words:
    """A number for each text: equal for equal ones, and almost never for others. The buffer must go on for 16 more.

    It is spread well in its upper bits, on which every byte bears.
    """
    found = mixed(*beginnings(buffer, places, lengths))
    for begin in range(WINDOW, min(int(lengths.max()), HASHED), WINDOW):
        rows = np.flatnonzero(lengths > begin)
        before = found[rows]
        before ^= before >> HALF
        found[rows] = before * ODD ^ mixed(*beginnings(buffer, places[rows] + begin, lengths[rows] - begin))
    return found


def mixed(first: Words, second: Words) -> Words:
    """One number for a window. Multiplied, a bit bears on all bits above it; the first is folded to reach them all."""
    found = first * ODD
    found ^= found >> HALF
    found += second
    found *= OTHER_ODD
    return found


class Texts:
    """Many texts, each a stretch of the same bytes, which are UTF-8."""

    def __init__(self, data: bytes, begin: Places, length: Lengths, *, hashed: Words | None = None) -> None:
        self.data = data
        self.begin = begin
        self.length = length
        self._hashes = hashed
        self._series: pl.Series | None = None

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """The texts of a list."""
        joined = "".join(texts)
        sizes = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
        length = np.fromiter(sizes, np.int64, len(texts))
        return cls(joined.encode(), np.cumsum(length) - length, length)

    @classmethod
    def of_series(cls, series: pl.Series) -> Texts:
        """The texts of a series of polars."""
        texts = cls.of(series.to_list())
        texts._series = series
        return texts

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, row: int) -> str:
        begin = int(self.begin[row])
        return self.data[begin : begin + int(self.length[row])].decode()

    def gather(self, rows: NDArray[np.int64]) -> Texts:
        """Those of some rows; nothing is copied but their places."""
        return Texts(self.data, self.begin[rows], self.length[rows])

    @property
    def hashes(self) -> Words:
        """See `hashes`."""
        if self._hashes is None:
            self._hashes = hashes(self.padded(), self.begin, self.length)
        return self._hashes

    def padded(self) -> Bytes:
        """The bytes, with so many behind each text that a window can be read there."""
        reach = int((self.begin + self.length).max()) + WINDOW
        return np.frombuffer(self.data if reach <= len(self.data) else self.data + bytes(WINDOW), np.uint8)

    def equal(self, others: Texts) -> NDArray[np.bool_]:
        """Which texts are the same as those of the same rows of `others`."""
        same: NDArray[np.bool_] = self.length == others.length
        longest = int(self.length.max(initial=0))
        if longest > LONG:
            pairs = zip(self.to_bytes(), others.to_bytes(), strict=True)
            return np.fromiter((mine == theirs for mine, theirs in pairs), np.bool_, len(self))
        for seen in range(0, longest, WINDOW):
            rows = np.flatnonzero(same & (self.length > seen))
            if not len(rows):
                break
            sides = (each.gather(rows) for each in (self, others))
            mine, theirs = (beginnings(each.padded(), each.begin + seen, each.length - seen) for each in sides)
            same[rows] = (mine[0] == theirs[0]) & (mine[1] == theirs[1])
        return same

    def order(self) -> list[Words]:
        """Keys that sort the texts as their bytes would, for `np.lexsort`: the last decides first."""
        longest = int(self.length.max())
        if longest > LONG:
            _, place = np.unique(np.array(self.to_bytes(), object), return_inverse=True)
            return [place.astype(np.uint64)]
        buffer = self.padded()
        # Texts that are alike but for zeros at their end are told apart by their length.
        keys = [self.length.astype(np.uint64)]
        for begin in reversed(range(0, longest, WINDOW)):
            left = np.maximum(self.length, begin) - begin
            first, second = beginnings(buffer, np.where(left > 0, self.begin + begin, 0), left)
            keys += [second.byteswap(), first.byteswap()]  # the first byte counts most
        return keys

    def to_bytes(self) -> list[bytes]:
        """As a list of bytes."""
        data, begins, ends = self.data, self.begin.tolist(), (self.begin + self.length).tolist()
        return [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def to_list(self) -> list[str]:
        """As a list of texts."""
        return [text.decode() for text in self.to_bytes()]

    def to_series(self) -> pl.Series:
        """As a series of polars."""
        if self._series is None:
            import polars as pl

            self._series = pl.Series("doc_id", self.to_list(), dtype=pl.String)
        return self._series
