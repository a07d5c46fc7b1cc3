"""The best passages of a document for a query, and for each claim of a topic."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.query.query import Query, count_terms
from antecede.query.topic import filed_under
from antecede.text.profiles import LANGUAGES
from antecede.text.sentences import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.text.analyzer import Analyzer

FIELDS = ("claims", "description", "abstract")
FALLBACK_FIELDS = ("title",)
"""The fields used where a document has no other text."""
TARGET_LENGTH = 350
"""Characters from which a passage takes no further sentence."""
MAX_LENGTH = 700
"""The most characters of a passage; a longer sentence, such as a claim, is cut at a semicolon, comma or space."""
MAX_MARKED, MIN_SHARE = 8, 0.04
"""The most terms marked in a passage, and the share of its score each must have: a long query matches most words."""
CUTS = (re.compile(r";\s"), re.compile(r",\s"), re.compile(r"\s"))
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Passage:
    """A passage of a document: its place, its text, and its score."""

    field: str
    place: int
    """Which claim, or which paragraph of the text, from 1."""
    text: str
    score: float
    terms: tuple[str, ...]
    """The terms of the query in the passage, by decreasing contribution."""
    marks: tuple[tuple[int, int], ...] = ()
    """The start and end of each marked word in the text."""

    @property
    def location(self) -> str:
        """Its place in the document: `claim 3`, `description, paragraph 12`, `abstract`."""
        if self.field in ("abstract", "title"):
            return self.field
        return f"claim {self.place}" if self.field == "claims" else f"{self.field}, paragraph {self.place}"

    def to_dict(self) -> dict[str, Any]:
        """The passage in a JSON-compatible form."""
        fields = {name: getattr(self, name) for name in ("field", "place", "text", "score")}
        return {**fields, "terms": list(self.terms), "marks": [list(mark) for mark in self.marks]}


@dataclass(frozen=True)
class Piece:
    """A candidate for a passage."""

    field: str
    place: int
    text: str
    terms: list[str]
    """The terms of the piece."""
    places: list[tuple[int, int]]
    """The start and end of each term in the whole text."""
    start: int = 0
    """Where the piece begins in the whole text."""

    @cached_property
    def counts(self) -> Counter[str]:
        """The frequency of each term."""
        return Counter(self.terms)


class Passages:
    """A document divided into pieces, which can be ranked for any number of queries.

    Pieces are ranked like small documents by BM25 with the weights of the query; document frequencies are those of the
    index.
    """

    def __init__(self, index: Index, patent: Patent, language: str, analyzer: Analyzer | None = None) -> None:
        self.index, self.language = index, language
        self.analyzer = analyzer or index.analyzer(language)
        self.pieces = [piece for name in FIELDS for piece in split_field(patent, name, self.analyzer)]
        if not self.pieces:
            self.pieces = [piece for name in FALLBACK_FIELDS for piece in split_field(patent, name, self.analyzer)]
        self.average = max(1.0, sum(len(each.terms) for each in self.pieces) / max(1, len(self.pieces)))

    def find_best(self, query: Query, number: int = 3) -> list[Passage]:
        """The best passages for a query, without overlaps."""
        weights = {term: weight for term, weight in zip(query.terms, query.weights.tolist(), strict=True) if weight > 0}
        matched = sorted({term for piece in self.pieces for term in piece.counts if term in weights})
        worth = {
            term: weights[term] * idf
            for term, idf in zip(matched, self.inverse_document_frequencies(matched), strict=True)
        }
        shares = [self.shares(piece, worth) for piece in self.pieces]
        scores = [sum(each.values()) for each in shares]
        order = sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: (-scores[at], at))
        return [make_passage(self.pieces[at], shares[at], scores[at]) for at in order[:number]]

    def match_claims(self, topic: Patent) -> list[tuple[str, Passage | None]]:
        """The best passage for each claim of a topic; None where no term of the claim occurs."""
        found: list[tuple[str, Passage | None]] = []
        known = LANGUAGES.get(self.language)
        # Every claim says "according to claim 1, characterised in that".
        formula = frozenset(self.analyzer.terms(" ".join(known.boilerplate)) if known is not None else ())
        for claim in topic.claims.get(filed_under(topic, self.language), ()):
            terms = [term for term in self.analyzer.terms(claim) if term not in formula]
            query = Query.from_terms(count_terms(terms), self.language, "claim")
            found.append((claim, next(iter(self.find_best(query, 1)), None)))
        return found

    def inverse_document_frequencies(self, terms: list[str]) -> list[float]:
        """The inverse document frequency of each term in the index."""
        statistics = self.index.statistics(self.language)
        df = statistics.frequencies(terms).documents
        found: list[float] = np.log(1 + (statistics.documents - df + 0.5) / (df + 0.5)).tolist()
        return found

    def shares(self, piece: Piece, worth: Mapping[str, float]) -> dict[str, float]:
        """The contribution of each term of a query to the score of a piece."""
        norm = K1 * (1 - B + B * len(piece.terms) / self.average)
        return {
            term: worth[term] * count * (K1 + 1) / (count + norm)
            for term, count in piece.counts.items()
            if term in worth
        }


def make_passage(piece: Piece, shares: Mapping[str, float], score: float) -> Passage:
    """A piece as a passage, with the words of the largest contributions marked."""
    terms = sorted(shares, key=lambda term: (-shares[term], term))
    marked = frozenset(term for term in terms[:MAX_MARKED] if shares[term] >= MIN_SHARE * score)
    places = (place for term, place in zip(piece.terms, piece.places, strict=True) if term in marked)
    marks = tuple((start - piece.start, end - piece.start) for start, end in places)
    return Passage(piece.field, piece.place, piece.text, score, tuple(terms), marks)


def split_field(patent: Patent, name: str, analyzer: Analyzer) -> Iterator[Piece]:
    """The pieces of one field: each claim, or a few adjacent sentences of other texts."""
    text = getattr(patent, name).get(filed_under(patent, analyzer.language), ())
    for number, part in enumerate((text,) if isinstance(text, str) else text, 1):
        terms, places = analyzer.locate_terms(part)
        starts = [start for start, _ in places]
        for start, end in split_windows(part, analyzer.language):
            place = number if not isinstance(text, str) else part.count("\n", 0, start) + 1
            inside = slice(bisect_left(starts, start), bisect_left(starts, end))
            yield Piece(name, place, part[start:end], terms[inside], places[inside], start)


def split_windows(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The start and end of each piece of a text: whole sentences, as many as make a passage."""
    begin, last = -1, 0
    for sentence in split_sentences(text, language or "en"):
        for start, end in split_sentence(text, *sentence):
            if begin >= 0 and (last - begin >= TARGET_LENGTH or end - begin > MAX_LENGTH):
                yield begin, last
                begin = -1
            begin, last = (start if begin < 0 else begin), end
    if begin >= 0:
        yield begin, last


def split_sentence(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence, or the parts of one that is too long for a passage."""
    while end - start > MAX_LENGTH:
        stops = (list(each.finditer(text, start + TARGET_LENGTH, start + MAX_LENGTH)) for each in CUTS)
        stop = next((found[-1].end() for found in stops if found), start + MAX_LENGTH)
        yield start, start + len(text[start:stop].rstrip())
        start = stop
    if start < end:
        yield start, end
