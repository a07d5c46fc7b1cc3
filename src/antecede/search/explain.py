"""Why a document was found: what each term of the query adds to its score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from antecede.query import Query
    from antecede.search.searcher import Hits, Searcher


@dataclass(frozen=True)
class Share:
    """What one term adds; the term None stands for the document itself, apart from its terms."""

    term: str | None
    score: float


def explain(searcher: Searcher, query: Query, hits: Hits, rank: int) -> list[Share]:
    """The shares of the document at a rank (from 1), in the order of the query; they add up to its score.

    They are the same 32-bit numbers that the search added up, so adding them up in this order gives the score itself.
    """
    at, row = hits.places[rank - 1]
    _, matrix = searcher.index.matrices(query.language)[at]
    layer = searcher.layer(query.language, at, matrix)
    numbers = matrix.find(query.terms)
    shares: list[Share] = []
    for term, weight, number in zip(query.terms, query.weights.astype(np.float32), numbers.tolist(), strict=True):
        if number < 0 or not layer.ready[number]:
            continue
        start, end = int(layer.offsets[number]), int(layer.offsets[number + 1])
        place = start + int(np.searchsorted(layer.rows[start:end], row))
        if place < end and layer.rows[place] == row:
            shares.append(Share(term, float(np.float32(weight) * layer.impacts[place])))
    if layer.document is not None:
        shares.append(Share(None, float(layer.document[row] * np.float32(query.weights.sum()))))
    return shares


def total(shares: list[Share]) -> float:
    """The score that shares add up to, as the search adds: in 32 bits, one after the other."""
    score = np.float32(0)
    for share in shares:
        score = np.float32(score + np.float32(share.score))
    return float(score)
