"""A simulated evaluation in the format of CLEF-IP 2009. No run, topic or document in it is real.

The 48 runs used in the papers on PRES and on robustness are not public; only their scores are. This module simulates
runs with those scores, on topics like theirs, so that a study can reproduce the trend of the published tables, and a
demonstration or a benchmark has data to work on. The results tell something about the measures, and nothing about any
system of 2009.

    simulation = simulate(seed=7)
    simulation.write(Path("runs"))      # qrels.txt, groups.txt, R01.run … R48.run
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from antecede.errors import UsageError
from antecede.files import WholeFile, cannot_write
from antecede.ranges import SEED, Range

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.comparison.inputs import Flags, Floats, Ints

DEPTH = 1000
"""Documents per list, and the cut-off of all three measures in table 4."""
TABLE_4 = np.fromstring(
    """
    .077 .530 .434   .087 .617 .499   .084 .609 .497   .053 .219 .213   .000 .020 .011   .000 .016 .009
    .000 .012 .007   .000 .016 .009   .071 .454 .369   .088 .533 .430   .087 .489 .404   .088 .534 .430
    .065 .508 .406   .068 .467 .363   .064 .434 .348   .020 .197 .148   .067 .584 .463   .033 .656 .490
    .105 .600 .529   .003 .051 .040   .266 .760 .691   .028 .256 .200   .087 .728 .603   .011 .069 .054
    .064 .492 .392   .084 .511 .431   .097 .514 .447   .091 .514 .442   .082 .436 .373   .092 .559 .469
    .081 .568 .460   .078 .476 .391   .085 .457 .379   .082 .427 .354   .114 .572 .496   .108 .553 .480
    .114 .572 .494   .107 .553 .479   .113 .575 .498   .107 .560 .483   .079 .547 .447   .103 .555 .466
    .091 .575 .475   .091 .574 .474   .106 .616 .507   .102 .611 .504   .104 .589 .484   .102 .587 .484
    """,
    sep=" ",
).reshape(-1, 3)
"""float64[48, 3]: MAP, recall and PRES of the runs R01 to R48 in table 4 of the PRES paper, six to a line.

The runs are those of CLEF-IP 2009: 15 groups, 400 topics, lists of up to 1,000 documents. Which group submitted which
run was never published.
"""
GROUPS = 15
"""Groups that participated in 2009."""
FEWEST, MOST = 3, 100
"""Relevant documents per topic: 3 is the published minimum; the maximum only keeps the lists plausible."""
RUNS, TOPICS, DEPTHS = (Range(1, most, whole=True) for most in (1_000, 100_000, DEPTH))
NUMBERS = 999_983
"""Document numbers are below this prime, so a topic can step through them evenly without repeating one."""
SHIFT = 40
"""The number of filler documents by which two adjacent runs differ: runs of one evaluation share most documents."""
PAGE = 128
"""Topics written at a time, which bounds the memory a run file needs."""

# The values down to TOP_HIT_RANGE were tuned by hand so that the robustness study on simulated runs comes close to
# table 1 of Magdy & Jones, CLEF 2010: recall and PRES are stable, MAP is not. With a fifth of the judgements the
# published MAP is less stable (τ 0.60–0.65) than under any setting tried here (0.72 at the lowest, 0.77 as set).
FOUND_SHARES = (0.30, 0.45, 0.20, 0.05)
"""The contributions of topic, document, group and run to whether a document is found."""
PLACE_SHARES = (0.10, 0.60, 0.25, 0.05)
"""The same contributions to how early it is ranked."""
EASE_WEIGHT = 0.8
"""How strongly a document that is easy to find is also ranked early."""
HEAD_SHARE = 0.1
"""The share of a run's finds in mostly random order: systems agree on what is near the top, not on what is first."""
TOP_HIT_RANGE = (0.0, 0.8)
"""The range from which the share of a run's MAP due to documents at the very top is drawn."""
PRINTED_ZERO = 0.0002
"""The value used for a MAP printed as 0.000."""


