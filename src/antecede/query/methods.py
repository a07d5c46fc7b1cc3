"""The query methods, side by side: each weights the terms of a topic.

    @method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
    def tfidf(at: Terms) -> Floats: …

A method weights all terms of the topic at once; a term whose weight is not positive is dropped. `cut` says that only
the heaviest terms are used, `weights` which weights they have in the search by default. The keyword parameters are what
may be written: `bm25(k3=7)`. `at` has n(t) as `counts`, and df, cf, N, |C| without the topic and its family.
"""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np

from antecede.conditions.classes import ClassQuestion
from antecede.errors import UsageError, printable
from antecede.query.query import Query
from antecede.ranges import Range
from antecede.registry import Choice, Count, Definition, Listing, Registry, Share, parameters_of
from antecede.tables import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.arrays import Floats
    from antecede.engine import SortedTerms, TermVectors
    from antecede.query.material import Material, Terms


@dataclass(frozen=True, eq=False)
class WeightedTerms:
    """Terms with weights, for a method that brings in terms which the topic does not have."""

    names: Sequence[str] | SortedTerms
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
        return {**super().describe(), "cut": self.cut, "weights": self.weights}

    @property
    def reads_documents(self) -> bool:
        """Whether it looks into documents in the language of the topic; otherwise frequencies are all it needs."""
        first = next(iter(inspect.signature(self.function).parameters.values()))
        return "Terms" not in str(first.annotation)


@dataclass(frozen=True)
class Method(Choice[MethodDefinition]):
    """A query method with its parameters."""

    def weigh(self, material: Material) -> WeightedTerms:
        """The weight of each term, not yet cut or sorted; all finite, some perhaps zero or negative."""
        with np.errstate(all="ignore"):
            weights = self.definition.function(material, **self.keywords)
        weighted = weights if isinstance(weights, WeightedTerms) else WeightedTerms(material.names, weights)
        if not np.isfinite(weighted.weights).all():
            raise UsageError(f"{self}: these parameters give weights that are not finite")
        return weighted


_Weigher = TypeVar("_Weigher", bound="Callable[..., Floats | WeightedTerms]")

METHODS: Registry[MethodDefinition] = Registry("query method", package=__name__, group="antecede.methods")


def method(name: str, *, cite: str, cut: bool, weights: str = "method") -> Callable[[_Weigher], _Weigher]:
    def register(function: _Weigher) -> _Weigher:
        METHODS.add(name, MethodDefinition(name, function, parameters_of(function), cite, cut, weights))
        return function

    return register


def parse_method(text: str) -> Method:
    """The method that `bm25` or `bm25(k1=0.9,k3=7)` denotes."""
    return Method.parse(text, METHODS)


# The text and its most frequent terms


@method("full", cite="Xue & Croft, SIGIR 2009; the baseline of Zhou et al., NLPCC 2013", cut=False)
def full(at: Terms) -> Floats:
    """The whole text: every term with its frequency.

        w = n(t)

    The baseline. It retrieves many relevant documents, but ranks them among others that merely share common words.
    """
    return at.counts


@method("uft", cite="Zhou et al., NLPCC 2013", cut=False)
def uft(at: Terms) -> Floats:
    """The whole text without unit-frequency terms, that is, those that occur only once.

        w = n(t), n(t) > 1

    A text so short that no term occurs twice is used completely.
    """
    repeated = at.counts > 1
    return np.where(repeated, at.counts, 0.0) if repeated.any() else at.counts


@method("tf", cite="Zhou et al., NLPCC 2013", cut=True)
def tf(at: Terms) -> Floats:
    """The most frequent terms of the text.

        w = n(t) / max n

    max n is the frequency of the most frequent one.
    """
    weights: Floats = at.counts / at.counts.max(initial=1.0)
    return weights


# Rarity in the collection


@method("tfidf", cite="Zhou et al., NLPCC 2013", cut=True)
def tfidf(at: Terms) -> Floats:
    """Terms that are frequent in the topic and rare in the collection.

        w = n(t) / max n · log(N / df)

    max n is the frequency of the most frequent term. A term that occurs in every document has weight 0.
    """
    weights: Floats = at.counts / at.counts.max(initial=1.0) * np.log(at.documents / at.df)
    return weights


@method("logtfidf", cite="Salton & Buckley, Information Processing & Management 1988", cut=True, weights="root")
def logtfidf(at: Terms) -> Floats:
    """Like tfidf, but with logarithmic term frequency. The default method.

        w = log(1 + n(t)) · log((N + 1) / df)

    These weights select the terms; in the search, they have the weights √n(t) by default, since the ranking model
    already gives rare terms more weight.
    """
    return np.log1p(at.counts) * np.log((at.documents + 1) / at.df)


