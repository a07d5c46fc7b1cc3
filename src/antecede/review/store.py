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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, UsageError, shown
from antecede.files import cannot_write
from antecede.review.marks import LEVELS, WITHDRAWN, Mark, Marks, current_time
from antecede.review.schema import KEYS, MARK_COLUMNS, OBJECTS, SCHEMA, VERSION, find_difference, row_check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

APPLICATION = 0x616E7465
"""The application id in the header of a store: `ante`."""
BUSY_SECONDS = 30.0
READING = ("trusted_schema = OFF", "query_only = ON")
WRITING = ("trusted_schema = ON", "query_only = OFF")
"""How a connection is set before and while it changes the store."""
MOST_OBJECTS, MOST_STEPS = 100, 1_000_000
"""Tables, indexes and the like that are looked at, and instructions of SQLite until they are read."""
MOST_DRAFTS = 200
"""Steps of the history of a query that are kept."""
EMPTY_STATE: dict[str, Any] = {"settings": {}, "filters": {}, "terms": [], "phrases": []}
SETTINGS = (
    "method", "terms", "fields", "from_claim", "weights", "language", "ranking", "model", "ipc_boost", "cited",
    "fusion",
)  # fmt: skip
FILTERS = (
    "before", "after", "undated", "ipc", "cpc", "country", "applicant", "inventor", "document_language",
    "where", "sets",
)  # fmt: skip
"""The search settings and filters of the query of a case."""


UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises on a file that it cannot use; the latter where the name of a damaged table is in its message."""
SEE = "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)"
MOST_NAMED = 5
CASE_ID = r"^[0-9a-f]{16}$"


class UnknownCaseError(UsageError):
    """There is no such case, or it belongs to another user."""


class CaseConflictError(UsageError):
    """Another case with the same id is in the store."""


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

    @property
    def title(self) -> str:
        """Its name, else what it was made with."""
        return self.name or self.label


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
        if objects and version != VERSION:
            what = f"is a case store of version {version}; this program reads version {VERSION}"
            raise InputError(what, source=self.source, remedy="open it with the antecede that wrote it")
        if objects and (difference := find_difference(objects)):
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
            connection.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {header} COMMIT;")
            self._check_schema(connection)
        try:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.OperationalError:  # the checksum of a text that is none
            found = "a row cannot be read"
        if found != "ok":
            what = f"the case store is damaged ({shown(found, 100)})"
            raise StoreError(what, source=self.source, remedy="restore a copy")

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

    def case(self, case_id: str, user: str | None = None) -> CaseRow:
        """A case that a user may open; None is whoever has the file."""
        if not (rows := self.cases(user, case_id)):
            raise UnknownCaseError(f"there is no case {shown(case_id)!r}")
        return rows[0]

    def cases(self, user: str | None = None, case_id: str | None = None) -> list[CaseRow]:
        """The cases that a user may open, or one of them; the one changed last first."""
        chosen = "(?1 IS NULL OR user = ?1 OR shared) AND (?2 IS NULL OR id = ?2)"
        counted = self.rows(
            f"""SELECT case_id, relevance AS what, count(*) AS number FROM current_marks
                WHERE case_id IN (SELECT id FROM cases WHERE {chosen}) GROUP BY 1, 2
                UNION ALL SELECT case_id, 'searches', count(*) FROM searches GROUP BY 1""",  # noqa: S608
            user,
            case_id,
        )
        counts: dict[str, dict[str, int]] = {}
        for row in counted:
            counts.setdefault(row["case_id"], {})[row["what"]] = row["number"]
        question = f"SELECT * FROM cases WHERE {chosen} ORDER BY changed DESC, id"  # noqa: S608
        none = dict.fromkeys(("searches", *LEVELS), 0)
        rows = self.rows(question, user, case_id)
        return [
            CaseRow(**{**_fields_of(row), "shared": bool(row["shared"])}, counts=none | counts.get(row["id"], {}))
            for row in rows
        ]

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

    def change_case(self, case_id: str, **values: Any) -> None:
        """Change name, notes, shared, topic or chart of a case."""
        with self.change(case_id) as connection:
            for name, value in values.items():
                stored = to_json(value) if name in ("topic", "chart") else value
                connection.execute(f"UPDATE cases SET {name} = ? WHERE id = ?", (stored, case_id))  # noqa: S608
            _touch(connection, case_id)

    def delete(self, case_id: str) -> None:
        with self.change() as connection:
            connection.execute("DELETE FROM cases WHERE id = ?", (case_id,))

    # The history of the query

    def draft(self, case_id: str) -> tuple[dict[str, Any], int, int]:
        """The current state of the query, and how many steps can be undone and redone."""
        rows = self.rows(
            """SELECT state, drafts.position AS position, cases.position AS here
               FROM drafts JOIN cases ON id = case_id WHERE case_id = ? ORDER BY drafts.position""",
            case_id,
        )
        places = [row["position"] for row in rows]
        at = places.index(rows[0]["here"]) if rows else 0
        return from_json(rows[at]["state"]) if rows else EMPTY_STATE, at, len(rows) - at - 1

    def put_draft(self, case_id: str, state: Mapping[str, Any]) -> None:
        """Make a state the current one; what was undone is dropped. The same state again changes nothing."""
        with self.change(case_id) as connection:
            here, now = connection.execute(
                """SELECT cases.position, state FROM cases
                   LEFT JOIN drafts ON case_id = id AND drafts.position = cases.position WHERE id = ?""",
                (case_id,),
            ).fetchone()
            if now == to_json(state):
                return
            left = "DELETE FROM drafts WHERE case_id = ? AND (position > ? OR position <= ?)"
            connection.execute(left, (case_id, here, here + 1 - MOST_DRAFTS))
            connection.execute("INSERT INTO drafts VALUES (?, ?, ?)", (case_id, here + 1, to_json(state)))
            connection.execute("UPDATE cases SET position = ? WHERE id = ?", (here + 1, case_id))
            _touch(connection, case_id)

    def step_draft(self, case_id: str, step: int) -> bool:
        """Undo (−1) or redo (1) a step; False where there is none."""
        with self.change(case_id) as connection:
            moved = connection.execute(
                """UPDATE cases SET position = position + ?2, changed = ?3 WHERE id = ?1 AND EXISTS
                   (SELECT 1 FROM drafts WHERE case_id = ?1 AND drafts.position = cases.position + ?2)""",
                (case_id, step, current_time()),
            )
            return moved.rowcount > 0

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
        rows = self.rows(f"SELECT * FROM searches WHERE {condition}", *values)  # noqa: S608
        return [SearchRow(**_fields_of(row)) for row in rows]

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
            _touch(connection, case_id)
            return row

    def name_search(self, case_id: str, number: int, name: str) -> SearchRow:
        """Name a search, or take its name away with an empty one."""
        with self.change(case_id) as connection:
            values = (name, case_id, number)
            connection.execute("UPDATE searches SET name = ? WHERE case_id = ? AND number = ?", values)
            _touch(connection, case_id)
        return self.search(case_id, number)

    # Marks and seen documents

    def marks(self, case: CaseRow, known: Marks | None = None) -> Marks:
        """The marks of a case; with those known before, what was added since is added to them."""
        marks = known if known is not None else Marks(case.topic_id)
        question = f"SELECT {MARK_COLUMNS} FROM marks WHERE case_id = ? AND event > ? ORDER BY event"  # noqa: S608
        for row in self.rows(question, case.id, len(marks)):
            marks.add(_mark_row(row))
        return marks

    def mark(self, case_id: str, doc_id: str) -> Mark | None:
        question = f"SELECT {MARK_COLUMNS} FROM current_marks WHERE case_id = ? AND doc_id = ?"  # noqa: S608
        rows = self.rows(question, case_id, doc_id)
        return _mark_row(rows[0]) if rows else None

    def put_marks(self, case_id: str, marks: Sequence[Mark]) -> None:
        """Mark documents, all or none; they also count as seen. When this returns, the marks are on disk."""
        with self.change(case_id) as connection:
            for mark in marks:
                _insert_mark(connection, case_id, mark)
            _touch(connection, case_id)

    def remove_mark(self, case_id: str, doc_id: str, user: str) -> bool:
        """Withdraw a mark; False where there is none."""
        with self.change(case_id) as connection:
            if self.mark(case_id, doc_id) is None:
                return False
            _insert_mark(connection, case_id, Mark(doc_id, WITHDRAWN, user=user, time=current_time()))
            _touch(connection, case_id)
            return True

    def see(self, case_id: str, doc_id: str, user: str, search: int | None, rank: int | None) -> None:
        with self.change(case_id) as connection:
            connection.execute(SEE, (case_id, doc_id, user, current_time(), search, rank))

    def seen(self, case_id: str) -> list[str]:
        return [row[0] for row in self.rows("SELECT doc_id FROM seen WHERE case_id = ? ORDER BY time, rowid", case_id)]

    # The claim chart

    def cells(self, case_id: str) -> dict[tuple[int, str], str]:
        found = self.rows("SELECT feature, doc_id, text FROM cells WHERE case_id = ?", case_id)
        return {(row[0], row[1]): row[2] for row in found}

    def put_cell(self, case_id: str, feature: int, doc_id: str, text: str | None) -> None:
        """Set the text of a cell; None removes it."""
        with self.change(case_id) as connection:
            place = (case_id, feature, doc_id)
            connection.execute("DELETE FROM cells WHERE case_id = ? AND feature = ? AND doc_id = ?", place)
            if text is not None:
                connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?)", (*place, text))
            _touch(connection, case_id)

    # Whole cases, for export and import

    def dump(self, case_id: str) -> dict[str, list[list[Any]]]:
        """All rows of a case by table, in a fixed order."""
        tables = {"cases": [list(row) for row in self.rows("SELECT * FROM cases WHERE id = ?", case_id)]}
        for table, key in KEYS.items():
            rows = self.rows(f"SELECT * FROM {table} WHERE case_id = ? ORDER BY {key}", case_id)  # noqa: S608
            tables[table] = [list(row) for row in rows]
        return tables

    def load(self, tables: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        with self.change() as connection:
            for table in sorted(tables, key=lambda name: name != "cases"):
                for row in tables[table]:
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


JSON_COLUMNS = {"topic", "chart", "plan", "state", "settings", "facts", "ranking"}


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


def _insert_search(connection: sqlite3.Connection, case_id: str, row: SearchRow) -> None:
    given = (getattr(row, each.name) for each in fields(SearchRow))
    values = [value if isinstance(value, str | int) else to_json(value) for value in given]
    connection.execute(f"INSERT INTO searches VALUES (?{', ?' * len(values)})", (case_id, *values))  # noqa: S608


def _insert_mark(connection: sqlite3.Connection, case_id: str, mark: Mark) -> None:
    values = [getattr(mark, each.name) for each in fields(Mark)]
    connection.execute(
        f"""INSERT INTO marks SELECT ?, coalesce(max(event), 0) + 1{", ?" * len(values)}
            FROM marks WHERE case_id = ?""",  # noqa: S608
        (case_id, *values, case_id),
    )
    connection.execute(SEE, (case_id, mark.doc_id, mark.user, mark.time, mark.search, mark.rank))


def _touch(connection: sqlite3.Connection, case_id: str) -> None:
    connection.execute("UPDATE cases SET changed = ? WHERE id = ?", (current_time(), case_id))


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
