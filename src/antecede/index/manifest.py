"""The manifest: what an index consists of. It is the only commit point, written to a temporary file and renamed.

It names every file with its size and checksums, so that damaged and foreign files are detected. It does not depend on
time or machine, so that the same collection gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, shown
from antecede.files import write_whole
from antecede.index.arrays import open_regular
from antecede.index.files import File, read_regular
from antecede.index.layout import DELETIONS_NAME, FIELDS, SEGMENT_NAME, optional_sizes, segment_sizes
from antecede.index.schema import SchemaError, integer, list_of, optional, record, some_of, table, text
from antecede.index.spaces.entry import SpaceEntry, check_entries, entry_rule, restore_entry
from antecede.index.translation_file import TranslationEntry, restore_translation, translation_rule

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = "manifest.json"
FORMAT = "antecede index"
VERSION = 4
COUNTED = ("read", "indexed", "merged", "rejected", "replaced")
AGAIN = "build the index again"
MOST_DOCUMENTS = MOST_TERMS = (1 << 31) - 1
"""In one segment: rows and terms are numbered with 31 bits."""
MOST_GENERATIONS = 10**15 - 1


@dataclass(frozen=True)
class SegmentEntry:
    """A segment in the manifest: its files and counts."""

    name: str
    documents: int
    languages: dict[str, dict[str, int]]
    """Language → rows, terms and postings."""
    files: dict[str, File]
    counts: dict[str, int]
    """Documents read, indexed, merged, rejected, and replaced in older segments, when it was built."""
    deleted: str | None = None
    """The file, beside the segments, that lists those of its documents that a later segment replaced."""


@dataclass(frozen=True)
class Manifest:
    """One state of an index."""

    settings: dict[str, Any]
    segments: tuple[SegmentEntry, ...] = ()
    generation: int = 1
    """The number of this state; each build, add and merge makes the next one."""
    deletions: dict[str, File] = field(default_factory=dict)
    translation: TranslationEntry | None = None
    """The table of translations, if one is stored."""
    spaces: tuple[SpaceEntry, ...] = ()
    """The latent spaces; a manifest without any does not mention them."""

    @property
    def counts(self) -> dict[str, int]:
        """The counts over all segments."""
        return {name: sum(each.counts[name] for each in self.segments) for name in COUNTED}

    def to_dict(self) -> dict[str, Any]:
        """The manifest in a JSON-compatible form."""

        def files(of: Mapping[str, File]) -> dict[str, dict[str, Any]]:
            return {name: dict(file.__dict__) for name, file in of.items()}

        segments = [{**each.__dict__, "files": files(each.files)} for each in self.segments]
        translation = {"translation": self.translation.to_dict()} if self.translation is not None else {}
        spaces = {"spaces": [each.to_dict() for each in self.spaces]} if self.spaces else {}
        own = {name: value for name, value in self.__dict__.items() if name not in ("spaces", "translation")}
        return {**own, "segments": segments, "deletions": files(self.deletions), **spaces, **translation}

    def serialize(self) -> bytes:
        """The manifest as the bytes of its file: a checksum, then the content."""
        return serialize(self.to_dict())

    def write(self, folder: Path) -> None:
        """Make this the state of the index in a folder, atomically."""
        write_whole(folder / NAME, self.serialize())


def read_manifest(folder: Path) -> Manifest:
    """Read the state of the index in a folder. A foreign, newer or damaged manifest is refused by name."""
    path = folder / NAME
    try:
        data = read_regular(path)
        found = json.loads(data)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(describe_missing(folder), source=str(folder)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    except (ValueError, RecursionError):
        raise InputError("is damaged: it is not JSON", source=str(path), remedy=AGAIN) from None
    check_header(found, path)
    if not is_whole(found, data):
        raise InputError("is damaged: its checksum does not match", source=str(path), remedy=AGAIN)
    try:
        SCHEMA(found["index"])
        manifest = restore_manifest(found["index"])
        check_agreement(manifest)
    except (SchemaError, RecursionError) as error:
        raise InputError(f"is not a manifest that antecede wrote: {error}", source=str(path), remedy=AGAIN) from None
    return manifest


def is_whole(found: dict[str, Any], data: bytes) -> bool:
    """Whether a manifest is, byte for byte, what `Manifest.serialize` writes, its checksum included."""
    try:
        return serialize(found["index"]) == data
    except (ValueError, RecursionError):
        return False


def is_index(folder: Path) -> bool:
    """Whether a folder holds an index of antecede, of any version."""
    try:
        with open_regular(folder / NAME) as file:
            return json.dumps({"format": FORMAT}).encode()[:-1] in file.read(64)
    except OSError:
        return False


def check_header(found: Any, path: Path) -> None:
    """Refuse a manifest that is not one of antecede, or of a version that this program does not read."""
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("index"), dict):
        raise InputError(
            "is not an index of antecede", source=str(path), remedy="name the folder that `index --out` made"
        )
    if found.get("version") != VERSION:
        raise InputError(
            f"index format version {shown(str(found.get('version')))}, this program reads version {VERSION}",
            source=str(path),
            remedy="build the index again, or use the version of antecede that made it",
        )


def describe_missing(folder: Path) -> str:
    """What a folder without a manifest is."""
    if str(folder).startswith(("opensearch:/", "opensearchs:/")):
        return "is on a cluster; this needs an index in a folder"
    if not folder.is_dir():
        return (
            "is a file, not an index"
            if folder.exists()
            else "there is no such index; `antecede index COLLECTION --out` makes one"
        )
    if (folder / "work").is_dir():
        return "holds an unfinished build; `antecede index … --resume` continues it"
    return "is not an index: it has no manifest.json"


def serialize(index: dict[str, Any]) -> bytes:
    """The JSON-compatible form of a manifest as the bytes of its file."""
    whole = json.dumps(index, ensure_ascii=False)
    digest = hashlib.sha256(whole.encode()).hexdigest()
    head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
    return f'{head[:-1]}, "index": {whole}}}\n'.encode()


def restore_manifest(whole: dict[str, Any]) -> Manifest:
    """The manifest from its JSON-compatible form."""

    def files(of: dict[str, Any]) -> dict[str, File]:
        return {name: File(**each) for name, each in of.items()}

    segments = tuple(SegmentEntry(**{**each, "files": files(each["files"])}) for each in whole["segments"])
    spaces = tuple(map(restore_entry, whole.get("spaces", ())))
    translation = restore_translation(whole.get("translation"))
    return Manifest(
        **{
            **whole,
            "segments": segments,
            "deletions": files(whole["deletions"]),
            "spaces": spaces,
            "translation": translation,
        }
    )


FILE = record(
    {"size": integer(), "sha256": text(re.compile("[0-9a-f]{64}"), "a SHA-256"), "crc32": integer(0, 2**32 - 1)}
)
LANGUAGE = text(re.compile(r"[^\x00-\x20/\\\x7f-\x9f\ud800-\udfff]{0,40}"), "a language")
TREATMENT = record({"stemmer": optional(text()), "stop_words": list_of(text())})
PROFILE = record(
    {
        "version": integer(),
        "name": text(),
        "treatments": table(text(), TREATMENT),
        "shortest": integer(),
        "longest": integer(),
    }
)
SEGMENT = record(
    {
        "name": text(SEGMENT_NAME, "the name of a segment (s000001)"),
        "documents": integer(1, MOST_DOCUMENTS),
        "languages": table(
            LANGUAGE,
            record({"rows": integer(1, MOST_DOCUMENTS), "terms": integer(0, MOST_TERMS), "postings": integer()}),
        ),
        "files": table(text(), FILE),
        "counts": record({name: integer() for name in COUNTED}),
        "deleted": optional(text(DELETIONS_NAME, "the name of a list of deletions")),
    }
)
INDEX_SETTINGS = record({"profile": PROFILE, "fields": some_of(*FIELDS), "versions": table(text(), text())})
SCHEMA = record(
    {
        "settings": INDEX_SETTINGS,
        "segments": list_of(SEGMENT),
        "generation": integer(1, MOST_GENERATIONS),
        "deletions": table(text(DELETIONS_NAME, "the name of a list of deletions"), FILE),
        "translation": translation_rule(FILE, integer(1, MOST_GENERATIONS)),
        "spaces": list_of(entry_rule(LANGUAGE, FILE, integer(1, MOST_GENERATIONS))),
    },
    needed=("settings", "segments", "generation", "deletions"),
)
"""The schema of a manifest; `check_agreement` then checks that its numbers are consistent."""


def check_agreement(manifest: Manifest) -> None:
    """Refuse a manifest whose parts contradict one another."""
    names = [entry.name for entry in manifest.segments]
    if not names or len(set(names)) < len(names):
        raise SchemaError("must be at least one, without duplicates", "segments")
    number = 0
    try:
        for number, entry in enumerate(manifest.segments):  # noqa: B007 - for the message
            check_segment(entry, manifest)
    except SchemaError as error:
        raise error.under(number).under("segments") from None
    lists = [entry.deleted for entry in manifest.segments if entry.deleted is not None]
    if set(manifest.deletions) != set(lists):
        raise SchemaError("are not those that the segments name", "deletions")
    deleted = sum(each.size for each in manifest.deletions.values()) // 4
    live = sum(each.documents for each in manifest.segments) - deleted
    if live != manifest.counts["indexed"] - manifest.counts["replaced"]:
        raise SchemaError(f"hold {live} documents, the counts say otherwise", "segments")
    rows = {
        entry.name: {language: counts["rows"] for language, counts in entry.languages.items()}
        for entry in manifest.segments
    }
    check_entries(manifest.spaces, rows, manifest.generation)
    if manifest.translation is not None and manifest.translation.generation > manifest.generation:
        raise SchemaError(f"is later than generation {manifest.generation}", "generation", "translation")


def check_segment(entry: SegmentEntry, manifest: Manifest) -> None:
    """Refuse a segment whose files or counts are impossible."""
    if int(entry.name[1:]) > manifest.generation:
        raise SchemaError(f"is later than generation {manifest.generation}", "name")
    wanted = segment_sizes(entry.documents, entry.languages)
    wanted |= {name: size for name, size in optional_sizes(entry.documents).items() if name in entry.files}
    if (differing := sorted(wanted.keys() ^ entry.files.keys())) != []:
        raise SchemaError(f"{shown(differing[0])} is {'missing' if differing[0] in wanted else 'unknown'}", "files")
    for name, size in wanted.items():
        if size is not None and entry.files[name].size != size:
            raise SchemaError(f"is {entry.files[name].size}, the counts make it {size}", "size", name, "files")
    for language, counts in entry.languages.items():
        rows, terms, postings = counts["rows"], counts["terms"], counts["postings"]
        if rows > entry.documents or not terms <= postings <= rows * terms:
            raise SchemaError("has impossible counts", language, "languages")
    if entry.deleted is not None:
        size = manifest.deletions[entry.deleted].size if entry.deleted in manifest.deletions else 0
        if not entry.deleted.startswith(f"{entry.name}-") or size % 4 or not 4 <= size <= 4 * entry.documents:
            raise SchemaError("is not a list of its own documents", "deleted")
    counted = entry.counts
    if counted["read"] != counted["indexed"] + counted["merged"] + counted["rejected"]:
        raise SchemaError("do not add up: read = indexed + merged + rejected", "counts")
