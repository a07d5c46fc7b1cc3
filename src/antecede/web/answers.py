"""What the JSON API returns, as pydantic models; OpenAPI describes them at /api/docs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from antecede.conditions.fields import FACETS
from antecede.patent.bibliography import LISTED
from antecede.review.marks import Mark
from antecede.search.facets import ClassCount, CollectionCoverage, Count
from antecede.web.requests import Feature, Phrase, QueryState

Run = str | tuple[str, int]
"""A piece of a text: plain, or a word with the number of the query term that it is a form of."""


# Session and index


class Session(BaseModel):
    """Who is signed in, and the token that every change must carry."""

    user: str
    users: bool
    csrf: str
    version: str
    index: str


class Listed(BaseModel):
    """A method or model."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    usage: str
    summary: str


class SettingInfo(BaseModel):
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


class FacetInfo(BaseModel):
    """A field whose values are counted under a search, and the setting that they are chosen by."""

    facet: str
    setting: str
    title: str
    tree: bool
    """Whether its values are classes, level by level."""
    names: bool
    """Whether its values are names of people, which are many."""


class LimitInfo(BaseModel):
    """A filter by the values of a field."""

    name: str
    """As the counts of what filters leave out name it."""
    setting: str
    chosen: str
    """What the values are called that a user chose."""


class IndexInfo(BaseModel):
    """The index, and what a query may be made of."""

    name: str
    version: str
    engine: str
    state: str
    coverage: CollectionCoverage
    methods: list[Listed]
    models: list[Listed]
    fields: list[str]
    settings: list[SettingInfo]
    limits: list[LimitInfo]
    facets: list[FacetInfo]
    date: str
    accepts: list[str]
    largest_upload: int


# Topics and cases


class TopicSummary(BaseModel):
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


class TopicName(BaseModel):
    """A topic in a list."""

    doc_id: str
    title: str


class CaseEntry(BaseModel):
    """A case in the list of cases."""

    id: str
    name: str
    topic: TopicName
    created: str
    changed: str
    user: str
    shared: bool
    counts: dict[str, int]
    """How many searches it has, and how many documents are relevant, maybe and not."""


# Queries and searches


class TermView(BaseModel):
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


class DocumentCounts(BaseModel):
    """How many documents are searched, and why others are not."""

    searched: int
    unsearched: int
    unsearched_languages: dict[str, int]
    excluded: dict[str, int]
    undated: int
    dated_by_year: int


class QueryView(BaseModel):
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


class ExpressionPart(BaseModel):
    """A part of an expression, with the documents that meet it."""

    text: str
    documents: int
    depth: int
    left: int | None
    """The documents that meet it and the parts before it; null where one of them suffices."""


class ExpressionProblem(BaseModel):
    """What is wrong with an expression, and at which character."""

    what: str
    place: int
    text: str


class ExpressionView(BaseModel):
    """How many documents meet an expression, its parts and the sets; or what is wrong with it."""

    documents: int | None = None
    parts: list[ExpressionPart] = []
    sets: list[int] = []
    problem: ExpressionProblem | None = None


class SearchInfo(BaseModel):
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


class ShownTerm(BaseModel):
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


class Place(BaseModel):
    """Where a passage of a document is."""

    location: str
    field: str
    place: int


class PassageView(Place):
    """A passage of a document."""

    runs: list[Run]
    score: float


class TermShare(BaseModel):
    """What a term contributes to a score."""

    term: str | None
    word: str
    score: float
    share: float


class FeatureShareView(BaseModel):
    """What a feature contributes to a score."""

    feature: str
    score: float
    share: float


class DocumentName(BaseModel):
    """A document in a list."""

    doc_id: str
    title: str
    date: str | None


class KnownDocument(DocumentName):
    """A document in a list, with what the case knows of it."""

    mark: Mark | None
    seen: bool


class FamilyMember(KnownDocument):
    """Another document of a hit's family."""

    rank: int
    language: str


if TYPE_CHECKING:

    class Known(BaseModel):
        """The bibliographic data of a document."""

else:
    Known = create_model(
        "Known",
        __doc__="The bibliographic data of a document.",
        **{declared.name: (declared.codec.json | None, declared.codec.empty_json) for declared in LISTED},
    )


class Described(Known, BaseModel):
    """What a hit and an open document have in common; little of it is known of a document that has left the index."""

    doc_id: str
    ipc: list[str]
    links: dict[str, str] = {}
    passages: list[PassageView] = []
    mark: Mark | None
    seen: bool


class HitView(Described):
    """A hit."""

    rank: int
    title: str
    date: str | None
    date_text: str | None
    score: float
    why: list[TermShare] = []
    features: list[FeatureShareView] = []
    new: bool
    found_by: list[int]
    family: list[FamilyMember]


class Results(BaseModel):
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


# Reading


class CitedView(BaseModel):
    """A citation."""

    number: str
    doc_id: str | None
    category: str | None
    phase: str | None
    title: str
    date: str | None
    links: dict[str, str]


class Texts(BaseModel):
    """The texts of a document in one language, with the query terms in them."""

    title: list[Run]
    abstract: list[list[Run]]
    claims: list[list[Run]]
    description: list[list[Run]]


class FoundBy(BaseModel):
    """A search that retrieved a document, and its rank there."""

    search: int
    rank: int


class ClaimMatch(Place):
    """The best passage of a document for a claim of the application."""

    strength: float


class DocumentView(Described):
    """A document, to be read."""

    number: str | None
    dates: dict[str, str | None]
    facts: dict[str, str]
    """What else is known of it, by its label."""
    languages: list[str]
    texts: dict[str, Texts]
    terms: list[CountedTerm]
    cites: list[CitedView]
    cited_by: list[DocumentName]
    cited_by_count: int
    family: list[DocumentName]
    found_by: list[FoundBy]
    against: list[ClaimMatch | None]
    """For each claim of the application the best passage; null where none matches. Empty unless it was asked for."""


# Chart, progress, comparison


class Cell(BaseModel):
    """What a document has for a feature."""

    feature: int
    doc_id: str
    text: str
    location: str
    runs: list[Run]
    strength: float | None
    """The share of the words of the feature in the passage, from 0 to 1, rare words counting more."""
    edited: bool


class Chart(BaseModel):
    """A claim chart."""

    features: list[Feature]
    documents: list[DocumentName]
    cells: list[Cell]
    chosen: bool
    claims: int
    note: str


class EstimateView(BaseModel):
    """An estimate of the number of relevant documents."""

    name: str
    title: str
    total: float | None
    low: float | None
    high: float | None
    level: float
    recall: float | None
    assumption: str


class Advice(BaseModel):
    """Whether to go on reading."""

    stop: bool
    rule: str
    reason: str
    more: int | None
    """About how many more documents it takes to stop, if none of them is relevant."""


class Progress(BaseModel):
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
    notes: list[str]


class ComparedDocument(KnownDocument):
    """A document in two searches."""

    first: int | None
    second: int | None


class Comparison(BaseModel):
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
    unused: str = ""
    """What of the file that it was just imported from is not used, in words."""


class Problem(BaseModel):
    """What is wrong, in one line."""

    detail: str


class _Counts(BaseModel):
    """How many documents there are of each value of each field, under the filters of a search."""

    documents: int
    results: int
    years: list[Count]
    undated: Count


Facets: Any = create_model(
    "Facets",
    __base__=_Counts,
    __doc__=_Counts.__doc__,
    **{name: (list[ClassCount] if field.tree else list[Count], ...) for name, field in FACETS.items() if field.setting},  # type: ignore[call-overload]
)
