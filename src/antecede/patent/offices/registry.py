"""The registry of offices, and what their numbers have in common."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Office = Callable[[str, str | None], str | None]
    """Takes a number as written, in ASCII capitals, and the kind; returns the normal form or None."""

OFFICES: dict[str, Office] = {}
LAST_YEAR = 2049
"""The last number accepted as a year."""

GROUPS = re.compile(r"[0-9]+(?:[ \-][0-9]+|[.,] ?[0-9]{2,3}(?![0-9])|\.[0-9]{5}(?![0-9]))*\Z")
NO_DIGIT = re.compile(r"[^0-9]")
LETTERED = re.compile(r"([A-NP-Z][A-Z]{0,3})[ .\-]*([0-9].*)\Z")
LONGEST_NUMBER = 14

SEPARATE_SERIES = {
    "DK": "TU",
    "FI": "TU",
    "HU": "T",
    "LT": "T",
    "NO": "T",
    "PL": "TU",
    "PT": "ETU",
    "SE": "T",
    "SI": "T",
    "TW": "U",
}
"""Offices, and the kinds numbered separately from patents: translations under the European number, utility models."""
YEAR_FIRST = {"DK", "FI", "HU", "NL", "NO", "SE", "ZA"}
"""Offices whose numbers of seven digits begin with a year: `0401234` keeps its zero, to differ from an old `401234`."""


def office(*countries: str) -> Callable[[Office], Office]:
    """Register a function as the normalization of an office's numbers."""

    def register(function: Office) -> Office:
        OFFICES.update(dict.fromkeys(countries, function))
        return function

    return register


def join_groups(body: str) -> str | None:
    """The digits of a number written in groups, `1 000 000` or `35.46.191`.

    A single digit after a dot is the check digit of an application number, which is not a publication: None.
    """
    if body.isdecimal():
        return body
    return NO_DIGIT.sub("", body) if GROUPS.match(body) is not None else None


def take_series(body: str, kind: str | None, series: str) -> tuple[str, str | None]:
    """Remove the letter by which a normal form marks one of its `series`; it is the kind if none is given."""
    return (body[1:], kind or body[0]) if body and body[0] in series else (body, kind)


def running_number(digits: str | None, longest: int = LONGEST_NUMBER) -> str | None:
    """A running number, without leading zeros."""
    if digits is None:
        return None
    digits = digits.lstrip("0")
    return digits if 0 < len(digits) <= longest else None


def year_number(year: str, serial: str, width: int, first: int) -> str | None:
    """A year of four digits and a serial padded to its width; None for a year out of range."""
    serial = serial.lstrip("0")
    if not first <= int(year) <= LAST_YEAR or not 0 < len(serial) <= width:
        return None
    return year + serial.rjust(width, "0")


def general_number(country: str, body: str, kind: str | None = None) -> str | None:
    """The rule for offices without one of their own: letters before a number are part of it (`MXPA04012345`), a slash
    is a space (`ZA 2005/04838`), and leading zeros of digits alone are removed."""
    if (found := LETTERED.match(body)) is not None:
        digits = join_groups(found[2].replace("/", "-"))
        return found[1] + digits if digits and len(digits) <= LONGEST_NUMBER and digits.strip("0") else None
    digits = join_groups(body.replace("/", "-"))
    number = running_number(digits)
    if number is None or digits is None:
        return None
    if country in YEAR_FIRST and len(digits) == 7:
        number = digits
    return kind[0] + number if kind is not None and kind[0] in SEPARATE_SERIES.get(country, "") else number
