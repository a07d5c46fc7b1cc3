"""The record of an experiment: nested data of any shape, as lists to unfold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from antecede.report.sections.texts import clean, lines_of

WHEN = ("finished", "ended", "when", "date", "written", "started", "begun")
"""Keys under which a record may say when: the first that is there is shown on top."""


@dataclass(frozen=True)
class Leaf:
    """One thing of the record: a name with a text, or with things below it."""

    name: str
    text: str = ""
    lines: str = ""
    """A text of several lines, set as it is."""
    below: tuple[Leaf, ...] = ()

    @property
    def simple(self) -> bool:
        """Whether it fits in a line."""
        return not self.lines and not self.below


def leaves(record: Mapping[str, Any]) -> tuple[Leaf, ...]:
    """The record, in its own order."""
    return tuple(leaf(str(name), value) for name, value in record.items())


def leaf(name: str, value: Any) -> Leaf:
    name = clean(name)
    if isinstance(value, Mapping):
        return Leaf(name, below=leaves(value)) if value else Leaf(name, "–")
    if isinstance(value, str):
        return Leaf(name, lines=lines_of(value)) if "\n" in value.strip() else Leaf(name, clean(value.strip()))
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, bytes):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else list(value)
        if all(plain(item) for item in items):
            return Leaf(name, ", ".join(clean(str(item)) for item in items) or "–")
        return Leaf(name, below=tuple(leaf(str(place), item) for place, item in enumerate(items, 1)))
    return Leaf(name, "–" if value is None else clean(str(value)))


def plain(value: Any) -> bool:
    """Whether a value is shown as one word."""
    single = isinstance(value, str | int | float | bool) or value is None
    return single and "\n" not in str(value)


def when(record: Mapping[str, Any]) -> str:
    """The day and hour of the experiment, as the record has it; nothing where it does not say."""
    places = [record, *(value for value in record.values() if isinstance(value, Mapping))]
    found = (place[key] for key in WHEN for place in places if key in place and plain(place[key]))
    return clean(str(next(found, "") or ""))
