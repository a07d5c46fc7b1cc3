"""What a query method works with: the terms of a topic that other documents contain, and a view of these documents."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.query.collection_view import CollectionView
    from antecede.query.query import Query
    from antecede.query.topic import Topic

    Floats = NDArray[np.float64]


class RankedRows(Protocol):
    """The documents that a first search ranked."""

    @property
    def places(self) -> NDArray[np.int64]:
        """One row per document, best first: the position of its matrix, and its row there."""
        ...


class FirstSearch(Protocol):
    """Searches with a query, for methods that look at the best documents before they weight terms."""

    def __call__(self, query: Query, k: int, /, *, filters: Filters) -> RankedRows: ...


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a topic as parallel arrays, with their collection statistics: all that most methods need."""

    counts: Floats
    """n(t), the frequency of each in the topic."""
    df: Floats
    """The document frequency of each, at least 1."""
    cf: Floats
    """The collection frequency of each."""
    length: int
    """Σ n(t), the number of tokens of the topic, including terms that occur in no document."""
    documents: int
    """N, the number of documents."""
    tokens: int
    """|C|, the number of tokens in the collection."""

    @property
    def average_length(self) -> float:
        """avg|d|, the mean length of a document."""
        return self.tokens / self.documents if self.documents else 0.0


@dataclass(frozen=True, eq=False)
class Material(Terms):
    """The terms with their context, for methods that look into other documents."""

    names: tuple[str, ...]
    """The terms themselves."""
    known: NDArray[np.int64]
    """Their positions among all terms of the topic; the others occur in no document."""
    numbers: tuple[NDArray[np.int64], ...]
    """Their numbers in the matrix of each segment, −1 where it lacks one."""
    topic: Topic
    others: CollectionView
    """The collection without the topic and its family."""
    index: Index
    filters: Filters
    """Which documents may be looked at: never the topic, its family, or what was published after it."""
    search: Callable[[Query, int], RankedRows]
    """The best of these documents for a query."""
    notes: list[str] = field(default_factory=list)
    """What a method reports about this topic."""

    @property
    def unmatched(self) -> int:
        """The number of terms of the topic that occur in no other document."""
        return len(self.topic.terms) - len(self.names)


def gather_material(
    topic: Topic, others: CollectionView, index: Index, filters: Filters, search: Callable[[Query, int], RankedRows]
) -> Material:
    """The material for a topic: its terms that occur in another document, with their collection statistics."""
    numbers = [matrix.find(topic.terms) for matrix in others.matrices]
    frequencies = others.frequencies_of(numbers)
    known = np.flatnonzero(frequencies.documents > 0)
    return Material(
        counts=topic.counts[known].astype(np.float64),
        df=frequencies.documents[known].astype(np.float64),
        cf=frequencies.occurrences[known].astype(np.float64),
        length=topic.length,
        documents=others.documents,
        tokens=others.tokens,
        names=tuple(topic.terms[at] for at in known.tolist()),
        known=known,
        numbers=tuple(each[known] for each in numbers),
        topic=topic,
        others=others,
        index=index,
        filters=filters,
        search=search,
    )
