"""What a number means, office by office: a file each, named by the office's code. The normal forms are made here.

A number that could be two things is read as what its office says of it, and as nothing where the office leaves it open:
two patents taken for one would be worse than one that is not found.

Only publications have a number here. Applications have numbers of their own, often in the same form; where the form
tells them apart (`PCT/EP2005/001234`, `EP 98123456.7`) they are none, elsewhere the field of the file must.
"""

from __future__ import annotations

from antecede.patent.offices.registry import OFFICES, general_number, office
from antecede.registry import load_folder

load_folder(__name__)

__all__ = ["OFFICES", "general_number", "normal_number", "office"]


def normal_number(country: str, body: str, kind: str | None) -> str | None:
    """The normal form of a number of that country, written as `body`; None where it is none."""
    if kind == "W":  # an application under the PCT, in DOCDB and MAREC
        return None
    reading = OFFICES.get(country)
    return general_number(country, body, kind) if reading is None else reading(body, kind)
