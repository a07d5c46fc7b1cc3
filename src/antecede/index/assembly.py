"""A segment put together from parts, in bounded memory: the same parts always give the same bytes.

Documents are numbered in the order of the parts. Each part's terms are sorted, so its terms of a range stand together:
postings are gathered a range of terms at a time, as many as memory allows.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from itertools import compress
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from antecede.index.arrays import pointers, write_array
from antecede.index.codec import Lists, encode
from antecede.index.documents import COLUMNS, NAME, day_number, write_documents
from antecede.index.transposing import count_into, place_into

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.index.parts import Part, PartMatrix

BYTES_A_POSTING = 24
"""What one posting takes while a range of terms is put together: rows, counts, and room for its code."""


@dataclass(frozen=True)
class Placed:
    """A part's matrix with its place in the whole."""

    matrix: PartMatrix
    new_rows: NDArray[np.int64]
    """Row → its row in the whole, −1 where its document was dropped."""
    terms: NDArray[np.int64]
    """Term → its number in the whole, ascending; one that only dropped rows have takes the number before its own."""


def assemble(
    folder: Path, parts: Sequence[Part], *, memory: int, progress: Callable[[str], None] = lambda _: None
) -> dict[str, dict[str, int]]:
    """Write a segment into a folder; how many rows, terms and postings each language has."""
    folder.mkdir(parents=True, exist_ok=True)
    progress("documents")
    numbers = numbered(parts)
    write_store(folder, parts)
    languages = sorted({language for part in parts for language in part.languages})
    found: dict[str, dict[str, int]] = {}
    for language in languages:
        progress(f"terms, {language or 'unknown language'}")
        counts = assemble_language(folder / (language or "unknown"), language, parts, numbers, memory)
        if counts["rows"]:
            found[language] = counts
    return found


def numbered(parts: Sequence[Part]) -> list[NDArray[np.int64]]:
    """For each part: document → its number in the whole, −1 where it was dropped."""
    numbers, first = [], 0
    for part in parts:
        kept = np.cumsum(part.live) - 1 + first
        numbers.append(np.where(part.live, kept, -1))
        first += int(part.live.sum())
    return numbers


def write_store(folder: Path, parts: Sequence[Part]) -> None:
    """The documents, and apart from them what every search needs: their names and days."""
    days: list[int] = []
    names: list[bytes] = []

    def rows() -> Iterator[tuple[Any, ...]]:
        for part in parts:
            for live, row in zip(part.live.tolist(), part.rows(), strict=True):
                if live:
                    days.append(day_number(row[COLUMNS.index("day")]))
                    names.append(row[COLUMNS.index("doc_id")].encode())
                    yield row

    write_documents(folder / NAME, rows())
    order = np.empty(len(names), np.uint32)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.uint32)
    write_array(folder / "days.i32", np.array(days, np.int32))
    write_array(folder / "doc_ids.u8", np.frombuffer(b"".join(names), np.uint8))
    write_array(folder / "doc_ids_ptr.i64", pointers(map(len, names)))
    write_array(folder / "order.u32", order)


def assemble_language(
    folder: Path, language: str, parts: Sequence[Part], numbers: Sequence[NDArray[np.int64]], memory: int
) -> dict[str, int]:
    """The matrix of one language, in both directions."""
    folder.mkdir(exist_ok=True)
    placed = write_rows(folder, language, parts, numbers)
    df, placed = write_vocabulary(folder, placed)
    write_by_row(folder, placed)
    write_by_term(folder, placed, df, memory)
    rows = sum(int((each.new_rows >= 0).sum()) for each in placed)
    return {"rows": rows, "terms": len(df), "postings": int(df.sum())}


def write_rows(
    folder: Path, language: str, parts: Sequence[Part], numbers: Sequence[NDArray[np.int64]]
) -> list[Placed]:
    """Which document each row is, and how long; each part's rows numbered in the whole."""
    placed, documents, lengths, first = [], [], [], 0
    for part, number in zip(parts, numbers, strict=True):
        if language not in part.languages:
            continue
        matrix = part.matrix(language)
        document = number[matrix.documents]
        live = document >= 0
        placed.append(Placed(matrix, np.where(live, np.cumsum(live) - 1 + first, -1), np.zeros(0, np.int64)))
        documents.append(document[live].astype(np.uint32))
        lengths.append(matrix.lengths[live])
        first += int(live.sum())
    write_array(folder / "documents.u32", joined(documents))
    write_array(folder / "lengths.u32", joined(lengths))
    return placed


def joined(arrays: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.uint32)


