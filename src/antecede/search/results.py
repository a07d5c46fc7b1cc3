"""What a search found: the hits with their explanations, as data and as a table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from antecede.patent.links import espacenet_link, google_link
from antecede.query.topic import join_languages
from antecede.results import concise_repr
from antecede.search.hit_tables import QUOTED, hits_table, shorten
from antecede.tables import Tabled

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from antecede.index.filters import Filters
    from antecede.patent import Patent, PatentNumber
    from antecede.query import Query
    from antecede.search.coverage import Coverage
    from antecede.search.explain import FeatureShare, Share
    from antecede.search.passages import Passage
    from antecede.tables import Table


NAMED_FEATURES = 2
"""Features of a ranking that a headline names; one more is named too, as that is not longer."""


@dataclass(frozen=True)
class Details:
    """What is to be shown of each hit."""

    explain: bool = False
    """The share of every term, not only the largest."""
    passages: int = 0
    """How many passages."""
    claims: bool = False
    """The passage that fits each claim of the topic best."""
    bibliography: bool = False
    """All bibliographic data."""


@dataclass(frozen=True)
class Bibliography:
    """What is known of a document besides its text."""

    number: PatentNumber | None
    kinds: tuple[str, ...]
    language: str
    priority_date: date | None
    filing_date: date | None
    publication_date: date | None
    applicants: tuple[str, ...]
    inventors: tuple[str, ...]
    cpc: tuple[str, ...]
    family_id: str | None

    @classmethod
    def of(cls, patent: Patent) -> Bibliography:
        """What a record says."""
        known = {each.name: getattr(patent, each.name) for each in fields(cls) if each.name != "number"}
        return cls(number=patent.known_number, **known)

    def to_dict(self) -> dict[str, Any]:
        """The data in a JSON-compatible form, with the addresses of pages about the document."""
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "number"}
        found = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        for name in ("priority_date", "filing_date", "publication_date"):
            found[name] = str(found[name]) if found[name] is not None else None
        if self.number is not None:
            links = {"espacenet": espacenet_link, "google_patents": google_link}
            found["links"] = {name: link(self.number, self.kinds) for name, link in links.items()}
        return found


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
    features: tuple[FeatureShare, ...] = ()
    """The contribution of each feature in a ranking by evidence, in the order in which they add up to the score; `why`
    divides those of the text features among the terms."""
    cited: bool = False
    """Whether it is ranked first because the topic names it; its score is not comparable with others then."""
    year: int | None = None
    """The year of publication in its number, where its date is not known."""
    bibliography: Bibliography | None = None
    """Only where it was asked for."""

    @property
    def date_text(self) -> str | None:
        """Its date, or else the year in its number."""
        return self.date or (str(self.year) if self.year is not None else None)

    @property
    def term_score(self) -> float:
        """What the contributions of all terms add up to: the score, or the part of it that the text features have."""
        return sum(each.score for each in self.features if each.by_terms) if self.features else self.score

    def to_dict(self) -> dict[str, Any]:
        """The hit in a JSON-compatible form; passages only where they were requested."""
        found: dict[str, Any] = {
            "rank": self.rank,
            "doc_id": self.doc_id,
            "score": self.score,
            "title": self.title,
            "date": self.date,
            "ipc": list(self.ipc),
            "why": [each.to_dict() for each in self.why],
        }
        if self.features:
            found["features"] = [{"feature": each.feature, "score": each.score} for each in self.features]
        if self.bibliography is not None:
            found |= self.bibliography.to_dict()
        if self.year is not None:
            found["year"] = self.year
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

    __repr__ = concise_repr

    topic: str | None
    title: str
    """Of the topic."""
    queries: tuple[Query, ...]
    """One for each language and method."""
    model: str
    """The ranking model; in a ranking by evidence the features."""
    filters: Filters
    hits: tuple[Hit, ...]
    coverage: Coverage
    """How many documents were searched, and how many were not because of their language."""
    notes: tuple[str, ...] = ()
    """What a user should know, one line each."""
    details: Details = Details()
    """What was to be shown of each hit."""
    ranking: Mapping[str, Any] | None = None
    """In a ranking by evidence the weights, the number of candidates and the processor time of each feature."""
    certificate: Mapping[str, Any] | None = None
    """On a cluster, how it is known that these are the best documents."""
    work: Mapping[str, Any] | None = None
    """In large segments, what was computed and what was skipped."""

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
        ranking = {"ranking": dict(self.ranking)} if self.ranking is not None else {}
        ranking |= {"certificate": dict(self.certificate)} if self.certificate is not None else {}
        ranking |= {"work": dict(self.work)} if self.work is not None else {}
        return {"topic": self.topic, "query": self.query.to_dict(), **several, **ranking, **searched, "hits": hits}

    def table(self, width: int | None = None) -> Table:
        """One row per hit, for a terminal of `width` characters, or whole where none is given."""
        return hits_table(self, width)

    def describe(self) -> str:
        """The topic, the filters and the settings of the search, in one line."""
        return describe_search(self)


def describe_search(result: SearchResult) -> str:
    """The topic, the filters and the settings of a search, in one line."""
    title = f" “{shorten(result.title, QUOTED)}”" if result.title else ""
    about = f"Prior art of {result.topic}{title}" if result.topic is not None else "Found"
    limits = describe_filters(result.filters)
    number = sum(map(len, result.queries))
    terms = f"{number} term{'s' if number != 1 else ''}"
    methods = " + ".join(dict.fromkeys(query.method for query in result.queries))
    languages = join_languages(tuple(dict.fromkeys(query.language for query in result.queries)), " + ")
    how = f"{methods}, {terms}, {languages}, {shorten_model(result.model)}"
    return f"{' '.join([about, *limits])} ({how}): {len(result)} of {result.allowed} documents"


def shorten_model(model: str) -> str:
    """A model for a headline: of many features the first two, and how many more; `--explain` shows each of them.

    >>> shorten_model("bm25 + jelinek_mercer + cosine + classes")
    'bm25 + jelinek_mercer + 2 more features'
    """
    names = model.split(" + ")
    if len(names) <= NAMED_FEATURES + 1:
        return model
    return " + ".join([*names[:NAMED_FEATURES], f"{len(names) - NAMED_FEATURES} more features"])


def describe_filters(filters: Filters) -> list[str]:
    """The conditions that a user set, in words."""
    dates = {"after": filters.after, "before": filters.before}
    words = {"in": filters.ipc, "in CPC": filters.cpc, "from": filters.countries, "written in": filters.languages}
    people = {"of applicant": filters.applicants, "by": filters.inventors}
    return [
        *(f"{'from' if name == 'after' else name} {day}" for name, day in dates.items() if day is not None),
        *(f"{name} {' or '.join(values)}" for name, values in (words | people).items() if values),
        *(str(condition) for condition in filters.conditions),
    ]
