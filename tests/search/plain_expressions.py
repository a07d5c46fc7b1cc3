"""Expressions once more, by reading every text from its first word to its last."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from antecede.conditions.tree import And, Fact, InField, InLanguage, Near, Node, Not, Or, Phrase, Truncation, Word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.patent import Patent
    from antecede.text import Analyzer

FIELDS = ("title", "abstract", "claims", "description")
Span = tuple[int, int]


def texts_of(patent: Patent, language: str) -> dict[str, str]:
    """The fields of a patent in a language; where it has none, those of unknown language."""
    found: dict[str, str] = {}
    filed = {name for field in FIELDS for name in getattr(patent, field)}
    for field in FIELDS:
        text = getattr(patent, field).get(language if language in filed else "")
        if text:
            found[field] = text if isinstance(text, str) else "\n".join(text)
    return found


class Text:
    """The words of one field."""

    def __init__(self, text: str, analyzer: Analyzer) -> None:
        pieces = re.findall(r"[^\W\d_]+", text)
        self.words = [piece.lower() for piece in pieces]
        self.terms = analyzer.resolve(pieces)
        self.analyzer = analyzer

    def spans(self, node: Node) -> set[Span]:
        """The first and last word of all that meets a node."""
        every = range(len(self.words))
        if isinstance(node, Word):
            term = self.analyzer.resolve([node.text])[0]
            met = self.words if term is None else self.terms
            return {(at, at) for at in every if met[at] == (term or node.text)}
        if isinstance(node, Truncation):
            return {(at, at) for at in every if fnmatch.fnmatchcase(self.words[at], node.pattern)}
        if isinstance(node, Or):
            return {span for part in node.members for span in self.spans(part)}
        if isinstance(node, Phrase):
            parts = [self.spans(word) for word in node.words]
            return {
                (start, start + len(parts) - 1)
                for start, _ in parts[0]
                if all((start + at, start + at) in part for at, part in enumerate(parts))
            }
        assert isinstance(node, Near)
        pairs = [(a, b) for a in self.spans(node.left) for b in self.spans(node.right)]
        met_pairs = {(a[0], b[1]) for a, b in pairs if 1 <= b[0] - a[1] <= node.distance}
        if not node.ordered:
            met_pairs |= {(b[0], a[1]) for a, b in pairs if 1 <= a[0] - b[1] <= node.distance}
        return met_pairs


read = lru_cache(maxsize=64)(Text)


def meets(
    patent: Patent,
    node: Node,
    index: EmbeddedEngine,
    fields: tuple[str, ...] = FIELDS,
    languages: tuple[str, ...] | None = None,
) -> bool:
    """Whether a patent meets an expression."""
    if isinstance(node, And):
        return all(meets(patent, part, index, fields, languages) for part in node.members)
    if isinstance(node, Or):
        return any(meets(patent, part, index, fields, languages) for part in node.members)
    if isinstance(node, Not):
        return not meets(patent, node.part, index, fields, languages)
    if isinstance(node, InField):
        return meets(patent, node.part, index, node.names, languages)
    if isinstance(node, InLanguage):
        return meets(patent, node.part, index, fields, node.languages)
    if isinstance(node, Fact):
        return _has(patent, node)
    return any(
        read(text, index.analyzer(language)).spans(node)
        for language in index.languages
        if languages is None or language in languages
        for field, text in texts_of(patent, language).items()
        if field in fields
    )


def _has(patent: Patent, fact: Fact) -> bool:
    if fact.field == "published":
        first, end = fact.days
        day = patent.publication_date
        return day is not None and (first is None or day >= first) and (end is None or day < end)
    if fact.field in ("ipc", "cpc"):
        return any(code.startswith(fact.value) for code in getattr(patent, fact.field))
    if fact.field in ("applicant", "inventor"):
        names = patent.applicants if fact.field == "applicant" else patent.inventors
        return any(f" {fact.value} " in f" {re.sub(r'[^a-z]+', ' ', name.lower())} " for name in names)
    if fact.field == "number":
        return patent.doc_id == fact.value
    return any(each.number.key == fact.value for each in patent.citations)


def patents_of(index: EmbeddedEngine) -> Iterator[Patent]:
    """The patents of an index that were not replaced."""
    for segment in index.segments:
        for number in segment.live.nonzero()[0].tolist():
            yield segment.store.record(number)
