"""The folders that compiled code is loaded from: whoever can write to one of them can run code as the user.

They are checked before numba is imported, as ssh checks the folders of keys: each folder on the way, and each link,
belongs to the user or to root, and nobody else can write to it. What lies in a folder that others cannot enter is safe
from them. The caches that numba keeps beside the source (`__pycache__`) are as safe as the source: Python itself loads
code from there.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHERS_WRITE, OTHERS_ENTER = 0o022, 0o011
MOST_LINKS = 40
SETTINGS = ".numba_config.yaml"
"""A file in the current folder that numba would take its settings from, the cache folder among them."""


def user_cache() -> str:
    """The folder for the caches of this user's programs; it may not exist."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or ""
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches")  # noqa: PTH111  # Path.expanduser fails without a home
    return os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111


def check_code_caches() -> None:
    """Refuse, in one line, to load compiled code that somebody else can write."""
    if Path(SETTINGS).exists():
        raise UsageError(f"{SETTINGS}: numba would take settings from the current folder; remove it, or work elsewhere")
    if not hasattr(os, "geteuid"):  # without users of POSIX
        return
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        with suppress(OSError):  # made here, so that nobody else makes it first
            Path(chosen).mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(chosen) if chosen else Path(user_cache(), "numba")
    risk = find_risk(folder)
    if risk is not None:
        raise UsageError(
            f"{folder}: compiled code is not loaded from there, since {risk}; "
            "set NUMBA_CACHE_DIR to a folder of your own that only you can enter (chmod 700)"
        )


def check_source_cache(source: str) -> None:
    """Refuse a cache beside a source file that is less safe than the folder of the source."""
    folder, cache = Path(source).parent, Path(source).parent / "__pycache__"
    if not hasattr(os, "geteuid") or not cache.is_dir():
        return
    beside, own = folder.stat(), cache.lstat()
    loose = own.st_mode & ~beside.st_mode & OTHERS_WRITE
    if stat.S_ISLNK(own.st_mode) or own.st_uid not in (os.geteuid(), 0, beside.st_uid) or loose:
        raise UsageError(
            f"{cache}: compiled code is not loaded from there, since others can change it; "
            "set NUMBA_CACHE_DIR to a folder of your own, or remove that one"
        )


def find_risk(folder: Path) -> str | None:
    """Who but the user can change what is in a folder, in words; None where nobody can, or where there is none."""
    user, private = os.geteuid(), None
    place, facts = Path("/"), Path("/").stat()
    for place, facts in follow(folder):
        if facts.st_uid not in (user, 0):
            return f"{place} belongs to another user"
        if stat.S_ISLNK(facts.st_mode):
            continue
        hidden = private is not None and place.is_relative_to(private)
        # In a sticky folder, such as /tmp, only its owner can rename or remove an entry.
        if facts.st_mode & OTHERS_WRITE and not facts.st_mode & stat.S_ISVTX and not hidden:
            return f"others can write to {place}"
        if not hidden and facts.st_uid == user and not facts.st_mode & OTHERS_ENTER:
            private = place
    if not stat.S_ISDIR(facts.st_mode) or not os.path.isdir(folder):  # noqa: PTH112 - any text
        return None
    hidden = private is not None and place.is_relative_to(private)
    return risk_of(place, facts, hidden=hidden) or risk_inside(place, hidden=hidden)


def follow(path: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Each folder and link on the way to a path, as far as it exists."""
    waiting = [*reversed(Path(os.path.abspath(path)).parts)]  # noqa: PTH100 - links are followed below
    place, links = Path(), 0
    while waiting:
        step = waiting.pop()
        place = place.parent if step == ".." else place / step
        try:
            facts = place.lstat()
        except OSError:
            return
        yield place, facts
        if stat.S_ISLNK(facts.st_mode):
            links += 1
            if links > MOST_LINKS:
                return
            waiting += reversed(place.readlink().parts)
            place = place.parent


def risk_of(place: Path, facts: os.stat_result, *, hidden: bool) -> str | None:
    """Who else can change an entry of a cache; `hidden` says that others cannot enter its folder."""
    if facts.st_uid != os.geteuid():
        return f"{place} belongs to another user"
    if stat.S_ISLNK(facts.st_mode):
        return f"{place} is a link"
    return f"others can write to {place}" if facts.st_mode & OTHERS_WRITE and not hidden else None


def risk_inside(folder: Path, *, hidden: bool) -> str | None:
    """The same of what is in a cache: the files, and those in its folders."""
    for pattern in ("*", "*/*"):
        for place in folder.glob(pattern):
            with suppress(FileNotFoundError):  # a temporary file of another process
                risk = risk_of(place, place.lstat(), hidden=hidden)
                if risk is not None:
                    return risk
    return None
