"""The one way from a topic to a ranking: `rank(index, topic, settings)`.

A topic is a patent, a text or a query that a person edited. For each language it is searched in: each method makes a
query, relevance feedback moves it, it is searched with, the rankings of the methods are fused; or, unless the settings
describe such a search, the documents are ranked by the evidence of several features (`ranking`). Documents in the
topic's classes are moved up, documents that the topic names are ranked first. Then the languages are fused; a language
that the topic has no text in is searched with a query that a table of translations gives. `search` shows one ranking,
`run` maps over topics, an experiment over settings and topics.
"""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any

from antecede.conditions.fields import SETTINGS as FACTS
from antecede.conditions.filters import (
    AUTO,
    MUST,
    MUST_NOT,
    Filters,
    NamedCondition,
    condition_on,
    day_before,
    limit_field,
    prior_art,
    read_conditions,
)
from antecede.conditions.parser import parse_expression, phrase_of
from antecede.conditions.tree import Not
from antecede.engine import number_of, read_record
from antecede.errors import InputError, printable, require_type, warn_caller
from antecede.fusion import DEFAULT_FUSION
from antecede.models import parse_model
from antecede.parallel import time_limited
from antecede.patent import Patent
from antecede.query.query import Query
from antecede.query.query_maker import BuiltQuery
from antecede.ranking.evidence import RankingTask
from antecede.ranking.evidence_ranking import POOL, rank_by_evidence
from antecede.ranking.weights import AUTO as AUTO_RANKING
from antecede.ranking.weights import resolve_weights
from antecede.search.citations import boost_classes, mentioned_documents, rank_cited_first, rank_others_last
from antecede.search.hits import Ranking, fuse, fuse_languages
from antecede.search.query_sets import QueryBuilder, QuerySet
from antecede.search.results import SearchResult
from antecede.search.settings import ALL_LANGUAGES, SearchSettings, accept_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from typing_extensions import Unpack

    from antecede.engine import Engine, Hits
    from antecede.query.query import QueryEdits
    from antecede.ranking.weights import Weights
    from antecede.search.settings import GivenSettings


