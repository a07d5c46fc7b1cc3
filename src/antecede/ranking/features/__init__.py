"""The features of a ranking: each kind of evidence that it adds up, in a few files by what it looks at.

    @feature("bm25", kind="text", cite="Robertson & Zaragoza 2009", retrieve=best_by_bm25)
    def bm25(at: Evidence, *, terms: Count | None = None) -> Scores | Absent: …

A feature computes a score for every candidate of the pool at once, higher for documents that are more likely to be
relevant, or says why it cannot: `Absent("the topic has no class")`. What is added to the ranking is the score divided
by the largest of the pool, times the weight of the feature; where a score means something by itself, `full` is the one
that counts fully, as do larger ones. `retrieve` returns documents that the feature brings into the pool. The keyword
parameters are what may be written: `jelinek_mercer(lambda=0.5)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Listing, Registry, parameters_of
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from antecede.engine import Hits
    from antecede.ranking.evidence import Candidates, Evidence

    Scores = NDArray[np.float32] | NDArray[np.float64]
    Retrieve = Callable[..., Candidates | Hits | None]

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
        return {**super().describe(), "kind": self.kind, "retrieves": self.retrieve is not None, "full": self.full}


@dataclass(frozen=True)
class Feature(Choice[FeatureDefinition]):
    """A feature with its parameters."""

    @property
    def kind(self) -> Kind:
        return self.definition.kind

    def retrieve(self, at: Evidence) -> Candidates | Hits | None:
        if self.definition.retrieve is None:
            return None
        return self.definition.retrieve(at, **self.keywords)

    def scores(self, at: Evidence) -> NDArray[np.float64] | Absent:
        """The score of each candidate, or why there is none."""
        with np.errstate(all="ignore"):
            computed = self.definition.function(at, **self.keywords)
        if isinstance(computed, Absent):
            return computed
        scores = np.asarray(computed, np.float64)
        if scores.shape != (len(at.pool),) or not np.isfinite(scores).all():
            raise UsageError(f"the feature {self} does not give a finite score for each candidate")
        return scores


_Scorer = TypeVar("_Scorer", bound="Callable[..., Scores | Absent]")

FEATURES: Registry[FeatureDefinition] = Registry("feature", package=__name__, group="antecede.features")


def feature(
    name: str, *, kind: Kind, cite: str, retrieve: Retrieve | None = None, full: float | None = None
) -> Callable[[_Scorer], _Scorer]:
    def register(function: _Scorer) -> _Scorer:
        FEATURES.add(name, FeatureDefinition(name, function, parameters_of(function), cite, kind, retrieve, full))
        return function

    return register


def parse_feature(text: str) -> Feature:
    """The feature that `bm25` or `jelinek_mercer(lambda=0.5)` denotes."""
    return Feature.parse(text, FEATURES, "cosine or jelinek_mercer(lambda=0.5)")


NOT_A_PATENT = Absent("the topic is not a patent")


# The features as a table, a page of the manual and data

_MANUAL_HEAD = """# Features

Generated from `src/antecede/ranking/features/`.

A [ranking by evidence](ranking.md) adds up features: the score of a document is Σ w(f) · s(f, d) / max s(f, ·), the
weight of each feature times its score, divided by the largest score among the candidates. Scores below 0 count as 0;
citation scores are capped at 1, not divided. A feature that *retrieves* also brings documents into the pool: the best
of a search, or at most `most`. Weights are written `bm25=1,jelinek_mercer(lambda=0.5)=1`; omitted parameters have the
values shown.

The symbols are those of the [ranking models](models.md); n(t) is the frequency of a term in the topic, and w(t) =
√n(t) · √log(1 + cf/df). `terms` is the number of terms of the topic that are used, heaviest first.
"""


def _tabulate(entries: Sequence[FeatureDefinition]) -> Table:
    rows = tuple((entry.usage, entry.kind, entry.summary) for entry in entries)
    note = "Details of a feature: antecede list features NAME. Values shown are the defaults."
    return Table(("feature", "looks at", "description"), rows, notes=(note,))


def _write_section(entry: FeatureDefinition) -> str:
    brings = ", retrieves" if entry.retrieve is not None else ""
    return f"## {entry.name}\n\n`{entry.usage}`: {entry.kind}{brings}\n\n{entry.explanation}."


LISTING = Listing(
    registry=FEATURES,
    choose=lambda name: parse_feature(name).definition,
    tabulate=_tabulate,
    manual_head=_MANUAL_HEAD,
    write_section=_write_section,
)
