"""The vectors of the records of a screening, made once and kept beside their index.

A column is a word, or a pair of adjacent words, of title and abstract. Arrays are mapped into memory rather than read.
"""

from __future__ import annotations

import json
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from antecede.engine import read_record
from antecede.errors import UsageError
from antecede.files import write_whole
from antecede.review.vectors import DocumentVectors, vectors_of_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.engine import Engine
    from antecede.patent import Patent

FORMAT = "antecede record vectors 1"
DTYPES = {
    "data": "<f4",
    "indices": "<i4",
    "indptr": "<i8",
    "own": "<f8",
    "columns": "<i8",
    "names": "|u1",
    "words": "|u1",
}
"""The arrays of the file, in their order; it begins with a line of JSON that says how long each is."""
ALIGNMENT = 64


def text_of_record(record: Patent) -> str:
    """Title and abstract of a record, from which the learner learns."""
    return " ".join(filter(None, (*record.title.values(), *record.abstract.values())))


def vectors_of_records(index: Engine) -> DocumentVectors:
    """The vectors of all records of an index, in its order, kept in `NAME.pairs` beside `NAME.index`."""
    path = Path(index.where).with_suffix(".pairs") if Path(index.where).is_dir() else None
    kept = None if path is None else _read(path, index)
    if kept is not None:
        return kept
    records = (read_record(index, number) for number in range(index.documents))
    vectors = vectors_of_texts({record.doc_id: text_of_record(record) for record in records})
    if path is not None:
        _write(path, index, vectors)
    return vectors


def _write(path: Path, index: Engine, vectors: DocumentVectors) -> None:
    """Keep vectors; where the folder cannot be written, the next process makes them again."""
    words = vectors.words() if vectors.words is not None else {}
    matrix, own = vectors.matrix, vectors.own
    arrays: dict[str, Any] = {
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
        "own": own if own is not None else np.zeros(len(vectors)),
        "columns": np.array([*words.values()], np.int64),
        "names": _join(vectors.doc_ids),
        "words": _join(words),
    }
    parts = {name: np.ascontiguousarray(values, DTYPES[name]) for name, values in arrays.items()}
    head = {"format": FORMAT, "state": index.state, "width": matrix.shape[1]}
    line = json.dumps({**head, "sizes": {name: len(part) for name, part in parts.items()}}).encode()
    data = bytearray(line + b"\n")
    for part in parts.values():
        data += b"\0" * (-len(data) % ALIGNMENT)
        data += part.tobytes()
    with suppress(UsageError, OSError):
        write_whole(path, bytes(data))


def _read(path: Path, index: Engine) -> DocumentVectors | None:
    """The vectors of a file; None where there is none, or where it is of another state of the index."""
    try:
        data = np.memmap(path, np.uint8, "r")
        line = bytes(data[: 1 << 16]).split(b"\n", 1)[0]
        head = json.loads(line)
        if head["format"] != FORMAT or head["state"] != index.state:
            return None
        parts, at = {}, len(line) + 1
        for name, kind in DTYPES.items():
            at += -at % ALIGNMENT
            size = head["sizes"][name] * np.dtype(kind).itemsize
            parts[name] = np.asarray(data[at : at + size]).view(kind)
            at += size
        names = parts["names"].tobytes().decode().split("\n")
        shape = len(names), head["width"]
        matrix = sparse.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=shape, copy=False)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if len(data) != at or len(matrix.indptr) != len(names) + 1 or len(parts["own"]) != len(names):
        return None
    return DocumentVectors(
        tuple(names), matrix, None, parts["own"], partial(_name_columns, parts["words"], parts["columns"])
    )


def _name_columns(words: NDArray[np.uint8], columns: NDArray[np.int64]) -> dict[str, int]:
    return dict(zip(words.tobytes().decode().split("\n"), columns.tolist(), strict=False))


def _join(texts: Any) -> NDArray[np.uint8]:
    """Texts as bytes with line breaks between them, which no name and no word has."""
    return np.frombuffer("\n".join(texts).encode(), np.uint8)
