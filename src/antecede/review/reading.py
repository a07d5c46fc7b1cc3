"""A reading: the documents read so far, in reading order, and which of them are relevant.

Estimators and stopping rules see nothing else, so that they serve a search for prior art, a systematic review and legal
discovery alike. `found` and `read` count; `up_to(n)` is the same reading after the first n documents.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, get_args

import numpy as np

from antecede.errors import UsageError
from antecede.operations import Help
from antecede.ranges import DOCUMENTS, Range, write_number
from antecede.results import concise_repr

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Reading:
    """The documents read so far, one element per document in reading order.

    Lists are converted to arrays; what contradicts itself is refused with a `UsageError`.

    >>> reading = Reading([True, False, True, False], documents=10)
    >>> reading.found, reading.read, reading.unread
    (2, 4, 6)
    >>> reading.up_to(2).found
    1
    """

    __repr__ = concise_repr

    relevant: Bools
    """bool[read]: whether each document is relevant."""
    documents: int
    """The size of what could be read: the collection, or the ranked list."""
    audited: Bools | None = None
    """bool[read]: drawn by a uniform random sample (of what the ranking had not shown) instead of by the ranking."""
    ranks: Ints | None = None
    """int64[read]: the position at which the ranking arrives at the document, from 1; 0 where it has not yet done so.

    Only a random sample drawn before the ranking is read needs it: `target` and `qbcb` wait until the ranking arrives
    at documents that the sample found. By default, documents of the ranking are at 1, 2, 3 … and audited ones at 0.
    """
    probabilities: Floats | None = None
    """float64[read]: of a sampling reader, the probability with which the document is in a sample like this one."""
    found_by: Bools | None = None
    """bool[queries, read]: which query retrieved which document, for capture–recapture."""

    if TYPE_CHECKING:

        def __init__(
            self,
            relevant: ArrayLike,
            documents: int,
            audited: ArrayLike | None = None,
            ranks: ArrayLike | None = None,
            probabilities: ArrayLike | None = None,
            found_by: ArrayLike | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        DOCUMENTS.check(self.documents, "documents")
        try:
            chances = None if self.probabilities is None else np.asarray(self.probabilities, np.float64)
        except (TypeError, ValueError):
            raise UsageError("probabilities must be a number for each document") from None
        if chances is not None and not ((chances > 0) & (chances <= 1)).all():
            raise UsageError("probabilities must be more than 0 and at most 1: a document that was read could be drawn")
        arrays = {
            "relevant": as_flags(self.relevant, "relevant"),
            "audited": as_flags(self.audited, "audited"),
            "ranks": as_positions(self.ranks),
            "probabilities": chances,
            "found_by": as_flags(self.found_by, "found_by"),
        }
        for name, values in {**arrays, "documents": int(self.documents)}.items():
            object.__setattr__(self, name, values)
        if self.relevant.ndim != 1:
            raise UsageError("relevant must have one element per document read")
        if self.read > self.documents:
            raise UsageError(f"{self.read} documents are read of {self.documents}; give the size of what could be read")
        for name, array in arrays.items():
            dimensions = 2 if name == "found_by" else 1
            if array is not None and (array.ndim != dimensions or array.shape[-1] != self.read):
                raise UsageError(f"{name} must have one element per document read ({self.read}), not {[*array.shape]}")

    @property
    def read(self) -> int:
        """How many documents were read."""
        return len(self.relevant)

    @property
    def unread(self) -> int:
        """How many documents remain."""
        return self.documents - self.read

    @cached_property
    def found(self) -> int:
        """How many of the documents read are relevant."""
        return int(np.count_nonzero(self.relevant))

    @property
    def complete(self) -> bool:
        """Whether everything was read, so that nothing remains to be estimated."""
        return self.unread == 0

    @cached_property
    def finds(self) -> Ints:
        """int64[found]: the positions of the relevant documents in reading order, from 1."""
        return np.flatnonzero(self.relevant) + 1

    @cached_property
    def from_ranking(self) -> Reading:
        """The part that the ranking showed: without audited documents, which leave the size of what could be read."""
        if self.audited is None or not self.audited.any():
            return self
        shown = ~self.audited
        size = self.documents - int(np.count_nonzero(self.audited))
        if size == 0:
            raise UsageError("every document was audited; nothing is left for the ranking")
        return replace(self.select(shown), documents=size)

    @cached_property
    def reached(self) -> Bools:
        """bool[read]: at which documents the ranking has arrived; false for audited ones that it has yet to reach."""
        if self.audited is None:
            return np.ones(self.read, np.bool_)
        if self.ranks is None:
            return ~self.audited
        known = np.unique(self.ranks[self.ranks > 0])
        gaps = np.flatnonzero(known != np.arange(1, len(known) + 1))
        first_gap = int(gaps[0]) + 1 if len(gaps) else len(known) + 1
        reached: Bools = ~self.audited | ((self.ranks > 0) & (self.ranks < first_gap))
        return reached

    def up_to(self, n: int) -> Reading:
        """The same reading after its first n documents; all of it where fewer were read."""
        if n >= self.read:
            return self
        if self.probabilities is not None:
            raise UsageError("the inclusion probabilities of a sample hold for the whole sample, not for a part of it")
        return self.select(slice(n))

    def select(self, chosen: Any) -> Reading:
        """The reading with a part of its documents."""
        parts = {
            name: values[..., chosen]
            for name in ("relevant", "audited", "ranks", "probabilities", "found_by")
            if (values := getattr(self, name)) is not None
        }
        return replace(self, **parts)


def as_flags(values: ArrayLike | None, name: str) -> Bools | None:
    """Values as Booleans; numbers other than 0 and 1 are refused, since a grade is not a decision."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype == np.bool_ or array.size == 0:
        return array.astype(np.bool_)
    if array.dtype.kind not in "iuf" or not np.isin(array, (0, 1)).all():
        raise UsageError(f"{name} must be true or false for each document")
    return array.astype(np.bool_)


