"""The best passages of a document for a query, and for each claim of a topic: where to look first."""

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
    from antecede.text.analyzer import Analyzer, Token

FIELDS = ("claims", "description", "abstract")
FALLBACK_FIELDS = ("title",)
"""What is looked at where a document has nothing else."""
TARGET_LENGTH = 350
"""Signs from which on a passage takes no further sentence."""
MAX_LENGTH = 700
"""Signs a passage has at most; a longer sentence, as claims are, is cut at a semicolon, a comma or a blank."""
MAX_MARKED, MIN_SHARE = 8, 0.04
"""Terms that are marked in a passage, and the share of its score they must have: of a long query it has every word."""
CUTS = (re.compile(r";\s"), re.compile(r",\s"), re.compile(r"\s"))
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Passage:
    """A piece of a document: where it stands, what it says, how well it fits."""

    field: str
    place: int
    """Which claim, or which paragraph of the text, from 1."""
    text: str
    score: float
    terms: tuple[str, ...]
    """The terms of the query in it, those that count most first."""
    marks: tuple[tuple[int, int], ...] = ()
    """Where in the text words stand that count most."""

    def to_dict(self) -> dict[str, Any]:
        """The passage as JSON knows it."""
        told = {name: getattr(self, name) for name in ("field", "place", "text", "score")}
        return {**told, "terms": list(self.terms), "marks": [list(mark) for mark in self.marks]}


@dataclass(frozen=True)
class Piece:
    """What can become a passage."""

    field: str
    place: int
    text: str
    tokens: tuple[Token, ...]
    """The terms in it, with their places in its text."""

    @cached_property
    def counts(self) -> Counter[str]:
        """How often each term stands in it."""
        return Counter(token.term for token in self.tokens)


class Passages:
    """A document cut into pieces, which are ranked for one query after the other.

    Passages are ranked as small documents by BM25, with the query's weights; how common a term is, the index says.
    """

    def __init__(self, index: Index, patent: Patent, language: str, analyzer: Analyzer | None = None) -> None:
        self.index, self.language = index, language
        self.analyzer = analyzer or index.analyzer(language)
        self.pieces = [piece for name in FIELDS for piece in split_field(patent, name, self.analyzer)]
        if not self.pieces:
            self.pieces = [piece for name in FALLBACK_FIELDS for piece in split_field(patent, name, self.analyzer)]
        self.average = max(1.0, sum(len(each.tokens) for each in self.pieces) / max(1, len(self.pieces)))

    def find_best(self, query: Query, number: int = 3) -> list[Passage]:
        """The passages that fit a query best, none overlapping another."""
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
        """For each claim of a topic the passage that fits it best; None where it has no word of the claim."""
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
        """How much each term says, by how rare it is in the index."""
        statistics = self.index.statistics(self.language)
        df = statistics.frequencies(terms).documents
        found: list[float] = np.log(1 + (statistics.documents - df + 0.5) / (df + 0.5)).tolist()
        return found

    def shares(self, piece: Piece, worth: Mapping[str, float]) -> dict[str, float]:
        """What each term of a query adds to the score of a piece."""
        norm = K1 * (1 - B + B * len(piece.tokens) / self.average)
        return {
            term: worth[term] * count * (K1 + 1) / (count + norm)
            for term, count in piece.counts.items()
            if term in worth
        }


def make_passage(piece: Piece, shares: Mapping[str, float], score: float) -> Passage:
    """A piece with its score, the words that count most marked."""
    terms = sorted(shares, key=lambda term: (-shares[term], term))
    marked = frozenset(term for term in terms[:MAX_MARKED] if shares[term] >= MIN_SHARE * score)
    marks = tuple((token.start, token.end) for token in piece.tokens if token.term in marked)
    return Passage(piece.field, piece.place, piece.text, score, tuple(terms), marks)


def split_field(patent: Patent, name: str, analyzer: Analyzer) -> Iterator[Piece]:
    """The pieces of one field: of each claim, and of the other texts a few neighbouring sentences at a time."""
    text = getattr(patent, name).get(filed_under(patent, analyzer.language), ())
    for number, part in enumerate((text,) if isinstance(text, str) else text, 1):
        tokens = analyzer.tokens(part)
        starts = [token.start for token in tokens]
        for start, end in split_windows(part, analyzer.language):
            place = number if not isinstance(text, str) else part.count("\n", 0, start) + 1
            inside = tokens[bisect_left(starts, start) : bisect_left(starts, end)]
            shifted = (token._replace(start=token.start - start, end=token.end - start) for token in inside)
            yield Piece(name, place, part[start:end], tuple(shifted))


def split_windows(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Where pieces of a text begin and end: whole sentences, as many as make a passage."""
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
