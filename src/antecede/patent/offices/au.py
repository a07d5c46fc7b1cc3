"""IP Australia."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import general_number, join_groups, office

SERIAL_AND_YEAR = re.compile(r"([0-9]{1,5})/([0-9]{2})\Z")


@office("AU")
def australian(body: str, _kind: str | None) -> str | None:
    """Applications until 2001 are serial and year, `18524/99`: in DOCDB `1852499`, elsewhere `199918524`. Later
    ones, `2004123456`, and accepted ones, `750911`, are unchanged."""
    if (found := SERIAL_AND_YEAR.match(body)) is not None:
        return found[1].rjust(5, "0") + found[2] if found[1].strip("0") else None
    digits = join_groups(body)
    if digits is not None and len(digits) == 9 and "1968" <= digits[:4] <= "2001":
        return digits[4:] + digits[2:4] if digits[4:].strip("0") else None
    if digits is not None and len(digits) == 7:
        return digits if digits[:5].strip("0") else None
    return general_number("AU", body)
