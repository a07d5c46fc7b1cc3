"""What files hold, in a few signs: steps are made again when these change, and not when only a date does."""

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

MARK = "sha256:"
CHUNK = 1 << 20
SETTLED = 2_000_000_000
"""Nanoseconds after which a file's time tells one content from the next, whatever the file system."""
STAMPED = os.name == "posix"
"""Elsewhere the system keeps no time of change that a user cannot set back: there every file is hashed every time."""


class Digests:
    """Checksums of whole files, remembered by place, size, times and inode, so that each is read once.

    Whatever changes a file changes the time of its inode, even if the modification time is set back.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known = self.read()
        self.new = False

    def read(self) -> dict[str, list[Any]]:
        try:
            found = json.loads(self.path.read_bytes())
        except (OSError, ValueError):
            return {}
        known = found.get("files") if isinstance(found, dict) else None
        return known if isinstance(known, dict) and found.get("sha256") == digest(known) else {}

    def save(self) -> None:
        """Write down what was learnt, with a checksum: a damaged file of these is not believed."""
        if self.new:
            write_whole(self.path, json.dumps({"sha256": digest(self.known), "files": self.known}).encode())
            self.new = False

    def of_file(self, file: Path) -> str:
        """The checksum of a file."""
        try:
            facts = file.stat()
            name, stamp = str(file.absolute()), stamp_of(facts)
            found = self.known.get(name)
            if found is not None and found[:-1] == stamp:
                return str(found[-1])
            digest = MARK + hashed(file)
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror or error})", source=str(file)) from None
        if STAMPED and time.time_ns() - max(facts.st_mtime_ns, facts.st_ctime_ns) > SETTLED:
            self.known[name] = [*stamp, digest]
            self.new = True
        return digest

    def of_paths(self, paths: Iterable[Path]) -> str:
        """One checksum of files and of all files in folders, with their names in these."""
        return digest([[name, self.of_file(file)] for path in paths for name, file in files_in(path)])


def files_in(path: Path) -> Iterator[tuple[str, Path]]:
    """A file, or the files of a folder and of those that links in it lead to, by name within it, in order."""
    if not path.is_dir():
        yield path.name, path
        return
    found: list[tuple[str, Path]] = []
    seen: set[tuple[int, int]] = set()
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        facts = folder.stat()
        if (facts.st_dev, facts.st_ino) in seen:  # links that lead there twice, or in a circle
            continue
        seen.add((facts.st_dev, facts.st_ino))
        for each in folder.iterdir():
            if each.is_dir():
                waiting.append(each)
            elif each.is_file():
                found.append((each.relative_to(path).as_posix(), each))
    yield from sorted(found)


def hashed(file: Path) -> str:
    with file.open("rb") as stream:
        found = hashlib.sha256()
        while part := stream.read(CHUNK):
            found.update(part)
    return found.hexdigest()


def digest(whole: Any) -> str:
    """A few signs that stand for data."""
    return MARK + hashlib.sha256(json.dumps(whole, sort_keys=True, default=str).encode()).hexdigest()


@cache
def code(*rooms: str) -> str:
    """The version of the code that a step depends on: a checksum of rooms, or of single files such as `tables`."""
    top = Path(antecede.__file__).parent
    paths = [top / room if (top / room).is_dir() else top / f"{room}.py" for room in rooms]
    files = [(name, file) for path in paths for name, file in files_in(path) if "__pycache__" not in file.parts]
    return digest([[name, hashed(file)] for name, file in files])
