"""Loss of judgements: at random, of rarely retrieved documents first, with a shallow pool, or without one group.

A loss is a function of `LOSSES`. It determines which pairs may be lost and yields samples: for each level of loss,
which of those pairs are kept. A lost pair is dropped, as if the qrels had no line for it, or stays in the pool without
a judgement, as a relevance of −1 says: see `LOST`.

The judgements of a topic that remain in a sample form a *case*. Samples in which the same documents of a topic remain
share a case, and a case is scored once: with three relevant documents of which one is kept there are three cases,
however many samples are drawn. Cases are passed to the measures as topics of a rank table, so any measure can be used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product
from os.path import commonprefix
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

import numpy as np

from antecede.comparison.inputs import find_entry
from antecede.errors import InputError, MalformedInputError, UsageError, printable
from antecede.measures.definition import RunningSums
from antecede.measures.ranks import Origin, Ranks
from antecede.operations import Bundle, Help, Seed
from antecede.ranges import SAMPLES, SEED
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.comparison.inputs import Flags, Floats, Ints
    from antecede.measures.definition import Measure

FRACTIONS = (0.2, 0.4, 0.6, 0.8)
Lost = Literal["dropped", "unjudged"]
LOST: Mapping[str, str] = {
    "dropped": "A lost document is dropped from the qrels, as if it had never been in the pool.",
    "unjudged": "A lost document stays in the pool, unjudged (relevance −1), which infAP uses.",
}
"""What becomes of a document whose judgement is lost."""
DEFAULT_SAMPLES = 20
"""Samples of a loss by chance."""
FEWEST_NONRELEVANT = 10
"""Judgements of non-relevant documents that a topic keeps with the loss `judgements`, as in the paper on Bpref."""


@dataclass(frozen=True, eq=False)
class Judgements:
    """The judgements that can be lost: P pairs of the rank table, each document once, and the runs that found it."""

    topic: Ints
    """int64[P], ascending."""
    relevant: Flags
    """bool[P]."""
    ranks: NDArray[np.int32]
    """int32[R, P]; 0 = not retrieved."""
    groups: tuple[str, ...] = ()
    """The group of each run, if known."""
    unjudged: Flags | None = None
    """bool[P]: documents of the pool that were never judged, if there are any."""

    @classmethod
    def of(cls, table: Ranks, *, rel: int, groups: tuple[str, ...] = ()) -> Judgements:
        """All pairs of a rank table; further copies of a document are lost with the document."""
        once = np.ones(len(table.relevance), np.bool_) if table.copies is None else ~table.copies
        relevance = table.relevance[once]
        return cls(table.topic[once], relevance >= rel, table.ranks[:, once], groups, relevance < 0)

    def select(self, chosen: Flags) -> Judgements:
        unjudged = None if self.unjudged is None else self.unjudged[chosen]
        return Judgements(self.topic[chosen], self.relevant[chosen], self.ranks[:, chosen], self.groups, unjudged)


Samples = Iterator["Flags"]
"""Each sample is bool[L, P]: at each level of loss, which pairs are kept."""


@dataclass(frozen=True)
class LossPlan:
    """The levels of a loss, and its samples."""

    keep: tuple[float, ...]
    samples: int
    masks: Callable[[], Samples]
    sample_names: tuple[str, ...] = ()

    @property
    def levels(self) -> tuple[str, ...]:
        """The label of each level."""
        return ("all but one group",) if self.sample_names else tuple(f"{level:g}" for level in self.keep)


def lose_at_random(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep a random share of each topic's relevant documents.

    Of n relevant documents f·n are kept, rounded to the nearest whole number (a half up), and at least one. Within a
    sample a smaller share is a subset of each larger one, so that levels differ only by the documents lost between
    them.
    """
    return _keep_first(given, keep, samples, lambda: np.lexsort((rng.random(len(given.topic)), given.topic)))


