"""Two sets of judgements of the same topics: how far they agree, and what the difference does to system rankings.

People against a language model, two assessors, X citations against A citations. Agreement alone does not decide
whether one can replace the other (Voorhees, SIGIR 1998): judgements that differ much may still rank systems alike, and
judgements that agree well may favour one kind of system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import numpy as np
import polars as pl

from antecede.comparison.correlation import (
    PERSISTENCE,
    GradeAgreement,
    coefficient,
    count_grades,
    rank_biased_overlap,
)
from antecede.comparison.effect_sizes import draw_topics
from antecede.comparison.inputs import Floats, Ints, check_totals
from antecede.comparison.significance import CORRECTIONS, GivenPlan, SignificancePlan, all_pairs, run_tests
from antecede.errors import InputError, UsageError, advise, printable, spell, suggest_names
from antecede.evaluation.audit import list_caveats
from antecede.evaluation.rank_table import GivenReading, RankTable, Reading, rank_table
from antecede.measures.definition import mean
from antecede.measures.names import DEFAULT_MEASURES, parse_measure, parse_measures
from antecede.operations import Bundle, Help, operation
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE
from antecede.results import concise_repr, to_json
from antecede.study.judgement_loss import assign_groups
from antecede.study.robustness import rank_runs
from antecede.tables import PValue, Table, Tabled, Value
from antecede.trec.qrels import read_qrels, sort_topics

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typing_extensions import Unpack

    from antecede.measures.definition import Measure
    from antecede.measures.names import Measures
    from antecede.measures.ranks import Ranks
    from antecede.operations import Level, Progress
    from antecede.study.judgement_loss import Groups
    from antecede.trec.qrels import Qrels
    from antecede.trec.reader import Policies

Unjudged = Literal["skip", "nonrelevant"]
INTERVAL = 0.95
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
        return read_qrels(
            self.frame.select("topic_id", "doc_id", relevance=pl.max_horizontal("first", "second").cast(pl.Int32))
        )

    def split(self, table: RankTable) -> tuple[Ranks, Ranks]:
        """The ranks of a table of the united judgements, under the judgements of each."""
        topic_ids = pl.Series(table.topics, dtype=pl.String).gather(table.ranks.topic)
        pairs = pl.DataFrame({"topic_id": topic_ids, "doc_id": table.doc_ids})
        both = pairs.join(self.frame, on=["topic_id", "doc_id"], how="left", maintain_order="left")
        sides = [(grades, np.flatnonzero(grades != NOT_JUDGED)) for grades in _read_grades(both)]
        first, second = (
            replace(table.ranks.select(judged), relevance=grades[judged].astype(np.int32)) for grades, judged in sides
        )
        return first, second


def _read_grades(frame: pl.DataFrame) -> tuple[Ints, Ints]:
    """The grades of each document by both assessors, `NOT_JUDGED` where there is none."""
    first, second = (frame[name].fill_null(NOT_JUDGED).to_numpy().astype(np.int64) for name in ("first", "second"))
    return first, second


def pair_judgements(
    first: object, second: object, policies: Policies, topics: Sequence[str] | None, without: Sequence[str]
) -> JudgementPair:
    """Read two sets of judgements and align them; refuse two that have no topic in common."""
    both = [read_qrels(given, policies) for given in (first, second)]
    common = {*both[0].topics} & {*both[1].topics}
    if not common:
        some = [printable(", ".join(qrels.topics[:3]), 40) for qrels in both]
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
        raise UsageError(f"topic {printable(unknown)!r} is not judged by both{near}; name topics of both qrels")
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


def agree_on_grades(pair: JudgementPair, rel: int, unjudged: Unjudged, samples: int, seed: int) -> GradeAgreement:
    """The agreement of the two assessors; refuse two that have no document in common."""
    if unjudged not in get_args(Unjudged):
        raise UsageError(f"unjudged: there is no {printable(str(unjudged))!r}; choose one of skip, nonrelevant")
    first, second = _read_grades(pair.frame)
    seen = np.stack([first >= 0, second >= 0])
    used = seen.all(axis=0) if unjudged == "skip" else seen.any(axis=0)
    if not used.any():
        raise InputError(
            f"no document is judged by both, in {len(pair.topics)} common topics",
            source=f"{pair.names[0]}, {pair.names[1]}",
            remedy="give judgements of the same documents, or count what only one judged as not relevant "
            f"({spell('unjudged', 'nonrelevant')})",
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
    times = draw_topics(topics, samples, seed)
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
        return float(mean(self.differences))

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
    higher = direction * totals
    terms = measure.definition.aggregate.transform(values)
    categories, reversals = _compare_verdicts(str(measure), terms, higher, runs, plan, direction)
    return RankingChange(
        measure=str(measure),
        better=measure.definition.better,
        totals=totals,
        topics=values.shape[2],
        tau=coefficient(higher[0], higher[1]),
        tau_ap=coefficient(higher[0], higher[1], "tau_ap"),
        rbo=rank_biased_overlap(higher[0], higher[1]),
        categories=categories,
        reversals=reversals,
        groups=_find_preferences(higher, groups, samples, plan.seed),
    )


def _compare_verdicts(
    name: str, values: Floats, totals: Floats, runs: Sequence[str], plan: SignificancePlan, direction: int
) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """The pairs of runs by `CATEGORIES`, and those with opposite significant differences; none with one topic."""
    pairs = all_pairs(len(runs))
    if values.shape[2] < 2:
        raise UsageError(f"{name}: one topic has a relevant document under both; a paired test needs two")
    if np.isinf(values).any():
        run = printable(runs[int(np.argwhere(np.isinf(values))[0][1])])
        raise UsageError(f"{name}: run {run} has an infinite score; set docs=, or choose another measure")
    verdicts = np.stack(
        [run_tests(name, of_judge, pairs, runs, plan, direction=direction).verdicts for of_judge in values]
    )
    ahead = np.sign(totals[:, pairs.first] - totals[:, pairs.second])
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


# The comparison


EXTREMES = 5
"""Runs shown at either end of a long list of runs."""
REVERSALS = "Reversals: pairs of runs that are significantly different in opposite directions."


@dataclass(frozen=True, eq=False, repr=False)
class JudgeComparison(Tabled, PlotMixin):
    """Agreement of two sets of judgements, and its effect on the ranking of the runs, if there are any."""

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

    @property
    def advice(self) -> tuple[str, ...]:
        """What the runs or the qrels lack, and how it is scored."""
        measures = [parse_measure(change.measure) for change in self.changes]
        return () if self.rank_table is None else list_caveats(self.rank_table, measures=measures)

    def table(self) -> Table:
        """The coefficients of agreement."""
        intervals = self.agreement.intervals
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (name, value, *intervals.get(name, (None, None))) for name, value in self.agreement.coefficients().items()
        )
        title = f"{self.names[0]} and {self.names[1]}"
        return Table(("agreement of judges", "value", "95 % from", "to"), rows, title=title, notes=self.notes())

    def notes(self) -> tuple[str, ...]:
        """What a reader must know: what was compared and what was left out."""
        agreement = self.agreement
        treated = "count as not relevant" if agreement.unjudged == "nonrelevant" else "are left out"
        lone = sum(map(len, self.only))
        compared = f"{len(self.topics)} topics, {agreement.judged:,} documents compared"
        return (
            f"{compared}; relevant: grade {agreement.rel} or more.",
            f"Judged by one only: {agreement.only[0]:,} and {agreement.only[1]:,} documents, which {treated} here.",
            *([f"{lone} topics that only one judged are left out."] if lone else []),
        )

    def grades_table(self) -> Table:
        """One row per grade of the first judge, one column per grade of the second."""
        labels = [f"grade {grade}" for grade in self.agreement.grades]
        rows = tuple((label, *counts) for label, counts in zip(labels, self.agreement.counts.tolist(), strict=True))
        columns = (f"{self.names[0]} ↓  {self.names[1]} →", *labels)
        return Table(columns, rows, title="Documents by both grades")

    def overlap_table(self) -> Table:
        """For each level, how many documents each finds relevant, and how far these sets overlap."""
        rows: list[tuple[Value, ...]] = []
        for level, (first, second, both) in self.agreement.overlap().items():
            shares = [both / whole if whole else None for whole in (first + second - both, first, second)]
            mean = self.agreement.topic_overlap(level)
            rows.append((f"≥ {level}", first, second, both, shares[0], mean, *shares[1:]))
        columns = ("grade", *self.names, "both", "overlap", "mean per topic", "of the first", "of the second")
        return Table(columns, tuple(rows), title="Overlap by grade", notes=("Overlap: intersection / union.",))

    def _dropped_most(self, change: RankingChange) -> tuple[int, str | None]:
        """The most places that a run loses, and the run; None where no run loses any."""
        drop = int(change.drops.max())
        return drop, self.runs[int(change.drops.argmax())] if drop > 0 else None

    def changes_table(self) -> Table:
        """One row per measure: how far the two sets of judgements rank the runs alike."""
        rows: list[tuple[Value, ...]] = []
        for change in self.changes:
            order = (change.tau, change.tau_ap, change.rbo, *self._dropped_most(change))
            counts = (len(change.reversals), sum(change.categories[2:4]))
            rows.append((change.measure, *order, *counts, change.bias, *change.limits))
        heads = ("max drop", "dropped most", "reversals", "significant for one", "bias", "limits", "to")
        topics = sorted({change.topics for change in self.changes})
        counted = " to ".join(map(str, dict.fromkeys((topics[0], topics[-1])))) if topics else "0"
        plan = f"; {self.plan}" if self.plan is not None else ""
        return Table(
            ("measure", "τ", "τ_AP", "RBO", *heads),
            tuple(rows),
            title="The runs under both sets of judgements",
            notes=(
                f"{len(self.runs)} runs, {counted} topics with a relevant document for both{plan}.",
                f"RBO: p = {PERSISTENCE:g}. Max drop: places that a run loses under {self.names[1]}. {REVERSALS}",
                f"Bias and limits of agreement (Bland & Altman): total under {self.names[1]} minus {self.names[0]}.",
                *(f"Note: {text}" for text in self.advice),
            ),
            digits=3,
        )

    def runs_table(self) -> Table:
        """The runs under the first measure, from those that profit most from the second judgements to the least."""
        change = self.changes[0]
        places, drops, differences = change.places, change.drops, change.differences
        rows: list[tuple[Value, ...]] = []
        for run in sorted(range(len(self.runs)), key=lambda run: (drops[run], -differences[run], self.runs[run])):
            moved = (float(differences[run]), *places[:, run].tolist(), -int(drops[run]))
            rows.append((self.runs[run], *self.groups[run : run + 1], *change.totals[:, run].tolist(), *moved))
        group = ["group"] if self.groups else []
        columns = ("run", *group, *self.names, "change", "place", "place then", "places won")
        whole = Table(columns, tuple(rows), title=f"Which runs profit: {change.measure}")
        left = len(rows) - 2 * EXTREMES
        if left <= 0:
            return whole
        note = f"{left} runs in between are left out; {advise('complete', '--format csv')} has them all."
        return replace(whole, rows=(*rows[:EXTREMES], *rows[-EXTREMES:]), notes=(note,), complete=whole)

    def groups_table(self) -> Table:
        """One row per group under the first measure: whether the second judge favours the runs of the group."""
        every = [
            (change.measure, bias.group, bias.runs, bias.preference, PValue(bias.p), PValue(bias.adjusted))
            for change in self.changes
            for bias in sorted(change.groups, key=lambda bias: (bias.p, bias.group))
        ]
        columns = ("measure", "group", "runs", "preference", "p", "p, Holm")
        whole = Table(columns, tuple(every), title=f"Does {self.names[1]} favour a group?")
        own = tuple(row for row in every if row[0] == self.changes[0].measure)
        preference = (
            f"Preference: how much higher the group's runs score under {self.names[1]} than other runs with the same "
            f"total under {self.names[0]} (analysis of covariance)."
        )
        test = (
            f"p by permutation, and corrected for {len(own)} groups by Holm's method. Runs of one group that are "
            "variants of each other are not independent: then p is too small."
        )
        return replace(whole, rows=own, notes=(preference, test), complete=whole)

    def tables(self) -> tuple[Table, ...]:
        """All tables: agreement, grades, overlap; and with runs their ranking, the runs, and the groups."""
        tables = [self.table(), self.grades_table(), self.overlap_table()]
        if self.changes:
            tables += [self.changes_table(), self.runs_table()]
        if any(change.groups for change in self.changes):
            tables.append(self.groups_table())
        return tuple(tables)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`; None where a coefficient is undefined."""
        agreement = self.agreement
        overlap = {}
        for level, (first, second, both) in agreement.overlap().items():
            share = both / (first + second - both) if first + second else None
            overlap[level] = {"first": first, "second": second, "both": both, "overlap": share}
            overlap[level]["mean_per_topic"] = agreement.topic_overlap(level)
        document = {
            "judges": self.names,
            "topics": len(self.topics),
            "topics_of_one": [len(only) for only in self.only],
            "documents": agreement.judged,
            "documents_of_one": agreement.only,
            "unjudged": agreement.unjudged,
            "rel": agreement.rel,
            "agreement": agreement.coefficients(),
            "intervals": agreement.intervals,
            "grades": agreement.grades,
            "counts": agreement.counts,
            "overlap": overlap,
            "runs": self.runs,
            "measures": [self._change_to_dict(change) for change in self.changes],
            **({"advice": self.advice} if self.advice else {}),
        }
        return dict(to_json(document))

    def _change_to_dict(self, change: RankingChange) -> dict[str, Any]:
        drop, dropped_most = self._dropped_most(change)
        document = {
            **{name: getattr(change, name) for name in ("measure", "topics", "tau", "tau_ap", "rbo")},
            "max_drop": drop,
            "dropped_most": dropped_most,
            "bias": change.bias,
            "limits": change.limits,
            "pairs": dict(zip(CATEGORIES, change.categories, strict=True)),
            "reversals": [[self.runs[run] for run in pair] for pair in change.reversals],
            "totals": dict(zip(self.runs, change.totals.T, strict=True)),
            "groups": [
                {"group": of.group, "runs": of.runs, "preference": of.preference, "p": of.p, "p_holm": of.adjusted}
                for of in change.groups
            ],
        }
        return dict(to_json(document))


