"""Readings whose answers are known: from them, estimators and stopping rules are calibrated and judged.

A topic is read to the end of its list, in the order of its ranking or as feedback changes it. What the ranking does not
have cannot be read; `total` counts it, so that recall is that of the topic and not of the list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError
from antecede.results import concise_repr
from antecede.review.feedback import STATIC, find_positions
from antecede.review.judged_topics import JudgedTopics, topics_from_run
from antecede.review.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.review.feedback import ReviewTopic


@dataclass(frozen=True, eq=False)
class JudgedReading:
    """A list read to its end, and how many relevant documents there are in all."""

    __repr__ = concise_repr

    topic_id: str
    reading: Reading
    total: int
    """The relevant documents, in the list or not."""

    def __post_init__(self) -> None:
        if self.total < self.reading.found:
            raise UsageError(
                f"topic {self.topic_id}: {self.reading.found} relevant documents are read and {self.total} are known"
            )

    @property
    def within(self) -> JudgedReading:
        """The same, where only what the list has counts: the recall of the list, not of the topic."""
        return replace(self, total=self.reading.found)


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

    >>> judged = read_judged({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 3.0, "b": 2.0, "x": 1.0}})
    >>> judged.readings[0].reading.finds.tolist(), judged.readings[0].total
    ([1], 2)
    """
    return read_to_the_end(topics_from_run(run, qrels, rel=rel))


def read_to_the_end(
    topics: JudgedTopics, feedback: str = STATIC, progress: Callable[[int, int], None] | None = None
) -> JudgedReadings:
    """Read every topic to the end of its list, with one kind of feedback."""
    found = []
    for number, topic in enumerate(topics, 1):
        if topic is not None:
            found.append(read_whole(topic, feedback))
        if progress is not None:
            progress(number, len(topics))
    dropped = {reason: len(names) for reason, names in topics.skipped.items()}
    if not found:
        why = f" ({next(iter(dropped))})" if dropped else ""
        raise InputError(f"none of {len(topics)} topics can be read{why}")
    return JudgedReadings(tuple(found), dropped)


def read_whole(topic: ReviewTopic, feedback: str) -> JudgedReading:
    """The reading of one topic."""
    size = len(topic.order)
    relevant = np.zeros(size, np.bool_)
    relevant[find_positions(topic, feedback) - 1] = True
    return JudgedReading(topic.topic_id, Reading(relevant, max(size, 1)), topic.total)
