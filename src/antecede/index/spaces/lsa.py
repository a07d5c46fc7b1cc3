"""Latent semantic analysis: the truncated singular value decomposition of a collection's own matrix.

X has a row of unit length per document, with (1 + log n) · log(N/df) for a term that occurs n times; terms that are in
fewer than 3 documents or in half of them and more are left out, and of the others the 60,000 in most documents are
kept. The d leading right singular vectors V of X are found by subspace iteration on XᵀX from a random start, with a
Rayleigh–Ritz step at the end (Halko, Martinsson and Tropp, SIAM Review 2011, algorithm 4.4): each pass reads the
matrix from disk once, and memory does not depend on the number of documents.

    Deerwester, Dumais, Furnas, Landauer, Harshman: Indexing by latent semantic analysis, JASIS 41(6), 1990.

Sums are computed in an order that does not depend on threads or memory: the same index gives the same bytes. SciPy's
`svds` (ARPACK) takes three times as long for 200 dimensions, and would need the whole matrix in memory.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.index.arrays import concatenate, pointers_from_sizes
from antecede.index.spaces.space import Basis, dampen, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.index import Index
    from antecede.index.matrix import Matrix

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Block = tuple[Ints, Ints, Floats]

LEAST_DOCUMENTS = 3
"""Documents that a term must be in."""
MOST_TERMS = 60_000
PASSES = 4
"""Times that the matrix is read: a random start, two steps of subspace iteration, and the Rayleigh–Ritz step."""
EXTRA = 12
"""Dimensions computed beyond those wanted, which makes the last of these more exact."""
STRIPE = 32
"""Columns that a thread computes together: 32 floats of 60,000 terms are about what a cache holds."""
SEED = 0
SMALLEST = 1e-6
"""A singular value squared, relative to the largest, below which a dimension is only rounding."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a space: their bytes in order, their weights, and their numbers in each matrix."""

    names: list[bytes]
    weights: Floats
    places: list[Ints]
    """For each matrix: the place of each of its terms in the space, or −1."""


@dataclass(frozen=True)
class Effort:
    """What learning may take, and whom it tells how far it is."""

    threads: int
    memory: int
    report: Callable[[int, int], None]


def choose_terms(matrices: Sequence[Matrix], documents: int, most: int = MOST_TERMS) -> Terms:
    """The terms that are neither too rare nor in every other document; of these, those in most documents."""
    df: dict[bytes, int] = {}
    names = [[term.encode() for term in matrix.all_terms()] for matrix in matrices]
    for matrix, each in zip(matrices, names, strict=True):
        for name, count in zip(each, _live_frequencies(matrix).tolist(), strict=True):
            df[name] = df.get(name, 0) + count
    fit = [(-count, name) for name, count in df.items() if count >= LEAST_DOCUMENTS and 2 * count < documents]
    chosen = sorted(name for _, name in sorted(fit)[:most])
    place = {name: at for at, name in enumerate(chosen)}
    weights = np.log(documents / np.array([df[name] for name in chosen], np.float64)).astype(np.float32)
    return Terms(chosen, weights, [np.array([place.get(name, -1) for name in each], np.int64) for each in names])


def _live_frequencies(matrix: Matrix) -> Ints:
    """In how many documents, but for the replaced ones, each term is."""
    df = matrix.df.astype(np.int64)
    for _, items, _ in rows_of(matrix, matrix.deleted.astype(np.int64)):
        df -= np.bincount(items, minlength=matrix.terms)
    return df


def learn_lsa(index: Index, language: str, dimensions: int, effort: Effort) -> Basis | None:
    """The basis of the LSA of a language; None where there are too few documents to learn it from."""
    matrices = [matrix for _, matrix in index.filed_matrices(language)]
    documents = sum(matrix.rows - len(matrix.deleted) for matrix in matrices)
    terms = choose_terms(matrices, documents)
    width = min(dimensions + EXTRA, documents, len(terms.names))
    if not width:
        return None
    check_memory(len(terms.names), width, effort.memory)
    vectors = leading_vectors(lambda: blocks(matrices, terms), documents, len(terms.names), width, effort)[
        :, :dimensions
    ]
    return basis_of(terms, vectors) if vectors.shape[1] else None


