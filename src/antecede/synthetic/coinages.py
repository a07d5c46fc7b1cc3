"""Invented words: trade names, model codes, chemical names, companies and people. Each follows from a number.

They give the collection the long tail of rare words that real patents have. Nothing here is meant to be anybody's
name; what looks like one does so by chance.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from antecede.synthetic.draws import mixed
from antecede.synthetic.lexicon import LANGUAGES, sections

LETTERS = "ABCDEFGHKLMNPRSTVXZ"
ENDINGS = {
    "EN": {"in": "ine", "ol": "ole", "at": "ate", "id": "ide"},
    "DE": {},
    "FR": {"in": "ine", "ol": "ole", "at": "ate", "id": "ide", "an": "anne"},
}
SPELLINGS = {
    "EN": (("chlor", "chloro"), ("fluor", "fluoro"), ("brom", "bromo"), ("cyan", "cyano"), ("chin", "quin")),
    "DE": (),
    "FR": (("ethyl", "éthyl"), ("ethoxy", "éthoxy"), ("phen", "phén"), ("chlor", "chloro"), ("fluor", "fluoro"),
           ("brom", "bromo"), ("cyan", "cyano"), ("chin", "quin")),
}  # fmt: skip


class Names(NamedTuple):
    """The word parts of names.txt."""

    stems: tuple[str, ...]
    endings: tuple[str, ...]
    syllables: tuple[str, ...]
    finals: tuple[str, ...]
    substituents: tuple[str, ...]
    parents: tuple[str, ...]
    forms: dict[str, tuple[str, ...]]
    countries: dict[str, tuple[str, ...]]
    first: dict[str, tuple[str, ...]]
    last: dict[str, tuple[str, ...]]
    places: dict[str, tuple[str, ...]]
    prefixes: dict[str, tuple[str, ...]]
    roots: dict[str, tuple[str, ...]]


@cache
def names() -> Names:
    found = sections("names.txt")

    def words(name: str) -> tuple[str, ...]:
        return tuple(found[name][0].split())

    def by_language(name: str) -> dict[str, tuple[str, ...]]:
        return {language: words(f"{name} {language}") for language in LANGUAGES}

    forms = {
        language: tuple(form.strip() for form in found[f"forms {language}"][0].split("|")) for language in LANGUAGES
    }
    single = ("stems", "endings", "syllables", "finals", "substituents", "parents")
    several = ("countries", "first", "last", "places", "prefixes", "roots")
    parts = {name: words(name) for name in single}
    return Names(**parts, forms=forms, **{name: by_language(name) for name in several})  # type: ignore[arg-type]


def trade_name(number: int) -> str:
    """A name such as Korvalit: two or three syllables and an ending."""
    parts = names()
    number, first = divmod(number, len(parts.syllables))
    number, second = divmod(number, len(parts.syllables))
    number, final = divmod(number, len(parts.finals))
    word = parts.syllables[first] + parts.syllables[second]
    if number & 1:
        word += parts.syllables[(number >> 1) % len(parts.syllables)]
    return word.capitalize() + parts.finals[final]


def model_code(number: int) -> str:
    """A code such as TX-447."""
    number, first = divmod(number, len(LETTERS))
    number, second = divmod(number, len(LETTERS))
    return f"{LETTERS[first]}{LETTERS[second]}-{100 + number % 900}"


def chemical_name(number: int, language: str) -> str:
    """A systematic-looking name such as 2-chloroethoxyquinoline, spelled as each language does."""
    parts = names()
    number, place = divmod(number, 7)
    number, first = divmod(number, len(parts.substituents))
    number, second = divmod(number, len(parts.substituents))
    number, parent = divmod(number, len(parts.parents))
    prefix = parts.substituents[first] + (parts.substituents[second] if number & 1 else "")
    last = parts.parents[parent]
    for old, new in SPELLINGS[language]:
        prefix, last = prefix.replace(old, new), last.replace(old, new)
    ending = ENDINGS[language].get(last[-2:])
    if ending and not last.endswith("phenol") and not last.endswith("phénol"):
        last = last[:-2] + ending
    return f"{place + 1}-{prefix.capitalize() if language == 'DE' else prefix}{last}"


def coined(number: int, variant: int, kind: str, language: str) -> str:
    """One of three ways to name the same coined thing: by trade name, by code, or by both or by its chemistry."""
    if variant == 0:
        return trade_name(number)
    if kind == "c":
        return chemical_name(number, language)
    return model_code(number) if variant == 1 else f"{trade_name(mixed(number, 5))} {model_code(number)}"


def term(number: int, language: str) -> str:
    """A technical adjective such as thermolaminar; every second has two prefixes, so that many are rare."""
    parts = names()
    prefixes, roots = parts.prefixes[language], parts.roots[language]
    number, root = divmod(number, len(roots))
    number, first = divmod(number, len(prefixes))
    number, second = divmod(number, len(prefixes))
    return f"{prefixes[second] if number & 1 and second != first else ''}{prefixes[first]}{roots[root]}"


@lru_cache(maxsize=1 << 14)
def company(number: int, language: str) -> tuple[str, str]:
    """The name and country of an applicant."""
    parts, chance = names(), mixed(number, 77)
    forms, countries = parts.forms[language], parts.countries[language]
    stem = parts.stems[chance % len(parts.stems)]
    ending = parts.endings[mixed(number, 78) % len(parts.endings)]
    last = parts.last[language]
    if chance % 5 == 0:
        stem, ending = last[mixed(number, 79) % len(last)], ""
    elif chance % 3 == 0:
        ending += f" {trade_name(mixed(number, 80))}"
    form = forms[mixed(number, 81) % len(forms)]
    return f"{stem}{ending} {form}", countries[mixed(number, 82) % len(countries)]


def person(chance: int, language: str) -> str:
    """An inventor, surname first."""
    parts = names()
    first, last = parts.first[language], parts.last[language]
    chance, at = divmod(chance, len(last))
    chance, given = divmod(chance, len(first))
    second = f" {first[chance % len(first)][0]}." if chance % 3 == 0 else ""
    return f"{last[at]}, {first[given]}{second}"
