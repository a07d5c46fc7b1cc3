"""A synthetic patent put into words: title, abstract, description and claims from its plan and its stream of chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.synthetic.citations import citations, in_running_text
from antecede.synthetic.coinages import company, names, person
from antecede.synthetic.dials import SENTENCE_TOKENS
from antecede.synthetic.document import Citation, SyntheticPatent
from antecede.synthetic.draws import mixed
from antecede.synthetic.lexicon import LANGUAGES, lexicon
from antecede.synthetic.plan import FIRST_NUMBER, PARTS, kind_of
from antecede.synthetic.sentences import filled
from antecede.synthetic.words import IDEAS, About, Named, Words, named, words_of
from antecede.synthetic.writer import MAIN, Writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.synthetic.plan import Plan
    from antecede.synthetic.writer import Draw

TITLE_PARTS = 2
FEWEST_CLAIMS, MORE_CLAIMS = 6, 10
FEWEST_SENTENCES = 8
"""Of the embodiments, however short a description is to be."""
SHARES = "fffffffeeeeeeaab"
"""What a sentence of an embodiment is drawn from: frames of relations, other sentences on parts, advantages; b stands
for boilerplate. One letter in sixteen."""
FIXED_SENTENCES = 16
"""Of a description, beside background, figures and embodiments."""
MOST_IN_TEXT = 3
ANY_OF_CLAIMS, FURTHER = 4, 3
"""Patterns of dependent claims: one refers to several claims, one adds a part."""
CLAIMED = 3
"""Parts that the first claim names."""
MONTH = 30


def compose(plan: Plan, row: int, draw: Draw, lengths: Sequence[int]) -> SyntheticPatent:
    """Write one patent; `lengths` are lengths of descriptions in tokens, of which chance picks one."""
    language, granted = LANGUAGES[plan.language[row]], int(plan.granted[row])
    cited, about = citations(plan, row, draw), about_of(plan, row, draw)
    known = {each: named(about, each, PARTS if granted or each == language else TITLE_PARTS) for each in LANGUAGES}
    words = {
        each: words_of(about, known[each], names=each == language) for each in (LANGUAGES if granted else (language,))
    }
    writer = Writer(words[language], draw)
    title, outline = draw(), outline_of_claims(words[language], draw)
    description = sections(writer, lengths[draw() % len(lengths)], cited)
    applicant, country = company(about.applicant, language)
    cities = names().places[language]
    priority = int(plan.priority[row])
    return SyntheticPatent(
        number=FIRST_NUMBER + row,
        kind=kind_of(row),
        language=language,
        titles={each: titled(known[each], title) for each in LANGUAGES},
        abstract=abstract(writer),
        headings=writer.book.headings,
        sections=description,
        claims={each: claims(words[each], outline) for each in words},
        ipc=classes(about, draw()),
        priority=priority,
        filed=priority + (0 if draw() % 5 == 0 else 10 * MONTH + draw() % 64),
        published=int(plan.published[row]),
        granted=granted,
        applicant=applicant,
        country=country,
        city=cities[mixed(about.applicant, 90) % len(cities)],
        inventors=tuple(person(draw(), language) for _ in range(1 + draw() % 4)),
        family=int(plan.family[row]),
        citations=cited,
    )


def about_of(plan: Plan, row: int, draw: Draw) -> About:
    """What decides the words of a patent."""
    line, field, applicant = int(plan.line[row]), int(plan.field[row]), int(plan.applicant[row])
    return About(row, line, field, applicant, plan.parts[row].tolist(), [draw() for _ in range(IDEAS)])


def titled(known: Named, chance: int) -> str:
    """The title, from the first two parts; the same pattern in every language."""
    patterns, parts = known.book.title, known.parts
    said = patterns[chance % len(patterns)][0]
    return filled(said, (parts[0], parts[1], (), known.subject, (), (), (), (known.purpose,)))


def abstract(writer: Writer) -> str:
    """Three to five sentences, and the one that says what this is."""
    book = writer.book
    gist = writer.paragraph([book.abstract] + [book.gist] * (2 + writer.draw() % 3), part=0)
    return f"{gist} {book.synthetic}"


def sections(writer: Writer, length: int, cited: tuple[Citation, ...]) -> tuple[tuple[str, ...], ...]:
    """The description, one tuple of paragraphs a heading."""
    book, draw = writer.book, writer.draw
    chance = draw()
    field = (book.synthetic, writer.paragraph([book.field], part=0))
    background = [writer.paragraph([book.background] * (2 + (chance >> at & 1)), part=at % 3) for at in range(3)]
    background[1:1] = documents(writer, cited)
    summary = [
        writer.paragraph([book.object]),
        writer.paragraph([book.solution, book.frames, book.advantage], part=0),
        writer.paragraph([book.frames, book.advantage], part=1),
        writer.paragraph([book.frames, book.frames, book.advantage], part=2),
        writer.boilerplate(2 + (chance >> 4) % 3),
    ]
    shown = 2 + (chance >> 8) % 4
    written = FIXED_SENTENCES + 2 * len(background) + shown
    embodiments = embodied(writer, max(length // SENTENCE_TOKENS[writer.language] - written, FEWEST_SENTENCES), shown)
    embodiments.append(book.closing[chance % len(book.closing)])
    return field, tuple(background), tuple(summary), (figures(writer, shown),), tuple(embodiments)


def documents(writer: Writer, cited: tuple[Citation, ...]) -> list[str]:
    """Paragraphs on the documents that the text names."""
    named = [each for each in cited if each.category.endswith("D") or each.phase == "APP"][:MOST_IN_TEXT]
    book, draw = writer.book, writer.draw
    return [
        writer.paragraph([book.cited, book.background], document=in_running_text(each, draw() >> 4)) for each in named
    ]


def figures(writer: Writer, count: int) -> str:
    """The list of figures: a sentence a figure, ended by semicolons."""
    lines = []
    for number in range(1, count + 1):
        chance = writer.draw()
        part = number - 1
        view = writer.book.views[chance % len(writer.book.views)]
        lines += writer.sentences([writer.book.figures], part, writer.about(part, str(number), "", view))
    text = "; ".join(lines)
    return f"{text[0].upper()}{text[1:]}."


def embodied(writer: Writer, sentences: int, figures: int) -> list[str]:
    """Paragraphs on the parts, so many sentences in all."""
    book, draw = writer.book, writer.draw
    sources = {"f": book.frames, "e": book.embodiment, "a": book.advantage}
    paragraphs = []
    while sentences > 0:
        chance = draw()
        count = min(3 + chance % 5, sentences)
        sentences -= count
        kinds = [SHARES[chance >> (3 + 4 * at) & 15] for at in range(count)]
        text = writer.paragraph(
            [sources[kind] for kind in kinds if kind != "b"] or [book.frames], k=str(1 + (chance >> 5) % figures)
        )
        common = kinds.count("b")
        paragraphs.append(f"{text} {writer.boilerplate(common)}" if common else text)
    return paragraphs


Outline = list[tuple[int, ...]]
"""Per claim: pattern, relation, the parts a, b and c, and a chance number for the rest."""


def outline_of_claims(words: Words, draw: Draw) -> Outline:
    """What each claim says, before it is said in any language; none says what an earlier one said."""
    book = words.book
    found: dict[tuple[int, ...], int] = {(0, draw() % len(book.claim[0]), 0, 1, 2): 0}
    for at in range(1, FEWEST_CLAIMS + draw() % MORE_CLAIMS):
        chance = draw()
        pattern = (chance >> 4) % len(book.dependent)
        if pattern == ANY_OF_CLAIMS and at <= CLAIMED:
            pattern = 0
        said = book.dependent[pattern]
        part = CLAIMED + (chance & 15) % (PARTS - CLAIMED) if pattern == FURTHER else MAIN[chance & 15]
        other = 1 + (chance >> 16) % (PARTS - 1) if len(said) > 1 else 1
        key = (pattern, (chance >> 8) % len(said), part, (part + other) % PARTS, part)
        found.setdefault(key, chance >> 10)
    return [(*key, chance) for key, chance in found.items()]


def claims(words: Words, outline: Outline) -> list[str]:
    """The claims in one language."""
    book, parts, said = words.book, words.parts, []
    for at, (pattern, relation, a, b, c, chance) in enumerate(outline):
        noun, value, span = words.quantities[chance % 3]
        agreeing = words.properties[(chance >> 2) % 3][words.feminine[a]]
        refers_to = 1 if at < 2 else at if at and pattern == ANY_OF_CLAIMS else 1 + (chance >> 3) % at
        extras = (words.purpose, words.materials[chance & 1], agreeing, value, span, "", "", str(refers_to))
        slots = (parts[a], parts[b], parts[c], words.subject, (), (), noun, extras)
        said.append(filled((book.dependent if at else book.claim)[pattern][relation], slots))
    return said


def classes(about: About, chance: int) -> tuple[str, ...]:
    """IPC groups: those of the line first, then one or two more of the field."""
    field = lexicon().fields[about.field]
    groups = field.groups
    first = mixed(about.line, 21) % len(groups)
    order = dict.fromkeys((first, (first + 1 + mixed(about.line, 22) % 4) % len(groups), chance % len(groups)))
    return tuple(f"{field.subclass} {groups[at]}" for at in list(order)[: 1 + (chance >> 8) % 3])
