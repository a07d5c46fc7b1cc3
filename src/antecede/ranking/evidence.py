"""What a feature works with: a topic, the pool of candidates, and access to what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from antecede.query.query_maker import default_terms, first_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.arrays import I32, Floats, Ints
    from antecede.conditions.filters import Filters
    from antecede.engine import Engine, Frequencies, Hits, Selection, TermMatches
    from antecede.patent import Patent
    from antecede.query.query import Query


MAX_TERMS = 300
"""Terms of a topic that features use at most, the heaviest."""

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents with text in one language, each once."""

    numbers: Ints
    index: Engine

    def __len__(self) -> int:
        return len(self.numbers)

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        return tuple(self.index.names(self.numbers))

    @cached_property
    def name_order(self) -> Ints:
        """Numbers that order the candidates as the bytes of their names do."""
        return self.index.name_ranks(self.numbers)

    @cached_property
    def days(self) -> I32:
        """The day from which on each is prior art, since 1970; the smallest 32-bit number where it is not known."""
        return self.index.days(self.numbers).day

    def take(self, which: NDArray[Any]) -> Candidates:
        return Candidates(self.numbers[which], self.index)

    def find(self, others: Candidates) -> Ints:
        """The position of each of `others` among these, −1 where it is not one of them."""
        if not len(self) or not len(others):
            return np.full(len(others), -1, np.int64)
        order = np.argsort(self.numbers, kind="stable")
        place = np.minimum(np.searchsorted(self.numbers[order], others.numbers), len(self) - 1)
        return np.where(self.numbers[order[place]] == others.numbers, order[place], -1)


@dataclass(frozen=True, eq=False)
class RankingTask:
    """A topic to be ranked in one language."""

    index: Engine
    search: Callable[[Query, int, str], Hits]
    """Searches with a query for so many of the documents that may be found, by a ranking model."""
    query: Query
    """The terms of the topic, heaviest first, at most 300, with weights for a search."""
    patent: Patent | None
    """The topic, if it is a patent."""
    filters: Filters
    size: int
    """How many documents each search brings into the pool."""
    classic: Callable[[], Hits]
    """The search that the settings describe: its methods, model, terms, weights and fusion."""
    relevant: tuple[str, ...] = ()
    """Documents that a user marked as relevant."""

    @property
    def language(self) -> str:
        return self.query.language


@dataclass(frozen=True, eq=False)
class Leaders:
    """The best candidates by the text features, whose citations are followed."""

    candidates: Candidates
    scores: Floats
    """From 1 for the best down to 0."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A topic with a pool of candidates. Features are functions of it."""

    task: RankingTask
    pool: Candidates
    leaders: Leaders | None = None
    """Known once the text features are computed."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """What was computed for the topic, whatever the pool."""

    @property
    def index(self) -> Engine:
        return self.task.index

    def with_pool(self, pool: Candidates, leaders: Leaders | None = None) -> Evidence:
        return replace(self, pool=pool, leaders=self.leaders if leaders is None else leaders)

    def once(self, key: Any, compute: Callable[[], Value]) -> Value:
        if key not in self.memory:
            self.memory[key] = compute()
        value: Value = self.memory[key]
        return value

    @property
    def selection(self) -> Selection:
        """The documents that may be found."""
        return self.index.select(self.task.filters)

    # Terms

    def query(self, terms: int | None = None) -> Query:
        """The query of the heaviest terms of the topic; as many as a query has by default in its language."""
        most = default_terms(self.task.language) if terms is None else terms
        return self.task.query if most >= len(self.task.query) else first_terms(self.task.query, most)

    def search(self, query: Query, model: str) -> Hits:
        """The best documents by a ranking model, searched for once."""
        task = self.task
        key = ("search", model, query.terms)
        return self.once(key, lambda: task.search(query, task.size, model))

    @cached_property
    def matches(self) -> TermMatches:
        """Where the terms of the topic occur in the candidates."""
        return self.index.matches(self.task.query.terms, self.pool.numbers, self.task.language)

    @property
    def frequencies(self) -> Frequencies:
        statistics = self.index.statistics(self.task.language)
        return self.once("frequencies", lambda: statistics.frequencies(self.task.query.terms))
