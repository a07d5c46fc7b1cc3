"""WIPO: international applications as published under the Patent Cooperation Treaty."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import join_groups, office, year_number

DIVIDED = re.compile(r"([0-9]{2}|[0-9]{4})[ /\-]([0-9]{1,3})[ ,.]?([0-9]{0,3})\Z")
DOUBLED = re.compile(r"((?:19|20)([0-9]{2}))(?:\1|\2)([0-9]{5,6})\Z")
CLOSED = re.compile(
    r"((?:19|20)[0-9]{2})(0?[0-9]{5,6})\Z"  # 9 to 11 digits: the long year
    r"|((?!19|20)[0-9]{2})([0-9]{6})\Z"  # 8: the short year and six
    r"|(0[0-9]|7[89]|[89][0-9])([0-9]{5})\Z"  # 7: the short year and five
    r"|(?!20[0-4][0-9])([23])([01][0-9]{5})\Z"  # 7: 02 and 03 with six, the zero of the year lost
    r"|(?!19[789][0-9]|20[0-4][0-9])([1-3])([0-9]{5})\Z"  # 6: 01 to 03 with five, likewise
    r"|(?!19[789][0-9]|20[0-4][0-9])()([0-9]{5})\Z"  # 5: 00, likewise
)


@office("WO")
def international(body: str, _kind: str | None) -> str | None:
    """Year and serial: `78/00001` with five digits until mid-2002, `02/062112` with six, `2004/012345` since 2004.

    Without separators, the length distinguishes year and serial, also if a source omitted leading zeros (`WO158956`) or
    repeated the year (`WO20020200326`). What could begin with a long as well as with a short year is refused.
    `PCT/EP2005/001234` is an application and always refused.
    """
    body = re.sub(r"\AW[O0][ /\-]*", "", body)
    found = DIVIDED.match(body)
    if found is not None:
        return number_in_year(found[1], found[2] + found[3])
    digits = join_groups(body)
    if digits is None:
        return None
    if (doubled := DOUBLED.match(digits)) is not None:
        return year_number(doubled[1], doubled[3], 6, 1978)
    if (found := CLOSED.match(digits)) is None:
        return None
    year, serial = (part for part in found.groups() if part is not None)
    return number_in_year(year, serial)


def number_in_year(year: str, serial: str) -> str | None:
    """The normal form; a short year below 78 belongs to this century, as the treaty entered into force in 1978."""
    year = year.rjust(2, "0")
    if len(year) == 2:
        year = ("19" if year >= "78" else "20") + year
    return year_number(year, serial, 6, 1978)
