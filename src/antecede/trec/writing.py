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

from antecede.errors import InputError, UsageError

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
        handle, passing = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        Path(passing).chmod(0o666 & ~umask())
        Path(passing).replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror or error}); choose another place") from None
    finally:
        Path(passing).unlink(missing_ok=True)


def umask() -> int:
    """The mask for new files, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_columns(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a frame as lines of blank-separated columns; an id that holds a blank is refused."""
    for name, kind in frame.schema.items():
        if kind == pl.String:
            bad = frame.filter(pl.col(name).str.contains(r"\s|^#|^$"))[name]
            if len(bad):
                raise InputError(
                    f"{name} {bad[0]!r} cannot stand in a TREC file", remedy="take out blanks and a leading #"
                )
    out = io.BytesIO()
    frame.write_csv(out, include_header=False, separator=" ", quote_style="never")
    pack = PACKERS.get(Path(path).suffix.lower(), bytes)
    write_whole(path, pack(out.getvalue()))
