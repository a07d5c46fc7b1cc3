"""Dates as tables write them: `25/04/13`, `27.03.2013`, `2013-03-27`, several in a cell.

Whether the day or the month comes first is decided for a column from all its dates.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Literal

from antecede.patent import parse_date
from antecede.patent.offices import LAST_YEAR

DateOrder = Literal["day", "month", "any", "unknown"]
"""Which comes first; `any` if no date of a column leaves a doubt, `unknown` if some do and none settles it."""

_PARTS = re.compile(r"\s*([0-9]{1,2})([-/.])\s?([0-9]{1,2})\2\s?([0-9]{4}|[0-9]{2})(?:\s+[0-9:]+)?\s*\Z")
_NAMED = re.compile(
    r"\s*(?:([0-9]{1,2})[. \-]*)?([a-zäéû]{3,9})[. ,\-]*(?:([0-9]{1,2})(?=[ ,]))?[ ,]*([0-9]{4}|[0-9]{2})\s*\Z",
    re.IGNORECASE,
)
_YEAR_THEN_NAME = re.compile(r"\s*([0-9]{4})[ .\-/]+([a-zäéû]{3,9})\.?(?:[ .\-/]+([0-9]{1,2}))?\s*\Z", re.IGNORECASE)
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan", "feb fev fév", "mar mär mrz", "apr avr abr", "may mai", "jun juin", "jul juil", "aug aou aoû ago",
            "sep set", "oct okt out", "nov", "dec dez déc dic",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_YEAR_FIRST = re.compile(r"\s*([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?:[T ].*)?\s*\Z")
_JAPANESE = {ord("年"): "-", ord("月"): "-", ord("日"): ""}
_BETWEEN_DATES = re.compile(r"[;|\n]|,(?= )(?! [0-9]{4}\s*\Z)")


def find_order(cells: list[str]) -> DateOrder:
    """Whether the day or the month comes first in a column. With full stops it is the day; both is `any`."""
    first = second = doubts = 0
    for cell in cells:
        for text in _BETWEEN_DATES.split(cell):
            parts = _PARTS.match(text)
            if parts is None or parts[2] == ".":
                continue
            one, other = int(parts[1]), int(parts[3])
            first += one > 12 >= other
            second += other > 12 >= one
            doubts += one != other and max(one, other) <= 12
    if not doubts:
        return "day" if first and not second else "month" if second and not first else "any"
    if bool(first) == bool(second):
        return "unknown"
    return "day" if first else "month"


def read_dates(cell: object, order: DateOrder, year: int | None = None) -> tuple[list[date], str]:
    """The dates in a cell, and the first text in it that is none; `year` is that of a date with two digits."""
    days: list[date] = []
    unread = ""
    for text in cell if isinstance(cell, list) else _BETWEEN_DATES.split(str(cell)):
        text = str(text).strip().translate(_JAPANESE).rstrip(". ")
        if text in ("", "0", "-"):
            continue
        if (day := _read_date(text, order, year)) is not None:
            days.append(day)
        else:
            unread = unread or text
    return days, unread


def _read_date(text: str, order: DateOrder, year: int | None) -> date | None:
    if (parts := _PARTS.match(text)) is not None:
        one, other = int(parts[1]), int(parts[3])
        month_first = parts[2] != "." and (order == "month" or (other > 12 >= one))
        if one > 12:
            month_first = False
        day, month = (other, one) if month_first else (one, other)
        return _make(_full_year(parts[4], year), month, day)
    if (parts := _YEAR_FIRST.match(text)) is not None:
        return _make(int(parts[1]), int(parts[3]), int(parts[4]))
    parts = _NAMED.match(text)
    if parts is not None and (number := _month(parts[2])) and (len(parts[4]) == 4 or parts[1]):  # not `Apr 25`
        return _make(_full_year(parts[4], year), number, int(parts[1] or parts[3] or 1))
    if (parts := _YEAR_THEN_NAME.match(text)) is not None and (number := _month(parts[2])):
        return _make(int(parts[1]), number, int(parts[3] or 1))
    return parse_date(text)


def _full_year(digits: str, year: int | None) -> int:
    """The year of two digits: that of the column of years, else one from 1940 to 2039."""
    if len(digits) == 4:
        return int(digits)
    if year is not None:
        return year
    return int(digits) + (2000 if int(digits) < 40 else 1900)


def _month(name: str) -> int | None:
    folded = name.casefold()
    return _MONTHS.get(folded[:4]) or _MONTHS.get(folded[:3])


def _make(year: int, month: int, day: int) -> date | None:
    if not 1617 <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None
