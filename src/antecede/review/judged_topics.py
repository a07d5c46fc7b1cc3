"""Judged topics for simulated reviews: from an index that is searched, or from a run that somebody made."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import AntecedeError, InputError, UsageError
from antecede.review.active_learning import ActiveLearner
from antecede.review.feedback import ReviewTopic
from antecede.review.vectors import all_documents, texts_of_patent, vectors_of_index
from antecede.trec import read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.index.filters import Filters
    from antecede.patent import Patent
    from antecede.review.batches import LearningSettings
    from antecede.review.vectors import DocumentVectors
    from antecede.search import SearchSettings
    from antecede.search.batch import Answer
    from antecede.search.pipeline import Ranker

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


class JudgedTopics:
    """Topics to be read, each made when its turn comes; what cannot be read is counted in `skipped`.

    Args:
        topics: The ids of all topics.
        make: The topic of an id; one that raises an error is left out.
    """

    def __init__(self, topics: Sequence[str], make: Callable[[str], ReviewTopic]) -> None:
        self.topics, self.make = tuple(topics), make
        self.skipped: dict[str, list[str]] = {}
        """Topics that were left out so far, by reason."""

    def __len__(self) -> int:
        return len(self.topics)

    def __iter__(self) -> Iterator[ReviewTopic | None]:
        """Each topic; None for one that is left out."""
        self.skipped.clear()
        for topic_id in self.topics:
            try:
                yield self.make(topic_id)
            except AntecedeError as error:
                self.skipped.setdefault(str(error), []).append(topic_id)
                yield None


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
    rel: int = 1,
    fewest: int = 1,
    index: Index | None = None,
    learning: LearningSettings | None = None,
) -> JudgedTopics:
    """The topics of a run: what it ranks is what can be read.

    Relevant documents that the run does not have count as never found.

    Args:
        run: The run, in any form that `read_run` reads.
        qrels: The judgements, in any form that `read_qrels` reads.
        rel: The lowest relevance that counts as relevant.
        fewest: Topics with fewer relevant documents are left out.
        index: The index that contains the documents, for active learning.
        learning: The parameters of active learning.
    """
    found = read_run(run)
    ranked: dict[str, tuple[list[str], list[float]]] = {}
    for topic, doc_id, _, score in found.to_polars().iter_rows():
        names, scores = ranked.setdefault(topic, ([], []))
        names.append(doc_id)
        scores.append(score)
    judged = relevant_documents(qrels, rel)

    def make(topic_id: str) -> ReviewTopic:
        relevant = judged[topic_id]
        check_number(relevant, fewest)
        if topic_id not in ranked:
            raise InputError("the run does not have them")
        names, scores = ranked[topic_id]
        flags = np.array([name in relevant for name in names], np.bool_)
        missing = len(relevant) - int(flags.sum())
        topic = ReviewTopic(topic_id, np.arange(len(names)), flags, missing, scores=np.array(scores, np.float64))
        return topic if index is None else with_learner(topic, names, index, learning)

    return JudgedTopics([*judged], make)


def check_number(relevant: set[str], fewest: int) -> None:
    """Leave a topic out that has too few relevant documents."""
    if len(relevant) < fewest:
        raise InputError("no document is relevant" if not relevant else f"fewer than {fewest} documents are relevant")


def with_learner(topic: ReviewTopic, names: list[str], index: Index, learning: LearningSettings | None) -> ReviewTopic:
    """The topic of a run with vectors of its documents; the topic itself is used if the index has it."""

    def make() -> ActiveLearner:
        vectors = vectors_of_index(index, names)
        row = topic_row(vectors, index, topic.topic_id)
        return ActiveLearner(vectors, topic.scores, topic=row, settings=learning)

    return replace(topic, learner=make)


def topic_row(vectors: DocumentVectors, index: Index, topic_id: str) -> object | None:
    """The vector of a topic that is a document of the index; None for any other."""
    place = index.find(topic_id)
    if place is None:
        return None
    return vectors.of_texts(texts_of_patent(index, place[0].store.record(place[1])))


class IndexTopics:
    """Makes topics from searches of an index: vectors are decoded once, each topic is ranked when it is asked for.

    Args:
        index: The index, from `open_index`.
        settings: The search settings of the first ranking; k is the number of documents of the index.
        learning: The parameters of active learning.
        vectors: Whether vectors are needed, for active learning.
    """

    def __init__(
        self,
        index: Index,
        settings: SearchSettings | None = None,
        *,
        learning: LearningSettings | None = None,
        vectors: bool = True,
    ) -> None:
        from antecede.search import Ranker, SearchSettings

        self.index, self.learning = index, learning
        self.settings = replace(settings or SearchSettings(), k=max(index.documents, 1))
        self.ranker: Ranker = Ranker(index, self.settings)
        self.names = all_documents(index)
        self.rows = {name: at for at, name in enumerate(self.names)}
        self.vectors = vectors_of_index(index, self.names) if vectors else None
        self.places = [
            np.array([self.rows[name] for name in segment.doc_ids(live)], np.int64)
            for segment, live in ((each, np.flatnonzero(each.live).astype(np.int64)) for each in index.segments)
        ]
        """For each segment, the rows of its live documents."""

    def topic(self, patent: Patent, relevant: Iterable[str]) -> ReviewTopic:
        """A topic, ranked: first what the search finds, then every other document that passes its filters."""
        ranking = self.ranker.rank(patent)
        found = np.array([self.rows[name] for name in ranking.doc_ids], np.int64)
        allowed = self.allowed(ranking.filters)
        allowed[found] = False
        order = np.concatenate((found, np.flatnonzero(allowed)))
        scores = np.full(len(order), np.nan)
        scores[: len(found)] = ranking.scores
        wanted = {self.rows[place] for name in relevant if (place := self.find(name)) is not None}
        flags = np.isin(order, np.array(sorted(wanted), np.int64))
        total = len({*relevant})

        def rerank(good: Ints, bad: Ints) -> Ints:
            again = replace(
                self.settings,
                relevant=tuple(self.names[at] for at in good.tolist()),
                irrelevant=tuple(self.names[at] for at in bad.tolist()),
            )
            from antecede.search import Ranker

            try:
                names = Ranker(self.index, again).rank(patent).doc_ids
            except InputError:  # the marked documents leave no term
                return np.zeros(0, np.int64)
            return np.array([self.rows[name] for name in names], np.int64)

        def make() -> ActiveLearner:
            vectors = self.vectors
            if vectors is None:
                raise UsageError("active learning compares documents by their vectors")
            prior = np.full(len(self.names), np.nan)
            prior[order] = scores
            row = vectors.of_texts(texts_of_patent(self.index, patent))
            return ActiveLearner(vectors, prior, topic=row, among=order, settings=self.learning)

        if not flags.any():
            raise InputError("the filters of the search exclude every relevant document")
        missing = [name for name in relevant if self.find(name) is None]
        return ReviewTopic(
            patent.doc_id,
            order,
            flags,
            len(missing),
            total - len(missing) - int(flags.sum()),
            scores,
            make,
            rerank,
        )

    def find(self, name: str) -> str | None:
        """The name of a document in the index, given in any customary form."""
        if name in self.rows:
            return name
        place = self.index.find(name)
        return place[0].doc_ids(np.array([place[1]]))[0] if place is not None else None

    def allowed(self, filters: Filters) -> NDArray[np.bool_]:
        """Which documents pass the filters of a search."""
        found = np.zeros(len(self.names), np.bool_)
        for segment, rows in zip(self.index.segments, self.places, strict=True):
            live = np.flatnonzero(segment.live)
            mask = filters.allowed(segment)
            found[rows if mask is None else rows[mask[live]]] = True
        return found


def topics_from_index(
    index: Index,
    topics: Iterable[Patent | Answer],
    qrels: object,
    settings: SearchSettings | None = None,
    *,
    rel: int = 1,
    fewest: int = 1,
    learning: LearningSettings | None = None,
    vectors: bool = True,
) -> JudgedTopics:
    """Topics that are searched for in an index: all documents that pass the filters of the search can be read.

    Args:
        index: The index, from `open_index`.
        topics: The patents to search for, from `read_topics`.
        qrels: The judgements, in any form that `read_qrels` reads.
        settings: The search settings of the first ranking.
        rel: The lowest relevance that counts as relevant.
        fewest: Topics with fewer relevant documents are left out.
        learning: The parameters of active learning.
        vectors: Whether vectors are needed, for active learning.
    """
    from antecede.patent import Patent

    judged = relevant_documents(qrels, rel)
    given = {each.doc_id if isinstance(each, Patent) else each.topic_id: each for each in topics}
    maker = IndexTopics(index, settings, learning=learning, vectors=vectors)

    def make(topic_id: str) -> ReviewTopic:
        patent = given[topic_id]
        if not isinstance(patent, Patent):
            raise InputError(patent.failed or "nothing was found")
        if topic_id not in judged:
            raise InputError("they are not judged")
        check_number(judged[topic_id], fewest)
        return maker.topic(patent, judged[topic_id])

    return JudgedTopics([*given], make)
