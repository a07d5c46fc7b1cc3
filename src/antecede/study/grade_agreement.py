"""How far two assessors agree on the grades of documents: coefficients with their intervals, and overlap by grade."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.correlation import (
    cohen_kappa,
    count_grades,
    krippendorff_alpha,
    observed_agreement,
)
from antecede.errors import InputError
from antecede.results import concise_repr
from antecede.study.judgement_pair import Unjudged, choose_judged

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.comparison.inputs import Floats, Ints
    from antecede.study.judgement_pair import JudgementPair

INTERVAL = 0.95


@dataclass(frozen=True, eq=False)
class GradeAgreement:
    """How far two assessors agree on G grades over T topics."""

    __repr__ = concise_repr

    grades: tuple[int, ...]
    by_topic: Ints
    """int64[T, G, G]: the documents of a topic by the grade of the first (row) and of the second assessor (column)."""
    rel: int
    unjudged: Unjudged
    only: tuple[int, int]
    """Documents that only the first, or only the second, judged."""
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By coefficient, the 95 % interval over bootstrap samples of the topics."""

    @property
    def counts(self) -> Ints:
        """int64[G, G]: the documents by both grades."""
        return np.asarray(self.by_topic.sum(axis=0))

    @property
    def judged(self) -> int:
        """The number of documents whose grades are compared."""
        return int(self.by_topic.sum())

    def coefficients(self) -> dict[str, float]:
        """Every coefficient of agreement by its name."""
        return {name: float(values) for name, values in compute_coefficients(self.counts, self).items()}

    def binary(self, counts: Ints) -> Ints:
        """The counts for relevant and not relevant alone, int64[…, 2, 2]."""
        return at_level(counts, self.grades, self.rel)

    def overlap(self) -> dict[int, tuple[int, int, int]]:
        """By level ≥ 1: documents that the first, the second, and both give at least this grade."""
        found = {}
        for level in (grade for grade in self.grades if grade >= 1):
            cut = at_level(self.counts, self.grades, level)
            found[level] = int(cut[1].sum()), int(cut[:, 1].sum()), int(cut[1, 1])
        return found

    def topic_overlap(self, level: int) -> float:
        """The mean over topics of intersection / union (Voorhees, SIGIR 1998); topics with an empty union left out."""
        cut = at_level(self.by_topic, self.grades, level)
        union = cut.sum(axis=(1, 2)) - cut[:, 0, 0]
        return float((cut[:, 1, 1][union > 0] / union[union > 0]).mean()) if (union > 0).any() else float("nan")


def at_level(counts: Ints, grades: Sequence[int], level: int) -> Ints:
    """int64[…, 2, 2]: the counts below a grade, and at this grade or above."""
    high = np.asarray(grades) >= level
    member = np.stack([~high, high]).astype(np.int64)
    return np.asarray(np.einsum("ai,...ij,bj->...ab", member, counts, member))


def compute_coefficients(counts: Ints, of: GradeAgreement) -> dict[str, Floats]:
    """Every coefficient over counts, int64[…, G, G]; those for grades only where there are more than two."""
    binary = of.binary(counts)
    found = {
        "agreement": observed_agreement(binary),
        "Cohen's κ": cohen_kappa(binary),
        "Krippendorff's α": krippendorff_alpha(binary, (0, 1)),
    }
    if len(of.grades) > 2:
        found |= {
            "agreement on grades": observed_agreement(counts),
            "κ on grades": cohen_kappa(counts),
            "κ on grades, linear": cohen_kappa(counts, "linear"),
            "κ on grades, quadratic": cohen_kappa(counts, "quadratic"),
            "α on grades, nominal": krippendorff_alpha(counts, of.grades, "nominal"),
            "α on grades, ordinal": krippendorff_alpha(counts, of.grades, "ordinal"),
            "α on grades, interval": krippendorff_alpha(counts, of.grades, "interval"),
        }
    return found


def agree_on_grades(pair: JudgementPair, rel: int, unjudged: Unjudged, samples: int, seed: int) -> GradeAgreement:
    """The agreement of the two assessors; refuse two that have no document in common."""
    topic, first, second = pair.grades()
    used, one, two = choose_judged(first, second, unjudged)
    alone = int(((first >= 0) & (second < 0)).sum()), int(((second >= 0) & (first < 0)).sum())
    if not used.any():
        raise InputError(
            f"no document is judged by both, in {len(pair.topics)} common topics",
            source=f"{pair.names[0]}, {pair.names[1]}",
            remedy="give judgements of the same documents, or count what only one judged as not relevant "
            "(--unjudged nonrelevant)",
        )
    grades = tuple(int(grade) for grade in np.unique(np.concatenate((one, two, [0]))))
    found = GradeAgreement(grades, count_grades(one, two, grades, topic[used], len(pair.topics)), rel, unjudged, alone)
    return replace(found, intervals=bootstrap_intervals(found, samples, seed))


def bootstrap_intervals(found: GradeAgreement, samples: int, seed: int) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each coefficient over samples of the topics with replacement; none for one topic."""
    topics = len(found.by_topic)
    if topics < 2:
        return {}
    draws = np.random.default_rng(seed).integers(0, topics, size=(samples, topics))
    times = np.zeros((samples, topics), np.int64)
    np.add.at(times, (np.arange(samples)[:, None], draws), 1)
    counts = np.tensordot(times, found.by_topic, axes=1)
    ends = (1 - INTERVAL) / 2, (1 + INTERVAL) / 2
    intervals = {}
    for name, values in compute_coefficients(counts, found).items():
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, ends)
            intervals[name] = float(low), float(high)
    return intervals
