"""Days as the plan counts them, from 1970-01-01 on, and as formats write them."""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache

EPOCH = date(1970, 1, 1)


def day_of(text: str) -> int:
    """The number of a day written as 1999-11-08."""
    return (date.fromisoformat(text) - EPOCH).days


@lru_cache(maxsize=1 << 14)
def iso(day: int) -> str:
    """A day as 1999-11-08."""
    return (EPOCH + timedelta(days=day)).isoformat()


@lru_cache(maxsize=1 << 14)
def compact(day: int) -> str:
    """A day as 19991108."""
    return iso(day).replace("-", "")
