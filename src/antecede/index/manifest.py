"""The manifest: what an index consists of. It is the only commit point, written aside and renamed.

It names every file with its size and checksum, so that a damaged or foreign one is found, and says nothing of time or
machine, so that the same collection gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, shown
from antecede.index.files import File
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = "manifest.json"
FORMAT = "antecede index"
VERSION = 3
COUNTED = ("read", "indexed", "merged", "rejected", "replaced")
AGAIN = "build the index again"


@dataclass(frozen=True)
class SegmentEntry:
    """A segment: its files, and how much it holds."""

    name: str
    documents: int
    languages: dict[str, dict[str, int]]
    """Language → rows, terms and postings."""
    files: dict[str, File]
    counts: dict[str, int]
    """What its making came to: read, indexed, merged, rejected, and replaced in older segments."""
    deleted: str | None = None
    """The file, beside the segments, that lists its documents which a later segment replaced."""


@dataclass(frozen=True)
class Manifest:
    """One state of an index."""

    settings: dict[str, Any]
    segments: tuple[SegmentEntry, ...] = ()
    generation: int = 1
    """Counts the states: each build, add and merge makes the next."""
    deletions: dict[str, File] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """The counts over all that was ever added."""
        return {name: sum(each.counts[name] for each in self.segments) for name in COUNTED}

    def to_dict(self) -> dict[str, Any]:
        """The manifest in plain form."""

        def files(of: Mapping[str, File]) -> dict[str, dict[str, Any]]:
            return {name: dict(file.__dict__) for name, file in of.items()}

        segments = [{**each.__dict__, "files": files(each.files)} for each in self.segments]
        return {**self.__dict__, "segments": segments, "deletions": files(self.deletions)}

    def written(self) -> bytes:
        """The manifest as it stands in its file: its own checksum, then all of it."""
        index = json.dumps(self.to_dict(), ensure_ascii=False)
        digest = hashlib.sha256(index.encode()).hexdigest()
        head = json.dumps({"format": FORMAT, "version": VERSION, "sha256": digest})
        return f'{head[:-1]}, "index": {index}}}\n'.encode()

    def write(self, folder: Path) -> None:
        """Make this the state of the index in a folder, at one stroke."""
        write_whole(folder / NAME, self.written())


def read_manifest(folder: Path) -> Manifest:
    """The state of the index in a folder. A foreign, newer or damaged one is refused by name."""
    path = folder / NAME
    try:
        data = path.read_bytes()
        found = json.loads(data)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(missing(folder), source=str(folder)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    except (ValueError, RecursionError):
        raise InputError("is damaged: no JSON", source=str(path), remedy=AGAIN) from None
    check_head(found, path)
    try:
        manifest = restored(found["index"])
        whole = manifest.written() == data
    except (KeyError, TypeError, AttributeError, ValueError):
        whole = False
    if not whole:
        raise InputError("is damaged: its checksum does not fit", source=str(path), remedy=AGAIN)
    return manifest


def is_index(folder: Path) -> bool:
    """Whether a folder holds an index of ours, of whatever version."""
    try:
        with (folder / NAME).open("rb") as file:
            return json.dumps({"format": FORMAT}).encode()[:-1] in file.read(64)
    except OSError:
        return False


def check_head(found: Any, path: Path) -> None:
    """Refuse what is no index of ours, or of a version that this program does not know."""
    if not isinstance(found, dict) or found.get("format") != FORMAT or not isinstance(found.get("index"), dict):
        raise InputError("is no index of antecede", source=str(path), remedy="name the folder that `index --out` made")
    if found.get("version") != VERSION:
        raise InputError(
            f"index format version {shown(str(found.get('version')))}, this program reads version {VERSION}",
            source=str(path),
            remedy="build the index again, or use the version of antecede that made it",
        )


def missing(folder: Path) -> str:
    """What stands in place of an index."""
    if not folder.is_dir():
        return (
            "is a file, not an index"
            if folder.exists()
            else "there is no such index; `antecede index COLLECTION --out` makes one"
        )
    if (folder / "work").is_dir():
        return "holds an unfinished build; `antecede index … --resume` goes on with it"
    return "is no index: it has no manifest.json"


def restored(whole: dict[str, Any]) -> Manifest:
    """The manifest from its plain form."""

    def files(of: dict[str, Any]) -> dict[str, File]:
        return {name: File(**each) for name, each in of.items()}

    segments = tuple(SegmentEntry(**{**each, "files": files(each["files"])}) for each in whole["segments"])
    return Manifest(**{**whole, "segments": segments, "deletions": files(whole["deletions"])})