def basis_of(terms: Terms, vectors: Floats) -> Basis:
    """A basis that nothing is shifted in."""
    nothing = np.zeros((2, vectors.shape[1]), np.float32)
    return Basis(*concatenate(terms.names), terms.weights, np.ascontiguousarray(vectors), nothing)


def check_memory(terms: int, width: int, memory: int) -> None:
    """Refuse what does not fit into memory: three tables of all terms, and the process itself."""
    needed = 3 * 4 * terms * width + (300 << 20)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(
            f"{width} dimensions of {terms} terms take {size}: give --memory {size}, or fewer --dimensions"
        )


def leading_vectors(blocks: Callable[[], Iterator[Block]], rows: int, terms: int, width: int, effort: Effort) -> Floats:
    """The leading right singular vectors of a matrix, at most `width`, as columns; the strongest first.

    `blocks` reads the matrix anew, some of its `rows` at a time.
    """
    from scipy.linalg import eigh, qr  # only here: SciPy takes a third of a second to load
    from scipy.sparse import csr_array
    from threadpoolctl import threadpool_limits

    stripes = [slice(first, first + STRIPE) for first in range(0, width, STRIPE)]
    signs = np.random.Generator(np.random.PCG64(SEED)).integers(0, 2, (len(stripes), terms, STRIPE), np.int8)
    start = np.concatenate([*signs], axis=1)[:, :width] * np.float32(2) - np.float32(1)
    done = 0
    with ThreadPoolExecutor(effort.threads) as pool, threadpool_limits(1, "blas"):  # results change with their number
        for number in range(PASSES):
            image = np.zeros((terms, width), np.float32, order="F")
            columns = [np.ascontiguousarray(start[:, stripe]) for stripe in stripes]
            for ptr, places, values in blocks():
                part = csr_array((values, places, ptr), shape=(len(ptr) - 1, terms))
                for stripe, product in zip(stripes, pool.map(partial(_apply, part), columns), strict=True):
                    image[:, stripe] += product
                done += len(ptr) - 1
                effort.report(done, PASSES * rows)
            if number < PASSES - 1:
                start, _ = qr(image, mode="economic", overwrite_a=True, check_finite=False)
        gram = (start.T @ image).astype(np.float64)
        values, rotation = eigh((gram + gram.T) / 2)
        kept = int((values > SMALLEST * max(values[-1], 0)).sum())
        return _with_fixed_signs(start @ rotation[:, ::-1][:, :kept].astype(np.float32))


def _apply(part: Any, columns: Floats) -> Floats:
    """XᵀX · columns for some rows of X; SciPy releases the interpreter lock meanwhile."""
    image: Floats = part.T @ (part @ columns)
    return image


def blocks(matrices: Sequence[Matrix], terms: Terms) -> Iterator[Block]:
    """The rows of X, some at a time: where each begins, the places of its terms, and their values."""
    for matrix, place in zip(matrices, terms.places, strict=True):
        live = np.setdiff1d(np.arange(matrix.rows), matrix.deleted, assume_unique=True)
        for ptr, items, counts in rows_of(matrix, live):
            yield _row_values(ptr, place[items], counts, terms.weights)


def _row_values(ptr: Ints, places: Ints, counts: Doubles, weights: Floats) -> Block:
    """Rows of unit length with (1 + log n) · w(t), the unknown terms left out."""
    known = places >= 0
    row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))[known]
    chosen = places[known]
    values = dampen(counts[known]) * weights[chosen]
    squares = np.bincount(row, values**2, len(ptr) - 1)
    sizes = np.bincount(row, minlength=len(ptr) - 1)
    return pointers_from_sizes(sizes), chosen, (values / np.sqrt(squares)[row]).astype(np.float32)


def _with_fixed_signs(vectors: Floats) -> Floats:
    """Columns with their largest entry positive: the sign of a singular vector is arbitrary."""
    top = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1, 1).astype(np.float32)
    return vectors * signs
