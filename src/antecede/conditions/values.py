"""Values of facts in the form in which they are compared: classes, names of people, numbers, languages, offices."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.errors import UsageError, printable
from antecede.patent import PatentNumber
from antecede.text.analyzer import REMOVAL
from antecede.text.folding import FOLDINGS

if TYPE_CHECKING:
    from antecede.text.folding import Folding

CLASS_PREFIX = re.compile(r"([A-HY])(?:(\d|\d\d)|(\d\d[A-Z])(?:0*([1-9]\d{0,3})(?:/(\d{0,6}))?)?)?")


def parse_class_prefix(text: str) -> str:
    """The prefix of an IPC code in normal form: `H04L12/56` is `H04L 12/56`, `H04L12` is `H04L 12/`, `h04` is `H04`."""
    match = CLASS_PREFIX.fullmatch("".join(text.upper().split()))
    if match is None:
        raise UsageError(
            f"{printable(text)!r} is not a prefix of an IPC code; write it as H04, H04L, H04L 12, H04L 12/56"
        )
    section, numbers, subclass, group, rest = match.groups()
    return f"{section}{numbers or subclass or ''}" + (f" {group}/{rest or ''}" if group else "")


@lru_cache(maxsize=65536)
def name_key(name: str, folding: Folding = "none") -> str:
    """What names are compared by: the words without case, accents and punctuation; `Müller & Söhne` is `muller sohne`.

    `folding` is that of the profile of an index (`Profile.names`). By `german`, MUELLER is the same name. A key may be
    given in place of a name, also one that was made without folding.

    >>> name_key("Société L'Air Liquide, S.A."), name_key("MUELLER", "german")
    ('societe l air liquide s a', 'muller')
    """
    name = name.translate(REMOVAL) if folding != "none" else name
    plain = "".join(char for char in unicodedata.normalize("NFKD", name) if not unicodedata.combining(char))
    key = " ".join("".join(char if char.isalnum() else " " for char in plain.casefold()).split())
    return FOLDINGS[folding](key)


MAX_NAME_LENGTH = 1000
"""Characters of a name that is looked for: the time to compare it with a name grows with both of their lengths."""
_TRUNCATED = re.compile(r"(?<!\w)\w++[*?]+(?!\w)")


def sought_key(name: str) -> str:
    """The key of a name in a query; a name without a word is refused."""
    if len(name) > MAX_NAME_LENGTH:
        raise UsageError(f"a name has at most {MAX_NAME_LENGTH} characters, this one has {len(name)}")
    if (truncated := _TRUNCATED.search(name)) is not None:
        raise UsageError(
            f"{printable(truncated[0])!r} is truncated; of names only whole words are found, so write the word"
        )
    key = name_key(name.translate(REMOVAL))
    if not key:
        raise UsageError(f"{printable(name)!r} has no word")
    return key


def cited_key(text: str) -> str:
    """The normal form of a patent number, as citations have it."""
    number = PatentNumber.parse_name(text)
    if number is None:
        raise UsageError(f"{printable(text)!r} is not a patent number; write it as EP1000000")
    return number.key
