"""The Italian Patent and Trademark Office."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import general_number, office

TOWN = re.compile(r"([A-Z]{2})[ ]?((?:19|20)[0-9]{2})[AUVZ]([0-9]{6})\Z")


@office("IT")
def italian(body: str, _kind: str | None) -> str | None:
    """Applications have town, year and serial: `BO2000A000094`, in DOCDB `BO20000094`."""
    found = TOWN.match(body)
    if found is None:
        return general_number("IT", body)
    serial = found[3].lstrip("0").rjust(4, "0")
    return found[1] + found[2] + serial if serial.strip("0") else None
