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

_MAX_LENGTH = 200
"""The characters at the beginning of a text that are examined."""
_SUBCLASS = (
    # The words, or the edition.
    r"\s*+(?:(?:INT\s*+\.?\s*+CL|IPC|CPC)\s*+\.?\s*+(?:\(?[0-9]{1,2}\)?)?[\s.:]*+|[0-9]\s*+)?"
    r"([A-HY])\s?([0-9]{2})\s?([A-Z])"
)
_WITH_SLASH = re.compile(_SUBCLASS + r"[\s\-]*0*([1-9][0-9]{0,3})\s*/\s*([0-9]{2,6})(?![0-9])", re.IGNORECASE)
_COLUMNS = re.compile(_SUBCLASS + r"(  [1-9]| [0-9]{2}|[0-9]{3})([0-9]{2,4})\s*\Z")
_CLOSED_UP = re.compile(_SUBCLASS + r"\s?([1-9])([0-9]{2})\s*\Z")
_SUBCLASS_ONLY = re.compile(_SUBCLASS + r"\s*/?\s*\Z")
_GROUP_ONLY = re.compile(r"\s*([0-9]{1,4}\s*/\s*[0-9]{2,6})(?![0-9/])")
_SEPARATOR = re.compile(r"[;,|\n]")


def parse_code(text: str) -> str | None:
    """The normal form of the IPC or CPC code at the beginning of a text, None if there is none; `H04L` is a subclass.

    Without a slash, as in US grants until 2005, the main group has three columns, padded with spaces, and the subgroup
    the rest: `G06F 1516` is 15/16, `H05K  720` is 7/20, `H01L 21302` is 21/302, `C07C24900` is 249/00. The spaces of
    such a text must be preserved. Classes of other systems are not codes: `709202`, `D21623`, `0801`.
    """
    text = text[:_MAX_LENGTH]
    if (code := _WITH_SLASH.match(text)) is not None:
        return f"{code[1]}{code[2]}{code[3]}".upper() + f" {code[4]}/{code[5]}"
    if (code := _COLUMNS.match(text) or _CLOSED_UP.match(text)) is not None:
        return f"{code[1]}{code[2]}{code[3]} {int(code[4])}/{code[5]}" if int(code[4]) else None
    if (code := _SUBCLASS_ONLY.match(text)) is not None:
        return f"{code[1]}{code[2]}{code[3]}"
    return None


def codes(texts: Iterable[str | None]) -> tuple[str, ...]:
    """The codes of several texts, in order, each once; what is not a code is skipped.

    A text may contain several, `C07D 401/12, 403/12; A61K 31/44`; a group alone belongs to the preceding subclass.
    """
    lists = (_cached_codes(text) if len(text) <= _MAX_LENGTH else _codes_in(text) for text in texts if text)
    return tuple(dict.fromkeys(chain.from_iterable(lists)))


def _codes_in(text: str) -> tuple[str, ...]:
    codes: list[str] = []
    subclass = ""
    for part in _SEPARATOR.split(text):
        if subclass and (group := _GROUP_ONLY.match(part)) is not None:
            part = f"{subclass} {group[1]}"
        if (code := parse_code(part)) is not None:
            codes.append(code)
            subclass = code[:4]
    return tuple(codes)


_cached_codes = lru_cache(maxsize=1 << 14)(_codes_in)
"""The same classes occur again and again in a collection."""
