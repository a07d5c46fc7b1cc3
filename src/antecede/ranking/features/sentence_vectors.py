"""Sentence embeddings of a local model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.features.registry import Absent, feature
from antecede.ranking.spaces import find_space, retrieve, score
from antecede.registry import Count

if TYPE_CHECKING:
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats


def bring(at: Evidence, *, most: int = 400) -> Candidates | None:
    """The nearest documents."""
    return retrieve(at, "dense", most) if at.task.patent is not None else None


@feature("sentence_vectors", kind="text", cite="Reimers & Gurevych, EMNLP 2019", retrieve=bring)
def sentence_vectors(at: Evidence, *, most: Count = 400) -> Floats | Absent:
    """The cosine with the topic by a sentence model (`antecede space --kind dense --model FOLDER`).

    Topic and documents are embedded by title and abstract; negative cosines count as 0. most: how many documents it
    brings into the pool. Needs such a space in the index, the model on disk, and a patent as topic. It is not part of
    the default: `--ranking auto,sentence_vectors=1` adds it.
    """
    if at.task.patent is None and find_space(at, "dense") is not None:
        return Absent("the topic is not a patent")
    return score(at, "dense")
