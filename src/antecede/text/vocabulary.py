"""Different words, numbered as they come, in compiled tables: no object of Python a word, which would take ten times
the memory and most of the time.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.text import cutting
from antecede.text import kernels as k

if TYPE_CHECKING:
    from numpy.typing import NDArray

SLOTS = 1 << 12
"""The size of the hash table to begin with, a power of two; it is never more than half full."""


class KeyTable:
    """An open hash table of words, each known by two numbers (see `cutting.py`): which number it has."""

    def __init__(self, slots: int) -> None:
        self.keys, self.numbers = empty_table(slots)
        self.state = np.zeros(2, np.uint64)

    def __len__(self) -> int:
        return int(self.state[k.KNOWN])

    @property
    def shift(self) -> np.uint64:
        """By how much a hash is too long."""
        return np.uint64(64 - (len(self.numbers) - 1).bit_length())

    @property
    def nbytes(self) -> int:
        return self.keys.nbytes + self.numbers.nbytes

    def make_room(self, more: int) -> None:
        """Make the table large enough for so many more words; they keep their numbers."""
        slots = 2 * (len(self) + more)
        if slots > len(self.numbers):
            keys, numbers = self.keys, self.numbers
            self.keys, self.numbers = empty_table(max(2 * len(numbers), 1 << (slots - 1).bit_length()))
            k.move(keys, numbers, self.keys, self.numbers, self.shift)

    def look_up(
        self, found: NDArray[np.uint64], words: int, ids: NDArray[np.uint32], fresh: NDArray[np.uint32]
    ) -> None:
        """Put into `ids` the number of each word, and into `fresh` which of them are new; there must be room."""
        k.look_up(found, np.uint64(words), self.keys, self.numbers, self.shift, ids, fresh, self.state)


class Vocabulary:
    """Different terms, numbered as they come, and their bytes one behind the other. It takes about 60 bytes a term."""

    def __init__(self) -> None:
        self._table = KeyTable(SLOTS)
        self._arena, self._ptr = np.zeros(0, np.uint8), np.zeros(1, np.int64)

    def __len__(self) -> int:
        return len(self._table)

    @property
    def nbytes(self) -> int:
        return self._table.nbytes + self._arena.nbytes + self._ptr.nbytes

    def number(self, data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The numbers of the terms at data[starts] … data[ends], −1 for one without a byte; new ones get the next."""
        known, number = len(self), len(starts)
        found = np.empty(cutting.FIELDS * number, np.uint64)
        cutting.term_keys(data, starts, ends, found)
        ids, fresh = np.empty(number, np.uint32), np.empty(number, np.uint32)
        self._table.make_room(number)
        self._table.look_up(found, number, ids, fresh)
        fresh = fresh[: len(self) - known]
        self._ptr = grown(self._ptr, len(self) + 1)
        self._ptr[known + 1 : len(self) + 1] = self._ptr[known] + np.cumsum(ends[fresh] - starts[fresh])
        self._arena = grown(self._arena, int(self._ptr[len(self)]))
        k.copy_words(data, found, fresh, np.uint64(len(fresh)), False, self._arena, np.uint64(self._ptr[known]))
        return ids.view(np.int32)  # −1 where there is no byte: what `look_up` gives for the end of a document

    def terms(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The bytes of the terms in the order of their numbers, and where each begins; not to be written to."""
        ptr = self._ptr[: len(self) + 1]
        return self._arena[: ptr[-1]], ptr

    def texts(self) -> list[str]:
        """The terms in the order of their numbers."""
        arena, ptr = self.terms()
        whole = arena.tobytes()
        return [whole[start:end].decode() for start, end in pairwise(ptr.tolist())]


Kind = TypeVar("Kind", bound=np.generic)


def grown(array: NDArray[Kind], size: int) -> NDArray[Kind]:
    """The array, or a longer one with room for `size`, which begins with it and goes on with zeros."""
    if size <= len(array):
        return array
    longer = np.zeros(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer


def empty_table(slots: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
    return np.zeros(2 * slots, np.uint64), np.zeros(slots, np.uint32)
