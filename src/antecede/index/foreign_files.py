"""Foreign files: files in the folder of an index that antecede did not write, and must not remove.

Beside `manifest.json`, `lock`, `segments` and `work`, a user may keep any files in the folder; they are not touched.
Inside `segments/s000001` and `work`, which are removed as a whole, a foreign file makes the writer stop.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from antecede.errors import InputError, UsageError, shown
from antecede.files import TEMPORARY
from antecede.index.files import read_regular
from antecede.index.layout import SEGMENTS
from antecede.index.manifest import NAME, is_index
from antecede.index.read_lock import GONE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK, WORK, PASSING = "lock", "work", ".part"
SPACE = rf"space-[0-9]{{6,}}(-s[0-9]{{6,}})?(\{PASSING}|\{GONE})?"
OURS = re.compile(rf"s[0-9]{{6,}}(\{PASSING}|\{GONE}|-deleted-[0-9]{{6,}}\.u32)?|{SPACE}|translation-[0-9]{{6,}}\.zst")
"""The names that antecede uses in the folder of segments; all others are foreign and are left alone."""
ARRAY = r"[a-z_]+\.(u8|u32|u64|i32|i64)"
IN_SEGMENT = re.compile(
    rf"{ARRAY}|documents\.sqlite(-[a-z]+)?|rejects\.jsonl|tmp[a-z0-9_]{{8}}"
    rf"|([A-Za-z]{{1,3}}|other-[0-9a-f]+|unknown)(/({ARRAY}|tmp[a-z0-9_]{{8}}))?"
)
IN_SPACE = re.compile(r"([A-Za-z]{1,3}|other-[0-9a-f]+|unknown)-[a-z]+(\.f32|/[a-z_]+\.(u8|i64|f32))?")
IN_WORK = re.compile(
    rf"plan\.json|committed|{TEMPORARY.pattern}|[0-9a-f]{{16}}(/((chunk|late)-[0-9]{{6,}}(\.[0-9]+)?|tmp[a-z0-9_]{{8}}))?"
)


def check_contents(folder: Path) -> None:
    """Refuse to write to a folder that holds something other than an index, or foreign files in its inner folders."""
    if not folder.is_dir():
        return
    check_own(folder)
    if (folder / NAME).exists():
        if not is_index(folder) and not is_damaged_index(folder):
            raise UsageError(f"{folder}: {NAME} there is not the manifest of an index; name a folder of its own")
    elif beside := [*other_files(folder)]:
        raise UsageError(f"{folder}: holds other files, such as {shown(beside[0])}, and no index; name another folder")
    for name in foreign_files(folder):
        raise UsageError(f"{folder}: {shown(name)} was not written by antecede and would be removed; move it away")


def check_own(folder: Path) -> None:
    """Refuse to write where a link inside the folder would lead out of it."""
    for name in (NAME, LOCK, SEGMENTS, WORK):
        if (folder / name).is_symlink():
            raise UsageError(f"{folder / name}: is a link; an index holds its own files. Build it in another folder")
    for name in (SEGMENTS, WORK):
        if (folder / name).exists() and not (folder / name).is_dir():
            raise UsageError(f"{folder / name}: is a file where an index has a folder. Build it in another folder")


def other_files(folder: Path) -> Iterator[str]:
    """The foreign files in a folder without a manifest, which may hold an unfinished index."""
    yield from (each.name for each in entries(folder) if each.name not in (LOCK, WORK, f"{WORK}{GONE}", SEGMENTS))
    yield from (f"{SEGMENTS}/{each.name}" for each in entries(folder / SEGMENTS) if not OURS.fullmatch(each.name))


def is_damaged_index(folder: Path) -> bool:
    """Whether an unreadable manifest is beside segments of antecede: a damaged index, not a foreign file."""
    try:
        json.loads(read_regular(folder / NAME))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(folder / NAME)) from None
    except (ValueError, RecursionError):
        return any(OURS.fullmatch(each.name) for each in entries(folder / SEGMENTS))
    return False


def foreign_files(folder: Path) -> Iterator[str]:
    """The foreign files in places that antecede removes as a whole."""
    lock = folder / LOCK
    if lock.exists() and (not lock.is_file() or lock.stat().st_size):
        yield LOCK
    for work in (folder / WORK, folder / f"{WORK}{GONE}"):
        yield from foreign_in(work, IN_WORK, work.name)
    for each in entries(folder / SEGMENTS):
        if OURS.fullmatch(each.name) and not each.name.endswith((".u32", ".zst")):
            inside = IN_SPACE if each.name.startswith("space-") else IN_SEGMENT
            yield from foreign_in(each, inside, f"{SEGMENTS}/{each.name}")


def foreign_in(folder: Path, ours: re.Pattern[str], name: str) -> Iterator[str]:
    """The files of a folder whose names antecede does not use; the path itself if it is a link or not a folder."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        yield name
        return
    for each in sorted(folder.rglob("*")):
        inside = each.relative_to(folder).as_posix()
        if not ours.fullmatch(inside) or each.is_symlink():
            yield f"{name}/{inside}"


def entries(folder: Path) -> list[Path]:
    """The sorted entries of a folder; none if it does not exist."""
    return sorted(folder.iterdir()) if folder.is_dir() else []
