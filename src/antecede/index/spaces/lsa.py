"""Latent semantic analysis: the truncated singular value decomposition of a collection's own matrix.

X has a row of unit length per document, with (1 + log n) · log(N/df) for a term that occurs n times; terms that are in
fewer than 3 documents or in half of them and more are left out, and of the others the 60,000 in most documents are
kept. The d leading right singular vectors V of X are found by subspace iteration on XᵀX from a random start, with a
Rayleigh–Ritz step at the end (Halko, Martinsson and Tropp, SIAM Review 2011, algorithm 4.4): each pass reads the
matrix from disk once, and memory does not depend on the number of documents.

    Deerwester, Dumais, Furnas, Landauer, Harshman: Indexing by latent semantic analysis, JASIS 41(6), 1990.

The sums are computed by kernels of our own in an order that does not depend on threads, memory or the linear algebra
library: the same index gives the same bytes.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.index.arrays import pointers_from_sizes
from antecede.index.spaces.basis import Basis, dampen, rows_of
from antecede.kernels import kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

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
"""Columns that are computed together: 32 floats of 60,000 terms are about what a cache holds."""
SWEEPS = 40
"""Sweeps of Jacobi rotations at most; eight or so suffice."""
SEED = 0
SMALLEST = 1e-7
"""A singular value squared, relative to the largest, below which a dimension is only rounding."""


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a space: their bytes in order, their weights, and their numbers in each matrix."""

    names: list[bytes]
    weights: Floats
    places: list[Ints]
    """For each matrix: the place of each of its terms in the space, or −1."""

    def arena(self) -> tuple[NDArray[np.uint8], Ints]:
        """The terms one after the other, and where each begins."""
        return np.frombuffer(b"".join(self.names), np.uint8), pointers_from_sizes(
            np.array([*map(len, self.names)], np.int64)
        )


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
        for name, count in zip(each, live_frequencies(matrix).tolist(), strict=True):
            df[name] = df.get(name, 0) + count
    fit = [(-count, name) for name, count in df.items() if count >= LEAST_DOCUMENTS and 2 * count < documents]
    chosen = sorted(name for _, name in sorted(fit)[:most])
    place = {name: at for at, name in enumerate(chosen)}
    weights = np.log(documents / np.array([df[name] for name in chosen], np.float64)).astype(np.float32)
    return Terms(chosen, weights, [np.array([place.get(name, -1) for name in each], np.int64) for each in names])


def live_frequencies(matrix: Matrix) -> Ints:
    """In how many documents, but for the replaced ones, each term is."""
    df = matrix.df.astype(np.int64)
    for _, items, _ in rows_of(matrix, matrix.deleted.astype(np.int64)):
        df -= np.bincount(items, minlength=matrix.terms)
    return df


def learn_lsa(matrices: Sequence[Matrix], dimensions: int, effort: Effort) -> Basis | None:
    """The basis of the LSA of some matrices together; None where there are too few documents to learn it from."""
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
    return Basis(*terms.arena(), terms.weights, np.ascontiguousarray(vectors), nothing)


