"""What is known of a patent besides its text, as lists, exports and the page show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.patent.fields import ALWAYS, NEVER
from antecede.patent.links import patent_links
from antecede.patent.record import FACTS, PATENT_FIELDS

if TYPE_CHECKING:
    from antecede.patent.number import PatentNumber
    from antecede.patent.record import Patent

BETWEEN = "; "
"""Between the values of a list in one cell."""
LISTED = tuple(declared for declared in PATENT_FIELDS if declared.label and declared.hits != NEVER)


@dataclass(frozen=True)
class Bibliography:
    """What is known of a document besides its text."""

    number: PatentNumber | None
    kinds: tuple[str, ...]
    values: dict[str, Any]
    """Field → value, in a JSON-compatible form; fields that few sources have are there only where they are known."""
    cells: dict[str, str | None]
    """Label → value, as a cell of a table holds it; the labels of such fields as well."""

    @classmethod
    def of(cls, patent: Patent) -> Bibliography:
        known = {declared.name for declared in LISTED if declared.hits == ALWAYS or declared.value(patent)}
        return cls(
            patent.known_number,
            patent.kinds,
            {declared.name: declared.json(patent) for declared in LISTED if declared.name in known},
            {fact.label: BETWEEN.join(fact.texts(patent)) or None for fact in FACTS if fact.name in known},
        )

    @property
    def rare(self) -> dict[str, str]:
        """Label → value of the fields that few sources have, as far as they are known."""
        labels = (declared.label for declared in LISTED if declared.hits != ALWAYS)
        return {label: text for label in labels if (text := self.cells.get(label))}

    def to_dict(self) -> dict[str, Any]:
        """The data in a JSON-compatible form, with the addresses of pages about the document."""
        return self.values | ({"links": patent_links(self.number, self.kinds)} if self.number is not None else {})
