"""Sentence patterns made ready to be filled: a text with gaps, and where each gap finds its words.

A pattern such as `{a.The} is made of {m}.` becomes the text `%s is made of %s.` and two places to look at. What a
sentence may speak of lies in a row of tuples: the forms of each noun in the order of `SLOTS`, then what has but one
form, in the order of `EXTRAS`. Patterns that name a relation are written out once for each relation of a kind of field.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from antecede.synthetic.lexicon import FILES, lexicon, sections
from antecede.synthetic.nouns import FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.synthetic.nouns import Forms

SLOTS = "abcsxyq"
"""Nouns, in the order of the row."""
EXTRAS = ("for", "m", "p", "v", "r", "w", "t", "k", "d", "view")
GAP = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
RELATION = re.compile(r"\{(rel|fin|mid|sub)(#?)\}")
PART_B = re.compile(r"\{b\.\w+\}")


Pattern = tuple[str, tuple[tuple[int, int], ...]]
"""A text with gaps, and per gap which tuple of the row has its words, and at which place."""
Patterns = tuple[tuple[Pattern, ...], ...]
"""Per line of the vocabulary its pattern, or one for each relation, in the same order in each language."""


class Book(NamedTuple):
    """The sentence patterns of one language for one kind of field, named as in the vocabulary."""

    headings: tuple[str, ...]
    synthetic: str
    """The sentence by which every document says what it is."""
    title: Patterns
    field: Patterns
    background: Patterns
    cited: Patterns
    object: Patterns
    solution: Patterns
    advantage: Patterns
    views: tuple[str, ...]
    figures: Patterns
    embodiment: Patterns
    frames: Patterns
    claim: Patterns
    dependent: Patterns
    abstract: Patterns
    gist: Patterns
    boilerplate: tuple[str, ...]
    closing: tuple[str, ...]


def place(language: str, slot: str, form: str) -> tuple[int, int]:
    """Where a gap finds its words: in which tuple of forms, and at which place of it."""
    if form:
        return SLOTS.index(slot), FORMS[language].index(form)
    return len(SLOTS), EXTRAS.index(slot)


def pattern(language: str, line: str) -> Pattern:
    """Make one line ready to be filled."""
    places = tuple(place(language, slot, form) for slot, form in GAP.findall(line))
    return GAP.sub("%s", line.replace("%", "%%")), places


def filled(said: Pattern, slots: Sequence[Forms]) -> str:
    """The sentence. Only the words it needs are touched: that is what makes it quick."""
    text, places = said
    return text % tuple([slots[slot][form] for slot, form in places])


def numbered(phrase: str) -> str:
    """A relation with the reference numeral of b behind b."""
    return PART_B.sub(r"\g<0> ({b.n})", phrase)


def with_relation(line: str, relation: str) -> str:
    """A line with a relation written into it: {rel}, or German {fin} {mid} and {sub}; # asks for numerals."""
    finite, _, rest = (part.strip() for part in relation.partition(";"))
    middle, _, subordinate = (part.strip() for part in rest.partition(";"))
    parts = {"rel": relation, "fin": finite, "mid": middle, "sub": subordinate or f"{middle} {finite}"}
    return RELATION.sub(lambda found: numbered(parts[found[1]]) if found[2] else parts[found[1]], line)


@cache
def book(language: str, kind: str) -> Book:
    """The patterns of a language, with the relations of a kind of field written into them."""
    found = sections(FILES[language])
    relations = lexicon().relations[kind][language]

    def patterns(name: str) -> Patterns:
        return tuple(
            tuple(pattern(language, with_relation(line, relation)) for relation in relations)
            if RELATION.search(line)
            else (pattern(language, line),)
            for line in found[name]
        )

    plain = {"headings", "views", "boilerplate", "closing"}
    read = {
        name: tuple(found[name]) if name in plain else patterns(name) for name in Book._fields if name != "synthetic"
    }
    return Book(synthetic=found["synthetic"][0], **read)  # type: ignore[arg-type]
