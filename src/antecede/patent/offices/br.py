"""The Brazilian National Institute of Industrial Property."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import general_number, office

INVENTION = re.compile(r"(?:PI)?[ ]?([0-9]{7})(?:[ \-][0-9])?\Z")


@office("BR")
def brazilian(body: str, _kind: str | None) -> str | None:
    """`PI 0412345-6`: the letters and the check digit are missing in some sources."""
    found = INVENTION.match(body)
    if found is None:
        return general_number("BR", body)
    return found[1] if found[1].strip("0") else None
