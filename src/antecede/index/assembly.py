"""Assembles a segment from parts: chunks of a build or segments of a merge (`parts.py`).

The matrix of a language is assembled in bounded memory, and the same parts always give the same bytes. Rows are
numbered in the order of the parts. The terms of each part are sorted, so the terms of a range are contiguous: postings
are gathered one range of terms at a time, as large as memory allows, with several ranges in parallel.
"""

from __future__ import annotations

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import numpy as np

from antecede.index.arrays import pointers, pointers_from_sizes, split_spans
from antecede.index.codec import Lists, encode, encode_numbers
from antecede.index.documents import day_number
from antecede.index.files import (
    CLASS_ORDER,
    DAYS,
    FIELDS,
    METADATA,
    NAMES,
    NAMES_PTR,
    ORDER,
    RECORDS,
    RECORDS_PTR,
    REJECTS,
    folder_of,
    sync,
)
from antecede.index.metadata import DAY, DOC_ID, MainClasses, write_metadata
from antecede.index.parts import AT_ONCE
from antecede.index.place_lists import PADDING, encode_places
from antecede.index.places import NO_TERM, move_places_into, row_bits_of, texts_within, without_postings
from antecede.index.postings import check, count_into, place_into
from antecede.index.terms import arrange_terms, front_code, sort_terms
from antecede.parallel import map_in_order
from antecede.text.vocabulary import Vocabulary, grow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from antecede.index.codec import EncodedLists
    from antecede.index.files import FolderWriter, LanguageCounts
    from antecede.index.metadata import Row
    from antecede.index.parts import Part, PartMatrix, Records, Triple
    from antecede.index.place_lists import EncodedPlaces
    from antecede.index.places import Texts
    from antecede.index.terms import Arena
    from antecede.parallel import Resources


