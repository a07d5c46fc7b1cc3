"""Random integers that are the same on every machine, from a counter-based generator with one stream per patent.

Only the raw bits of Philox are used (Salmon et al., SC 2011), whose stream numpy guarantees. The distributions of numpy
may change between versions and floating-point functions may differ between machines, so neither is used.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

Draw: TypeAlias = Callable[[], int]
"""Returns the next 32-bit integer of a stream."""
BLOCK = 192
"""64-bit numbers generated at a time: about half of what a document needs."""
HIGH = np.uint64(32)


class RandomStreams:
    """The numbered random streams of a seed. What a stream yields does not depend on draws from other streams."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
        self._state = self._generator.state

    def open_stream(self, number: int) -> Draw:
        """Return a function that draws from a stream. The stream opened before must not be used any more."""
        self._state["state"]["key"][1] = number
        self._generator.state = self._state
        return chain.from_iterable(self._generate_blocks()).__next__

    def _generate_blocks(self) -> Iterator[list[int]]:
        while True:
            yield self._generator.random_raw(BLOCK).astype("<u8").view("<u4").tolist()


def draw_integers(seed: int, stream: int, shape: tuple[int, ...]) -> npt.NDArray[np.uint64]:
    """Draw an array of 32-bit integers, stored as 64-bit numbers so that products do not overflow."""
    generator = np.random.Philox(key=np.array([seed, stream], dtype=np.uint64))
    raw: npt.NDArray[np.uint64] = generator.random_raw(int(np.prod(shape))).reshape(shape)
    return raw >> HIGH


def scale_below(values: npt.NDArray[np.uint64], limit: int | npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Map 32-bit integers to the range from 0 to `limit`, which is excluded."""
    return ((values * np.uint64(limit) if isinstance(limit, int) else values * limit) >> HIGH).astype(np.int64)


def mix(*numbers: int) -> int:
    """Hash several integers into one of 25 bits, for a choice that is determined by a combination of things."""
    value = 0x9E3779B9
    for number in numbers:
        value = ((value ^ number) * 0x85EBCA6B + 0x165667B1) & 0xFFFFFFFF
        value ^= value >> 15
    return ((value * 0xC2B2AE35) & 0xFFFFFFFF) >> 7
