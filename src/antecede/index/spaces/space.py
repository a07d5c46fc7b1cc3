"""A latent space of an index, opened to be searched: exact, by brute force over the memory-mapped vectors."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.assumed_language import AssumedLanguageMatrix
from antecede.index.files import SegmentFiles, check_folder, damaged, read_array
from antecede.index.spaces.basis import Basis, open_basis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.matrix import Matrix
    from antecede.index.segment import Segment
    from antecede.index.spaces.entry import SpaceEntry

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]
    Pairs = Sequence[tuple[Segment, Matrix]]

NOT_UNIT = 1e-3
"""How far the squared length of a vector may be from 1."""
AT_ONCE = 1 << 16
"""Vectors that are checked, or compared, at a time."""


class Space:
    """Vectors of the documents that a search in a language looks at; may be used from several threads.

    A place is the position of a matrix in `index.matrices(language)` and a row of that matrix. Scores are cosines.
    """

    def __init__(self, folder: Path, entry: SpaceEntry, matrices: Pairs) -> None:
        """`folder` is that of the segments; `matrices` are those of the index in the language of the space."""
        self.entry, self.matrices, self.folder = entry, matrices, folder
        self.kind, self.language, self.dimensions = entry.kind, entry.language, entry.dimensions
        self._vectors: dict[int, Floats] = {}
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<Space {self.kind} of {self.language or 'unknown'}: {self.dimensions} dimensions>"

    @cached_property
    def basis(self) -> Basis:
        """How terms become a vector."""
        path = self.folder / self.entry.folder
        check_folder(path.parent)
        check_folder(path)
        return open_basis(SegmentFiles(path, self.entry.files), self.entry)

    def vectors(self, at: int) -> Floats:
        """The vectors of the rows of a matrix; their checksum, and that each has unit length or is 0, is checked once.

        Documents of unknown language, which a search in any language looks at, are folded in when first needed.
        """
        if at not in self._vectors:
            with self._lock:
                if at not in self._vectors:
                    self._vectors[at] = self.load(at)
        return self._vectors[at]

    def load(self, at: int) -> Floats:
        """The vectors of a matrix from their file, or from the basis where the matrix is not on disk either."""
        segment, matrix = self.matrices[at]
        if isinstance(matrix, AssumedLanguageMatrix):
            return np.concatenate([np.zeros((0, self.dimensions), np.float32), *self.basis.fold_matrix(matrix)])
        path = self.folder / self.entry.vectors_path(segment.name)
        check_folder(path.parent)
        whole = read_array(path, self.entry.segments[segment.name].file, matrix.rows * self.dimensions)
        return self.check_lengths(whole.reshape(matrix.rows, self.dimensions), path)

    def check_lengths(self, found: Floats, path: Path) -> Floats:
        """Vectors from a file, refused by name where one has not unit length."""
        for first in range(0, len(found), AT_ONCE):
            part = found[first : first + AT_ONCE]
            squares = np.einsum("ij,ij->i", part, part)
            if not ((np.abs(squares - 1) < NOT_UNIT) | (squares == 0)).all():
                raise damaged(path, "a vector has not unit length")
        return found

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[np.floating]) -> Floats:
        """The vector of a text, given its terms and how often each occurs; 0 where the space knows none of them."""
        values = np.asarray(counts, np.float64)
        if len(values) != len(terms) or not (np.isfinite(values) & (values >= 0)).all():
            raise ValueError("there must be a count per term, finite and not negative")
        found: Floats = self.basis.fold(np.array([0, len(terms)], np.int64), self.basis.find(terms), values)[0]
        return found

    def scores(self, vector: Floats) -> list[Floats]:
        """The cosine with each document: for each matrix of the language an array with a score per row.

        Rows of replaced documents have scores, too; the filters of a search leave them out.
        """
        return [self.vectors(at) @ vector for at in range(len(self.matrices))]

    def scores_at(self, vector: Floats, places: Ints) -> Floats:
        """The cosine with the documents at some places, one row each: the position of its matrix, and its row there."""
        found = np.zeros(len(places), np.float32)
        for at in np.unique(places[:, 0]).tolist():
            here = np.flatnonzero(places[:, 0] == at)
            found[here] = self.vectors(at)[places[here, 1]] @ vector
        return found

    def nearest(
        self, vector: Floats, k: int, allowed: Sequence[NDArray[np.bool_] | None] | None = None
    ) -> tuple[Ints, Floats]:
        """The places and scores of the k documents with the largest cosine above 0, best first, ties by name.

        `allowed` has a mask over the rows of each matrix, None where all may be found. Replaced documents never are.
        """
        found: list[tuple[float, str, int, int]] = []
        for at, scores in enumerate(self.scores(vector)):
            segment, matrix = self.matrices[at]
            mask = scores > 0
            if allowed is not None and (own := allowed[at]) is not None:
                mask &= own
            mask[matrix.deleted] = False
            rows = np.flatnonzero(mask)
            if len(rows) > k:
                floor = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
                rows = rows[scores[rows] >= floor]
            names = segment.doc_ids(matrix.documents[rows].astype(np.int64))
            found += zip((-scores[rows]).tolist(), names, [at] * len(rows), rows.tolist(), strict=True)
        found = sorted(found)[:k]
        places = np.array([each[2:] for each in found], np.int64).reshape(-1, 2)
        return places, -np.array([each[0] for each in found], np.float32)