class Ranker(QueryBuilder):
    """Ranks topics with the same settings; may be used from several threads.

    Args:
        index: The index, from `open_index`.
        settings: The search settings; the defaults if None.
    """

    def __init__(self, index: Engine, settings: SearchSettings | None = None) -> None:
        settings = SearchSettings() if settings is None else settings
        require_type(settings, SearchSettings, "settings", "SearchSettings or left out")
        super().__init__(index, settings)
        parse_model(settings.model)
        self.conditions = _conditions_of(index, settings)
        self.coverage = lru_cache(maxsize=64)(lambda languages: index.select(Filters()).coverage(languages))

    def rank(self, topic: Patent | Query | str | None, edits: QueryEdits | None = None) -> SearchResult:
        """The ranking of one topic; `edits` replace weights of the terms of its queries, by language.

        Without a topic, the documents that meet the expression of the settings are ranked by its words.
        """
        kinds = (Patent, Query, str, NoneType)
        require_type(topic, kinds, "topic", "a patent, a query (from make_query) or a text")
        with time_limited(self.settings.time_limit):
            return self._rank(topic, edits)

    def _rank(self, topic: Patent | Query | str | None, edits: QueryEdits | None) -> SearchResult:
        started = time.thread_time()
        patent = topic if isinstance(topic, Patent) else None
        if isinstance(topic, Query) and topic.topic is not None:
            number = number_of(self.index, topic.topic)
            patent = read_record(self.index, number) if number is not None else None
        query_sets = self.build_queries(topic, edits)
        queried = time.thread_time()
        filters = self.filters(patent, [query_set.language for query_set in query_sets])
        languages = tuple(self.rank_in_language(query_set, patent, filters) for query_set in query_sets)
        if topic is None:
            languages = tuple(rank_others_last(hits, filters, self.settings.k) for hits in languages)
        merged = fuse_languages(languages, self.settings.k, [*map(self.scale_of, query_sets)])
        notes = [
            *(note for query_set in query_sets for note in query_set.notes),
            *(note for hits in languages for note in self.evidence_notes(hits, patent)),
            *(note for hits in languages for note in self.approximation_notes(hits)),
            *self.index.notes,
        ]
        spent = 1000 * (queried - started), 1000 * (time.thread_time() - queried)
        return SearchResult(
            self, topic, patent, filters, query_sets, languages, merged, tuple(dict.fromkeys(notes)), spent
        )

    def filters(self, patent: Patent | None, languages: Sequence[str] = ()) -> Filters:
        """The filters of a search: prior art in the given classes and offices, without marked documents.

        Words of conditions are read in the languages that are searched; in every one if none is given, or if the
        settings choose all.
        """
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
            without=tuple(without),
            others=read_conditions(self.conditions, () if settings.language == ALL_LANGUAGES else languages),
        )

    def scale_of(self, query_set: QuerySet) -> float | None:
        """How many documents of the topic's language there are for one of the language that it was translated into.

        Ranks are scaled by it in fusion: the best of a few documents is not as good as the best of many.
        """
        if query_set.translated_from is None:
            return None
        count = self.index.documents_in
        return max(1.0, count(query_set.translated_from) / max(count(query_set.language), 1))

    def rank_in_language(self, query_set: QuerySet, patent: Patent | None, filters: Filters) -> Ranking:
        """The ranking of a topic in one language: fused and boosted, with the documents that the topic names first."""
        settings = self.settings
        if query_set.evidence is None:
            hits = self.search_classic(query_set.queries, settings.k, filters)
        else:
            hits = self.rank_evidence(query_set, query_set.evidence, patent, filters)
        hits = boost_classes(hits, patent.ipc if patent is not None else (), settings.ipc_boost)
        if settings.cited and patent is not None:
            hits = rank_cited_first(hits, mentioned_documents(patent, self.index), filters)
        return hits

    def search(self, query: Query, k: int, filters: Filters, model: str | None = None, **how: Any) -> Hits:
        """The k best documents that pass filters for a query, by the model of the settings unless another is given."""
        chosen, approximate = model or self.settings.model, self.settings.approximate and model is None
        return self.index.retrieve(query, k, self.index.select(filters), chosen, approximate=approximate, **how)

    def search_classic(self, queries: tuple[Query, ...], k: int, filters: Filters) -> Ranking:
        """What the queries find with the model of the settings, fused where there are several."""
        rankings = tuple(self.search(query, k, filters) for query in queries)
        hits = (
            fuse(self.index, self.settings.fusion or DEFAULT_FUSION, rankings, k) if len(rankings) > 1 else rankings[0]
        )
        return Ranking.of(hits, self.index, by_query=rankings, models=(self.settings.model,) * len(rankings))

    def weights(self, query_set: QuerySet) -> Weights:
        """The weights of the features that rank the documents of a language."""
        given, described = self.settings.evidence or AUTO_RANKING, self.settings.describes_search
        return resolve_weights(given, self.index, query_set.language, length=query_set.length, search_given=described)

    def rank_evidence(self, query_set: QuerySet, terms: Query, patent: Patent | None, filters: Filters) -> Ranking:
        settings, size = self.settings, max(POOL, self.settings.k)
        by_query: list[Hits] = []
        searched: list[
            tuple[Hits, str]
        ] = []  # by features; words that the first hits share with the topic explain them

        def search(query: Query, k: int, model: str) -> Hits:
            # A feature with the model of the search itself shares its impacts, and what is accepted of them.
            is_own = parse_model(model) == parse_model(settings.model)
            hits = self.search(query, k, filters, None if is_own else model, keep_scores=True)
            searched.append((replace(hits, score_of=None), model))
            return hits

        def classic() -> Hits:
            if len(query_set.queries) > 1:
                hits = self.search_classic(query_set.queries, size, filters)
                by_query.extend(hits.by_query)
                return hits
            return search(query_set.queries[0], size, settings.model)

        task = RankingTask(self.index, search, terms, patent, filters, size, classic, settings.relevant)
        evidence = rank_by_evidence(task, self.weights(query_set), settings.k)
        models = (settings.model,) * len(by_query)
        if not by_query:
            hits, model = searched[0] if searched else (self.search(query_set.queries[0], 1, filters), settings.model)
            by_query, models = [hits], (model,)
        return replace(
            Ranking.of(by_query[0], self.index, by_query=tuple(by_query), models=models, evidence=evidence),
            scores=evidence.scores,
            numbers=evidence.candidates.numbers,
            score_of=None,
        )

    def approximation_notes(self, hits: Ranking) -> Iterator[str]:
        """That a ranking is approximate, where it is."""
        for certificate in (own.certificate for own in hits.by_query):
            if certificate is not None and not certificate.exact:
                best = f"the {certificate.candidates} best documents by bm25"
                yield f"approximate: only {best} were ranked by {self.settings.model}"

    def evidence_notes(self, hits: Ranking, patent: Patent | None) -> Iterator[str]:
        """Which features could not be computed; by default only what a patent lacks, not what no topic has."""
        if hits.evidence is None:
            return
        if not hits.evidence.retrieves:
            yield "no feature of the ranking finds documents: those of the classic search are ranked"
        who = f"topic {printable(patent.doc_id)}: " if patent is not None else ""
        explicit = self.settings.evidence != AUTO_RANKING
        for name, absent in hits.evidence.pool.absent.items():
            if explicit or (patent is not None and not absent.for_every_topic):
                yield f"{who}{name} is not part of the ranking: {absent.why}"


