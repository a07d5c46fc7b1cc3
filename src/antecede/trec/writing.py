"""Files that are written whole or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from antecede.errors import InputError, UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable


def pack_zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # no time stamp: the same run gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": pack_zstd,
}


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


def umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


UNFIT = r"[\x00\t-\r ]|^$"
"""What parts columns and lines, and nothing at all. Other blanks, such as U+00A0, are signs like any other."""
UNFIT_FIRST = rf"{UNFIT}|^[#\u{{FEFF}}]"
"""A line that begins with # is a comment, a file that begins with U+FEFF has a mark that is not read."""


def write_columns(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a frame as lines of blank-separated columns; an id that would not be read back as it is, is refused."""
    for at, (name, kind) in enumerate(frame.schema.items()):
        if kind == pl.String:
            unfit = UNFIT_FIRST if at == 0 else UNFIT
            bad = frame.filter(pl.col(name).str.contains(unfit))[name]
            if len(bad):
                raise InputError(
                    f"{name} '{shown(bad[0])}' cannot stand in a TREC file", remedy="take out blanks and a leading #"
                )
    out = io.BytesIO()
    frame.write_csv(out, include_header=False, separator=" ", quote_style="never")
    pack = PACKERS.get(Path(path).suffix.lower(), bytes)
    write_whole(path, pack(out.getvalue()))
