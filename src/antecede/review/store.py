"""The case store: one SQLite file with one case or many, which the terminal and the page open, at once if need be.

Each change is one transaction, on disk before it is confirmed. Any number of threads and processes may use a store;
each thread has a connection of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache, partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from antecede.conditions.fields import SETTINGS as FACTS
from antecede.errors import AntecedeError, InputError, UsageError, shown
from antecede.files import cannot_write
from antecede.review.marks import LEVELS, MARK_FIELDS, WITHDRAWN, Mark, Marks, current_time
from antecede.review.schema import (
    ADDED,
    KEYS,
    MARK_COLUMNS,
    OBJECTS,
    OLDEST,
    SCHEMAS,
    VERSION,
    find_difference,
    row_check,
)

APPLICATION = 0x616E7465
"""The application id in the header of a store: `ante`."""
BUSY_SECONDS = 30.0
READING = ("trusted_schema = OFF", "query_only = ON")
WRITING = ("trusted_schema = ON", "query_only = OFF")
"""How a connection is set before and while it changes the store."""
MOST_OBJECTS, MOST_STEPS = 100, 1_000_000
"""Tables, indexes and the like that are looked at, and instructions of SQLite until they are read."""
DEPTH = 10_000
"""Documents of a search that can be read, at most, unless specified otherwise."""
RANKINGS = 64
"""Rankings that are kept in memory."""
MOST_DRAFTS = 200
"""Steps of the history of a query that are kept."""
EMPTY_STATE: dict[str, Any] = {"settings": {}, "filters": {}, "terms": [], "phrases": []}
SETTINGS = (
    "method", "terms", "fields", "from_claim", "weights", "language", "ranking", "model", "ipc_boost", "cited",
    "fusion",
)  # fmt: skip
FILTERS = (
    "before", "after", "undated", *FACTS, "where", "sets",
)  # fmt: skip
"""The search settings and filters of the query of a case."""


UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises on a file that it cannot use; the latter where the name of a damaged table is in its message."""
READ_MARK = f"{MARK_COLUMNS}, version"
PROVENANCE = {"search", "rank", "query", "title"}
"""What a mark says of how its document was found."""
WORDS = {"people": "sharing"}
SEE = "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)"
MOST_NAMED = 5
OWN, WRITE, READ = "own", "write", "read"
CASE_ID = r"^[0-9a-f]{16}$"


class UnknownCaseError(UsageError):
    """There is no such case, or it belongs to another user."""


class CaseConflictError(UsageError):
    """Another case with the same id is in the store."""


class ReadOnlyError(UsageError):
    """A user changes a case that is shared with them to be read."""


@dataclass(frozen=True)
class Change:
    """The last change of a record: what `kind` of record, which one of that kind, and who changed it when."""

    version: int = 0
    """Its number in the store; 0 of a record that has not changed since its case was made."""
    kind: str = ""
    """`mark`, `name`, `notes`, `topic`, `people`, `query`, `search`, `chart` or `cell`."""
    key: str = ""
    """The document of a mark, the number of a search, feature and document of a cell."""
    user: str = ""
    time: str = ""


class ChangedMeanwhileError(UsageError):
    """A change was made on an old version of a record.

    `change` is what was done to it meanwhile, `current` the record as it is now (None where it is gone), and `fields`
    those of its fields that have changed since.
    """

    def __init__(self, what: str, change: Change, current: Any, fields: Sequence[str]) -> None:
        who = f" by {shown(change.user)}" if change.user else ""
        super().__init__(f"{what} was changed{who} at {change.time[11:16]} (UTC); nothing was overwritten")
        self.change, self.current, self.fields = change, current, tuple(fields)


@dataclass(frozen=True)
class MarkChange:
    """What a change did to the mark of a document."""

    doc_id: str
    mark: Mark | None
    """The mark as it is now; None where it was taken back."""
    version: int
    before: int
    """The version that the mark had before; 0 where there was none. `CaseStore.restore_mark` goes back to it."""


