"""What a word is: a run of Unicode letters, in lower case. Numbers and all other signs only separate.

- A letter is what Unicode calls one (categories L*), in any script. A digit separates: of "CO2" remains "co", of "H2O"
  only single letters, which are shorter than a profile takes. Hyphen, apostrophe and underscore separate too, so
  "l'invention" gives "l" and "invention", "patent's" gives "patent" and "s", and single letters fall away.
- A combining mark goes on with a word and never begins one. Soft hyphens and other signs without width inside a word
  are taken out: "Ver\N{SOFT HYPHEN}bindung" is "verbindung". A hyphen at the end of a line is a hyphen like others.
- The form of a word is NFKC, lower case: a decomposed "e\N{COMBINING ACUTE ACCENT}" is "é", the ligature "ﬁ" is "fi",
  the micro sign is the Greek mu, full-width letters are plain ones. "ß" stays, "İ" is "i", accents are kept.
- No segmentation: a run of Chinese, Japanese or Thai letters is one word, up to the longest that a profile takes.
  What is longer (a printed gene sequence, say) is cut to its first signs.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

OTHER, LETTER, MARK = 0, 1, 2
"""The kinds of signs: one that separates, one of a word, one that only goes on with a word."""

SILENT = frozenset(
    [
        0xAD,  # soft hyphen
        0x34F,  # grapheme joiner
        *range(0x180B, 0x180E),
        0x200C,  # zero width non-joiner, and joiner
        0x200D,
        0x2060,  # word joiner
        *range(0xFE00, 0xFE10),  # variation selectors
        0xFEFF,  # byte order mark
        *range(0xE0100, 0xE01F0),
    ]
)
"""Code points without width that are taken out of words."""
OUT = dict.fromkeys(SILENT)
DOTTED_I = "i\N{COMBINING DOT ABOVE}"


def kind_of(code: int) -> int:
    """Whether a code point is a letter, goes on with a word, or separates."""
    category = unicodedata.category(chr(code))
    if category[0] == "L":
        return LETTER
    return MARK if category[0] == "M" or code in SILENT else OTHER


class Outline(dict[int, str]):
    """A table for `str.translate` that puts `.`, `a` or `m` for the kind of a sign; learns signs as it meets them."""

    def __missing__(self, code: int) -> str:
        self[code] = shape = ".am"[kind_of(code)]
        return shape


OUTLINE = Outline()
RUN = re.compile("a[am]*+")


def runs(text: str) -> Iterator[tuple[int, int]]:
    """Where the words of a text begin and end."""
    for found in RUN.finditer(text.translate(OUTLINE)):
        yield found.span()


def form(word: str) -> str:
    """A run of letters as the word it stands for; empty where nothing remains."""
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word.translate(OUT)).lower()
    word = unicodedata.normalize("NFKC", word).replace(DOTTED_I, "i")
    return word if word.isalpha() else "".join(sign for sign in word if kind_of(ord(sign)) != OTHER)


def letters(word: str) -> int:
    """How many letters a word has; marks do not count."""
    return len(word) if word.isalpha() else sum(map(str.isalpha, word))
