"""The words of one patent in one language: what its applicant calls the parts, effects and quantities it describes.

Trade names, model codes, chemical names, technical adjectives, companies and people are invented, each determined by a
number. They give the collection the long tail of rare words that real patents have. Any resemblance to a real name is a
coincidence.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from antecede.synthetic.lexicon import LANGUAGES, load_lexicon, load_phrase_book, read_sections
from antecede.synthetic.nouns import INFLECTORS
from antecede.synthetic.parameters import PARAMETERS, SYNONYM_SHARES
from antecede.synthetic.plan import PARTS
from antecede.synthetic.random_streams import draw_integers, mix, scale_below

if TYPE_CHECKING:
    from antecede.synthetic.lexicon import Field, PhraseBook
    from antecede.synthetic.nouns import Forms

Item = TypeVar("Item")

# Invented names

CODE_LETTERS = "ABCDEFGHKLMNPRSTVXZ"
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


class NameParts(NamedTuple):
    """The elements of names in names.txt."""

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
def load_name_parts() -> NameParts:
    found = read_sections("names.txt")

    def split_words(name: str) -> tuple[str, ...]:
        return tuple(found[name][0].split())

    def split_by_language(name: str) -> dict[str, tuple[str, ...]]:
        return {language: split_words(f"{name} {language}") for language in LANGUAGES}

    forms = {
        language: tuple(form.strip() for form in found[f"forms {language}"][0].split("|")) for language in LANGUAGES
    }
    single = ("stems", "endings", "syllables", "finals", "substituents", "parents")
    several = ("countries", "first", "last", "places", "prefixes", "roots")
    parts = {name: split_words(name) for name in single}
    return NameParts(**parts, forms=forms, **{name: split_by_language(name) for name in several})  # type: ignore[arg-type]


def make_trade_name(number: int) -> str:
    """A name such as Korvalit: two or three syllables and an ending."""
    parts = load_name_parts()
    number, first = divmod(number, len(parts.syllables))
    number, second = divmod(number, len(parts.syllables))
    number, final = divmod(number, len(parts.finals))
    word = parts.syllables[first] + parts.syllables[second]
    if number & 1:
        word += parts.syllables[(number >> 1) % len(parts.syllables)]
    return word.capitalize() + parts.finals[final]


def make_model_code(number: int) -> str:
    """A code such as TX-447."""
    number, first = divmod(number, len(CODE_LETTERS))
    number, second = divmod(number, len(CODE_LETTERS))
    return f"{CODE_LETTERS[first]}{CODE_LETTERS[second]}-{100 + number % 900}"


def make_chemical_name(number: int, language: str) -> str:
    """A name that looks systematic, such as 2-chloroethoxyquinoline, in the spelling of the language."""
    parts = load_name_parts()
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


def coin_name(number: int, variant: int, kind: str, language: str) -> str:
    """One of three names for the same thing: its trade name; its chemical name or model code; or name and code."""
    if variant == 0:
        return make_trade_name(number)
    if kind == "c":
        return make_chemical_name(number, language)
    return make_model_code(number) if variant == 1 else f"{make_trade_name(mix(number, 5))} {make_model_code(number)}"


def coin_adjective(number: int, language: str) -> str:
    """A technical adjective such as thermolaminar. About half have two prefixes, so many of them are rare."""
    parts = load_name_parts()
    prefixes, roots = parts.prefixes[language], parts.roots[language]
    number, root = divmod(number, len(roots))
    number, first = divmod(number, len(prefixes))
    number, second = divmod(number, len(prefixes))
    return f"{prefixes[second] if number & 1 and second != first else ''}{prefixes[first]}{roots[root]}"


@lru_cache(maxsize=1 << 14)
def make_company(number: int, language: str) -> tuple[str, str]:
    """The name and country of an applicant."""
    parts, chance = load_name_parts(), mix(number, 77)
    forms, countries = parts.forms[language], parts.countries[language]
    stem = parts.stems[chance % len(parts.stems)]
    ending = parts.endings[mix(number, 78) % len(parts.endings)]
    last = parts.last[language]
    if chance % 5 == 0:
        stem, ending = last[mix(number, 79) % len(last)], ""
    elif chance % 3 == 0:
        ending += f" {make_trade_name(mix(number, 80))}"
    form = forms[mix(number, 81) % len(forms)]
    return f"{stem}{ending} {form}", countries[mix(number, 82) % len(countries)]


def choose_city(number: int, language: str) -> str:
    """The city of an applicant."""
    cities = load_name_parts().places[language]
    return cities[mix(number, 90) % len(cities)]


def make_person(chance: int, language: str) -> str:
    """An inventor, surname first."""
    parts = load_name_parts()
    first, last = parts.first[language], parts.last[language]
    chance, at = divmod(chance, len(last))
    chance, given = divmod(chance, len(first))
    second = f" {first[chance % len(first)][0]}." if chance % 3 == 0 else ""
    return f"{last[at]}, {first[given]}{second}"


# The words of a patent

IDEAS = PARTS + 8
"""Number of random numbers by which the words of a patent are chosen."""
RANGES = {"EN": "between %s and %s %s", "DE": "zwischen %s und %s %s", "FR": "entre %s et %s %s"}
NUMERALS = tuple(str(number) for number in range(10, 10 + 2 * PARTS, 2))
OWN_NAMES = 5
"""Coined names that occur in one patent only."""
HABITS = 1 << 16
"""Number of positions in `load_habits` at which the choices of an applicant can begin."""
MODIFIERS, SUBJECTS, DRAWBACKS, ADVANTAGES, PROPERTIES, MATERIALS, QUANTITIES = range(256, 2048, 256)
"""Offset of each list of ideas from that position, so that the choices in different lists are independent."""


class Invention(NamedTuple):
    """The data that determine the words of a patent in every language."""

    row: int
    line: int
    field: int
    applicant: int
    parts: list[int]
    ideas: list[int]
    """As many random numbers as `IDEAS` says."""


class Naming(NamedTuple):
    """What an applicant calls the subject of an invention and its parts in one language: the words of a title."""

    language: str
    habit: int
    """Where the applicant's choices of words begin."""
    book: PhraseBook
    parts: tuple[Forms, ...]
    feminine: tuple[bool, ...]
    """Whether each part is feminine, since adjectives agree with it."""
    subject: Forms
    purpose: str