def write_vocabulary(folder: Path, placed: Sequence[Placed]) -> tuple[NDArray[np.int64], list[Placed]]:
    """All terms of rows that stay, sorted by bytes; how many rows have each, and each part's terms numbered so."""
    counts = [counted(each) for each in placed]
    met: set[bytes] = set()
    for each, (part_df, _) in zip(placed, counts, strict=True):
        met.update(compress(each.matrix.vocabulary(), part_df.tolist()))
    terms = sorted(met)
    number = {term: at for at, term in enumerate(terms)}
    met.clear()
    df, cf = np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64)
    numbered_parts = [Placed(each.matrix, each.new_rows, renumbered(each.matrix, number)) for each in placed]
    for each, (part_df, part_cf) in zip(numbered_parts, counts, strict=True):
        used = part_df > 0
        df[each.terms[used]] += part_df[used]
        cf[each.terms[used]] += part_cf[used]
    write_array(folder / "terms.u8", np.frombuffer(b"".join(terms), np.uint8))
    write_array(folder / "terms_ptr.i64", pointers(map(len, terms)))
    write_array(folder / "df.u32", df.astype(np.uint32))
    write_array(folder / "cf.u64", cf.astype(np.uint64))
    return df, numbered_parts


def renumbered(matrix: PartMatrix, number: dict[bytes, int]) -> NDArray[np.int64]:
    """Each term's number in the whole, ascending also over those that only dropped rows have."""
    found = np.fromiter((number.get(term, -1) for term in matrix.vocabulary()), np.int64)
    return np.maximum.accumulate(found) if len(found) else found


def counted(each: Placed) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many rows that stay have each term, and how often."""
    terms = len(each.matrix.sizes())
    df, cf = np.zeros(terms, np.int64), np.zeros(terms, np.int64)
    for first, last in spans(each.matrix.sizes(), 1 << 24):
        ptr, rows, counts = each.matrix.postings(first, last)
        count_into(ptr, rows, counts, each.new_rows, df[first:last], cf[first:last])
    return df, cf


def spans(sizes: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Ranges of neighbours whose sizes add up to at most so much, or that are one alone."""
    ends = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        before = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, before + most, "right")), first + 1)
        yield first, last
        first = last


class ListsWriter:
    """Encoded lists appended to a file, with where each begins and what its items add up to."""

    def __init__(self, folder: Path, name: str, stack: ExitStack) -> None:
        self.folder, self.name = folder, name
        self.data: IO[bytes] = stack.enter_context((folder / f"{name}.u8").open("wb"))
        self.ptr = [np.zeros(1, np.int64)]
        self.sums = [np.zeros(0, np.uint32)]
        self.end = 0

    def add(self, lists: Lists) -> None:
        data, ptr, sums = encode(lists)
        data.tofile(self.data)
        self.ptr.append(ptr[1:] + self.end)
        self.sums.append(sums)
        self.end += len(data)

    def close(self) -> None:
        write_array(self.folder / f"{self.name}_ptr.i64", np.concatenate(self.ptr))
        write_array(self.folder / f"{self.name}_sums.u32", np.concatenate(self.sums))


def write_by_row(folder: Path, placed: Sequence[Placed]) -> None:
    """The terms of each row, part after part."""
    distinct: list[NDArray[np.uint32]] = []
    with ExitStack() as stack:
        writer = ListsWriter(folder, "by_row", stack)
        for each in placed:
            for first, (ptr, terms, counts) in each.matrix.vectors():
                live = each.new_rows[first : first + len(ptr) - 1] >= 0
                sizes = np.diff(ptr)
                keep = np.repeat(live, sizes) if not live.all() else slice(None)
                kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[live])])
                writer.add(Lists(kept, each.terms[terms[keep]].astype(np.uint32), np.ascontiguousarray(counts[keep])))
                distinct.append(sizes[live].astype(np.uint32))
        writer.close()
    write_array(folder / "distinct.u32", joined(distinct))


def write_by_term(folder: Path, placed: Sequence[Placed], df: NDArray[np.int64], memory: int) -> None:
    """The rows of each term, a range of terms at a time."""
    with ExitStack() as stack:
        writer = ListsWriter(folder, "by_term", stack)
        for first, last in spans(df, max(memory // BYTES_A_POSTING, 1 << 16)):
            ptr = np.zeros(last - first + 1, np.int64)
            np.cumsum(df[first:last], out=ptr[1:])
            rows, counts = np.empty(ptr[-1], np.uint32), np.empty(ptr[-1], np.uint32)
            cursor = ptr[:-1].copy()
            for each in placed:
                begin, end = (int(at) for at in np.searchsorted(each.terms, [first, last]))
                if begin < end:
                    some = each.matrix.postings(begin, end)
                    place_into(*some, each.terms[begin:end] - first, each.new_rows, cursor, rows, counts)
            writer.add(Lists(ptr, rows, counts))
        writer.close()
