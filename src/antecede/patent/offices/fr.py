"""The French National Institute of Industrial Property."""

from __future__ import annotations

from antecede.patent.offices.registry import join_groups, office, running_number

PATENTS_END = 4_800_000
"""Patents reached 3.15 million in 2025, growing by fifteen thousand per year."""


@office("FR")
def french(body: str, _kind: str | None) -> str | None:
    """Running numbers, `2 123 456` or `1.234.567`.

    Seven digits with a leading zero, other than as `0 773 321`, or above the numbers that will be reached in this
    century (`9812345`) are an application, year and serial.
    """
    digits = join_groups(body)
    if digits is None or (len(digits) == 7 and digits[0] == "0" and body[1:2] not in {" ", ".", ","}):
        return None
    number = running_number(digits)
    return None if number is None or int(number) > PATENTS_END else number
