"""Score the same runs under many samples of the judgements.

What a sample leaves of a topic is a *case*. Samples that leave a topic with the same documents share a case, and a case
is scored once: with three relevant documents and one kept there are three cases, however many samples are drawn.
Cases are handed to the measures as if they were topics of a rank table, so any measure will do.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from antecede.measures.ranks import Origin, Ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.measures.aggregates import Aggregate
    from antecede.measures.registry import Measure

    Flags = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

CELLS = 100_000
"""Runs × pairs that are scored at a time: what fits into the cache of a processor."""
LIGHTER = 16
"""As many pairs that are in all samples cost about what one of the others does."""
AHEAD = 8
"""Batches for each core that may be scored ahead of being added up, which bounds the memory they need."""


@dataclass(frozen=True, eq=False)
class Cases:
    """D cases of T topics, from Q samples."""

    topic: Ints
    """int64[D], rising."""
    sample: Ints
    """int64[D]: a sample that leaves the topic like that."""
    of: NDArray[np.int32]
    """int32[Q, T]: the case of each topic in each sample."""
    weight: Ints
    """int64[D]: the work that each case is, in pairs. One that is in all samples is lighter, as it is not sorted."""

    @cached_property
    def begin(self) -> Ints:
        """int64[T + 1]: where the cases of each topic begin."""
        return np.searchsorted(self.topic, np.arange(self.of.shape[1] + 1))


@dataclass(frozen=True, eq=False)
class Sampled:
    """A rank table and Q samples of its judgements."""

    ranks: Ranks
    pairs: Ints
    """int64[P], rising: the pairs that some sample may lack. The others are in all samples."""
    kept: Flags
    """bool[Q, P]: which of them each sample has."""

    @cached_property
    def bounds(self) -> Ints:
        """int64[T + 1]: where the `pairs` of each topic begin."""
        return np.searchsorted(self.pairs, self.ranks.offsets)

    def cases(self) -> Cases:
        """What the samples leave of each topic, each thing once."""
        topics, samples = self.ranks.topics, len(self.kept)
        of = np.zeros((samples, topics), np.int32)
        firsts: list[Ints] = []
        weights: list[Ints] = []
        bounds = self.bounds
        always = (np.diff(self.ranks.offsets) - np.diff(bounds)) // LIGHTER
        seen = 0
        for topic, (begin, end) in enumerate(pairwise(bounds.tolist())):
            first, of[:, topic] = distinct(self.kept[:, begin:end])
            of[:, topic] += seen
            seen += len(first)
            firsts.append(first)
            weights.append(always[topic] + self.kept[first, begin:end].sum(axis=1))
        topic_of = np.repeat(np.arange(topics), [len(first) for first in firsts])
        return Cases(topic_of, np.concatenate(firsts), of, np.concatenate(weights))

    def as_topics(self, cases: Cases, part: slice) -> Ranks:
        """Some of the cases as topics of a rank table."""
        topic, sample = cases.topic[part], cases.sample[part]
        bounds, offsets = self.bounds, self.ranks.offsets
        columns: list[Ints] = []
        counts: list[Ints] = []
        for one in np.unique(topic).tolist():
            begin, end = bounds[one], bounds[one + 1]
            present = np.ones((int((topic == one).sum()), offsets[one + 1] - offsets[one]), np.bool_)
            present[:, self.pairs[begin:end] - offsets[one]] = self.kept[sample[topic == one], begin:end]
            columns.append(np.nonzero(present)[1] + offsets[one])
            counts.append(present.sum(axis=1))
        pairs = np.concatenate(columns)
        return Ranks(
            self.ranks.ranks[:, pairs],
            self.ranks.relevance[pairs],
            np.concatenate(([0], np.cumsum(np.concatenate(counts)))),
            self.ranks.retrieved[:, topic],
            None if self.ranks.copies is None else self.ranks.copies[pairs],
            Origin(self.ranks, pairs, topic),
        )


def distinct(rows: Flags) -> tuple[Ints, Ints]:
    """The first of each kind of row, and the kind of each row."""
    if not rows.shape[1]:
        return np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    _, first, kind = np.unique(packed.view(f"S{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return first, kind


def rescored(
    sampled: Sampled, measures: Sequence[Measure], progress: Callable[[int, int], None] | None = None
) -> Floats:
    """float64[M, Q, R]: the total of each run under each measure and sample.

    Cases are scored side by side, one batch to a core. Their scores are added up here and in order, so that the same
    samples give the same digits.
    """
    cases = sampled.cases()
    added = [Sums(cases, sampled.ranks.runs, measure.definition.aggregate) for measure in measures]
    parts = batches(cases.weight * sampled.ranks.runs)
    workers = os.cpu_count() or 1

    def score(part: slice) -> list[Floats]:
        table = sampled.as_topics(cases, part)
        scores = [np.ascontiguousarray(measure.score(table).T) for measure in measures]
        table.forget()
        return scores

    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, len(parts), AHEAD * workers):
            several = parts[first : first + AHEAD * workers]
            for done, (part, found) in enumerate(zip(several, pool.map(score, several), strict=True), first + 1):
                for sums, scores in zip(added, found, strict=True):
                    sums.add(part, scores)
                if progress is not None:
                    progress(done, len(parts))
    return np.array([sums.totals() for sums in added])


class Sums:
    """What the topics of Q samples add up to under one measure, case by case."""

    def __init__(self, cases: Cases, runs: int, aggregate: Aggregate) -> None:
        self.cases = cases
        self.aggregate = aggregate
        self.sums = np.zeros((len(cases.of), runs))
        self.left_out = np.zeros_like(self.sums)
        """How many topics are NaN."""

    def add(self, part: slice, scores: Floats) -> None:
        """Add the scores[cases, R] of some of the cases to the samples that have them."""
        unknown = np.isnan(scores)
        some = bool(unknown.any())
        adds = self.aggregate.adds(scores)
        adds = np.where(unknown, 0.0, adds) if some else adds
        for topic in np.unique(self.cases.topic[part]).tolist():
            case = self.cases.of[:, topic] - part.start
            if part.start <= self.cases.begin[topic] and self.cases.begin[topic + 1] <= part.stop:
                self.sums += adds.take(case, axis=0)
                if some:
                    self.left_out += unknown.take(case, axis=0)
            else:  # a topic with so many cases that they are in several batches
                here = np.flatnonzero((case >= 0) & (case < len(scores)))
                self.sums[here] += adds[case[here]]
                self.left_out[here] += unknown[case[here]]

    def totals(self) -> Floats:
        """float64[Q, R]."""
        return self.aggregate.makes(self.sums, self.cases.of.shape[1] - self.left_out)


def batches(weights: Ints) -> list[slice]:
    """Neighbours together, in batches of about `CELLS`, each of at least one."""
    batch = np.cumsum(weights) // CELLS
    edges = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(weights)]
    return [slice(begin, end) for begin, end in pairwise(edges)]
