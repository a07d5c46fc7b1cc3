"""What weights are learned from: topics with the features of their candidates, and which of these are relevant.

Topics need not be judged by anybody: a patent of the collection is a topic, and what it cites is relevant to it. Two
leaks would make the examples worthless, and the pool of candidates excludes both: the topic itself, whose citations are
the answer, is never among the documents whose citations are followed; and no candidate is later than the topic.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from antecede.corpus.topics import CitingPatent, citations_of, group_by_name, judge
from antecede.engine import read_record, split_values
from antecede.errors import AntecedeError, InputError, UnusableIndexError, UsageError, spell
from antecede.parallel import map_threads
from antecede.patent import Citation, Patent, PatentNumber
from antecede.query.topic import LONG_TEXT
from antecede.ranking.features import FEATURES, Feature, parse_feature
from antecede.ranking.weights import AUTO, Weights, resolve_weights
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings
from antecede.search.topics import read_topics
from antecede.trec import read_qrels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.arrays import F32, I32, Floats, Mask
    from antecede.corpus.topics import Origin
    from antecede.engine import Engine

_Value = TypeVar("_Value")

TOPICS = 500
"""Topics that are learned from by default at most."""
_COLUMNS = ("doc_id", "patent_number", "language", "published", "day", "family_id", "citations")
_BATCH_DOCUMENTS = 1000
_ON_REQUEST = ("classic", "bigrams")
"""Features that are only learned if they are named: the search of the settings, and one that reads texts, slowly."""
_SLIGHT = 1e-6
"""The weight of features that the default does not use: enough to be computed, too little to change who leads."""


@dataclass(frozen=True, eq=False)
class Example:
    """A topic with its candidates."""

    topic_id: str
    day: date | None
    """The date that determines its prior art."""
    values: F32
    """float32[candidates, features]: each feature from 0 to 1. Candidates are ordered by name."""
    relevant: Mask
    """bool[candidates]."""
    total: int
    """How many relevant documents it has, in the pool or not."""
    classic: I32
    """The ranks of the relevant documents that the classic search finds."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Topics to learn from, the earliest first."""

    features: tuple[str, ...]
    fixed: Floats
    """The weights of the features by default."""
    topics: tuple[Example, ...]
    failed: Mapping[str, int]
    """Topics that could not be used, by reason."""

    def __len__(self) -> int:
        return len(self.topics)

    def take(self, which: Iterable[int]) -> Examples:
        return replace(self, topics=tuple(self.topics[at] for at in which))

    def choose_features(self, names: Iterable[str]) -> Examples:
        """The same topics with some of the features only."""
        chosen = {*names}
        columns = [at for at, name in enumerate(self.features) if name in chosen]
        topics = tuple(replace(topic, values=np.ascontiguousarray(topic.values[:, columns])) for topic in self.topics)
        return replace(
            self, features=tuple(self.features[at] for at in columns), fixed=self.fixed[columns], topics=topics
        )

    @cached_property
    def pool_recall(self) -> float:
        """The share of relevant documents that are in the pool, mean over topics: no weights can find more."""
        return float(np.mean([np.count_nonzero(topic.relevant) / topic.total for topic in self.topics]))


