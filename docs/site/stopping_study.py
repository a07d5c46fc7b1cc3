"""The study of feedback, estimators and stopping rules: every figure of docs/studies/stopping.csv.

    python -m docs.site.stopping_study [--data DIR] [--work DIR] [--index NAME=DIR]… [PART]…

Needs the data that are not part of the repository ($ANTECEDE_DATA, or the folder given); a part whose data are absent
is skipped with the reason. Each part writes one file of the work folder and is not computed again while that file is
there. A part that another process is computing is skipped, so that several may run at once. The last part, `tables`,
stores the figures and writes the page.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import sys
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import antecede as ac
from antecede.comparison.effect_sizes import bootstrap
from antecede.files import write_whole
from antecede.review.assessment import (
    RULES,
    Halves,
    assess_estimators,
    assess_reliability,
    assess_rules,
    split_halves,
)
from antecede.review.estimators import parse_estimator
from antecede.review.judged_topics import (
    JudgedReading,
    read_whole,
    relevant_documents,
    topics_from_index,
    topics_from_run,
)
from antecede.review.reading import FEEDBACK, STATIC, Reading, required
from antecede.review.simulation import LEVELS, compare_effort
from antecede.search import Ranker
from antecede.search.topics import read_topics
from antecede.trec import fuse
from docs.site.stopping_results import (
    CALIBRATIONS,
    COLLECTIONS,
    CONFIDENCE,
    DOCS,
    FEWEST,
    FUSED,
    PATENTS,
    TARGET,
    AbsentError,
    Workplace,
)
from docs.site.stopping_tables import write_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from antecede.review.estimators import Estimate

SEED = 0
"""Of active learning, of the rules that draw a sample, and of the choice of runs."""
SINGLE_RUNS = 8
"""Single runs of TREC-8, drawn at random from those with 1,000 documents for each topic."""
FUSED_DEPTH = 100_000
"""More than all runs of TREC-8 have for a topic: nothing is cut off."""
SPLITS, FEW_SPLITS = 10, 5
"""Random halves for the calibrated rule; and on the large collection of abstracts, and for the calibrated estimator."""
MOST_TOPICS = 320
"""Of more topics, so many are drawn at random for the published rules and for estimators."""
SHARES = (0.05, 0.2)
LEVEL = 0.95
QUERIES = ("title", "abstract")
"""Fields that the two queries of capture–recapture are made from."""


# Readings


def read_patents(name: str, at: Workplace) -> dict[str, Any]:
    """Where each kind of feedback finds the relevant documents of each topic, and where two queries rank them."""
    qrels = str(at.require(f"patents-{name}/qrels.txt"))
    index = at.open_index(name)
    topics = topics_from_index(index, read_topics(index, qrels), qrels, seed=SEED)
    queries = [
        Ranker(index, ac.SearchSettings(fields=(each,), ranking="classic", k=index.documents)) for each in QUERIES
    ]
    relevant = relevant_documents(qrels)
    rows = []
    for topic in topics:
        patent = index.patent(topic.topic_id)
        rows.append(
            {
                "topic": topic.topic_id,
                "documents": len(topic.order),
                "total": topic.total,
                "excluded": topic.excluded,
                "finds": {each: read_whole(topic, each).reading.finds.tolist() for each in FEEDBACK},
                "queries": [rank_relevant(each, patent, relevant[topic.topic_id]) for each in queries],
            }
        )
        show_progress(f"readings-{name}", len(rows), len(topics))
    return {"topics": rows, "skipped": {reason: len(names) for reason, names in topics.skipped.items()}}


def rank_relevant(ranker: Ranker, patent: ac.Patent, relevant: set[str]) -> dict[str, int]:
    """The ranks of the relevant documents that one query finds; nothing where it has no term."""
    try:
        ranking = ranker.rank(patent)
    except ac.AntecedeError:
        return {}
    return {name: rank for rank, name in enumerate(ranking.doc_ids, 1) if name in relevant}


def read_trec8(at: Workplace) -> dict[str, Any]:
    """The finds of single runs, of the fusion of all runs and of two fusions of one half of the runs each."""
    qrels = at.require("trec8/qrels.txt")
    runs = [ac.read_run(path) for path in sorted(at.require("trec8/runs").glob("*.gz"))]
    whole = [each for each in runs if min(each.lengths) >= 1000]
    chosen = np.sort(np.random.default_rng(SEED).permutation(len(whole))[:SINGLE_RUNS])
    relevant = relevant_documents(qrels)
    lists = {
        FUSED: fuse(runs, k=FUSED_DEPTH),
        "odd": fuse(runs[0::2], k=FUSED_DEPTH),
        "even": fuse(runs[1::2], k=FUSED_DEPTH),
        **{whole[place].name: whole[place] for place in chosen.tolist()},
    }
    return {name: {"topics": read_run(run, qrels, relevant)} for name, run in lists.items()}


def read_run(run: ac.Run, qrels: Path, relevant: dict[str, set[str]]) -> list[dict[str, Any]]:
    """The finds of a run, and the ranks of the relevant documents by name."""
    ranked: dict[str, list[str]] = {}
    for topic, document, _, _ in run.to_polars().iter_rows():
        ranked.setdefault(topic, []).append(document)
    return [
        {
            "topic": topic.topic_id,
            "documents": len(topic.order),
            "total": topic.total,
            "finds": {STATIC: read_whole(topic, STATIC).reading.finds.tolist()},
            "ranks": {
                name: rank for rank, name in enumerate(ranked[topic.topic_id], 1) if name in relevant[topic.topic_id]
            },
        }
        for topic in topics_from_run(run, qrels)
    ]


def judged_readings(rows: Iterable[dict[str, Any]], feedback: str = STATIC) -> list[JudgedReading]:
    """Readings to the end of each list; what the list does not have does not count as relevant."""
    found = []
    for row in rows:
        relevant = np.zeros(row["documents"], np.bool_)
        relevant[np.array(row["finds"][feedback], np.int64) - 1] = True
        if relevant.any():
            found.append(JudgedReading(row["topic"], Reading(relevant, row["documents"]), int(relevant.sum())))
    return found


def readings_of(collection: str, at: Workplace) -> dict[str, list[JudgedReading]]:
    """The readings of a collection by list: one, or one per single run; those of active learning for `NAME-active`."""
    name, _, feedback = collection.partition("-")
    if name in PATENTS:
        return {collection: judged_readings(at.result(f"readings-{name}")["topics"], feedback or STATIC)}
    lists = at.result("readings-trec8")
    names = [FUSED] if collection == FUSED else [each for each in lists if each not in (FUSED, "odd", "even")]
    return {each: judged_readings(lists[each]["topics"]) for each in names}


def draw_topics(lists: dict[str, list[JudgedReading]]) -> dict[str, list[JudgedReading]]:
    """The same topics of each list, at most so many, drawn at random."""
    return {
        name: [judged[place] for place in sorted(shuffle(len(judged), SEED)[:MOST_TOPICS])]
        for name, judged in lists.items()
    }


# Kinds of feedback


def compare_feedback(name: str, at: Workplace) -> dict[str, Any]:
    """Documents read until 80, 95 and 100 % recall, on all topics and on those with enough relevant documents."""
    rows = at.result(f"readings-{name}")["topics"]
    return {
        str(fewest): [
            row for percent in LEVELS for row in compare_at([r for r in rows if r["total"] >= fewest], percent)
        ]
        for fewest in (FEWEST, 2, 1)
    }


def compare_at(rows: Sequence[dict[str, Any]], percent: int) -> list[dict[str, Any]]:
    """Every kind of feedback against the static ranking."""
    efforts = {each: np.array([effort(row, each, percent) for row in rows], np.float64) for each in FEEDBACK}
    found = []
    for feedback, values in efforts.items():
        spread = bootstrap(values[None], seed=SEED)
        row: dict[str, Any] = {
            "recall": percent, "feedback": feedback, "topics": len(values), "mean": float(values.mean()),
            "low": float(spread.low[0]), "high": float(spread.high[0]), "median": float(np.median(values)),
        }  # fmt: skip
        if feedback != STATIC:
            row |= compare_effort(efforts[STATIC], values)
        found.append(row)
    return found


def effort(row: dict[str, Any], feedback: str, percent: int) -> int:
    """Documents read until a share of the relevant ones is found; all where that is never reached."""
    finds, needed = row["finds"][feedback], required(row["total"], percent / 100)
    return int(finds[needed - 1] if len(finds) >= needed else row["documents"])


# Rules, and the calibrated one


def simulate_rules(collection: str, at: Workplace) -> dict[str, Any]:
    """Every published rule on every topic."""
    lists = draw_topics(readings_of(collection, at))
    found = [
        assess_rules(judged, RULES, target=TARGET, progress=partial(show_progress, f"rules-{name}")).to_dict()
        for name, judged in lists.items()
    ]
    return {"lists": dict(zip(lists, found, strict=True))}


def calibrate_halves(collection: str, at: Workplace) -> dict[str, Any]:
    """The calibrated rule on each half of the topics, calibrated on the other half, for random halves."""
    found: dict[str, Any] = {}
    rounds = FEW_SPLITS if collection.startswith("abstract") else SPLITS
    for name, judged in readings_of(collection, at).items():
        splits = []
        for seed in range(rounds):
            splits.append(assess_reliability(random_halves(judged, seed), target=TARGET).to_dict()["rows"])
            show_progress(f"calibrated-{name}", seed + 1, rounds)
        found[name] = {"topics": len(judged), "splits": splits}
    return {"lists": found}


def calibrate_with_confidence(collection: str, at: Workplace) -> dict[str, Any]:
    """The same with a bound that most calibrations keep."""
    ((_, judged),) = readings_of(collection, at).items()
    rows = []
    for seed in range(FEW_SPLITS if collection == "abstract" else SPLITS):
        found = assess_reliability(random_halves(judged, seed), target=TARGET, stated=(TARGET,), confidence=CONFIDENCE)
        rows += found.to_dict()["rows"]
    return {"splits": rows}


@cache
def shuffle(topics: int, seed: int) -> tuple[int, ...]:
    """A random order of topics."""
    return tuple(np.random.default_rng([SEED, seed]).permutation(topics).tolist())


def random_halves(judged: Sequence[JudgedReading], seed: int) -> Halves:
    """Two random halves, each with the calibration of the other."""
    return split_halves([judged[place] for place in shuffle(len(judged), seed)], (TARGET,))


# Estimators


def assess(collection: str, at: Workplace) -> dict[str, Any]:
    """Every estimator on every topic, and the calibrated one for each of some random halves."""
    lists = draw_topics(readings_of(collection, at))
    found: dict[str, Any] = {}
    for name, judged in lists.items():
        rows = assess_estimators(judged, shares=SHARES).to_dict()["rows"]
        for seed in range(FEW_SPLITS):
            made = assess_estimators(judged, (), shares=SHARES, halves=random_halves(judged, seed))
            rows += made.to_dict()["rows"]
            show_progress(f"estimators-{name}", seed + 1, FEW_SPLITS)
        found[name] = rows
    return {"lists": found, "chapman": assess_chapman(collection, at, lists)}


def assess_chapman(
    collection: str, at: Workplace, lists: dict[str, list[JudgedReading]]
) -> dict[str, list[dict[str, Any]]]:
    """Capture–recapture between two queries of a patent, two fusions of runs, or two single runs."""
    if collection in PATENTS:
        rows = at.result(f"readings-{collection}")["topics"]
        pairs = {"title and abstract": ({row["topic"]: row["queries"] for row in rows}, lists[collection])}
    else:
        runs = at.result("readings-trec8")
        names = [("odd", "even")] if collection == FUSED else [*zip([*lists][0::2], [*lists][1::2], strict=True)]
        pairs = {" and ".join(pair): pair_runs(*(runs[each]["topics"] for each in pair)) for pair in names}
    return {name: capture(ranks, judged) for name, (ranks, judged) in pairs.items()}


def pair_runs(
    first: list[dict[str, Any]], second: list[dict[str, Any]]
) -> tuple[dict[str, list[dict[str, int]]], list[JudgedReading]]:
    """The ranks of the relevant documents in two runs; the truth is what either of them has."""
    others = {row["topic"]: row for row in second}
    ranks: dict[str, list[dict[str, int]]] = {}
    judged: list[JudgedReading] = []
    for row in first:
        if row["topic"] not in others:
            continue
        other = others[row["topic"]]
        ranks[row["topic"]] = [row["ranks"], other["ranks"]]
        total = len({**row["ranks"], **other["ranks"]})
        size = max(row["documents"], other["documents"])
        if total:
            judged.append(JudgedReading(row["topic"], Reading(np.arange(size) < total, size), total))
    return ranks, judged


def capture(ranks: dict[str, list[dict[str, int]]], judged: Sequence[JudgedReading]) -> list[dict[str, Any]]:
    """The estimates after half of each share was read of either list."""
    chapman = parse_estimator(f"chapman(level={LEVEL})")

    def estimate(each: JudgedReading, depth: int) -> Estimate | None:
        captured = [{name for name, rank in query.items() if rank <= depth // 2} for query in ranks[each.topic_id]]
        names = sorted(set.union(*captured))
        found_by = np.array([[name in query for name in names] for query in captured], np.bool_).reshape(2, -1)
        return chapman.estimate(Reading(np.ones(len(names), np.bool_), each.reading.documents, found_by=found_by))

    return list(assess_estimators(judged, (), shares=SHARES, extra={"chapman": estimate}).rows)


# Parts


def show_progress(what: str, done: int, total: int) -> None:
    """One line for each tenth."""
    if done * 10 // max(total, 1) != (done - 1) * 10 // max(total, 1):
        print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)


PARTS: dict[str, Callable[[Workplace], dict[str, Any]]] = {
    **{f"readings-{name}": partial(read_patents, name) for name in PATENTS},
    "readings-trec8": read_trec8,
    **{f"feedback-{name}": partial(compare_feedback, name) for name in PATENTS},
    **{f"rules-{name}": partial(simulate_rules, name) for name in COLLECTIONS},
    **{f"calibrated-{name}": partial(calibrate_halves, name) for name in CALIBRATIONS},
    **{f"confidence-{name}": partial(calibrate_with_confidence, name) for name in PATENTS},
    **{f"estimators-{name}": partial(assess, name) for name in COLLECTIONS},
}


def compute(part: str, at: Workplace) -> None:
    """Compute a part, unless it is done or another process is at it."""
    path = at.work / f"{part}.json"
    if path.exists():
        return
    with (at.work / f"{part}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print(f"{part}: skipped, another process computes it", file=sys.stderr)
            return
        if path.exists():
            return
        try:
            write_whole(path, json.dumps(PARTS[part](at)).encode())
        except AbsentError as error:
            print(f"{part}: skipped, {error}", file=sys.stderr)


def main() -> None:
    """Compute the parts that are named, or all, and store the figures."""
    parser = argparse.ArgumentParser(description="Compute the tables on feedback, estimators and stopping rules.")
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("ANTECEDE_DATA", DOCS.parents[1] / "shared/data"))
    )
    parser.add_argument(
        "--work", type=Path, default=DOCS.parent / "bench/work/stopping", help="Where results are kept."
    )
    parser.add_argument(
        "--index", action="append", default=[], metavar="NAME=DIR", help=f"An index there is: {' or '.join(PATENTS)}."
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join((*PARTS, "tables")))
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    indexes = {name: Path(folder) for name, _, folder in (each.partition("=") for each in given.index)}
    at = Workplace(given.data, given.work, indexes)
    for part in given.parts or (*PARTS, "tables"):
        if part != "tables":
            compute(part, at)
            continue
        try:
            write_tables(at)
        except AbsentError as error:
            print(f"tables: skipped, {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
