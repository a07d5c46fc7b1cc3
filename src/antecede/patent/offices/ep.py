"""The European Patent Office."""

from __future__ import annotations

from antecede.patent.offices.registry import join_groups, office, running_number


@office("EP")
def european(body: str, _kind: str | None) -> str | None:
    """Seven digits, their zeros in front written or not: `0 680 812` is `680812`.

    Eight are an application (`01250068`, year and serial), nine and more a Community design: dropping their zeros
    would make another patent of them.
    """
    digits = join_groups(body)
    return running_number(digits) if digits is not None and len(digits) <= 7 else None
