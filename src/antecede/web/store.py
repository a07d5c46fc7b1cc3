"""The case store: one SQLite file. Each change is one transaction, on disk before it is confirmed.

Any number of threads and processes may use a store; each thread has a connection of its own.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import threading
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, UsageError, shown
from antecede.files import cannot_write
from antecede.web.migrations import CHILDREN, MIGRATIONS, row_check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

APPLICATION = 0x616E7465
"""The application id in the header of a store: `ante`."""
BUSY_SECONDS = 30.0
MOST_DRAFTS = 200
"""Steps of the history of a query that are kept."""
EMPTY_STATE: dict[str, Any] = {"settings": {}, "filters": {}, "terms": [], "phrases": []}


UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises on a file that it cannot use; the latter where the name of a damaged table is in its message."""
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


@dataclass(frozen=True)
class CaseCounts:
    """What a list of cases shows of one."""

    row: CaseRow
    searches: int
    relevant: int
    maybe: int
    irrelevant: int


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
    ranking: list[tuple[str, float]]
    """Documents and scores, best first."""


@dataclass(frozen=True)
class MarkRow:
    """The judgement of a document."""

    doc_id: str
    relevance: str
    category: str | None
    claims: str
    note: str
    user: str
    time: str
    search: int | None
    rank: int | None
    title: str

    def to_dict(self) -> dict[str, Any]:
        """The mark in a JSON-compatible form."""
        return dict(self.__dict__)


MARK_COLUMNS = tuple(each.name for each in fields(MarkRow))


