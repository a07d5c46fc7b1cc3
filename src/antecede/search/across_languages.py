"""Rankings of one topic in several languages made into one: a document may have text in each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from antecede.search.fusion import reciprocal_rank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.search.hits import Hits


class Place(NamedTuple):
    """Where a document of the list was found, and what it scores there."""

    ranking: int
    rank: int
    """From 1, in the ranking where it stands highest."""
    score: float


def across_languages(rankings: Sequence[Hits], k: int) -> list[Place]:
    """The k best documents of rankings in several languages, by reciprocal rank fusion; equal sums by name.

    Scores of two languages cannot be compared, for their statistics differ; ranks can. One ranking stays as it is. A
    document of unknown language is found in every language by the same text: it has one vote, the best.
    """
    if len(rankings) == 1:
        return [Place(0, rank, score) for rank, score in enumerate(rankings[0].scores[:k].tolist(), 1)]
    sums: dict[str, float] = {}
    highest: dict[str, tuple[int, int]] = {}
    votes = reciprocal_rank([each.scores for each in rankings])
    for ranking, (hits, given) in enumerate(zip(rankings, votes, strict=True)):
        votes_of = zip(hits.doc_ids, given.tolist(), hits.assumed.tolist(), strict=True)
        for rank, (doc_id, vote, assumed) in enumerate(votes_of, 1):
            before = sums.get(doc_id, 0.0)
            sums[doc_id] = max(before, vote) if assumed else before + vote
            highest[doc_id] = min(highest.get(doc_id, (rank, ranking)), (rank, ranking))
    order = sorted(sums, key=lambda doc_id: (-sums[doc_id], doc_id.encode()))[:k]
    return [Place(highest[doc_id][1], highest[doc_id][0], sums[doc_id]) for doc_id in order]
