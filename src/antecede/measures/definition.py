"""What a measure is: a function with a docstring in a file of this folder, and nothing else.

    @measure("PRES", at="cutoff", cite="…", trec_eval={…})
    def pres(ranks: Ranks, *, cutoff: Cutoff, rel: Level = 1) -> Scores: …

The keyword parameters are what may be written: `PRES(rel=2)@100`. `at` names the one written after the `@`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from antecede.errors import MeasureError
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


# Aggregation of the scores of a run over topics. A topic that is NaN is left out.
#
# Runs are ordered, marked and correlated by what is computed here, so it must not depend on the order of the topics,
# and runs with the same total must get the same number: sums are exact, and a total is rounded to `TOTAL_DECIMALS`.

_FLOOR = 1e-5

TOTAL_DECIMALS = 12
"""The decimals of a total. Scores are rounded (.1 + .2 is not .3), so exact sums of equal scores may differ later."""
_LARGEST_ROUNDED = 4096.0
"""Larger totals have fewer decimals than these anyway."""


def round_totals(values: Scores) -> Scores:
    """Totals to `TOTAL_DECIMALS`; NaN and infinite ones stay."""
    rounded = np.array(values, dtype=np.float64)
    small = np.abs(rounded) < _LARGEST_ROUNDED
    rounded[small] = np.round(rounded[small], TOTAL_DECIMALS) + 0.0  # not −0
    return rounded


def sum_exactly(terms: Scores) -> Scores:
    """Sums over the last axis, as if computed without rounding errors: in any order the same."""
    rows = terms.reshape(-1, terms.shape[-1]).tolist() if terms.size else [()] * math.prod(terms.shape[:-1])
    return np.array([*map(math.fsum, rows)], dtype=np.float64).reshape(terms.shape[:-1])


class RunningSums:
    """Sums of arrays to which terms are added one by one; what each addition rounds off is kept (Neumaier, 1974)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._sums, self._lost = np.zeros((2, *shape))

    def add(self, terms: Scores) -> None:
        """Add one term to each sum."""
        total = self._sums + terms
        with np.errstate(invalid="ignore"):  # the remainder of an infinite sum, which `sums` leaves out
            added = total - self._sums
            self._lost += (self._sums - (total - added)) + (terms - added)
        self._sums = total

    def sums(self) -> Scores:
        """The sums so far; an infinite one has no remainder."""
        sums: Scores = self._sums + np.where(np.isfinite(self._sums), self._lost, 0.0)
        return sums


@dataclass(frozen=True)
class Aggregate:
    """A sum over topics: a transformation of each score, and a combination of the sum and the number of topics.

    Because it is a sum, it can be computed topic by topic, which is how studies score thousands of samples of the
    judgements.
    """

    transform: Callable[[Scores], Scores]
    combine: Callable[[Scores, Scores], Scores]

    def __call__(self, scores: Scores) -> Scores:
        """One number per run, from float64[…, topics]."""
        counted = ~np.isnan(scores)
        terms = np.where(counted, self.transform(scores), 0.0)
        return self.total(sum_exactly(terms), counted.sum(axis=-1, dtype=np.float64))

    def total(self, sums: Scores, topics: Scores) -> Scores:
        """The totals, from the sums of the transformed scores and the number of topics in each."""
        return round_totals(self.combine(sums, topics))


def _identity(scores: Scores) -> Scores:
    return scores


def _logarithm(scores: Scores) -> Scores:
    """The logarithm, with a floor of 0.00001 so that a single zero does not make the whole mean zero."""
    return np.log(np.maximum(scores, _FLOOR))


def _divide_by_topics(sums: Scores, topics: Scores) -> Scores:
    """Sums divided by the number of topics; NaN where every topic is left out."""
    return np.divide(sums, topics, out=np.full_like(sums, np.nan), where=topics > 0)


mean = Aggregate(_identity, _divide_by_topics)
"""The arithmetic mean."""

total = Aggregate(_identity, lambda sums, _topics: sums)
"""The sum."""

geometric_mean = Aggregate(_logarithm, lambda sums, topics: np.exp(_divide_by_topics(sums, topics)))
"""The geometric mean, with a floor of 0.00001."""


# Measures


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

    @property
    def other_names(self) -> list[str]:
        """The trec_eval names that are understood, with N in place of a number."""
        return [re.sub(r"\{\w+\}", "N", name) for name in self.trec_eval]

    @property
    def explanation(self) -> str:
        """Formula, caveat, worked example, source and names in trec_eval."""
        others = f"\ntrec_eval: {', '.join(self.other_names)}" if self.trec_eval else ""
        return f"{super().explanation}{others}"

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "trec_eval": self.other_names, "better": self.better}


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
    "measure", package="antecede.measures", group="antecede.measures", error=MeasureError
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
        parameters, names = parameters_of(function), trec_eval or {}
        declared = (at, names, better, bounds, aggregate, aggregate_only)
        MEASURES.add(name, MeasureDefinition(name, function, parameters, cite, *declared))
        return function

    return register
