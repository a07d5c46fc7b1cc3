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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.index.arrays import pointers_from_sizes, split_spans
from antecede.index.indexed_text import text_of
from antecede.index.matrix import find_terms
from antecede.index.spaces.lsa import (
    EXTRA,
    STRIPE,
    basis_of,
    check_memory,
    choose_terms,
    eigen,
    leading_vectors,
    products,
)
from antecede.kernels import kernel
from antecede.text.bulk import BulkAnalyzer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.index import Index
    from antecede.index.matrix import Matrix
    from antecede.index.segment import Segment
    from antecede.index.spaces.basis import Basis
    from antecede.index.spaces.lsa import Block, Effort, Terms

    Ints = NDArray[np.int64]

MOST_TERMS = 30_000
MOST_DOCUMENTS = 100_000
"""Documents that contexts are counted in."""
MOST_SHIFTED = 20_000
"""Documents that their mean and first principal component are computed from."""
LONGEST = 30
"""Different terms of a context; a longer one is cut."""
SMOOTHING = 0.75
SLOTS = 1 << 20
MOST_SLOTS = 1 << 24
"""Places for pairs in memory, at the start and at most; when they are full, the rarest pairs are dropped."""
PAIR_BYTES = 80
"""Memory for a pair of terms while the table of pairs is laid out."""
AT_ONCE = 1 << 19
TEXT_AT_ONCE = 1 << 24
"""Bytes of text that are analysed at a time."""
BREAKS = re.compile(rb"[.;!?\n]+|\xe3\x80\x82")


class PairCounts:
    """How many contexts have both of two terms; a hash table that drops the rarest pairs when it is full."""

    def __init__(self, terms: int) -> None:
        self.terms, self.used = terms, 0
        self.keys, self.counts = np.full(SLOTS, -1, np.int64), np.zeros(SLOTS, np.uint32)

    def add(self, ptr: Ints, places: Ints) -> None:
        """Count the pairs of contexts; context i has the terms at `places[ptr[i]:ptr[i + 1]]`."""
        begin = 0
        while begin < len(ptr) - 1:
            begin, self.used = count_pairs(ptr, places, self.terms, self.keys, self.counts, begin, self.used)
            if begin < len(ptr) - 1:
                self.make_room()

    def make_room(self) -> None:
        """Twice the places; where there are as many as may be, without the pairs that were counted least."""
        there = np.flatnonzero(self.keys >= 0)
        keys, counts = self.keys[there], self.counts[there]
        size, least = len(self.keys) * 2, 1
        while size > MOST_SLOTS and len(keys) > MOST_SLOTS // 4:
            kept = counts > least
            keys, counts, least = keys[kept], counts[kept], least + 1
        self.keys = np.full(min(size, MOST_SLOTS), -1, np.int64)
        self.counts = np.zeros(len(self.keys), np.uint32)
        put_pairs(keys, counts, self.keys, self.counts)
        self.used = len(keys)

    def table(self) -> tuple[Ints, NDArray[np.int32], NDArray[np.float64]]:
        """The counts in both directions: where the pairs of each term begin, the other term, and the count."""
        there = np.flatnonzero(self.keys >= 0)
        order = np.argsort(self.keys[there])
        keys, counts = self.keys[there][order], self.counts[there][order]
        del there, order
        first, second = keys // self.terms, keys % self.terms
        row = np.concatenate([first, second])
        other = np.concatenate([second, first]).astype(np.int32)
        order = np.argsort(row, kind="stable")
        sizes = np.bincount(row, minlength=self.terms)
        return pointers_from_sizes(sizes), other[order], np.concatenate([counts, counts])[order].astype(np.float64)


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
    ptr, other, counts = count_contexts(index, language, terms, effort).table()
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
    return with_shift(basis_of(terms, vectors), matrices, effort) if vectors.shape[1] else None


