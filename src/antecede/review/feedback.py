"""How the order of reading depends on what was found: not at all, once, or after every batch; and the batches.

    for positions in FEEDBACK["active"](topic): …

Each kind of feedback is a function that yields the documents of a judged topic in parts, in reading order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError
from antecede.ranges import SEED, WEIGHT, Range
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from antecede.review.active_learning import ActiveLearner
    from antecede.review.reading import Bools, Floats, Ints


PAGE = 10
"""Documents of a page: one-shot feedback comes after the first page with a relevant document."""
STATIC, ONE_SHOT, ACTIVE = "static", "one-shot", "active"
NEGATIVES = Range(0, 1_000_000, whole=True)
STRENGTH = Range(0, 1e6, open_low=True)


@dataclass(frozen=True)
class LearningSettings:
    """The parameters of active learning."""

    negatives: int = 100
    """Unread documents that are presumed not to be relevant."""
    c: float = 10.0
    """The weight of the marks against the penalty on large weights: C of a logistic regression."""
    prior: float = 1.0
    """The weight of the first ranking."""
    classifier: float = 0.25
    """The weight of the classifier; 0 to rank without one."""
    seed: int = 0

    def __post_init__(self) -> None:
        NEGATIVES.check(self.negatives, "negatives")
        STRENGTH.check(self.c, "c")
        WEIGHT.check(self.prior, "prior")
        WEIGHT.check(self.classifier, "classifier")
        SEED.check(self.seed, "seed")


def find_batch(read: int) -> tuple[int, int]:
    """The batch that document `read` + 1 belongs to: how many documents are read when it begins, and when it ends.

    Batches have 1 document, then ⌈B / 10⌉ more than the batch before: 1, 2, 3 … 10, 11, 13, 15 …

    >>> [find_batch(read) for read in (0, 1, 2, 3, 54, 55)]
    [(0, 1), (1, 3), (1, 3), (3, 6), (45, 55), (55, 66)]
    """
    start, size = 0, 1
    while start + size <= read:
        start += size
        size += -(-size // 10)
    return start, start + size


@dataclass(frozen=True, eq=False)
class ReviewTopic:
    """A judged topic to be read."""

    __repr__ = concise_repr

    topic_id: str
    order: Ints
    """The documents that can be read, as rows of a collection, in the order of the first ranking."""
    relevant: Bools
    """Which of them are relevant, in the same order."""
    missing: int = 0
    """Relevant documents that cannot be read, since the ranking does not have them."""
    excluded: int = 0
    """Relevant documents that the filters of the search exclude, and that are not counted as relevant therefore."""
    scores: Floats | None = None
    """The scores of the first ranking."""
    learner: Callable[[], ActiveLearner] | None = None
    """Makes the learner for active learning; None where there are no vectors."""
    rerank: Callable[[Ints, Ints], Ints] | None = None
    """The rows of another ranking, given those that are relevant and those that are not; for one-shot feedback."""

    @property
    def total(self) -> int:
        """The number of relevant documents."""
        return int(self.relevant.sum()) + self.missing


def read_static(topic: ReviewTopic) -> Iterator[Ints]:
    """Read in the order of the first ranking."""
    yield np.arange(len(topic.order))


def _places(topic: ReviewTopic) -> Ints:
    """The position of each row in the order; -1 for one that cannot be read."""
    places = np.full(int(topic.order.max(initial=-1)) + 1, -1)
    places[topic.order] = np.arange(len(topic.order))
    return places


def read_one_shot(topic: ReviewTopic) -> Iterator[Ints]:
    """Read pages of ten until something relevant is found, change the query once by Rocchio's feedback, and read on."""
    if topic.rerank is None:
        raise UsageError("one-shot feedback searches again; give an index")
    whole = np.arange(len(topic.order))
    finds = np.flatnonzero(topic.relevant)
    pages = int(finds[0]) // PAGE + 1 if len(finds) else len(whole)
    first = whole[: pages * PAGE]
    if len(first) < len(whole):
        good, bad = first[topic.relevant[first]], first[~topic.relevant[first]]
        places = _places(topic)
        rows = topic.rerank(topic.order[good], topic.order[bad])
        then = places[rows[rows < len(places)]]
        then = then[then >= len(first)]
        whole = np.concatenate((first, then, np.setdiff1d(whole, np.concatenate((first, then)))))
    yield whole


def read_active(topic: ReviewTopic) -> Iterator[Ints]:
    """Read batches that active learning chooses."""
    if topic.learner is None:
        raise UsageError("active learning compares documents by their vectors; give an index")
    learner = topic.learner()
    places = _places(topic)
    good, bad = np.zeros(0, np.int64), np.zeros(0, np.int64)
    read = 0
    while read < len(topic.order):
        order, _ = learner.rank_rows(good, bad)
        batch = places[order[: find_batch(read)[1] - read]]
        yield batch
        read += len(batch)
        hit = topic.relevant[batch]
        good = np.concatenate((good, topic.order[batch[hit]]))
        bad = np.concatenate((bad, topic.order[batch[~hit]]))


FEEDBACK: dict[str, Callable[[ReviewTopic], Iterator[Ints]]] = {
    STATIC: read_static,
    ONE_SHOT: read_one_shot,
    ACTIVE: read_active,
}
"""Each yields the positions in `order` of the documents that are read, part by part."""


def find_positions(topic: ReviewTopic, feedback: str) -> Ints:
    """The positions in reading order of the relevant documents, from 1; those that cannot be read are left out.

    The topic is read until all are found: every further document is a miss, whatever the order.
    """
    flags: list[Bools] = [np.zeros(0, np.bool_)]
    wanted, found = int(topic.relevant.sum()), 0
    for batch in FEEDBACK[feedback](topic) if wanted else ():
        flags.append(topic.relevant[batch])
        found += int(flags[-1].sum())
        if found == wanted:
            break
    return np.flatnonzero(np.concatenate(flags)) + 1
