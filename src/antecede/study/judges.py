"""Two sets of judgements of the same topics: how far they agree, and what the difference does to system rankings.

People against a language model, two assessors, X citations against A citations. Agreement alone does not decide
whether one can replace the other (Voorhees, SIGIR 1998): judgements that differ much may still rank systems alike, and
judgements that agree well may favour one kind of system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from antecede.comparison.correlation import PERSISTENCE
from antecede.comparison.significance import Sampling, SignificancePlan
from antecede.errors import UsageError
from antecede.evaluation.audit import list_caveats
from antecede.evaluation.rank_table import Names, RankTable, rank_table
from antecede.measures.names import DEFAULT_MEASURES, parse_measures
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE, SAMPLES
from antecede.results import concise_repr, to_json
from antecede.study.judge_agreement import CATEGORIES, agree_on_grades, compare_rankings, pair_judgements
from antecede.study.judgement_loss import assign_groups
from antecede.tables import PValue, Table, Tabled, Value
from antecede.trec.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from antecede.measures.definition import Measure
    from antecede.study.judge_agreement import GradeAgreement, RankingChange, Unjudged
    from antecede.trec.policies import Duplicates, Malformed, Order, Ties

EXTREMES = 5
"""Runs shown at either end of a long list of runs."""
REVERSALS = "Reversals: pairs of runs that are significantly different in opposite directions."


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
        note = f"{left} runs in between are left out; --format csv has them all."
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
    SAMPLES.check(samples, "the number of samples")
    policies = Policies(duplicates, malformed, ties, depth, order)
    pair = pair_judgements(first, second, policies, topics, without)
    agreement = agree_on_grades(pair, rel, unjudged, samples, seed)
    if runs is None:
        return JudgeComparison(pair.names, pair.topics, pair.only, agreement)
    table = rank_table(pair.united(), runs, **vars(policies), names=names, progress=progress)
    if len(table.runs) < 2:
        raise UsageError("the order of runs needs at least two of them, but got 1; add another run, or give none")
    members = assign_groups(table.runs, groups) if groups is not None else ()
    sides = pair.split(table)
    changes = tuple(compare_rankings(measure, sides, table.runs, plan, members, samples) for measure in chosen)
    return JudgeComparison(pair.names, pair.topics, pair.only, agreement, table.runs, changes, members, plan, table)