@method("bm25", cite="Robertson et al., TREC-3 1994; in Zhou et al., NLPCC 2013", cut=True)
def bm25(at: Terms, *, k1: float = 1.2, b: Share = 0.75, k3: float = 7.0) -> Floats:
    """The contribution of a term to the BM25 score of the topic for itself.

        w = log((N − df + .5) / (df + .5)) · (k1 + 1)n(t) / (K + n(t)) · (k3 + 1)n(t) / (k3 + n(t)),
        K = k1·((1 − b) + b·|d| / avg|d|)

    k1 and k3: how quickly term frequency saturates in a document and in the query; b: the strength of length
    normalisation. A term of more than half of the documents has a negative weight and is dropped. The paper prints a
    superfluous sum sign.
    """
    n, norm = at.counts, k1 * ((1 - b) + b * at.length / at.average_length)
    rarity = np.log((at.documents - at.df + 0.5) / (at.df + 0.5))
    return rarity * (k1 + 1) * n / (norm + n) * (k3 + 1) * n / (k3 + n)


# Language models

_Rounds = Annotated[int, Range(0, 1000)]
_MixtureShare = Annotated[float, Range(0, 1, open_high=True)]


@method("lm", cite="Mahdabi et al., IRFC 2011; in Zhou et al., NLPCC 2013", cut=True)
def lm(at: Terms, *, lambda_: Share = 0.1) -> Floats:
    """The divergence of the language model of the topic from that of the collection.

        w = Z · P(t|q) · log(P(t|q) / P(t|C)),
        P(t|q) = (1 − λ)·n(t) / |d| + λ·cf / |C|,
        P(t|C) = cf / |C|

    Z normalises the sum of the weights to 1. A term that is rarer in the topic than in the collection has a negative
    weight and is dropped. lambda: the share of the collection model in the mixture, from 0 to 1.
    """
    background = at.cf / at.tokens
    mixed = (1 - lambda_) * at.counts / at.length + lambda_ * background
    weights = np.maximum(mixed * np.log(mixed / background), 0.0)
    total = weights.sum()
    return weights / total if total > 0 else weights


@method("lmipc", cite="Mahdabi et al., SIGIR 2012; in Zhou et al., NLPCC 2013", cut=True)
def lmipc(
    at: Material,
    *,
    lambda_: Share = 0.5,
    level: Literal["group", "main", "subclass"] = "group",
    fewest: int = 50,
    most: Count = 2000,
    rounds: _Rounds = 2,
    smoothing: Share = 0.1,
) -> WeightedTerms | Floats:
    """The language model of the topic mixed with that of its IPC class, which adds words that the topic lacks.

        w = (1 − λ)·P(t|Θ) + λ·P(t|q)

    P(t|q) are the weights of lm, Θ is the model of the documents D that share an IPC code with the topic. P(d) is
    uniform over D at first; then both are updated `rounds` times:

        P(t|Θ) = Σ_d P(t|d)·P(d),
        P(d) ∝ max(0, Σ_t P(t|d)·log(P(t|Θ) / P(t|C)))

    lambda: the share of the topic, from 0 to 1; level: `group` (H04L 12/56), `main` (H04L 12) or `subclass` (H04L),
    widened step by step until at least `fewest` documents share a code; if more than `most` do, those that share the
    most codes are used, then the latest; smoothing: λ of lm. D never contains the topic, its family or later documents.
    For a topic without IPC codes, lmipc is identical to lm.
    """
    own = lm(at, lambda_=smoothing)
    question = ClassQuestion(
        tuple(at.topic.patent.ipc), at.topic.language, at.index.select(at.filters), level, fewest, most
    )
    numbers = at.index.same_class(question) if question.codes else np.zeros(0, np.int64)
    if not len(numbers):
        why = "no earlier document shares its IPC" if at.topic.patent.ipc else "has no IPC code"
        at.notes.append(f"topic {printable(at.topic.patent.doc_id)}: {why}; lmipc is lm here")
        return own
    vectors = at.index.vectors(numbers, at.topic.language, at.names)
    weights = (1 - lambda_) * _estimate_class_model(at, vectors, rounds)
    weights[vectors.vocabulary.find(at.names)] += lambda_ * own
    return WeightedTerms(vectors.vocabulary, weights)


