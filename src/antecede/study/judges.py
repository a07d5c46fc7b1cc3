"""Two sets of judgements of the same topics: how far they agree, and what the difference does to system rankings.

People against a language model, two assessors, X citations against A citations. Agreement alone does not decide
whether one can replace the other (Voorhees, SIGIR 1998): judgements that differ much may still rank systems alike, and
judgements that agree well may favour one kind of system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from antecede.comparison.correlation import PERSISTENCE
from antecede.comparison.inputs import check_count, check_seed, finite_or_none
from antecede.comparison.significance import Sampling, SignificancePlan
from antecede.errors import UsageError
from antecede.evaluation.audit import list_caveats
from antecede.evaluation.build import rank_table
from antecede.measures.names import DEFAULT_MEASURES, parse_measures
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE
from antecede.results import concise_repr
from antecede.study.grade_agreement import agree_on_grades
from antecede.study.judgement_loss import assign_groups
from antecede.study.judgement_pair import pair_judgements
from antecede.study.ranking_change import CATEGORIES, compare_rankings
from antecede.tables import PValue, Table, Tabled
from antecede.trec.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from antecede.evaluation.build import Names
    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.definition import Measure
    from antecede.study.grade_agreement import GradeAgreement
    from antecede.study.judgement_pair import Unjudged
    from antecede.study.ranking_change import RankingChange
    from antecede.tables import Value
    from antecede.trec.policies import Duplicates, Malformed, Order, Ties

EXTREMES = 5
"""Runs shown at either end of a long list of runs."""


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

    @property
    def advice(self) -> tuple[str, ...]:
        """What the runs or the qrels lack, and how it is scored."""
        return () if self.rank_table is None else list_caveats(self.rank_table)

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
                *(f"Note: {text}" for text in self.advice),
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
            (each.measure, bias.group, bias.runs, bias.preference, PValue(bias.p), PValue(bias.adjusted))
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
            **({"advice": [*self.advice]} if self.advice else {}),
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
