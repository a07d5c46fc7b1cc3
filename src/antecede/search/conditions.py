"""Documents that meet an expression: sets of documents for AND, OR and NOT, spans of places for words near each other.

A word on its own is looked up in the postings of its term; where it must be in a field, near another or truncated, the
places of the words in the texts decide (`antecede.index.places`). Each part of an expression is evaluated once per
segment and kept for a while: a searcher changes one part at a time.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import reduce
from typing import TYPE_CHECKING, Protocol

import numpy as np

from antecede.errors import UsageError, shown
from antecede.index.arrays import pointers_from_sizes
from antecede.index.files import FIELDS
from antecede.index.filters import DateBounds, mask_of
from antecede.index.places import NO_PLACES, NO_TERM, follow, join_spans
from antecede.search.expression import (
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
    parse_expression,
    phrase_of,
)
from antecede.text.analyzer import find_words, normalize_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.index import Segment
    from antecede.index.matrix import Matrix
    from antecede.index.places import Places, Spans
    from antecede.search.settings import SearchSettings

    Mask = NDArray[np.bool_]

MOST_PLACES = 1 << 26
"""Places that the words of one part may have: eight bytes of memory for each."""
CACHE_KEY, KEPT = "expressions", 256
"""Parts of expressions whose documents are kept for an index: a byte per document each."""
REBUILD = "the index was built without positions (--no-positions); build it again with them"


class Condition:
    """The documents that meet an expression, as a condition of a search."""

    def __init__(self, index: Index, node: Node, name: str = "where") -> None:
        self.index, self.node, self.name = index, node, name

    def __str__(self) -> str:
        return str(self.node)

    def allowed(self, segment: Segment) -> Mask:
        """Which documents of a segment meet it."""
        return segment.find_text(self)

    def look(self, segment: Segment) -> Mask:
        """Which documents of a segment on this machine meet it."""
        return find_documents(self.index, segment, self.node)


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
    key = segment.name, fields, str(node)
    kept: _KeptMasks = index.cache.setdefault(CACHE_KEY, _KeptMasks())
    mask = kept.get(key)
    if mask is None:
        mask = _evaluate(index, segment, node, fields)
        kept.put(key, mask)
    return mask


class _KeptMasks:
    """The documents of late parts of expressions; may be used from several threads."""

    def __init__(self) -> None:
        self._masks: OrderedDict[tuple[str, tuple[str, ...], str], Mask] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, tuple[str, ...], str]) -> Mask | None:
        with self._lock:
            if key in self._masks:
                self._masks.move_to_end(key)
            return self._masks.get(key)

    def put(self, key: tuple[str, tuple[str, ...], str], mask: Mask) -> None:
        mask.flags.writeable = False
        with self._lock:
            self._masks[key] = mask
            while len(self._masks) > KEPT:
                self._masks.popitem(last=False)


def _evaluate(index: Index, segment: Segment, node: Node, fields: tuple[str, ...]) -> Mask:
    if isinstance(node, And | Or):
        combine = np.logical_and if isinstance(node, And) else np.logical_or
        return reduce(combine, (find_documents(index, segment, part, fields) for part in node.members))
    if isinstance(node, Not):
        return ~find_documents(index, segment, node.part, fields)
    if isinstance(node, InField):
        return find_documents(index, segment, node.part, node.names)
    if isinstance(node, Fact):
        return _with_fact(segment, node)
    mask = np.zeros(segment.documents, np.bool_)
    for language in index.languages:
        for owner, matrix in index.matrices(language):
            if owner is segment:
                rows = _find_rows(Source(index, language, matrix), node, fields)
                mask[matrix.documents[rows]] = True
    return mask


def _with_fact(segment: Segment, fact: Fact) -> Mask:
    """The documents of a segment with a class, name, date or number."""
    if fact.field == "pd":
        first, end = fact.days
        bounds = DateBounds(segment, end, first)
        return bounds.passed & ~bounds.unknown
    store = segment.store
    if fact.field in ("ipc", "cpc"):
        return mask_of(store.numbers_with_prefix(fact.field, fact.value), segment)
    if fact.field in ("pa", "in"):
        return mask_of(
            store.numbers_with_name({"pa": "applicants", "in": "inventors"}[fact.field], fact.value), segment
        )
    numbers = store.numbers_named(fact.value) if fact.field == "pn" else store.citing([fact.value]).get(fact.value, [])
    return mask_of(np.array(numbers, np.int64), segment)


class PlaceSource(Protocol):
    """Texts in which the places of words can be looked up."""

    @property
    def bounds(self) -> NDArray[np.int64]:
        """Where each field of each text begins, and where the last ends."""
        ...

    def places(self, word: Word | Truncation, fields: tuple[str, ...]) -> NDArray[np.int64]:
        """The places of a word, in certain fields if any are given, ascending."""
        ...


def find_spans(source: PlaceSource, node: Node, fields: tuple[str, ...], *, every: bool = False) -> Spans:
    """The spans of words that meet a part of an expression; unless `every`, enough to find each text that has one."""
    if isinstance(node, Phrase):
        spans = find_spans(source, node.words[0], fields)
        for word in node.words[1:]:
            spans = follow(spans, find_spans(source, word, fields), 1, source.bounds, every=every)
        return spans
    if isinstance(node, Near):
        left, right = (find_spans(source, part, fields, every=True) for part in node.parts)
        after = follow(left, right, node.distance, source.bounds, every=every)
        if node.ordered:
            return after
        return join_spans(after, follow(right, left, node.distance, source.bounds, every=every))
    if isinstance(node, Or):
        return join_spans(*(find_spans(source, part, fields, every=every) for part in node.members))
    if not isinstance(node, Word | Truncation):
        raise TypeError(f"{type(node).__name__} has no places")
    places = source.places(node, fields)
    return places, places


class Source:
    """The texts of a matrix."""

    def __init__(self, index: Index, language: str, matrix: Matrix) -> None:
        self.index, self.matrix = index, matrix
        self.analyzer = index.analyzer(language)

    @property
    def held(self) -> Places:
        """The places of the words."""
        if self.matrix.places is None:
            raise UsageError(f"phrases, NEAR, ADJ, truncation and text fields need positions: {REBUILD}")
        return self.matrix.places

    @property
    def bounds(self) -> NDArray[np.int64]:
        return self.held.bounds

    def term_number(self, word: Word) -> int | None:
        """The number of the term of a word, −1 where no text has it; None for a stop word."""
        term = self.analyzer.resolve([word.text])[0]
        return None if term is None else int(self.matrix.find([term])[0])

    def words(self, word: Word | Truncation) -> NDArray[np.int64]:
        """The words as written that a word stands for."""
        if isinstance(word, Truncation):
            return self.held.matching(word.stem, word.rest)
        number = self.term_number(word)
        if number is None:
            numbers = self.held.find([word.text])
            return numbers[numbers >= 0]
        return self.held.words_of(number, number + 1)

    def places(self, word: Word | Truncation, fields: tuple[str, ...]) -> NDArray[np.int64]:
        words = self.words(word)
        if (times := int(self.held.counts[words].sum())) > MOST_PLACES:
            raise UsageError(f"{shown(str(word))} is in {times} places of the texts, too many; use a rarer word there")
        places = self.held.places_of(words)
        return places[self.held.in_fields(places, fields)] if fields else places


def _find_rows(source: Source, node: Node, fields: tuple[str, ...]) -> NDArray[np.int64]:
    """The rows of a matrix whose texts have words, or words near each other; in any order, perhaps repeatedly."""
    if isinstance(node, Word) and not fields:
        number = source.term_number(node)
        if number is not None:
            return _rows_with_terms(source.matrix, np.array([number]))
    if isinstance(node, Truncation) and not fields:
        return _rows_with_words(source, source.words(node))
    return source.held.rows_of(find_spans(source, node, fields)[0])


def _rows_with_terms(matrix: Matrix, terms: NDArray[np.int64]) -> NDArray[np.int64]:
    known = terms[terms >= 0]
    return matrix.postings_of(known).items.astype(np.int64) if len(known) else NO_PLACES


def _rows_with_words(source: Source, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows with one of some words: by the postings of a term where all its words are among them."""
    held = source.held
    of_words = held.term_of[words]
    known = of_words != NO_TERM
    terms, counts = np.unique(of_words[known], return_counts=True)
    whole = counts == held.words_per_term[terms]
    others = words[~known | np.isin(of_words, terms[~whole])]
    if (times := int(held.counts[others].sum())) > MOST_PLACES:
        raise UsageError(f"the words are in {times} places of the texts, too many; write more letters")
    rows = held.rows_of(held.places_of(others))
    return np.concatenate([rows, _rows_with_terms(source.matrix, terms[whole].astype(np.int64))])


