"""The number of a patent in one normal form, so that `EP-1000000-A1`, `EP1000000A1` and `EP 1 000 000` are equal.

A number is written as a country, possibly a kind, the number in groups, possibly the kind again: `EP-A-0 680 812`,
`DE-OS 35 46 191`, `US 5,123,456 A`, `WO98/12345`. Such a text is taken apart here; what the number in the middle means
is defined per office (`offices`).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from antecede.patent.offices import normal_number

# Country codes of WIPO standard ST.3, with those no longer in use

_STATES = (
    "AD AE AF AG AI AL AM AN AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BV BW BY BZ "
    "CA CD CF CG CH CI CK CL CM CN CO CR CU CV CW CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FO FR "
    "GA GB GD GE GG GH GI GL GM GN GQ GR GS GT GW GY HK HN HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP "
    "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG MK ML MM MN MO MP MR MS MT MU "
    "MV MW MX MY MZ NA NE NG NI NL NO NP NR NZ OM PA PE PG PH PK PL PT PW PY QA RO RS RU RW SA SB SC SD SE SG SH SI "
    "SK SL SM SN SO SR SS ST SV SY SZ TC TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VN VU WS "
    "YE ZA ZM ZW"
)
_REGIONAL = "AP BX EA EM EP GC IB OA QZ WO XN XV"
"""ARIPO, Benelux, Eurasia, EU, EPO, the Gulf states, WIPO twice, OAPI, CPVO, Nordic, Visegrad."""
_FORMER = "CS DD DL DT RH SU TP UK VD YD YU ZR"
"""Former states, whose patents are still cited. DT and RH were codes of DE and ZW until 1978."""

COUNTRIES = frozenset(_STATES.split()) | frozenset(_REGIONAL.split()) | frozenset(_FORMER.split())
_RENAMED = {"DT": "DE", "DL": "DD", "RH": "ZW", "UK": "GB"}
"""Codes used before 1978 for an office that now has another; UK was never a code, but occurs in many files."""

# Notation

_MAX_LENGTH = 64
"""Longer texts are not examined: no number is written with more characters."""

_COMPACT = re.compile(r"([A-Z]{2})-?([A-Z]{0,4}[0-9]{1,14})(?:-?([A-Z][0-9]?))?\Z")
"""The notation of databases, file names and this program: nine of ten texts."""
_COUNTRY = re.compile(r"([A-Z]{2})(?![a-z])|([a-z]{2})(?=\S*\Z)")
"""In capitals: `No. 5`, `in 2004` and `de 35` are not numbers of Norway, India and Germany. A file name may be in lower
case."""
_WORD = re.compile(r"(?!EPA|WOA)[A-Z]{3,}[ .]")
"""`ISO 9001`, `USD 500`."""
_KIND = re.compile(r"[A-Z][0-9]?\Z")
_LAST_KIND = re.compile(r"(?<=[0-9])[ \-]*\(?([A-Z][0-9]?)\)?\.?\Z")
_FIRST_KIND = re.compile(r"(OS|AS|PS|GM|[ABCTUY][0-9]?|[EPS][0-9])[ .\-]+(?=[A-Z]{0,2}[0-9 .\-])")
_AMBIGUOUS_KIND = re.compile(r"[A-Z][0-9] [0-9]{3}(?: [0-9]{3})+\Z")
"""`A1 234 567`: kind A1, or kind A and 1 234 567? This is ambiguous."""
_CLOSE_KIND = re.compile(r"([ABCUY])(?=[SH]?[0-9]{4})")
_FIRST_KINDS_NOT_OF = {"US": "TH", "JP": "ESP"}
"""Letters that denote a series of numbers of that office: `US T987,001`, `JP S60-12345`."""
_STANDARD = re.compile(
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
"""Digits without spaces or in the customary groups (thousands, `35 46 191`, year and serial). `1-11` and `11-1` are not
customary; joining their digits would make one number of two names."""
_JAPANESE = re.compile(
    r"P?[ .]?(?:(?:SHO(?:WA)?|HEI(?:SEI)?|[SH])[ .,\-]{0,2})?[0-9]{1,2} ?[/\-] ?(?:[0-9]{1,6}|[0-9]{2,3},[0-9]{3})\Z"
)
"""The year of an era and a serial number."""
_GERMAN_KINDS = {"OS": "A", "AS": "B", "PS": "C", "GM": "U"}
"""Offenlegungs-, Auslege-, Patentschrift, Gebrauchsmuster."""

_ASCII_FORMS = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"), "-"),
    **dict.fromkeys(map(ord, "\t\n\r\f\v_"), " "),
    **dict.fromkeys(map(ord, "'`\u00b4\u2018\u2019"), ","),  # between thousands
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), ""),  # not visible
}


@dataclass(frozen=True, slots=True)
class PatentNumber:
    """Country and number in normal form; the kind code is kept, but not part of the key."""

    country: str
    number: str
    kind: str | None = None

    @property
    def key(self) -> str:
        """Country and number, `EP1000000`: the same for all documents of a patent."""
        return f"{self.country}{self.number}"

    def __str__(self) -> str:
        return f"{self.country}-{self.number}-{self.kind}" if self.kind else self.key

    @classmethod
    def parse(cls, text: str) -> PatentNumber | None:
        """The number in a text that includes the country; None if there is none."""
        return _parse_number(text) if len(text) <= _MAX_LENGTH else None

    @classmethod
    def parse_name(cls, text: str) -> PatentNumber | None:
        """The number that a document name, or a user, writes in a customary form; None for any other name.

        `parse` joins digits however they are grouped, which suits citations. For names that is too lenient: `CH1-11`
        and `CH11-1` are two names, and neither is the patent CH 111.
        """
        return _parse_name(text) if len(text) <= _MAX_LENGTH else None

    @classmethod
    def of(cls, country: str, number: str, kind: str | None = None) -> PatentNumber | None:
        """The number from the separate parts given in a file; None if they are not valid."""
        return _number_of(country, number, kind) if len(country) + len(number) <= _MAX_LENGTH else None


@lru_cache(maxsize=1 << 16)  # numbers are cited repeatedly within a collection
def _parse_number(text: str) -> PatentNumber | None:
    if (compact := _COMPACT.match(text)) is not None and compact[1] in COUNTRIES:
        number = _make_number(_RENAMED.get(compact[1], compact[1]), compact[2], compact[3])
        if number is not None or compact[2].isdecimal():
            return number
    parts = _take_country(_to_ascii(text))
    return None if parts is None else _make_number(parts[0], *_take_kind(*parts))


@lru_cache(maxsize=1 << 16)
def _parse_name(text: str) -> PatentNumber | None:
    if _COMPACT.match(text) is not None:
        return _parse_number(text)
    parts = _take_country(_to_ascii(text))
    if parts is None:
        return None
    country, rest = parts
    body, kind = _take_kind(country, rest)
    customary = _STANDARD.match(body) is not None or (country == "JP" and _JAPANESE.match(body) is not None)
    return _make_number(country, body, kind) if customary else None


@lru_cache(maxsize=1 << 16)
def _number_of(country: str, number: str, kind: str | None) -> PatentNumber | None:
    country = country.strip().upper()
    country = _RENAMED.get(country, country)
    if country not in COUNTRIES:
        return None
    given = (kind or "").strip().upper()
    if given == "00":  # the kind of applications in USPTO files
        return None
    rest = _to_ascii(number).upper()
    if not rest.isascii():
        return None
    body, written = _take_kind(country, rest.removeprefix(country))
    return _make_number(country, body, given if _KIND.match(given) else written)


def _make_number(country: str, body: str, kind: str | None) -> PatentNumber | None:
    number = normal_number(country, body, kind)
    return None if number is None else PatentNumber(country, number, kind)


# Taking a text apart


def _to_ascii(text: str) -> str:
    """The text in ASCII characters where possible: wide digits, all dashes and spaces, apostrophes as commas."""
    if text.isascii() and text.isalnum():
        return text
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_ASCII_FORMS))
    return " ".join(text.translate(_ASCII_FORMS).split())


def _take_country(text: str) -> tuple[str, str] | None:
    code = _COUNTRY.match(text) if text.isascii() else None
    if code is None or _WORD.match(text) is not None:
        return None
    country = code[0].upper()
    if country not in COUNTRIES:
        return None
    rest = text[2:].upper()
    if country == "NO" and rest.startswith("."):  # «NO. 5»
        return None
    return _RENAMED.get(country, country), rest


def _take_kind(country: str, rest: str) -> tuple[str, str | None]:
    """The number after the country, and the kind before or after it; one after it takes precedence."""
    if rest.isdecimal():
        return rest, None
    rest = rest.strip(" .:/-")
    if _AMBIGUOUS_KIND.match(rest) is not None:
        return "", None
    kind = None
    first = _FIRST_KIND.match(rest)
    if first is None or first[1][0] in _FIRST_KINDS_NOT_OF.get(country, ""):
        first = _CLOSE_KIND.match(rest)
    if first is not None:
        kind = _GERMAN_KINDS.get(first[1], first[1])
        rest = rest[first.end() :].lstrip(" .-")
    if (last := _LAST_KIND.search(rest)) is not None:
        kind = last[1]
        rest = rest[: last.start()]
    return rest, kind
