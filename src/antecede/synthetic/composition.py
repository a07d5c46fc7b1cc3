"""The text of a synthetic patent: title, abstract, description and claims from its plan and its random stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from antecede.synthetic.citations import format_citation, make_citations
from antecede.synthetic.lexicon import LANGUAGES, SLOTS, fill_pattern, load_lexicon
from antecede.synthetic.parameters import PARAMETERS, SENTENCE_TOKENS
from antecede.synthetic.plan import FIRST_NUMBER, PARTS, assign_kind
from antecede.synthetic.random_streams import mix
from antecede.synthetic.words import (
    IDEAS,
    Invention,
    choose_city,
    choose_words,
    make_company,
    make_person,
    name_invention,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.synthetic.citations import SyntheticCitation
    from antecede.synthetic.lexicon import Patterns
    from antecede.synthetic.nouns import Forms
    from antecede.synthetic.plan import Plan
    from antecede.synthetic.random_streams import Draw
    from antecede.synthetic.words import Naming, Words

FIRST_FAMILY = 10_000_000
TITLE_PARTS = 2
FEWEST_CLAIMS, CLAIM_RANGE = 6, 10
FEWEST_SENTENCES = 8
"""Sentences on embodiments that even the shortest description has."""
SENTENCE_SHARES = "fffffffeeeeeeaab"
"""Sources of the sentences on embodiments, in sixteenths: frames of relations, embodiment, advantage, boilerplate."""
FIXED_SENTENCES = 16
"""Sentences of a description outside the background, the list of figures and the embodiments."""
MOST_IN_TEXT = 3
ANY_OF_CLAIMS, FURTHER = 4, 3
"""Patterns of dependent claims: one refers to several claims, one adds a part."""
CLAIMED = 3
"""Parts that the first claim names."""
MONTH = 30
MAIN_PARTS = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7)
"""The part that a paragraph is about, in sixteenths: more often one that comes from the line."""
PAIRS = tuple((first, second) for first in range(1, PARTS) for second in range(1, PARTS) if first != second)
"""Two other parts, as offsets from the main part."""
PAIR_COUNT = len(PAIRS)
B, C = SLOTS.index("b"), SLOTS.index("c")
STEP = 7
"""Stride through a list of patterns, so that a text does not use a pattern twice within a short distance."""


class SyntheticPatent(NamedTuple):
    """The content of all documents of one patent, independent of the format they are written in."""

    number: int
    kind: str
    """A1 or A2."""
    language: str
    titles: dict[str, str]
    abstract: str
    headings: tuple[str, ...]
    sections: tuple[tuple[str, ...], ...]
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


class Writer:
    """Fills sentence patterns with the words of a patent."""

    def __init__(self, words: Words, draw: Draw) -> None:
        self.words, self.draw, self.book, self.language = words, draw, words.book, words.language
        self.parts = words.parts * 2
        """Repeated, so that an offset can be added to any part."""
        self.turn = draw() >> 3
        """Current position in the lists of patterns."""

    def collect_slots(self, part: int, k: str = "1", document: str = "", view: str = "") -> list[Forms]:
        """The words of a paragraph in the order of `lexicon.SLOTS`, then `lexicon.EXTRAS`.

        The first is the main part; the two slots for other parts are left empty.
        """
        words, chance = self.words, self.draw()
        noun, value, span = words.quantities[chance % 3]
        of_line = (chance >> 8) % 100 < PARAMETERS.line_name
        name = words.names[0 if of_line else 1 + (chance >> 15) % (len(words.names) - 1)]
        adjective = words.adjectives[0 if of_line else 1 + (chance >> 18) % (len(words.adjectives) - 1)]
        agreeing = words.properties[(chance >> 5) % 3][words.feminine[part]]
        material = words.materials[(chance >> 4) & 1]
        extras = (words.purpose, material, agreeing, value, span, name, adjective, k, document, view)
        drawback, advantage = words.drawbacks[(chance >> 2) & 1], words.advantages[(chance >> 3) & 1]
        return [words.parts[part], (), (), words.subject, drawback, advantage, noun, extras]

    def write_sentences(self, sources: Sequence[Patterns], part: int, slots: list[Forms]) -> list[str]:
        """Sentences about a part, one from each source, each with two other parts and a different pattern."""
        parts, draw, turn, found = self.parts, self.draw, self.turn, []
        for patterns in sources:
            chance = draw()
            first, second = PAIRS[chance % PAIR_COUNT]
            slots[B], slots[C] = parts[part + first], parts[part + second]
            variants = patterns[turn % len(patterns)]
            text, places = variants[(chance >> 8) % len(variants)]  # as `fill_pattern`, without a call per sentence
            found.append(text % tuple([slots[slot][form] for slot, form in places]))
            turn += STEP
        self.turn = turn
        return found

    def write_paragraph(
        self, sources: Sequence[Patterns], part: int | None = None, k: str = "1", document: str = ""
    ) -> str:
        """A paragraph about one part, with one sentence from each source."""
        if part is None:
            part = MAIN_PARTS[self.draw() & 15]
        slots = self.collect_slots(part, k, document)
        return " ".join(self.write_sentences(sources, part, slots))

    def write_boilerplate(self, count: int) -> str:
        """Sentences that could appear in any patent."""
        common = self.book.boilerplate
        chance = self.draw()
        start, step = chance % len(common), (1, 5, 7, 11)[(chance >> 8) & 3]
        return " ".join([common[(start + step * at) % len(common)] for at in range(count)])


def compose(plan: Plan, row: int, draw: Draw, lengths: Sequence[int]) -> SyntheticPatent:
    """Write one patent. The length of its description in tokens is drawn from `lengths`."""
    language, granted = LANGUAGES[plan.language[row]], int(plan.granted[row])
    cited, invention = make_citations(plan, row, draw), draw_invention(plan, row, draw)
    namings = {
        each: name_invention(invention, each, PARTS if granted or each == language else TITLE_PARTS)
        for each in LANGUAGES
    }
    words = {
        each: choose_words(invention, namings[each], with_names=each == language)
        for each in (LANGUAGES if granted else (language,))
    }
    writer = Writer(words[language], draw)
    title, outline = draw(), outline_claims(words[language], draw)
    description = compose_description(writer, lengths[draw() % len(lengths)], cited)
    applicant, country = make_company(invention.applicant, language)
    priority = int(plan.priority[row])
    return SyntheticPatent(
        number=FIRST_NUMBER + row,
        kind=assign_kind(row),
        language=language,
        titles={each: compose_title(namings[each], title) for each in LANGUAGES},
        abstract=compose_abstract(writer),
        headings=writer.book.headings,
        sections=description,
        claims={each: compose_claims(words[each], outline) for each in words},
        ipc=choose_classes(invention, draw()),
        priority=priority,
        filed=priority + (0 if draw() % 5 == 0 else 10 * MONTH + draw() % 64),
        published=int(plan.published[row]),
        granted=granted,
        applicant=applicant,
        country=country,
        city=choose_city(invention.applicant, language),
        inventors=tuple(make_person(draw(), language) for _ in range(1 + draw() % 4)),
        family=int(plan.family[row]),
        citations=cited,
    )


def draw_invention(plan: Plan, row: int, draw: Draw) -> Invention:
    """The data that determine the words of a patent."""
    line, field, applicant = int(plan.line[row]), int(plan.field[row]), int(plan.applicant[row])
    return Invention(row, line, field, applicant, plan.parts[row].tolist(), [draw() for _ in range(IDEAS)])


def compose_title(naming: Naming, chance: int) -> str:
    """The title, from the first two parts; the same number selects the same pattern in every language."""
    patterns, parts = naming.book.title, naming.parts
    pattern = patterns[chance % len(patterns)][0]
    return fill_pattern(pattern, (parts[0], parts[1], (), naming.subject, (), (), (), (naming.purpose,)))


def compose_abstract(writer: Writer) -> str:
    """Three to five sentences, and the declaration that the document is synthetic."""
    book = writer.book
    gist = writer.write_paragraph([book.abstract] + [book.gist] * (2 + writer.draw() % 3), part=0)
    return f"{gist} {book.synthetic}"


def compose_description(
    writer: Writer, length: int, cited: tuple[SyntheticCitation, ...]
) -> tuple[tuple[str, ...], ...]:
    """The description, one tuple of paragraphs per heading."""
    book, draw = writer.book, writer.draw
    chance = draw()
    field = (book.synthetic, writer.write_paragraph([book.field], part=0))
    background = [writer.write_paragraph([book.background] * (2 + (chance >> at & 1)), part=at % 3) for at in range(3)]
    background[1:1] = discuss_citations(writer, cited)
    summary = [
        writer.write_paragraph([book.object]),
        writer.write_paragraph([book.solution, book.frames, book.advantage], part=0),
        writer.write_paragraph([book.frames, book.advantage], part=1),
        writer.write_paragraph([book.frames, book.frames, book.advantage], part=2),
        writer.write_boilerplate(2 + (chance >> 4) % 3),
    ]
    figures = 2 + (chance >> 8) % 4
    written = FIXED_SENTENCES + 2 * len(background) + figures
    remaining = max(length // SENTENCE_TOKENS[writer.language] - written, FEWEST_SENTENCES)
    embodiments = compose_embodiments(writer, remaining, figures)
    embodiments.append(book.closing[chance % len(book.closing)])
    return field, tuple(background), tuple(summary), (list_figures(writer, figures),), tuple(embodiments)


def discuss_citations(writer: Writer, cited: tuple[SyntheticCitation, ...]) -> list[str]:
    """Paragraphs on the documents that the description names."""
    in_text = [each for each in cited if each.category.endswith("D") or each.phase == "APP"][:MOST_IN_TEXT]
    book, draw = writer.book, writer.draw
    return [
        writer.write_paragraph([book.cited, book.background], document=format_citation(each, draw() >> 4))
        for each in in_text
    ]


def list_figures(writer: Writer, count: int) -> str:
    """The list of figures: one clause per figure, separated by semicolons."""
    lines = []
    for number in range(1, count + 1):
        chance = writer.draw()
        part = number - 1
        view = writer.book.views[chance % len(writer.book.views)]
        slots = writer.collect_slots(part, str(number), "", view)
        lines += writer.write_sentences([writer.book.figures], part, slots)
    text = "; ".join(lines)
    return f"{text[0].upper()}{text[1:]}."


def compose_embodiments(writer: Writer, sentences: int, figures: int) -> list[str]:
    """Paragraphs on the parts, with the given number of sentences in total."""
    book, draw = writer.book, writer.draw
    sources = {"f": book.frames, "e": book.embodiment, "a": book.advantage}
    paragraphs = []
    while sentences > 0:
        chance = draw()
        count = min(3 + chance % 5, sentences)
        sentences -= count
        kinds = [SENTENCE_SHARES[chance >> (3 + 4 * at) & 15] for at in range(count)]
        text = writer.write_paragraph(
            [sources[kind] for kind in kinds if kind != "b"] or [book.frames], k=str(1 + (chance >> 5) % figures)
        )
        common = kinds.count("b")
        paragraphs.append(f"{text} {writer.write_boilerplate(common)}" if common else text)
    return paragraphs


ClaimOutline = list[tuple[int, ...]]
"""For each claim: pattern, relation, the parts a, b and c, and a random number for everything else."""


def outline_claims(words: Words, draw: Draw) -> ClaimOutline:
    """The content of each claim, independent of the language; no two claims say the same."""
    book = words.book
    found: dict[tuple[int, ...], int] = {(0, draw() % len(book.claim[0]), 0, 1, 2): 0}
    for at in range(1, FEWEST_CLAIMS + draw() % CLAIM_RANGE):
        chance = draw()
        pattern = (chance >> 4) % len(book.dependent)
        if pattern == ANY_OF_CLAIMS and at <= CLAIMED:
            pattern = 0
        variants = book.dependent[pattern]
        part = CLAIMED + (chance & 15) % (PARTS - CLAIMED) if pattern == FURTHER else MAIN_PARTS[chance & 15]
        other = 1 + (chance >> 16) % (PARTS - 1) if len(variants) > 1 else 1
        key = (pattern, (chance >> 8) % len(variants), part, (part + other) % PARTS, part)
        found.setdefault(key, chance >> 10)
    return [(*key, chance) for key, chance in found.items()]


def compose_claims(words: Words, outline: ClaimOutline) -> list[str]:
    """The claims in one language."""
    book, parts, claims = words.book, words.parts, []
    for at, (pattern, relation, a, b, c, chance) in enumerate(outline):
        noun, value, span = words.quantities[chance % 3]
        agreeing = words.properties[(chance >> 2) % 3][words.feminine[a]]
        refers_to = 1 if at < 2 else at if at and pattern == ANY_OF_CLAIMS else 1 + (chance >> 3) % at
        extras = (words.purpose, words.materials[chance & 1], agreeing, value, span, "", "", str(refers_to))
        slots = (parts[a], parts[b], parts[c], words.subject, (), (), noun, extras)
        claims.append(fill_pattern((book.dependent if at else book.claim)[pattern][relation], slots))
    return claims


def choose_classes(invention: Invention, chance: int) -> tuple[str, ...]:
    """IPC groups: those of the line first, then one or two more of the field."""
    field = load_lexicon().fields[invention.field]
    groups = field.groups
    first = mix(invention.line, 21) % len(groups)
    order = dict.fromkeys((first, (first + 1 + mix(invention.line, 22) % 4) % len(groups), chance % len(groups)))
    return tuple(f"{field.subclass} {groups[at]}" for at in list(order)[: 1 + (chance >> 8) % 3])
