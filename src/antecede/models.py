"""The ranking models, side by side: each says what a posting is worth.

    @model("bm25", cite="Robertson & Zaragoza 2009")
    def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: Share = 0.75) -> Floats: …

A model computes the impact of each posting, for whole arrays of postings at once and each independently of the others.
The keyword parameters are what may be written, `bm25(k1=0.9,b=0.4)`; their annotations declare the allowed range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from antecede.errors import UsageError
from antecede.registry import Choice, Definition, Listing, OpenShare, Positive, Registry, Share, parameters_of
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.arrays import F32, Floats


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
        return {**super().describe(), "ranges": self.ranges}

    @property
    def ranges(self) -> dict[str, str]:
        """The allowed range of each parameter, as a formula."""
        return {part.name: part.range.as_inequality(part.name) for part in self.parameters if part.range is not None}


@dataclass(frozen=True)
class Model(Choice[ModelDefinition]):
    """A ranking model with its parameters."""

    def impacts(self, postings: Postings, collection: CollectionFacts) -> F32:
        """The impact of each posting: its contribution to the score per unit of query weight."""
        with np.errstate(all="ignore"):
            exact: Floats = self.definition.function(postings, collection, **self.keywords)
            impacts = exact.astype(np.float32)
        if not np.isfinite(impacts).all():
            raise UsageError(f"{self}: these parameters give scores that are not finite")
        return impacts

    def document(self, lengths: Floats) -> F32 | None:
        """The part of each document's score that does not depend on its postings; None where the model has none."""
        if self.definition.document is None:
            return None
        return self.definition.document(lengths, **self.keywords).astype(np.float32)


MODELS: Registry[ModelDefinition] = Registry("ranking model", package=__name__, group="antecede.models")


def model(
    name: str,
    *,
    cite: str,
    document: Callable[..., Floats] | None = None,
    script: str | None = None,
    document_script: str | None = None,
) -> Callable[[Callable[..., Floats]], Callable[..., Floats]]:
    def register(impacts: Callable[..., Floats]) -> Callable[..., Floats]:
        MODELS.add(
            name, ModelDefinition(name, impacts, parameters_of(impacts), cite, document, script, document_script)
        )
        return impacts

    return register


def parse_model(text: str) -> Model:
    """The model that `bm25` or `bm25(k1=0.9,b=0.4)` denotes."""
    return Model.parse(text, MODELS, "bm25 or bm25(k1=0.9,b=0.4)")


class ByModel(Protocol):
    """What ranks by a model."""

    model: Model


Kept = TypeVar("Kept", bound=ByModel)
MAX_KEPT = 5
"""Ranking models for which something is kept: that of the search, and those of features."""


def keep_by_model(kept: dict[str, Kept], model: Model | str, make: Callable[[Model], Kept]) -> Kept:
    """The object made earlier for a model, or a new one; those of the latest models are kept."""
    chosen = model_of(model)
    key = str(chosen)
    known = kept.get(key)
    if known is None or known.model != chosen:  # a model of the same name may have been registered anew
        while len(kept) >= MAX_KEPT:
            kept.pop(next(iter(kept)), None)
        # What is made depends on the parameters, which the owner of the model may change.
        known = kept[key] = make(replace(chosen, parameters=dict(chosen.parameters)))
    return known


MAX_PARSED = 64
_parsed: dict[str, Model] = {}


def model_of(model: Model | str) -> Model:
    """A model, which may be given as it is written; that is parsed once, unless the name is registered anew."""
    if not isinstance(model, str):
        return model
    known = _parsed.get(model)
    if known is None or MODELS.get(known.definition.name) is not known.definition:
        if len(_parsed) >= MAX_PARSED:
            _parsed.clear()
        known = _parsed[model] = parse_model(model)
    return known


# Term frequency and rarity


@model(
    "bm25",
    cite="Robertson & Zaragoza, Foundations and Trends in IR 2009; the weight of rare terms as in Lucene",
    script="""
        double idf = Math.log(1 + (documents - df + 0.5) / (df + 0.5));
        return idf * n * (k1 + 1) / (n + k1 * (1 - b + b * length / average));
    """,
)
def bm25(at: Postings, collection: CollectionFacts, *, k1: float = 1.2, b: Share = 0.75) -> Floats:
    """BM25: rare terms weigh more, term frequency saturates, and long documents are normalised.

        impact = log(1 + (N − df + .5) / (df + .5)) · n·(k1 + 1) / (n + k1·(1 − b + b·|d| / avg|d|))

    k1: how quickly term frequency saturates; b: the strength of length normalisation, from 0 to 1. Never negative.
    """
    idf = np.log(1 + (collection.documents - at.df + 0.5) / (at.df + 0.5))
    norm = k1 * (1 - b + b * at.lengths / collection.average_length)
    return idf * at.counts * (k1 + 1) / (at.counts + norm)


@model(
    "tfidf",
    cite="Singhal, Buckley & Mitra, SIGIR 1996; Singhal et al., TREC-7 1998",
    script="""
        double damped = 1 + Math.log1p(Math.log(n));
        return damped / (1 - s + s * length / average) * Math.log((documents + 1) / df);
    """,
)
def tfidf(at: Postings, collection: CollectionFacts, *, s: Share = 0.2) -> Floats:
    """Pivoted TF-IDF: doubly logarithmic term frequency, inverse document frequency, pivoted length normalisation.

        impact = (1 + log(1 + log n)) / (1 − s + s·|d| / avg|d|) · log((N + 1) / df)

    s: the slope of the length normalisation.
    """
    damped = 1 + np.log1p(np.log(at.counts))
    return damped / (1 - s + s * at.lengths / collection.average_length) * np.log((collection.documents + 1) / at.df)


