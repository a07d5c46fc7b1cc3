"""The European Patent Office."""

from __future__ import annotations

from antecede.patent.offices.registry import joined, office, running


@office("EP")
def european(body: str, _kind: str | None) -> str | None:
    """Seven digits, their zeros in front written or not: `0 680 812` is `680812`.

    Eight are an application (`01250068`, year and serial), nine and more a Community design: dropping their zeros
    would make another patent of them.
    """
    digits = joined(body)
    return running(digits) if digits is not None and len(digits) <= 7 else None
