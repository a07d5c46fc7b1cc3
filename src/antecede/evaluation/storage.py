"""Rank tables on disk: a zip of plain arrays (.npz), read without pickle.

The checksums of the zip guarantee that the numbers are those that were saved. A file that is not a rank table, that is
damaged, or whose arrays do not fit together is refused.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, shown
from antecede.evaluation.rank_table import RankTable, check_usable
from antecede.files import write_whole
from antecede.measures.ranks import Ranks
from antecede.trec.content import read_file
from antecede.trec.rows import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FORMAT = "antecede rank table"
VERSION = 1
REMEDY = "build it again from the runs"

TYPES: dict[str, tuple[str, ...]] = {
    "head": ("u1",),
    "ranks": ("u2", "i4"),
    "relevance": ("i4",),
    "offsets": ("i8",),
    "retrieved": ("i4",),
    "copies": ("b1",),
    "runs": ("u1",),
    "runs_end": ("i8",),
    "topics": ("u1",),
    "topics_end": ("i8",),
    "doc_ids": ("u1",),
    "doc_ids_end": ("i8",),
}
"""The arrays of a table, and the types that each may have."""
OPTIONAL = {"copies"}


def save_table(table: RankTable, path: str | Path) -> None:
    """Write a rank table, completely or not at all."""
    ranks = table.ranks
    head = {
        "format": FORMAT,
        "version": VERSION,
        "counts": {name: values.tolist() for name, values in table.counts.items()},
        "qrels_counts": table.qrels_counts,
        "labels": {run: [*labels] for run, labels in table.labels.items()},
    }
    arrays: dict[str, NDArray[Any]] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "ranks": ranks.ranks.astype(np.uint16) if ranks.ranks.max(initial=0) < 2**16 else ranks.ranks.astype(np.int32),
        "relevance": ranks.relevance.astype(np.int32),
        "offsets": ranks.offsets.astype(np.int64),
        "retrieved": ranks.retrieved.astype(np.int32),
        **({} if ranks.copies is None else {"copies": ranks.copies.astype(np.bool_)}),
    }
    for name, texts in (("runs", table.runs), ("topics", table.topics), ("doc_ids", table.docs.to_list())):
        arrays |= _join_texts(name, texts)
    out = io.BytesIO()
    np.savez(out, allow_pickle=False, **arrays)
    write_whole(path, out.getvalue())


def load_table(path: str | Path) -> RankTable:
    """Read a rank table; refuse a file that is not one, or is damaged."""
    source = str(path)
    data = read_file(Path(path), source)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            head = json.loads(_read_array(archive, "head").tobytes())
            _require(head["format"] == FORMAT, "its description is not that of a rank table")
            version = head["version"]
            table = _build_table(_read_arrays(archive), head) if version == VERSION else None
    except Exception as error:  # noqa: BLE001 - what is raised depends on which byte of the zip is wrong
        reason = shown(str(error)) or type(error).__name__
        raise InputError(f"is not a rank table, or a damaged one ({reason})", source=source, remedy=REMEDY) from None
    if table is None:
        other = shown(str(version))
        raise InputError(
            f"is a rank table of version {other}, this antecede reads version {VERSION}", source=source, remedy=REMEDY
        )
    check_usable(table, source)
    return table


def _require(condition: object, problem: str) -> None:
    if not condition:
        raise ValueError(problem)


def _read_arrays(archive: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    names = [name.removesuffix(".npy") for name in archive.namelist()]
    _require({*TYPES} - OPTIONAL <= {*names} <= {*TYPES}, "its arrays are not those of a rank table")
    return {name: _read_array(archive, name) for name in names}


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """One array of the expected type. It is not compressed, so it takes no more memory than the file has bytes."""
    member = archive.getinfo(f"{name}.npy")
    _require(member.compress_type == zipfile.ZIP_STORED, f"{name} is compressed")
    stream = io.BytesIO(archive.read(member))  # to its end, where the checksum is compared
    array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    _require(f"{array.dtype.kind}{array.dtype.itemsize}" in TYPES[name], f"{name} has the type {array.dtype}")
    return array


def _build_table(arrays: dict[str, NDArray[Any]], head: dict[str, Any]) -> RankTable:
    runs, topics, docs = (_split_texts(arrays, name) for name in ("runs", "topics", "doc_ids"))
    ranks, relevance, offsets, retrieved = (arrays[name] for name in ("ranks", "relevance", "offsets", "retrieved"))
    copies = arrays.get("copies")
    shapes = [ranks.shape, relevance.shape, offsets.shape, retrieved.shape, *([] if copies is None else [copies.shape])]
    wanted = [(len(runs), len(docs)), (len(docs),), (len(topics) + 1,), (len(runs), len(topics)), (len(docs),)]
    _require(shapes == wanted[: len(shapes)], "its arrays are inconsistent")
    _require(offsets[0] == 0 and offsets[-1] == len(docs) and (np.diff(offsets) >= 0).all(), "its offsets are wrong")
    table = Ranks(ranks.astype(np.int32), relevance, offsets, retrieved, copies, topic_ids=tuple(topics))
    counts = {name: np.array(values, np.int64) for name, values in head["counts"].items()}
    labels = {run: tuple(names) for run, names in head.get("labels", {}).items()}
    documents = Texts.from_list(docs)
    return RankTable(tuple(runs), tuple(topics), documents, table, counts, dict(head["qrels_counts"]), labels=labels)


def is_rank_table(path: str | Path) -> bool:
    """Whether a file looks like a saved rank table rather than qrels."""
    try:
        if not Path(path).is_file():  # opening a pipe to inspect it would consume its content
            return False
        with zipfile.ZipFile(path) as archive:
            return "head.npy" in archive.namelist()
    except Exception:  # noqa: BLE001 - as in `load_table`
        return False


def _join_texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as one string of bytes and the position at which each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}_end": ends}


def _split_texts(arrays: dict[str, NDArray[Any]], name: str) -> list[str]:
    """The texts that `_join_texts` joined."""
    data, positions = arrays[name].tobytes(), arrays[f"{name}_end"]
    ends = positions.tolist()
    _require((ends[-1] if ends else 0) == len(data), f"{name} is truncated")
    return [data[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
