"""How often the interval of each estimator contains the truth, on all judged collections at hand.

    python -m docs.site.estimator_study readings NAME --index DIR --qrels FILE [--topics FILE] [--feedback active]
    python -m docs.site.estimator_study readings NAME --run FILE --second FILE --qrels FILE
    python -m docs.site.estimator_study table COLLECTION=NAME[,NAME...]... [--active COLLECTION=NAME]

`readings` reads every topic to its end and keeps where its relevant documents lie, in NAME.json. `table` stops each of
them after 20, 50, 100, 300 and 1,000 documents and asks every estimator how many relevant documents the list has. It
writes what the package ships, `review/coverage.json` (where an estimator may be shown) and `review/calibrations/` (one
calibration per collection, for cases without their own), and `docs/studies/estimators.csv` with its page. No
calibration is asked about a topic that it was made from: topics are split into two halves, and each is decided by the
other's.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import AntecedeError
from antecede.review.calibration import Calibration, fit_calibration, read_calibration, write_calibration
from antecede.review.estimators import SHIPPED, combine_estimates, parse_estimator
from antecede.review.judged_topics import JudgedReading
from antecede.review.reading import Reading
from antecede.review.simulation import draw_by_rank
from antecede.review.status import COVERAGE, Rule, find_cell
from docs.site.evidence import Figure, write_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.patent import Patent

SECOND = 100
"""The rank down to which the second query counts as having found a document, as on the page."""
RULE = Rule(level=0.95, least=0.9, fewest=20, read=(20, 50, 100, 300, 1000), found=(0, 1, 3, 10))
"""An interval of 95 % is shown where it contained the truth in 90 % or more of at least 20 readings."""


# Readings


def read_index(index: str, qrels: str, topics: str | None, feedback: str) -> Iterator[dict[str, Any]]:
    """The topics of a collection that is searched; the second query is of another method, on title and abstract."""
    from antecede.engine import open_index
    from antecede.patent import Patent
    from antecede.review.judged_topics import read_whole, topics_from_index
    from antecede.review.reading import ACTIVE
    from antecede.review.vectors import all_documents
    from antecede.search import Ranker, SearchSettings
    from antecede.search.topics import read_topics

    opened = open_index(index)
    names = all_documents(opened)
    second = Ranker(opened, SearchSettings(method=("tf",), fields=("title", "abstract"), ranking="classic", k=SECOND))
    patents: dict[str, Patent] = {
        patent.doc_id: patent for patent in read_topics(opened, topics or qrels) if isinstance(patent, Patent)
    }
    for topic in topics_from_index(opened, patents.values(), qrels, vectors=feedback == ACTIVE):
        if not topic.relevant.any():
            continue
        places = read_whole(topic, feedback).reading.finds.tolist()
        try:
            other = {*second.rank(patents[topic.topic_id]).doc_ids} if feedback != ACTIVE else set()
        except AntecedeError:  # the topic has neither a title nor an abstract
            other = set()
        captured = [names[topic.order[place - 1]] in other for place in places]
        yield {"topic": topic.topic_id, "documents": len(topic.order), "finds": places, "second": captured}


def read_runs(run: str, second: str, qrels: str) -> Iterator[dict[str, Any]]:
    """The topics of two runs: the first is read, the second is the other query."""
    from antecede.review.judged_topics import relevant_documents
    from antecede.trec import read_run

    relevant = relevant_documents(qrels)
    ranked: list[dict[str, list[str]]] = []
    for path in (run, second):
        by_topic: dict[str, list[str]] = {}
        for topic, doc_id, _, _ in read_run(path).to_polars().iter_rows():
            by_topic.setdefault(topic, []).append(doc_id)
        ranked.append(by_topic)
    for topic, names in ranked[0].items():
        other = {*ranked[1].get(topic, [])[:SECOND]}
        places = [at for at, name in enumerate(names, 1) if name in relevant.get(topic, ())]
        if places:
            captured = [names[place - 1] in other for place in places]
            yield {"topic": topic, "documents": len(names), "finds": places, "second": captured}


class Topic:
    """A list read to its end, and which of its finds the second query has."""

    def __init__(self, values: dict[str, Any]) -> None:
        relevant = np.zeros(values["documents"], np.bool_)
        relevant[np.array(values["finds"]) - 1] = True
        self.judged = JudgedReading(values["topic"], Reading(relevant, values["documents"]), len(values["finds"]))
        self.captured = np.zeros(values["documents"], np.bool_)
        self.captured[np.array(values["finds"]) - 1] = values.get("second", False)

    @property
    def whole(self) -> Reading:
        """The whole list."""
        return self.judged.reading


def load_topics(files: str) -> list[Topic]:
    """The topics of the files with these names."""
    return [Topic(values) for name in files.split(",") for values in json.loads(Path(f"{name}.json").read_text())]


# Estimates after so many documents


def read_plainly(topic: Topic, depth: int, _: np.random.Generator) -> Reading:
    return topic.whole.up_to(depth)


def read_with_second(topic: Topic, depth: int, _: np.random.Generator) -> Reading:
    """The finds of two queries: the ranking that is read, down to the same rank, and the second."""
    found_by = np.array([np.arange(depth) < SECOND, topic.captured[:depth]])
    return Reading(topic.whole.relevant[:depth], topic.whole.documents, found_by=found_by)


def read_sample_first(topic: Topic, depth: int, random: np.random.Generator) -> Reading:
    """A random sample, which is half of what is read, and then the ranking."""
    sample = random.permutation(topic.whole.documents)[: depth // 2]
    rest = np.setdiff1d(np.arange(topic.whole.documents), sample)[: depth - len(sample)]
    order = np.concatenate([sample, rest])
    audited = np.arange(depth) < len(sample)
    return Reading(topic.whole.relevant[order], topic.whole.documents, audited=audited)


def read_by_probability(topic: Topic, depth: int, random: np.random.Generator) -> Reading:
    """The first sample of AutoStop's reader that has so many documents."""
    stages = draw_by_rank(topic.whole, int(random.integers(2**31)))
    return next(stage for stage in stages if stage.read >= depth or stage.complete)


