"""Texts as ranges of bytes. A run has millions of ids: they are compared by hash, and few are ever decoded."""

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

WORD, HALF_WORD = np.dtype("<u8"), np.dtype("<u4")
"""Eight or four bytes as a number: the first byte is the lowest, on every machine."""
WINDOW, TWO_WORDS = 16, np.dtype("V16")
"""Bytes that are loaded together: two words."""
HASHED = 1024
"""Bytes of a text that are hashed. Longer texts with the same beginning have equal hashes and are compared."""
LONG = 128
"""Longer texts are compared one by one."""

MASKS = np.array(
    [np.frombuffer((b"\xff" * count).ljust(WINDOW, b"\0"), WORD) for count in range(WINDOW + 1)], np.uint64
).T.copy()
"""For each word of a window: a mask that keeps the first `count` bytes of the window."""


def load_words(buffer: Bytes, places: Places, kind: np.dtype[Any] = WORD) -> NDArray[Any]:
    """The eight bytes from each place on, or four, as a number. The buffer must extend that far."""
    view = np.ndarray(len(buffer) - kind.itemsize + 1, kind, buffer=buffer, strides=(1,))
    return view[places]


def load_windows(buffer: Bytes, places: Places) -> tuple[Words, Words]:
    """The 16 bytes from each place on, as two numbers. The buffer must extend that far."""
    view = np.ndarray(len(buffer) - WINDOW + 1, TWO_WORDS, buffer=buffer, strides=(1,))
    found: Words = view[places].view(WORD)
    return found[::2], found[1::2]


def load_masked_windows(buffer: Bytes, places: Places, lengths: Lengths) -> tuple[Words, Words]:
    """The first 16 bytes of each text, as two numbers; bytes after the end of a text are zero."""
    first, second = load_windows(buffer, places)
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


class Texts:
    """Many texts, each a range of the same bytes, which are UTF-8."""

    def __init__(self, data: bytes, begin: Places, length: Lengths, *, hashes: Words | None = None) -> None:
        self.data = data
        self.begin = begin
        self.length = length
        self._hashes = hashes
        self._series: pl.Series | None = None

    @classmethod
    def from_list(cls, texts: Sequence[str]) -> Texts:
        """The texts of a list."""
        joined = "".join(texts)
        sizes = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
        length = np.fromiter(sizes, np.int64, len(texts))
        return cls(joined.encode(), np.cumsum(length) - length, length)

    @classmethod
    def from_series(cls, series: pl.Series) -> Texts:
        """The texts of a polars series."""
        texts = cls.from_list(series.to_list())
        texts._series = series
        return texts

    def __len__(self) -> int:
        return len(self.begin)

    def __getitem__(self, row: int) -> str:
        begin = int(self.begin[row])
        return self.data[begin : begin + int(self.length[row])].decode()

    def gather(self, rows: NDArray[np.int64]) -> Texts:
        """The texts of a selection of rows; only their places are copied."""
        return Texts(self.data, self.begin[rows], self.length[rows])

    @property
    def hashes(self) -> Words:
        """The hash of each text."""
        if self._hashes is None:
            self._hashes = hash_texts(self.padded(), self.begin, self.length)
        return self._hashes

    def padded(self) -> Bytes:
        """The bytes, extended so that a window can be loaded at the end of every text."""
        reach = int((self.begin + self.length).max()) + WINDOW
        return np.frombuffer(self.data if reach <= len(self.data) else self.data + bytes(WINDOW), np.uint8)

    def equal(self, others: Texts) -> NDArray[np.bool_]:
        """Which texts equal the text in the same row of `others`."""
        same: NDArray[np.bool_] = self.length == others.length
        longest = int(self.length.max(initial=0))
        if longest > LONG:
            pairs = zip(self.to_bytes(), others.to_bytes(), strict=True)
            return np.fromiter((mine == theirs for mine, theirs in pairs), np.bool_, len(self))
        for offset in range(0, longest, WINDOW):
            rows = np.flatnonzero(same & (self.length > offset))
            if not len(rows):
                break
            sides = (each.gather(rows) for each in (self, others))
            mine, theirs = (
                load_masked_windows(each.padded(), each.begin + offset, each.length - offset) for each in sides
            )
            same[rows] = (mine[0] == theirs[0]) & (mine[1] == theirs[1])
        return same

    def sort_keys(self) -> list[Words]:
        """Keys for `np.lexsort`, primary key last, that sort the texts by their bytes."""
        longest = int(self.length.max())
        if longest > LONG:
            _, place = np.unique(np.array(self.to_bytes(), object), return_inverse=True)
            return [place.astype(np.uint64)]
        buffer = self.padded()
        # Texts that differ only in zeros at their end are distinguished by their length.
        keys = [self.length.astype(np.uint64)]
        for begin in reversed(range(0, longest, WINDOW)):
            left = np.maximum(self.length, begin) - begin
            first, second = load_masked_windows(buffer, np.where(left > 0, self.begin + begin, 0), left)
            keys += [second.byteswap(), first.byteswap()]  # the first byte is the most significant
        return keys

    def to_bytes(self) -> list[bytes]:
        """As a list of bytes."""
        data, begins, ends = self.data, self.begin.tolist(), (self.begin + self.length).tolist()
        return [data[begin:end] for begin, end in zip(begins, ends, strict=True)]

    def to_list(self) -> list[str]:
        """As a list of strings."""
        return [text.decode() for text in self.to_bytes()]

    def to_series(self) -> pl.Series:
        """As a polars series."""
        if self._series is None:
            import polars as pl

            self._series = pl.Series("doc_id", self.to_list(), dtype=pl.String)
        return self._series
