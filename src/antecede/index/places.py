"""The places of words: where each word as written, stop words included, is in the texts of a language.

Take the texts of a field of all rows one after the other, and number their words: a place is such a number. So a row is
a range of places, and the places of a word in a field are one ascending list. A phrase is a place that follows another.
Words as written are kept beside the term that each becomes: a search for a word finds all words of its term, truncation
finds the words themselves.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.arrays import pointers_from_sizes, release_pages
from antecede.conditions.spans import EVERYWHERE, NO_PLACES, Texts, Vicinity, texts_within
from antecede.index.codec import read_numbers
from antecede.index.files import damaged
from antecede.index.place_lists import (
    BLOCK,
    MAX_PLACES_PER_BYTE,
    PADDING,
    collect_texts,
    decode_blocks,
    find_blocks,
    mark_followed,
    select_blocks,
)
from antecede.index.terms import concatenate_texts, find_terms, read_terms
from antecede.kernels import interval_of, kernel, read_only
from antecede.patent.texts import FIELDS
from antecede.text.patterns import match_pattern
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antecede.arrays import I32, U8, U32, Ints, Mask
    from antecede.index.files import SegmentFiles
    from antecede.index.place_lists import Blocks, StoredLists

NO_TERM = np.uint32(2**32 - 1)
"""The term of a word that has none: a stop word, or one too short."""
MAX_FIELD_WORDS = np.uint64(1 << 40)
"""More words than a field can have."""
BATCH_PLACES = 1 << 18
"""Places that are decoded at a time: few enough to stay in the processor's cache."""