def lose_any_judgements(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep a random share of each topic's judgements, of relevant and of non-relevant documents alike.

    The stratified samples of Buckley & Voorhees (SIGIR 2004), for which Bpref was made: of the relevant documents
    f·n are kept, at least one, and of the non-relevant ones the same share, at least ten. Documents that were in the
    pool but not judged stay so.
    """
    stratum = 2 * given.topic + ~given.relevant
    least = np.where(np.arange(stratum.max(initial=-1) + 1) % 2, FEWEST_NONRELEVANT, 1)
    unjudged = np.zeros_like(given.relevant) if given.unjudged is None else given.unjudged

    def draw() -> Ints:
        return np.lexsort((rng.random(len(stratum)), unjudged, stratum))

    return _keep_first(given, keep, samples, draw, stratum=stratum, least=least, always=unjudged)


def lose_rare_documents(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep the share of each topic's relevant documents that most runs retrieved.

    As many as with `random`, but documents retrieved by few runs are lost first: those that would have been found late.
    Among documents retrieved by equally many runs the choice is random; samples differ only in that.
    """
    found_by = np.count_nonzero(given.ranks, axis=0)
    return _keep_first(given, keep, samples, lambda: np.lexsort((rng.random(len(found_by)), -found_by, given.topic)))


def _keep_first(
    given: Judgements,
    keep: Sequence[float],
    samples: int,
    draw: Callable[[], Ints],
    *,
    stratum: Ints | None = None,
    least: Ints | int = 1,
    always: Flags | None = None,
) -> LossPlan:
    """Keep the first documents of each stratum, by default a topic, in an order that `draw` returns for each sample.

    `least` is the number of documents that a stratum keeps in any case; those of `always` are kept and do not count.
    """
    wrong = next((share for share in keep if not 0 < share <= 1), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a share; give numbers above 0 and up to 1, as in 0.2,0.4,0.6,0.8")
    fractions = _sort_levels(keep)
    SAMPLES.check(samples, "the number of samples")
    stratum = given.topic if stratum is None else stratum
    stays = np.zeros(len(stratum), np.bool_) if always is None else always
    counts = np.bincount(stratum)
    first = (np.cumsum(counts) - counts)[stratum]
    # The small addition corrects products such as 0.35 · 10 = 3.4999…, which should be exactly a half.
    whole = np.floor(np.outer(fractions, np.bincount(stratum, weights=~stays)) + 0.5 + 1e-9)
    quota = np.maximum(whole, least)[:, stratum]

    def masks() -> Samples:
        place = np.empty(len(stratum), np.int64)
        for _ in range(samples):
            place[draw()] = np.arange(len(place))
            yield (place - first < quota) | stays

    return LossPlan(fractions, samples, masks)


def _sort_levels(keep: Sequence[float]) -> tuple[float, ...]:
    if not len(keep):
        raise UsageError("keep: no level is given; give at least one, as in 0.2,0.4,0.6,0.8")
    return tuple(sorted({float(level) for level in keep}))


def lose_outside_pool(given: Judgements, keep: Sequence[float], _samples: int, _rng: np.random.Generator) -> LossPlan:
    """Keep only documents among the first d of at least one run: a pool of depth d.

    `keep` gives the depths. All judgements outside the pool are lost, relevant or not; a topic without a relevant
    document in the pool is left out. Nothing is random, so there is one sample.
    """
    wrong = next((depth for depth in keep if not (depth >= 1 and float(depth).is_integer())), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a depth; give whole numbers of at least 1, as in 10,20,50,100")
    depths = _sort_levels(keep)

    def masks() -> Samples:
        nearest = np.where(given.ranks > 0, given.ranks, np.iinfo(np.int32).max).min(axis=0, initial=2**31 - 1)
        yield nearest <= np.array(depths)[:, None]

    return LossPlan(depths, 1, masks)


def lose_group(given: Judgements, keep: Sequence[float], _samples: int, _rng: np.random.Generator) -> LossPlan:
    """Lose documents retrieved only by one group's runs, for each group in turn: as if it had not taken part.

    Each group is one sample. Judgements of documents that only its runs retrieved are lost, relevant or not; a topic
    without any remaining relevant document is left out. Nothing is random, and there are no levels to choose.
    """
    if len(keep):
        raise UsageError("keep: the loss `group` has no levels; leave keep out")
    names = tuple(dict.fromkeys(given.groups))
    if len(names) < 2:
        raise UsageError(f"losing a group needs runs of at least two groups, but got {len(names)}")
    member, found = np.array([[of == name for of in given.groups] for name in names]), given.ranks > 0
    lost = np.array([found[group].any(axis=0) & ~found[~group].any(axis=0) for group in member])
    remaining = float(np.mean(1 - lost[:, given.relevant].mean(axis=1)))
    return LossPlan((remaining,), len(names), lambda: iter(~lost[:, None, :]), names)


@dataclass(frozen=True)
class Loss:
    """A way in which judgements are lost; the first line of its docstring is shown to users."""

    plan: Callable[[Judgements, Sequence[float], int, np.random.Generator], LossPlan]
    keep: tuple[float, ...] = FRACTIONS
    """The default levels."""
    all_judged: bool = False
    """Whether judgements of non-relevant documents are lost as well."""
    random: bool = True
    """Whether samples differ: without chance there is no number of samples to choose."""

    @property
    def summary(self) -> str:
        """What is kept or lost, in a sentence."""
        return (self.plan.__doc__ or "").partition("\n")[0]


LossName = Literal["random", "judgements", "late", "depth", "group"]
LOSSES: Mapping[str, Loss] = {
    "random": Loss(lose_at_random),
    "judgements": Loss(lose_any_judgements, all_judged=True),
    "late": Loss(lose_rare_documents),
    "depth": Loss(lose_outside_pool, (10, 20, 50, 100), all_judged=True, random=False),
    "group": Loss(lose_group, (), all_judged=True, random=False),
}


@dataclass(frozen=True)
class JudgementLoss(Bundle):
    """Which judgements are lost, how many, and how often."""

    keep: Annotated[
        Sequence[float] | None,
        Help(
            "Shares of relevant documents to keep, or the depths of the pool where judgements are removed by depth.",
            metavar="F,F,…",
            default="0.2,0.4,0.6,0.8; depth: 10,20,50,100",
        ),
    ] = None
    samples: Annotated[
        int | None,
        SAMPLES,
        Help("The number of samples at each level; depth and group have one.", default=str(DEFAULT_SAMPLES)),
    ] = None
    seed: Seed = 0
    remove: Annotated[
        LossName,
        Help(
            "What is lost: relevant documents at random, judgements at random, what only one group found, what "
            "lies outside a shallow pool, or what few runs found."
        ),
    ] = "random"
    treat_as: Annotated[Lost, Help("A lost document: leaves the pool, or stays in it unjudged (relevance -1).")] = (
        "dropped"
    )
    groups: Groups = None

    def __post_init__(self) -> None:
        find_entry(LOSSES, self.remove, "loss of judgements")
        find_entry(LOST, self.treat_as, "state of a removed document")
        SEED.check(self.seed, "the seed")
        if self.samples is not None:
            SAMPLES.check(self.samples, "the number of samples")


class GivenLoss(TypedDict, total=False):
    """The same as keyword arguments, for type checkers."""

    keep: Sequence[float] | None
    samples: int | None
    seed: int
    remove: LossName
    treat_as: Lost
    groups: Mapping[str, str] | None


# The groups of runs


def read_groups(path: str | Path) -> dict[str, str]:
    """Read the group of each run from a file of lines `run group`.

    The two are separated by blanks, a tab or a comma; lines that start with # are comments.

    Args:
        path: The file.
    """
    content = read_content(path)
    groups: dict[str, str] = {}
    for number, line in enumerate(content.data.decode("utf-8", "replace").splitlines(), 1):
        words = line.replace(",", " ").split(maxsplit=1)
        if not words or words[0].startswith("#"):
            continue
        if len(words) < 2:
            raise MalformedInputError(
                f"{printable(line)!r} does not name a run and its group",
                source=content.source,
                line=number,
                remedy="write `run group` on each line",
            )
        run, group = words[0], words[1].strip()
        if groups.setdefault(run, group) != group:
            raise InputError(f"run {printable(run)} is in two groups", source=content.source, line=number)
    if not groups:
        raise InputError("names no run", source=content.source, remedy="write `run group` on each line")
    return groups


Groups = Annotated[
    Mapping[str, str] | None,
    Help("The group of each run, in lines of `run group`.", metavar="FILE", read=read_groups),
]


def assign_groups(runs: Sequence[str], groups: Mapping[str, str]) -> tuple[str, ...]:
    """The group of each run. Names may differ by a prefix or suffix that all runs share, such as `input.` or `.run`."""
    reversed_runs = [name[::-1] for name in runs]
    front, back = (len(commonprefix(names)) for names in ([*runs], reversed_runs))  # noqa: RUF071 (by character)
    cuts = sorted(product(range(front + 1), range(back + 1)), key=lambda cut: (sum(cut), cut))
    fewest: list[str] = list(runs)
    for begin, end in cuts:
        names = [name[begin : len(name) - end] for name in runs]
        missed = [run for run, name in zip(runs, names, strict=True) if name not in groups]
        if not missed:
            return tuple(groups[name] for name in names)
        fewest = min(fewest, missed, key=len)
    more = f" and {len(fewest) - 1} more" if len(fewest) > 1 else ""
    raise UsageError(f"the groups do not name run {printable(fewest[0])}{more}; add a line with its group")


# The scores of the same runs under many samples of the judgements


CELLS = 100_000
"""Runs × pairs scored at a time, so that they fit into the processor cache."""
CHEAP_PAIRS = 16
"""About this many pairs that are in all samples cost as much as one of the others, as they are not sorted."""
AHEAD = 8
"""Batches per core that may be scored before they are added up, which bounds the memory they need."""


class JudgementSamples:
    """A rank table and Q samples of its judgements, in which T topics have D different cases."""

    def __init__(self, ranks: Ranks, places: Ints, kept: Flags, *, pooled: bool = False) -> None:
        """`places` has the column of `kept`, bool[Q, …], for each pair; −1 for a pair that is in all samples.

        If `pooled`, pairs that a sample does not keep stay in it as unjudged ones, with a relevance of −1.
        """
        self.ranks, self.pooled = ranks, pooled
        self.pairs = np.flatnonzero(places >= 0)
        self.kept = kept[:, places[self.pairs]]
        self.bounds = np.searchsorted(self.pairs, ranks.offsets)
        """int64[T + 1]: where the `pairs` of each topic start."""
        self.case = np.zeros((len(kept), ranks.topics), np.int32)
        """int32[Q, T]: the case of each topic in each sample."""
        firsts: list[Ints] = []
        weights: list[Ints] = []
        always = (np.diff(ranks.offsets) - np.diff(self.bounds)) // CHEAP_PAIRS
        begins = [0]
        for topic, (begin, end) in enumerate(pairwise(self.bounds.tolist())):
            first, self.case[:, topic] = find_distinct(self.kept[:, begin:end])
            self.case[:, topic] += begins[-1]
            begins.append(begins[-1] + len(first))
            sizes = np.full(len(first), end - begin) if pooled else self.kept[first, begin:end].sum(axis=1)
            firsts.append(first)
            weights.append(always[topic] + sizes)
        self.begin = np.array(begins)
        """int64[T + 1]: where the cases of each topic start."""
        self.topic = np.repeat(np.arange(ranks.topics), np.diff(self.begin))
        """int64[D], ascending."""
        self.sample = np.concatenate(firsts)
        """int64[D]: one of the samples with this case."""
        self.weight = np.concatenate(weights)
        """int64[D]: the cost of each case, in pairs."""

    def build_case_table(self, part: slice) -> Ranks:
        """A slice of the cases as topics of a rank table."""
        topic, sample = self.topic[part], self.sample[part]
        bounds, offsets = self.bounds, self.ranks.offsets
        columns: list[Ints] = []
        counts: list[Ints] = []
        grades: list[NDArray[np.int32]] = []
        for one in np.unique(topic).tolist():
            begin, end = bounds[one], bounds[one + 1]
            present = np.ones((int((topic == one).sum()), offsets[one + 1] - offsets[one]), np.bool_)
            present[:, self.pairs[begin:end] - offsets[one]] = self.kept[sample[topic == one], begin:end]
            own = self.ranks.relevance[offsets[one] : offsets[one + 1]]
            here = np.ones_like(present) if self.pooled else present
            columns.append(np.nonzero(here)[1] + offsets[one])
            counts.append(here.sum(axis=1))
            grades.append(np.where(present, own, np.int32(-1))[here])
        pairs = np.concatenate(columns)
        return Ranks(
            self.ranks.ranks[:, pairs],
            np.concatenate(grades),
            np.concatenate(([0], np.cumsum(np.concatenate(counts)))),
            self.ranks.retrieved[:, topic],
            None if self.ranks.copies is None else self.ranks.copies[pairs],
            Origin(self.ranks, pairs, topic),
        )


def find_distinct(rows: Flags) -> tuple[Ints, Ints]:
    """The first of each group of equal rows, and the group of each row."""
    if not rows.shape[1]:
        return np.zeros(1, np.int64), np.zeros(len(rows), np.int64)
    packed = np.ascontiguousarray(np.packbits(rows, axis=1))
    _, first, kind = np.unique(packed.view(f"S{packed.shape[1]}").ravel(), return_index=True, return_inverse=True)
    return first, kind


def rescore(
    sampled: JudgementSamples, measures: Sequence[Measure], progress: Callable[[int, int], None] | None = None
) -> Floats:
    """float64[M, Q, R]: the total of each run under each measure and sample.

    Cases are scored in parallel, one batch per core. Their scores are added up here and in order, so that the same
    samples give the same digits.
    """
    aggregates = [measure.definition.aggregate for measure in measures]
    shape = len(sampled.kept), sampled.ranks.runs
    sums = [RunningSums(shape) for _ in measures]
    left_out = np.zeros((len(measures), *shape))  # the number of topics that are NaN
    parts = _split_batches(sampled.weight * sampled.ranks.runs)
    workers = os.cpu_count() or 1

    def score(part: slice) -> list[Floats]:
        table = sampled.build_case_table(part)
        scores = [np.ascontiguousarray(measure.score(table).T) for measure in measures]
        table.forget()
        return scores

    with ThreadPoolExecutor(workers) as pool:
        for first in range(0, len(parts), AHEAD * workers):
            several = parts[first : first + AHEAD * workers]
            for done, (part, by_measure) in enumerate(zip(several, pool.map(score, several), strict=True), first + 1):
                for m, scores in enumerate(by_measure):
                    _add_cases(sampled, part, aggregates[m].transform(scores), np.isnan(scores), sums[m], left_out[m])
                if progress is not None:
                    progress(done, len(parts))
    topics = sampled.ranks.topics - left_out
    return np.array([aggregates[m].total(sums[m].sums(), topics[m]) for m in range(len(measures))])


def _add_cases(
    sampled: JudgementSamples, part: slice, terms: Floats, unknown: Flags, sums: RunningSums, left_out: Floats
) -> None:
    """Add the terms[cases, R] of a slice of the cases to the sums of the samples that contain them."""
    any_unknown = bool(unknown.any())
    terms = np.where(unknown, 0.0, terms) if any_unknown else terms
    for topic in np.unique(sampled.topic[part]).tolist():
        case = sampled.case[:, topic] - part.start
        if part.start <= sampled.begin[topic] and sampled.begin[topic + 1] <= part.stop:
            sums.add(terms.take(case, axis=0))
            if any_unknown:
                left_out += unknown.take(case, axis=0)
        else:  # a topic whose cases are spread over several batches
            here = np.flatnonzero((case >= 0) & (case < len(terms)))
            of_samples = np.zeros((len(case), terms.shape[1]))
            of_samples[here] = terms[case[here]]
            sums.add(of_samples)
            left_out[here] += unknown[case[here]]


def _split_batches(weights: Ints) -> list[slice]:
    """Consecutive cases in batches of about `CELLS`, each with at least one case."""
    batch = np.cumsum(weights) // CELLS
    edges = [0, *(np.flatnonzero(np.diff(batch)) + 1).tolist(), len(weights)]
    return [slice(begin, end) for begin, end in pairwise(edges)]
