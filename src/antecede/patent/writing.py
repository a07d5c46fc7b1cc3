"""How a patent number is written: country, perhaps a kind, the number in groups, perhaps the kind again.

`EP-A-0 680 812`, `DE-OS 35 46 191`, `US 5,123,456 A`, `WO98/12345`: this file takes such a text apart. What the number
in the middle means is each office's own affair (`offices`).
"""

from __future__ import annotations

import re
import unicodedata

from antecede.patent.countries import COUNTRIES, RENAMED

LONGEST = 64
"""No number is written longer; what is, is looked at no further."""

PLAIN = re.compile(r"([A-Z]{2})-?([A-Z]{0,4}[0-9]{1,14})(?:-?([A-Z][0-9]?))?\Z")
"""The writing of databases and file names, our own too: nine of ten texts that come here."""
COUNTRY = re.compile(r"([A-Z]{2})(?![a-z])|([a-z]{2})(?=\S*\Z)")
"""In capitals: `No. 5`, `in 2004` and `de 35` are no numbers of Norway, India and Germany. A file name may be small."""
WORD = re.compile(r"(?!EPA|WOA)[A-Z]{3,}[ .]")
"""`ISO 9001`, `USD 500`."""
KIND = re.compile(r"[A-Z][0-9]?\Z")
LAST_KIND = re.compile(r"(?<=[0-9])[ \-]*\(?([A-Z][0-9]?)\)?\.?\Z")
FIRST_KIND = re.compile(r"(OS|AS|PS|GM|[ABCTUY][0-9]?|[EPS][0-9])[ .\-]+(?=[A-Z]{0,2}[0-9 .\-])")
OPEN_KIND = re.compile(r"[A-Z][0-9] [0-9]{3}(?: [0-9]{3})+\Z")
"""`A1 234 567`: kind A1, or kind A and 1 234 567? Nobody can tell."""
TIGHT_KIND = re.compile(r"([ABCUY])(?=[SH]?[0-9]{4})")
FIRST_KINDS_NOT_OF = {"US": "TH", "JP": "ESP"}
"""Letters that stand for a series of numbers in that office: `US T987,001`, `JP S60-12345`."""
STANDARD = re.compile(
    r"(?:[A-Z]{1,8}[ .\-]{0,2})?(?:"
    r"[0-9]+"
    r"|[0-9]{1,3}(?:(?:, ?|[ .])[0-9]{3})+"
    r"|[0-9]{2,3}[ .][0-9]{2}[ .][0-9]{3}(?:\.[0-9])?"
    r"|[12]0[ .\-]?(?:19|20)[0-9]{2}[ .\-](?:[0-9]{3}[ .][0-9]{3}(?:\.[0-9])?|[0-9]{6,7})"
    r"|[12]0-[0-9]{7}"
    r"|(?:0 ?)?[0-9]{4} [0-9]{3}|[0-9] [0-9]{6}"
    r"|(?:19|20)[0-9]{2} ?[/ \-] ?[0-9]{4,7}|(?:19|20)[0-9]{2} ?/ ?[0-9]{2,3}[ ,][0-9]{3}"
    r"|[0-9]{2} ?/ ?(?:[0-9]{4,6}|[0-9]{2,3} [0-9]{3})|[0-9]{2} [0-9]{5}"
    r"|[0-9]{4,6}/[0-9]{2}|[0-9]{1,6}/(?:19|20)[0-9]{2}"
    r")\Z"
)
"""Digits closed up or in the customary groups (thousands, `35 46 191`, year and serial): such a body is one number's
writing. `1-11` and `11-1` are nobody's; joining their digits would make one number of two names."""
JAPANESE = re.compile(
    r"P?[ .]?(?:(?:SHO(?:WA)?|HEI(?:SEI)?|[SH])[ .,\-]{0,2})?[0-9]{1,2} ?[/\-] ?(?:[0-9]{1,6}|[0-9]{2,3},[0-9]{3})\Z"
)
"""The year of an era and a serial."""
GERMAN_KINDS = {"OS": "A", "AS": "B", "PS": "C", "GM": "U"}
"""Offenlegungs-, Auslege-, Patentschrift, Gebrauchsmuster."""

DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-")
SPACES = dict.fromkeys(map(ord, "\t\n\r\f\v_"), " ")
MARKS = dict.fromkeys(map(ord, "'`\u00b4\u2018\u2019"), ",")
UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), "")
SIGNS = {**DASHES, **SPACES, **MARKS, **UNSEEN}


def plain(text: str) -> str:
    """The text in ASCII signs where it can be: wide digits, dashes and spaces of every kind, apostrophes as commas."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(SIGNS))
    return " ".join(text.translate(SIGNS).split())


def take_country(text: str) -> tuple[str, str] | None:
    """The country that a text begins with, and the rest."""
    found = COUNTRY.match(text) if text.isascii() else None
    if found is None or WORD.match(text) is not None:
        return None
    country = found[0].upper()
    if country not in COUNTRIES:
        return None
    rest = text[2:].upper()
    if country == "NO" and rest.startswith("."):  # «NO. 5»
        return None
    return RENAMED.get(country, country), rest


def is_standard(country: str, body: str) -> bool:
    """Whether the part of a number after its country, without the kind, is written in customary groups of digits."""
    return STANDARD.match(body) is not None or (country == "JP" and JAPANESE.match(body) is not None)


def take_kind(country: str, rest: str) -> tuple[str, str | None]:
    """The number in what follows the country, and the kind that stands before or behind it; behind counts more."""
    rest = rest.strip(" .:/-")
    if OPEN_KIND.match(rest) is not None:
        return "", None
    kind = None
    found = FIRST_KIND.match(rest)
    if found is None or found[1][0] in FIRST_KINDS_NOT_OF.get(country, ""):
        found = TIGHT_KIND.match(rest)
    if found is not None:
        kind = GERMAN_KINDS.get(found[1], found[1])
        rest = rest[found.end() :].lstrip(" .-")
    if (last := LAST_KIND.search(rest)) is not None:
        kind = last[1]
        rest = rest[: last.start()]
    return rest, kind
