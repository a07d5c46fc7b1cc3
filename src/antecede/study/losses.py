"""Ways of losing judgements: at random, the rare finds first, with a shallow pool, or with a group that is not there.

A way is a function in the register below. It says which pairs may be lost and yields samples: for each level of loss,
which of those pairs are kept. What is lost becomes unjudged, as if the qrels had no line for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.comparison.validation import find
from antecede.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks

    Flags = NDArray[np.bool_]
    Ints = NDArray[np.int64]

FRACTIONS = (0.2, 0.4, 0.6, 0.8)
DEPTHS = (10, 20, 50, 100)


@dataclass(frozen=True, eq=False)
class Judgements:
    """What can be lost: P pairs of the rank table, each document once, and who found it."""

    topic: Ints
    """int64[P], rising."""
    relevant: Flags
    """bool[P]."""
    ranks: NDArray[np.int32]
    """int32[R, P]; 0 = not retrieved."""
    groups: tuple[str, ...] = ()
    """The group of each run, where groups are known."""

    @classmethod
    def of(cls, table: Ranks, *, rel: int, groups: tuple[str, ...] = ()) -> Judgements:
        """All pairs of a rank table; a further copy of a document goes with the document."""
        once = np.ones(len(table.relevance), np.bool_) if table.copies is None else ~table.copies
        return cls(table.topic[once], table.relevance[once] >= rel, table.ranks[:, once], groups)

    def only(self, chosen: Flags) -> Judgements:
        """Some of the pairs."""
        return Judgements(self.topic[chosen], self.relevant[chosen], self.ranks[:, chosen], self.groups)


Samples = Iterator["Flags"]
"""Each sample is bool[L, P]: at each level of loss, which pairs are kept."""


@dataclass(frozen=True)
class Plan:
    """What a way of losing makes of the call."""

    keep: tuple[float, ...]
    levels: tuple[str, ...]
    sample_names: tuple[str, ...]
    samples: int
    masks: Callable[[], Samples]


@dataclass(frozen=True)
class Way:
    """A way of losing judgements."""

    name: str
    summary: str
    all_judged: bool
    """Whether judgements of documents that are not relevant are lost too."""
    keep: tuple[float, ...]
    """The levels where none are asked for."""
    plan: Callable[[Judgements, Sequence[float], int, np.random.Generator], Plan]


WAYS: dict[str, Way] = {}


def way(
    name: str, *, keep: tuple[float, ...], all_judged: bool = False
) -> Callable[[Callable[..., Plan]], Callable[..., Plan]]:
    """Register a function as the way `name`; its docstring's first line is what people are told."""

    def register(function: Callable[..., Plan]) -> Callable[..., Plan]:
        summary = (function.__doc__ or "").split("\n", 1)[0]
        WAYS[name] = Way(name, summary, all_judged, keep, function)
        return function

    return register


def way_called(name: str) -> Way:
    """The way of that name; an unknown name is answered with those there are."""
    return find(WAYS, name, "way of losing judgements")


