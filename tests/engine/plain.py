"""The third engine: patents in a list, dictionaries, and every document looked at for every question.

It has neither segments nor shards, neither numba nor SQL, and is what the other two are compared with. Sums are of
32-bit numbers in the order of the query, as the protocol asks for.
"""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, timedelta
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.classes import beginning_of, child_of
from antecede.conditions.fields import DAYS, EQUAL, FACETS, FIELDS, NAME, PREFIX, UNKNOWN, WORDS, own_conditions
from antecede.conditions.filters import DROP, NO_TEXT, Coverage, Filters
from antecede.conditions.reading import read_in
from antecede.conditions.spans import TextSource, find_places
from antecede.conditions.tree import And, Fact, InField, InLanguage, Not, Or
from antecede.conditions.values import name_key
from antecede.engine import (
    EPOCH,
    LATEST_DAY,
    SEPARATOR,
    UNKNOWN_DAY,
    Capability,
    Days,
    FacetTotals,
    Frequencies,
    Hits,
    Impacts,
    Searchable,
    TermVectors,
    number_of,
)
from antecede.errors import UsageError
from antecede.models import CollectionFacts, Postings, parse_model
from antecede.patent import PatentNumber
from antecede.patent.offices import publication_year
from antecede.ranges import DOCUMENTS
from antecede.term_matches import TermMatches
from antecede.text import Analyzer
from antecede.text.profiles import load_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.arrays import Floats, Mask
    from antecede.conditions.classes import ClassQuestion
    from antecede.conditions.tree import Node
    from antecede.engine import Numbers, QueryTerms, Selection
    from antecede.models import Model
    from antecede.patent import Patent

TEXTS = ("title", "abstract", "claims", "description")
LISTS = ("ipc", "cpc", "applicants", "inventors", "citations")
PEOPLE = ("applicants", "inventors")


def integers(values: Iterable[int]) -> Numbers:
    return np.array([*values], np.int64)


