"""The documents found, best first: the top k of each segment merged into one ranking; several rankings fused into one.

    fuse("rrf", [searcher.search(one), searcher.search(other)], k=100)

The arithmetic of fusion is that of `antecede.fusion`, which also fuses runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.errors import UsageError
from antecede.fusion import RANK_CONSTANT, find_fusion, fuse_scores
from antecede.index.matrix import AssumedLanguageMatrix
from antecede.ranges import DOCUMENTS
from antecede.ranking.evidence import Candidates, Found
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.index.documents import DocumentHeader
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent
    from antecede.ranking.evidence_ranking import EvidenceRanking
    from antecede.search.searcher import Searcher

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

    scores: F32
    unmatched: tuple[str, ...] = ()
    """Query terms that occur in no document."""
    certificate: Certificate | None = None
    """Of a search on a cluster."""
    row_scores: Sequence[Callable[[Ints], F32]] = ()
    """For each matrix, what gives the score of any of its rows, where scores were kept."""
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
        return np.array([isinstance(matrix, AssumedLanguageMatrix) for _, matrix in self.matrices])[self.places[:, 0]]

    def headers(self, first: int = 0, end: int | None = None) -> list[DocumentHeader]:
        """The header of each document, as a list of hits shows it; of all, or of those at some positions from 0."""
        return self._look_up(lambda segment, numbers: segment.store.headers(numbers), slice(first, end))

    def column(self, name: str) -> list[Any]:
        def look_up(segment: Segment, numbers: list[int]) -> list[Any]:
            values = segment.store.by_number(name, numbers)
            return [values[number][0] for number in numbers]

        return self._look_up(look_up, slice(None))

    def _look_up(self, look_up: Callable[[Segment, list[int]], list[Any]], which: slice) -> list[Any]:
        """The values that each segment looks up for its documents, in rank order."""
        some = Candidates(self.places[which], self.matrices)
        found: dict[int, Any] = {}
        for here, segment, _ in some.by_segment():
            found.update(zip(here.tolist(), look_up(segment, some.documents[here].tolist()), strict=True))
        return [found[at] for at in range(len(some))]

    def scores_at(self, places: Ints) -> F32:
        """The score of any documents of the language; 0 for one that was not found, where only those are known."""
        if not self.row_scores:
            known = {tuple(place): score for place, score in zip(self.places.tolist(), self.scores, strict=True)}
            return np.array([known.get(tuple(place), 0.0) for place in places.tolist()], np.float32)
        scores = np.zeros(len(places), np.float32)
        for at, of_rows in enumerate(self.row_scores):
            here = places[:, 0] == at
            scores[here] = of_rows(places[here, 1])
        return scores

    def patent(self, rank: int) -> Patent:
        """The complete document at a rank (from 1)."""
        return self.matrices[int(self.places[rank - 1, 0])][0].store.record(int(self.documents[rank - 1]))


def merge_segments(
    found: Sequence[tuple[Ints, F32]], matrices: Sequence[tuple[Segment, Matrix]], k: int, **more: Any
) -> Hits:
    """The best rows of each matrix with their scores as one ranking; ties are broken by the bytes of the names."""
    rows, scores = (np.concatenate(parts) for parts in zip(*found, strict=True))
    where = np.repeat(np.arange(len(found)), [len(own) for own, _ in found])
    places = np.stack([where, rows], axis=1)
    if len(found) > 1:
        order = np.argsort(-scores, kind="stable")
        _break_ties(order, scores, Candidates(places, matrices), k)
        places, scores = places[order[:k]], scores[order[:k]]
    return Hits(places, matrices, scores, **more)


def _break_ties(order: Ints, scores: F32, found: Candidates, k: int) -> None:
    """Sort documents of equal score by name; only their names are looked up, and only down to rank k."""
    where = found.places[:, 0]
    bounds = np.flatnonzero(np.diff(scores[order])) + 1
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
        if start >= k:
            return
        if end - start > 1 and len({*where[order[start:end]].tolist()}) > 1:
            run = order[start:end]
            names = [name.encode() for name in found.take(run).doc_ids]
            order[start:end] = run[sorted(range(len(run)), key=names.__getitem__)]


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
    if any([*each.matrices] != [*first.matrices] for each in rankings):
        raise UsageError("rankings of different languages or indexes cannot be fused")
    places = np.concatenate([each.places for each in rankings])
    _, start, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    sums = fuse_scores(name, [each.scores for each in rankings], group.ravel(), len(start))
    return reorder(replace(first, scores=sums.astype(np.float32), places=places[start]), sums, k)


def reorder(hits: Hits, scores: Floats, k: int | None = None) -> Hits:
    """The hits with other scores, in their new order; equal scores by the bytes of their names."""
    order = np.lexsort((hits.name_order, -scores))[:k]
    return replace(hits, scores=scores[order].astype(np.float32), places=hits.places[order])


class Place(NamedTuple):
    """Where a document of the final ranking was found, and its score there."""

    language: int
    """The position of the language in which it ranks highest."""
    rank: int
    """Its rank in that language, from 1."""
    score: float


def fuse_languages(rankings: Sequence[Hits], k: int, scales: Sequence[float] | None = None) -> list[Place]:
    """The k best documents of rankings in several languages, by reciprocal rank fusion; equal sums by name.

    Scores of different languages are not comparable, since their statistics differ; ranks are. A single ranking stays
    as it is. `scales` multiply the ranks of each language: where a query was translated into a language of a tenth as
    many documents, rank 1 there is worth rank 10. A document of unknown language is found in every language by the same
    text: it has one vote, the best.
    """
    if len(rankings) == 1:
        return [Place(0, rank, score) for rank, score in enumerate(rankings[0].scores[:k].tolist(), 1)]
    sums: dict[str, float] = {}
    highest: dict[str, tuple[int, int]] = {}
    factors = scales or [1.0] * len(rankings)
    for language, (hits, factor) in enumerate(zip(rankings, factors, strict=True)):
        votes = 1 / (RANK_CONSTANT + factor * np.arange(1.0, len(hits) + 1))
        votes_of = zip(hits.doc_ids, votes.tolist(), hits.assumed.tolist(), strict=True)
        for rank, (doc_id, vote, assumed) in enumerate(votes_of, 1):
            before = sums.get(doc_id, 0.0)
            sums[doc_id] = max(before, vote) if assumed else before + vote
            highest[doc_id] = min(highest.get(doc_id, (rank, language)), (rank, language))
    order = sorted(sums, key=lambda doc_id: (-sums[doc_id], doc_id.encode()))[:k]
    return [Place(highest[doc_id][1], highest[doc_id][0], sums[doc_id]) for doc_id in order]
