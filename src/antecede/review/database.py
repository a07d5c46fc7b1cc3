"""The file of a case store: an SQLite database that nobody else has altered, its connections and transactions.

Each change is one transaction, on disk before it is confirmed. Any number of threads and processes may use a store;
each thread has a connection of its own.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, UsageError, printable
from antecede.files import cannot_write
from antecede.review.schema import OBJECTS, SCHEMAS, VERSION, find_difference, migrate, row_check

if TYPE_CHECKING:
    from collections.abc import Iterator

APPLICATION = 0x616E7465
"""The application id in the header of a store: `ante`."""
BUSY_SECONDS = 30.0
READING = ("trusted_schema = OFF", "query_only = ON")
WRITING = ("trusted_schema = ON", "query_only = OFF")
"""How a connection is set before and while it changes the store."""
MOST_OBJECTS, MOST_STEPS = 100, 1_000_000
"""Tables, indexes and the like that are looked at, and instructions of SQLite until they are read."""
UNUSABLE = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises on a file that it cannot use; the latter where the name of a damaged table is in its message."""
JSON_COLUMNS = {"chart", "plan", "state", "settings", "facts"}
"""The columns of cases and searches that hold JSON and are read at once."""


class UnknownCaseError(UsageError):
    """There is no such case, or it belongs to another user."""


class StoreError(InputError):
    """The file of a case store cannot be read or written: the disk is full, or the file is damaged."""


class Database:
    """The file of a store.

    Args:
        path: The SQLite file; it is created if it does not exist. `:memory:` is a store for one thread without a file.
        create: Whether the tables are made where the file is empty.
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path, self.source = Path(path), printable(str(path), 200)
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
            what = f"the case store is damaged ({printable(found, 100)})"
            raise StoreError(what, source=self.source, remedy="restore a copy")
        if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            migrate(connection)
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
                        raise UnknownCaseError(f"there is no case {printable(case_id)!r}")
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
            what = f"the case store cannot be used ({printable(str(error), 200)}); nothing was changed"
            remedy = "free some space" if "full" in str(error) else "check the disk and the file"
            raise StoreError(what, source=self.source, remedy=remedy) from None
        except UnicodeEncodeError as error:  # as a shell gives bytes that are none
            raise UsageError(f"{printable(error.object, 100)!r} is not text in UTF-8; nothing was changed") from None

    def data_version(self) -> int:
        """A number that changes when anybody else commits a change to the store."""
        return int(self.rows("PRAGMA data_version")[0][0])


def _schema_version(connection: sqlite3.Connection) -> int:
    """A number that SQLite increases with each change of the schema."""
    version: int = connection.execute("PRAGMA schema_version").fetchone()[0]
    return version


def fields_of(row: sqlite3.Row) -> dict[str, Any]:
    """The columns of a row by name, without the case that it belongs to."""
    columns = {name: value for name, value in dict(row).items() if name != "case_id"}
    return {name: from_json(value) if name in JSON_COLUMNS else value for name, value in columns.items()}


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
