"""What a query method works with: the terms of a topic that others have too, and where to look further."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.query.others import Others
    from antecede.query.query import Query
    from antecede.query.topic import Topic
    from antecede.search import Filters, Hits

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of a topic, a place for each, before the collection: all that most methods need."""

    counts: Floats
    """n(t), how often each occurs in the topic."""
    df: Floats
    """In how many documents each occurs; in one at least."""
    cf: Floats
    """How often each occurs in all documents."""
    length: int
    """Σ n(t), tokens of the topic, also of terms that no document has."""
    documents: int
    """N, how many documents there are."""
    tokens: int
    """|C|, tokens of all documents."""

    @property
    def average_length(self) -> float:
        """avg|d|, tokens a document."""
        return self.tokens / self.documents if self.documents else 0.0


@dataclass(frozen=True, eq=False)
class Material(Terms):
    """The same with all that stands around it, for methods that look into other documents."""

    names: tuple[str, ...]
    """The terms themselves."""
    known: NDArray[np.int64]
    """Their places among all terms of the topic: the others occur in no document."""
    numbers: tuple[NDArray[np.int64], ...]
    """Their numbers in the matrix of each segment, −1 where it lacks one."""
    topic: Topic
    others: Others
    """The collection without the topic and its family."""
    index: Index
    filters: Filters
    """Which documents may be looked at: never the topic, its family, or what came after it."""
    search: Callable[[Query, int], Hits]
    """The best of these documents for a query."""
    notes: list[str] = field(default_factory=list)
    """What a method has to say about this topic."""

    @property
    def unmatched(self) -> int:
        """Terms of the topic that no other document has."""
        return len(self.topic.terms) - len(self.names)


def gather(
    topic: Topic, others: Others, index: Index, filters: Filters, search: Callable[[Query, int], Hits]
) -> Material:
    """The material for a topic: its terms that another document has, with how common they are."""
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
