"""Word vectors learned from the collection: the terms that a term occurs with, as a vector.

Each text is cut at punctuation into contexts of at most 30 different terms. c(a, b) is the number of contexts that have
both a and b, and the positive pointwise mutual information of a term a and a context term b is

    max(0, log( P(b | a) / P'(b) )),   P(b | a) = c(a, b) / Σ_b c(a, b),   P'(b) ∝ (Σ_a c(a, b))^0.75.

The vectors of terms are the left singular vectors of this matrix, unscaled (Levy, Goldberg and Dagan, Improving
distributional similarity with lessons learned from word embeddings, TACL 2015). A document is the mean of the vectors
of its terms, weighted by (1 + log n) · log(N/df), from which the mean of all documents and the first principal
component are removed (after Arora, Liang and Ma, A simple but tough-to-beat baseline for sentence embeddings, ICLR
2017).

Documents are read again from the records of the index: at most 100,000, evenly spaced, which is plenty for counting.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.index.arrays import concatenate, pointers_from_sizes, split_spans
from antecede.index.records import text_of
from antecede.index.spaces.lsa import (
    EXTRA,
    basis_of,
    check_memory,
    choose_terms,
    leading_vectors,
)
from antecede.index.terms import find_terms
from antecede.text.bulk import BulkAnalyzer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.index import Index, Segment
    from antecede.index.matrix import Matrix
    from antecede.index.spaces.lsa import Block, Effort, Terms
    from antecede.index.spaces.space import Basis

    Ints = NDArray[np.int64]

MOST_TERMS = 30_000
MOST_DOCUMENTS = 100_000
"""Documents that contexts are counted in."""
MOST_SHIFTED = 20_000
"""Documents that their mean and first principal component are computed from."""
LONGEST = 30
"""Different terms of a context; a longer one is cut."""
SMOOTHING = 0.75
MOST_PAIRS = 1 << 23
"""Pairs of terms in memory; where there are more, the rarest are dropped until half as many are left."""
PAIR_BYTES = 80
"""Memory for a pair of terms while the table of pairs is laid out."""
AT_ONCE = 1 << 19
TEXT_AT_ONCE = 1 << 24
"""Bytes of text that are analysed at a time."""
BREAKS = re.compile(rb"[.;!?\n]+|\xe3\x80\x82")


class PairCounts:
    """How many contexts have both of two terms; the rarest pairs are dropped when there are too many."""

    def __init__(self, terms: int) -> None:
        from scipy.sparse import csr_array  # only here: SciPy takes a third of a second to load

        self.counts = csr_array((terms, terms), dtype=np.int32)
        """The count of terms a and b with a < b."""

    def add(self, ptr: Ints, places: Ints) -> None:
        """Count the pairs of contexts; context i has the terms at `places[ptr[i]:ptr[i + 1]]`."""
        from scipy.sparse import csr_array, triu

        context = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        is_cut = (np.arange(len(places)) - ptr[context]) % LONGEST == 0
        begins = np.append(np.flatnonzero(is_cut), len(places))
        shape = len(begins) - 1, self.counts.shape[0]
        contexts = csr_array((np.ones(len(places), np.int32), places, begins), shape=shape)
        self.counts += triu(contexts.T @ contexts, 1, format="csr")
        least = 0
        while self.counts.nnz > (MOST_PAIRS // 2 if least else MOST_PAIRS):
            least += 1
            self.counts.data[self.counts.data <= least] = 0
            self.counts.eliminate_zeros()

    def table(self) -> tuple[Ints, NDArray[np.int32], NDArray[np.float64]]:
        """The counts in both directions: where the pairs of each term begin, the other term, and the count."""
        both = self.counts + self.counts.T
        return both.indptr.astype(np.int64), both.indices, both.data.astype(np.float64)


def learn_words(index: Index, language: str, dimensions: int, effort: Effort) -> Basis | None:
    """The basis of the word vectors of a language; None where there are too few documents to learn from."""
    filed = index.filed_matrices(language)
    matrices = [matrix for _, matrix in filed]
    terms = choose_terms(matrices, index.documents_in(language), MOST_TERMS)
    if not terms.names:
        return None
    width = min(dimensions + EXTRA, len(terms.names))
    check_memory(len(terms.names), width, effort.memory)
    check_pairs(index.filed_statistics(language).tokens, effort.memory)
    ptr, other, counts = _count_contexts(index, language, terms, effort).table()
    if not len(other):
        return None
    totals = np.add.reduceat(np.append(counts, 0), ptr[:-1]) * (np.diff(ptr) > 0)
    smooth = totals**SMOOTHING
    smooth /= smooth.sum()

    def blocks() -> Iterator[Block]:
        """The rows of the transposed matrix: of each context term b the information of the terms a."""
        for first, last in split_spans(np.diff(ptr), AT_ONCE):
            part = slice(ptr[first], ptr[last])
            b = np.repeat(np.arange(first, last), np.diff(ptr[first : last + 1]))
            values = np.log(counts[part] / totals[other[part]] / smooth[b])
            kept = values > 0
            sizes = np.bincount(b[kept] - first, minlength=last - first)
            yield pointers_from_sizes(sizes), other[part][kept].astype(np.int64), values[kept].astype(np.float32)

    vectors = leading_vectors(blocks, len(terms.names), len(terms.names), width, effort)[:, :dimensions]
    return _with_shift(basis_of(terms, vectors), matrices) if vectors.shape[1] else None


def check_pairs(tokens: int, memory: int) -> None:
    """Refuse what does not fit into memory: the pairs of terms, of which a token has at most LONGEST / 2."""
    needed = (300 << 20) + PAIR_BYTES * min(MOST_PAIRS, tokens * LONGEST // 2)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(f"the pairs of terms in {tokens} tokens take up to {size}: give --memory {size}")


def _count_contexts(index: Index, language: str, terms: Terms, effort: Effort) -> PairCounts:
    """Count the pairs of terms in the contexts of the documents of a language."""
    pairs, analyzer = PairCounts(len(terms.names)), BulkAnalyzer(language, index.profile)
    arena, ptr = concatenate(terms.names)
    filed = index.filed_matrices(language)
    chosen = _choose_rows([matrix for _, matrix in filed], MOST_DOCUMENTS)
    done, total = 0, sum(map(len, chosen))
    for (segment, matrix), rows in zip(filed, chosen, strict=True):
        for contexts, documents in _read_contexts(index, segment, matrix, rows, language):
            batch = analyzer.add(contexts)
            known = analyzer.export_terms()
            place = find_terms(arena, ptr, known.data, np.ascontiguousarray(known.offsets))[batch.terms]
            is_known = place >= 0
            context = np.repeat(np.arange(len(contexts)), np.diff(batch.ptr))[is_known]
            sizes = np.bincount(context, minlength=len(contexts))
            pairs.add(pointers_from_sizes(sizes), place[is_known])
            done += documents
            effort.report(done, total)
    return pairs


def _choose_rows(matrices: Sequence[Matrix], most: int) -> list[Ints]:
    """For each matrix, rows whose documents were not replaced: all of them, or every n-th, to have at most `most`."""
    live = [np.setdiff1d(np.arange(matrix.rows), matrix.deleted, assume_unique=True) for matrix in matrices]
    step = -(-sum(map(len, live)) // most)
    return [rows[::step] for rows in live] if step else live


def _read_contexts(
    index: Index, segment: Segment, matrix: Matrix, rows: Ints, language: str
) -> Iterator[tuple[list[bytes], int]]:
    """The contexts of documents, some at a time, with the number of documents they come from."""
    contexts: list[bytes] = []
    size = documents = 0
    for number in matrix.documents[rows].tolist():
        text = text_of(segment.store.record(number), language, index.settings["fields"])
        contexts += BREAKS.split(text)
        size, documents = size + len(text), documents + 1
        if size > TEXT_AT_ONCE:
            yield contexts, documents
            contexts, size, documents = [], 0, 0
    if contexts:
        yield contexts, documents


def _with_shift(basis: Basis, matrices: Sequence[Matrix]) -> Basis:
    """The basis with the mean of the documents, and the first principal component of what they have beyond it."""
    from threadpoolctl import threadpool_limits

    rows = _choose_rows(matrices, MOST_SHIFTED)
    parts = [part for matrix, each in zip(matrices, rows, strict=True) for part in basis.fold_matrix(matrix, each)]
    vectors = np.concatenate(parts)
    vectors = vectors[vectors.any(axis=1)]
    if len(vectors) < 2:
        return basis
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    centred = vectors - mean
    with threadpool_limits(1, "blas"):
        values, directions = np.linalg.eigh(centred.T @ centred)
    first = directions[:, -1] if values[-1] > 0 else np.zeros(basis.dimensions)
    return replace(basis, shift=np.stack([mean, first.astype(np.float32)]))
