"""Two sets of judgements of the same topics: how far they agree, and what the difference does to system rankings.

People against a language model, two assessors, X citations against A citations. Agreement alone does not decide
whether one can replace the other (Voorhees, SIGIR 1998): judgements that differ much may still rank systems alike, and
judgements that agree well may favour one kind of system.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.arrays import TIE_DECIMALS, finite_or_none
from antecede.comparison.assessor_agreement import (
    cohen_kappa,
    count_grades,
    krippendorff_alpha,
    observed_agreement,
)
from antecede.comparison.correlation import kendall_many, tau_ap_many
from antecede.comparison.multiple_testing import CORRECTIONS, SignificancePlan, all_pairs, run_tests
from antecede.comparison.rbo import PERSISTENCE, rank_biased_overlap
from antecede.comparison.significance import Sampling
from antecede.comparison.validation import check_count, check_seed, check_totals
from antecede.errors import InputError, UsageError, shown
from antecede.evaluation.build import rank_table
from antecede.measures.parse import DEFAULT_MEASURES, parse_measures
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE
from antecede.results import concise_repr
from antecede.study.judgement_loss import assign_groups
from antecede.study.judgement_pair import Unjudged, choose_judged, pair_judgements
from antecede.study.robustness import rank_runs
from antecede.tables import Table, Tabled
from antecede.trec.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from antecede.comparison.arrays import Floats, Ints
    from antecede.evaluation.build import Names
    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.ranks import Ranks
    from antecede.measures.registry import Measure
    from antecede.study.judgement_pair import JudgementPair
    from antecede.tables import Value
    from antecede.trec.policies import Duplicates, Malformed, Order, Ties

LIMIT = 1.959963984540054
"""The 97.5 % quantile of the normal distribution: 95 % of the differences lie within this many standard deviations."""
INTERVAL = 0.95
ROUNDING = 1e-12
"""Preferences that differ by less are equal."""
EXTREMES = 5
"""Runs shown at either end of a long list of runs."""
CATEGORIES = (
    "both significant, same direction",
    "both significant, opposite",
    "one significant, same direction",
    "one significant, opposite",
    "none significant, same direction",
    "none significant, opposite",
)
"""What two sets of judgements may say about a pair of runs (Moffat, Scholer & Thomas, ADCS 2012)."""


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


@dataclass(frozen=True, eq=False)
class JudgeComparison(Tabled, PlotMixin):
    """Agreement of two sets of judgements, and its effect on the ranking of the runs, if there are any."""

    __repr__ = concise_repr

    names: tuple[str, str]
    topics: tuple[str, ...]
    """Topics that both judged."""
    only: tuple[tuple[str, ...], tuple[str, ...]]
    """Topics that only the first, or only the second, judged; left out."""
    agreement: GradeAgreement
    runs: tuple[str, ...] = ()
    changes: tuple[RankingChange, ...] = ()
    """One per measure; empty without runs."""
    groups: tuple[str, ...] = ()
    """The group of each run, if groups were given."""
    plan: SignificancePlan | None = None
    rank_table: RankTable | None = None
    """The runs against the documents that either judged."""

    def table(self) -> Table:
        """The coefficients of agreement."""
        found, intervals = self.agreement.coefficients(), self.agreement.intervals
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (name, value, *intervals.get(name, (None, None))) for name, value in found.items()
        )
        return Table(
            ("agreement of judges", "value", "95 % from", "to"),
            rows,
            title=f"{self.names[0]} and {self.names[1]}",
            notes=self.notes(),
        )

    def notes(self) -> tuple[str, ...]:
        """What a reader must know: what was compared and what was left out."""
        each = self.agreement
        treated = "count as not relevant" if each.unjudged == "nonrelevant" else "are left out"
        lone = sum(map(len, self.only))
        return (
            f"{len(self.topics)} topics, {each.judged:,} documents compared; relevant: grade {each.rel} or more.",
            f"Judged by one only: {each.only[0]:,} and {each.only[1]:,} documents, which {treated} here.",
            *([f"{lone} topics that only one judged are left out."] if lone else []),
        )

    def grades_table(self) -> Table:
        """One row per grade of the first judge, one column per grade of the second."""
        grades, counts = self.agreement.grades, self.agreement.counts
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (f"grade {grade}", *map(int, counts[at])) for at, grade in enumerate(grades)
        )
        return Table(
            (f"{self.names[0]} ↓  {self.names[1]} →", *(f"grade {grade}" for grade in grades)),
            rows,
            title="Documents by both grades",
        )

    def overlap_table(self) -> Table:
        """For each level, how many documents each finds relevant, and how far these sets overlap."""
        rows: list[tuple[Value, ...]] = []
        for level, (first, second, both) in self.agreement.overlap().items():
            union = first + second - both
            shares = (both / union if union else None, self.agreement.topic_overlap(level))
            found = (both / first if first else None, both / second if second else None)
            rows.append((f"≥ {level}", first, second, both, *shares, *found))
        columns = (
            "grade",
            self.names[0],
            self.names[1],
            "both",
            "overlap",
            "mean per topic",
            "of the first",
            "of the second",
        )
        return Table(columns, tuple(rows), title="Overlap by grade", notes=("Overlap: intersection / union.",))

    def changes_table(self) -> Table:
        """One row per measure: how far the two sets of judgements rank the runs alike."""
        rows: list[tuple[Value, ...]] = []
        for each in self.changes:
            fall = int(each.drops.max())
            name = self.runs[int(each.drops.argmax())] if fall > 0 else None
            low, high = each.limits
            pairs = (len(each.reversals), int(sum(each.categories[2:4])))
            rows.append((each.measure, each.tau, each.tau_ap, each.rbo, fall, name, *pairs, each.bias, low, high))
        heads = ("max drop", "dropped most", "reversals", "significant for one", "bias", "limits", "to")
        topics = {each.topics for each in self.changes}
        counted = " to ".join(str(number) for number in dict.fromkeys((min(topics), max(topics)))) if topics else "0"
        plan = f"; {self.plan}" if self.plan is not None else ""
        return Table(
            ("measure", "τ", "τ_AP", "RBO", *heads),
            tuple(rows),
            title="The runs under both sets of judgements",
            notes=(
                f"{len(self.runs)} runs, {counted} topics with a relevant document for both{plan}.",
                (
                    f"RBO: p = {PERSISTENCE:g}. Max drop: places that a run loses under {self.names[1]}. "
                    "Reversals: pairs of runs that are significantly different in opposite directions."
                ),
                f"Bias and limits of agreement (Bland & Altman): total under {self.names[1]} minus {self.names[0]}.",
            ),
            digits=3,
        )

    def runs_table(self) -> Table:
        """The runs under the first measure, from those that profit most from the second judgements to the least."""
        each = self.changes[0]
        places, drops = each.places, each.drops
        order = sorted(range(len(self.runs)), key=lambda run: (drops[run], -each.differences[run], self.runs[run]))
        rows: list[tuple[Value, ...]] = [
            (
                self.runs[run],
                *([self.groups[run]] if self.groups else []),
                *map(float, each.totals[:, run]),
                float(each.differences[run]),
                *map(int, places[:, run]),
                -int(drops[run]),
            )
            for run in order
        ]
        columns = (
            "run",
            *(["group"] if self.groups else []),
            *self.names,
            "change",
            "place",
            "place then",
            "places won",
        )
        whole = Table(columns, tuple(rows), title=f"Which runs profit: {each.measure}")
        if len(rows) <= 2 * EXTREMES:
            return whole
        left = len(rows) - 2 * EXTREMES
        note = f"{left} runs in between are left out; --format csv has them all."
        shown_rows = (*rows[:EXTREMES], *rows[-EXTREMES:])
        return Table(columns, shown_rows, title=whole.title, notes=(note,), complete=whole)

    def groups_table(self) -> Table:
        """One row per group under the first measure: whether the second judge favours the runs of the group."""
        every = [
            (each.measure, bias.group, bias.runs, bias.preference, bias.p, bias.adjusted)
            for each in self.changes
            for bias in sorted(each.groups, key=lambda bias: (bias.p, bias.group))
        ]
        columns = ("measure", "group", "runs", "preference", "p", "p, Holm")
        own = tuple(row for row in every if row[0] == self.changes[0].measure)
        title = f"Does {self.names[1]} favour a group?"
        preference = (
            f"Preference: how much higher the group's runs score under {self.names[1]} than other runs with the same "
            f"total under {self.names[0]} (analysis of covariance)."
        )
        test = (
            f"p by permutation, and corrected for {len(own)} groups by Holm's method. Runs of one group that are "
            "variants of each other are not independent: then p is too small."
        )
        notes = (preference, test)
        return Table(columns, own, title=title, notes=notes, complete=Table(columns, tuple(every), title=title))

    def tables(self) -> tuple[Table, ...]:
        """All tables: agreement, grades, overlap; and with runs their ranking, the runs, and the groups."""
        found = [self.table(), self.grades_table(), self.overlap_table()]
        if self.changes:
            found += [self.changes_table(), self.runs_table()]
        if any(each.groups for each in self.changes):
            found.append(self.groups_table())
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`; None where a coefficient is undefined."""
        each = self.agreement
        return {
            "judges": list(self.names),
            "topics": len(self.topics),
            "topics_of_one": [len(only) for only in self.only],
            "documents": each.judged,
            "documents_of_one": list(each.only),
            "unjudged": each.unjudged,
            "rel": each.rel,
            "agreement": {name: finite_or_none(value) for name, value in each.coefficients().items()},
            "intervals": {name: [*map(finite_or_none, ends)] for name, ends in each.intervals.items()},
            "grades": list(each.grades),
            "counts": each.counts.tolist(),
            "overlap": {
                str(level): {
                    "first": first,
                    "second": second,
                    "both": both,
                    "overlap": both / (first + second - both) if first + second else None,
                    "mean_per_topic": finite_or_none(each.topic_overlap(level)),
                }
                for level, (first, second, both) in each.overlap().items()
            },
            "runs": list(self.runs),
            "measures": [self.change_to_dict(change) for change in self.changes],
        }

    def change_to_dict(self, each: RankingChange) -> dict[str, Any]:
        """One measure, for `--json`."""
        drop = int(each.drops.max())
        return {
            "measure": each.measure,
            "topics": each.topics,
            "tau": finite_or_none(each.tau),
            "tau_ap": finite_or_none(each.tau_ap),
            "rbo": finite_or_none(each.rbo),
            "max_drop": drop,
            "dropped_most": self.runs[int(each.drops.argmax())] if drop > 0 else None,
            "bias": finite_or_none(each.bias),
            "limits": [*map(finite_or_none, each.limits)],
            "pairs": dict(zip(CATEGORIES, each.categories, strict=True)),
            "reversals": [[self.runs[first], self.runs[second]] for first, second in each.reversals],
            "totals": {run: [*map(finite_or_none, each.totals[:, at])] for at, run in enumerate(self.runs)},
            "groups": [
                {
                    "group": bias.group,
                    "runs": bias.runs,
                    "preference": finite_or_none(bias.preference),
                    "p": finite_or_none(bias.p),
                    "p_holm": finite_or_none(bias.adjusted),
                }
                for bias in each.groups
            ],
        }


