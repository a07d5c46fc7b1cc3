"""What a query method works with: the terms of a topic that other documents contain, and these documents.

The collection is seen as if the topic were not in it, so that a query does not depend on whether its topic is indexed:
the documents of the topic and of its family are subtracted from the statistics, and a term that occurs only in them is
known to match nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.arrays import Floats, Ints
    from antecede.conditions.filters import Filters
    from antecede.engine import Engine, Statistics
    from antecede.query.query import Query
    from antecede.query.topic import Topic


class Ranked(Protocol):
    """The documents that a first search ranked."""

    @property
    def numbers(self) -> Ints:
        """The documents, best first."""


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
        return self.tokens / self.documents if self.documents else 0.0


@dataclass(frozen=True, eq=False)
class Material(Terms):
    """The terms with their context, for methods that look into other documents."""

    names: tuple[str, ...]
    """The terms themselves."""
    known: Ints
    """Their positions among all terms of the topic; the others occur in no document."""
    topic: Topic
    others: Statistics
    """The collection without the topic and its family."""
    index: Engine
    filters: Filters
    """Which documents may be looked at: never the topic, its family, or what was published after it."""
    search: Callable[[Query, int], Ranked]
    """The best of these documents for a query."""
    notes: list[str] = field(default_factory=list)
    """What a method reports about this topic."""

    @property
    def unmatched(self) -> int:
        """The number of terms of the topic that occur in no other document."""
        return len(self.topic.terms) - len(self.names)
