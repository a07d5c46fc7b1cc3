"""What the JSON API takes, as pydantic models; OpenAPI describes them at /api/docs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypedDict

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from antecede.conditions.fields import FACETS, WORDS
from antecede.conditions.fields import Field as FactField
from antecede.review.claim_chart import MOST_CELLS, MOST_DOCUMENTS
from antecede.review.records import (
    LONGEST_EXPRESSION,
    LONGEST_NAME,
    LONGEST_NOTE,
    LONGEST_TEXT,
    LONGEST_WORDS,
    MOST_VALUES,
    Category,
    DocumentName,
    Feature,
    Model,
    Number,
    PatentRecord,
    QueryState,
    Relevance,
    ShortText,
    UserName,
)

LONGEST_CLASS = 40
MOST_ROWS = 200
"""Hits that are described at a time."""
SearchNumber = Annotated[int | None, Field(ge=1, le=2**31, description="The number of the search in its case.")]
Order = Literal["score", "newest", "oldest", "applicant"]


def _about(field: FactField) -> dict[str, Any]:
    """What may be asked about the counts of a field."""
    if field.tree:
        return {"max_length": LONGEST_CLASS, "description": "The class whose subclasses are counted."}
    return {"max_length": LONGEST_NAME, "description": f"What the names of {field.facet} contain."}


if TYPE_CHECKING:

    class FacetRequest(BaseModel):
        """What of the facets is counted."""

else:
    FacetRequest = create_model(
        "FacetRequest",
        __doc__="The node of each tree whose children are counted, and what the names that are counted contain.",
        **{
            field.setting: (str, Field(default="", **_about(field)))
            for field in FACETS.values()
            if field.tree or field.match == WORDS
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


class Versioned(Model):
    """A change, which names the version of what it changes that its user saw."""

    version: int = Field(ge=0, le=2**53, description="The version that was seen; 0 of what was never changed.")


class PersonRequest(Model):
    """A user with whom a case is shared."""

    user: UserName
    right: Literal["read", "write"]


class CaseChange(Versioned):
    """Changes of a case; what is not named stays as it is."""

    name: str | None = Field(default=None, min_length=1, max_length=LONGEST_NAME)
    notes: str | None = Field(default=None, max_length=LONGEST_NOTE)
    shared: bool | None = None
    people: list[PersonRequest] | None = Field(default=None, max_length=MOST_VALUES)
    patent: PatentRecord | None = None


class SeenRequest(Model):
    """A document that the user opened, and which search showed it where."""

    doc_id: DocumentName
    search: Number | None = None
    rank: Number | None = None


class MarkRequest(SeenRequest, Versioned):
    """A mark of a document, or a change of some of its fields; what is not named stays as it is."""

    relevance: Relevance | None = None
    category: Category | None = None
    claims: ShortText | None = None
    note: str | None = Field(default=None, max_length=LONGEST_NOTE)


class RestoreRequest(Versioned):
    """Which mark is restored, and as of which version; 0 is no mark."""

    doc_id: DocumentName
    to: int = Field(ge=0, le=2**53)


class ExpressionRequest(Model):
    """An expression that is being written, and the sets that it may name."""

    where: str = Field(max_length=LONGEST_EXPRESSION)
    sets: list[Annotated[str, Field(max_length=LONGEST_EXPRESSION)]] = Field(default=[], max_length=MOST_VALUES)


class QueryChange(QueryState, Versioned):
    """A changed query."""


Words = Annotated[str, Field(min_length=1, max_length=LONGEST_WORDS)]


class WordsRequest(Versioned):
    """Words to add to the query: each as a term with a weight, or together as what must occur."""

    model_config = ConfigDict(populate_by_name=True)
    words: Words
    meaning: Literal["weight", "must"] = Field(alias="as")
    weight: float | None = Field(default=None, gt=0, le=1e9)


class SearchChange(Versioned):
    """The name of a search; empty takes it away."""

    name: str = Field(max_length=LONGEST_NAME)


class RowChoice(TypedDict):
    """Which rows of a list of results."""

    offset: int
    limit: int
    family: bool
    sort: Order


class SearchRequest(Model):
    """Which hits to return."""

    offset: int = Field(default=0, ge=0, le=1_000_000)
    limit: int = Field(default=25, ge=1, le=MOST_ROWS, title="number of rows")
    family: bool = True
    sort: Order = "score"

    def rows(self) -> RowChoice:
        """Which rows of a list of results."""
        return {"offset": self.offset, "limit": self.limit, "family": self.family, "sort": self.sort}


class MoreRequest(SearchRequest, Versioned):
    """Which hits of "more like these" to return."""

    model_config = ConfigDict(extra="forbid")


class ChartRequest(Versioned):
    """The features and documents of a chart."""

    features: list[Feature] = Field(max_length=MOST_VALUES)
    documents: list[DocumentName] = Field(max_length=MOST_DOCUMENTS)

    @model_validator(mode="after")
    def check_size(self) -> Self:
        """Refuse a chart for whose passages everybody would wait."""
        if len(self.features) * len(self.documents) > MOST_CELLS:
            raise ValueError(f"a chart has at most {MOST_CELLS} cells; choose fewer features or documents")
        return self


class ClaimsRequest(Versioned):
    """Claims whose features a chart shall have."""

    claims: list[Number] = Field(min_length=1, max_length=MOST_VALUES)


class CellRequest(Versioned):
    """The text of a cell; null restores the best passage."""

    feature: Number
    doc_id: DocumentName
    text: str | None = Field(max_length=LONGEST_NOTE)
