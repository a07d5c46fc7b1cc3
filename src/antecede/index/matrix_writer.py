"""Assembles the matrix of a language from parts in bounded memory: the same parts always give the same bytes.

Rows are numbered in the order of the parts. The terms of each part are sorted, so the terms of a range are contiguous:
postings are gathered one range of terms at a time, as large as memory allows, with several ranges in parallel.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers_from_sizes, split_spans
from antecede.index.codec import Lists, encode, encode_numbers
from antecede.index.layout import folder_of
from antecede.index.parts import keep_live_rows
from antecede.index.transposition import check, count_into, place_into
from antecede.index.vocabulary import arrange_terms, front_code, sort_terms
from antecede.parallel import map_in_order
from antecede.text.vocabulary import Vocabulary, grow

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from antecede.index.codec import EncodedLists
    from antecede.index.files import FolderWriter
    from antecede.index.parts import Part, PartMatrix

BYTES_A_POSTING = 16
"""The memory of one posting while a range of terms is assembled: row, count, and encoded bytes."""
AT_ONCE = 1 << 21
SMALLEST_RANGE = 1 << 16


@dataclass
class WorkLimits:
    """The limits of the work: bytes of memory for postings, and threads."""

    memory: int
    threads: Executor
    count: int
    """The number of threads."""

    @property
    def postings(self) -> int:
        """The most postings per range: each thread works on one range while another waits to be written."""
        return max(self.memory // (BYTES_A_POSTING * 2 * self.count), SMALLEST_RANGE)


@dataclass(frozen=True)
class PlacedMatrix:
    """The matrix of a part with its place in the segment."""

    matrix: PartMatrix
    new_rows: NDArray[np.int32]
    """Row → row in the segment, −1 where its document was dropped."""


class TermMaps:
    """For each part, the number of each of its terms in the segment; kept on disk.

    Numbers never decrease; a term that occurs in dropped rows only has the number of the previous term.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.handle = file.fileno()
        self.places: list[tuple[int, int]] = []
        self.end = 0

    def add(self, numbers: NDArray[np.int32]) -> None:
        """Append the map of the next part."""
        self.places.append((self.end, len(numbers)))
        self.write(numbers, self.end)
        self.end += numbers.nbytes

    def write(self, numbers: NDArray[np.int32], offset: int) -> None:
        left = numbers.view(np.uint8).data
        while left.nbytes:
            written = os.pwrite(self.handle, left, offset)
            left, offset = left[written:], offset + written

    def renumber(self, ranks: NDArray[np.int32]) -> None:
        """Replace each number by its rank in the sorted vocabulary."""
        for at, (offset, _) in enumerate(self.places):
            numbers = self.read(at)
            ranked = np.where(numbers >= 0, ranks[numbers], np.int32(-1)) if len(ranks) else numbers
            self.write(np.maximum.accumulate(ranked), offset)

    def read(self, part: int, first: int = 0, end: int | None = None) -> NDArray[np.int32]:
        """The map of a part, or of its terms from `first` up to `end`; thread-safe."""
        offset, length = self.places[part]
        count = (length if end is None else end) - first
        return np.frombuffer(bytearray(os.pread(self.handle, count * 4, offset + first * 4)), np.int32)


class ListsWriter:
    """Appends encoded lists to their files, with length, sum of counts, size and checksum of each."""

    def __init__(self, out: FolderWriter, name: str, stack: ExitStack) -> None:
        self.data = stack.enter_context(out.stream(f"{name}.u8"))
        self.heads = stack.enter_context(out.stream(f"{name}_heads.u8"))
        self.sums = stack.enter_context(out.stream(f"{name}_sums.u32"))

    def add(self, lengths: NDArray[np.int64], encoded: EncodedLists) -> None:
        """Append lists of these lengths."""
        more = encoded.totals - lengths.astype(np.uint64)
        self.heads.write(encode_numbers(lengths, more, np.diff(encoded.ptr)).data)
        self.sums.write(encoded.sums.data)
        self.data.write(encoded.data.data)


def write_matrix(
    out: FolderWriter, language: str, parts: Sequence[Part], numbers: Sequence[NDArray[np.int64]], room: WorkLimits
) -> dict[str, int]:
    """Write the matrix of one language in both directions; return its numbers of rows, terms and postings."""
    folder = folder_of(language)
    placed, rows = write_rows(out, folder, language, parts, numbers)
    if not rows:
        return {"rows": 0, "terms": 0, "postings": 0}
    with tempfile.TemporaryFile(dir=out.folder, buffering=0) as file:
        maps = TermMaps(file)
        df = write_vocabulary(out, folder, placed, maps)
        write_by_row(out, folder, placed, maps, room)
        write_by_term(out, folder, placed, maps, df, room)
    return {"rows": rows, "terms": len(df), "postings": int(df.sum())}


