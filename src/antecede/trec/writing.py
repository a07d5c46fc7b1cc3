"""Runs and qrels as files of blank-separated columns, written whole or not at all."""

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


def pack_zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(data)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda data: gzip.compress(data, mtime=0),  # no time stamp: the same run gives the same bytes
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": pack_zstd,
}


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
