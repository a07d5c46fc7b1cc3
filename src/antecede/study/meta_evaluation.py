"""Meta-evaluation: which measures are both robust to missing judgements and able to tell runs apart?

Robustness is Kendall's τ of the order of the runs under a sample of the judgements with that under all of them (Magdy &
Jones, CLEF 2010); discriminative power is the share of the pairs of runs that a paired test tells apart (Sakai, SIGIR
2006). Either alone can be had cheaply: a measure that ignores half of the ranking may be very robust and tell little
apart. Neither says that a measure is valid, that is, that it measures what a searcher needs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import numpy as np

from antecede.comparison.agreement import discriminative_power
from antecede.comparison.inputs import Flags, Floats, check_level
from antecede.errors import AntecedeError, UsageError, spell
from antecede.measures.definition import MEASURES, Measure, MeasureDefinition
from antecede.measures.names import normalize_measure, parse_measure, parse_measures
from antecede.operations import Alpha, Bundle, Help, Samples, Seed, operation
from antecede.plots import PlotMixin
from antecede.ranges import DOCUMENTS, RELEVANCE, Range
from antecede.results import to_json
from antecede.study.judgement_loss import JudgementLoss
from antecede.study.robustness import Robustness, robustness
from antecede.tables import Table, Tabled

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from typing_extensions import Unpack

    from antecede.comparison.significance import Test
    from antecede.evaluation.rank_table import RankTable
    from antecede.measures.names import MeasureList
    from antecede.operations import Level, Progress

CUTOFFS = (10, 100, 1000)
PERCENT = 80
"""The level of recall of measures of effort."""
COVERAGE = frozenset({"Judged", "RBPresidual"})
"""Measures of how much of a ranking was judged, not of how good it is."""
RECALL = 0.1
"""The level of recall of interpolated precision."""
INFINITE_IN_SAMPLE = "since some run never reaches this recall in some sample (set docs=)"


@dataclass(frozen=True, eq=False, repr=False)
class MetaEvaluation(Tabled, PlotMixin):
    """Robustness and discriminative power of M measures."""

    measures: tuple[str, ...]
    robustness: Robustness
    """At one level of loss."""
    power: Floats
    """float64[M]: the share of the pairs of runs with p ≤ α; NaN where the measure cannot be tested."""
    test: Test
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
        tau = np.nan_to_num(self.tau, nan=-2.0)
        return sorted(range(len(self.measures)), key=lambda m: (-tau[m], self.measures[m]))

    def table(self) -> Table:
        """One row per measure, the most robust first; those to which no other is superior are marked."""
        study, best, order = self.robustness, self.best, self.order()
        tau = [values[:, 0].tolist() for values in (study.mean, study.worst, study.low, study.high)]
        power = [100 * float(share) if np.isfinite(share) else None for share in self.power]
        rows = tuple((self.measures[m], *(values[m] for values in tau), power[m]) for m in order)
        return Table(
            ("measure", "mean τ", "worst", "95 % from", "to", "told apart %"),
            rows,
            title=f"Robustness with {100 * study.keep[0]:g} % of the relevant documents, and discriminative power",
            notes=self.notes(),
            best=frozenset((row, column) for row, m in enumerate(order) if best[m] for column in (1, 5)),
            digits=3,
        )

    def notes(self) -> tuple[str, ...]:
        """The size of the study, how to read it, and what was left out."""
        study = self.robustness
        pairs = len(study.runs) * (len(study.runs) - 1) // 2
        reasons: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            reasons.setdefault(why, []).append(name)
        size = f"{len(study.runs)} runs, {study.topics} topics, {study.relevant:,} relevant documents"
        told = (
            f"the share of {pairs:,} pairs of runs with p ≤ {self.alpha:g} in the {self.test} test, without correction"
        )
        return (
            f"{size}; {study.samples} samples, seed {study.seed}.",
            f"Told apart: {told}. Marked: no other measure is at least as good in both, and better in one.",
            *(f"Left out, {why}: {', '.join(names)}." for why, names in reasons.items()),
            *(f"Note: {text}" for text in study.advice),
        )

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        study = self.robustness
        columns: dict[str, Any] = {
            "measure": self.measures,
            "tau": self.tau,
            "worst": study.worst[:, 0],
            "low": study.low[:, 0],
            "high": study.high[:, 0],
            "told_apart": self.power,
            "best": self.best,
        }
        document = {
            "keep": study.keep[0],
            "samples": study.samples,
            "seed": study.seed,
            "runs": len(study.runs),
            "topics": study.topics,
            "test": self.test,
            "alpha": self.alpha,
            "measures": [{name: values[m] for name, values in columns.items()} for m in self.order()],
            "left_out": self.left_out,
            **({"advice": study.advice} if study.advice else {}),
        }
        return dict(to_json(document))


@dataclass(frozen=True)
class MetaPlan(Bundle):
    """How many judgements are lost and how often, and the test that tells runs apart."""

    keep: Annotated[
        float,
        Range(0, 1, open_low=True, open_high=True),
        Help("The share of relevant documents in a sample."),
    ] = 0.2
    samples: Samples = 200
    seed: Seed = 0
    test: Annotated[Test, Help("The paired test.")] = "t"
    alpha: Alpha = 0.05

    def __post_init__(self) -> None:
        check_level(self.alpha)


class GivenMetaPlan(TypedDict, total=False):
    """The same as keyword arguments, for type checkers."""

    keep: float
    samples: int
    seed: int
    test: Test
    alpha: float


@operation
def measures(
    table: RankTable,
    measures: Annotated[
        MeasureList | None,
        Help(
            "A measure to study; may be repeated.",
            flags="--measure -m",
            metavar="MEASURE",
            default="all",
            check=normalize_measure,
        ),
    ] = None,
    *,
    at: Annotated[Sequence[int], DOCUMENTS, Help("The cut-offs, where the measures name none.")] = CUTOFFS,
    docs: Annotated[int | None, DOCUMENTS, Help("The size of the collection, for measures that require it.")] = None,
    rel: Level = 1,
    progress: Progress | None = None,
    plan: MetaPlan = MetaPlan(),
    **_given: Unpack[GivenMetaPlan],
) -> MetaEvaluation:
    """Show which measures are both robust to missing judgements and able to tell runs apart.

    Args:
        table: The rank table, from `rank_table`.
        measures: The measures to study; by default every registered one, at each cut-off if it has one.
        progress: Called with (done, total).
        plan: How measures are studied, as one value.

    Shell:
        antecede study measures qrels.txt runs/*.gz -m AP@100,PRES@100,GMAP,nDCG@10,RR --samples 20 --figure meta.svg
        antecede study measures ranks.npz --docs 528155 --samples 20 --at 100 --json
    """
    RELEVANCE.check(rel, "rel")
    if len(table.runs) < 2:
        raise UsageError("measures are studied by the order of runs, which needs at least two, but got 1; add a run")
    left_out: dict[str, str] = {}
    if measures is None:
        grades = [int(grade) for grade in np.unique(table.ranks.relevance) if grade > 1]
        candidates = [*_list_measures(at, docs, grades, left_out)]
    else:
        candidates = list(parse_measures(measures, rel=None if rel == 1 else rel))
    chosen: list[Measure] = []
    for measure in candidates:
        why = _find_obstacle(measure, table)
        if why is None:
            chosen.append(measure)
        elif measures is not None:
            raise UsageError(f"{measure}: {why.removeprefix('since ')}; leave it out")
        else:
            left_out[str(measure)] = why
    if not chosen:
        raise UsageError("no measure orders these runs; give runs that differ")
    infinite: Literal["refuse", "leave out"] = "leave out" if measures is None else "refuse"
    study = robustness(
        *(table, chosen),
        loss=JudgementLoss(keep=[plan.keep], samples=plan.samples, seed=plan.seed),
        rel=rel,
        infinite=infinite,
        progress=progress,
    )
    if not study.measures:
        raise UsageError("no measure is finite in every sample; set docs=, or choose another measure")
    left_out |= {str(measure): INFINITE_IN_SAMPLE for measure in chosen if str(measure) not in study.measures}
    studied = [measure for measure in chosen if str(measure) in study.measures]
    power = np.array([_compute_power(measure, table, plan) for measure in studied])
    return MetaEvaluation(study.measures, study, power, plan.test, plan.alpha, left_out)


def _list_measures(
    cutoffs: Sequence[int], docs: int | None, grades: Sequence[int], left_out: dict[str, str]
) -> Iterator[Measure]:
    """Every registered measure with its parameters, at each cut-off; the others are noted with the reason."""
    for definition in MEASURES.values():
        if definition.better is None:
            left_out[definition.name] = "since neither more nor less is better"
        elif definition.name in COVERAGE:
            left_out[definition.name] = "since they describe the judgements rather than the runs"
        elif docs is None and any(given.name == "docs" and given.required for given in definition.parameters):
            left_out[definition.name] = f"since they require the number of documents ({spell('docs')})"
        else:
            for written in _write_notations(definition, cutoffs, docs, grades):
                yield parse_measure(written)


def _write_notations(
    definition: MeasureDefinition, cutoffs: Sequence[int], docs: int | None, grades: Sequence[int]
) -> Iterator[str]:
    """The ways in which a measure is studied: with the size of the collection, at each cut-off and grade."""
    names = {parameter.name for parameter in definition.parameters}
    size = [f"docs={docs}"] if "docs" in names and docs is not None else []
    ends = {"cutoff": [f"@{cutoff}" for cutoff in cutoffs], "percent": [f"@{PERCENT}"], "recall": [f"@{RECALL:g}"]}
    notations = [(size, end) for end in ends.get(definition.at or "", [""])]
    if definition.name == "RR":  # the first document of a high grade: an X citation, where grades are categories
        notations += [([*size, f"rel={grade}"], "") for grade in grades]
    for parameters, end in notations:
        yield f"{definition.name}({', '.join(parameters)}){end}" if parameters else f"{definition.name}{end}"


def _find_obstacle(measure: Measure, table: RankTable) -> str | None:
    """Why a measure cannot be studied with these runs; None if it can."""
    try:
        totals = measure.aggregate(measure.score(table.ranks))
    except AntecedeError as error:
        return f"since {error}"
    if np.isnan(totals).any():
        return "since no topic has a document that is relevant enough"
    if np.isinf(totals).any():
        return "since some run never reaches this recall (set docs=)"
    return "since all runs have the same total" if (totals == totals[0]).all() else None


def _compute_power(measure: Measure, table: RankTable, plan: MetaPlan) -> float:
    """The share of the pairs of runs that a measure tells apart; a geometric mean is tested by its logarithms."""
    scores = measure.score(table.ranks)
    values = measure.definition.aggregate.transform(scores[:, ~np.isnan(scores).any(axis=0)])
    if values.shape[1] < 2:
        return float("nan")
    power = discriminative_power(
        *(values, [plan.alpha]), test=plan.test, seed=plan.seed, runs=table.runs, measure=str(measure)
    )
    return float(power.share[0])
