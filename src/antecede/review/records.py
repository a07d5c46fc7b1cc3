"""What people enter and a case keeps, as models that check it: the topic, the query, the features of a claim chart.

The page, its API and the reader of case files check by the same models. The settings and filters of a query derive from
their declarations in `search/settings.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from antecede.errors import UsageError, printable
from antecede.patent import Patent, PatentNumber, fields, parse_date
from antecede.patent.fields import DAY
from antecede.patent.record import CITATIONS, EVENTS, PATENT_FIELDS
from antecede.patent.texts import FIELDS
from antecede.review.marks import CATEGORY
from antecede.review.search_history import FILTERS, SETTINGS
from antecede.search.settings import search_options

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

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
TITLES = 500
"""Characters of a title that lists show."""
LONGEST_USER = 100


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
ShortText = Annotated[str, Field(max_length=LONGEST_NAME)]
Title = Annotated[str, Field(max_length=LONGEST_TITLE)]
LanguageCode = Annotated[str, Field(max_length=20)]
UserName = Annotated[str, Field(min_length=1, max_length=100)]
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


if TYPE_CHECKING:

    class QuerySettings(Model):
        """The settings of a query."""

    class QueryFilters(Model):
        """The filters of a query."""

else:
    QuerySettings = declared_model("QuerySettings", SETTINGS, "The settings of a query that differ from the defaults.")
    QueryFilters = declared_model("QueryFilters", FILTERS, "The filters of a query that differ from the defaults.")


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
TITLES_SENT = _by(LanguageCode, Title)
"""A title is a text that lists show."""
if TYPE_CHECKING:

    class PatentRecord(Model):
        """The record of a patent."""

else:
    PatentRecord = create_model(
        "PatentRecord",
        __base__=Model,
        __doc__="The record of a patent, as `antecede show --json` prints it.",
        **{
            declared.name: (
                TITLES_SENT if declared.name == "title" else SENT[declared.codec],
                ... if declared.codec is fields.NAME else declared.codec.empty_json,
            )
            for declared in PATENT_FIELDS
        },
    )


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
    own: bool = False
    """Whether the terms are the whole query, and those of the application are not added; so after "more like these"."""


def given_settings(state: QueryState) -> dict[str, Any]:
    """The settings and filters of a state; none of them may name a file."""
    given = {**state.settings.model_dump(exclude_none=True), **state.filters.model_dump(exclude_none=True)}
    if not given.get("where"):  # sets are kept also while no expression names them
        given = {name: value for name, value in given.items() if name not in ("where", "sets")}
    ranking = given.get("ranking")
    if ranking is not None and ranking not in ("auto", "classic") and ("=" not in ranking or "/" in ranking):
        raise UsageError(f"ranking: {printable(ranking)!r} is not auto, classic or feature=weight,…")
    return given


class Feature(Model):
    """A feature of a claim; without an id it is a new one."""

    id: Number | None = None
    claim: Number | None = None
    text: str = Field(min_length=1, max_length=LONGEST_FEATURE)


def dump_state(state: QueryState) -> dict[str, Any]:
    """A state as it is stored: only what was given."""
    return {
        "settings": state.settings.model_dump(exclude_none=True),
        "filters": state.filters.model_dump(exclude_none=True),
        "terms": [each.model_dump() for each in state.terms],
        "phrases": [each.model_dump() for each in state.phrases],
        **({"set_names": state.set_names} if state.set_names else {}),
        **({"own": True} if state.own else {}),
    }


def read_patent(record: Mapping[str, Any]) -> Patent:
    """A patent from a record that a user sent; what is wrong is said in one line."""
    whole = {name: value for name, value in record.items() if value not in (None, "", {}, [])}
    for name in (declared.name for declared in PATENT_FIELDS if declared.codec is DAY):
        if name in whole:
            day = parse_date(str(whole[name]))
            if day is None:
                raise UsageError(f"{name}: {printable(str(whole[name]))!r} is not a day; write it as 2001-12-31")
            whole[name] = day.isoformat()
    if "number" in whole and PatentNumber.parse(str(whole["number"])) is None:
        raise UsageError(f"number: {printable(str(whole['number']))!r} is not a patent number")
    for name in (declared.name for declared in PATENT_FIELDS if declared.codec in (CITATIONS, EVENTS)):
        whole[name] = [{key: value for key, value in entry.items() if value} for entry in whole.get(name, ())]
    try:
        patent = Patent.from_dict(whole)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"the record of the patent is not valid: {printable(str(error), 200)}") from None
    texts = (" ".join(text) for name in FIELDS for text in getattr(patent, name).values())  # claims, or letters
    if not any(any(map(str.isalpha, text)) for text in texts):
        raise UsageError("there is no word to search with: title, abstract, claims and description have none")
    for text in (patent.doc_id, *patent.title.values()):
        if "\x00" in text:
            raise UsageError("a text of the patent has a NUL character")
    return patent


def title_of(patent: Patent, language: str = "") -> str:
    """The title of a patent, in a language if it has one."""
    found = patent.title.get(language) or patent.title.get(patent.language) or next(iter(patent.title.values()), "")
    return found[:TITLES]


def clean_line(text: str) -> str:
    """A text in one line without control characters."""
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def day_text(day: date | None) -> str | None:
    return day.isoformat() if day is not None else None
