"""What the JSON API returns besides what `review/views.py` has, as pydantic models; OpenAPI describes all of them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model

from antecede.conditions.fields import FACETS
from antecede.search.facets import ClassCount, CollectionCoverage, Count


class Session(BaseModel):
    """Who is signed in, and the token that every change must carry."""

    user: str
    users: bool
    people: list[str]
    """Who signs in here, to share cases with."""
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