class Words(NamedTuple):
    """Everything that a text in one language can name."""

    language: str
    book: PhraseBook
    parts: tuple[Forms, ...]
    feminine: tuple[bool, ...]
    subject: Forms
    purpose: str
    drawbacks: tuple[Forms, Forms]
    advantages: tuple[Forms, Forms]
    quantities: tuple[tuple[Forms, str, str], ...]
    """Noun, one value, and a range of values."""
    materials: tuple[str, str]
    properties: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    """Coined names, that of the line first."""
    adjectives: tuple[str, ...]
    """Technical adjectives, that of the line first."""


@cache
def load_habits() -> bytes:
    """Random choices of synonyms, the same for every collection; each applicant reads them from its own position."""
    chance = scale_below(draw_integers(0, 0, (HABITS + QUANTITIES + 256,)), len(SYNONYM_SHARES))
    return np.array(SYNONYM_SHARES, dtype=np.uint8)[chance].tobytes()


def locate_habits(applicant: int, language: str) -> int:
    """The position in `load_habits` at which the choices of an applicant in a language begin."""
    return mix(applicant, LANGUAGES.index(language)) % HABITS


def name_invention(invention: Invention, language: str, parts: int) -> Naming:
    """What the applicant calls the subject of the invention and the given number of its parts."""
    lexicon, field = load_lexicon(), load_lexicon().fields[invention.field]
    choices, at, own = load_habits(), locate_habits(invention.applicant, language), PARAMETERS.own_words
    modifiers, heads, inflect = lexicon.modifiers[language], lexicon.heads[language], INFLECTORS[language]
    nouns, feminine = [], []
    for part, chance, numeral in zip(invention.parts[:parts], invention.ideas, NUMERALS, strict=False):
        modifier, head = part >> 8, part & 0xFF
        words = heads[head]
        noun = words[(choices[at + head] if chance % 100 < own else chance >> 8) % len(words)]
        chance >>= 14
        words_before = modifiers[modifier]
        choice = choices[at + MODIFIERS + modifier] if chance % 100 < own else chance >> 8
        nouns.append(inflect(noun, words_before[choice % len(words_before)], numeral))
        feminine.append(noun.gender == "f")
    subjects = field.subjects[language]
    subject = subjects[choices[at + SUBJECTS + invention.field] % len(subjects)]
    purpose = field.purposes[language][invention.ideas[PARTS] & 1]
    book = load_phrase_book(language, field.kind)
    return Naming(language, at, book, tuple(nouns), tuple(feminine), subject, purpose)


