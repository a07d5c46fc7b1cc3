"""A ranking of which hits are described page by page: a person reads a few of a thousand documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from antecede.search.coverage import measure_coverage
from antecede.search.hit_details import RankingDescriber, describe_hits
from antecede.search.index_search import describe_model, describe_ranking, name_terms
from antecede.search.pipeline import Ranker
from antecede.search.results import Details

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.query.query import QueryEdits
    from antecede.search.coverage import Coverage
    from antecede.search.pipeline import Ranking
    from antecede.search.results import Hit
    from antecede.search.settings import SearchSettings

SHOWN = Details(passages=2, bibliography=True)


@dataclass(frozen=True, eq=False)
class ResultPages:
    """A ranking with its ranker, from which any page of hits can be described. `search_pages` creates one."""

    ranker: Ranker
    ranking: Ranking
    known: dict[int, Hit] = field(default_factory=dict)
    """The hits that were described, by rank."""

    def __len__(self) -> int:
        return len(self.ranking)

    @property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents, best first."""
        return self.ranking.doc_ids

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages that were searched."""
        return tuple(dict.fromkeys(each.query_set.language for each in self.ranking.languages))

    @cached_property
    def coverage(self) -> Coverage:
        """How many documents were searched, and how many not and why."""
        return measure_coverage(self.ranker.index, self.languages, self.ranking.filters)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What a user should know, one line each."""
        return tuple(dict.fromkeys((*self.ranking.notes, *describe_ranking(self.ranker, self.ranking))))

    @property
    def model(self) -> str:
        """The ranking model, or the features that rank."""
        return describe_model(self.ranker, self.ranking)

    @property
    def queries(self) -> tuple[Query, ...]:
        """The queries that were searched, with a word for each term."""
        return self.ranking.queries

    @cached_property
    def families(self) -> tuple[tuple[int, ...], ...]:
        """The ranks of the documents of each family, best first; a document without a family is one of its own."""
        found: dict[tuple[str, str], list[int]] = {}
        known = [
            each.hits.from_segments(
                lambda segment, numbers: [
                    family
                    for (family,) in map(
                        segment.store.by_number("family_id", numbers.tolist()).__getitem__, numbers.tolist()
                    )
                ]
            )
            for each in self.ranking.languages
        ]
        for rank, (place, doc_id) in enumerate(zip(self.ranking.places, self.doc_ids, strict=True), 1):
            family = known[place.language][place.rank - 1]
            found.setdefault(("family", family) if family else ("document", doc_id), []).append(rank)
        return tuple(map(tuple, found.values()))

    @cached_property
    def describer(self) -> RankingDescriber:
        """Describes hits with the default details."""
        return RankingDescriber(self.ranker, self.ranking, SHOWN)

    def hits(self, ranks: Iterable[int], details: Details = SHOWN) -> list[Hit]:
        """The hits at some ranks, with passages and bibliographic data unless specified otherwise.

        Those of the default are kept: whoever turns a page back does not wait again.
        """
        wanted = list(ranks)
        if details != SHOWN:
            return list(describe_hits(self.ranker, self.ranking, details, wanted))
        self.known.update((rank, self.describer.hit(rank)) for rank in wanted if rank not in self.known)
        return [self.known[rank] for rank in wanted]


def search_pages(
    index: Index, topic: Patent | Query | str, settings: SearchSettings, edits: QueryEdits | None = None
) -> ResultPages:
    """Search an index; hits are described when they are asked for.

    Args:
        index: The index, from `open_index`.
        topic: A patent, a query, or a text.
        settings: The search settings.
        edits: Weights that replace those of the queries, by language and term; 0 leaves a term out.
    """
    ranker = Ranker(index, settings)
    return ResultPages(ranker, name_terms(ranker, ranker.rank(topic, edits), topic))
