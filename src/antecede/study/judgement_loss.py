"""Loss of judgements: at random, of rarely retrieved documents first, with a shallow pool, or without one group.

A loss is a function registered below. It determines which pairs may be lost and yields samples: for each level of loss,
which of those pairs are kept. A lost pair is dropped, as if the qrels had no line for it, or stays in the pool without
a judgement, as a relevance of −1 says: see `LOST`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.inputs import check_count, find_entry
from antecede.errors import InputError, MalformedInputError, UsageError, shown
from antecede.trec.content import read_content

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.comparison.inputs import Flags, Ints
    from antecede.measures.ranks import Ranks

FRACTIONS = (0.2, 0.4, 0.6, 0.8)
DEPTHS = (10, 20, 50, 100)
LOST = {
    "dropped": "A lost document is dropped from the qrels, as if it had never been in the pool.",
    "unjudged": "A lost document stays in the pool, unjudged (relevance −1), which infAP uses.",
}
"""What becomes of a document whose judgement is lost."""
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
        """The chosen pairs."""
        unjudged = None if self.unjudged is None else self.unjudged[chosen]
        return Judgements(self.topic[chosen], self.relevant[chosen], self.ranks[:, chosen], self.groups, unjudged)


Samples = Iterator["Flags"]
"""Each sample is bool[L, P]: at each level of loss, which pairs are kept."""


@dataclass(frozen=True)
class LossPlan:
    """The levels of a loss, and its samples."""

    keep: tuple[float, ...]
    levels: tuple[str, ...]
    sample_names: tuple[str, ...]
    samples: int
    masks: Callable[[], Samples]


@dataclass(frozen=True)
class Loss:
    """A registered way in which judgements are lost."""

    name: str
    summary: str
    all_judged: bool
    """Whether judgements of non-relevant documents are lost as well."""
    keep: tuple[float, ...]
    """The default levels."""
    plan: Callable[[Judgements, Sequence[float], int, np.random.Generator], LossPlan]


LOSSES: dict[str, Loss] = {}


def register_loss(
    name: str, *, keep: tuple[float, ...], all_judged: bool = False
) -> Callable[[Callable[..., LossPlan]], Callable[..., LossPlan]]:
    """Register a function as the loss `name`; the first line of its docstring is shown to users."""

    def register(function: Callable[..., LossPlan]) -> Callable[..., LossPlan]:
        summary = (function.__doc__ or "").split("\n", 1)[0]
        LOSSES[name] = Loss(name, summary, all_judged, keep, function)
        return function

    return register


def find_loss(name: str) -> Loss:
    """The loss with this name; the error for an unknown name lists the available ones."""
    return find_entry(LOSSES, name, "loss of judgements")


@register_loss("random", keep=FRACTIONS)
def lose_at_random(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep a random share of each topic's relevant documents.

    Of n relevant documents f·n are kept, rounded to the nearest whole number (a half up), and at least one. Within a
    sample a smaller share is a subset of each larger one, so that levels differ only by the documents lost between
    them.
    """
    return keep_first(given, keep, samples, lambda: np.lexsort((rng.random(len(given.topic)), given.topic)))


