"""The United Kingdom Intellectual Property Office."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import join_groups, office, running_number

PATENTS_END, OLD_YEARS = 3_400_000, 161_700_000
"""Patents reached 2.64 million in 2025, growing by ten thousand per year."""
SERIAL_AND_YEAR = re.compile(r"([0-9]{1,2},?[0-9]{0,3}) ?(?:/|OF|A\.?D\.?) ?(1[6-9][0-9]{2})\Z")


@office("GB")
def british(body: str, kind: str | None) -> str | None:
    """Running numbers since 1916; before that a serial in each year, `43/1914`, here `191400043`.

    `191443` is read as a running number. Seven digits with a leading zero, other than as
    `0 693 448`, or above the numbers that will be reached in this century (`9812345`) are an application, year and
    serial, as is every number of kind D0.
    """
    if (found := SERIAL_AND_YEAR.match(body)) is not None:
        return found[2] + found[1].replace(",", "").rjust(5, "0")
    digits = join_groups(body)
    if digits is None or kind == "D0" or (len(digits) == 7 and digits[0] == "0" and body[1:2] not in {" ", ",", "."}):
        return None
    number = running_number(digits, 9)
    return None if number is None or PATENTS_END < int(number) < OLD_YEARS else number
