"""From a topic to queries: one set per language that it is searched in, with a query for each method.

A language that the topic has no text in is searched with a query that a table of translations gives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from antecede.conditions.filters import WHERE, Filters, NamedCondition, prior_art
from antecede.conditions.parser import parse_expression
from antecede.conditions.tree import InLanguage, Truncation, Word, expression_words, words_of_any_language
from antecede.engine import UNKNOWN
from antecede.errors import InputError, UsageError, printable, spell
from antecede.patent import Patent
from antecede.patent.texts import FIELDS
from antecede.query.methods import parse_method
from antecede.query.query import Query, add_terms, count_terms, edit_query, frequent_forms, with_terms
from antecede.query.query_maker import DEFAULT_METHOD, QueryMaker, default_terms, feedback, first_terms, topicality
from antecede.query.topic import (
    LONG_TEXT,
    choose_text_language,
    join_languages,
    known_languages,
    languages_of,
    patent_text,
    take_claim,
    text_of,
)
from antecede.query.translation import (
    parse_translations,
    read_dictionary,
    read_translations,
    translate_query,
    with_dictionary,
)
from antecede.ranking.evidence import MAX_TERMS
from antecede.search.settings import ALL_LANGUAGES, Implied, SearchSettings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.conditions.tree import Node
    from antecede.engine import Engine, Hits
    from antecede.query.query import QueryEdits, WeightEdits
    from antecede.query.topic import Topic
    from antecede.query.translation import Translations

CACHE_KEY = "translations"
BODIES = tuple(name for name in FIELDS if name != "title")
"""The fields of a text that is more than a title."""
MAX_WORDS = 20
"""Words of an expression by which its language is chosen."""


def _translations_for(index: Engine, settings: SearchSettings) -> Translations | None:
    """The table of the settings or of the index, with the dictionary of the settings; None where there is neither."""
    table = _find_table(index, settings.translation)
    if settings.dictionary is None:
        return table
    dictionary = read_dictionary(settings.dictionary, index.profile)
    return dictionary if table is None else with_dictionary(table, dictionary)


def _find_table(index: Engine, path: str | None) -> Translations | None:
    """The table of a file, or the one that is stored with the index; None where there is neither."""
    if path is None and CACHE_KEY in index.cache:
        stored: Translations | None = index.cache[CACHE_KEY]
        return stored
    data = index.translation if path is None else None
    if path is None and data is None:
        return None
    table = parse_translations(data, index.where) if data is not None else read_translations(str(path))
    if table.profile != index.profile.name:
        raise InputError(
            f"its terms were made with the profile {table.profile!r}, those of the index with {index.profile.name!r}",
            source=path or index.where,
            remedy="learn it again with the profile of the index",
        )
    if path is None:
        index.cache[CACHE_KEY] = table
    return table


@dataclass(frozen=True, eq=False)
class QuerySet:
    """The queries of a topic in one language, one per method."""

    language: str
    queries: tuple[Query, ...]
    notes: tuple[str, ...] = ()
    unmatched: int = 0
    """Terms of the topic that occur in no other document."""
    translated_from: str | None = None
    """The language of the query that it was translated from, if it was."""
    length: int = 0
    """The number of tokens of the topic, as far as it is known."""
    fields: tuple[str, ...] = ()
    """The fields of a patent that the text comes from."""
    evidence: Query | None = None
    """The terms for the features of a ranking by evidence, more than a query has; None for the classic search."""
    moved: bool = False
    """Whether feedback has moved it."""


class QueryBuilder(ABC):
    """Makes the queries of topics with the same settings; may be used from several threads."""

    def __init__(self, index: Engine, settings: SearchSettings) -> None:
        self.index, self.settings = index, settings
        if settings.translation is not None or settings.dictionary is not None:
            _ = self.translations  # a file that cannot be read is refused before the search
        self.maker = QueryMaker(index, self.search)

    @cached_property
    def translations(self) -> Translations | None:
        """The translations of the settings or of the index; those of the index are read when they are needed."""
        return _translations_for(self.index, self.settings)

    @abstractmethod
    def search(self, query: Query, k: int, filters: Filters) -> Hits:
        """The first search of methods that look at documents before they weight terms."""

    def build_queries(self, topic: Patent | Query | str | None, edits: QueryEdits | None = None) -> list[QuerySet]:
        """The queries of a topic, one set per language, after feedback, further words and edits.

        Feedback moves the edited query, whose weights are on the scale of the method; terms left out stay out.
        """
        moved = bool(self.settings.relevant or self.settings.irrelevant)
        built: list[QuerySet] = []
        query_sets = [*self.query_sets(topic)]
        for query_set in query_sets:
            weights = (edits or {}).get(query_set.language, {})
            if moved and weights:
                query_set, weights = (
                    self.with_edits(query_set, weights),
                    {term: 0.0 for term in weights if not weights[term]},
                )
            try:
                marked = self.with_feedback(query_set)
            except InputError:
                if len(query_sets) == 1 or (query_set is query_sets[-1] and not any(each.moved for each in built)):
                    raise
                marked = query_set  # no marked document has text in this language, but in another
            changed = self.with_words(marked)
            built.append(self.with_edits(changed, weights) if weights else changed)
        return built

    def query_sets(self, topic: Patent | Query | str | None) -> Iterator[QuerySet]:
        """The queries of a topic, in its own language or in each of several."""
        if topic is None:
            yield from self.query_expression()
        elif isinstance(topic, Patent):
            yield from self.query_languages(topic)
        elif isinstance(topic, Query):
            yield self.take_query(topic)
        else:
            yield from self.query_text(topic)

    def languages_for(self, patent: Patent) -> tuple[tuple[str | None, ...], tuple[tuple[str, str], ...]]:
        """The languages to search for a patent in its own texts, None for the best one; and those to search in a
        translation, each with the language that it is translated from.

        A title is a text to search with only where nothing more can be translated.
        """
        chosen, claim = self.settings.language, self.settings.from_claim
        topic = patent if claim is None else take_claim(patent, claim)
        there = languages_of(topic)
        sources = languages_of(topic, BODIES) or there
        indexed = tuple(language for language in known_languages(self.index) if language != UNKNOWN)
        own: tuple[str, ...] = ()
        if chosen is None:
            if not there or UNKNOWN in there or not {*sources}.isdisjoint(self.index.languages):
                return (None,), ()
        elif chosen != ALL_LANGUAGES:
            if chosen in sources or not self._sources(sources, chosen):
                return (chosen,), ()
            indexed = (chosen,)
        else:
            own = tuple(
                language
                for language in there
                if language in indexed and (language in sources or not self._sources(sources, language))
            )
        targets = (language for language in indexed if language not in own)
        translated = tuple((source, target) for target in targets for source in self._sources(sources, target)[:1])
        if own or translated:
            return own, translated
        if UNKNOWN in there or not {*there}.isdisjoint(indexed):
            return (None,), ()
        what = f"is in {join_languages(there)}, the index has {join_languages(self.index.languages)}"
        remedy = f"give a table of translations between them with {spell('translation')}"
        raise InputError(what, topic_id=patent.doc_id, remedy=remedy)

    def _sources(self, languages: Sequence[str], target: str) -> list[str]:
        """Those of some languages that are translated into another."""
        directions = self.translations.directions if self.translations is not None else {}
        return [language for language in languages if (language, target) in directions]

    def query_languages(self, patent: Patent) -> list[QuerySet]:
        """The queries of a patent in each language; one in which nothing can be searched for is left out and noted."""
        own, translated = self.languages_for(patent)
        built: list[QuerySet] = []
        failed: dict[str, InputError] = {}
        for language in own:
            try:
                built.append(self.query_patent(patent, language))
            except InputError as error:
                failed[str(language)] = error
        for source, target in translated:
            try:
                built += self.translate_patent(patent, source, target)
            except InputError as error:
                failed[target] = error
        if not built:
            raise next(iter(failed.values()), self._untranslated(patent, translated))
        who = f"topic {printable(patent.doc_id)}"
        notes = tuple(f"{who}: not searched in {language}: {error.what}" for language, error in failed.items())
        return [replace(built[0], notes=(*built[0].notes, *notes)), *built[1:]]

    def _untranslated(self, patent: Patent, translated: Sequence[tuple[str, str]]) -> InputError:
        pairs = ", ".join(f"{source} to {target}" for source, target in translated)
        return InputError(f"none of its terms is translated from {pairs}", topic_id=patent.doc_id)

    def read_topic(
        self, patent: Patent, language: str | None, available: Sequence[str] | None = None
    ) -> tuple[Topic, int]:
        """The text that a patent is searched with, and the number of its tokens in the fields of the settings.

        In a ranking by evidence each word of a draft counts: where the description is short, all fields are taken.
        """
        settings = self.settings
        topic = self.maker.topic(patent, settings.fields, language, settings.from_claim, available=available)
        has_more = any(getattr(patent, name) for name in FIELDS if name not in topic.fields)
        is_chosen = settings.from_claim is not None or not isinstance(settings.fields[0], Implied)
        if settings.evidence is None or is_chosen or topic.length >= LONG_TEXT or not has_more:
            return topic, topic.length
        drafted = self.maker.topic(patent, FIELDS, language, available=available)
        return replace(drafted, notes=topic.notes), topic.length

    def query_patent(self, patent: Patent, language: str | None, target: str | None = None) -> QuerySet:
        """The queries of a patent in one of its languages; with a `target`, weighted to be translated into it."""
        settings = self.settings
        filters = replace(prior_art(patent, settings.before), undated=settings.undated)
        through = (self.translations, target) if target is not None and self.translations is not None else None
        available = None if through is None else (str(language),)
        topic, length = self.read_topic(patent, language, available)
        methods = [parse_method(method) for method in settings.method]
        notes: list[str] = []
        if through is not None and any(method.definition.reads_documents for method in methods):
            names = ", ".join(str(method) for method in methods if method.definition.reads_documents)
            notes.append(f"{names} needs documents in the language of the topic; {DEFAULT_METHOD} is translated")
            methods = [parse_method(DEFAULT_METHOD) if each.definition.reads_documents else each for each in methods]
        built, evidence = [], None
        if settings.evidence is not None:
            most = self.maker.make(topic, DEFAULT_METHOD, terms=MAX_TERMS, weights="topical", filters=filters,
                                   through=through)  # fmt: skip
            evidence = most.query
            if not settings.describes_search:  # a shorter query is a prefix of a longer one
                built = [replace(most, query=first_terms(evidence, default_terms(topic.language)))]
        built = built or [
            self.maker.make(
                topic, method, terms=settings.terms, weights=settings.weights, filters=filters, through=through
            )
            for method in methods
        ]
        notes += [note for each in built for note in each.notes]
        queries, unmatched = tuple(each.query for each in built), built[0].unmatched
        found_notes = tuple(dict.fromkeys(notes))
        return QuerySet(topic.language, queries, found_notes, unmatched, None, length, topic.fields, evidence)

    def translate_patent(self, patent: Patent, source: str, target: str) -> Iterator[QuerySet]:
        """The queries of a patent, made of its text in one language, to be searched in another."""
        made = self.query_patent(patent, source, target)
        text = patent_text(patent, source)
        for translated in self.translate(made, target):
            yield self.with_origins(self.with_own_words(translated, patent), source, text)

    def with_origins(self, translated: QuerySet, source: str, text: str) -> QuerySet:
        """A translated query with words of the text, in place of terms, as what its terms were translated from."""
        analyzer = self.index.analyzer(source)
        terms = {term for query in translated.queries for term, _ in query.origins}
        words = frequent_forms(analyzer, text, terms)
        queries = tuple(
            replace(query, origins=tuple((words.get(term, ""), chance) for term, chance in query.origins))
            for query in translated.queries
        )
        return replace(translated, queries=queries)

    def with_own_words(self, translated: QuerySet, patent: Patent) -> QuerySet:
        """A translated query with the words that the patent itself has in the language, such as those of its title."""
        target = translated.language
        counts = count_terms(self.index.analyzer(target).terms(text_of(patent, FIELDS, target)))
        if self.settings.from_claim is not None or not counts:
            return translated
        df = self.index.statistics(target).frequencies(list(counts)).documents.tolist()
        known = {term: count for (term, count), often in zip(counts.items(), df, strict=True) if often}
        df = [often for often in df if often]
        queries = tuple(add_terms(query, known, df) for query in translated.queries)
        evidence = translated.evidence and first_terms(add_terms(translated.evidence, known, df), MAX_TERMS)
        return replace(translated, queries=queries, evidence=evidence)

    def translate(self, query_set: QuerySet, target: str) -> Iterator[QuerySet]:
        """Queries translated into a language; nothing where one of them has no term in it."""
        table, source = self.translations, query_set.language
        if table is None:
            return
        statistics = self.index.statistics(target)

        def known(terms: Sequence[str]) -> list[bool]:
            return [count > 0 for count in statistics.frequencies(list(terms)).documents.tolist()]

        most = self.settings.terms or default_terms(target)
        made = [translate_query(query, table, target, known, most) for query in query_set.queries]
        kept = tuple(query for query in made if query is not None)
        if len(kept) < len(query_set.queries):
            return
        evidence = query_set.evidence and translate_query(query_set.evidence, table, target, known, MAX_TERMS)
        first = query_set.queries[0]
        there = sum(bool(table.of(term, source, target)) for term in first.terms)
        note = f"searched in {target} too: {there} of {len(first)} terms translated from {source}"
        yield replace(
            query_set,
            language=target,
            queries=kept,
            notes=(*query_set.notes, note),
            translated_from=source,
            evidence=evidence,
        )

    def translate_words(self, own: QuerySet) -> Iterator[QuerySet]:
        """The queries of a text translated into every other language of the index that the table knows."""
        for target in known_languages(self.index):
            if target != own.language and self._sources((own.language,), target):
                yield from self.translate(own, target)

    def take_query(self, query: Query) -> QuerySet:
        """A query as it is given, in its own language or in that of the settings."""
        language = self.settings.language
        if language == ALL_LANGUAGES:
            raise UsageError(f"the terms of a query are in one language: name it, or leave {spell('language')} out")
        main = next(iter(known_languages(self.index)), UNKNOWN)
        chosen = language if language is not None else query.language or main
        taken = replace(query, language=chosen)
        # A user who gives terms means a search with these terms, unless a ranking is given with them.
        by_evidence = self.settings.evidence is not None and not isinstance(self.settings.ranking, Implied)
        evidence = first_terms(taken, MAX_TERMS) if by_evidence else None
        return QuerySet(chosen, (taken,), length=sum(query.counts) or len(query), evidence=evidence)

    def query_text(self, text: str) -> Iterator[QuerySet]:
        """The terms of a text with their frequencies: in its language, or in every language of the index."""
        index, language = self.index, self.settings.language
        notes: tuple[str, ...] = ()
        languages: tuple[str, ...] = (language,) if language is not None else ()
        if language is None or language == ALL_LANGUAGES:
            choice = choose_text_language(index, text)
            others = known_languages(index) if language == ALL_LANGUAGES else ()
            languages = tuple(dict.fromkeys((choice.searched, *others)))
            if choice.detected and choice.detected not in index.languages:
                written = Query.from_terms(count_terms(index.analyzer(choice.detected).terms(text)), choice.detected)
                if translated := [*self.translate_words(QuerySet(choice.detected, (written,), length=len(written)))]:
                    yield from translated
                    return
            if choice.detected and choice.detected not in languages and choice.detected not in index.languages:
                detected = f"the text appears to be in {choice.detected}, which no document is in"
                notes = (f"{detected}; searched in {join_languages(languages, ' + ')}",)
        terms = {each: index.analyzer(each).terms(text) for each in languages}
        if not any(terms.values()):
            raise _no_word(text)
        made = {
            each: self.query_words(Query.from_terms(count_terms(own), each), notes)
            for each, own in terms.items()
            if own
        }
        main = [made[each] for each in languages[:1] if each in made]
        if self.settings.language == ALL_LANGUAGES:
            made |= {each.language: each for query_set in main for each in self.translate_words(query_set)}
        yield from made.values()

    def query_expression(self) -> Iterator[QuerySet]:
        """The words of the expression as a query in each language, for a search without a topic."""
        if self.settings.where is None:
            raise UsageError("there is nothing to search for: give a topic, or an expression in `where`")
        node = parse_expression(self.settings.where, self.settings.sets)
        languages, notes = self.expression_languages(node)
        for code in languages:
            words = expression_words(node, code)
            terms = [*filter(None, map(self.index.analyzer(code).term, words))]
            yield QuerySet(code, (Query.from_terms(count_terms(terms), code, "expression"),), notes, length=len(terms))

    def expression_languages(self, node: Node) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The languages that an expression is read in, and what to tell the user of it.

        Those that it names; for its other words the one of the settings, else the one in whose texts most of them
        occur as they are written.
        """
        every, language = known_languages(self.index) or (UNKNOWN,), self.settings.language
        named = [code for part in node.walk() if isinstance(part, InLanguage) for code in part.languages]
        words = [*islice(dict.fromkeys(words_of_any_language(node)), MAX_WORDS)]
        if language == ALL_LANGUAGES or not (words or named):
            return every, ()
        if language is not None:
            return tuple(dict.fromkeys((language, *named))), ()
        if not words or len(every) == 1:
            return tuple(dict.fromkeys((*named, *(every if words else ())))), ()
        occurring = {code: sum(self._occurs(word, code) for word in words) for code in every}
        main = max(every, key=occurring.__getitem__)
        note = (
            f"the words are read in {main}, as most of them occur there; name another language with "
            f"{spell('language')}, or before a word, as in {every[1]}:, or choose {spell('language', ALL_LANGUAGES)}"
        )
        return tuple(dict.fromkeys((main, *named))), (note,)

    def _occurs(self, word: Word | Truncation, language: str) -> bool:
        """Whether a text in a language has a word as it is written; without positions, in any form."""
        exact = Truncation(word.text) if isinstance(word, Word) and self.index.settings["positions"] else word
        condition = NamedCondition(WHERE, InLanguage((language,), exact))
        return self.index.select(Filters(others=(condition,))).coverage(()).passed > 0

    def query_words(self, query: Query, notes: tuple[str, ...]) -> QuerySet:
        """The terms of a text with their frequencies; a ranking by evidence weighs them by how topical they are."""
        length = int(query.weights.sum())
        if self.settings.evidence is None:
            return QuerySet(query.language, (query,), notes, length=length)
        counts = tuple(map(int, query.weights.tolist()))
        frequencies = self.index.statistics(query.language).frequencies(list(query.terms))
        topical = replace(query, weights=np.sqrt(query.weights) * topicality(frequencies), counts=counts)
        taken = first_terms(topical, MAX_TERMS)
        queries = (query,) if self.settings.describes_search else (first_terms(taken, default_terms(query.language)),)
        return QuerySet(query.language, queries, notes, length=length, evidence=taken)

    def with_feedback(self, query_set: QuerySet) -> QuerySet:
        settings = self.settings
        if not settings.relevant and not settings.irrelevant:
            return query_set

        def move(query: Query, terms: int | None) -> Query:
            return feedback(query, self.index, settings.relevant, settings.irrelevant, terms=terms)

        evidence = query_set.evidence and move(query_set.evidence, MAX_TERMS)
        if evidence is not None and not settings.describes_search:
            queries: tuple[Query, ...] = (first_terms(evidence, default_terms(query_set.language)),)
        else:
            queries = tuple(move(query, settings.terms) for query in query_set.queries)
        return replace(query_set, queries=queries, evidence=evidence, moved=True)

    def with_words(self, query_set: QuerySet) -> QuerySet:
        """The queries with the words that are searched with besides the topic."""
        words = self.settings.add_words
        if words is None:
            return query_set
        counts = count_terms(self.index.analyzer(query_set.language).terms(words))
        if not counts and self.settings.language != ALL_LANGUAGES:
            raise _no_word(words)
        df = self.index.statistics(query_set.language).frequencies(list(counts)).documents.tolist()
        queries = tuple(add_terms(query, counts, df) for query in query_set.queries)
        evidence = query_set.evidence and _put_first(add_terms(query_set.evidence, counts, df), query_set.evidence)
        if evidence is not None and not self.settings.describes_search:
            queries = (first_terms(evidence, default_terms(query_set.language)),)
        return replace(query_set, queries=queries, evidence=evidence)

    def with_edits(self, query_set: QuerySet, weights: WeightEdits) -> QuerySet:
        """The queries with weights that a person changed."""
        return replace(
            query_set,
            queries=tuple(edit_query(self.index, query, weights) for query in query_set.queries),
            evidence=query_set.evidence and edit_query(self.index, query_set.evidence, weights),
        )


def _no_word(text: str) -> UsageError:
    return UsageError(f"there is no word to search for in {printable(text)!r}; give words that say what it is about")


def _put_first(query: Query, topic: Query) -> Query:
    """A query with the terms that were added to those of a topic before the others, which keep their order."""
    place = {term: at for at, term in enumerate(topic.terms)}
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    heavier = {term for term, weight in zip(topic.terms, topic.weights.tolist(), strict=True) if weights[term] > weight}
    order = sorted(weights, key=lambda term: (term in place and term not in heavier, place.get(term, -1), term))
    return with_terms(query, {term: weights[term] for term in order}, {})