# Query likelihood


@model(
    "lm_jelinek_mercer",
    cite="Zhai & Lafferty, SIGIR 2001",
    script="return Math.log1p((1 - lambda) / lambda * (n / length) / (cf / tokens));",
)
def lm_jelinek_mercer(at: Postings, collection: CollectionFacts, *, lambda_: OpenShare = 0.7) -> Floats:
    """Query likelihood with Jelinek–Mercer smoothing: the document model mixed with a share λ of the collection model.

        impact = log(1 + (1 − λ) / λ · (n/|d|) / (cf/|C|))

    lambda: λ, the share of the collection model; 0.7 suits long queries.
    """
    return np.log1p((1 - lambda_) / lambda_ * (at.counts / at.lengths) / (at.cf / collection.tokens))


def _penalise_length(lengths: Floats, *, mu: float = 2000.0) -> Floats:
    """log(μ / (|d| + μ)): the penalty of a long document per unit of query weight."""
    return np.log(mu / (lengths + mu))


@model(
    "lm_dirichlet",
    cite="Zhai & Lafferty, SIGIR 2001",
    document=_penalise_length,
    script="return Math.log1p(n / (mu * cf / tokens));",
    document_script="return Math.log(mu / (length + mu));",
)
def lm_dirichlet(at: Postings, collection: CollectionFacts, *, mu: Positive = 2000.0) -> Floats:
    """Query likelihood with Dirichlet smoothing: the document model with μ pseudo-counts of the collection model.

        impact = log(1 + n / (μ·cf/|C|))

    log(μ / (|d| + μ)) is added for each unit of query weight, so that the score is the logarithm of the query
    likelihood, up to a constant of the query. mu: μ, the number of pseudo-counts.
    """
    return np.log1p(at.counts / (mu * at.cf / collection.tokens))


# Divergence from randomness


@model(
    "pl2",
    cite="Amati & van Rijsbergen, ACM TOIS 2002",
    script="""
        double f = n * Math.log(1 + c * average / length) / Math.log(2);
        double rate = cf / documents;
        return (f * Math.log(f / rate) + rate - f + 0.5 * Math.log(2 * Math.PI * f)) / Math.log(2) / (f + 1);
    """,
)
def pl2(at: Postings, collection: CollectionFacts, *, c: Positive = 1.0) -> Floats:
    """PL2: divergence of the term frequency from a Poisson process, with Laplace's after-effect.

        impact = 1 / (f + 1) · (f·log₂(f/λ) + (λ − f)·log₂e + ½·log₂(2πf)),
        f = n·log₂(1 + c·avg|d| / |d|),
        λ = cf / N

    c: the strength of length normalisation. Negative for a term that is common everywhere.
    """
    f = at.counts * np.log2(1 + c * collection.average_length / at.lengths)
    rate = at.cf / collection.documents
    information: Floats = f * np.log2(f / rate) + (rate - f) * np.log2(np.e) + 0.5 * np.log2(2 * np.pi * f)
    return information / (f + 1)


@model(
    "inl2",
    cite="Amati & van Rijsbergen, ACM TOIS 2002",
    script="""
        double f = n * Math.log(1 + c * average / length) / Math.log(2);
        return f / (f + 1) * Math.log((documents + 1) / (df + 0.5)) / Math.log(2);
    """,
)
def inl2(at: Postings, collection: CollectionFacts, *, c: Positive = 1.0) -> Floats:
    """InL2: inverse document frequency with Laplace's after-effect and length normalisation 2.

        impact = f / (f + 1) · log₂((N + 1) / (df + .5)),
        f = n·log₂(1 + c·avg|d| / |d|)

    c: the strength of length normalisation.
    """
    f = at.counts * np.log2(1 + c * collection.average_length / at.lengths)
    return f / (f + 1) * np.log2((collection.documents + 1) / (at.df + 0.5))


# The models as a table, a page of the manual and data

_MANUAL_HEAD = """# Ranking models

Generated from `src/antecede/models.py`.

The score of a document is a sum over the terms of the query: the weight of the term in the query times the impact
given here. n is the frequency of the term in the document, |d| the document's length in tokens, avg|d| the mean length,
N the number of documents, df the number of documents that contain the term, cf the term's frequency in the collection,
|C| the number of tokens in the collection; N, df, cf, |C| and avg|d| are those of the language searched. A model is
written `bm25(k1=0.9,b=0.4)`; omitted parameters have the values shown.
"""


def _tabulate(entries: Sequence[ModelDefinition]) -> Table:
    rows = tuple((entry.usage, entry.summary) for entry in entries)
    note = "Details of a model: antecede list models NAME. Values shown are the defaults."
    return Table(("model", "description"), rows, notes=(note,))


def _explain(entry: ModelDefinition) -> str:
    ranges = f"Range: {', '.join(entry.ranges.values())}\n" if entry.ranges else ""
    return f"{entry.doc}\n\n{ranges}Source: {entry.cite}"


def _write_section(entry: ModelDefinition) -> str:
    ranges = f"Range: {', '.join(f'`{text}`' for text in entry.ranges.values())}. " if entry.ranges else ""
    return f"## {entry.name}\n\n`{entry.usage}`\n\n{entry.doc}\n\n{ranges}Source: {entry.cite}."


LISTING = Listing(
    registry=MODELS,
    choose=lambda name: parse_model(name).definition,
    tabulate=_tabulate,
    explain=_explain,
    manual_head=_MANUAL_HEAD,
    write_section=_write_section,
)
