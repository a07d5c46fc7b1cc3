"""The words of one patent in one language: what its applicant calls the parts, effects and quantities it speaks of."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from antecede.synthetic.coinages import coined, term
from antecede.synthetic.dials import DIALS, SYNONYM_SHARES
from antecede.synthetic.draws import below, integers, mixed
from antecede.synthetic.lexicon import LANGUAGES, lexicon
from antecede.synthetic.nouns import DECLINE
from antecede.synthetic.plan import PARTS
from antecede.synthetic.sentences import book

if TYPE_CHECKING:
    from antecede.synthetic.lexicon import Field
    from antecede.synthetic.nouns import Forms
    from antecede.synthetic.sentences import Book

Item = TypeVar("Item")
IDEAS = PARTS + 8
"""Chance numbers by which a patent's words are chosen."""
RANGES = {"EN": "between %s and %s %s", "DE": "zwischen %s und %s %s", "FR": "entre %s et %s %s"}
NUMERALS = tuple(str(number) for number in range(10, 10 + 2 * PARTS, 2))
OWN_NAMES = 5
"""Coined names that occur in one patent only."""
HABITS = 1 << 16
"""How many places there are for applicants to read their choices from."""
MODIFIERS, SUBJECTS, DRAWBACKS, ADVANTAGES, PROPERTIES, MATERIALS, QUANTITIES = range(256, 2048, 256)
"""Where the ideas of each list begin, so that an applicant's habits are different ones for each."""


class About(NamedTuple):
    """What decides a patent's words, in whatever language."""

    row: int
    line: int
    field: int
    applicant: int
    parts: list[int]
    ideas: list[int]
    """So many chance numbers as `IDEAS` says."""


class Named(NamedTuple):
    """What a title names, in one language."""

    language: str
    habit: int
    """Where the applicant's choices of words begin."""
    book: Book
    parts: tuple[Forms, ...]
    feminine: tuple[bool, ...]
    """Which parts are feminine, since adjectives agree with them."""
    subject: Forms
    purpose: str


class Words(NamedTuple):
    """Everything a text in one language can name."""

    language: str
    book: Book
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
    terms: tuple[str, ...]
    """Technical adjectives, that of the line first."""


@cache
def habits() -> bytes:
    """Choices of words, the same for every collection: an applicant reads them from a place of its own on."""
    chance = below(integers(0, 0, (HABITS + QUANTITIES + 256,)), len(SYNONYM_SHARES))
    return np.array(SYNONYM_SHARES, dtype=np.uint8)[chance].tobytes()


def habit(applicant: int, language: str) -> int:
    """Where an applicant's choices begin in `habits`: others in each language."""
    return mixed(applicant, LANGUAGES.index(language)) % HABITS


def named(about: About, language: str, parts: int) -> Named:
    """What an applicant calls the thing invented and the first so many of its parts."""
    lists, field = lexicon(), lexicon().fields[about.field]
    choices, at, own = habits(), habit(about.applicant, language), DIALS.own_words
    modifiers, heads, decline = lists.modifiers[language], lists.heads[language], DECLINE[language]
    nouns, feminine = [], []
    for part, chance, numeral in zip(about.parts[:parts], about.ideas, NUMERALS, strict=False):
        modifier, head = part >> 8, part & 0xFF
        words = heads[head]
        noun = words[(choices[at + head] if chance % 100 < own else chance >> 8) % len(words)]
        chance >>= 14
        words_before = modifiers[modifier]
        choice = choices[at + MODIFIERS + modifier] if chance % 100 < own else chance >> 8
        nouns.append(decline(noun, words_before[choice % len(words_before)], numeral))
        feminine.append(noun.gender == "f")
    subjects = field.subjects[language]
    subject = subjects[choices[at + SUBJECTS + about.field] % len(subjects)]
    purpose = field.purposes[language][about.ideas[PARTS] & 1]
    return Named(language, at, book(language, field.kind), tuple(nouns), tuple(feminine), subject, purpose)


def words_of(about: About, known: Named, *, names: bool) -> Words:
    """All words for a patent's text in one language; coined names where the text needs them."""
    language, at = known.language, known.habit
    lists, field = lexicon(), lexicon().fields[about.field]
    first, second, third, fourth, fifth, sixth, seventh = about.ideas[PARTS + 1 :]
    drawbacks, advantages = lists.drawbacks[field.kind][language], lists.advantages[field.kind][language]
    properties, materials = lists.properties[field.kind][language], lists.materials[field.kind][language]
    problem = mixed(about.line, 4)
    return Words(
        language,
        *known[2:],
        (any_of(drawbacks, at + DRAWBACKS, problem), any_of(drawbacks, at + DRAWBACKS, first)),
        (any_of(advantages, at + ADVANTAGES, problem >> 8), any_of(advantages, at + ADVANTAGES, second)),
        tuple([measured(field, language, at, chance) for chance in (third, fourth, fifth)]),
        (any_of(materials, at + MATERIALS, sixth), any_of(materials, at + MATERIALS, sixth >> 9)),
        tuple([any_of(properties, at + PROPERTIES, chance) for chance in (seventh, seventh >> 5, seventh >> 10)]),
        coined_names(about, field.kind, language) if names else ("",),
        technical_terms(about, language) if names else ("",),
    )


def any_of(ideas: tuple[tuple[Item, ...], ...], at: int, chance: int) -> Item:
    """Any one of a list of ideas, in the words of the applicant whose habits for it begin at `at`."""
    idea = chance % len(ideas)
    words = ideas[idea]
    return words[habits()[at + idea] % len(words)]


def measured(field: Field, language: str, at: int, chance: int) -> tuple[Forms, str, str]:
    """A quantity with one value and with a range of values, small ones likelier than large ones."""
    quantities = lexicon().quantities[field.kind]
    idea = chance % len(quantities)
    quantity = quantities[idea]
    noun = quantity.nouns[language][habits()[at + QUANTITIES + idea] % 3]
    span = (quantity.largest - quantity.smallest) // 4
    low = quantity.smallest + ((chance >> 4) % (span + 1)) * ((chance >> 16) & 0xFF) // 256
    high = min(low + 1 + low * (1 + (chance >> 24) % 3) // 2, quantity.largest)
    unit = quantity.units[(chance >> 13) % len(quantity.units)]
    value, other = decimal(low, language), decimal(high, language)
    return noun, f"{value} {unit}", RANGES[language] % (value, other, unit)


def decimal(tenths: int, language: str) -> str:
    """A number given in tenths, written as the language does."""
    whole, rest = divmod(tenths, 10)
    if whole >= 100 or not rest:
        return str(whole)
    return f"{whole}.{rest}" if language == "EN" else f"{whole},{rest}"


def coined_names(about: About, kind: str, language: str) -> tuple[str, ...]:
    """The coined names a text may use: of its line, of its applicant, and a few that nobody else has."""
    own = [coined(mixed(about.row, 3, at), about.ideas[at] % 3, kind, language) for at in range(OWN_NAMES)]
    return (
        coined(mixed(about.line, 1), about.applicant % 3, kind, language),
        coined(mixed(about.applicant, 2), 0, kind, language),
        *own,
    )


def technical_terms(about: About, language: str) -> tuple[str, ...]:
    """Technical adjectives: one of the line, one that many patents use, and two that may be anybody's."""
    chance = about.ideas[0] >> 5
    return (
        term(mixed(about.line, 6), language),
        term(mixed(chance % 4000, 7), language),
        term(mixed(about.row, 8), language),
        term(mixed(about.row, 9), language),
    )
