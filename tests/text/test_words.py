"""What a word is: the decisions one by one, and their properties over all of Unicode."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given

from antecede.text.words import LETTER, MARK, form, kind_of, letters, runs
from tests.text.plain import plain_runs, texts


def words(text: str) -> list[str]:
    return [form(text[start:end]) for start, end in runs(text)]


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
def test_runs_are_those_that_the_rule_says(text: str) -> None:
    assert list(runs(text)) == plain_runs(text)


@given(texts)
def test_the_form_is_final(text: str) -> None:
    for word in words(text):
        assert form(word) == word
        assert all(kind_of(ord(sign)) in (LETTER, MARK) for sign in word)


@given(texts)
def test_composed_and_decomposed_texts_have_the_same_words(text: str) -> None:
    composed = [word for word in words(unicodedata.normalize("NFC", text)) if letters(word)]
    assert composed == [word for word in words(unicodedata.normalize("NFD", text)) if letters(word)]


def test_every_letter_has_one_form() -> None:
    for code in range(sys.maxunicode + 1):
        sign = chr(code)
        if sign.isalpha() and not sign.isascii():
            once = form(sign)
            assert form(once) == once
            assert form(unicodedata.normalize("NFD", sign)) == once


def test_capitals_of_ascii_make_no_difference_whatever_mark_follows() -> None:
    # The bulk path puts ASCII in lower case before it asks for the form of a word.
    marks = [chr(code) for code in range(0x20000) if kind_of(code) == MARK]
    for letter in "abcdefghijklmnopqrstuvwxyz":
        assert all(form(letter + mark) == form(letter.upper() + mark) for mark in marks)


def test_marks_are_no_letters() -> None:
    assert letters("x\N{COMBINING CIRCUMFLEX ACCENT}") == 1
    assert letters("état") == 4
