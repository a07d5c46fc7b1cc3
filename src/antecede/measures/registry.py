"""The registry of measures: a measure is a function with a docstring in a file of this folder, and nothing else.

    @measure("PRES", at="cutoff", cite="…", trec_eval={…})
    def pres(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores: …

The keyword parameters are what may be written: `PRES(rel=2)@100`. `at` names the one written after the `@`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from antecede.errors import MeasureError
from antecede.measures.aggregates import Aggregate, mean
from antecede.measures.collection_size import CollectionSize
from antecede.ranges import Range, write_value
from antecede.registry import Definition, Registry, parameters_of
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antecede.measures.ranks import Ranks, Scores

Cutoff = Annotated[int, Range(1, 10**9)]
Level = Annotated[int, Range(1, 10**9)]
Documents = CollectionSize
Percent = Annotated[int, Range(1, 100)]
Weight = Annotated[float, Range(0, 10**9, open_low=True)]
Persistence = Annotated[float, Range(0, 1, open_low=True, open_high=True)]
Share = Annotated[float, Range(0, 1)]
Worth = Annotated[float, Range(-(10**6), 10**6)]
Grade = Annotated[int, Range(1, 100)]


@dataclass(frozen=True, eq=False)
class MeasureDefinition(Definition):
    """A registered measure, before its parameters are given."""

    __repr__ = concise_repr

    at: str | None
    trec_eval: Mapping[str, Mapping[str, Any]]
    """Names of trec_eval and others that mean this measure; `{x}` denotes a parameter, values are fixed ones."""
    better: Literal["higher", "lower"] | None
    bounds: tuple[float, float]
    aggregate: Aggregate
    aggregate_only: bool
    written: str | None = None
    """With the parameters of a call, where one is explained."""

    @property
    def usage(self) -> str:
        """The measure as it is written with every parameter."""
        if self.written is not None:
            return self.written
        inner = [f"{p.name}={'…' if p.required else p.default}" for p in self.parameters if p.name != self.at]
        cutoff = next((p for p in self.parameters if p.name == self.at), None)
        letter = {"cutoff": "N"}.get(self.at or "", self.at)
        tail = "" if cutoff is None else f"@{letter}" if cutoff.required else f"[@{letter}]"
        brackets = f"({', '.join(inner)})" if inner else ""
        return f"{self.name}{brackets}{tail}"


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters, as `PRES(rel=2)@100` denotes it."""

    definition: MeasureDefinition
    arguments: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        """Written out, with the parameters that were given."""
        written = {key: write_value(value) for key, value in self.arguments}
        at = written.pop(self.definition.at or "", None)
        inner = ", ".join(f"{key}={value}" for key, value in written.items())
        brackets = f"({inner})" if inner else ""
        return self.definition.name + brackets + (f"@{at}" if at else "")

    def __str__(self) -> str:
        return self.name

    @property
    def rel(self) -> int:
        """The lowest relevance grade that counts as relevant."""
        return int(dict(self.arguments).get("rel", 1))

    def score(self, ranks: Ranks, *, no_relevant: Literal["skip", "zero"] = "skip") -> Scores:
        """The scores of every run and topic; a topic without a relevant document is NaN, or 0 on request."""
        values = self.definition.spell(dict(self.arguments))
        scores = np.array(self.definition.function(ranks, **values), dtype=np.float64)
        without = np.isnan(ranks.relevant(self.rel).n) | np.isnan(ranks.relevant().n)
        scores[:, without] = np.nan if no_relevant == "skip" else np.nan_to_num(scores[:, without], posinf=0.0)
        return scores

    def aggregate(self, scores: Scores) -> Scores:
        """One number per run from its topics; topics that are NaN are left out."""
        return self.definition.aggregate(scores)


MEASURES: Registry[MeasureDefinition] = Registry(
    "measure", package=__package__ or "", group="antecede.measures", error=MeasureError
)


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
        definition = MeasureDefinition(
            name,
            function,
            parameters_of(function),
            cite,
            at,
            trec_eval or {},
            better,
            bounds,
            aggregate,
            aggregate_only,
        )
        MEASURES.add(name, definition)
        return function

    return register
