"""A query: weighted terms of one language, as data that can be written, edited and read again. Never a string.

For people a query has words in place of terms: the form in which a term occurs most often. A stem such as `rout` says
little. The forms are counted in the texts that a query was made from. For other terms, as of an edited query, the
document of the index in which the term occurs most often is read. A term that occurs nowhere stands for itself.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.engine import read_record
from antecede.errors import InputError, UsageError, printable
from antecede.query.topic import patent_text
from antecede.results import concise_repr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from antecede.arrays import Floats
    from antecede.engine import Engine
    from antecede.text import Analyzer

    WeightEdits = Mapping[str, float]
    """Term → weight; 0 leaves the term out."""
    QueryEdits = Mapping[str, WeightEdits]
    """Language → the weights that replace those of the queries in that language."""
    Origin = tuple[str, float]
    """A term of another language, and the probability that it is translated so."""

HEAVIEST = 1e30
"""The largest weight: scores are 32-bit floats and must not overflow."""


@dataclass(frozen=True, eq=False)
class Query:
    """Terms of the index, after analysis, with their weights, heaviest first."""

    __repr__ = concise_repr

    terms: tuple[str, ...]
    weights: Floats
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
    origins: tuple[Origin, ...] = ()
    """For a translated query, the term that each term owes most of its weight to, and the probability of it."""

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
        # Words and origins are only for people: a query is the same with or without them.
        if not isinstance(other, Query):
            return False
        own, others = (replace(query, words=(), origins=()).to_dict() for query in (self, other))
        return own == others

    __hash__ = None  # type: ignore[assignment]

    def word_of(self, term: str) -> str:
        """The word for a term; the term itself if none is known."""
        return self.words[self.terms.index(term)] if self.words and term in self.terms else term

    def to_dict(self) -> dict[str, Any]:
        """The query in a JSON-compatible form."""
        extra = {
            "count": self.counts,
            "df": self.df,
            "word": self.words,
            "from": tuple(term for term, _ in self.origins),
            "probability": tuple(round(chance, 6) for _, chance in self.origins),
        }
        terms = [
            {"term": term, "weight": weight, **{name: values[at] for name, values in extra.items() if values}}
            for at, (term, weight) in enumerate(zip(self.terms, self.weights.tolist(), strict=True))
        ]
        topic = {"topic": self.topic} if self.topic is not None else {}
        return {**topic, "method": self.method, "language": self.language, "terms": terms}


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
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is not JSON ({error})", source=name, remedy="write it as `antecede query --json` does"
        ) from None
    return parse_query(content, name)


def parse_query(content: Any, source: str) -> Query:
    """The query that a JSON document holds; an error says what is wrong with it."""
    if not isinstance(content, dict) or not isinstance(content.get("terms"), list):
        raise InputError(
            'is not a query: it must be {"language": …, "terms": [{"term": …, "weight": …}]}', source=source
        )
    terms: dict[str, float] = {}
    for place, entry in enumerate(content["terms"], 1):
        term, weight = _parse_term(entry, place, source)
        if term in terms:
            raise InputError(
                f"term {place}, {printable(term)!r}, occurs twice", source=source, remedy="keep one of them"
            )
        terms[term] = weight
    language, method, topic = content.get("language", ""), content.get("method", "edited"), content.get("topic")
    for name, value in (("language", language), ("method", method), ("topic", topic or "")):
        if not isinstance(value, str):
            raise InputError(f"{name} must be a text", source=source)
    return Query.from_terms(terms, language, method, topic=topic)


def _parse_term(entry: Any, place: int, source: str) -> tuple[str, float]:
    if not isinstance(entry, dict) or not isinstance(entry.get("term"), str) or not entry["term"]:
        raise InputError(f'term {place} is not {{"term": "…", "weight": 1.5}}', source=source)
    weight = entry.get("weight", 1.0)
    number = not isinstance(weight, bool) and isinstance(weight, int | float)
    if not number or not abs(weight) <= HEAVIEST:  # this also refuses NaN
        raise InputError(
            f"term {place}, {printable(entry['term'])!r}: "
            f"weight {printable(str(weight))} is not a number, or beyond {HEAVIEST:g}",
            source=source,
        )
    return entry["term"], float(weight)


# Other terms and weights


def count_terms(terms: Iterable[str]) -> dict[str, float]:
    return {term: float(count) for term, count in Counter(terms).items()}


def add_terms(query: Query, terms: Mapping[str, float], df: Sequence[int]) -> Query:
    """The query with further terms: each gets its value times the heaviest weight, added to the weight it has.

    `df` is the document frequency of each.
    """
    heaviest = max((weight for weight in query.weights.tolist() if weight > 0), default=1.0)
    weights = dict(zip(query.terms, query.weights.tolist(), strict=True))
    for term, value in terms.items():
        weights[term] = weights.get(term, 0.0) + value * heaviest
    order = sorted(weights, key=lambda term: (-weights[term], term))
    return with_terms(query, {term: weights[term] for term in order}, dict(zip(terms, df, strict=True)))


def edit_query(index: Engine, query: Query, weights: WeightEdits) -> Query:
    """The query with other weights: a term of weight 0 is left out, one that the query does not have is put first.

    The other terms keep their order and weights.
    """
    for term, weight in weights.items():
        if not 0 <= weight <= HEAVIEST:
            raise UsageError(f"{printable(term)!r}: a weight must be from 0 to {HEAVIEST:g}, not {weight:g}")
    own = dict(zip(query.terms, query.weights.tolist(), strict=True))
    new = [term for term, weight in weights.items() if term not in own and weight > 0]
    left = {term: weight for term in (*new, *own) if (weight := weights.get(term, own.get(term, 0.0))) != 0}
    if not left:
        raise UsageError("no term of the query is left; switch one on, or add a word")
    df = index.statistics(query.language).frequencies(new).documents.tolist() if query.df and new else ()
    return with_terms(query, left, dict(zip(new, df, strict=False)))


def with_terms(query: Query, weights: Mapping[str, float], df: Mapping[str, int]) -> Query:
    """The query with other terms, of which it keeps what is known; `df` has those that are new."""
    counts = dict(zip(query.terms, query.counts, strict=False))
    known = {**df, **dict(zip(query.terms, query.df, strict=False))}
    origins = dict(zip(query.terms, query.origins, strict=False))
    return replace(
        query,
        terms=tuple(weights),
        weights=np.array(list(weights.values()), np.float64),
        counts=tuple(counts.get(term, 0) for term in weights) if query.counts else (),
        df=tuple(known[term] for term in weights) if query.df else (),
        words=(),
        origins=tuple(origins.get(term, (term, 1.0)) for term in weights) if query.origins else (),
    )


# Words in place of terms


def with_words(index: Engine, query: Query, texts: Iterable[str]) -> Query:
    """The query with a word for each of its terms; `texts` are those that it was made from."""
    return replace(query, words=tuple(find_words(index, query.language, query.terms, texts)))


def find_words(index: Engine, language: str, terms: Sequence[str], texts: Iterable[str]) -> list[str]:
    """The most frequent form of each term in some texts, else in the document of the index that has it most often."""
    analyzer = index.analyzer(language)
    missing = dict.fromkeys(terms)
    words: dict[str, str] = {}
    for text in texts:
        words |= {term: word for term, word in frequent_forms(analyzer, text, missing).items() if term not in words}
    for term in terms:
        if term not in words:
            number = index.fullest_document(language, term)
            text = patent_text(read_record(index, number), language) if number is not None else ""
            words |= {term: term, **frequent_forms(analyzer, text, [rest for rest in missing if rest not in words])}
    return [words[term] for term in terms]


def frequent_forms(analyzer: Analyzer, text: str, terms: Iterable[str]) -> dict[str, str]:
    """Term → its most frequent form in a text; ties are broken in favour of lower case, then by name."""
    sought = {*terms}
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    if sought:
        for term, start, end in analyzer.tokens(text):
            if term in sought:
                forms[term][text[start:end]] += 1
    return {term: most_frequent(counts) for term, counts in forms.items()}


def most_frequent(forms: Counter[str]) -> str:
    """The most frequent form, counted without regard to case, as it is written most often."""
    together = Counter[str]()
    for form, count in forms.items():
        together[form.lower()] += count
    lower = min(together, key=lambda form: (-together[form], form))
    written = [form for form in forms if form.lower() == lower]
    return min(written, key=lambda form: (-forms[form], not form.islower(), form))
