"""A simulated evaluation in the shape of CLEF-IP 2009. It is made up: no run, topic or document in it is real.

The 48 runs behind the papers on PRES and on robustness are not public; only their scores are. Here runs are drawn
that score like them, on topics that look like theirs, so that a study can show the shape of the published tables
and a demonstration or a benchmark has something to work on. What comes out says something about the measures,
and nothing about any system of 2009.

    simulation = simulate(seed=7)
    simulation.write(Path("runs"))      # qrels.txt, groups.txt, R01.run … R48.run
"""

from __future__ import annotations

import operator
import os
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import NormalDist
from typing import IO, TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.study.clefip2009 import DEPTH, TABLE_4
from antecede.study.simulated_ranks import draw_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

GROUPS = 15
"""Groups that took part in 2009."""
FEWEST, MOST = 3, 100
"""Relevant documents per topic: 3 is the published minimum, the other end only keeps lists sane."""
MOST_RUNS, MOST_TOPICS = 1_000, 100_000
NUMBERS = 999_983
"""Document numbers lie below this prime, so a topic can walk through them in equal steps and meet none twice."""
SHIFT = 40
"""By how many fillers two neighbouring runs differ: runs of one evaluation share most of what they retrieve."""
PAGE = 128
"""Topics written at a time, which bounds the memory a run file needs."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated runs on simulated topics. All pairs are relevant, with relevance 1."""

    runs: tuple[str, ...]
    groups: tuple[str, ...]
    """The group of each run."""
    topic_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    """The relevant documents, topic after topic, each topic's in ascending order."""
    offsets: NDArray[np.int64]
    """Topic t owns the pairs offsets[t] … offsets[t + 1] − 1."""
    ranks: NDArray[np.int32]
    """Runs × pairs: the rank of each relevant document, 0 where the run does not retrieve it."""
    retrieved: NDArray[np.int32]
    """Runs × topics: how many documents the list holds."""
    targets: NDArray[np.float64]
    """Runs × (MAP, recall, PRES): the published scores each run was drawn after."""
    walks: NDArray[np.int64]
    """Topics × (first number, step): where a topic's document numbers come from."""

    def __repr__(self) -> str:
        counts = f"{len(self.runs)} runs, {len(self.topic_ids)} topics, {len(self.doc_ids)} relevant documents"
        return f"<Simulation, made up: {counts}>"

    def write(
        self,
        folder: Path,
        *,
        only: Sequence[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Write qrels.txt, a TREC run file per run, and groups.txt with the group of each run written.

        Places not held by a relevant document are filled with made-up documents that are not relevant.
        A file appears under its name only when it is whole. `only` names the runs to write;
        `progress` is told (done, total) after each.
        """
        wanted = self.runs if only is None else tuple(only)
        unknown = next((run for run in wanted if run not in self.runs), None)
        if unknown is not None:
            raise UsageError(f"no simulated run is called {unknown!r}; there are {self.runs[0]} to {self.runs[-1]}")
        chosen = [number for number, run in enumerate(self.runs) if run in wanted]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{folder}: cannot be made a folder ({error.strerror}); name another one") from error
        topics = np.repeat(self.topic_ids, np.diff(self.offsets)).tolist()
        with _whole_file(folder / "qrels.txt") as file:
            file.writelines(f"{t} 0 {d} 1\n".encode() for t, d in zip(topics, self.doc_ids, strict=True))
        with _whole_file(folder / "groups.txt") as file:
            file.writelines(f"{self.runs[number]} {self.groups[number]}\n".encode() for number in chosen)
        digits = _digits(np.arange(10**6), 6)
        for done, number in enumerate(chosen, start=1):
            with _whole_file(folder / f"{self.runs[number]}.run") as file:
                _write_run(file, self, number, digits)
            if progress is not None:
                progress(done, len(chosen))


def simulate(
    *, runs: int = len(TABLE_4), groups: int | None = None, topics: int = 400, depth: int = DEPTH, seed: int = 0
) -> Simulation:
    """Draw an evaluation: the same arguments give the same runs, to the last byte written.

    With 48 runs, run i scores like row i of table 4. Fewer runs are picked from the table, from the best to the worst
    in even steps of PRES; more are put in between neighbouring rows. Without `groups`, there are 15 to every 48 runs.
    Which run is whose was never published: here neighbours in the table that score alike are one group.
    The targets hold at 1,000 documents; a smaller `depth` cuts the lists there. Topics need to be some hundred
    for the scores to come near the targets, and for the counts of relevant documents to have a long tail.
    """
    runs = _within("runs", runs, 1, MOST_RUNS)
    groups = _within("groups", max(1, round(runs * GROUPS / len(TABLE_4))) if groups is None else groups, 1, runs)
    topics = _within("topics", topics, 1, MOST_TOPICS)
    depth = _within("depth", depth, 1, DEPTH)
    rng = np.random.default_rng(_within("seed", seed, 0, None))
    targets = _targets(runs)
    group = _alike(targets, groups)
    sizes = rng.permutation(_relevant_per_topic(topics))
    topic_numbers = np.sort(rng.choice(1_000_000, topics, replace=False)) + 1_000_000
    walks = np.stack((rng.integers(0, NUMBERS, topics), rng.integers(1, NUMBERS, topics)), axis=1)
    lengths = _list_lengths(targets, sizes, rng)
    ranks = draw_ranks(sizes, group, targets, lengths, rng)
    ranks[ranks > depth] = 0
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    topic = np.repeat(np.arange(topics), sizes)
    numbers = _doc_numbers(walks[topic], np.arange(len(topic)) - offsets[topic])
    numbers = numbers[np.lexsort((numbers, topic))]
    simulation = Simulation(
        runs=tuple(f"R{number:02d}" for number in range(1, runs + 1)),
        groups=tuple(f"G{number + 1:02d}" for number in group.tolist()),
        topic_ids=tuple(f"EP-{number}-A1" for number in topic_numbers.tolist()),
        doc_ids=tuple(f"EP-{number:07d}" for number in numbers.tolist()),
        offsets=offsets,
        ranks=ranks,
        retrieved=np.minimum(lengths, depth).astype(np.int32),
        targets=targets,
        walks=walks,
    )
    for array in (offsets, ranks, simulation.retrieved, targets, walks):
        array.flags.writeable = False
    return simulation


def _within(name: str, value: int, lowest: int, highest: int | None) -> int:
    """The value as an int, or an error that names the argument and what it may be."""
    allowed = f"from {lowest} up" if highest is None else f"between {lowest} and {highest}"
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{name} is {value!r}; give a whole number {allowed}") from None
    if number < lowest or (highest is not None and number > highest):
        raise UsageError(f"{name} is {number}; give a whole number {allowed}")
    return number


def _targets(runs: int) -> NDArray[np.float64]:
    """MAP, recall and PRES for each run, in the order of the table."""
    table = np.array([(row.map, row.recall, row.pres) for row in TABLE_4])
    if runs <= len(table):
        by_pres = np.argsort(table[:, 2], kind="stable")
        picked = by_pres[np.linspace(len(table) - 1, 0, runs).round().astype(np.int64)]
        return table[np.sort(picked)]
    at = np.linspace(0, len(table) - 1, runs)
    return np.stack([np.interp(at, np.arange(len(table)), column) for column in table.T], axis=1)


def _alike(targets: NDArray[np.float64], groups: int) -> NDArray[np.int64]:
    """The group number of each run: the table is cut at its largest jumps. MAP counts more, being that much smaller."""
    jump = np.abs(np.diff(targets, axis=0)) @ np.array([4.0, 1.0, 0.0])
    cuts = np.sort(np.argsort(-jump, kind="stable")[: groups - 1])
    return np.searchsorted(cuts, np.arange(len(targets)), side="left")


def _relevant_per_topic(topics: int) -> NDArray[np.int64]:
    """Counts with the published minimum of 3 at a bit more than a quarter of the topics, mean 6, and a long tail.

    3 plus the whole part of a log-normal number, taken at even steps and not drawn: every seed has the same shape.
    """
    law = NormalDist(0.645, 1.095)
    below = [law.cdf(float(np.log(extra))) for extra in range(1, MOST - FEWEST + 1)]
    return FEWEST + np.searchsorted(below, (np.arange(topics) + 0.5) / topics, side="right")


def _list_lengths(
    targets: NDArray[np.float64], sizes: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Runs × topics. A PRES close to recall means nothing was found late: such a run must have stopped early."""
    lengths = np.full((len(targets), len(sizes)), DEPTH, dtype=np.int64)
    short = targets[:, 2] > 0.95 * targets[:, 1]
    drawn = rng.normal(DEPTH / 10, DEPTH / 40, (int(short.sum()), len(sizes)))
    lengths[short] = np.maximum(np.clip(drawn, DEPTH / 20, DEPTH / 5).astype(np.int64), sizes)
    return lengths


def _doc_numbers(walks: NDArray[np.int64], step: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number a topic's walk meets at a step; the relevant documents come first, then the fillers."""
    return (walks[..., 0] + walks[..., 1] * step) % NUMBERS


def _digits(numbers: NDArray[np.int64], width: int) -> NDArray[np.uint8]:
    """Each number as `width` ASCII digits, so that ids are copied into place and never formatted one by one."""
    powers = 10 ** np.arange(width - 1, -1, -1)
    return (numbers[:, None] // powers % 10 + ord("0")).astype(np.uint8)


def _write_run(file: IO[bytes], simulation: Simulation, number: int, digits: NDArray[np.uint8]) -> None:
    """One run: a page of text is the same for all topics but for the ids, so they are stamped into copies of it."""
    run, lengths = simulation.runs[number], simulation.retrieved[number]
    longest = int(lengths.max())
    places = np.arange(1, longest + 1)
    scores = ((30 + number) * np.exp(-places / 300)).tolist()
    lines = [
        f"EP-0000000-A1 Q0 EP-0000000 {place} {score:.6f} {run}\n".encode()
        for place, score in zip(places.tolist(), scores, strict=True)
    ]
    ends = np.concatenate(([0], np.cumsum([len(line) for line in lines])))
    blank = np.frombuffer(b"".join(lines), dtype=np.uint8)
    topic_at = (ends[:-1, None] + lines[0].index(b"0000000-A1") + np.arange(7)).ravel()
    doc_at = (ends[:-1, None] + lines[0].index(b"0000000 ") + np.arange(1, 7)).ravel()
    topic_digits = _digits(np.array([int(topic[3:10]) for topic in simulation.topic_ids]), 7)
    for first in range(0, len(lengths), PAGE):
        several = slice(first, first + PAGE)
        pages = np.tile(blank, (len(lengths[several]), 1))
        pages[:, topic_at] = np.tile(topic_digits[several], longest)
        docs = digits[_listed(simulation, number, several, longest)]
        pages[:, doc_at] = docs.reshape(len(pages), -1)
        for page, length in zip(pages, lengths[several].tolist(), strict=True):
            file.write(page[: ends[length]].data)


def _listed(simulation: Simulation, number: int, several: slice, longest: int) -> NDArray[np.int64]:
    """Topics × places: the document numbers of a run's lists, the relevant ones at their ranks, fillers elsewhere."""
    walks, sizes = simulation.walks[several], np.diff(simulation.offsets)[several]
    steps = sizes[:, None] + SHIFT * number + np.arange(longest)
    listed = _doc_numbers(walks[:, None, :], steps)
    first = int(simulation.offsets[several][0])
    ranks = simulation.ranks[number, first : first + int(sizes.sum())]
    topic, found = np.repeat(np.arange(len(sizes)), sizes), ranks > 0
    relevant = np.array([int(doc[3:]) for doc in simulation.doc_ids[first : first + len(ranks)]])
    listed[topic[found], ranks[found] - 1] = relevant[found]
    return listed


@contextmanager
def _whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that takes its name only when all went well, so nobody reads half of it."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); check the folder and its space") from error
    finally:
        unfinished.unlink(missing_ok=True)
