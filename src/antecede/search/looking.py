"""Looks up what is to be shown of documents that were found: titles, reasons, passages, the best of each claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from antecede.search.explain import Share, explain, total
from antecede.search.found import Hit
from antecede.search.passages import Passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.search.across_languages import Place
    from antecede.search.hits import Hits
    from antecede.search.searcher import Searcher
    from antecede.text import Analyzer

REASONS = 10
"""Terms that a hit names without being asked to explain itself."""


@dataclass(frozen=True)
class Showing:
    """What is to be shown of each hit."""

    whole: bool = False
    """Every term's share, not only the largest."""
    passages: int = 0
    claims: bool = False


class Looking:
    """Looks up the documents of a ranking."""

    def __init__(self, searcher: Searcher, query: Query, hits: Hits, topic: Patent | None, showing: Showing) -> None:
        self.searcher, self.query, self.hits, self.topic, self.showing = searcher, query, hits, topic, showing
        self.heads = hits.heads()
        reading = showing.passages or showing.claims
        self.analyzer: Analyzer | None = searcher.index.analyzer(query.language) if reading else None

    def hit(self, rank: int, place: Place) -> Hit:
        """The document at a place of this ranking, at another rank in the list that is shown."""
        head = self.heads[place.rank - 1]
        shares = self.shares(place)
        order = sorted(shares, key=lambda share: (-abs(share.score), share.term or ""))
        why = order if self.showing.whole else order[:REASONS]
        more = len(order) - len(why)
        hit = Hit(rank, head.doc_id, place.score, head.title, head.day, head.ipc, tuple(why), more)
        if self.analyzer is None:
            return hit
        there = Passages(self.searcher.index, self.hits.patent(place.rank), self.query.language, self.analyzer)
        fitting = there.for_claims(self.topic) if self.showing.claims and self.topic is not None else ()
        return replace(hit, passages=tuple(there.best(self.query, self.showing.passages)), claims=tuple(fitting))

    def shares(self, place: Place) -> list[Share]:
        """What each term adds. Where a boost or a fusion changed the score, all shares change with it."""
        shares = explain(self.searcher, self.query, self.hits, place.rank)
        added = total(shares)
        if added == place.score:
            return shares
        if added <= 0 < place.score:  # a fused list, and a model whose scores may lie below 0: no share says anything
            return []
        return [Share(each.term, each.score * place.score / added) for each in shares]


def looked_up(looking: Sequence[Looking], places: Sequence[Place]) -> Iterator[Hit]:
    """The hits of a list, each from the ranking where it stands highest."""
    for rank, place in enumerate(places, 1):
        yield looking[place.ranking].hit(rank, place)
