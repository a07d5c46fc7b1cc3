"""Folding: spellings of one word that are compared as one. Used for terms, words as written, patterns and names alike.

A word is folded after it is normalised (lower case, NFKC) and before it is stemmed.

- `latin`: accents are dropped and ligatures written out, in Latin script only: "étanchéité" is "etancheite", "œuvre" is
  "oeuvre", "gemäß" is "gemass". Marks of other scripts distinguish letters ("й" and "и") and are kept.
- `german`: moreover "ae", "oe" and "ue" are the umlauts that they transcribe, except "ue" after a vowel or "q":
  "Waerme", "Wärme" and "Warme" are "warme", "neue" and "Quelle" stay as they are. This is the rule of Lucene's German
  normalisation, after the variant of the Snowball stemmer for transcribed umlauts (german2).

A stemmer knows some endings by their accents: "-ité", "-ée", "-ière". Where accents are dropped, `restore_endings` puts
them back for the stemmer alone, as far as the letters before them tell: "etancheite" is stemmed as "étanchéité" is.
What folding costs in French is measured in docs/studies/languages.md.

Folding twice changes nothing, and `german` after `latin` is `german`: texts of unknown language are folded as `latin`,
and are read as German later.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_WRITTEN_OUT = {"œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l", "ŧ": "t", "ı": "i",
                "þ": "th", "ĸ": "k", "ŋ": "n"}  # fmt: skip
_LATER_MARKS = re.compile("(?<=[a-z])[\u0300-\u036f]+")
_TRANSCRIBED = re.compile(r"([ao])e+|(?<![aeiouyq])(u)e+")


class _LatinLetters(dict[int, str]):
    """A table for `str.translate` of letters of the Latin script to those of ASCII, filled on demand."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        base = unicodedata.normalize("NFD", letter)[0]
        base = _WRITTEN_OUT.get(base, base)
        self[code] = plain = base if base.isascii() else letter
        return plain


_LATIN_LETTERS = _LatinLetters()


def _keep(text: str) -> str:
    return text


def fold_latin(text: str) -> str:
    """Words in their normal form, without accents and ligatures.

    >>> fold_latin("étanchéité œuvre gemäß й")
    'etancheite oeuvre gemass й'
    """
    if text.isascii():
        return text
    return _LATER_MARKS.sub("", text.translate(_LATIN_LETTERS))


def fold_german(text: str) -> str:
    """Words in their normal form, without accents, umlauts and what transcribes them.

    >>> fold_german("wärme waerme verschluß neue quelle")
    'warme warme verschluss neue quelle'
    """
    return _TRANSCRIBED.sub(r"\1\2", fold_latin(text))


_ENDINGS = {
    "french": (
        (re.compile(r"ee(s?)$"), r"ée\1"),
        (
            re.compile(r"(?:(?<=[aeiou][bcdfglmnrtv])|(?<=[aeou]s)(?<!compos)|(?<=[a-z]n[st])|(?<=[eu]))ite(s?)$"),
            r"ité\1",
        ),
        (re.compile(r"iere(s|ment)?$"), r"ière\1"),
    )
}
"""By the name of a stemmer."""


def restore_endings(stemmer: str | None, word: str) -> str:
    """A folded word with the accents by which a stemmer knows its ending.

    >>> restore_endings("french", "modifiees"), restore_endings("french", "capacite"), restore_endings(None, "capacite")
    ('modifiées', 'capacité', 'capacite')
    """
    for ending, written in _ENDINGS.get(stemmer or "", ()):
        word = ending.sub(written, word)
    return word


Folding = Literal["none", "latin", "german"]
FOLDINGS: Mapping[Folding, Callable[[str], str]] = {"none": _keep, "latin": fold_latin, "german": fold_german}
"""How words in their normal form are folded, by name; several words may be separated by what is no letter."""