class PlainEngine(Searchable):
    kind, name, where, state = "plain", "plain", "plain", "plain"
    capabilities = frozenset((Capability.WALK,))
    notes, translation = (), None

    def __init__(self, patents: Iterable[Patent]) -> None:
        self.patents = [*patents]
        self.size = self.documents = len(self.patents)
        self.profile, self.cache = load_profile(), dict[str, Any]()
        self.settings: dict[str, Any] = {"fields": [*TEXTS], "positions": True}
        self.analyzer = lru_cache(lambda language: Analyzer(language, self.profile))
        self.rows = [*map(_row_of, self.patents)]
        self._dates = [_days_of(row) for row in self.rows]
        filed = {language for patent in self.patents for each in TEXTS for language in getattr(patent, each)}
        often = {language: self.documents_in(language) for language in filed}
        self.languages = tuple(sorted(filter(often.__getitem__, often), key=lambda each: (-often[each], each)))
        self.counts, self.text = lru_cache(self._count), lru_cache(maxsize=None)(self._read)
        self.measured = lru_cache(self._measure)

    def name_key(self, name: str) -> str:
        return name_key(name, self.profile.names)

    def _count(self, language: str, assumed: bool) -> dict[int, Counter[str]]:
        """Document → its terms, of the documents that are filed under a language or assumed to be in it."""
        texts = {at: self.texts(at, language, assumed and language in self.languages) for at in range(self.size)}
        analyzer = self.analyzer(language)
        return {at: Counter(analyzer.terms("\n".join(own.values()))) for at, own in texts.items() if own}

    def _read(self, language: str, text: str) -> TextSource:
        return TextSource(self.analyzer(language), [text])

    def _measure(self, language: str, assumed: bool, without: frozenset[int]) -> PlainStatistics:
        return PlainStatistics([own for at, own in self.counts(language, assumed).items() if at not in without])

    def texts(self, number: int, language: str, assumed: bool = True) -> dict[str, str]:
        for filed in (language, *([""] if assumed else [])):
            own = {name: getattr(self.patents[number], name).get(filed) or "" for name in TEXTS}
            joined = {name: text if isinstance(text, str) else "\n".join(text) for name, text in own.items()}
            if any(joined.values()):
                return joined
        return {}

    # Documents

    def numbers_of(self, name: str) -> Numbers:
        exact = [at for at, row in enumerate(self.rows) if row["doc_id"] == name]
        return integers(exact or self.having("number", [name]).get(name, ()))

    def numbers(self, names: Sequence[str]) -> Numbers:
        return integers(-1 if (number := number_of(self, name)) is None else number for name in names)

    def names(self, numbers: Numbers) -> list[str]:
        return [self.patents[at].doc_id for at in numbers]

    def name_ranks(self, numbers: Numbers) -> Numbers:
        names = self.names(numbers)
        return integers(map(sorted(names, key=str.encode).index, names))

    def all_numbers(self) -> Numbers:
        return np.arange(self.size)

    def columns(self, numbers: Numbers, *columns: str) -> list[tuple[Any, ...]]:
        return [tuple(self.rows[at][name] for name in columns) for at in numbers]

    def values(self, number: int, column: str) -> list[str]:
        value = self.rows[number][column]
        if column in LISTS:
            return value.split(SEPARATOR) if value else []
        return [] if value is None else [value]

    def days(self, numbers: Numbers) -> Days:
        lone = [(first if first == last else UNKNOWN_DAY, last) for first, last in (self._dates[at] for at in numbers)]
        return Days(*np.array(lone, np.int32).reshape(-1, 2).T)

    @property
    def undated(self) -> int:
        return sum(last == LATEST_DAY for _, last in self._dates)

    @property
    def without_day(self) -> int:
        return sum(row["day"] is None for row in self.rows)

    def having(self, column: str, values: Sequence[str]) -> dict[str, list[int]]:
        sought = {value: value for value in values}
        if column == "number":
            parsed = {value: PatentNumber.parse_name(value) for value in values}
            column, sought = "patent_number", {value: each.key for value, each in parsed.items() if each}
        found = {
            value: [at for at in range(self.size) if key in self.values(at, column)] for value, key in sought.items()
        }
        return {value: numbers for value, numbers in found.items() if numbers}

    def have(self, numbers: Numbers, column: str, values: Iterable[str]) -> Mask:
        key = self.name_key if column in PEOPLE else str
        wanted = {*map(key, values)}
        return np.array([not wanted.isdisjoint(map(key, self.values(at, column))) for at in numbers], np.bool_)

    def has_values(self, *columns: str) -> bool:
        return any(self.rows[at][name] for at in range(self.size) for name in columns)

    def records(self, numbers: Iterable[int]) -> Iterator[Patent]:
        return (self.patents[at] for at in numbers)

    # Conditions

    def select(self, filters: Filters) -> PlainSelection:
        return PlainSelection(self, filters)

    def prepare(self) -> None:
        """Nothing is compiled."""

    def meets(
        self, number: int, node: Node, fields: Sequence[str] = TEXTS, languages: Sequence[str] | None = None
    ) -> bool:
        if isinstance(node, And | Or):
            every = (self.meets(number, each, fields, languages) for each in node.members)
            return (all if isinstance(node, And) else any)(every)
        if isinstance(node, Not):
            return not self.meets(number, node.part, fields, languages)
        if isinstance(node, InField):
            return self.meets(number, node.part, node.names, languages)
        if isinstance(node, InLanguage):
            return self.meets(number, node.part, fields, node.languages)
        if isinstance(node, Fact):
            return self._has(number, node)
        return any(
            any(map(len, find_places(self.text(language, text), read_in(self.analyzer(language), node))))
            for language in languages or self.languages
            for name, text in self.texts(number, language).items()
            if name in fields
        )

    def _has(self, number: int, fact: Fact) -> bool:
        field = FIELDS[fact.field]
        if field.match == DAYS:
            (first, last), (begin, end) = self._dates[number], fact.days
            start, stop = _day(begin, UNKNOWN_DAY), _day(end, LATEST_DAY)
            surely = start <= first and last < stop
            return first < stop and last >= start and not surely if fact.field == "undated" else surely
        own = self.values(number, field.column)
        return {
            EQUAL: lambda: fact.value in own,
            PREFIX: lambda: any(value.startswith(fact.value) for value in own),
            WORDS: lambda: any(f" {self.name_key(fact.value)} " in f" {self.name_key(value)} " for value in own),
            NAME: lambda: fact.value in own or number in self.having("number", [fact.value]).get(fact.value, ()),
        }[field.match]()

    def facets(
        self, filters: Filters, languages: Sequence[str] | None, retrieved: Sequence[str], nodes: Mapping[str, str]
    ) -> FacetTotals:
        met, total = self.select(filters).met, FacetTotals(0, 0, {name: (Counter(), Counter()) for name in FACETS}, {})
        base = (
            {at for each in languages for at in self.counts(each, True)} if languages is not None else range(self.size)
        )
        passed = [at for at in base if all(own[at] for _, own in met)]
        forms: dict[str, Counter[tuple[str, str]]] = {}
        for name, field in FACETS.items():
            own = own_conditions(field)
            for at in base:
                if all(mask[at] for condition, mask in met if condition not in own):
                    for value in self._facet_values(at, name, nodes.get(name, "")):
                        total.totals[name][0][value] += 1
                        total.totals[name][1][value] += self.patents[at].doc_id in retrieved
            if field.match == WORDS:
                every = (value for at in range(self.size) for value in self.values(at, field.column))
                forms[name] = Counter((self.name_key(value), value) for value in every)
        written = {
            name: {
                key: value for (key, value), _ in sorted(each.items(), key=lambda one: (-one[1], one[0]), reverse=True)
            }
            for name, each in forms.items()
        }
        names = self.names(integers(passed))
        return FacetTotals(len(passed), sum(each in retrieved for each in names), total.totals, written)

    def _facet_values(self, number: int, facet: str, node: str) -> set[str]:
        field, own = FACETS[facet], self.values(number, FACETS[facet].column)
        if field.match == DAYS:
            first, last = self._dates[number]
            return {"0" if last == LATEST_DAY else str((EPOCH + timedelta(first)).year)}
        if field.tree:
            return {child for code in own if (child := child_of(node, code)) is not None}
        return {*map(self.name_key, own)} if field.match == WORDS else {*filter(None, own)} or {UNKNOWN}

    def latest(self, language: str, selection: Selection, most: int) -> Numbers:
        own = integers(self.counts(language, True))
        own = own[_own(selection).contains(own)]
        return own[np.lexsort((self.name_ranks(own), -self.days(own).day.astype(np.int64)))][:most]

    def same_class(self, question: ClassQuestion) -> Numbers:
        with_text = integers(at for at, own in self.counts(question.language, True).items() if own)
        allowed, shared = with_text[_own(question.selection).contains(with_text)], dict[int, int]()
        for level in question.levels:
            sought = {beginning_of(code, level) for code in question.codes}
            known = {at: {beginning_of(code, level) for code in self.values(at, "ipc")} for at in allowed.tolist()}
            shared = {at: len(sought & own) for at, own in known.items() if sought & own}
            if len(shared) >= max(question.fewest, 1):
                break
        day = dict(zip(allowed.tolist(), self.days(allowed).day.tolist(), strict=True))
        return integers(sorted(sorted(shared, key=lambda at: (-shared[at], -day[at], at))[: question.most]))

    # Terms

    def documents_in(self, language: str) -> int:
        return sum(bool(self.texts(at, language, assumed=False)) for at in range(self.size))

    def statistics(self, language: str, *, assumed: bool = True, without: Numbers | None = None) -> PlainStatistics:
        return self.measured(language, assumed, frozenset(() if without is None else without.tolist()))

    def lengths(self, numbers: Numbers, language: str, *, assumed: bool = True) -> Numbers:
        counts = self.counts(language, assumed)
        return integers(counts[at].total() if at in counts else -1 for at in numbers.tolist())

    def are_assumed(self, numbers: Numbers, language: str) -> Mask:
        own = self.counts(language, False)
        lengths = self.lengths(numbers, language).tolist()
        return np.array(
            [length >= 0 and at not in own for at, length in zip(numbers.tolist(), lengths, strict=True)], np.bool_
        )

    def vectors(
        self, numbers: Numbers, language: str, also: Sequence[str] = (), *, assumed: bool = True
    ) -> TermVectors:
        counts = self.counts(language, assumed)
        if not counts.keys() >= {*numbers.tolist()}:
            raise UsageError(f"a document has no text in {language or 'an unknown language'}")
        own, known = [counts[at] for at in numbers.tolist()], {term for each in counts.values() for term in each}
        vocabulary = PlainVocabulary(sorted({*(t for each in own for t in each), *known.intersection(also)}))
        terms = [sorted(each) for each in own]
        return TermVectors(
            np.cumsum([0, *map(len, own)]),
            integers(vocabulary.index(term) for each in terms for term in each),
            np.array([each[term] for each, names in zip(own, terms, strict=True) for term in names], np.float64),
            np.array([each.total() for each in own], np.float64),
            vocabulary,
        )

    def matches(self, terms: tuple[str, ...], numbers: Numbers, language: str) -> PlainMatches:
        counts = [self.counts(language, True)[at] for at in numbers.tolist()]
        rows = [[(terms.index(t), own[t]) for t in sorted(own) if t in terms] for own in counts]
        return PlainMatches(
            np.arange(len(rows)),
            np.cumsum([0, *map(len, rows)]),
            np.array([term for row in rows for term, _ in row], np.int32),
            np.array([count for row in rows for _, count in row], np.uint32),
        )

    def norms(self, numbers: Numbers, language: str) -> Floats:
        counts, statistics = self.counts(language, True), self.statistics(language)
        df = statistics.df

        def square(term: str, count: int) -> float:
            rarity = np.float32(np.log((statistics.documents + 1) / df[term]))
            return float(np.float64(np.float32(1 + np.log(count))) * rarity) ** 2

        return np.array(
            [math.sqrt(sum(square(t, counts[at][t]) for t in sorted(counts[at]))) for at in numbers.tolist()]
        )

    def fullest_document(self, language: str, term: str) -> int | None:
        often = {at: own[term] for at, own in self.counts(language, True).items() if own[term]}
        return max(often, key=lambda at: (often[at], -at), default=None)

    # Ranking

    def retrieve(
        self,
        query: QueryTerms,
        k: int,
        selection: Selection | None = None,
        model: Model | str = "bm25",
        *,
        approximate: bool = False,  # noqa: ARG002 - every model is exact here
        keep_scores: bool = False,
    ) -> Hits:
        DOCUMENTS.check(k, "k")
        counts, chosen = self._known(query.language), _own(selection or self.select(Filters()))
        met = [at for at, own in counts.items() if len(self.impacts(query, at, model).terms)]
        numbers = integers(met)[chosen.contains(integers(met))]
        scores = self._scores(query, model, numbers)
        best = np.lexsort((self.name_ranks(numbers), -scores))[:k]
        unmatched = tuple(term for term in query.terms if not any(own[term] for own in counts.values()))
        score_of = (lambda others: self._scores(query, model, others)) if keep_scores else None
        return Hits(numbers[best], scores[best], query.language, unmatched, score_of=score_of)

    def _known(self, language: str) -> dict[int, Counter[str]]:
        if language not in self.languages:
            known = ", ".join(each or "unknown" for each in self.languages)
            raise UsageError(f"the index has no documents in language {language!r}; it has {known}")
        return self.counts(language, True)

    def _scores(self, query: QueryTerms, model: Model | str, numbers: Numbers) -> np.ndarray:
        weights, scores = query.weights.astype(np.float32), np.zeros(len(numbers), np.float32)
        for place, at in enumerate(numbers.tolist()):
            terms, impacts, document = self.impacts(query, at, model)
            for term, impact in zip(terms, impacts, strict=True):
                scores[place] += weights[term] * impact
            if document is not None:
                scores[place] += document * np.float32(query.weights.sum())
        return scores + np.float32(0)

    def impacts(self, query: QueryTerms, number: int, model: Model | str = "bm25") -> Impacts:
        chosen, statistics = parse_model(model) if isinstance(model, str) else model, self.statistics(query.language)
        facts = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        own, weights = self._known(query.language)[number], query.weights.astype(np.float32)
        terms = [at for at, term in enumerate(query.terms) if own[term] and weights[at]]
        names, length = [query.terms[at] for at in terms], np.array([float(own.total())])
        often = statistics.frequencies(names)
        columns = ([own[name] for name in names], [own.total()] * len(names), often.documents, often.occurrences)
        impacts = chosen.impacts(Postings(*(np.array(column, np.float64) for column in columns)), facts)
        document = chosen.document(length)
        return Impacts(integers(terms), impacts, None if document is None else document[0])

    def space(self, language: str, kind: str) -> None:  # noqa: ARG002
        return None


