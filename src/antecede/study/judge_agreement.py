"""Two sets of judgements, aligned by document: agreement on grades, and what the difference does to a ranking."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from antecede.comparison.correlation import (
    cohen_kappa,
    count_grades,
    kendall_many,
    krippendorff_alpha,
    observed_agreement,
    rank_biased_overlap,
    tau_ap_many,
)
from antecede.comparison.inputs import TIE_DECIMALS, Floats, Ints, check_totals
from antecede.comparison.significance import CORRECTIONS, SignificancePlan, all_pairs, run_tests
from antecede.errors import InputError, UsageError, shown, suggest_names
from antecede.results import concise_repr
from antecede.study.robustness import rank_runs
from antecede.trec.qrels import read_qrels, sort_topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.definition import Measure
    from antecede.measures.ranks import Ranks
    from antecede.trec.policies import Policies
    from antecede.trec.qrels import Qrels

Unjudged = Literal["skip", "nonrelevant"]
NOT_JUDGED = -(2**31)
"""The grade of a document that an assessor did not see."""


@dataclass(frozen=True, eq=False)
class JudgementPair:
    """The judgements of two assessors on the topics that both judged."""

    names: tuple[str, str]
    topics: tuple[str, ...]
    only: tuple[tuple[str, ...], tuple[str, ...]]
    """Topics that only the first or only the second judged; they are left out."""
    frame: pl.DataFrame
    """topic_id, doc_id, first, second: the grade by each, null where an assessor did not see the document."""

    def united(self) -> Qrels:
        """Every document that either judged, with the higher of the two grades: for one rank table of both."""
        import polars as pl

        return read_qrels(
            self.frame.select("topic_id", "doc_id", relevance=pl.max_horizontal("first", "second").cast(pl.Int32))
        )

    def split(self, table: RankTable) -> tuple[Ranks, Ranks]:
        """The ranks of a table of the united judgements, under the judgements of each."""
        import polars as pl

        topic_ids = pl.Series(table.topics, dtype=pl.String).gather(table.ranks.topic)
        pairs = pl.DataFrame({"topic_id": topic_ids, "doc_id": table.doc_ids})
        both = pairs.join(self.frame, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        first, second = (_select_judged(table.ranks, grades) for grades in _read_grades(both))
        return first, second


def _read_grades(frame: pl.DataFrame) -> tuple[Ints, Ints]:
    """The grades of each document by both assessors, `NOT_JUDGED` where there is none."""
    first, second = (frame[name].fill_null(NOT_JUDGED).to_numpy().astype(np.int64) for name in ("first", "second"))
    return first, second


def _select_judged(ranks: Ranks, grades: Ints) -> Ranks:
    chosen = np.flatnonzero(grades != NOT_JUDGED)
    return replace(ranks.select(chosen), relevance=grades[chosen].astype(np.int32))


def pair_judgements(
    first: object, second: object, policies: Policies, topics: Sequence[str] | None, without: Sequence[str]
) -> JudgementPair:
    """Read two sets of judgements and align them; refuse two that have no topic in common."""
    import polars as pl

    both = [read_qrels(given, policies) for given in (first, second)]
    common = {*both[0].topics} & {*both[1].topics}
    if not common:
        some = [shown(", ".join(qrels.topics[:3]), 40) for qrels in both]
        raise InputError(
            f"no topic in common with {both[1].source} (its topics: {some[0]} …; theirs: {some[1]} …)",
            source=both[0].source,
            remedy="give two sets of judgements of the same topics",
        )
    chosen = _choose_topics(common, topics, without)
    sides = [
        qrels.to_polars().filter(pl.col("topic_id").is_in([*chosen])).rename({"relevance": name})
        for qrels, name in zip(both, ("first", "second"), strict=True)
    ]
    joined = sides[0].join(sides[1], on=["topic_id", "doc_id"], how="full", coalesce=True).sort("topic_id", "doc_id")
    only = [tuple(name for name in qrels.topics if name not in common) for qrels in both]
    return JudgementPair(_name_sources(first, second), tuple(sort_topics(tuple(chosen))), (only[0], only[1]), joined)


def _choose_topics(common: set[str], topics: Sequence[str] | None, without: Sequence[str]) -> set[str]:
    unknown = next((name for name in (*(topics or ()), *without) if name not in common), None)
    if unknown is not None:
        near = suggest_names(unknown, common)
        raise UsageError(f"topic {shown(unknown)!r} is not judged by both{near}; name topics of both qrels")
    chosen = {*(common if topics is None else topics)} - {*without}
    if not chosen:
        raise UsageError("no topic is left; name fewer topics to leave out")
    return chosen


def _name_sources(first: object, second: object) -> tuple[str, str]:
    """What the two are called: their file names, or A and B."""
    paths = [Path(given) for given in (first, second) if isinstance(given, str | Path) and str(given) != "-"]
    if len(paths) < 2:
        return "A", "B"
    return (str(first), str(second)) if paths[0].name == paths[1].name else (paths[0].name, paths[1].name)


# Agreement on grades


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
        return {name: float(values) for name, values in self.coefficients_of(self.counts).items()}

    def coefficients_of(self, counts: Ints) -> dict[str, Floats]:
        """Every coefficient over counts, int64[…, G, G]; those for grades only where there are more than two."""
        binary = self._at_level(counts, self.rel)
        values = {
            "agreement": observed_agreement(binary),
            "Cohen's κ": cohen_kappa(binary),
            "Krippendorff's α": krippendorff_alpha(binary, (0, 1)),
        }
        if len(self.grades) > 2:
            values |= {"agreement on grades": observed_agreement(counts), "κ on grades": cohen_kappa(counts)}
            values |= {f"κ on grades, {weights}": cohen_kappa(counts, weights) for weights in ("linear", "quadratic")}
            levels = ("nominal", "ordinal", "interval")
            values |= {f"α on grades, {level}": krippendorff_alpha(counts, self.grades, level) for level in levels}
        return values

    def _at_level(self, counts: Ints, level: int) -> Ints:
        """int64[…, 2, 2]: the counts below a grade, and at this grade or above."""
        high = np.asarray(self.grades) >= level
        member = np.stack([~high, high]).astype(np.int64)
        return np.asarray(np.einsum("ai,...ij,bj->...ab", member, counts, member))

    def overlap(self) -> dict[int, tuple[int, int, int]]:
        """By level ≥ 1: documents that the first, the second, and both give at least this grade."""
        cuts = {level: self._at_level(self.counts, level) for level in self.grades if level >= 1}
        return {level: (int(cut[1].sum()), int(cut[:, 1].sum()), int(cut[1, 1])) for level, cut in cuts.items()}

    def topic_overlap(self, level: int) -> float:
        """The mean over topics of intersection / union (Voorhees, SIGIR 1998); topics with an empty union left out."""
        cut = self._at_level(self.by_topic, level)
        union = cut.sum(axis=(1, 2)) - cut[:, 0, 0]
        return float((cut[:, 1, 1][union > 0] / union[union > 0]).mean()) if (union > 0).any() else float("nan")


def agree_on_grades(pair: JudgementPair, rel: int, unjudged: Unjudged, samples: int, seed: int) -> GradeAgreement:
    """The agreement of the two assessors; refuse two that have no document in common."""
    if unjudged not in get_args(Unjudged):
        raise UsageError(f"unjudged: there is no {shown(str(unjudged))!r}; choose one of skip, nonrelevant")
    first, second = _read_grades(pair.frame)
    seen = np.stack([first >= 0, second >= 0])
    used = seen.all(axis=0) if unjudged == "skip" else seen.any(axis=0)
    if not used.any():
        raise InputError(
            f"no document is judged by both, in {len(pair.topics)} common topics",
            source=f"{pair.names[0]}, {pair.names[1]}",
            remedy="give judgements of the same documents, or count what only one judged as not relevant "
            "(--unjudged nonrelevant)",
        )
    one, two = np.maximum(first[used], 0), np.maximum(second[used], 0)
    grades = tuple(int(grade) for grade in np.unique(np.concatenate((one, two, [0]))))
    place = {name: at for at, name in enumerate(pair.topics)}
    topic = np.array([place[name] for name in pair.frame["topic_id"]], np.int64)[used]
    alone = int((seen[0] & ~seen[1]).sum()), int((seen[1] & ~seen[0]).sum())
    agreement = GradeAgreement(grades, count_grades(one, two, grades, topic, len(pair.topics)), rel, unjudged, alone)
    return replace(agreement, intervals=_bootstrap_intervals(agreement, samples, seed))


def _bootstrap_intervals(agreement: GradeAgreement, samples: int, seed: int) -> dict[str, tuple[float, float]]:
    """The 95 % interval of each coefficient over samples of the topics with replacement; none for one topic."""
    topics = len(agreement.by_topic)
    if topics < 2:
        return {}
    draws = np.random.default_rng(seed).integers(0, topics, size=(samples, topics))
    times = np.zeros((samples, topics), np.int64)
    np.add.at(times, (np.arange(samples)[:, None], draws), 1)
    intervals = {}
    for name, values in agreement.coefficients_of(np.tensordot(times, agreement.by_topic, axes=1)).items():
        known = values[~np.isnan(values)]
        if len(known):
            low, high = np.quantile(known, ((1 - INTERVAL) / 2, (1 + INTERVAL) / 2))
            intervals[name] = float(low), float(high)
    return intervals


# What the second judgements do to the ranking of the runs


LIMIT = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % of the differences lie within this many standard deviations."""
ROUNDING = 1e-12
"""Preferences that differ by less are equal."""
CATEGORIES = (
    "both significant, same direction",
    "both significant, opposite",
    "one significant, same direction",
    "one significant, opposite",
    "none significant, same direction",
    "none significant, opposite",
)
"""What two sets of judgements may say about a pair of runs (Moffat, Scholer & Thomas, ADCS 2012)."""


