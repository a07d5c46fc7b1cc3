"""Rank tables on disk: a zip of plain arrays (.npz), read without pickle, each array checked by its checksum."""

from __future__ import annotations

import io
import json
import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, shown
from antecede.evaluation.rank_table import RankTable
from antecede.measures.ranks import Ranks
from antecede.trec.content import read_file
from antecede.trec.texts import Texts
from antecede.whole_files import write_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FORMAT = "antecede rank table"
VERSION = 1


def save(table: RankTable, path: str | Path) -> None:
    """Write a rank table, whole or not at all."""
    ranks = table.ranks
    head = {
        "format": FORMAT,
        "version": VERSION,
        "counts": {name: values.tolist() for name, values in table.counts.items()},
        "qrels_counts": table.qrels_counts,
    }
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "ranks": ranks.ranks.astype(np.uint16) if ranks.ranks.max(initial=0) < 2**16 else ranks.ranks,
        "relevance": ranks.relevance,
        "offsets": ranks.offsets,
        "retrieved": ranks.retrieved,
        **({} if ranks.copies is None else {"copies": ranks.copies}),
    }
    for name, texts in (("runs", table.runs), ("topics", table.topics), ("doc_ids", table.docs.to_list())):
        arrays |= packed(name, texts)
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    write_whole(path, out.getvalue())


def load(path: str | Path) -> RankTable:
    """Read a rank table."""
    source = str(path)
    data = read_file(Path(path), source)
    try:
        arrays = stored_arrays(data)
        head = json.loads(arrays["head"].tobytes())
        if head["format"] != FORMAT:
            raise ValueError(head["format"])
        version = head["version"]
        table = restored(arrays, head) if version == VERSION else None
    except DAMAGE as error:
        reason = shown(str(error)) or type(error).__name__
        raise InputError(
            f"is not a rank table, or a damaged one ({reason})", source=source, remedy="make it again from the runs"
        ) from None
    if table is None:
        raise InputError(
            f"is a rank table of version {shown(str(version))}, this antecede reads version {VERSION}",
            source=source,
            remedy="make it again from the runs",
        )
    return table


DAMAGE = (
    ValueError, LookupError, TypeError, AttributeError, OSError, EOFError, RuntimeError, MemoryError, struct.error,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
"""What reading a zip of arrays raises, depending on which of its bytes is wrong."""


def stored_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz file. Each is read to its end, which is where its checksum is compared."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        stored = {name.removesuffix(".npy"): archive.read(name) for name in archive.namelist()}
    return {name: np.lib.format.read_array(io.BytesIO(each), allow_pickle=False) for name, each in stored.items()}


def restored(arrays: dict[str, NDArray[Any]], head: dict[str, Any]) -> RankTable:
    """The table that the arrays make, if they fit together."""
    ranks = Ranks(
        arrays["ranks"].astype(np.int32),
        arrays["relevance"],
        arrays["offsets"],
        arrays["retrieved"],
        arrays.get("copies"),
    )
    table = RankTable(
        tuple(unpacked(arrays, "runs")),
        tuple(unpacked(arrays, "topics")),
        Texts.of(unpacked(arrays, "doc_ids")),
        ranks,
        {name: np.array(values, np.int64) for name, values in head["counts"].items()},
        head["qrels_counts"],
    )
    runs, topics, pairs = len(table.runs), len(table.topics), len(table.docs)
    shapes = [ranks.ranks.shape, ranks.relevance.shape, ranks.offsets.shape, ranks.retrieved.shape]
    shapes += [] if ranks.copies is None else [ranks.copies.shape]
    if shapes != [(runs, pairs), (pairs,), (topics + 1,), (runs, topics), (pairs,)][: len(shapes)]:
        raise ValueError("its arrays do not fit together")
    return table


def is_rank_table(path: str | Path) -> bool:
    """Whether a file looks like a saved rank table rather than qrels."""
    try:
        if not Path(path).is_file():  # opening a pipe to look at it would lose what is in it
            return False
        with zipfile.ZipFile(path) as archive:
            return "head.npy" in archive.namelist()
    except DAMAGE:
        return False


def packed(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as one string of bytes and the place where each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}_end": ends}


def unpacked(arrays: dict[str, NDArray[Any]], name: str) -> list[str]:
    data, ends = arrays[name].tobytes(), arrays[f"{name}_end"].tolist()
    return [data[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
