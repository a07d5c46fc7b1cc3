"""A case as a file: everything that the store has of it, as JSON with a checksum; it can be imported elsewhere."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from antecede.errors import AntecedeError, InputError, UsageError, printable
from antecede.review.case import ReviewPlan
from antecede.review.claim_chart import MOST_CELLS, MOST_DOCUMENTS
from antecede.review.database import to_json
from antecede.review.marks import Mark
from antecede.review.records import (
    LONGEST_NAME,
    LONGEST_NOTE,
    LONGEST_TEXT,
    LONGEST_USER,
    MOST_VALUES,
    Category,
    DocumentName,
    Feature,
    Number,
    PatentRecord,
    QueryState,
    Relevance,
    given_settings,
    read_patent,
)
from antecede.review.store import CASE_ID, CaseConflictError, CaseStore
from antecede.review.views import DocumentCounts, ShownTerm
from antecede.review.votes import Vote
from antecede.search.settings import SearchSettings

FORMAT, VERSION = "antecede case", 3
SOURCE = "the file"
"""What an uploaded file is called."""
LARGEST_NUMBER = 2**53
"""Larger integers are not exact in JavaScript, and later not in SQLite."""
MOST_ROWS = 200_000
"""Rows of one table."""


def export_case(store: CaseStore, case_id: str) -> bytes:
    """A case as the bytes of a file; the same case always gives the same bytes."""
    tables = store.dump(case_id)
    if not tables["cases"]:
        raise UsageError(f"there is no case {printable(case_id)!r}")
    tables = {name: rows for name, rows in tables.items() if rows or name not in OPTIONAL}
    text = to_json(tables)
    whole = {"format": FORMAT, "version": VERSION, "sha256": sha256(text.encode()).hexdigest(), "case": tables}
    return (to_json(whole) + "\n").encode()


def import_case(store: CaseStore, data: bytes, *, source: str = SOURCE, user: str | None = None) -> str:
    """Add the case in a file to a store; returns its id."""
    return add_case(store, read_case_file(data, source), source=source, user=user)


def add_case(store: CaseStore, tables: Rows, *, source: str = SOURCE, user: str | None = None) -> str:
    """Add the case that `read_case_file` has checked to a store; returns its id.

    The same case is not added twice; a different one with its id is refused. `user` becomes its owner where given, and
    a user's cases have ids of their own: whether another user has the case in the file must not show.
    """
    case_id: str = tables["cases"][0][0]
    if user is not None:
        own = case_id if store.cases(user, case_id) else sha256(to_json([user, case_id]).encode()).hexdigest()
        case_id = own[: len(case_id)]
        tables = {name: [[case_id, *row[1:]] for row in rows] for name, rows in tables.items()}
        tables["cases"][0][OWNER] = user
    known = store.dump(case_id)
    if known["cases"] and known != tables:
        what = f"{source}: holds case {case_id}, of which another state is in the store"
        raise CaseConflictError(f"{what}; delete that one first, or use another store")
    if known != tables:
        store.load(tables)
    return case_id


# What a case file may hold


def _check_integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > LARGEST_NUMBER:
        raise ValueError(f"the number {printable(text, 20)} is too large")
    return int(text)


def _check_float(text: str) -> float:
    if not math.isfinite(float(text)):
        raise ValueError(f"the number {printable(text, 20)} is too large or not a number")
    return float(text)


def read_json(text: Any) -> Any:
    """JSON whose numbers are finite and not too large."""
    try:
        return json.loads(text, parse_int=_check_integer, parse_float=_check_float, parse_constant=_check_float)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def in_json(value: Any) -> AfterValidator:
    """The check of a column that holds a value as JSON; it stays a text once the value is checked."""
    kind: TypeAdapter[Any] = TypeAdapter(value)

    def check(text: str) -> str:
        read_json(text)
        kind.validate_json(text, strict=True)  # what is read again later is the text: nothing may be converted
        return text

    return AfterValidator(check)


class Stored(BaseModel):
    """A part of a case file; texts have a limit, which also refuses those that are not valid Unicode."""

    model_config = ConfigDict(str_max_length=LONGEST_TEXT)


class StoredChart(Stored):
    features: list[Feature] | None = None
    documents: list[DocumentName] | None = None


def check_chart(chart: StoredChart) -> StoredChart:
    """Refuse a chart that no user could have made."""
    features, documents = chart.features or [], chart.documents or []
    ids = [feature.id for feature in features]
    if None in ids or len({*ids}) < len(ids) or len({*documents}) < len(documents):
        raise ValueError("a feature or document of the chart has no name of its own")
    if len(features) > MOST_VALUES or len(documents) > MOST_DOCUMENTS or len(features) * len(documents) > MOST_CELLS:
        raise ValueError("the chart is too large")
    return chart


class StoredTerm(ShownTerm):
    model_config = ConfigDict(str_max_length=LONGEST_NAME)
    weight: float = Field(ge=-1e12, le=1e12)


class StoredCounts(DocumentCounts):
    model_config = ConfigDict(str_max_length=LONGEST_NAME)
    searched: int = Field(ge=0)


class Facts(Stored):
    """What is stored of a search besides its ranking."""

    topic: str
    notes: list[str]
    documents: StoredCounts
    model: str
    terms: list[StoredTerm]
    languages: list[str]
    new: list[DocumentName]
    titles: dict[DocumentName, str] = {}
    relevant_marks: int
    learned_from: int = Field(default=0, ge=0)
    index: str
    index_documents: int


class UsedSettings(Stored):
    relevant: list[DocumentName]
    irrelevant: list[DocumentName]


def made_by(make: Callable[[Any], object]) -> AfterValidator:
    """The check of a value by what is made of it; what cannot be made was written by no user."""

    def check(value: Any) -> Any:
        try:
            make(value)
        except (AntecedeError, TypeError, KeyError) as error:
            raise ValueError(f"it is not valid: {error}") from None
        return value

    return AfterValidator(check)


CaseId = Annotated[str, Field(pattern=CASE_ID)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
UserName = Annotated[str, Field(max_length=LONGEST_USER)]
Time = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")]
MarkTime = Annotated[str, Field(pattern=r"^(\d{4}-\d\d-\d\d[T ]?[0-9:.+Z-]{0,30})?$")]
"""Marks from a file of another program may have none, or a time in another form."""
Position = Annotated[int, Field(ge=0, lt=LARGEST_NUMBER)]
State = Annotated[str, in_json(Annotated[QueryState, made_by(lambda state: SearchSettings(**given_settings(state)))])]
Topic = Annotated[str, in_json(Annotated[PatentRecord, made_by(lambda topic: read_patent(topic.model_dump()))])]
Chart = Annotated[str, in_json(Annotated[StoredChart, AfterValidator(check_chart)])]
Ranking = Annotated[str, in_json(Annotated[list[tuple[DocumentName, float | None]], Field(max_length=1_000_000)])]
Plan = Annotated[
    str, in_json(Annotated[dict[str, Any], made_by(lambda plan: ReviewPlan.from_dict(plan or {"topic_id": "none"}))])
]
Source = Literal["number", "text", "file"]
Settings = Annotated[str, in_json(UsedSettings)]
FactsText = Annotated[str, in_json(Facts)]
Rows = dict[str, list[list[Any]]]
"""The rows of a case, by table."""
TABLES = {
    "cases": (CaseId, Name, UserName, Literal[0, 1], Time, Time, Source, Topic, Note, Chart, Position, Plan),
    "drafts": (CaseId, Position, State),
    "searches": (
        CaseId, Number, Literal["query", "feedback"], Name, Time, UserName, Name, State, Settings, Name, FactsText,
        Ranking, Name,
    ),
    "marks": (
        CaseId, Number, DocumentName, Relevance | Literal["withdrawn"], int | None, Category | None, Name, Note,
        UserName, MarkTime, Number | None, Name, Number | None, Note,
    ),
    "seen": (CaseId, DocumentName, UserName, Time, Number | None, Number | None),
    "cells": (CaseId, Number, DocumentName, Note),
    "votes": (
        CaseId, Number, DocumentName, Literal["abstract", "full-text"], Name, Literal["vote", "resolution", "prior"],
        Name, Note, UserName, Time,
    ),
}  # fmt: skip
"""The columns of each table, in their order."""
OPTIONAL = ("votes",)
"""Tables that a file has only where there are rows."""
LOGS = ("marks", "votes")
OWNER, POSITION = 2, 10
"""The columns of a case with its user, and with its place in the history of its query."""


def read_case_file(data: bytes, source: str) -> Rows:
    """The rows in a case file, checked once and completely."""
    try:
        whole = read_json(data)
    except ValueError:
        raise InputError("is not a case file: it is not JSON", source=source) from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise InputError("is not a case file; export one with `antecede review export`", source=source)
    if whole.get("version") != VERSION:
        what = f"is a case file of version {printable(str(whole.get('version')))}; this program reads version {VERSION}"
        raise InputError(what, source=source, remedy="export it with the version of antecede that is to import it")
    tables: Any = whole.get("case")
    try:
        damaged = whole.get("sha256") != sha256(to_json(tables).encode()).hexdigest()
    except (ValueError, RecursionError, TypeError):
        damaged = True
    if damaged:
        raise InputError("is damaged: its checksum does not match", source=source, remedy="export it again")
    try:
        return check_tables(tables)
    except (ValueError, AntecedeError) as error:
        reason = printable(" ".join(str(error).split()), 200)
        raise InputError(f"is not a valid case ({reason})", source=source) from None


def check_tables(tables: Any) -> Rows:
    """The rows of a case, where they are such as the page and the terminal make them."""
    if isinstance(tables, dict):
        tables = {**{name: [] for name in OPTIONAL}, **tables}
    if not isinstance(tables, dict) or tables.keys() != TABLES.keys():
        raise ValueError("its tables are not those of a case")
    checked: Rows = {}
    for name, columns in TABLES.items():
        rows: TypeAdapter[Any] = TypeAdapter(list[tuple[columns]])  # type: ignore[valid-type]
        try:
            checked[name] = [list(row) for row in rows.validate_python(tables[name])]
        except ValidationError as error:
            first = error.errors()[0]
            raise ValueError(f"{'.'.join(map(str, (name, *first['loc'])))}: {first['msg']}") from None
        if len(checked[name]) > MOST_ROWS:
            raise ValueError(f"it has more than {MOST_ROWS} rows in {name}")
    check_rows(checked)
    for name in LOGS:
        if sorted(row[1] for row in checked[name]) != list(range(1, len(checked[name]) + 1)):
            raise ValueError(f"the log of its {name} has gaps")
    _ = [Mark(*row[2:]) for row in checked["marks"]], [Vote(*row[2:]) for row in checked["votes"]]
    return checked


def check_rows(checked: Rows) -> None:
    if len(checked["cases"]) != 1:
        raise ValueError("it does not have exactly one case")
    case = checked["cases"][0]
    children = [name for name in checked if name != "cases"]
    if any(row[0] != case[0] for name in children for row in checked[name]):
        raise ValueError("a row belongs to another case")
    if case[POSITION] not in {row[1] for row in checked["drafts"]}:
        raise ValueError("the history of its query is broken")
    for name in children:
        if len({tuple(row[: 3 if name == "cells" else 2]) for row in checked[name]}) < len(checked[name]):
            raise ValueError(f"a row of {name} occurs twice")
