"""The best passages of a document for a query, for each claim of a topic, or for each feature of a claim (a claim
chart); and the query terms in a text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from antecede.conditions.spans import first_places
from antecede.conditions.tree import expression_words
from antecede.patent.texts import filed_under
from antecede.query.query import Query, count_terms
from antecede.query.topic import languages_of
from antecede.text.analyzer import Analyzer, find_words
from antecede.text.profiles import LANGUAGES
from antecede.text.sentences import split_sentences
from antecede.text.term_locator import NO_TERM, TermLocator

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antecede.arrays import I32, Floats, Ints
    from antecede.conditions.tree import Node
    from antecede.engine import Engine
    from antecede.patent import Patent

    Run = str | tuple[str, int]
    """A piece of a text: plain, or a word with the number of its term."""

FIELDS = ("claims", "description", "abstract")
FALLBACK_FIELDS = ("title",)
"""The fields used where a document has no other text."""
TARGET_LENGTH = 350
"""Characters from which a passage takes no further sentence."""
MAX_LENGTH = 700
"""The most characters of a passage; a longer sentence, such as a claim, is cut at a semicolon, comma or space."""
MAX_MARKED, MIN_SHARE = 8, 0.04
"""The most terms marked in a passage, and the share of its score each must have: a long query matches most words."""
CUTS = (re.compile(r";\s"), re.compile(r",\s"), re.compile(r"\s"))
K1, B = 1.2, 0.75
CACHE_KEY = "passages"
MAX_DOCUMENTS = 256
"""The number of divided documents in the cache of a language."""
MAX_WORDS = 1 << 20
"""The number of distinct words from which on a new reader is made."""
NUMBER = re.compile(r"\s*\d{1,4}\s*[.)]\s*")
BOUNDARY = re.compile(
    r"\n+"
    r"|(?<=;)\s+"
    r"|(?<=:)\s+"
    r"|\s+(?=(?:and |und |et )?(?:characteri[sz]ed (?:in that|by)|the improvement (?:comprising|wherein)"
    r"|dadurch gekennzeichnet|gekennzeichnet durch|caract[ée]ris[ée]e?s? (?:en ce qu\w*|par))\b)"
    r"|(?<=,)\s+(?=(?:and |und |et )?(?:wherein|whereby|in which|said|wobei|bei (?:dem|der|denen)"
    r"|dans (?:lequel|laquelle|lesquels|lesquelles)|ledit|ladite)\b)",
    re.IGNORECASE,
)
"""Where a feature ends: at a new line, a semicolon or colon, before the characterising part, and before a clause."""
MIN_FEATURE = 25
"""A shorter piece belongs to the feature after it."""
MAX_LEAD = 100
"""Characters before a phrase of an expression in a passage: a list shows the beginning of each."""
RERANKED = 20
"""The best pieces of a document, of which those that meet an expression are shown first."""
MAX_FEATURES = 200
"""Features of one claim; a claim with more is cut into this many, the last with the rest."""


@dataclass(frozen=True)
class Passage:
    """A passage of a document: its place, its text, and its score."""

    field: str
    place: int
    """Which claim, or which paragraph of the text, from 1."""
    text: str
    score: float
    terms: tuple[str, ...]
    """The terms of the query in the passage, by decreasing contribution."""
    marks: tuple[tuple[int, int], ...] = ()
    """The start and end of each marked word in the text."""
    mark_terms: tuple[str, ...] = ()
    """The term of each marked word."""
    coverage: float = 0.0
    """The share of the query in the passage, from 0 to 1: of its distinct terms, each worth its weight × idf."""

    @property
    def marked_words(self) -> Iterator[tuple[tuple[int, int], str]]:
        return zip(self.marks, self.mark_terms, strict=True)

    @property
    def location(self) -> str:
        """Its place in the document: `claim 3`, `description, paragraph 12`, `abstract`."""
        if self.field in ("abstract", "title"):
            return self.field
        return f"claim {self.place}" if self.field == "claims" else f"{self.field}, paragraph {self.place}"

    def to_dict(self) -> dict[str, Any]:
        """The passage in a JSON-compatible form."""
        fields = {name: getattr(self, name) for name in ("field", "place", "text", "score")}
        return {**fields, "terms": list(self.terms), "marks": [list(mark) for mark in self.marks]}


class TextPlace(NamedTuple):
    """Where a part of a document is: which field, and in the whole text the start and the end."""

    field: str
    number: int
    """Which claim, from 1; 0 in other fields."""
    start: int
    end: int


@dataclass(frozen=True, eq=False)
class TextPieces:
    """A document divided into candidates for passages; arrays have one value per piece."""

    places: tuple[TextPlace, ...]
    part: I32
    """The place that it is in."""
    starts: I32
    ends: I32
    """Where it begins and ends in the whole text."""
    first: I32
    last: I32
    """Its terms are those from `first` to before `last`."""
    terms: I32
    """The numbers of the terms of the document, in order."""
    term_starts: I32
    """Where each begins in the whole text."""

    def __len__(self) -> int:
        return len(self.starts)

    @cached_property
    def norms(self) -> Floats:
        """What BM25 adds to the term frequency, for the length of each piece."""
        lengths = self.last - self.first
        average = max(1.0, int(lengths.sum()) / max(1, len(lengths)))
        return np.asarray(K1 * (1 - B + B * lengths / average))


@dataclass(frozen=True, eq=False)
class TermWorth:
    """The terms of a query of positive weight, with their numbers and weight × inverse document frequency."""

    query: Query
    terms: tuple[str, ...]
    worth: Floats
    slots: I32
    """For each number of a term, its position in `terms`, −1 where it is not in the query."""


class PieceReader:
    """Divides documents of one language into pieces, and caches the latest; may be used from several threads."""

    def __init__(self, index: Engine, language: str) -> None:
        self.index, self.language = index, language
        self.analyzer = index.analyzer(language)
        self.locator = TermLocator(self.analyzer)
        self.divide = lru_cache(maxsize=MAX_DOCUMENTS)(self._divide)
        self._last: TermWorth | None = None

    @classmethod
    def of(cls, index: Engine, language: str) -> PieceReader:
        """The reader of an index for a language; a new one when its vocabulary has become large."""
        readers: dict[str, PieceReader] = index.cache.setdefault(CACHE_KEY, {})
        reader = readers.get(language)
        if reader is None or reader.locator.words > MAX_WORDS:
            reader = readers[language] = cls(index, language)
        return reader

    def _divide(self, text: str, places: tuple[TextPlace, ...]) -> TextPieces:
        """Divide a document: each claim, or a few adjacent sentences of other texts, is a piece."""
        terms, term_starts = self.locator.locate(text)
        windows = [
            (number, place.start + start, place.start + end)
            for number, place in enumerate(places)
            for start, end in split_windows(text[place.start : place.end], self.language)
        ]
        part, starts, ends = np.array(windows, np.int32).reshape(-1, 3).T.copy()
        first, last = (np.searchsorted(term_starts, each).astype(np.int32) for each in (starts, ends))
        return TextPieces(places, part, starts, ends, first, last, terms, term_starts.astype(np.int32))

    def weigh(self, query: Query) -> TermWorth:
        """What the terms of a query are worth; that of the last query is kept, since one follows many documents."""
        if (last := self._last) is not None and last.query is query:
            return last
        weights = {term: weight for term, weight in zip(query.terms, query.weights.tolist(), strict=True) if weight > 0}
        terms = tuple(sorted(weights))
        statistics = self.index.statistics(self.language)
        df = statistics.frequencies(terms).documents
        idf = np.log(1 + (statistics.documents - df + 0.5) / (df + 0.5))
        worth = np.array([weights[term] for term in terms]) * idf
        numbers = np.array(self.locator.number_terms(terms), np.int64)
        slots = np.full(int(numbers.max(initial=-1)) + 1, NO_TERM, np.int32)
        slots[numbers] = np.arange(len(terms))
        self._last = made = TermWorth(query, terms, worth, slots)
        return made


def emphasize(query: Query, node: Node, analyzer: Analyzer) -> Query:
    """A query in which the words of an expression weigh most, to choose passages that show what met it."""
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    heaviest = max(weights.values(), default=1.0)
    terms = filter(None, map(analyzer.term, expression_words(node, query.language)))
    return Query.from_terms(weights | dict.fromkeys(terms, 2 * heaviest), query.language)


class Passages:
    """A document divided into pieces, which can be ranked for any number of queries.

    Pieces are ranked like small documents by BM25 with the weights of the query; document frequencies are those of the
    index.
    """

    def __init__(self, index: Engine, patent: Patent, language: str) -> None:
        self.reader = PieceReader.of(index, language)
        self.language, self.analyzer = language, self.reader.analyzer
        self.text, places = _join_parts(patent, FIELDS, language)
        self.pieces = self.reader.divide(self.text, places)
        if not len(self.pieces):
            self.text, places = _join_parts(patent, FALLBACK_FIELDS, language)
            self.pieces = self.reader.divide(self.text, places)

    def find_best(self, query: Query, number: int = 3, node: Node | None = None) -> list[Passage]:
        """The best passages for a query, without overlaps; first those with most phrases of an expression."""
        if not len(self.pieces):
            return []
        worth = self.reader.weigh(query)
        matches = _match_pieces(self.pieces, worth)
        # As many values as pieces are added in the order of the text, as a loop would.
        scores = np.bincount(matches.piece, matches.shares, minlength=len(self.pieces))
        order, begins = np.argsort(-scores, kind="stable").tolist(), {}
        if node is not None:
            met = {at: self._phrases_met(at, node) for at in order[:RERANKED]}
            order = [*sorted(met, key=lambda at: -len(met[at])), *order[RERANKED:]]
            begins = {at: self._lead_to(at, min(places)) for at, places in met.items() if places}
        best = (at for at in order[:number] if scores[at] > 0)
        return [self.passage(at, matches, worth, float(scores[at]), begins.get(at)) for at in best]

    def _phrases_met(self, at: int, node: Node) -> list[int]:
        """Where the phrases and the like of an expression begin in a piece; words alone count by their weights."""
        start, end = self.pieces.starts[at], self.pieces.ends[at]
        field = self.pieces.places[self.pieces.part[at]].field
        return [int(start) + place for place in first_places(self.analyzer, node, field, self.text[start:end])]

    def _lead_to(self, at: int, match: int) -> int:
        """Where a piece is to begin so that a match is seen at once: with its sentence, or some words before it."""
        start, end = int(self.pieces.starts[at]), int(self.pieces.ends[at])
        if match - start <= MAX_LEAD:
            return start
        text = self.text[start:end]
        begins = (first for first, _ in split_sentences(text, self.language or "en") if start + first <= match)
        sentence = max(begins, default=0)
        if match - (start + sentence) <= MAX_LEAD:
            return start + sentence
        space = self.text.find(" ", match - MAX_LEAD, match)
        return match if space < 0 else space + 1

    def match_claims(self, topic: Patent) -> list[tuple[str, Passage | None]]:
        """The best passage for each claim of a topic; None where no term of the claim occurs."""
        claims = topic.claims.get(filed_under(topic, self.language), ())
        return list(zip(claims, self.match(claims), strict=True))

    def match(self, claims: Iterable[str]) -> Iterator[Passage | None]:
        """The best passage for each claim, or feature of a claim; None where no term of it occurs."""
        known = LANGUAGES.get(self.language)
        # Every claim says "according to claim 1, characterised in that".
        formula = frozenset(self.analyzer.terms(" ".join(known.boilerplate)) if known is not None else ())
        for claim in claims:
            terms = [term for term in self.analyzer.terms(claim) if term not in formula]
            query = Query.from_terms(count_terms(terms), self.language, "claim")
            yield next(iter(self.find_best(query, 1)), None)

    def passage(
        self, at: int, matches: PieceMatches, worth: TermWorth, score: float, begin: int | None = None
    ) -> Passage:
        """A piece, perhaps only from a place on, as a passage, with the words of the largest contributions marked."""
        pieces, names = self.pieces, matches.terms
        here = slice(*np.searchsorted(matches.piece, (at, at + 1)).tolist())
        shares = {
            names[slot]: share
            for slot, share in zip(matches.slots[here].tolist(), matches.shares[here].tolist(), strict=True)
        }
        terms = sorted(shares, key=lambda term: (-shares[term], term))
        marked = frozenset(term for term in terms[:MAX_MARKED] if shares[term] >= MIN_SHARE * score)
        inside = slice(*np.searchsorted(matches.places, (pieces.first[at], pieces.last[at])).tolist())
        marks, mark_terms = [], []
        start, end = int(pieces.starts[at]) if begin is None else begin, int(pieces.ends[at])
        for place, slot in zip(matches.places[inside].tolist(), matches.place_slots[inside].tolist(), strict=True):
            if names[slot] in marked and pieces.term_starts[place] >= start:
                marks.append(self.word_at(place, start))
                mark_terms.append(names[slot])
        part = pieces.places[int(pieces.part[at])]
        paragraph = part.number or self.text.count("\n", part.start, start) + 1
        text = self.text[start:end]
        coverage = float(worth.worth[matches.slots[here]].sum() / worth.worth.sum())
        return Passage(part.field, paragraph, text, score, tuple(terms), tuple(marks), tuple(mark_terms), coverage)

    def word_at(self, place: int, origin: int) -> tuple[int, int]:
        """The start and end of the word of a term of the document, counted from a character."""
        starts = self.pieces.term_starts
        start = int(starts[place])
        following = int(starts[place + 1]) if place + 1 < len(starts) else len(self.text)
        _, length = next(find_words(self.text[start:following]))
        return start - origin, start - origin + length


class PieceMatches(NamedTuple):
    """The terms of a query in the pieces of a document, by piece, each in the order of its first occurrence there."""

    terms: tuple[str, ...]
    """Those of the query."""
    piece: Ints
    slots: Ints
    """The position of a term among those of the query."""
    shares: Floats
    """What it contributes to the score of the piece."""
    places: Ints
    """Which terms of the document are terms of the query."""
    place_slots: Ints
    """Which term of the query each of them is."""


def _match_pieces(pieces: TextPieces, worth: TermWorth) -> PieceMatches:
    """The contribution of each term of a query to the score of each piece of a document."""
    known = np.flatnonzero(pieces.terms < len(worth.slots))
    slots = worth.slots[pieces.terms[known]]
    there = slots != NO_TERM
    places, slots = known[there], slots[there].astype(np.int64)
    piece = np.searchsorted(pieces.first, places, side="right") - 1
    keys, begins, counts = np.unique(piece * len(worth.terms) + slots, return_index=True, return_counts=True)
    order = np.argsort(begins)
    keys, counts = keys[order], counts[order]
    of, slot = np.divmod(keys, max(1, len(worth.terms)))
    shares = worth.worth[slot] * counts * (K1 + 1) / (counts + pieces.norms[of])
    return PieceMatches(worth.terms, of, slot, shares, places, slots)


def _join_parts(patent: Patent, fields: Iterable[str], language: str) -> tuple[str, tuple[TextPlace, ...]]:
    """The texts of a patent in a language as one, with a newline after each, and where each is."""
    parts, places, at = [], [], 0
    for name in fields:
        text = getattr(patent, name).get(filed_under(patent, language), ())
        for number, part in enumerate((text,) if isinstance(text, str) else text, 1):
            places.append(TextPlace(name, 0 if isinstance(text, str) else number, at, at + len(part)))
            parts.append(part)
            at += len(part) + 1
    return "\n".join(parts), tuple(places)


def split_windows(text: str, language: str) -> Iterator[tuple[int, int]]:
    """The start and end of each piece of a text: whole sentences, as many as make a passage."""
    begin, last = -1, 0
    for sentence in split_sentences(text, language or "en"):
        for start, end in _split_sentence(text, *sentence):
            if begin >= 0 and (last - begin >= TARGET_LENGTH or end - begin > MAX_LENGTH):
                yield begin, last
                begin = -1
            begin, last = (start if begin < 0 else begin), end
    if begin >= 0:
        yield begin, last


def _split_sentence(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A sentence, or the parts of one that is too long for a passage."""
    while end - start > MAX_LENGTH:
        stops = (list(each.finditer(text, start + TARGET_LENGTH, start + MAX_LENGTH)) for each in CUTS)
        stop = next((matches[-1].end() for matches in stops if matches), start + MAX_LENGTH)
        yield start, start + len(text[start:stop].rstrip())
        start = stop
    if start < end:
        yield start, end


