"""Explains scores: the contribution of each term of the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.query import Query
    from antecede.search.hits import Hits
    from antecede.search.searcher import Searcher


@dataclass(frozen=True)
class Share:
    """The contribution of one term; the term None denotes the part of the score that depends on the document alone."""

    term: str | None
    score: float
    word: str | None = None
    """The most frequent form of the term, if known."""

    def to_dict(self) -> dict[str, Any]:
        """The share in a JSON-compatible form."""
        word = {"word": self.word} if self.word is not None else {}
        return {"term": self.term, **word, "score": self.score}

    @property
    def name(self) -> str:
        """The term for people: a whole word."""
        return self.word or self.term or "(the document's length)"


@dataclass(frozen=True)
class FeatureShare:
    """What one feature adds in a ranking by evidence."""

    feature: str
    score: float
    by_terms: bool
    """Whether it is a feature of the text, whose share the terms divide among them."""


def explain(searcher: Searcher, query: Query, hits: Hits, rank: int) -> list[Share]:
    """The shares of the query terms in the score of a document, in the order of the query.

    They are the same 32-bit numbers that the search added, so adding them in this order gives exactly the score: see
    `sum_shares`.

    Args:
        searcher: The searcher that found the hits.
        query: The query that was searched.
        hits: The hits of that search.
        rank: The rank of the document, from 1.
    """
    at, row = hits.places[rank - 1].tolist()
    terms, impacts, document = searcher.impacts_of_row(query, at, row)
    scores = query.weights.astype(np.float32)[terms] * impacts
    shares = [Share(query.terms[at], score) for at, score in zip(terms.tolist(), scores.tolist(), strict=True)]
    if document is not None:
        shares.append(Share(None, float(document * np.float32(query.weights.sum()))))
    return shares


def sum_shares(shares: Iterable[Share | FeatureShare]) -> float:
    """The sum of shares, as the search adds: sequentially, in 32 bits."""
    score = np.float32(0)
    for share in shares:
        score = np.float32(score + np.float32(share.score))
    return float(score)
