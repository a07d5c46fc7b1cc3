"""The study of screenings: every figure of docs/studies/screening.csv.

    python -m docs.site.screening_study REVIEW.csv… [--peer ROWS.json] [--topics NAME=INDEX=QRELS]…

The reviews are finished screenings; ROWS.json is what `bench/screening.py --out` wrote about ASReview on the same ones.
The topics are patents with known answers, for what a first ranking is worth beside the learner. The records of rules on
more public reviews are in `review/rule_records.json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import open_index
from antecede.review.estimators import parse_estimator
from antecede.review.judged_topics import ReviewTopic, relevant_documents, topics_from_index
from antecede.review.reading import Reading, find_batch
from antecede.review.screening import MEASURES, SCREENING_RULES, simulate_screening
from antecede.review.status import RECORDS
from antecede.search.topics import read_topics
from docs.site.evidence import Figure, write_figures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.review.reading import Bools
    from antecede.review.screening import ScreeningSimulation

SEEDS = 5
DEPTHS = (20, 50, 100, 300, 1000)
ESTIMATORS = ("general", "audit", "poisson(rate=power)", "poisson(rate=exponential)")
RULES = (*SCREENING_RULES[:2], "quasi_sampling(confidence=0.8)", *SCREENING_RULES[2:])
TOPICS, DEEPEST = 160, 400


def learner_figures(simulation: ScreeningSimulation, peer: str | None) -> Iterator[Figure]:
    """How early the learner finds, per review and as a mean; ASReview's figures beside them."""
    rows: list[dict[str, Any]] = [
        {"review": each.name, "program": "antecede", **each.means()} for each in simulation.reviews
    ]
    if peer is not None:
        rows += [row for row in json.loads(Path(peer).read_text()) if row["program"] != "antecede"]
    for review in simulation.reviews:
        for fact, value in (("records", review.records), ("relevant", review.relevant)):
            yield Figure(review.name, "review", "", fact, str(value))
    for program in dict.fromkeys(row["program"] for row in rows):
        own = [row for row in rows if row["program"] == program]
        for row in own:
            for name in MEASURES:
                yield Figure(row["review"], "learner", program, name, f"{row[name]:.4f}")
        for name in MEASURES:
            yield Figure("mean", "learner", program, name, f"{np.mean([row[name] for row in own]):.4f}")


def rule_figures(simulation: ScreeningSimulation) -> Iterator[Figure]:
    """Reliability and effort of the rules: on these reviews, and on the public ones of the record."""
    for row in simulation.rule_rows():
        for name in ("reliability", "effort", "recall", "lowest"):
            yield Figure("these reviews", "rule", row["rule"], name, f"{row[name]:.4f}")
    known = [review.means()["documents_to_95"] / (review.records - 2) for review in simulation.reviews]
    yield Figure("these reviews", "rule", "known when to stop", "reliability", "1")
    yield Figure("these reviews", "rule", "known when to stop", "effort", f"{np.mean(known):.4f}")
    records = json.loads(RECORDS.read_bytes())
    for rule, row in records["rules"].items():
        yield Figure("public reviews", "rule", rule, "reliability", f"{row['reached'] / records['screenings']:.4f}")
        yield Figure("public reviews", "rule", rule, "effort", f"{row['effort']:.4f}")


def read_first(relevant: Bools, depth: int, estimator: str, seed: int) -> Reading:
    """So many records; for `audit`, half of them are a random sample that is read first."""
    if estimator != "audit":
        return Reading(relevant, len(relevant)).up_to(depth)
    sample = np.random.default_rng(seed).permutation(len(relevant))[: depth // 2]
    rest = np.setdiff1d(np.arange(len(relevant)), sample)[: depth - len(sample)]
    order = np.concatenate([sample, rest])
    return Reading(relevant[order], len(relevant), audited=np.arange(depth) < len(sample))


def estimate_figures(simulation: ScreeningSimulation) -> Iterator[Figure]:
    """How often the intervals contain the truth."""
    for name in ESTIMATORS:
        estimator = parse_estimator(name)
        for depth in DEPTHS:
            held, widths = [], []
            for review in simulation.reviews:
                for replay in review.replays:
                    if depth < len(replay.relevant):
                        answer = estimator.estimate(read_first(replay.relevant, depth, name, replay.seed))
                        truth = int(replay.relevant.sum())
                        held.append(answer.low - 1e-9 <= truth <= answer.high + 1e-9)
                        widths.append((answer.high - answer.low) / truth)
            part = f"{depth:,} read"
            yield Figure("these reviews", part, name, "coverage", f"{np.mean(held):.4f}")
            yield Figure("these reviews", part, name, "readings", str(len(held)))
            yield Figure("these reviews", part, name, "width", f"{np.median(widths):.2f}")


def count_reading(topic: ReviewTopic, *, learning: bool) -> int:
    """How many documents are read until all relevant ones of the list are found, at most `DEEPEST`."""
    if not learning:
        return min(int(np.flatnonzero(topic.relevant).max()) + 1, DEEPEST)
    assert topic.learner is not None  # noqa: S101
    learner, places = topic.learner(), {row: at for at, row in enumerate(topic.order.tolist())}
    read: list[int] = []
    while topic.relevant.sum() != topic.relevant[read].sum() and len(read) < DEEPEST:
        hits = topic.relevant[read]
        rows = topic.order[read]
        order, _ = learner.rank_rows(rows[hits], rows[~hits])
        read += [places[row] for row in order[: find_batch(len(read))[1] - len(read)].tolist()]
    last = np.flatnonzero(topic.relevant[read])
    return int(last.max()) + 1 if topic.relevant[read].sum() == topic.relevant.sum() else DEEPEST


def ranking_figures(name: str, index: str, qrels: str) -> Iterator[Figure]:
    """What the learner saves where a patent is sought and the first ranking is strong."""
    opened, judged = open_index(index), relevant_documents(qrels)
    topics = [topic for topic in read_topics(opened, qrels) if judged.get(getattr(topic, "doc_id", ""))]
    drawn = np.sort(np.random.default_rng(0).permutation(len(topics))[:TOPICS])
    depths: dict[str, list[int]] = {"first ranking": [], "joined with the learner": []}
    for topic in topics_from_index(opened, [topics[at] for at in drawn.tolist()], qrels):
        for system, learning in zip(depths, (False, True), strict=True):
            depths[system].append(count_reading(topic, learning=learning))
    for system, read in depths.items():
        yield Figure(name, "first ranking", system, "topics", str(len(read)))
        yield Figure(name, "first ranking", system, "mean", f"{np.mean(read):.1f}")
        yield Figure(name, "first ranking", system, "geometric mean", f"{np.exp(np.log(read).mean()):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reviews", nargs="+")
    parser.add_argument("--peer")
    parser.add_argument("--topics", action="append", default=[])
    given = parser.parse_args()
    simulation = simulate_screening(*given.reviews, seeds=SEEDS, rules=RULES)
    figures = [
        *learner_figures(simulation, given.peer),
        *rule_figures(simulation),
        *estimate_figures(simulation),
        *(figure for text in given.topics for figure in ranking_figures(*text.split("="))),
    ]
    write_figures("screening", figures)


if __name__ == "__main__":
    main()
