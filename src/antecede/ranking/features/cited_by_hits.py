"""Documents that the leading documents cite."""

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
    return retrieve(at, Neighbours.cited_by_leaders, most)


@feature(
    "cited_by_hits", kind="citations", cite="Fujii, SIGIR 2007; Lopez & Romary, CLEF 2009", retrieve=bring, full=FULL
)
def cited_by_hits(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that the leading documents cite.

    Σ over the 50 best documents by the text features that cite it of s(h) / √(documents that h cites), s(h) being their
    score from 1 for the best. An examiner follows the same trail: what near documents cite is often cited again. The
    citations of the topic itself are never used, nor those of documents without a known date where a date bounds the
    search. A sum of 1 or more counts fully. most: how many documents it brings into the pool.
    """
    return score(at, Neighbours.cited_by_leaders)