@dataclass(frozen=True)
class Draft:
    """The query of a case as it is now, and how many steps can be undone and redone."""

    state: dict[str, Any]
    undo: int
    redo: int
    version: int


@dataclass(frozen=True)
class Person:
    """A user with whom a case is shared."""

    user: str
    right: str
    """`read` or `write`."""


class StoreError(InputError):
    """The file of a case store cannot be read or written: the disk is full, or the file is damaged."""


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
    topic: dict[str, Any]
    notes: str
    chart: dict[str, Any]
    position: int
    plan: dict[str, Any]
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
        return "_".join(str(self.plan.get("topic_id") or self.topic["doc_id"]).split()) or self.id


@dataclass(frozen=True)
class SearchRow:
    """A search of a case."""

    number: int
    kind: str
    label: str
    time: str
    user: str
    key: str
    """What the result depends on: topic, query, marks and index; the same key means the same result."""
    state: dict[str, Any]
    settings: dict[str, Any]
    index_state: str
    facts: dict[str, Any]
    """Notes, counts, query terms: what is shown with the results."""
    ranking: Sequence[Sequence[Any]]
    """Documents and scores, best first; None of a document that the ranking does not score."""
    name: str = ""
    """What the user calls it; empty where nobody has named it."""
    version: int = 0
    """The number of the change that it was made or named by."""

    @property
    def title(self) -> str:
        """Its name, else what it was made with."""
        return self.name or self.label


class StoredRanking(Sequence[Sequence[Any]]):
    """The ranking of a search, which is read when it is first looked at: most of the time its length suffices."""

    def __init__(self, size: int, read: Callable[[], list[list[Any]]]) -> None:
        self._size, self._read = size, read

    @cached_property
    def _rows(self) -> list[list[Any]]:
        return self._read()

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]

    def __iter__(self) -> Iterator[list[Any]]:
        return iter(self._rows)


