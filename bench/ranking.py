"""From a topic to a ranking by evidence: what each feature costs, and what its spaces cost to learn."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from bench.evaluation import command_line, program
from bench.measuring import ChildFailedError, measure
from bench.section import WORK, Section, Table, tell

if TYPE_CHECKING:
    from pathlib import Path

    from bench.section import Options

TOPICS, ROUNDS = 60, 3
RANKINGS = {
    "classic": "classic",
    "the default": "auto,latent_space=0,word_vectors=0",
    "the default with two spaces": "auto",
}
STEPS = ("make", "search", "candidates")
GOALS = ("the default < 100 ms per topic", "the default < 3 times the classic search")
MOST, TIMES = 100, 3
TITLE = "Ranking: from a topic to a weighted sum of evidence"


def run(options: Options) -> Section:
    """The ranking part of the bench."""
    work = (
        f"{options.documents:,} synthetic patents (antecede synthesize), {TOPICS - 1} of their topics, 1,000 documents "
        f"per topic, processor time of one thread, median over topics. First: the first time that a topic is searched "
        f"for after the index is opened; again: the best of {ROUNDS - 1} further rounds."
    )
    try:
        folder, spaces = provide(options.documents, options.seed)
        told = {name: costs(folder, ranking) for name, ranking in RANKINGS.items()}
    except ChildFailedError as error:
        return Section(TITLE, work, (), wrong=(f"ranking failed: {error}",))
    return Section(
        TITLE,
        work,
        (whole_table(told), feature_table(told), space_table(spaces), goal_table(told)),
        ("The time of a search with a space includes the cosine with all documents, which grows with their number.",),
    )


def provide(documents: int, seed: int) -> tuple[Path, dict[str, dict[str, float]]]:
    """An index with two spaces, made once, and what learning each of them took."""
    folder = synthesized(documents, seed)
    done = folder / "spaces.json"
    if not done.exists():
        index = str(folder / "index")
        shutil.rmtree(index, ignore_errors=True)
        measure((command_line(), "index", str(folder / "collection" / "collection"), "--out", index, "-q"))
        spaces = {}
        for kind in ("lsa", "words"):
            tell(f"learning a space of kind {kind}")
            found = measure((command_line(), "learn", "space", index, "--kind", kind, "--workers", "1", "-q"))
            spaces[kind] = {"seconds": found.cpu, "megabytes": found.peak_mb}
        done.write_text(json.dumps(spaces), encoding="utf-8")
    known: dict[str, dict[str, float]] = json.loads(done.read_text(encoding="utf-8"))
    return folder, known


def synthesized(documents: int, seed: int) -> Path:
    """A folder with a synthetic collection, made once."""
    folder = WORK / f"synthetic-{documents}-{seed}"
    if not (folder / "collection").exists():
        tell(f"{documents:,} synthetic patents in bench/work")
        folder.mkdir(parents=True, exist_ok=True)
        topics = str(min(2 * TOPICS, documents // 4))
        made = ("--patents", str(documents), "--seed", str(seed + 1), "--form", "jsonl", "--topics", topics)
        measure((command_line(), "synthesize", *made, "--out", str(folder / "collection"), "-q"))
    return folder


def costs(folder: Path, ranking: str) -> dict[str, Any]:
    """What a ranking costs, from a process of its own."""
    tell(f"ranking by {ranking}")
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    topics = str(folder / "collection" / "topics")
    command = program("ranking_costs.py", str(folder / "index"), topics, str(TOPICS), str(ROUNDS), ranking)
    found: dict[str, Any] = json.loads(measure(command).output)
    return found


def whole_table(told: dict[str, dict[str, Any]]) -> Table:
    """What each ranking costs as a whole."""
    rows = []
    for name, of in told.items():
        sums = [of[when]["make"] + of[when]["search"] for when in ("first", "again")]
        candidates = of["again"]["candidates"]
        rows.append((name, f"{of['again']['make']:.1f}", *(f"{each:.1f}" for each in sums), f"{candidates:.0f}"))
    return Table(("ranking", "query, ms", "first, ms", "again, ms", "candidates"), tuple(rows))


def feature_table(told: dict[str, dict[str, Any]]) -> Table:
    """What each feature costs within the default with two spaces."""
    of = told["the default with two spaces"]
    rows = [
        (name, f"{of['first'][name]:.2f}", f"{spent:.2f}")
        for name, spent in sorted(of["again"].items(), key=lambda each: -each[1])
        if name not in STEPS
    ]
    return Table(("feature", "first, ms", "again, ms"), tuple(rows), "Feature by feature; pool: gathering candidates")


def space_table(spaces: dict[str, dict[str, float]]) -> Table:
    """What learning a space takes."""
    rows = ((kind, f"{of['seconds']:.0f}", f"{of['megabytes']:.0f}") for kind, of in spaces.items())
    return Table(
        ("space", "processor s", "peak MB"), tuple(rows), "Learning a space of 300 dimensions, three languages"
    )


def goal_table(told: dict[str, dict[str, Any]]) -> Table:
    """Whether the default is as fast as it should be."""
    rows = []
    for when, name in (("first", "the first time"), ("again", "again")):
        classic, default = (
            told[each][when]["make"] + told[each][when]["search"] for each in ("classic", "the default")
        )
        if when == "first":
            rows.append((GOALS[0], f"{default:.1f} ms", "yes" if default < MOST else "no"))
        rows.append((f"{GOALS[1]}, {name}", f"{default / classic:.1f}", "yes" if default < TIMES * classic else "no"))
    return Table(("goal", "measured", "met"), tuple(rows), "Goals, set for 100,000 documents")
