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
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.index.arrays import pointers_from_sizes, release_pages
from antecede.index.codec import read_numbers
from antecede.index.files import FIELDS, damaged
from antecede.index.place_lists import (
    BLOCK,
    DENSEST,
    EVERYWHERE,
    PADDING,
    Vicinity,
    collect_texts,
    decode_blocks,
    find_blocks,
    mark_followed,
    select_blocks,
)
from antecede.index.terms import concatenate_texts, find_terms, match_pattern, read_terms
from antecede.kernels import interval_of, kernel, read_only
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index.files import SegmentFiles
    from antecede.index.place_lists import Blocks, StoredLists

NO_TERM = np.uint32(2**32 - 1)
"""The term of a word that has none: a stop word, or one too short."""
LARGEST_FIELD = np.uint64(1 << 40)
"""More words than a field can have."""
NO_PLACES = np.zeros(0, np.int64)
MOST_PAIRS = 1 << 20
"""Pairs of spans near each other that are looked at together: of more, some of the places are looked at a time."""
LENGTH_BITS = 22
"""Bits of the number of a span that say its length: an expression has too few words for a longer one."""
AT_ONCE = 1 << 18
"""Places that are decoded at a time: few enough to stay in the processor's cache."""


class Texts(NamedTuple):
    """The texts of a field, one per row."""

    bounds: NDArray[np.int64]
    """Where each begins, and where the last ends."""
    hints: NDArray[np.int32]
    """The text of each place that is a multiple of 2^`shift`: from there on the text of a place is looked for."""
    shift: int


