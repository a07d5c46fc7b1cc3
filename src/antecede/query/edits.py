"""A query as a person edited it: weights of terms that replace those of the method, terms left out, terms added."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown
from antecede.query.query import HEAVIEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.index import Index
    from antecede.query.query import Query

    TermWeights = Mapping[str, float]
    """Term → weight; 0 leaves the term out."""
    QueryEdits = Mapping[str, TermWeights]
    """Language → the weights that replace those of the queries in that language."""


def edit_query(index: Index, query: Query, weights: TermWeights) -> Query:
    """The query with other weights: a term of weight 0 is left out, one that the query does not have is put first.

    The other terms keep their order and weights.
    """
    for term, weight in weights.items():
        if not 0 <= weight <= HEAVIEST:
            raise UsageError(f"{shown(term)!r}: a weight must be from 0 to {HEAVIEST:g}, not {weight:g}")
    own = dict(zip(query.terms, query.weights.tolist(), strict=True))
    new = {term: weight for term, weight in weights.items() if term not in own and weight > 0}
    whole = {**new, **{term: weights.get(term, weight) for term, weight in own.items()}}
    left = {term: weight for term, weight in whole.items() if weight != 0}
    if not left:
        raise UsageError("no term of the query is left; switch one on, or add a word")
    counts = dict(zip(query.terms, query.counts, strict=False))
    df = dict(zip(query.terms, query.df, strict=False))
    if query.df and new:
        found = index.statistics(query.language).frequencies(list(new)).documents.tolist()
        df |= dict(zip(new, found, strict=True))
    return replace(
        query,
        terms=tuple(left),
        weights=np.array(list(left.values()), np.float64),
        counts=tuple(counts.get(term, 0) for term in left) if query.counts else (),
        df=tuple(df[term] for term in left) if query.df else (),
        words=(),
    )


def left_out(weights: TermWeights) -> list[str]:
    """The terms that a person left out."""
    return [term for term, weight in weights.items() if weight == 0]
