"""A patent as a person reads it."""

from __future__ import annotations

from datetime import date

from antecede.patent import Citation, Patent, PatentNumber
from antecede.report.terminal_text import render_patent

PATENT = Patent(
    "EP1000000",
    kinds=("A1", "B1"),
    language="en",
    title={"de": "Presse", "en": "Press"},
    abstract={"en": "A press. " * 30},
    claims={"en": ("A press.", "2. The press of claim 1."), "fr": ("1. Une presse.",)},
    description={"en": "\n".join(f"Paragraph {n}." for n in range(10))},
    ipc=("B28B 1/29",),
    publication_date=date(2000, 5, 17),
    citations=(
        Citation(PatentNumber("DE", "3546191", "A1"), "X", "search"),
        Citation(PatentNumber("DE", "3546191", "A1"), "A", "examination"),
    ),
)


def test_everything_stands_there_once_own_language_first() -> None:
    text = render_patent(PATENT, width=80)
    assert text.index("Press  [en]") < text.index("Presse  [de]")
    assert text.index("Claims, English") < text.index("Claims, French")
    assert "\n1. A press.\n2. The press of claim 1.\n" in text
    assert "X,A DE-3546191-A1         search, examination" in text
    assert "4 more paragraphs" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_whole_description_and_one_language() -> None:
    text = render_patent(PATENT, whole=True, languages=["en"])
    assert "Paragraph 9." in text
    assert "Une presse" not in text
