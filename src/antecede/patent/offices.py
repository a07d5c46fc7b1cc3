"""The numbers of each office in normal form.

An ambiguous number is read according to the rules of its office, and not at all if they leave it open: two patents
mistaken for one would be worse than one that is not found.

Only publication numbers are accepted. Applications have numbers of their own, often in the same form; where the form
distinguishes them (`PCT/EP2005/001234`, `EP 98123456.7`) they are refused, elsewhere the field of the file decides.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    Office = Callable[[str, str | None], str | None]
    """Takes a number as written, in ASCII capitals, and the kind; returns the normal form or None."""

LAST_YEAR = 2049
"""The last number accepted as a year."""


def normal_number(country: str, body: str, kind: str | None) -> str | None:
    """The normal form of a number of a country, written as `body`; None if it is not valid."""
    if kind == "W":  # an application under the PCT, in DOCDB and MAREC
        return None
    normalize = OFFICES.get(country) or _added_offices().get(country)
    number = _general_number(country, body, kind) if normalize is None else normalize(body, kind)
    if number is None and len(body) == _PADDED and body.isdecimal() and body.startswith("0"):
        return normal_number(country, body.lstrip("0"), kind)
    return number


_PADDED = 12
"""Digits of a number with leading zeros, as DEPATISnet writes all numbers."""


@cache
def _added_offices() -> dict[str, Office]:
    """The offices that other packages declare as entry points, by their codes."""
    from importlib.metadata import entry_points

    return {entry.name: entry.load() for entry in entry_points(group="antecede.offices")}


# What the numbers of offices have in common

_GROUPS = re.compile(r"[0-9]+(?:[ \-][0-9]+|[.,] ?[0-9]{2,3}(?![0-9])|\.[0-9]{5}(?![0-9]))*\Z")
_NO_DIGIT = re.compile(r"[^0-9]")
_LETTERED = re.compile(r"([A-NP-Z][A-Z]{0,3})[ .\-]*([0-9].*)\Z")
_MAX_NUMBER_LENGTH = 14

_SEPARATE_SERIES = {
    "DK": "TU", "FI": "TU", "HU": "T", "LT": "T", "NO": "T", "PL": "TU", "PT": "ETU", "SE": "T", "SI": "T", "TW": "U",
}  # fmt: skip
"""Offices, and the kinds numbered separately from patents: translations under the European number, utility models."""
_YEAR_FIRST = {"DK", "FI", "HU", "NL", "NO", "SE", "ZA"}
"""Offices whose numbers of seven digits begin with a year: `0401234` keeps its zero, to differ from an old `401234`."""


def _general_number(country: str, body: str, kind: str | None = None) -> str | None:
    """The rule for offices without one of their own: letters before a number are part of it (`MXPA04012345`), a slash
    is a space (`ZA 2005/04838`), and leading zeros of digits alone are removed."""
    if (lettered := _LETTERED.match(body)) is not None:
        digits = _join_groups(lettered[2].replace("/", "-"))
        return lettered[1] + digits if digits and len(digits) <= _MAX_NUMBER_LENGTH and digits.strip("0") else None
    digits = _join_groups(body.replace("/", "-"))
    number = _running_number(digits)
    if number is None or digits is None:
        return None
    if country in _YEAR_FIRST and len(digits) == 7:
        number = digits
    return kind[0] + number if kind is not None and kind[0] in _SEPARATE_SERIES.get(country, "") else number


def _join_groups(body: str) -> str | None:
    """The digits of a number written in groups, `1 000 000` or `35.46.191`.

    A single digit after a dot is the check digit of an application number, which is not a publication: None.
    """
    if body.isdecimal():
        return body
    return _NO_DIGIT.sub("", body) if _GROUPS.match(body) is not None else None


def _take_series(body: str, kind: str | None, series: str) -> tuple[str, str | None]:
    """Remove the letter by which a normal form marks one of its `series`; it is the kind if none is given."""
    return (body[1:], kind or body[0]) if body and body[0] in series else (body, kind)


def _running_number(digits: str | None, longest: int = _MAX_NUMBER_LENGTH) -> str | None:
    if digits is None:
        return None
    digits = digits.lstrip("0")
    return digits if 0 < len(digits) <= longest else None


def _year_number(year: str, serial: str, width: int, first: int) -> str | None:
    """A year of four digits and a serial padded to its width; None for a year out of range."""
    serial = serial.lstrip("0")
    if not first <= int(year) <= LAST_YEAR or not 0 < len(serial) <= width:
        return None
    return year + serial.rjust(width, "0")


def _is_short_year_and_serial(digits: str, body: str) -> bool:
    """Whether a number is an application, `0604462`: seven digits with a leading zero, other than as `0 773 321`."""
    return len(digits) == 7 and digits[0] == "0" and body[1:2] not in {" ", ".", ","}


# Europe

_AT_SERIES = {"T": "E", "U": "U"}


def _austrian(body: str, kind: str | None) -> str | None:
    """European patents in translation (T), as `E 305749`, and utility models (U) are numbered separately."""
    number = _general_number("AT", body)
    if number is not None and number.isdecimal() and kind is not None and kind[0] in _AT_SERIES:
        return _AT_SERIES[kind[0]] + number
    return number


_DE_FILE_LETTER = re.compile(r"\A[PG][ .]*(?=[0-9])")
_DE_CHECK_DIGIT = re.compile(r"(?<=[0-9]{3})\.[0-9X]\Z")
_DE_SERIES = {"U": 6_000_000, "T": 2_800_000}
"""Kinds, and the number below which they are numbered separately from patents."""


def _german(body: str, kind: str | None) -> str | None:
    """Running numbers of seven digits, `35 46 191`; from 1995 with a leading year, `199 12 345`; from 2004 with type of
    right, year and serial, `10 2004 012 345`. The file number is the same with a check digit, `P 35 46 191.2`.

    Utility models before 1968, and European claims in translation (T1, under the European number), have the same
    numbers as patents, so their letter becomes part of the number.
    """
    body, kind = _take_series(body, kind, "TU")
    number = _running_number(_join_groups(_DE_CHECK_DIGIT.sub("", _DE_FILE_LETTER.sub("", body))))
    if number is None or not (len(number) <= 8 or len(number) == 12):
        return None
    return kind[0] + number if kind is not None and int(number) < _DE_SERIES.get(kind[0], 0) else number


def _european(body: str, _kind: str | None) -> str | None:
    """Seven digits, with or without leading zeros: `0 680 812` is `680812`.

    Eight digits are an application (`01250068`, year and serial), nine or more a Community design: without their
    leading zeros they would denote another patent.
    """
    digits = _join_groups(body)
    return _running_number(digits) if digits is not None and len(digits) <= 7 else None


_FR_PATENTS_END = 4_800_000
"""Patents reached 3.15 million in 2025, growing by fifteen thousand per year; above, `9812345` is an application."""


def _french(body: str, _kind: str | None) -> str | None:
    """Running numbers, `2 123 456` or `1.234.567`."""
    digits = _join_groups(body)
    if digits is None or _is_short_year_and_serial(digits, body):
        return None
    number = _running_number(digits)
    return None if number is None or int(number) > _FR_PATENTS_END else number


_GB_PATENTS_END, _GB_OLD_YEARS = 3_400_000, 161_700_000
"""Patents reached 2.64 million in 2025, growing by ten thousand per year; above, `9812345` is an application."""
_GB_SERIAL_AND_YEAR = re.compile(r"([0-9]{1,2},?[0-9]{0,3}) ?(?:/|OF|A\.?D\.?) ?(1[6-9][0-9]{2})\Z")


def _british(body: str, kind: str | None) -> str | None:
    """Running numbers since 1916, as which `191443` is read; before that a serial in each year, `43/1914`, here
    `191400043`. Every number of kind D0 is an application."""
    if (old := _GB_SERIAL_AND_YEAR.match(body)) is not None:
        return old[2] + old[1].replace(",", "").rjust(5, "0")
    digits = _join_groups(body)
    if digits is None or kind == "D0" or _is_short_year_and_serial(digits, body):
        return None
    number = _running_number(digits, 9)
    return None if number is None or _GB_PATENTS_END < int(number) < _GB_OLD_YEARS else number


_IT_TOWN = re.compile(r"([A-Z]{2})[ ]?((?:19|20)[0-9]{2})[AUVZ]([0-9]{6})\Z")


def _italian(body: str, _kind: str | None) -> str | None:
    """Applications have town, year and serial: `BO2000A000094`, in DOCDB `BO20000094`."""
    parts = _IT_TOWN.match(body)
    if parts is None:
        return _general_number("IT", body)
    serial = parts[3].lstrip("0").rjust(4, "0")
    return parts[1] + parts[2] + serial if serial.strip("0") else None


_SE_CHECK_DIGIT = re.compile(r"(?<=[0-9]{7})[ \-][0-9]\Z")


def _swedish(body: str, kind: str | None) -> str | None:
    """Applications are year and serial, `9303411-1`; the check digit is missing in some sources."""
    return _general_number("SE", _SE_CHECK_DIGIT.sub("", body), kind)


# WIPO: international applications as published under the Patent Cooperation Treaty

_WO_DIVIDED = re.compile(r"([0-9]{2}|[0-9]{4})[ /\-]([0-9]{1,3})[ ,.]?([0-9]{0,3})\Z")
_WO_DOUBLED = re.compile(r"((?:19|20)([0-9]{2}))(?:\1|\2)([0-9]{5,6})\Z")
_WO_CLOSED = re.compile(
    r"((?:19|20)[0-9]{2})(0?[0-9]{5,6})\Z"  # 9 to 11 digits: the long year
    r"|((?!19|20)[0-9]{2})([0-9]{6})\Z"  # 8: the short year and six
    r"|(0[0-9]|7[89]|[89][0-9])([0-9]{5})\Z"  # 7: the short year and five
    r"|(?!20[0-4][0-9])([23])([01][0-9]{5})\Z"  # 7: 02 and 03 with six, the zero of the year lost
    r"|(?!19[789][0-9]|20[0-4][0-9])([1-3])([0-9]{5})\Z"  # 6: 01 to 03 with five, likewise
    r"|(?!19[789][0-9]|20[0-4][0-9])()([0-9]{5})\Z"  # 5: 00, likewise
)


def _international(body: str, _kind: str | None) -> str | None:
    """Year and serial: `78/00001` with five digits until mid-2002, `02/062112` with six, `2004/012345` since 2004.

    Without separators, the length distinguishes year and serial, also if a source omitted leading zeros (`WO158956`) or
    repeated the year (`WO20020200326`). What could begin with a long as well as with a short year is refused.
    `PCT/EP2005/001234` is an application and always refused.
    """
    body = re.sub(r"\AW[O0][ /\-]*", "", body)
    if (divided := _WO_DIVIDED.match(body)) is not None:
        year, serial = divided[1], divided[2] + divided[3]
    else:
        digits = _join_groups(body) or ""
        closed = _WO_DOUBLED.match(digits) or _WO_CLOSED.match(digits)
        if closed is None:
            return None
        groups = [part for part in closed.groups() if part is not None]
        year, serial = groups[0].rjust(2, "0"), groups[-1]
    if len(year) == 2:  # below 78 it belongs to this century: the treaty entered into force in 1978
        year = ("19" if year >= "78" else "20") + year
    return _year_number(year, serial, 6, 1978)


# America

_BR_INVENTION = re.compile(r"(?:PI)?[ ]?([0-9]{7})(?:[ \-][0-9])?\Z")


def _brazilian(body: str, _kind: str | None) -> str | None:
    """`PI 0412345-6`: the letters and the check digit are missing in some sources."""
    parts = _BR_INVENTION.match(body)
    if parts is None:
        return _general_number("BR", body)
    return parts[1] if parts[1].strip("0") else None


_US_SERIES = re.compile(r"(RE(?:ISSUE)?|DES(?:IGN)?|D|PP|RX|AI|H|T|X)[ .\-]*([0-9][0-9 ,.\-]*)\Z")
_US_SHORT = {"REISSUE": "RE", "DES": "D", "DESIGN": "D"}
_US_SERIES_OF_KIND = {"S": "D", "E": "RE", "H": "H"}
_US_PUBLISHED = re.compile(r"([0-9]{4}) ?[/ \-] ?([0-9]{1,3})[ ,]?([0-9]{0,4})\Z")
_US_APPLICATIONS = {"A1", "A2", "A9", "P1", "P4", "P9"}
"""The kinds of published applications, in use since 2001."""
_US_GRANTS_END = 20_000_000
"""Grants reached 12.6 million in 2026, growing by a third of a million per year; year forms of eight digits begin at
20,010,001."""
_US_GRANTS = (
    (1836, 1), (1880, 223_211), (1900, 640_167), (1920, 1_326_899), (1940, 2_185_170),
    (1950, 2_492_944), (1960, 2_919_443), (1970, 3_487_470), (1975, 3_858_241), (1980, 4_180_867),
    (1985, 4_490_855), (1990, 4_890_335), (1995, 5_377_354), (2000, 6_009_555), (2005, 6_836_899),
    (2010, 7_640_598), (2015, 8_925_112), (2018.5, 10_000_000), (2021.4, 11_000_000), (2024.4, 12_000_000),
)  # fmt: skip
"""The first patent of some years, as listed by the USPTO; in between the numbers grow nearly linearly."""
_US_TOLERANCE = 1.5
"""Years between a date and the estimated date of grant."""


def _american(body: str, kind: str | None) -> str | None:
    """Grants are running numbers; designs, plants, reissues and the like have letters before theirs (`D435854`).

    Applications are published under a year and seven digits, `2001/0033243`. DOCDB omits the seventh digit
    (`2001033243`), others every leading zero of the serial (`200133243`): all become `20010033243`. A slash after two
    digits (`09/413,215`) marks the serial number of an application, not a publication.
    """
    if not body.isdecimal():
        if (lettered := _US_SERIES.match(body)) is not None:
            number = _running_number(_join_groups(lettered[2].rstrip(" ,.-")), 8)
            return number and _US_SHORT.get(lettered[1], lettered[1]) + number
        if (parts := _US_PUBLISHED.match(body)) is not None and ("/" in body or len(parts[2] + parts[3]) == 7):
            return _year_number(parts[1], parts[2] + parts[3], 7, 2001)
    digits = _join_groups(body)
    if digits is None:
        return None
    if kind is not None and kind[0] in "SEHP" and kind not in _US_APPLICATIONS:
        series = _US_SERIES_OF_KIND.get(kind[0], "PP")
        number = _running_number(digits, 5 if series == "PP" else 7)  # a plant of more digits is provisional
        return number and series + number
    return _us_grant_or_application(digits, kind)


def _us_grant_or_application(digits: str, kind: str | None) -> str | None:
    """Nine or more digits are an application. Eight do not overlap yet: below twenty million a grant, above an
    application, unless the kind says otherwise. Seven are a grant (`2005524` is of 1935 and might be the 524th
    application of 2005), unless the kind is that of an application."""
    published = kind in _US_APPLICATIONS
    granted = kind is not None and kind[0] in "BC"
    if len(digits) >= 9:
        return None if granted else _year_number(digits[:4], digits[4:], 7, 2001)
    if (published and len(digits) >= 5) or (kind is None and len(digits) == 8):
        application = _year_number(digits[:4], digits[4:], 7, 2001)
        if application is not None:
            return application
    number = _running_number(digits)
    if number is None or int(number) >= _US_GRANTS_END or (published and len(number) == 8):
        return None
    return number


def is_published_about(number: str, day: date) -> bool:
    """Whether a US number in normal form was granted, or published, around a date.

    The serial number of an application looks like a grant, but of another time: in 1991 applications had numbers around
    700,000, which patents had in 1902.
    """
    if not number.isdecimal():
        return False
    if len(number) > 8:
        return number.startswith(str(day.year))
    count = int(number)
    after = next((at for at, (_, first) in enumerate(_US_GRANTS) if first > count), len(_US_GRANTS) - 1)
    (year, first), (later, next_first) = _US_GRANTS[max(after, 1) - 1], _US_GRANTS[max(after, 1)]
    granted = year + (later - year) * (count - first) / (next_first - first)
    return abs(granted - (day.year + day.timetuple().tm_yday / 366)) <= _US_TOLERANCE


# Asia and Australia

_AU_SERIAL_AND_YEAR = re.compile(r"([0-9]{1,5})/([0-9]{2})\Z")


def _australian(body: str, _kind: str | None) -> str | None:
    """Applications until 2001 are serial and year, `18524/99`: in DOCDB `1852499`, elsewhere `199918524`. Later
    ones, `2004123456`, and accepted ones, `750911`, are unchanged."""
    if (parts := _AU_SERIAL_AND_YEAR.match(body)) is not None:
        return parts[1].rjust(5, "0") + parts[2] if parts[1].strip("0") else None
    digits = _join_groups(body)
    if digits is not None and len(digits) == 9 and "1968" <= digits[:4] <= "2001":
        return digits[4:] + digits[2:4] if digits[4:].strip("0") else None
    if digits is not None and len(digits) == 7:
        return digits if digits[:5].strip("0") else None
    return _general_number("AU", body)


def _chinese(body: str, kind: str | None) -> str | None:
    """Seven digits, nine since 2007; from 1985 to 1988 eight that begin with the year. Other numbers of eight or
    more digits are applications (`98814060`).

    Grants of seven digits (B, C) have the same numbers as laid-open applications, so their letter becomes part of the
    number.
    """
    body, kind = _take_series(body, kind, "BC")
    digits = _join_groups(body)
    if digits is None or len(digits) > 9 or (len(digits) == 8 and not "85" <= digits[:2] <= "88"):
        return None
    number = _running_number(digits)
    if number is not None and kind is not None and kind[0] in "BC" and len(number) == 7:
        return kind[0] + number
    return number


def _korean(body: str, kind: str | None) -> str | None:
    """Applications are year and seven digits, `10-2004-0012345`, here without the 10 of a patent; 20, a utility
    model, becomes `U`. Grants have 10 or 20 and seven digits, `100484299`, where seven digits lack the 10."""
    body, kind = _take_series(body, kind, "U")
    digits = _join_groups(body)
    if digits is None:
        return None
    model = kind is not None and kind[0] == "U"
    if len(digits) == 13 and digits[:2] in {"10", "20"}:
        model = model or digits[:2] == "20"
        digits = digits[2:]
    if len(digits) in {10, 11}:
        number = _year_number(digits[:4], digits[4:], 7, 1947)
        return number and ("U" + number if model else number)
    if len(digits) == 7 and digits[0] != "0" and (kind is None or kind[0] == "B"):
        return "10" + digits
    return _running_number(digits, 13)


_JP_LETTERED = re.compile(r"(D|WO)[ \-]*([0-9][0-9 /\-]*)\Z")
_JP_DIVIDED = re.compile(
    r"P?[ .]*(SHO(?:WA)?|HEI(?:SEI)?|[SH])?[ .,\-]*([0-9]{1,2}|[0-9]{4}) ?[/. \-] ?([0-9]{1,3})[ ,]?([0-9]{0,3})\Z"
)
_JP_YEAR_LAST = re.compile(r"(?!(?:19|20)[0-9]{2}/)([0-9]{1,6})/((?:19|20)[0-9]{2})\Z|([0-9]{3,6})/([0-9]{2})\Z")
_JP_ONE_GAP = re.compile(r"[0-9]{1,4} [0-9]{5,6}\Z")
_JP_IN_ERA = re.compile(r"([SH])([0-9]{2})([0-9]{1,6})\Z")
_JP_CLOSED = re.compile(
    r"((?:19|20)[0-9]{2})([0-9]{6})\Z|(20[0-9]{2})([0-9]{4,5})\Z|([34]?)((?!19|20)[0-9]{2})([0-9]{6})\Z"
)
_JP_ERAS = {"3": "S", "4": "H"}
_SHOWA, _HEISEI = 1925, 1988
"""The years before the first of each era."""
_JP_EXAMINED_A_YEAR = 130_000
"""More examined applications than in any year."""


def _japanese(body: str, kind: str | None) -> str | None:
    """Year of an era and serial, `S60-12345` and `H10-1`; from 2000 on the common year, `2004-123456`; the grants since
    1996 are running numbers of seven digits.

    A year without an era is Heisei up to 31 and Showa above: applications are laid open since 1971, Showa 46. Before
    that only examined ones were published. These (B, until 1996) and utility models (U, Y) have the same numbers as
    laid-open applications, so their letter becomes part of the number.
    """
    if (lettered := _JP_LETTERED.match(body)) is not None:  # a design; an international application published anew
        return lettered[1] + _NO_DIGIT.sub("", lettered[2])
    body, given = _take_series(body, kind, "BUY")
    kind = given or ""
    series = kind[:1] if kind[:1] in {"U", "Y"} else ""
    parts = _jp_year_parts(body, kind)
    if parts is None:
        number = _jp_grant_number(body, kind)
        return number and series + number
    if "/" in body and kind[1:] in {"1", "2", "3"} and kind[0] == "A":  # the slash and these kinds belong to WIPO
        return None
    number = _jp_number_in_year(*parts)
    if number is None:
        return None
    if kind[:1] == "B" or (number[0] == "S" and number < "S46"):
        series = series or "B"
    if series == "B" and int(number[-6:]) > _JP_EXAMINED_A_YEAR:
        return None
    return series + number


def _jp_grant_number(body: str, kind: str) -> str | None:
    """A running number; None with kind A, because the year is missing, and with a plain B if it may be the Heisei year
    and serial of an examined application."""
    number = _running_number(_join_groups(body), 7)
    if number is None or kind[:1] == "A":
        return None
    if kind == "B" and len(number) == 7 and int(number[1:]) <= _JP_EXAMINED_A_YEAR:
        return None
    return number


def _jp_year_parts(body: str, kind: str) -> tuple[str, str, str] | None:
    """Era, year and serial as written; None for a running number.

    The common year may come last, `026604/1979` or `26604/79`.
    Without separators, ten digits are a common year and six, eight the year of an era and six; seven lack the zero of a
    Heisei year if they are an application; nine have a leading 3 for Showa or 4 for Heisei, or a common year and five.
    """
    if (last := _JP_YEAR_LAST.match(body)) is not None:
        return "", last[2] or ("20" if last[4] < "26" else "19") + last[4], last[1] or last[3]
    divided = _JP_DIVIDED.match(body)
    if divided is not None and (divided[1] or "-" in body or "/" in body or _JP_ONE_GAP.match(body) is not None):
        return (divided[1] or "")[:1], divided[2], divided[3] + divided[4]
    if (in_era := _JP_IN_ERA.match(body)) is not None:
        return in_era[1], in_era[2], in_era[3]
    digits = _join_groups(body.lstrip("P. "))
    if digits is None:
        return None
    if (closed := _JP_CLOSED.match(digits)) is not None:
        long, six, common, fewer, era, short, serial = closed.groups()
        return (_JP_ERAS.get(era or "", ""), long or common or short, six or fewer or serial)
    if len(digits) == 7 and (kind[:1] in {"A", "T"} or digits[0] in "89"):
        return "H", digits[0], digits[1:]
    return None


def _jp_number_in_year(era: str, year: str, serial: str) -> str | None:
    """The normal form of a year and serial: `S60012345`, `H10000001`, `2004123456`; a bare `86` can only be 1986.

    A common year before 2000 becomes one of its era; but 1989 had two, Showa 64 and Heisei 1, and is unchanged.
    """
    serial = serial.rjust(6, "0")
    count = int(year)
    if serial == "000000":
        return None
    if len(year) <= 2 and not era and count > 64:
        count += 1900
    elif len(year) <= 2:
        era = era or ("H" if count <= 31 else "S")
        if not 1 <= count <= (64 if era == "S" else 31):
            return None
        if count == (64 if era == "S" else 1):
            return f"{era}{count:02}{serial}"
        count += _SHOWA if era == "S" else _HEISEI
    if not _SHOWA < count <= LAST_YEAR:
        return None
    if count >= 2000 or count == 1989:
        return f"{count}{serial}"
    return f"S{count - _SHOWA:02}{serial}" if count < 1989 else f"H{count - _HEISEI:02}{serial}"


OFFICES: dict[str, Office] = {
    "AT": _austrian,
    "AU": _australian,
    "BR": _brazilian,
    "CN": _chinese,
    "DE": _german,
    "EP": _european,
    "FR": _french,
    "GB": _british,
    "IT": _italian,
    "JP": _japanese,
    "KR": _korean,
    "SE": _swedish,
    "US": _american,
    "WO": _international,
}
"""The offices whose numbers have a rule of their own."""


# Years in numbers

_US_OR_WO_YEAR = re.compile(r"(?:US(?=2[0-9]{10}\Z)|WO(?=(?:19|20)[0-9]{8}\Z))([0-9]{4})")
_JP_YEAR = re.compile(r"JP[BUY]?(?:([SH])([0-9]{2})|((?:19|20)[0-9]{2}))[0-9]{6}\Z")


def publication_year(key: str) -> int | None:
    """The year of publication in a number in normal form.

    Published US applications, international applications, and Japanese applications and examined publications are
    numbered anew each year. Numbers of other offices have no year, or that of filing, which is not the one in question.

    >>> publication_year("US20040046892"), publication_year("WO1998012345"), publication_year("JPH10000001")
    (2004, 1998, 1998)
    >>> publication_year("EP1000000") is None
    True
    """
    if (year := _US_OR_WO_YEAR.match(key)) is not None:
        return int(year[1])
    if (year := _JP_YEAR.match(key)) is not None:
        return int(year[3]) if year[3] else (_SHOWA if year[1] == "S" else _HEISEI) + int(year[2])
    return None