@dataclass(frozen=True)
class GroupBias:
    """How much more the second judge favours the runs of a group than the other runs."""

    group: str
    runs: int
    preference: float
    """How much higher the group's runs score under the second judge than other runs with the same total under the
    first; positive where the second judge favours the group."""
    p: float
    """By permutation."""
    adjusted: float
    """Corrected for the number of groups by Holm's method."""


@dataclass(frozen=True, eq=False)
class RankingChange:
    """What the second judgements do to the runs, under one measure."""

    __repr__ = concise_repr

    measure: str
    better: str | None
    totals: Floats
    """float64[2, R]: under the first judgements and under the second, over the same topics."""
    topics: int
    """Topics with a relevant document under both."""
    tau: float
    tau_ap: float
    """The first judgements are the reference."""
    rbo: float
    categories: tuple[int, ...]
    """Pairs of runs by `CATEGORIES`."""
    reversals: tuple[tuple[int, int], ...]
    """Pairs of runs (better under the first, better under the second) where both differences are significant."""
    groups: tuple[GroupBias, ...] = ()

    @property
    def places(self) -> Ints:
        """int64[2, R]: the place of each run, 1 for the best."""
        return rank_runs(-self.totals if self.better == "lower" else self.totals)

    @property
    def drops(self) -> Ints:
        """How many places each run falls under the second judgements; negative where it rises."""
        places = self.places
        return np.asarray(places[1] - places[0])

    @property
    def differences(self) -> Floats:
        """The total under the second judgements minus that under the first."""
        return np.asarray(self.totals[1] - self.totals[0])

    @property
    def bias(self) -> float:
        """The mean difference (Bland & Altman, 1986)."""
        return float(self.differences.mean())

    @property
    def limits(self) -> tuple[float, float]:
        """The limits of agreement: bias ± 1.96 standard deviations of the differences."""
        spread = LIMIT * float(self.differences.std(ddof=1)) if len(self.differences) > 1 else float("nan")
        return self.bias - spread, self.bias + spread


