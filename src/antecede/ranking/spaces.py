"""Scores from the spaces that are stored with an index: the latent space, word vectors, sentence embeddings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.ranking.candidates import Candidates
from antecede.ranking.features.registry import Absent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.ranking.evidence import Evidence


def find_space(at: Evidence, kind: str) -> Any:
    """The space of a kind for the language of the search; None where the index has none."""
    look_up = getattr(at.index, "space", None)
    return look_up(at.task.language, kind) if look_up is not None else None


def topic_vector(at: Evidence, space: Any) -> NDArray[np.float32]:
    """The vector of the topic in a space."""

    def compute() -> NDArray[np.float32]:
        query = at.task.query
        if space.kind == "dense":  # a sentence model embeds texts, not terms
            embedded: NDArray[np.float32] = space.patent_vector(at.task.patent)
            return embedded
        counts = np.array(query.counts, np.float64) if query.counts else np.maximum(query.weights, 0) ** 2
        found: NDArray[np.float32] = space.query_vector(query.terms, counts)
        return found

    vector: NDArray[np.float32] = at.once(("vector", space.kind), compute)
    return vector


def retrieve(at: Evidence, kind: str, most: int) -> Candidates | None:
    """The nearest documents that may be found."""
    space = find_space(at, kind)
    if space is None:
        return None
    matrices = at.index.matrices(at.task.language)
    masks = [at.allowed(segment) for segment, _ in matrices]
    allowed = [
        None if mask is None else mask[matrix.documents] for mask, (_, matrix) in zip(masks, matrices, strict=True)
    ]
    places, _ = space.nearest(topic_vector(at, space), most, allowed)
    return Candidates(places, matrices)


def score(at: Evidence, kind: str) -> NDArray[np.float32] | Absent:
    """The cosine of each candidate with the topic."""
    space = find_space(at, kind)
    if space is None:
        return Absent(f"the index has no space of kind {kind}; `antecede space` adds one", for_every_topic=True)
    found: NDArray[np.float32] = np.maximum(space.scores_at(topic_vector(at, space), at.pool.places), 0)
    return found
