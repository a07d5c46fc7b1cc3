"""The United States Patent and Trademark Office."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.patent.offices.registry import join_groups, office, running_number, year_number

if TYPE_CHECKING:
    from datetime import date

SERIES = re.compile(r"(RE(?:ISSUE)?|DES(?:IGN)?|D|PP|RX|AI|H|T|X)[ .\-]*([0-9][0-9 ,.\-]*)\Z")
SHORT = {"REISSUE": "RE", "DES": "D", "DESIGN": "D"}
SERIES_OF_KIND = {"S": "D", "E": "RE", "H": "H"}
PUBLISHED = re.compile(r"([0-9]{4}) ?[/ \-] ?([0-9]{1,3})[ ,]?([0-9]{0,4})\Z")
APPLICATIONS = {"A1", "A2", "A9", "P1", "P4", "P9"}
"""The kinds of published applications, in use since 2001."""
GRANTS_END = 20_000_000
"""Grants reached 12.6 million in 2026, growing by a third of a million per year; year forms of eight digits begin at
20,010,001."""


GRANTS = (
    (1836, 1),
    (1880, 223_211),
    (1900, 640_167),
    (1920, 1_326_899),
    (1940, 2_185_170),
    (1950, 2_492_944),
    (1960, 2_919_443),
    (1970, 3_487_470),
    (1975, 3_858_241),
    (1980, 4_180_867),
    (1985, 4_490_855),
    (1990, 4_890_335),
    (1995, 5_377_354),
    (2000, 6_009_555),
    (2005, 6_836_899),
    (2010, 7_640_598),
    (2015, 8_925_112),
    (2018.5, 10_000_000),
    (2021.4, 11_000_000),
    (2024.4, 12_000_000),
)
"""The first patent of some years, as listed by the USPTO; in between the numbers grow nearly linearly."""
NEAR = 1.5
"""The tolerance in years between a date and the estimated date of grant."""


@office("US")
def american(body: str, kind: str | None) -> str | None:
    """Grants are running numbers; designs, plants, reissues and the like have letters before theirs (`D435854`).

    Applications are published under a year and seven digits, `2001/0033243`. DOCDB omits the seventh digit
    (`2001033243`), others every leading zero of the serial (`200133243`): all become `20010033243`. A slash after two
    digits (`09/413,215`) marks the serial number of an application, not a publication.
    """
    if not body.isdecimal():
        if (found := SERIES.match(body)) is not None:
            number = running_number(join_groups(found[2].rstrip(" ,.-")), 8)
            return number and SHORT.get(found[1], found[1]) + number
        if (found := PUBLISHED.match(body)) is not None and ("/" in body or len(found[2] + found[3]) == 7):
            return year_number(found[1], found[2] + found[3], 7, 2001)
    digits = join_groups(body)
    if digits is None:
        return None
    if kind is not None and kind[0] in "SEHP" and kind not in APPLICATIONS:
        return number_of_kind(digits, kind)
    return grant_or_application(digits, kind)


def number_of_kind(digits: str, kind: str) -> str | None:
    """A number whose series is given by the kind. Plants have five digits; longer ones are provisional."""
    series = SERIES_OF_KIND.get(kind[0], "PP")
    number = running_number(digits, 5 if series == "PP" else 7)
    return number and series + number


def grant_or_application(digits: str, kind: str | None) -> str | None:
    """Whether digits alone are a grant or an application.

    Nine or more digits are an application. Eight do not overlap yet: below twenty million a grant, above an
    application, unless the kind says otherwise. Seven are a grant (`2005524` is of 1935 and might
    be the 524th application of 2005), unless the kind is that of an application.
    """
    published = kind in APPLICATIONS
    granted = kind is not None and kind[0] in "BC"
    if len(digits) >= 9:
        return None if granted else year_number(digits[:4], digits[4:], 7, 2001)
    if (published and len(digits) >= 5) or (kind is None and len(digits) == 8):
        application = year_number(digits[:4], digits[4:], 7, 2001)
        if application is not None:
            return application
    number = running_number(digits)
    if number is None or int(number) >= GRANTS_END or (published and len(number) == 8):
        return None
    return number


def is_published_about(number: str, day: date) -> bool:
    """Whether a number in normal form was granted, or published, around a date.

    The serial number of an application looks like a grant, but of another time: in 1991 applications had numbers around
    700,000, which patents had in 1902.
    """
    if not number.isdecimal():
        return False
    if len(number) > 8:
        return number.startswith(str(day.year))
    return abs(grant_year(int(number)) - (day.year + day.timetuple().tm_yday / 366)) <= NEAR


def grant_year(number: int) -> float:
    """The year in which a patent of this number was granted, interpolated from known years."""
    after = next((at for at, (_, first) in enumerate(GRANTS) if first > number), len(GRANTS) - 1)
    (year, first), (later, next_first) = GRANTS[max(after, 1) - 1], GRANTS[max(after, 1)]
    return year + (later - year) * (number - first) / (next_first - first)
