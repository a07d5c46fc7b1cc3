"""What the JSON API takes, as pydantic models; OpenAPI describes them at /api/docs.

The settings and filters of a query derive from their declarations in `search/settings.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model, model_validator

from antecede.conditions.fields import FACETS, WORDS
from antecede.conditions.fields import Field as FactField
from antecede.errors import UsageError, shown
from antecede.patent import fields
from antecede.patent.record import CITATIONS, EVENTS, PATENT_FIELDS
from antecede.review.marks import CATEGORY
from antecede.review.store import FILTERS, SETTINGS
from antecede.search.settings import search_options

LONGEST_TEXT = 4_000_000
LONGEST_NOTE = 20_000
LONGEST_NAME = 300
LONGEST_WORDS = 200
LONGEST_CLASS = 40
LONGEST_EXPRESSION = 20_000
MOST_EDITS = 2000
MOST_VALUES = 200
"""Values of one filter."""

MOST_ITEMS = 5000
"""Claims, classes, citations or names of a patent."""
LONGEST_TITLE = 5000
LONGEST_FEATURE = 5000
MOST_CELLS = 1000
"""Cells of a claim chart; the best passage is looked for in each."""


def check_id(text: str) -> str:
    """Refuse a NUL character, which no document has in its id."""
    if "\x00" in text:
        raise ValueError("has a NUL character")
    return text


AnyName = Annotated[str, Field(max_length=LONGEST_NAME), AfterValidator(check_id)]
DocumentName = Annotated[AnyName, Field(min_length=1)]
"""The id of a document."""
Number = Annotated[int, Field(ge=1, le=2**31)]
"""The number of a search, a rank, a claim or a feature."""
SearchNumber = Annotated[int | None, Field(ge=1, le=2**31, description="The number of the search in its case.")]
ShortText = Annotated[str, Field(max_length=LONGEST_NAME)]
Title = Annotated[str, Field(max_length=LONGEST_TITLE)]
LanguageCode = Annotated[str, Field(max_length=20)]
Relevance = Literal["relevant", "maybe", "not"]
Category = Annotated[str, Field(pattern=rf"^{CATEGORY.pattern}$", max_length=40)]


class Model(BaseModel):
    """A model that refuses what it does not know."""

    # No text is longer than the largest request; a limit also has lone surrogates refused.
    model_config = ConfigDict(extra="forbid", str_max_length=16 << 20)


def declared_model(name: str, names: tuple[str, ...], doc: str) -> Any:
    """A model of some search settings, each optional: what is left out has its default."""
    declared = {each.name: each for each in search_options()}
    values: dict[str, Any] = {}
    for option in map(declared.__getitem__, names):
        kind: Any = list[option.kind] if option.several else option.kind  # type: ignore[name-defined]
        most = MOST_VALUES if option.several else None
        values[option.name] = (kind | None, Field(default=None, description=option.help, max_length=most))
    return create_model(name, __base__=Model, __doc__=doc, **values)


def _about(field: FactField) -> dict[str, Any]:
    """What may be asked about the counts of a field."""
    if field.tree:
        return {"max_length": LONGEST_CLASS, "description": "The class whose subclasses are counted."}
    return {"max_length": LONGEST_NAME, "description": f"What the names of {field.facet} contain."}


if TYPE_CHECKING:

    class QuerySettings(Model):
        """The settings of a query."""

    class QueryFilters(Model):
        """The filters of a query."""

    class FacetRequest(BaseModel):
        """What of the facets is counted."""

else:
    QuerySettings = declared_model("QuerySettings", SETTINGS, "The settings of a query that differ from the defaults.")
    QueryFilters = declared_model("QueryFilters", FILTERS, "The filters of a query that differ from the defaults.")
    FacetRequest = create_model(
        "FacetRequest",
        __doc__="The node of each tree whose children are counted, and what the names that are counted contain.",
        **{
            field.setting: (str, Field(default="", **_about(field)))
            for field in FACETS.values()
            if field.tree or field.match == WORDS
        },
    )


# Topics and cases


def _list_of(kind: Any) -> Any:
    return Annotated[list[kind], Field(max_length=MOST_ITEMS)]


def _by(key: Any, kind: Any) -> Any:
    return Annotated[dict[key, kind], Field(max_length=MOST_VALUES)]


SENT: dict[fields.Codec, Any] = {
    fields.NAME: DocumentName,
    fields.TEXT: Title,
    fields.CODE: ShortText | None,
    fields.LANGUAGE: LanguageCode,
    fields.NUMBER: ShortText | None,
    fields.DAY: ShortText | None,
    fields.YEAR: Annotated[int | None, Field(ge=0, le=9999)],
    fields.CODES: _list_of(ShortText),
    fields.CLASSES: _list_of(ShortText),
    fields.PEOPLE: _list_of(Title),
    fields.TEXTS: _by(LanguageCode, str),
    fields.CLAIMS: _by(LanguageCode, _list_of(str)),
    fields.CELLS: Annotated[dict[Title, str], Field(max_length=MOST_ITEMS)],
    CITATIONS: _list_of(dict[ShortText, ShortText | None]),
    EVENTS: _list_of(dict[ShortText, Title | None]),
}
"""The JSON values of the fields of a patent, as a request may send them."""
if TYPE_CHECKING:

    class PatentRecord(Model):
        """The record of a patent."""

else:
    PatentRecord = create_model(
        "PatentRecord",
        __base__=Model,
        __doc__="The record of a patent, as `antecede show --json` prints it.",
        **{
            declared.name: (SENT[declared.codec], ... if declared.codec is fields.NAME else declared.codec.empty_json)
            for declared in PATENT_FIELDS
        },
    )


class TopicRequest(Model):
    """What to search for: a patent number in any spelling, or a text."""

    number: ShortText | None = None
    text: str | None = Field(default=None, max_length=LONGEST_TEXT)
    name: ShortText | None = None


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


class SeenRequest(Model):
    """A document that the user opened, and which search showed it where."""

    doc_id: DocumentName
    search: Number | None = None
    rank: Number | None = None


class MarkRequest(SeenRequest):
    """A judgement; it replaces the one that the document has."""

    relevance: Relevance
    category: Category | None = None
    claims: ShortText = ""
    note: str = Field(default="", max_length=LONGEST_NOTE)


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
    set_names: list[ShortText] = Field(default=[], max_length=MOST_VALUES)
    """What the user calls the sets of the filters, in their order."""


def given_settings(state: QueryState) -> dict[str, Any]:
    """The settings and filters of a state; none of them may name a file."""
    given = {**state.settings.model_dump(exclude_none=True), **state.filters.model_dump(exclude_none=True)}
    ranking = given.get("ranking")
    if ranking is not None and ranking not in ("auto", "classic") and ("=" not in ranking or "/" in ranking):
        raise UsageError(f"ranking: {shown(ranking)!r} is not auto, classic or feature=weight,…")
    return given


class ExpressionRequest(Model):
    """An expression that is being written, and the sets that it may name."""

    where: str = Field(max_length=LONGEST_EXPRESSION)
    sets: list[Annotated[str, Field(max_length=LONGEST_EXPRESSION)]] = Field(default=[], max_length=MOST_VALUES)


class WordsRequest(Model):
    """A word or phrase to add to the query."""

    words: str = Field(min_length=1, max_length=LONGEST_WORDS)
    weight: float | None = Field(default=None, gt=0, le=1e9)


class SearchChange(Model):
    """The name of a search; empty takes it away."""

    name: str = Field(max_length=LONGEST_NAME)


class SearchRequest(Model):
    """Which hits to return."""

    offset: int = Field(default=0, ge=0, le=1_000_000)
    limit: int = Field(default=25, ge=1, le=100)
    family: bool = True


# The claim chart


class Feature(Model):
    """A feature of a claim; without an id it is a new one."""

    id: Number | None = None
    claim: Number | None = None
    text: str = Field(min_length=1, max_length=LONGEST_FEATURE)


class ChartRequest(Model):
    """The features and documents of a chart."""

    features: list[Feature] = Field(max_length=MOST_VALUES)
    documents: list[DocumentName] = Field(max_length=50)

    @model_validator(mode="after")
    def check_size(self) -> Self:
        """Refuse a chart for whose passages everybody would wait."""
        if len(self.features) * len(self.documents) > MOST_CELLS:
            raise ValueError(f"a chart has at most {MOST_CELLS} cells; choose fewer features or documents")
        return self


class ClaimsRequest(Model):
    """Claims whose features a chart shall have."""

    claims: list[Number] = Field(min_length=1, max_length=MOST_VALUES)


class CellRequest(Model):
    """The text of a cell; null restores the best passage."""

    feature: Number
    doc_id: DocumentName
    text: str | None = Field(max_length=LONGEST_NOTE)
