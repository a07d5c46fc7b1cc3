"""The tools antecede is measured against, each as its users would call it, run by run, from files to means.

    python -P bench/peers.py TOOL QRELS RUN…

prints one JSON document: for each run, in order, the mean of every measure over the topics.
This file is a program of its own, started once for each tool; the bench imports only the list of tools from it.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURES = ("AP@1000", "R@100", "R@1000", "P@10", "nDCG")
"""The five measures of the comparison, as antecede and ir_measures write them."""

TREC_EVAL_NAMES = ("map", "recall_100", "recall_1000", "P_10", "ndcg")
Means = list[dict[str, float]]


@dataclass(frozen=True)
class Peer:
    """A tool to measure. `remark` explains its values where they are not those of pytrec_eval."""

    name: str
    version: Callable[[], str | None]
    means: Callable[[str, list[str]], Means]
    remark: str = ""


def trec_eval_version() -> str | None:
    program = shutil.which("trec_eval")
    if program is None:
        return None
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return (told.stdout + told.stderr).strip().removeprefix("trec_eval version ")


def installed(package: str) -> Callable[[], str | None]:
    """A function that tells the version of a Python package, or None."""

    def find() -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    return find


def loaded(module: str) -> Any:
    """A peer's module. The type checker sees none of it, so it says the same whether the peers are installed or not."""
    return import_module(module)


def opened(file: str) -> TextIO:
    """A run as text, decompressed by Python where it is compressed: pytrec_eval has no way of its own."""
    return gzip.open(file, "rt") if file.endswith(".gz") else Path(file).open()


def trec_eval(qrels_file: str, run_files: list[str]) -> Means:
    """The C program takes one run at a time and prints four digits."""
    program = shutil.which("trec_eval")
    assert program is not None, "trec_eval is not installed"
    asked = ("-m", "map", "-m", "recall.100,1000", "-m", "P.10", "-m", "ndcg")
    found: Means = []
    for file in run_files:
        printed = subprocess.run([program, *asked, qrels_file, file], capture_output=True, text=True, check=True).stdout
        values = {name: float(value) for name, _, value in map(str.split, printed.splitlines())}
        found.append({ours: values[name] for ours, name in zip(MEASURES, TREC_EVAL_NAMES, strict=True)})
    return found


def pytrec_eval(qrels_file: str, run_files: list[str]) -> Means:
    """trec_eval's own C code behind a Python reader."""
    pytrec_eval = loaded("pytrec_eval")

    with Path(qrels_file).open() as lines:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), set(TREC_EVAL_NAMES))
    found: Means = []
    for file in run_files:
        with opened(file) as lines:
            topics = evaluator.evaluate(pytrec_eval.parse_run(lines)).values()
        found.append(
            {ours: fmean(t[name] for t in topics) for ours, name in zip(MEASURES, TREC_EVAL_NAMES, strict=True)}
        )
    return found


def ir_measures(qrels_file: str, run_files: list[str]) -> Means:
    """One evaluator for all runs, so that the qrels are read once."""
    ir_measures = loaded("ir_measures")

    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    evaluator = ir_measures.evaluator(measures, ir_measures.read_trec_qrels(qrels_file))
    found: Means = []
    for file in run_files:
        scores = evaluator.calc_aggregate(ir_measures.read_trec_run(file))
        found.append({name: float(scores[measure]) for name, measure in zip(MEASURES, measures, strict=True)})
    return found


def ranx(qrels_file: str, run_files: list[str]) -> Means:
    """Its compiled code comes from its cache on disk: the bench has it run once beforehand."""
    ranx = loaded("ranx")

    names = ("map", "recall@100", "recall@1000", "precision@10", "ndcg")
    qrels = ranx.Qrels.from_file(qrels_file, kind="trec")
    found: Means = []
    for file in run_files:
        scores = ranx.evaluate(qrels, ranx.Run.from_file(file, kind="trec"), list(names))
        found.append({ours: float(scores[name]) for ours, name in zip(MEASURES, names, strict=True)})
    return found


PEERS = (
    Peer("trec_eval", trec_eval_version, trec_eval, "prints four digits"),
    Peer("pytrec_eval", installed("pytrec-eval-terrier"), pytrec_eval),
    Peer("ir_measures", installed("ir-measures"), ir_measures),
    Peer("ranx", installed("ranx"), ranx, "leaves the order of equal scores to its sort, not to the document id"),
)
"""Where pytrec_eval is installed it is the reference: all digits of trec_eval's own code."""


def main(tool: str, qrels_file: str, run_files: list[str]) -> None:
    means = next(peer.means for peer in PEERS if peer.name == tool)
    json.dump(means(qrels_file, run_files), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
