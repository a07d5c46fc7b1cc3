"""Documents that a topic names in its text put in front of those that were found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.query.others import rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.index import Index
    from antecede.index.segment import Segment
    from antecede.search.filters import Filters
    from antecede.search.hits import Hits


def cited_first(
    hits: Hits, cited: Sequence[tuple[Segment, int]], index: Index, language: str, filters: Filters
) -> tuple[Hits, int]:
    """The hits with documents that the topic names in front, and how many these are, so that a list can say so.

    Only documents that the filters let through, and that have text in the language. Their scores say nothing: they lie
    above the best score found, a step apart, to keep their order in a run.
    """
    front: list[tuple[int, int, int]] = []
    for segment, number in cited:
        allowed = filters.allowed(segment)
        if allowed is not None and not allowed[number]:
            continue
        for at, (each, matrix) in enumerate(index.matrices(language)):
            row = int(rows_of(matrix, np.array([number]))[0]) if each.name == segment.name else -1
            if row >= 0:
                front.append((at, row, number))
    if not front:
        return hits, 0
    named = {(at, row) for at, row, _ in front}
    rest = np.array([tuple(place) not in named for place in hits.places.tolist()], np.bool_)
    best = float(hits.scores[0]) if len(hits) else 0.0
    step = max(abs(best), 1.0) / 100
    scores = best + step * np.arange(len(front), 0, -1)
    placed = np.array(front, np.int64)
    together = replace(
        hits,
        scores=np.concatenate((scores, hits.scores[rest])).astype(np.float32),
        places=np.concatenate((placed[:, :2], hits.places[rest])),
        documents=np.concatenate((placed[:, 2], hits.documents[rest])),
    )
    most = max(len(hits), len(front))
    return replace(
        together, scores=together.scores[:most], places=together.places[:most], documents=together.documents[:most]
    ), len(front)
