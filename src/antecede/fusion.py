"""The arithmetic of fusion: several rankings of the same documents combined into one.

    fuse_scores("rrf", [scores_of_one, scores_of_other], group, documents)

It knows neither indexes nor files, so that `search.fusion` (rankings of an index) and `trec.runs` (run files) share
it. Methods that use scores scale them to 0 … 1 within each ranking, since scores of different systems are not
comparable; the others use ranks alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from antecede.errors import UsageError, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.integer[Any]]
    Rankings = Sequence[NDArray[np.floating[Any]]]
    """The scores of each ranking, best first."""

RANK_CONSTANT = 60
"""The constant of RRF, which dampens the lead of the first ranks: the value of the paper."""


# Votes: what a ranking gives to each of its documents


def reciprocal_rank(scores: Rankings, _documents: int, constant: int = RANK_CONSTANT) -> list[Floats]:
    """1 / (60 + rank)."""
    return [1 / (constant + np.arange(1.0, len(score) + 1)) for score in scores]


def inverse_square_rank(scores: Rankings, _documents: int) -> list[Floats]:
    """1 / rank²."""
    return [1 / np.arange(1.0, len(score) + 1) ** 2 for score in scores]


def scale_scores(scores: Rankings, _documents: int) -> list[Floats]:
    """Scores from 0 for the last to 1 for the first of a ranking; 1 where all are equal."""
    votes = []
    for values in (score.astype(np.float64) for score in scores):
        low, high = (values.min(), values.max()) if len(values) else (0.0, 0.0)
        votes.append((values - low) / (high - low) if high > low else np.ones(len(values)))
    return votes


def count_borda(scores: Rankings, documents: int) -> list[Floats]:
    """How many points a document has more than one that the ranking does not have.

    With D documents in all, rank r earns D − r + 1 points; those that a ranking of length L lacks share what is left,
    (D − L + 1) / 2 each.
    """
    votes = []
    for score in scores:
        left = (documents - len(score) + 1) / 2 if len(score) < documents else 0.0
        votes.append(documents - np.arange(1.0, len(score) + 1) + 1 - left)
    return votes


# Combinations: the votes for a document → its score


def add_up(votes: Floats, group: Ints, documents: int) -> Floats:
    return np.bincount(group, weights=votes, minlength=documents).astype(np.float64, copy=False)


def count_votes(group: Ints, documents: int) -> Floats:
    return np.bincount(group, minlength=documents).astype(np.float64)


def add_up_by_number(votes: Floats, group: Ints, documents: int) -> Floats:
    return add_up(votes, group, documents) * count_votes(group, documents)


def take_mean(votes: Floats, group: Ints, documents: int) -> Floats:
    return add_up(votes, group, documents) / np.maximum(count_votes(group, documents), 1)


def take_largest(votes: Floats, group: Ints, documents: int) -> Floats:
    largest = np.full(documents, -np.inf)
    np.maximum.at(largest, group, votes)
    return largest


def take_smallest(votes: Floats, group: Ints, documents: int) -> Floats:
    return -take_largest(-votes, group, documents)


def take_median(votes: Floats, group: Ints, documents: int) -> Floats:
    order = np.lexsort((votes, group))
    counts = np.bincount(group, minlength=documents)
    first = np.cumsum(counts) - counts
    ordered = votes[order]
    middle = np.maximum(counts - 1, 0)
    lower, upper = first + middle // 2, first + (middle + 1) // 2
    median: Floats = (ordered[np.minimum(lower, len(ordered) - 1)] + ordered[np.minimum(upper, len(ordered) - 1)]) / 2
    return median


@dataclass(frozen=True)
class Fusion:
    """A way to combine rankings: the votes of each ranking, and what is made of the votes for a document."""

    name: FusionName
    summary: str
    cite: str
    vote: Callable[[Rankings, int], list[Floats]]
    combine: Callable[[Floats, Ints, int], Floats]


CORMACK = "Cormack, Clarke & Büttcher, SIGIR 2009"
FOX_SHAW = "Fox & Shaw, Combination of multiple searches, TREC-2, 1993"
FusionName = Literal["rrf", "combsum", "combmnz", "combanz", "combmax", "combmin", "combmed", "isr", "borda"]
FUSIONS: dict[str, Fusion] = {
    each.name: each
    for each in (
        Fusion("rrf", "reciprocal rank fusion: the sum of 1 / (60 + rank)", CORMACK, reciprocal_rank, add_up),
        Fusion("combsum", "the sum of the scaled scores", FOX_SHAW, scale_scores, add_up),
        Fusion(
            "combmnz",
            "the sum of the scaled scores, times the number of rankings with the document",
            FOX_SHAW,
            scale_scores,
            add_up_by_number,
        ),
        Fusion("combanz", "the mean of the scaled scores", FOX_SHAW, scale_scores, take_mean),
        Fusion("combmax", "the highest of the scaled scores", FOX_SHAW, scale_scores, take_largest),
        Fusion("combmin", "the lowest of the scaled scores", FOX_SHAW, scale_scores, take_smallest),
        Fusion("combmed", "the median of the scaled scores", FOX_SHAW, scale_scores, take_median),
        Fusion(
            "isr",
            "inverse square rank: the sum of 1 / rank², times the number of rankings with the document",
            "Mourão, Martins & Magalhães, CBMI 2014",
            inverse_square_rank,
            add_up_by_number,
        ),
        Fusion(
            "borda",
            "Borda count: one point for each document ranked below; a ranking shares what is left among the others",
            "Aslam & Montague, Models for metasearch, SIGIR 2001",
            count_borda,
            add_up,
        ),
    )
}
"""Every fusion by name."""
DEFAULT_FUSION: FusionName = "rrf"


def find_fusion(name: str) -> Fusion:
    if name not in FUSIONS:
        raise UsageError(f"unknown fusion {printable(name)!r}; available: {', '.join(FUSIONS)}")
    return FUSIONS[name]


def fuse_scores(
    name: str,
    rankings: Rankings,
    group: Ints,
    documents: int,
    *,
    rrf_k: int | None = None,
    weights: Sequence[float] | None = None,
) -> Floats:
    """The fused score of each document.

    Args:
        name: One of `FUSIONS`.
        rankings: The scores of each ranking, best first.
        group: The document, from 0, at each place of all rankings, one ranking after the other.
        documents: The number of documents; each is in at least one ranking.
        rrf_k: The constant of `rrf`, by default 60.
        weights: What the votes of each ranking are multiplied by.
    """
    fusion = find_fusion(name)
    votes = fusion.vote(rankings, documents) if rrf_k is None else reciprocal_rank(rankings, documents, rrf_k)
    if not documents:
        return np.zeros(0)
    if weights is not None:
        votes = [weight * each for weight, each in zip(weights, votes, strict=True)]
    return fusion.combine(np.concatenate(votes), group, documents)