def divide_text(text: str, marks: Iterable[tuple[int, int, int]]) -> list[Run]:
    """The runs of a text with marked places, given as start, end and number in ascending order."""
    runs: list[Run] = []
    end = 0
    for start, stop, number in marks:
        if start > end:
            runs.append(text[end:start])
        runs.append((text[start:stop], number))
        end = stop
    if end < len(text):
        runs.append(text[end:])
    return runs


def split_features(claim: str) -> list[str]:
    """The features of a claim, in order; joined they are the claim without its number.

    >>> split_features("1. A lamp comprising: a housing made of glass; and a filament held by the housing.")
    ['A lamp comprising: a housing made of glass;', 'and a filament held by the housing.']
    """
    text = NUMBER.sub("", claim, count=1) if NUMBER.match(claim) else claim
    pieces = [piece.strip() for piece in BOUNDARY.split(text) if piece.strip()]
    features: list[str] = []
    carried = ""
    for piece in pieces:
        carried = f"{carried} {piece}" if carried else piece
        if len(carried) >= MIN_FEATURE and len(features) < MAX_FEATURES - 1:
            features.append(carried)
            carried = ""
    if carried and features and (len(carried) < MIN_FEATURE or len(features) >= MAX_FEATURES):
        features[-1] = f"{features[-1]} {carried}"
    elif carried:
        features.append(carried)
    return features


def chart_document(index: Engine, patent: Patent, features: Sequence[str], language: str) -> list[Passage | None]:
    """The best passage of a document for each feature, in its text of a language; None where no word of it occurs."""
    if language not in languages_of(patent) and filed_under(patent, language) not in languages_of(patent):
        return [None] * len(features)
    return list(Passages(index, patent, language).match(features))
