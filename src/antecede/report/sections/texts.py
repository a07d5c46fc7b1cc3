"""Somebody else's texts, made fit for a page: no sign steers the reader's screen, none breaks a line."""

from __future__ import annotations

from antecede.errors import shown
from antecede.report.drawing.names import shortened

LONGEST = 10**6
LONGEST_NAME = 48
NAMELESS = "(no name)"


def clean(text: str) -> str:
    """A text in one line, its control signs and halves of signs spelt out."""
    return text if text.isprintable() else shown(text, LONGEST)


def id_of(text: str) -> str:
    """A number of a topic or document that can be seen, even where it is empty."""
    return clean(text) if text.strip() else NAMELESS


def name_of(text: str) -> str:
    """A run's name that can be seen, even where it is empty; of a long one, its two ends."""
    return shortened(id_of(text), LONGEST_NAME)


def title_of(text: str) -> str:
    """A title: all blanks are the same, line ends and hard blanks among them."""
    return clean(" ".join(text.split()))


def lines_of(text: str) -> str:
    """A text of several lines, which it keeps."""
    return "\n".join(clean(line.replace("\t", "    ")) for line in text.splitlines())


def counted(count: int, what: str) -> str:
    """A number with its noun: 1 topic, 1,000 topics."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def listed(words: list[str]) -> str:
    """a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""
