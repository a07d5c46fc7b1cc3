"""Letters for runs, as papers set them behind a score to say which other runs it is significantly better than."""

from __future__ import annotations

from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SHORTEST_SPAN = 3
"""From this many letters in a row, `a–d` is written instead of `abcd`."""


def letter(number: int) -> str:
    """a, b, …, z, aa, ab, … for 0, 1, 2, …"""
    signs = ""
    number += 1
    while number:
        number, digit = divmod(number - 1, len(ascii_lowercase))
        signs = ascii_lowercase[digit] + signs
    return signs


def letters(numbers: Iterable[int]) -> str:
    """The letters of several runs, in order; a comma stands between them where one letter is not enough."""
    ordered = sorted({*numbers})
    parts: list[str] = []
    # Numbers that follow each other keep the same distance to their place in the list.
    for _, members in groupby(enumerate(ordered), key=lambda entry: entry[1] - entry[0]):
        span = [number for _, number in members]
        long = len(span) >= SHORTEST_SPAN
        parts += [f"{letter(span[0])}–{letter(span[-1])}"] if long else [letter(number) for number in span]
    plain = all(len(part) == 1 for part in parts)
    return ("" if plain else ",").join(parts)
