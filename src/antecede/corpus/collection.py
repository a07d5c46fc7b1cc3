"""A collection: files, folders and archives of any supported format, read as a stream of patents.

collection = Collection("clefip/", "ipg050104.zip")
for patent in collection.patents(): …
print(collection.ledger.rejected)
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from antecede.corpus.detection import detect_format
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.field_check import FieldCheck
from antecede.corpus.files.sources import find_entries
from antecede.corpus.formats.field_names import FIELD_NAMES
from antecede.corpus.formats.presets import PRESET, choose_preset
from antecede.corpus.ledger import Ledger
from antecede.corpus.merge import identity, merge
from antecede.corpus.splitter.splitter import split
from antecede.corpus.spool import Spool
from antecede.errors import InputError, UsageError, shown
from antecede.garbage import pause_garbage_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from antecede.patent import Patent


INVALID_DOC_ID = re.compile(r"\A#|[\s\x00\ufeff]")
"""What a doc_id must not contain: it could not be read back from a TREC file."""


class Collection:
    """Patents in files. Each pass reads the files again; `ledger` has the counts of the last pass.

    Args:
        paths: Files, folders and archives.
        names: The names of fields in a JSON source or a table, as `{"doc_id": "key"}`.
        preset: The database that a JSON source or a table was exported from: `google` or `lens`.
        strict: Raise an error at the first rejected document.
        on_reject: Called with each rejected document.
        on_note: Called with notes on how files are understood.
        progress: Called with the number of bytes read and the total.
    """

    def __init__(
        self,
        *paths: str | Path,
        names: Mapping[str, str] | None = None,
        preset: str | None = None,
        strict: bool = False,
        on_reject: Callable[[Rejected], None] | None = None,
        on_note: Callable[[str], None] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.paths, self.names, self.strict = paths, dict(names or {}), strict
        self.on_reject, self.on_note, self.progress = on_reject, on_note, progress
        self.ledger = Ledger()
        if preset is not None:
            self.names[PRESET] = preset
        if PRESET in self.names:
            choose_preset(self.names[PRESET])
        if unknown := sorted(set(self.names) - {*FIELD_NAMES, PRESET}):
            near = get_close_matches(unknown[0], FIELD_NAMES, 1)
            hint = f"did you mean {near[0]}? Fields" if near else "fields"
            raise UsageError(f"there is no field {shown(unknown[0])!r}; {hint} are {', '.join(FIELD_NAMES)}")

    def raw(self) -> Iterator[RawDocument | Rejected]:
        """The documents as bytes, each split from its file: the work of the worker processes. Nothing is counted."""
        check = FieldCheck(self.names, self.on_note)
        for entry in find_entries(self.paths, progress=self.progress):
            if isinstance(entry, Rejected):
                yield entry
                continue
            for document in split(entry.stream, entry.label, names=self.names, path=entry.path):
                if check.active and isinstance(document, RawDocument):
                    check.add(document)
                yield document
        check.finish()

    def read(self) -> Iterator[tuple[RawDocument, Patent]]:
        """Each document with the bytes it was read from, as a stream in bounded memory."""
        self.ledger = Ledger()
        for raw in self.raw():
            if isinstance(raw, Rejected):
                self.reject(raw)
                continue
            found = read_document(raw, self.names)
            if isinstance(found, Rejected):
                self.reject(found)
            else:
                self.ledger.read += 1
                self.ledger.languages[found.language] += 1
                yield raw, found

    def documents(self) -> Iterator[Patent]:
        """Each document as published, as a stream in bounded memory."""
        return (found for _, found in self.read())

    def patents(self) -> Iterator[Patent]:
        """Each patent once, merged from all its documents wherever they are in the collection.

        The first is returned when all documents are read: until then they are spooled to disk, in bounded memory.
        """
        with Spool() as spool:
            for document in self.documents():
                spool.add(identity(document), document)
            self.ledger.merged = spool.documents - spool.patents
            for group in spool:
                yield merge(group)

    def reject(self, rejected: Rejected) -> None:
        """Count a rejected document; raise an error if the reading is strict."""
        self.ledger.reject(rejected)
        if self.on_reject is not None:
            self.on_reject(rejected)
        if self.strict:
            where = f"{rejected.file}#{rejected.number}" if rejected.number else rejected.file
            raise InputError(
                rejected.reason, source=shown(where, 200), remedy="without --strict it is counted and skipped"
            )


def read_document(raw: RawDocument, names: Mapping[str, str] | None = None) -> Patent | Rejected:
    """Read one document; a `Rejected` with the reason if that is impossible."""
    try:
        with pause_garbage_collection():  # a document makes many objects, none of them in a cycle
            return check_doc_id(detect_format(raw).parse(raw, names or {}))
    except DocumentError as error:
        return Rejected(raw.file, error.reason, raw.number, raw.offset, error.doc_id)


def check_doc_id(patent: Patent) -> Patent:
    """The patent, if its doc_id can be written to runs and qrels."""
    if INVALID_DOC_ID.search(patent.doc_id) is not None or not patent.doc_id:
        raise DocumentError(
            f"doc_id '{shown(patent.doc_id)}' cannot be written to a run: it is empty, begins with #, or contains"
            " white space, NUL or U+FEFF"
        )
    return patent