def _keep_live_records(records: Records, live: NDArray[np.bool_]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The packed records of live documents, and the length of each."""
    data, ptr = records
    sizes = np.diff(ptr)
    if live.all():
        return data, sizes
    return data[np.repeat(live, sizes)], sizes[live]


def _keep_live_rows(triple: Triple, live: NDArray[np.bool_]) -> Triple:
    """The lists of live rows."""
    ptr, items, counts = triple
    if live.all():
        return triple
    sizes = np.diff(ptr)
    keep = np.repeat(live, sizes)
    return pointers_from_sizes(sizes[live]), items[keep], counts[keep]


BYTES_A_POSTING = 16
"""The memory of one posting while a range of terms is assembled: row, count, and encoded bytes."""
SMALLEST_RANGE = 1 << 16


@dataclass
class WorkLimits:
    """The limits of the work: bytes of memory for postings, and threads."""

    memory: int
    threads: Executor
    count: int
    """The number of threads."""
    positions: bool
    """Whether the places of words are written, too."""

    @property
    def postings(self) -> int:
        """The most postings per range: each thread works on one range while another waits to be written."""
        return max(self.memory // (BYTES_A_POSTING * 2 * self.count), SMALLEST_RANGE)

    def split(self, sizes: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Ranges of lists of these sizes, each of which fits, and so many that every thread has work."""
        smaller = max(int(sizes.sum()) // (2 * self.count), SMALLEST_RANGE)
        return list(split_spans(sizes, min(self.postings, smaller)))


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


def _write_matrix(
    out: FolderWriter, language: str, parts: Sequence[Part], numbers: Sequence[NDArray[np.int64]], room: WorkLimits
) -> LanguageCounts:
    """Write the matrix of one language in both directions, and the places of its words; return the counts."""
    folder = folder_of(language)
    placed, rows = _write_rows(out, folder, language, parts, numbers)
    if not rows:
        return {"rows": 0, "terms": 0, "postings": 0, "words": 0, "places": 0}
    words = places = 0
    with tempfile.TemporaryFile(dir=out.folder, buffering=0) as file:
        maps = TermMaps(file)
        df = _write_vocabulary(out, folder, placed, maps)
        _write_by_row(out, folder, placed, maps, room)
        _write_by_term(out, folder, placed, maps, df, room)
        if room.positions:
            words, places = _write_places(out, folder, placed, maps, room)
    return {"rows": rows, "terms": len(df), "postings": int(df.sum()), "words": words, "places": places}


def _write_rows(
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


def _write_vocabulary(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], maps: TermMaps
) -> NDArray[np.int64]:
    """Write the terms of all live rows in byte order and number those of each part; return the rows of each term."""
    return _merge_terms(
        out, f"{folder}/terms", ((each.matrix.terms(), _count_live_rows(each)) for each in placed), maps
    )


def _merge_terms(
    out: FolderWriter, name: str, parts: Iterable[tuple[Arena, NDArray[np.int64]]], maps: TermMaps
) -> NDArray[np.int64]:
    """Write the terms of all parts in byte order, but those with a count of 0, and number those of each part.

    Returns the sum of the counts of each.
    """
    vocabulary = Vocabulary()
    total = np.zeros(0, np.int64)
    for (terms, ptr), counts in parts:
        used = counts > 0
        numbers = vocabulary.number(terms, ptr[:-1].copy(), np.where(used, ptr[1:], ptr[:-1]))
        maps.add(numbers)
        total = grow(total, len(vocabulary))
        total[numbers[used]] += counts[used]
    order = sort_terms(*vocabulary.terms())
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    maps.renumber(ranks)
    terms, ptr = arrange_terms(*vocabulary.terms(), order)
    ends, sizes = front_code(terms, ptr)
    out.array(f"{name}.u8", ends)
    out.array(f"{name}_sizes.u8", sizes)
    return total[order]


def _count_live_rows(each: PlacedMatrix) -> NDArray[np.int64]:
    """The number of live rows that contain each term."""
    sizes = each.matrix.sizes()
    if (each.new_rows >= 0).all():
        return sizes
    df = np.zeros(len(sizes), np.int64)
    for first, last in split_spans(sizes, AT_ONCE):
        ptr, rows, _ = each.matrix.postings(first, last)
        check(count_into(ptr, rows, each.new_rows, df[first:last]))
    return df


def _write_by_row(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], maps: TermMaps, room: WorkLimits
) -> None:
    """Write the terms of each row, part by part."""

    def encode_piece(piece: tuple[int, int, int]) -> tuple[NDArray[np.int64], EncodedLists]:
        at, first, last = piece
        triple = placed[at].matrix.vectors(first, last, maps.read(at).view(np.uint32))
        lists = Lists(*_keep_live_rows(triple, placed[at].new_rows[first:last] >= 0))
        return np.diff(lists.ptr), encode(lists)

    pieces = [(at, *rows) for at, each in enumerate(placed) for rows in each.matrix.portions()]
    with ExitStack() as stack:
        writer = ListsWriter(out, f"{folder}/by_row", stack)
        for encoded in map_in_order(encode_piece, pieces, room.threads, room.count + 1):
            writer.add(*encoded)


def _write_by_term(
    out: FolderWriter,
    folder: str,
    placed: Sequence[PlacedMatrix],
    maps: TermMaps,
    df: NDArray[np.int64],
    room: WorkLimits,
) -> None:
    """Write the rows of each term, one range of terms at a time."""
    ranges = room.split(df)
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
        for (first, last), encoded in zip(ranges, lists, strict=True):
            writer.add(df[first:last], encoded)


@dataclass(frozen=True)
class _Moves:
    """Where the texts of a part begin in its own places (and where the last ends), and in those of the segment."""

    starts: NDArray[np.int64]
    """A line per field."""
    moved: NDArray[np.int64]
    """−1 where the row is dropped."""

    def count(self, matrix: PartMatrix) -> NDArray[np.int64]:
        """The number of places of each word in each field of rows that are kept."""
        counts = matrix.place_counts()
        if (self.moved >= 0).all():
            return counts
        kept, nothing = np.zeros(counts.size, np.int64), np.zeros(0, np.int64)
        for first, last in split_spans(counts.sum(axis=1), AT_ONCE):
            lists = np.arange(first * len(FIELDS), last * len(FIELDS))
            check(move_places_into(*matrix.places(first, last), lists, 0, self.starts, self.moved, kept, nothing))
        return kept.reshape(counts.shape)


def _write_fields(out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix]) -> tuple[list[_Moves], list[Texts]]:
    """Write the number of words of each field of each row; return where the texts of each part move, and all texts."""
    moves, sizes_kept = [], []
    first = np.zeros(len(FIELDS), np.int64)
    for each in placed:
        sizes, live = each.matrix.field_sizes(), each.new_rows >= 0
        starts = np.stack([pointers_from_sizes(column) for column in sizes.T])
        if live.all():  # the texts of a field move together, as if they were one
            moves.append(_Moves(starts[:, [0, -1]], first[:, None].copy()))
        else:
            lengths = np.where(live[:, None], sizes, 0)
            moves.append(_Moves(starts, np.where(live[:, None], first + np.cumsum(lengths, axis=0) - lengths, -1).T))
        sizes_kept.append(sizes[live])
        first += sizes_kept[-1].sum(axis=0)
    columns = np.concatenate(sizes_kept).T
    out.array(f"{folder}/fields.u8", encode_numbers(*columns))
    return moves, [texts_within(pointers_from_sizes(column)) for column in columns]


