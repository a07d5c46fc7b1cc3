"""How closely runs reproduce those of an earlier experiment: in order, scores, effects and statistics.

The measures of Breuer et al. (How to measure the reproducibility of system-oriented IR experiments, SIGIR 2020). With
the same topics an experiment is reproduced, and everything can be compared; on another collection it is replicated, and
only the effect over a baseline and the distribution of the scores can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from antecede.comparison.inputs import Floats, check_totals
from antecede.errors import UsageError, advise, printable
from antecede.evaluation.rank_table import rank_table
from antecede.evaluation.scores import evaluate
from antecede.measures.definition import mean
from antecede.measures.names import DEFAULT_MEASURES
from antecede.operations import Help
from antecede.ranges import ALPHA, DOCUMENTS
from antecede.results import to_json
from antecede.tables import PValue, Table, Tabled
from antecede.trec.run_names import name_runs
from antecede.trec.runs import Run, read_run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.evaluation.scores import Scores
    from antecede.measures.names import Measures
    from antecede.tables import Value

EFFECTS = ("original", "reproduced", "RMSE", "nRMSE", "p", "effect ratio", "ΔRI")
"""Columns of the table of scores."""


@dataclass(frozen=True, eq=False, repr=False)
class Reproducibility(Tabled):
    """Each reproduced run beside its original."""

    runs: tuple[tuple[str, str], ...]
    """The reproduced runs, each with its original."""
    baseline: str | None
    replicated: bool
    """Whether the topics are others than those of the original."""
    orders: Mapping[str, tuple[float, float]]
    """By run τ (union) and RBO, means over the topics that both have; empty where the experiment is replicated."""
    scores: Mapping[str, Mapping[str, tuple[float, ...]]]
    """By measure, then by run, the values of `EFFECTS`; NaN where one is not defined."""
    notes: tuple[str, ...]

    def table(self) -> Table:
        """One row per run and measure: scores, error, test, and effects over the baseline."""
        rows: list[tuple[Value, ...]] = []
        for measure, by_run in self.scores.items():
            for run, original in self.runs:
                values = dict(zip(EFFECTS, by_run[run], strict=True))
                rows.append((measure, run, original, *(PValue(v) if n == "p" else v for n, v in values.items())))
        columns = ("measure", "run", "of", *EFFECTS)
        return Table(columns, tuple(rows), title="Scores and effects", notes=self.notes, grouped=1)

    def orders_table(self) -> Table:
        """One row per run: how similar the order of its documents is to that of the original."""
        rows = tuple((run, original, *self.orders[run]) for run, original in self.runs if run in self.orders)
        return Table(("run", "of", "τ (union)", "RBO"), rows, title="Order of documents")

    def tables(self) -> tuple[Table, ...]:
        """The order of the documents, where there is one to compare, and the scores."""
        return (self.orders_table(), self.table()) if self.orders else (self.table(),)

    def to_dict(self) -> dict[str, Any]:
        """For `--json`: by run the coefficients of order, and by measure the other values."""
        names = ("original", "reproduced", "rmse", "nrmse", "p", "effect_ratio", "delta_ri")
        runs = [
            {
                "run": run,
                "of": original,
                **dict(zip(("tau_union", "rbo"), self.orders.get(run, ()), strict=False)),
                "measures": {name: dict(zip(names, of[run], strict=True)) for name, of in self.scores.items()},
            }
            for run, original in self.runs
        ]
        return dict(to_json({"baseline": self.baseline, "replicated": self.replicated, "runs": runs}))


def reproducibility(
    qrels: Annotated[object, Help("Judgements, in any form.", argument="QRELS", path=True)],
    runs: Annotated[object, Help("The reproduced runs, in any form.", argument="RUN...", path=True)],
    *,
    original: Annotated[
        Sequence[object] | Mapping[str, object],
        Help("An original run, one for each run and in their order; may be repeated.", path=True),
    ],
    original_qrels: Annotated[
        object, Help("The judgements of the originals, where their topics are others.", metavar="QRELS", path=True)
    ] = None,
    measures: Annotated[
        Measures, Help("A measure; may be repeated.", flags="--measure -m", metavar="MEASURE")
    ] = DEFAULT_MEASURES,
    baseline: Annotated[
        str | None, Help("The run whose improvement by the other runs is compared with the original.", metavar="RUN")
    ] = None,
    depth: Annotated[int, DOCUMENTS, Help("The number of documents per topic whose order is compared.")] = 1000,
    persistence: Annotated[float, ALPHA, Help("The persistence of RBO.")] = 0.95,
) -> Reproducibility:
    """Show how closely runs reproduce those of an earlier experiment (Breuer et al., SIGIR 2020).

    For each run beside its original: Kendall's τ over the union of their documents and RBO, means over topics; the root
    mean square error of the scores per topic, and divided by the largest possible one; p of a t test, which is small
    where they differ; and over a baseline the effect ratio, 1 where the improvement is that of the original, and ΔRI,
    the relative improvement that is missing. With judgements of other topics for the originals, the experiment is
    replicated: the t test is unpaired, and orders and errors are not defined. Use it to say how well a system was built
    again; that p is large does not show it, as `study equivalence` does.

    Args:
        qrels: The judgements of the topics of the runs.
        runs: The reproduced runs, as for `rank_table`.
        original: The original runs, one for each run and in their order.
        original_qrels: The judgements of the originals, where they have other topics.

    Shell:
        antecede study reproducibility qrels.txt a.run b.run --original c.run --original b.run.gz --baseline a.run
    """
    DOCUMENTS.check(depth, "depth")
    ALPHA.check(persistence, "persistence")
    new, old = _read_runs(runs), _read_runs(original)
    if len(new) != len(old):
        raise UsageError(
            f"{advise('original', '--original')}: there are {len(new)} runs and {len(old)} originals; name one for each"
        )
    replicated = original_qrels is not None
    scores = evaluate(rank_table(qrels, new), measures)
    originals = evaluate(rank_table(original_qrels if replicated else qrels, old), measures)
    for each in (scores, originals):
        check_totals(each.totals, each.measures, each.runs)
    at = None if baseline is None else scores.runs.index(scores.rank_table.find_run(baseline, "baseline"))
    pairs = tuple(zip(scores.runs, originals.runs, strict=True))
    orders, notes = {}, [_describe_topics(scores, originals, replicated=replicated)]
    for (run, first), mine, theirs in zip(pairs, new.values(), old.values(), strict=True):
        if not replicated:
            orders[run] = compare_orders(theirs, mine, depth, persistence)
            if np.isnan(orders[run]).any():
                notes.append(
                    f"{printable(run)} and {printable(first)} have no topic in common whose order can be compared."
                )
    by_measure = {}
    for measure in map(str, scores.measures):
        values, before = scores.of(measure), originals.of(measure)
        by_measure[measure] = {
            run: compare_scores(before, values, number, at, paired=not replicated)
            for number, (run, _) in enumerate(pairs)
        }
    notes += [f"Note: {text}" for text in scores.caveats()]
    return Reproducibility(pairs, None if at is None else scores.runs[at], replicated, orders, by_measure, tuple(notes))


def _read_runs(given: object) -> dict[str, Run]:
    return {name: read_run(run, name=name) for name, run in name_runs(given).items()}


def _describe_topics(scores: Scores, originals: Scores, *, replicated: bool) -> str:
    if replicated:
        return f"Replicated: {len(scores.topics)} topics, {len(originals.topics)} of the originals; unpaired t test."
    return f"Reproduced: {len(scores.topics)} topics; paired t test."


def compare_scores(
    before: Floats, values: Floats, run: int, baseline: int | None, *, paired: bool
) -> tuple[float, ...]:
    """The values of `EFFECTS` for one run: float64[runs, topics] of the originals and of the runs, without NaN topics.

    Equal to `repro_eval`: `RMSE`, `nRMSE`, `ttest`, `ER` and `DRI`. Where all scores are the same, p is 1.
    """
    from scipy.stats import ttest_ind, ttest_rel

    nan = float("nan")
    old, new = before[run], values[run]
    error = largest = nan
    if paired:
        known = ~np.isnan(old) & ~np.isnan(new)
        old, new = old[known], new[known]
        error = float(np.sqrt(np.mean((old - new) ** 2)))
        largest = float(np.sqrt(np.mean(np.maximum(old, 1 - old) ** 2)))
    else:
        old, new = old[~np.isnan(old)], new[~np.isnan(new)]
    same = paired and bool((old == new).all())
    p = 1.0 if same else float((ttest_rel if paired else ttest_ind)(old, new).pvalue) if len(old) > 1 else nan
    means = [float(mean(each[None])[0]) for each in (old, new)]
    ratio = relative = nan
    if baseline is not None and run != baseline:
        old_base, new_base = (float(mean(each[baseline][None])[0]) for each in (before, values))
        improvement = means[0] - old_base
        ratio = (means[1] - new_base) / improvement if improvement else nan
        relative = improvement / old_base - (means[1] - new_base) / new_base if old_base and new_base else nan
    return (*means, error, error / largest if largest else nan, p, ratio, relative)


def compare_orders(original: Run, run: Run, depth: int, persistence: float) -> tuple[float, float]:
    """Kendall's τ over the union of documents, and RBO: the means over the topics that both runs have."""
    old, new = _list_documents(original, depth), _list_documents(run, depth)
    values = [(tau_union(old[topic], new[topic]), overlap(old[topic], new[topic], depth, persistence))
              for topic in new if topic in old]  # fmt: skip
    if not values:
        return float("nan"), float("nan")
    tau, rbo = np.array(values).T
    return float(np.nanmean(tau)) if not np.isnan(tau).all() else float("nan"), float(rbo.mean())


