"""What a search found: the hits with their explanations, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.query.topic import join_languages
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from antecede.index.filters import Filters
    from antecede.query import Query
    from antecede.search.coverage import Coverage
    from antecede.search.explain import Share
    from antecede.search.passages import Passage

NARROWEST = 20
"""Characters of a title that are shown in the narrowest window."""
QUOTED = 100
"""Characters of a claim, or of the topic's title, that are quoted."""


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
    """The contribution of each term, the largest first."""
    more: int = 0
    """Terms that `why` leaves out."""
    passages: tuple[Passage, ...] = ()
    claims: tuple[tuple[str, Passage | None], ...] = ()
    """Each claim of the topic, with the passage that fits it best."""
    cited: bool = False
    """Whether it is ranked first because the topic names it; its score is not comparable with others then."""

    def to_dict(self) -> dict[str, Any]:
        """The hit in a JSON-compatible form; passages only where they were requested."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "doc_id": self.doc_id,
            "score": self.score,
            "title": self.title,
            "date": self.date,
            "ipc": list(self.ipc),
            "why": [{"term": each.term, "score": each.score} for each in self.why],
        }
        if self.cited:
            found["cited"] = True
        if self.passages:
            found["passages"] = [each.to_dict() for each in self.passages]
        if self.claims:
            found["claims"] = [{"claim": claim, "passage": best and best.to_dict()} for claim, best in self.claims]
        return found


@dataclass(frozen=True)
class SearchResult(Tabled):
    """The result of a search: the hits, and how they were found."""

    topic: str | None
    title: str
    """Of the topic."""
    queries: tuple[Query, ...]
    """One for each language and method."""
    model: str
    filters: Filters
    hits: tuple[Hit, ...]
    coverage: Coverage
    """How many documents were searched, and how many were not because of their language."""
    notes: tuple[str, ...] = ()
    """Notes for the user, one per line."""

    def __len__(self) -> int:
        return len(self.hits)

    @property
    def query(self) -> Query:
        """The query, the first where there are several."""
        return self.queries[0]

    @property
    def allowed(self) -> int:
        """The number of documents that could be retrieved: those in the language that pass the filters."""
        return self.coverage.searched

    def to_dict(self) -> dict[str, Any]:
        """The result in a JSON-compatible form; with several languages or methods all their queries."""
        several = {"queries": [each.to_dict() for each in self.queries]} if len(self.queries) > 1 else {}
        hits = [hit.to_dict() for hit in self.hits]
        searched = {"documents": self.coverage.to_dict(), "notes": list(self.notes)}
        return {"topic": self.topic, "query": self.query.to_dict(), **several, **searched, "hits": hits}

    def table(self, width: int | None = None) -> Table:
        """One row per hit. Titles are shortened so that a row fits into `width` characters, if given."""
        return hits_table(self, width)


def hits_table(result: SearchResult, width: int | None = None) -> Table:
    """One row per hit. Titles are shortened so that a row fits into `width` characters, if given."""
    columns = ("rank", "score", "patent", "date", "title", "IPC")
    rows = [(hit.rank, hit.score, hit.doc_id, hit.date, hit.title, first_class(hit)) for hit in result.hits]
    if width is not None:
        others = Table(columns, tuple((*row[:4], "", row[5]) for row in rows)).render("text").splitlines()
        room = max(width - max(map(len, others)) + len("title"), NARROWEST)
        rows = [(*row[:4], shorten(row[4], room), row[5]) for row in rows]
    return Table(columns, tuple(rows), title=describe_search(result), notes=result.notes)


def describe_search(result: SearchResult) -> str:
    """The topic, the filters and the settings of a search, in one line."""
    title = f" “{shorten(result.title, QUOTED)}”" if result.title else ""
    about = f"Prior art of {result.topic}{title}" if result.topic is not None else "Found"
    limits = [
        *([f"before {result.filters.before}"] if result.filters.before is not None else []),
        *([f"in {' or '.join(result.filters.ipc)}"] if result.filters.ipc else []),
        *([f"from {' or '.join(result.filters.countries)}"] if result.filters.countries else []),
    ]
    number = sum(map(len, result.queries))
    terms = f"{number} term{'s' if number != 1 else ''}"
    methods = " + ".join(dict.fromkeys(query.method for query in result.queries))
    languages = join_languages(tuple(dict.fromkeys(query.language for query in result.queries)), " + ")
    how = f"{methods}, {terms}, {languages}, {result.model}"
    return f"{' '.join([about, *limits])} ({how}): {len(result)} of {result.allowed} documents"


def first_class(hit: Hit) -> str | None:
    """The first class, and how many more there are."""
    if not hit.ipc:
        return None
    return f"{hit.ipc[0]} +{len(hit.ipc) - 1}" if len(hit.ipc) > 1 else hit.ipc[0]


def shorten(text: str, longest: int) -> str:
    """A text shortened to so many characters, at a blank if one is near."""
    if len(text) <= longest:
        return text
    cut = text[: longest - 1]
    head, blank, _ = cut.rpartition(" ")
    return (head if blank and len(head) > longest * 2 // 3 else cut).rstrip() + "…"
