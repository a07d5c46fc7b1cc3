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
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.fusion import DEFAULT_FUSION
from antecede.index.filters import AUTO, Filters, day_before, prior_art
from antecede.index.matrix import UNKNOWN
from antecede.patent import Patent
from antecede.query.feedback import feedback
from antecede.query.query import Query, add_terms, count_terms, edit_query
from antecede.query.query_maker import DEFAULT_METHOD, BuiltQuery, QueryMaker, default_terms, first_terms
from antecede.query.topic import choose_text_language, join_languages, known_languages, languages_of
from antecede.ranking.evidence import MOST_TERMS, RankingTask
from antecede.ranking.evidence_ranking import POOL, rank_by_evidence
from antecede.ranking.weights import AUTO as AUTO_RANKING
from antecede.ranking.weights import resolve_weights
from antecede.results import concise_repr
from antecede.search.boosts import boost_classes, mentioned_documents, rank_cited_first
from antecede.search.coverage import Coverage, measure_coverage
from antecede.search.cross_language import translate_queries, translations_for
from antecede.search.fusion import Place, fuse, fuse_languages
from antecede.search.hits import join_certificates, join_work
from antecede.search.lexical import LexicalSearch, ScoredHits
from antecede.search.searcher import searcher_for
from antecede.search.settings import ALL_LANGUAGES, Implied, SearchSettings, accept_settings
from antecede.search.text_conditions import TextCondition

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.index import Index
    from antecede.query.query import QueryEdits, WeightEdits
    from antecede.ranking.evidence_ranking import EvidenceRanking
    from antecede.ranking.weights import Weights
    from antecede.search.hits import Hits
    from antecede.search.searcher import Searcher


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