def _estimate_class_model(at: Material, vectors: TermVectors, rounds: int) -> Floats:
    background = at.others.frequencies_in(vectors.vocabulary).occurrences / at.tokens
    model = vectors.by_term(np.full(len(vectors), 1 / len(vectors)))
    for _ in range(rounds):
        # A term of documents with probability 0 only has probability 0: its log is −∞, so they keep probability 0.
        worth = np.maximum(vectors.by_document(np.log(model / background)), 0.0)
        total = worth.sum()
        if total <= 0:  # the class does not differ from the collection: all its documents keep equal probability
            break
        model = vectors.by_term(worth / total)
    return model


# Sentences


@method("qr", cite="Ganguly et al., CIKM 2011; in Zhou et al., NLPCC 2013", cut=False)
def qr(at: Material, *, r: Count = 20, tau: Share = 0.9, lambda_: _MixtureShare = 0.5, segments: int = 0) -> Floats:
    """Query reduction: the sentences of the topic that are most similar to the best documents of a first search.

        score(s) = Σ_d Σ_t n(t, s)·log(1 + λ·P(t|d) / ((1 − λ)·P(t)))

    The first search uses the whole text; a sentence s is scored by its similarity to the r best documents d. The share
    τ (tau) of the sentences with the highest scores is kept, and n(t) over these sentences is the weight. The paper
    prints P(t) outside the fraction.

    lambda: the share of the document in the mixture, below 1; segments: the number of segments of adjacent sentences
    into which the text is divided, 0 for single sentences. The first search never retrieves the topic, its family or
    later documents.
    """
    every = np.zeros(len(at.topic.terms))
    every[at.known] = _compute_gains(at, r, lambda_)
    pieces = at.topic.sentences
    number = len(pieces.ptr) - 1
    sentence = np.repeat(np.arange(number), np.diff(pieces.ptr))
    if segments:
        number = min(segments, number)
        sentence = sentence * number // (len(pieces.ptr) - 1)
    scores = np.bincount(sentence, weights=pieces.counts * every[pieces.terms], minlength=number)
    kept = np.zeros(number, np.bool_)
    kept[np.argsort(-scores, kind="stable")[: math.ceil(tau * number)]] = True
    weights = np.bincount(pieces.terms, weights=pieces.counts * kept[sentence], minlength=len(every))
    return weights[at.known].astype(np.float64, copy=False)


def _compute_gains(at: Material, r: int, lambda_: float) -> Floats:
    """The gain of each occurrence of a term: Σ_d log(1 + λ·P(t|d) / ((1 − λ)·P(t))) over the best documents."""
    order = np.lexsort((np.arange(len(at.names)), -at.counts))
    full_query = Query(tuple(at.names[place] for place in order.tolist()), at.counts[order], at.topic.language, "full")
    best = at.search(full_query, r).numbers
    rarity = lambda_ / (1 - lambda_) * at.tokens / at.cf
    matches = at.index.matches(at.names, best, at.topic.language)
    lengths = at.index.lengths(best, at.topic.language)[matches.documents].astype(np.float64)
    worth = np.log1p(rarity[matches.terms] * matches.counts / np.repeat(lengths, np.diff(matches.ptr)))
    return np.bincount(matches.terms, weights=worth, minlength=len(at.names)).astype(np.float64, copy=False)


# The methods as a table, a page of the manual and data

_MANUAL_HEAD = """# Query methods

Generated from `src/antecede/query/methods.py`.

A query method weights each term of a topic, which is a patent; [from a patent to a query](queries.md) says which to
choose. n(t) is the frequency of the term in the topic's text (the description by default), |d| the number of tokens of
that text; N is the number of documents of that language in the index, df the number of them that contain the term, cf
the term's frequency in all of them, |C| = Σ cf, avg|d| their mean length. The topic and its family are excluded from
all of these. A term that occurs in no other document is dropped, as is one whose weight w is not positive. Methods that
use the heaviest terms use 75 by default, in French 45. Parameters are written as in `bm25(k1=1.2, k3=7)`.
"""


def _tabulate(entries: Sequence[MethodDefinition]) -> Table:
    rows = tuple((entry.name, entry.summary, "the heaviest" if entry.cut else "all") for entry in entries)
    note = "Details: antecede list methods NAME. The heaviest: 75 terms, 45 in French, unless `terms` is given."
    return Table(("method", "description", "terms"), rows, notes=(note,))


def _write_section(entry: MethodDefinition) -> str:
    taken = "the heaviest terms" if entry.cut else "all terms"
    return f"## {entry.name}\n\n`{entry.usage}`: {taken}, weights `{entry.weights}`\n\n{entry.explanation}."


LISTING = Listing(
    registry=METHODS,
    choose=lambda name: parse_method(name).definition,
    tabulate=_tabulate,
    manual_head=_MANUAL_HEAD,
    write_section=_write_section,
)
