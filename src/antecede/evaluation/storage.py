"""Rank tables on disk: a zip of plain arrays (.npz), read without pickle.

The file may come from anywhere, so nothing in it is trusted: the zip holds exactly the arrays of a table, stored
without compression, each of the expected type and as long as its header says, and every number is checked before use.
"""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, printable
from antecede.evaluation.rank_table import RankTable, check_usable
from antecede.files import write_whole
from antecede.measures.ranks import Ranks
from antecede.trec.content import read_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FORMAT = "antecede rank table"
VERSION = 1
LARGEST_GRADE = 10**9
"""Relevance lies between −10⁹ and 10⁹, as in qrels."""
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
    arrays: dict[str, Any] = {
        "head": np.frombuffer(json.dumps(head).encode(), np.uint8),
        "ranks": ranks.ranks.astype(np.uint16) if ranks.ranks.max(initial=0) < 2**16 else ranks.ranks.astype(np.int32),
        "relevance": ranks.relevance.astype(np.int32),
        "offsets": ranks.offsets.astype(np.int64),
        "retrieved": ranks.retrieved.astype(np.int32),
        **({} if ranks.copies is None else {"copies": ranks.copies.astype(np.bool_)}),
    }
    for name, texts in (("runs", table.runs), ("topics", table.topics), ("doc_ids", table.docs)):
        arrays |= _join_texts(name, texts)
    out = io.BytesIO()
    np.savez(out, **arrays)
    write_whole(path, out.getvalue())


def load_table(path: str | Path) -> RankTable:
    """Read a rank table; refuse a file that is not one, or contains anything that `save_table` does not write."""
    source = str(path)
    data = read_file(Path(path), source)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            head = _read_head(_read_array(archive, "head"))
            version = head["version"]
            table = _build_table(_read_arrays(archive), head) if version == VERSION else None
    except Exception as error:  # noqa: BLE001 - what is raised depends on which of its bytes is wrong
        reason = printable(str(error)) or type(error).__name__
        raise InputError(f"is not a rank table, or a damaged one ({reason})", source=source, remedy=REMEDY) from None
    if table is None:
        other = printable(str(version))
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
    _require(len({*names}) == len(names), "an array is stored twice")
    _require({*TYPES} - OPTIONAL <= {*names} <= {*TYPES}, "its arrays are not those of a rank table")
    return {name: _read_array(archive, name) for name in names}


def _read_array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """One array of an expected type. It is not compressed, so it takes no more memory than the file has bytes."""
    member = archive.getinfo(f"{name}.npy")
    _require(member.compress_type == zipfile.ZIP_STORED, f"{name} is compressed")
    data = io.BytesIO(archive.read(member))  # to its end, where the checksum is compared
    array: NDArray[Any] = np.lib.format.read_array(data, allow_pickle=False)
    _require(not data.read(1), f"{name} is not as long as its header says")
    kind = array.dtype.newbyteorder("<")
    _require(kind in [np.dtype(f"<{each}") for each in TYPES[name]], f"{name} has the type {kind}")
    _require(kind != np.bool_ or (array.view(np.uint8) <= 1).all(), f"{name} are not true or false")
    return array.astype(kind.newbyteorder("="))


def _read_head(array: NDArray[Any]) -> dict[str, Any]:
    head = json.loads(array.tobytes())
    _require(isinstance(head, dict) and head.get("format") == FORMAT, "its description is not that of a rank table")
    return dict(head)


def _build_table(arrays: dict[str, NDArray[Any]], head: dict[str, Any]) -> RankTable:
    runs, topics, docs = (_split_texts(arrays, name) for name in ("runs", "topics", "doc_ids"))
    for name, texts in (("runs", runs), ("topics", topics)):
        _require(texts and len({*texts}) == len(texts), f"two {name} have the same name, or there are none")
    ranks, relevance, offsets, retrieved = (arrays[name] for name in ("ranks", "relevance", "offsets", "retrieved"))
    copies = arrays.get("copies")
    shapes = [ranks.shape, relevance.shape, offsets.shape, retrieved.shape, *([] if copies is None else [copies.shape])]
    wanted = [(len(runs), len(docs)), (len(docs),), (len(topics) + 1,), (len(runs), len(topics)), (len(docs),)]
    _require(shapes == wanted[: len(shapes)], "its arrays are inconsistent")
    _require(offsets[0] == 0 and offsets[-1] == len(docs) and (np.diff(offsets) >= 0).all(), "its offsets are wrong")
    _require((np.abs(relevance.astype(np.int64)) < LARGEST_GRADE).all(), "a relevance is out of range")
    _require((retrieved >= 0).all(), "a number of documents is negative")
    table = Ranks(ranks.astype(np.int32), relevance, offsets, retrieved, copies, topic_ids=tuple(topics))
    _check_ranks(table)
    _check_pairs(table, docs)
    counts = {
        name: np.array(_check_count_list(values, len(runs)), np.int64) for name, values in dict(head["counts"]).items()
    }
    odd = dict(head["qrels_counts"])
    _check_count_list([*odd.values()], len(odd))
    _check_totals(counts, table)
    labels = _read_labels(head.get("labels", {}), runs)
    return RankTable(tuple(runs), tuple(topics), tuple(docs), table, counts, odd, labels=labels)


