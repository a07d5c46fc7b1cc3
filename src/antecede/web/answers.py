"""What the JSON API returns, as pydantic models; OpenAPI describes them at /api/docs."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from antecede.review.marks import Mark  # noqa: TC001 - pydantic reads them
from antecede.web.requests import Phrase, QueryState  # noqa: TC001

Run = str | tuple[str, int]
"""A piece of a text: plain, or a word with the number of the query term that it is a form of."""


class Answer(BaseModel):
    """A model of an answer."""


# Session and index


class Session(Answer):
    """Who is signed in, and the token that every change must carry."""

    user: str
    users: bool
    csrf: str
    version: str
    index: str


class Listed(Answer):
    """A method or model."""

    name: str
    usage: str
    summary: str


class SettingInfo(Answer):
    """The declaration of a setting."""

    name: str
    type: str
    several: bool
    default: Any
    default_text: str | None
    help: str
    choices: list[str]
    minimum: float | None = None
    maximum: float | None = None


class Coverage(Answer):
    """What an index contains."""

    documents: int
    dated: int
    by_year_in_number: int
    undated: int
    years: dict[str, int]
    offices: dict[str, int]
    proceedings: dict[str, int]
    languages: dict[str, int]


class IndexInfo(Coverage):
    """The index, and what a query may be made of."""

    name: str
    version: str
    engine: str
    state: str
    methods: list[Listed]
    models: list[Listed]
    fields: list[str]
    settings: list[SettingInfo]
    date: str
    accepts: list[str]
    largest_upload: int


# Topics and cases


class TopicSummary(Answer):
    """What was understood of a topic."""

    source: str
    in_index: bool
    doc_id: str
    title: str
    date: str | None
    date_is: str
    language: str
    languages: list[str]
    ipc: list[str]
    cpc: list[str]
    applicants: list[str]
    claims: list[str]
    abstract: str
    description_characters: int
    description_head: str
    doubts: list[str]


class Understood(TopicSummary):
    """What was understood of a topic, with the whole record."""

    patent: dict[str, Any]


class TopicName(Answer):
    """A topic in a list."""

    doc_id: str
    title: str


class CaseEntry(Answer):
    """A case in the list of cases."""

    id: str
    name: str
    topic: TopicName
    created: str
    changed: str
    user: str
    shared: bool
    queries: int
    read: int
    relevant: int
    maybe: int
    not_: int = Field(serialization_alias="not", validation_alias="not")


class CaseList(Answer):
    """The cases that the user may open."""

    cases: list[CaseEntry]


class MarkList(Answer):
    """The marks of a case."""

    marks: list[Mark]


class Seen(Answer):
    """A document was opened."""

    seen: bool


# Queries and searches


class TermView(Answer):
    """A term of the query."""

    term: str
    word: str
    language: str
    weight: float
    base: float | None
    df: int
    count: int
    off: bool
    exclude: bool
    added: bool
    edited: bool


class DocumentCounts(Answer):
    """How many documents are searched, and why others are not."""

    searched: int
    unsearched: int
    unsearched_languages: dict[str, int]
    excluded: dict[str, int]
    undated: int
    dated_by_year: int


class QueryView(Answer):
    """The current query of a case with all its terms."""

    state: QueryState
    terms: list[TermView]
    phrases: list[Phrase]
    language: str
    languages: list[str]
    fields: list[str]
    """The parts of the application that the text is taken from."""
    method: str
    undo: int
    redo: int
    documents: DocumentCounts
    notes: list[str]


class ExpressionPart(Answer):
    """A part of an expression, with the documents that meet it."""

    text: str
    documents: int
    depth: int
    left: int | None
    """The documents that meet it and the parts before it; null where one of them suffices."""


class ExpressionProblem(Answer):
    """What is wrong with an expression, and at which character."""

    what: str
    place: int
    text: str


class ExpressionView(Answer):
    """How many documents meet an expression, its parts and the sets; or what is wrong with it."""

    documents: int | None = None
    parts: list[ExpressionPart] = []
    sets: list[int] = []
    problem: ExpressionProblem | None = None


class SearchInfo(Answer):
    """A search of a case."""

    number: int
    kind: Literal["query", "feedback"]
    label: str
    name: str
    title: str
    time: str
    user: str
    retrieved: int
    index_state: str
    state: QueryState
    relevant_marks: int


class SearchList(Answer):
    """The searches of a case."""

    searches: list[SearchInfo]


class ShownTerm(Answer):
    """A term of the query that was searched."""

    term: str
    word: str
    weight: float
    language: str


class CountedTerm(ShownTerm):
    """A term of the query with its occurrences in a document."""

    count: int
    worth: float
    """Its weight × inverse document frequency: little for a word that most documents of the index have."""


class Place(Answer):
    """Where a passage of a document is."""

    location: str
    field: str
    place: int


class PassageView(Place):
    """A passage of a document."""

    runs: list[Run]
    score: float


class TermShare(Answer):
    """What a term contributes to a score."""

    term: str | None
    word: str
    score: float
    share: float


class FeatureShareView(Answer):
    """What a feature contributes to a score."""

    feature: str
    score: float
    share: float


class DocumentName(Answer):
    """A document in a list."""

    doc_id: str
    title: str
    date: str | None


class FamilyMember(DocumentName):
    """Another document of a hit's family."""

    rank: int
    language: str
    mark: Mark | None
    seen: bool


