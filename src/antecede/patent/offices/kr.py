"""The Korean Intellectual Property Office."""

from __future__ import annotations

from antecede.patent.offices.registry import join_groups, office, running_number, take_series, year_number


@office("KR")
def korean(body: str, kind: str | None) -> str | None:
    """Applications are year and seven digits, `10-2004-0012345`, here without the 10 of a patent; 20, a utility
    model, becomes `U`. Grants have 10 or 20 and seven digits, `100484299`, where seven digits lack the 10."""
    body, kind = take_series(body, kind, "U")
    digits = join_groups(body)
    if digits is None:
        return None
    model = kind is not None and kind[0] == "U"
    if len(digits) == 13 and digits[:2] in {"10", "20"}:
        model = model or digits[:2] == "20"
        digits = digits[2:]
    if len(digits) in {10, 11}:
        number = year_number(digits[:4], digits[4:], 7, 1947)
        return number and ("U" + number if model else number)
    if len(digits) == 7 and digits[0] != "0" and (kind is None or kind[0] == "B"):
        return "10" + digits
    return running_number(digits, 13)
