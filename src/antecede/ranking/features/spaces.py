"""Features of the spaces that are stored with an index: the latent space, word vectors, sentence embeddings."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from antecede.engine import Space
from antecede.ranking.evidence import Candidates
from antecede.ranking.features import NOT_A_PATENT, Absent, feature
from antecede.registry import Count

if TYPE_CHECKING:
    from antecede.arrays import F32
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features import Scores


def _topic_vector(at: Evidence, space: Space) -> F32:
    def compute() -> F32:
        query = at.task.query
        if space.kind == "dense" and at.task.patent is not None:  # a sentence model embeds texts, not terms
            return space.patent_vector(at.task.patent)
        counts = np.array(query.counts, np.float64) if query.counts else np.maximum(query.weights, 0) ** 2
        return space.query_vector(query.terms, counts)

    return at.once(("vector", space.kind), compute)


def _nearest(at: Evidence, *, kind: str, most: int = 400) -> Candidates | None:
    space = at.index.space(at.task.language, kind)
    if space is None or (kind == "dense" and at.task.patent is None):
        return None
    numbers, _ = space.nearest(_topic_vector(at, space), most, at.selection)
    return Candidates(numbers, at.index)


def _cosines(at: Evidence, kind: str) -> Scores | Absent:
    space = at.index.space(at.task.language, kind)
    if space is None:
        return Absent(f"the index has no space of kind {kind}; `antecede learn space` adds one", for_every_topic=True)
    if kind == "dense" and at.task.patent is None:
        return NOT_A_PATENT
    return np.maximum(space.cosines(_topic_vector(at, space), at.pool.numbers), 0)


@feature("latent_space", kind="text", cite="Deerwester et al., JASIS 1990", retrieve=partial(_nearest, kind="lsa"))
def latent_space(at: Evidence, *, most: Count = 400) -> Scores | Absent:
    """The cosine with the topic in the latent space learned from the collection (`antecede learn space --kind lsa`).

    Terms that occur in the same documents are close to each other there, so it finds documents that say the same in
    other words.
    """
    return _cosines(at, "lsa")


@feature(
    "word_vectors",
    kind="text",
    cite="Mikolov et al., NIPS 2013; Arora, Liang & Ma, ICLR 2017",
    retrieve=partial(_nearest, kind="words"),
)
def word_vectors(at: Evidence, *, most: Count = 400) -> Scores | Absent:
    """The cosine with the topic in the space of word vectors of the collection (`antecede learn space --kind words`).

    A text is the mean of the vectors of its words, rare ones counting more. Words that occur in the same contexts are
    close to each other. It helps most where texts are short.
    """
    return _cosines(at, "words")


@feature(
    "sentence_vectors", kind="text", cite="Reimers & Gurevych, EMNLP 2019", retrieve=partial(_nearest, kind="dense")
)
def sentence_vectors(at: Evidence, *, most: Count = 400) -> Scores | Absent:
    """The cosine with the topic by a sentence model (`antecede learn space --kind dense --model FOLDER`).

    Topic and documents are embedded by title and abstract. Needs the model on disk, and a patent as topic. Not part of
    the default: `--ranking auto,sentence_vectors=1` adds it.
    """
    return _cosines(at, "dense")
