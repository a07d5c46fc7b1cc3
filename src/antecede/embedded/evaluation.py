"""Documents of a segment that meet a condition: sets of documents for AND, OR and NOT, spans for words near each other.

A word on its own is looked up in the postings of its term; where it must be in a field, near another or truncated, the
places of the words in the texts decide (`antecede.index.places`). Each part of an expression is evaluated once per
segment and kept for a while: a searcher changes one part at a time.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager, nullcontext
from functools import cached_property, lru_cache, partial, reduce
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from antecede.conditions.fields import DAYS, NAME, PREFIX, WORDS
from antecede.conditions.fields import FIELDS as FACT_FIELDS
from antecede.conditions.filters import PUBLISHED, UNKNOWN_DATE
from antecede.conditions.reading import read_in
from antecede.conditions.spans import (
    EVERYWHERE,
    LEAVES,
    NO_PLACES,
    TooManyPairsError,
    estimate,
    every_kind,
    find_places,
    named_if_too_wide,
    needs_positions,
    prepare_texts,
    width,
)
from antecede.conditions.tree import TEXTUAL, And, Fact, InField, InLanguage, Near, Not, Or, Phrase, Truncation, Word
from antecede.engine import EPOCH, LATEST_DAY, UNKNOWN_DAY
from antecede.index.documents import LISTS
from antecede.index.places import NO_TERM, WordPlaces
from antecede.parallel import check_wanted, map_threads, while_wanted
from antecede.patent.texts import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from antecede.arrays import Ints, Mask
    from antecede.conditions.spans import Vicinity
    from antecede.conditions.tree import Node
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.index.places import Places
    from antecede.text.analyzer import Analyzer


CACHE_KEY, CACHE_SIZE, PREPARED = "expressions", 256, "expressions are compiled"
"""Parts of expressions whose documents are kept for an index: a byte per document each."""
PAIRING, PAIRING_SECONDS = threading.BoundedSemaphore(os.cpu_count() or 1), 0.25
MIN_PORTIONS = 8
"""Portions of texts from which on they are looked at on all processors."""


class DateBounds:
    """Which documents of a segment lie within date bounds, and of which that is not known."""

    def __init__(self, segment: Segment, before: date | None, after: date | None) -> None:
        """`before` is excluded, `after` included."""
        self.segment = segment
        self.end = (before - EPOCH).days if before is not None else LATEST_DAY
        self.start = (after - EPOCH).days if after is not None else UNKNOWN_DAY
        self.passed = segment.first_days < self.end
        if after is not None:
            self.passed &= segment.last_days >= self.start

    @cached_property
    def unknown(self) -> Mask:
        """Documents without a date, where not even the year in their number decides; they are among `passed`."""
        surely = (self.segment.last_days < self.end) & (self.segment.first_days >= self.start)
        return self.passed & ~surely

    @property
    def by_year(self) -> int:
        """Documents without a date that the year in their number admits or excludes."""
        return int((self.segment.live & (self.segment.days == UNKNOWN_DAY) & ~self.unknown).sum())


def find_documents(
    index: EmbeddedEngine,
    segment: Segment,
    node: Node,
    fields: tuple[str, ...] = (),
    languages: tuple[str, ...] = (),
) -> Mask:
    """Which documents of a segment meet an expression, its words being in certain fields and languages, if given."""
    if isinstance(node, InField):
        return find_documents(index, segment, node.part, node.names, languages)
    if isinstance(node, InLanguage):
        return find_documents(index, segment, node.part, fields, node.languages)
    if not any(isinstance(part, TEXTUAL) for part in node.walk()):  # looked up sooner than kept
        return _evaluate(index, segment, node, fields, languages)
    evaluate = index.cache.get(CACHE_KEY)
    if evaluate is None:
        evaluate = index.cache.setdefault(CACHE_KEY, lru_cache(maxsize=CACHE_SIZE)(partial(_evaluate, index)))
    mask: Mask = evaluate(segment, node, fields, languages)
    mask.flags.writeable = False  # it is kept
    return mask


def _evaluate(
    index: EmbeddedEngine, segment: Segment, node: Node, fields: tuple[str, ...], languages: tuple[str, ...]
) -> Mask:
    if isinstance(node, Or):
        return reduce(np.logical_or, (find_documents(index, segment, part, fields, languages) for part in node.members))
    if isinstance(node, And):
        return _meet_all(index, segment, node, fields, languages)
    if isinstance(node, Not):
        return ~find_documents(index, segment, node.part, fields, languages)
    if isinstance(node, Fact):
        return _with_fact(segment, node)
    mask = np.zeros(segment.documents, np.bool_)
    with named_if_too_wide(node):
        check_wanted()
        for language in languages or index.languages:
            for owner, matrix in index.matrices(language):
                if owner is segment:
                    analyzer = index.analyzer(language)
                    mask[matrix.documents[_find_rows(analyzer, matrix, read_in(analyzer, node), fields)]] = True
    return mask


def _meet_all(
    index: EmbeddedEngine, segment: Segment, node: And, fields: tuple[str, ...], languages: tuple[str, ...]
) -> Mask:
    """Which documents meet all parts: those in one field, which are the quickest, first; once none is left, no more."""
    met = np.ones(segment.documents, np.bool_)
    for part in sorted(node.members, key=lambda part: not isinstance(part, InField)):
        met &= find_documents(index, segment, part, fields, languages)
        if not met.any():
            break
    return met


def _with_fact(segment: Segment, fact: Fact) -> Mask:
    """The documents of a segment with a value in a field."""
    field, store = FACT_FIELDS[fact.field], segment.store
    if field.match == DAYS:
        begin, end = fact.days
        bounds = DateBounds(segment, end, begin)
        if fact.field == UNKNOWN_DATE:
            return bounds.unknown
        certain = bounds.passed & ~bounds.unknown
        return certain & segment.published if fact.field == PUBLISHED else certain
    if field.match == PREFIX:
        numbers = store.numbers_with_prefix(field.column, fact.value)
    elif field.match == WORDS:
        numbers = store.numbers_with_name(field.column, fact.value)
    elif field.match == NAME:
        numbers = np.array(store.numbers_named(fact.value), np.int64)
    elif field.column in LISTS:
        numbers = np.array(store.numbers_by(field.column, [fact.value]).get(fact.value, []), np.int64)
    else:
        numbers = store.numbers_with(field.column, fact.value)
    mask = np.zeros(segment.documents, np.bool_)
    mask[numbers] = True
    return mask


class MatrixSource:
    """The texts of a matrix, whose words are looked up once."""

    def __init__(self, analyzer: Analyzer, matrix: Matrix) -> None:
        if matrix.places is None:
            raise needs_positions()
        self.analyzer, self.matrix, self.held = analyzer, matrix, matrix.places
        self._words: dict[Node, Ints] = {}
        self._counts: dict[Node, list[int]] = {}
        self._occurrences: dict[tuple[Node, int], WordPlaces] = {}

    def words(self, word: Word | Truncation) -> Ints:
        """The words as written that a word stands for."""
        words = self._words.get(word)
        if words is None:
            words = self._words[word] = self._look_up(word)
        return words

    def _look_up(self, word: Word | Truncation) -> Ints:
        if isinstance(word, Truncation):
            return self.held.matching(word.stem, word.pattern)
        number = _term_number(self.analyzer, self.matrix, word)
        if number is None:
            return self.held.numbers_of(word.text)
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

    def rows(self, node: Node, field: int) -> Ints:
        """The rows whose text in a field meets a part of an expression."""
        if not self.held.bounds[field, -1]:
            return NO_PLACES
        if isinstance(node, LEAVES):
            return self.occurrences(node, field).rows()
        if not estimate(Portion(self, field, 0, 0), node):
            return NO_PLACES
        counts = [self.counts(leaf)[field] for leaf in node.walk() if isinstance(leaf, LEAVES)]
        held = min(counts) if isinstance(node, Phrase) else sum(counts)  # of a phrase, the places of its rarest word
        portions = [Portion(self, field, *span) for span in self.held.divide(field, held)]
        threads = 1 if len(portions) < MIN_PORTIONS else os.cpu_count() or 1
        paired = any(isinstance(part, Near) for top in node.parts for part in top.walk())
        turn = _turn_to_pair if paired else nullcontext

        def find(portion: Portion) -> list[Ints]:
            with turn():
                return portion.find(node)

        places = map_threads(find, while_wanted(portions), threads)
        return self.held.rows_of(chain.from_iterable(places), field)


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
        """The number of occurrences of a word in the whole field; the rarest is looked up first."""
        return self.source.counts(word)[self.field]

    def places(self, word: Word | Truncation, near: Vicinity = EVERYWHERE) -> Ints:
        """The places of a word, ascending, of which some may be left out that are not near others."""
        return self.source.occurrences(word, self.field).within(self.begin, self.end, near)

    def keep_followed(self, starts: Ints, distance: int, word: Word | Truncation) -> Ints:
        """The starts, ascending, that a word follows at a distance."""
        return self.source.occurrences(word, self.field).keep_followed(starts, distance)

    def find(self, node: Node) -> list[Ints]:
        """Places in each text that meets a part of an expression."""
        try:
            return find_places(self, node)
        except TooManyPairsError:
            middle = (self.begin + self.end) // 2
            reached = middle + width(node)  # by what begins before the middle
            if reached >= self.end:
                raise
        halves = (self.begin, reached), (middle, self.end)
        return [places for half in halves for places in Portion(self.source, self.field, *half).find(node)]


def _term_number(analyzer: Analyzer, matrix: Matrix, word: Word) -> int | None:
    """The number of the term of a word, −1 where no text has it; None for a stop word."""
    term = analyzer.term(word.text)
    return None if term is None else int(matrix.find([term])[0])


def _find_rows(analyzer: Analyzer, matrix: Matrix, node: Node, fields: tuple[str, ...]) -> Ints:
    """The rows of a matrix whose texts have words, or words near each other; in any order, perhaps repeatedly."""
    if isinstance(node, Word) and not fields:
        number = _term_number(analyzer, matrix, node)
        if number is not None:
            return _rows_with_terms(matrix, np.array([number]))
    source = MatrixSource(analyzer, matrix)
    if isinstance(node, LEAVES) and not fields:
        return _rows_with_words(source, source.words(node))
    return np.concatenate([source.rows(node, FIELDS.index(name)) for name in fields or FIELDS])


def _rows_with_terms(matrix: Matrix, terms: Ints) -> Ints:
    known = terms[terms >= 0]
    return matrix.postings_of(known).items.astype(np.int64) if len(known) else NO_PLACES


def _rows_with_words(source: MatrixSource, words: Ints) -> Ints:
    """The rows with one of some words: by the postings of a term where all its words are among them."""
    held = source.held
    of_words = held.term_of[words]
    known = of_words != NO_TERM
    terms, counts = np.unique(of_words[known], return_counts=True)
    is_complete = counts == held.words_per_term[terms]
    others = words[~known | np.isin(of_words, terms[~is_complete])]
    return np.concatenate(
        [_rows_with_terms(source.matrix, terms[is_complete].astype(np.int64)), held.rows_with(others)]
    )


def prepare(index: EmbeddedEngine) -> None:
    """Compile or load the code that evaluates expressions, once per index, by evaluating expressions of rare words."""
    if PREPARED in index.cache:
        return
    prepare_texts(map(index.analyzer, index.languages))
    kinds: set[type[Matrix]] = set()
    for language in index.languages:
        analyzer = index.analyzer(language)
        for _, matrix in index.matrices(language):
            if type(matrix) not in kinds and matrix.places is not None and matrix.places.words:
                kinds.add(type(matrix))
                for node in every_kind(*_rare_words(matrix.places)):
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