@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    """Simulated runs on simulated topics. All pairs are relevant, with relevance 1."""

    runs: tuple[str, ...]
    groups: tuple[str, ...]
    """The group of each run."""
    topic_ids: tuple[str, ...]
    doc_ids: tuple[str, ...]
    """The relevant documents, topic by topic, in ascending order within a topic."""
    offsets: Ints
    """Topic t has the pairs offsets[t] … offsets[t + 1] − 1."""
    ranks: NDArray[np.int32]
    """Runs × pairs: the rank of each relevant document, 0 where the run does not retrieve it."""
    retrieved: NDArray[np.int32]
    """Runs × topics: the length of the list."""
    targets: Floats
    """Runs × (MAP, recall, PRES): the published scores that each run was fitted to."""
    walks: Ints
    """Topics × (first number, step): the sequence of a topic's document numbers."""

    def __repr__(self) -> str:
        counts = f"{len(self.runs)} runs, {len(self.topic_ids)} topics, {len(self.doc_ids)} relevant documents"
        return f"<Simulation (simulated data): {counts}>"

    def write(
        self, folder: Path, *, only: Sequence[str] | None = None, progress: Callable[[int, int], None] | None = None
    ) -> None:
        """Write qrels.txt, a TREC run file per run, and groups.txt with the group of each run written.

        Positions without a relevant document are filled with non-relevant simulated documents. A file appears under
        its name only when it is complete. `only` names the runs to write; `progress` is called with (done, total) after
        each run.
        """
        wanted = self.runs if only is None else tuple(only)
        unknown = next((run for run in wanted if run not in self.runs), None)
        if unknown is not None:
            raise UsageError(f"no simulated run is named {unknown!r}; the runs are {self.runs[0]} to {self.runs[-1]}")
        chosen = [number for number, run in enumerate(self.runs) if run in wanted]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error, "cannot be created") from None
        topics = np.repeat(self.topic_ids, np.diff(self.offsets)).tolist()
        with WholeFile(folder / "qrels.txt") as file:
            file.write("".join(f"{t} 0 {d} 1\n" for t, d in zip(topics, self.doc_ids, strict=True)).encode())
        with WholeFile(folder / "groups.txt") as file:
            file.write("".join(f"{self.runs[number]} {self.groups[number]}\n" for number in chosen).encode())
        for done, number in enumerate(chosen, start=1):
            with WholeFile(folder / f"{self.runs[number]}.run") as file:
                _write_run(file, self, number)
            if progress is not None:
                progress(done, len(chosen))


def simulate(
    *, runs: int = len(TABLE_4), groups: int | None = None, topics: int = 400, depth: int = DEPTH, seed: int = 0
) -> Simulation:
    """Simulate an evaluation; the same arguments give the same runs, byte for byte.

    With 48 runs, run i scores like row i of table 4 of the PRES paper. Fewer runs are selected from the table, from the
    best to the worst in even steps of PRES; additional runs are interpolated between adjacent rows. The targets apply
    at 1,000 documents. With a few hundred topics the scores come close to the targets, and the numbers of relevant
    documents have a long tail.

    Args:
        runs: The number of runs.
        groups: The number of groups that submitted them; by default 15 per 48 runs. Which group submitted which run was
            never published: here adjacent rows with similar scores form a group.
        topics: The number of topics.
        depth: The length of the rankings; a smaller depth truncates them.
        seed: Random seed.
    """
    for allowed, value, name in ((RUNS, runs, "runs"), (TOPICS, topics, "topics"), (DEPTHS, depth, "depth")):
        allowed.check(value, name)
    SEED.check(seed, "the seed")
    groups = max(1, round(runs * GROUPS / len(TABLE_4))) if groups is None else groups
    Range(1, runs, whole=True).check(groups, "groups")
    rng = np.random.default_rng(seed)
    targets = _choose_targets(runs)
    group = _group_runs(targets, groups)
    sizes = rng.permutation(_topic_sizes(topics))
    topic_numbers = np.sort(rng.choice(1_000_000, topics, replace=False)) + 1_000_000
    walks = np.stack((rng.integers(0, NUMBERS, topics), rng.integers(1, NUMBERS, topics)), axis=1)
    lengths = _draw_list_lengths(targets, sizes, rng)
    ranks = _draw_ranks(sizes, group, targets, lengths, rng)
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


