"""What a search found, as data: the hits with their reasons, and how it was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.search.found_list import hits_table
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from antecede.query import Query
    from antecede.search.coverage import Coverage
    from antecede.search.explain import Share
    from antecede.search.filters import Filters
    from antecede.search.passages import Passage


@dataclass(frozen=True)
class Hit:
    """A document found, with what a list shows of it and why it is there."""

    rank: int
    doc_id: str
    score: float
    title: str
    date: str | None
    ipc: tuple[str, ...]
    why: tuple[Share, ...]
    """What each term adds, those that count most first."""
    more: int = 0
    """Terms that `why` leaves out."""
    passages: tuple[Passage, ...] = ()
    claims: tuple[tuple[str, Passage | None], ...] = ()
    """Each claim of the topic, with the passage that fits it best."""

    def to_dict(self) -> dict[str, Any]:
        """The hit as JSON knows it; passages only where they were asked for."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "doc_id": self.doc_id,
            "score": self.score,
            "title": self.title,
            "date": self.date,
            "ipc": list(self.ipc),
            "why": [{"term": each.term, "score": each.score} for each in self.why],
        }
        if self.passages:
            found["passages"] = [each.to_dict() for each in self.passages]
        if self.claims:
            found["claims"] = [{"claim": claim, "passage": best and best.to_dict()} for claim, best in self.claims]
        return found


@dataclass(frozen=True)
class Found(Tabled):
    """What a search found, and how it was asked."""

    topic: str | None
    title: str
    """Of the topic."""
    queries: tuple[Query, ...]
    """One for each language that was searched."""
    model: str
    filters: Filters
    hits: tuple[Hit, ...]
    coverage: Coverage
    """How many documents were searched, and how many were not because of their language."""
    notes: tuple[str, ...] = ()
    """What the one who asked should know."""

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def query(self) -> Query:
        """What was searched with, in the first language where there are several."""
        return self.queries[0]

    @property
    def allowed(self) -> int:
        """Documents that could be found: those in the language that pass the filters."""
        return self.coverage.searched

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON knows it; with several languages all their queries."""
        several = {"queries": [each.to_dict() for each in self.queries]} if len(self.queries) > 1 else {}
        hits = [hit.to_dict() for hit in self.hits]
        told = {"documents": self.coverage.to_dict(), "notes": list(self.notes)}
        return {"topic": self.topic, "query": self.query.to_dict(), **several, **told, "hits": hits}

    def table(self, width: int | None = None) -> Table:
        """A row a hit. Titles are cut so that a row fits into `width` signs, where one is given."""
        return hits_table(self, width)