class PlainVocabulary(list[str]):
    def find(self, terms: Sequence[str]) -> Numbers:
        return integers(self.index(term) if term in self else -1 for term in terms)


class PlainStatistics:
    def __init__(self, counts: Sequence[Counter[str]]) -> None:
        self.counts, self.documents, self.tokens = counts, len(counts), sum(own.total() for own in counts)
        self.average_length = self.tokens / self.documents if self.documents else 0.0

    @cached_property
    def df(self) -> Counter[str]:
        return Counter(term for own in self.counts for term in own)

    @cached_property
    def cf(self) -> Counter[str]:
        return sum(self.counts, Counter[str]())

    def frequencies(self, terms: Iterable[str]) -> Frequencies:
        return Frequencies(*(integers(often[term] for term in [*terms]) for often in (self.df, self.cf)))

    def frequencies_in(self, vocabulary: Any) -> Frequencies:
        return self.frequencies(vocabulary)


class PlainMatches(TermMatches):
    """Added up match by match."""

    def add_up(self, by_count: Callable[[Floats], Floats], weights: Floats) -> Floats:
        with np.errstate(all="ignore"):
            table = by_count(np.arange(max(self.counts, default=0) + 1, dtype=np.float64))
        sums = np.zeros(len(self.documents))
        for at, (begin, end) in enumerate(pairwise(self.ptr.tolist())):
            for term, count in zip(self.terms[begin:end], self.counts[begin:end], strict=True):
                sums[at] += table[count] * weights[term]
        return sums


