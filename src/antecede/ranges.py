"""Ranges of numbers that a user may give: finite, and representable in arrays.

The command line takes its bounds from these ranges and the Python API checks with them, so that both accept and refuse
the same numbers. The parameters of measures, methods and models declare their ranges in the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real

from antecede.errors import UsageError, printable

LARGEST = 2**63 - 1
"""The largest integer that arrays represent."""
OVERFLOW_GUARD = 1e9
"""Upper bounds from here on protect against overflow; they are not part of a documented range."""


@dataclass(frozen=True)
class Range:
    """The finite numbers between two ends. Each end is included unless it is declared open."""

    low: float = 0.0
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    whole: bool = False
    """Whether only whole numbers are allowed."""

    def __contains__(self, value: object) -> bool:
        number = as_number(value, whole=self.whole)
        if number is None:
            return False
        above = self.low < number if self.open_low else self.low <= number
        below = number < self.high if self.open_high else number <= self.high
        return above and below and abs(number) <= max(LARGEST, abs(self.low), self.high)

    @property
    def bounded(self) -> bool:
        """Whether the upper end is part of the documented range."""
        return self.high < OVERFLOW_GUARD

    @property
    def bounds(self) -> dict[str, float]:
        """The bounds as the command line declares them."""
        return {"min": self.low} if self.high >= LARGEST else {"min": self.low, "max": self.high}

    def check(self, value: object, name: str) -> None:
        """Refuse a value that is not a number of this range."""
        if value not in self:
            raise UsageError(f"{name} must be {self.describe(value)}, not {write_number(value)}")

    def describe(self, value: object) -> str:
        """What a value would have to be, in words; an upper end that only guards against overflow where it matters."""
        number = as_number(value)
        if number is not None and number > self.high and not self.bounded:
            return f"at most {write_number(self.high)}"
        if self.whole and as_number(value, whole=True) is None:
            return f"a whole number, {self}"
        return str(self)

    def __str__(self) -> str:
        low, high = write_number(self.low), write_number(self.high)
        if not self.bounded:
            return f"more than {low}" if self.open_low else f"{low} or more"
        if self.open_low == self.open_high:
            return f"between {low} and {high}" + (", both excluded" if self.open_low else "")
        if self.open_low:
            return f"more than {low} and at most {high}"
        return f"{low} or more and less than {high}"

    def as_inequality(self, name: str) -> str:
        """The range as a formula, as in `0 < c ≤ 1`."""
        lower = f"{write_number(self.low)} {'<' if self.open_low else '≤'} {name}"
        return f"{lower} {'<' if self.open_high else '≤'} {write_number(self.high)}" if self.bounded else lower


DOCUMENTS = Range(1, LARGEST, whole=True)
"""How many documents: k, a depth, a cut-off."""
TERMS = Range(1, LARGEST, whole=True)
COUNT = Range(1, LARGEST, whole=True)
SEED = Range(0, LARGEST, whole=True)
RELEVANCE = Range(-(2**31), 2**31 - 1, whole=True)
THREADS = Range(1, 4096, whole=True)
SAMPLES = Range(1, 10_000_000, whole=True)
"""Random samples: more would take days without changing any figure."""
ALPHA = Range(0, 1, open_low=True, open_high=True)
DROP = Range(0, 1e300)
MARGIN = Range(0, 1e300, open_low=True)
LOST_TOPICS = Range(0, LARGEST, whole=True)
WEIGHT = Range(0, 1e6)
PASSAGES = Range(0, LARGEST, whole=True)
RRF_K = Range(0, LARGEST, whole=True)


def as_number(value: object, *, whole: bool = False) -> float | None:
    """A value as a finite number, if it is one; a Boolean is not."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    if whole or not isinstance(value, Real) or not math.isfinite(value):
        return None
    return float(value)


def write_number(value: object) -> str:
    """A number in the shortest form that denotes it exactly; anything else as a message shows it."""
    if not isinstance(value, float):
        return printable(str(value))
    short = f"{value:.12g}"
    return short if float(short) == value else repr(value)


def write_value(value: object) -> str:
    """The value of a parameter as it is written: a number in its shortest form, anything else in full."""
    return write_number(value) if isinstance(value, float) else str(value)


def check_size(value: object, name: str) -> None:
    """Refuse a number that is not finite or that arrays cannot represent."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"{name} must be finite, not {value}")
    if isinstance(value, int) and abs(value) > LARGEST:
        raise UsageError(f"{name} must be at most {LARGEST}, not {printable(str(value))}")
