"""Query terms in a text: the text divided into runs, so that no reader has to count characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from antecede.text.analyzer import Analyzer

    Run = str | tuple[str, int]
    """A piece of a text: plain, or a word with the number of its term."""


def mark_terms(text: str, analyzer: Analyzer, numbers: Mapping[str, int]) -> list[Run]:
    """The runs of a text; the words of the given terms carry the number of their term. Joined, they are the text."""
    found = ((token.start, token.end, numbers[token.term]) for token in analyzer.tokens(text) if token.term in numbers)
    return divide_text(text, found)


def divide_text(text: str, marks: Iterable[tuple[int, int, int]]) -> list[Run]:
    """The runs of a text with marked places, given as start, end and number in ascending order."""
    runs: list[Run] = []
    end = 0
    for start, stop, number in marks:
        if start > end:
            runs.append(text[end:start])
        runs.append((text[start:stop], number))
        end = stop
    if end < len(text):
        runs.append(text[end:])
    return runs
