"""Dates as patent files write them."""

from __future__ import annotations

import re
from datetime import date

WRITTEN = re.compile(r"\s*(\d{4})[-./]?(\d{2})[-./]?(\d{2})(?:T.*)?\s*$")


def parse_date(text: str | None) -> date | None:
    """The day that `20040609` or `2004-06-09` names; None for an empty one or a day that never was.

    Old files leave the day or the month open (`19990500`): it becomes the first, the earliest it can have been.
    """
    if not text or (found := WRITTEN.match(text)) is None:
        return None
    year, month, day = (int(part) for part in found.groups())
    try:
        return date(year, month or 1, day or 1)
    except ValueError:
        return None