class CaseStore:
    """A store of cases.

    Args:
        path: The SQLite file; it is created if it does not exist. `:memory:` is a store for one thread without a file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self.in_memory = Path(path), str(path) == ":memory:"
        self.mine = threading.local()
        self.opened: list[sqlite3.Connection] = []
        self.lock = threading.Lock()
        try:
            if not self.in_memory and not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))  # SQLite would let everybody read it
            self.migrate()
            self.verify()
        except OSError as error:
            raise cannot_write(self.path, error) from None
        except (*UNUSABLE, AntecedeError) as error:
            self.close()
            if isinstance(error, AntecedeError):
                raise
            raise InputError(f"cannot be opened as a case store ({error})", source=shown(str(path), 200)) from None

    # Connections

    def connection(self) -> sqlite3.Connection:
        """This thread's own connection."""
        found: sqlite3.Connection | None = getattr(self.mine, "connection", None)
        if found is None:
            found = sqlite3.connect(
                ":memory:" if self.in_memory else self.path,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                cached_statements=64,
            )
            found.row_factory = sqlite3.Row
            found.create_function("row_check", -1, row_check, deterministic=True)
            found.execute("PRAGMA trusted_schema = ON")  # some builds of SQLite forbid functions in an index by default
            found.execute("PRAGMA foreign_keys = ON")
            found.execute("PRAGMA synchronous = FULL")
            self.mine.connection = found
            with self.lock:
                self.opened.append(found)
        return found

    def migrate(self) -> None:
        """Bring the file to the current version; refuse one that is not a store, or newer."""
        connection = self.connection()
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if (tables and application != APPLICATION) or (version and not tables):
            raise InputError("is an SQLite file, but not a case store", source=str(self.path), remedy="name another")
        if version > len(MIGRATIONS):
            what = f"is a case store of version {version}; this program knows {len(MIGRATIONS)}"
            raise InputError(what, source=str(self.path), remedy="install a newer antecede")
        connection.execute("PRAGMA journal_mode = WAL")
        for number in range(version, len(MIGRATIONS)):
            connection.executescript(
                f"BEGIN IMMEDIATE; {MIGRATIONS[number]} PRAGMA application_id = {APPLICATION}; "
                f"PRAGMA user_version = {number + 1}; COMMIT;"
            )

    def verify(self) -> None:
        """Refuse a file in which anything is not as it was written."""
        try:
            found = self.connection().execute("PRAGMA integrity_check(1)").fetchone()[0]
        except sqlite3.OperationalError:  # the checksum of a text that is none
            found = "a row cannot be read"
        if found != "ok":
            what = f"the case store is damaged ({shown(found, 100)})"
            raise StoreError(what, source=shown(str(self.path), 200), remedy="restore a copy")

    def close(self) -> None:
        """Close all connections."""
        with self.lock:
            for each in self.opened:
                with suppress(sqlite3.Error):
                    each.close()
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
            connection.execute("BEGIN IMMEDIATE")
            try:
                if case_id is not None and not self.rows("SELECT 1 FROM cases WHERE id = ?", case_id):
                    raise UnknownCaseError(f"there is no case {shown(case_id)!r}")
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    def rows(self, question: str, *values: Any) -> list[sqlite3.Row]:
        """The answer to a question."""
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
            raise StoreError(what, source=shown(str(self.path), 200), remedy=remedy) from None

    # Cases

    def create(self, topic: Mapping[str, Any], *, name: str, user: str = "", source: str = "number") -> str:
        """Add a case; returns its id."""
        case_id, now = secrets.token_hex(8), timestamp()
        with self.change() as connection:
            connection.execute(
                "INSERT INTO cases VALUES (?, ?, ?, 0, ?, ?, ?, ?, '', '{}', 0)",
                (case_id, name, user, now, now, source, to_json(topic)),
            )
            connection.execute("INSERT INTO drafts VALUES (?, 0, ?)", (case_id, to_json(EMPTY_STATE)))
        return case_id

    def case(self, case_id: str, user: str | None = None) -> CaseRow:
        """A case that a user may open; None is whoever has the file."""
        found = self.rows("SELECT * FROM cases WHERE id = ?", case_id) if self.may_open(case_id, user) else []
        if not found:
            raise UnknownCaseError(f"there is no case {shown(case_id)!r}")
        return case_row(found[0])

    def may_open(self, case_id: str, user: str | None) -> bool:
        """Whether there is a case that a user may open."""
        question = "SELECT 1 FROM cases WHERE id = ? AND (? IS NULL OR user = ? OR shared)"
        return bool(self.rows(question, case_id, user, user))

    def cases(self, user: str | None = None) -> list[CaseCounts]:
        """The cases that a user may open, the one changed last first."""
        found = self.rows(
            """SELECT cases.*, (SELECT count(*) FROM searches WHERE case_id = id) AS searches,
                 (SELECT count(*) FROM marks WHERE case_id = id AND relevance = 'relevant') AS relevant,
                 (SELECT count(*) FROM marks WHERE case_id = id AND relevance = 'maybe') AS maybe,
                 (SELECT count(*) FROM marks WHERE case_id = id AND relevance = 'not') AS irrelevant
               FROM cases WHERE ? IS NULL OR user = ? OR shared ORDER BY changed DESC, id""",
            user,
            user,
        )
        counts = ("searches", "relevant", "maybe", "irrelevant")
        return [CaseCounts(case_row(row), *(row[name] for name in counts)) for row in found]

    def change_case(self, case_id: str, **values: Any) -> None:
        """Change name, notes, shared, topic or chart of a case."""
        known = {"name", "notes", "shared", "topic", "chart"}
        assert values.keys() <= known, values.keys()  # noqa: S101 - the names become part of a statement
        stored = {name: to_json(value) if name in ("topic", "chart") else value for name, value in values.items()}
        with self.change(case_id) as connection:
            for name, value in stored.items():
                connection.execute(
                    f"UPDATE cases SET {name} = ? WHERE id = ?",  # noqa: S608
                    (int(value) if name == "shared" else value, case_id),
                )
            touch(connection, case_id)

    def delete(self, case_id: str) -> None:
        """Delete a case with everything in it."""
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
            here = connection.execute("SELECT position FROM cases WHERE id = ?", (case_id,)).fetchone()[0]
            now = connection.execute(
                "SELECT state FROM drafts WHERE case_id = ? AND position = ?", (case_id, here)
            ).fetchone()
            if now is not None and now[0] == to_json(state):
                return
            connection.execute("DELETE FROM drafts WHERE case_id = ? AND position > ?", (case_id, here))
            connection.execute("INSERT INTO drafts VALUES (?, ?, ?)", (case_id, here + 1, to_json(state)))
            connection.execute("UPDATE cases SET position = ? WHERE id = ?", (here + 1, case_id))
            connection.execute(
                "DELETE FROM drafts WHERE case_id = ? AND position <= ?", (case_id, here + 1 - MOST_DRAFTS)
            )
            touch(connection, case_id)

    def step_draft(self, case_id: str, step: int) -> bool:
        """Undo (−1) or redo (1) a step; False where there is none."""
        with self.change(case_id) as connection:
            here = connection.execute("SELECT position FROM cases WHERE id = ?", (case_id,)).fetchone()[0]
            found = connection.execute(
                "SELECT 1 FROM drafts WHERE case_id = ? AND position = ?", (case_id, here + step)
            ).fetchone()
            if found is None:
                return False
            connection.execute("UPDATE cases SET position = ? WHERE id = ?", (here + step, case_id))
            touch(connection, case_id)
            return True

    # Searches

    def searches(self, case_id: str) -> list[SearchRow]:
        """The searches of a case, in order."""
        return [
            search_row(row) for row in self.rows("SELECT * FROM searches WHERE case_id = ? ORDER BY number", case_id)
        ]

    def search(self, case_id: str, number: int) -> SearchRow:
        """One search of a case."""
        found = self.rows("SELECT * FROM searches WHERE case_id = ? AND number = ?", case_id, number)
        if not found:
            raise UnknownCaseError(f"the case has no search {number}")
        return search_row(found[0])

    def search_by_key(self, case_id: str, key: str) -> SearchRow | None:
        """The search with the same topic, query, marks and index, if there is one."""
        found = self.rows(
            "SELECT * FROM searches WHERE case_id = ? AND key = ? ORDER BY number DESC LIMIT 1", case_id, key
        )
        return search_row(found[0]) if found else None

    def add_search(self, case_id: str, values: Mapping[str, Any]) -> SearchRow:
        """Add a search; returns it with its number. One with the same key, added meanwhile, is returned instead."""
        with self.change(case_id) as connection:
            same = connection.execute(
                "SELECT * FROM searches WHERE case_id = ? AND key = ? ORDER BY number DESC LIMIT 1",
                (case_id, values["key"]),
            ).fetchone()
            if same is not None:
                return search_row(same)
            number = connection.execute(
                "SELECT coalesce(max(number), 0) + 1 FROM searches WHERE case_id = ?", (case_id,)
            ).fetchone()[0]
            row = SearchRow(number=number, time=timestamp(), **values)
            connection.execute(
                "INSERT INTO searches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    case_id,
                    number,
                    row.kind,
                    row.label,
                    row.time,
                    row.user,
                    row.key,
                    to_json(row.state),
                    to_json(row.settings),
                    row.index_state,
                    to_json(row.facts),
                    to_json(row.ranking),
                ),
            )
            touch(connection, case_id)
            return row

    # Marks and seen documents

    def marks(self, case_id: str) -> list[MarkRow]:
        """The marks of a case, in the order in which they were made."""
        columns = ", ".join(MARK_COLUMNS)
        found = self.rows(f"SELECT {columns} FROM marks WHERE case_id = ? ORDER BY time, rowid", case_id)  # noqa: S608
        return [MarkRow(*row) for row in found]

    def mark(self, case_id: str, doc_id: str) -> MarkRow | None:
        """The mark of a document."""
        columns = ", ".join(MARK_COLUMNS)
        found = self.rows(f"SELECT {columns} FROM marks WHERE case_id = ? AND doc_id = ?", case_id, doc_id)  # noqa: S608
        return MarkRow(*found[0]) if found else None

    def put_mark(self, case_id: str, values: Mapping[str, Any]) -> MarkRow:
        """Mark a document; it also counts as seen."""
        row = MarkRow(time=timestamp(), **values)
        with self.change(case_id) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO marks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (case_id, *(getattr(row, name) for name in MARK_COLUMNS)),
            )
            self.record(connection, case_id, row.doc_id, row.relevance, row.user, row.search, row.rank)
            connection.execute(
                "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)",
                (case_id, row.doc_id, row.user, row.time, row.search, row.rank),
            )
            touch(connection, case_id)
        return row

    def remove_mark(self, case_id: str, doc_id: str, user: str) -> bool:
        """Withdraw a mark; False where there is none."""
        with self.change(case_id) as connection:
            done = connection.execute("DELETE FROM marks WHERE case_id = ? AND doc_id = ?", (case_id, doc_id)).rowcount
            if done:
                self.record(connection, case_id, doc_id, None, user, None, None)
                touch(connection, case_id)
            return bool(done)

    @staticmethod
    def record(
        connection: sqlite3.Connection,
        case_id: str,
        doc_id: str,
        relevance: str | None,
        user: str,
        search: int | None,
        rank: int | None,
    ) -> None:
        """Append a judgement to the history of the case."""
        event = connection.execute(
            "SELECT coalesce(max(event), 0) + 1 FROM judgements WHERE case_id = ?", (case_id,)
        ).fetchone()[0]
        values = (case_id, event, doc_id, relevance, user, timestamp(), search, rank)
        connection.execute("INSERT INTO judgements VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)

    def reading_order(self, case_id: str) -> list[tuple[str, str]]:
        """The documents with a mark in the order in which each was first judged, with their present relevance."""
        found = self.rows(
            """SELECT marks.doc_id, marks.relevance, min(event) AS first FROM marks
               JOIN judgements ON judgements.case_id = marks.case_id AND judgements.doc_id = marks.doc_id
               WHERE marks.case_id = ? GROUP BY marks.doc_id ORDER BY first""",
            case_id,
        )
        return [(row[0], row[1]) for row in found]

    def see(self, case_id: str, doc_id: str, user: str, search: int | None, rank: int | None) -> None:
        """Note that a document was opened."""
        with self.change(case_id) as connection:
            values = (case_id, doc_id, user, timestamp(), search, rank)
            connection.execute("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?, ?)", values)

    def seen(self, case_id: str) -> list[str]:
        """The documents that were opened, in order."""
        return [row[0] for row in self.rows("SELECT doc_id FROM seen WHERE case_id = ? ORDER BY time, rowid", case_id)]

    # The claim chart

    def cells(self, case_id: str) -> dict[tuple[int, str], str]:
        """The edited cells of the chart."""
        found = self.rows("SELECT feature, doc_id, text FROM cells WHERE case_id = ?", case_id)
        return {(row[0], row[1]): row[2] for row in found}

    def put_cell(self, case_id: str, feature: int, doc_id: str, text: str | None) -> None:
        """Set the text of a cell; None removes it."""
        with self.change(case_id) as connection:
            connection.execute(
                "DELETE FROM cells WHERE case_id = ? AND feature = ? AND doc_id = ?", (case_id, feature, doc_id)
            )
            if text is not None:
                connection.execute("INSERT INTO cells VALUES (?, ?, ?, ?)", (case_id, feature, doc_id, text))
            touch(connection, case_id)

    # Whole cases, for export and import

    def dump(self, case_id: str) -> dict[str, list[list[Any]]]:
        """All rows of a case by table, in a fixed order."""
        found = {"cases": [list(row) for row in self.rows("SELECT * FROM cases WHERE id = ?", case_id)]}
        for table in CHILDREN:
            columns = [row["name"] for row in self.rows(f"PRAGMA table_info({table})") if row["pk"]]
            order = ", ".join(columns)
            rows = self.rows(f"SELECT * FROM {table} WHERE case_id = ? ORDER BY {order}", case_id)  # noqa: S608
            found[table] = [list(row) for row in rows]
        return found

    def load(self, tables: Mapping[str, Sequence[Sequence[Any]]]) -> None:
        """Add a case from its rows."""
        with self.change() as connection:
            for table in ("cases", *CHILDREN):
                for row in tables[table]:
                    places = ", ".join("?" * len(row))
                    connection.execute(f"INSERT INTO {table} VALUES ({places})", tuple(row))  # noqa: S608

    def rename(self, case_id: str, name: str, user: str) -> None:
        """Give a case another id and another owner."""
        with self.change(case_id) as connection:
            connection.execute("PRAGMA defer_foreign_keys = ON")
            connection.execute("UPDATE cases SET id = ?, user = ? WHERE id = ?", (name, user, case_id))
            for table in CHILDREN:
                connection.execute(f"UPDATE {table} SET case_id = ? WHERE case_id = ?", (name, case_id))  # noqa: S608

    def adopt(self, case_id: str, path: Path) -> None:
        """Add a case from another store; SQLite copies it, so that nobody waits for it."""
        connection = self.connection()
        with self.explained():
            connection.execute("ATTACH ? AS other", (str(path),))
        try:
            with self.change():
                if self.rows("SELECT 1 FROM cases WHERE id = ?", case_id):
                    raise CaseConflictError(f"case {case_id} is in the store already")
                for table in ("cases", *CHILDREN):
                    connection.execute(f"INSERT INTO main.{table} SELECT * FROM other.{table}")  # noqa: S608
        finally:
            with suppress(sqlite3.Error):
                connection.execute("DETACH other")


def open_store(path: str | Path) -> CaseStore:
    """A store that exists."""
    source = shown(str(path), 200)
    if not Path(path).exists():
        raise InputError("there is no such file", source=source, remedy="`antecede serve` creates one")
    if is_blank(path):
        what = "holds no case store"
        raise InputError(what, source=source, remedy="copy the file ending in -wal with it, or stop the server first")
    return CaseStore(path)


def is_blank(path: str | Path) -> bool:
    """Whether an SQLite file has no table: what a server writes is in a file beside it until there is enough of it."""
    try:
        with closing(sqlite3.connect(path)) as connection:
            return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except UNUSABLE:
        return False


def case_row(row: sqlite3.Row) -> CaseRow:
    """A case from its row."""
    values = {each.name: row[each.name] for each in fields(CaseRow)}
    values |= {"shared": bool(row["shared"]), "topic": from_json(row["topic"]), "chart": from_json(row["chart"])}
    return CaseRow(**values)


def search_row(row: sqlite3.Row) -> SearchRow:
    """A search from its row."""
    values = {each.name: row[each.name] for each in fields(SearchRow)}
    values |= {name: from_json(row[name]) for name in ("state", "settings", "facts")}
    values["ranking"] = [(doc_id, score) for doc_id, score in from_json(row["ranking"])]
    return SearchRow(**values)


def touch(connection: sqlite3.Connection, case_id: str) -> None:
    """Note that a case changed."""
    connection.execute("UPDATE cases SET changed = ? WHERE id = ?", (timestamp(), case_id))


def to_json(value: Any) -> str:
    """A value as JSON, always in the same way."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def from_json(text: str) -> Any:
    """A value from JSON that the store has."""
    try:
        return json.loads(text)
    except ValueError:
        raise StoreError("the case store is damaged: a value in it is not JSON", remedy="restore a copy") from None


def timestamp() -> str:
    """The present time."""
    return datetime.now(UTC).isoformat(timespec="microseconds")
