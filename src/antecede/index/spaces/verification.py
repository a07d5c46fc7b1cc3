"""Whether the spaces of an index are its own: the vectors must be those that the basis gives for the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.index.files import SEGMENTS
from antecede.index.spaces.entry import DENSE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.index.index import Index
    from antecede.index.spaces.entry import SpaceEntry

TOLERANCE = 1e-3
"""What a component may differ by for another machine's arithmetic; the vectors of other texts differ by far more."""


def verify_spaces(index: Index) -> Iterator[str]:
    """Where the vectors of a space are not those of the documents; its files are as they were written."""
    for entry in index.manifest.spaces:
        yield from verify_space(index, entry)


def verify_space(index: Index, entry: SpaceEntry) -> Iterator[str]:
    """The first document of each segment whose vector is not the one that the basis gives."""
    space = index.space(entry.language, entry.kind)
    if space is None:
        return
    if entry.kind == DENSE:  # only the model could tell; that the vectors have unit length is checked
        for at in range(len(space.matrices)):
            space.vectors(at)
        return
    for at, (segment, matrix) in enumerate(space.matrices):
        if segment.name not in entry.segments or matrix not in segment.matrices.values():
            continue
        first, stored = 0, space.vectors(at)
        for part in space.basis.fold_matrix(matrix):
            apart = np.abs(stored[first : first + len(part)] - part).max(axis=1, initial=0) > TOLERANCE
            if apart.any():
                row = first + int(apart.argmax())
                path = index.folder / SEGMENTS / entry.vectors_path(segment.name)
                yield f"{path}: row {row} is not the vector of its document"
                break
            first += len(part)
