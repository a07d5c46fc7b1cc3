"""The registry of ranking models: a model is a small function with a docstring in a file of this folder.

    @model("bm25", cite="Robertson & Zaragoza 2009")
    def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: Share = 0.75) -> Floats: …

It computes the impact of each posting, for whole arrays of postings at once and each independently of the others. The
keyword parameters are what may be written, `bm25(k1=0.9,b=0.4)`; their annotations declare the allowed range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Registry, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Postings:
    """Postings as parallel arrays: term frequency, document length, and how common the term is."""

    counts: Floats
    lengths: Floats
    df: Floats
    """Document frequency, one per posting or one for all; likewise `cf`, the collection frequency."""
    cf: Floats


@dataclass(frozen=True)
class CollectionFacts:
    """The statistics of one language of the collection."""

    documents: int
    tokens: int
    average_length: float


@dataclass(frozen=True, eq=False)
class ModelDefinition(Definition):
    """A registered ranking model, before its parameters are given."""

    document: Callable[..., Floats] | None = None
    """The part of the score that depends on the document alone, per unit of query weight."""
    script: str | None = None
    """The same impact in Painless, the language of scripts on a cluster; None where it has to be computed here.

    The body of a function of n, length, df and cf; documents, tokens, average and the parameters are constants.
    """
    document_script: str | None = None
    """Likewise `document`: a function of length."""

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "ranges": self.ranges}

    @property
    def ranges(self) -> dict[str, str]:
        """The allowed range of each parameter, as a formula."""
        return {each.name: each.range.as_inequality(each.name) for each in self.parameters if each.range is not None}


@dataclass(frozen=True)
class Model(Choice[ModelDefinition]):
    """A ranking model with its parameters."""

    def impacts(self, postings: Postings, collection: CollectionFacts) -> NDArray[np.float32]:
        """The impact of each posting: its contribution to the score per unit of query weight."""
        with np.errstate(all="ignore"):
            impacts = self.definition.function(postings, collection, **self.keywords)
            found: NDArray[np.float32] = impacts.astype(np.float32)
        if not np.isfinite(found).all():
            raise UsageError(f"{self}: these parameters give scores that are not finite")
        return found

    def document(self, lengths: Floats) -> NDArray[np.float32] | None:
        """The part of each document's score that does not depend on its postings; None where the model has none."""
        if self.definition.document is None:
            return None
        return self.definition.document(lengths, **self.keywords).astype(np.float32)


MODELS: Registry[ModelDefinition] = Registry("ranking model", package=__package__ or "", group="antecede.models")


def model(
    name: str,
    *,
    cite: str,
    document: Callable[..., Floats] | None = None,
    script: str | None = None,
    document_script: str | None = None,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    """Register a ranking model."""

    def register(impacts: Callable[..., Floats]) -> Callable[..., Floats]:
        MODELS.add(
            name, ModelDefinition(name, impacts, parameters_of(impacts), cite, document, script, document_script)
        )
        return impacts

    return register


def parse_model(text: str) -> Model:
    """The model that `bm25` or `bm25(k1=0.9,b=0.4)` denotes."""
    return Model.parse(text, MODELS, "bm25 or bm25(k1=0.9,b=0.4)")
