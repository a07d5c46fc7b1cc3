"""PRES in ir_measures, together with its own measures: python ir_measures_pres.py qrels.txt a.run"""

from __future__ import annotations

import sys
from typing import Any

import ir_measures

from antecede.adapters.ir_measures import PRES


def main(qrels: str, run: str) -> dict[Any, float]:
    """Print and return the means over topics, computed by ir_measures."""
    judged = list(ir_measures.read_trec_qrels(qrels))
    ranked = list(ir_measures.read_trec_run(run))
    wanted = [PRES @ 100, ir_measures.nDCG @ 10, ir_measures.parse_measure("PRES(rel=2)@100")]
    found: dict[Any, float] = ir_measures.calc_aggregate(wanted, judged, ranked)
    for measure, value in found.items():
        print(f"{measure!s:16} {value:.4f}")
    return found


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["qrels.txt", "a.run"]))
