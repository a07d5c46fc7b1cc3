"""The registry of estimators: an estimator is a function with a docstring in a file of this folder.

    @estimator("chapman", cite="Chapman 1951", assumption="…", needs="found_by")
    def chapman(reading: Reading, *, level: OpenShare = 0.95) -> Bounds: …

It returns `(total, low, high)`: how many relevant documents there are, and the ends of an interval that contains the
true number with probability `level` if the assumption holds. The keyword parameters are what may be written:
`poisson(rate=power,level=0.9)`. Whatever a formula returns is brought between what was found and what remains
possible; a reading that is complete needs no estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Registry, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.review.reading import Reading

Needs = Literal["ranking", "found_by", "audited", "probabilities", "calibration"]
"""What an estimator or a rule requires of the reading, beyond which documents are relevant."""


class Bounds(NamedTuple):
    """What an estimator returns: a total and the ends of its interval."""

    total: float
    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """How many relevant documents there are, with an interval and what it assumes."""

    total: float
    """The estimated number of relevant documents, found or not."""
    low: float
    high: float
    level: float
    """The nominal probability that the interval contains the true number."""
    assumption: str
    found: int

    @property
    def recall(self) -> float | None:
        """found / total: the estimated recall; 1 where nothing exists, None where nothing is found and little is read.

        With nothing found, a total of 0 says that too little is read to expect anything, not that all was found.
        """
        if self.total > 0:
            return self.found / self.total
        return None if self.high > 0 else 1.0

    @property
    def recall_low(self) -> float:
        """The lower end of the interval of recall."""
        return self.found / self.high if self.high > 0 else 1.0

    @property
    def recall_high(self) -> float:
        """The upper end of the interval of recall."""
        return self.found / self.low if self.low > 0 else 1.0

    def __str__(self) -> str:
        """`6.4 (4.0–10.0), recall 0.63 (0.40–1.00)`."""
        recall = f"{self.recall:.2f}" if self.recall is not None else "unknown"
        total = f"{self.total:.1f} ({self.low:.1f}–{self.high:.1f})"
        return f"{total}, recall {recall} ({self.recall_low:.2f}–{self.recall_high:.2f})"

    def as_dict(self) -> dict[str, Any]:
        """The estimate in a JSON-compatible form."""
        names = ("total", "low", "high", "level", "found", "recall", "recall_low", "recall_high", "assumption")
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True, eq=False)
class EstimatorDefinition(Definition):
    """A registered estimator, before its parameters are given."""

    assumption: str
    """What must hold for the interval to be right, in one sentence."""
    needs: Needs = "ranking"

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "assumption": self.assumption, "needs": self.needs}


@dataclass(frozen=True)
class Estimator(Choice[EstimatorDefinition]):
    """An estimator with its parameters."""

    @property
    def level(self) -> float:
        """The nominal probability of the interval."""
        return float(self.parameters.get("level", self.definition.defaults["level"]))

    def estimate(self, reading: Reading) -> Estimate:
        """How many relevant documents there are in all."""
        check_needs(self.definition.needs, reading, f"the estimator {self}")
        found, most = reading.found, reading.found + reading.unread
        if reading.complete:
            total = low = high = float(found)
        else:
            total, low, high = self.definition.function(reading, **self.keywords)
            if not (low <= high):  # also refuses NaN
                raise UsageError(f"the estimator {self} gives an interval from {low} to {high}")
            low, high = (min(max(float(end), found), most) for end in (low, high))
            total = min(max(float(total), low), high)
        return Estimate(total, low, high, self.level, self.definition.assumption, found)


def check_needs(needs: Needs, reading: Reading, who: str) -> None:
    """Refuse a reading that lacks what an estimator or a rule requires."""
    missing = {
        "found_by": "documents that two or more queries retrieved; record which query found which document",
        "audited": "documents drawn at random; audit a sample first",
        "probabilities": "the inclusion probabilities of a sampling reader",
    }
    if needs in missing and getattr(reading, needs) is None:
        raise UsageError(f"{who} needs {missing[needs]}")


ESTIMATORS: Registry[EstimatorDefinition] = Registry(
    "estimator", package=__package__ or "", group="antecede.estimators"
)

Function = TypeVar("Function", bound="Callable[..., Bounds]")


def estimator(name: str, *, cite: str, assumption: str, needs: Needs = "ranking") -> Callable[[Function], Function]:
    """Register a function as the estimator `name`."""

    def register(function: Function) -> Function:
        ESTIMATORS.add(name, EstimatorDefinition(name, function, parameters_of(function), cite, assumption, needs))
        return function

    return register


def parse_estimator(text: str) -> Estimator:
    """The estimator that `chapman` or `poisson(rate=power,level=0.9)` denotes."""
    return Estimator.parse(text, ESTIMATORS, "chapman or poisson(rate=power)")


def estimate(text: str, reading: Reading) -> Estimate:
    """How many relevant documents there are, by the estimator that the text denotes.

    Args:
        text: The estimator, as in `audit` or `poisson(rate=power,level=0.9)`.
        reading: What was read so far.

    >>> print(estimate("poisson", Reading([True, True, False, True], documents=4)))
    3.0 (3.0–3.0), recall 1.00 (1.00–1.00)
    """
    return parse_estimator(text).estimate(reading)
