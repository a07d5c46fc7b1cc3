"""Character entities of patents, such as `&agr;` and `&mdash;`; no DTD is ever read.

The names of HTML 5, which Python includes, cover nearly all ISO and MathML sets. This module adds what patents use
beyond them: the Greek letters of ISO 8879 (`&agr;`), bold Greek (`&b.alpha;`), names of older sets, and some of the
USPTO. Where the sets of 1986, 2003 and HTML 5 disagree on a character, HTML 5 is followed.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from html.entities import html5
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

GREEK = {
    "a": "α", "b": "β", "g": "γ", "d": "δ", "e": "ε", "z": "ζ", "ee": "η", "th": "θ", "i": "ι", "k": "κ", "l": "λ",
    "m": "μ", "n": "ν", "x": "ξ", "o": "ο", "p": "π", "r": "ρ", "sf": "ς", "s": "σ", "t": "τ", "u": "υ", "ph": "φ",
    "kh": "χ", "ps": "ψ", "oh": "ω",
}  # fmt: skip
"""The letters as ISOgrk1 spells them, without the suffix `gr`; a capital is spelled in capitals: `PHgr`."""

ACUTE, DIAERESIS = "\u0301", "\u0308"
ACCENTED = {"ac": ("a", "e", "ee", "i", "o", "u", "oh"), "di": ("i", "u"), "dia": ("i", "u")}
ACCENTS = {"ac": ACUTE, "di": DIAERESIS, "dia": DIAERESIS + ACUTE}

OLDER = {
    # ISO 8879 and MathML 1, renamed or dropped since
    "epsis": "ε", "phis": "φ", "thetas": "θ", "gsdot": "⋗", "ldot": "⋖", "cupre": "≼", "samalg": "∐", "sbsol": "﹨",
    "jnodot": "ȷ", "vprime": "′", "lpargt": "⦠", "percent": "%",
    "larr2": "⇇", "rarr2": "⇉", "uarr2": "⇈", "darr2": "⇊", "lrarr2": "⇆", "rlarr2": "⇄", "lrhar2": "⇋",
    "rlhar2": "⇌",
    "LeftBracketingBar": "|", "RightBracketingBar": "|", "LeftDoubleBracketingBar": "‖",
    "RightDoubleBracketingBar": "‖", "AutoLeftMatch": "", "AutoRightMatch": "", "InvisibleComma": "\u2063",
    # the USPTO's own, mostly for polymers: the nearest character
    "Circlesolid": "●", "Parenopenst": "⦅", "Parenclosest": "⦆", "Brketopenst": "⟦", "Brketclosest": "⟧",
    "Asteriskpseud": "※",
}  # fmt: skip

BOLD = {
    **{chr(code): chr(0x1D6A8 + code - 0x391) for code in range(0x391, 0x3AA) if code != 0x3A2},
    **{chr(code): chr(0x1D6C2 + code - 0x3B1) for code in range(0x3B1, 0x3CA)},
    **dict(zip("ϵϑϰϕϱϖϜϝϒ", "\U0001d6dc\U0001d6dd\U0001d6de\U0001d6df\U0001d6e0\U0001d6e1𝟊𝟋\U0001d6bc", strict=True)),
}
"""Greek letter → bold letter of ISOgrk4."""


def greek_entities() -> Iterator[tuple[str, str]]:
    """ISOgrk1 and ISOgrk2 by rule: letters, then letters with accents, each in lower and upper case."""
    for spelling, letter in GREEK.items():
        yield f"{spelling}gr", letter
        if spelling != "sf":  # a final sigma has no capital
            yield f"{spelling.upper()}gr", letter.upper()
    for accent, spellings in ACCENTED.items():
        for spelling in spellings:
            letter = unicodedata.normalize("NFC", GREEK[spelling] + ACCENTS[accent])
            yield f"{spelling}{accent}gr", letter
            if accent != "dia":
                yield f"{spelling.upper()}{accent}gr", letter.upper()


@cache
def known_entities() -> Mapping[str, str]:
    """All names in tables, without the rules for bold and for capitals."""
    return {
        **{name[:-1]: text for name, text in html5.items() if name.endswith(";")},
        **OLDER,
        **dict(greek_entities()),
    }


def find_character(name: str) -> str | None:
    """The character, or characters, of an entity; None if the name is unknown."""
    known = known_entities()
    if name in known:
        return known[name]
    if name.startswith("b."):
        plain = known.get(name[2:])
        return None if plain is None else BOLD.get(plain)
    return find_in_capitals(name) if name.isupper() and name.isascii() else None


def find_in_capitals(name: str) -> str | None:
    """An entity in a text converted to capitals, as in DOCDB: `KO&SACUTE;NIK`, `A&MDASH;B`."""
    known = known_entities()
    for capital in (name[0] + name[1:].lower(), name[:2] + name[2:].lower()):
        if (letter := known.get(capital, "")).isalpha():
            return letter
    small = known.get(name.lower())
    if small is None or not unicodedata.name(small[0], "").startswith("LATIN SMALL LETTER"):
        return small
    return small.upper()
