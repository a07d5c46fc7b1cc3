"""The register of ranking models: a model is a small function with a docstring in a file of this folder, no more.

    @model("bm25", cite="Robertson & Zaragoza 2009", b="0 ≤ b ≤ 1")
    def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: float = 0.75) -> Floats: …

It says what one posting is worth, for whole arrays of postings at once, each apart from the others. The keyword
parameters are what may be written: `bm25(k1=0.9,b=0.4)`; from where to where, the decorator says.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import UsageError, shown
from antecede.named import checked, chosen, load_folder, read_named, written

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
        return written(self.name, self.defaults)


@dataclass(frozen=True)
class Model:
    """A ranking model with its parameters."""

    definition: Definition
    parameters: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return written(self.definition.name, self.parameters)

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
    load_folder(__name__.rpartition(".")[0])
    return dict(sorted(REGISTERED.items()))


def parse_model(text: str) -> Model:
    """The model that `bm25` or `bm25(k1=0.9,b=0.4)` writes."""
    found = read_named(text)
    if found is None:
        raise UsageError(f"{shown(text)!r} is no ranking model; write it as bm25 or bm25(k1=0.9,b=0.4)")
    known = chosen(found.name, models(), "ranking model", text)
    given = checked(known.name, found.parameters, known.defaults, text)
    return Model(known, {name: number(known.ranges[name], name, value, text) for name, value in given.items()})


def number(within: Range, name: str, value: str, text: str) -> float:
    """A number of a parameter, within its range."""
    try:
        found = float(value)
    except ValueError:
        raise UsageError(f"{shown(text)}: {name} {shown(value)!r} is no number") from None
    if not within.holds(found):
        raise UsageError(f"{shown(text)}: {name} is {value}, it must be {within.written}")
    return found
