"""Assembles a segment from parts: the chunks of a build, and the segments of a merge, which have the same interface.

`ChunkPart` and `ChunkMatrix` in `chunk.py` say what the methods of a part return.

The matrix of a language is assembled in bounded memory, and the same parts always give the same bytes. Rows are
numbered in the order of the parts. The terms of each part are sorted, so the terms of a range are contiguous: postings
are gathered one range of terms at a time, as large as memory allows, with several ranges in parallel.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from antecede.arrays import pointers_from_sizes, release_pages, split_spans
from antecede.conditions.spans import texts_within
from antecede.index.codec import Lists, check, encode, encode_numbers, place_into
from antecede.index.documents import DAY, DOC_ID, day_number, write_metadata
from antecede.index.files import (
    DAYS,
    METADATA,
    NAMES,
    NAMES_PTR,
    ORDER,
    RECORDS,
    RECORDS_PTR,
    REJECTS,
    file_of,
    folder_of,
    sync,
)
from antecede.index.place_lists import PADDING, encode_places
from antecede.index.places import NO_TERM, move_places_into, row_bits_of, without_postings
from antecede.index.terms import arrange_terms, front_code, sort_terms
from antecede.parallel import map_in_order
from antecede.patent.texts import FIELDS
from antecede.text.vocabulary import Arena, GrowingVocabulary, grow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    from numpy.typing import NDArray

    from antecede.arrays import I32, U8, U32, Ints, Mask
    from antecede.conditions.spans import Texts
    from antecede.index.chunk import ChunkMatrix, ChunkPart
    from antecede.index.codec import EncodedLists
    from antecede.index.documents import Row
    from antecede.index.files import FolderWriter, LanguageCounts
    from antecede.index.index import Segment
    from antecede.index.place_lists import EncodedPlaces
    from antecede.index.places import Places
    from antecede.parallel import Resources
    from antecede.text.folding import Folding


Part: TypeAlias = "ChunkPart | SegmentPart"
PartMatrix: TypeAlias = "ChunkMatrix | SegmentMatrix"
BATCH_POSTINGS = 1 << 21
"""Postings that are read at a time."""
BATCH_RECORDS = 1024


class SegmentMatrix:
    """A language of a segment."""

    def __init__(self, segment: Segment, language: str) -> None:
        self.matrix = segment.matrix(language)
        self.documents = self.matrix.documents
        self.held = cast("Places", self.matrix.places)  # a segment without them is not merged into one with them

    def terms(self) -> Arena:
        return self.matrix.vocabulary

    def sizes(self) -> Ints:
        return self.matrix.df.astype(np.int64)

    def postings(self, first: int, last: int) -> Lists:
        lists = self.matrix.postings_of(np.arange(first, last))
        self.matrix.by_term.release_pages()
        return lists

    def words(self) -> Arena:
        return self.held.vocabulary

    def word_terms(self) -> U32:
        return self.held.term_of

    def place_counts(self) -> Ints:
        return self.held.counts

    def places(self, first: int, last: int) -> tuple[Ints, Ints]:
        lists = self.held.lists(np.arange(first * len(FIELDS), last * len(FIELDS)))
        self.held.release_pages()
        return lists

    def field_sizes(self) -> Ints:
        return np.diff(self.held.bounds, axis=1).T

    def portions(self) -> Iterator[tuple[int, int]]:
        return split_spans(self.matrix.by_row.lengths.astype(np.int64), BATCH_POSTINGS)

    def vectors(self, first: int, last: int, names: U32) -> Lists:
        lists = self.matrix.vectors_of(np.arange(first, last))
        self.matrix.by_row.release_pages()
        return Lists(lists.ptr, names[lists.items], lists.counts)


class SegmentPart:
    """A segment that is merged into a new one."""

    def __init__(self, segment: Segment) -> None:
        self.segment, self.documents, self.languages = segment, segment.documents, segment.languages
        self.live = segment.live

    def matrix(self, language: str) -> SegmentMatrix:
        return SegmentMatrix(self.segment, language)

    def rows(self) -> Iterator[Sequence[Any]]:
        return self.segment.store.all_rows()

    def records(self) -> Iterator[tuple[int, Arena]]:
        for first in range(0, self.documents, BATCH_RECORDS):
            end = min(first + BATCH_RECORDS, self.documents)
            yield first, self.segment.store.packed(first, end)
            release_pages(self.segment.store.records[0])

    def rejects(self) -> Iterator[bytes]:
        return self.segment.rejects()


def _keep_live(live: Mask, ptr: Ints, *columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Of concatenated lists or records, those that are live: the size of each, and what they consist of."""
    sizes = np.diff(ptr)
    if live.all():
        return (sizes, *columns)
    kept = np.repeat(live, sizes)
    return (sizes[live], *(column[kept] for column in columns))


