"""The register of measures: a measure is a function with a docstring in a file of this folder, and nothing else.

    @measure("PRES", at="cutoff", cite="…", trec_eval={…})
    def pres(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores: …

The keyword parameters are what may be written: `PRES(rel=2)@100`. `at` names the one that stands behind the `@`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.aggregates import Aggregate, mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import UnionType

    from antecede.measures.ranks import Ranks, Scores


@dataclass(frozen=True)
class Within:
    """The values a parameter may take."""

    low: float
    high: float = float("inf")
    open_ends: bool = False

    def __contains__(self, value: float) -> bool:
        return self.low < value < self.high if self.open_ends else self.low <= value <= self.high

    def __str__(self) -> str:
        if self.high >= 10**9:  # a bound against overflow, not one that anybody needs to know
            return f"more than {self.low:g}" if self.open_ends else f"{self.low:g} or more"
        return f"between {self.low:g} and {self.high:g}"


Cutoff = Annotated[int, Within(1, 10**9)]
Level = Annotated[int, Within(1, 10**9)]
Documents = Annotated[int, Within(1, 10**12)]
Percent = Annotated[int, Within(1, 100)]
Weight = Annotated[float, Within(0, open_ends=True)]
Persistence = Annotated[float, Within(0, 1, open_ends=True)]
Share = Annotated[float, Within(0, 1)]
Worth = Annotated[float, Within(-(10**6), 10**6)]
Grade = Annotated[int, Within(1, 100)]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure, read off the function's signature."""

    name: str
    kind: type
    default: Any
    """`inspect.Parameter.empty` where it must be given."""
    choices: tuple[str, ...] = ()
    within: Within | None = None

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    def read(self, text: str, written: str) -> Any:
        """The value that `text` stands for; `written` is the whole measure, for the message."""
        try:
            value = self.kind(text)
        except ValueError:
            kind = "a whole number" if self.kind is int else "a number"
            raise MeasureError(f"{written}: {self.name} {text!r} is not {kind}") from None
        if self.choices and value not in self.choices:
            raise MeasureError(f"{written}: {self.name} {text!r} is not one of {', '.join(self.choices)}")
        if self.within is not None and value not in self.within:
            raise MeasureError(f"{written}: {self.name} must be {self.within}, not {text}")
        return value


@dataclass(frozen=True, eq=False)
class Definition:
    """A registered measure, before its parameters are given."""

    name: str
    function: Callable[..., Scores]
    parameters: tuple[Parameter, ...]
    at: str | None
    cite: str
    trec_eval: Mapping[str, Mapping[str, Any]]
    """Names of trec_eval and others that mean this measure; `{x}` stands for a parameter, values are fixed ones."""
    better: Literal["higher", "lower"] | None
    bounds: tuple[float, float]
    aggregate: Aggregate
    aggregate_only: bool

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]

    @property
    def usage(self) -> str:
        """How it is written, with every parameter."""
        inner = [f"{p.name}={'…' if p.required else p.default}" for p in self.parameters if p.name != self.at]
        behind = next((p for p in self.parameters if p.name == self.at), None)
        letter = {"cutoff": "N"}.get(self.at or "", self.at)
        tail = "" if behind is None else f"@{letter}" if behind.required else f"[@{letter}]"
        brackets = f"({', '.join(inner)})" if inner else ""
        return f"{self.name}{brackets}{tail}"


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters: what `PRES(rel=2)@100` stands for."""

    definition: Definition
    arguments: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Written out, with the parameters that were given."""
        written = {key: f"{value:.12g}" if isinstance(value, float) else str(value) for key, value in self.arguments}
        behind = written.pop(self.definition.at or "", None)
        inner = ", ".join(f"{key}={value}" for key, value in written.items())
        brackets = f"({inner})" if inner else ""
        return self.definition.name + brackets + (f"@{behind}" if behind else "")

    def __str__(self) -> str:
        return self.name

    @property
    def rel(self) -> int:
        """The relevance from which on a document counts as relevant."""
        return int(dict(self.arguments).get("rel", 1))

    def score(self, ranks: Ranks, *, no_relevant: Literal["skip", "zero"] = "skip") -> Scores:
        """The measure for every run and topic; a topic without a relevant document is NaN, or 0 if so asked."""
        scores = np.array(self.definition.function(ranks, **dict(self.arguments)), dtype=np.float64)
        without = np.isnan(ranks.relevant(self.rel).n) | np.isnan(ranks.relevant().n)
        scores[:, without] = np.nan if no_relevant == "skip" else np.nan_to_num(scores[:, without], posinf=0.0)
        return scores

    def aggregate(self, scores: Scores) -> Scores:
        """One number a run from its topics; topics that are NaN are left out."""
        return self.definition.aggregate(scores)


REGISTER: dict[str, Definition] = {}


def measure(
    name: str,
    *,
    cite: str,
    at: str | None = None,
    trec_eval: Mapping[str, Mapping[str, Any]] | None = None,
    better: Literal["higher", "lower"] | None = "higher",
    bounds: tuple[float, float] = (0.0, 1.0),
    aggregate: Aggregate = mean,
    aggregate_only: bool = False,
) -> Callable[[Callable[..., Scores]], Callable[..., Scores]]:
    """Register a function as the measure `name`."""

    def register(function: Callable[..., Scores]) -> Callable[..., Scores]:
        if name in REGISTER:
            raise ValueError(f"two measures are called {name}")
        REGISTER[name] = Definition(
            name,
            function,
            parameters_of(function),
            at,
            cite,
            trec_eval or {},
            better,
            bounds,
            aggregate,
            aggregate_only,
        )
        return function

    return register


def parameters_of(function: Callable[..., Scores]) -> tuple[Parameter, ...]:
    # Names used only in annotations are not imported when the program runs, so the hints are resolved one by one.
    hints = get_type_hints(function, localns={"Ranks": object, "Scores": object}, include_extras=True)
    found = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        kind, choices, within = plain_kind(hints[parameter.name])
        found.append(Parameter(parameter.name, kind, parameter.default, choices, within))
    return tuple(found)


def plain_kind(hint: type | UnionType) -> tuple[type, tuple[str, ...], Within | None]:
    """The type of a parameter, its choices, and its bounds, from its annotation."""
    options = [part for part in get_args(hint) if part is not type(None)] if type(None) in get_args(hint) else [hint]
    one: Any = options[0]
    if get_origin(one) is Literal:
        return str, get_args(one), None
    if get_origin(one) is Annotated:
        return get_args(one)[0], (), get_args(one)[1]
    return one, (), None


@cache
def definitions() -> dict[str, Definition]:
    """Every measure there is, by name; the first call imports all files of this folder."""
    package = importlib.import_module(__package__ or "")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(sorted(REGISTER.items(), key=lambda item: item[0].lower()))
