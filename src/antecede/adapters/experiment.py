"""An experiment in one call, as PyTerrier's `Experiment` is called, without PyTerrier.

    from antecede.adapters.experiment import Experiment
    Experiment(["a.run", retrieval("clefip.index", method="tfidf")], topics("topics/"), "qrels.txt",
               ["PRES@100", "map"], baseline=0)

Systems are run files, result frames with the columns of PyTerrier (qid, docno, score), dicts, or functions from a frame
of topics to such a frame, which includes PyTerrier's transformers. The frames that are returned have PyTerrier's
columns. Topics are counted as antecede counts them: every topic of the qrels with a relevant document, 0 where a system
retrieves nothing for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.adapters.frames import to_pandas
from antecede.comparison.inputs import topic_values
from antecede.comparison.significance import SignificancePlan, baseline_pairs, run_tests
from antecede.errors import UsageError, printable, warn_caller
from antecede.evaluation import evaluate, rank_table
from antecede.evaluation.audit import list_short_runs
from antecede.measures import parse_measures
from antecede.trec import read_qrels, read_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from antecede.comparison.significance import Correction, Test
    from antecede.evaluation import Scores

COLUMNS = {"topic_id": "qid", "doc_id": "docno"}
"""The columns of antecede's frames, and what PyTerrier calls them."""


def results(given: object) -> pd.DataFrame:
    """A run in any readable form as a result frame of PyTerrier: qid, docno, rank (from 0) and score."""
    frame = to_pandas(read_run(given)).rename(columns=COLUMNS)
    return frame.assign(rank=frame["rank"] - 1)[["qid", "docno", "rank", "score"]]


def score_frame(scores: Scores, *, per_query: bool = False) -> pd.DataFrame:
    """Scores as a frame of PyTerrier: `name` and a column per measure; per query, name, qid, measure and value."""
    if not per_query:
        return scores.to_pandas().rename(columns={"run": "name"})
    wide = scores.to_pandas(per_topic=True).rename(columns={"run": "name", "topic_id": "qid"})
    return wide.melt(id_vars=["name", "qid"], var_name="measure", value_name="value")


def Experiment(  # noqa: N802 - as PyTerrier calls it
    systems: Sequence[Any],
    topics: pd.DataFrame | None,
    qrels: object,
    eval_metrics: Any,
    *,
    names: Sequence[str] | None = None,
    perquery: bool = False,
    baseline: int | None = None,
    test: Test = "t",
    correction: Correction | None = None,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """Evaluate several systems on the same topics and return a frame of their scores.

    Args:
        systems: Run files, result frames, dicts, or functions from a frame of topics to a result frame.
        topics: The topics, for systems that are functions; None if there are none.
        qrels: The judgements, as for `rank_table`, also as a frame (qid, docno, label).
        eval_metrics: Measures of antecede, ir_measures or trec_eval, by name or as objects.
        names: The names of the systems; by default those of the files, or their representation.
        perquery: One row per system, topic and measure instead of one row per system.
        baseline: The position of the baseline; adds, for each measure, how many topics are better (+) and worse (-)
            than with it, and the p-value of the paired test.
        test: The paired test: `t`, `wilcoxon` or `randomization`.
        correction: The correction over the systems: `holm`, `bh` or `bonferroni`; adds the corrected p-value and
            whether it is significant.
        alpha: The significance level of the corrected test.
    """
    runs = run_systems(systems, topics, names)
    if baseline is not None and not 0 <= baseline < len(runs):
        raise UsageError(f"baseline: there is no system {baseline}; give a number from 0 to {len(runs) - 1}")
    if baseline is not None and perquery:
        raise UsageError("a baseline is compared over all topics; leave perquery out")
    chosen = parse_measures([str(each) for each in ([eval_metrics] if isinstance(eval_metrics, str) else eval_metrics)])
    scores = evaluate(rank_table(read_qrels(qrels), runs), chosen)
    for note in list_short_runs(scores.rank_table, chosen):
        warn_caller(note)  # a frame has no place for it
    frame = score_frame(scores, per_query=perquery)
    if baseline is None:
        return frame
    return frame.assign(**compare_to_baseline(scores, baseline, test, correction, alpha))


def run_systems(systems: Sequence[Any], topics: pd.DataFrame | None, names: Sequence[str] | None) -> dict[str, object]:
    """The runs of the systems by name; functions are called with the topics."""
    if names is not None and len(names) != len(systems):
        raise UsageError(f"names: {len(names)} are given for {len(systems)} systems; give one for each")
    runs: dict[str, object] = {}
    for at, system in enumerate(systems):
        name = names[at] if names is not None else name_system(system, at)
        if name in runs:
            raise UsageError(f"two systems are named {printable(name)}; give each a name of its own with names=")
        if callable(system):
            if topics is None:
                raise UsageError(
                    f"system {printable(name)} is a function and needs topics; give a frame with a column qid"
                )
            system = system(topics)
        runs[name] = system
    if not runs:
        raise UsageError("no system is given; give at least one")
    return runs


def name_system(system: Any, at: int) -> str:
    """The name of a system: that of its file, or as PyTerrier prints a transformer; else its position."""
    from pathlib import Path

    if isinstance(system, str | Path):
        return Path(system).name
    named = callable(system) and "__repr__" in vars(type(system))
    return repr(system) if named else f"system {at}"


def compare_to_baseline(
    scores: Scores, baseline: int, test: Test, correction: Correction | None, alpha: float
) -> dict[str, list[Any]]:
    """The columns of a comparison with a baseline, as PyTerrier names them; missing for the baseline itself."""
    plan = SignificancePlan(test=test, correction=correction or "none", alpha=alpha)
    values = topic_values(scores)
    signs = values.directions
    pairs = baseline_pairs(len(scores.runs), baseline)
    others = pairs.first.tolist()
    columns: dict[str, list[Any]] = {}
    for name, of in values.by_measure.items():
        if not others:
            break
        family = run_tests(name, of, pairs, scores.runs, plan, direction=signs[name])
        gains = np.nan_to_num(family.by_topic) * signs[name]
        tested: dict[str, Any] = {
            "+": (gains > 0).sum(axis=1).tolist(),
            "-": (gains < 0).sum(axis=1).tolist(),
            "p-value": family.p.tolist(),
        }
        if correction is not None:
            tested |= {"reject": family.significant.tolist(), "p-value corrected": family.adjusted.tolist()}
        for column, numbers in tested.items():
            by_run = dict(zip(others, numbers, strict=True))
            columns[f"{name} {column}"] = [by_run.get(at) for at in range(len(scores.runs))]
    return columns
