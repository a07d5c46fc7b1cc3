"""A query → a ranking: term at a time over the impacts of each segment, then the best of all, ties by name."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.search.filters import Filters
from antecede.search.kernel import accumulate, best, only_met, touch
from antecede.search.layers import Layer
from antecede.search.models import Model, parse_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.matrix import Matrix
    from antecede.index.segment import Segment
    from antecede.query import Query

NO_FILTERS = Filters()


@dataclass(frozen=True)
class Hits:
    """The documents found, best first: their scores and names, and where each stands."""

    doc_ids: tuple[str, ...]
    scores: NDArray[np.float32]
    places: tuple[tuple[int, int], ...]
    """Segment and row of each, for `explain`."""
    unmatched: int = 0
    """Terms of the query that no document has."""

    def __len__(self) -> int:
        return len(self.doc_ids)


@dataclass(frozen=True)
class Found:
    """The best of one segment."""

    segment: int
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]
    doc_ids: list[str]


class Searcher:
    """Searches an index with one ranking model, from as many threads as you like."""

    def __init__(self, index: Index, model: Model | str = "bm25") -> None:
        self.index = index
        self.model = parse_model(model) if isinstance(model, str) else model
        self.layers: dict[tuple[str, int], Layer] = {}
        self.lock = threading.Lock()
        self.mine = threading.local()
        self.allowed = lru_cache(maxsize=64)(self.allowed_rows)

    def search(self, query: Query, k: int = 100, filters: Filters = NO_FILTERS) -> Hits:
        """The k best documents for a query, each with at least one of its terms."""
        if k < 1:
            raise UsageError(f"k must be 1 or more, it is {k}")
        there = self.index.matrices(query.language)
        if not there:
            known = ", ".join(each or "unknown" for each in self.index.languages)
            raise UsageError(f"the index has no documents in language {query.language!r}; it has {known}")
        numbers = [matrix.find(query.terms) for _, matrix in there]
        frequencies = self.index.statistics(query.language).frequencies_of(numbers)
        found = [
            self.in_segment(
                at, segment, matrix, query, number, frequencies.documents, frequencies.occurrences, k, filters
            )
            for at, ((segment, matrix), number) in enumerate(zip(there, numbers, strict=True))
        ]
        return ranked(found, k, unmatched=int((frequencies.documents == 0).sum()))

    def in_segment(
        self,
        at: int,
        segment: Segment,
        matrix: Matrix,
        query: Query,
        numbers: NDArray[np.int64],
        df: NDArray[np.int64],
        cf: NDArray[np.int64],
        k: int,
        filters: Filters,
    ) -> Found:
        """The k best of one segment."""
        layer = self.layer(query.language, at, matrix)
        there = np.flatnonzero((numbers >= 0) & (df > 0))
        terms = numbers[there]
        layer.ensure(terms, df[there], cf[there])
        scores, allowed = self.space(matrix.rows)
        scores[:] = 0
        allowed[:] = self.allowed(query.language, at, filters)
        starts, ends = layer.offsets[terms], layer.offsets[terms + 1]
        weights = query.weights[there].astype(np.float32)
        accumulate(layer.rows, layer.impacts, starts, ends, weights, scores)
        if self.model.definition.signed or (query.weights <= 0).any():
            met = np.zeros(matrix.rows, np.uint8)
            touch(layer.rows, starts, ends, met)
            allowed &= met
        else:
            only_met(scores, allowed)
        if layer.document is not None:
            scores += layer.document * np.float32(query.weights.sum())
        rows = best(scores, allowed, k)
        documents = matrix.documents[rows]
        order = np.lexsort((segment.order[documents], -scores[rows]))[:k]
        rows = rows[order]
        return Found(at, rows, scores[rows], segment.doc_ids(documents[order]))

    def layer(self, language: str, at: int, matrix: Matrix) -> Layer:
        """The impacts of a segment's matrix, laid out once."""
        with self.lock:
            if (language, at) not in self.layers:
                self.layers[language, at] = Layer(matrix, self.model, self.index.statistics(language))
            return self.layers[language, at]

    def allowed_rows(self, language: str, at: int, filters: Filters) -> NDArray[np.uint8]:
        """A 1 for each row of a matrix whose document may be found."""
        segment, matrix = self.index.matrices(language)[at]
        return filters.allowed(segment)[matrix.documents]

    def space(self, rows: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        """Scores and marks of this thread, used again from query to query."""
        if getattr(self.mine, "rows", -1) < rows:
            self.mine.rows, self.mine.arrays = rows, (np.empty(rows, np.float32), np.empty(rows, np.uint8))
        scores, allowed = self.mine.arrays
        return scores[:rows], allowed[:rows]

    def search_all(
        self,
        queries: Iterable[Query],
        k: int = 1000,
        *,
        filters: Callable[[Query], Filters] = lambda _: NO_FILTERS,
        threads: int = 1,
    ) -> Iterator[Hits]:
        """Many queries, in their order, on several threads."""
        if threads == 1:
            yield from (self.search(query, k, filters(query)) for query in queries)
            return
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(lambda query: self.search(query, k, filters(query)), queries)


def ranked(found: Sequence[Found], k: int, unmatched: int) -> Hits:
    """The best of all segments: by score, equal ones by name."""
    if len(found) == 1:
        only = found[0]
        return Hits(tuple(only.doc_ids), only.scores, tuple((0, row) for row in only.rows.tolist()), unmatched)
    scores = np.concatenate([each.scores for each in found])
    names = [name for each in found for name in each.doc_ids]
    places = [(each.segment, row) for each in found for row in each.rows.tolist()]
    order = sorted(range(len(names)), key=lambda at: (-float(scores[at]), names[at].encode()))[:k]
    return Hits(tuple(names[at] for at in order), scores[order], tuple(places[at] for at in order), unmatched)
