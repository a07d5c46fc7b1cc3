"""What the JSON API takes, as pydantic models; OpenAPI describes them at /api/docs.

The settings and filters of a query derive from their declarations in `search/settings.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from antecede.search.settings import search_options

LONGEST_TEXT = 4_000_000
LONGEST_NOTE = 20_000
LONGEST_NAME = 300
LONGEST_WORDS = 200
MOST_EDITS = 2000
MOST_VALUES = 200
"""Values of one filter."""

Relevance = Literal["relevant", "maybe", "not"]
Category = Literal["X", "Y", "A"]

SETTINGS = ("method", "terms", "fields", "weights", "language", "ranking", "model", "ipc_boost", "cited", "fusion")
FILTERS = ("before", "after", "undated", "ipc", "cpc", "country", "applicant", "inventor", "document_language")


class Model(BaseModel):
    """A model that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")


def declared_model(name: str, names: tuple[str, ...], doc: str) -> Any:
    """A model of some search settings, each optional: what is left out has its default."""
    declared = {each.name: each for each in search_options()}
    values: dict[str, Any] = {}
    for each in names:
        one = declared[each]
        kind: Any = one.kind
        text = Field(default=None, description=one.help, max_length=MOST_VALUES if one.several else None)
        if one.several:
            values[each] = (list[kind] | None, text)
        else:
            values[each] = (kind | None, Field(default=None, description=one.help))
    return create_model(name, __base__=Model, __doc__=doc, **values)


if TYPE_CHECKING:

    class QuerySettings(Model):
        """The settings of a query."""

    class QueryFilters(Model):
        """The filters of a query."""

else:
    QuerySettings = declared_model("QuerySettings", SETTINGS, "The settings of a query that differ from the defaults.")
    QueryFilters = declared_model("QueryFilters", FILTERS, "The filters of a query that differ from the defaults.")


# Topics and cases


class PatentRecord(Model):
    """The record of a patent, as `antecede show --json` prints it."""

    doc_id: str = Field(min_length=1, max_length=LONGEST_NAME)
    number: str | None = Field(default=None, max_length=LONGEST_NAME)
    kinds: list[str] = Field(default=[], max_length=MOST_VALUES)
    language: str = Field(default="", max_length=20)
    title: dict[str, str] = {}
    abstract: dict[str, str] = {}
    claims: dict[str, list[str]] = {}
    description: dict[str, str] = {}
    ipc: list[str] = []
    cpc: list[str] = []
    priority_date: str | None = None
    filing_date: str | None = None
    publication_date: str | None = None
    applicants: list[str] = []
    inventors: list[str] = []
    family_id: str | None = None
    citations: list[dict[str, str | None]] = []
    source: str = ""


class TopicRequest(Model):
    """What to search for: a patent number in any spelling, or a text."""

    number: str | None = Field(default=None, max_length=LONGEST_NAME)
    text: str | None = Field(default=None, max_length=LONGEST_TEXT)
    name: str | None = Field(default=None, max_length=LONGEST_NAME)


class CaseRequest(Model):
    """A new case."""

    patent: PatentRecord
    name: str | None = Field(default=None, max_length=LONGEST_NAME)
    source: Literal["number", "text", "file"] = "number"


class CaseChange(Model):
    """Changes of a case."""

    name: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME)
    notes: str | None = Field(default=None, max_length=LONGEST_NOTE)
    shared: bool | None = None
    patent: PatentRecord | None = None


class MarkRequest(Model):
    """A judgement; it replaces the one that the document has."""

    doc_id: str = Field(min_length=1, max_length=LONGEST_NAME)
    relevance: Relevance
    category: Category | None = None
    claims: str = Field(default="", max_length=LONGEST_NAME)
    note: str = Field(default="", max_length=LONGEST_NOTE)
    search: int | None = Field(default=None, ge=1)
    rank: int | None = Field(default=None, ge=1)


class SeenRequest(Model):
    """A document that the user opened."""

    doc_id: str = Field(min_length=1, max_length=LONGEST_NAME)
    search: int | None = Field(default=None, ge=1)
    rank: int | None = Field(default=None, ge=1)


# Queries and searches


class TermEdit(Model):
    """An edited term of a query."""

    term: str = Field(min_length=1, max_length=LONGEST_WORDS)
    language: str = Field(default="", max_length=20)
    word: str = Field(default="", max_length=LONGEST_WORDS)
    weight: float | None = Field(default=None, ge=0, le=1e9)
    off: bool = False
    exclude: bool = False
    added: bool = False


class Phrase(Model):
    """Words that must occur one after the other, or must not."""

    words: str = Field(min_length=1, max_length=LONGEST_WORDS)
    exclude: bool = False
    off: bool = False


class QueryState(Model):
    """A query as the user edited it: what differs from the query that the settings make of the topic."""

    settings: QuerySettings = Field(default_factory=QuerySettings)
    filters: QueryFilters = Field(default_factory=QueryFilters)
    terms: list[TermEdit] = Field(default=[], max_length=MOST_EDITS)
    phrases: list[Phrase] = Field(default=[], max_length=MOST_VALUES)


class WordsRequest(Model):
    """A word or phrase to add to the query."""

    words: str = Field(min_length=1, max_length=LONGEST_WORDS)
    weight: float | None = Field(default=None, gt=0, le=1e9)


class SearchRequest(Model):
    """Which hits to return."""

    offset: int = Field(default=0, ge=0, le=1_000_000)
    limit: int = Field(default=25, ge=1, le=100)
    family: bool = True


# The claim chart


class FeatureRequest(Model):
    """A feature of a claim; without an id it is a new one."""

    id: int | None = Field(default=None, ge=1)
    claim: int | None = Field(default=None, ge=1)
    text: str = Field(min_length=1, max_length=LONGEST_NOTE)


class ChartRequest(Model):
    """The features and documents of a chart."""

    features: list[FeatureRequest] = Field(max_length=MOST_VALUES)
    documents: list[str] = Field(max_length=50)


class ClaimsRequest(Model):
    """Claims whose features a chart shall have."""

    claims: list[int] = Field(min_length=1, max_length=MOST_VALUES)


class CellRequest(Model):
    """The text of a cell; null restores the best passage."""

    feature: int = Field(ge=1)
    doc_id: str = Field(min_length=1, max_length=LONGEST_NAME)
    text: str | None = Field(max_length=LONGEST_NOTE)
