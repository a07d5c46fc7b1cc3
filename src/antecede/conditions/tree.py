"""The tree of conditions: what a document must meet, as searchers write it, filters state it and engines evaluate it.

    Word Truncation Phrase Near InField     words of the texts
    Fact                                    a value of a field: a class, a name, a day, a number (`fields.py`)
    And Or Not                              what joins them

A node is a value: equal conditions are equal, and as a text a node is what would be written for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, ClassVar

from antecede.conditions.fields import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TEXT_FIELDS = {
    "ti": ("title",),
    "ab": ("abstract",),
    "cl": ("claims",),
    "desc": ("description",),
    "ta": ("title", "abstract"),
    "ctxt": ("title", "abstract", "claims"),
}
"""The fields of texts in expressions."""
RESERVED = re.compile(
    r"and|or|not|andnot|(?:near|adj)(?:/?\d+)?|/?\d*[wdn]\d*|[wdn]/\d+|pre/\d+|prox/\S*|(?:near|adj)/\S*|same|with|~\d*",
    re.IGNORECASE,
)
"""Words that are operators, here or in other systems; between quotation marks they are words."""
PLAIN = re.compile(r"[^\s()\"“„«”]+")
"""A value that needs no quotation marks."""


@dataclass(frozen=True)
class Node:
    """A part of an expression; as a text it is what would be written for it."""

    @property
    def parts(self) -> tuple[Node, ...]:
        """The parts that it consists of."""
        values = (value if isinstance(value, tuple) else (value,) for value in vars(self).values())
        return tuple(part for group in values for part in group if isinstance(part, Node))

    def walk(self) -> Iterator[Node]:
        """The node and all below it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Word(Node):
    """A word; it matches all words with the same term, and a stop word only itself."""

    text: str
    elided: bool = False
    """Whether an apostrophe follows that joins it to the next word: it is no word where that is an elision."""

    def __str__(self) -> str:
        if self.elided:
            return f"{self.text}'"
        return f'"{self.text}"' if RESERVED.fullmatch(self.text) else self.text


@dataclass(frozen=True)
class Truncation(Node):
    """Words as written that match a pattern: `*` is any number of letters, `?` one."""

    pattern: str

    def __str__(self) -> str:
        return self.pattern

    @property
    def stem(self) -> str:
        """The letters before the first `*` or `?`."""
        return re.split(r"[*?]", self.pattern, maxsplit=1)[0]

    @property
    def shortest(self) -> int:
        """The letters that a word has at least which it matches."""
        return len(self.pattern.replace("*", ""))


@dataclass(frozen=True)
class Phrase(Node):
    """Words one after the other."""

    words: tuple[Word | Truncation, ...]

    def __str__(self) -> str:
        words = " ".join(str(word).strip(chr(34)) for word in self.words)
        return f'"{words}"'.replace("' ", "'")


@dataclass(frozen=True)
class Near(Node):
    """One part at most so many words from another, in one field; in this order, if it is `ordered`."""

    left: Node
    right: Node
    distance: int
    ordered: bool

    def __str__(self) -> str:
        left, right = (f"({part})" if isinstance(part, Or | Near) else str(part) for part in self.parts)
        return f"{left} {'ADJ' if self.ordered else 'NEAR'}/{self.distance} {right}"


@dataclass(frozen=True)
class InField(Node):
    """A part whose words are in certain fields."""

    names: tuple[str, ...]
    part: Node

    def __str__(self) -> str:
        name = next(short for short, names in TEXT_FIELDS.items() if names == self.names)
        is_one = not self.part.parts or isinstance(self.part, Phrase)
        return f"{name}:{self.part}" if is_one else f"{name}:({self.part})"


@dataclass(frozen=True)
class InLanguage(Node):
    """A part whose words are read in certain languages, and sought in texts in these."""

    languages: tuple[str, ...]
    part: Node

    def __str__(self) -> str:
        if len(self.languages) != 1:
            return str(self.part)
        code, (field, between, rest) = self.languages[0], str(self.part).partition(":")
        if isinstance(self.part, InField):
            return f"{field}_{code}{between}{rest}"
        is_one = not self.part.parts or isinstance(self.part, Phrase)
        return f"{code}:{self.part}" if is_one else f"{code}:({self.part})"


@dataclass(frozen=True)
class Fact(Node):
    """A value that a document must have in a field: a class, a name, a day, a number."""

    field: str
    """The name of a field of `fields.FIELDS`."""
    value: str
    """In the form in which the field is compared; for days `first..last` or `first..<end`, with either left
    out."""

    def __str__(self) -> str:
        field, is_plain = FIELDS[self.field], PLAIN.fullmatch(self.value) and not RESERVED.fullmatch(self.value)
        value = self.value if is_plain else f'"{self.value}"'
        return f"{field.letters[0] if field.letters else field.name}:{value}"

    @property
    def days(self) -> tuple[date | None, date | None]:
        """The first day of a range of dates, and the day after the last."""
        first, _, last = self.value.partition("..")
        begin = date.fromisoformat(first) if first else None
        if last.startswith("<"):
            return begin, date.fromisoformat(last[1:])
        return begin, date.fromisoformat(last) + timedelta(days=1) if last else None


@dataclass(frozen=True)
class _Several(Node):
    members: tuple[Node, ...]
    operator: ClassVar[str]

    def __str__(self) -> str:
        parts = (f"({each})" if isinstance(each, Or) and isinstance(self, And) else str(each) for each in self.members)
        return f" {self.operator} ".join(parts)


@dataclass(frozen=True)
class And(_Several):
    """Documents that meet all parts."""

    operator: ClassVar[str] = "AND"


@dataclass(frozen=True)
class Or(_Several):
    """Documents that meet one of the parts."""

    operator: ClassVar[str] = "OR"


@dataclass(frozen=True)
class Not(Node):
    """Documents that do not meet a part."""

    part: Node

    def __str__(self) -> str:
        return f"NOT ({self.part})" if isinstance(self.part, And | Or) else f"NOT {self.part}"


def expression_words(node: Node, language: str | None = None) -> list[str]:
    """The words that a document is found by, without truncated ones and those after NOT; those read in a language."""
    if isinstance(node, Word):
        return [node.text]
    if isinstance(node, Not) or (isinstance(node, InLanguage) and language not in (None, *node.languages)):
        return []
    return [word for part in node.parts for word in expression_words(part, language)]


def words_of_any_language(node: Node) -> Iterator[Word | Truncation]:
    """The words, also truncated ones, for which an expression names no language."""
    if isinstance(node, Word | Truncation):
        yield node
    elif not isinstance(node, InLanguage):
        for part in node.parts:
            yield from words_of_any_language(part)


TEXTUAL = (Word, Truncation, Phrase, Near, InField, InLanguage)
"""Conditions on the words of texts."""


def any_of(parts: Sequence[Node]) -> Node:
    """The documents that meet one of some conditions."""
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def positive_parts(node: Node, language: str, fields: tuple[str, ...] = ()) -> Iterator[tuple[Node, tuple[str, ...]]]:
    """The words, phrases and words near each other that a document is found by, with the fields they must be in.

    Those that are read in other languages are left out.
    """
    if isinstance(node, InField):
        yield from positive_parts(node.part, language, node.names)
    elif isinstance(node, InLanguage):
        if language in node.languages:
            yield from positive_parts(node.part, language, fields)
    elif isinstance(node, And | Or):
        for part in node.members:
            yield from positive_parts(part, language, fields)
    elif isinstance(node, Word | Truncation | Phrase | Near):
        yield node, fields
