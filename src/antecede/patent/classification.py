"""IPC and CPC codes in normal form: `H04L 12/56`, subclass, a space, group.

Files use a dozen notations: `H04L  12/56` in columns, `H04L012/56` padded with zeros, `H04L12/56`,
` 7H 04L  12/56   A` with edition and position, `B28B   1/00        20060101C I20051008RMEP`, `C03B19/14D` with the
letters of ECLA, and `H05K  720` without a slash.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 200
"""The characters at the beginning of a text that are examined."""
SUBCLASS = (
    r"\s*(?:(?:INT\s*\.?\s*CL|IPC|CPC)\s*\.?\s*(?:\(?[0-9]{1,2}\)?)?[\s.:]*|[0-9]\s*)?"  # the words, or the edition
    r"([A-HY])\s?([0-9]{2})\s?([A-Z])"
)
WITH_SLASH = re.compile(SUBCLASS + r"[\s\-]*0*([1-9][0-9]{0,3})\s*/\s*([0-9]{2,6})(?![0-9])", re.IGNORECASE)
COLUMNS = re.compile(SUBCLASS + r"(  [1-9]| [1-9][0-9]|[0-9]{3})([0-9]{2,4})\s*\Z")
CLOSED_UP = re.compile(SUBCLASS + r"\s?([1-9])([0-9]{2})\s*\Z")
SUBCLASS_ONLY = re.compile(SUBCLASS + r"\s*/?\s*\Z")
GROUP_ONLY = re.compile(r"\s*([0-9]{1,4}\s*/\s*[0-9]{2,6})(?![0-9/])")
SEPARATOR = re.compile(r"[;,|\n]")


def parse_code(text: str) -> str | None:
    """The normal form of the IPC or CPC code at the beginning of a text, None if there is none; `H04L` is a subclass.

    Without a slash, as in US grants until 2005, the main group has three columns, padded with spaces, and the subgroup
    the rest: `G06F 1516` is 15/16, `H05K  720` is 7/20, `H01L 21302` is 21/302, `C07C24900` is 249/00. The spaces of
    such a text must be preserved. Classes of other systems are not codes: `709202`, `D21623`, `0801`.
    """
    text = text[:LONGEST]
    if (found := WITH_SLASH.match(text)) is not None:
        return f"{found[1]}{found[2]}{found[3]}".upper() + f" {found[4]}/{found[5]}"
    if (found := COLUMNS.match(text) or CLOSED_UP.match(text)) is not None:
        return f"{found[1]}{found[2]}{found[3]} {int(found[4])}/{found[5]}" if int(found[4]) else None
    if (found := SUBCLASS_ONLY.match(text)) is not None:
        return f"{found[1]}{found[2]}{found[3]}"
    return None


def codes(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The codes of several texts, in order, each once; what is not a code is skipped.

    A text may contain several, `C07D 401/12, 403/12; A61K 31/44`; a group alone belongs to the preceding subclass.
    """
    found = (cached_codes(text) if len(text) <= LONGEST else codes_in(text) for text in texts if text)
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def codes_in(text: str) -> tuple[str, ...]:
    """The codes of one text."""
    found: list[str] = []
    subclass = ""
    for part in SEPARATOR.split(text):
        if subclass and (group := GROUP_ONLY.match(part)) is not None:
            part = f"{subclass} {group[1]}"
        if (code := parse_code(part)) is not None:
            found.append(code)
            subclass = code[:4]
    return tuple(found)


cached_codes = lru_cache(maxsize=1 << 14)(codes_in)
"""The same classes occur again and again in a collection."""
