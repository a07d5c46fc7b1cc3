"""Judged topics and their readings: simulated, and what estimators and stopping rules are calibrated and judged on.

Topics come from an index that is searched, or from a run that somebody made. A topic is read to the end of its list, in
the order of its ranking or as feedback changes it. What the ranking does not have cannot be read; `total` counts it, so
that recall is that of the topic and not of the list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from antecede.engine import Capability, number_of, read_record, require
from antecede.errors import AntecedeError, InputError, UnusableIndexError, UsageError, printable
from antecede.operations import Help, Seed
from antecede.ranges import COUNT, RELEVANCE
from antecede.results import concise_repr
from antecede.review.active_learning import ActiveLearner
from antecede.review.reading import ACTIVE, FEEDBACK, ONE_SHOT, STATIC, Reading, find_batch
from antecede.review.vectors import texts_of_patent, vectors_of_index
from antecede.trec import read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.corpus.topics import Origin
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.review.reading import Bools, Feedback, Ints
    from antecede.review.vectors import DocumentVectors
    from antecede.search import SearchSettings
    from antecede.search.batch import Answer


Grade = Annotated[int, RELEVANCE, Help("The lowest relevance that counts as relevant.")]
PAGE = 10
"""Documents of a page: one-shot feedback comes after the first page with a relevant document."""


# A topic, and how it is read


@dataclass(frozen=True, eq=False)
class ReviewTopic:
    """A judged topic to be read."""

    __repr__ = concise_repr

    topic_id: str
    order: Ints
    """The documents that can be read, as rows of a collection, in the order of the first ranking."""
    relevant: Bools
    """Which of them are relevant, in the same order."""
    missing: int = 0
    """Relevant documents that cannot be read, since the ranking does not have them."""
    excluded: int = 0
    """Relevant documents that the filters of the search exclude, and that are not counted as relevant therefore."""
    learner: Callable[[], ActiveLearner] | None = None
    """Makes the learner for active learning; None where there are no vectors."""
    rerank: Callable[[Ints, Ints], Ints] | None = None
    """The rows of another ranking, given those that are relevant and those that are not; for one-shot feedback."""

    @property
    def total(self) -> int:
        return int(self.relevant.sum()) + self.missing


def read_static(topic: ReviewTopic) -> Ints:
    """Read in the order of the first ranking."""
    return np.arange(len(topic.order))


def read_one_shot(topic: ReviewTopic) -> Ints:
    """Read pages of ten until something relevant is found, change the query once by Rocchio's feedback, and read on."""
    if topic.rerank is None:
        raise UsageError("one-shot feedback searches again; give an index")
    whole = np.arange(len(topic.order))
    first = whole[: (int(np.argmax(topic.relevant)) // PAGE + 1) * PAGE]
    if len(first) == len(whole):
        return whole
    good, bad = first[topic.relevant[first]], first[~topic.relevant[first]]
    places = _places(topic)
    rows = topic.rerank(topic.order[good], topic.order[bad])
    then = places[rows[rows < len(places)]]
    then = then[then >= len(first)]
    return np.concatenate((first, then, np.setdiff1d(whole, np.concatenate((first, then)))))


def read_active(topic: ReviewTopic) -> Ints:
    """Read batches that active learning chooses, until every relevant document is found."""
    if topic.learner is None:
        raise UsageError("active learning compares documents by their vectors; give an index")
    learner, places = topic.learner(), _places(topic)
    read = np.zeros(0, np.int64)
    wanted = int(topic.relevant.sum())
    while int(topic.relevant[read].sum()) < wanted:
        hit = topic.relevant[read]
        order, _ = learner.rank_rows(topic.order[read[hit]], topic.order[read[~hit]])
        read = np.concatenate((read, places[order[: find_batch(len(read))[1] - len(read)]]))
    return read


def _places(topic: ReviewTopic) -> Ints:
    """The position of each row in the order; -1 for one that cannot be read."""
    places = np.full(int(topic.order.max(initial=-1)) + 1, -1)
    places[topic.order] = np.arange(len(topic.order))
    return places


READERS: dict[str, Callable[[ReviewTopic], Ints]] = {STATIC: read_static, ONE_SHOT: read_one_shot, ACTIVE: read_active}
"""Each gives the positions in `order` of the documents that are read, in reading order."""


# Topics of an index or of a run


class JudgedTopics:
    """Topics to be read, each made when its turn comes; one whose making raises an error is left out."""

    def __init__(self, topics: Sequence[str], make: Callable[[str], ReviewTopic]) -> None:
        self.topics, self.make = topics, make
        self.skipped: dict[str, list[str]] = {}
        """Topics that were left out so far, by reason."""

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[ReviewTopic]:
        self.skipped.clear()
        for topic_id in self.topics:
            try:
                topic = self.make(topic_id)
            except UnusableIndexError:
                raise
            except AntecedeError as error:
                self.skipped.setdefault(str(error), []).append(topic_id)
            else:
                yield topic


def relevant_documents(qrels: object, rel: int = 1) -> dict[str, set[str]]:
    """Topic → its relevant documents; a topic without one is included."""
    found: dict[str, set[str]] = {}
    for topic, doc_id, relevance in read_qrels(qrels).to_polars().iter_rows():
        documents = found.setdefault(topic, set())
        if relevance >= rel:
            documents.add(doc_id)
    return found


def topics_from_run(
    run: object,
    qrels: object,
    *,
    rel: Grade = 1,
    fewest: Annotated[int, COUNT, Help("The fewest relevant documents of a topic.")] = 1,
    index: Engine | None = None,
    seed: Seed = 0,
) -> JudgedTopics:
    """The topics of a run: what it ranks can be read; relevant documents that it does not have are never found.

    Grades from `rel` on count as relevant; topics with fewer than `fewest` relevant documents are left out. The index
    contains the documents, for active learning.
    """
    ranked: dict[str, tuple[list[str], list[float]]] = {}
    for topic, doc_id, _, score in read_run(run).to_polars().iter_rows():
        names, scores = ranked.setdefault(topic, ([], []))
        names.append(doc_id)
        scores.append(score)
    judged = relevant_documents(qrels, rel)

    def make(topic_id: str) -> ReviewTopic:
        relevant = judged[topic_id]
        _check_number(relevant, fewest)
        if topic_id not in ranked:
            raise InputError("the run does not have them")
        names, scores = ranked[topic_id]
        flags = np.array([name in relevant for name in names], np.bool_)
        prior = np.array(scores, np.float64)

        def make_learner(index: Engine) -> ActiveLearner:
            vectors, number = vectors_of_index(index, names), number_of(index, topic_id)
            row = None  # unless the index has the topic itself
            if number is not None:
                row = vectors.of_texts(texts_of_patent(index, read_record(index, number)))
            return ActiveLearner(vectors, prior, topic=row, seed=seed)

        learner = None if index is None else partial(make_learner, index)
        missing = len(relevant) - int(flags.sum())
        return ReviewTopic(topic_id, np.arange(len(names)), flags, missing, learner=learner)

    return JudgedTopics([*judged], make)


def _check_number(relevant: set[str], fewest: int) -> None:
    if len(relevant) < fewest:
        raise InputError("no document is relevant" if not relevant else f"fewer than {fewest} documents are relevant")


class IndexTopics:
    """Makes topics from searches of an index: vectors, which active learning needs, are decoded once.

    Each topic is ranked when it is asked for. k of the settings is the number of documents of the index.
    """

    def __init__(
        self,
        index: Engine,
        settings: SearchSettings | None = None,
        *,
        seed: int = 0,
        vectors: bool = True,
    ) -> None:
        from antecede.search import Ranker, SearchSettings

        self.index, self.seed = index, seed
        self.settings = replace(settings or SearchSettings(), k=max(index.documents, 1))
        self.ranker = Ranker(index, self.settings)
        require(index, Capability.WALK)
        self.names = sorted(index.names(index.all_numbers()))
        self.rows = {name: at for at, name in enumerate(self.names)}
        self.vectors = vectors_of_index(index, self.names) if vectors else None

    def topic(self, patent: Patent, relevant: Iterable[str]) -> ReviewTopic:
        """A topic, ranked: first what the search finds, then every other document that passes its filters."""
        from antecede.search import Ranker

        ranking = self.ranker.rank(patent)
        found = [*ranking.doc_ids]
        others = sorted(self.index.select(ranking.filters).names(found, len(self.names)))
        order = np.array([self.rows[name] for name in (*found, *others)], np.int64)
        wanted = [self.find(name) for name in {*relevant}]
        flags = np.isin(order, [row for row in wanted if row is not None])

        def rerank(good: Ints, bad: Ints) -> Ints:
            again = replace(
                self.settings,
                relevant=tuple(self.names[at] for at in good.tolist()),
                irrelevant=tuple(self.names[at] for at in bad.tolist()),
            )
            try:
                names = Ranker(self.index, again).rank(patent).doc_ids
            except InputError:  # the marked documents leave no term
                return np.zeros(0, np.int64)
            return np.array([self.rows[name] for name in names], np.int64)

        def make_learner(vectors: DocumentVectors) -> ActiveLearner:
            prior = np.full(len(self.names), np.nan)
            prior[order[: len(found)]] = ranking.scores
            row = vectors.of_texts(texts_of_patent(self.index, patent))
            return ActiveLearner(vectors, prior, topic=row, among=order, seed=self.seed)

        if not flags.any():
            raise InputError("the filters of the search exclude every relevant document")
        missing = wanted.count(None)
        excluded = len(wanted) - missing - int(flags.sum())
        learner = None if self.vectors is None else partial(make_learner, self.vectors)
        return ReviewTopic(patent.doc_id, order, flags, missing, excluded, learner, rerank)

    def find(self, name: str) -> int | None:
        """The row of a document of the index, given by its name in any customary form."""
        if name not in self.rows and (number := number_of(self.index, name)) is not None:
            name = self.index.names(np.array([number]))[0]
        return self.rows.get(name)


def topics_from_index(
    index: Engine,
    topics: Iterable[Patent | Answer],
    qrels: object,
    settings: SearchSettings | None = None,
    *,
    rel: int = 1,
    fewest: int = 1,
    seed: int = 0,
    vectors: bool = True,
) -> JudgedTopics:
    """Topics, from `read_topics`, that are searched for in an index.

    All documents that pass the filters of the search can be read. Grades from `rel` on count as relevant; topics with
    fewer than `fewest` relevant documents are left out. Active learning needs vectors.
    """
    from antecede.patent import Patent

    judged = relevant_documents(qrels, rel)
    given = {each.doc_id if isinstance(each, Patent) else each.topic_id: each for each in topics}
    maker = IndexTopics(index, settings, seed=seed, vectors=vectors)

    def make(topic_id: str) -> ReviewTopic:
        patent = given[topic_id]
        if not isinstance(patent, Patent):
            raise InputError(patent.failed or "nothing was found")
        if topic_id not in judged:
            raise InputError("they are not judged")
        _check_number(judged[topic_id], fewest)
        return maker.topic(patent, judged[topic_id])

    return JudgedTopics([*given], make)


# Readings whose answers are known


@dataclass(frozen=True, eq=False)
class JudgedReading:
    """A list read to its end, and how many relevant documents there are in all."""

    __repr__ = concise_repr

    topic_id: str
    reading: Reading
    total: int
    """The relevant documents, in the list or not."""

    def depth_of(self, needed: int) -> int:
        """How many documents are read when so many relevant ones are found; all where the list has fewer."""
        finds = self.reading.finds
        return int(finds[needed - 1]) if 0 < needed <= len(finds) else self.reading.documents


@dataclass(frozen=True, eq=False)
class JudgedReadings:
    """The readings of the topics of one ranking, and what was left out."""

    __repr__ = concise_repr

    readings: tuple[JudgedReading, ...]
    dropped: Mapping[str, int]
    """Topics that are not read, by reason."""

    def __len__(self) -> int:
        return len(self.readings)


def read_judged(qrels: object, run: object, *, rel: int = 1) -> JudgedReadings:
    """The readings that a run is, by its qrels, in the order of the topics in the qrels.

    Args:
        qrels: A file, a frame or a dictionary of judgements.
        run: A file, a frame or a dictionary of rankings.
        rel: The lowest grade that counts as relevant.

    >>> import antecede as ac
    >>> judged = ac.review.read_judged({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 3.0, "b": 2.0, "x": 1.0}})
    >>> judged.readings[0].reading.finds.tolist(), judged.readings[0].total
    ([1], 2)
    """
    return read_to_the_end(topics_from_run(run, qrels, rel=rel))


def read_to_the_end(
    topics: JudgedTopics, feedback: str = STATIC, progress: Callable[[int, int], None] | None = None
) -> JudgedReadings:
    """Read every topic to the end of its list, with one kind of feedback."""
    readings: list[JudgedReading] = []
    for topic in topics:
        readings.append(read_whole(topic, feedback))
        if progress is not None:
            progress(len(readings), len(topics))
    dropped = {reason: len(names) for reason, names in topics.skipped.items()}
    if not readings:
        why = f" ({next(iter(dropped))})" if dropped else ""
        raise InputError(f"none of {len(topics)} topics can be read{why}")
    return JudgedReadings(tuple(readings), dropped)


def read_whole(topic: ReviewTopic, feedback: str) -> JudgedReading:
    """Read a topic to the end of its list; once all is found, every further document is a miss, whatever the order."""
    relevant = np.zeros(len(topic.order), np.bool_)
    if topic.relevant.any():
        read = topic.relevant[READERS[feedback](topic)]
        relevant[: len(read)] = read
    return JudgedReading(topic.topic_id, Reading(relevant, max(len(relevant), 1)), topic.total)


# What a calibration is made from


def calibration_readings(
    source: str,
    topics: str | None,
    qrels: str | None,
    settings: SearchSettings | None = None,
    *,
    feedback: Annotated[Feedback, Help("The kind of feedback.")] = STATIC,
    citations: Annotated[Origin, Help("Citations from the fields, numbers in the description, or both.")] = "fields",
    most: Annotated[int, COUNT, Help("The maximum number of topics, drawn at random.")] = 300,
    rel: Grade = 1,
    seed: Seed = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[JudgedReadings, str]:
    """The readings to calibrate on, the earliest topic first, and the ranking in words.

    The source is the folder of an index or a file of judgements. With an index, the topics have judgements; by default
    they are patents of the index that cite others of it. With judgements, `topics` is the run. Of more than `most`
    topics, so many are drawn at random.
    """
    if feedback not in FEEDBACK:
        raise UsageError(f"{printable(feedback)!r} is not a kind of feedback; choose {', '.join(FEEDBACK)}")
    if Path(source).is_dir():
        from antecede.engine import open_index
        from antecede.learning import collect_topics

        index = open_index(source)
        given = collect_topics(index, topics, qrels, citations=citations, most=most, seed=seed)
        ordered = sorted(given.patents, key=lambda patent: (patent.date or date.min, patent.doc_id))
        patents = {patent.doc_id: patent for patent in ordered}
        maker = IndexTopics(index, settings, seed=seed, vectors=feedback == ACTIVE)
        wanted = JudgedTopics([*patents], lambda topic_id: maker.topic(patents[topic_id], given.relevant[topic_id]))
        return read_to_the_end(wanted, feedback, progress), f"{maker.settings.name or 'search'}, {feedback}"
    if topics is None:
        raise UsageError("judgements need a run: give RUN after QRELS, or the folder of an index alone")
    if qrels is not None:
        raise UsageError("give either INDEX TOPICS QRELS or QRELS RUN")
    if feedback != STATIC:
        raise UsageError(f"a run is read in its own order; feedback {feedback} needs an index")
    judged, ranking = read_judged(source, topics, rel=rel), f"run {Path(topics).name}"
    left = len(judged) - most
    if left <= 0:
        return judged, ranking
    chosen = np.sort(np.random.default_rng(seed).choice(len(judged), most, replace=False))
    drawn = tuple(judged.readings[at] for at in chosen.tolist())
    return JudgedReadings(drawn, {**judged.dropped, "not drawn": left}), ranking