def compare_rankings(
    measure: Measure,
    sides: tuple[Ranks, Ranks],
    runs: Sequence[str],
    plan: SignificancePlan,
    groups: tuple[str, ...],
    samples: int,
) -> RankingChange:
    """The order of the runs under both sets of judgements, over the topics that have a relevant document in both."""
    values = np.stack([measure.score(side) for side in sides])
    lacking = np.isnan(values).any(axis=(0, 1))
    if lacking.all():
        raise UsageError(
            f"{measure}: no topic has a relevant document under both sets of judgements; choose another level (rel)"
        )
    values = values[:, :, ~lacking]
    totals = np.array([measure.aggregate(of_judge) for of_judge in values])
    check_totals(totals[None], [measure], runs)
    direction = -1 if measure.definition.better == "lower" else 1
    rounded = np.round(direction * totals, TIE_DECIMALS)
    terms = measure.definition.aggregate.transform(values)
    categories, reversals = _compare_verdicts(str(measure), terms, rounded, runs, plan, direction)
    return RankingChange(
        measure=str(measure),
        better=measure.definition.better,
        totals=totals,
        topics=values.shape[2],
        tau=float(kendall_many(rounded[0], rounded[1:])[0]),
        tau_ap=float(tau_ap_many(rounded[0], rounded[1:])[0]),
        rbo=rank_biased_overlap(rounded[0], rounded[1]),
        categories=categories,
        reversals=reversals,
        groups=_find_preferences(direction * totals, groups, samples, plan.sampling.seed),
    )


