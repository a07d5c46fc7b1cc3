"""What a feature works with: a topic, the pool of candidates, and access to what is known of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from antecede.query.query_maker import default_terms, first_terms
from antecede.ranking.vectors import CandidateVectors, term_slots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.index.statistics import Frequencies
    from antecede.patent import Patent
    from antecede.query.query import Query
    from antecede.ranking.vectors import TermMatches

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_TERMS = 300
"""Terms of a topic that features use at most, the heaviest."""

Value = TypeVar("Value")


@dataclass(frozen=True, eq=False)
class Candidates:
    """Documents with text in one language, each once."""

    places: Ints
    """One row per document: the position of its matrix among those of the language, and its row there."""
    matrices: Sequence[tuple[Segment, Matrix]]
    """What a search in the language looks at."""

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def documents(self) -> Ints:
        """The number of each document in its segment."""
        numbers = np.zeros(len(self), np.int64)
        for here, _, matrix in self.by_segment():
            numbers[here] = matrix.documents[self.places[here, 1]]
        return numbers

    def by_segment(self) -> Iterator[tuple[Ints, Segment, Matrix]]:
        """For each matrix that has candidates: which they are, and where they are from."""
        for at, (segment, matrix) in enumerate(self.matrices):
            here = np.flatnonzero(self.places[:, 0] == at)
            if len(here):
                yield here, segment, matrix

    @cached_property
    def keys(self) -> Ints:
        """One number per candidate, the same for the same document, ascending with its place."""
        return np.asarray(self.places[:, 0] << 40 | self.places[:, 1])

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        names = np.empty(len(self), np.object_)
        for here, segment, _ in self.by_segment():
            names[here] = segment.doc_ids(self.documents[here])
        return tuple(names.tolist())

    @cached_property
    def name_order(self) -> Ints:
        """The position of each candidate among all of them sorted by the bytes of their names."""
        if len(self.matrices) == 1:
            return self.matrices[0][0].order[self.documents].astype(np.int64)
        names = np.array([name.encode() for name in self.doc_ids], np.object_)
        return np.argsort(np.argsort(names, kind="stable"), kind="stable")

    @cached_property
    def days(self) -> Ints:
        """The day from which on each is prior art, since 1970; the smallest 32-bit number where it is not known."""
        days = np.zeros(len(self), np.int64)
        for here, segment, _ in self.by_segment():
            days[here] = segment.days[self.documents[here]]
        return days

    def take(self, which: NDArray[Any]) -> Candidates:
        return Candidates(self.places[which], self.matrices)

    def find(self, others: Candidates) -> Ints:
        """The position of each of `others` among these, −1 where it is not one of them."""
        if not len(self) or not len(others):
            return np.full(len(others), -1, np.int64)
        order = np.argsort(self.keys, kind="stable")
        place = np.minimum(np.searchsorted(self.keys[order], others.keys), len(self) - 1)
        return np.where(self.keys[order[place]] == others.keys, order[place], -1)


class Found(Candidates):
    """The documents that a search found."""

    def scores_at(self, places: Ints) -> NDArray[np.float32]:
        """The score of any document of the language, whether or not it was found."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class RankingTask:
    """A topic to be ranked in one language."""

    index: Index
    search: Callable[[Query, int, Filters, str], Found]
    """Searches with a query for so many documents that pass filters, by a ranking model."""
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
    def index(self) -> Index:
        return self.task.index

    def with_pool(self, pool: Candidates, leaders: Leaders | None = None) -> Evidence:
        return replace(self, pool=pool, leaders=self.leaders if leaders is None else leaders)

    def once(self, key: Any, compute: Callable[[], Value]) -> Value:
        if key not in self.memory:
            self.memory[key] = compute()
        value: Value = self.memory[key]
        return value

    def allowed(self, segment: Segment) -> NDArray[np.bool_] | None:
        """Which documents of a segment may be found; None where all may."""
        return self.once(("allowed", segment.name), lambda: self.task.filters.allowed(segment))

    # Terms

    def query(self, terms: int | None = None) -> Query:
        """The query of the heaviest terms of the topic; as many as a query has by default in its language."""
        most = default_terms(self.task.language) if terms is None else terms
        return self.task.query if most >= len(self.task.query) else first_terms(self.task.query, most)

    def search(self, query: Query, model: str) -> Found:
        """The best documents by a ranking model, searched for once."""
        task = self.task
        key = ("search", model, query.terms)
        return self.once(key, lambda: task.search(query, task.size, task.filters, model))

    @cached_property
    def vectors(self) -> CandidateVectors:
        return CandidateVectors(self.index, self.pool, self.task.language)

    @cached_property
    def matches(self) -> TermMatches:
        """Where the terms of the topic occur in the candidates."""
        return self.vectors.match(self.term_slots, len(self.task.query))

    @property
    def term_slots(self) -> list[NDArray[np.int32]]:
        """The terms of the topic in each matrix of the language."""
        matrices = [matrix for _, matrix in self.pool.matrices]
        return self.once("term slots", lambda: [*map(term_slots, matrices, self.term_numbers)])

    @property
    def term_numbers(self) -> list[Ints]:
        """The numbers of the terms of the topic in each matrix of the language, −1 where one does not occur."""
        terms = self.task.query.terms
        return self.once("term numbers", lambda: [matrix.find(terms) for _, matrix in self.pool.matrices])

    @property
    def frequencies(self) -> Frequencies:
        statistics = self.index.statistics(self.task.language)
        return self.once("frequencies", lambda: statistics.frequencies_of(self.term_numbers))
