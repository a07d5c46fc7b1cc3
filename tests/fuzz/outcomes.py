"""The cases of a fuzzing test and what became of them."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SCALE = float(os.environ.get("ANTECEDE_FUZZ", "0.1"))
"""The share of its cases that a test draws: all of them, and others each time, with `make fuzz`."""
SEED = int(os.environ.get("ANTECEDE_FUZZ_SEED", "0"))


class Fuzz:
    """Draws the cases of one target and counts their outcomes.

    A failing case is reproduced with `fuzz.case(number)`; the number is part of every assertion message.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.outcomes: Counter[str] = Counter()

    def cases(self, count: int) -> Iterator[tuple[int, random.Random]]:
        """The numbers of `count` cases (times `ANTECEDE_FUZZ`), each with a generator of its own."""
        for number in range(max(1, round(count * SCALE))):
            yield number, self.case(number)

    def case(self, number: int) -> random.Random:
        """The generator of one case: the same number gives the same case."""
        return random.Random(f"{self.target}/{SEED}/{number}")  # noqa: S311 - not for cryptography

    def count(self, outcome: str) -> None:
        """Count one case under its outcome, such as `exact` or `refused`."""
        self.outcomes[outcome] += 1
