"""Documents that are cited together with the leading documents."""

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
    return retrieve(at, Neighbours.cited_with_leaders, most)


@feature(
    "co_citation",
    kind="citations",
    cite="Small, Journal of the American Society for Information Science 1973",
    retrieve=bring,
    full=FULL,
)
def co_citation(at: Evidence, *, most: Count = 200) -> Floats | Absent:
    """Documents that are cited together with the leading documents.

    Σ over the documents that cite both it and h, one of the 50 best documents by the text features, of s(h) /
    (documents that they cite), s(h) being its score from 1 for the best. Only documents published before the topic
    count as citing ones; the topic itself never does, nor do documents without a known date where a date bounds the
    search. A sum of 1 or more counts fully. most: how many documents it brings into the pool.
    """
    return score(at, Neighbours.cited_with_leaders)
