"""The register of query methods: a method is a small function with a docstring in a file of this folder, no more.

    @method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
    def tfidf(at: Terms) -> Floats: …

It gives a weight to each term of the topic, for the whole array at once; a term whose weight is not above 0 is left
out. `cut` says that only the heaviest terms are taken, `weights` what they weigh in the search unless a user says
otherwise. The keyword parameters are what may be written: `bm25(k3=7)`.
"""

from __future__ import annotations

import importlib
import inspect
import math
import pkgutil
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from antecede.errors import UsageError, shown

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
        inner = ", ".join(f"{name}={shortest(value)}" for name, value in self.defaults.items())
        return f"{self.name}({inner})" if inner else self.name


@dataclass(frozen=True)
class Method:
    """A query method with its parameters."""

    definition: Definition
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{name}={shortest(value)}" for name, value in self.parameters.items())
        return f"{self.definition.name}({given})" if given else self.definition.name

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
    folder = importlib.import_module(__name__.rpartition(".")[0])
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    return dict(sorted(REGISTERED.items()))


WRITTEN = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*")


def parse_method(text: str) -> Method:
    """The method that `bm25` or `bm25(k1=0.9,k3=7)` writes."""
    found = WRITTEN.fullmatch(text)
    name = (found[1] if found else text).lower().replace("-", "_")
    if found is None or name not in methods():
        near = get_close_matches(name, methods(), 1)
        raise UsageError(
            f"there is no query method {shown(text)!r}; "
            + (f"did you mean {near[0]}?" if near else f"there are {', '.join(methods())}")
        )
    definition = methods()[name]
    return Method(definition, dict(parameters(definition, found[2], shown(text))))


def parameters(definition: Definition, written: str | None, text: str) -> list[tuple[str, Any]]:
    """The parameters that are written between the brackets."""
    found: list[tuple[str, Any]] = []
    for part in filter(None, (each.strip() for each in (written or "").split(","))):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in definition.defaults:
            known = ", ".join(definition.defaults) or "none"
            raise UsageError(f"{text}: {definition.name} has no parameter {shown(name)!r}; it has {known}")
        if name in definition.choices:
            found.append((name, choice(definition.choices[name], name, value, text)))
        else:
            found.append((name, number(definition.defaults[name], name, value, text)))
    return found


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


def shortest(value: Any) -> str:
    """A value as it is written."""
    return f"{value:g}" if isinstance(value, float) else str(value)