def texts_within(bounds: NDArray[np.int64]) -> Texts:
    """The texts with these bounds, with about a hint for each."""
    number = len(bounds) - 1
    shift = (int(bounds[-1]) // max(number, 1)).bit_length()
    hints_before = -(-bounds >> shift)
    return Texts(bounds, np.repeat(np.arange(number, dtype=np.int32), np.diff(hints_before)), shift)


class Places:
    """The places of the words of one matrix. Files are read and checked on first use, lists on each use."""

    def __init__(self, files: SegmentFiles, rows: int, terms: int, words: int, places: int) -> None:
        """The numbers are those of the manifest; the files must agree with them."""
        self.files, self.rows, self.terms, self.words, self.total = files, rows, terms, words, places

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """For each field, where the text of each row begins, and where the last ends."""
        sizes = read_numbers(self.files, "fields.u8", len(FIELDS))
        if len(sizes) != self.rows or (sizes > LARGEST_FIELD).any():
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
    def term_of(self) -> NDArray[np.uint32]:
        """The number of the term of each word, or `NO_TERM`."""
        terms = self.files.array("word_terms.u32", self.words)
        if ((terms >= self.terms) & (terms != NO_TERM)).any():
            raise damaged(self.files.folder / "word_terms.u32", "it names a term that is not there")
        return terms

    @cached_property
    def _heads(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many places each list has, and where it begins; a word has a list per field."""
        heads = read_numbers(self.files, "places_heads.u8", 2)
        size = self.files.files["places.u8"].size - PADDING
        fits = len(heads) == self.words * len(FIELDS) and not (heads[:, 0] > heads[:, 1] * DENSEST).any()
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
    def list_counts(self) -> NDArray[np.int64]:
        """How many places each list has."""
        return self._heads[0]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each word occurs in each field."""
        return self._heads[0].reshape(-1, len(FIELDS))

    def blocks(self, numbers: NDArray[np.int64]) -> Blocks:
        """The blocks of lists."""
        fits, blocks = find_blocks(*self._stored, numbers)
        if not fits:
            raise self._damaged()
        return blocks

    def decode(self, blocks: Blocks, which: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """The places of blocks, or of some of them."""
        places = decode_blocks(self._stored[0], blocks, which)
        if places is None:
            raise self._damaged()
        return places

    def mark_followed(
        self, blocks: Blocks, ptr: NDArray[np.int64], starts: NDArray[np.int64], distance: int
    ) -> NDArray[np.bool_]:
        """Which starts, ascending, a place of some lists follows at a distance; `ptr` are the blocks of each list."""
        marked = np.zeros(len(starts), np.bool_)
        if not mark_followed(self._stored[0], blocks, ptr, read_only(starts), np.int64(distance), marked):
            raise self._damaged()
        return marked

    def _damaged(self) -> Exception:
        return damaged(self.files.folder / "places.u8", "a list is not what was written")

    def lists(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The offset of each of some lists, and their places, concatenated."""
        return pointers_from_sizes(self._heads[0][numbers]), self.decode(self.blocks(numbers))

    def release_pages(self) -> None:
        """Release the memory of lists that were read."""
        release_pages(self._stored[0])

    def divide(self, field: int, places: int) -> Iterator[tuple[int, int]]:
        """Ranges of a field's places, of whole texts, in each of which about `AT_ONCE` of so many places are."""
        bounds, number = self.bounds[field], places // AT_ONCE + 1
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

    def find(self, words: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of words as written, in their normal form, −1 where one does not occur."""
        return find_terms(self.vocabulary, concatenate_texts(words))

    @cached_property
    def _words_by_term(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The words, term by term, and where those of each term begin."""
        order = np.argsort(self.term_of, kind="stable")
        return order, np.searchsorted(self.term_of[order], np.arange(self.terms + 1))

    @cached_property
    def words_per_term(self) -> NDArray[np.int64]:
        """How many words become each term."""
        return np.bincount(self.term_of[self.term_of != NO_TERM])

    def words_of(self, first: int, last: int) -> NDArray[np.int64]:
        """The words that become a term from `first` up to `last`, term by term; none from −1, a missing term, to 0."""
        order, ptr = self._words_by_term
        return order[ptr[first] : ptr[last]]

    @cached_property
    def row_bits(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The frequent words without a term, and for each a bit per row, set where the row has the word."""
        words = without_postings(self.term_of, self.counts, self.rows)
        size = -(-self.rows // 8)
        return words, self.files.array("row_bits.u8", len(words) * size).reshape(len(words), size)

    def rows_with(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows that have one of some words in any field, perhaps repeatedly."""
        stored, bits = self.row_bits
        chosen = np.bitwise_or.reduce(bits[np.isin(stored, words)], axis=0)
        rows = np.flatnonzero(np.unpackbits(chosen, count=self.rows, bitorder="little"))
        others = words[~np.isin(words, stored)]
        fields = range(len(FIELDS) if len(others) else 0)
        by_field = [WordPlaces(self, others, field).rows() for field in fields]
        return np.concatenate([rows, *by_field])

    def matching(self, stem: str, pattern: str) -> NDArray[np.int64]:
        """The words that match a pattern, which begins with a stem; ascending."""
        arena, ptr = self.vocabulary
        begin = stem.encode()

        def bytes_of(number: int) -> bytes:
            return arena[ptr[number] : ptr[number + 1]].tobytes()

        every = range(self.words)
        first = bisect_left(every, begin, key=bytes_of)
        end = bisect_left(every, begin + b"\xff", key=bytes_of)
        return first + np.flatnonzero(match_pattern(Arena(arena, ptr[first : end + 1]), pattern))

    def rows_of(self, places: Iterable[NDArray[np.int64]], field: int) -> NDArray[np.int64]:
        """The rows of places in a field, perhaps repeatedly."""
        texts = self.texts[field]
        return np.concatenate([NO_PLACES, *(_list_rows(read_only(some), *texts) for some in places)])

    def rows_in_lists(self, lists: NDArray[np.int64], field: int) -> NDArray[np.int64]:
        """The rows that have a place of lists of a field, in any order, perhaps repeatedly."""
        fits, rows = collect_texts(*self._stored, lists, *self.texts[field])
        if not fits:
            raise self._damaged()
        return rows


class WordPlaces:
    """The places of some words in a field, of which those are decoded that are asked for."""

    def __init__(self, held: Places, words: NDArray[np.int64], field: int) -> None:
        self.held, self.field = held, field
        lists = words * len(FIELDS) + field
        self._lists = lists[held.list_counts[lists] > 0]

    @cached_property
    def _blocks(self) -> Blocks:
        return self.held.blocks(self._lists)

    @cached_property
    def _blocks_ptr(self) -> NDArray[np.int64]:
        """Where the blocks of each list begin, and where those of the last end."""
        return pointers_from_sizes(-(-self.held.list_counts[self._lists] // BLOCK))

    def within(self, begin: int, end: int, near: Vicinity = EVERYWHERE) -> NDArray[np.int64]:
        """The places from `begin` up to `end`, ascending, of which some may be left out that are not `near` others."""
        if not len(self._lists):
            return NO_PLACES
        several = len(self._lists) > 1
        places = self.held.decode(self._blocks, select_blocks(self._blocks, begin, end, near, ascending=not several))
        if several:
            places.sort(kind="stable")  # which merges lists that ascend
        first, last = np.searchsorted(places, [begin, end])
        return places[first:last]

    def keep_followed(self, starts: NDArray[np.int64], distance: int) -> NDArray[np.int64]:
        """The starts, ascending, that one of the words follows at a distance."""
        return starts[self.held.mark_followed(self._blocks, self._blocks_ptr, starts, distance)]

    def rows(self) -> NDArray[np.int64]:
        """The rows with one of the words in the field."""
        return self.held.rows_in_lists(self._lists, self.field)


class AssumedPlaces(Places):
    """The places of texts of unknown language, whose words are read as those of a given language."""

    def __init__(self, source: Places, terms: int, term_of: NDArray[np.uint32], row_of: NDArray[np.int64]) -> None:
        """The terms are those of that language; `row_of` is the row of each row of the source, −1 for none."""
        super().__init__(source.files, source.rows, terms, source.words, source.total)
        self._term_of, self._row_of = term_of, row_of

    @cached_property
    def term_of(self) -> NDArray[np.uint32]:
        return self._term_of

    @cached_property
    def row_bits(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """None: other words than in that language have no term."""
        return NO_PLACES, np.zeros((0, -(-self.rows // 8)), np.uint8)

    def rows_of(self, places: Iterable[NDArray[np.int64]], field: int) -> NDArray[np.int64]:
        return self._own(super().rows_of(places, field))

    def rows_in_lists(self, lists: NDArray[np.int64], field: int) -> NDArray[np.int64]:
        return self._own(super().rows_in_lists(lists, field))

    def _own(self, source_rows: NDArray[np.int64]) -> NDArray[np.int64]:
        rows = self._row_of[source_rows]
        return rows[rows >= 0]


@kernel
def _range_of(place: np.int64, bounds: NDArray[np.int64], near: int) -> int:
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
    ptr: NDArray[np.int64],
    places: NDArray[np.int64],
    lists: NDArray[np.int64],
    first: int,
    starts: NDArray[np.int64],
    moved: NDArray[np.int64],
    cursor: NDArray[np.int64],
    out: NDArray[np.int64],
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
def collect_places(
    lists: NDArray[np.int64], places: NDArray[np.int64], cursor: NDArray[np.int64], out: NDArray[np.uint32]
) -> None:
    """Write the place of each word of a text into its list; list −1 is left out.

    Bounds: the caller has counted the words, so that `cursor` has a place in `out` for each.
    """
    for n in range(len(lists)):
        if lists[n] >= 0:
            out[cursor[lists[n]]] = places[n]
            cursor[lists[n]] += 1


@kernel
def _mark_rows(places: NDArray[np.int64], texts: Texts, marked: NDArray[np.bool_]) -> None:
    """Mark the row of each place. Bounds: `Places.decode` has checked that the places are below the last bound."""
    bounds, hints, shift = texts
    for n in range(len(places)):
        marked[interval_of(places[n], bounds, hints, shift)] = True


@kernel
def _list_rows(
    places: NDArray[np.int64], bounds: NDArray[np.int64], hints: NDArray[np.int32], shift: int
) -> NDArray[np.int64]:
    """The row of each place, once for several in succession. Bounds: as those of `_mark_rows`."""
    rows, number, end = np.empty(len(places), np.int64), 0, np.int64(-1)
    begin = end
    for place in places:
        if not begin <= place < end:
            row = interval_of(place, bounds, hints, shift)
            rows[number], begin, end = row, bounds[row], bounds[row + 1]
            number += 1
    return rows[:number]


def without_postings(term_of: NDArray[np.uint32], counts: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """The words without a term that are so frequent that a bit per row is worth storing."""
    return np.flatnonzero((term_of == NO_TERM) & (counts.sum(axis=1) >= rows // 8))


def row_bits_of(ptr: NDArray[np.int64], places: NDArray[np.int64], texts: Sequence[Texts]) -> NDArray[np.uint8]:
    """A bit per row, set where it has one of the places: those in field n are `places[ptr[n]:ptr[n + 1]]`."""
    marked = np.zeros(len(texts[0].bounds) - 1, np.bool_)
    for n, texts_in_field in enumerate(texts):
        _mark_rows(read_only(places[ptr[n] : ptr[n + 1]]), texts_in_field, marked)
    return np.packbits(marked, bitorder="little")


Spans = tuple["NDArray[np.int64]", "NDArray[np.int64]"]
"""First and last place of each of several spans of words, in the order of their starts."""


@kernel
def _nearest_into(
    places: NDArray[np.int64],
    others: NDArray[np.int64],
    distance: np.int64,
    firsts: NDArray[np.int64],
    seconds: NDArray[np.int64],
) -> int:
    """Find for each place the next one of the others, if it is at most `distance` words later.

    Returns the number of pairs. Which list goes on takes no branch: in lists of frequent words it cannot be predicted.
    Bounds: the output is longer than `places` by one, and no pair of it is written twice; both lists ascend.
    """
    number, first, second = np.uint64(0), np.uint64(0), np.uint64(0)
    while first < np.uint64(len(places)) and second < np.uint64(len(others)):
        gap = others[second] - places[first]
        firsts[number], seconds[number] = places[first], others[second]
        is_next = gap > 0
        number += np.uint64(is_next & (gap <= distance))
        first += np.uint64(is_next)
        second += np.uint64(not is_next)
    return int(number)


@kernel
def _keep_within(starts: NDArray[np.int64], ends: NDArray[np.int64], texts: Texts) -> int:
    """Keep the spans that lie in one text, at the beginning of the arrays, and return their number.

    Bounds: both arrays have one length; starts ascend; `Places.decode` has checked that they are below the last bound.
    """
    bounds, hints, shift = texts
    number, text_end = 0, np.int64(-1)
    for n in range(len(starts)):
        if starts[n] >= text_end:
            text_end = bounds[interval_of(starts[n], bounds, hints, shift) + 1]
        starts[number], ends[number] = starts[n], ends[n]
        number += int(ends[n] < text_end)
    return number


def keep_in_texts(starts: NDArray[np.int64], ends: NDArray[np.int64], texts: Texts) -> Spans:
    """The spans that lie in one text; starts ascend. The two arrays are used for them."""
    number = _keep_within(starts, ends, texts)
    return starts[:number], ends[:number]


def find_nearest(places: NDArray[np.int64], others: NDArray[np.int64], distance: int, texts: Texts) -> Spans:
    """For each place the next one of others, 1 to `distance` words later in the same text; both lists ascend."""
    firsts, seconds = np.empty(len(places) + 1, np.int64), np.empty(len(places) + 1, np.int64)
    number = _nearest_into(read_only(places), read_only(others), np.int64(distance), firsts, seconds)
    return keep_in_texts(firsts[:number], seconds[:number], texts)


@kernel
def _pairs_into(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    next_starts: NDArray[np.int64],
    next_ends: NDArray[np.int64],
    distance: np.int64,
    texts: Texts,
    out: NDArray[np.int64],
) -> int:
    """Find spans of the second kind that begin at most `distance` words after the end of one of the first.

    Both must be in one text. Of the first kind that begin at one place, each takes those only that the one before it
    did not. A pair is written as one number, its start and its length. Returns the number of pairs, or −1 where there
    is no room for all.
    Bounds: the two arrays of each kind have one length, and both kinds are in order; `Places.decode` has checked the
    places; `out` is written below its length.
    """
    bounds, hints, shift = texts
    number, reached, text_end = 0, np.int64(-1), np.int64(-1)
    for n in range(len(starts)):
        if n == 0 or starts[n] != starts[n - 1]:
            reached = np.int64(-1)
        after, reached = max(ends[n], reached), ends[n] + distance
        if starts[n] >= text_end:
            text_end = bounds[interval_of(starts[n], bounds, hints, shift) + 1]
        for follower in range(np.searchsorted(next_starts, after + 1), len(next_starts)):
            if next_starts[follower] > reached or next_starts[follower] >= text_end:
                break
            if number == len(out):
                return -1
            out[number] = (starts[n] << LENGTH_BITS) | (next_ends[follower] - starts[n])
            number += 1
    return number


class TooManyPairsError(Exception):
    """More spans are near each other than are looked at together."""


def pair_spans(before: Spans, after: Spans, distance: int, texts: Texts) -> Spans:
    """All spans from one of `before` to one of `after` in the same text, which begins 1 to `distance` words later."""
    pairs = np.empty(MOST_PAIRS, np.int64)
    (starts, ends), (next_starts, next_ends) = ((read_only(first), read_only(last)) for first, last in (before, after))
    number = _pairs_into(starts, ends, next_starts, next_ends, np.int64(distance), texts, pairs)
    if number < 0:
        raise TooManyPairsError
    return _read_spans(merge([pairs[:number]]))


@kernel
def _near_into(
    places: NDArray[np.int64],
    others: NDArray[np.int64],
    distance: np.int64,
    texts: Texts,
    later: bool,
    values: NDArray[np.int64],
    out: NDArray[np.int64],
) -> int:
    """Write the value of each place that has one of the others 1 to `distance` words later or earlier in its text.

    Returns their number. Whether a value is kept takes no branch: it cannot be predicted.
    Bounds: `values` and `out` are as long as `places`, which mostly ascend; `others` ascend, and places in them are
    compared with their ends; `Places.decode` has checked the places.
    """
    bounds, hints, shift = texts
    number, at, begin, end = 0, 0, np.int64(0), np.int64(-1)
    for n in range(len(places)):
        place = places[n]
        if not begin <= place < end:
            text = interval_of(place, bounds, hints, shift)
            begin, end = bounds[text], bounds[text + 1]
        if n > 0 and place < places[n - 1]:
            at = np.searchsorted(others, place)
        while at < len(others) and others[at] < place + later:
            at += 1
        other = at if later else at - 1
        near = others[other] if 0 <= other < len(others) else place
        gap = near - place if later else place - near
        out[number] = values[n]
        number += int((gap > 0) & (gap <= distance) & (begin <= near) & (near < end))
    return number


def find_followed(spans: Spans, places: NDArray[np.int64], distance: int, texts: Texts) -> NDArray[np.int64]:
    """The starts of the spans that one of some places, which ascend, follows 1 to `distance` words later."""
    return _find_near(spans[1], places, distance, texts, spans[0], later=True)


def find_following(spans: Spans, places: NDArray[np.int64], distance: int, texts: Texts) -> NDArray[np.int64]:
    """The ends of the spans that follow one of some places, which ascend, 1 to `distance` words later."""
    return _find_near(spans[0], places, distance, texts, spans[1], later=False)


def _find_near(
    edges: NDArray[np.int64],
    places: NDArray[np.int64],
    distance: int,
    texts: Texts,
    values: NDArray[np.int64],
    *,
    later: bool,
) -> NDArray[np.int64]:
    out = np.empty(len(edges), np.int64)
    edges, places, values = read_only(edges), read_only(places), read_only(values)
    return out[: _near_into(edges, places, np.int64(distance), texts, later, values, out)]


def merge(lists: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The numbers of several lists, ascending, each once."""
    numbers = np.concatenate([*lists])
    numbers.sort(kind="stable")  # which merges lists that ascend
    new = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return numbers[new]


def join_spans(*parts: Spans) -> Spans:
    """All spans of several lists, in order, each once."""
    return _read_spans(merge(starts << LENGTH_BITS | (ends - starts) for starts, ends in parts))


def _read_spans(numbers: NDArray[np.int64]) -> Spans:
    """The spans that are written as one number each."""
    starts = numbers >> LENGTH_BITS
    return starts, starts + (numbers & ((1 << LENGTH_BITS) - 1))
