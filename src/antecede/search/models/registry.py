"""The register of ranking models: a model is a small function with a docstring in a file of this folder, no more.

    @model("bm25", cite="Robertson & Zaragoza 2009", b="0 ≤ b ≤ 1")
    def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: float = 0.75) -> Floats: …

It says what one posting is worth, for whole arrays of postings at once, each apart from the others. The keyword
parameters are what may be written: `bm25(k1=0.9,b=0.4)`; from where to where, the decorator says.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LARGEST = 1e9
RANGE = re.compile(r"([\d.]+) (≤|<) (\w+)(?: (≤|<) ([\d.]+))?")


@dataclass(frozen=True)
class Postings:
    """Postings side by side: how often a term occurs in a document, how long that is, how common the term is."""

    counts: Floats
    lengths: Floats
    df: Floats
    """One for each posting, or one for all; so is `cf`."""
    cf: Floats


@dataclass(frozen=True)
class CollectionFacts:
    """The collection of one language."""

    documents: int
    tokens: int
    average_length: float


@dataclass(frozen=True)
class Range:
    """From where to where a parameter goes, as in `0 ≤ b ≤ 1` and `0 < mu`."""

    written: str
    low: float = 0.0
    high: float = LARGEST
    open: bool = False
    """Whether the bounds themselves are left out."""

    @classmethod
    def of(cls, name: str, written: str | None = None) -> Range:
        """The range that is written so; from 0 up where nothing is."""
        written = written or f"0 ≤ {name}"
        if (found := RANGE.fullmatch(written)) is None or found[3] != name:
            raise ValueError(f"{written!r} does not say from where to where {name} goes")
        return cls(written, float(found[1]), float(found[5] or LARGEST), open=found[2] == "<")

    def holds(self, value: float) -> bool:
        """Whether a value lies within."""
        return self.low < value < self.high if self.open else self.low <= value <= self.high


@dataclass(frozen=True)
class Definition:
    """A ranking model as it is written in its file."""

    name: str
    impacts: Callable[..., Floats]
    cite: str
    doc: str
    defaults: dict[str, float]
    document: Callable[..., Floats] | None = None
    """What a document is worth apart from its postings, for a query of weight 1."""
    ranges: Mapping[str, Range] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return self.doc.split("\n", 1)[0]

    @property
    def usage(self) -> str:
        """How it is written, with what its parameters are unless told otherwise."""
        given = ",".join(f"{name}={value:g}" for name, value in self.defaults.items())
        return f"{self.name}({given})" if given else self.name


@dataclass(frozen=True)
class Model:
    """A ranking model with its parameters."""

    definition: Definition
    parameters: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        given = ",".join(f"{name}={value:g}" for name, value in self.parameters.items())
        return f"{self.definition.name}({given})" if given else self.definition.name

    def impacts(self, postings: Postings, collection: CollectionFacts) -> NDArray[np.float32]:
        """What each posting is worth."""
        with np.errstate(all="ignore"):
            found = self.definition.impacts(postings, collection, **self.parameters).astype(np.float32)
        if not np.isfinite(found).all():
            raise UsageError(f"{self}: with these parameters the model gives no number")
        return found

    def document(self, lengths: Floats) -> NDArray[np.float32] | None:
        """What each document is worth apart from its postings; None where the model knows no such thing."""
        if self.definition.document is None:
            return None
        return self.definition.document(lengths, **self.parameters).astype(np.float32)


REGISTERED: dict[str, Definition] = {}


def model(
    name: str, *, cite: str, document: Callable[..., Floats] | None = None, **ranges: str
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register a ranking model. `ranges` says from where to where a parameter goes, where that is not from 0 up."""

    def register(impacts: Callable[..., Floats]) -> Callable[..., Floats]:
        if name in REGISTERED:
            raise ValueError(f"two models are called {name}")
        keywords = [each for each in inspect.signature(impacts).parameters.values() if each.kind is each.KEYWORD_ONLY]
        defaults = {each.name: float(each.default) for each in keywords}
        doc = inspect.cleandoc(impacts.__doc__ or "")
        if unknown := set(ranges) - set(defaults):
            raise ValueError(f"{name} has no parameter {unknown.pop()}")
        within = {each: Range.of(each, ranges.get(each)) for each in defaults}
        REGISTERED[name] = Definition(name, impacts, cite, doc, defaults, document, within)
        return impacts

    return register


@cache
def models() -> Mapping[str, Definition]:
    """Every model by its name; loads each file of this folder once."""
    folder = importlib.import_module(__name__.rpartition(".")[0])
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{folder.__name__}.{module.name}")
    return dict(sorted(REGISTERED.items()))


WRITTEN = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*")


def definition(name: str, text: str | None = None) -> Definition:
    """The model of a name, however its words are joined; `text` is what was written around it."""
    plain = name.lower().replace("-", "_")
    if plain not in models():
        near = get_close_matches(plain, models(), 1)
        raise UsageError(
            f"there is no ranking model {shown(text or name)!r}; "
            + (f"did you mean {near[0]}?" if near else f"there are {', '.join(models())}")
        )
    return models()[plain]


def parse_model(text: str) -> Model:
    """The model that `bm25` or `bm25(k1=0.9,b=0.4)` writes."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        raise UsageError(f"{shown(text)!r} is no ranking model; write it as bm25 or bm25(k1=0.9,b=0.4)")
    known = definition(found[1], text)
    return Model(known, dict(parameters(known, found[2], shown(text))))


def parameters(known: Definition, written: str | None, text: str) -> list[tuple[str, float]]:
    """The parameters that are written between the brackets."""
    found: dict[str, float] = {}
    for part in filter(None, (each.strip() for each in (written or "").split(","))):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in known.defaults:
            there = ", ".join(known.defaults) or "none"
            raise UsageError(f"{text}: {known.name} has no parameter {name!r}; it has {there}")
        if name in found:
            raise UsageError(f"{text}: {name} is given twice")
        try:
            number = float(value)
        except ValueError:
            raise UsageError(f"{text}: {name} {value!r} is no number") from None
        if not known.ranges[name].holds(number):
            raise UsageError(f"{text}: {name} is {value}, it must be {known.ranges[name].written}")
        found[name] = number
    return list(found.items())
