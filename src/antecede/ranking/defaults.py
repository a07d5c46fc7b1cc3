"""The default weights by kind of collection; docs/ranking.md describes how they were chosen."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.ranking.weights import AUTO, Weights, parse_weights, weigh

if TYPE_CHECKING:
    from antecede.index import Index

LONG = 300
"""Tokens that the documents of a collection of long texts have on average at least."""
EVERYWHERE = {
    "same_applicant": 0.1,
    "classes": 0.5,
    "cited_by_hits": 0.7,
    "co_citation": 0.5,
}
"""What topics or documents may lack: a feature that cannot be computed counts nothing."""
LONG_TEXTS = {"bm25": 1.0, "jelinek_mercer": 0.1, "cosine": 0.5, "latent_space": 0.1, "word_vectors": 0.1, **EVERYWHERE}
SHORT_TEXTS = {
    "bm25": 1.0,
    "jelinek_mercer": 0.5,
    "latent_space": 0.2,
    "word_vectors": 1.5,
    "title": 0.3,
    **EVERYWHERE,
}
"""bench/default_weights.py derives these from the earlier topics of two collections."""


def default_weights(index: Index, language: str, *, search_given: bool) -> Weights:
    """The weights for the collection of a language.

    `search_given` says that the settings describe a search of their own: it takes the place of `bm25`.
    """
    return resolve(AUTO, index.statistics(language).average_length >= LONG, search_given)


def resolve_weights(text: str, index: Index, language: str, *, search_given: bool = False) -> Weights:
    """The weights that a setting denotes for the collection of a language."""
    return resolve(text, index.statistics(language).average_length >= LONG, search_given)


@lru_cache(maxsize=64)
def resolve(text: str, long: bool, search_given: bool) -> Weights:
    """The weights that a setting denotes for long or short texts."""
    weights = Weights((), from_auto=True) if text == AUTO else parse_weights(text)
    if not weights.from_auto:
        return weights
    chosen = LONG_TEXTS if long else SHORT_TEXTS
    default = weigh({("classic" if search_given and name == "bm25" else name): each for name, each in chosen.items()})
    return default.change(weights)