class HitView(Answer):
    """A hit."""

    rank: int
    doc_id: str
    kinds: list[str] = []
    title: str
    language: str = ""
    date: str | None
    date_text: str | None
    priority_date: str | None = None
    filing_date: str | None = None
    publication_date: str | None = None
    applicants: list[str] = []
    inventors: list[str] = []
    ipc: list[str]
    cpc: list[str] = []
    family_id: str | None = None
    score: float
    links: dict[str, str] = {}
    passages: list[PassageView] = []
    why: list[TermShare] = []
    features: list[FeatureShareView] = []
    seen: bool
    mark: Mark | None
    new: bool
    found_by: list[int]
    family: list[FamilyMember]


class Results(Answer):
    """One page of the results of a search."""

    search: SearchInfo
    total: int
    offset: int
    retrieved: int
    documents: DocumentCounts
    notes: list[str]
    model: str
    stale: bool
    terms: list[ShownTerm]
    new: int
    hits: list[HitView]


class FacetCount(Answer):
    """The number of documents of one value of a facet."""

    value: str
    documents: int
    results: int


class ClassCount(FacetCount):
    """The number of documents of a class."""

    level: str
    children: bool


class FacetView(Answer):
    """The counts of all facets under the filters of a search."""

    documents: int
    results: int
    years: list[FacetCount]
    undated: FacetCount
    offices: list[FacetCount]
    languages: list[FacetCount]
    applicants: list[FacetCount]
    ipc: list[ClassCount]
    cpc: list[ClassCount]


# Reading


class CitedView(Answer):
    """A citation."""

    number: str
    doc_id: str | None
    category: str | None
    phase: str | None
    title: str
    date: str | None
    links: dict[str, str]


class Texts(Answer):
    """The texts of a document in one language, with the query terms in them."""

    title: list[Run]
    abstract: list[list[Run]]
    claims: list[list[Run]]
    description: list[list[Run]]


class FoundBy(Answer):
    """A search that retrieved a document, and its rank there."""

    search: int
    rank: int


class ClaimMatch(Place):
    """The best passage of a document for a claim of the application."""

    strength: float


class DocumentView(Answer):
    """A document, to be read."""

    doc_id: str
    number: str | None
    kinds: list[str]
    dates: dict[str, str | None]
    applicants: list[str]
    inventors: list[str]
    ipc: list[str]
    cpc: list[str]
    family_id: str | None
    links: dict[str, str]
    language: str
    languages: list[str]
    texts: dict[str, Texts]
    terms: list[CountedTerm]
    passages: list[PassageView]
    cites: list[CitedView]
    cited_by: list[DocumentName]
    cited_by_count: int
    family: list[DocumentName]
    mark: Mark | None
    seen: bool
    found_by: list[FoundBy]
    against: list[ClaimMatch | None]
    """For each claim of the application the best passage; null where none matches. Empty unless it was asked for."""


# Chart, progress, comparison


class Feature(Answer):
    """A feature of a claim."""

    id: int
    claim: int | None
    text: str


class Cell(Answer):
    """What a document has for a feature."""

    feature: int
    doc_id: str
    text: str
    location: str
    runs: list[Run]
    strength: float | None
    """The share of the words of the feature in the passage, from 0 to 1, rare words counting more."""
    edited: bool


class Chart(Answer):
    """A claim chart."""

    features: list[Feature]
    documents: list[DocumentName]
    cells: list[Cell]
    chosen: bool
    claims: int
    note: str


class EstimateView(Answer):
    """An estimate of the number of relevant documents."""

    name: str
    title: str
    total: float | None
    low: float | None
    high: float | None
    level: float
    recall: float | None
    assumption: str


class Advice(Answer):
    """Whether to go on reading."""

    stop: bool
    rule: str
    reason: str
    more: int | None
    """About how many more documents it takes to stop, if none of them is relevant."""


class Progress(Answer):
    """How much has been found."""

    read: int
    relevant: int
    maybe: int
    not_: int = Field(serialization_alias="not", validation_alias="not")
    opened_unmarked: int
    curve: list[tuple[int, int]]
    estimates: list[EstimateView]
    """The estimate that may be believed; none where none may be."""
    others: list[EstimateView]
    """Others that also hold, on request."""
    advice: Advice
    coverage: Coverage
    notes: list[str]


class ComparedDocument(DocumentName):
    """A document in two searches."""

    first: int | None
    second: int | None
    mark: Mark | None
    seen: bool


class Comparison(Answer):
    """Two searches side by side."""

    first: SearchInfo
    second: SearchInfo
    depth: int
    both: list[ComparedDocument]
    only_first: list[ComparedDocument]
    only_second: list[ComparedDocument]
    judged: list[ComparedDocument]
    """Documents that "more like these" learned from, and so does not list."""
    overlap: float


class Case(CaseEntry):
    """A case."""

    topic: TopicSummary  # type: ignore[assignment]
    notes: str
    searches: list[SearchInfo]
    marks: list[Mark]
    seen: list[str]
    query: QueryState
    undo: int
    redo: int
    index_state: str
    index_changed: bool


class Problem(Answer):
    """What is wrong, in one line."""

    detail: str