@way("random", keep=FRACTIONS)
def at_random(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> Plan:
    """Keep a random share of each topic's relevant documents.

    Of n relevant documents f·n are kept, rounded to the nearest whole number (a half up), and at least one. Within a
    sample a smaller share is part of each larger one, so that levels differ by what is lost and not by luck.
    """
    return by_order(given, keep, samples, lambda: np.lexsort((rng.random(len(given.topic)), given.topic)))


@way("late", keep=FRACTIONS)
def rare_finds_first(given: Judgements, keep: Sequence[float], samples: int, rng: np.random.Generator) -> Plan:
    """Keep a share of each topic's relevant documents, those that most runs retrieved.

    As many as with `random`, but what few runs have in their lists is lost first: what would have been found late.
    Among documents that equally many runs retrieved, chance decides; samples differ in nothing else.
    """
    found_by = np.count_nonzero(given.ranks, axis=0)
    return by_order(given, keep, samples, lambda: np.lexsort((rng.random(len(found_by)), -found_by, given.topic)))


def by_order(given: Judgements, keep: Sequence[float], samples: int, draw: Callable[[], Ints]) -> Plan:
    """Keep the first so many of each topic, in an order that `draw` gives anew for each sample."""
    fractions = checked_fractions(keep)
    if samples < 1:
        raise UsageError(f"the number of samples must be at least 1, not {samples}")
    counts = np.bincount(given.topic)
    first = (np.cumsum(counts) - counts)[given.topic]
    # The small addition heals products such as 0.35 · 10 = 3.4999…, which are a half in truth.
    whole = np.floor(np.outer(fractions, counts) + 0.5 + 1e-9)
    quota = np.maximum(whole, 1)[:, given.topic]

    def masks() -> Samples:
        place = np.empty(len(given.topic), np.int64)
        for _ in range(samples):
            place[draw()] = np.arange(len(place))
            yield place - first < quota

    return Plan(fractions, tuple(f"{share:g}" for share in fractions), (), samples, masks)


def checked_fractions(keep: Sequence[float]) -> tuple[float, ...]:
    wrong = next((share for share in keep if not 0 < share <= 1), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a share; give numbers above 0 and up to 1, as in 0.2,0.4,0.6,0.8")
    return rising(keep)


def rising(keep: Sequence[float]) -> tuple[float, ...]:
    """The levels in rising order, each once."""
    if not len(keep):
        raise UsageError("keep: no level is given; give some, as in 0.2,0.4,0.6,0.8")
    return tuple(sorted({float(level) for level in keep}))


@way("depth", keep=DEPTHS, all_judged=True)
def shallow_pool(given: Judgements, keep: Sequence[float], _samples: int, _rng: np.random.Generator) -> Plan:
    """Keep only what stands among the first d documents of at least one run: a pool of depth d.

    `keep` gives depths. All judgements outside the pool are lost, relevant or not; a topic without a relevant document
    in the pool is left out. Nothing is drawn, so there is one sample.
    """
    wrong = next((depth for depth in keep if not (depth >= 1 and float(depth).is_integer())), None)
    if wrong is not None:
        raise UsageError(f"keep: {wrong:g} is not a depth; give whole numbers from 1 up, as in 10,20,50,100")
    depths = rising(keep)

    def masks() -> Samples:
        nearest = np.where(given.ranks > 0, given.ranks, np.iinfo(np.int32).max).min(axis=0, initial=2**31 - 1)
        yield nearest <= np.array(depths)[:, None]

    return Plan(depths, tuple(f"{depth:g}" for depth in depths), (), 1, masks)


@way("group", keep=(), all_judged=True)
def without_a_group(given: Judgements, keep: Sequence[float], _samples: int, _rng: np.random.Generator) -> Plan:
    """Lose what only one group's runs retrieved, for each group in turn: as if it had not taken part.

    Each group is one sample. Judgements of documents that its runs alone have in their lists are lost, relevant or
    not; a topic left without a relevant document is left out. Nothing is drawn, and there are no levels to choose.
    """
    if len(keep):
        raise UsageError("keep: the way `group` has no levels; leave keep out")
    names = tuple(dict.fromkeys(given.groups))
    if len(names) < 2:
        raise UsageError(f"losing a group needs runs of at least two groups, there {'is 1' if names else 'are 0'}")
    member = np.array([[of == name for of in given.groups] for name in names])

    def lost_without(group: Flags) -> Flags:
        found = given.ranks > 0
        return np.asarray(found[group].any(axis=0) & ~found[~group].any(axis=0))

    def masks() -> Samples:
        for group in member:
            yield ~lost_without(group)[None, :]

    left = float(np.mean([1 - lost_without(group)[given.relevant].mean() for group in member]))
    return Plan((left,), ("all but one group",), names, len(names), masks)
