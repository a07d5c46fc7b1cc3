"""The one way from a topic to a ranking: `rank(index, topic, settings)`.

A topic is a patent, a text or a query that a person edited. For each language it is searched in: each method makes a
query, relevance feedback moves it, it is searched with, the rankings of the methods are fused; or, unless the settings
describe such a search, the documents are ranked by the evidence of several features (`ranking`). Documents in the
topic's classes are moved up, documents that the topic names are ranked first. Then the languages are fused. `search`
shows one ranking, `run` maps over topics, an experiment over settings and topics.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.fusion import DEFAULT_FUSION
from antecede.index.assumed_language import UNKNOWN
from antecede.index.filters import AUTO, Filters, day_before, prior_art
from antecede.patent import Patent
from antecede.query.edits import edit_query, left_out
from antecede.query.feedback import feedback
from antecede.query.query import Query, add_terms, count_terms
from antecede.query.query_maker import DEFAULT_METHOD, BuiltQuery, QueryMaker, default_terms, first_terms
from antecede.query.text_language import choose_text_language, known_languages
from antecede.query.topic import join_languages, languages_of
from antecede.ranking.defaults import resolve_weights
from antecede.ranking.evidence import MOST_TERMS, Task
from antecede.ranking.evidence_ranking import POOL, rank_by_evidence
from antecede.ranking.weights import AUTO as AUTO_RANKING
from antecede.search.boosts import boost_classes, mentioned_documents, rank_cited_first
from antecede.search.coverage import measure_coverage
from antecede.search.cross_language import translate_queries, translations_for
from antecede.search.fusion import fuse, fuse_languages
from antecede.search.models import CollectionFacts, Postings, parse_model
from antecede.search.results import SearchResult
from antecede.search.searcher import further_searcher, searcher_for
from antecede.search.settings import ALL_LANGUAGES, Implied, SearchSettings, accept_settings
from antecede.search.text_conditions import TextCondition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.statistics import Frequencies
    from antecede.query.edits import QueryEdits, TermWeights
    from antecede.ranking.vectors import Matches
    from antecede.ranking.weights import Weights
    from antecede.search.hits import Hits
    from antecede.search.searcher import Searcher

_model_of = lru_cache(maxsize=64)(parse_model)


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
    evidence: Query | None = None
    """The terms for the features of a ranking by evidence, more than a query has; None for the classic search."""


class LexicalSearch:
    """Searches for one topic with the queries of features."""

    def __init__(self, searcher: Searcher) -> None:
        """`searcher` is the one of the search itself: a feature with the same model shares its impacts."""
        self.main = searcher
        self.found: dict[tuple[str, ...], Hits] = {}
        """What the model of the search itself found, by the terms of the query."""

    def searcher(self, model: str) -> Searcher:
        """The searcher with a ranking model."""
        chosen = _model_of(model)
        return self.main if self.main.model == chosen else further_searcher(self.main.index, chosen)

    def search(self, query: Query, k: int, filters: Filters, model: str) -> Hits:
        """The best documents by a ranking model, and the scores of all."""
        searcher = self.searcher(model)
        hits = searcher.search(query, k, filters, keep_scores=True)
        if searcher is self.main:
            self.found[query.terms] = replace(hits, row_scores=())
        return hits

    def impacts(self, model: str, language: str, matches: Matches, frequencies: Frequencies) -> NDArray[np.float32]:
        """What each match is worth to a ranking model, per unit of query weight."""
        statistics = self.main.index.statistics(language)
        facts = CollectionFacts(statistics.documents, statistics.tokens, statistics.average_length)
        df, cf = (each.astype(np.float64) for each in (frequencies.documents, frequencies.occurrences))
        chosen, found = _model_of(model), np.empty(len(matches.terms), np.float32)
        for here, counts, lengths in matches.blocks():
            terms = matches.terms[here]
            found[here] = chosen.impacts(Postings(counts, lengths, df.take(terms), cf.take(terms)), facts)
        return found


class Ranker:
    """Ranks topics with the same settings; may be used from several threads.

    Args:
        index: The index, from `open_index`.
        settings: The search settings; the defaults if None.
    """

    def __init__(self, index: Index, settings: SearchSettings | None = None) -> None:
        self.index, self.settings = index, settings or SearchSettings()
        self.searcher: Searcher = searcher_for(index, self.settings.model, approximate=self.settings.approximate)
        every = self.settings.language == ALL_LANGUAGES
        self.translations = translations_for(index, self.settings.translation) if every else None
        self.maker = QueryMaker(index, self.searcher.search)
        self.conditions = (
            *(TextCondition(index, each, wanted=True) for each in self.settings.must),
            *(TextCondition(index, each, wanted=False) for each in self.settings.must_not),
        )
        self.coverage = lru_cache(maxsize=64)(lambda languages: measure_coverage(index, languages))

    def rank(self, topic: Patent | Query | str, edits: QueryEdits | None = None) -> SearchResult:
        """The ranking of one topic; `edits` replace weights of the terms of its queries, by language."""
        started = time.thread_time()
        patent = self.patent_of(topic)
        query_sets = self.build_queries(topic, edits)
        queried = time.thread_time()
        filters = self.filters(patent)
        languages = tuple(self.rank_in_language(query_set, patent, filters) for query_set in query_sets)
        places = tuple(fuse_languages(languages, self.settings.k, self.scales(query_sets)))
        notes = [
            *(note for query_set in query_sets for note in query_set.notes),
            *(note for hits in languages for note in self.evidence_notes(hits, patent)),
            *approximation_notes(languages, self.settings.model),
            *self.index.notes,
        ]
        spent = 1000 * (queried - started), 1000 * (time.thread_time() - queried)
        return SearchResult(
            self, topic, patent, filters, query_sets, languages, places, tuple(dict.fromkeys(notes)), spent
        )

    def patent_of(self, topic: Patent | Query | str) -> Patent | None:
        """The patent that a search is about; that of a query is looked up in the index."""
        if isinstance(topic, Query):
            place = self.index.find(topic.topic) if topic.topic is not None else None
            return place and place[0].store.record(place[1])
        return topic if isinstance(topic, Patent) else None

    def filters(self, patent: Patent | None) -> Filters:
        """The filters of a search: prior art in the given classes and offices, without marked documents."""
        settings = self.settings
        if patent is not None:
            filters = prior_art(patent, settings.before)
        else:
            filters = Filters(before=None if settings.before == AUTO else day_before(settings.before))
        without = dict.fromkeys((*filters.without, *settings.relevant, *settings.irrelevant))
        return replace(
            filters,
            after=day_before(settings.after),
            undated=settings.undated,
            ipc=settings.ipc,
            cpc=settings.cpc,
            applicants=settings.applicant,
            inventors=settings.inventor,
            countries=settings.country,
            languages=settings.document_language,
            without=tuple(without),
            conditions=self.conditions,
        )

    # From a topic to queries

    def build_queries(self, topic: Patent | Query | str, edits: QueryEdits | None = None) -> list[QuerySet]:
        """The queries of a topic, one set per language, after feedback, further words and edits.

        Feedback moves the edited query, whose weights are on the scale of the method; terms left out stay out.
        """
        moved = bool(self.settings.relevant or self.settings.irrelevant)
        found = []
        for each in self.query_sets(topic):
            weights = (edits or {}).get(each.language, {})
            if moved and weights:
                each, weights = self.with_edits(each, weights), dict.fromkeys(left_out(weights), 0.0)
            changed = self.with_words(self.with_feedback(each))
            found.append(self.with_edits(changed, weights) if weights else changed)
        return found

    def query_sets(self, topic: Patent | Query | str) -> Iterator[QuerySet]:
        """The queries of a topic, in its own language or in each of several."""
        if isinstance(topic, Patent):
            found = [self.query_patent(topic, language) for language in self.languages_for(topic)]
            yield from found
            yield from self.translate(found)
        elif isinstance(topic, Query):
            yield self.take_query(topic)
        else:
            yield from self.query_text(topic)

    def languages_for(self, patent: Patent) -> tuple[str | None, ...]:
        """The languages to search for a patent; None for the best one."""
        if self.settings.language != ALL_LANGUAGES:
            return (self.settings.language,)
        there = languages_of(patent)
        found = tuple(each for each in there if each in self.index.languages and each != UNKNOWN)
        if not found and UNKNOWN in there:
            return (None,)
        if not found:
            what = f"is in {join_languages(there)}, the index has {join_languages(self.index.languages)}"
            raise InputError(what, topic_id=patent.doc_id)
        return found

    def query_patent(self, patent: Patent, language: str | None) -> QuerySet:
        """The queries that the methods make of a patent."""
        settings = self.settings
        filters = replace(prior_art(patent, settings.before), undated=settings.undated)
        topic = self.maker.topic(patent, settings.fields, language)
        built, evidence = [], None
        if settings.evidence is not None:
            most = self.maker.make(topic, DEFAULT_METHOD, terms=MOST_TERMS, filters=filters)
            evidence = most.query
            if not settings.describes_search:  # a shorter query is a prefix of a longer one
                built = [replace(most, query=first_terms(evidence, default_terms(topic.language)))]
        built = built or [
            self.maker.make(topic, method, terms=settings.terms, weights=settings.weights, filters=filters)
            for method in settings.method
        ]
        notes = dict.fromkeys(note for each in built for note in each.notes)
        queries = tuple(each.query for each in built)
        return QuerySet(topic.language, queries, tuple(notes), built[0].unmatched, evidence=evidence)

    def translate(self, found: Sequence[QuerySet]) -> Iterator[QuerySet]:
        """The queries translated into the languages of the index that none of them is in."""
        if self.translations is not None and found[0].language != UNKNOWN:
            searched = [each.language for each in found]
            translated = translate_queries(
                self.index, self.translations, found[0].queries, searched, self.settings.terms
            )
            for language, queries, note in translated:
                yield QuerySet(language, queries, (note,), translated_from=found[0].language)

    def scales(self, query_sets: Sequence[QuerySet]) -> list[float]:
        """How many documents of the topic's language there are for one of each language that it was translated into.

        Ranks are scaled by it in fusion. The best of a few documents is not as good as the best of many, and the topic
        has no text of its own there to compare them by.
        """
        count = self.index.documents_in
        return [
            max(1.0, count(each.translated_from) / count(each.language)) if each.translated_from is not None else 1.0
            for each in query_sets
        ]

    def take_query(self, query: Query) -> QuerySet:
        """A query as it is given, in its own language or in that of the settings."""
        language = self.settings.language
        if language == ALL_LANGUAGES:
            raise UsageError("the terms of a query are in one language: name it, or leave --language out")
        main = next(iter(known_languages(self.index)), UNKNOWN)
        chosen = language if language is not None else query.language or main
        taken = replace(query, language=chosen)
        # Whoever gives the terms means a search with these terms, unless a ranking is given with them.
        by_evidence = self.settings.evidence is not None and not isinstance(self.settings.ranking, Implied)
        return QuerySet(chosen, (taken,), evidence=first_terms(taken, MOST_TERMS) if by_evidence else None)

    def query_text(self, text: str) -> Iterator[QuerySet]:
        """The terms of a text with their frequencies: in its language, or in every language of the index."""
        index, language = self.index, self.settings.language
        notes: tuple[str, ...] = ()
        languages: tuple[str, ...] = (language,) if language is not None else ()
        if language is None or language == ALL_LANGUAGES:
            found = choose_text_language(index, text)
            others = known_languages(index) if language == ALL_LANGUAGES else ()
            languages = tuple(dict.fromkeys((found.searched, *others)))
            if found.detected and found.detected not in languages and found.detected not in index.languages:
                searched = join_languages(languages, " + ")
                notes = (
                    f"the text appears to be in {found.detected}, which no document is in; searched in {searched}",
                )
        terms = {each: index.analyzer(each).terms(text) for each in languages}
        if not any(terms.values()):
            raise UsageError(f"there is no word to search for in {shown(text)!r}; give words that say what it is about")
        made = {
            each: self.query_words(Query.from_terms(count_terms(terms[each]), each), notes)
            for each in languages
            if terms[each]
        }
        main = [made[each] for each in languages[:1] if each in made]
        made |= {each.language: each for each in (self.translate(main) if main else ())}
        yield from made.values()

    def query_words(self, query: Query, notes: tuple[str, ...]) -> QuerySet:
        """The terms of a text with their frequencies; in a ranking by evidence they weigh their square roots."""
        if self.settings.evidence is None:
            return QuerySet(query.language, (query,), notes)
        counts = tuple(map(int, query.weights.tolist()))
        rooted = replace(query, weights=np.sqrt(query.weights), counts=counts)
        taken = first_terms(rooted, MOST_TERMS)
        queries = (query,) if self.settings.describes_search else (first_terms(taken, default_terms(query.language)),)
        return QuerySet(query.language, queries, notes, evidence=taken)

    def with_feedback(self, query_set: QuerySet) -> QuerySet:
        """The queries modified by relevance feedback."""
        settings = self.settings
        if not settings.relevant and not settings.irrelevant:
            return query_set

        def move(query: Query, terms: int | None) -> Query:
            return feedback(query, self.index, settings.relevant, settings.irrelevant, terms=terms)

        evidence = query_set.evidence and move(query_set.evidence, MOST_TERMS)
        if evidence is not None and not settings.describes_search:
            queries: tuple[Query, ...] = (first_terms(evidence, default_terms(query_set.language)),)
        else:
            queries = tuple(move(query, settings.terms) for query in query_set.queries)
        return replace(query_set, queries=queries, evidence=evidence)

    def with_words(self, query_set: QuerySet) -> QuerySet:
        """The queries with the words that are searched with besides the topic."""
        words = self.settings.with_words
        if words is None:
            return query_set
        counts = count_terms(self.index.analyzer(query_set.language).terms(words))
        if not counts and self.settings.language != ALL_LANGUAGES:
            raise UsageError(
                f"there is no word to search for in {shown(words)!r}; give words that say what it is about"
            )
        df = self.index.statistics(query_set.language).frequencies(list(counts)).documents.tolist()
        queries = tuple(add_terms(query, counts, df) for query in query_set.queries)
        evidence = query_set.evidence and put_first(add_terms(query_set.evidence, counts, df), query_set.evidence)
        if evidence is not None and not self.settings.describes_search:
            queries = (first_terms(evidence, default_terms(query_set.language)),)
        return replace(query_set, queries=queries, evidence=evidence)

    def with_edits(self, query_set: QuerySet, weights: TermWeights) -> QuerySet:
        """The queries with weights that a person changed."""
        return replace(
            query_set,
            queries=tuple(edit_query(self.index, query, weights) for query in query_set.queries),
            evidence=query_set.evidence and edit_query(self.index, query_set.evidence, weights),
        )

    # From queries to a ranking

    def rank_in_language(self, query_set: QuerySet, patent: Patent | None, filters: Filters) -> Hits:
        """The ranking of a topic in one language: fused and boosted, with the documents that the topic names first."""
        settings = self.settings
        if query_set.evidence is None:
            hits = self.search_classic(query_set.queries, settings.k, filters)
        else:
            hits = self.rank_evidence(query_set, query_set.evidence, patent, filters)
        hits = boost_classes(hits, patent.ipc if patent is not None else (), settings.ipc_boost)
        if settings.cited and patent is not None:
            mentioned = mentioned_documents(patent, self.index)
            hits = rank_cited_first(hits, mentioned, self.index, query_set.language, filters)
        return hits

    def search_classic(self, queries: tuple[Query, ...], k: int, filters: Filters) -> Hits:
        """What the queries find with the model of the settings, fused where there are several."""
        found = tuple(self.searcher.search(query, k, filters) for query in queries)
        hits = fuse(self.settings.fusion or DEFAULT_FUSION, found, k) if len(found) > 1 else found[0]
        return replace(hits, by_query=found)

    def weights(self, language: str) -> Weights:
        """The weights of the features that rank the documents of a language."""
        given = self.settings.evidence or AUTO_RANKING
        return resolve_weights(given, self.index, language, search_given=self.settings.describes_search)

    def rank_evidence(self, query_set: QuerySet, terms: Query, patent: Patent | None, filters: Filters) -> Hits:
        """The ranking of a topic by the evidence of features."""
        settings, size = self.settings, max(POOL, self.settings.k)
        by_query: list[Hits] = []

        def classic() -> Hits:
            if len(query_set.queries) > 1:
                hits = self.search_classic(query_set.queries, size, filters)
                by_query.extend(hits.by_query)
                return hits
            return lexical.search(query_set.queries[0], size, filters, settings.model)

        lexical = LexicalSearch(self.searcher)
        task = Task(self.index, lexical, terms, patent, filters, size, classic, settings.relevant)
        evidence = rank_by_evidence(task, self.weights(query_set.language), settings.k)
        if not by_query:
            first = query_set.queries[0]
            by_query.append(lexical.found.get(first.terms) or self.searcher.search(first, 1, filters))
        candidates = evidence.candidates
        return replace(
            by_query[0],
            scores=evidence.scores,
            places=candidates.places,
            documents=candidates.documents,
            by_query=tuple(by_query),
            evidence=evidence,
        )

    def evidence_notes(self, hits: Hits, patent: Patent | None) -> Iterator[str]:
        """Which features could not be computed; by default only what a patent lacks, not what no topic has."""
        if hits.evidence is None:
            return
        if not hits.evidence.retrieves:
            yield "no feature of the ranking finds documents: those of the classic search are ranked"
        who = f"topic {shown(patent.doc_id)}: " if patent is not None else ""
        explicit = self.settings.evidence != AUTO_RANKING
        for name, absent in hits.evidence.pool.absent.items():
            if explicit or (patent is not None and not absent.for_every_topic):
                yield f"{who}{name} is not part of the ranking: {absent.why}"


def approximation_notes(languages: Sequence[Hits], model: str) -> Iterator[str]:
    """That a ranking is approximate, where one is."""
    for certificate in (hits.certificate for each in languages for hits in each.by_query):
        if certificate is not None and not certificate.exact:
            yield f"approximate: only the {certificate.candidates} best documents by bm25 were ranked by {model}"


def put_first(query: Query, topic: Query) -> Query:
    """A query with the terms that were added to those of a topic before the others, which keep their order."""
    place = {term: at for at, term in enumerate(topic.terms)}
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    heavier = {term for term, weight in zip(topic.terms, topic.weights.tolist(), strict=True) if weights[term] > weight}
    order = sorted(weights, key=lambda term: (term in place and term not in heavier, place.get(term, -1), term))
    at = [query.terms.index(term) for term in order]
    return replace(
        query,
        terms=tuple(order),
        weights=query.weights[at],
        counts=tuple(query.counts[each] for each in at) if query.counts else (),
        df=tuple(query.df[each] for each in at) if query.df else (),
    )


@accept_settings
def rank(index: Index, topic: Patent | Query | str, settings: SearchSettings | None = None) -> SearchResult:
    """Rank the documents of an index for a topic. For many topics, use a `Ranker`.

    Args:
        index: The index, from `open_index`.
        topic: A patent, a query, or a text.
        settings: Search settings together; each may also be given as a keyword argument.
    """
    return Ranker(index, settings).rank(topic)


@accept_settings
def make_query(patent: Patent, index: Index, settings: SearchSettings | None = None) -> Query:
    """Convert a patent to a query with a query method.

    If a field without text is replaced by another, a warning says so. For many topics, use a `Ranker`.

    Args:
        patent: The patent.
        index: The index that will be searched; it provides the term statistics.
        settings: Search settings together; each may also be given as a keyword argument.
    """
    built = build_query(index, patent, settings or SearchSettings())
    for note in built.notes:
        warnings.warn(note, stacklevel=3)
    return built.query


def build_query(index: Index, patent: Patent, settings: SearchSettings) -> BuiltQuery:
    """The query of the first method of the settings, with notes on its making."""
    ranker = Ranker(index, settings)
    topic = ranker.maker.topic(patent, settings.fields, settings.language)
    return ranker.maker.make(
        topic,
        settings.method[0],
        terms=settings.terms,
        weights=settings.weights,
        filters=prior_art(patent, settings.before),
    )
