"""The documents found, best first, with their scores; several rankings fused into one.

    fuse("rrf", [searcher.search(one), searcher.search(other)], k=100)

The arithmetic of fusion is that of `antecede.fusion`, which also fuses runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.fusion import RANK_CONSTANT, find_fusion, fuse_scores
from antecede.ranges import DOCUMENTS
from antecede.ranking.evidence import Found
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.embedded.searcher import Searcher
    from antecede.index.documents import DocumentHeader
    from antecede.patent import Patent
    from antecede.ranking.evidence_ranking import EvidenceRanking

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    F32 = NDArray[np.float32]


@dataclass(frozen=True)
class Certificate:
    """How it is known that the documents of a search on a cluster are the best ones."""

    k: int
    candidates: int
    """Documents that were scored exactly."""
    widened: int
    """How often more of them were fetched, since the first did not suffice."""
    exact: bool
    """False for an approximate ranking, which was asked for."""


def join_certificates(certificates: Iterable[Certificate]) -> dict[str, Any] | None:
    """Several certificates together, in a JSON-compatible form; None where there is none."""
    every = [*certificates]
    if not every:
        return None
    return {
        "exact": all(each.exact for each in every),
        "searches": len(every),
        "k": max(each.k for each in every),
        "candidates": max(each.candidates for each in every),
        "widened": sum(each.widened for each in every),
    }


@dataclass(frozen=True, eq=False)
class Hits(Found):
    """The documents found, best first, with their scores. Document ids are looked up on request."""

    __repr__ = concise_repr

    language: str
    """The language that was searched."""
    scores: F32
    unmatched: tuple[str, ...] = ()
    """Query terms that occur in no document."""
    certificate: Certificate | None = None
    """Of a search on a cluster."""
    score_of: Callable[[Ints], F32] | None = None
    """Gives the score of any documents with text in the language, where scores were kept."""
    by_query: tuple[Hits, ...] = ()
    """In the ranking of a topic, what each of its queries found before fusion and boosts."""
    searcher: Searcher | None = None
    """What found them, where it is not the search that the settings describe."""
    cited: int = 0
    """How many documents are ranked first because the topic names them."""
    evidence: EvidenceRanking | None = None
    """What each feature contributes, where documents are ranked by evidence."""

    @cached_property
    def assumed(self) -> NDArray[np.bool_]:
        """Which documents are of unknown language; the language of the search is assumed for them."""
        return self.index.are_assumed(self.numbers, self.language)

    def headers(self, first: int = 0, end: int | None = None) -> list[DocumentHeader]:
        """The header of each document, as a list of hits shows it; of all, or of those at some positions from 0."""
        return self.index.headers(self.numbers[first:end])

    def scores_of(self, numbers: Ints) -> F32:
        """The score of any documents of the language; 0 for one that was not found, where only those are known."""
        if self.score_of is not None:
            return self.score_of(numbers)
        order = np.argsort(self.numbers, kind="stable")
        if not len(order):
            return np.zeros(len(numbers), np.float32)
        place = order[np.minimum(np.searchsorted(self.numbers[order], numbers), len(order) - 1)]
        return np.where(self.numbers[place] == numbers, self.scores[place], np.float32(0))

    def patent(self, rank: int) -> Patent:
        """The complete document at a rank (from 1)."""
        return self.index.record(int(self.numbers[rank - 1]))


def fuse(name: str, rankings: Sequence[Hits], k: int = 1000) -> Hits:
    """Combine several rankings into one. Documents with equal sums are ordered by name.

    Args:
        name: The fusion method, one of `antecede.fusion.FUSIONS`: `rrf`, `combsum`, `combmnz`, ….
        rankings: Rankings of the same index and language.
        k: The number of documents to return.
    """
    find_fusion(name)
    DOCUMENTS.check(k, "k")
    if not rankings:
        raise UsageError("there is no ranking to fuse; give at least one")
    first = rankings[0]
    if any((each.index, each.language) != (first.index, first.language) for each in rankings):
        raise UsageError("rankings of different languages or indexes cannot be fused")
    numbers, group = np.unique(np.concatenate([each.numbers for each in rankings]), return_inverse=True)
    sums = fuse_scores(name, [each.scores for each in rankings], group.ravel(), len(numbers))
    return reorder(replace(first, scores=sums.astype(np.float32), numbers=numbers), sums, k)


def reorder(hits: Hits, scores: Floats, k: int | None = None) -> Hits:
    """The hits with other scores, in their new order; equal scores by the bytes of their names."""
    order = np.lexsort((hits.name_order, -scores))[:k]
    return replace(hits, scores=scores[order].astype(np.float32), numbers=hits.numbers[order])


@dataclass(frozen=True, eq=False)
class MergedRanking:
    """The documents of the rankings of a topic in each language, in their final order."""

    numbers: Ints
    """Best first."""
    scores: tuple[float, ...]
    languages: tuple[int, ...]
    """For each document the position of the language in which it ranks highest."""
    ranks: tuple[int, ...]
    """Its rank in that language, from 1."""

    def __len__(self) -> int:
        return len(self.numbers)


def fuse_languages(rankings: Sequence[Hits], k: int, scales: Sequence[float] | None = None) -> MergedRanking:
    """The k best documents of rankings in several languages, by reciprocal rank fusion; equal sums by name.

    Scores of different languages are not comparable, since their statistics differ; ranks are. A single ranking stays
    as it is. `scales` multiply the ranks of each language: where a query was translated into a language of a tenth as
    many documents, rank 1 there is worth rank 10. A document of unknown language is found in every language by the same
    text: it has one vote, the best.
    """
    if len(rankings) == 1:
        (only,) = rankings
        numbers = only.numbers[:k]
        scores, ranks = tuple(only.scores[:k].tolist()), tuple(range(1, len(numbers) + 1))
        return MergedRanking(numbers, scores, (0,) * len(numbers), ranks)
    sums: dict[int, float] = {}
    highest: dict[int, tuple[int, int]] = {}
    factors = scales or [1.0] * len(rankings)
    for language, (hits, factor) in enumerate(zip(rankings, factors, strict=True)):
        votes = 1 / (RANK_CONSTANT + factor * np.arange(1.0, len(hits) + 1))
        votes_of = zip(hits.numbers.tolist(), votes.tolist(), hits.assumed.tolist(), strict=True)
        for rank, (number, vote, assumed) in enumerate(votes_of, 1):
            before = sums.get(number, 0.0)
            sums[number] = max(before, vote) if assumed else before + vote
            highest[number] = min(highest.get(number, (rank, language)), (rank, language))
    found = np.array([*sums], np.int64)
    order = np.lexsort((rankings[0].index.name_ranks(found), -np.array([*sums.values()])))[:k]
    numbers = found[order]
    ranks, languages = zip(*(highest[number] for number in numbers.tolist()), strict=True) if len(numbers) else ((), ())
    return MergedRanking(numbers, tuple(sums[number] for number in numbers.tolist()), languages, ranks)
