"""From a text to its terms, one text at a time; an index is built by the same rules in bulk (`bulk.py`).

A word is a run of Unicode letters in lower case. Digits and all other characters separate words.

- A letter is a character of a Unicode category L*, in any script. A digit is a separator: "CO2" gives "co", and "H2O"
  only single letters, which are shorter than the minimum length of a profile. Hyphen, apostrophe and underscore are
  separators too: "l'invention" gives "l" and "invention", "patent's" gives "patent" and "s", and the single letters are
  dropped.
- A combining mark continues a word and never begins one. Soft hyphens and other zero-width characters within a word are
  removed: "Ver\N{SOFT HYPHEN}bindung" is "verbindung". A hyphen at the end of a line is an ordinary hyphen.
- Words are normalised to NFKC in lower case: a decomposed "e\N{COMBINING ACUTE ACCENT}" is "é", the ligature "ﬁ" is
  "fi", the micro sign is the Greek letter mu, full-width letters become ordinary ones, "İ" becomes "i".
- Which spellings count as one word beyond that (accents, ligatures, umlauts) is the folding of the profile
  (`folding.py`).
- There is no segmentation: a run of Chinese, Japanese or Thai letters is one word. A word longer than the maximum of
  the profile (such as a printed gene sequence) is truncated.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import Stemmer

from antecede.errors import UsageError
from antecede.text.folding import FOLDINGS, restore_endings
from antecede.text.profiles import Profile, load_profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OTHER, LETTER, MARK = 0, 1, 2
"""The kinds of characters: separators, letters, and characters that can only continue a word."""

ZERO_WIDTH = frozenset(
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
"""Zero-width code points that are removed from words."""
APOSTROPHES = "'\N{RIGHT SINGLE QUOTATION MARK}"
ELIDED = frozenset(
    ["c", "d", "j", "l", "m", "n", "s", "t", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "quelqu", "presqu"]
)
"""Words that an apostrophe joins to the next one in French; where a treatment says so, they have no place in a text."""
REMOVAL = dict.fromkeys(ZERO_WIDTH)
DOTTED_I = "i\N{COMBINING DOT ABOVE}"


def classify_character(code: int) -> int:
    """Whether a code point is a letter, continues a word, or separates words."""
    category = unicodedata.category(chr(code))
    if category[0] == "L":
        return LETTER
    return MARK if category[0] == "M" or code in ZERO_WIDTH else OTHER


class CharacterKinds(dict[int, str]):
    """A table for `str.translate` that maps each character to `.`, `a` or `m` by its kind, filled on demand."""

    def __missing__(self, code: int) -> str:
        self[code] = kind = ".am"[classify_character(code)]
        return kind


CHARACTER_KINDS = CharacterKinds()
RUN = re.compile("a[am]*+")


def find_words(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each word of a text."""
    return (run.span() for run in RUN.finditer(text.translate(CHARACTER_KINDS)))


def is_elided(text: str, start: int, end: int) -> bool:
    """Whether a word of a text is elided: "l" in "l'eau"."""
    return text[end : end + 1] in APOSTROPHES and end < len(text) and text[start:end].lower() in ELIDED


def normalize_word(word: str) -> str:
    """The normal form of a run of letters; empty if nothing remains."""
    if word.isascii():
        return word.lower()
    word = unicodedata.normalize("NFKC", word.translate(REMOVAL)).lower()
    word = unicodedata.normalize("NFKC", word).replace(DOTTED_I, "i")
    return word if word.isalpha() else "".join(char for char in word if classify_character(ord(char)) != OTHER)


def count_letters(word: str) -> int:
    """The number of letters of a word; marks do not count."""
    return len(word) if word.isalpha() else sum(map(str.isalpha, word))


class Token(NamedTuple):
    """A term and its place in the text: text[start:end] is the word as written."""

    term: str
    start: int
    end: int