def _choose_targets(runs: int) -> Floats:
    """MAP, recall and PRES for each run, in the order of the table."""
    rows = len(TABLE_4)
    if runs <= rows:
        by_pres = np.argsort(TABLE_4[:, 2], kind="stable")
        picked = by_pres[np.linspace(rows - 1, 0, runs).round().astype(np.int64)]
        return TABLE_4[np.sort(picked)]
    at = np.linspace(0, rows - 1, runs)
    return np.stack([np.interp(at, np.arange(rows), column) for column in TABLE_4.T], axis=1)


def _group_runs(targets: Floats, groups: int) -> Ints:
    """The group number of each run: the table is split at its largest jumps. MAP has more weight, as it is smaller."""
    jump = np.abs(np.diff(targets, axis=0)) @ np.array([4.0, 1.0, 0.0])
    cuts = np.sort(np.argsort(-jump, kind="stable")[: groups - 1])
    return np.searchsorted(cuts, np.arange(len(targets)), side="left")


def _topic_sizes(topics: int) -> Ints:
    """Relevant documents per topic: the published minimum of 3 for over a quarter of the topics, mean 6, a long tail.

    3 plus the integer part of a log-normal variable at evenly spaced quantiles: the same for every seed.
    """
    law = NormalDist(0.645, 1.095)
    below = [law.cdf(float(np.log(extra))) for extra in range(1, MOST - FEWEST + 1)]
    return FEWEST + np.searchsorted(below, (np.arange(topics) + 0.5) / topics, side="right")


def _draw_list_lengths(targets: Floats, sizes: Ints, rng: np.random.Generator) -> Ints:
    """Runs × topics. A PRES close to recall means that nothing was found late: such a run must have short lists."""
    lengths = np.full((len(targets), len(sizes)), DEPTH, dtype=np.int64)
    short = targets[:, 2] > 0.95 * targets[:, 1]
    drawn = rng.normal(DEPTH / 10, DEPTH / 40, (int(short.sum()), len(sizes)))
    lengths[short] = np.maximum(np.clip(drawn, DEPTH / 20, DEPTH / 5).astype(np.int64), sizes)
    return lengths


def _doc_numbers(walks: Ints, step: Ints) -> Ints:
    """The document number of a topic at a step of its sequence; relevant documents come first, then fillers."""
    return (walks[..., 0] + walks[..., 1] * step) % NUMBERS


def _write_run(file: WholeFile, simulation: Simulation, number: int) -> None:
    lengths = simulation.retrieved[number]
    places = np.arange(1, int(lengths.max()) + 1)
    scores = (30 + number) * np.exp(-places / 300)
    endings = pl.Series(
        [f" {place} {score:.6f} {simulation.runs[number]}\n" for place, score in zip(places, scores, strict=True)]
    )
    beginnings = pl.Series([f"{topic} Q0 EP-" for topic in simulation.topic_ids])
    for first in range(0, len(lengths), PAGE):
        several = slice(first, first + PAGE)
        topic, at = np.nonzero(places <= lengths[several, None])
        documents = pl.Series(_fill_lists(simulation, number, several, len(places))[topic, at])
        lines = beginnings.gather(topic + first) + documents.cast(pl.String).str.zfill(7) + endings.gather(at)
        file.write(lines.str.join("").item().encode())


def _fill_lists(simulation: Simulation, number: int, several: slice, longest: int) -> Ints:
    """Topics × positions: the document numbers of a run's lists; fillers where no relevant document is ranked."""
    walks, sizes = simulation.walks[several], np.diff(simulation.offsets)[several]
    steps = sizes[:, None] + SHIFT * number + np.arange(longest)
    numbers = _doc_numbers(walks[:, None, :], steps)
    first = int(simulation.offsets[several][0])
    ranks = simulation.ranks[number, first : first + int(sizes.sum())]
    topic, found = np.repeat(np.arange(len(sizes)), sizes), ranks > 0
    relevant = np.array([int(doc[3:]) for doc in simulation.doc_ids[first : first + len(ranks)]])
    numbers[topic[found], ranks[found] - 1] = relevant[found]
    return numbers


