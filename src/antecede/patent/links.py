"""Addresses of public pages about a patent. They are only written, never fetched.

Espacenet finds a publication by the number as the EPO writes it: `US2004046892` (ten digits) for a published US
application, `WO9812345` until June 2002, `WO02062112` until 2003. Where a number has two forms, the address asks for
either. Google Patents writes years with four digits, serial numbers in full, and needs the kind code, but for the US.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent.number import PatentNumber

ESPACENET = "https://worldwide.espacenet.com/patent/search?q="
GOOGLE = "https://patents.google.com/"


def espacenet_link(number: PatentNumber, kinds: Sequence[str] = ()) -> str:
    """The page of Espacenet about a patent; of one publication where it has only one kind."""
    kind = kinds[0] if len(kinds) == 1 else ""
    return ESPACENET + quote(" OR ".join(f"pn={number.country}{form}{kind}" for form in _espacenet_forms(number)))


def google_link(number: PatentNumber, kinds: Sequence[str] = ()) -> str:
    """The page of Google Patents about the last publication of a patent, or a search for its number."""
    form = number.country + _padded(number)
    if not kinds and number.country != "US":
        return f"{GOOGLE}?oq={quote(form)}"
    return f"{GOOGLE}patent/{quote(form + (kinds[-1] if kinds else ''))}/en"


def patent_links(number: PatentNumber | None, kinds: Sequence[str] = ()) -> dict[str, str]:
    """The addresses of all pages about a patent; none where its number is not known."""
    if number is None:
        return {}
    return {"espacenet": espacenet_link(number, kinds), "google_patents": google_link(number, kinds)}


def _padded(number: PatentNumber) -> str:
    """The number with the zeros that its office writes in front."""
    return number.number.rjust(7, "0") if number.country == "EP" else number.number


def _espacenet_forms(number: PatentNumber) -> list[str]:
    digits = _padded(number)
    if number.country == "US" and len(digits) == 11:  # a year and seven digits, of which the EPO wrote six
        return [digits[:4] + digits[5:], digits] if digits[4] == "0" else [digits]
    if number.country == "WO" and digits < "2004":
        short, serial = digits[2:4], digits[4:]
        five = [short + serial[1:]] if serial[0] == "0" and digits < "2003" else []
        return [*five, *([short + serial] if digits >= "2002" else [])] or [short + serial]
    return [digits]
