"""Documents that meet an expression: sets of documents for AND, OR and NOT, spans of places for words near each other.

A word on its own is looked up in the postings of its term; where it must be in a field, near another or truncated, the
places of the words in the texts decide (`antecede.index.places`). Each part of an expression is evaluated once per
segment and kept for a while: a searcher changes one part at a time.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, nullcontext
from functools import cached_property, lru_cache, partial, reduce
from itertools import chain, count, groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from antecede.errors import UsageError, shown, spell
from antecede.index.files import FIELDS
from antecede.index.filters import DateBounds, mask_of
from antecede.index.place_lists import EVERYWHERE, Vicinity
from antecede.index.places import (
    NO_PLACES,
    NO_TERM,
    TooManyPairsError,
    WordPlaces,
    find_followed,
    find_following,
    find_nearest,
    join_spans,
    keep_in_texts,
    merge,
    pair_spans,
    texts_within,
)
from antecede.index.terms import concatenate_texts, match_pattern
from antecede.parallel import TimeSpentError, check_wanted, counting_time, map_threads, while_wanted
from antecede.query.query import Query
from antecede.search.expression import (
    NAME_LISTS,
    SHORTEST_STEM,
    And,
    Fact,
    InField,
    Near,
    Node,
    Not,
    Or,
    Phrase,
    Truncation,
    Word,
    expression_words,
    parse_expression,
    phrase_of,
)
from antecede.text.analyzer import find_words, normalize_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.index.places import Places, Spans
    from antecede.search.settings import SearchSettings
    from antecede.text.analyzer import Analyzer
    from antecede.text.vocabulary import Arena

    Mask = NDArray[np.bool_]
    PlaceSource: TypeAlias = "Portion | TextSource"
    """The texts of a field, in which the places of words can be looked up."""

WHERE = "where"
LEAVES = (Word, Truncation)
CACHE_KEY, KEPT = "expressions", 256
"""Parts of expressions whose documents are kept for an index: a byte per document each."""
PAIRING, PAIRING_SECONDS = threading.BoundedSemaphore(os.cpu_count() or 1), 0.25
PREPARED = "expressions are compiled"
WORTH_THREADS = 8
"""Portions of texts from which on they are looked at on all processors."""


def needs_positions() -> UsageError:
    """The error of a condition on an index without positions."""
    return UsageError(
        "phrases, NEAR, ADJ, truncation, text fields and stop words need positions: the index was built without them "
        f"({spell('positions', False)}); build it again with them"
    )


class Condition:
    """The documents that meet an expression, as a condition of a search."""

    def __init__(self, index: Index, node: Node, name: str = WHERE) -> None:
        """What no document of the index can meet, whatever it says, is refused."""
        self.index, self.node, self.name = index, node, name
        for part in node.walk():
            if isinstance(part, InField):
                _check_fields(index, part)
            elif isinstance(part, Truncation):
                _check_letters(index, part)

    def __str__(self) -> str:
        return str(self.node)

    def allowed(self, segment: Segment) -> Mask:
        """Which documents of a segment meet it."""
        return segment.find_text(self)

    def look(self, segment: Segment) -> Mask:
        """Which documents of a segment on this machine meet it."""
        with counting_time(partial(prepare, self.index)):
            return find_documents(self.index, segment, self.node)


def _check_fields(index: Index, part: InField) -> None:
    indexed = index.settings["fields"]
    missing = [field for field in part.names if field not in indexed]
    if missing:
        raise UsageError(f"{part}: {missing[0]} is not indexed; the index has {', '.join(indexed)}")


def _check_letters(index: Index, part: Truncation) -> None:
    longest = max((index.analyzer(language).profile.longest for language in index.languages), default=part.shortest)
    if part.shortest > longest:
        raise UsageError(
            f"{shown(part.pattern)!r} matches words of {part.shortest} letters and more, but the index has the first "
            f"{longest} of a word; write at most so many"
        )


def conditions_of(index: Index, settings: SearchSettings) -> tuple[Condition, ...]:
    """The conditions that the settings of a search put on texts and facts."""
    where = settings.where
    return (
        *([Condition(index, parse_expression(where, settings.sets))] if where is not None else []),
        *(Condition(index, phrase_of(words), "must") for words in settings.must),
        *(Condition(index, Not(phrase_of(words)), "must not") for words in settings.must_not),
    )


def find_documents(index: Index, segment: Segment, node: Node, fields: tuple[str, ...] = ()) -> Mask:
    """Which documents of a segment meet an expression, its words being in certain fields, if any are given."""
    if isinstance(node, InField):
        return find_documents(index, segment, node.part, node.names)
    evaluate = index.cache.get(CACHE_KEY)
    if evaluate is None:
        evaluate = index.cache.setdefault(CACHE_KEY, lru_cache(maxsize=KEPT)(partial(_evaluate, index)))
    mask: Mask = evaluate(segment, node, fields)
    mask.flags.writeable = False  # it is kept
    return mask


def _evaluate(index: Index, segment: Segment, node: Node, fields: tuple[str, ...]) -> Mask:
    if isinstance(node, Or):
        return reduce(np.logical_or, (find_documents(index, segment, part, fields) for part in node.members))
    if isinstance(node, And):
        return _meet_all(index, segment, node, fields)
    if isinstance(node, Not):
        return ~find_documents(index, segment, node.part, fields)
    if isinstance(node, Fact):
        return _with_fact(segment, node)
    mask = np.zeros(segment.documents, np.bool_)
    with named_if_too_wide(node):
        check_wanted()
        for language in index.languages:
            for owner, matrix in index.matrices(language):
                if owner is segment:
                    mask[matrix.documents[_find_rows(index.analyzer(language), matrix, node, fields)]] = True
    return mask


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
    raise UsageError(f"{shown(str(node))} is too wide: {why}; use rarer words or smaller distances")


def _meet_all(index: Index, segment: Segment, node: And, fields: tuple[str, ...]) -> Mask:
    """Which documents meet all parts: those in one field, which are the quickest, first; once none is left, no more."""
    met = np.ones(segment.documents, np.bool_)
    for part in sorted(node.members, key=lambda part: not isinstance(part, InField)):
        met &= find_documents(index, segment, part, fields)
        if not met.any():
            break
    return met


def _with_fact(segment: Segment, fact: Fact) -> Mask:
    """The documents of a segment with a class, name, date or number."""
    if fact.field == "pd":
        first, end = fact.days
        bounds = DateBounds(segment, end, first)
        return bounds.passed & ~bounds.unknown
    store = segment.store
    if fact.field in ("ipc", "cpc"):
        return mask_of(store.numbers_with_prefix(fact.field, fact.value), segment)
    if fact.field in NAME_LISTS:
        return mask_of(store.numbers_with_name(NAME_LISTS[fact.field], fact.value), segment)
    numbers = store.numbers_named(fact.value) if fact.field == "pn" else store.citing([fact.value]).get(fact.value, [])
    return mask_of(np.array(numbers, np.int64), segment)


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
        starts = find_followed(one, other[0], node.distance, source.texts)
        ends = find_following(other, np.sort(one[1], kind="stable"), node.distance, source.texts)
        ways.append((starts, ends))
    return _join_edges(*ways)


def find_places(source: PlaceSource, node: Node) -> list[NDArray[np.int64]]:
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
    return near if near is EVERYWHERE else Vicinity(near.places, near.reach + _width(node))


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
    rarer, other = sorted(node.parts, key=lambda part: _estimate(source, part))
    spans = find(source, rarer, _widen(near, node))
    spans_near = find(source, other, Vicinity(spans[0], _width(node)))
    return (spans, spans_near) if rarer is node.parts[0] else (spans_near, spans)


def _estimate(source: PlaceSource, node: Node) -> int:
    """An upper bound of how many spans meet a part of an expression."""
    if isinstance(node, LEAVES):
        return source.count(node)
    counts = [_estimate(source, part) for part in node.parts]
    return sum(counts) if isinstance(node, Or) else min(counts)


def _width(node: Node) -> int:
    """The most words that a span can have which meets a part of an expression."""
    if isinstance(node, LEAVES):
        return 1
    widths = [_width(part) for part in node.parts]
    if isinstance(node, Or):
        return max(widths)
    return sum(widths) + (node.distance if isinstance(node, Near) else 0)


class MatrixSource:
    """The texts of a matrix, whose words are looked up once."""

    def __init__(self, analyzer: Analyzer, matrix: Matrix) -> None:
        if matrix.places is None:
            raise needs_positions()
        self.analyzer, self.matrix, self.held = analyzer, matrix, matrix.places
        self._words: dict[Node, NDArray[np.int64]] = {}
        self._counts: dict[Node, list[int]] = {}
        self._occurrences: dict[tuple[Node, int], WordPlaces] = {}

    def words(self, word: Word | Truncation) -> NDArray[np.int64]:
        """The words as written that a word stands for."""
        words = self._words.get(word)
        if words is None:
            words = self._words[word] = self._look_up(word)
        return words

    def _look_up(self, word: Word | Truncation) -> NDArray[np.int64]:
        if isinstance(word, Truncation):
            return self.held.matching(word.stem, word.pattern)
        number = _term_number(self.analyzer, self.matrix, word)
        if number is None:
            numbers = self.held.find([word.text[: self.analyzer.profile.longest]])
            return numbers[numbers >= 0]
        return self.held.words_of(number, number + 1)

    def counts(self, word: Word | Truncation) -> list[int]:
        """How often a word occurs in each field."""
        counts = self._counts.get(word)
        if counts is None:
            counts = self._counts[word] = self.held.counts[self.words(word)].sum(axis=0).tolist()
        return counts

    def occurrences(self, word: Word | Truncation, field: int) -> WordPlaces:
        """The places of a word in a field, to be decoded."""
        occurrences = self._occurrences.get((word, field))
        if occurrences is None:
            occurrences = self._occurrences[word, field] = WordPlaces(self.held, self.words(word), field)
        return occurrences

    def rows(self, node: Node, field: int) -> NDArray[np.int64]:
        """The rows whose text in a field meets a part of an expression."""
        if not self.held.bounds[field, -1]:
            return NO_PLACES
        if isinstance(node, LEAVES):
            return self.occurrences(node, field).rows()
        if not _estimate(Portion(self, field, 0, 0), node):
            return NO_PLACES
        counts = [self.counts(leaf)[field] for leaf in node.walk() if isinstance(leaf, LEAVES)]
        held = min(counts) if isinstance(node, Phrase) else sum(counts)  # of a phrase, the places of its rarest word
        portions = [Portion(self, field, *span) for span in self.held.divide(field, held)]
        threads = 1 if len(portions) < WORTH_THREADS else os.cpu_count() or 1
        paired = any(isinstance(part, Near) for top in node.parts for part in top.walk())
        turn = _turn_to_pair if paired else nullcontext

        def find(portion: Portion) -> list[NDArray[np.int64]]:
            with turn():
                return portion.find(node)

        found = map_threads(find, while_wanted(portions), threads)
        return self.held.rows_of(chain.from_iterable(found), field)


@contextmanager
def _turn_to_pair() -> Iterator[None]:
    """A turn to pair spans, which takes memory: all expressions together pair in as many threads as there are cores."""
    while not PAIRING.acquire(timeout=PAIRING_SECONDS):
        check_wanted()
    try:
        check_wanted()
        yield
    finally:
        PAIRING.release()


class Portion:
    """Some consecutive places of a field: so few that those of words are held in the processor's cache."""

    def __init__(self, source: MatrixSource, field: int, begin: int, end: int) -> None:
        self.source, self.field, self.begin, self.end = source, field, begin, end
        self.texts = source.held.texts[field]

    def count(self, word: Word | Truncation) -> int:
        """About how often a word occurs, as far as that matters: the rarest is looked up first."""
        return self.source.counts(word)[self.field]

    def places(self, word: Word | Truncation, near: Vicinity = EVERYWHERE) -> NDArray[np.int64]:
        """The places of a word, ascending, of which some may be left out that are not near others."""
        return self.source.occurrences(word, self.field).within(self.begin, self.end, near)

    def keep_followed(self, starts: NDArray[np.int64], distance: int, word: Word | Truncation) -> NDArray[np.int64]:
        """The starts, ascending, that a word follows at a distance."""
        return self.source.occurrences(word, self.field).keep_followed(starts, distance)

    def find(self, node: Node) -> list[NDArray[np.int64]]:
        """Places in each text that meets a part of an expression."""
        try:
            return find_places(self, node)
        except TooManyPairsError:
            middle = (self.begin + self.end) // 2
            reached = middle + _width(node)  # by what begins before the middle
            if reached >= self.end:
                raise
        halves = (self.begin, reached), (middle, self.end)
        return [places for half in halves for places in Portion(self.source, self.field, *half).find(node)]