class Places:
    """The places of the words of one matrix. Files are read and checked on first use, lists on each use."""

    def __init__(self, files: SegmentFiles, rows: int, terms: int, words: int, places: int) -> None:
        """The numbers are those of the manifest; the files must agree with them."""
        self.files, self.rows, self.terms, self.words, self.total = files, rows, terms, words, places

    @cached_property
    def bounds(self) -> Ints:
        """For each field, where the text of each row begins, and where the last ends."""
        sizes = read_numbers(self.files, "fields.u8", len(FIELDS))
        if len(sizes) != self.rows or (sizes > MAX_FIELD_WORDS).any():
            raise damaged(self.files.folder / "fields.u8", "it does not have the fields of each row")
        return np.stack([pointers_from_sizes(column) for column in sizes.T.astype(np.int64)])

    @cached_property
    def texts(self) -> list[Texts]:
        """The texts of each field."""
        return [*map(texts_within, self.bounds)]

    @cached_property
    def vocabulary(self) -> Arena:
        """The words in byte order."""
        return read_terms(self.files, "words", self.words)

    @cached_property
    def term_of(self) -> U32:
        """The number of the term of each word, or `NO_TERM`."""
        terms = self.files.array("word_terms.u32", self.words)
        if ((terms >= self.terms) & (terms != NO_TERM)).any():
            raise damaged(self.files.folder / "word_terms.u32", "it names a term that is not there")
        return terms

    @cached_property
    def _heads(self) -> tuple[Ints, Ints]:
        """How many places each list has, and where it begins; a word has a list per field."""
        heads = read_numbers(self.files, "places_heads.u8", 2)
        size = self.files.files["places.u8"].size - PADDING
        fits = len(heads) == self.words * len(FIELDS) and not (heads[:, 0] > heads[:, 1] * MAX_PLACES_PER_BYTE).any()
        fits = fits and not (heads[:, 1] > size).any() and int(heads[:, 1].sum()) == size
        if (
            not fits
            or int(heads[:, 0].sum()) != self.total
            or not heads[:, 0].reshape(-1, len(FIELDS)).any(axis=1).all()
        ):
            raise damaged(self.files.folder / "places_heads.u8", "its lists are not those of the words")
        return heads[:, 0].astype(np.int64), pointers_from_sizes(heads[:, 1].astype(np.int64))

    @cached_property
    def _stored(self) -> StoredLists:
        """The encoded lists, list f + w · fields being that of word w in field f; each is checked when it is read."""
        counts, ptr = self._heads
        data = self.files.array("places.u8", int(ptr[-1]) + PADDING, checked=False)
        sums, limits = self.files.array("places_sums.u32", len(counts)), np.ascontiguousarray(self.bounds[:, -1])
        return read_only(data), read_only(ptr), read_only(counts), read_only(sums), read_only(limits)

    @property
    def list_counts(self) -> Ints:
        """How many places each list has."""
        return self._heads[0]

    @property
    def counts(self) -> Ints:
        """How often each word occurs in each field."""
        return self._heads[0].reshape(-1, len(FIELDS))

    def blocks(self, numbers: Ints) -> Blocks:
        """The blocks of lists."""
        fits, blocks = find_blocks(*self._stored, numbers)
        if not fits:
            raise self._damaged()
        return blocks

    def decode(self, blocks: Blocks, which: Ints | None = None) -> Ints:
        """The places of blocks, or of some of them."""
        places = decode_blocks(self._stored[0], blocks, which)
        if places is None:
            raise self._damaged()
        return places

    def mark_followed(self, blocks: Blocks, ptr: Ints, starts: Ints, distance: int) -> Mask:
        """Which starts, ascending, a place of some lists follows at a distance; `ptr` are the blocks of each list."""
        marked = np.zeros(len(starts), np.bool_)
        if not mark_followed(self._stored[0], blocks, ptr, read_only(starts), np.int64(distance), marked):
            raise self._damaged()
        return marked

    def _damaged(self) -> Exception:
        return damaged(self.files.folder / "places.u8", "a list is not what was written")

    def lists(self, numbers: Ints) -> tuple[Ints, Ints]:
        """The offset of each of some lists, and their places, concatenated."""
        return pointers_from_sizes(self._heads[0][numbers]), self.decode(self.blocks(numbers))

    def release_pages(self) -> None:
        """Release the memory of lists that were read."""
        release_pages(self._stored[0])

    def divide(self, field: int, places: int) -> Iterator[tuple[int, int]]:
        """Ranges of a field's places, of whole texts, in each of which about `BATCH_PLACES` of so many places are."""
        bounds, number = self.bounds[field], places // BATCH_PLACES + 1
        if number == 1:
            return iter([(0, int(bounds[-1]))])
        cuts = bounds[np.searchsorted(bounds, np.arange(number + 1) * bounds[-1] // number)]
        return pairwise(dict.fromkeys(cuts.tolist()))

    def all_words(self) -> list[str]:
        """Every word, in order."""
        return self.vocabulary.texts()

    def word(self, number: int) -> str:
        """The word of a number."""
        arena, ptr = self.vocabulary
        return arena[ptr[number] : ptr[number + 1]].tobytes().decode()

    def find(self, words: Sequence[str]) -> Ints:
        """The numbers of words as written, in their normal form, −1 where one does not occur."""
        return find_terms(self.vocabulary, concatenate_texts(words))

    def numbers_of(self, word: str) -> Ints:
        """The number of a word in its form, in an array; an empty one where it does not occur."""
        numbers = self.find([word])
        return numbers[numbers >= 0]

    @cached_property
    def _words_by_term(self) -> tuple[Ints, Ints]:
        """The words, term by term, and where those of each term begin."""
        order = np.argsort(self.term_of, kind="stable")
        return order, np.searchsorted(self.term_of[order], np.arange(self.terms + 1))

    @cached_property
    def words_per_term(self) -> Ints:
        """How many words become each term."""
        return np.bincount(self.term_of[self.term_of != NO_TERM])

    def words_of(self, first: int, last: int) -> Ints:
        """The words that become a term from `first` up to `last`, term by term; none from −1, a missing term, to 0."""
        order, ptr = self._words_by_term
        return order[ptr[first] : ptr[last]]

    @cached_property
    def row_bits(self) -> tuple[Ints, U8]:
        """The frequent words without a term, and for each a bit per row, set where the row has the word."""
        words = without_postings(self.term_of, self.counts, self.rows)
        size = -(-self.rows // 8)
        return words, self.files.array("row_bits.u8", len(words) * size).reshape(len(words), size)

    def rows_with(self, words: Ints) -> Ints:
        """The rows that have one of some words in any field, perhaps repeatedly."""
        stored, bits = self.row_bits
        chosen = np.bitwise_or.reduce(bits[np.isin(stored, words)], axis=0)
        rows = np.flatnonzero(np.unpackbits(chosen, count=self.rows, bitorder="little"))
        others = words[~np.isin(words, stored)]
        fields = range(len(FIELDS) if len(others) else 0)
        by_field = [WordPlaces(self, others, field).rows() for field in fields]
        return np.concatenate([rows, *by_field])

    def matching(self, stem: str, pattern: str) -> Ints:
        """The words that match a pattern, which begins with a stem; ascending."""
        arena, ptr = self.vocabulary
        begin = stem.encode()

        def bytes_of(number: int) -> bytes:
            return arena[ptr[number] : ptr[number + 1]].tobytes()

        every = range(self.words)
        first = bisect_left(every, begin, key=bytes_of)
        end = bisect_left(every, begin + b"\xff", key=bytes_of)
        return first + np.flatnonzero(match_pattern(Arena(arena, ptr[first : end + 1]), pattern))

    def rows_of(self, places: Iterable[Ints], field: int) -> Ints:
        """The rows of places in a field, perhaps repeatedly."""
        texts = self.texts[field]
        return np.concatenate([NO_PLACES, *(_list_rows(read_only(some), *texts) for some in places)])

    def rows_in_lists(self, lists: Ints, field: int) -> Ints:
        """The rows that have a place of lists of a field, in any order, perhaps repeatedly."""
        fits, rows = collect_texts(*self._stored, lists, *self.texts[field])
        if not fits:
            raise self._damaged()
        return rows


class WordPlaces:
    """The places of some words in a field, of which those are decoded that are asked for."""

    def __init__(self, held: Places, words: Ints, field: int) -> None:
        self.held, self.field = held, field
        lists = words * len(FIELDS) + field
        self._lists = lists[held.list_counts[lists] > 0]

    @cached_property
    def _blocks(self) -> Blocks:
        return self.held.blocks(self._lists)

    @cached_property
    def _blocks_ptr(self) -> Ints:
        """Where the blocks of each list begin, and where those of the last end."""
        return pointers_from_sizes(-(-self.held.list_counts[self._lists] // BLOCK))

    def within(self, begin: int, end: int, near: Vicinity = EVERYWHERE) -> Ints:
        """The places from `begin` up to `end`, ascending, of which some may be left out that are not `near` others."""
        if not len(self._lists):
            return NO_PLACES
        several = len(self._lists) > 1
        places = self.held.decode(self._blocks, select_blocks(self._blocks, begin, end, near, ascending=not several))
        if several:
            places.sort(kind="stable")  # which merges lists that ascend
        first, last = np.searchsorted(places, [begin, end])
        return places[first:last]

    def keep_followed(self, starts: Ints, distance: int) -> Ints:
        """The starts, ascending, that one of the words follows at a distance."""
        return starts[self.held.mark_followed(self._blocks, self._blocks_ptr, starts, distance)]

    def rows(self) -> Ints:
        """The rows with one of the words in the field."""
        return self.held.rows_in_lists(self._lists, self.field)


class AssumedPlaces(Places):
    """The places of texts of unknown language, whose words are read as those of a given language."""

    def __init__(self, source: Places, forms: Arena, terms: int, term_of: U32, row_of: Ints) -> None:
        """The terms and the forms of words are those of that language.

        `row_of` is the row of each row of the source, −1 for none.
        """
        super().__init__(source.files, source.rows, terms, source.words, source.total)
        self._forms, self._term_of, self._row_of = forms, term_of, row_of

    def numbers_of(self, word: str) -> Ints:
        return np.flatnonzero(match_pattern(self._forms, word))

    def matching(self, stem: str, pattern: str) -> Ints:  # noqa: ARG002 - the forms are not in byte order
        return np.flatnonzero(match_pattern(self._forms, pattern))

    @cached_property
    def term_of(self) -> U32:
        return self._term_of

    @cached_property
    def row_bits(self) -> tuple[Ints, U8]:
        """None: other words than in that language have no term."""
        return NO_PLACES, np.zeros((0, -(-self.rows // 8)), np.uint8)

    def rows_of(self, places: Iterable[Ints], field: int) -> Ints:
        return self._own(super().rows_of(places, field))

    def rows_in_lists(self, lists: Ints, field: int) -> Ints:
        return self._own(super().rows_in_lists(lists, field))

    def _own(self, source_rows: Ints) -> Ints:
        rows = self._row_of[source_rows]
        return rows[rows >= 0]


@kernel
def _range_of(place: np.int64, bounds: Ints, near: int) -> int:
    """The range, from `near` on, that a place is in; one that is not empty.

    Bounds: the place is below the last bound and not below `bounds[near]`, which the callers ensure by taking places in
    their order; every step stays between `low` and `high`.
    """
    low, step = near, 1
    high = low + 1
    last = len(bounds) - 1
    while high < last and bounds[high] <= place:
        low = high
        high = min(high + step, last)
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if bounds[middle] <= place:
            low = middle
        else:
            high = middle
    return low


@kernel
def move_places_into(
    ptr: Ints,
    places: Ints,
    lists: Ints,
    first: int,
    starts: Ints,
    moved: Ints,
    cursor: Ints,
    out: Ints,
) -> bool:
    """Put the places of one part into the segment: list n becomes list `lists[n]`, whose place in `out` is in `cursor`.

    `cursor` starts with list `first`; lists take turns in their fields. `starts` are where the part's texts of each
    field begin (and the last ends), `moved` where each begins in the segment, −1 where it was dropped. Where `out` is
    empty, places are only counted.
    Bounds: `ptr` comes from `pointers_from_sizes` or was checked; lists, rows and places are guarded in the loop.
    Returns False where one is out of range.
    """
    fields = len(starts)
    for n in range(len(ptr) - 1):
        to = lists[n] - first
        if not 0 <= to < len(cursor):
            return False
        own, new = starts[lists[n] % fields], moved[lists[n] % fields]
        at, row, end = cursor[to], 0, np.int64(-1)
        for j in range(ptr[n], ptr[n + 1]):
            if not 0 <= places[j] < own[-1]:
                return False
            if places[j] >= end:
                row = _range_of(places[j], own, row)
                end = own[row + 1]
            if new[row] >= 0:
                if len(out):
                    if not 0 <= at < len(out):
                        return False
                    out[at] = places[j] - own[row] + new[row]
                at += 1
        cursor[to] = at
    return True


@kernel
def collect_places(lists: Ints, places: Ints, cursor: Ints, out: U32) -> None:
    """Write the place of each word of a text into its list; list −1 is left out.

    Bounds: the caller has counted the words, so that `cursor` has a place in `out` for each.
    """
    for n in range(len(lists)):
        if lists[n] >= 0:
            out[cursor[lists[n]]] = places[n]
            cursor[lists[n]] += 1


@kernel
def _mark_rows(places: Ints, texts: Texts, marked: Mask) -> None:
    """Mark the row of each place. Bounds: `Places.decode` has checked that the places are below the last bound."""
    bounds, hints, shift = texts
    for n in range(len(places)):
        marked[interval_of(places[n], bounds, hints, shift)] = True


@kernel
def _list_rows(places: Ints, bounds: Ints, hints: I32, shift: int) -> Ints:
    """The row of each place, once for several in succession. Bounds: as those of `_mark_rows`."""
    rows, number, end = np.empty(len(places), np.int64), 0, np.int64(-1)
    begin = end
    for place in places:
        if not begin <= place < end:
            row = interval_of(place, bounds, hints, shift)
            rows[number], begin, end = row, bounds[row], bounds[row + 1]
            number += 1
    return rows[:number]


def without_postings(term_of: U32, counts: Ints, rows: int) -> Ints:
    """The words without a term that are so frequent that a bit per row is worth storing."""
    return np.flatnonzero((term_of == NO_TERM) & (counts.sum(axis=1) >= rows // 8))


def row_bits_of(ptr: Ints, places: Ints, texts: Sequence[Texts]) -> U8:
    """A bit per row, set where it has one of the places: those in field n are `places[ptr[n]:ptr[n + 1]]`."""
    marked = np.zeros(len(texts[0].bounds) - 1, np.bool_)
    for n, texts_in_field in enumerate(texts):
        _mark_rows(read_only(places[ptr[n] : ptr[n + 1]]), texts_in_field, marked)
    return np.packbits(marked, bitorder="little")