def compare_judges(
    first: object,
    second: object,
    runs: object = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    rel: int = 1,
    unjudged: Unjudged = "skip",
    groups: Mapping[str, str] | None = None,
    test: str = "t",
    correction: str = "none",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    topics: Sequence[str] | None = None,
    without: Sequence[str] = (),
    duplicates: Duplicates = "error",
    malformed: Malformed = "error",
    ties: Ties = "docid",
    depth: int | None = None,
    order: Order = "score",
    names: Names = "file",
    progress: Callable[[int, int], None] | None = None,
) -> JudgeComparison:
    """Compare two sets of judgements of the same topics, and the order of the runs under each.

    Args:
        first: The first judgements, as for `rank_table`; the reference where one is needed.
        second: The second judgements.
        runs: The runs, as for `rank_table`; None compares the judgements alone.
        measures: The measures to rank the runs by.
        rel: The lowest grade that counts as relevant.
        unjudged: A document that only one judged: `skip` leaves it out of the agreement, `nonrelevant` takes it as not
            relevant for the other, as for citations, which are positive only. Scores of runs are not affected.
        groups: The group of each run; then the preference of the second judge for each group is tested.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        correction: The correction over the pairs of runs: `holm`, `bh`, `bonferroni` or `none`.
        alpha: The significance level.
        samples: The number of bootstrap samples of topics, and of permutations of groups.
        seed: Random seed; the same seed gives the same results.
        topics: Only these topics.
        without: Topics to leave out.
        duplicates: As for `rank_table`.
        malformed: As for `rank_table`.
        ties: As for `rank_table`.
        depth: As for `rank_table`.
        order: As for `rank_table`.
        names: As for `rank_table`.
        progress: Called with (done, total) while the runs are read.
    """
    chosen = parse_measures(measures)
    plan = SignificancePlan(test=test, correction=correction, alpha=alpha, sampling=Sampling(10_000, seed))
    RELEVANCE.check(rel, "rel")
    check_count(samples, "samples")
    check_seed(seed)
    policies = Policies(duplicates, malformed, ties, depth, order)
    pair = pair_judgements(first, second, policies=policies, topics=topics, without=without)
    agreement = agree_on_grades(pair, rel, unjudged, samples, seed)
    if runs is None:
        return JudgeComparison(pair.names, pair.topics, pair.only, agreement)
    table = rank_table(
        pair.united(),
        runs,
        duplicates=duplicates,
        malformed=malformed,
        ties=ties,
        depth=depth,
        order=order,
        names=names,
        progress=progress,
    )
    if len(table.runs) < 2:
        raise UsageError("the order of runs needs at least two of them, but got 1; add another run, or give none")
    members = assign_groups(table.runs, groups) if groups is not None else ()
    sides = pair.split(table)
    changes = tuple(compare_rankings(each, sides, table.runs, plan, members, samples) for each in chosen)
    return JudgeComparison(pair.names, pair.topics, pair.only, agreement, table.runs, changes, members, plan, table)


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
    return GradeAgreement(
        grades, found.by_topic, rel, unjudged, alone, intervals=bootstrap_intervals(found, samples, seed)
    )


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
    totals = np.array([measure.aggregate(each) for each in values])
    check_totals(totals[None], [measure], runs)
    direction = -1 if measure.definition.better == "lower" else 1
    rounded = np.round(direction * totals, TIE_DECIMALS)
    terms = measure.definition.aggregate.transform(values)
    categories, reversals = compare_verdicts(str(measure), terms, totals, runs, plan, direction)
    return RankingChange(
        measure=str(measure),
        better=measure.definition.better,
        totals=totals,
        topics=int((~lacking).sum()),
        tau=float(kendall_many(rounded[0], rounded[1:])[0]),
        tau_ap=float(tau_ap_many(rounded[0], rounded[1:])[0]),
        rbo=rank_biased_overlap(rounded[0], rounded[1]),
        categories=categories,
        reversals=reversals,
        groups=find_preferences(direction * totals, groups, samples, plan.sampling.seed),
    )


