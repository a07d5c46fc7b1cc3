"""The registry of stopping rules: a rule is a function with a docstring in a file of this folder.

    @stopping_rule("misses", cite="…")
    def misses(reading: Reading, target: float, *, n: Count = 200) -> Decision: …

It sees what was read so far and the recall that is to be reached, and returns stop or go on, with its reason. The
keyword parameters are what may be written: `misses(n=50)`. Every rule stops where everything was read, and none stops
where nothing was.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from antecede.ranges import Range, write_number
from antecede.registry import Choice, Definition, Registry, parameters_of
from antecede.review.estimators.registry import Needs, check_needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.review.reading import Reading

TARGET = Range(0.01, 1)
"""The recall that is to be reached."""
DEFAULT_TARGET = 0.95


class Decision(NamedTuple):
    """Stop or go on, with the reason."""

    stop: bool
    reason: str


@dataclass(frozen=True, eq=False)
class RuleDefinition(Definition):
    """A registered stopping rule, before its parameters are given."""

    needs: Needs = "ranking"

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "needs": self.needs}


@dataclass(frozen=True)
class StoppingRule(Choice[RuleDefinition]):
    """A stopping rule with its parameters."""

    def decide(self, reading: Reading, target: float = DEFAULT_TARGET) -> Decision:
        """Whether to stop reading, if this share of the relevant documents is to be found."""
        TARGET.check(target, "target")
        if reading.complete:
            return Decision(True, describe_complete(reading))
        if not reading.read:
            return Decision(False, "nothing is read yet")
        check_needs(self.definition.needs, reading, f"the stopping rule {self}")
        decision: Decision = self.definition.function(reading, target, **self.keywords)
        return decision


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


STOPPING_RULES: Registry[RuleDefinition] = Registry(
    "stopping rule", package=__package__ or "", group="antecede.stopping_rules"
)

Function = TypeVar("Function", bound="Callable[..., Decision]")


def stopping_rule(name: str, *, cite: str, needs: Needs = "ranking") -> Callable[[Function], Function]:
    """Register a function as the stopping rule `name`."""

    def register(function: Function) -> Function:
        STOPPING_RULES.add(name, RuleDefinition(name, function, parameters_of(function), cite, needs))
        return function

    return register


def parse_rule(text: str) -> StoppingRule:
    """The stopping rule that `knee` or `misses(n=50)` denotes."""
    return StoppingRule.parse(text, STOPPING_RULES, "knee or misses(n=50)")


def decide(text: str, reading: Reading, target: float = DEFAULT_TARGET) -> Decision:
    """Whether to stop, by the rule that the text denotes.

    Args:
        text: The rule, as in `knee` or `misses(n=50)`.
        reading: What was read so far.
        target: The recall that is to be reached.

    >>> decide("misses(n=2)", Reading([True, False, False], documents=9))
    Decision(stop=True, reason='2 documents in a row are not relevant')
    """
    return parse_rule(text).decide(reading, target)
