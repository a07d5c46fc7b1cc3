"""The numbers of each office in normal form: one file per office, named by its code.

An ambiguous number is read according to the rules of its office, and not at all if they leave it open: two patents
mistaken for one would be worse than one that is not found.

Only publication numbers are accepted. Applications have numbers of their own, often in the same form; where the form
distinguishes them (`PCT/EP2005/001234`, `EP 98123456.7`) they are refused, elsewhere the field of the file decides.
"""

from __future__ import annotations

from antecede.patent.offices.registry import OFFICES, general_number, office
from antecede.registry import load_folder

load_folder(__name__)

__all__ = ["OFFICES", "general_number", "normal_number", "office"]


def normal_number(country: str, body: str, kind: str | None) -> str | None:
    """The normal form of a number of a country, written as `body`; None if it is not valid."""
    if kind == "W":  # an application under the PCT, in DOCDB and MAREC
        return None
    normalize = OFFICES.get(country)
    return general_number(country, body, kind) if normalize is None else normalize(body, kind)
