"""A query: weighted terms of one language, as data that can be written, edited and read again. Never a string."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.errors import InputError, UsageError, shown
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray


HEAVIEST = 1e30
"""The largest weight: scores are 32-bit floats and must not overflow."""


@dataclass(frozen=True, eq=False)
class Query:
    """Terms of the index, after analysis, with their weights, heaviest first."""

    __repr__ = concise_repr

    terms: tuple[str, ...]
    weights: NDArray[np.float64]
    language: str
    method: str = "text"
    """The query method, or `text`, `claim` or `edited`."""
    topic: str | None = None
    """The doc_id of the patent that it was made from."""
    counts: tuple[int, ...] = ()
    """The frequency of each term in the topic, if known."""
    df: tuple[int, ...] = ()
    """The document frequency of each term, if known."""
    words: tuple[str, ...] = ()
    """The most frequent form of each term, for people, if known."""

    def __post_init__(self) -> None:
        if len(self.terms) != len(self.weights):
            raise UsageError(f"a query of {len(self.terms)} terms has {len(self.weights)} weights")
        if not (np.abs(self.weights) <= HEAVIEST).all():
            raise UsageError(f"a weight of the query is not a number, or beyond {HEAVIEST:g}")

    @classmethod
    def from_terms(cls, terms: Mapping[str, float], language: str, method: str = "text", **more: Any) -> Query:
        """A query of weighted terms, heaviest first; ties are broken by name, so that the order is deterministic."""
        order = sorted(terms, key=lambda term: (-terms[term], term))
        return cls(tuple(order), np.array([terms[term] for term in order], np.float64), language, method, **more)

    def __len__(self) -> int:
        return len(self.terms)

    def __eq__(self, other: object) -> bool:
        # The words are only for people: a query is the same with or without them.
        return isinstance(other, Query) and replace(self, words=()).to_dict() == replace(other, words=()).to_dict()

    __hash__ = None  # type: ignore[assignment]

    def word_of(self, term: str) -> str:
        """The word for a term; the term itself if none is known."""
        return self.words[self.terms.index(term)] if self.words and term in self.terms else term

    def to_dict(self) -> dict[str, Any]:
        """The query in a JSON-compatible form."""
        extra = {"count": self.counts, "df": self.df, "word": self.words}
        terms = [
            {"term": term, "weight": weight, **{name: values[at] for name, values in extra.items() if values}}
            for at, (term, weight) in enumerate(zip(self.terms, self.weights.tolist(), strict=True))
        ]
        topic = {"topic": self.topic} if self.topic is not None else {}
        return {**topic, "method": self.method, "language": self.language, "terms": terms}


def add_terms(query: Query, terms: Mapping[str, float], df: Sequence[int]) -> Query:
    """The query with further terms: each gets its value times the heaviest weight, added to the weight it has.

    `df` is the document frequency of each.
    """
    heaviest = max((weight for weight in query.weights.tolist() if weight > 0), default=1.0)
    whole = dict(zip(query.terms, query.weights.tolist(), strict=True))
    for term, value in terms.items():
        whole[term] = whole.get(term, 0.0) + value * heaviest
    made = Query.from_terms(whole, query.language, query.method, topic=query.topic)
    counts = {**dict.fromkeys(terms, 0), **dict(zip(query.terms, query.counts, strict=False))}
    known = {**dict(zip(terms, df, strict=True)), **dict(zip(query.terms, query.df, strict=False))}
    return replace(
        made,
        counts=tuple(counts[term] for term in made.terms) if query.counts else (),
        df=tuple(known[term] for term in made.terms) if query.df else (),
    )


def read_query(path: str | Path) -> Query:
    """Read a query from a JSON file, as written by `antecede query --json` and possibly edited.

    Args:
        path: The file; `-` is standard input.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=name) from None
    try:
        whole = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is not JSON ({error})", source=name, remedy="write it as `antecede query --json` does"
        ) from None
    return parse_query(whole, name)


def parse_query(whole: Any, source: str) -> Query:
    """The query that a JSON document holds; an error says what is wrong with it."""
    if not isinstance(whole, dict) or not isinstance(whole.get("terms"), list):
        raise InputError(
            'is not a query: it must be {"language": …, "terms": [{"term": …, "weight": …}]}', source=source
        )
    terms: dict[str, float] = {}
    for place, each in enumerate(whole["terms"], 1):
        term, weight = parse_term(each, place, source)
        if term in terms:
            raise InputError(f"term {place}, {shown(term)!r}, occurs twice", source=source, remedy="keep one of them")
        terms[term] = weight
    language, method, topic = whole.get("language", ""), whole.get("method", "edited"), whole.get("topic")
    for name, value in (("language", language), ("method", method), ("topic", topic or "")):
        if not isinstance(value, str):
            raise InputError(f"{name} must be a text", source=source)
    return Query.from_terms(terms, language, method, topic=topic)


def parse_term(each: Any, place: int, source: str) -> tuple[str, float]:
    """A term of a query with its weight, from its JSON form."""
    if not isinstance(each, dict) or not isinstance(each.get("term"), str) or not each["term"]:
        raise InputError(f'term {place} is not {{"term": "…", "weight": 1.5}}', source=source)
    weight = each.get("weight", 1.0)
    number = not isinstance(weight, bool) and isinstance(weight, int | float)
    if not number or not abs(weight) <= HEAVIEST:  # this also refuses NaN
        raise InputError(
            f"term {place}, {shown(each['term'])!r}: "
            f"weight {shown(str(weight))} is not a number, or beyond {HEAVIEST:g}",
            source=source,
        )
    return each["term"], float(weight)


def count_terms(terms: Iterable[str]) -> dict[str, float]:
    """Each term with its frequency."""
    return {term: float(count) for term, count in Counter(terms).items()}