def compare_verdicts(
    name: str, values: Floats, totals: Floats, runs: Sequence[str], plan: SignificancePlan, direction: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The pairs of runs by `CATEGORIES`, and those with opposite significant differences; none with one topic."""
    pairs = all_pairs(len(runs))
    if values.shape[2] < 2:
        raise UsageError(f"{name}: one topic has a relevant document under both; a paired test needs two")
    if np.isinf(values).any():
        run = shown(runs[int(np.argwhere(np.isinf(values))[0][1])])
        raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    verdicts = np.stack([run_tests(name, each, pairs, runs, plan, direction=direction).verdicts for each in values])
    rounded = np.round(direction * totals, TIE_DECIMALS)
    ahead = np.sign(rounded[:, pairs.first] - rounded[:, pairs.second])
    number = np.count_nonzero(verdicts, axis=0)
    # A significant difference has the sign of the test, which for Wilcoxon's need not be that of the means.
    signs = np.where(verdicts != 0, verdicts, ahead)
    opposite = signs[0] * signs[1] < 0
    counts = [int(((number == count) & (opposite == other)).sum()) for count in (2, 1, 0) for other in (False, True)]
    reversed_pairs = np.flatnonzero((number == 2) & opposite)
    found = [
        (int(pairs.first[at]), int(pairs.second[at])) if verdicts[0, at] > 0
        else (int(pairs.second[at]), int(pairs.first[at]))
        for at in reversed_pairs.tolist()
    ]  # fmt: skip
    return tuple(counts), tuple(found)


def find_preferences(totals: Floats, groups: tuple[str, ...], samples: int, seed: int) -> tuple[GroupBias, ...]:
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
    weights = np.stack([np.linalg.pinv(np.column_stack([line, each]))[2] for each in member])
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
