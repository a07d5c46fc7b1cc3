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
    """For each document the position of the language that its score owes most to."""
    ranks: tuple[int, ...]
    """Its rank in that language, from 1."""

    def __len__(self) -> int:
        return len(self.numbers)


TRANSLATED = 0.8
"""What a rank in a language that the query was translated into is worth: docs/studies/languages.md."""


def fuse_languages(rankings: Sequence[Ranking], k: int, scales: Sequence[float | None] | None = None) -> MergedRanking:
    """The k best documents of rankings in several languages; equal scores by name. A single ranking stays as it is.

        s(d) = Σ_l |d_l| / Σ_l' |d_l'| · w(l) / (60 + c(l) · r_l(d))

    A document has one score over all its texts: the reciprocal of its rank in each language counts by the share of its
    words that are in the language. A title of six words, which every European patent has in three languages, thus says
    little of a document whose description is in another. Scores of different languages are not comparable, since their
    statistics differ; ranks are. A document of unknown language is found in every language by the same text: its best
    rank counts.

    `scales` are the c(l) of translated queries, None for the others: where a query was translated into a language of a
    tenth as many documents, rank 1 there is worth rank 10. For a translated query w(l) is 0.8, else 1.
    """
    if len(rankings) == 1:
        (only,) = rankings
        numbers = only.numbers[:k]
        scores, ranks = tuple(only.scores[:k].tolist()), tuple(range(1, len(numbers) + 1))
        return MergedRanking(numbers, scores, (0,) * len(numbers), ranks)
    engine = rankings[0].engine
    found = np.unique(np.concatenate([hits.numbers for hits in rankings]))
    lengths = np.stack([np.maximum(engine.lengths(found, hits.language), 0) for hits in rankings])
    shares = lengths / np.maximum(lengths.sum(axis=0), 1.0)
    votes, places = np.zeros(lengths.shape), np.zeros(lengths.shape, np.int64)
    assumed = np.zeros(len(found), np.bool_)
    for at, (hits, scale) in enumerate(zip(rankings, scales or [None] * len(rankings), strict=True)):
        place = np.searchsorted(found, hits.numbers)
        places[at, place] = ranks_of = np.arange(1, len(hits) + 1)
        votes[at, place] = (1.0 if scale is None else TRANSLATED) / (RANK_CONSTANT + (scale or 1.0) * ranks_of)
        assumed[place] |= engine.are_assumed(hits.numbers, hits.language)
    contributions = np.where(assumed, votes, votes * shares)
    sums = np.where(assumed, votes.max(axis=0, initial=0.0), contributions.sum(axis=0))
    order = np.lexsort((engine.name_ranks(found), -sums))[:k]
    best = contributions[:, order].argmax(axis=0)
    numbers = found[order]
    return MergedRanking(
        numbers, tuple(sums[order].tolist()), tuple(best.tolist()), tuple(places[best, order].tolist())
    )
