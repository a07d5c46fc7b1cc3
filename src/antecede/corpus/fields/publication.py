"""Which publication a document is: by the attributes of its element, or by its `<publication-reference>`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.corpus.document import DocumentError
from antecede.corpus.fields.document_ids import NUMBERS_FIRST, form, place, reference
from antecede.patent import PatentNumber, parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from lxml.etree import _Element as Element

NOTICES = {
    "not found": "the service has no such document (status «not found»)",
    "d": "a notice that the document was deleted from the data base (status «D»), without the document",
}
"""What the `status` of an element says when there is no document in it."""


def publication(root: Element) -> tuple[PatentNumber, date | None]:
    """Number and day of publication of a document; raises `DocumentError` where it has no number."""
    written, day = first_reference(root.iterfind("bibliographic-data/publication-reference"))
    country, name, kind = (root.get(part, "").strip() for part in ("country", "doc-number", "kind"))
    number = (PatentNumber.of(country, name, kind or None) if country and name else None) or written
    if number is None:
        raise DocumentError(f"no publication number in {root.tag}")
    if (notice := NOTICES.get(root.get("status", "").strip().lower())) is not None:
        raise DocumentError(notice, number.key)
    return number, parse_date(root.get("date-publ")) or day


def first_reference(elements: Iterable[Element]) -> tuple[PatentNumber | None, date | None]:
    """Number and date of a document that several elements refer to, one in the form of each data base."""
    found = [reference(each) for each in sorted(elements, key=lambda each: place(form(each), NUMBERS_FIRST))]
    number = next((number for number, _ in found if number is not None), None)
    return number, next((day for _, day in found if day is not None), None)
