"""A collection: files, folders and archives of any supported format, read as a stream of patents.

collection = Collection("clefip/", "ipg050104.zip")
for patent in collection.patents(): …
print(collection.ledger.rejected)
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import tempfile
import zlib
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.corpus.applications import is_application, read_application
from antecede.corpus.columns import RECORD_FIELDS
from antecede.corpus.detection import ATTACHMENTS, PLAIN_TEXT, detect_format
from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.files import find_entries
from antecede.corpus.formats import field_names
from antecede.corpus.formats.jsonl import ROOT, load_object
from antecede.corpus.identities import RecordIdentities, check_names
from antecede.corpus.merge import identity, merge
from antecede.corpus.splitter import split
from antecede.errors import InputError, UsageError, advise, printable, require_type, spell
from antecede.files import WholeFile
from antecede.parallel import pause_garbage_collection
from antecede.patent import Patent, PatentNumber
from antecede.patent.bibliography import BETWEEN
from antecede.patent.fields import KNOWN
from antecede.patent.record import FACTS
from antecede.results import concise_repr
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

# The counts of a reading: every document becomes a patent, is merged into one, or is rejected with a reason

_REJECTED_LIMIT = 0.05
"""The share of rejected documents above which a reading has failed (exit code 1)."""


@dataclass
class Ledger:
    """Counts of the documents read: read = patents + merged + rejected."""

    __repr__ = concise_repr

    read: int = 0
    merged: int = 0
    rejected: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    """Documents per language, `""` where it is unknown."""
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def patents(self) -> int:
        """The number of resulting patents."""
        return self.read - self.merged - self.rejected

    @property
    def failed(self) -> bool:
        """Whether too many documents were rejected."""
        return loses_too_many(self.read, self.rejected, self.reasons)

    def reject(self, rejected: Rejected) -> None:
        """Count a document, or a file, that was not read."""
        self.read += 1
        self.rejected += 1
        self.reasons[rejected.reason] += 1

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        return {
            "read": self.read,
            "patents": self.patents,
            "merged": self.merged,
            "rejected": self.rejected,
            "languages": dict(self.languages.most_common()),
            "reasons": dict(self.reasons.most_common()),
        }


def loses_too_many(read: int, rejected: int, reasons: Mapping[str, int]) -> bool:
    """Whether too many documents were rejected: all, or too large a share.

    Images, DTDs and other files that offices distribute with patents are rejected too, but no patent is lost with them.
    """
    attachments = sum(count for reason, count in reasons.items() if reason in ATTACHMENTS)
    return rejected - attachments > _REJECTED_LIMIT * (read - attachments) or 0 < rejected == read


class RejectsFile(WholeFile):
    """`rejects.jsonl`: one line per rejected document, with file, position and reason; empty if there is none.

    The file is replaced when the reading is complete: a reading that fails leaves an earlier file unchanged.
    """

    def __call__(self, rejected: Rejected) -> None:
        line = json.dumps(rejected.to_dict(), ensure_ascii=False)
        self.write(f"{line}\n".encode("utf-8", "backslashreplace"))


# Reading

_INVALID_DOC_ID = re.compile(r"\A#|[\s\x00\ufeff]")
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
        for path in paths:
            require_type(path, (str, os.PathLike), "paths", "the paths of a collection")
        self.paths, self.names, self.strict = paths, dict(names or {}), strict
        self.on_reject, self.on_note, self.progress = on_reject, on_note, progress
        self.ledger = Ledger()
        if preset is not None:
            self.names[field_names.PRESET] = preset
        if field_names.PRESET in self.names:
            field_names.choose_preset(self.names[field_names.PRESET])
        check_names(self.names)
        fields = tuple(dict.fromkeys((*field_names.FIELD_NAMES, *RECORD_FIELDS)))
        if unknown := sorted(set(self.names) - {*fields, *field_names.OPTIONS}):
            near = get_close_matches(unknown[0], fields, 1)
            hint = f"did you mean {near[0]}? Fields" if near else "fields"
            raise UsageError(f"there is no field {printable(unknown[0])!r}; {hint} are {', '.join(fields)}")

    def raw(self) -> Iterator[RawDocument | Rejected]:
        """The documents as bytes, each split from its file: the work of the worker processes. Nothing is counted."""
        check = _FieldCheck(self.names, self.on_note) if self.on_note is not None else None
        identities = RecordIdentities(self.names, self.on_note)
        for entry in find_entries(self.paths, progress=self.progress):
            if isinstance(entry, Rejected):
                yield entry
                continue
            for document in split(entry.stream, entry.label, names=self.names, path=entry.path, identities=identities):
                if check is not None and isinstance(document, RawDocument):
                    check.add(document)
                yield document
        identities.finish()
        if check is not None:
            check.finish()

    def read(self) -> Iterator[tuple[RawDocument, Patent]]:
        """Each document with the bytes it was read from, as a stream in bounded memory."""
        self.ledger = Ledger()
        for raw in self.raw():
            if isinstance(raw, Rejected):
                self.reject(raw)
                continue
            patent = read_document(raw, self.names)
            if isinstance(patent, Rejected):
                self.reject(patent)
            else:
                self.ledger.read += 1
                self.ledger.languages[patent.language] += 1
                yield raw, patent

    def documents(self) -> Iterator[Patent]:
        """Each document as published, as a stream in bounded memory."""
        return (document for _, document in self.read())

    def patents(self) -> Iterator[Patent]:
        """Each patent once, merged from all its documents wherever they are in the collection.

        The first is returned when all documents are read: until then they are spooled to disk, in bounded memory.
        """
        with (
            tempfile.TemporaryDirectory(prefix="antecede-") as folder,
            closing(sqlite3.connect(Path(folder) / "documents.sqlite", isolation_level=None)) as spool,
        ):
            for statement in ("PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "BEGIN"):
                spool.execute(statement)
            spool.execute("CREATE TABLE documents (patent TEXT, record BLOB)")
            for document in self.documents():
                record = zlib.compress(json.dumps(document.to_dict(), ensure_ascii=False).encode(), 1)
                spool.execute("INSERT INTO documents VALUES (?, ?)", (identity(document), record))
            spool.execute("CREATE INDEX by_patent ON documents (patent)")
            (self.ledger.merged,) = spool.execute("SELECT COUNT(*) - COUNT(DISTINCT patent) FROM documents").fetchone()
            for patent in spool.execute("SELECT patent FROM documents GROUP BY patent ORDER BY MIN(rowid)"):
                records = spool.execute("SELECT record FROM documents WHERE patent = ? ORDER BY rowid", patent)
                yield merge(Patent.from_dict(json.loads(zlib.decompress(record))) for (record,) in records)

    def reject(self, rejected: Rejected) -> None:
        """Count a rejected document; raise an error if the reading is strict."""
        self.ledger.reject(rejected)
        if self.on_reject is not None:
            self.on_reject(rejected)
        if self.strict:
            where = f"{rejected.file}#{rejected.number}" if rejected.number else rejected.file
            raise InputError(
                rejected.reason,
                source=printable(where, 200),
                remedy=f"without {spell('strict', True)} it is counted and skipped",
            )


def read_document(raw: RawDocument, names: Mapping[str, str] | None = None) -> Patent | Rejected:
    """Read one document; a `Rejected` with the reason if that is impossible."""
    try:
        with pause_garbage_collection():  # a document makes many objects, none of them in a cycle
            patent = detect_format(raw).parse(raw, names or {})
    except DocumentError as error:
        return Rejected(raw.file, error.reason, raw.number, raw.offset, error.doc_id)
    if patent.doc_id and _INVALID_DOC_ID.search(patent.doc_id) is None:
        return patent
    reason = (
        f"doc_id '{printable(patent.doc_id)}' cannot be written to a run: it is empty, begins with #, or contains"
        " white space, NUL or U+FEFF"
    )
    return Rejected(raw.file, reason, raw.number, raw.offset)


# Notes on how records are understood: presets that were recognised, keys that no record has

_SAMPLE = 100
"""The records at the beginning of a collection in which a key named by the user is looked for."""


class _FieldCheck:
    """Looks at the first record of every file, and at the first records of the collection."""

    def __init__(self, names: Mapping[str, str], note: Callable[[str], None]) -> None:
        self.names, self.note = names, note
        self.presets: set[str] = set()
        self.missing = {ours: "" for ours in names if ours not in (*field_names.OPTIONS, "doc_id")}
        """Fields whose key no record has had so far, each with the reason given for the first; a record without a
        doc_id is rejected, and needs no note."""
        self.records, self.file = 0, ""

    def add(self, raw: RawDocument) -> None:
        if raw.root != ROOT or (raw.number > 1 and not self.missing):
            return
        try:
            line = load_object(raw.data)
            shape = field_names.shape_of(line, self.names)
            got = field_names.select_fields(line, self.names, shape)
        except DocumentError:
            return
        if shape is not None and field_names.PRESET not in self.names and shape.preset not in self.presets:
            self.presets.add(shape.preset)
            self.note(
                f"{printable(raw.file, 200)}: read as an export of {shape.title} ({spell('preset', shape.preset)})"
            )
        if not self.missing:
            return
        self.records, self.file = self.records + 1, self.file or raw.file
        self.missing = {
            ours: reason or field_names.explain_missing(line, ours, self.names)
            for ours, reason in self.missing.items()
            if ours not in got
        }
        if self.records == _SAMPLE:
            self.finish()

    def finish(self) -> None:
        many = f"the first {self.records} records have" if self.records > 1 else "the record has"
        for reason in filter(None, self.missing.values()):
            self.note(f"{printable(self.file, 200)}: {many} {reason}")
        self.missing = {}


# One patent of a collection, or the list of patents to choose from

_MOST_NAMED = 5
"""Patents listed in a message."""


def find_patent(collection: Collection, doc_id: str) -> Patent:
    """The patent with this doc_id, else with this number in any customary form, merged from all its documents."""
    number = PatentNumber.parse_name(doc_id)
    named: dict[str, list[Patent]] = {}
    exact: set[str] = set()
    for document in collection.documents():
        known = document.known_number
        if document.doc_id == doc_id or (known is not None and number is not None and known.key == number.key):
            named.setdefault(identity(document), []).append(document)
            exact |= {identity(document)} if document.doc_id == doc_id else set()
    patents = [merge(documents) for key, documents in named.items() if not exact or key in exact]
    if not patents:
        raise InputError("not found", source=_source_of(collection), doc_id=doc_id, remedy="omit the name to list all")
    if (many := len(patents)) > 1:
        names = ", ".join(printable(patent.doc_id) for patent in patents[:_MOST_NAMED])
        names += " …" if many > _MOST_NAMED else ""
        reason = f"is the name of {many} patents" if exact else f"is the number of {many} patents: {names}"
        remedy = "rename all but one" if exact else "name one of these"
        raise InputError(reason, source=_source_of(collection), doc_id=doc_id, remedy=remedy)
    return patents[0]


def read_patents(
    path: str,
    names: Mapping[str, str] | None = None,
    on_note: Callable[[str], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Patent | list[Patent]:
    """The patent in a file, folder or archive, or the application that a text, PDF or DOCX file is.

    Of several patents one record each, without long texts, to choose from.
    """
    if path != "-" and is_application(path):
        return read_application(path, on_note)
    return only_patent(Collection(path, names=names, on_note=on_note, progress=progress))


def only_patent(collection: Collection) -> Patent | list[Patent]:
    """The patent, if all documents belong to one; else one record per patent, without long texts, to choose from."""
    groups: dict[str, list[Patent]] = {}
    whole: list[Patent] = []
    for document in collection.documents():
        groups.setdefault(identity(document), []).append(_strip_texts(document))
        if len(groups) == 1:
            whole.append(document)
        else:  # more than one patent: only what a list shows is needed
            whole.clear()
    if not groups:
        reason = next(iter(collection.ledger.reasons), "contains no document")
        text = reason == PLAIN_TEXT and [*map(str, collection.paths)] == ["-"]
        remedy = (
            advise("give the text itself", "search --text - reads a text")
            if text
            else f"{advise('antecede.corpus.formats.FORMATS', '`antecede list formats`')} lists what can be read"
        )
        raise InputError(reason, source=_source_of(collection), remedy=remedy)
    return merge(whole) if whole else [*map(merge, groups.values())]


def _strip_texts(patent: Patent) -> Patent:
    return Patent(
        patent.doc_id,
        patent.number,
        patent.kinds,
        patent.language,
        patent.title,
        ipc=patent.ipc[:1],
        publication_date=patent.publication_date,
        source=patent.source,
    )


def tabulate_patents(patents: Sequence[Patent]) -> Table:
    """One row per patent: name, kinds, date, first class, title."""
    rows = tuple(
        (
            each.doc_id,
            " ".join(each.kinds) or None,
            str(each.publication_date) if each.publication_date else None,
            each.ipc[0] if each.ipc else None,
            each.title.get(each.language) or next(iter(each.title.values()), None),
        )
        for each in patents
    )
    note = f"{len(patents)} patents; name one to see it"
    table = Table(("patent", "kinds", "published", "IPC", "title"), rows, notes=(note,))
    labels = [fact for fact in FACTS if fact.hits != KNOWN or any(map(fact.value, patents))]
    facts = tuple(
        (patent.doc_id, row[-1], *(BETWEEN.join(fact.texts(patent)) or None for fact in labels))
        for patent, row in zip(patents, rows, strict=True)
    )
    complete = Table(("patent", "title", *(fact.label for fact in labels)), facts, notes=(note,))
    return replace(table, complete=complete)


def _source_of(collection: Collection) -> str:
    return printable(" ".join(str(path) for path in collection.paths), 200)


# A survey of files: documents, rejections, languages, and the share with a title, claims, citations …

_PARTS: dict[str, Callable[[Patent], object]] = {
    "title": lambda patent: patent.title,
    "abstract": lambda patent: patent.abstract,
    "claims": lambda patent: patent.claims,
    "description": lambda patent: patent.description,
    "IPC": lambda patent: patent.ipc,
    "citations": lambda patent: patent.citations,
    "dates": lambda patent: patent.date,
}
"""The parts of a patent whose presence is counted."""


@dataclass
class Survey:
    """What was found under one path."""

    path: str
    files: int = 0
    formats: Counter[str] = field(default_factory=Counter)
    has: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    """Documents that have text in a language; one may have text in several."""
    ledger: Ledger = field(default_factory=Ledger)

    @property
    def documents(self) -> int:
        """Documents that were read."""
        return self.ledger.read - self.ledger.rejected

    def to_dict(self) -> dict[str, Any]:
        """The counts and shares in a JSON-compatible form."""
        return {
            "path": self.path,
            "files": self.files,
            "documents": self.documents,
            "rejected": self.ledger.rejected,
            "formats": dict(self.formats.most_common()),
            "languages": dict(self.languages.most_common()),
            "shares": {part: self.has[part] / self.documents if self.documents else None for part in _PARTS},
            "reasons": dict(self.ledger.reasons.most_common()),
        }


def survey(collection: Collection) -> Survey:
    """Read a collection and count what it contains."""
    found = Survey(" ".join(str(path) for path in collection.paths))
    files: set[str] = set()
    callback = collection.on_reject

    def on_reject(rejected: Rejected) -> None:
        files.add(rejected.file)
        if callback is not None:
            callback(rejected)

    collection.on_reject = on_reject
    for raw, document in collection.read():
        files.add(raw.file)
        found.formats[detect_format(raw).name] += 1
        found.languages.update(document.languages or ("",))
        found.has.update(part for part, has in _PARTS.items() if has(document))
    collection.on_reject = callback
    found.ledger = collection.ledger
    found.files = len(files)
    return found


def survey_table(surveys: Sequence[Survey]) -> Table:
    """One row per path: what was read, and the parts present in percent of the documents."""
    columns = ("path", "files", "documents", "rejected", "formats", "languages", *(f"{part} %" for part in _PARTS))
    rows = tuple(
        (
            each.path,
            each.files,
            each.documents,
            each.ledger.rejected,
            _write_counts(each.formats),
            _write_counts(each.languages),
            *(round(100 * each.has[part] / each.documents, 1) if each.documents else None for part in _PARTS),
        )
        for each in surveys
    )
    return Table(columns, rows, digits=1)


def reasons_table(surveys: Sequence[Survey], most: int = 30) -> Table:
    """Why documents were rejected, the most frequent reasons of each path first."""
    found = [(each.path, count, reason) for each in surveys for reason, count in each.ledger.reasons.most_common()]
    more = len(found) - most
    every = advise("on_reject is called with", "--rejects writes")
    notes = (f"and {more} other reasons; {every} each document's",) if more > 0 else ()
    return Table(("path", "rejected", "reason"), tuple(found[:most]), notes=notes)


def _write_counts(counts: Counter[str]) -> str:
    return " ".join(f"{name or '?'} {count}" for name, count in counts.most_common())
