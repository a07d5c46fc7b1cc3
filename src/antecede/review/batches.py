"""The batches in which documents are read, and the parameters of active learning: what needs no arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

from antecede.ranges import SEED, WEIGHT, Range

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


def batch_end(read: int) -> int:
    """How many documents are read when the batch ends that begins or continues after `read` documents.

    Batches have 1 document, then ⌈B / 10⌉ more than the batch before: 1, 2, 3 … 10, 11, 13, 15 …

    >>> [batch_end(read) for read in (0, 1, 2, 3, 54, 55)]
    [1, 3, 3, 6, 55, 66]
    """
    end, size = 1, 1
    while end <= read:
        size += -(-size // 10)
        end += size
    return end


def batch_start(read: int) -> int:
    """How many documents were read when the batch began that document `read` + 1 belongs to.

    >>> [batch_start(read) for read in (0, 1, 2, 3, 54, 55)]
    [0, 1, 1, 3, 45, 55]
    """
    start, size = 0, 1
    while start + size <= read:
        start += size
        size += -(-size // 10)
    return start
