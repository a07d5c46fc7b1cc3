"""A patent and its parts: frozen, typed, independent of formats and indexes."""

from antecede.patent.classification import codes, parse_code
from antecede.patent.number import PatentNumber
from antecede.patent.record import Citation, LegalEvent, Patent, earliest_date, parse_date, unique_citations

__all__ = [
    "Citation",
    "LegalEvent",
    "Patent",
    "PatentNumber",
    "codes",
    "earliest_date",
    "parse_code",
    "parse_date",
    "unique_citations",
]
