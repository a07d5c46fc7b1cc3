"""What is shown of a case, as models: the page, its API and the reports show the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, create_model

from antecede.patent.bibliography import LISTED
from antecede.review.mark_log import MarkChange
from antecede.review.marks import Mark
from antecede.review.records import Feature, Phrase, QueryState

Run = str | tuple[str, int]
"""A piece of a text: plain, or a word with the number of the query term that it is a form of."""


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


class PersonView(BaseModel):
    """A user with whom a case is shared."""

    user: str
    right: Literal["read", "write"]


class CaseEntry(BaseModel):
    """A case in the list of cases."""

    id: str
    name: str
    topic: TopicName
    source: str
    """Where the topic comes from: `number`, `text` or `file`."""
    created: str
    changed: str
    user: str
    shared: bool
    """Whether every user may open and change it."""
    people: list[PersonView]
    right: Literal["own", "write", "read"]
    """What the user who asks may do."""
    version: int
    counts: dict[str, int]
    """How many searches it has, and how many documents are relevant, maybe and not."""
    screening: bool = False
    """Whether it is the screening of a systematic review, which has a page of its own."""


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
    version: int
    documents: DocumentCounts
    notes: list[str]
    said: str = ""
    """What was just done to it, in words."""


class Meaning(BaseModel):
    """One way in which words can be added to a query."""

    possible: bool
    says: str


class WordsView(BaseModel):
    """What it would mean to add words to the query."""

    words: str
    documents: int
    """How many documents hold them: a word in any form, several as a phrase."""
    unknown: list[str]
    """Words that no document holds."""
    weight: Meaning
    must: Meaning


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
    unpublished: int = 0
    """Documents of the index without a publication date, where the expression names one: it finds none of them."""
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
    version: int


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


DateKind = Literal["publication", "filing", "priority", ""]
"""Which of its dates the date of a document is."""


class DocumentName(BaseModel):
    """A document in a list."""

    doc_id: str
    title: str
    date: str | None
    date_is: DateKind = ""


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
    date_is: DateKind = ""
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
    """Rows of the list: documents, or families."""
    offset: int
    retrieved: int
    limit_reached: bool
    """Whether the ranking was cut at the most documents that a case lists."""
    documents: DocumentCounts
    learned_from: int = 0
    """Marked documents that "more like these" learned from and left out, of those that pass the query."""
    notes: list[str]
    model: str
    stale: bool
    terms: list[ShownTerm]
    new: int
    hits: list[HitView]
    query: QueryView | None = None
    """The query that was learned from the marks, after "more like these"."""


class CitedView(BaseModel):
    """A citation."""

    number: str
    doc_id: str | None
    category: str | None
    phase: str | None
    title: str
    date: str | None
    date_is: str = ""
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
    version: int


class Chart(BaseModel):
    """A claim chart."""

    features: list[Feature]
    documents: list[DocumentName]
    cells: list[Cell]
    chosen: bool
    claims: int
    note: str
    version: int


class EstimateView(BaseModel):
    """An estimate of the number of relevant documents."""

    name: str
    title: str
    low: float | None
    high: float | None
    level: float
    recall_low: float | None
    statement: str
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
    documents: int
    """How many documents can be read: those that the list shows or that are marked."""
    unread: int
    curve: list[tuple[int, int]]
    estimates: list[EstimateView]
    """The estimate that may be believed; none where none may be."""
    others: list[EstimateView]
    """Others that also hold, on request."""
    advice: Advice
    notes: list[str]


class MarkChanged(BaseModel):
    """What a change did to the mark of a document."""

    doc_id: str
    mark: Mark | None
    """The mark as it is now; null where it was taken back."""
    version: int
    before: int
    """The version of the mark before, to which it can be restored; 0 where there was none."""
    said: str
    """What was done, in words."""

    @classmethod
    def of(cls, change: MarkChange, said: str) -> MarkChanged:
        return cls(**vars(change), said=said)


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
    versions: dict[str, int]
    """Those of its name, notes, topic, people, chart and query."""
    marks: list[Mark]
    seen: list[str]
    query: QueryState
    undo: int
    redo: int
    index_state: str
    index_changed: bool
    unused: str = ""
    """What of the file that it was just imported from is not used, in words."""
