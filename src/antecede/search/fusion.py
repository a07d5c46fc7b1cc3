"""Several rankings of the same documents made into one.

    fuse("rrf", [searcher.search(one), searcher.search(other)], k=100)

Reciprocal rank fusion looks at ranks alone, CombSUM and CombMNZ at scores, brought to 0 … 1 within each ranking.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown
from antecede.ranges import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.search.hits import Hits

    Floats = NDArray[np.float64]

RANK_CONSTANT = 60
"""How little the first ranks stand out: the value of the paper."""


def reciprocal_rank(scores: Sequence[NDArray[np.float32]]) -> list[Floats]:
    """1 / (60 + rank) (Cormack, Clarke & Büttcher, SIGIR 2009)."""
    return [1 / (RANK_CONSTANT + np.arange(1.0, len(each) + 1)) for each in scores]


def scaled(scores: Sequence[NDArray[np.float32]]) -> list[Floats]:
    """Scores from 0 for the last to 1 for the first of a ranking; 1 where all are equal (Fox & Shaw, TREC-2 1993)."""
    found = []
    for each in scores:
        low, high = (float(each.min()), float(each.max())) if len(each) else (0.0, 0.0)
        values = each.astype(np.float64)
        found.append((values - low) / (high - low) if high > low else np.ones(len(values)))
    return found


Voting = tuple["Callable[[Sequence[NDArray[np.float32]]], list[Floats]]", bool]
FUSIONS: dict[str, Voting] = {
    "rrf": (reciprocal_rank, False),
    "combsum": (scaled, False),
    "combmnz": (scaled, True),
}
"""What each ranking gives to a document, and whether the sum is multiplied by the rankings that have it."""


def fuse(name: str, rankings: Sequence[Hits], k: int = 1000) -> Hits:
    """The k best documents of several rankings of one language; equal sums by name."""
    check(name)
    DOCUMENTS.check(k, "k")
    if not rankings:
        raise UsageError("there is no ranking to fuse; give one at least")
    first = rankings[0]
    if any(list(each.segments) != list(first.segments) for each in rankings):
        raise UsageError("rankings of different languages or indexes cannot be fused")
    vote, by_number = FUSIONS[name]
    votes = np.concatenate(vote([each.scores for each in rankings]))
    places = np.concatenate([each.places for each in rankings])
    documents = np.concatenate([each.documents for each in rankings])
    _, start, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    sums = np.bincount(group.ravel(), weights=votes, minlength=len(start)).astype(np.float64, copy=False)
    if by_number:
        sums *= np.bincount(group.ravel(), minlength=len(start))
    together = replace(first, scores=sums.astype(np.float32), places=places[start], documents=documents[start])
    return reordered(together, sums, k)


def check(name: str) -> None:
    """Refuse a way of fusion that is not known."""
    if name not in FUSIONS:
        raise UsageError(f"there is no fusion {shown(name)!r}; there are {', '.join(FUSIONS)}")


def reordered(hits: Hits, scores: Floats, k: int | None = None) -> Hits:
    """The hits with other scores, in their order; equal ones by the bytes of their names."""
    names = np.array([name.encode() for name in hits.doc_ids], np.object_)
    order = np.lexsort((np.argsort(np.argsort(names)), -scores))[:k]
    return replace(
        hits,
        scores=scores[order].astype(np.float32),
        places=hits.places[order],
        documents=hits.documents[order],
    )
