"""An index to be damaged: three segments, four languages and an unknown one, replaced documents; and ways to damage it.

`seal` gives every file the size and checksums it has after the damage, so that no checksum stands in the way.
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.embedded.engine import EmbeddedEngine
from antecede.index import SpacePlan, add_to_index, build_index
from antecede.index.codec import Lists, decode_numbers, encode, encode_numbers
from antecede.index.documents import COLUMNS as TABLE_COLUMNS
from antecede.index.files import SEGMENTS, file_of
from antecede.index.manifest import NAME, SpaceEntry, serialize
from antecede.patent.texts import FIELDS
from antecede.validation import parse
from tests.index.worlds import dense_counts, each_once, write

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

KINDS = {"f32": np.uint32, "u8": np.uint8, "u32": np.uint32, "i32": np.int32, "i64": np.int64}
SPECIAL = (0, 1, 2, 127, 128, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**62, 2**63 - 1)


def unknown_language(number: int) -> list[dict[str, Any]]:
    """Two patents whose language is not known; the second has another document, in English."""
    return [
        {"doc_id": f"EP{number}", "title": "press valves zeta", "ipc": ["H04L 12/56"]},
        {"doc_id": f"EP{number + 1}", "title": "Ventil zeta"},
        {"doc_id": f"EP{number + 1}", "abstract": {"en": "valve with the housing"}},
    ]


def build_world(folder: Path) -> Path:
    """The index, and beside it a file of more documents to be added."""
    first = [*each_once(1, 16), *unknown_language(1000201), {"title": "no name"}]
    build_index(
        write(folder / "a.jsonl", first),
        folder / "index",
        workers=1,
        spaces=[SpacePlan("lsa", 4), SpacePlan("words", 3)],
    )
    add_to_index(folder / "index", write(folder / "b.jsonl", [*each_once(2, 9), *unknown_language(1000202)]), workers=1)
    add_to_index(folder / "index", write(folder / "c.jsonl", [*each_once(1, 16)[:2], *each_once(5, 3)]), workers=1)
    write(folder / "more.jsonl", each_once(7, 4))
    index = EmbeddedEngine.open(folder / "index")
    assert len(index.segments) == 3
    assert sum(len(segment.deleted) for segment in index.segments) >= 2
    assert len(index.languages) == 5
    assert {entry.kind for entry in index.manifest.spaces} == {"lsa", "words"}
    assert {len(entry.segments) for entry in index.manifest.spaces} & {2, 3}
    return folder / "index"


def plain_manifest(index: Path) -> dict[str, Any]:
    """The manifest of an index in plain form."""
    found: dict[str, Any] = json.loads((index / NAME).read_bytes())["index"]
    return found


def seal(index: Path, manifest: dict[str, Any] | None = None) -> None:
    """Write a manifest whose sizes and checksums are those that the files have now, with the right one of its own."""
    whole = plain_manifest(index) if manifest is None else manifest
    for segment in whole["segments"]:
        for name in segment["files"]:
            segment["files"][name] = dict(file_of(index / SEGMENTS / segment["name"] / name).__dict__)
    for name in whole["deletions"]:
        whole["deletions"][name] = dict(file_of(index / SEGMENTS / name).__dict__)
    for space, entry in zip(whole.get("spaces", ()), open_spaces(index), strict=True):
        for name in space["files"]:
            space["files"][name] = dict(file_of(index / SEGMENTS / entry.folder / name).__dict__)
        for name, each in space["segments"].items():
            each["file"] = dict(file_of(index / SEGMENTS / entry.vectors_path(name)).__dict__)
    (index / NAME).write_bytes(serialize(whole))


def open_spaces(index: Path) -> list[SpaceEntry]:
    """The spaces that the manifest names."""
    return [parse(SpaceEntry, json.dumps(entry)) for entry in plain_manifest(index).get("spaces", ())]


def data_files(index: Path) -> list[Path]:
    """Every file but manifest and lock, in one order."""
    return sorted(each for each in (index / SEGMENTS).rglob("*") if each.is_file())


def change_bytes(chance: random.Random, path: Path) -> str:
    """Change a file without a thought for what is in it."""
    data = bytearray(path.read_bytes())
    kind = chance.choice(["flip", "zero", "max", "swap", "cut", "extend", "shuffle", "empty"])
    at, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    if kind == "flip" and data:
        data[at % len(data)] ^= 1 << chance.randrange(8)
    elif kind in ("zero", "max") and data:
        stop = min(at + chance.choice([1, 4, 8, 64]), len(data))
        data[at:stop] = (b"\x00" if kind == "zero" else b"\xff") * (stop - at)
    elif kind == "swap" and len(data) > 1:
        one, other = chance.randrange(len(data)), chance.randrange(len(data))
        data[one], data[other] = data[other], data[one]
    elif kind == "cut":
        del data[at:]
    elif kind == "extend":
        data += chance.choice([bytes(data), b"\x00" * 8, b"\xff" * 16, chance.randbytes(12)])
    elif kind == "shuffle":
        part = list(data[at:end])
        chance.shuffle(part)
        data[at:end] = bytes(part)
    elif kind == "empty":
        data.clear()
    path.write_bytes(data)
    return f"{kind} {path.name}"


NUMBER_COLUMNS = {"places_heads.u8": 2, "terms_sizes.u8": 2, "words_sizes.u8": 2, "fields.u8": len(FIELDS)}
"""Files of numbers written as LEB128, and how many stand in a row."""


def change_number(chance: random.Random, path: Path) -> str:
    """Change one number of an array, or of numbers written as LEB128, and leave the format as it is."""
    columns = NUMBER_COLUMNS.get(path.name, 3 if path.name.endswith("_heads.u8") else 0)
    if columns:
        found = decode_numbers(np.frombuffer(path.read_bytes(), np.uint8), columns)
        assert found is not None
        values = found.astype(object)
    else:
        values = np.frombuffer(path.read_bytes(), KINDS[path.suffix[1:]]).astype(object).reshape(-1, 1)
    if not len(values):
        return f"nothing in {path.name}"
    at, column = chance.randrange(len(values)), chance.randrange(values.shape[1])
    near = [values[at, column] + step for step in (-1, 1, 2, 100)]
    other = values[chance.randrange(len(values)), column]
    values[at, column] = chance.choice([*near, *SPECIAL, other, other])
    if columns:
        wide = [[each % 2**64 for each in row] for row in values.tolist()]
        path.write_bytes(encode_numbers(*np.array(wide, np.uint64).reshape(-1, columns).T).tobytes())
    else:
        kind = np.dtype(KINDS[path.suffix[1:]])
        wide = [[each % 2 ** (8 * kind.itemsize)] for each in values[:, 0].tolist()]
        path.write_bytes(np.array(wide, f"u{kind.itemsize}").tobytes())
    return f"number {at}.{column} of {path.name}"


def dense_of(folder: Path, index: Path) -> tuple[str, str, NDArray[np.int64]]:
    """Segment, language and the counts of the matrix in a folder."""
    for segment in EmbeddedEngine.open(index).segments:
        for language, matrix in segment.matrices.items():
            if matrix.folder == folder:
                return segment.name, language, dense_counts(matrix)
    raise LookupError(folder)


def write_direction(folder: Path, name: str, counts: NDArray[np.int64]) -> None:
    """Write one direction of a matrix, every checksum right."""
    lengths = (counts > 0).sum(1)
    ptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    lists = Lists(ptr, np.nonzero(counts)[1].astype(np.uint32), counts[counts > 0].astype(np.uint32))
    encoded = encode(lists)
    more = encoded.totals - lengths.astype(np.uint64)
    (folder / f"{name}.u8").write_bytes(encoded.data.tobytes())
    (folder / f"{name}_heads.u8").write_bytes(encode_numbers(lengths, more, np.diff(encoded.ptr)).tobytes())
    (folder / f"{name}_sums.u32").write_bytes(encoded.sums.tobytes())


def change_matrix(chance: random.Random, index: Path) -> str:
    """Change some counts of a matrix, in one direction or in both, and write it as it should be written."""
    folders = sorted({each.parent for each in data_files(index) if each.name == "by_row.u8" and each.stat().st_size})
    folder = chance.choice(folders)
    name, language, counts = dense_of(folder, index)
    for _ in range(chance.randint(1, 4)):
        row, term = chance.randrange(counts.shape[0]), chance.randrange(counts.shape[1])
        counts[row, term] = chance.choice([0, 1, 2, 3, 50, 2**20, 2**32 - 1])
    kind = chance.choice(["by_row", "by_term", "both", "both"])
    if kind != "by_term":
        write_direction(folder, "by_row", counts)
    if kind != "by_row":
        write_direction(folder, "by_term", counts.T)
    manifest = plain_manifest(index)
    for each in manifest["segments"]:
        if each["name"] == name:
            each["languages"][language]["postings"] = int((counts > 0).sum())
    seal(index, manifest)
    return f"matrix {kind} {folder.name}"


STATEMENTS = (
    "UPDATE documents SET {column} = {value} WHERE number = {number}",
    "UPDATE attributes SET number = {value}",
    "UPDATE attributes SET value = {value}",
    "DELETE FROM documents WHERE number = {number}",
    "DELETE FROM attributes",
    "INSERT INTO attributes VALUES ('ipc', 'H04L 12/56', {value})",
    """INSERT INTO documents SELECT number + 1000, doc_id || 'x', identity, patent_number, title, language, published,
    day, family_id, country, ipc, cpc, applicants, inventors, citations FROM documents""",
    "DROP INDEX by_identity",
    "DROP INDEX by_patent_number",
    "DROP TABLE attributes",
    "ALTER TABLE documents ADD COLUMN more TEXT",
    "CREATE TRIGGER t AFTER INSERT ON attributes BEGIN DELETE FROM documents; END",
    """ALTER TABLE documents RENAME TO others; CREATE VIEW documents AS WITH RECURSIVE n(number) AS
    (SELECT 0 UNION ALL SELECT number + 1 FROM n) SELECT number, 'x' AS doc_id, 'x' AS identity, NULL AS patent_number,
    '' AS title, '' AS language, NULL AS published, NULL AS day, NULL AS family_id, NULL AS country, '' AS ipc,
    '' AS cpc, '' AS applicants, '' AS inventors, '' AS citations FROM n""",
    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = NULL",
)
COLUMNS = ("number", *TABLE_COLUMNS)
VALUES = (
    "NULL", "7", "-1", "99999999999", "1.5", "x'ff00'", "'x'", "''", "'2020-13-45'", "'EP1000001'",
    "CAST(x'ff' AS TEXT)",
)  # fmt: skip


def change_table(chance: random.Random, path: Path) -> str:
    """Change the table of documents with SQL."""
    statement = chance.choice(STATEMENTS[:6] * 3 + STATEMENTS).format(
        column=chance.choice(COLUMNS), value=chance.choice(VALUES), number=chance.randrange(20)
    )
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.executescript(statement)
    except sqlite3.Error:
        pass  # the table does not take it, and is as it was
    finally:
        connection.close()
    return f"table: {statement[:70]}"


def change_record(chance: random.Random, index: Path) -> str:
    """Replace a record by another one, or by something else."""
    segment = chance.choice(sorted(each.parent for each in data_files(index) if each.name == "records.u8"))
    data = (segment / "records.u8").read_bytes()
    ptr = np.frombuffer((segment / "records_ptr.i64").read_bytes(), np.int64)
    blobs = [data[start:end] for start, end in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)]
    at = chance.randrange(len(blobs))
    pack = zstandard.ZstdCompressor().compress
    blobs[at] = chance.choice(
        [
            blobs[chance.randrange(len(blobs))],
            b"",
            pack(b'{"lengths":{},"patent":{"doc_id":"x","title":[1]}}\n'),
            pack(b'{"lengths":{"title":{"en":-5}},"patent":{"doc_id":"x"}}\n'),
            pack(b"[" * 100000),
            pack(b"\x00" * 5_000_000),
            blobs[at] + b"more",
        ]
    )
    (segment / "records.u8").write_bytes(b"".join(blobs))
    (segment / "records_ptr.i64").write_bytes(np.cumsum([0, *map(len, blobs)]).astype(np.int64).tobytes())
    return f"record {at} of {segment.name}"


def damage(chance: random.Random, index: Path) -> str:
    """Damage an index in one of many ways; says how. The manifest is as it was, but for counts that must fit."""
    files = data_files(index)
    arrays = [each for each in files if each.suffix[1:] in KINDS]
    tables = [each for each in files if each.suffix == ".sqlite"]
    ways: list[tuple[int, Callable[[], str]]] = [
        (4, lambda: change_bytes(chance, chance.choice(files))),
        (2, lambda: change_bytes(chance, chance.choice(tables))),
        (8, lambda: change_number(chance, chance.choice(arrays))),
        (4, lambda: change_matrix(chance, index)),
        (3, lambda: change_table(chance, chance.choice(tables))),
        (2, lambda: change_record(chance, index)),
    ]
    (way,) = chance.choices([way for _, way in ways], [weight for weight, _ in ways])
    return way()
