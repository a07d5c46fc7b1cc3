"""Runs that are in memory already: as dictionaries beside pytrec_eval, and as frames of polars and pandas.

    python bench/memory_runs.py

Ten runs of TREC-8 in the data, which are not part of the repository. The figures replace those of this part in
bench/results.csv, and the page is written again.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.real_runs import DATA
from bench.section import Section, Table

import antecede as ac
from antecede.results import make_pandas
from bench import peers, results

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS, TURNS = 10, 7
OURS = ["AP@1000", "R@100", "R@1000", "P@10", "nDCG"]
THEIRS = {"map", "recall.100,1000", "P.10", "ndcg"}


def measure(work: Callable[[], object]) -> float:
    """The least processor time of several turns: other work on the machine only adds to it."""
    times = []
    for _ in range(TURNS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def nest(frame: Any) -> dict[str, dict[str, Any]]:
    """A frame of topic, document and number as {topic: {document: number}}."""
    nested: dict[str, dict[str, Any]] = {}
    for topic, doc, number in frame.iter_rows():
        nested.setdefault(topic, {})[doc] = number
    return nested


def main() -> None:
    pytrec_eval, ranx = peers.loaded("pytrec_eval"), peers.loaded("ranx")
    files = sorted((DATA / "trec8/runs").iterdir())[:RUNS]
    judged = ac.read_qrels(DATA / "trec8/qrels.txt").to_polars()
    qrels = nest(judged)
    frames = {file.name: ac.read_run(file).to_polars().select("topic_id", "doc_id", "score") for file in files}
    runs = {name: nest(frame) for name, frame in frames.items()}

    def evaluate(judgements: Any, given: dict[str, Any]) -> Callable[[], object]:
        return lambda: ac.evaluate(ac.rank_table(judgements, given), OURS)

    def of_pandas(frame: Any) -> Any:
        return make_pandas(frame.to_dict(as_series=False))

    def evaluate_by_peer() -> None:
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, THEIRS)
        for run in runs.values():
            evaluator.evaluate(run)

    def evaluate_by_ranx() -> None:
        relevant = ranx.Qrels({t: {d: g for d, g in of.items() if g > 0} for t, of in qrels.items()})
        for run in runs.values():
            ranx.evaluate(relevant, ranx.Run(run), ["map@1000", "recall@100", "recall@1000", "precision@10", "ndcg"],
                          make_comparable=True)  # fmt: skip

    works: dict[str, Callable[[], object]] = {
        "pytrec_eval, dictionaries": evaluate_by_peer,
        "antecede, dictionaries": evaluate(qrels, runs),
        "antecede, polars": evaluate(judged, frames),
        "ranx, dictionaries": evaluate_by_ranx,
        "antecede, pandas": evaluate(of_pandas(judged), {name: of_pandas(frame) for name, frame in frames.items()}),
    }
    times = {name: measure(work) for name, work in works.items()}
    first = next(iter(times.values()))
    rows = tuple((name, f"{spent:.3f}", f"{spent / first:.2f}") for name, spent in times.items())
    table = Table(("", "CPU s", "CPU ÷ pytrec_eval"), rows)
    section = Section(
        "Evaluation of runs in memory",
        f"{len(files)} runs of TREC-8, 50 topics; five measures; least of {TURNS} turns. Judgements have that form.",
        (table,),
    )
    stored = results.update(results.read(), [section], results.machine())
    results.write(results.FIGURES, results.csv_text(stored))
    results.write(results.FIGURES.with_suffix(".md"), results.document(stored))


if __name__ == "__main__":
    main()
