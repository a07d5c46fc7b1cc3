"""The Swedish Intellectual Property Office."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import general_number, office

CHECK_DIGIT = re.compile(r"(?<=[0-9]{7})[ \-][0-9]\Z")


@office("SE")
def swedish(body: str, kind: str | None) -> str | None:
    """Applications are year and serial, `9303411-1`; the check digit is missing in some sources."""
    return general_number("SE", CHECK_DIGIT.sub("", body), kind)
