"""The rules for words once more, sign by sign, as slowly and plainly as they read."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from antecede.text import Batch

MARKS_AND_SOFT_HYPHENS = "\u0301\u0307\u0308\u0323\u00ad\u200d\ufe0f"
NOTABLE = "abzABZ'’-_ \n.,;019²½éÉüßẞæŒıİﬁﬃſµμΩΣσςЖжאب中文ｶかไทยकि한ｆ𝐀𐐀𠀀Ⅷªº\u0345" + MARKS_AND_SOFT_HYPHENS
"""Signs that one may get wrong, of one to four bytes."""

texts = st.text(st.one_of(st.sampled_from(NOTABLE), st.sampled_from("abcdEFG  "), st.characters(codec="utf-8")))


def plain_runs(text: str) -> list[tuple[int, int]]:
    """Where words begin and end."""
    runs: list[tuple[int, int]] = []
    start = None
    for at, sign in enumerate([*text, " "]):
        category = unicodedata.category(sign)
        goes_on = category.startswith("M") or sign in "\u00ad\u200c\u200d\u2060\ufeff"
        if category.startswith("L"):
            start = at if start is None else start
        elif start is not None and not goes_on:
            runs.append((start, at))
            start = None
    return runs


def counts_of(batch: Batch, vocabulary: list[str]) -> list[list[tuple[str, int]]]:
    """The terms of each document with their counts, in their order."""
    return [
        [(vocabulary[term], int(count)) for term, count in zip(batch.terms[a:b], batch.counts[a:b], strict=True)]
        for a, b in zip(batch.ptr[:-1], batch.ptr[1:], strict=True)
    ]


def plain_counts(terms: list[str]) -> list[tuple[str, int]]:
    """The same of the terms of one document."""
    return list(Counter(terms).items())
