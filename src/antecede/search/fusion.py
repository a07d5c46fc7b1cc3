"""Several rankings combined into one: of several query methods by `fuse`, of several languages by `fuse_languages`.

    fuse("rrf", [searcher.search(one), searcher.search(other)], k=100)

The arithmetic is that of `antecede.fusion`, which also fuses run files.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.errors import UsageError
from antecede.fusion import RANK_CONSTANT, find_fusion, fuse_scores
from antecede.ranges import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.search.hits import Hits

    Floats = NDArray[np.float64]


def fuse(name: str, rankings: Sequence[Hits], k: int = 1000) -> Hits:
    """Combine several rankings into one. Documents with equal sums are ordered by name.

    Args:
        name: The fusion method, one of `antecede.fusion.FUSIONS`: `rrf`, `combsum`, `combmnz`, ….
        rankings: Rankings of the same index and language.
        k: The number of documents to return.
    """
    find_fusion(name)
    DOCUMENTS.check(k, "k")
    if not rankings:
        raise UsageError("there is no ranking to fuse; give at least one")
    first = rankings[0]
    if any(list(each.segments) != list(first.segments) for each in rankings):
        raise UsageError("rankings of different languages or indexes cannot be fused")
    places = np.concatenate([each.places for each in rankings])
    documents = np.concatenate([each.documents for each in rankings])
    _, start, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    sums = fuse_scores(name, [each.scores for each in rankings], group.ravel(), len(start))
    together = replace(first, scores=sums.astype(np.float32), places=places[start], documents=documents[start])
    return reorder(together, sums, k)


def reorder(hits: Hits, scores: Floats, k: int | None = None) -> Hits:
    """The hits with other scores, in their new order; equal scores by the bytes of their names."""
    names = np.array([name.encode() for name in hits.doc_ids], np.object_)
    order = np.lexsort((np.argsort(np.argsort(names)), -scores))[:k]
    return replace(
        hits,
        scores=scores[order].astype(np.float32),
        places=hits.places[order],
        documents=hits.documents[order],
    )


class Place(NamedTuple):
    """Where a document of the final ranking was found, and its score there."""

    language: int
    """The position of the language in which it ranks highest."""
    rank: int
    """Its rank in that language, from 1."""
    score: float


def fuse_languages(rankings: Sequence[Hits], k: int, scales: Sequence[float] | None = None) -> list[Place]:
    """The k best documents of rankings in several languages, by reciprocal rank fusion; equal sums by name.

    Scores of different languages are not comparable, since their statistics differ; ranks are. A single ranking stays
    as it is. `scales` multiply the ranks of each language: where a query was translated into a language of a tenth as
    many documents, rank 1 there is worth rank 10. A document of unknown language is found in every language by the same
    text: it has one vote, the best.
    """
    if len(rankings) == 1:
        return [Place(0, rank, score) for rank, score in enumerate(rankings[0].scores[:k].tolist(), 1)]
    sums: dict[str, float] = {}
    highest: dict[str, tuple[int, int]] = {}
    factors = scales or [1.0] * len(rankings)
    votes = [
        1 / (RANK_CONSTANT + factor * np.arange(1.0, len(each.scores) + 1))
        for each, factor in zip(rankings, factors, strict=True)
    ]
    for language, (hits, given) in enumerate(zip(rankings, votes, strict=True)):
        votes_of = zip(hits.doc_ids, given.tolist(), hits.assumed.tolist(), strict=True)
        for rank, (doc_id, vote, assumed) in enumerate(votes_of, 1):
            before = sums.get(doc_id, 0.0)
            sums[doc_id] = max(before, vote) if assumed else before + vote
            highest[doc_id] = min(highest.get(doc_id, (rank, language)), (rank, language))
    order = sorted(sums, key=lambda doc_id: (-sums[doc_id], doc_id.encode()))[:k]
    return [Place(highest[doc_id][1], highest[doc_id][0], sums[doc_id]) for doc_id in order]