def _list_documents(run: Run, depth: int) -> dict[str, list[str]]:
    """The first documents of each topic, best first."""
    frame = run.to_polars().group_by("topic_id", maintain_order=True).agg("doc_id")
    return {topic: docs[:depth] for topic, docs in frame.iter_rows()}


def tau_union(original: list[str], docs: list[str]) -> float:
    """Kendall's τ of two rankings, each as the places of its documents in their sorted union (`repro_eval.KTU`).

    Only the ranks that both have are compared. A document at the same rank in both agrees with every other such
    document; documents that one ranking lacks are placed by their names, so that τ of rankings that share little is
    near 0. NaN for fewer than two documents.
    """
    from scipy.stats import kendalltau

    length = min(len(original), len(docs))
    if length < 2:
        return float("nan")
    place = {name: at for at, name in enumerate(sorted({*original, *docs}))}
    return float(kendalltau([place[n] for n in original[:length]], [place[n] for n in docs[:length]]).statistic)


def overlap(original: list[str], docs: list[str], depth: int, persistence: float) -> float:
    """Rank-biased overlap to a depth, divided by its largest value (`repro_eval.RBO`; Clarke et al., TOIS 2021).

    The depth is at most the length of the longer ranking, so that RBO is 1 for identical ones.
    """
    depth = min(depth, max(len(original), len(docs)))
    first: dict[str, int] = {}
    for at, name in enumerate(original):
        first.setdefault(name, at)
    common = np.zeros(depth)
    for at, name in enumerate(docs):
        if name in first:
            common[max(at, first[name])] += 1
    weights = persistence ** np.arange(depth)
    return float((weights * np.cumsum(common) / np.arange(1, depth + 1)).sum() / weights.sum())