@dataclass(frozen=True, eq=False)
class LanguageRanking:
    """The ranking of a topic in one language."""

    query_set: QuerySet
    rankings: tuple[Hits, ...]
    """The hits of each query."""
    hits: Hits
    """The rankings fused and boosted, with the documents that the topic names first."""
    cited: int = 0
    """How many documents are ranked first because the topic names them."""
    evidence: EvidenceRanking | None = None
    """What each feature contributes, where documents are ranked by evidence."""
    notes: tuple[str, ...] = ()
    """What a user should know, one line each."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The ranking of a topic."""

    __repr__ = concise_repr

    topic: Patent | None
    """The patent that the search is about, if it is about one."""
    topic_id: str | None
    filters: Filters
    languages: tuple[LanguageRanking, ...]
    places: tuple[Place, ...]
    """Where each document was found, best first."""
    notes: tuple[str, ...] = ()
    """Notes for the user, one per line."""
    milliseconds: tuple[float, float] = (0.0, 0.0)
    """Processor time for building the queries and for searching."""

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def doc_ids(self) -> tuple[str, ...]:
        """The documents, best first."""
        return tuple(self.languages[each.language].hits.doc_ids[each.rank - 1] for each in self.places)

    @property
    def scores(self) -> tuple[float, ...]:
        """Their scores."""
        return tuple(each.score for each in self.places)

    @property
    def feature_milliseconds(self) -> dict[str, float]:
        """Processor time by feature of a ranking by evidence, all languages together."""
        found: dict[str, float] = {}
        for each in self.languages:
            for name, spent in each.evidence.pool.milliseconds.items() if each.evidence is not None else ():
                found[name] = found.get(name, 0.0) + spent
        return found

    @property
    def certificate(self) -> dict[str, Any] | None:
        """How it is known that searches on a cluster found the best documents; None on one machine."""
        hits = (each for found in self.languages for each in found.rankings)
        return join_certificates(each.certificate for each in hits if each.certificate is not None)

    @property
    def work(self) -> dict[str, Any] | None:
        """What the searches in large segments computed and skipped; None where no segment is large."""
        hits = (each for found in self.languages for each in found.rankings)
        return join_work(work for each in hits for work in each.work)

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries that were searched."""
        return tuple(query for each in self.languages for query in each.query_set.queries)


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

    def rank(self, topic: Patent | Query | str, edits: QueryEdits | None = None) -> Ranking:
        """The ranking of one topic; `edits` replace weights of the terms of its queries, by language."""
        started = time.thread_time()
        patent = self.patent_of(topic)
        query_sets = self.build_queries(topic, edits)
        queried = time.thread_time()
        filters = self.filters(patent)
        found = tuple(self.rank_in_language(each, patent, filters) for each in query_sets)
        notes = [note for part in (query_sets, found) for each in part for note in each.notes]
        notes += [*approximation_notes(found, self.settings.model), *self.index.notes]
        return Ranking(
            topic=patent,
            topic_id=patent.doc_id if patent is not None else query_sets[0].queries[0].topic,
            filters=filters,
            languages=found,
            places=tuple(fuse_languages([each.hits for each in found], self.settings.k, self.scales(query_sets))),
            notes=tuple(dict.fromkeys(notes)),
            milliseconds=(1000 * (queried - started), 1000 * (time.thread_time() - queried)),
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
                each, weights = self.with_edits(each, weights), {term: 0.0 for term in weights if not weights[term]}
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

    def with_edits(self, query_set: QuerySet, weights: WeightEdits) -> QuerySet:
        """The queries with weights that a person changed."""
        return replace(
            query_set,
            queries=tuple(edit_query(self.index, query, weights) for query in query_set.queries),
            evidence=query_set.evidence and edit_query(self.index, query_set.evidence, weights),
        )

    # From queries to a ranking

    def rank_in_language(self, query_set: QuerySet, patent: Patent | None, filters: Filters) -> LanguageRanking:
        """The ranking of a topic in one language."""
        settings = self.settings
        evidence: EvidenceRanking | None = None
        notes: tuple[str, ...] = ()
        if query_set.evidence is None:
            rankings, hits = self.search_classic(query_set.queries, settings.k, filters)
        else:
            evidence, rankings = self.rank_evidence(query_set, query_set.evidence, patent, filters)
            hits = evidence_hits(evidence, rankings[0])
            notes = tuple(absence_notes(evidence, patent, explicit=settings.evidence != AUTO_RANKING))
        hits = boost_classes(hits, patent.ipc if patent is not None else (), settings.ipc_boost)
        cited = 0
        if settings.cited and patent is not None:
            mentioned = mentioned_documents(patent, self.index)
            hits, cited = rank_cited_first(hits, mentioned, self.index, query_set.language, filters)
        return LanguageRanking(query_set, rankings, hits, cited, evidence, notes)

    def search_classic(self, queries: tuple[Query, ...], k: int, filters: Filters) -> tuple[tuple[Hits, ...], Hits]:
        """What each query finds with the model of the settings, and these rankings fused."""
        rankings = tuple(self.searcher.search(query, k, filters) for query in queries)
        hits = fuse(self.settings.fusion or DEFAULT_FUSION, rankings, k) if len(rankings) > 1 else rankings[0]
        return rankings, hits

    def weights(self, language: str) -> Weights:
        """The weights of the features that rank the documents of a language."""
        given = self.settings.evidence or AUTO_RANKING
        return resolve_weights(given, self.index, language, search_given=self.settings.describes_search)

    def rank_evidence(
        self, query_set: QuerySet, terms: Query, patent: Patent | None, filters: Filters
    ) -> tuple[EvidenceRanking, tuple[Hits, ...]]:
        """The ranking of a topic by the evidence of features, and what its queries find."""
        settings, size = self.settings, max(POOL, self.settings.k)
        rankings: list[Hits] = []

        def classic() -> ScoredHits:
            if len(query_set.queries) > 1:
                found, hits = self.search_classic(query_set.queries, size, filters)
                rankings.extend(found)
                return ScoredHits(hits, ())
            return lexical.search(query_set.queries[0], size, filters, settings.model)

        lexical = LexicalSearch(self.searcher)
        task = RankingTask(self.index, lexical, terms, patent, filters, size, classic, settings.relevant)
        evidence = rank_by_evidence(task, self.weights(query_set.language), settings.k)
        if not rankings:
            first = query_set.queries[0]
            rankings.append(lexical.found.get(first.terms) or self.searcher.search(first, 1, filters))
        return evidence, tuple(rankings)

    def search_coverage(self, ranking: Ranking) -> Coverage:
        """How many documents of the index were searched, and how many not because of their language."""
        return self.coverage(tuple(dict.fromkeys(each.query_set.language for each in ranking.languages)))


def approximation_notes(found: Sequence[LanguageRanking], model: str) -> Iterator[str]:
    """That a ranking is approximate, where one is."""
    for certificate in (each.certificate for part in found for each in part.rankings):
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


def evidence_hits(evidence: EvidenceRanking, found: Hits) -> Hits:
    """A ranking by evidence as hits; `found` is what a search of the same language found."""
    candidates = evidence.candidates
    return replace(found, scores=evidence.scores, places=candidates.places, documents=candidates.documents)


def absence_notes(evidence: EvidenceRanking, patent: Patent | None, *, explicit: bool) -> Iterator[str]:
    """Which features could not be computed; by default only what a patent lacks, not what no topic of the index has."""
    if not evidence.retrieves:
        yield "no feature of the ranking finds documents: those of the classic search are ranked"
    who = f"topic {shown(patent.doc_id)}: " if patent is not None else ""
    for name, each in evidence.pool.absent.items():
        if explicit or (patent is not None and not each.for_every_topic):
            yield f"{who}{name} is not part of the ranking: {each.why}"


@accept_settings
def rank(index: Index, topic: Patent | Query | str, settings: SearchSettings | None = None) -> Ranking:
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
