"""Word vectors of the collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.features.registry import feature
from antecede.ranking.spaces import retrieve, score
from antecede.registry import Count

if TYPE_CHECKING:
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Absent, Floats


def bring(at: Evidence, *, most: int = 400) -> Candidates | None:
    """The nearest documents."""
    return retrieve(at, "words", most)


@feature("word_vectors", kind="text", cite="Mikolov et al., NIPS 2013; Arora, Liang & Ma, ICLR 2017", retrieve=bring)
def word_vectors(at: Evidence, *, most: Count = 400) -> Floats | Absent:
    """The cosine with the topic in the space of word vectors trained on the collection (`antecede space --kind words`).

    A text is the mean of the vectors of its words, rare ones counting more. Words that occur in the same contexts are
    near each other, so it finds documents that say the same in other words; it helps most where texts are short.
    Negative cosines count as 0. most: how many documents it brings into the pool. Needs such a space in the index.
    """
    return score(at, "words")
