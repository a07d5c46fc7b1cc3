"""The registry of features: a feature is a small function with a docstring in a file of this folder, no more.

    @feature("bm25", kind="text", cite="Robertson & Zaragoza 2009", retrieve=best_by_bm25)
    def bm25(at: Evidence, *, terms: Count | None = None) -> Floats | Absent: …

It computes a score for every candidate of the pool at once, higher for documents that are more likely to be relevant,
or says why it cannot: `Absent("the topic has no class")`. What is added to the ranking is the score divided by the
largest of the pool, times the weight of the feature; where a score means something by itself, `full` is the one that
counts fully, as do larger ones. `retrieve` returns documents that the feature brings into the pool. The keyword
parameters are what may be written: `jelinek_mercer(lambda=0.5)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Registry, parameters_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from antecede.ranking.candidates import Candidates
    from antecede.ranking.evidence import Evidence

    Floats = NDArray[np.float32] | NDArray[np.float64]
    Retrieve = Callable[..., Candidates | None]

Kind = Literal["text", "classes", "citations", "metadata"]
"""What a feature looks at. The text features find the leading documents whose citations are followed."""


@dataclass(frozen=True)
class Absent:
    """A feature that cannot be computed."""

    why: str
    """The reason, as the second half of a sentence: `the topic has no class`."""
    for_every_topic: bool = False
    """Whether the index lacks what is needed, so that the feature is absent for every topic."""


@dataclass(frozen=True, eq=False)
class FeatureDefinition(Definition):
    """A registered feature, before its parameters are given."""

    kind: Kind
    retrieve: Retrieve | None = None
    """The documents that it brings into the pool; None where it only scores those that others bring."""
    full: float | None = None
    """The score that counts fully, as do larger ones; None for the largest of the pool, whatever it is."""

    def describe(self) -> dict[str, Any]:
        """The definition in a JSON-compatible form."""
        return {**super().describe(), "kind": self.kind, "retrieves": self.retrieve is not None, "full": self.full}


@dataclass(frozen=True)
class Feature(Choice[FeatureDefinition]):
    """A feature with its parameters."""

    @property
    def kind(self) -> Kind:
        """What it looks at."""
        return self.definition.kind

    def retrieve(self, at: Evidence) -> Candidates | None:
        """The documents that it brings into the pool."""
        if self.definition.retrieve is None:
            return None
        return self.definition.retrieve(at, **self.keywords)

    def scores(self, at: Evidence) -> NDArray[np.float64] | Absent:
        """The score of each candidate, or why there is none."""
        with np.errstate(all="ignore"):
            found = self.definition.function(at, **self.keywords)
        if isinstance(found, Absent):
            return found
        scores = np.asarray(found, np.float64)
        if scores.shape != (len(at.pool),) or not np.isfinite(scores).all():
            raise UsageError(f"the feature {self} does not give a finite score for each candidate")
        return scores


Scorer = TypeVar("Scorer", bound="Callable[..., Floats | Absent]")

FEATURES: Registry[FeatureDefinition] = Registry("feature", package=__package__ or "", group="antecede.features")


def feature(
    name: str, *, kind: Kind, cite: str, retrieve: Retrieve | None = None, full: float | None = None
) -> Callable[[Scorer], Scorer]:
    """Register a feature."""

    def register(function: Scorer) -> Scorer:
        FEATURES.add(name, FeatureDefinition(name, function, parameters_of(function), cite, kind, retrieve, full))
        return function

    return register


def parse_feature(text: str) -> Feature:
    """The feature that `bm25` or `jelinek_mercer(lambda=0.5)` denotes."""
    return Feature.parse(text, FEATURES, "cosine or jelinek_mercer(lambda=0.5)")
