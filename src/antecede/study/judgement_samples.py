"""Scores of the same runs under many samples of the judgements.

The judgements of a topic that remain in a sample form a *case*. Samples in which the same documents of a topic remain
share a case, and a case is scored once: with three relevant documents of which one is kept there are three cases,
however many samples are drawn. Cases are passed to the measures as topics of a rank table, so any measure can be used.
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

    from antecede.comparison.inputs import Flags, Floats, Ints
    from antecede.measures.definition import Aggregate, Measure

CELLS = 100_000
"""Runs × pairs scored at a time, so that they fit into the processor cache."""
CHEAP_PAIRS = 16
"""About this many pairs that are in all samples cost as much as one of the others."""
AHEAD = 8
"""Batches per core that may be scored before they are added up, which bounds the memory they need."""


@dataclass(frozen=True, eq=False)
class Cases:
    """D cases of T topics, from Q samples."""

    topic: Ints
    """int64[D], ascending."""
    sample: Ints
    """int64[D]: one of the samples with this case."""
    of: NDArray[np.int32]
    """int32[Q, T]: the case of each topic in each sample."""
    weight: Ints
    """int64[D]: the cost of each case, in pairs. Pairs in all samples cost less, as they are not sorted."""

    @cached_property
    def begin(self) -> Ints:
        """int64[T + 1]: where the cases of each topic start."""
        return np.searchsorted(self.topic, np.arange(self.of.shape[1] + 1))


@dataclass(frozen=True, eq=False)
class JudgementSamples:
    """A rank table and Q samples of its judgements."""

    ranks: Ranks
    pairs: Ints
    """int64[P], ascending: the pairs that may be missing from a sample. The others are in all samples."""
    kept: Flags
    """bool[Q, P]: which of them each sample keeps."""
    pooled: bool = False
    """Whether pairs that a sample does not keep stay in it as unjudged ones, with a relevance of −1."""

    @cached_property
    def bounds(self) -> Ints:
        """int64[T + 1]: where the `pairs` of each topic start."""
        return np.searchsorted(self.pairs, self.ranks.offsets)

    def find_cases(self) -> Cases:
        """The distinct cases of each topic over all samples."""
        topics, samples = self.ranks.topics, len(self.kept)
        of = np.zeros((samples, topics), np.int32)
        firsts: list[Ints] = []
        weights: list[Ints] = []
        bounds = self.bounds
        always = (np.diff(self.ranks.offsets) - np.diff(bounds)) // CHEAP_PAIRS
        seen = 0
        for topic, (begin, end) in enumerate(pairwise(bounds.tolist())):
            first, of[:, topic] = find_distinct(self.kept[:, begin:end])
            of[:, topic] += seen
            seen += len(first)
            firsts.append(first)
            sizes = np.full(len(first), end - begin) if self.pooled else self.kept[first, begin:end].sum(axis=1)
            weights.append(always[topic] + sizes)
        topic_of = np.repeat(np.arange(topics), [len(first) for first in firsts])
        return Cases(topic_of, np.concatenate(firsts), of, np.concatenate(weights))

    def build_case_table(self, cases: Cases, part: slice) -> Ranks:
        """A slice of the cases as topics of a rank table."""
        topic, sample = cases.topic[part], cases.sample[part]
        bounds, offsets = self.bounds, self.ranks.offsets
        columns: list[Ints] = []
        counts: list[Ints] = []
        grades: list[NDArray[np.int32]] = []
        for one in np.unique(topic).tolist():
            begin, end = bounds[one], bounds[one + 1]
            present = np.ones((int((topic == one).sum()), offsets[one + 1] - offsets[one]), np.bool_)
            present[:, self.pairs[begin:end] - offsets[one]] = self.kept[sample[topic == one], begin:end]
            own = self.ranks.relevance[offsets[one] : offsets[one + 1]]
            here = np.ones_like(present) if self.pooled else present
            columns.append(np.nonzero(here)[1] + offsets[one])
            counts.append(here.sum(axis=1))
            grades.append(np.where(present, own, np.int32(-1))[here])
        pairs = np.concatenate(columns)
        return Ranks(
            self.ranks.ranks[:, pairs],
            np.concatenate(grades),
            np.concatenate(([0], np.cumsum(np.concatenate(counts)))),
            self.ranks.retrieved[:, topic],
            None if self.ranks.copies is None else self.ranks.copies[pairs],
            Origin(self.ranks, pairs, topic),
        )


def find_distinct(rows: Flags) -> tuple[Ints, Ints]:
    """The first of each group of equal rows, and the group of each row."""
    if not rows.shape[1]:
        return np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    _, first, kind = np.unique(packed.view(f"S{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return first, kind


def rescore(
    sampled: JudgementSamples, measures: Sequence[Measure], progress: Callable[[int, int], None] | None = None
) -> Floats:
    """float64[M, Q, R]: the total of each run under each measure and sample.

    Cases are scored in parallel, one batch per core. Their scores are added up here and in order, so that the same
    samples give the same digits.
    """
    cases = sampled.find_cases()
    sums_by_measure = [CaseSums(cases, sampled.ranks.runs, measure.definition.aggregate) for measure in measures]
    parts = split_batches(cases.weight * sampled.ranks.runs)
    workers = os.cpu_count() or 1

    def score(part: slice) -> list[Floats]:
        table = sampled.build_case_table(cases, part)
        scores = [np.ascontiguousarray(measure.score(table).T) for measure in measures]
        table.forget()
        return scores

    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, len(parts), AHEAD * workers):
            several = parts[first : first + AHEAD * workers]
            for done, (part, found) in enumerate(zip(several, pool.map(score, several), strict=True), first + 1):
                for sums, scores in zip(sums_by_measure, found, strict=True):
                    sums.add(part, scores)
                if progress is not None:
                    progress(done, len(parts))
    return np.array([sums.totals() for sums in sums_by_measure])


class CaseSums:
    """Sums over the topics of Q samples under one measure, added up case by case."""

    def __init__(self, cases: Cases, runs: int, aggregate: Aggregate) -> None:
        self.cases = cases
        self.aggregate = aggregate
        self.sums = np.zeros((len(cases.of), runs))
        self.left_out = np.zeros_like(self.sums)
        """The number of topics that are NaN."""

    def add(self, part: slice, scores: Floats) -> None:
        """Add scores[cases, R] of a slice of the cases to the samples that contain them."""
        unknown = np.isnan(scores)
        any_unknown = bool(unknown.any())
        terms = self.aggregate.transform(scores)
        terms = np.where(unknown, 0.0, terms) if any_unknown else terms
        for topic in np.unique(self.cases.topic[part]).tolist():
            case = self.cases.of[:, topic] - part.start
            if part.start <= self.cases.begin[topic] and self.cases.begin[topic + 1] <= part.stop:
                self.sums += terms.take(case, axis=0)
                if any_unknown:
                    self.left_out += unknown.take(case, axis=0)
            else:  # a topic whose cases are spread over several batches
                here = np.flatnonzero((case >= 0) & (case < len(scores)))
                self.sums[here] += terms[case[here]]
                self.left_out[here] += unknown[case[here]]

    def totals(self) -> Floats:
        """float64[Q, R]: the total of each run in each sample."""
        return self.aggregate.combine(self.sums, self.cases.of.shape[1] - self.left_out)


def split_batches(weights: Ints) -> list[slice]:
    """Consecutive cases in batches of about `CELLS`, each with at least one case."""
    batch = np.cumsum(weights) // CELLS
    edges = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(weights)]
    return [slice(begin, end) for begin, end in pairwise(edges)]