def _term_number(analyzer: Analyzer, matrix: Matrix, word: Word) -> int | None:
    """The number of the term of a word, −1 where no text has it; None for a stop word."""
    term = analyzer.term(word.text)
    return None if term is None else int(matrix.find([term])[0])


def _find_rows(analyzer: Analyzer, matrix: Matrix, node: Node, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The rows of a matrix whose texts have words, or words near each other; in any order, perhaps repeatedly."""
    if isinstance(node, Word) and not fields:
        number = _term_number(analyzer, matrix, node)
        if number is not None:
            return _rows_with_terms(matrix, np.array([number]))
    source = MatrixSource(analyzer, matrix)
    if isinstance(node, LEAVES) and not fields:
        return _rows_with_words(source, source.words(node))
    return np.concatenate([source.rows(node, FIELDS.index(name)) for name in fields or FIELDS])


def _rows_with_terms(matrix: Matrix, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    known = terms[terms >= 0]
    return matrix.postings_of(known).items.astype(np.int64) if len(known) else NO_PLACES


def _rows_with_words(source: MatrixSource, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows with one of some words: by the postings of a term where all its words are among them."""
    held = source.held
    of_words = held.term_of[words]
    known = of_words != NO_TERM
    terms, counts = np.unique(of_words[known], return_counts=True)
    whole = counts == held.words_per_term[terms]
    others = words[~known | np.isin(of_words, terms[~whole])]
    return np.concatenate([_rows_with_terms(source.matrix, terms[whole].astype(np.int64)), held.rows_with(others)])


def prepare(index: Index) -> None:
    """Compile or load what evaluates expressions, once for an index, by evaluating those of rare words."""
    if PREPARED in index.cache:
        return
    kinds: set[type[Matrix]] = set()
    for language in index.languages:
        analyzer = index.analyzer(language)
        one, other = words = ("valve", "spring")
        TextSource(analyzer, [" ".join(words)]).marks([*_every_kind(one, other)])
        for _, matrix in () if index.on_cluster else index.matrices(language):
            if type(matrix) not in kinds and matrix.places is not None and matrix.places.words:
                kinds.add(type(matrix))
                for node in _every_kind(*_rare_words(matrix.places)):
                    for fields in ((), FIELDS):
                        _find_rows(analyzer, matrix, node, fields)
    index.cache[PREPARED] = True


def _rare_words(places: Places) -> tuple[str, str]:
    """Two words of the field that has most; and if there is one, the second is without a term."""
    counts = places.counts[:, places.counts.sum(axis=0).argmax()]
    words = np.flatnonzero(counts)
    words = words[np.argsort(counts[words], kind="stable")]
    without = words[places.term_of[words] == NO_TERM]
    return places.word(int(words[0])), places.word(int([*without, words[-1]][0]))


def _every_kind(one: str, other: str) -> Iterator[Node]:
    """Expressions of two words that need all that there is to evaluate any."""
    words, truncated = (Word(one), Word(other)), Truncation(f"{one[:SHORTEST_STEM]}*{one[SHORTEST_STEM:]}*")
    yield from (*words, truncated, Or((words[0], truncated)), Phrase(words))
    node: Node = Or((words[0], truncated))
    for _ in range(3):
        node = Near(Near(node, words[1], 9, ordered=True), words[0], 9, ordered=False)
        yield node


# One document


class TextSource:
    """The texts of one field of a document in one language, which count as one text."""

    def __init__(self, analyzer: Analyzer, texts: Sequence[str]) -> None:
        self.analyzer = analyzer
        self.spans = [[*find_words(text)] for text in texts]
        longest = analyzer.profile.longest
        pieces = [
            text[first:end][:longest] for text, spans in zip(texts, self.spans, strict=True) for first, end in spans
        ]
        self.words = np.array([normalize_word(piece) for piece in pieces], object)
        self.terms = np.array(analyzer.resolve(pieces), object)
        self.texts = texts_within(np.array([0, len(pieces)], np.int64))

    @cached_property
    def arena(self) -> Arena:
        """The words as the vocabulary of an index has them."""
        return concatenate_texts(self.words.tolist())

    def count(self, word: Word | Truncation) -> int:  # noqa: ARG002 - in one document no word is rare
        return 0

    def places(self, word: Word | Truncation, near: Vicinity = EVERYWHERE) -> NDArray[np.int64]:  # noqa: ARG002
        if isinstance(word, Word):
            term = self.analyzer.term(word.text)
            return np.flatnonzero(self.words == word.text if term is None else self.terms == term)
        return np.flatnonzero(match_pattern(self.arena, word.pattern))

    def keep_followed(self, starts: NDArray[np.int64], distance: int, word: Word | Truncation) -> NDArray[np.int64]:
        return starts[np.isin(starts + distance, self.places(word))]

    def marks(self, parts: Sequence[Node]) -> list[list[tuple[int, int]]]:
        """For each text, the start and end of each word that is part of what meets one of some parts."""
        wanted: set[int] = set()
        for part in parts:
            leaves = [leaf for leaf in part.walk() if isinstance(leaf, LEAVES)]
            places = np.unique(np.concatenate([NO_PLACES, *map(self.places, leaves)]))
            wanted.update(places[self._are_met(part, places)].tolist())
        numbers = count()
        return [[span for span in spans if next(numbers) in wanted] for spans in self.spans]

    def _are_met(self, part: Node, places: NDArray[np.int64]) -> NDArray[np.bool_]:
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
        parts = [part for part, fields in positive_parts(node) if not fields or field in fields]
        marks += TextSource(analyzer, [text for _, text in group]).marks(parts)
    return marks


def first_places(analyzer: Analyzer, node: Node, field: str, text: str) -> list[int]:
    """Where each phrase, truncated word and pair of words near each other of an expression first begins in a text."""
    parts = [part for part, fields in positive_parts(node) if not fields or field in fields]
    placed = [part for part in parts if not isinstance(part, Word)]
    source = TextSource(analyzer, [text] if placed else [])
    starts = [_find_starts(source, part) for part in placed]
    return [source.spans[0][places.min()][0] for places in starts if len(places)]


def _find_starts(source: TextSource, part: Node) -> NDArray[np.int64]:
    try:
        return find_edges(source, part)[0]
    except TooManyPairsError:  # so many that nearly every word of it is in a span
        return find_edges(source, Or(tuple(leaf for leaf in part.walk() if isinstance(leaf, LEAVES))))[0]


def emphasize(query: Query, node: Node, analyzer: Analyzer) -> Query:
    """A query in which the words of an expression weigh most, to choose passages that show what met it."""
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    heaviest = max(weights.values(), default=1.0)
    terms = filter(None, map(analyzer.term, expression_words(node)))
    return Query.from_terms(weights | dict.fromkeys(terms, 2 * heaviest), query.language)


def positive_parts(node: Node, fields: tuple[str, ...] = ()) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The words, phrases and words near each other that a document is found by, with the fields they must be in."""
    if isinstance(node, InField):
        yield from positive_parts(node.part, node.names)
    elif isinstance(node, And | Or):
        for part in node.members:
            yield from positive_parts(part, fields)
    elif isinstance(node, Word | Truncation | Phrase | Near):
        yield node, fields
