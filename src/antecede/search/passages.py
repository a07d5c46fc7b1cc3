"""The best passages of a document for a query, and for each claim of a topic: where to look first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.query.query import make, weights_of
from antecede.text.sentences import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query import Query

FIELDS = ("claims", "description", "abstract", "title")
SENTENCES = 3
"""Sentences a passage has."""
LONGEST = 700
"""Signs of a passage that are shown."""


@dataclass(frozen=True)
class Passage:
    """A piece of a document: where it stands, what it says, how well it fits."""

    field: str
    text: str
    score: float
    terms: tuple[str, ...]
    """The terms of the query in it, those that count most first."""


def best_passages(index: Index, patent: Patent, query: Query, number: int = 3) -> list[Passage]:
    """The passages of a patent that fit a query best, none overlapping another.

    Passages are ranked as small documents by BM25, with the query's weights; how common a term is, the index says.
    """
    language = query.language
    analyzer = index.analyzer(language)
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    pieces = [(field, text, analyzer.terms(text)) for field, text in windows(patent, language)]
    wanted = sorted({term for _, _, terms in pieces for term in terms if term in weights})
    if not wanted:
        return []
    average = sum(len(terms) for _, _, terms in pieces) / len(pieces)
    worth = idf_weights(index, language, wanted)
    scored = [scored_passage(field, text, terms, weights, worth, average) for field, text, terms in pieces]
    order = sorted(range(len(scored)), key=lambda at: (-scored[at].score, at))
    return [scored[at] for at in order[:number] if scored[at].score > 0]


def passages_for_claims(index: Index, topic: Patent, patent: Patent, language: str) -> list[tuple[str, Passage | None]]:
    """For each claim of a topic the passage of a patent that fits it best; None where it has no word of the claim."""
    analyzer = index.analyzer(language)
    found: list[tuple[str, Passage | None]] = []
    for claim in topic.claims.get(language, ()):
        query = make(weights_of(analyzer.terms(claim)), language, "claim")
        found.append((claim, next(iter(best_passages(index, patent, query, 1)), None)))
    return found


def windows(patent: Patent, language: str) -> Iterator[tuple[str, str]]:
    """The pieces of a patent that a passage can be: each claim, and a few neighbouring sentences of the other texts."""
    for field in FIELDS:
        text = getattr(patent, field).get(language, ())
        for paragraph in text.split("\n") if isinstance(text, str) else text:
            if field == "claims":
                yield field, paragraph
                continue
            places = sentences(paragraph, language or "en")
            for first in range(0, len(places), SENTENCES):
                yield field, paragraph[places[first].start : places[min(first + SENTENCES, len(places)) - 1].end]


def idf_weights(index: Index, language: str, terms: Sequence[str]) -> dict[str, float]:
    """How much each term says, by how rare it is in the index."""
    statistics = index.statistics(language)
    df = statistics.frequencies(terms).documents
    return dict(zip(terms, np.log(1 + (statistics.documents - df + 0.5) / (df + 0.5)).tolist(), strict=True))


def scored_passage(
    field: str, text: str, terms: Sequence[str], weights: dict[str, float], worth: dict[str, float], average: float
) -> Passage:
    """A passage with its score and what it has of the query."""
    shares: dict[str, float] = {}
    norm = 1.2 * (0.25 + 0.75 * len(terms) / average)
    for term, count in weights_of([term for term in terms if term in weights]).items():
        shares[term] = weights[term] * worth[term] * count * 2.2 / (count + norm)
    best = sorted(shares, key=lambda term: (-shares[term], term))
    return Passage(field, text[:LONGEST], sum(shares.values()), tuple(best))
