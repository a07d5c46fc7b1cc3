"""The European Patent Office."""

from __future__ import annotations

from antecede.patent.offices.registry import join_groups, office, running_number


@office("EP")
def european(body: str, _kind: str | None) -> str | None:
    """Seven digits, with or without leading zeros: `0 680 812` is `680812`.

    Eight digits are an application (`01250068`, year and serial), nine or more a Community design: without their
    leading zeros they would denote another patent.
    """
    digits = join_groups(body)
    return running_number(digits) if digits is not None and len(digits) <= 7 else None
