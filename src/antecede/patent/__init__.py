"""A patent and its parts: frozen, typed, independent of formats and indexes."""

from antecede.patent.classification import codes, parse_code
from antecede.patent.number import PatentNumber
from antecede.patent.record import Citation, Patent, parse_date

__all__ = ["Citation", "Patent", "PatentNumber", "codes", "parse_code", "parse_date"]
