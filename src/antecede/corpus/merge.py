"""Merging the documents of a patent into one: each field comes from the latest publication that has it.

An EP application (A1) has the description in the language of filing, its grant (B1) the claims in three languages; the
search report may be published even later (A3). For a search they are one patent.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from antecede.patent import Patent
from antecede.patent.record import PATENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable


def merge(documents: Iterable[Patent]) -> Patent:
    """Merge all documents of a patent, in any order, field by field as `Patent` declares.

    Of two documents of the same age the later one is used.
    """
    ordered = sorted(documents, key=_age_of)
    if len(ordered) == 1:
        return ordered[0]
    values = ((part, [value for document in ordered if (value := part.value(document))]) for part in PATENT_FIELDS)
    return Patent(**{part.name: part.merge(known) for part, known in values if known})


def _age_of(document: Patent) -> tuple[date, tuple[str, ...], str]:
    """The sort key of a patent's documents: the date, then the kind (A1 before B1), then the source."""
    return document.publication_date or date.min, document.kinds, document.source


def identity(patent: Patent) -> str:
    """The key shared by the documents of one patent: the number in normal form given by the source, else the doc_id."""
    return patent.number.key if patent.number is not None else patent.doc_id


def names_of(patent: Patent) -> tuple[str, ...]:
    """The names of a patent: its doc_id, and its number in normal form."""
    number = patent.known_number
    return tuple(dict.fromkeys((patent.doc_id, *(() if number is None else (number.key,)))))
