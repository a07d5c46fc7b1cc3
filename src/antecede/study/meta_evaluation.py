"""Meta-evaluation: which measures are both robust to missing judgements and able to tell runs apart?

Robustness is Kendall's τ of the order of the runs under a sample of the judgements with that under all of them (Magdy &
Jones, CLEF 2010); discriminative power is the share of the pairs of runs that a paired test tells apart (Sakai, SIGIR
2006). Either alone can be had cheaply: a measure that ignores half of the ranking may be very robust and tell little
apart. Neither says that a measure is valid, that is, that it measures what a searcher needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.comparison.agreement import discriminative_power
from antecede.comparison.inputs import TIE_DECIMALS, check_level, finite_or_none
from antecede.errors import AntecedeError, UsageError
from antecede.measures.definition import MEASURES
from antecede.measures.names import parse_measure, parse_measures
from antecede.plots import PlotMixin
from antecede.ranges import RELEVANCE
from antecede.results import concise_repr
from antecede.study.robustness import robustness
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from antecede.comparison.inputs import Flags, Floats
    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.definition import Measure, MeasureDefinition
    from antecede.study.robustness import Robustness
    from antecede.tables import Value

CUTOFFS = (10, 100, 1000)
PERCENT = 80
"""The level of recall of measures of effort."""
COVERAGE = frozenset({"Judged", "RBPresidual"})
"""Measures of how much of a ranking was judged, not of how good it is."""
RECALL = 0.1
"""The level of recall of interpolated precision."""


@dataclass(frozen=True, eq=False)
class MetaEvaluation(Tabled, PlotMixin):
    """Robustness and discriminative power of M measures."""

    __repr__ = concise_repr

    measures: tuple[str, ...]
    robustness: Robustness
    """At one level of loss."""
    power: Floats
    """float64[M]: the share of the pairs of runs with p ≤ α; NaN where the measure cannot be tested."""
    test: str
    alpha: float
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Measures that cannot be studied here, with the reason."""

    @property
    def tau(self) -> Floats:
        """float64[M]: the mean τ over the samples."""
        return np.asarray(self.robustness.mean[:, 0])

    @property
    def best(self) -> Flags:
        """bool[M]: measures to which no other is superior in both respects."""
        tau, power = self.tau, np.nan_to_num(self.power, nan=-1.0)
        at_least = (tau[None, :] >= tau[:, None]) & (power[None, :] >= power[:, None])
        above = (tau[None, :] > tau[:, None]) | (power[None, :] > power[:, None])
        return np.asarray(~(at_least & above).any(axis=1))

    def order(self) -> list[int]:
        """The measures, the most robust first."""
        return sorted(
            range(len(self.measures)), key=lambda m: (-np.nan_to_num(self.tau[m], nan=-2.0), self.measures[m])
        )

    def table(self) -> Table:
        """One row per measure, the most robust first; those to which no other is superior are marked."""
        study = self.robustness
        rows: list[tuple[Value, ...]] = []
        marked: set[tuple[int, int]] = set()
        best = self.best
        for m in self.order():
            ends = (float(study.low[m, 0]), float(study.high[m, 0]))
            power = 100 * float(self.power[m]) if np.isfinite(self.power[m]) else None
            if best[m]:
                marked |= {(len(rows), 1), (len(rows), 5)}
            rows.append((self.measures[m], float(self.tau[m]), float(study.worst[m, 0]), *ends, power))
        return Table(
            ("measure", "mean τ", "worst", "95 % from", "to", "told apart %"),
            tuple(rows),
            title=f"Robustness with {100 * study.keep[0]:g} % of the relevant documents, and discriminative power",
            notes=self.notes(),
            best=frozenset(marked),
            digits=3,
        )

    def notes(self) -> tuple[str, ...]:
        """The size of the study, how to read it, and what was left out."""
        study = self.robustness
        pairs = len(study.runs) * (len(study.runs) - 1) // 2
        reasons: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            reasons.setdefault(why, []).append(name)
        return (
            (
                f"{len(study.runs)} runs, {study.topics} topics, {study.relevant:,} relevant documents; "
                f"{study.samples} samples, seed {study.seed}."
            ),
            (
                f"Told apart: the share of {pairs:,} pairs of runs with p ≤ {self.alpha:g} in the {self.test} test, "
                "without correction. Marked: no other measure is at least as good in both, and better in one."
            ),
            *(f"Left out, {why}: {', '.join(names)}." for why, names in reasons.items()),
            *(f"Note: {text}" for text in study.advice),
        )

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        study, best = self.robustness, self.best
        return {
            "keep": study.keep[0],
            "samples": study.samples,
            "seed": study.seed,
            "runs": len(study.runs),
            "topics": study.topics,
            "test": self.test,
            "alpha": self.alpha,
            "measures": [
                {
                    "measure": self.measures[m],
                    "tau": finite_or_none(self.tau[m]),
                    "worst": finite_or_none(study.worst[m, 0]),
                    "low": finite_or_none(study.low[m, 0]),
                    "high": finite_or_none(study.high[m, 0]),
                    "told_apart": finite_or_none(self.power[m]),
                    "best": bool(best[m]),
                }
                for m in self.order()
            ],
            "left_out": dict(self.left_out),
            **({"advice": [*study.advice]} if study.advice else {}),
        }


