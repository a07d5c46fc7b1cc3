"""How often each document of an index is retrieved by many queries, for every query method and ranking model.

The queries of a topic are built once for all ranking models, except by methods that examine the documents of a first
search, whose queries depend on the model.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import prior_art
from antecede.engine import Capability, number_of, open_index, require
from antecede.errors import AntecedeError, UsageError, reason_of
from antecede.models import MODELS, parse_model
from antecede.parallel import AHEAD, map_in_order, process_pool
from antecede.patent import Patent
from antecede.patent.offices import publication_year
from antecede.query.methods import METHODS, parse_method
from antecede.query.query import Query, count_terms
from antecede.ranges import COUNT, DOCUMENTS, THREADS, Range
from antecede.results import concise_repr
from antecede.search.batch import Answer
from antecede.search.hits import Ranking, fuse_languages
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.arrays import Floats, Ints
    from antecede.conditions.filters import Filters
    from antecede.engine import Engine
    from antecede.query.material import Material, Ranked


CUTOFFS = (10, 50, 100)
WORDS = "words"
"""The name of short queries in place of a query method."""
CLASS_LENGTH = 3
"""Characters of an IPC code that make up a class: H04."""
GRAVITY = Range(0, 100)


@dataclass(frozen=True, eq=False)
class RetrievalCounts:
    """How often S systems retrieve each of D documents within C cut-offs."""

    __repr__ = concise_repr

    systems: tuple[tuple[str, str], ...]
    """The query method and the ranking model of each system."""
    cutoffs: tuple[int, ...]
    """Ascending."""
    weights: Floats
    """float64[S, C, D]: r(d), the number of queries that retrieve the document, or the sum of 1 / rank^gravity."""
    doc_ids: tuple[str, ...]
    attributes: Mapping[str, tuple[str | None, ...]]
    """What is known of each document: `class`, `year` and `language`."""
    lengths: Ints
    """The number of tokens of each document."""
    queries: Ints
    """int64[S]: the number of queries of each system."""
    topics: int
    gravity: float = 0.0
    failed: Mapping[str, int] = field(default_factory=dict)
    """Queries that could not be made or searched, with the number of them, by reason."""
    judged: tuple[tuple[str, str], ...] = ()
    """The J pairs of topic and relevant document, if judgements were given."""
    ranks: Ints | None = None
    """int64[S, J]: the rank of each such document within the largest cut-off; 0 if it is not there."""


@dataclass(frozen=True)
class TopicHits:
    """What the queries of one topic retrieve."""

    topic_id: str
    found: dict[int, Ints]
    """By system: the numbers of the documents, best first."""
    failed: tuple[str, ...] = ()
    """Why there is no query, for each system without one."""


def count_retrievals(
    index: Engine,
    topics: Iterable[Patent | Answer | Query | str] | None = None,
    settings: SearchSettings | None = None,
    *,
    methods: Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    cutoffs: Sequence[int] = CUTOFFS,
    gravity: float = 0.0,
    sample: int | None = 1000,
    words: int = 0,
    seed: int = 0,
    judgements: Mapping[str, Iterable[str]] | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> RetrievalCounts:
    """Search with many queries and count how often each document is retrieved.

    Args:
        index: The index, from `open_index`.
        topics: What to search for: patents, texts or queries. By default queries are generated: documents of the index
            are searched with as if they were new patents, each without itself and its family.
        settings: The search settings; methods and models replace those of the settings.
        methods: The query methods; all of them by default. Texts, queries and short queries have none.
        models: The ranking models; all of them by default.
        cutoffs: The ranks down to which a document counts as retrieved.
        gravity: β of the gravity score 1 / rank^β; with 0, every retrieved document counts 1.
        sample: How many documents queries are generated from, drawn at random; None for all.
        words: Generate short queries instead, of this many words from each sampled document.
        seed: Random seed of the sample and of the words.
        judgements: By topic, the documents that are relevant to it, whose ranks are reported.
        workers: The number of processes. With more than one, a script needs the usual guard,
            `if __name__ == "__main__"`.
        progress: Called with (done, total).
    """
    for name, value, allowed in (("workers", workers, THREADS), ("sample", sample, COUNT)):
        if value is not None:
            allowed.check(value, name)
    GRAVITY.check(gravity, "gravity")
    counter = RetrievalCounter(
        index, settings or SearchSettings(before="off"), (WORDS,) if words else methods, models, cutoffs
    )
    if topics is None:
        random = np.random.default_rng(seed)
        chosen = _sample_documents(index, sample, random)
        topics = _short_queries(index, chosen, words, random) if words else index.records(chosen.tolist())
    all_topics = list(topics)
    if not all_topics:
        raise UsageError("there is no topic to search with; give at least one")
    tally = RetrievalTally(counter, gravity, judgements or {})
    for done, hits in enumerate(_search_topics(counter, all_topics, min(workers, len(all_topics))), 1):
        tally.add(hits)
        if progress is not None:
            progress(done, len(all_topics))
    return tally.counts()


def _search_topics(
    counter: RetrievalCounter, topics: Sequence[Patent | Answer | Query | str], workers: int
) -> Iterator[TopicHits]:
    """What each topic retrieves, in the order of the topics, with several processes if wanted.

    Half of the work is not done by compiled code, so that threads would wait for each other.
    """
    if workers > 1:
        require(counter.index, Capability.PROCESSES)
    plan = (
        counter.index.where,
        counter.index.state,
        counter.settings,
        counter.methods,
        counter.models,
        counter.cutoffs,
    )
    with process_pool(workers) as pool:
        if pool is None:
            yield from map(counter.search_topic, topics)
        else:
            yield from map_in_order(partial(_search_in_worker, plan), topics, pool, AHEAD * workers)


def _search_in_worker(plan: tuple[Any, ...], topic: Patent | Answer | Query | str) -> TopicHits:
    return _open_counter(*plan).search_topic(topic)


@lru_cache(maxsize=1)
def _open_counter(folder: str, state: str, *how: Any) -> RetrievalCounter:
    """The counter of a worker process."""
    index = open_index(folder)
    if index.state != state:
        raise UsageError("the index changed while it was opened; try again")
    return RetrievalCounter(index, *how)


class RetrievalCounter:
    """Searches for topics with every method and model; may be used from several threads."""

    def __init__(
        self,
        index: Engine,
        settings: SearchSettings,
        methods: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        cutoffs: Sequence[int] = CUTOFFS,
    ) -> None:
        self.index, self.settings = index, settings
        short = methods is not None and tuple(methods) == (WORDS,)
        named = () if short else tuple(dict.fromkeys(str(parse_method(each)) for each in methods or METHODS))
        self.methods = named or (WORDS,)
        self.models = tuple(dict.fromkeys(str(parse_model(each)) for each in models or MODELS))
        self.cutoffs = tuple(sorted({*cutoffs}))
        if not self.cutoffs:
            raise UsageError("no cut-off is given; name at least one")
        for cutoff in self.cutoffs:
            DOCUMENTS.check(cutoff, "cut-off")
        given = replace(settings, k=self.cutoffs[-1], ranking="classic", method=named or settings.method)
        self.rankers = [Ranker(index, replace(given, model=model)) for model in self.models]

    @property
    def systems(self) -> tuple[tuple[str, str], ...]:
        return tuple((method, model) for method in self.methods for model in self.models)

    def search_topic(self, topic: Patent | Answer | Query | str) -> TopicHits:
        """What each system retrieves for a topic, or why it retrieves nothing."""
        if isinstance(topic, Answer):
            return TopicHits(topic.topic_id, {}, (topic.failed or "",) * len(self.systems))
        if not isinstance(topic, Patent):
            return self.search_words(topic)
        retrieved: dict[int, Ints] = {}
        failed: list[str] = []
        filters = self.rankers[0].filters(topic)
        number = len(self.models)
        for m, queries in enumerate(self.build_queries(topic)):
            if isinstance(queries, str):
                failed += [queries] * number
            else:
                retrieved |= enumerate(self.search_all(queries, filters), m * number)
        return TopicHits(topic.doc_id, retrieved, tuple(failed))

    def search_words(self, topic: Query | str) -> TopicHits:
        """What a query or a text retrieves: the same for every method, since there is nothing to choose from."""
        name = (topic.topic if isinstance(topic, Query) else topic) or ""
        try:
            queries = [query for query_set in self.rankers[0].query_sets(topic) for query in query_set.queries]
        except AntecedeError as error:
            return TopicHits(name, {}, (reason_of(error),) * len(self.systems))
        numbers = self.search_all([queries] * len(self.models), self.rankers[0].filters(None))
        return TopicHits(name, dict(enumerate(numbers * len(self.methods))))

    def search_all(self, queries: Sequence[Sequence[Query]], filters: Filters) -> list[Ints]:
        """The documents that each model retrieves with its queries, one per language."""
        documents = []
        for ranker, own in zip(self.rankers, queries, strict=True):
            hits = [ranker.search(query, self.cutoffs[-1], filters) for query in own]
            rankings = [Ranking.of(own_hits, self.index) for own_hits in hits]
            documents.append(fuse_languages(rankings, self.cutoffs[-1]).numbers)
        return documents

    def build_queries(self, patent: Patent) -> Iterator[list[list[Query]] | str]:
        """For each method the queries for each model, one per language; or why there is none."""
        first = self.rankers[0]
        settings = first.settings
        filters = replace(prior_art(patent, settings.before), undated=settings.undated)
        try:
            materials = [
                first.maker.material(first.maker.topic(patent, settings.fields, language, settings.from_claim), filters)
                for language in first.languages_for(patent)[0]
            ]
        except AntecedeError as error:
            why = reason_of(error)
            yield from (why for _ in self.methods)
            return
        for method in self.methods:
            try:
                yield self.build_by_method(method, materials, filters)
            except AntecedeError as error:
                yield reason_of(error)

    def build_by_method(self, method: str, materials: Sequence[Material], filters: Filters) -> list[list[Query]]:
        """The queries for each model: the same ones, unless the method searched before it weighted terms."""
        by_model: list[list[Query]] = []
        searched: list[Query] = []
        for ranker in self.rankers:

            def first_search(query: Query, k: int, ranker: Ranker = ranker) -> Ranked:
                searched.append(query)
                return ranker.search(query, k, filters)

            own = [replace(material, search=first_search, notes=[]) for material in materials]
            how: dict[str, Any] = {"terms": ranker.settings.terms, "weights": ranker.settings.weights}
            by_model.append([ranker.maker.make_from(material, method, **how).query for material in own])
            if not searched:
                return by_model * len(self.rankers)
        return by_model


def _sample_documents(index: Engine, sample: int | None, random: np.random.Generator) -> Ints:
    numbers = index.all_numbers()
    if sample is not None and sample < len(numbers):
        return numbers[np.sort(random.choice(len(numbers), sample, replace=False))]
    return numbers


def _short_queries(index: Engine, numbers: Ints, words: int, random: np.random.Generator) -> Iterator[Query]:
    """One query per document: distinct terms of it, drawn in proportion to n(t)·log(N/df) (Azzopardi et al., 2007).

    A document with fewer terms gives a shorter query; one without text gives none.
    """
    COUNT.check(words, "words")
    language = index.languages[0] if index.languages else ""
    statistics = index.statistics(language)
    numbers = numbers[index.lengths(numbers, language, assumed=False) > 0]
    for number, name in zip(numbers.tolist(), index.names(numbers), strict=True):
        vector = index.vectors(np.array([number]), language, assumed=False)
        terms = [vector.vocabulary[place] for place in vector.terms.tolist()]
        df = statistics.frequencies(terms).documents
        worth = vector.counts * np.log(statistics.documents / np.maximum(df, 1))
        usable = np.flatnonzero(worth > 0)
        if not len(usable):
            continue
        share = worth[usable] / worth[usable].sum()
        drawn = sorted(random.choice(usable, min(words, len(usable)), replace=False, p=share).tolist())
        yield Query.from_terms(count_terms([terms[at] for at in drawn]), language, WORDS, topic=name)


class RetrievalTally:
    def __init__(self, counter: RetrievalCounter, gravity: float, relevant: Mapping[str, Iterable[str]]) -> None:
        self.counter, self.gravity = counter, gravity
        shape = (len(counter.systems), len(counter.cutoffs), counter.index.size)
        self.weights = np.zeros(shape)
        self.worth = np.arange(1.0, counter.cutoffs[-1] + 1) ** -gravity
        self.queries = np.zeros(len(counter.systems), np.int64)
        self.failed: Counter[str] = Counter()
        self.topics = 0
        self.relevant = {topic: tuple(dict.fromkeys(documents)) for topic, documents in relevant.items()}
        self.judged: list[tuple[str, str]] = []
        self.ranks: list[Ints] = []

    def add(self, hits: TopicHits) -> None:
        self.topics += 1
        bounds = (0, *self.counter.cutoffs)
        for system, documents in hits.found.items():
            self.queries[system] += 1
            for at, (begin, end) in enumerate(pairwise(bounds)):
                part = documents[begin:end]  # each document is there once, so that no index occurs twice
                self.weights[system, at, part] += self.worth[begin : begin + len(part)]
        self.failed.update(hits.failed)
        for doc_id in self.relevant.get(hits.topic_id, ()):
            number = number_of(self.counter.index, doc_id)
            ranks = np.zeros(len(self.counter.systems), np.int64)
            for system, documents in hits.found.items():
                places = np.flatnonzero(documents == (-1 if number is None else number))
                ranks[system] = places[0] + 1 if len(places) else 0
            self.judged.append((hits.topic_id, doc_id))
            self.ranks.append(ranks)

    def counts(self) -> RetrievalCounts:
        counter = self.counter
        live = counter.index.all_numbers()
        facts = describe_documents(counter.index)
        return RetrievalCounts(
            systems=counter.systems,
            cutoffs=counter.cutoffs,
            weights=np.ascontiguousarray(np.cumsum(self.weights, axis=1)[:, :, live]),
            doc_ids=tuple(facts.pop("doc_id")),
            attributes={name: tuple(facts[name]) for name in ("class", "year", "language")},
            lengths=np.array(facts["length"], np.int64),
            queries=self.queries,
            topics=self.topics,
            gravity=self.gravity,
            failed=dict(self.failed),
            judged=tuple(self.judged),
            ranks=np.stack(self.ranks, axis=1) if self.ranks else None,
        )


def describe_documents(index: Engine) -> dict[str, list[Any]]:
    """For each document that was not replaced: doc_id, class, year, language and length."""
    facts: dict[str, list[Any]] = {name: [] for name in ("doc_id", "class", "year", "language", "length")}
    numbers = index.all_numbers()
    lengths = np.zeros(len(numbers), np.int64)
    for language in index.languages:
        lengths += np.maximum(index.lengths(numbers, language, assumed=False), 0)
    facts["length"] = lengths.tolist()
    facts["doc_id"] = index.names(numbers)
    columns = index.columns(numbers, "language", "published", "day", "patent_number", "ipc")
    for language, published, day, patent_number, ipc in columns:
        dated = published or day
        year = dated[:4] if dated else publication_year(str(patent_number)) if patent_number else None
        facts["class"].append(ipc[:CLASS_LENGTH] if ipc else None)
        facts["year"].append(str(year) if year is not None else None)
        facts["language"].append(language or None)
    return facts
