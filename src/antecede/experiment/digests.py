"""Checksums of files, of data and of code: a step is repeated when one of them changes, not when only a date does."""

from __future__ import annotations

import hashlib
import json
import os
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import antecede
from antecede.errors import InputError
from antecede.files import stamp_of, write_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PREFIX = "sha256:"
CHUNK = 1 << 20
SETTLED = 2_000_000_000
"""Nanoseconds after which the times of a file distinguish one content from the next on every file system."""
HAS_CHANGE_TIME = os.name == "posix"
"""Other systems keep no time of change that a user cannot set back: there every file is hashed every time."""


class Digests:
    """Checksums of files, each remembered with the size, times and inode of the file, so that it is read only once.

    Any change to a file changes the time of its inode, even if the modification time is set back.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = self.read()
        self.changed = False

    def read(self) -> dict[str, list[Any]]:
        """The saved checksums; none if the file is damaged."""
        try:
            found = json.loads(self.path.read_bytes())
        except (OSError, ValueError):
            return {}
        known = found.get("files") if isinstance(found, dict) else None
        return known if isinstance(known, dict) and found.get("sha256") == digest(known) else {}

    def save(self) -> None:
        """Save new checksums, with a checksum of their own."""
        if self.changed:
            write_whole(self.path, json.dumps({"sha256": digest(self.known), "files": self.known}).encode())
            self.changed = False

    def of_file(self, file: Path) -> str:
        """The checksum of a file."""
        try:
            facts = file.stat()
            name, stamp = str(file.absolute()), stamp_of(facts)
            found = self.known.get(name)
            if found is not None and found[:-1] == stamp:
                return str(found[-1])
            digest = hash_file(file)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=str(file)) from None
        if HAS_CHANGE_TIME and time.time_ns() - max(facts.st_mtime_ns, facts.st_ctime_ns) > SETTLED:
            self.known[name] = [*stamp, digest]
            self.changed = True
        return digest

    def of_existing(self, file: Path) -> str | None:
        """The checksum of a file; None if there is none."""
        return self.of_file(file) if file.exists() else None

    def of_paths(self, paths: Iterable[Path]) -> str:
        """One checksum of files and of all files in folders, including their names."""
        return digest([[name, self.of_file(file)] for path in paths for name, file in files_in(path)])


def files_in(path: Path) -> Iterator[tuple[str, Path]]:
    """A file, or all files in a folder, links followed, in the order of their names relative to it."""
    if not path.is_dir():
        yield path.name, path
        return
    found: list[tuple[str, Path]] = []
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        facts = folder.stat()
        if (facts.st_dev, facts.st_ino) in seen:  # several links to one folder, or a cycle
            continue
        seen.add((facts.st_dev, facts.st_ino))
        for each in folder.iterdir():
            if each.is_dir():
                waiting.append(each)
            elif each.is_file():
                found.append((each.relative_to(path).as_posix(), each))
    yield from sorted(found)


def hash_file(file: Path) -> str:
    """The checksum of the contents of a file."""
    with file.open("rb") as stream:
        found = hashlib.sha256()
        while part := stream.read(CHUNK):
            found.update(part)
    return PREFIX + found.hexdigest()


def digest(data: Any) -> str:
    """The checksum of JSON-compatible data."""
    return PREFIX + hashlib.sha256(json.dumps(data, sort_keys=True, default=str).encode()).hexdigest()


def without_digest(data: dict[str, Any]) -> dict[str, Any]:
    """Data without the checksum that is saved with it."""
    return {name: each for name, each in data.items() if name != "sha256"}


SHARED = (
    "errors",
    "files",
    "locks",
    "code_cache",
    "ranges",
    "registry",
    "garbage",
    "parallel",
    "compression",
    "tables",
    "plots",
    "results",
    "fusion",
    "trec",
)
INDEXING = (*SHARED, "kernels", "corpus", "patent", "text", "index", "experiment/search_steps")
SEARCHING = (*INDEXING, "opensearch", "query", "ranking", "search")
SCORING = (*SHARED, "measures", "evaluation", "experiment/steps")
DRAWING = ("report/figures", "report/display_text", "report/results")
COMPARING = (*SCORING, "comparison", "study", *DRAWING, "experiment/parts", "experiment/studies")
CODE: dict[str, tuple[str, ...]] = {
    "collection": (*INDEXING, "synthetic"),
    "index": INDEXING,
    "topics": SEARCHING,
    "titles": INDEXING,
    "words": SEARCHING,
    "run": SEARCHING,
    "part": SCORING,
    "ranks": SCORING,
    "tables": COMPARING,
    "study": COMPARING,
    "sweep": (*SEARCHING, *COMPARING),
    "report": (*COMPARING, "patent", "report/html", "report/page", "report/sections", "report/templates"),
}
"""The packages and modules that the result of each kind of step depends on."""


@cache
def code_digest(kind: str) -> str:
    """The checksum of the code that a kind of step depends on."""
    top = Path(antecede.__file__).parent
    paths = [top / name if (top / name).is_dir() else top / f"{name}.py" for name in dict.fromkeys(CODE[kind])]
    files = [(name, file) for path in paths for name, file in files_in(path) if "__pycache__" not in file.parts]
    return digest([[name, hash_file(file)] for name, file in files])