@register_loss("judgements", keep=FRACTIONS, all_judged=True)
def lose_any_judgements(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep a random share of each topic's judgements, of relevant and of non-relevant documents alike.

    The stratified samples of Buckley & Voorhees (SIGIR 2004), for which Bpref was made: of the relevant documents
    f·n are kept, at least one, and of the non-relevant ones the same share, at least ten. Documents that were in the
    pool but not judged stay so.
    """
    stratum = 2 * given.topic + ~given.relevant
    least = np.where(np.arange(stratum.max(initial=-1) + 1) % 2, FEWEST_NONRELEVANT, 1)
    unjudged = np.zeros_like(given.relevant) if given.unjudged is None else given.unjudged
    return keep_first(
        *(given, keep, samples, lambda: np.lexsort((rng.random(len(stratum)), unjudged, stratum))),
        stratum=stratum,
        least=least,
        always=unjudged,
    )


@register_loss("late", keep=FRACTIONS)
def lose_rare_documents(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> LossPlan:
    """Keep the share of each topic's relevant documents that most runs retrieved.

    As many as with `random`, but documents retrieved by few runs are lost first: those that would have been found late.
    Among documents retrieved by equally many runs the choice is random; samples differ only in that.
    """
    found_by = np.count_nonzero(given.ranks, axis=0)
    return keep_first(given, keep, samples, lambda: np.lexsort((rng.random(len(found_by)), -found_by, given.topic)))


def keep_first(
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
    fractions = check_fractions(keep)
    check_count(samples, "samples")
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

    return LossPlan(fractions, tuple(f"{share:g}" for share in fractions), (), samples, masks)


def check_fractions(keep: Sequence[float]) -> tuple[float, ...]:
    """The shares in ascending order; a share outside (0, 1] is refused."""
    wrong = next((share for share in keep if not 0 < share <= 1), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a share; give numbers above 0 and up to 1, as in 0.2,0.4,0.6,0.8")
    return sort_levels(keep)


def sort_levels(keep: Sequence[float]) -> tuple[float, ...]:
    """The distinct levels in ascending order."""
    if not len(keep):
        raise UsageError("keep: no level is given; give at least one, as in 0.2,0.4,0.6,0.8")
    return tuple(sorted({float(level) for level in keep}))


@register_loss("depth", keep=DEPTHS, all_judged=True)
def lose_outside_pool(given: Judgements, keep: Sequence[float], _samples: int, _rng: np.random.Generator) -> LossPlan:
    """Keep only documents among the first d of at least one run: a pool of depth d.

    `keep` gives the depths. All judgements outside the pool are lost, relevant or not; a topic without a relevant
    document in the pool is left out. Nothing is random, so there is one sample.
    """
    wrong = next((depth for depth in keep if not (depth >= 1 and float(depth).is_integer())), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a depth; give whole numbers of at least 1, as in 10,20,50,100")
    depths = sort_levels(keep)

    def masks() -> Samples:
        nearest = np.where(given.ranks > 0, given.ranks, np.iinfo(np.int32).max).min(axis=0, initial=2**31 - 1)
        yield nearest <= np.array(depths)[:, None]

    return LossPlan(depths, tuple(f"{depth:g}" for depth in depths), (), 1, masks)


@register_loss("group", keep=(), all_judged=True)
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
    member = np.array([[of == name for of in given.groups] for name in names])

    def find_lost(group: Flags) -> Flags:
        found = given.ranks > 0
        return np.asarray(found[group].any(axis=0) & ~found[~group].any(axis=0))

    def masks() -> Samples:
        for group in member:
            yield ~find_lost(group)[None, :]

    remaining = float(np.mean([1 - find_lost(group)[given.relevant].mean() for group in member]))
    return LossPlan((remaining,), ("all but one group",), names, len(names), masks)


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
                f"{shown(line)!r} does not name a run and its group",
                source=content.source,
                line=number,
                remedy="write `run group` on each line",
            )
        run, group = words[0], words[1].strip()
        if groups.setdefault(run, group) != group:
            raise InputError(f"run {shown(run)} is in two groups", source=content.source, line=number)
    if not groups:
        raise InputError("names no run", source=content.source, remedy="write `run group` on each line")
    return groups


def assign_groups(runs: Sequence[str], groups: Mapping[str, str]) -> tuple[str, ...]:
    """The group of each run. Names may differ by a prefix or suffix that all runs share, such as `input.` or `.run`."""
    front, back = shared_prefix_length(runs), shared_prefix_length([name[::-1] for name in runs])
    cuts = sorted(
        ((begin, end) for begin in range(front + 1) for end in range(back + 1)), key=lambda cut: (sum(cut), cut)
    )
    fewest: list[str] = list(runs)
    for begin, end in cuts:
        names = [name[begin : len(name) - end] for name in runs]
        missed = [run for run, name in zip(runs, names, strict=True) if name not in groups]
        if not missed:
            return tuple(groups[name] for name in names)
        fewest = min(fewest, missed, key=len)
    more = f" and {len(fewest) - 1} more" if len(fewest) > 1 else ""
    raise UsageError(f"the groups do not name run {shown(fewest[0])}{more}; add a line with its group")


def shared_prefix_length(names: Sequence[str]) -> int:
    """The number of leading characters that all names share."""
    return sum(1 for _ in takewhile(lambda characters: len({*characters}) == 1, zip(*names, strict=False)))
