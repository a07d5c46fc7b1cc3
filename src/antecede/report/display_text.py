"""Text from users' files, made safe to display: names, titles and identifiers in one line, short and distinct.

Run names, titles and document ids may contain control characters, line breaks, unpaired surrogates or nothing at all.
Every such text passes through this module before it appears in a figure or on a page.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

LABEL_LENGTH = 24
"""Characters in the label of a run in a figure."""
NAME_LENGTH = 48
"""Characters in the name of a run on a page."""
UNLIMITED = 10**6
NAMELESS = "(no name)"


def make_labels(names: Sequence[str], longest: int = LABEL_LENGTH) -> list[str]:
    """One label per name. Long names lose their middle, since the ends usually distinguish runs.

    Names that would then look alike are numbered.
    """
    short = [shorten(printable(name, 10_000) if name.strip() else NAMELESS, longest) for name in names]
    count = Counter(short)
    seen: Counter[str] = Counter()
    labels = []
    for label in short:
        seen[label] += 1
        labels.append(f"{label} [{seen[label]}]" if count[label] > 1 else label)
    return labels


def shorten(name: str, longest: int) -> str:
    """The name, or its two ends with an ellipsis between them."""
    if len(name) <= longest:
        return name
    tail = (longest - 1) // 2
    return f"{name[: longest - 1 - tail]}…{name[-tail:]}"


def clean(text: str) -> str:
    """The text in one line, with control characters and unpaired surrogates escaped."""
    return text if text.isprintable() else printable(text, UNLIMITED)


def clean_id(text: str) -> str:
    """A topic or document id; a placeholder where it is blank."""
    return clean(text) if text.strip() else NAMELESS


def clean_name(text: str) -> str:
    """The name of a run, shortened; a placeholder where it is blank."""
    return shorten(clean_id(text), NAME_LENGTH)


def clean_title(text: str) -> str:
    """A title with every run of white space replaced by one space."""
    return clean(" ".join(text.split()))


def clean_lines(text: str) -> str:
    """A text of several lines, which are kept."""
    return "\n".join(clean(line.replace("\t", "    ")) for line in text.splitlines())


def join_words(words: Sequence[str]) -> str:
    """One, two and three."""
    return " and ".join([", ".join(words[:-1]), *words[-1:]] if len(words) > 1 else words)


def count_noun(count: int, noun: str) -> str:
    """A number with its noun: 1 pair, 1,128 pairs."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
