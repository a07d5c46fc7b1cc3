"""Documents spooled to disk until all documents of their patent are read, in order of first appearance."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Self

from antecede.patent import Patent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class Spool:
    """A temporary file of documents, grouped by patent when they are read back. Deleted when it is closed."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="antecede-")
        self.connection = sqlite3.connect(Path(self.folder.name) / "documents.sqlite", isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = OFF")
        self.connection.execute("PRAGMA synchronous = OFF")
        self.connection.execute("CREATE TABLE patents (place INTEGER PRIMARY KEY, identity TEXT UNIQUE)")
        self.connection.execute("CREATE TABLE documents (place INTEGER, record BLOB)")
        self.connection.execute("BEGIN")
        self.documents = self.patents = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()
        self.folder.cleanup()

    def add(self, identity: str, document: Patent) -> None:
        """Add a document to those of its patent."""
        row = self.connection.execute("SELECT place FROM patents WHERE identity = ?", (identity,)).fetchone()
        if row is None:
            row = (self.patents,)
            self.connection.execute("INSERT INTO patents VALUES (?, ?)", (self.patents, identity))
            self.patents += 1
        self.connection.execute("INSERT INTO documents VALUES (?, ?)", (row[0], compress_record(document)))
        self.documents += 1

    def __iter__(self) -> Iterator[Iterator[Patent]]:
        """The documents patent by patent, each read on demand."""
        self.connection.execute("CREATE INDEX by_place ON documents (place)")
        for place in range(self.patents):
            rows = self.connection.execute("SELECT record FROM documents WHERE place = ? ORDER BY rowid", (place,))
            yield (restore_record(record) for (record,) in rows)


def compress_record(patent: Patent) -> bytes:
    """Serialize a patent."""
    return zlib.compress(json.dumps(patent.to_dict(), ensure_ascii=False).encode(), 1)


def restore_record(data: bytes) -> Patent:
    """The patent that was serialized."""
    return Patent.from_dict(json.loads(zlib.decompress(data)))