def _write_places(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], term_maps: TermMaps, room: WorkLimits
) -> tuple[int, int]:
    """Write the words as written, their terms and places, one range of words at a time; return how many there are."""
    moves, texts = _write_fields(out, folder, placed)
    with tempfile.TemporaryFile(dir=out.folder, buffering=0) as file, ExitStack() as stack:
        maps = TermMaps(file)
        live = [move.count(each.matrix) for move, each in zip(moves, placed, strict=True)]
        words = ((each.matrix.words(), kept.sum(axis=1)) for each, kept in zip(placed, live, strict=True))
        total = _merge_terms(out, f"{folder}/words", words, maps)
        terms = np.full(len(total), NO_TERM, np.uint32)
        counts = np.zeros((len(total), len(FIELDS)), np.int64)
        for at, (each, kept) in enumerate(zip(placed, live, strict=True)):
            of_words, numbers, used = each.matrix.word_terms(), maps.read(at), kept.any(axis=1)
            known = used & (of_words != NO_TERM)
            terms[numbers[known]] = term_maps.read(at)[of_words[known]].view(np.uint32)
            counts[numbers[used]] += kept[used]
        out.array(f"{folder}/word_terms.u32", terms)
        frequent = without_postings(terms, counts, len(texts[0].bounds) - 1)
        ranges = room.split(total)
        bounds = np.array([first for first, _ in ranges] + [len(total)])
        parts = [np.searchsorted(maps.read(at), bounds) for at in range(len(placed))]

        def encode_range(number: int) -> tuple[EncodedPlaces, list[NDArray[np.uint8]]]:
            first, last = ranges[number]
            ptr = pointers_from_sizes(counts[first:last].reshape(-1))
            places, cursor = np.empty(ptr[-1], np.int64), ptr[:-1].copy()
            for at, (each, move) in enumerate(zip(placed, moves, strict=True)):
                begin, end = parts[at][number : number + 2].tolist()
                if begin < end:
                    lists = _number_lists(maps.read(at, begin, end))
                    at_first = first * len(FIELDS)
                    of_part = each.matrix.places(begin, end)
                    check(move_places_into(*of_part, lists, at_first, move.starts, move.moved, cursor, places))
            check(np.array_equal(cursor, ptr[1:]))
            own = frequent[(frequent >= first) & (frequent < last)] - first
            return encode_places(ptr, places), [row_bits_of(ptr[n * len(FIELDS) :], places, texts) for n in own]

        data = stack.enter_context(out.stream(f"{folder}/places.u8"))
        heads = stack.enter_context(out.stream(f"{folder}/places_heads.u8"))
        sums = stack.enter_context(out.stream(f"{folder}/places_sums.u32"))
        row_bits = stack.enter_context(out.stream(f"{folder}/row_bits.u8"))
        encoded_ranges = map_in_order(encode_range, range(len(ranges)), room.threads, room.count + 1)
        for (first, last), (encoded, bits) in zip(ranges, encoded_ranges, strict=True):
            heads.write(encode_numbers(counts[first:last].reshape(-1), encoded.sizes).data)
            sums.write(encoded.sums.data)
            data.write(encoded.data.data)
            for bits_of_word in bits:
                row_bits.write(bits_of_word.data)
        data.write(np.zeros(PADDING, np.uint8).data)
    return len(total), int(total.sum())


