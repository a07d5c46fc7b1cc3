"""The text of a synthetic patent: title, abstract, description and claims from its plan and its random stream.

Trade names, model codes, technical adjectives, companies and people are invented, each determined by a number. They
give the collection the long tail of rare words that real patents have. Any resemblance to a real name is a coincidence.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from antecede.synthetic.lexicon import (
    IDEAS,
    LANGUAGES,
    SLOTS,
    fill,
    inflect,
    load_lines,
    load_templates,
    load_vocabulary,
)
from antecede.synthetic.plan import (
    FIRST_NUMBER,
    PARTS,
    assign_kind,
    draw_integers,
    format_citation,
    make_citations,
    mix,
    scale_below,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.synthetic.lexicon import Forms, Technology, Templates
    from antecede.synthetic.plan import Draw, Plan, SyntheticCitation

FIRST_FAMILY = 10_000_000
OWN_WORDS = 88
"""Share of parts for which an applicant uses its own word, in percent; otherwise any synonym is drawn."""
SYNONYM_SHARES = (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2)
"""Which of three synonyms an applicant prefers, in twelfths."""
LINE_NAME = 40
"""Share of coined names that are the name of the line, in percent; each applicant spells it in its own way."""
SENTENCE_TOKENS = {"EN": 14, "DE": 12, "FR": 16}
"""Mean tokens per sentence, used to convert lengths into numbers of sentences."""


class SyntheticPatent(NamedTuple):
    """The content of all documents of one patent, independent of the format they are written in."""

    number: int
    kind: str
    """A1 or A2."""
    language: str
    titles: dict[str, str]
    abstract: str
    sections: dict[str, tuple[str, ...]]
    """The paragraphs of the description under each heading."""
    claims: dict[str, list[str]]
    """In the language of the patent; in all three languages if it was granted."""
    ipc: tuple[str, ...]
    """Written as F16K 1/36."""
    priority: int
    filed: int
    published: int
    granted: int
    """Days since 1970-01-01; 0 if it was not granted."""
    applicant: str
    country: str
    city: str
    inventors: tuple[str, ...]
    family: int
    """The row of the first family member."""
    citations: tuple[SyntheticCitation, ...]

    @property
    def doc_id(self) -> str:
        return f"EP{self.number}"

    @property
    def family_id(self) -> str:
        return str(FIRST_FAMILY + self.family)


# Invented names

CODE_LETTERS = "ABCDEFGHKLMNPRSTVXZ"


def _spell(number: int, *lists: Sequence[str]) -> str:
    """An element of each list, joined; which ones follows from the number."""
    text = ""
    for elements in lists:
        number, at = divmod(number, len(elements))
        text += elements[at]
    return text


def _coin_name(number: int, variant: int) -> str:
    """One of three names for the same thing: a trade name such as Korvalit, a code such as TX-447, or both."""
    names, variant = load_vocabulary().names, variant % 3
    trade_name = code = ""
    if variant != 1:
        trade_name = _spell(number >> 1, *[names["syllables"]] * (2 + (number & 1)), names["finals"]).capitalize()
    if variant:
        code = f"{_spell(number, CODE_LETTERS, CODE_LETTERS)}-{100 + number % 900}"
    return f"{trade_name} {code}".strip()


@lru_cache(maxsize=1 << 14)
def _make_company(number: int, language: str) -> tuple[str, str, str]:
    names = load_vocabulary().names
    form, country, city = (
        _spell(mix(number, salt), names[f"{name} {language}"])
        for salt, name in enumerate(("forms", "countries", "cities"), 80)
    )
    chance = mix(number, 77)
    brand = f" {_coin_name(chance, 0)}" if chance % 3 == 0 else ""
    return f"{_spell(chance, names['stems'], names['endings'])}{brand} {form}", country, city


def _make_person(chance: int, language: str) -> str:
    """An inventor, surname first."""
    names = load_vocabulary().names
    initial = f" {_spell(chance >> 20, names[f'first {language}'])[0]}." if chance % 3 == 0 else ""
    return _spell(chance >> 2, names[f"last {language}"], (", ",), names[f"first {language}"]) + initial


# The words of a patent

HABITS = 1 << 16
"""Number of positions in `_load_habits` at which the choices of an applicant can begin."""
MODIFIERS, SUBJECTS, OTHERS = 256, 512, 768
"""Offset of each list of ideas from that position, so that the choices in different lists are independent."""
CHANCES = PARTS + 8
"""Number of random numbers by which the words of a patent are chosen."""
RANGES = {"EN": "between %d and %d %s", "DE": "zwischen %d und %d %s", "FR": "entre %d et %d %s"}


class _Invention(NamedTuple):
    """The data that determine the words of a patent in every language."""

    row: int
    line: int
    applicant: int
    field_number: int
    field: Technology
    parts: list[int]
    chances: list[int]


@cache
def _load_habits() -> bytes:
    """Random choices of synonyms, the same for every collection; each applicant reads them from its own position."""
    chance = scale_below(draw_integers(0, 0, (HABITS + OTHERS + 256,)), len(SYNONYM_SHARES))
    return np.array(SYNONYM_SHARES, dtype=np.uint8)[chance].tobytes()


class _Words:
    """What an applicant calls the things of its invention in one language; a title needs two parts only."""

    def __init__(self, invention: _Invention, language: str, parts: int = PARTS) -> None:
        self.invention, self.language = invention, language
        self.templates = load_templates(language, invention.field.kind)
        self.habit = mix(invention.applicant, LANGUAGES.index(language)) % HABITS
        self.parts = self._name_parts(parts)
        preferred = _load_habits()[self.habit + SUBJECTS + invention.field_number]
        self.subject = invention.field.subjects[language][preferred]
        self.purpose = invention.field.purposes[language][invention.chances[PARTS] & 1]
        if parts == PARTS:
            self._choose_effects(mix(invention.line, 4), *invention.chances[PARTS + 1 :])

    def _name_parts(self, count: int) -> list[Forms]:
        vocabulary, habits, named = load_vocabulary(), _load_habits(), []
        heads, modifiers = vocabulary.heads[self.language], vocabulary.modifiers[self.language]
        for at, part in enumerate(self.invention.parts[:count]):
            chance, modifier, head = self.invention.chances[at], part >> 8, part & 0xFF
            noun = heads[head][habits[self.habit + head] if chance % 100 < OWN_WORDS else (chance >> 8) % 3]
            chance >>= 14
            choice = habits[self.habit + MODIFIERS + modifier] if chance % 100 < OWN_WORDS else (chance >> 8) % 3
            named.append(inflect(self.language, noun, modifiers[modifier][choice], str(10 + 2 * at)))
        return named

    def _choose_effects(self, problem: int, first: int, second: int, *others: int) -> None:
        """Choose what the parts are like and what they are good for; the problem is that of the line."""
        self.drawbacks = [self._choose(0, problem), self._choose(0, first)]
        self.advantages = [self._choose(1, problem >> 8), self._choose(1, second)]
        self.quantities = [(self._choose(2, chance), *self._make_values(chance)) for chance in others[:3]]
        self.properties = [self._choose(3, others[3] >> shift) for shift in (0, 5, 10)]
        self.materials = [self._choose(4, others[4] >> shift) for shift in (0, 9)]

    def _choose(self, section: int, chance: int) -> Forms:
        ideas = load_vocabulary().ideas[IDEAS[section], self.invention.field.kind, self.language]
        synonyms = ideas[chance % len(ideas)]
        return synonyms[_load_habits()[self.habit + OTHERS + 32 * section + chance % len(ideas)] % len(synonyms)]

    def _make_values(self, chance: int) -> tuple[Forms, Forms]:
        """A value of a quantity and a range of values; small values are likelier than large ones."""
        scales = load_vocabulary().scales[self.invention.field.kind]
        unit, largest = scales[chance % len(scales)]
        low = 1 + (chance >> 4) % largest * ((chance >> 16) & 0xFF) // 256
        high = low + 1 + low * (1 + (chance >> 24) % 3) // 2
        return (f"{low} {unit}",), (RANGES[self.language] % (low, high, unit),)

    def compose_title(self, chance: int) -> str:
        """The title, from the first two parts; the same number selects the same template in every language."""
        lines = self.templates["title"]
        slots = (self.parts[0], self.parts[1], (), self.subject, (), (), (), self.purpose)
        return fill(lines[chance % len(lines)][0], slots)

    def compose_claims(self, outline: _ClaimOutline) -> list[str]:
        parts, claims = self.parts, []
        for at, (template, relation, a, b, chance) in enumerate(outline):
            noun, value, span = self.quantities[chance % 3]
            refers_to = 1 if at < 2 else at if template == ANY_OF_CLAIMS else 1 + (chance >> 3) % at
            things = (noun, self.purpose, self.materials[chance & 1], self.properties[(chance >> 2) % 3], value, span)
            slots = (parts[a], parts[b], parts[2], self.subject, (), (), *things, (), (), (), (), (str(refers_to),))
            claims.append(fill(self.templates["dependent" if at else "claim"][template][relation], slots))
        return claims


# The text

MIN_CLAIMS, CLAIM_RANGE = 6, 10
MIN_SENTENCES = 8
"""Sentences on embodiments that even the shortest description has."""
EMBODIMENT_SHARES = ("frames",) * 7 + ("embodiment",) * 6 + ("advantage",) * 2 + ("boilerplate",)
"""Sections from which the sentences on embodiments are drawn, in sixteenths."""
FIXED_SENTENCES = 16
"""Sentences of a description outside the background, the list of figures and the embodiments."""
MAX_CITED_IN_TEXT = 3
ANY_OF_CLAIMS, FURTHER = 4, 3
"""Templates of dependent claims: one refers to several claims, one adds a part."""
CLAIMED = 3
"""Parts that the first claim names."""
MAIN_PARTS = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7)
"""The part that a paragraph is about, in sixteenths: more often one that comes from the line."""
PAIRS = tuple((first, second) for first in range(1, PARTS) for second in range(1, PARTS) if first != second)
"""Two other parts, as offsets from the main part."""
PAIR_COUNT = len(PAIRS)
B, C = SLOTS.index("b"), SLOTS.index("c")
STEP = 7
"""Stride through a list of templates, so that a text does not use a template twice within a short distance."""


def compose(plan: Plan, row: int, draw: Draw, lengths: Sequence[int]) -> SyntheticPatent:
    """Write one patent. The length of its description in tokens is drawn from `lengths`."""
    language, granted, priority = LANGUAGES[plan.language[row]], int(plan.granted[row]), int(plan.priority[row])
    citations, field = make_citations(plan, row, draw), int(plan.field[row])
    invention = _Invention(
        *(row, int(plan.line[row]), int(plan.applicant[row]), field, load_vocabulary().fields[field]),
        *(plan.parts[row].tolist(), [draw() for _ in range(CHANCES)]),
    )
    words = {each: _Words(invention, each, PARTS if granted or each == language else 2) for each in LANGUAGES}
    writer = _Writer(words[language], draw)
    title, outline = draw(), _outline_claims(writer.templates, draw)
    sections = _compose_description(writer, lengths[draw() % len(lengths)], citations)
    applicant, country, city = _make_company(invention.applicant, language)
    return SyntheticPatent(
        number=FIRST_NUMBER + row,
        kind=assign_kind(row),
        language=language,
        titles={each: words[each].compose_title(title) for each in LANGUAGES},
        abstract=f"{writer.write(['abstract'] + ['gist'] * (2 + draw() % 3), part=0)} {writer.lines['synthetic'][0]}",
        sections=dict(zip(writer.lines["headings"], sections, strict=True)),
        claims={each: words[each].compose_claims(outline) for each in (LANGUAGES if granted else (language,))},
        ipc=_choose_classes(invention, draw()),
        priority=priority,
        filed=priority + (0 if draw() % 5 == 0 else 300 + draw() % 64),
        published=int(plan.published[row]),
        granted=granted,
        applicant=applicant,
        country=country,
        city=city,
        inventors=tuple(_make_person(draw(), language) for _ in range(1 + draw() % 4)),
        family=int(plan.family[row]),
        citations=citations,
    )


class _Writer:
    """Fills templates with the words of a patent in its own language."""

    def __init__(self, words: _Words, draw: Draw) -> None:
        self.words, self.draw, self.templates, self.lines = words, draw, words.templates, load_lines(words.language)
        self.parts = words.parts * 2
        """Repeated, so that an offset can be added to any part."""
        self.turn = draw() >> 3
        """Current position in the lists of templates."""
        row, line, applicant, *_, chances = words.invention
        own_names = [_coin_name(mix(row, 3, at), chances[at]) for at in range(5)]
        self.names = [_coin_name(mix(line, 1), applicant), _coin_name(mix(applicant, 2), 0), *own_names]
        numbers = (mix(line, 6), mix((chances[0] >> 5) % 4000, 7), mix(row, 8), mix(row, 9))
        prefixes, roots = (load_vocabulary().names[f"{part} {words.language}"] for part in ("prefixes", "roots"))
        self.adjectives = [_spell(number >> 1, *[prefixes] * (1 + (number & 1)), roots) for number in numbers]
        """Technical, as thermolaminar. Half of them have two prefixes, so many of them are rare."""

    def write(
        self, sections: Sequence[str], part: int | None = None, k: int = 1, document: str = "", view: str = ""
    ) -> str:
        """A paragraph about one part, with one sentence from each section, each naming two other parts."""
        words, draw, templates, turn, parts = self.words, self.draw, self.templates, self.turn, self.parts
        if part is None:
            part = MAIN_PARTS[draw() & 15]
        chance, sentences = draw(), []
        of_line = (chance >> 8) % 100 < LINE_NAME
        name = self.names[0 if of_line else 1 + (chance >> 15) % (len(self.names) - 1)]
        adjective = self.adjectives[0 if of_line else 1 + (chance >> 18) % (len(self.adjectives) - 1)]
        noun, value, span = words.quantities[chance % 3]
        drawback, advantage = words.drawbacks[(chance >> 2) & 1], words.advantages[(chance >> 3) & 1]
        material, property_ = words.materials[(chance >> 4) & 1], words.properties[(chance >> 5) % 3]
        things = (words.subject, drawback, advantage, noun, words.purpose, material, property_, value, span)
        slots = [parts[part], (), (), *things, (name,), (adjective,), (document,), (view,), (str(k),)]
        for section in sections:
            chance = draw()
            first, second = PAIRS[chance % PAIR_COUNT]
            slots[B], slots[C] = parts[part + first], parts[part + second]
            lines = templates[section]
            variants = lines[turn % len(lines)]
            sentences.append(fill(variants[(chance >> 8) % len(variants)], slots))
            turn += STEP
        self.turn = turn
        return " ".join(sentences)


def _compose_description(
    writer: _Writer, length: int, citations: tuple[SyntheticCitation, ...]
) -> tuple[tuple[str, ...], ...]:
    """The description, one tuple of paragraphs per heading."""
    write, lines, chance = writer.write, writer.lines, writer.draw()
    background = [write(["background"] * (2 + (chance >> at & 1)), part=at) for at in range(3)]
    in_text = [citation for citation in citations if citation.category.endswith("D") or citation.phase == "APP"][
        :MAX_CITED_IN_TEXT
    ]
    background[1:1] = [
        write(["cited", "background"], document=format_citation(each, writer.draw() >> 4)) for each in in_text
    ]
    summary = (
        write(["object"]),
        write(["solution", "frames", "advantage"], part=0),
        write(["frames", "advantage"], part=1),
        write(["frames", "frames", "advantage"], part=2),
        write(["boilerplate"] * (2 + (chance >> 4) % 3)),
    )
    figures = 2 + (chance >> 8) % 4
    views = [lines["views"][writer.draw() % len(lines["views"])] for _ in range(figures)]
    drawings = " ".join([write(["figures"], part=at, k=at + 1, view=view) for at, view in enumerate(views)])
    written = FIXED_SENTENCES + 2 * len(background) + figures
    embodiments, remaining = [], max(length // SENTENCE_TOKENS[writer.words.language] - written, MIN_SENTENCES)
    while remaining > 0:
        choice = writer.draw()
        count = min(3 + choice % 5, remaining)
        remaining -= count
        sections = [EMBODIMENT_SHARES[choice >> (3 + 4 * at) & 15] for at in range(count)]
        embodiments.append(write(sections, k=1 + (choice >> 5) % figures))
    embodiments.append(lines["closing"][chance % len(lines["closing"])])
    field = (lines["synthetic"][0], write(["field"], part=0))
    return field, tuple(background), summary, (drawings,), tuple(embodiments)


_ClaimOutline = list[tuple[int, ...]]
"""For each claim: template, relation, the parts a and b, and a random number for everything else."""


def _outline_claims(templates: dict[str, Templates], draw: Draw) -> _ClaimOutline:
    """The content of each claim, independent of the language; no two claims say the same."""
    claims: dict[tuple[int, ...], int] = {(0, draw() % len(templates["claim"][0]), 0, 1): 0}
    dependent = templates["dependent"]
    for at in range(1, MIN_CLAIMS + draw() % CLAIM_RANGE):
        chance = draw()
        template = (chance >> 4) % len(dependent)
        if template == ANY_OF_CLAIMS and at <= CLAIMED:
            template = 0
        variants = len(dependent[template])
        part = CLAIMED + (chance & 15) % (PARTS - CLAIMED) if template == FURTHER else MAIN_PARTS[chance & 15]
        other = 1 + (chance >> 16) % (PARTS - 1) if variants > 1 else 1
        claims.setdefault((template, (chance >> 8) % variants, part, (part + other) % PARTS), chance >> 10)
    return [(*key, chance) for key, chance in claims.items()]


def _choose_classes(invention: _Invention, chance: int) -> tuple[str, ...]:
    """IPC groups: those of the line first, then one or two more of the field."""
    groups = invention.field.groups
    first = mix(invention.line, 21) % len(groups)
    order = dict.fromkeys((first, (first + 1 + mix(invention.line, 22) % 4) % len(groups), chance % len(groups)))
    return tuple(f"{invention.field.subclass} {groups[at]}" for at in list(order)[: 1 + (chance >> 8) % 3])
