"""Files that are written whole or not at all: under a passing name first, then renamed."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from antecede.errors import UsageError

PASSING = re.compile(r"\..+\.[a-z0-9_]{8}")
"""The names that files have while they are written."""


def write_whole(path: str | Path, data: bytes) -> None:
    """Write a file under a passing name, then rename it: nobody ever sees half of it."""
    path = Path(path)
    try:
        target = path.resolve()  # a link stays, and what it points to is written
        if target.exists() and not target.is_file() and not target.is_dir():
            target.write_bytes(data)  # a pipe or a device, such as /dev/stdout, must not be replaced by a file
        else:
            write_file(target, data)
    except (OSError, RuntimeError) as error:  # RuntimeError: links that go in a circle
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be written ({reason}); choose another place") from None


def write_file(path: Path, data: bytes) -> None:
    handle, passing = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:99]}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(passing).chmod(0o666 & ~umask())
        Path(passing).replace(path)
    finally:
        Path(passing).unlink(missing_ok=True)


def clear_strays(folder: Path) -> None:
    """Remove what killed writers left below a folder that nobody else writes to now."""
    for path in folder.rglob(".*"):
        if PASSING.fullmatch(path.name) and path.is_file() and not path.is_symlink():
            path.unlink(missing_ok=True)


def umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