@dataclass(frozen=True)
class Judging(Bundle):
    """What counts as relevant and as judged, and the groups of runs that a judge may favour."""

    rel: Level = 1
    unjudged: Annotated[
        Unjudged,
        Help("A document that only one judged: left out of the agreement, or not relevant for the other."),
    ] = "skip"
    groups: Groups = None


class GivenJudging(GivenPlan, GivenReading, total=False):
    """What a comparison of judges takes as keyword arguments, for type checkers."""

    rel: int
    unjudged: Unjudged
    groups: Mapping[str, str] | None


@operation
def judges(
    first: Annotated[object, Help("The judgements of the first judge, the reference.", argument="QRELS_A", path=True)],
    second: Annotated[object, Help("Those of the second.", argument="QRELS_B", path=True)],
    runs: Annotated[
        object, Help("Runs, in any form; NAME=PATH gives one a name.", argument="[RUN...]", path=True)
    ] = None,
    measures: Measures = DEFAULT_MEASURES,
    *,
    judging: Judging = Judging(),
    plan: SignificancePlan = SignificancePlan(correction="none", samples=1000),
    reading: Reading = Reading(),
    progress: Progress | None = None,
    **_given: Unpack[GivenJudging],
) -> JudgeComparison:
    """Compare two sets of judgements of the same topics, and what they make of the order of the runs.

    The two may be people and a language model, two assessors, or X and A citations.

    Args:
        first: The first judgements, as for `rank_table`; the reference where one is needed.
        second: The second judgements.
        runs: The runs, as for `rank_table`; None compares the judgements alone.
        measures: The measures to rank the runs by.
        progress: Called with (done, total) while the runs are read.
        judging: What counts, as one value. A document that only one judged is left out of the agreement, or not
            relevant for the other, as for citations, which are positive only. Scores of runs are not affected.
        plan: The test of the runs, as one value; `samples` are those of the bootstrap over topics, and permutations of
            groups, which are tested where there are groups.
        reading: How qrels and runs are read, as one value.

    Shell:
        antecede study judges qrels.txt other-qrels.txt
        antecede study judges qrels.txt other-qrels.txt runs/*.gz -m AP@1000,PRES@1000 --figure judges.svg
        antecede study judges qrels.txt other-qrels.txt runs/*.gz -m PRES@1000 --groups groups.txt
        antecede study judges x-citations.txt a-citations.txt a.run b.run -m RR --unjudged nonrelevant
    """
    rel, samples, groups = judging.rel, plan.samples, judging.groups
    if groups is not None and runs is None:
        raise UsageError(f"{spell('groups')} needs runs; name them after the two qrels")
    RELEVANCE.check(rel, "rel")
    chosen = parse_measures(measures, rel=None if rel == 1 else rel)
    plan = replace(plan, samples=SignificancePlan.samples)
    pair = pair_judgements(first, second, reading.policies, reading.topics, reading.without_topics)
    agreement = agree_on_grades(pair, rel, judging.unjudged, samples, plan.seed)
    if runs is None:
        return JudgeComparison(pair.names, pair.topics, pair.only, agreement)
    reading = replace(reading, topics=None, without_topics=())
    table = rank_table(pair.united(), runs, reading=reading, progress=progress)
    if len(table.runs) < 2:
        raise UsageError("the order of runs needs at least two of them, but got 1; add another run, or give none")
    members = assign_groups(table.runs, groups) if groups is not None else ()
    sides = pair.split(table)
    changes = tuple(compare_rankings(measure, sides, table.runs, plan, members, samples) for measure in chosen)
    return JudgeComparison(pair.names, pair.topics, pair.only, agreement, table.runs, changes, members, plan, table)
