"""The documents found, best first: the top k of each segment merged into one ranking; several rankings fused into one.

    fuse("rrf", [searcher.search(one), searcher.search(other)], k=100)

The arithmetic of fusion is that of `antecede.fusion`, which also fuses runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.fusion import RANK_CONSTANT, find_fusion, fuse_scores
from antecede.ranges import DOCUMENTS
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from antecede.index.documents import DocumentHeader
    from antecede.index.index import Segment
    from antecede.patent import Patent
    from antecede.ranking.evidence_ranking import EvidenceRanking
    from antecede.search.pruning import ScoresOnDemand
    from antecede.search.searcher import Searcher

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]
    F32 = NDArray[np.float32]
    RowScores: TypeAlias = F32 | ScoresOnDemand
    """The scores of the rows of a matrix: `scores[rows]`."""

Value = TypeVar("Value")


@dataclass(frozen=True)
class SegmentHits:
    """The top documents of one segment, best first."""

    rows: Ints
    documents: NDArray[np.uint32]
    """Their numbers in the segment."""
    scores: F32
    work: ScoringWork | None = None
    """In a large segment."""


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


@dataclass(frozen=True)
class ScoringWork:
    """What a search in a large segment had to compute, to compare with what there was."""

    way: str
    """`terms` (pruned), `all postings` (compact, without pruning) or `exhaustive` (exact impacts of all postings)."""
    postings: int
    """The postings of the query terms."""
    added: int
    """Those that were added."""
    groups: int
    """Groups of 256 documents."""
    skipped: int
    """Always 0: no group is skipped as a whole."""
    rescored: int
    """Documents whose exact score was computed from the counts."""


def join_work(every: Iterable[ScoringWork]) -> dict[str, Any] | None:
    """The work of several searches together, in a JSON-compatible form; None where there is none."""
    found = [*every]
    names = ("postings", "added", "groups", "skipped", "rescored")
    sums = {name: sum(getattr(each, name) for each in found) for name in names}
    return {"ways": sorted({each.way for each in found}), "searches": len(found), **sums} if found else None


@dataclass(frozen=True, eq=False)
class Hits:
    """The documents found, best first, with their scores and positions. Document ids are looked up on request."""

    __repr__ = concise_repr

    scores: F32
    places: Ints
    """One row per document: the position of its segment among those with the language, and its row in the matrix."""
    documents: Ints
    """The number of each document in its segment."""
    segments: Sequence[Segment]
    unmatched: tuple[str, ...] = ()
    """Query terms that occur in no document."""
    filed: int | None = None
    """The number of leading segments whose documents are filed under the language; those of the others are of unknown
    language. None if there are no others."""
    certificate: Certificate | None = None
    """Of a search on a cluster."""
    work: tuple[ScoringWork, ...] = ()
    """Of each large segment."""
    row_scores: Sequence[RowScores] = ()
    """The score of every row of each matrix, where they were kept."""
    by_query: tuple[Hits, ...] = ()
    """In the ranking of a topic, what each of its queries found before fusion and boosts."""
    searcher: Searcher | None = None
    """What found them, where it is not the search that the settings describe."""
    cited: int = 0
    """How many documents are ranked first because the topic names them."""
    evidence: EvidenceRanking | None = None
    """What each feature contributes, where documents are ranked by evidence."""

    def __len__(self) -> int:
        return len(self.scores)

    @cached_property
    def assumed(self) -> NDArray[np.bool_]:
        """Which documents are of unknown language; the language of the search is assumed for them."""
        return np.asarray(self.places[:, 0] >= (len(self.segments) if self.filed is None else self.filed))

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The names of the documents."""
        if len(self.segments) == 1:
            return tuple(self.segments[0].doc_ids(self.documents))
        return tuple(self.from_segments(lambda segment, numbers: segment.doc_ids(numbers)))

    def headers(self, first: int = 0, end: int | None = None) -> list[DocumentHeader]:
        """The header of each document, as a list of hits shows it; of all, or of those at some positions from 0."""
        return self.from_segments(lambda segment, numbers: segment.store.headers(numbers.tolist()), first, end)

    def from_segments(
        self, look_up: Callable[[Segment, Ints], list[Value]], first: int = 0, end: int | None = None
    ) -> list[Value]:
        """The values that each segment looks up for its documents, in rank order; for all, or at some positions."""
        where, documents = self.places[first:end, 0], self.documents[first:end]
        found: dict[int, Value] = {}
        for at, segment in enumerate(self.segments):
            here = np.flatnonzero(where == at)
            if len(here):
                found.update(zip(here.tolist(), look_up(segment, documents[here]), strict=True))
        return [found[at] for at in range(len(documents))]

    def column(self, name: str) -> list[Any]:
        def look_up(segment: Segment, numbers: Ints) -> list[Any]:
            values = segment.store.by_number(name, numbers.tolist())
            return [values[number][0] for number in numbers.tolist()]

        return self.from_segments(look_up)

    def scores_at(self, places: Ints) -> F32:
        """The score of any documents of the language; 0 for one that was not found, where only those are known."""
        if not self.row_scores:
            known = {tuple(place): score for place, score in zip(self.places.tolist(), self.scores, strict=True)}
            return np.array([known.get(tuple(place), 0.0) for place in places.tolist()], np.float32)
        scores = np.zeros(len(places), np.float32)
        for at, of_rows in enumerate(self.row_scores):
            here = places[:, 0] == at
            scores[here] = of_rows[places[here, 1]]
        return scores

    def patent(self, rank: int) -> Patent:
        """The complete document at a rank (from 1)."""
        return self.segments[int(self.places[rank - 1, 0])].store.record(int(self.documents[rank - 1]))