BYTES_A_POSTING = 16
"""The memory of one posting while a range of terms is assembled: row, count, and encoded bytes."""
MIN_RANGE = 1 << 16


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
        return max(self.memory // (BYTES_A_POSTING * 2 * self.count), MIN_RANGE)

    def split(self, sizes: Ints) -> list[tuple[int, int]]:
        """Ranges of lists of these sizes: each fits the limit, and there are enough for every thread."""
        smaller = max(int(sizes.sum()) // (2 * self.count), MIN_RANGE)
        return list(split_spans(sizes, min(self.postings, smaller)))


class PlacedMatrix(NamedTuple):
    """The matrix of a part with its place in the segment."""

    matrix: PartMatrix
    new_rows: I32
    """Row → row in the segment, −1 where its document was dropped."""


class TermMaps:
    """For each part, the number of each of its terms in the segment; kept on disk.

    Numbers never decrease; a term that occurs in dropped rows only has the number of the previous term.
    """

    def __init__(self, folder: str) -> None:
        self.folder, self.parts = Path(folder), 0

    def add(self, numbers: I32) -> None:
        (self.folder / f"{self.parts}").write_bytes(numbers.data)
        self.parts += 1

    def renumber(self, ranks: I32) -> None:
        """Replace each number by its rank in the sorted vocabulary."""
        for part in range(self.parts):
            numbers = self.read(part)
            ranked = np.where(numbers >= 0, ranks[numbers], np.int32(-1)) if len(ranks) else numbers
            (self.folder / f"{part}").write_bytes(np.maximum.accumulate(ranked).data)

    def read(self, part: int, first: int = 0, end: int | None = None) -> I32:
        """The map of a part, or of its terms from `first` up to `end`; thread-safe."""
        count = -1 if end is None else end - first
        return np.fromfile(self.folder / f"{part}", np.int32, count, offset=4 * first)


def _write_lists(
    out: FolderWriter,
    name: str,
    lists: Iterable[tuple[Sequence[NDArray[Any]], EncodedLists | EncodedPlaces]],
    padding: int = 0,
) -> None:
    """Write encoded lists to their files, each part with the columns of their headers; so many zeros follow them."""
    with (
        out.stream(f"{name}.u8") as data,
        out.stream(f"{name}_heads.u8") as heads,
        out.stream(f"{name}_sums.u32") as sums,
    ):
        for columns, encoded in lists:
            heads.write(encode_numbers(*columns).data)
            sums.write(encoded.sums.data)
            data.write(encoded.data.data)
        data.write(bytes(padding))


def _encode_lists(lists: Lists) -> tuple[Sequence[NDArray[Any]], EncodedLists]:
    """Encoded lists with the columns of their headers: length, sum of counts − length, size in bytes."""
    lengths, encoded = np.diff(lists.ptr), encode(lists)
    return (lengths, encoded.totals - lengths.astype(np.uint64), np.diff(encoded.ptr)), encoded


class _Range(NamedTuple):
    """Terms of the segment that are assembled together."""

    first: int
    last: int
    parts: list[tuple[int, int, int]]
    """Of each part that has some of them: its number, and the range of its own terms."""


def _split_ranges(totals: Ints, maps: TermMaps, room: WorkLimits) -> list[_Range]:
    ranges = room.split(totals)
    bounds = np.array([first for first, _ in ranges] + [len(totals)])
    own = [np.searchsorted(maps.read(at), bounds).tolist() for at in range(maps.parts)]
    return [
        _Range(first, last, [(at, ends[n], ends[n + 1]) for at, ends in enumerate(own) if ends[n] < ends[n + 1]])
        for n, (first, last) in enumerate(ranges)
    ]


def _write_matrix(
    out: FolderWriter, language: str, parts: Sequence[Part], numbers: Sequence[Ints], room: WorkLimits
) -> LanguageCounts:
    """Write the matrix of one language in both directions, and the places of its words; return the counts."""
    folder = folder_of(language)
    placed, rows = _write_rows(out, folder, language, parts, numbers)
    if not rows:
        return {"rows": 0, "terms": 0, "postings": 0, "words": 0, "places": 0}
    words = places = 0
    with tempfile.TemporaryDirectory(dir=out.folder) as temporary:
        maps = TermMaps(temporary)
        terms = ((each.matrix.terms(), _count_live_rows(each)) for each in placed)
        df = _merge_terms(out, f"{folder}/terms", terms, maps)
        _write_by_row(out, folder, placed, maps, room)
        _write_by_term(out, folder, placed, maps, df, room)
        if room.positions:
            words, places = _write_places(out, folder, placed, maps, room)
    return {"rows": rows, "terms": len(df), "postings": int(df.sum()), "words": words, "places": places}


def _write_rows(
    out: FolderWriter, folder: str, language: str, parts: Sequence[Part], numbers: Sequence[Ints]
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


def _merge_terms(out: FolderWriter, name: str, parts: Iterable[tuple[Arena, Ints]], maps: TermMaps) -> Ints:
    """Write the terms of all parts in byte order, but those with a count of 0, and number those of each part.

    Returns the sum of the counts of each.
    """
    vocabulary = GrowingVocabulary()
    total = np.zeros(0, np.int64)
    for (terms, ptr), counts in parts:
        used = counts > 0
        numbers = vocabulary.number(terms, ptr[:-1].copy(), np.where(used, ptr[1:], ptr[:-1]))
        maps.add(numbers)
        total = grow(total, len(vocabulary))
        total[numbers[used]] += counts[used]
    order = sort_terms(vocabulary.terms())
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    maps.renumber(ranks)
    ends, sizes = front_code(arrange_terms(vocabulary.terms(), order))
    out.array(f"{name}.u8", ends)
    out.array(f"{name}_sizes.u8", sizes)
    return total[order]


def _count_live_rows(each: PlacedMatrix) -> Ints:
    sizes, live = each.matrix.sizes(), each.new_rows >= 0
    if live.all():
        return sizes
    df = np.zeros(len(sizes), np.int64)
    for first, last in split_spans(sizes, BATCH_POSTINGS):
        ptr, rows, _ = each.matrix.postings(first, last)
        check(int(rows.max(initial=0)) < len(live))
        df[first:last] = np.diff(np.append(0, np.cumsum(live[rows]))[ptr])
    return df


def _write_by_row(
    out: FolderWriter, folder: str, placed: Sequence[PlacedMatrix], maps: TermMaps, room: WorkLimits
) -> None:

    def encode_piece(piece: tuple[int, int, int]) -> tuple[Sequence[NDArray[Any]], EncodedLists]:
        at, first, last = piece
        triple = placed[at].matrix.vectors(first, last, maps.read(at).view(np.uint32))
        sizes, items, counts = _keep_live(placed[at].new_rows[first:last] >= 0, *triple)
        return _encode_lists(Lists(pointers_from_sizes(sizes), items, counts))

    pieces = [(at, *rows) for at, each in enumerate(placed) for rows in each.matrix.portions()]
    _write_lists(out, f"{folder}/by_row", map_in_order(encode_piece, pieces, room.threads, room.count + 1))


def _write_by_term(
    out: FolderWriter,
    folder: str,
    placed: Sequence[PlacedMatrix],
    maps: TermMaps,
    df: Ints,
    room: WorkLimits,
) -> None:
    """Write the rows of each term, one range of terms at a time."""

    def encode_range(terms: _Range) -> tuple[Sequence[NDArray[Any]], EncodedLists]:
        ptr = pointers_from_sizes(df[terms.first : terms.last])
        rows, counts = np.empty(ptr[-1], np.uint32), np.empty(ptr[-1], np.uint32)
        cursor = ptr[:-1].copy()
        for at, begin, end in terms.parts:
            postings, numbers = placed[at].matrix.postings(begin, end), maps.read(at, begin, end)
            check(place_into(*postings, numbers, terms.first, placed[at].new_rows, cursor, rows, counts))
        check(np.array_equal(cursor, ptr[1:]))
        return _encode_lists(Lists(ptr, rows, counts))

    ranges = _split_ranges(df, maps, room)
    _write_lists(out, f"{folder}/by_term", map_in_order(encode_range, ranges, room.threads, room.count + 1))


class _Moves(NamedTuple):
    """Where the texts of a part begin in its own places (and where the last ends), and in those of the segment."""

    starts: Ints
    """A line per field."""
    moved: Ints
    """−1 where the row is dropped."""

    def count_places(self, matrix: PartMatrix) -> Ints:
        """The number of places of each word in each field of rows that are kept."""
        counts = matrix.place_counts()
        if (self.moved >= 0).all():
            return counts
        kept, nothing = np.zeros(counts.size, np.int64), np.zeros(0, np.int64)
        for first, last in split_spans(counts.sum(axis=1), BATCH_POSTINGS):
            lists = np.arange(first * len(FIELDS), last * len(FIELDS))
            check(move_places_into(*matrix.places(first, last), lists, 0, *self, kept, nothing))
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
    with tempfile.TemporaryDirectory(dir=out.folder) as temporary:
        maps = TermMaps(temporary)
        live = [move.count_places(placed_matrix.matrix) for move, placed_matrix in zip(moves, placed, strict=True)]
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

        def encode_range(words: _Range) -> tuple[list[U8], Sequence[NDArray[Any]], EncodedPlaces]:
            sizes = counts[words.first : words.last].reshape(-1)
            ptr = pointers_from_sizes(sizes)
            places, cursor = np.empty(ptr[-1], np.int64), ptr[:-1].copy()
            for at, begin, end in words.parts:
                of_part, numbers = placed[at].matrix.places(begin, end), maps.read(at, begin, end).astype(np.int64)
                lists = (numbers[:, None] * len(FIELDS) + np.arange(len(FIELDS))).reshape(-1)
                first = words.first * len(FIELDS)
                check(move_places_into(*of_part, lists, first, *moves[at], cursor, places))
            check(np.array_equal(cursor, ptr[1:]))
            own = frequent[(frequent >= words.first) & (frequent < words.last)] - words.first
            bits = [row_bits_of(ptr[word * len(FIELDS) :], places, texts) for word in own]
            encoded = encode_places(ptr, places)
            return bits, (sizes, encoded.sizes), encoded

        def encode_ranges() -> Iterator[tuple[Sequence[NDArray[Any]], EncodedPlaces]]:
            ranges = _split_ranges(total, maps, room)
            with out.stream(f"{folder}/row_bits.u8") as row_bits:
                for bits, columns, encoded in map_in_order(encode_range, ranges, room.threads, room.count + 1):
                    for bits_of_word in bits:
                        row_bits.write(bits_of_word.data)
                    yield columns, encoded

        _write_lists(out, f"{folder}/places", encode_ranges(), PADDING)
    return len(total), int(total.sum())


def assemble(
    out: FolderWriter,
    parts: Sequence[Part],
    resources: Resources,
    progress: Callable[[str, int, int], None],
    *,
    positions: bool,
    names: Folding,
) -> dict[str, LanguageCounts]:
    """Write a segment, with or without the places of words, and return the counts of each language.

    `names` is the folding of names.

    `progress` is called with the name of each step, how much of it is done, and its total.
    """
    numbers = number_documents(parts)
    languages = sorted({language for part in parts for language in part.languages})
    counts_by_language: dict[str, LanguageCounts] = {}
    with ThreadPoolExecutor(resources.workers) as threads, ThreadPoolExecutor(2) as others:
        storing = [others.submit(_write_records, out, parts), others.submit(write_names, out, parts, names)]
        room = WorkLimits(resources.memory, threads, resources.workers, positions)
        for at, language in enumerate(languages):
            progress(f"terms, {language or 'unknown language'}", at, len(languages))
            counts_by_language[language] = _write_matrix(out, language, parts, numbers, room)
        progress("documents", 0, 1)
        for writing in storing:
            writing.result()
    return {language: counts for language, counts in counts_by_language.items() if counts["rows"]}


def number_documents(parts: Sequence[Part]) -> list[Ints]:
    """For each part, the number of each document in the segment; −1 where the document was dropped."""
    numbers, first = [], 0
    for part in parts:
        numbers.append(np.where(part.live, np.cumsum(part.live) - 1 + first, -1))
        first += int(part.live.sum())
    return numbers


def _write_records(out: FolderWriter, parts: Sequence[Part]) -> None:
    """Write the records, which are most of a segment and are therefore synced right away, and the rejects."""
    with out.stream(RECORDS) as records, out.stream(RECORDS_PTR) as ends:
        ends.write(np.zeros(1, np.int64).data)
        for part in parts:
            for first, (packed, ptr) in part.records():
                sizes, data = _keep_live(part.live[first : first + len(ptr) - 1], ptr, packed)
                ends.write((np.cumsum(sizes) + records.size).data)
                records.write(data.data)
    sync(out.folder / RECORDS)
    with out.stream(REJECTS) as rejects:
        for part in parts:
            for line in part.rejects():
                rejects.write(line)


def write_names(out: FolderWriter, parts: Sequence[Part], folding: Folding) -> None:
    """Write the table of the documents, and as separate arrays what searches need: names and days."""
    days: list[int] = []
    names: list[bytes] = []

    def rows() -> Iterator[Row]:
        for part in parts:
            for row in compress(part.rows(), part.live):
                days.append(day_number(row[DAY]))
                names.append(row[DOC_ID].encode())
                yield tuple(row)

    write_metadata(out.folder / METADATA, rows(), folding)
    out.files[METADATA] = file_of(out.folder / METADATA)
    order = np.empty(len(names), np.uint32)
    order[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names), dtype=np.uint32)
    out.array(ORDER, order)
    out.array(DAYS, np.array(days, np.int32))
    arena, ptr = Arena.join(names)
    out.array(NAMES, arena)
    out.array(NAMES_PTR, ptr)
