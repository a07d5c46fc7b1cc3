"""Score runs, test differences for significance, and plot them: python evaluate_my_runs.py qrels.txt a.run b.run"""

from __future__ import annotations

import sys

import antecede as ac


def main(qrels: str, *runs: str) -> ac.Scores:
    """The first run is the baseline."""
    ranks = ac.rank_table(qrels, list(runs))
    print(ac.audit(ranks))
    scores = ac.evaluate(ranks, ["PRES@1000", "AP@1000", "R@100", "P@10"])
    print(scores)
    compared = ac.compare(scores, baseline=scores.runs[0])
    print(compared.table())
    compared.plot("differences.svg")
    return scores


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["qrels.txt", "a.run", "b.run"]))
