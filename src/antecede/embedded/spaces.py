"""The spaces that are stored with an index in a folder, by the numbers of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.embedded.selection import of_engine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.arrays import F32, Ints
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.engine import Selection
    from antecede.index.spaces import Space as StoredSpace
    from antecede.patent import Patent


class EmbeddedSpace:
    """The vectors of the documents that a search in a language looks at."""

    def __init__(self, engine: EmbeddedEngine, stored: StoredSpace) -> None:
        self.engine, self.stored = engine, stored
        self.kind, self.language, self.dimensions = stored.kind, stored.language, stored.dimensions

    def query_vector(self, terms: Sequence[str], counts: Sequence[float] | NDArray[np.floating[Any]]) -> F32:
        return self.stored.query_vector(terms, counts)

    def patent_vector(self, patent: Patent) -> F32:
        return self.stored.patent_vector(patent)

    def cosines(self, vector: F32, numbers: Ints) -> F32:
        where, rows = self.engine.locate_rows(numbers, self.language)
        cosines = np.zeros(len(numbers), np.float32)
        for at in np.unique(where[where >= 0]).tolist():
            here = np.flatnonzero(where == at)
            cosines[here] = self.stored.vectors(at)[rows[here]] @ vector
        return cosines

    def nearest(self, vector: F32, k: int, selection: Selection | None = None) -> tuple[Ints, F32]:
        parts, cosines = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        for at, (_, matrix) in enumerate(self.stored.matrices):
            scores = self.stored.vectors(at) @ vector
            mask = scores > 0
            if selection is not None and (allowed := of_engine(selection).rows(self.language, at)) is not None:
                mask &= allowed
            mask[matrix.deleted] = False
            rows = np.flatnonzero(mask)
            if len(rows) > k:
                floor = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
                rows = rows[scores[rows] >= floor]
            parts.append(self.engine.numbers_of_rows(self.language, at, rows))
            cosines.append(scores[rows])
        numbers, every = np.concatenate(parts), np.concatenate(cosines)
        order = np.lexsort((self.engine.name_ranks(numbers), -every))[:k]
        return numbers[order], every[order]