def check_memory(terms: int, width: int, memory: int) -> None:
    """Refuse what does not fit into memory: three tables of all terms, and the process itself."""
    needed = 3 * 4 * terms * -(-width // STRIPE) * STRIPE + (300 << 20)
    if needed > memory:
        size = f"{-(-needed // 10**6)}MB"
        raise UsageError(
            f"{width} dimensions of {terms} terms take {size}: give --memory {size}, or fewer --dimensions"
        )


def leading_vectors(blocks: Callable[[], Iterator[Block]], rows: int, terms: int, width: int, effort: Effort) -> Floats:
    """The leading right singular vectors of a matrix, at most `width`, as columns; the strongest first.

    `blocks` reads the matrix anew, some of its `rows` at a time.
    """
    stripes = -(-width // STRIPE)
    shape = (stripes, terms, STRIPE)
    signs = np.random.Generator(np.random.PCG64(SEED)).integers(0, 2, shape, np.int8)
    start = (signs.astype(np.float32) * 2 - 1) / np.float32(np.sqrt(terms))
    start[-1, :, width - (stripes - 1) * STRIPE :] = 0
    done = 0
    with ThreadPoolExecutor(effort.threads) as pool:
        for number in range(PASSES):
            image = np.zeros(shape, np.float32)
            for block in blocks():
                jobs = [pool.submit(accumulate, *block, start[at], image[at]) for at in range(stripes)]
                for job in jobs:
                    job.result()
                done += len(block[0]) - 1
                effort.report(done, PASSES * rows)
            if number < PASSES - 1:
                transform = orthonormal(products(image, image, pool))
                start = multiply(image, transform, pool)
        values, rotation = eigen(products(start, image, pool))
        kept = int((values > SMALLEST * max(values[0], 0)).sum())
        found = multiply(start, rotation, pool)
    joined = np.concatenate([*found], axis=1)[:, : min(kept, width)]
    return with_fixed_signs(joined)


def blocks(matrices: Sequence[Matrix], terms: Terms) -> Iterator[Block]:
    """The rows of X, some at a time: where each begins, the places of its terms, and their values."""
    for matrix, place in zip(matrices, terms.places, strict=True):
        live = np.setdiff1d(np.arange(matrix.rows), matrix.deleted, assume_unique=True)
        for ptr, items, counts in rows_of(matrix, live):
            yield row_values(ptr, place[items], counts, terms.weights)


def row_values(ptr: Ints, places: Ints, counts: Doubles, weights: Floats) -> Block:
    """Rows of unit length with (1 + log n) · w(t), the unknown terms left out."""
    known = places >= 0
    row = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))[known]
    chosen = places[known]
    values = dampen(counts[known]) * weights[chosen]
    squares = np.bincount(row, values**2, len(ptr) - 1)
    sizes = np.bincount(row, minlength=len(ptr) - 1)
    return pointers_from_sizes(sizes), chosen, (values / np.sqrt(squares)[row]).astype(np.float32)


def with_fixed_signs(vectors: Floats) -> Floats:
    """Columns with their largest entry positive: the sign of a singular vector is arbitrary."""
    top = np.abs(vectors).argmax(axis=0)
    signs = np.where(vectors[top, np.arange(vectors.shape[1])] < 0, -1, 1).astype(np.float32)
    return vectors * signs


def products(left: Floats, right: Floats, pool: ThreadPoolExecutor) -> Doubles:
    """leftᵀ · right of two tables in stripes."""
    stripes = len(left)
    out = np.zeros((stripes * STRIPE, stripes * STRIPE))

    def one(pair: tuple[int, int]) -> None:
        a, b = pair
        found = np.zeros((STRIPE, STRIPE))
        product(left[a], right[b], found)
        out[a * STRIPE : (a + 1) * STRIPE, b * STRIPE : (b + 1) * STRIPE] = found
        out[b * STRIPE : (b + 1) * STRIPE, a * STRIPE : (a + 1) * STRIPE] = found.T

    for _ in pool.map(one, [(a, b) for a in range(stripes) for b in range(a, stripes)]):
        pass
    return (out + out.T) / 2


def multiply(table: Floats, by: Doubles, pool: ThreadPoolExecutor) -> Floats:
    """A table in stripes times a square matrix, in stripes again."""
    factors = by.astype(np.float32)
    out = np.zeros(table.shape, np.float32)

    def one(b: int) -> None:
        for a in range(len(table)):
            part = np.ascontiguousarray(factors[a * STRIPE : (a + 1) * STRIPE, b * STRIPE : (b + 1) * STRIPE])
            add_product(table[a], part, out[b])

    for _ in pool.map(one, range(len(table))):
        pass
    return out


def orthonormal(gram: Doubles) -> Doubles:
    """The matrix that makes columns with these products orthonormal; columns that depend on others become 0.

    It is the inverse of the Cholesky factor, transposed.
    """
    size = len(gram)
    factor, inverse = np.zeros((size, size)), np.zeros((size, size))
    invert_cholesky(np.ascontiguousarray(gram), factor, inverse, 1e-9)
    return inverse.T


