"""Simulated screenings beside ASReview: the same reviews, the same known records, the same figures.

    python -P bench/screening.py [FILE.csv…] [--seeds N] [--model elas_u4]

The files are finished screenings; by default those of ../shared/data/screening. ASReview has an environment of its own,
.venv/asreview, which `make bench-screening` sets up. Both know one relevant and one irrelevant record at the start, the
same ones; ASReview reads one record after the other, antecede in batches.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.review.labelled_records import read_labelled
from antecede.review.screening import MEASURES, ONE_EACH, Replay, draw_known, simulate_screening
from antecede.tables import Table

if TYPE_CHECKING:
    from antecede.review.labelled_records import LabelledRecords

HERE = Path(__file__).resolve().parent
PEER = HERE.parent / ".venv" / "asreview" / "bin" / "python"
MODEL = "elas_u4"
SHOWN = MEASURES[:-1]


def simulate_peer(path: Path, records: LabelledRecords, seeds: int, model: str) -> tuple[str, list[dict[str, float]]]:
    """The version of ASReview, and the figures of each of its screenings."""
    known = [draw_known(records.relevant, ONE_EACH, seed) for seed in range(seeds)]
    command = [str(PEER), "-P", str(HERE / "screening_peer.py"), model, str(path.resolve())]
    given = json.dumps([numbers.tolist() for numbers in known])
    with tempfile.TemporaryDirectory() as folder:  # ASReview leaves a file where it is started
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=True, cwd=folder)
    answer = json.loads(done.stdout)
    figures = []
    for seed, order in enumerate(answer["orders"]):
        read = np.array(order[len(known[seed]) :])
        rest = np.setdiff1d(np.arange(len(records)), order)  # nothing relevant is among them
        figures.append(Replay(seed, records.relevant[np.concatenate([read, rest])]).measures)
    return answer["version"], figures


def compare(paths: list[Path], seeds: int, model: str) -> list[dict[str, Any]]:
    """The means over seeds of both programs, one row per review and program."""
    rows = []
    for path in paths:
        records = read_labelled(path)
        if records.unlabelled:
            raise SystemExit(f"{path}: some records have no decision; give finished screenings")
        started = time.perf_counter()
        ours = simulate_screening(records, seeds=seeds, rules=()).reviews[0].means()
        between = time.perf_counter()
        version, every = simulate_peer(path, records, seeds, model)
        theirs = {name: float(np.mean([each[name] for each in every])) for name in MEASURES}
        seconds = between - started, time.perf_counter() - between
        for program, means, took in zip(
            ("antecede", f"ASReview {version} {model}"), (ours, theirs), seconds, strict=True
        ):
            rows.append({"review": records.name, "program": program, **means, "seconds": round(took, 1)})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    return rows


def tabulate(rows: list[dict[str, Any]]) -> Table:
    """The rows, and the means of both programs."""
    programs = [*dict.fromkeys(row["program"] for row in rows)]
    means = [
        ("mean", program, *(float(np.mean([row[name] for row in rows if row["program"] == program])) for name in SHOWN))
        for program in programs
    ]
    shown = [(row["review"], row["program"], *(row[name] for name in SHOWN)) for row in rows]
    return Table(("review", "program", *SHOWN), (*shown, *means), "Simulated screening", digits=3, grouped=1)


def main() -> None:
    """Compare, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--out", type=Path, help="write the figures as JSON, for docs/site/screening_study.py")
    given = parser.parse_args()
    data = Path(os.environ.get("ANTECEDE_DATA", HERE.parents[1] / "shared" / "data"))
    paths = given.files or sorted((data / "screening").glob("*.csv.gz"))
    if not paths:
        raise SystemExit("there are no finished screenings; name files")
    if not PEER.exists():
        raise SystemExit("ASReview is not installed; run make bench-screening")
    rows = compare(paths, given.seeds, given.model)
    if given.out is not None:
        given.out.write_text(json.dumps(rows))
    print(tabulate(rows))


if __name__ == "__main__":
    main()
