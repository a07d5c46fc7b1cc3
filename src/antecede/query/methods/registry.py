"""The registry of query methods: a method is a small function with a docstring in a file of this folder.

    @method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
    def tfidf(at: Terms) -> Floats: …

It weights all terms of the topic at once; a term whose weight is not positive is dropped. `cut` says that only the
heaviest terms are used, `weights` which weights they have in the search by default. The keyword parameters are what may
be written: `bm25(k3=7)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Registry, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.query.material import Material

    Floats = NDArray[np.float64]


class Names(Protocol):
    """Terms by position; an implementation may look a name up only when it is accessed."""

    def __getitem__(self, place: int, /) -> str: ...


@dataclass(frozen=True, eq=False)
class WeightedTerms:
    """Terms with weights, for a method that brings in terms which the topic does not have."""

    names: Names
    """The terms, in alphabetical order."""
    weights: Floats


@dataclass(frozen=True, eq=False)
class MethodDefinition(Definition):
    """A registered query method, before its parameters are given."""

    cut: bool
    """Whether only the heaviest terms are used, as many as the language has by default."""
    weights: str
    """The weights of its terms in the search by default: see `query_maker.TERM_WEIGHTS`."""

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "cut": self.cut, "weights": self.weights}


@dataclass(frozen=True)
class Method(Choice[MethodDefinition]):
    """A query method with its parameters."""

    def weigh(self, material: Material) -> WeightedTerms:
        """The weight of each term, not yet cut or sorted; all finite, some perhaps zero or negative."""
        with np.errstate(all="ignore"):
            found = self.definition.function(material, **self.keywords)
        weighted = found if isinstance(found, WeightedTerms) else WeightedTerms(material.names, found)
        if not np.isfinite(weighted.weights).all():
            raise UsageError(f"{self}: these parameters give weights that are not finite")
        return weighted


Weigher = TypeVar("Weigher", bound="Callable[..., Floats | WeightedTerms]")

METHODS: Registry[MethodDefinition] = Registry("query method", package=__package__ or "", group="antecede.methods")


def method(name: str, *, cite: str, cut: bool, weights: str = "method") -> Callable[[Weigher], Weigher]:
    """Register a query method."""

    def register(function: Weigher) -> Weigher:
        METHODS.add(name, MethodDefinition(name, function, parameters_of(function), cite, cut, weights))
        return function

    return register


def parse_method(text: str) -> Method:
    """The method that `bm25` or `bm25(k1=0.9,k3=7)` denotes."""
    return Method.parse(text, METHODS)
