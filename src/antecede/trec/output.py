"""Runs and qrels as files of space-separated columns, written completely or not at all."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from antecede.errors import InputError, shown
from antecede.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable


def compress_zstd(data: bytes) -> bytes:
    """Compress with zstd."""
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # no time stamp: the same run gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": compress_zstd,
}

UNFIT = r"[\x00\t-\r ]|^$"
"""Characters that separate columns and lines, and the empty text. Other blanks, such as U+00A0, are allowed."""
UNFIT_FIRST = rf"{UNFIT}|^[#\u{{FEFF}}]"
"""The same for the first column: a line that begins with # is a comment, and a leading U+FEFF is not read."""


def format_columns(frame: pl.DataFrame) -> bytes:
    """A frame as lines of space-separated columns; refuse ids that could not be read back unchanged."""
    for at, (name, kind) in enumerate(frame.schema.items()):
        if kind == pl.String:
            unfit = UNFIT_FIRST if at == 0 else UNFIT
            bad = frame.filter(pl.col(name).str.contains(unfit))[name]
            if len(bad):
                raise InputError(
                    f"{name} '{shown(bad[0])}' cannot be written to a TREC file", remedy="remove blanks and a leading #"
                )
    out = io.BytesIO()
    frame.write_csv(out, include_header=False, separator=" ", quote_style="never")
    return out.getvalue()


def write_columns(frame: pl.DataFrame, path: str | Path) -> None:
    """Write a frame as lines of space-separated columns; refuse ids that could not be read back unchanged."""
    compress = COMPRESSORS.get(Path(path).suffix.lower(), bytes)
    write_whole(path, compress(format_columns(frame)))