def _number_lists(words: NDArray[np.int32]) -> NDArray[np.int64]:
    """The numbers of the lists of places of words: one per field."""
    return (words.astype(np.int64)[:, None] * len(FIELDS) + np.arange(len(FIELDS))).reshape(-1)


def assemble(
    out: FolderWriter,
    parts: Sequence[Part],
    resources: Resources,
    progress: Callable[[str, int, int], None],
    *,
    positions: bool,
) -> dict[str, LanguageCounts]:
    """Write a segment, with or without the places of words, and return the counts of each language.

    `progress` is called with the name of each step, how much of it is done, and its total.
    """
    numbers = number_documents(parts)
    languages = sorted({language for part in parts for language in part.languages})
    counts_by_language: dict[str, LanguageCounts] = {}
    with ThreadPoolExecutor(resources.workers) as threads, ThreadPoolExecutor(2) as others:
        storing = [others.submit(write, out, parts) for write in (_write_records, write_names)]
        room = WorkLimits(resources.memory, threads, resources.workers, positions)
        for at, language in enumerate(languages):
            progress(f"terms, {language or 'unknown language'}", at, len(languages))
            counts_by_language[language] = _write_matrix(out, language, parts, numbers, room)
        progress("documents", 0, 1)
        for each in storing:
            each.result()
    return {language: counts for language, counts in counts_by_language.items() if counts["rows"]}


def number_documents(parts: Sequence[Part]) -> list[NDArray[np.int64]]:
    """For each part, the number of each document in the segment; −1 where the document was dropped."""
    numbers, first = [], 0
    for part in parts:
        numbers.append(np.where(part.live, np.cumsum(part.live) - 1 + first, -1))
        first += int(part.live.sum())
    return numbers


def _write_records(out: FolderWriter, parts: Sequence[Part]) -> None:
    """Write the records, which are most of a segment and are therefore synced right away, and the rejects."""
    with out.stream(RECORDS) as records, out.stream(RECORDS_PTR) as ptr:
        ptr.write(np.zeros(1, np.int64).data)
        for part in parts:
            for first, some in part.records():
                data, sizes = _keep_live_records(some, part.live[first : first + len(some[1]) - 1])
                ptr.write((np.cumsum(sizes) + records.size).data)
                records.write(data.data)
    sync(out.folder / RECORDS)
    with out.stream(REJECTS) as rejects:
        for part in parts:
            for line in part.rejects():
                rejects.write(line)


def write_names(out: FolderWriter, parts: Sequence[Part]) -> None:
    """Write the table of the documents, and as separate arrays what searches need: names, days, the order by class."""
    days: list[int] = []
    names: list[bytes] = []
    classes = MainClasses()

    def rows() -> Iterator[Row]:
        for part in parts:
            for live, row in zip(part.live.tolist(), part.rows(), strict=True):
                if live:
                    days.append(day_number(row[DAY]))
                    names.append(row[DOC_ID].encode())
                    classes.add(row)
                    yield tuple(row)

    write_metadata(out.folder / METADATA, rows())
    out.adopt(METADATA)
    order = np.empty(len(names), np.uint32)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.uint32)
    out.array(ORDER, order)
    out.array(DAYS, np.array(days, np.int32))
    out.array(CLASS_ORDER, classes.order(days))
    out.array(NAMES, np.frombuffer(b"".join(names), np.uint8))
    out.array(NAMES_PTR, pointers(map(len, names)))
