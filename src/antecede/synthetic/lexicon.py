"""The word lists and sentence patterns in vocabulary/, read once: ideas with synonyms in English, German and French.

A pattern such as `{a.The} is made of {m}.` is compiled to the text `%s is made of %s.` and two places where the words
for its gaps are found. A sentence is filled from a sequence of tuples: the forms of each noun in the order of `SLOTS`,
then everything that has only one form, in the order of `EXTRAS`. A pattern that contains a relation is expanded once
for each relation of a kind of field.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from antecede.synthetic.nouns import INFLECTORS, NOUN_FORMS, PARSERS, Forms, Head

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Item = TypeVar("Item")

LANGUAGES = ("EN", "DE", "FR")
FILES = {"EN": "english.txt", "DE": "german.txt", "FR": "french.txt"}
KINDS = "mec"
"""Mechanics, electricity, chemistry."""
FORBIDDEN = re.compile(r'["\\\\<>]')
SHORTEST_STEM = 4
"""Shortest word part that counts as a repetition if it occurs in both halves of a German compound."""


class Quantity(NamedTuple):
    """Something that can be measured: its nouns by language and synonym, its units, and its range in tenths."""

    nouns: dict[str, tuple[Forms, ...]]
    units: tuple[str, ...]
    smallest: int
    largest: int


class Field(NamedTuple):
    """A field of technology: what is invented there, for what purpose, and of which parts."""

    kind: str
    subclass: str
    groups: tuple[str, ...]
    subjects: dict[str, tuple[Forms, ...]]
    purposes: dict[str, tuple[str, ...]]
    modifiers: tuple[int, ...]
    heads: tuple[int, ...]


class Lexicon(NamedTuple):
    """All word lists. Modifiers and heads are numbered; a part of an invention is a pair of them."""

    modifiers: dict[str, tuple[tuple[str, ...], ...]]
    heads: dict[str, tuple[tuple[Head, ...], ...]]
    drawbacks: dict[str, dict[str, tuple[tuple[Forms, ...], ...]]]
    """By kind of field and language, in the same order in each language, like the lists that follow."""
    advantages: dict[str, dict[str, tuple[tuple[Forms, ...], ...]]]
    materials: dict[str, dict[str, tuple[tuple[str, ...], ...]]]
    quantities: dict[str, tuple[Quantity, ...]]
    properties: dict[str, dict[str, tuple[tuple[tuple[str, str], ...], ...]]]
    """For each idea its synonyms, each as masculine and feminine."""
    relations: dict[str, dict[str, tuple[str, ...]]]
    fields: tuple[Field, ...]
    compatible: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
    """Whether a modifier and a head can be combined without repeating a word."""


def read_lines(name: str) -> list[str]:
    """The lines of a vocabulary file without its comments. Characters that XML or JSON must escape are rejected."""
    text = (files("antecede.synthetic") / "vocabulary" / name).read_text(encoding="utf-8")
    found = [line for line in text.splitlines() if line and not line.startswith("#")]
    for line in found:
        if FORBIDDEN.search(line):
            raise ValueError(f"{name}: quotes, backslashes and angle brackets are not allowed: {line}")
    return found


def read_rows(name: str) -> list[list[str]]:
    """The lines of a word list, split at the bars."""
    return [[cell.strip() for cell in line.split("|")] for line in read_lines(name)]


def read_sections(name: str) -> dict[str, list[str]]:
    """The lines of a file that is divided by headings in brackets."""
    found: dict[str, list[str]] = {}
    for line in read_lines(name):
        if line.startswith("["):
            found[line[1:-1]] = []
        else:
            found[next(reversed(found))].append(line)
    return found


def split_synonyms(cell: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in cell.split(","))


def inflect_synonyms(language: str, cell: str) -> tuple[Forms, ...]:
    """The synonyms of a cell in all their forms."""
    return tuple(INFLECTORS[language](PARSERS[language](entry)) for entry in split_synonyms(cell))


def split_columns(table: list[list[str]]) -> dict[str, list[str]]:
    """The columns of a table by language."""
    return {language: [row[at] for row in table] for at, language in enumerate(LANGUAGES)}


def read_by_kind(name: str, read: Callable[[str, str], Item]) -> dict[str, dict[str, tuple[Item, ...]]]:
    """A list whose rows begin with the kinds of field they apply to; `read` receives a language and a cell."""
    table = read_rows(name)
    found = {}
    for kind in KINDS:
        cells = split_columns([row[1:] for row in table if kind in row[0]])
        found[kind] = {language: tuple(read(language, cell) for cell in mine) for language, mine in cells.items()}
    return found


def split_genders(cell: str) -> tuple[tuple[str, str], ...]:
    """Adjectives as masculine and feminine; an adjective with a single form is repeated."""
    return tuple((word.partition("/")[0], word.partition("/")[2] or word) for word in split_synonyms(cell))


@cache
def load_lexicon() -> Lexicon:
    """Read all word lists."""
    modifiers = {
        language: tuple(split_synonyms(cell) for cell in cells)
        for language, cells in split_columns(read_rows("modifiers.txt")).items()
    }
    heads = {
        language: tuple(tuple(PARSERS[language](entry) for entry in split_synonyms(cell)) for cell in cells)
        for language, cells in split_columns(read_rows("heads.txt")).items()
    }
    return Lexicon(
        modifiers,
        heads,
        read_by_kind("drawbacks.txt", inflect_synonyms),
        read_by_kind("advantages.txt", inflect_synonyms),
        read_by_kind("materials.txt", lambda _, cell: split_synonyms(cell)),
        read_quantities(),
        read_by_kind("properties.txt", lambda _, cell: split_genders(cell)),
        read_by_kind("relations.txt", lambda _, cell: cell),
        tuple(read_fields(modifiers["EN"], heads["EN"])),
        find_compatible(modifiers, heads),
    )


def read_quantities() -> dict[str, tuple[Quantity, ...]]:
    found: dict[str, list[Quantity]] = {kind: [] for kind in KINDS}
    for kind, *cells, units, limits in read_rows("quantities.txt"):
        nouns = {language: inflect_synonyms(language, cell) for language, cell in zip(LANGUAGES, cells, strict=True)}
        smallest, largest = map(int, limits.split())
        found[kind].append(Quantity(nouns, tuple(units.split()), smallest, largest))
    return {kind: tuple(each) for kind, each in found.items()}


def number_ideas(ideas: tuple[tuple[str, ...], ...]) -> dict[str, int]:
    """The number of each idea by its first English word, which is the key used in fields.txt."""
    return {words[0].replace(" ", "-"): at for at, words in enumerate(ideas)}


def read_fields(modifiers: tuple[tuple[str, ...], ...], heads: tuple[tuple[Head, ...], ...]) -> list[Field]:
    modifier_at = number_ideas(modifiers)
    head_at = number_ideas(tuple(tuple(head.word for head in idea) for idea in heads))
    lines = read_lines("fields.txt")
    found = []
    for at in range(0, len(lines), 5):
        symbol, subjects, purposes, parts, bodies = lines[at : at + 5]
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
                {language: inflect_synonyms(language, cell) for language, cell in nouns.items()},
                {language: tuple(aim.strip() for aim in cell.split(";")) for language, cell in aims.items()},
                tuple(modifier_at[key] for key in parts.split()),
                tuple(head_at[key] for key in bodies.split()),
            )
        )
    return found


def find_compatible(
    modifiers: dict[str, tuple[tuple[str, ...], ...]], heads: dict[str, tuple[tuple[Head, ...], ...]]
) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """The pairs of modifier and head that repeat no word in any language, whichever synonyms are used."""
    english = [{word for phrase in idea for word in phrase.replace("-", " ").split()} for idea in modifiers["EN"]]
    english_heads = [{word for head in idea for word in head.word.split()} for idea in heads["EN"]]
    stems = [{part.lower().rstrip("s")[:7] for part in idea} for idea in modifiers["DE"]]
    words = [" ".join(head.word.lower() for head in idea) for idea in heads["DE"]]
    french = [{word for phrase in idea for word in find_content_words(phrase)} for idea in modifiers["FR"]]
    french_heads = [{word for head in idea for word in find_content_words(head.word)} for idea in heads["FR"]]
    table = np.empty((len(english), len(english_heads)), dtype=np.bool_)
    for m in range(len(english)):
        long = [stem for stem in stems[m] if len(stem) >= SHORTEST_STEM]
        for h in range(len(english_heads)):
            table[m, h] = not (
                english[m] & english_heads[h] or french[m] & french_heads[h] or any(stem in words[h] for stem in long)
            )
    return table


def find_content_words(phrase: str) -> list[str]:
    """The words of a French phrase that carry meaning."""
    return [word.split("'")[-1] for word in phrase.split() if len(word.split("'")[-1]) >= SHORTEST_STEM]


# Sentence patterns

SLOTS = "abcsxyq"
"""The nouns of a sentence, in order."""
EXTRAS = ("for", "m", "p", "v", "r", "w", "t", "k", "d", "view")
GAP = re.compile(r"\{(\w+)(?:\.(\w+))?\}")
RELATION = re.compile(r"\{(rel|fin|mid|sub)(#?)\}")
PART_B = re.compile(r"\{b\.\w+\}")

Pattern = tuple[str, tuple[tuple[int, int], ...]]
"""A text with gaps, and for each gap the number of the tuple that has its words and the position in that tuple."""
Patterns = tuple[tuple[Pattern, ...], ...]
"""For each line of the vocabulary its pattern, or one pattern per relation, in the same order in each language."""


class PhraseBook(NamedTuple):
    """The sentence patterns of one language for one kind of field, named as in the vocabulary."""

    headings: tuple[str, ...]
    synthetic: str
    """The sentence by which every document declares itself synthetic."""
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


def locate_gap(language: str, slot: str, form: str) -> tuple[int, int]:
    """Where the words for a gap are found: the number of the tuple, and the position in it."""
    if form:
        return SLOTS.index(slot), NOUN_FORMS[language].index(form)
    return len(SLOTS), EXTRAS.index(slot)


def compile_pattern(language: str, line: str) -> Pattern:
    places = tuple(locate_gap(language, slot, form) for slot, form in GAP.findall(line))
    return GAP.sub("%s", line.replace("%", "%%")), places


def fill_pattern(pattern: Pattern, slots: Sequence[Forms]) -> str:
    """Fill the gaps. Only the words that are needed are looked up, which keeps it fast."""
    text, places = pattern
    return text % tuple([slots[slot][form] for slot, form in places])


def add_numerals(phrase: str) -> str:
    """A relation with the reference numeral of b after b."""
    return PART_B.sub(r"\g<0> ({b.n})", phrase)


def insert_relation(line: str, relation: str) -> str:
    """Insert a relation for {rel}, or in German for {fin} {mid} and {sub}; # adds reference numerals."""
    finite, _, rest = (part.strip() for part in relation.partition(";"))
    middle, _, subordinate = (part.strip() for part in rest.partition(";"))
    parts = {"rel": relation, "fin": finite, "mid": middle, "sub": subordinate or f"{middle} {finite}"}
    return RELATION.sub(lambda found: add_numerals(parts[found[1]]) if found[2] else parts[found[1]], line)


@cache
def load_phrase_book(language: str, kind: str) -> PhraseBook:
    """The patterns of a language, with the relations of a kind of field inserted."""
    found = read_sections(FILES[language])
    relations = load_lexicon().relations[kind][language]

    def compile_section(name: str) -> Patterns:
        return tuple(
            tuple(compile_pattern(language, insert_relation(line, relation)) for relation in relations)
            if RELATION.search(line)
            else (compile_pattern(language, line),)
            for line in found[name]
        )

    without_gaps = {"headings", "views", "boilerplate", "closing"}
    sections = {
        name: tuple(found[name]) if name in without_gaps else compile_section(name)
        for name in PhraseBook._fields
        if name != "synthetic"
    }
    return PhraseBook(synthetic=found["synthetic"][0], **sections)  # type: ignore[arg-type]
