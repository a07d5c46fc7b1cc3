"""The China National Intellectual Property Administration."""

from __future__ import annotations

from antecede.patent.offices.registry import join_groups, office, running_number, take_series


@office("CN")
def chinese(body: str, kind: str | None) -> str | None:
    """Seven digits, nine since 2007; from 1985 to 1988 eight that begin with the year. Other numbers of eight or
    more digits are applications (`98814060`).

    Grants of seven digits (B, C) have the same numbers as laid-open applications, so their letter becomes part of the
    number.
    """
    body, kind = take_series(body, kind, "BC")
    digits = join_groups(body)
    if digits is None or len(digits) > 9 or (len(digits) == 8 and not "85" <= digits[:2] <= "88"):
        return None
    number = running_number(digits)
    if number is not None and kind is not None and kind[0] in "BC" and len(number) == 7:
        return kind[0] + number
    return number
