"""How terms become a vector: each known term has a weight and a vector, and a text is their weighted sum.

For a text with n(t) occurrences of t, the vector is Σ_t f(n(t)) · w(t) · b(t), with f(n) = 1 + log n, the weight
w(t) = log(N/df) as it was when the basis was learned, and b(t) the row of the basis. In LSA b(t) is the row of V in
X ≈ U S Vᵀ, so that the vector of a document is its row of U S: documents that are added later and queries are folded
in by the very formula that gave the vectors of the others (Deerwester et al., JASIS 1990). Vectors have unit length;
one without a known term is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.arrays import are_pointers, pointers_from_sizes, split_spans
from antecede.index.files import SegmentFiles, damaged
from antecede.index.matrix import are_texts, find_terms
from antecede.index.spaces.entry import BASIS, SHIFT, TERMS, TERMS_PTR, WEIGHTS
from antecede.kernels import kernel, read_only

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.files import FolderWriter
    from antecede.index.matrix import Matrix
    from antecede.index.spaces.entry import SpaceEntry

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

AT_ONCE = 1 << 19
"""Postings that are decoded at a time; a fixed number, so that sums do not depend on the memory allowed."""
LARGEST = 1e6
"""No number of a basis comes near it: one beyond was not computed by us."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Terms in the order of their bytes, the weight and the vector of each."""

    arena: NDArray[np.uint8]
    ptr: Ints
    """Where each term begins in the arena, and where the last ends."""
    weights: Floats
    vectors: Floats
    shift: Floats
    """Two vectors: one to subtract from a sum of unit length, and a direction to remove from it; zeros for none."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def find(self, terms: Sequence[str]) -> Ints:
        """The places of terms, −1 for an unknown one."""
        wanted = [term.encode("utf-8", "surrogatepass") for term in terms]
        ptr = pointers_from_sizes(np.array([*map(len, wanted)], np.int64))
        return find_terms(self.arena, self.ptr, np.frombuffer(b"".join(wanted), np.uint8), ptr)

    def fold(self, ptr: Ints, places: Ints, counts: NDArray[np.float64]) -> Floats:
        """The vectors of texts; text i has the terms at `places[ptr[i]:ptr[i + 1]]`, −1 for an unknown one."""
        known = places >= 0
        sizes = np.add.reduceat(np.append(known, False), ptr[:-1]) * (np.diff(ptr) > 0) if len(ptr) > 1 else ptr[:0]
        chosen = places[known]
        values = (dampen(counts[known]) * self.weights[chosen]).astype(np.float32)
        out = np.zeros((len(ptr) - 1, self.dimensions), np.float32)
        weighted_sums(pointers_from_sizes(sizes.astype(np.int64)), chosen, values, read_only(self.vectors), out)
        return self.finish(out)

    def finish(self, sums: Floats) -> Floats:
        """Sums as vectors of unit length, shifted where the kind of space asks for it."""
        unit = normalize(sums)
        if not self.shift.any():
            return unit
        there = unit.any(axis=1)
        mean, direction = self.shift
        unit = unit - mean
        along = (unit * direction).sum(axis=1, dtype=np.float64).astype(np.float32)
        unit = normalize(unit - along[:, None] * direction)
        unit[~there] = 0
        return unit

    def fold_matrix(self, matrix: Matrix, rows: Ints | None = None) -> Iterator[Floats]:
        """The vectors of all rows of a matrix, or of some, in order, some at a time."""
        place = self.find(matrix.all_terms())
        for ptr, items, counts in rows_of(matrix, rows):
            yield self.fold(ptr, place[items], counts)

    def write(self, out: FolderWriter, folder: str, *, shifted: bool) -> None:
        """Write it into a folder."""
        out.array(f"{folder}/{TERMS}", self.arena)
        out.array(f"{folder}/{TERMS_PTR}", self.ptr)
        out.array(f"{folder}/{WEIGHTS}", self.weights)
        out.array(f"{folder}/{BASIS}", self.vectors)
        if shifted:
            out.array(f"{folder}/{SHIFT}", self.shift)


def open_basis(files: SegmentFiles, entry: SpaceEntry) -> Basis:
    """The basis of a space from its files, refused by name where it is not what was written."""
    arena, ptr = files.array(TERMS), files.array(TERMS_PTR, entry.terms + 1)
    if not are_pointers(ptr, len(arena)) or (ptr[1:] == ptr[:-1]).any():
        raise damaged(files.folder / TERMS_PTR, "its places are not those of terms")
    if not are_texts(arena, ptr) or not are_sorted(arena, ptr):
        raise damaged(files.folder / TERMS_PTR, "its terms are not sorted words")
    weights = files.array(WEIGHTS, entry.terms)
    vectors = files.array(BASIS, entry.terms * entry.dimensions).reshape(entry.terms, entry.dimensions)
    shift = np.zeros((2, entry.dimensions), np.float32)
    if SHIFT in entry.files:
        shift = files.array(SHIFT, 2 * entry.dimensions).reshape(2, entry.dimensions)
    for name, values in ((WEIGHTS, weights), (BASIS, vectors), (SHIFT, shift)):
        if len(values) and not float(np.abs(values).max()) < LARGEST:  # not a number is not below it either
            raise damaged(files.folder / name, "it holds what is not a number, or far too large")
    return Basis(arena, ptr, weights, vectors, shift)


def are_sorted(arena: NDArray[np.uint8], ptr: Ints) -> bool:
    """Whether terms ascend in the order of their bytes, none twice."""
    whole, ends = arena.tobytes(), ptr.tolist()
    terms = [whole[start:end] for start, end in pairwise(ends)]
    return all(before < after for before, after in pairwise(terms))


def rows_of(matrix: Matrix, rows: Ints | None = None) -> Iterator[tuple[Ints, NDArray[np.uint32], NDArray[np.float64]]]:
    """The rows of a matrix in order, or some of them: where each begins, term numbers, and counts."""
    chosen = np.arange(matrix.rows) if rows is None else rows
    for first, last in split_spans(matrix.by_row.lengths[chosen].astype(np.int64), AT_ONCE):
        found = matrix.vectors_of(chosen[first:last])
        yield found.ptr, found.items, found.counts.astype(np.float64)


def dampen(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """f(n) = 1 + log n; below 1, as weights may be, n itself."""
    return np.where(counts < 1, counts, 1 + np.log(np.maximum(counts, 1)))


def normalize(vectors: Floats) -> Floats:
    """Rows of unit length; a row of zeros stays."""
    lengths = np.sqrt((vectors.astype(np.float64) ** 2).sum(axis=1))
    lengths[lengths < 1e-12] = np.inf
    return np.asarray(vectors / lengths[:, None], np.float32)


@kernel
def weighted_sums(ptr: Ints, places: Ints, values: Floats, vectors: Floats, out: Floats) -> None:
    """out[i] += Σ_j values[j] · vectors[places[j]] over the entries j of text i.

    Bounds: `ptr` comes from sizes of the entries, of which there are as many as values; places are rows of `vectors`,
    found among its terms; `out` has a row per text, as wide as the vectors.
    """
    width = vectors.shape[1]
    for i in range(len(ptr) - 1):
        for j in range(ptr[i], ptr[i + 1]):
            place, value = places[j], values[j]
            for k in range(width):
                out[i, k] += value * vectors[place, k]