class PlainSelection:
    def __init__(self, engine: PlainEngine, filters: Filters) -> None:
        self.engine, self.filters = engine, filters

    @cached_property
    def met(self) -> list[tuple[str, list[bool]]]:
        """Each condition by name, and which documents meet it."""
        everything = range(self.engine.size)
        return [
            (each.name, [self.engine.meets(at, each.node) for at in everything]) for each in self.filters.conditions
        ]

    def contains(self, numbers: Numbers) -> Mask:
        return np.array([all(own[at] for _, own in self.met) for at in numbers.tolist()], np.bool_)

    def count(self, language: str) -> int:
        return int(self.contains(integers(self.engine.counts(language, True))).sum())

    def names(self, without: Iterable[str], most: int) -> list[str]:
        passed, excluded = self.engine.all_numbers()[self.contains(self.engine.all_numbers())], {*without}
        return [name for name in sorted(self.engine.names(passed), key=str.encode) if name not in excluded][
            : max(most, 0)
        ]

    def coverage(self, languages: Sequence[str]) -> Coverage:
        engine, left, excluded, others = self.engine, [*range(self.engine.size)], Counter[str](), Counter[str]()
        for name, own in self.met:
            excluded[name] += sum(not own[at] for at in left)
            left = [at for at in left if own[at]]
        unsure = [at for at in range(engine.size) if self.filters.dated and engine._has(at, self.filters.days[1])]
        without_day = [at for at in range(engine.size) if engine.rows[at]["day"] is None]
        searched = {at for language in languages for at in engine.counts(language, True)}
        elsewhere = [at for at in left if at not in searched]
        for at in elsewhere:
            filed = [language for language in engine.languages if at in engine.counts(language, False)]
            others.update(filed or [NO_TEXT])
        return Coverage(
            tuple(languages),
            len(left) - len(elsewhere),
            len(elsewhere),
            dict(others),
            dict(+excluded),
            len({*left}.intersection(unsure)) if self.filters.undated != DROP else 0,
            len({*without_day}.difference(unsure)) if self.filters.dated else 0,
        )


