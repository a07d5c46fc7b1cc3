"""What is passed between the steps of reading: the bytes of a document, and rejections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RawDocument:
    """The bytes of one document, split from its file; the unit of work of the worker processes."""

    data: bytes
    """The whole document, in UTF-8 unless its XML declaration says otherwise; a record from a container repeats the
    namespaces declared around it in its own start tag."""
    root: str
    """Local name of the root element (`us-patent-grant`); `"{"` for a line of JSON, `"csv row"` for a table row."""
    file: str
    """The path of the file; a member of an archive follows a `!`: `ipg050104.zip!ipg050104.xml`."""
    number: int = 1
    """Its position in the file, counted from 1."""
    offset: int = 0
    """The offset of its first byte in the decompressed file."""

    @property
    def source(self) -> str:
        """File and position, for messages and for `Patent.source`."""
        return self.file if self.number == 1 and self.offset == 0 else f"{self.file}#{self.number}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A document, or a whole file, that was not read, with the reason."""

    file: str
    reason: str
    """One line that a user can act on."""
    number: int = 0
    """The position of the document in the file, counted from 1; 0 for the file itself."""
    offset: int = 0
    doc_id: str | None = None
    """The name of the document, if it could be read."""

    def to_dict(self) -> dict[str, Any]:
        """One line of `rejects.jsonl`."""
        whole = {"file": self.file, "document": self.number, "offset": self.offset, "doc_id": self.doc_id}
        return {**{name: value for name, value in whole.items() if value}, "reason": self.reason}


class DocumentError(Exception):
    """Raised by a reader when a document cannot be read; it becomes a `Rejected`."""

    def __init__(self, reason: str, doc_id: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.doc_id = reason, doc_id
