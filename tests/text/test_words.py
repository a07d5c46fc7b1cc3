"""The definition of a word: individual cases, and properties over all of Unicode."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given

from antecede.text.analyzer import LETTER, MARK, classify_character, count_letters, find_words, normalize_word
from tests.text.reference import find_reference_words, texts


def words(text: str) -> list[str]:
    return [normalize_word(text[start:end]) for start, end in find_words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Method, and a DEVICE.", ["a", "method", "and", "a", "device"]),
        ("l'invention d’un", ["l", "invention", "d", "un"]),
        ("the patent's don't", ["the", "patent", "s", "don", "t"]),
        ("Heat-resistant re_use", ["heat", "resistant", "re", "use"]),
        ("H2O CO2 3M m² 1½x Ⅷ", ["h", "o", "co", "m", "m", "x"]),
        ("Ver\N{SOFT HYPHEN}bindung\N{SOFT HYPHEN} x\N{SOFT HYPHEN}\ny", ["verbindung", "x", "y"]),
        ("e\N{COMBINING ACUTE ACCENT}tat \N{COMBINING ACUTE ACCENT}ÉTAT", ["état", "état"]),
        ("ﬁlter eﬃcient", ["filter", "efficient"]),
        ("Straße STRASSE ẞ", ["straße", "strasse", "ß"]),
        ("İZMİR ı", ["izmir", "ı"]),
        ("\N{MICRO SIGN}m \N{GREEK SMALL LETTER MU}m \N{OHM SIGN}", ["μm", "μm", "ω"]),
        ("ΟΔΟΣ οδός", ["οδος", "οδός"]),
        ("Жук ǅ", ["жук", "dž"]),
        ("ＡＢＣ 𝐀𝐛", ["abc", "ab"]),
        ("特許文献。発明", ["特許文献", "発明"]),
        ("ภาษาไทย हिन्दी", ["ภาษาไทย", "हिन्दी"]),
        ("heart\N{VARIATION SELECTOR-16}s", ["hearts"]),
        ("zero\N{ZERO WIDTH SPACE}width", ["zero", "width"]),
        ("\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}", ["صلىاللهعليهوسلم"]),
        ("\N{ARABIC FATHATAN ISOLATED FORM}", ["\N{ARABIC FATHATAN}"]),
        ("\ufeffTitle", ["title"]),
        ("", []),
    ],
)
def test_a_word_is_a_run_of_letters(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(texts)
def test_words_are_those_of_the_reference(text: str) -> None:
    assert list(find_words(text)) == find_reference_words(text)


@given(texts)
def test_normalisation_is_idempotent(text: str) -> None:
    for word in words(text):
        assert normalize_word(word) == word
        assert all(classify_character(ord(each)) in (LETTER, MARK) for each in word)


@given(texts)
def test_composed_and_decomposed_texts_have_the_same_words(text: str) -> None:
    composed = [word for word in words(unicodedata.normalize("NFC", text)) if count_letters(word)]
    assert composed == [word for word in words(unicodedata.normalize("NFD", text)) if count_letters(word)]


def test_every_letter_has_one_normal_form() -> None:
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        if letter.isalpha() and not letter.isascii():
            once = normalize_word(letter)
            assert normalize_word(once) == once
            assert normalize_word(unicodedata.normalize("NFD", letter)) == once


def test_capitals_of_ascii_make_no_difference_whatever_mark_follows() -> None:
    # Bulk analysis converts ASCII to lower case before it normalises a word.
    marks = [chr(code) for code in range(0x20000) if classify_character(code) == MARK]
    for letter in "abcdefghijklmnopqrstuvwxyz":
        assert all(normalize_word(letter + mark) == normalize_word(letter.upper() + mark) for mark in marks)


def test_marks_are_not_letters() -> None:
    assert count_letters("x\N{COMBINING CIRCUMFLEX ACCENT}") == 1
    assert count_letters("état") == 4
