"""The Japan Patent Office."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import LAST_YEAR, join_groups, office, running_number, take_series

LETTERED = re.compile(r"(D|WO)[ \-]*([0-9][0-9 /\-]*)\Z")
DIVIDED = re.compile(
    r"P?[ .]*(SHO(?:WA)?|HEI(?:SEI)?|[SH])?[ .,\-]*([0-9]{1,2}|[0-9]{4}) ?[/. \-] ?([0-9]{1,3})[ ,]?([0-9]{0,3})\Z"
)
YEAR_LAST = re.compile(r"(?!(?:19|20)[0-9]{2}/)([0-9]{1,6})/((?:19|20)[0-9]{2})\Z|([0-9]{3,6})/([0-9]{2})\Z")
ONE_GAP = re.compile(r"[0-9]{1,4} [0-9]{5,6}\Z")
IN_ERA = re.compile(r"([SH])([0-9]{2})([0-9]{1,6})\Z")
CLOSED = re.compile(
    r"((?:19|20)[0-9]{2})([0-9]{6})\Z|(20[0-9]{2})([0-9]{4,5})\Z|([34]?)((?!19|20)[0-9]{2})([0-9]{6})\Z"
)
CENTURY = ("19", "20")
ERAS = {"3": "S", "4": "H"}
SHOWA, HEISEI = 1925, 1988
"""The years before the first of each era."""
EXAMINED_A_YEAR = 130_000
"""More examined applications than in any year."""


@office("JP")
def japanese(body: str, kind: str | None) -> str | None:
    """Year of an era and serial, `S60-12345` and `H10-1`; from 2000 on the common year, `2004-123456`; the grants since
    1996 are running numbers of seven digits.

    A year without an era is Heisei up to 31 and Showa above: applications are laid open since 1971, Showa 46. Before
    that only examined ones were published. These (B, until 1996) and utility models (U, Y) have the same numbers as
    laid-open applications, so their letter becomes part of the number.
    """
    if (found := LETTERED.match(body)) is not None:  # a design; an international application published anew
        return found[1] + re.sub(r"[^0-9]", "", found[2])
    body, given = take_series(body, kind, "BUY")
    kind = given or ""
    series = kind[:1] if kind[:1] in {"U", "Y"} else ""
    parts = year_parts(body, kind)
    if parts is None:
        number = grant_number(body, kind)
        return number and series + number
    if "/" in body and kind[1:] in {"1", "2", "3"} and kind[0] == "A":  # the slash and these kinds belong to WIPO
        return None
    number = number_in_year(*parts)
    if number is None:
        return None
    if kind[:1] == "B" or (number[0] == "S" and number < "S46"):
        series = series or "B"
    if series == "B" and int(number[-6:]) > EXAMINED_A_YEAR:
        return None
    return series + number


def grant_number(body: str, kind: str) -> str | None:
    """A running number; None with kind A, because the year is missing, and with a plain B if it may be the Heisei year
    and serial of an examined application."""
    number = running_number(join_groups(body), 7)
    if number is None or kind[:1] == "A":
        return None
    if kind == "B" and len(number) == 7 and int(number[1:]) <= EXAMINED_A_YEAR:
        return None
    return number


def year_parts(body: str, kind: str) -> tuple[str, str, str] | None:
    """Era, year and serial as written; None for a running number.

    The common year may come last, `026604/1979` or `26604/79`.
    Without separators, ten digits are a common year and six, eight the year of an era and six; seven lack the zero of a
    Heisei year if they are an application; nine have a leading 3 for Showa or 4 for Heisei, or a common year and five.
    """
    if (found := YEAR_LAST.match(body)) is not None:
        return "", found[2] or CENTURY[found[4] < "26"] + found[4], found[1] or found[3]
    found = DIVIDED.match(body)
    if found is not None and (found[1] or "-" in body or "/" in body or ONE_GAP.match(body) is not None):
        return (found[1] or "")[:1], found[2], found[3] + found[4]
    if (found := IN_ERA.match(body)) is not None:
        return found[1], found[2], found[3]
    digits = join_groups(body.lstrip("P. "))
    if digits is None:
        return None
    if (found := CLOSED.match(digits)) is not None:
        long, six, common, fewer, era, short, serial = found.groups()
        return (ERAS.get(era or "", ""), long or common or short, six or fewer or serial)
    if len(digits) == 7 and (kind[:1] in {"A", "T"} or digits[0] in "89"):
        return "H", digits[0], digits[1:]
    return None


def number_in_year(era: str, year: str, serial: str) -> str | None:
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
        count += SHOWA if era == "S" else HEISEI
    if not SHOWA < count <= LAST_YEAR:
        return None
    if count >= 2000 or count == 1989:
        return f"{count}{serial}"
    return f"S{count - SHOWA:02}{serial}" if count < 1989 else f"H{count - HEISEI:02}{serial}"