@dataclass(frozen=True)
class Finds:
    """All documents found, one entry per (run, document), sorted by run, topic and position in the list."""

    run: Ints
    pair: Ints
    weight: Floats
    """1 / (topics · relevant documents of the topic): sums of it are means over topics."""
    place: Floats
    """Between 0 and 1: the share of the run's finds that comes earlier."""
    nth: Ints
    """1 for the first relevant document of the list, 2 for the next."""
    following: Ints
    """How many more relevant documents follow in the list."""
    list_number: Ints
    longest: Ints
    """The length of the list that contains it."""


def _draw_ranks(
    sizes: Ints, groups: Ints, targets: Floats, lengths: Ints, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Ranks of every relevant document in every run, 0 where it is not found.

    A run finds the documents that are easy for it; how easy a document is depends on its topic, the document itself,
    the group of the run, and the run. Hence runs of one group share their finds, and some documents are found by nearly
    all runs and others by none. A curve, fitted for each run until MAP and PRES meet the targets, turns the order of a
    run's finds into ranks; recall is met by the number of documents found.

    `sizes` are the relevant documents per topic, `groups` the group of each run, `targets` MAP, recall and PRES of each
    run at 1,000 documents, and `lengths` the list length per run and topic.
    """
    topic = np.repeat(np.arange(len(sizes)), sizes)
    weight = 1.0 / (len(sizes) * sizes[topic])
    ease = _draw_latent(FOUND_SHARES, topic, groups, rng)
    found = _rank_shares(-ease, weight, np.ones(ease.shape, dtype=np.bool_))[1] <= targets[:, 1:2]
    early = EASE_WEIGHT * ease + np.sqrt(1 - EASE_WEIGHT**2) * _draw_latent(PLACE_SHARES, topic, groups, rng)
    place = _rank_shares(-early, weight, found)[0]
    place += np.exp(-place / HEAD_SHARE) * rng.standard_normal(place.shape)
    finds = _collect_finds(found, _rank_shares(place, weight, found)[0], topic, weight, lengths)
    hits = rng.uniform(*TOP_HIT_RANGE, len(targets)) * targets[:, 0] / targets[:, 1]
    ranks = np.zeros(found.shape, dtype=np.int32)
    ranks[finds.run, finds.pair] = _fit(finds, hits, targets)
    return ranks


def _draw_latent(shares: tuple[float, ...], topic: Ints, groups: Ints, rng: np.random.Generator) -> Floats:
    """A standard normal variable per run and document, correlated where topic, document or group are the same."""
    of_topic, of_document, of_group, of_run = np.sqrt(shares)
    drawn: Floats = of_run * rng.standard_normal((len(groups), len(topic)))
    drawn += of_group * rng.standard_normal((int(groups.max()) + 1, len(topic)))[groups]
    drawn += of_document * rng.standard_normal(len(topic)) + of_topic * rng.standard_normal(int(topic[-1]) + 1)[topic]
    return drawn


def _rank_shares(key: Floats, weight: Floats, among: Flags) -> tuple[Floats, Floats]:
    """Per run, the weight of the documents with a smaller key: as a share of the run's total, and in absolute terms."""
    order = np.argsort(np.where(among, key, np.inf), axis=1, kind="stable")
    weights = np.where(np.take_along_axis(among, order, axis=1), weight[order], 0.0)
    total = np.cumsum(weights, axis=1)
    before = np.empty_like(total)
    np.put_along_axis(before, order, total - weights / 2, axis=1)
    return before / np.maximum(total[:, -1:], np.finfo(np.float64).tiny), before


def _collect_finds(found: Flags, place: Floats, topic: Ints, weight: Floats, lengths: Ints) -> Finds:
    run, pair = np.nonzero(found)
    order = np.lexsort((place[run, pair], topic[pair], run))
    run, pair = run[order], pair[order]
    list_number = run * lengths.shape[1] + topic[pair]
    count = np.bincount(list_number, minlength=lengths.size)
    nth = np.arange(len(run)) - (np.cumsum(count) - count)[list_number] + 1
    following, longest = count[list_number] - nth, lengths.ravel()[list_number]
    return Finds(run, pair, weight[pair], place[run, pair], nth, following, list_number, longest)


def _place_finds(finds: Finds, hits: Floats, exponents: Floats) -> Floats:
    """The unrounded position of each find: (1 − (1 − u)^(1/tail))^(1/head) of the list's length.

    The rows of `exponents` are the logarithms of head and tail. The first `hits` of a run's finds go to the top.
    """
    head, tail = np.exp(exponents)[:, finds.run]
    hit = hits[finds.run]
    u = np.clip((finds.place - hit) / (1 - hit), 0.0, 1 - 1e-12)
    share: Floats = (-np.expm1(np.log1p(-u) / tail)) ** (1 / head)
    return share * finds.longest


def _round_ranks(finds: Finds, fall: Floats) -> Ints:
    """Integer ranks; equal ones are separated by moving them down, or up at the end of the list."""
    rank = np.clip(np.ceil(fall), 1, finds.longest).astype(np.int64)
    base = finds.list_number * (4 * DEPTH) - finds.nth
    rank = np.maximum.accumulate(base + rank) - base
    return np.asarray(np.minimum(rank, finds.longest - finds.following))


def _fit(finds: Finds, hits: Floats, targets: Floats, steps: int = 15) -> Ints:
    """Ranks that give every run its MAP and PRES: Newton steps on the exponents of its curve, for all runs at once.

    A step that increases the error of a run is undone and retried at half its length.
    """
    lowest, highest = np.log([[0.05], [0.05]]), np.log([[8.0], [200.0]])
    trial = best = np.log(np.tile([[0.6], [2.0]], len(targets)))
    move, least = np.zeros_like(best), np.full(len(targets), np.inf)
    for _ in range(steps):
        error, step = _newton_step(finds, hits, targets, trial)
        better = error < least
        best, least = np.where(better, trial, best), np.where(better, error, least)
        move = np.where(better, step / np.maximum(1.0, np.abs(step).max(axis=0)), move / 2)
        trial = np.clip(best + move, lowest, highest)
    return _round_ranks(finds, _place_finds(finds, hits, best))


def _newton_step(finds: Finds, hits: Floats, targets: Floats, at: Floats) -> tuple[Floats, Floats]:
    """The error of each run's MAP and PRES with the curve `at`, and the Newton step that should remove it."""

    def errors(rank: Floats | Ints) -> Floats:
        average_precision = np.bincount(finds.run, finds.weight * finds.nth / rank, minlength=len(targets))
        # PRES in its short form: each document found counts 1, minus its delay as a share of the depth.
        pres = np.bincount(finds.run, finds.weight * (1 - (rank - finds.nth) / DEPTH), minlength=len(targets))
        of_map = np.log((average_precision + 0.001) / (np.maximum(targets[:, 0], PRINTED_ZERO) + 0.001))
        return np.stack((of_map, 5 * (pres - targets[:, 2]) / targets[:, 1]))

    def smooth_errors(fall: Floats) -> Floats:
        """The error for unrounded ranks, from which slopes are computed: integer ranks of few finds are too coarse."""
        return errors(np.maximum(fall + 0.5, finds.nth))

    delta = 0.01
    head, tail = at
    fall = _place_finds(finds, hits, at)
    error, here = errors(_round_ranks(finds, fall)), smooth_errors(fall)
    by_head = (smooth_errors(_place_finds(finds, hits, np.stack((head + delta, tail)))) - here) / delta
    by_tail = (smooth_errors(_place_finds(finds, hits, np.stack((head, tail + delta)))) - here) / delta
    slope = by_head[0] * by_tail[1] - by_tail[0] * by_head[1]
    slope = np.where(np.abs(slope) < 1e-3, np.copysign(1e-3, slope), slope)
    step = np.stack((error[1] * by_tail[0] - error[0] * by_tail[1], error[0] * by_head[1] - error[1] * by_head[0]))
    return np.abs(error).sum(axis=0), step / slope