def check_pairs(tokens: int, memory: int) -> None:
    """Refuse what does not fit into memory: the pairs of terms, of which a token has at most LONGEST / 2."""
    needed = (300 << 20) + PAIR_BYTES * min(MOST_SLOTS // 2, tokens * LONGEST // 2)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(f"the pairs of terms in {tokens} tokens take up to {size}: give --memory {size}")


def count_contexts(index: Index, language: str, terms: Terms, effort: Effort) -> PairCounts:
    """Count the pairs of terms in the contexts of the documents of a language."""
    pairs, analyzer = PairCounts(len(terms.names)), BulkAnalyzer(language, index.profile)
    arena, ptr = terms.arena()
    filed = index.filed_matrices(language)
    chosen = choose_rows([matrix for _, matrix in filed], MOST_DOCUMENTS)
    done, total = 0, sum(map(len, chosen))
    for (segment, matrix), rows in zip(filed, chosen, strict=True):
        for contexts, documents in read_contexts(index, segment, matrix, rows, language):
            batch = analyzer.add(contexts)
            known = analyzer.export_terms()
            place = find_terms(arena, ptr, known.data, np.ascontiguousarray(known.offsets))[batch.terms]
            found = place >= 0
            context = np.repeat(np.arange(len(contexts)), np.diff(batch.ptr))[found]
            sizes = np.bincount(context, minlength=len(contexts))
            pairs.add(pointers_from_sizes(sizes), place[found])
            done += documents
            effort.report(done, total)
    return pairs


def choose_rows(matrices: Sequence[Matrix], most: int) -> list[Ints]:
    """For each matrix, rows whose documents were not replaced: all of them, or every n-th, to have at most `most`."""
    live = [np.setdiff1d(np.arange(matrix.rows), matrix.deleted, assume_unique=True) for matrix in matrices]
    step = -(-sum(map(len, live)) // most)
    return [rows[::step] for rows in live] if step else live


def read_contexts(
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


def with_shift(basis: Basis, matrices: Sequence[Matrix], effort: Effort) -> Basis:
    """The basis with the mean of the documents, and the first principal component of what they have beyond it."""
    rows = choose_rows(matrices, MOST_SHIFTED)
    parts = [part for matrix, each in zip(matrices, rows, strict=True) for part in basis.fold_matrix(matrix, each)]
    vectors = np.concatenate(parts)
    vectors = vectors[vectors.any(axis=1)]
    if len(vectors) < 2:
        return basis
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    size = basis.dimensions
    stripes = -(-size // STRIPE)
    table = np.zeros((stripes, len(vectors), STRIPE), np.float32)
    for at in range(stripes):
        part = (vectors - mean)[:, at * STRIPE : (at + 1) * STRIPE]
        table[at, :, : part.shape[1]] = part
    with ThreadPoolExecutor(effort.threads) as pool:
        values, directions = eigen(products(table, table, pool)[:size, :size])
    first = directions[:, 0] if values[0] > 0 else np.zeros(size)
    return replace(basis, shift=np.stack([mean, first.astype(np.float32)]))


@kernel
def count_pairs(
    ptr: Ints, places: Ints, terms: int, keys: Ints, counts: NDArray[np.uint32], begin: int, used: int
) -> tuple[int, int]:
    """Count the pairs of contexts from `begin` on until the table is full: the first that was not counted, and `used`.

    Bounds: slots are below the length of the table, a power of two. At least half of it is empty, since a context of n
    terms has fewer than 30 · n pairs and is counted only when there is room for them.
    """
    mask = len(keys) - 1
    room = len(keys) // 2
    for i in range(begin, len(ptr) - 1):
        if used + (ptr[i + 1] - ptr[i]) * LONGEST > room:
            return i, used
        for first in range(ptr[i], ptr[i + 1], LONGEST):
            last = min(first + LONGEST, ptr[i + 1])
            for x in range(first, last):
                for y in range(x + 1, last):
                    low, high = min(places[x], places[y]), max(places[x], places[y])
                    key = low * terms + high
                    slot = (key * -7046029254386353131 >> 20) & mask
                    while keys[slot] != key and keys[slot] >= 0:
                        slot = (slot + 1) & mask
                    if keys[slot] < 0:
                        keys[slot] = key
                        used += 1
                    counts[slot] += np.uint32(1)
    return len(ptr) - 1, used


@kernel
def put_pairs(keys: Ints, counts: NDArray[np.uint32], into: Ints, into_counts: NDArray[np.uint32]) -> None:
    """Put pairs into an empty table. Bounds: it has more places than there are pairs, as many as a power of two."""
    mask = len(into) - 1
    for i in range(len(keys)):
        slot = (keys[i] * -7046029254386353131 >> 20) & mask
        while into[slot] >= 0:
            slot = (slot + 1) & mask
        into[slot], into_counts[slot] = keys[i], counts[i]