def _own(selection: Selection) -> PlainSelection:
    if not isinstance(selection, PlainSelection):
        raise TypeError("the selection is one of another engine")
    return selection


def _row_of(patent: Patent) -> dict[str, Any]:
    """The columns of a document, as `index.documents` declares them."""
    number, day = patent.known_number, patent.publication_date or patent.filing_date or patent.priority_date
    lists = {
        **{name: getattr(patent, name) for name in ("ipc", "cpc")},
        **{name: [each for name in getattr(patent, name) if (each := " ".join(name.split()))] for name in PEOPLE},
        "citations": [each.number.key for each in patent.citations],
    }
    return {
        "doc_id": patent.doc_id,
        "identity": patent.number.key if patent.number else patent.doc_id,
        "patent_number": number and number.key,
        "title": patent.title.get(patent.language) or next(iter(patent.title.values()), ""),
        "language": patent.language,
        "published": patent.publication_date and str(patent.publication_date),
        "day": day and str(day),
        "family_id": patent.family_id,
        "country": number and number.country,
        **{name: SEPARATOR.join(dict.fromkeys(values)) for name, values in lists.items()},
    }


def _days_of(row: dict[str, Any]) -> tuple[int, int]:
    """The first and the last day on which a document may have been published, since 1970."""
    if row["day"] is not None:
        return (_day(date.fromisoformat(row["day"]), 0),) * 2
    year = publication_year(str(row["patent_number"]))
    return (UNKNOWN_DAY, LATEST_DAY) if year is None else (_day(date(year, 1, 1), 0), _day(date(year, 12, 31), 0))


def _day(day: date | None, otherwise: int) -> int:
    return otherwise if day is None else (day - EPOCH).days
