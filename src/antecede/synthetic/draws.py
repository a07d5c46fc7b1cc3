"""Chance that is the same on every machine: integers from a counter-based generator, one stream a patent.

Only the raw bits of Philox are used, whose stream numpy keeps for good; numpy's distributions may change between
versions, and floating-point functions between machines, so neither is used. See Salmon et al., SC 2011.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

BLOCK = 192
"""64-bit numbers drawn at a time: about what half a document needs."""
HIGH = np.uint64(32)


class Draws:
    """Streams of chance by number: stream i of a seed does not depend on what was drawn from other streams."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
        self._state = self._generator.state

    def stream(self, number: int) -> Callable[[], int]:
        """A function that gives the next 32-bit integer of a stream; it ends the stream that was open before."""
        self._state["state"]["key"][1] = number
        self._generator.state = self._state
        return chain.from_iterable(self._blocks()).__next__

    def _blocks(self) -> Iterator[list[int]]:
        while True:
            yield self._generator.random_raw(BLOCK).astype("<u8").view("<u4").tolist()


def integers(seed: int, stream: int, shape: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """32-bit integers in an array, as 64-bit numbers so that they can be multiplied."""
    generator = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
    raw: npt.NDArray[np.uint64] = generator.random_raw(int(np.prod(shape))).reshape(shape)
    return raw >> HIGH


def below(values: npt.NDArray[np.uint64], limit: int | npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Turn 32-bit integers into whole numbers from 0 up to, not including, the limit."""
    return ((values * np.uint64(limit) if isinstance(limit, int) else values * limit) >> HIGH).astype(np.int64)


def mixed(*numbers: int) -> int:
    """One 32-bit integer out of several, the same everywhere: a choice that belongs to a pair of things."""
    value = 0x9E3779B9
    for number in numbers:
        value = ((value ^ number) * 0x85EBCA6B + 0x165667B1) & 0xFFFFFFFF
        value ^= value >> 15
    return ((value * 0xC2B2AE35) & 0xFFFFFFFF) >> 7
