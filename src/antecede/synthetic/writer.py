"""Sentences and paragraphs in the words of one patent and one language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.synthetic.dials import DIALS
from antecede.synthetic.plan import PARTS
from antecede.synthetic.sentences import SLOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from antecede.synthetic.nouns import Forms
    from antecede.synthetic.sentences import Patterns
    from antecede.synthetic.words import Words

    Draw = Callable[[], int]

MAIN = (0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7)
"""Which part a paragraph is about: more often one that the patent has from its line."""
PAIRS = tuple((first, second) for first in range(1, PARTS) for second in range(1, PARTS) if first != second)
"""Two other parts, counted on from the main one."""
PAIR_COUNT = len(PAIRS)
B, C = SLOTS.index("b"), SLOTS.index("c")
STEP = 7
"""How far to go on in a list of patterns, so that a text does not use the same one twice at short distance."""


class Writer:
    """Fills sentence patterns with the words of a patent."""

    def __init__(self, words: Words, draw: Draw) -> None:
        self.words, self.draw, self.book, self.language = words, draw, words.book, words.language
        self.parts = words.parts * 2
        """Twice over, so that one can count on from any part."""
        self.turn = draw() >> 3
        """Where in the lists of patterns to go on."""

    def about(self, part: int, k: str = "1", document: str = "", view: str = "") -> list[Forms]:
        """What a paragraph speaks of: its main part, two places for other parts, and what else there is.

        In the order of `sentences.SLOTS`, and at the end `sentences.EXTRAS`.
        """
        words, chance = self.words, self.draw()
        noun, value, span = words.quantities[chance % 3]
        of_line = (chance >> 8) % 100 < DIALS.line_name
        name = words.names[0 if of_line else 1 + (chance >> 15) % (len(words.names) - 1)]
        term = words.terms[0 if of_line else 1 + (chance >> 18) % (len(words.terms) - 1)]
        agreeing = words.properties[(chance >> 5) % 3][words.feminine[part]]
        material = words.materials[(chance >> 4) & 1]
        extras = (words.purpose, material, agreeing, value, span, name, term, k, document, view)
        drawback, advantage = words.drawbacks[(chance >> 2) & 1], words.advantages[(chance >> 3) & 1]
        return [words.parts[part], (), (), words.subject, drawback, advantage, noun, extras]

    def sentences(self, sources: Sequence[Patterns], part: int, about: list[Forms]) -> list[str]:
        """Sentences about a part, one from each source, with two other parts in each; none begins like the last."""
        parts, draw, turn, found = self.parts, self.draw, self.turn, []
        for patterns in sources:
            chance = draw()
            first, second = PAIRS[chance % PAIR_COUNT]
            about[B], about[C] = parts[part + first], parts[part + second]
            said = patterns[turn % len(patterns)]
            text, places = said[(chance >> 8) % len(said)]  # as `filled` does, without a call a sentence
            found.append(text % tuple([about[slot][form] for slot, form in places]))
            turn += STEP
        self.turn = turn
        return found

    def paragraph(self, sources: Sequence[Patterns], part: int | None = None, k: str = "1", document: str = "") -> str:
        """A paragraph about one part, with one sentence from each source."""
        if part is None:
            part = MAIN[self.draw() & 15]
        about = self.about(part, k, document)
        return " ".join(self.sentences(sources, part, about))

    def boilerplate(self, count: int) -> str:
        """Sentences that every patent might have."""
        common = self.book.boilerplate
        chance = self.draw()
        start, step = chance % len(common), (1, 5, 7, 11)[(chance >> 8) & 3]
        return " ".join([common[(start + step * at) % len(common)] for at in range(count)])
