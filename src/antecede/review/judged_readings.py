"""Readings whose answers are known: runs with qrels, from which estimators and stopping rules are judged.

A run is read from the top: what its qrels call relevant is found, everything else is a miss. What the run did not
retrieve cannot be read; `total` counts it, so that recall is that of the topic and not of the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, UsageError
from antecede.results import concise_repr
from antecede.review.reading import Reading
from antecede.trec import read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, eq=False)
class JudgedReading:
    """A ranking read to its end, and how many relevant documents there are in all."""

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


@dataclass(frozen=True, eq=False)
class JudgedReadings:
    """The readings of the topics of one run, and what was left out."""

    __repr__ = concise_repr

    readings: tuple[JudgedReading, ...]
    dropped: Mapping[str, int]
    """Topics that are not read, by reason."""

    def __len__(self) -> int:
        return len(self.readings)


def read_judged(qrels: object, run: object, *, rel: int = 1, within: bool = False) -> JudgedReadings:
    """The readings that a run is, by its qrels; topics in the order of the qrels.

    Args:
        qrels: A file, a frame or a dictionary of judgements.
        run: A file, a frame or a dictionary of rankings.
        rel: The lowest grade that counts as relevant.
        within: Count only the relevant documents that the run retrieved: the recall of the list, not of the topic.

    >>> judged = read_judged({"1": {"a": 1, "b": 0, "c": 1}}, {"1": {"a": 3.0, "b": 2.0, "x": 1.0}})
    >>> judged.readings[0].reading.finds.tolist(), judged.readings[0].total
    ([1], 2)
    """
    frame = read_qrels(qrels).to_polars()
    relevant: dict[str, set[str]] = {}
    for topic_id, doc_id, relevance in frame.iter_rows():
        names = relevant.setdefault(topic_id, set())
        if relevance >= rel:
            names.add(doc_id)
    ranked: dict[str, list[tuple[int, str, float]]] = {}
    for topic_id, doc_id, rank, score in (
        read_run(run).to_polars().select("topic_id", "doc_id", "rank", "score").iter_rows()
    ):
        if topic_id in relevant:
            ranked.setdefault(topic_id, []).append((rank, doc_id, score))
    dropped = {
        "has no relevant document": sum(not names for names in relevant.values()),
        "is not in the run": sum(bool(names) and topic not in ranked for topic, names in relevant.items()),
    }
    found = [
        make_judged(topic, sorted(ranked[topic]), names, within=within)
        for topic, names in relevant.items()
        if names and topic in ranked
    ]
    if not found:
        raise InputError("no topic of the run has a relevant document in the qrels")
    return JudgedReadings(tuple(found), {reason: count for reason, count in dropped.items() if count})


def make_judged(
    topic_id: str, ranking: Sequence[tuple[int, str, float]], relevant: set[str], *, within: bool
) -> JudgedReading:
    """The reading of one ranking, best first."""
    flags = np.array([doc_id in relevant for _, doc_id, _ in ranking], np.bool_)
    scores = np.array([score for _, _, score in ranking], np.float64)
    reading = Reading(flags, len(ranking), scores=scores)
    return JudgedReading(topic_id, reading, reading.found if within else len(relevant))
