"""Documents that cite the leading documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.citations import FULL, Neighbours, retrieve, score
from antecede.ranking.features.registry import feature
from antecede.registry import Count

if TYPE_CHECKING:
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Absent, Floats


def bring(at: Evidence, *, most: int = 200) -> Candidates | None:
    """The best of these documents."""
    return retrieve(at, Neighbours.citing_leaders, most)


@feature("citing_hits", kind="citations", cite="Fujii, SIGIR 2007", retrieve=bring, full=FULL)
def citing_hits(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that cite the leading documents.

    Σ over the 50 best documents by the text features that it cites of s(h) / √(documents that cite h), s(h) being their
    score from 1 for the best. What cites the topic is not used. A sum of 1 or more counts fully. most: how many
    documents it brings into the pool.
    """
    return score(at, Neighbours.citing_leaders)
