"""The case store: one SQLite file with one case or many, which the terminal and the page open, at once if need be."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from antecede.errors import InputError, UsageError, printable
from antecede.review.database import UnknownCaseError, digest_of, fields_of, from_json, to_json
from antecede.review.marks import LEVELS, current_time
from antecede.review.schema import KEYS, MARK_COLUMNS, insert_unversioned_mark
from antecede.review.search_history import EMPTY_STATE, SearchHistory, SearchRow, insert_search
from antecede.review.versions import note_change
from antecede.review.vote_log import VoteLog

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WORDS = {"people": "sharing"}
MOST_NAMED = 5
OWN, WRITE, READ = "own", "write", "read"
CASE_ID = r"^[0-9a-f]{16}$"


class CaseConflictError(UsageError):
    """Another case with the same id is in the store."""


class ReadOnlyError(UsageError):
    """A user changes a case that is shared with them to be read."""


@dataclass(frozen=True)
class Person:
    """A user with whom a case is shared."""

    user: str
    right: str
    """`read` or `write`."""


@dataclass(frozen=True)
class Topic:
    """The application of a case, which is read when it is first looked at."""

    text: str
    """Its record, as the store has it."""

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """Its record, as `Patent.to_dict` gives it."""
        record: Mapping[str, Any] = from_json(self.text)
        return record

    @cached_property
    def digest(self) -> str:
        """The digest of its record, by which searches know what they were made for."""
        return digest_of(self.record)


class ChartParts(TypedDict, total=False):
    """The features and documents of a claim chart, where somebody chose them."""

    features: list[dict[str, Any]]
    documents: list[str]


@dataclass(frozen=True)
class CaseRow:
    """A case without its searches and marks."""

    id: str
    name: str
    user: str
    shared: bool
    created: str
    changed: str
    source: str
    topic: Topic
    notes: str
    chart: ChartParts
    position: int
    plan: Mapping[str, object]
    """How a case that was begun in the terminal is read; empty of one that was begun on the page."""
    counts: dict[str, int]
    """How many searches it has, and how many documents are relevant, maybe and not, as it was read from the store."""
    right: str = OWN
    """What the user who opened it may do: `own` it, `write` or `read`."""
    people: tuple[Person, ...] = ()
    """With whom it is shared, besides with everybody if it is `shared`."""
    version: int = 0
    """The number of its latest change."""

    @property
    def topic_id(self) -> str:
        """The topic in qrels and runs: a name without white space."""
        return "_".join(str(self.plan.get("topic_id") or self.topic.record["doc_id"]).split()) or self.id


class CaseStore(SearchHistory, VoteLog):
    """A store of cases.

    Args:
        path: The SQLite file; it is created if it does not exist. `:memory:` is a store for one thread without a file.
        create: Whether the tables are made where the file is empty.
    """

    # Cases

    def create(
        self,
        topic: Mapping[str, Any],
        *,
        name: str,
        user: str = "",
        source: str = "number",
        plan: Mapping[str, Any] | None = None,
        search: Mapping[str, Any] | None = None,
    ) -> str:
        """Add a case; returns its id. One that begins with a ranking has its search, and the query of that search."""
        case_id, now = secrets.token_hex(8), current_time()
        with self.change() as connection:
            values = (case_id, name, user, now, now, source, to_json(topic), to_json(plan or {}))
            connection.execute("INSERT INTO cases VALUES (?, ?, ?, 0, ?, ?, ?, ?, '', '{}', 0, ?)", values)
            state = search["state"] if search is not None else EMPTY_STATE
            connection.execute("INSERT INTO drafts VALUES (?, 0, ?)", (case_id, to_json(state)))
            if search is not None:
                insert_search(connection, case_id, SearchRow(number=1, time=now, **search))
        return case_id

    def distinct_topic(self, topic_id: str) -> str:
        """A name of a topic that no case of the store has: as it is given, else with a number after it."""
        known = {row.topic_id for row in self.cases()}
        names = (f"{topic_id}-{number}" if number > 1 else topic_id for number in count(1))
        return next(name for name in names if name not in known)

    def case(self, case_id: str, user: str | None = None) -> CaseRow:
        """A case that a user may open; None is whoever has the file."""
        if not (rows := self.cases(user, case_id)):
            raise UnknownCaseError(f"there is no case {printable(case_id)!r}")
        return rows[0]

    def cases(self, user: str | None = None, case_id: str | None = None) -> list[CaseRow]:
        """The cases that a user may open, or one of them; the one changed last first."""
        shared = "EXISTS (SELECT 1 FROM people WHERE people.case_id = id AND people.user = ?1)"
        chosen = f"(?1 IS NULL OR user = ?1 OR shared OR {shared}) AND (?2 IS NULL OR id = ?2)"
        counted = self.rows(
            f"""SELECT case_id, relevance AS what, count(*) AS number FROM current_marks
                WHERE case_id IN (SELECT id FROM cases WHERE {chosen}) GROUP BY 1, 2
                UNION ALL SELECT case_id, 'searches', count(*) FROM searches GROUP BY 1
                UNION ALL SELECT case_id, 'version', max(number) FROM versions GROUP BY 1""",  # noqa: S608
            user,
            case_id,
        )
        counts: dict[str, dict[str, int]] = {}
        for row in counted:
            counts.setdefault(row["case_id"], {})[row["what"]] = row["number"]
        people: dict[str, list[Person]] = {}
        for row in self.rows("SELECT case_id, user, may FROM people ORDER BY case_id, user"):
            people.setdefault(row["case_id"], []).append(Person(row["user"], row["may"]))
        question = f"SELECT * FROM cases WHERE {chosen} ORDER BY changed DESC, id"  # noqa: S608
        cases = []
        for row in self.rows(question, user, case_id):
            own = dict.fromkeys(("searches", *LEVELS, "version"), 0) | counts.get(row["id"], {})
            case = CaseRow(
                **{**fields_of(row), "topic": Topic(row["topic"]), "shared": bool(row["shared"])},
                version=own.pop("version"),
                counts=own,
                people=tuple(people.get(row["id"], ())),
            )
            cases.append(replace(case, right=_right_of(case, user)))
        return cases

    def places(self, case_id: str) -> tuple[str | None, str | None]:
        """Where the index and the calibration of a case are on this machine."""
        found = self.rows("SELECT index_place, calibration FROM places WHERE case_id = ?", case_id)
        return (found[0][0], found[0][1]) if found else (None, None)

    def put_places(self, case_id: str, index: str | None, calibration: str | None) -> None:
        """Note where the index and the calibration are, unless it is known; nothing is changed in vain."""
        if self.places(case_id) != (index, calibration):
            with self.change(case_id) as connection:
                values = (case_id, index, calibration)
                connection.execute("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", values)

    def change_case(self, case_id: str, user: str = "", seen: int | None = None, **values: Any) -> None:
        """Change the name, the notes, the topic or the chart of a case, or with whom it is shared.

        Args:
            case_id: The case.
            user: Who changes it.
            seen: The version that the user saw; None where that is certainly the current one.
            values: `name`, `notes`, `topic`, `chart`, `shared`, and `people`, a sequence of `Person`.
        """
        with self.change(case_id) as connection:
            kinds = {"people" if name == "shared" else name for name in values}
            case = self.case(case_id)
            current = {name: case.topic.record if name == "topic" else getattr(case, name) for name in values}
            for kind in sorted(kinds):
                self.require_seen(case_id, kind, "", seen, f"the {WORDS.get(kind, kind)} of the case", current, (kind,))
            for name, value in values.items():
                if name == "people":
                    connection.execute("DELETE FROM people WHERE case_id = ?", (case_id,))
                    rows = [(case_id, person.user, person.right) for person in value]
                    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
                    continue
                stored = to_json(value) if name in ("topic", "chart") else value
                connection.execute(f"UPDATE cases SET {name} = ? WHERE id = ?", (stored, case_id))  # noqa: S608
            for kind in sorted(kinds):
                note_change(connection, case_id, kind, "", user)

    def delete(self, case_id: str) -> None:
        with self.change() as connection:
            connection.execute("DELETE FROM cases WHERE id = ?", (case_id,))

    # The claim chart

    def cells(self, case_id: str) -> dict[tuple[int, str], str]:
        found = self.rows("SELECT feature, doc_id, text FROM cells WHERE case_id = ?", case_id)
        return {(row[0], row[1]): row[2] for row in found}

    def put_cell(
        self, case_id: str, feature: int, doc_id: str, text: str | None, user: str = "", seen: int | None = None
    ) -> None:
        """Set the text of a cell; None removes it."""
        with self.change(case_id) as connection:
            place, key = (case_id, feature, doc_id), f"{feature} {doc_id}"
            current = self.cells(case_id).get((feature, doc_id))
            self.require_seen(case_id, "cell", key, seen, "this cell of the chart", current, ("text",))
            connection.execute("DELETE FROM cells WHERE case_id = ? AND feature = ? AND doc_id = ?", place)
            if text is not None:
                connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?)", (*place, text))
            note_change(connection, case_id, "cell", key, user)

    # Whole cases, for export and import

    def dump(self, case_id: str) -> dict[str, list[list[Any]]]:
        """All rows of a case by table, in a fixed order, as they leave the store: without versions."""
        tables = {"cases": [list(row) for row in self.rows("SELECT * FROM cases WHERE id = ?", case_id)]}
        for table, key in KEYS.items():
            columns = f"case_id, event, {MARK_COLUMNS}" if table == "marks" else "*"
            rows = self.rows(f"SELECT {columns} FROM {table} WHERE case_id = ? ORDER BY {key}", case_id)  # noqa: S608
            tables[table] = [list(row) for row in rows]
        return tables

    def load(self, tables: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Add the rows of a case, whose marks get versions."""
        with self.change() as connection:
            for table in sorted(tables, key=lambda name: name != "cases"):
                for row in tables[table]:
                    if table == "marks":
                        insert_unversioned_mark(connection, row)
                        continue
                    places = ", ".join("?" * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608


def open_store(path: str | Path) -> CaseStore:
    """A store that exists."""
    source = printable(str(path), 200)
    if not Path(path).exists():
        raise InputError("there is no such file", source=source, remedy="`antecede review start` creates one")
    return CaseStore(path, create=False)


def find_case(store: CaseStore, name: str | None = None) -> CaseRow:
    """The case with this id, beginning of an id, or name; without one, the only case of the store."""
    rows = store.cases()
    if name is not None:
        rows = [row for row in rows if row.id == name] or [
            row for row in rows if row.name == name or (len(name) > 3 and row.id.startswith(name))
        ]
    if len(rows) == 1:
        return rows[0]
    where, named = store.source, "" if name is None else f" {printable(name)!r}"
    if not rows:
        raise UsageError(f"{where}: has no case{named}; `antecede review list` lists them")
    what = f"{where}: has {len(rows)} cases" if name is None else f"{named[1:]} is the name of {len(rows)} cases"
    raise UsageError(f"{what}; give the id of one: {', '.join(row.id for row in rows[:MOST_NAMED])}")


def _right_of(case: CaseRow, user: str | None) -> str:
    """What a user may do with a case; None is whoever has the file."""
    if user in (None, case.user):
        return OWN
    return WRITE if case.shared or any(person == Person(str(user), WRITE) for person in case.people) else READ
