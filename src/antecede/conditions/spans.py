"""Spans of words that meet a part of an expression, in texts whose words can be looked up: those of a segment, or those
of one document.

A place is the number of a word in texts that stand one after the other; a span has a first and a last place. Words near
each other are found from sorted lists of places: the rarer part first, then the other one near it. All pairs are made
only of what is inside another NEAR, and not more than `MAX_PAIRS` at a time.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import cached_property
from itertools import count, groupby
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from antecede.conditions.reading import read_in
from antecede.conditions.tree import Near, Node, Or, Phrase, Truncation, Word, positive_parts
from antecede.errors import UsageError, printable, spell
from antecede.kernels import interval_of, kernel, read_only
from antecede.parallel import TimeSpentError, check_wanted
from antecede.text.analyzer import find_words, is_elided
from antecede.text.patterns import match_pattern
from antecede.text.vocabulary import Arena

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.arrays import I32, Ints, Mask
    from antecede.text.analyzer import Analyzer

LEAVES = (Word, Truncation)
NO_PLACES = np.zeros(0, np.int64)
MAX_PAIRS = 1 << 20
"""Pairs of spans near each other that are looked at together: of more, some of the places are looked at a time."""
LENGTH_BITS = 22
"""Bits of the number of a span that say its length: an expression has too few words for a longer one."""


class Texts(NamedTuple):
    """The texts of a field, one per row."""

    bounds: Ints
    """Where each begins, and where the last ends."""
    hints: I32
    """The text of each place that is a multiple of 2^`shift`: from there on the text of a place is looked for."""
    shift: int


def texts_within(bounds: Ints) -> Texts:
    """The texts with these bounds, with about a hint for each."""
    number = len(bounds) - 1
    shift = (int(bounds[-1]) // max(number, 1)).bit_length()
    hints_before = -(-bounds >> shift)
    return Texts(bounds, np.repeat(np.arange(number, dtype=np.int32), np.diff(hints_before)), shift)


class Vicinity(NamedTuple):
    """Whatever is at most `reach` words from one of some places, which ascend."""

    places: Ints
    reach: int


EVERYWHERE = Vicinity(np.zeros(0, np.int64), -1)


class PlaceSource(Protocol):
    """Texts in which the places of words can be looked up."""

    @property
    def texts(self) -> Texts: ...

    def count(self, word: Word | Truncation) -> int:
        """An estimate of how often a word occurs; the rarest is looked up first."""

    def places(self, word: Word | Truncation, near: Vicinity = EVERYWHERE) -> Ints:
        """The places of a word, ascending, of which some may be left out that are not near others."""

    def keep_followed(self, starts: Ints, distance: int, word: Word | Truncation) -> Ints:
        """The starts, ascending, that a word follows at a distance."""


# Sorted lists of places

Spans = tuple["Ints", "Ints"]
"""First and last place of each of several spans of words, in the order of their starts."""


@kernel
def _nearest_into(
    places: Ints,
    others: Ints,
    distance: np.int64,
    firsts: Ints,
    seconds: Ints,
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
def _keep_within(starts: Ints, ends: Ints, texts: Texts) -> int:
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


def keep_in_texts(starts: Ints, ends: Ints, texts: Texts) -> Spans:
    """The spans that lie in one text; starts ascend. The two arrays are used for them."""
    number = _keep_within(starts, ends, texts)
    return starts[:number], ends[:number]


def find_nearest(places: Ints, others: Ints, distance: int, texts: Texts) -> Spans:
    """For each place the next one of others, 1 to `distance` words later in the same text; both lists ascend."""
    firsts, seconds = np.empty(len(places) + 1, np.int64), np.empty(len(places) + 1, np.int64)
    number = _nearest_into(read_only(places), read_only(others), np.int64(distance), firsts, seconds)
    return keep_in_texts(firsts[:number], seconds[:number], texts)


@kernel
def _pairs_into(
    starts: Ints,
    ends: Ints,
    next_starts: Ints,
    next_ends: Ints,
    distance: np.int64,
    texts: Texts,
    out: Ints,
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
    pairs = np.empty(MAX_PAIRS, np.int64)
    (starts, ends), (next_starts, next_ends) = ((read_only(first), read_only(last)) for first, last in (before, after))
    number = _pairs_into(starts, ends, next_starts, next_ends, np.int64(distance), texts, pairs)
    if number < 0:
        raise TooManyPairsError
    return _read_spans(merge([pairs[:number]]))


@kernel
def _near_into(
    places: Ints,
    others: Ints,
    distance: np.int64,
    texts: Texts,
    later: bool,
    values: Ints,
    out: Ints,
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


def find_near(
    edges: Ints,
    places: Ints,
    distance: int,
    texts: Texts,
    values: Ints,
    *,
    later: bool,
) -> Ints:
    """The values of the edges that have one of some places, which ascend, 1 to `distance` words later, or earlier."""
    out = np.empty(len(edges), np.int64)
    edges, places, values = read_only(edges), read_only(places), read_only(values)
    return out[: _near_into(edges, places, np.int64(distance), texts, later, values, out)]


def merge(lists: Iterable[Ints]) -> Ints:
    """The numbers of several lists, ascending, each once."""
    numbers = np.concatenate([*lists])
    numbers.sort(kind="stable")  # which merges lists that ascend
    new = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=new[1:])
    return numbers[new]


def join_spans(*parts: Spans) -> Spans:
    """All spans of several lists, in order, each once."""
    return _read_spans(merge(starts << LENGTH_BITS | (ends - starts) for starts, ends in parts))


def _read_spans(numbers: Ints) -> Spans:
    """The spans that are written as one number each."""
    starts = numbers >> LENGTH_BITS
    return starts, starts + (numbers & ((1 << LENGTH_BITS) - 1))


# Parts of expressions


def needs_positions() -> UsageError:
    """The error of a condition on an index without positions."""
    return UsageError(
        "phrases, NEAR, ADJ, truncation, text fields and stop words need positions: the index was built without them "
        f"({spell('positions', False)}); build it again with them"
    )


@contextmanager
def named_if_too_wide(node: Node) -> Iterator[None]:
    """Say which part of an expression takes too much time or memory."""
    try:
        yield
    except TimeSpentError as spent:
        why = str(spent)
    except TooManyPairsError:
        why = "too many of its words are near each other in one text"
    else:
        return
    raise UsageError(f"{printable(str(node))} is too wide: {why}; use rarer words or smaller distances")


def find_spans(source: PlaceSource, node: Node, near: Vicinity = EVERYWHERE) -> Spans:
    """The spans of words that meet a part of an expression; some may be left out that are not `near` other places."""
    if isinstance(node, Or):
        return join_spans(*(find_spans(source, part, near) for part in node.members))
    if not isinstance(node, Near):
        return _find_words(source, node, near)
    left, right = _find_sides(source, node, near, find_spans)
    return join_spans(
        *(pair_spans(one, other, node.distance, source.texts) for one, other in _orders(node, left, right))
    )


def find_edges(source: PlaceSource, node: Node, near: Vicinity = EVERYWHERE) -> Spans:
    """The places where spans that meet a part begin, and those where they end: two lists, each in order.

    Of words near each other they are found without all pairs: only what is inside of them is paired.
    """
    if isinstance(node, Or):
        return _join_edges(*(find_edges(source, part, near) for part in node.members))
    if not isinstance(node, Near):
        return _find_words(source, node, near)
    left, right = _find_sides(source, node, near, find_spans)
    ways = []
    for one, other in _orders(node, left, right):
        starts = find_near(one[1], other[0], node.distance, source.texts, one[0], later=True)
        before = np.sort(one[1], kind="stable")
        ends = find_near(other[0], before, node.distance, source.texts, other[1], later=False)
        ways.append((starts, ends))
    return _join_edges(*ways)


def find_places(source: PlaceSource, node: Node) -> list[Ints]:
    """Places in each text that meets a part of an expression, and in no other text."""
    if not isinstance(node, Near):
        return [find_edges(source, node)[0]]
    left, right = _find_sides(source, node, EVERYWHERE, find_edges)
    orders = _orders(node, left, right)
    return [find_nearest(one[1], other[0], node.distance, source.texts)[0] for one, other in orders]


def _orders(node: Near, left: Spans, right: Spans) -> tuple[tuple[Spans, Spans], ...]:
    """What may come first, and what follows it."""
    return ((left, right),) if node.ordered else ((left, right), (right, left))


def _join_edges(*parts: Spans) -> Spans:
    starts, ends = zip(*parts, strict=True)
    merged = merge(starts)
    of_words = all(first is last for first, last in parts)
    return merged, merged if of_words else merge(ends)


def _find_words(source: PlaceSource, node: Node, near: Vicinity) -> Spans:
    """The spans of a word or a phrase."""
    if isinstance(node, LEAVES):
        places = source.places(node, near)
        return places, places
    if not isinstance(node, Phrase):
        raise TypeError(f"{type(node).__name__} has no places")
    return _find_phrase(source, node, _widen(near, node))


def _widen(near: Vicinity, node: Node) -> Vicinity:
    """Where the words of a part may be of which a span is near other places."""
    return near if near is EVERYWHERE else Vicinity(near.places, near.reach + width(node))


def _find_phrase(source: PlaceSource, phrase: Phrase, near: Vicinity) -> Spans:
    """The spans of a phrase: the places of its rarest word, and of these the ones that have the others beside them."""
    (rarest_at, rarest), *others = sorted(enumerate(phrase.words), key=lambda each: source.count(each[1]))
    starts = source.places(rarest, near) - rarest_at
    for at, word in others:
        starts = source.keep_followed(starts, at, word)
    return keep_in_texts(starts, starts + len(phrase.words) - 1, source.texts)


def _find_sides(
    source: PlaceSource, node: Near, near: Vicinity, find: Callable[[PlaceSource, Node, Vicinity], Spans]
) -> tuple[Spans, Spans]:
    """The spans or edges of both parts of words near each other; the rarer are found first, the others near them."""
    check_wanted()
    rarer, other = sorted(node.parts, key=lambda part: estimate(source, part))
    spans = find(source, rarer, _widen(near, node))
    spans_near = find(source, other, Vicinity(spans[0], width(node)))
    return (spans, spans_near) if rarer is node.parts[0] else (spans_near, spans)


def estimate(source: PlaceSource, node: Node) -> int:
    """An upper bound of how many spans meet a part of an expression."""
    if isinstance(node, LEAVES):
        return source.count(node)
    counts = [estimate(source, part) for part in node.parts]
    return sum(counts) if isinstance(node, Or) else min(counts)


def width(node: Node) -> int:
    """The most words that a span can have which meets a part of an expression."""
    if isinstance(node, LEAVES):
        return 1
    widths = [width(part) for part in node.parts]
    if isinstance(node, Or):
        return max(widths)
    return sum(widths) + (node.distance if isinstance(node, Near) else 0)


# One document


class TextSource:
    """The texts of one field of a document in one language, which count as one text."""

    def __init__(self, analyzer: Analyzer, texts: Sequence[str]) -> None:
        self.analyzer = analyzer
        drops = analyzer.treatment.elisions
        self.spans = [[span for span in find_words(text) if not (drops and is_elided(text, *span))] for text in texts]
        longest = analyzer.profile.longest
        pieces = [
            text[first:end][:longest] for text, spans in zip(texts, self.spans, strict=True) for first, end in spans
        ]
        self.words = np.array([*map(analyzer.form, pieces)], object)
        self.terms = np.array(analyzer.resolve(pieces), object)
        self.texts = texts_within(np.array([0, len(pieces)], np.int64))

    @cached_property
    def arena(self) -> Arena:
        """The words as the vocabulary of an index has them."""
        return Arena.join([word.encode() for word in self.words.tolist()])

    def count(self, word: Word | Truncation) -> int:  # noqa: ARG002 - in one document no word is rare
        return 0

    def places(self, word: Word | Truncation, near: Vicinity = EVERYWHERE) -> Ints:  # noqa: ARG002
        if isinstance(word, Word):
            term = self.analyzer.term(word.text)
            return np.flatnonzero(self.words == word.text if term is None else self.terms == term)
        return np.flatnonzero(match_pattern(self.arena, word.pattern))

    def keep_followed(self, starts: Ints, distance: int, word: Word | Truncation) -> Ints:
        return starts[np.isin(starts + distance, self.places(word))]

    def marks(self, parts: Sequence[Node]) -> list[list[tuple[int, int]]]:
        """For each text, the start and end of each word that is part of what meets one of some parts."""
        marked: set[int] = set()
        for part in (read_in(self.analyzer, part) for part in parts):
            leaves = [leaf for leaf in part.walk() if isinstance(leaf, LEAVES)]
            places = np.unique(np.concatenate([NO_PLACES, *map(self.places, leaves)]))
            marked.update(places[self._are_met(part, places)].tolist())
        numbers = count()
        return [[span for span in spans if next(numbers) in marked] for spans in self.spans]

    def _are_met(self, part: Node, places: Ints) -> Mask:
        """Which places are in a span that meets a part; all, where there are so many spans that hardly one is not."""
        try:
            starts, ends = find_spans(self, part)
        except TooManyPairsError:
            return np.ones(len(places), np.bool_)
        begun = np.searchsorted(starts, places, side="right")
        return begun > np.searchsorted(np.sort(ends), places)


def mark_expression(analyzer: Analyzer, node: Node, texts: Sequence[tuple[str, str]]) -> list[list[tuple[int, int]]]:
    """For each text, given with its field, the start and end of each word that is part of what meets an expression.

    The texts of a field are neighbours, as claims and paragraphs are.
    """
    marks: list[list[tuple[int, int]]] = []
    for field, group in groupby(texts, key=lambda each: each[0]):
        parts = [part for part, fields in positive_parts(node, analyzer.language) if not fields or field in fields]
        marks += TextSource(analyzer, [text for _, text in group]).marks(parts)
    return marks


def first_places(analyzer: Analyzer, node: Node, field: str, text: str) -> list[int]:
    """Where each phrase, truncated word and pair of words near each other of an expression first begins in a text."""
    parts = [part for part, fields in positive_parts(node, analyzer.language) if not fields or field in fields]
    placed = [part for part in parts if not isinstance(part, Word)]
    source = TextSource(analyzer, [text] if placed else [])
    starts = [_find_starts(source, read_in(analyzer, part)) for part in placed]
    return [source.spans[0][places.min()][0] for places in starts if len(places)]


def _find_starts(source: TextSource, part: Node) -> Ints:
    try:
        return find_edges(source, part)[0]
    except TooManyPairsError:  # so many that nearly every word of it is in a span
        return find_edges(source, Or(tuple(leaf for leaf in part.walk() if isinstance(leaf, LEAVES))))[0]


def every_kind(one: str, other: str) -> Iterator[Node]:
    """Expressions of two words that need all that there is to evaluate any."""
    words, truncated = (Word(one), Word(other)), Truncation(f"{one[:2]}*{one[2:]}*")
    yield from (*words, truncated, Or((words[0], truncated)), Phrase(words))
    node: Node = Or((words[0], truncated))
    for _ in range(3):
        node = Near(Near(node, words[1], 9, ordered=True), words[0], 9, ordered=False)
        yield node


def prepare_texts(analyzers: Iterable[Analyzer]) -> None:
    """Compile or load what finds the spans of expressions in texts."""
    for analyzer in analyzers:
        TextSource(analyzer, ["valve spring"]).marks([*every_kind("valve", "spring")])