def eigen(symmetric: Doubles) -> tuple[Doubles, Doubles]:
    """Eigenvalues, the largest first, and the eigenvectors as columns."""
    matrix, vectors = np.array(symmetric, order="C"), np.eye(len(symmetric))
    rotate_all(matrix, vectors, 1e-10)
    values = matrix.diagonal().copy()
    order = np.argsort(-values, kind="stable")
    return values[order], np.ascontiguousarray(vectors.T[:, order])


@kernel
def accumulate(ptr: Ints, places: Ints, values: Floats, start: Floats, image: Floats) -> None:
    """image += Xᵀ X · start for some rows of X and a stripe of columns.

    Bounds: `ptr` comes from sizes of the entries; places are below the number of terms, as many as both tables have.
    """
    row = np.zeros(STRIPE, np.float32)
    for i in range(len(ptr) - 1):
        row[:] = 0
        for j in range(ptr[i], ptr[i + 1]):
            place, value = places[j], values[j]
            for k in range(STRIPE):
                row[k] += value * start[place, k]
        for j in range(ptr[i], ptr[i + 1]):
            place, value = places[j], values[j]
            for k in range(STRIPE):
                image[place, k] += value * row[k]


@kernel
def product(left: Floats, right: Floats, out: Doubles) -> None:
    """out += leftᵀ · right. Bounds: both have as many rows and STRIPE columns; `out` is STRIPE × STRIPE."""
    wide = np.zeros(STRIPE)
    for i in range(len(left)):
        for k in range(STRIPE):
            wide[k] = right[i, k]
        for j in range(STRIPE):
            value = np.float64(left[i, j])
            for k in range(STRIPE):
                out[j, k] += value * wide[k]


@kernel
def add_product(table: Floats, by: Floats, out: Floats) -> None:
    """out += table · by. Bounds: table and out have as many rows and STRIPE columns; `by` is STRIPE × STRIPE."""
    for i in range(len(table)):
        for j in range(STRIPE):
            value = table[i, j]
            for k in range(STRIPE):
                out[i, k] += value * by[j, k]


@kernel
def invert_cholesky(gram: Doubles, factor: Doubles, inverse: Doubles, least: float) -> None:
    """The Cholesky factor of a matrix, and its inverse; rows of 0 where a pivot is below `least` of its diagonal.

    Bounds: all three are square and of the same size.
    """
    size = len(gram)
    for i in range(size):
        for j in range(i + 1):
            total = gram[i, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i == j:
                factor[i, i] = np.sqrt(total) if total > least * gram[i, i] and total > 0 else 0.0
            elif factor[j, j] > 0:
                factor[i, j] = total / factor[j, j]
        if factor[i, i] == 0:
            factor[i, :] = 0
            continue
        inverse[i, i] = 1 / factor[i, i]
        for j in range(i):
            total = 0.0
            for k in range(j, i):
                total -= factor[i, k] * inverse[k, j]
            inverse[i, j] = total / factor[i, i]


@kernel
def rotate_all(matrix: Doubles, vectors: Doubles, tolerance: float) -> None:
    """Diagonalise a symmetric matrix by cyclic Jacobi rotations; the rows of `vectors` become the eigenvectors.

    Bounds: both are square and of the same size.
    """
    size = len(matrix)
    norm = np.sqrt((matrix * matrix).sum())
    for _ in range(SWEEPS):
        off = (matrix * matrix).sum() - (np.diag(matrix) * np.diag(matrix)).sum()
        if off <= tolerance * tolerance * norm * norm:
            return
        for p in range(size - 1):
            for q in range(p + 1, size):
                if abs(matrix[p, q]) <= 1e-15 * norm:
                    continue
                theta = (matrix[q, q] - matrix[p, p]) / (2 * matrix[p, q])
                tangent = np.copysign(1 / (abs(theta) + np.sqrt(theta * theta + 1)), theta)
                c = 1 / np.sqrt(tangent * tangent + 1)
                s = tangent * c
                for k in range(size):
                    a, b = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * a - s * b, s * a + c * b
                    a, b = vectors[p, k], vectors[q, k]
                    vectors[p, k], vectors[q, k] = c * a - s * b, s * a + c * b
                for k in range(size):
                    a, b = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * a - s * b, s * a + c * b
