"""The register of ranking models: a model is a small function with a docstring in a file of this folder, no more.

    @model("bm25", cite="Robertson & Zaragoza 2009")
    def bm25(posting: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: float = 0.75) -> Impacts: …

It says what one posting is worth, for whole arrays of postings at once. The keyword parameters are what may be written:
`bm25(k1=0.9,b=0.4)`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Postings:
    """Postings side by side: how often a term occurs in a document, how long that is, how common the term is."""

    counts: Floats
    lengths: Floats
    df: Floats
    cf: Floats


@dataclass(frozen=True)
class CollectionFacts:
    """The collection of one language."""

    documents: int
    tokens: int
    average_length: float


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
    signed: bool = False
    """Whether a posting can be worth nothing or less."""

    @property
    def summary(self) -> str:
        """What it is, in a line."""
        return self.doc.split("\n", 1)[0]


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
    name: str, *, cite: str, document: Callable[..., Floats] | None = None, signed: bool = False
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register a ranking model."""

    def register(impacts: Callable[..., Floats]) -> Callable[..., Floats]:
        if name in REGISTERED:
            raise ValueError(f"two models are called {name}")
        keywords = [each for each in inspect.signature(impacts).parameters.values() if each.kind is each.KEYWORD_ONLY]
        defaults = {each.name: float(each.default) for each in keywords}
        doc = inspect.cleandoc(impacts.__doc__ or "")
        REGISTERED[name] = Definition(name, impacts, cite, doc, defaults, document, signed)
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


def parse_model(text: str) -> Model:
    """The model that `bm25` or `bm25(k1=0.9,b=0.4)` writes."""
    found = WRITTEN.fullmatch(text)
    name = (found[1] if found else text).lower().replace("-", "_")
    if found is None or name not in models():
        near = get_close_matches(name, models(), 1)
        raise UsageError(
            f"there is no ranking model {text!r}; "
            + (f"did you mean {near[0]}?" if near else f"there are {', '.join(models())}")
        )
    definition = models()[name]
    return Model(definition, dict(parameters(definition, found[2], text)))


def parameters(definition: Definition, written: str | None, text: str) -> list[tuple[str, float]]:
    """The parameters that are written between the brackets."""
    found: list[tuple[str, float]] = []
    for part in filter(None, (each.strip() for each in (written or "").split(","))):
        name, _, value = (each.strip() for each in part.partition("="))
        if name not in definition.defaults:
            known = ", ".join(definition.defaults) or "none"
            raise UsageError(f"{text}: {definition.name} has no parameter {name!r}; it has {known}")
        try:
            number = float(value)
        except ValueError:
            raise UsageError(f"{text}: {name} {value!r} is no number") from None
        if not 0 <= number < 1e9:
            raise UsageError(f"{text}: {name} must not be below 0 or endless")
        found.append((name, number))
    return found


def as_dicts() -> list[dict[str, Any]]:
    """The models, as JSON knows them."""
    return [
        {"name": each.name, "summary": each.summary, "parameters": each.defaults, "cite": each.cite, "doc": each.doc}
        for each in models().values()
    ]
