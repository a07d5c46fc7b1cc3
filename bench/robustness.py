"""Incomplete judgements: many samples of the qrels, scored from one rank table.

No peer has this study; with the fastest of them, each sample of the qrels would be an evaluation of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from bench.contest import seconds
from bench.evaluation import files, program
from bench.measuring import measure
from bench.section import Options, Section, Table, tell

SAMPLES = 400
MEASURES = ("AP@100", "R@100", "PRES@100", "AP@1000", "R@1000", "PRES@1000")
GOAL = 5.0


def run(options: Options) -> Section:
    """The robustness part of the bench."""
    work = files(options)
    table = Path(work.qrels).with_name("ranks.npz")
    tell(f"robustness: {SAMPLES} samples")
    if not table.exists():
        measure(program("saved_table.py", "build", str(table), work.qrels, *work.runs))
    command = program("robustness_study.py", str(table), str(SAMPLES), *MEASURES)
    each = [measure(command) for _ in range(options.repeats)]
    taken = median(json.loads(one.output)["seconds"] for one in each)
    rows = (
        ("study, s", seconds(taken)),
        ("a sample of the qrels, ms", f"{taken / SAMPLES / 4 * 1000:.2f}"),
        ("peak MB", f"{max(one.peak_mb for one in each):.0f}"),
        (f"goal for 48 runs × 500 topics: {GOAL:.0f} s", "met" if taken <= GOAL else "not met"),
    )
    return Section(
        title="Robustness: scores under incomplete judgements",
        work=f"{SAMPLES} samples at each of 20, 40, 60 and 80 % of the relevant documents, {options.runs} runs × "
        f"{options.topics} topics, {', '.join(MEASURES)}: {SAMPLES * 4 * options.runs * len(MEASURES):,} means, from a "
        "rank table in memory.",
        tables=(Table(("", "measured"), rows),),
    )
