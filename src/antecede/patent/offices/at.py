"""The Austrian Patent Office."""

from __future__ import annotations

from antecede.patent.offices.registry import general_number, office

SEPARATE_SERIES = {"T": "E", "U": "U"}


@office("AT")
def austrian(body: str, kind: str | None) -> str | None:
    """European patents in translation (T), as `E 305749`, and utility models (U) are numbered separately."""
    number = general_number("AT", body)
    if number is not None and number.isdecimal() and kind is not None and kind[0] in SEPARATE_SERIES:
        return SEPARATE_SERIES[kind[0]] + number
    return number
