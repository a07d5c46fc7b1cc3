"""Relevance feedback: a query improved with documents that a person marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError
from antecede.query.material import gather_vectors
from antecede.query.query import Query
from antecede.query.query_maker import default_terms
from antecede.ranges import TERMS, WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.query.material import JointVocabulary, Vectors

    Floats = NDArray[np.float64]


def feedback(
    query: Query,
    index: Index,
    relevant: Sequence[str],
    irrelevant: Sequence[str] = (),
    *,
    terms: int | None = None,
    alpha: float = 1.0,
    beta: float = 0.75,
    gamma: float = 0.15,
) -> Query:
    """Modify a query by relevance feedback (Rocchio, in The SMART Retrieval System).

        α·q + β·r − γ·s

    r and s are the means of the relevant and of the irrelevant documents, each a vector of √n(t), normalised to length
    1 under the term weights log((N + 1) / df). Of the terms with a positive weight, those with the highest product of
    weight and log((N + 1) / df) are used.

    Args:
        query: The query to modify.
        index: The index that contains the marked documents.
        relevant: The ids of documents marked as relevant.
        irrelevant: The ids of documents marked as irrelevant.
        terms: The number of terms; by default that of the query, or the default of its language if that is larger.
        alpha: The weight α of the query.
        beta: The weight β of the relevant documents.
        gamma: The weight γ of the irrelevant documents.
    """
    for name, weight in (("alpha", alpha), ("beta", beta), ("gamma", gamma)):
        WEIGHT.check(weight, name)
    if terms is not None:
        TERMS.check(terms, "the number of terms")
    shares = {name: beta / len(relevant) for name in relevant}
    shares.update({name: -gamma / len(irrelevant) for name in irrelevant})
    if not shares or not len(query):
        raise UsageError("feedback needs a query and at least one marked document")
    most = terms if terms is not None else max(len(query), default_terms(query.language))
    return move_query(query, index, *_locate_marked(index, query.language, shares), most, alpha)


def move_query(
    query: Query,
    index: Index,
    rows: Sequence[NDArray[np.int64]],
    weights: Floats,
    terms: int,
    alpha: float = 1.0,
) -> Query:
    """A query moved towards documents, given by their rows in each matrix, with a weight for each; see `feedback`."""
    matrices = [matrix for _, matrix in index.matrices(query.language)]
    numbers = [matrix.find(query.terms) for matrix in matrices]
    vectors = gather_vectors(matrices, rows, numbers)
    statistics = index.statistics(query.language)
    df = statistics.frequencies_of(vectors.vocabulary.numbers).documents
    idf = np.log((statistics.documents + 1) / np.maximum(df, 1)) * (df > 0)
    moved = _sum_vectors(vectors, weights, idf)
    place = vectors.vocabulary.find(numbers)
    known = np.flatnonzero(place >= 0)
    length = float(np.linalg.norm(query.weights[known] * idf[place[known]]))
    if length > 0:
        moved[place[known]] += alpha * query.weights[known] / length
    moved[place[known[query.weights[known] == 0]]] = 0  # a term that somebody took out stays out
    return _keep_heaviest(query, vectors.vocabulary, moved, idf, df, terms)


def _sum_vectors(vectors: Vectors, weights: Floats, idf: Floats) -> Floats:
    """The weighted sum of the marked documents, each normalised to the same length."""
    roots = np.sqrt(vectors.counts)
    lengths = np.sqrt(np.add.reduceat((roots * idf[vectors.terms]) ** 2, vectors.ptr[:-1]))
    scaled = np.divide(weights, lengths, out=np.zeros_like(weights), where=lengths > 0)
    spread = roots * np.repeat(scaled, np.diff(vectors.ptr))
    return np.bincount(vectors.terms, weights=spread, minlength=len(vectors.vocabulary)).astype(np.float64, copy=False)


def _keep_heaviest(
    query: Query, names: JointVocabulary, weights: Floats, idf: Floats, df: NDArray[np.int64], most: int
) -> Query:
    """The query of the terms with the largest weight · idf."""
    worth = weights * idf
    kept = np.flatnonzero((weights > 0) & (worth > 0))
    order = kept[np.lexsort((kept, -worth[kept]))][:most]
    if not len(order):
        raise InputError("the marked documents leave no term of the query", remedy="mark fewer as irrelevant")
    return Query(
        tuple(names[at] for at in order.tolist()),
        weights[order],
        query.language,
        f"{query.method}+feedback",
        topic=query.topic,
        df=tuple(df[order].tolist()),
    )


def _locate_marked(index: Index, language: str, shares: Mapping[str, float]) -> tuple[list[NDArray[np.int64]], Floats]:
    """For each matrix, the rows of the marked documents; and the weight of each document, in the same order."""
    places: list[list[tuple[int, float]]] = [[] for _ in index.matrices(language)]
    for name, share in shares.items():
        place = index.find(name)
        if place is None:
            raise InputError("is marked, but not in the index", doc_id=name)
        for at, (segment, matrix) in enumerate(index.matrices(language)):
            if segment.name == place[0].name:
                row = int(matrix.rows_of(np.array([place[1]]))[0])
                if row >= 0 and matrix.lengths[row]:
                    places[at].append((row, share))
    if not any(places):
        raise InputError(f"no marked document has text in language {language!r}", remedy="mark others")
    rows = [np.array([row for row, _ in here], np.int64) for here in places]
    return rows, np.array([share for here in places for _, share in here])
