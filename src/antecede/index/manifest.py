"""The manifest: what an index consists of. It is the only commit point, written aside and renamed.

It names every file with its size and checksum, so that a damaged or foreign one is found, and says nothing of time or
machine, so that the same collection gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, shown
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from pathlib import Path

NAME = "manifest.json"
FORMAT = "antecede index"
VERSION = 1


@dataclass(frozen=True)
class File:
    """A file of the index: its size and the SHA-256 of its bytes."""

    size: int
    sha256: str


@dataclass(frozen=True)
class SegmentEntry:
    """A segment: its files, and how much it holds."""

    name: str
    documents: int
    languages: dict[str, dict[str, int]]
    """Language → rows, terms and postings."""
    files: dict[str, File]
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
    counts: dict[str, int] = field(default_factory=dict)
    """read, indexed, merged, rejected, over all that was ever added."""

    def write(self, folder: Path) -> None:
        """Make this the state of the index in a folder, at one stroke."""
        whole = asdict(self)
        text = json.dumps(whole, ensure_ascii=False, sort_keys=True)
        head = {"format": FORMAT, "version": VERSION, "sha256": hashlib.sha256(text.encode()).hexdigest()}
        write_whole(folder / NAME, (json.dumps({**head, "index": whole}, ensure_ascii=False, indent=1) + "\n").encode())


def read_manifest(folder: Path) -> Manifest:
    """The state of the index in a folder. A foreign, newer or damaged one is refused by name."""
    path = folder / NAME
    try:
        found = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise InputError(missing(folder), source=str(folder)) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    except ValueError:
        raise InputError("is damaged: no JSON", source=str(path), remedy="build the index again") from None
    check_head(found, path)
    whole = found["index"]
    text = json.dumps(whole, ensure_ascii=False, sort_keys=True)
    if hashlib.sha256(text.encode()).hexdigest() != found.get("sha256"):
        raise InputError("is damaged: its checksum does not fit", source=str(path), remedy="build the index again")
    return restored(whole)


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
    if not folder.exists():
        return "there is no such index; `antecede index COLLECTION --out` makes one"
    if (folder / "work").is_dir():
        return "holds an unfinished build; `antecede index … --resume` goes on with it"
    return "is no index: it has no manifest.json"


def restored(whole: dict[str, Any]) -> Manifest:
    """The manifest from its plain form."""

    def files(of: dict[str, Any]) -> dict[str, File]:
        return {name: File(**each) for name, each in of.items()}

    segments = tuple(SegmentEntry(**{**each, "files": files(each["files"])}) for each in whole["segments"])
    return Manifest(**{**whole, "segments": segments, "deletions": files(whole["deletions"])})
