"""Where the values of antecede, which are those of trec_eval 10, differ from trec_eval 9 (as pytrec_eval contains it).

    python bench/agreement.py

On the 48 runs of TREC-8 in the data, which are not part of the repository. The figures replace those of this part in
bench/results.csv, and the page is written again.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.real_runs import DATA
from bench.section import Section, Table

import antecede as ac
from antecede.adapters.frames import to_polars
from bench import peers, results

LEVELS = tuple(f"{level / 10:.1f}" for level in range(11))
PAIRS = {
    **{f"IPrec@{float(level):g}": f"iprec_at_recall_{level}0" for level in LEVELS},
    "IPrec11": "11pt_avg",
    "AP": "map",
    "nDCG": "ndcg",
    "infAP": "infAP",
    "Bpref": "bpref",
    "Rprec": "Rprec",
    "P@10": "P_10",
    "R@100": "recall_100",
    "RR": "recip_rank",
}
"""A measure of antecede and its name in trec_eval."""
EQUAL = 1e-6


def main() -> None:
    pytrec_eval = peers.loaded("pytrec_eval")
    qrels, runs = DATA / "trec8/qrels.txt", sorted((DATA / "trec8/runs").iterdir())
    with qrels.open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), pytrec_eval.supported_measures)
    measures = list(PAIRS)
    gaps: dict[str, list[float]] = {name: [] for name in measures}
    for run in runs:
        with peers.opened(str(run)) as lines:
            theirs = evaluator.evaluate(pytrec_eval.parse_run(lines))
        ours = to_polars(ac.evaluate(ac.rank_table(qrels, [run]), measures), per_topic=True)
        for row in ours.iter_rows(named=True):
            topic = row["topic_id"]
            for name in measures:
                if topic in theirs:
                    gaps[name].append(abs(row[name] - theirs[topic][PAIRS[name]]))
    grouped = {"IPrec at a level": [gap for name in measures if name.startswith("IPrec@") for gap in gaps[name]]}
    grouped |= {name: gaps[name] for name in measures if not name.startswith("IPrec@")}
    rows = tuple(
        (name, f"{len(found):,}", str(sum(gap > EQUAL for gap in found)), f"{max(found):.2g}")
        for name, found in grouped.items()
    )
    table = Table(("", "values", "that differ", "largest difference"), rows)
    work = f"{len(runs)} runs of TREC-8, topic by topic, beside pytrec_eval {peers.installed('pytrec-eval-terrier')()}."
    stored = results.update(results.read(), [Section("Agreement with trec_eval 9", work, (table,))], results.machine())
    results.write(results.FIGURES, results.csv_text(stored))
    results.write(results.FIGURES.with_suffix(".md"), results.document(stored))


if __name__ == "__main__":
    main()
