"""IPC and CPC codes in normal form: `H04L 12/56`, subclass, a space, group.

Offices write them in a dozen ways: `H04L  12/56` padded, `H04L012/56` filled with zeros, `H04L12/56`, `G06F 1516` (no
slash, the 2001 grants), `7H 04L  12/56   A` with edition and position, `B28B   1/00        20060101C I20051008RMEP`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

CODE = re.compile(r"\s*(?:(?:Int\s*\.?\s*Cl\s*\.?\s*)?\d{0,2}\s*)([A-HY])\s*(\d\d)\s*([A-Z])(?:\s*(\d{1,4})\s*/\s*(\d{1,6}))?", re.IGNORECASE)
CLOSED = re.compile(r"\s*\d?\s*([A-H])\s*(\d\d)\s*([A-Z])\s*(\d{2,3})(\d{2,3})(?:\s|$)")


def parse_code(text: str) -> str | None:
    """The normal form of an IPC or CPC code, `None` where the text holds none; `H04L` alone stays a subclass."""
    found = CODE.match(text)
    if found is None:
        return None
    section, number, subclass, group, subgroup = found.groups()
    start = f"{section}{number}{subclass}".upper()
    if group is not None:
        return f"{start} {int(group)}/{subgroup}"
    if (closed := CLOSED.match(text.upper())) is not None:
        return f"{start} {int(closed[4])}/{closed[5]}"
    return start


def codes(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The codes of several texts, in their order, each once; what is no code is passed over."""
    found = (parse_code(text) for text in texts if text)
    return tuple(dict.fromkeys(code for code in found if code))