PUBLISHED: dict[str, Callable[[Topic, int, np.random.Generator], Reading]] = {
    "audit": read_sample_first,
    "chapman": read_with_second,
    "horvitz_thompson": read_by_probability,
    "poisson(rate=power)": read_plainly,
    "poisson(rate=hyperbolic)": read_plainly,
    "poisson(rate=exponential)": read_plainly,
}
Cells = dict[str, dict[tuple[int, int], dict[str, list[tuple[bool, float]]]]]
"""Estimator → documents read and found → collection → whether each interval holds the truth, and its width."""


def ask_all(collections: dict[str, list[Topic]], active: dict[str, list[Topic]]) -> Cells:
    """Ask every estimator about every topic after each depth."""
    cells: Cells = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))

    def note(name: str, where: str, topic: Topic, reading: Reading, low: float, high: float) -> None:
        cell = find_cell(RULE, reading.read, reading.found)
        if cell is not None:
            holds = low - 1e-9 <= topic.judged.total <= high + 1e-9
            cells[name][cell][where].append((holds, high - low))

    for where, topics in collections.items():
        for name, read in PUBLISHED.items():
            random, estimator = np.random.default_rng(0), parse_estimator(name)
            for topic, depth in states(topics):
                reading = read(topic, depth, random)
                answer = estimator.estimate(reading)
                note(name, where, topic, reading, answer.low, answer.high)
    for where, topics in {**collections, **active}.items():
        known = where.partition(",")[0]
        others = [fit(other, collections[other]) for other in collections if other != known]
        # By topic: several runs of TREC-8 have the same ones.
        ids = sorted({topic.judged.topic_id for topic in collections[known]})
        place = {topic_id: at % 2 for at, topic_id in enumerate(ids)}
        halves = [
            fit(f"{known}-{half}", [each for each in collections[known] if place[each.judged.topic_id] == half])
            for half in (0, 1)
        ]
        for topic, depth in states(topics):
            reading = topic.whole.up_to(depth)
            own = halves[1 - place.get(topic.judged.topic_id, 0)]
            for name, members in (("calibrated", [own]), ("general", [own, *others]), ("elsewhere", others)):
                if name != "calibrated" or where in collections:
                    bounds = combine_estimates([member.estimate(reading) for member in members])
                    note(name, where, topic, reading, bounds.low, bounds.high)
    return cells