def gather_examples(
    index: Engine,
    topics: Sequence[Patent],
    relevant: Mapping[str, Iterable[str]],
    *,
    features: Sequence[str] | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Examples:
    """The examples that topics make in an index. `relevant` names the relevant documents of each topic.

    `features` are those whose weights are to be learned, by default all that can be computed for one of the topics.
    A topic that cannot be searched for is counted with its reason; one none of whose relevant documents is among the
    candidates teaches nothing, but counts where weights are validated.
    """
    language = max(index.languages, key=lambda language: (index.documents_in(language), language))
    length = _typical_length(index, topics)
    default = {str(feature): weight for feature, weight in resolve_weights(AUTO, index, language, length=length).used}
    chosen = _candidate_features(features, default)
    weights = Weights(tuple((feature, default.get(str(feature), _SLIGHT)) for feature in chosen))
    ranker = Ranker(index, SearchSettings(ranking=str(weights), k=1000))
    classic = Ranker(index, SearchSettings(ranking="classic", k=1000))
    columns = {str(feature): at for at, feature in enumerate(chosen)}

    def work(topic: Patent) -> Example | str:
        try:
            return _make_example(ranker, classic, topic, {*relevant.get(topic.doc_id, ())}, columns)
        except UnusableIndexError:
            raise
        except AntecedeError as error:  # the reason without the name of the topic, so that equal ones are counted
            return str(error).partition(": ")[2] or str(error)

    made: list[Example] = []
    failed: Counter[str] = Counter()
    for number, example in enumerate(map_threads(work, topics, threads or os.cpu_count() or 1), 1):
        if isinstance(example, str):
            failed[example] += 1
        else:
            made.append(example)
        if progress is not None:
            progress(number, len(topics))
    if not made:
        why = f" ({failed.most_common(1)[0][0]})" if failed else ""
        raise InputError(f"there is nothing to learn from: no topic has a relevant document in the index{why}")
    if not any(example.relevant.any() for example in made):
        raise InputError("there is nothing to learn from: no relevant document is among the candidates of its topic")
    made.sort(key=lambda example: (example.day or date.min, example.topic_id))
    fixed = np.array([default.get(name, 0.0) for name in columns])
    examples = Examples(tuple(columns), fixed, tuple(made), dict(failed.most_common()))
    used = np.any([example.values.any(axis=0) for example in made], axis=0) | (fixed > 0)
    return examples.choose_features(name for name, kept in zip(columns, used, strict=True) if kept)


def _typical_length(index: Engine, topics: Sequence[Patent]) -> int:
    """The median number of tokens of topics, of some of them: the default weights of drafts are others."""
    builder, lengths = Ranker(index), []
    for topic in topics[:: 1 + len(topics) // 20]:
        with suppress(AntecedeError):
            lengths += [query_set.length for query_set in builder.query_sets(topic)]
    return sorted(lengths)[len(lengths) // 2] if lengths else LONG_TEXT


def _candidate_features(names: Sequence[str] | None, default: Mapping[str, float]) -> list[Feature]:
    if names is not None:
        return [*map(parse_feature, names)]
    known = {feature.definition.name: feature for feature in map(parse_feature, default)}
    every = [known.get(name) or Feature(definition) for name, definition in FEATURES.items()]
    return [feature for feature in every if feature.definition.name not in _ON_REQUEST]


def _make_example(
    ranker: Ranker, classic: Ranker, topic: Patent, relevant: set[str], columns: Mapping[str, int]
) -> Example:
    if not relevant:
        raise InputError("has no relevant document", topic_id=topic.doc_id)
    evidence = ranker.rank(topic).languages[0].evidence
    if evidence is None:
        raise UsageError("a classic search has no features to learn from")
    pool = evidence.pool
    names = np.array(pool.candidates.doc_ids, dtype=object)
    order = np.argsort(names, kind="stable")
    values = np.zeros((len(names), len(columns)), np.float32)
    for name, scores in zip(pool.features, pool.scores, strict=True):
        values[:, columns[name]] = scores[order]
    good = np.array([name in relevant for name in names[order]], np.bool_)
    ranks = [rank for rank, doc_id in enumerate(classic.rank(topic).doc_ids, 1) if doc_id in relevant]
    return Example(topic.doc_id, topic.date, values, good, len(relevant), np.array(ranks, np.int32))


# Topics


@dataclass(frozen=True, eq=False)
class JudgedTopics:
    """Patents, and the relevant documents of each."""

    patents: Sequence[Patent]
    relevant: Mapping[str, Sequence[str]]


def collect_topics(
    index: Engine,
    topics: str | None = None,
    qrels: str | None = None,
    *,
    citations: Origin = "fields",
    before: date | None = None,
    most: int = TOPICS,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> JudgedTopics:
    """The topics and judgements of files; without files, patents of the index and what each cites of it.

    `citations`: those in the fields, the numbers in the description, or both. `before`: only topics whose prior art
    ends before that day, so that later ones are left to test with. Of more than `most` topics, so many are drawn at
    random.
    """
    if topics is None:
        return _citing_topics(index, citations=citations, before=before, most=most, seed=seed, progress=progress)
    if qrels is None:
        raise UsageError("topics need judgements: give QRELS after TOPICS, or leave both out")
    relevant = read_qrels(qrels).relevant_documents()
    patents = [topic for topic in read_topics(index, topics, progress=progress) if isinstance(topic, Patent)]
    kept = [patent for patent in patents if patent.doc_id in relevant and _is_before(patent.date, before)]
    if not kept:
        raise InputError(
            f"{len(patents)} topics, {len(relevant)} of them judged by {qrels}: none of both is left to learn from",
            source=topics,
            remedy=f"check that the names agree, and that topics are before {spell('before')}",
        )
    return JudgedTopics(_draw(kept, most, seed), relevant)


def _is_before(day: date | None, bound: date | None) -> bool:
    return bound is None or (day is not None and day < bound)


def _draw(values: Sequence[_Value], most: int, seed: int) -> list[_Value]:
    """Some of the values at random, in their order; all where there are no more."""
    chosen = random.Random(seed).sample(range(len(values)), min(most, len(values)))  # noqa: S311 - a sample, no secret
    return [values[at] for at in sorted(chosen)]


def _citing_topics(
    index: Engine,
    *,
    citations: Origin,
    before: date | None,
    most: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> JudgedTopics:
    """Patents of an index that cite others of it, and what each cites; see `collect_topics`."""
    patents = []
    for patent in _walk_patents(index, citations):
        patents.append(patent)
        if progress is not None:
            progress(len(patents), index.documents)
    places = group_by_name(patents)
    relevant = {patent.doc_id: [*judge(patent, places, "one", Counter())] for patent in patents if patent.citations}
    chosen = sorted(
        patent.doc_id for patent in patents if relevant.get(patent.doc_id) and _is_before(patent.day, before)
    )
    if not chosen:
        raise InputError(
            f"none of {len(patents)} patents cites another one of the index" + (f" before {before}" if before else ""),
            source=index.where,
            remedy=f"give topics and judgements, or {spell('citations', 'both')} for the numbers in descriptions",
        )
    return JudgedTopics([*index.records(index.numbers(_draw(chosen, most, seed)).tolist())], relevant)


def _walk_patents(index: Engine, citations: Origin) -> Iterator[CitingPatent]:
    """Every patent of an index with its citations; the texts are read only where citations are in them."""
    numbers = index.all_numbers()
    for first in range(0, len(numbers), _BATCH_DOCUMENTS):
        part = numbers[first : first + _BATCH_DOCUMENTS]
        for number, row in zip(part.tolist(), index.columns(part, *_COLUMNS), strict=True):
            doc_id, patent_number, language, *days, family_id, cited_numbers = row
            if citations == "fields":
                parsed = map(PatentNumber.parse, split_values(cited_numbers))
                cited = [Citation(each) for each in parsed if each is not None]
            else:
                cited = [*citations_of(read_record(index, number), citations)]
            published, day = (each and date.fromisoformat(each) for each in days)
            yield CitingPatent(doc_id, patent_number, language, published, day, family_id, cited)
