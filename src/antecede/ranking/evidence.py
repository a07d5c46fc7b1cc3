"""What a feature works with: a topic, the pool of candidates, and access to what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from antecede.query.query_maker import default_terms, first_terms
from antecede.ranking.candidates import Candidates
from antecede.ranking.vectors import CandidateVectors, term_slots

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.index.index import Segment
    from antecede.index.statistics import Frequencies
    from antecede.patent import Patent
    from antecede.query.query import Query
    from antecede.ranking.vectors import Matches, TermSlots

    Floats = NDArray[np.float64]

MOST_TERMS = 300
"""Terms of a topic that features use at most, the heaviest."""


class Found(Protocol):
    """The documents that a search found, best first."""

    @property
    def places(self) -> NDArray[np.int64]:
        """One row per document: the position of its matrix, and its row there."""
        ...

    def scores_at(self, places: NDArray[np.int64]) -> NDArray[np.float32]:
        """The score of any document of the language, whether or not it was found."""
        ...


class Lexical(Protocol):
    """Searching and scoring by terms: what the stage below the pipeline is handed by it."""

    def search(self, query: Query, k: int, filters: Filters, model: str) -> Found:
        """The best documents by a ranking model."""
        ...

    def impacts(self, model: str, language: str, matches: Matches, frequencies: Frequencies) -> NDArray[np.float32]:
        """What each match is worth to a ranking model, per unit of query weight."""
        ...


@dataclass(frozen=True, eq=False)
class Task:
    """A topic to be ranked in one language."""

    index: Index
    lexical: Lexical
    query: Query
    """The terms of the topic, heaviest first, at most 300, with weights for a search."""
    patent: Patent | None
    """The topic, if it is a patent."""
    filters: Filters
    size: int
    """How many documents each search brings into the pool."""
    classic: Callable[[], Found]
    """The search that the settings describe: its methods, model, terms, weights and fusion."""
    relevant: tuple[str, ...] = ()
    """Documents that a user marked as relevant."""

    @property
    def language(self) -> str:
        """The language of the search."""
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

    task: Task
    pool: Candidates
    leaders: Leaders | None = None
    """Known once the text features are computed."""
    memory: dict[Any, Any] = field(default_factory=dict)
    """What was computed for the topic, whatever the pool."""

    @property
    def index(self) -> Index:
        """The index that is searched."""
        return self.task.index

    def with_pool(self, pool: Candidates, leaders: Leaders | None = None) -> Evidence:
        """The same topic with another pool."""
        return replace(self, pool=pool, leaders=self.leaders if leaders is None else leaders)

    def once(self, key: Any, compute: Callable[[], Any]) -> Any:
        """A value that is computed once for the topic."""
        if key not in self.memory:
            self.memory[key] = compute()
        return self.memory[key]

    def allowed(self, segment: Segment) -> NDArray[np.bool_] | None:
        """Which documents of a segment may be found; None where all may."""
        found: NDArray[np.bool_] | None = self.once(
            ("allowed", segment.name), lambda: self.task.filters.allowed(segment)
        )
        return found

    # Terms

    def query(self, terms: int | None = None) -> Query:
        """The query of the heaviest terms of the topic; as many as a query has by default in its language."""
        most = default_terms(self.task.language) if terms is None else terms
        return self.task.query if most >= len(self.task.query) else first_terms(self.task.query, most)

    def search(self, query: Query, model: str) -> Found:
        """The best documents by a ranking model, searched for once."""
        task = self.task
        key = ("search", model, query.terms)
        found: Found = self.once(key, lambda: task.lexical.search(query, task.size, task.filters, model))
        return found

    def retrieve(self, found: Found) -> Candidates:
        """What a search found, as candidates."""
        return Candidates(found.places, self.index.matrices(self.task.language))

    @cached_property
    def vectors(self) -> CandidateVectors:
        """The term counts of the candidates."""
        return CandidateVectors(self.index, self.pool, self.task.language)

    @cached_property
    def matches(self) -> Matches:
        """Where the terms of the topic occur in the candidates."""
        return self.vectors.match(self.term_slots)

    @property
    def term_slots(self) -> list[TermSlots]:
        """The terms of the topic in each matrix of the language."""
        found: list[TermSlots] = self.once(
            "term slots",
            lambda: [
                term_slots(matrix, numbers)
                for (_, matrix), numbers in zip(self.pool.matrices, self.term_numbers, strict=True)
            ],
        )
        return found

    @property
    def term_numbers(self) -> list[NDArray[np.int64]]:
        """The numbers of the terms of the topic in each matrix of the language, −1 where one does not occur."""
        terms = self.task.query.terms
        found: list[NDArray[np.int64]] = self.once(
            "term numbers", lambda: [matrix.find(terms) for _, matrix in self.pool.matrices]
        )
        return found

    @property
    def frequencies(self) -> Frequencies:
        """How common the terms of the topic are."""
        found: Frequencies = self.once(
            "frequencies", lambda: self.index.statistics(self.task.language).frequencies_of(self.term_numbers)
        )
        return found