# One document


class TextSource:
    """The texts of one document in one language, to mark what matched."""

    def __init__(self, index: Index, language: str, texts: Sequence[tuple[str, str]]) -> None:
        """`texts` are the fields in order, each with its text; a field may be there several times, as claims are."""
        analyzer = index.analyzer(language)
        self.analyzer, self.texts = analyzer, texts
        self.spans = [[*find_words(text)] for _, text in texts]
        pieces = [text[first:end] for (_, text), spans in zip(texts, self.spans, strict=True) for first, end in spans]
        self.words = np.array([normalize_word(piece) for piece in pieces], object)
        self.terms = np.array(analyzer.resolve(pieces), object)
        self.starts = pointers_from_sizes(np.array([*map(len, self.spans)], np.int64))
        names = [FIELDS.index(field) for field, _ in texts]
        self.fields = np.repeat(names, [*map(len, self.spans)])
        begins = [at for at, name in enumerate(names) if not at or name != names[at - 1]]  # claims are one field
        self.bounds = np.concatenate([self.starts[begins], self.starts[-1:]])

    def places(self, word: Word | Truncation, fields: tuple[str, ...]) -> NDArray[np.int64]:
        if isinstance(word, Truncation):
            stem, rest = word.stem, word.rest
            met = np.array(
                [
                    each.startswith(stem) and (rest is None or rest.fullmatch(each[len(stem) :].encode()) is not None)
                    for each in self.words
                ],
                np.bool_,
            )
        else:
            term = self.analyzer.resolve([word.text])[0]
            met = self.words == word.text if term is None else self.terms == term
        if fields:
            met = met & np.isin(self.fields, [FIELDS.index(name) for name in fields])
        return np.flatnonzero(met).astype(np.int64)

    def marks(self, node: Node) -> list[list[tuple[int, int]]]:
        """For each text, the start and end of each word that is part of what meets an expression."""
        wanted: set[int] = set()
        for part, fields in positive_parts(node):
            starts, ends = find_spans(self, part, fields, every=True)
            leaves = [leaf for leaf in part.walk() if isinstance(leaf, Word | Truncation)]
            places = np.unique(np.concatenate([NO_PLACES, *(self.places(leaf, fields) for leaf in leaves)]))
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
                first, last = np.searchsorted(places, [start, end + 1])
                wanted.update(places[first:last].tolist())
        return [
            [span for at, span in enumerate(spans, start) if at in wanted]
            for start, spans in zip(self.starts.tolist(), self.spans, strict=False)
        ]


def positive_parts(node: Node, fields: tuple[str, ...] = ()) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The words, phrases and words near each other that a document is found by, with the fields they must be in."""
    if isinstance(node, InField):
        yield from positive_parts(node.part, node.names)
    elif isinstance(node, And | Or):
        for part in node.members:
            yield from positive_parts(part, fields)
    elif isinstance(node, Word | Truncation | Phrase | Near):
        yield node, fields
