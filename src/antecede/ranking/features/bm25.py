"""BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.ranking.features.registry import feature
from antecede.registry import Count, Share, write_call

if TYPE_CHECKING:
    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence, Found
    from antecede.ranking.features.registry import Floats

DEFAULTS = {"k1": 1.2, "b": 0.75}
"""Those of the ranking model, whose impacts a classic search has computed already."""


def find(at: Evidence, terms: int | None, k1: float, b: float) -> Found:
    """The search by BM25."""
    given = {"k1": k1, "b": b}
    return at.search(at.query(terms), write_call("bm25", given if given != DEFAULTS else {}))


def retrieve(at: Evidence, *, terms: int | None = None, k1: float = 1.2, b: float = 0.75) -> Candidates:
    """The best documents by BM25."""
    return at.retrieve(find(at, terms, k1, b))


@feature("bm25", kind="text", cite="Robertson & Zaragoza, Foundations and Trends in IR 2009", retrieve=retrieve)
def bm25(at: Evidence, *, terms: Count | None = None, k1: float = 1.2, b: Share = 0.75) -> Floats:
    """BM25 with the heaviest terms of the topic, weighted √n: the classic search.

    Σ_t √n(t) · log(1 + (N − df + .5) / (df + .5)) · n·(k1 + 1) / (n + k1·(1 − b + b·|d| / avg|d|)) over the terms with
    the most log(1 + n)·log((N + 1) / df). terms: how many; by default 75, in French 45. Its best documents make up the
    pool.
    """
    return find(at, terms, k1, b).scores_at(at.pool.places)
