"""Dates in patent files."""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache

YEAR_FIRST = re.compile(r"\s*([0-9]{4})(?:([-./]?)([0-9]{2})(?:\2([0-9]{2}))?)?(?:[T ].*)?\s*\Z")
DAY_FIRST = re.compile(r"\s*([0-9]{1,2})\.\s?([0-9]{1,2})\.\s?([0-9]{4})\s*\Z")
"""As in German and French documents; with slashes the month may come first, so that form is not accepted."""
FIRST_YEAR, LAST_YEAR = 1617, 2049
"""The first numbered patent is English, of 1617. Other years are fillers (`00010101`, `99991231`) or errors."""


LONGEST = 64
"""Longer texts are not kept in memory."""


def parse_date(text: str | None) -> date | None:
    """The date written as `20040609`, `2004-06-09` or `09.06.2004`; None for an empty text or an invalid date.

    A missing day or month (`19990500`, `1999`) becomes the first, the earliest possible date.
    """
    if not text:
        return None
    return cached_date(text) if len(text) <= LONGEST else read_date(text)


def read_date(text: str) -> date | None:
    """`parse_date` of a text that is not empty."""
    if (found := YEAR_FIRST.match(text)) is not None:
        year, month, day = int(found[1]), int(found[3] or 0), int(found[4] or 0)
    elif (found := DAY_FIRST.match(text)) is not None:
        day, month, year = (int(part) for part in found.groups())
    else:
        return None
    if not FIRST_YEAR <= year <= LAST_YEAR:
        return None
    try:
        return date(year, month or 1, day or 1)
    except ValueError:
        return None


cached_date = lru_cache(maxsize=1 << 14)(read_date)
"""The same dates occur again and again in a collection."""