def _conditions_of(index: Engine, settings: SearchSettings) -> tuple[NamedCondition, ...]:
    """The conditions that the settings of a search put on facts and texts."""
    where = settings.where
    return (
        *(limit_field(field.name, values) for name, field in FACTS.items() if (values := getattr(settings, name))),
        *([condition_on(index, parse_expression(where, settings.sets))] if where is not None else []),
        *(condition_on(index, phrase_of(words), MUST) for words in settings.must),
        *(condition_on(index, Not(phrase_of(words)), MUST_NOT) for words in settings.must_not),
    )


@accept_settings
def rank(
    index: Engine, topic: Patent | Query | str, settings: SearchSettings | None = None, **_given: Unpack[GivenSettings]
) -> SearchResult:
    """Rank the documents of an index for a topic. For many topics, use a `Ranker`.

    Args:
        index: The index, from `open_index`.
        topic: A patent, a query, or a text.
        settings: Search settings together; each may also be given as a keyword argument.
    """
    return Ranker(index, settings).rank(topic)


@accept_settings
def make_query(
    patent: Patent, index: Engine, settings: SearchSettings | None = None, **_given: Unpack[GivenSettings]
) -> Query:
    """Convert a patent to a query with a query method.

    If a field without text is replaced by another, a warning says so. For many topics, use a `Ranker`.

    Args:
        patent: The patent.
        index: The index that will be searched; it provides the term statistics.
        settings: Search settings together; each may also be given as a keyword argument.
    """
    built = build_query(index, patent, settings or SearchSettings())
    for note in built.notes:
        warn_caller(note)
    return built.query


def build_query(index: Engine, patent: Patent, settings: SearchSettings) -> BuiltQuery:
    """The query of the first method of the settings, with notes on its making.

    With a language that the topic has no text in, or a table of translations in the settings, it is translated.
    """
    ranker = Ranker(index, settings)
    own, translated = ranker.languages_for(patent)
    if translated and (not own or settings.translation is not None or settings.dictionary is not None):
        source, target = translated[0]
        for query_set in ranker.translate_patent(patent, source, target):
            return BuiltQuery(query_set.queries[0], query_set.fields, query_set.unmatched, query_set.notes)
        raise InputError(f"no term of it is translated from {source} to {target}", topic_id=patent.doc_id)
    if settings.language == ALL_LANGUAGES and own:
        settings = replace(settings, language=own[0])
    topic = ranker.maker.topic(patent, settings.fields, settings.language, settings.from_claim)
    return ranker.maker.make(
        topic,
        settings.method[0],
        terms=settings.terms,
        weights=settings.weights,
        filters=prior_art(patent, settings.before),
    )