class CaseStore:
    """A store of cases.

    Args:
        path: The SQLite file; it is created if it does not exist. `:memory:` is a store for one thread without a file.
        create: Whether the tables are made where the file is empty.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path, self.source = Path(path), shown(str(path), 200)
        self.mine = threading.local()
        self.opened: list[sqlite3.Connection] = []
        self.lock = threading.Lock()
        self._rankings = lru_cache(maxsize=RANKINGS)(self._read_ranking)
        """The rankings of searches, which never change; their keys tell those of cases that were deleted apart."""
        try:
            if self.path.is_dir():
                raise InputError("is a folder, not a case store", source=self.source, remedy="name a file")
            if str(path) != ":memory:" and not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite would let everybody read it
            connection = self.connection()
            with self._writing(connection):
                self._prepare(connection, create=create)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        except AntecedeError:
            self.close()
            raise
        except UNUSABLE as error:
            self.close()
            closed = not os.access(self.path.absolute().parent, os.W_OK)  # SQLite needs files beside it
            remedy = "copy it to a folder that can be written to" if closed else None
            what = f"cannot be opened as a case store ({error})"
            raise InputError(what, source=self.source, remedy=remedy) from None

    # Connections

    def connection(self) -> sqlite3.Connection:
        """This thread's own connection, on a file whose schema is that of a store."""
        known: sqlite3.Connection | None = getattr(self.mine, "connection", None)
        if known is not None:
            if known.in_transaction or _schema_version(known) == self.mine.schema_version:
                return known
            self._forget(known)  # another program changed the schema, which is to be looked at again
        made = sqlite3.connect(self.path, BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            made.row_factory = sqlite3.Row
            made.set_progress_handler(lambda: True, MOST_STEPS)  # the schema of a damaged file may have no end
            for setting in ("foreign_keys = ON", "synchronous = FULL", *READING):
                made.execute(f"PRAGMA {setting}")
            self._check_schema(made)
            made.set_progress_handler(None, 0)
            # From now on SQLite refuses to read the schema again, as it would where somebody changes it meanwhile,
            # except in a change, which looks at it again.
            made.create_function("row_check", -1, row_check, deterministic=True)
        except BaseException:
            made.close()
            raise
        self.mine.connection = made
        with self.lock:
            self.opened.append(made)
        return made

    def _forget(self, connection: sqlite3.Connection) -> None:
        """Close this thread's connection."""
        del self.mine.connection
        with self.lock:
            if connection in self.opened:
                self.opened.remove(connection)
        connection.close()

    def _check_schema(self, connection: sqlite3.Connection) -> None:
        """Refuse a file that is not a store, one of another version, and one with anything else in it.

        A trigger or a view that somebody added would change or hide marks, or never end.
        """
        schema_version = _schema_version(connection)  # before: what changes meanwhile is then seen
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        objects = connection.execute(OBJECTS).fetchmany(MOST_OBJECTS)
        if (objects and application != APPLICATION) or (version and not objects):
            raise InputError("is an SQLite file, but not a case store", source=self.source, remedy="name another")
        if objects and version not in SCHEMAS:
            what = f"is a case store of version {version}; this program reads version {VERSION}"
            raise InputError(what, source=self.source, remedy="open it with the antecede that wrote it")
        if objects and (difference := find_difference(objects, version)):
            what = f"the case store was altered by another program ({difference})"
            raise StoreError(what, source=self.source, remedy="restore a copy")
        self.mine.schema_version = schema_version

    @contextmanager
    def _writing(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Let a connection write, for which SQLite must trust the schema: the indexes of checksums call a function."""
        for setting in WRITING:
            connection.execute(f"PRAGMA {setting}")
        try:
            yield
        finally:
            for setting in READING:
                connection.execute(f"PRAGMA {setting}")

    def _prepare(self, connection: sqlite3.Connection, *, create: bool) -> None:
        """Create the tables in a new file; refuse a store in which anything is not as it was written."""
        connection.execute("PRAGMA journal_mode = WAL")
        if not connection.execute(OBJECTS).fetchone():
            if not create:  # what a server writes is in a file beside it until there is enough of it
                remedy = "copy the file ending in -wal with it, or stop the server first"
                raise InputError("holds no case store", source=self.source, remedy=remedy)
            header = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
            connection.executescript(f"BEGIN IMMEDIATE; {''.join(SCHEMAS[VERSION].values())} {header} COMMIT;")
            self._check_schema(connection)
        try:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.OperationalError:  # the checksum of a text that is none
            found = "a row cannot be read"
        if found != "ok":
            what = f"the case store is damaged ({shown(found, 100)})"
            raise StoreError(what, source=self.source, remedy="restore a copy")
        if connection.execute("PRAGMA user_version").fetchone()[0] == OLDEST:
            self._migrate(connection)

    def _migrate(self, connection: sqlite3.Connection) -> None:
        """Give the records of a store of version 4 versions, and its cases people; all or nothing."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            if connection.execute("PRAGMA user_version").fetchone()[0] == OLDEST:  # no other process was faster
                for name in ("VIEW current_marks", "INDEX marks_check", "INDEX marks_by_document"):
                    connection.execute(f"DROP {name}")
                connection.execute("ALTER TABLE marks RENAME TO old_marks")
                for name in (*ADDED, "marks", "current_marks"):
                    for statement in SCHEMAS[VERSION][name].split(";\n"):
                        connection.execute(statement)
                marks = f"SELECT case_id, event, {MARK_COLUMNS} FROM old_marks ORDER BY case_id, event"  # noqa: S608
                for row in connection.execute(marks).fetchall():
                    _insert_old_mark(connection, row)
                connection.execute("DROP TABLE old_marks")
                connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        self._check_schema(connection)

    def close(self) -> None:
        with self.lock:
            for connection in self.opened:
                with suppress(sqlite3.Error):
                    connection.close()
            self.opened.clear()
        self.mine = threading.local()

    @contextmanager
    def change(self, case_id: str | None = None) -> Iterator[sqlite3.Connection]:
        """A transaction: everything in the block is on disk after it, or nothing is.

        Args:
            case_id: The case that is changed; it may have been deleted meanwhile.
        """
        with self.explained():
            connection = self.connection()
            with self._writing(connection):
                connection.execute("BEGIN IMMEDIATE")
                try:
                    if _schema_version(connection) != self.mine.schema_version:
                        self._check_schema(connection)
                    if case_id is not None and not self.rows("SELECT 1 FROM cases WHERE id = ?", case_id):
                        raise UnknownCaseError(f"there is no case {shown(case_id)!r}")
                    yield connection
                    connection.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        connection.execute("ROLLBACK")
                    raise

    def rows(self, question: str, *values: Any) -> list[sqlite3.Row]:
        with self.explained():
            return self.connection().execute(question, values).fetchall()

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say in one line what is wrong with the file."""
        try:
            yield
        except UNUSABLE as error:
            what = f"the case store cannot be used ({shown(str(error), 200)}); nothing was changed"
            remedy = "free some space" if "full" in str(error) else "check the disk and the file"
            raise StoreError(what, source=self.source, remedy=remedy) from None
        except UnicodeEncodeError as error:  # as a shell gives bytes that are none
            raise UsageError(f"{shown(error.object, 100)!r} is not text in UTF-8; nothing was changed") from None

    def data_version(self) -> int:
        """A number that changes when anybody else commits a change to the store."""
        return int(self.rows("PRAGMA data_version")[0][0])

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
                _insert_search(connection, case_id, SearchRow(number=1, time=now, **search))
        return case_id

    def distinct_topic(self, topic_id: str) -> str:
        """A name of a topic that no case of the store has: as it is given, else with a number after it."""
        known = {row.topic_id for row in self.cases()}
        names = (f"{topic_id}-{number}" if number > 1 else topic_id for number in count(1))
        return next(name for name in names if name not in known)

    def case(self, case_id: str, user: str | None = None) -> CaseRow:
        """A case that a user may open; None is whoever has the file."""
        if not (rows := self.cases(user, case_id)):
            raise UnknownCaseError(f"there is no case {shown(case_id)!r}")
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
                **{**_fields_of(row), "shared": bool(row["shared"])},
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
            current = {name: getattr(self.case(case_id), name) for name in values}
            for kind in sorted(kinds):
                self._require_seen(
                    case_id, kind, "", seen, f"the {WORDS.get(kind, kind)} of the case", current, (kind,)
                )
            for name, value in values.items():
                if name == "people":
                    connection.execute("DELETE FROM people WHERE case_id = ?", (case_id,))
                    rows = [(case_id, person.user, person.right) for person in value]
                    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
                    continue
                stored = to_json(value) if name in ("topic", "chart") else value
                connection.execute(f"UPDATE cases SET {name} = ? WHERE id = ?", (stored, case_id))  # noqa: S608
            for kind in sorted(kinds):
                _note(connection, case_id, kind, "", user)

    def delete(self, case_id: str) -> None:
        with self.change() as connection:
            connection.execute("DELETE FROM cases WHERE id = ?", (case_id,))

    # Versions

    def last_change(self, case_id: str, kind: str, key: str = "") -> Change:
        """The last change of a record."""
        return next(iter(self._changes("case_id = ? AND kind = ? AND key = ?", case_id, kind, key)), Change())

    def changes(self, case_id: str, after: int = 0) -> list[Change]:
        """The last change of each record of a case that has changed after a version, in order."""
        return self._changes("case_id = ? AND number > ? ORDER BY number", case_id, after)

    def _changes(self, condition: str, *values: Any) -> list[Change]:
        question = f"SELECT number, kind, key, user, time FROM versions WHERE {condition}"  # noqa: S608
        return [Change(*row) for row in self.rows(question, *values)]

    def _require_seen(
        self, case_id: str, kind: str, key: str, seen: int | None, what: str, current: Any, fields: Sequence[str]
    ) -> None:
        """Refuse a change of a record by somebody who has not seen its last change."""
        if seen is None:
            return
        change = self.last_change(case_id, kind, key)
        if change.version > seen:
            raise ChangedMeanwhileError(what, change, current, fields)
        latest = self.rows("SELECT coalesce(max(seq), 0) FROM sqlite_sequence")[0][0]
        if seen > latest:  # the page was loaded from a store that has been replaced by an older copy
            raise UsageError(f"this store has no version {seen}; load the page again")

    # The history of the query

    def draft(self, case_id: str) -> Draft:
        """The current state of the query."""
        rows = self.rows(
            """SELECT state, drafts.position AS position, cases.position AS here
               FROM drafts JOIN cases ON id = case_id WHERE case_id = ? ORDER BY drafts.position""",
            case_id,
        )
        places = [row["position"] for row in rows]
        at = places.index(rows[0]["here"]) if rows else 0
        state = from_json(rows[at]["state"]) if rows else EMPTY_STATE
        return Draft(state, at, max(len(rows) - at - 1, 0), self.last_change(case_id, "query").version)

    def put_draft(self, case_id: str, state: Mapping[str, Any], user: str = "", seen: int | None = None) -> None:
        """Make a state the current one; what was undone is dropped. The same state again changes nothing."""
        with self.change(case_id) as connection:
            here, now = connection.execute(
                """SELECT cases.position, state FROM cases
                   LEFT JOIN drafts ON case_id = id AND drafts.position = cases.position WHERE id = ?""",
                (case_id,),
            ).fetchone()
            if now == to_json(state):
                return
            self._require_draft(case_id, seen)
            left = "DELETE FROM drafts WHERE case_id = ? AND (position > ? OR position <= ?)"
            connection.execute(left, (case_id, here, here + 1 - MOST_DRAFTS))
            connection.execute("INSERT INTO drafts VALUES (?, ?, ?)", (case_id, here + 1, to_json(state)))
            connection.execute("UPDATE cases SET position = ? WHERE id = ?", (here + 1, case_id))
            _note(connection, case_id, "query", "", user)

    def step_draft(self, case_id: str, step: int, user: str = "", seen: int | None = None) -> bool:
        """Undo (−1) or redo (1) a step; False where there is none."""
        with self.change(case_id) as connection:
            self._require_draft(case_id, seen)
            moved = connection.execute(
                """UPDATE cases SET position = position + ?2 WHERE id = ?1 AND EXISTS
                   (SELECT 1 FROM drafts WHERE case_id = ?1 AND drafts.position = cases.position + ?2)""",
                (case_id, step),
            )
            if moved.rowcount:
                _note(connection, case_id, "query", "", user)
            return moved.rowcount > 0

    def _require_draft(self, case_id: str, seen: int | None) -> None:
        self._require_seen(case_id, "query", "", seen, "the query", self.draft(case_id), ("state",))

    # Searches

    def searches(self, case_id: str) -> list[SearchRow]:
        return self._searches("case_id = ? ORDER BY number", case_id)

    def search(self, case_id: str, number: int) -> SearchRow:
        if not (rows := self._searches("case_id = ? AND number = ?", case_id, number)):
            raise UnknownCaseError(f"the case has no search {number}")
        return rows[0]

    def search_by_key(self, case_id: str, key: str) -> SearchRow | None:
        """The search with the same topic, query, marks and index, if there is one."""
        return next(iter(self._searches("case_id = ? AND key = ? ORDER BY number DESC LIMIT 1", case_id, key)), None)

    def _searches(self, condition: str, *values: Any) -> list[SearchRow]:
        version = "(SELECT number FROM versions WHERE case_id = s.case_id AND kind = 'search' AND key = s.number)"
        size = "json_array_length(ranking) AS ranking"
        rows = self.rows(
            f"SELECT {SEARCH_COLUMNS}, {size}, coalesce({version}, 0) AS version FROM searches AS s WHERE {condition}",  # noqa: S608
            *values,
        )
        return [
            SearchRow(
                **{
                    **_fields_of(row),
                    "ranking": StoredRanking(
                        row["ranking"], partial(self._rankings, row["case_id"], row["number"], row["key"])
                    ),
                }
            )
            for row in rows
        ]

    def _read_ranking(self, case_id: str, number: int, _: str) -> list[list[Any]]:
        rows = self.rows("SELECT ranking FROM searches WHERE case_id = ? AND number = ?", case_id, number)
        ranking: list[list[Any]] = from_json(rows[0][0]) if rows else []
        return ranking

    def add_search(self, case_id: str, values: Mapping[str, Any]) -> SearchRow:
        """Add a search; returns it with its number. One with the same key, added meanwhile, is returned instead."""
        with self.change(case_id) as connection:
            same = self.search_by_key(case_id, values["key"])
            if same is not None:
                return same
            number = connection.execute(
                "SELECT coalesce(max(number), 0) + 1 FROM searches WHERE case_id = ?", (case_id,)
            ).fetchone()[0]
            row = SearchRow(number=number, time=current_time(), **values)
            _insert_search(connection, case_id, row)
            return replace(row, version=_note(connection, case_id, "search", str(number), row.user))

    def name_search(self, case_id: str, number: int, name: str, user: str = "", seen: int | None = None) -> SearchRow:
        """Name a search, or take its name away with an empty one."""
        with self.change(case_id) as connection:
            search = self.search(case_id, number)
            self._require_seen(case_id, "search", str(number), seen, f"the name of search {number}", search, ("name",))
            values = (name, case_id, number)
            connection.execute("UPDATE searches SET name = ? WHERE case_id = ? AND number = ?", values)
            _note(connection, case_id, "search", str(number), user)
        return self.search(case_id, number)

    # Marks and seen documents

    def marks(self, case: CaseRow, known: Marks | None = None) -> Marks:
        """The marks of a case; with those known before, what was added since is added to them."""
        marks = known if known is not None else Marks(case.topic_id)
        question = f"SELECT {READ_MARK} FROM marks WHERE case_id = ? AND event > ? ORDER BY event"  # noqa: S608
        for row in self.rows(question, case.id, len(marks)):
            marks.add(_mark_row(row))
        return marks

    def mark(self, case_id: str, doc_id: str) -> Mark | None:
        question = f"SELECT {READ_MARK} FROM current_marks WHERE case_id = ? AND doc_id = ?"  # noqa: S608
        rows = self.rows(question, case_id, doc_id)
        return _mark_row(rows[0]) if rows else None

    def _mark_at(self, case_id: str, doc_id: str, version: int) -> Mark | None:
        """The mark of a document as it was at a version; None where it had none."""
        question = f"""SELECT {READ_MARK} FROM marks WHERE case_id = ? AND doc_id = ? AND version <= ?
            ORDER BY event DESC LIMIT 1"""  # noqa: S608
        rows = self.rows(question, case_id, doc_id, version)
        mark = _mark_row(rows[0]) if rows else None
        return mark if mark is not None and mark.relevance != WITHDRAWN else None

    def put_marks(self, case_id: str, marks: Sequence[Mark]) -> None:
        """Mark documents, all or none; they also count as seen. When this returns, the marks are on disk."""
        with self.change(case_id) as connection:
            for mark in marks:
                _insert_mark(connection, case_id, mark, mark.user)

    def change_mark(self, case_id: str, doc_id: str, user: str, seen: int | None = None, **values: Any) -> MarkChange:
        """Change some fields of the mark of a document, or mark it; the others stay as they are.

        Args:
            case_id: The case.
            doc_id: The document.
            user: Who changes it.
            seen: The version of the mark that the user saw, 0 for none; None where that is certainly the current one.
            values: Fields of `Mark`.
        """

        def change(before: Mark | None) -> Mark:
            if before is None:
                if "relevance" not in values:
                    raise UsageError(f"{shown(doc_id)} has no mark; mark it as relevant, maybe or not first")
                return Mark(doc_id, **values, user=user, time=current_time())
            changed = {name: value for name, value in values.items() if getattr(before, name) != value}
            if not changed.keys() - PROVENANCE:  # the same again: who found it first, and how, stays
                return before
            if "relevance" in changed and "grade" not in values:
                changed["grade"] = None
            return replace(before, **changed, user=user, time=current_time())

        return self._replace_mark(case_id, doc_id, user, seen, change)

    def remove_mark(self, case_id: str, doc_id: str, user: str, seen: int | None = None) -> MarkChange:
        """Take a mark back."""

        def withdraw(before: Mark | None) -> Mark:
            if before is None:
                raise UsageError(f"document {shown(doc_id)} has no mark")
            return Mark(doc_id, WITHDRAWN, user=user, time=current_time())

        return self._replace_mark(case_id, doc_id, user, seen, withdraw)

    def restore_mark(self, case_id: str, doc_id: str, to: int, user: str, seen: int | None = None) -> MarkChange:
        """The mark of a document as it was at a version, with the search and the rank that it was found by."""

        def restore(before: Mark | None) -> Mark | None:
            return self._mark_at(case_id, doc_id, to) or (
                Mark(doc_id, WITHDRAWN, user=user, time=current_time()) if before is not None else None
            )

        return self._replace_mark(case_id, doc_id, user, seen, restore)

    def _replace_mark(
        self, case_id: str, doc_id: str, user: str, seen: int | None, change: Callable[[Mark | None], Mark | None]
    ) -> MarkChange:
        """Replace the mark of a document by what a function makes of it, unless the user has not seen it."""
        with self.change(case_id) as connection:
            before = self.mark(case_id, doc_id)
            known = self._mark_at(case_id, doc_id, seen) if seen is not None else before
            names = [name for name in MARK_FIELDS if getattr(before, name, None) != getattr(known, name, None)]
            self._require_seen(case_id, "mark", doc_id, seen, f"the mark of {shown(doc_id)}", before, names)
            after = change(before)
            version = before.version if before is not None else self.last_change(case_id, "mark", doc_id).version
            if after is not None and after != before:
                version = _insert_mark(connection, case_id, after, user)
                after = replace(after, version=version)
            held = after if after is not None and after.relevance != WITHDRAWN else None
            return MarkChange(doc_id, held, version, before.version if before is not None else 0)

    def see(self, case_id: str, doc_id: str, user: str, search: int | None, rank: int | None) -> None:
        with self.change(case_id) as connection:
            connection.execute(SEE, (case_id, doc_id, user, current_time(), search, rank))

    def seen(self, case_id: str) -> list[str]:
        return [row[0] for row in self.rows("SELECT doc_id FROM seen WHERE case_id = ? ORDER BY time, rowid", case_id)]

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
            self._require_seen(case_id, "cell", key, seen, "this cell of the chart", current, ("text",))
            connection.execute("DELETE FROM cells WHERE case_id = ? AND feature = ? AND doc_id = ?", place)
            if text is not None:
                connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?)", (*place, text))
            _note(connection, case_id, "cell", key, user)

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
                        _insert_old_mark(connection, row)
                        continue
                    places = ", ".join("?" * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({places})", row)  # noqa: S608


def open_store(path: str | Path) -> CaseStore:
    """A store that exists."""
    source = shown(str(path), 200)
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
    where, named = store.source, "" if name is None else f" {shown(name)!r}"
    if not rows:
        raise UsageError(f"{where}: has no case{named}; `antecede review list` lists them")
    what = f"{where}: has {len(rows)} cases" if name is None else f"{named[1:]} is the name of {len(rows)} cases"
    raise UsageError(f"{what}; give the id of one: {', '.join(row.id for row in rows[:MOST_NAMED])}")


JSON_COLUMNS = {"topic", "chart", "plan", "state", "settings", "facts"}
SEARCH_COLUMNS = "case_id, number, kind, label, time, user, key, state, settings, index_state, facts, name"


def _schema_version(connection: sqlite3.Connection) -> int:
    """A number that SQLite increases with each change of the schema."""
    version: int = connection.execute("PRAGMA schema_version").fetchone()[0]
    return version


def _fields_of(row: sqlite3.Row) -> dict[str, Any]:
    """The columns of a row by name, without the case that it belongs to."""
    columns = {name: value for name, value in dict(row).items() if name != "case_id"}
    return {name: from_json(value) if name in JSON_COLUMNS else value for name, value in columns.items()}


def _mark_row(row: sqlite3.Row) -> Mark:
    try:
        return Mark(*row)
    except AntecedeError as error:
        raise StoreError(f"the case store is damaged: {error}", remedy="restore a copy") from None


def _right_of(case: CaseRow, user: str | None) -> str:
    """What a user may do with a case; None is whoever has the file."""
    if user in (None, case.user):
        return OWN
    return WRITE if case.shared or any(person == Person(str(user), WRITE) for person in case.people) else READ


def _insert_search(connection: sqlite3.Connection, case_id: str, row: SearchRow) -> None:
    given = (getattr(row, each.name) for each in fields(SearchRow) if each.name != "version")
    values = [value if isinstance(value, str | int) else to_json(value) for value in given]
    connection.execute(f"INSERT INTO searches VALUES (?{', ?' * len(values)})", (case_id, *values))  # noqa: S608


def _insert_mark(connection: sqlite3.Connection, case_id: str, mark: Mark, user: str) -> int:
    """Add a mark to the log of a case; returns the version of the change."""
    version = _note(connection, case_id, "mark", mark.doc_id, user)
    values = [*(getattr(mark, name) for name in MARK_FIELDS), version]
    connection.execute(
        f"""INSERT INTO marks SELECT ?, coalesce(max(event), 0) + 1{", ?" * len(values)}
            FROM marks WHERE case_id = ?""",  # noqa: S608
        (case_id, *values, case_id),
    )
    connection.execute(SEE, (case_id, mark.doc_id, mark.user, mark.time, mark.search, mark.rank))
    return version


def _insert_old_mark(connection: sqlite3.Connection, row: Sequence[Any]) -> None:
    """Add a row of a log that has no versions: `case_id`, `event` and the fields of a mark."""
    mark = dict(zip(MARK_FIELDS, row[2:], strict=True))
    values = (*row, _put_version(connection, row[0], "mark", mark["doc_id"], mark["user"], mark["time"]))
    connection.execute(f"INSERT INTO marks VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608


def _note(connection: sqlite3.Connection, case_id: str, kind: str, key: str, user: str) -> int:
    """Note that a record has changed; returns its new version."""
    now = current_time()
    connection.execute("UPDATE cases SET changed = ? WHERE id = ?", (now, case_id))
    return _put_version(connection, case_id, kind, key, user, now)


def _put_version(connection: sqlite3.Connection, *change: str) -> int:
    put = "INSERT OR REPLACE INTO versions (case_id, kind, key, user, time) VALUES (?, ?, ?, ?, ?)"
    return connection.execute(put, change).lastrowid or 0


def to_json(value: Any) -> str:
    """A value as JSON, always in the same way."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Any:
    """A value from JSON that the store has."""
    try:
        return json.loads(text)
    except ValueError:
        raise StoreError("the case store is damaged: a value in it is not JSON", remedy="restore a copy") from None


def digest_of(*parts: Any) -> str:
    """A digest of JSON-compatible values."""
    return sha256(to_json(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