def write_rows(
    out: FolderWriter, folder: str, language: str, parts: Sequence[Part], numbers: Sequence[NDArray[np.int64]]
) -> tuple[list[PlacedMatrix], int]:
    """Write the document of each row; return the matrices with their rows in the segment, and the number of rows."""
    placed, documents, first = [], [], 0
    for part, number in zip(parts, numbers, strict=True):
        if language not in part.languages:
            continue
        matrix = part.matrix(language)
        document = number[matrix.documents]
        live = document >= 0
        if live.any():
            placed.append(PlacedMatrix(matrix, np.where(live, np.cumsum(live) - 1 + first, -1).astype(np.int32)))
            documents.append(document[live].astype(np.uint32))
            first += int(live.sum())
    if first:
        out.array(f"{folder}/documents.u32", np.concatenate(documents))
    return placed, first


def write_vocabulary(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], maps: TermMaps
) -> NDArray[np.int64]:
    """Write the terms of all live rows in byte order and number those of each part; return the rows of each term."""
    vocabulary = Vocabulary()
    df = np.zeros(0, np.int64)
    for each in placed:
        part_df = count_live_rows(each)
        used = part_df > 0
        terms, ptr = each.matrix.terms()
        numbers = vocabulary.number(terms, ptr[:-1].copy(), np.where(used, ptr[1:], ptr[:-1]))
        maps.add(numbers)
        df = grow(df, len(vocabulary))
        df[numbers[used]] += part_df[used]
    order = sort_terms(*vocabulary.terms())
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    maps.renumber(ranks)
    terms, ptr = arrange_terms(*vocabulary.terms(), order)
    ends, sizes = front_code(terms, ptr)
    out.array(f"{folder}/terms.u8", ends)
    out.array(f"{folder}/terms_sizes.u8", sizes)
    return df[order]


def count_live_rows(each: PlacedMatrix) -> NDArray[np.int64]:
    """The number of live rows that contain each term."""
    sizes = each.matrix.sizes()
    if (each.new_rows >= 0).all():
        return sizes
    df = np.zeros(len(sizes), np.int64)
    for first, last in split_spans(sizes, AT_ONCE):
        ptr, rows, _ = each.matrix.postings(first, last)
        check(count_into(ptr, rows, each.new_rows, df[first:last]))
    return df


def write_by_row(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], maps: TermMaps, room: WorkLimits
) -> None:
    """Write the terms of each row, part by part."""

    def encode_piece(piece: tuple[int, int, int]) -> tuple[NDArray[np.int64], EncodedLists]:
        at, first, last = piece
        triple = placed[at].matrix.vectors(first, last, maps.read(at).view(np.uint32))
        lists = Lists(*keep_live_rows(triple, placed[at].new_rows[first:last] >= 0))
        return np.diff(lists.ptr), encode(lists)

    pieces = [(at, *rows) for at, each in enumerate(placed) for rows in each.matrix.portions()]
    with ExitStack() as stack:
        writer = ListsWriter(out, f"{folder}/by_row", stack)
        for found in map_in_order(encode_piece, pieces, room.threads, room.count + 1):
            writer.add(*found)


def write_by_term(
    out: FolderWriter,
    folder: str,
    placed: Sequence[PlacedMatrix],
    maps: TermMaps,
    df: NDArray[np.int64],
    room: WorkLimits,
) -> None:
    """Write the rows of each term, one range of terms at a time."""
    smaller = max(int(df.sum()) // (2 * room.count), SMALLEST_RANGE)  # so that every thread has work
    ranges = list(split_spans(df, min(room.postings, smaller)))
    bounds = np.array([first for first, _ in ranges] + [len(df)])
    places = [np.searchsorted(maps.read(at), bounds) for at in range(len(placed))]

    def encode_range(number: int) -> EncodedLists:
        first, last = ranges[number]
        ptr = pointers_from_sizes(df[first:last])
        rows, counts = np.empty(ptr[-1], np.uint32), np.empty(ptr[-1], np.uint32)
        cursor = ptr[:-1].copy()
        for at, each in enumerate(placed):
            begin, end = places[at][number : number + 2].tolist()
            if begin < end:
                terms = maps.read(at, begin, end)
                postings = each.matrix.postings(begin, end)
                check(place_into(*postings, terms, first, each.new_rows, cursor, rows, counts))
        check(np.array_equal(cursor, ptr[1:]))
        return encode(Lists(ptr, rows, counts))

    with ExitStack() as stack:
        writer = ListsWriter(out, f"{folder}/by_term", stack)
        lists = map_in_order(encode_range, range(len(ranges)), room.threads, room.count + 1)
        for (first, last), found in zip(ranges, lists, strict=True):
            writer.add(df[first:last], found)
