"""Evaluation of real runs beside other tools: the 48 runs of TREC-8 in the data, which are not part of the repository.

    python bench/real_runs.py

The figures replace those of this part in bench/results.csv, and the page is written again.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.section import Section, Table

from bench import peers, results

DATA = Path(os.environ.get("ANTECEDE_DATA", Path(__file__).resolve().parent.parent.parent / "shared" / "data"))
TURNS = 3


def measure(command: list[str]) -> tuple[float, float]:
    """Seconds that pass, and seconds of the processor, while a command runs."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    qrels, runs = DATA / "trec8/qrels.txt", sorted(map(str, (DATA / "trec8/runs").iterdir()))
    asked = [part for each in peers.MEASURES for part in ("-m", each)]
    ours = [sys.executable, "-m", "antecede", "evaluate", *asked, "--json", "--quiet", str(qrels), *runs]
    commands = {"antecede": ours}
    for peer in peers.PEERS:
        if peer.version() is not None:
            commands[peer.name] = [sys.executable, "-P", str(Path(peers.__file__)), peer.name, str(qrels), *runs]
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(TURNS):
        for name, command in commands.items():
            times[name].append(measure(command))
    best = median(cpu for _, cpu in times["antecede"])
    rows = [
        (name, f"{median(wall for wall, _ in found):.2f}", f"{median(cpu for _, cpu in found):.2f}")
        for name, found in times.items()
    ]
    table = Table(
        ("", "wall s", "CPU s", "CPU × antecede"), tuple((*row, f"{float(row[2]) / best:.1f}") for row in rows)
    )
    section = Section(
        "Evaluation of real runs",
        f"{len(runs)} runs of TREC-8, 50 topics, compressed; five measures; median of {TURNS} turns, start included.",
        (table,),
    )
    stored = results.update(results.read(), [section], results.machine())
    results.write(results.FIGURES, results.csv_text(stored))
    results.write(results.FIGURES.with_suffix(".md"), results.document(stored))


if __name__ == "__main__":
    main()
