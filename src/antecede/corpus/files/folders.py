"""Files in folders, in an order that is the same on every system; what is not a regular file is rejected."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.corpus.document import Rejected
from antecede.corpus.files.archives import SYSTEM_FILES
from antecede.errors import InputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def find_files(paths: Sequence[str | Path]) -> Iterator[Path | Rejected]:
    """The files given by paths, including those in folders. A path that does not exist is an error of the user."""
    seen: set[tuple[int, int]] = set()
    for path in map(Path, paths):
        if str(path) == "-":
            yield path
            continue
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(f"cannot be opened: {reason}", source=shown(str(path), 200)) from None
        if is_folder:
            yield from walk(path, seen)
        else:
            yield path  # a pipe is read too, if it is given explicitly


def walk(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Path | Rejected]:
    """The files of a folder and its subfolders. A folder reached twice through links is read once."""
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            found = path.stat()
            if stat.S_ISDIR(found.st_mode):
                if (found.st_dev, found.st_ino) in seen:
                    yield Rejected(label(path), "a link to a folder that was already read")
                    continue
                seen.add((found.st_dev, found.st_ino))
                inside = (each for each in path.iterdir() if SYSTEM_FILES.search(each.name) is None)
                waiting += sorted(inside, key=lambda each: natural_key(each.name), reverse=True)
                continue
        except OSError as error:
            yield Rejected(label(path), f"cannot be opened: {error.strerror}")
            continue
        if stat.S_ISREG(found.st_mode):
            yield path
        else:
            yield Rejected(label(path), f"not a file but {describe_kind(found.st_mode)}")


def natural_key(name: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key that compares numbers in names by value: `part2` before `part10`."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return (*((0, int(part), part) if part[0] in "0123456789" else (1, 0, part) for part in parts),)


def describe_kind(mode: int) -> str:
    return next((name for is_kind, name in KINDS if is_kind(mode)), "something else")


def label(path: Path) -> str:
    """The path in a form that can always be printed."""
    return os.fsencode(path).decode("utf-8", "replace")


def size_of(path: Path) -> int:
    """The size of a regular file in bytes; 0 for anything else."""
    try:
        found = path.stat()
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0