class Analyzer:
    """Turns the words of one language into terms, as a profile defines."""

    def __init__(self, language: str, profile: Profile | str = "default") -> None:
        self.language = language.lower()
        self.profile = load_profile(profile) if isinstance(profile, str) else profile
        self.treatment = self.profile.treatment(self.language)
        self._fold = FOLDINGS[self.treatment.folding]
        self._stop_words = frozenset(map(self.form, self.treatment.stop_words))
        self._stemmer = make_stemmer(self.treatment.stemmer)
        self._too_short = re.compile(rf"^[^\n]{{0,{self.profile.shortest - 1}}}$", re.MULTILINE)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.language!r}, {self.profile.name!r})"

    @property
    def is_plain(self) -> bool:
        """Whether words are only normalised and folded: there are no stop words and no stemmer."""
        return self._stemmer is None and not self._stop_words

    def form(self, word: str) -> str:
        """A run of letters as it is compared with others: normalised and folded."""
        return self._fold(normalize_word(word))

    def form_lines(self, words: str) -> str:
        """As `form`, for runs of letters that each end with a newline."""
        if words.isascii():
            return self._fold(words.lower())
        return self._fold("".join([f"{normalize_word(word)}\n" for word in words.split("\n")[:-1]]))

    def form_pattern(self, pattern: str) -> str:
        """A truncated word with its letters as they are compared: `gemäß*` is `gemass*`."""
        return "".join(part if part in "*?" else self.form(part) for part in re.split(r"([*?])", pattern))

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in order."""
        return [term for term in self._resolve_places(text, [*find_words(text)]) if term is not None]

    def tokens(self, text: str) -> list[Token]:
        """The terms of a text with their places, for passages and highlighting."""
        return [Token(term, *place) for term, place in zip(*self.locate_terms(text), strict=True)]

    def locate_terms(self, text: str) -> tuple[list[str], list[tuple[int, int]]]:
        """The terms of a text, and the start and end of each: what `tokens` returns, in two lists made faster."""
        places = [*find_words(text)]
        terms = self._resolve_places(text, places)
        return [*filter(None, terms)], [*compress(places, terms)]  # a term is never empty

    def _resolve_places(self, text: str, places: list[tuple[int, int]]) -> list[str | None]:
        longest = self.profile.longest
        words = [text[start:end][:longest] for start, end in places]
        distinct = list(dict.fromkeys(words))
        terms = dict(zip(distinct, self.resolve(distinct), strict=True))
        return [terms[word] for word in words]

    def resolve(self, words: Iterable[str]) -> list[str | None]:
        """The term of each run of letters; None for stop words and words that are too short."""
        return self._resolve_forms([*map(self.form, words)])

    def _resolve_forms(self, words: list[str]) -> list[str | None]:
        stop, shortest = self._stop_words, self.profile.shortest
        stems = self._stem(words)
        return [
            None
            if len(word) < shortest or word in stop or not (word.isascii() or count_letters(word) >= shortest)
            else stem or word
            for word, stem in zip(words, stems, strict=True)
        ]

    def _stem(self, words: list[str]) -> list[str]:
        if self._stemmer is None:
            return words
        if self.treatment.folding == "none":
            return [*self._stemmer.stemWords(words)]
        restored = [restore_endings(self.treatment.stemmer, word) for word in words]
        return [*map(self._fold, self._stemmer.stemWords(restored))]

    def term(self, word: str) -> str | None:
        """The term of one word; None for a stop word or one that is too short. As in a text, a long word is cut."""
        return self.resolve([word[: self.profile.longest]])[0]

    def resolve_lines(self, words: str) -> str:
        """As `resolve`, for runs of letters that each end with a newline; an empty line replaces None.

        ASCII is converted to lower case in one call; if nothing else is to be done, no word is handled on its own.
        """
        forms = self.form_lines(words)
        if self.is_plain and words.isascii():
            return self._too_short.sub("", forms)
        terms = self._resolve_forms(forms.split("\n")[:-1])
        return "".join([f"{term or ''}\n" for term in terms])


def make_stemmer(name: str | None) -> Stemmer.Stemmer | None:
    """A Snowball stemmer without a cache: callers pass each distinct word once."""
    if name is None:
        return None
    if name not in Stemmer.algorithms(aliases=True):
        raise UsageError(f"unknown stemmer {name!r}; choose one of {', '.join(Stemmer.algorithms())}")
    return Stemmer.Stemmer(name, 0)


def collect_versions() -> dict[str, str]:
    """The versions on which the terms depend besides the profile, to be recorded with an index."""
    return {"unicode": unicodedata.unidata_version, "stemmer": Stemmer.version()}
