"""The record of an experiment: nested data of any shape, as lists to unfold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from antecede.report.display_text import clean, clean_lines

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
"""In English whatever the locale."""
DATE_KEYS = ("finished", "ended", "when", "date", "written", "started", "begun")
"""Keys under which a record may give its date, in order of preference."""


@dataclass(frozen=True)
class RecordItem:
    """One item of the record: a name with a text, or with further items."""

    name: str
    text: str = ""
    lines: str = ""
    """A text of several lines, shown verbatim."""
    items: tuple[RecordItem, ...] = ()

    @property
    def simple(self) -> bool:
        """Whether it fits on one line."""
        return not self.lines and not self.items


def make_record(record: Mapping[str, Any]) -> tuple[RecordItem, ...]:
    """The items of the record, in its own order."""
    return tuple(make_item(str(name), value) for name, value in record.items())


def make_item(name: str, value: Any) -> RecordItem:
    """The item for a value of any type."""
    name = clean(name)
    if isinstance(value, Mapping):
        return RecordItem(name, items=make_record(value)) if value else RecordItem(name, "–")
    if isinstance(value, str):
        several = "\n" in value.strip()
        return RecordItem(name, lines=clean_lines(value)) if several else RecordItem(name, clean(value.strip()))
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        values = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        if all(is_simple(each) for each in values):
            return RecordItem(name, ", ".join(clean(str(each)) for each in values) or "–")
        return RecordItem(name, items=tuple(make_item(str(place), each) for place, each in enumerate(values, 1)))
    return RecordItem(name, "–" if value is None else clean(str(value)))


def is_simple(value: Any) -> bool:
    """Whether a value is a scalar that fits on one line."""
    scalar = isinstance(value, str | int | float | bool) or value is None
    return scalar and "\n" not in str(value)


def find_date(record: Mapping[str, Any]) -> str:
    """The date of the experiment as people write it; empty where the record gives none."""
    places = [record, *(value for value in record.values() if isinstance(value, Mapping))]
    found = (place[key] for key in DATE_KEYS for place in places if key in place and is_simple(place[key]))
    return format_date(clean(str(next(found, "") or "")))


def format_date(text: str) -> str:
    """`15 November 2026, 08:02 UTC` for an ISO date; any other text as it is."""
    try:
        found = datetime.fromisoformat(text.removesuffix(" UTC"))
    except ValueError:
        return text
    day = f"{found.day} {MONTHS[found.month - 1]} {found.year}"
    if "T" not in text and ":" not in text:
        return day
    zone = "UTC" if text.endswith(" UTC") else (found.tzname() or "")
    return f"{day}, {found:%H:%M} {zone}".strip()
