"""A query → a ranking: term-at-a-time scoring over the impacts of each segment, then a merge; ties by name."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.embedded.layers import (
    BLOCK,
    LOWEST,
    Layer,
    NameOrder,
    SegmentTerms,
    TermCache,
    accumulate,
    mark_rows,
    select_top,
    sort_keys,
)
from antecede.embedded.pruning import CompactLayer, exact_impacts, find_candidates
from antecede.engine import Hits, Impacts
from antecede.errors import UsageError
from antecede.models import CollectionFacts, Model, keep_by_model, model_of
from antecede.parallel import memory_limit
from antecede.ranges import DOCUMENTS
from antecede.term_matches import resolve_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.arrays import F32, Ints, Mask
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.embedded.selection import MaskSelection
    from antecede.engine import QueryTerms
    from antecede.term_matches import ResolvedQuery


Key = TypeVar("Key")
Value = TypeVar("Value")

COMPACT_ROWS = 1 << 16
"""The number of rows from which on a segment has a compact layer if its exact impacts need too much memory."""
PRUNED_ROWS, ROWS_PER_HIT = 1 << 18, 1000
"""The number of rows, and of rows per document wanted, from which on pruning is faster than adding all postings."""
MEMORY_SHARE = 4
"""A segment has a compact layer if its exact impacts may take more than one in so many bytes of the memory."""
BYTES_PER_POSTING = 8
"""Of exact impacts."""
MIN_SCORE = 1e-37
"""Slightly more than the smallest normal 32-bit float."""
ABOVE_ZERO = np.finfo(np.float32).tiny
CACHE_KEY, TERMS_KEY = "searchers", "terms"


class Searcher:
    """Searches an index with one ranking model; may be used from several threads.

    Args:
        index: The index, from `open_index`.
        model: The ranking model, such as `bm25(k1=0.9,b=0.4)`.
    """

    def __init__(self, index: EmbeddedEngine, model: Model | str = "bm25") -> None:
        self.index = index
        self.model = model_of(model)
        self.layers: dict[tuple[str, int], Layer] = {}
        self.term_caches: dict[str, TermCache] = index.cache.setdefault(TERMS_KEY, {})
        """Shared by the searchers of all models."""
        self.name_orders: dict[tuple[str, int], NameOrder] = {}
        self.lock = threading.Lock()
        self.buffers = threading.local()
        self.compact_from: int | None = None
        """The number of rows from which on a segment has a compact layer; None to decide by the memory."""
        self.compact_layers: dict[tuple[str, int], CompactLayer] = {}

    def search(self, query: QueryTerms, k: int, selection: MaskSelection, *, keep_scores: bool = False) -> Hits:
        """The k best documents for a query, each with at least one of its terms; ties are broken by name.

        Terms of weight 0 are ignored. With `keep_scores` the hits know the score of any other document, too.
        """
        DOCUMENTS.check(k, "k")
        resolved = self.resolve(query)
        language, matrices = resolved.language, self.index.matrices(resolved.language)
        best: list[tuple[Ints, F32]] = []
        kept: list[Callable[[Ints], F32]] = []
        for at, (_, matrix) in enumerate(matrices):
            terms = SegmentTerms.of(resolved, at)
            hits = self.search_compact(language, at, terms, k, selection)
            if hits is not None:
                best.append(hits)
                kept.append(partial(self.compact_layer(language, at).score_rows, terms=terms))
            else:
                best.append(self.search_segment(language, at, terms, k, selection))
                kept += [self.score_buffer(matrix.rows).copy().__getitem__] if keep_scores else []
        numbers, scores = self.merge(language, best, k)
        score_of = partial(self.score_kept, language, kept) if keep_scores else None
        return Hits(numbers, scores, language, resolved.unmatched, score_of=score_of)

    def merge(self, language: str, best: list[tuple[Ints, F32]], k: int) -> tuple[Ints, F32]:
        """The best rows of each matrix as one ranking of documents; ties are broken by the bytes of the names."""
        numbers = [self.index.numbers_of_rows(language, at, rows) for at, (rows, _) in enumerate(best)]
        if len(best) == 1:
            return numbers[0], best[0][1]
        every, scores = np.concatenate(numbers), np.concatenate([own for _, own in best])
        where = np.repeat(np.arange(len(best)), [*map(len, numbers)])
        order = np.argsort(-scores, kind="stable")
        bounds = np.flatnonzero(np.diff(scores[order])) + 1
        # Names are looked up only of documents of equal score, and only down to rank k.
        for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
            if start >= k:
                break
            if end - start > 1 and len({*where[order[start:end]].tolist()}) > 1:
                tied = order[start:end]
                order[start:end] = tied[np.argsort(self.index.name_ranks(every[tied]), kind="stable")]
        return every[order[:k]], scores[order[:k]]

    def score_kept(self, language: str, kept: list[Callable[[Ints], F32]], numbers: Ints) -> F32:
        """The scores of documents from those that a search kept for the rows of each matrix."""
        where, rows = self.index.locate_rows(numbers, language)
        scores = np.zeros(len(numbers), np.float32)
        for at, of_rows in enumerate(kept):
            here = np.flatnonzero(where == at)
            scores[here] = of_rows(rows[here])
        return scores

    def resolve(self, query: QueryTerms) -> ResolvedQuery:
        if not self.index.matrices(query.language):
            known = ", ".join(language or "unknown" for language in self.index.languages)
            raise UsageError(f"the index has no documents in language {query.language!r}; it has {known}")
        return resolve_query(query, *self.term_cache(query.language).look_up(query.terms))

    def search_compact(
        self, language: str, at: int, terms: SegmentTerms, k: int, selection: MaskSelection
    ) -> tuple[Ints, F32] | None:
        """The k best rows of a large segment with their scores; None if these are not sums of positive impacts, or the
        segment is small for so many documents.

        A score that could be smaller than the smallest normal float is left to `search_segment` too.
        """
        if not self.is_pruned(language, at, k) or not len(terms.weights) or terms.weights.min() <= 0:
            return None
        layer = self.compact_layer(language, at)
        suitable = layer.locate(terms.numbers, terms.df, terms.cf)
        if not suitable or float(terms.weights.min()) * layer.smallest_impact <= MIN_SCORE:
            return None
        rows, scores = find_candidates(layer, terms, k, selection.rows(language, at))
        best = np.argsort(sort_keys(scores, self.name_order(language, at).ranks[rows]))[:k]
        return rows[best], scores[best]

    def search_segment(
        self, language: str, at: int, terms: SegmentTerms, k: int, selection: MaskSelection
    ) -> tuple[Ints, F32]:
        """The k best rows of a segment with their scores, by adding all postings."""
        layer = self.layer(language, at)
        weights = terms.weights
        ranges = layer.locate(terms.numbers, terms.df, terms.cf)
        scores = self.score_buffer(layer.matrix.rows)
        scores.fill(0)
        accumulate(layer, ranges, weights, scores, BLOCK)
        eligible, lowest = selection.rows(language, at), LOWEST
        if layer.document is None and len(weights) and float(weights.min()) * layer.smallest_impact > MIN_SCORE:
            lowest = ABOVE_ZERO  # every document that contains a term has a positive score
        else:
            marked = np.zeros(len(scores), np.bool_)
            mark_rows(layer.rows, ranges.starts, ranges.ends, layer.dense, ranges.slots, marked)
            eligible = marked if eligible is None else marked & eligible
        if layer.document is not None:
            scores += layer.document * terms.weight_sum
        rows = select_top(scores, self.name_order(language, at), k, eligible, lowest)
        return rows, scores[rows] + np.float32(0)

    def impacts(self, query: QueryTerms, number: int) -> Impacts:
        """What the terms of a query add to the score of a document."""
        where, rows = self.index.locate_rows(np.array([number], np.int64), query.language)
        at, row = int(where[0]), int(rows[0])
        df, cf, *every = self.term_cache(query.language).look_up(query.terms)
        numbers = every[at]
        used = np.flatnonzero((numbers >= 0) & (query.weights.astype(np.float32) != 0))
        own, frequencies = numbers[used], (df[used], cf[used])
        layer = self.layers.get((query.language, at))
        if self.model.definition.document is not None:
            layer = self.layer(query.language, at)
            layer.locate(own, *frequencies)
        if layer is not None and layer.has(own):
            present, impacts = layer.impacts_of_row(own, row)
            document = layer.document[row] if layer.document is not None else None
            return Impacts(used[present], impacts[present], document)
        # The document was found over a compact layer, by another state of this index, or by no search at all.
        present, impacts = self._impacts_of_row(query.language, at, own, *frequencies, row)
        return Impacts(used[present], impacts[present], None)

    def _impacts_of_row(self, language: str, at: int, terms: Ints, df: Ints, cf: Ints, row: int) -> tuple[Mask, F32]:
        """Which of these terms a row contains, and the exact impact of each, from the vector of the row."""
        matrix, statistics = self.index.matrices(language)[at][1], self.index.statistics(language)
        collection = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        different, first, order = np.unique(terms, return_index=True, return_inverse=True)
        _, places, impacts = exact_impacts(
            matrix, self.model, collection, np.array([row]), different, df[first], cf[first]
        )
        present, every = np.zeros(len(different), np.bool_), np.zeros(len(different), np.float32)
        present[places], every[places] = True, impacts
        return present[order.reshape(-1)], every[order.reshape(-1)]

    def _once(self, known: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
        """A value that is created once, by the thread that first needs it."""
        if key not in known:
            with self.lock:
                if key not in known:
                    known[key] = make()
        return known[key]

    def layer(self, language: str, at: int) -> Layer:
        matrix, statistics = self.index.matrices(language)[at][1], self.index.statistics(language)
        return self._once(self.layers, (language, at), lambda: Layer(matrix, self.model, statistics))

    def is_compact(self, language: str, at: int) -> bool:
        """Whether a segment has only a compact layer: its exact impacts may take too much of the memory, and the model
        only adds impacts."""
        if self.model.definition.document is not None:
            return False
        matrix = self.index.matrices(language)[at][1]
        if self.compact_from is not None:
            return matrix.rows >= self.compact_from
        return matrix.rows >= COMPACT_ROWS and matrix.postings * BYTES_PER_POSTING > memory_limit() // MEMORY_SHARE

    def is_pruned(self, language: str, at: int, k: int) -> bool:
        """Whether a segment is searched for so many documents with a compact layer: where it must be, or is faster."""
        rows = self.index.matrices(language)[at][1].rows
        pays = self.compact_from is None and rows >= max(PRUNED_ROWS, k * ROWS_PER_HIT)
        return self.is_compact(language, at) or (pays and self.model.definition.document is None)

    def compact_layer(self, language: str, at: int) -> CompactLayer:
        matrix, statistics = self.index.matrices(language)[at][1], self.index.statistics(language)
        return self._once(self.compact_layers, (language, at), lambda: CompactLayer(matrix, self.model, statistics))

    def term_cache(self, language: str) -> TermCache:
        return self._once(self.term_caches, language, lambda: TermCache(self.index.statistics(language)))

    def name_order(self, language: str, at: int) -> NameOrder:
        segment, matrix = self.index.matrices(language)[at]
        key = language, at
        return self._once(self.name_orders, key, lambda: NameOrder.of_ranks(segment.order[matrix.documents]))

    def score_buffer(self, rows: int) -> F32:
        """The score array of this thread, reused from query to query."""
        if getattr(self.buffers, "rows", -1) < rows:
            self.buffers.rows, self.buffers.scores = rows, np.empty(rows, np.float32)
        scores: F32 = self.buffers.scores
        return scores[:rows]


def searcher_for(index: EmbeddedEngine, model: Model | str) -> Searcher:
    """The searcher of an index with a model; that of an earlier search where there is one, to reuse its impacts."""
    kept: dict[str, Searcher] = index.cache.setdefault(CACHE_KEY, {})
    return keep_by_model(kept, model, partial(Searcher, index))