def _compare_verdicts(
    name: str, values: Floats, rounded: Floats, runs: Sequence[str], plan: SignificancePlan, direction: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The pairs of runs by `CATEGORIES`, and those with opposite significant differences; none with one topic."""
    pairs = all_pairs(len(runs))
    if values.shape[2] < 2:
        raise UsageError(f"{name}: one topic has a relevant document under both; a paired test needs two")
    if np.isinf(values).any():
        run = shown(runs[int(np.argwhere(np.isinf(values))[0][1])])
        raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    verdicts = np.stack(
        [run_tests(name, of_judge, pairs, runs, plan, direction=direction).verdicts for of_judge in values]
    )
    ahead = np.sign(rounded[:, pairs.first] - rounded[:, pairs.second])
    number = np.count_nonzero(verdicts, axis=0)
    # A significant difference has the sign of the test, which for Wilcoxon's need not be that of the means.
    signs = np.where(verdicts != 0, verdicts, ahead)
    opposite = signs[0] * signs[1] < 0
    counts = [int(((number == count) & (opposite == other)).sum()) for count in (2, 1, 0) for other in (False, True)]
    both_sides = np.stack((pairs.first, pairs.second), axis=1)
    ordered = np.where(verdicts[0, :, None] > 0, both_sides, both_sides[:, ::-1])
    return tuple(counts), tuple((first, second) for first, second in ordered[(number == 2) & opposite].tolist())


def _find_preferences(totals: Floats, groups: tuple[str, ...], samples: int, seed: int) -> tuple[GroupBias, ...]:
    """For each group, how much higher its runs are under the second judge than other runs of the same first total.

    The analysis of covariance: second = a + b·first + preference·(in the group), by least squares. A judge who finds
    fewer documents relevant lowers the totals of good runs more than those of poor ones, whatever their kind; the slope
    accounts for that. Tested by permuting the residuals of the line without the group (Freedman & Lane, 1983).
    """
    kinds = list(dict.fromkeys(groups))
    if len(kinds) < 2:
        return ()
    first, second = totals
    line = np.stack([np.ones(len(first)), first], axis=1)
    residuals = second - line @ np.linalg.lstsq(line, second, rcond=None)[0]
    member = np.array([[float(group == kind) for group in groups] for kind in kinds])
    weights = np.stack([np.linalg.pinv(np.column_stack([line, of_group]))[2] for of_group in member])
    rng = np.random.default_rng(seed)
    shuffled = rng.permuted(np.broadcast_to(residuals, (samples, len(residuals))), axis=1)
    observed = weights @ residuals
    hits = (np.abs(shuffled @ weights.T) >= np.abs(observed) - ROUNDING).sum(axis=0)
    p = (1 + hits) / (1 + samples)
    adjusted = CORRECTIONS["holm"](p)
    return tuple(
        GroupBias(kind, int(member[at].sum()), float(observed[at]), float(p[at]), float(adjusted[at]))
        for at, kind in enumerate(kinds)
    )