def states(topics: list[Topic]) -> Iterator[tuple[Topic, int]]:
    """Every topic at every depth that it has."""
    for topic in topics:
        for depth in RULE.read:
            if depth < topic.whole.documents:
                yield topic, depth


def fit(name: str, topics: list[Topic]) -> Calibration:
    """The calibration of these topics; it is kept in a file, since it takes a while."""
    path = Path(f"{name}.calibration.json")
    if not path.exists():
        judged = [topic.judged for topic in topics]
        write_calibration(fit_calibration(judged, method=f"{name}, static", targets=(0.95,)), path)
    return read_calibration(path)


# What is written


def coverage_of(cells: Cells) -> dict[str, Any]:
    """The content of `coverage.json`."""
    return {
        **RULE._asdict(),
        "estimators": {
            name: [
                [*cell, {where: [sum(holds for holds, _ in seen), len(seen)] for where, seen in by_collection.items()}]
                for cell, by_collection in sorted(by_cell.items())
            ]
            for name, by_cell in cells.items()
            if name != "elsewhere"
        },
    }


def figures_of(cells: Cells, collections: dict[str, list[Topic]]) -> Iterator[Figure]:
    """Every figure of the study."""
    for name, topics in collections.items():
        totals, lengths = [t.judged.total for t in topics], [t.whole.documents for t in topics]
        facts = {
            "topics": len(topics),
            "documents of a list, median": np.median(lengths),
            "relevant, median": np.median(totals),
            "relevant, most": max(totals),
        }
        for fact, value in facts.items():
            yield Figure(name, "collection", "", fact, f"{value:.0f}")
    for name, by_cell in cells.items():
        for cell, seen in sorted(by_cell.items()):
            part = f"{cell[0]:,} read, {write_found(cell[1])} found"
            rates = {where: (sum(h for h, _ in got), len(got)) for where, got in seen.items()}
            for where, (held, readings) in rates.items():
                yield Figure(where, part, name, "coverage", f"{held / readings:.4f}")
                yield Figure(where, part, name, "readings", str(readings))
                yield Figure(where, part, name, "width", f"{np.median([each for _, each in seen[where]]):.0f}")
            yield Figure(
                "all", part, name, "shown", "–" if name == "elsewhere" else "yes" if RULE.allows(rates) else "no"
            )


def write_found(found: int) -> str:
    """A row of finds: from this number up to that of the next row."""
    after = next((each for each in RULE.found if each > found), None)
    return f"{found} or more" if after is None else str(found) if after == found + 1 else f"{found}–{after - 1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    readings = verbs.add_parser("readings")
    readings.add_argument("name")
    for option in ("--index", "--qrels", "--topics", "--run", "--second"):
        readings.add_argument(option)
    readings.add_argument("--feedback", default="static")
    table = verbs.add_parser("table")
    table.add_argument("collections", nargs="+")
    table.add_argument("--active", nargs="*", default=[])
    asked = parser.parse_args()
    if asked.verb == "readings":
        by_index = (asked.index, asked.qrels, asked.topics, asked.feedback)
        made = read_index(*by_index) if asked.index else read_runs(asked.run, asked.second, asked.qrels)
        Path(f"{asked.name}.json").write_text(json.dumps([*made]))
        return
    collections = {name: load_topics(files) for name, _, files in (each.partition("=") for each in asked.collections)}
    active = {
        f"{name}, active": load_topics(files) for name, _, files in (each.partition("=") for each in asked.active)
    }
    cells = ask_all(collections, active)
    COVERAGE.write_text(json.dumps(coverage_of(cells), separators=(",", ":")).replace("]]],", "]]],\n") + "\n")
    for name, topics in collections.items():
        path = SHIPPED / f"{name}.json"
        write_calibration(fit(name, topics), path)
        fields = json.loads(path.read_text()).items()  # one a line, since a number a line would be thousands of lines
        lines = (f' "{field}": {json.dumps(value, separators=(",", ":"))}' for field, value in fields)
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    write_figures("estimators", figures_of(cells, collections))


if __name__ == "__main__":
    main()
