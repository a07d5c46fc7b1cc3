"""A slow reference implementation of the rules for words, character by character."""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from antecede.text import TermBatch

MARKS_AND_SOFT_HYPHENS = "\u0301\u0307\u0308\u0323\u00ad\u200d\ufe0f"
NOTABLE = "abzABZ'’-_ \n.,;019²½éÉüßẞæŒıİﬁﬃſµμΩΣσςЖжאب中文ｶかไทยकि한ｆ𝐀𐐀𠀀Ⅷªº\u0345" + MARKS_AND_SOFT_HYPHENS
"""Characters of one to four bytes that are easily handled wrongly."""

texts = st.text(st.one_of(st.sampled_from(NOTABLE), st.sampled_from("abcdEFG  "), st.characters(codec="utf-8")))


def find_reference_words(text: str) -> list[tuple[int, int]]:
    """The start and end of each word."""
    runs: list[tuple[int, int]] = []
    start = None
    for at, character in enumerate([*text, " "]):
        category = unicodedata.category(character)
        goes_on = category.startswith("M") or character in "\u00ad\u200c\u200d\u2060\ufeff"
        if category.startswith("L"):
            start = at if start is None else start
        elif start is not None and not goes_on:
            runs.append((start, at))
            start = None
    return runs


def list_counts(batch: TermBatch, vocabulary: list[str]) -> list[list[tuple[str, int]]]:
    """The terms of each document with their counts, in order."""
    return [
        [(vocabulary[term], int(count)) for term, count in zip(batch.terms[a:b], batch.counts[a:b], strict=True)]
        for a, b in zip(batch.ptr[:-1], batch.ptr[1:], strict=True)
    ]


def count_reference_terms(terms: list[str]) -> list[tuple[str, int]]:
    """The terms of one document with their counts, in order."""
    return list(Counter(terms).items())
