"""Searches the same topics with varying numbers of terms: each query is built once, since shorter ones are prefixes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from antecede.errors import AntecedeError
from antecede.parallel import map_threads
from antecede.query.query_maker import first_terms
from antecede.search.answers import Answer
from antecede.search.fusion import fuse_languages
from antecede.search.pipeline import QuerySet, Ranker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.search.settings import SearchSettings


class TermSweep:
    """Topics that are searched repeatedly, with different methods and numbers of terms."""

    def __init__(
        self, index: Index, topics: Iterable[Patent | Answer], settings: SearchSettings, most: int, threads: int = 1
    ) -> None:
        """`most` is the largest number of terms of the sweep; that of the settings is not used."""
        self.index, self.settings, self.most, self.threads = index, settings, most, threads
        self.topics = [topic for topic in topics if not isinstance(topic, Answer)]
        self.prepared: dict[str, tuple[Ranker, list[tuple[Patent, list[QuerySet]]]]] = {}
        self.failed: dict[str, str] = {}
        """Topics that could not be made into a query, with the reason."""

    def prepare(self, method: str) -> tuple[Ranker, list[tuple[Patent, list[QuerySet]]]]:
        """The longest queries of each topic by a method."""
        if method not in self.prepared:
            ranker = Ranker(self.index, replace(self.settings, method=(method,), terms=self.most))
            found = [(topic, sets) for topic in self.topics if (sets := self.query_sets(ranker, topic))]
            self.prepared[method] = ranker, found
        return self.prepared[method]

    def query_sets(self, ranker: Ranker, topic: Patent) -> list[QuerySet]:
        """The longest queries of a topic; none where it cannot be made into one."""
        try:
            return [*ranker.query_sets(topic)]
        except AntecedeError as error:
            self.failed[topic.doc_id] = str(getattr(error, "what", error))
            return []

    def rankings(self, method: str, terms: int) -> dict[str, dict[str, float]]:
        """Topic → document → score with the first `terms` terms of each query."""
        ranker, prepared = self.prepare(method)

        def rank_topic(entry: tuple[Patent, list[QuerySet]]) -> tuple[str, dict[str, float]]:
            topic, sets = entry
            filters = ranker.filters(topic)
            cut = (replace(each, queries=tuple(first_terms(query, terms) for query in each.queries)) for each in sets)
            hits = [ranker.rank_in_language(ranker.with_feedback(each), topic, filters) for each in cut]
            places = fuse_languages(hits, ranker.settings.k)
            return topic.doc_id, {hits[each.language].doc_ids[each.rank - 1]: each.score for each in places}

        found = map_threads(rank_topic, prepared, self.threads)
        return {topic_id: ranking for topic_id, ranking in found if ranking}
