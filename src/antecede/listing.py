"""What is registered by name, as a list to read: measures, models, query methods and formats are all shown alike."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from antecede.tables import Table

Entry = TypeVar("Entry")
DESCRIPTION = ("name", "usage", "summary", "doc", "cite")
"""What a definition says of itself."""


@dataclass(frozen=True)
class Listing(Generic[Entry]):
    """How the entries of a register are shown: in a table, in full, as data, and as a page of the documentation."""

    registered: Callable[[], Mapping[str, Entry]]
    called: Callable[[str], Entry]
    """The entry of a name; raises where there is none."""
    table: Callable[[Sequence[Entry]], Table]
    in_full: Callable[[Entry], str]
    data: Callable[[Entry], dict[str, Any]]
    manual_head: str
    manual_section: Callable[[Entry], str]
    usage: Callable[[Entry], str] = attrgetter("usage")
    """How it is written, in one line."""

    def chosen(self, names: Sequence[str] | None = None) -> list[Entry]:
        """The entries of these names, or all."""
        return [self.called(name) for name in names] if names else list(self.registered().values())

    def as_table(self) -> Table:
        """A row for each entry."""
        return self.table(self.chosen())

    def explained(self, names: Sequence[str] | None = None) -> str:
        """Each entry in full: what it says of itself."""
        entries = self.chosen(names)
        return "\n\n".join(f"{self.usage(each)}\n{textwrap.indent(self.in_full(each), '    ')}" for each in entries)

    def as_dicts(self, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Each entry, as JSON knows it."""
        return [self.data(each) for each in self.chosen(names)]

    def manual(self) -> str:
        """All entries as a page of the documentation."""
        parts = [self.manual_head, *map(self.manual_section, self.chosen())]
        return "\n\n".join(part.rstrip() for part in parts) + "\n"


def described(definition: object) -> dict[str, Any]:
    """A definition as JSON knows it."""
    return {name: getattr(definition, name) for name in DESCRIPTION}
