"""The register of query methods: a method is a small function with a docstring in a file of this folder, no more.

    @method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
    def tfidf(at: Terms) -> Floats: …

It gives a weight to each term of the topic, for the whole array at once; a term whose weight is not above 0 is left
out. `cut` says that only the heaviest terms are taken, `weights` what they weigh in the search unless a user says
otherwise. The keyword parameters are what may be written: `bm25(k3=7)`.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from antecede.errors import UsageError, shown
from antecede.named import checked, chosen, load_folder, read_named, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from antecede.query.material import Material

    Floats = NDArray[np.float64]


class Names(Protocol):
    """Terms by their places; a name is perhaps looked up only when it is asked for."""

    def __getitem__(self, place: int, /) -> str: ...


@dataclass(frozen=True, eq=False)
class Weighted:
    """Terms with weights, where a method brings terms that the topic does not have."""

    names: Names
    """The terms, in the order of their names."""
    weights: Floats


@dataclass(frozen=True, eq=False)
class Definition:
    """A query method as it is written in its file."""

    name: str
    function: Callable[..., Floats | Weighted]
    cite: str
    doc: str
    defaults: dict[str, Any]
    """Its parameters. One that ends in _ is written without it: `lambda`."""
    cut: bool
    """Whether only the heaviest terms are taken, as many as the language has by default."""
    weights: str
    """What its terms weigh in the search where nobody says: see `making.WEIGHINGS`."""
    choices: dict[str, tuple[str, ...]]
    """For a parameter that is a word, the words it may be."""

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return self.doc.split("\n", 1)[0]

    @property
    def usage(self) -> str:
        """How it is written, with every parameter."""
        return written(self.name, self.defaults, ", ")


@dataclass(frozen=True)
class Method:
    """A query method with its parameters."""

    definition: Definition
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return written(self.definition.name, self.parameters)

    def weigh(self, material: Material) -> Weighted:
        """The weight of each term, not yet cut or put into order; finite numbers, some perhaps 0 or less."""
        given = {keyword(self.definition, name): value for name, value in self.parameters.items()}
        with np.errstate(all="ignore"):
            found = self.definition.function(material, **given)
        weighted = found if isinstance(found, Weighted) else Weighted(material.names, found)
        if not np.isfinite(weighted.weights).all():
            raise UsageError(f"{self}: with these parameters the method gives no number")
        return weighted


Weigher = TypeVar("Weigher", bound="Callable[..., Floats | Weighted]")

REGISTERED: dict[str, Definition] = {}


def method(
    name: str,
    *,
    cite: str,
    cut: bool,
    weights: str = "method",
    choices: Mapping[str, tuple[str, ...]] | None = None,
) -> Callable[[Weigher], Weigher]:
    """Register a query method."""

    def register(function: Weigher) -> Weigher:
        if name in REGISTERED:
            raise ValueError(f"two query methods are called {name}")
        keywords = [each for each in inspect.signature(function).parameters.values() if each.kind is each.KEYWORD_ONLY]
        defaults = {each.name.rstrip("_"): each.default for each in keywords}
        doc = inspect.cleandoc(function.__doc__ or "")
        REGISTERED[name] = Definition(name, function, cite, doc, defaults, cut, weights, dict(choices or {}))
        return function

    return register


def keyword(definition: Definition, name: str) -> str:
    """What the function calls a parameter."""
    return name if name in inspect.signature(definition.function).parameters else f"{name}_"


@cache
def methods() -> Mapping[str, Definition]:
    """Every method by its name; loads each file of this folder once."""
    load_folder(__name__.rpartition(".")[0])
    return dict(sorted(REGISTERED.items()))


def parse_method(text: str) -> Method:
    """The method that `bm25` or `bm25(k1=0.9,k3=7)` writes."""
    found = read_named(text)
    definition = chosen(found.name if found else text, methods(), "query method", text)
    given = checked(definition.name, found.parameters if found else (), definition.defaults, text)
    return Method(definition, {name: value_of(definition, name, value, text) for name, value in given.items()})


def value_of(definition: Definition, name: str, value: str, text: str) -> Any:
    """What a parameter is given: a word of several, or a number."""
    if name in definition.choices:
        return choice(definition.choices[name], name, value, shown(text))
    return number(definition.defaults[name], name, value, shown(text))


def choice(words: Sequence[str], name: str, value: str, text: str) -> str:
    """A word of a parameter that takes one of several."""
    if value not in words:
        raise UsageError(f"{text}: {name} {shown(value)!r} is not one of {', '.join(words)}")
    return value


def number(default: Any, name: str, value: str, text: str) -> float | int:
    """A number of a parameter; whole where its default is."""
    whole = isinstance(default, int)
    try:
        found: float | int = int(value) if whole else float(value)
    except ValueError:
        raise UsageError(f"{text}: {name} {shown(value)!r} is no {'whole ' if whole else ''}number") from None
    if not (math.isfinite(found) and 0 <= found < 1e9):
        raise UsageError(f"{text}: {name} must not be below 0 or endless")
    return found
