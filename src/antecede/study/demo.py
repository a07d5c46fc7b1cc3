"""The main job on made-up data: simulated CLEF-IP runs are written as files, read back, evaluated and studied."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from antecede.errors import UsageError
from antecede.evaluation import Scores, evaluate, rank_table
from antecede.study.robustness import Robustness, robustness
from antecede.study.simulated import simulate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RUNS, TOPICS, SAMPLES = 12, 100, 50
STUDIED = ("AP@1000", "R@1000", "PRES@1000")


class Demo(NamedTuple):
    """What the demonstration found."""

    scores: Scores
    robustness: Robustness


def demo(folder: Path, *, progress: Callable[[int, int], None] | None = None) -> Demo:
    """Write simulated runs and qrels into a folder, and treat them from there on as anybody's files."""
    simulation = simulate(runs=RUNS, topics=TOPICS)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made ({error.strerror or error}); choose another --out") from None
    simulation.write(folder, progress=progress)
    table = rank_table(folder / "qrels.txt", [folder / f"{run}.run" for run in simulation.runs])
    return Demo(evaluate(table), robustness(table, STUDIED, samples=SAMPLES))
