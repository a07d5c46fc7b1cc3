"""The latent space of the collection."""

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
    return retrieve(at, "lsa", most)


@feature("latent_space", kind="text", cite="Deerwester et al., JASIS 1990", retrieve=bring)
def latent_space(at: Evidence, *, most: Count = 400) -> Floats | Absent:
    """The cosine with the topic in the latent space learned from the collection (`antecede space --kind lsa`).

    Terms that occur in the same documents are near each other there, so it finds documents that say the same in other
    words. Negative cosines count as 0. most: how many documents it brings into the pool. Needs a space in the index.
    """
    return score(at, "lsa")
