"""Words and phrases that a document must have, or must not have.

A word is met by all its forms that the index takes for one term (`routing`, `routed`). A phrase, or a word between
quotation marks, is met only by these very words in this order, in upper or lower case, however white space divides
them. Candidates for a phrase are all documents with all its terms; each of them is read, so that the answer is exact.
A stop word or a number is not indexed: where there is nothing else, every document is read.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown
from antecede.index.files import FIELDS
from antecede.text.analyzer import find_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent

QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»"}
"""Quotation marks that may be around a phrase."""


def parse_expression(text: str) -> str:
    """A word or phrase in normal form: blanks single, quotation marks straight; an empty one is refused."""
    words = " ".join(text.split())
    quoted = len(words) > 1 and QUOTES.get(words[0]) == words[-1]
    inside = words[1:-1].strip() if quoted else words
    if not any(map(str.isalnum, inside)):
        raise UsageError(f"{shown(text)!r} has no word")
    return f'"{inside}"' if quoted or list(find_words(inside)) != [(0, len(inside))] else inside


class TextCondition:
    """The documents that have a word or phrase, or those that do not have it."""

    def __init__(self, index: Index, expression: str, *, wanted: bool) -> None:
        self.index, self.wanted = index, wanted
        self.expression = parse_expression(expression)
        self.name = "must" if wanted else "must not"
        self.found: dict[str, NDArray[np.bool_]] = {}
        self.lock = threading.Lock()

    def __str__(self) -> str:
        return f"{'with' if self.wanted else 'without'} {self.expression}"

    @property
    def words(self) -> str:
        """The words without quotation marks."""
        return self.expression.strip('"')

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages in whose texts it may be; documents of unknown language are looked at in each."""
        return self.index.languages

    @cached_property
    def pattern(self) -> re.Pattern[str] | None:
        """What a text must match; None where the term decides."""
        if not self.expression.startswith('"') and all(map(self.terms, self.languages)):
            return None
        words = r"\s+".join(map(re.escape, unicodedata.normalize("NFC", self.words).split()))
        return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)

    def allowed(self, segment: Segment) -> NDArray[np.bool_]:
        """Which documents of a segment meet it."""
        with self.lock:
            if segment.name not in self.found:
                self.found[segment.name] = segment.find_text(self)
        found = self.found[segment.name]
        return found if self.wanted else ~found

    def look(self, segment: Segment) -> NDArray[np.bool_]:
        """Which documents of a segment have it."""
        mask = np.zeros(segment.documents, np.bool_)
        for language in self.languages:
            for each, matrix in self.index.matrices(language):
                if each is segment:
                    mask[matrix.documents[self.rows_with_terms(matrix, language)]] = True
        if self.pattern is not None:
            for number in np.flatnonzero(mask & segment.live).tolist():
                mask[number] = self.matches(segment.store.record(number))
        return mask

    def terms(self, language: str) -> list[str]:
        """The terms of it in a language; none where all its words are stop words or numbers."""
        return list(dict.fromkeys(self.index.analyzer(language).terms(self.words)))

    def rows_with_terms(self, matrix: Matrix, language: str) -> NDArray[np.int64]:
        """The rows that have every term of it; all rows where the language knows no term of it."""
        terms = self.terms(language)
        if not terms:
            return np.arange(matrix.rows)
        numbers = matrix.find(terms)
        if (numbers < 0).any():
            return np.zeros(0, np.int64)
        lists = matrix.postings_of(numbers)
        rows = [lists.items[start:end] for start, end in zip(lists.ptr[:-1], lists.ptr[1:], strict=True)]
        return reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), rows).astype(np.int64)

    def matches(self, patent: Patent) -> bool:
        """Whether a text of a patent has the phrase; accented letters may be written as one character or as two."""
        pattern = self.pattern
        return pattern is not None and any(
            pattern.search(unicodedata.normalize("NFC", text)) is not None for text in texts_of(patent, self.fields)
        )

    @property
    def fields(self) -> tuple[str, ...]:
        """The texts that are indexed."""
        return tuple(self.index.settings.get("fields", FIELDS))


def texts_of(patent: Patent, fields: tuple[str, ...]) -> Iterator[str]:
    """The texts of a patent in all languages, each claim by itself."""
    for name in fields:
        for text in getattr(patent, name).values():
            yield from (text,) if isinstance(text, str) else text
