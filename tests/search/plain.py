"""The ranking models and the search once more, a document and a term at a time, from the books."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.search.worlds import Document


class Facts:
    """All that a formula asks for, for one term in one document."""

    def __init__(self, documents: Sequence[Document]) -> None:
        counted = [Counter(each.terms) for each in documents]
        self.n = len(documents)
        self.tokens = sum(len(each.terms) for each in documents)
        self.average = self.tokens / self.n if self.n else 0.0
        self.df = Counter(term for each in counted for term in each)
        self.cf = Counter(term for each in documents for term in each.terms)


def bm25(count: int, length: int, df: int, cf: int, facts: Facts, k1: float = 1.2, b: float = 0.75) -> float:
    idf = math.log((facts.n + 1) / (df + 0.5))
    return idf * (k1 + 1) / (1 + k1 * ((1 - b) + b * length / facts.average) / count)


def lm_dirichlet(count: int, length: int, df: int, cf: int, facts: Facts, mu: float = 2000.0) -> float:
    """The likelihood in the document against that in one without the term; the length apart."""
    background = cf / facts.tokens
    return math.log((count + mu * background) / (mu * background))


def lm_jelinek_mercer(count: int, length: int, df: int, cf: int, facts: Facts, lambda_: float = 0.7) -> float:
    background = cf / facts.tokens
    return math.log(((1 - lambda_) * count / length + lambda_ * background) / (lambda_ * background))


def tfidf(count: int, length: int, df: int, cf: int, facts: Facts, s: float = 0.2) -> float:
    pivot = (1 - s) + s * length / facts.average
    return (1 + math.log(1 + math.log(count))) / pivot * math.log((facts.n + 1) / df)


def normalised(count: int, length: int, facts: Facts, c: float) -> float:
    return count * math.log2(1 + c * facts.average / length)


def pl2(count: int, length: int, df: int, cf: int, facts: Facts, c: float = 1.0) -> float:
    f, mean = normalised(count, length, facts, c), cf / facts.n
    poisson = f * math.log2(f / mean) + (mean - f) / math.log(2) + 0.5 * math.log2(2 * math.pi * f)
    return poisson / (f + 1)


def inl2(count: int, length: int, df: int, cf: int, facts: Facts, c: float = 1.0) -> float:
    f = normalised(count, length, facts, c)
    return f / (f + 1) * math.log2((facts.n + 1) / (df + 0.5))


MODELS: dict[str, Callable[..., float]] = {
    each.__name__: each for each in (bm25, lm_dirichlet, lm_jelinek_mercer, tfidf, pl2, inl2)
}


def scores(
    documents: Sequence[Document], query: Mapping[str, float], model: str, parameters: Mapping[str, float]
) -> dict[str, tuple[float, float]]:
    """Name → score and the sum of what was added up without signs, of each document with a term of the query."""
    facts = Facts(documents)
    found: dict[str, tuple[float, float]] = {}
    for each in documents:
        counts = Counter(each.terms)
        parts = [
            weight * MODELS[model](counts[term], len(each.terms), facts.df[term], facts.cf[term], facts, **parameters)
            for term, weight in query.items()
            if counts[term] and weight != 0
        ]
        if parts and model == "lm_dirichlet":
            mu = parameters.get("mu", 2000.0)
            parts.append(sum(query.values()) * math.log(mu / (len(each.terms) + mu)))
        if parts:
            found[each.name] = sum(parts), sum(map(abs, parts))
    return found
