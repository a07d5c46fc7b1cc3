"""What passes between the steps of reading: a document's bytes, and the word that it could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RawDocument:
    """The bytes of one document, cut out of its file; the unit that workers share out."""

    data: bytes
    """The whole document, in UTF-8 unless its XML declaration says otherwise; a record cut out of a container has the
    namespaces declared around it in its own start tag."""
    root: str
    """Local name of the element that is the document (`us-patent-grant`); for a line of JSON `"{"`."""
    file: str
    """The file as the user knows it; a member of an archive behind `!`: `ipg050104.zip!ipg050104.xml`."""
    number: int = 1
    """Its place in the file, counted from 1."""
    offset: int = 0
    """The byte it begins at, once unpacked."""

    @property
    def source(self) -> str:
        """File and place, for messages and for `Patent.source`."""
        return self.file if self.number == 1 and self.offset == 0 else f"{self.file}#{self.number}"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A document, or a whole file, that was not read, and why."""

    file: str
    reason: str
    """One line a person can act on."""
    number: int = 0
    """The place of the document in the file, counted from 1; 0 where it is the file itself."""
    offset: int = 0
    doc_id: str | None = None
    """What it is called, if that much could be read."""

    def to_dict(self) -> dict[str, Any]:
        """One line of `rejects.jsonl`."""
        whole = {"file": self.file, "document": self.number, "offset": self.offset, "doc_id": self.doc_id}
        return {**{name: value for name, value in whole.items() if value}, "reason": self.reason}


class DocumentError(Exception):
    """Raised inside a reader: this document cannot be read, for the reason given. It becomes a `Rejected`."""

    def __init__(self, reason: str, doc_id: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.doc_id = reason, doc_id