def _read_labels(given: Any, runs: list[str]) -> dict[str, tuple[str, ...]]:
    _require(isinstance(given, dict) and {*given} <= {*runs}, "its names are not those of its runs")
    for each in given.values():
        _require(isinstance(each, list) and all(isinstance(label, str) for label in each), "a name is not a text")
    return {run: tuple(given[run]) for run in runs if run in given}


def _check_ranks(table: Ranks) -> None:
    """Require ranks from 1 to the number of documents retrieved, distinct within a topic."""
    _require((table.ranks >= 0).all(), "a rank is negative")
    _require((table.ranks <= table.retrieved[:, table.topic]).all(), "a rank is beyond the documents retrieved")
    for row in table.ranks:
        found = np.flatnonzero(row)
        places = np.sort((table.topic[found] << 32) + row[found])
        _require((places[1:] != places[:-1]).all(), "two documents have the same rank")


def _check_pairs(table: Ranks, docs: list[str]) -> None:
    """Require one judgement per topic and document; a copy follows it, has its relevance, and ranks below it."""
    copies = np.zeros(len(docs), bool) if table.copies is None else table.copies
    seen = {(topic, doc) for topic, doc, copy in zip(table.topic.tolist(), docs, copies, strict=True) if not copy}
    _require(len(seen) == len(docs) - np.count_nonzero(copies), "a document is judged twice for a topic")
    for at in np.flatnonzero(copies).tolist():
        follows = at > 0 and docs[at - 1] == docs[at] and table.topic[at - 1] == table.topic[at]
        _require(follows and table.relevance[at - 1] == table.relevance[at], "a copy does not follow its document")
        above, own = table.ranks[:, at - 1], table.ranks[:, at]
        _require(((own == 0) | ((above > 0) & (above < own))).all(), "a copy ranks above its document")


def _check_count_list(values: Any, count: int) -> list[int]:
    _require(isinstance(values, list) and len(values) == count, "its counts do not match its runs")
    _require(all(type(value) is int and 0 <= value < 2**62 for value in values), "a count is not a whole number")
    return list(values)


def _check_totals(counts: dict[str, NDArray[np.int64]], table: Ranks) -> None:
    """Require that a run counts at least the documents and topics that the table has of it."""
    answered = np.count_nonzero(table.retrieved, axis=1)
    documents = table.retrieved.sum(axis=1, dtype=np.int64)
    for name, least in (("lines", documents), ("topics", answered)):
        if name in counts:
            _require((counts[name] >= least).all(), f"there are more {name} than are counted")


def is_rank_table(path: str | Path) -> bool:
    """Whether a file looks like a saved rank table rather than qrels."""
    try:
        if not Path(path).is_file():  # opening a pipe to inspect it would consume its content
            return False
        with zipfile.ZipFile(path) as archive:
            return "head.npy" in archive.namelist()
    except Exception:  # noqa: BLE001 - as above
        return False


def _join_texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Texts as one string of bytes and the position at which each ends."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}_end": ends}


def _split_texts(arrays: dict[str, NDArray[Any]], name: str) -> list[str]:
    """The texts that `_join_texts` joined; none of them is empty."""
    data, positions = arrays[name].tobytes(), arrays[f"{name}_end"]
    ends = positions.tolist()
    flat = positions.ndim == arrays[name].ndim == 1
    _require(flat and (ends[-1] if ends else 0) == len(data), f"{name} is truncated")
    _require((np.diff(positions, prepend=0) > 0).all(), f"{name} contains an empty text")
    return [data[begin:end].decode() for begin, end in zip([0, *ends[:-1]], ends, strict=True)]