def merge_segments(
    found: Sequence[SegmentHits],
    segments: Sequence[Segment],
    k: int,
    unmatched: tuple[str, ...] = (),
    filed: int | None = None,
    row_scores: Sequence[RowScores] = (),
) -> Hits:
    """Merge the top documents of all segments, by score; ties are broken by the bytes of the names."""
    work = tuple(each.work for each in found if each.work is not None)
    if len(found) == 1:
        scores, documents = found[0].scores, found[0].documents.astype(np.int64)
        places = np.stack([np.zeros_like(found[0].rows), found[0].rows], axis=1)
    else:
        where = np.repeat(np.arange(len(found)), [len(each.rows) for each in found])
        rows, documents, scores = (
            np.concatenate([getattr(each, name) for each in found]) for name in ("rows", "documents", "scores")
        )
        order = np.argsort(-scores, kind="stable")
        _break_ties(order, scores, where, documents.astype(np.int64), segments, k)
        order = order[:k]
        places = np.stack([where[order], rows[order]], axis=1)
        scores, documents = scores[order], documents[order].astype(np.int64)
    return Hits(scores, places, documents, segments, unmatched, filed, work=work, row_scores=row_scores)


def _break_ties(order: Ints, scores: F32, where: Ints, documents: Ints, segments: Sequence[Segment], k: int) -> None:
    """Sort documents of equal score by name; only their names are looked up, and only down to rank k."""
    sorted_scores = scores[order]
    bounds = np.flatnonzero(np.diff(sorted_scores)) + 1
    for start, end in zip([0, *bounds.tolist()], [*bounds.tolist(), len(order)], strict=True):
        if start >= k:
            return
        if end - start > 1 and len({*where[order[start:end]].tolist()}) > 1:
            run = order[start:end]
            names = [segments[where[at]].doc_ids(documents[at : at + 1])[0].encode() for at in run.tolist()]
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
    if any(list(each.segments) != list(first.segments) for each in rankings):
        raise UsageError("rankings of different languages or indexes cannot be fused")
    places = np.concatenate([each.places for each in rankings])
    documents = np.concatenate([each.documents for each in rankings])
    _, start, group = np.unique(places, axis=0, return_index=True, return_inverse=True)
    sums = fuse_scores(name, [each.scores for each in rankings], group.ravel(), len(start))
    together = replace(first, scores=sums.astype(np.float32), places=places[start], documents=documents[start])
    return reorder(together, sums, k)


def reorder(hits: Hits, scores: Floats, k: int | None = None) -> Hits:
    """The hits with other scores, in their new order; equal scores by the bytes of their names."""
    names = np.array([name.encode() for name in hits.doc_ids], np.object_)
    order = np.lexsort((np.argsort(np.argsort(names)), -scores))[:k]
    best = scores[order].astype(np.float32)
    return replace(hits, scores=best, places=hits.places[order], documents=hits.documents[order])


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