def as_positions(values: ArrayLike | None) -> Ints | None:
    """Ranks as integers: positive, or 0 where the ranking has not arrived; no two documents share one."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.size and (array.dtype.kind not in "iu" or array.min() < 0):
        raise UsageError("ranks must be positive whole numbers, or 0 where the ranking has not arrived")
    positions = array.astype(np.int64)
    known = positions[positions > 0]
    if len(np.unique(known)) < len(known):
        raise UsageError("two documents cannot share a rank")
    return positions


# What is concluded from a reading


class Bounds(NamedTuple):
    """What an estimator returns: a total and the ends of its interval."""

    total: float
    low: float
    high: float


class Decision(NamedTuple):
    """Stop or go on, with the reason."""

    stop: bool
    reason: str


TARGET = Range(0.01, 1)
"""The recall that is to be reached."""
DEFAULT_TARGET = 0.95
Target = Annotated[float, TARGET, Help("The recall to be reached.")]


def describe_complete(reading: Reading) -> str:
    """That everything is read, in words."""
    only = "the only document is" if reading.documents == 1 else f"all {reading.documents} documents are"
    return f"{only} read" if reading.documents else "there is no document to read"


def required(total: int, target: float) -> int:
    """How many of `total` relevant documents reach the target: rounded up in exact arithmetic, so 95 % of 20 is 19.

    >>> required(20, 0.95), required(21, 0.95), required(0, 0.95)
    (19, 20, 0)
    """
    return -(-Fraction(write_number(float(target))) * total // 1)


def missable(found: int, target: float) -> int:
    """How many relevant documents may remain unread while `found` of them still reach the target.

    >>> missable(19, 0.95), missable(18, 0.95), missable(7, 1.0)
    (1, 0, 0)
    """
    share = Fraction(write_number(float(target)))
    return int(found / share) - found


# How documents are read

Feedback = Literal["static", "one-shot", "active"]
STATIC: Feedback
ONE_SHOT: Feedback
ACTIVE: Feedback
STATIC, ONE_SHOT, ACTIVE = FEEDBACK = get_args(Feedback)
"""How the order of reading depends on what was found: not at all, once, or after every batch."""


def find_batch(read: int) -> tuple[int, int]:
    """The batch that document `read` + 1 belongs to: how many documents are read when it begins, and when it ends.

    Batches are of one document until a hundred are read, then of a fiftieth of what is read: larger ones find later.

    >>> [find_batch(read) for read in (0, 1, 99, 100, 101, 149, 150)]
    [(0, 1), (1, 2), (99, 100), (100, 102), (100, 102), (148, 150), (150, 153)]
    """
    start, size = 0, 1
    while start + size <= read:
        start += size
        size = max(1, start // 50)
    return start, start + size
