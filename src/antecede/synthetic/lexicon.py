"""The word lists of the synthetic collection, read once: ideas with their synonyms in English, German and French."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from antecede.synthetic.nouns import DECLINE, READ, Forms, Head

if TYPE_CHECKING:
    from collections.abc import Callable

Item = TypeVar("Item")

LANGUAGES = ("EN", "DE", "FR")
FILES = {"EN": "english.txt", "DE": "german.txt", "FR": "french.txt"}
KINDS = "mec"
"""Mechanics, electricity, chemistry."""
FORBIDDEN = re.compile(r'["\\\\<>]')
SHORTEST_STEM = 4
"""A German word part this long that stands in both halves of a compound makes it stutter."""


class Quantity(NamedTuple):
    """What can be measured: its nouns by language and synonym, its units, and its range in tenths."""

    nouns: dict[str, tuple[Forms, ...]]
    units: tuple[str, ...]
    smallest: int
    largest: int


class Field(NamedTuple):
    """A field of technology: what is invented there, what for, and which parts it is made of."""

    kind: str
    subclass: str
    groups: tuple[str, ...]
    subjects: dict[str, tuple[Forms, ...]]
    purposes: dict[str, tuple[str, ...]]
    modifiers: tuple[int, ...]
    heads: tuple[int, ...]


class Lexicon(NamedTuple):
    """All word lists. Modifiers and heads are numbered; a part of an invention is a pair of the two."""

    modifiers: dict[str, tuple[tuple[str, ...], ...]]
    heads: dict[str, tuple[tuple[Head, ...], ...]]
    drawbacks: dict[str, dict[str, tuple[tuple[Forms, ...], ...]]]
    """By kind of field and language, in the same order in each language; so too those that follow."""
    advantages: dict[str, dict[str, tuple[tuple[Forms, ...], ...]]]
    materials: dict[str, dict[str, tuple[tuple[str, ...], ...]]]
    quantities: dict[str, tuple[Quantity, ...]]
    properties: dict[str, dict[str, tuple[tuple[tuple[str, str], ...], ...]]]
    """Per idea its synonyms, each as masculine and feminine."""
    relations: dict[str, dict[str, tuple[str, ...]]]
    fields: tuple[Field, ...]
    sounds: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    """Whether a modifier and a head go together without repeating a word."""


def lines(name: str) -> list[str]:
    """The lines of a file of the vocabulary, without its remarks. What formats would have to escape is refused."""
    text = (files("antecede.synthetic") / "vocabulary" / name).read_text(encoding="utf-8")
    found = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in found:
        if FORBIDDEN.search(line):
            raise ValueError(f"{name}: quotes, backslashes and angle brackets cannot stand in a text: {line}")
    return found


def rows(name: str) -> list[list[str]]:
    """The lines of a word list, cut at the bars."""
    return [[cell.strip() for cell in line.split("|")] for line in lines(name)]


def sections(name: str) -> dict[str, list[str]]:
    """The lines of a file that is divided by headings in brackets."""
    found: dict[str, list[str]] = {}
    for line in lines(name):
        if line.startswith("["):
            found[line[1:-1]] = []
        else:
            found[next(reversed(found))].append(line)
    return found


def synonyms(cell: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in cell.split(","))


def declined(language: str, cell: str) -> tuple[Forms, ...]:
    """The synonyms of a cell with all their forms."""
    return tuple(DECLINE[language](READ[language](entry)) for entry in synonyms(cell))


def by_language(table: list[list[str]]) -> dict[str, list[str]]:
    return {language: [row[at] for row in table] for at, language in enumerate(LANGUAGES)}


def by_kind(name: str, read: Callable[[str, str], Item]) -> dict[str, dict[str, tuple[Item, ...]]]:
    """A list whose rows begin with the kinds of field they are for; `read` is given language and cell."""
    table = rows(name)
    found = {}
    for kind in KINDS:
        cells = by_language([row[1:] for row in table if kind in row[0]])
        found[kind] = {language: tuple(read(language, cell) for cell in mine) for language, mine in cells.items()}
    return found


def paired(cell: str) -> tuple[tuple[str, str], ...]:
    """Adjectives as masculine and feminine; where one form serves both it is given twice."""
    return tuple((word.partition("/")[0], word.partition("/")[2] or word) for word in synonyms(cell))


@cache
def lexicon() -> Lexicon:
    """Read all word lists."""
    modifiers = {
        language: tuple(synonyms(cell) for cell in cells)
        for language, cells in by_language(rows("modifiers.txt")).items()
    }
    heads = {
        language: tuple(tuple(READ[language](entry) for entry in synonyms(cell)) for cell in cells)
        for language, cells in by_language(rows("heads.txt")).items()
    }
    return Lexicon(
        modifiers,
        heads,
        by_kind("drawbacks.txt", declined),
        by_kind("advantages.txt", declined),
        by_kind("materials.txt", lambda _, cell: synonyms(cell)),
        quantities(),
        by_kind("properties.txt", lambda _, cell: paired(cell)),
        by_kind("relations.txt", lambda _, cell: cell),
        tuple(fields(modifiers["EN"], heads["EN"])),
        going_together(modifiers, heads),
    )


def quantities() -> dict[str, tuple[Quantity, ...]]:
    found: dict[str, list[Quantity]] = {kind: [] for kind in KINDS}
    for kind, *cells, units, limits in rows("quantities.txt"):
        nouns = {language: declined(language, cell) for language, cell in zip(LANGUAGES, cells, strict=True)}
        smallest, largest = map(int, limits.split())
        found[kind].append(Quantity(nouns, tuple(units.split()), smallest, largest))
    return {kind: tuple(each) for kind, each in found.items()}


def keys(ideas: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """Ideas by their first English word, as fields.txt names them."""
    return {words[0].replace(" ", "-"): at for at, words in enumerate(ideas)}


def fields(modifiers: tuple[tuple[str, ...], ...], heads: tuple[tuple[Head, ...], ...]) -> list[Field]:
    modifier_at = keys(modifiers)
    head_at = keys(tuple(tuple(head.word for head in idea) for idea in heads))
    told = lines("fields.txt")
    found = []
    for at in range(0, len(told), 5):
        symbol, subjects, purposes, parts, bodies = told[at : at + 5]
        kind, subclass, *groups = symbol.split()
        nouns, aims = (
            dict(zip(LANGUAGES, (cell.strip() for cell in line.split("|")), strict=True))
            for line in (subjects, purposes)
        )
        found.append(
            Field(
                kind,
                subclass,
                tuple(groups),
                {language: declined(language, cell) for language, cell in nouns.items()},
                {language: tuple(aim.strip() for aim in cell.split(";")) for language, cell in aims.items()},
                tuple(modifier_at[key] for key in parts.split()),
                tuple(head_at[key] for key in bodies.split()),
            )
        )
    return found


def going_together(
    modifiers: dict[str, tuple[tuple[str, ...], ...]], heads: dict[str, tuple[tuple[Head, ...], ...]]
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which pairs do not repeat a word in any language, whichever synonyms are used."""
    english = [{word for phrase in idea for word in phrase.replace("-", " ").split()} for idea in modifiers["EN"]]
    english_heads = [{word for head in idea for word in head.word.split()} for idea in heads["EN"]]
    stems = [{part.lower().rstrip("s")[:7] for part in idea} for idea in modifiers["DE"]]
    words = [" ".join(head.word.lower() for head in idea) for idea in heads["DE"]]
    french = [{word for phrase in idea for word in content_words(phrase)} for idea in modifiers["FR"]]
    french_heads = [{word for head in idea for word in content_words(head.word)} for idea in heads["FR"]]
    table = np.empty((len(english), len(english_heads)), dtype=np.bool_)
    for m in range(len(english)):
        long = [stem for stem in stems[m] if len(stem) >= SHORTEST_STEM]
        for h in range(len(english_heads)):
            table[m, h] = not (
                english[m] & english_heads[h] or french[m] & french_heads[h] or any(stem in words[h] for stem in long)
            )
    return table


def content_words(phrase: str) -> list[str]:
    """The words of a French phrase that carry meaning."""
    return [word.split("'")[-1] for word in phrase.split() if len(word.split("'")[-1]) >= SHORTEST_STEM]
