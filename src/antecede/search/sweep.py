"""The same topics searched for with fewer and fewer terms: each query is made once, for fewer terms are its first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.errors import AntecedeError
from antecede.query.making import first_terms
from antecede.search.plan import Answer, Ranker
from antecede.search.prior_art import prior_art

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.query import Query
    from antecede.search.filters import Filters
    from antecede.search.plan import Plan


class Sweep:
    """Topics to be searched for again and again, with one method or another and more or fewer terms."""

    def __init__(
        self, index: Index, topics: Iterable[Patent | Answer], plan: Plan, most: int, threads: int = 1
    ) -> None:
        """`most`: no more terms are asked for. The method of the plan, and its number of terms, are not looked at."""
        self.ranker, self.most, self.threads = Ranker(index, plan), most, threads
        self.topics = [topic for topic in topics if not isinstance(topic, Answer)]
        self.queries: dict[str, list[tuple[Query, Filters]]] = {}
        self.failed: dict[str, str] = {}
        """Topics that could not be made into a query, and why."""

    def prepared(self, method: str) -> list[tuple[Query, Filters]]:
        """The longest query of each topic, with what it may find."""
        if method not in self.queries:
            self.queries[method] = [made for topic in self.topics if (made := self.made(topic, method)) is not None]
        return self.queries[method]

    def made(self, patent: Patent, method: str) -> tuple[Query, Filters] | None:
        """The longest query of a topic; None where there is none."""
        plan, maker = self.ranker.plan, self.ranker.maker
        filters = prior_art(patent, plan.before)
        try:
            topic = maker.topic(patent, plan.fields, plan.language)
            return maker.make(topic, method, terms=self.most, weights=plan.weights, filters=filters).query, filters
        except AntecedeError as error:
            self.failed[patent.doc_id] = str(getattr(error, "what", error))
            return None

    def rankings(self, method: str, terms: int) -> dict[str, dict[str, float]]:
        """Topic → document → score with so many terms of each query."""
        prepared = self.prepared(method)
        queries = [first_terms(query, terms) for query, _ in prepared]
        allowed = {id(query): filters for query, (_, filters) in zip(queries, prepared, strict=True)}
        hits = self.ranker.searcher.search_all(
            queries, self.ranker.plan.k, filters=lambda query: allowed[id(query)], threads=self.threads
        )
        return {
            query.topic or "": dict(zip(each.doc_ids, each.scores.tolist(), strict=True))
            for query, each in zip(queries, hits, strict=True)
            if len(each)
        }
