"""The German Patent and Trade Mark Office."""

from __future__ import annotations

import re

from antecede.patent.offices.registry import join_groups, office, running_number, take_series

FILE_LETTER = re.compile(r"\A[PG][ .]*(?=[0-9])")
CHECK_DIGIT = re.compile(r"(?<=[0-9]{3})\.[0-9X]\Z")
SEPARATE_SERIES = {"U": 6_000_000, "T": 2_800_000}
"""Kinds, and the number below which they are numbered separately from patents."""


@office("DE")
def german(body: str, kind: str | None) -> str | None:
    """Running numbers of seven digits, `35 46 191`; from 1995 with a leading year, `199 12 345`; from 2004 with type of
    right, year and serial, `10 2004 012 345`. The file number is the same with a check digit, `P 35 46 191.2`.

    Utility models before 1968, and European claims in translation (T1, under the European number), have the same
    numbers as patents, so their letter becomes part of the number.
    """
    body, kind = take_series(body, kind, "TU")
    number = running_number(join_groups(CHECK_DIGIT.sub("", FILE_LETTER.sub("", body))))
    if number is None or not (len(number) <= 8 or len(number) == 12):
        return None
    return kind[0] + number if kind is not None and int(number) < SEPARATE_SERIES.get(kind[0], 0) else number