def meta_evaluate(
    table: RankTable,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    keep: float = 0.2,
    samples: int = 200,
    seed: int = 0,
    cutoffs: Sequence[int] = CUTOFFS,
    docs: int | None = None,
    test: str = "t",
    alpha: float = 0.05,
    rel: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> MetaEvaluation:
    """Measure how robust and how discriminating measures are.

    Args:
        table: The rank table, from `rank_table`.
        measures: The measures to study; by default every registered one, at each cut-off if it has one.
        keep: The share of the relevant documents to keep in a sample.
        samples: The number of samples.
        seed: Random seed; the same seed loses the same judgements.
        cutoffs: The cut-offs of the measures that are chosen by default.
        docs: The number of documents in the collection, which some measures require; without it they are left out.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        alpha: The significance level.
        rel: The minimum relevance of a document that may be lost.
        progress: Called with (done, total).
    """
    check_level(alpha)
    RELEVANCE.check(rel, "rel")
    if len(table.runs) < 2:
        raise UsageError("measures are studied by the order of runs, which needs at least two, but got 1; add a run")
    asked = measures is not None
    grades = [int(grade) for grade in np.unique(table.ranks.relevance) if grade > 1]
    left_out: dict[str, str] = {}
    if measures is None:
        candidates = [*list_measures(cutoffs, docs, grades, left_out)]
    else:
        candidates = list(parse_measures(measures))
    chosen: list[Measure] = []
    for each in candidates:
        why = find_obstacle(each, table)
        if why is None:
            chosen.append(each)
        elif asked:
            raise UsageError(f"{each}: {why}; leave it out")
        else:
            left_out[str(each)] = why
    if not chosen:
        raise UsageError("no measure orders these runs; give runs that differ")
    study = robustness(table, chosen, keep=[keep], samples=samples, seed=seed, rel=rel, progress=progress)
    power = np.array([compute_power(each, table, test, alpha, seed) for each in chosen])
    return MetaEvaluation(study.measures, study, power, test, alpha, left_out)


def list_measures(
    cutoffs: Sequence[int], docs: int | None, grades: Sequence[int], left_out: dict[str, str]
) -> Iterator[Measure]:
    """Every registered measure with its parameters, at each cut-off; the others are noted with the reason."""
    for definition in MEASURES.values():
        if definition.better is None:
            left_out[definition.name] = "since neither more nor less is better"
        elif definition.name in COVERAGE:
            left_out[definition.name] = "since they describe the judgements rather than the runs"
        elif docs is None and any(each.name == "docs" and each.required for each in definition.parameters):
            left_out[definition.name] = "since they require the number of documents (--docs)"
        else:
            for written in write_notations(definition, cutoffs, docs, grades):
                yield parse_measure(written)


def write_notations(
    definition: MeasureDefinition, cutoffs: Sequence[int], docs: int | None, grades: Sequence[int]
) -> Iterator[str]:
    """The ways in which a measure is studied: with the size of the collection, at each cut-off and grade."""
    names = {each.name for each in definition.parameters}
    size = [f"docs={docs}"] if "docs" in names and docs is not None else []
    ends = {"cutoff": [f"@{cutoff}" for cutoff in cutoffs], "percent": [f"@{PERCENT}"], "recall": [f"@{RECALL:g}"]}
    for end in ends.get(definition.at or "", [""]):
        yield write_call(definition.name, size, end)
    if definition.name == "RR":  # the first document of a high grade: an X citation, where grades are categories
        for grade in grades:
            yield write_call(definition.name, [*size, f"rel={grade}"], "")


def write_call(name: str, inner: Sequence[str], end: str) -> str:
    """A measure as it is written."""
    return f"{name}({', '.join(inner)}){end}" if inner else f"{name}{end}"


def find_obstacle(measure: Measure, table: RankTable) -> str | None:
    """Why a measure cannot be studied with these runs; None if it can."""
    try:
        totals = np.round(measure.aggregate(measure.score(table.ranks)), TIE_DECIMALS)
    except AntecedeError as error:
        return f"since {error}"
    if np.isnan(totals).any():
        return "since no topic has a document that is relevant enough"
    if np.isinf(totals).any():
        return "since some run never reaches this recall (set docs=)"
    return "since all runs have the same total" if (totals == totals[0]).all() else None


def compute_power(measure: Measure, table: RankTable, test: str, alpha: float, seed: int) -> float:
    """The share of the pairs of runs that a measure tells apart; a geometric mean is tested by its logarithms."""
    scores = measure.score(table.ranks)
    values = measure.definition.aggregate.transform(scores[:, ~np.isnan(scores).any(axis=0)])
    if values.shape[1] < 2:
        return float("nan")
    found = discriminative_power(values, [alpha], test=test, seed=seed, runs=table.runs, measure=str(measure))
    return float(found.share[0])
