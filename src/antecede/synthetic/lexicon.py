"""The word lists and sentence templates in vocabulary/, read once: ideas with synonyms in English, German and French.

A template such as `{a.the} is made of {m}.` is compiled to `%s is made of %s.` and, for each gap, the slot that fills
it and the form of the word in that slot. A template with a relation becomes one template per relation of a kind of
field.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]

LANGUAGES = ("EN", "DE", "FR")
FILES = {"EN": "english.txt", "DE": "german.txt", "FR": "french.txt"}
KINDS = "mec"
"""Kinds of field: mechanics, electricity, chemistry."""


def _read_sections(name: str) -> dict[str, list[str]]:
    """The lines of a file under each heading in brackets, without comments.

    They contain no character that XML must escape: texts are written without escaping, which is six times as fast.
    """
    text = (files("antecede.synthetic") / "vocabulary" / name).read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {"": []}
    for line in text.splitlines():
        if line.startswith("["):
            sections[line[1:-1]] = []
        elif line and not line.startswith("#"):
            sections[next(reversed(sections))].append(line)
    return sections


def _split(line: str, separator: str = "|") -> list[str]:
    return [cell.strip() for cell in line.split(separator)]


# Nouns

Forms = tuple[str, ...]
"""The forms of a word in the order of `FORMS`; a word that is not a noun has only the first."""
FORMS: dict[str, Forms] = {
    "EN": ("", "n", "the", "a"),
    "DE": ("", "n", "der", "den", "dem", "ein", "einen", "einem"),
    "FR": ("", "n", "le", "un", "du", "au"),
}
"""The word alone, its reference numeral, and the word after each article."""
ARTICLES: dict[str, dict[str, Forms]] = {
    "EN": {"": ("the ", "a "), "'": ("the ", "an ")},
    "DE": {
        "m": ("der ", "den ", "dem ", "ein ", "einen ", "einem "),
        "f": ("die ", "die ", "der ", "eine ", "eine ", "einer "),
        "n": ("das ", "das ", "dem ", "ein ", "ein ", "einem "),
    },
    "FR": {
        "m": ("le ", "un ", "du ", "au "),
        "f": ("la ", "une ", "de la ", "à la "),
        "m'": ("l'", "un ", "de l'", "à l'"),
        "f'": ("l'", "une ", "de l'", "à l'"),
    },
}
"""The articles by gender, with an apostrophe before a vowel."""
VOWELS = {"EN": "aeiou", "DE": "", "FR": "aeiouyhâéèêîôœ"}


class Noun(NamedTuple):
    """A noun with its gender, which is empty in English."""

    word: str
    gender: str


def parse_noun(entry: str) -> Noun:
    word, _, gender = entry.partition("/")
    return Noun(word, gender)


def inflect(language: str, noun: Noun, modifier: str = "", numeral: str = "") -> Forms:
    """All forms of a noun, or of the compound of a modifier and a noun."""
    word, gender = noun
    if modifier:
        if language == "EN":
            word = f"{modifier} {word}"
        else:
            word = f"{word} {modifier}" if language == "FR" else modifier + word.lower()
    if word[0] in VOWELS[language]:
        gender += "'"
    return (word, numeral, *[article + word for article in ARTICLES[language][gender]])


# Ideas: rows with synonyms in each language

NOUNS = ("drawbacks", "advantages", "quantities")
IDEAS = (*NOUNS, "properties", "materials")
"""The sections of words.txt that texts choose words from."""


class Technology(NamedTuple):
    """A field of technology: what is invented there, for what purpose, and from which heads its parts are made."""

    kind: str
    subclass: str
    groups: tuple[str, ...]
    heads: tuple[int, ...]
    subjects: dict[str, tuple[Forms, ...]]
    purposes: dict[str, tuple[Forms, ...]]


class Lexicon(NamedTuple):
    """All word lists. Heads and modifiers are numbered; a part of an invention is a pair of them."""

    heads: dict[str, tuple[tuple[Noun, ...], ...]]
    """The synonyms of each head by language."""
    modifiers: dict[str, tuple[tuple[str, ...], ...]]
    modifiers_of: Integers
    """The modifiers that a head can have in a field of some kind, as rows [kind, head] padded with zeros."""
    modifier_counts: Integers
    fields: tuple[Technology, ...]
    ideas: dict[tuple[str, str, str], tuple[tuple[Forms, ...], ...]]
    """The synonyms of each idea by section, kind of field and language, in the same order in each language."""
    relations: dict[tuple[str, str], tuple[str, ...]]
    scales: dict[str, tuple[tuple[str, int], ...]]
    """The unit and the largest value of each quantity."""
    names: dict[str, tuple[str, ...]]


@cache
def load_vocabulary() -> Lexicon:
    """Read all word lists."""
    parts, words = _read_sections("parts.txt"), _read_sections("words.txt")
    heads = [_split(line) for line in parts["heads"]]
    modifiers = [_split(line) for line in parts["modifiers"]]
    modifiers_of, modifier_counts = _tabulate_modifiers(modifiers, heads)
    ideas, relations = {}, {}
    for kind in KINDS:
        rows = {name: [_split(line) for line in words[name] if kind in line.partition("|")[0]] for name in words}
        for column, language in enumerate(LANGUAGES, 1):
            relations[kind, language] = tuple(row[column] for row in rows["relations"])
            for name in IDEAS:
                cells = [row[column] for row in rows[name]]
                ideas[name, kind, language] = tuple(_read_synonyms(language, cell, name in NOUNS) for cell in cells)
    scales = [_split(line) for line in words["quantities"]]
    return Lexicon(
        heads={
            language: tuple(tuple(parse_noun(entry) for entry in _split(row[at], ",")) for row in heads)
            for at, language in enumerate(LANGUAGES)
        },
        modifiers={
            language: tuple(tuple(_split(row[at], ",")) for row in modifiers)
            for at, language in enumerate(LANGUAGES, 1)
        },
        modifiers_of=modifiers_of,
        modifier_counts=modifier_counts,
        fields=_read_fields([row[0].partition(",")[0].replace(" ", "-") for row in heads]),
        ideas=ideas,
        relations=relations,
        scales={kind: tuple((row[-2], int(row[-1])) for row in scales if row[0] == kind) for kind in KINDS},
        names={
            name: tuple(rest.split()) for name, rest in (_split(line, ":") for line in _read_sections("names.txt")[""])
        },
    )


def _read_synonyms(language: str, cell: str, are_nouns: bool) -> tuple[Forms, ...]:
    words = _split(cell, ",")
    return tuple(inflect(language, parse_noun(word)) if are_nouns else (word,) for word in words)


def _read_fields(head_names: list[str]) -> tuple[Technology, ...]:
    lines = _read_sections("fields.txt")[""]
    fields = []
    for symbols, subjects, purposes in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
        (kind, subclass, *groups), heads = (cell.split() for cell in symbols.split("|"))
        subject_of = dict(zip(LANGUAGES, _split(subjects), strict=True))
        purpose_of = dict(zip(LANGUAGES, _split(purposes), strict=True))
        fields.append(
            Technology(
                *(kind, subclass, tuple(groups), tuple(head_names.index(name) for name in heads)),
                {language: _read_synonyms(language, cell, are_nouns=True) for language, cell in subject_of.items()},
                {language: tuple((aim,) for aim in _split(cell, ";")) for language, cell in purpose_of.items()},
            )
        )
    return tuple(fields)


def _tabulate_modifiers(modifiers: list[list[str]], heads: list[list[str]]) -> tuple[Integers, Integers]:
    """For each kind of field and head, the modifiers that repeat no word of the head in any language; their number."""
    texts = [" ".join(row).lower() for row in heads]
    stems = [set(re.findall(r"\b\w{4,7}", " ".join(row[1:]).lower())) for row in modifiers]
    table = np.zeros((len(KINDS), len(heads), len(modifiers)), dtype=np.int64)
    counts = np.zeros((len(KINDS), len(heads)), dtype=np.int64)
    for at, kind in enumerate(KINDS):
        for head, text in enumerate(texts):
            fitting = [
                modifier
                for modifier, row in enumerate(modifiers)
                if kind in row[0] and not any(stem in text for stem in stems[modifier])
            ]
            table[at, head, : len(fitting)] = fitting
            counts[at, head] = len(fitting)
    return table, counts


# Templates

SLOTS = "abcsxyqfmpvrwtdik"
"""What a gap can name, in the order in which it is handed to `fill`; see english.txt."""
GAP = re.compile(r"\{(\w)(?:\.(\w+))?\}")
RELATION = re.compile(r"\{rel(#?)\}")
PART_B = re.compile(r"\{b\.\w+\}")

Template = tuple[str, tuple[tuple[int, int], ...]]
"""A text with gaps, and for each gap the number of its slot and of the form of the word."""
Templates = tuple[tuple[Template, ...], ...]
"""For each line of a section its template, or one template per relation."""


@cache
def load_lines(language: str) -> dict[str, list[str]]:
    """The sections of a file of templates, as written."""
    return _read_sections(FILES[language])


@cache
def load_templates(language: str, kind: str) -> dict[str, Templates]:
    """The templates of each section with the relations of a kind of field."""
    relations = load_vocabulary().relations[kind, language]

    def expand(line: str) -> tuple[Template, ...]:
        if not RELATION.search(line):
            return (_compile(language, line),)
        return tuple(_compile(language, insert_relation(line, relation)) for relation in relations)

    return {name: tuple(expand(line) for line in lines) for name, lines in load_lines(language).items()}


def insert_relation(line: str, relation: str) -> str:
    """A template with a relation for {rel}, or for {rel#} with the reference numeral of part b."""
    numbered = PART_B.sub(r"\g<0> ({b.n})", relation)
    return RELATION.sub(lambda gap: numbered if gap[1] else relation, line)


def _compile(language: str, line: str) -> Template:
    places = tuple((SLOTS.index(slot), FORMS[language].index(form)) for slot, form in GAP.findall(line))
    return GAP.sub("%s", line.replace("%", "%%")), places


def fill(template: Template, slots: Sequence[Forms]) -> str:
    """Fill the gaps of a template. A text that begins with a gap gets a capital letter."""
    text, places = template
    filled = text % tuple([slots[slot][form] for slot, form in places])
    return filled[0].upper() + filled[1:] if text[0] == "%" else filled