def choose_words(invention: Invention, naming: Naming, *, with_names: bool) -> Words:
    """All words for the text of a patent in one language, including coined names if the text needs them."""
    language, at = naming.language, naming.habit
    lexicon, field = load_lexicon(), load_lexicon().fields[invention.field]
    first, second, third, fourth, fifth, sixth, seventh = invention.ideas[PARTS + 1 :]
    drawbacks, advantages = lexicon.drawbacks[field.kind][language], lexicon.advantages[field.kind][language]
    properties, materials = lexicon.properties[field.kind][language], lexicon.materials[field.kind][language]
    problem = mix(invention.line, 4)
    return Words(
        language,
        *naming[2:],
        (choose(drawbacks, at + DRAWBACKS, problem), choose(drawbacks, at + DRAWBACKS, first)),
        (choose(advantages, at + ADVANTAGES, problem >> 8), choose(advantages, at + ADVANTAGES, second)),
        tuple([make_quantity(field, language, at, chance) for chance in (third, fourth, fifth)]),
        (choose(materials, at + MATERIALS, sixth), choose(materials, at + MATERIALS, sixth >> 9)),
        tuple([choose(properties, at + PROPERTIES, chance) for chance in (seventh, seventh >> 5, seventh >> 10)]),
        coin_names(invention, field.kind, language) if with_names else ("",),
        coin_adjectives(invention, language) if with_names else ("",),
    )


def choose(ideas: tuple[tuple[Item, ...], ...], at: int, chance: int) -> Item:
    """A random idea of a list, in the words of the applicant whose choices for that list begin at `at`."""
    idea = chance % len(ideas)
    words = ideas[idea]
    return words[load_habits()[at + idea] % len(words)]


def make_quantity(field: Field, language: str, at: int, chance: int) -> tuple[Forms, str, str]:
    """A quantity with a value and a range of values; small values are likelier than large ones."""
    quantities = load_lexicon().quantities[field.kind]
    idea = chance % len(quantities)
    quantity = quantities[idea]
    noun = quantity.nouns[language][load_habits()[at + QUANTITIES + idea] % 3]
    span = (quantity.largest - quantity.smallest) // 4
    low = quantity.smallest + ((chance >> 4) % (span + 1)) * ((chance >> 16) & 0xFF) // 256
    high = min(low + 1 + low * (1 + (chance >> 24) % 3) // 2, quantity.largest)
    unit = quantity.units[(chance >> 13) % len(quantity.units)]
    value, other = format_tenths(low, language), format_tenths(high, language)
    return noun, f"{value} {unit}", RANGES[language] % (value, other, unit)


def format_tenths(tenths: int, language: str) -> str:
    """A number given in tenths, with the decimal separator of the language."""
    whole, rest = divmod(tenths, 10)
    if whole >= 100 or not rest:
        return str(whole)
    return f"{whole}.{rest}" if language == "EN" else f"{whole},{rest}"


def coin_names(invention: Invention, kind: str, language: str) -> tuple[str, ...]:
    """The coined names a text may use: of its line, of its applicant, and some that occur in this patent only."""
    own = [coin_name(mix(invention.row, 3, at), invention.ideas[at] % 3, kind, language) for at in range(OWN_NAMES)]
    return (
        coin_name(mix(invention.line, 1), invention.applicant % 3, kind, language),
        coin_name(mix(invention.applicant, 2), 0, kind, language),
        *own,
    )


def coin_adjectives(invention: Invention, language: str) -> tuple[str, ...]:
    """Technical adjectives: that of the line, one that many patents use, and two drawn for this patent."""
    chance = invention.ideas[0] >> 5
    return (
        coin_adjective(mix(invention.line, 6), language),
        coin_adjective(mix(chance % 4000, 7), language),
        coin_adjective(mix(invention.row, 8), language),
        coin_adjective(mix(invention.row, 9), language),
    )
