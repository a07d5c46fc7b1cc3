"""The documents found, best first, with their scores; several rankings fused into one.

    fuse(engine, "rrf", [engine.retrieve(one, 100), engine.retrieve(other, 100)], k=100)

The arithmetic of fusion is that of `antecede.fusion`, which also fuses runs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import Hits
from antecede.errors import UsageError
from antecede.fusion import RANK_CONSTANT, find_fusion, fuse_scores
from antecede.ranges import DOCUMENTS
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from antecede.arrays import Floats, Ints
    from antecede.engine import Certificate, Engine
    from antecede.ranking.evidence_ranking import EvidenceRanking


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
class Ranking(Hits):
    """The documents that a topic finds in one language, and how they were found."""

    __repr__ = concise_repr

    engine: Engine = field(kw_only=True)
    by_query: tuple[Hits, ...] = ()
    """What each of its queries found before fusion and boosts."""
    models: tuple[str, ...] = ()
    """The ranking model of each query."""
    cited: int = 0
    """How many documents are ranked first because the topic names them."""
    evidence: EvidenceRanking | None = None
    """What each feature contributes, where documents are ranked by evidence."""

    @classmethod
    def of(cls, hits: Hits, engine: Engine, **more: Any) -> Ranking:
        """What a search found as a ranking."""
        fields = hits.numbers, hits.scores, hits.language, hits.unmatched, hits.certificate, hits.score_of
        return cls(*fields, engine=engine, **more)

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        return tuple(self.engine.names(self.numbers))


def fuse(engine: Engine, name: str, rankings: Sequence[Hits], k: int = 1000) -> Hits:
    """Combine several rankings into one. Documents with equal sums are ordered by name.

    Args:
        engine: The index that was searched.
        name: The fusion method, one of `antecede.fusion.FUSIONS`: `rrf`, `combsum`, `combmnz`, ….
        rankings: Rankings of the same index and language.
        k: The number of documents to return.
    """
    find_fusion(name)
    DOCUMENTS.check(k, "k")
    if not rankings:
        raise UsageError("there is no ranking to fuse; give at least one")
    first = rankings[0]
    if any(ranking.language != first.language for ranking in rankings):
        raise UsageError("rankings of different languages cannot be fused")
    numbers, group = np.unique(np.concatenate([ranking.numbers for ranking in rankings]), return_inverse=True)
    sums = fuse_scores(name, [ranking.scores for ranking in rankings], group.ravel(), len(numbers))
    order = np.lexsort((engine.name_ranks(numbers), -sums))[:k]
    return replace(first, numbers=numbers[order], scores=sums[order].astype(np.float32), score_of=None)


def reorder(hits: Ranking, scores: Floats) -> Ranking:
    """The hits with other scores, in their new order; equal scores by the bytes of their names."""
    order = np.lexsort((hits.engine.name_ranks(hits.numbers), -scores))
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


def fuse_languages(rankings: Sequence[Ranking], k: int, scales: Sequence[float] | None = None) -> MergedRanking:
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
        votes_of = zip(
            hits.numbers.tolist(),
            votes.tolist(),
            hits.engine.are_assumed(hits.numbers, hits.language).tolist(),
            strict=True,
        )
        for rank, (number, vote, assumed) in enumerate(votes_of, 1):
            before = sums.get(number, 0.0)
            sums[number] = max(before, vote) if assumed else before + vote
            highest[number] = min(highest.get(number, (rank, language)), (rank, language))
    candidates = np.array([*sums], np.int64)
    order = np.lexsort((rankings[0].engine.name_ranks(candidates), -np.array([*sums.values()])))[:k]
    numbers = candidates[order]
    ranks, languages = zip(*(highest[number] for number in numbers.tolist()), strict=True) if len(numbers) else ((), ())
    return MergedRanking(numbers, tuple(sums[number] for number in numbers.tolist()), languages, ranks)
