"""The definition of a word, by cases and by properties over all of Unicode; and from a text to its terms."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.text import LANGUAGES, Analyzer, Profile, Token, Treatment, load_profile
from antecede.text.analyzer import LETTER, MARK, classify_character, count_letters, find_words, normalize_word
from antecede.text.folding import fold_latin
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


@pytest.mark.parametrize(
    ("language", "name", "text", "expected"),
    [
        # Porter and Snowball English differ on these words, according to the tables of their authors.
        ("en", "published", "It was fairly and generously consigned", ["fairli", "gener", "consign"]),
        ("en", "default", "It was fairly and generously consigned", ["fair", "generous", "consign"]),
        ("fr", "published", "Les inventions continuelles", ["les", "inventions", "continuelles"]),
        ("fr", "default", "Les inventions continuelles", ["invent", "continuel"]),
        ("de", "published", "Die aufeinander folgenden Größen", ["die", "aufeinander", "folgenden", "größen"]),
        ("de", "default", "Die aufeinander folgenden Größen", ["aufeinand", "folgend", "gross"]),
        ("FR", "default", "L'invention qu'elle décrit jusqu'à 5 mm", ["invent", "decr", "mm"]),
        ("sv", "default", "Uppfinningen avser en anordning", ["uppfinningen", "avser", "en", "anordning"]),
        ("en", "default", "H2O, CO2, x-rays and vitamin C", ["co", "ray", "vitamin"]),
    ],
)
def test_terms(language: str, name: str, text: str, expected: list[str]) -> None:
    assert Analyzer(language, name).terms(text) == expected


@given(st.sampled_from([*LANGUAGES, "xx"]), st.sampled_from(["published", "default"]), texts)
def test_a_token_has_the_place_of_its_word(language: str, name: str, text: str) -> None:
    analyzer = Analyzer(language, name)
    tokens = analyzer.tokens(text)
    assert [(token.start, token.end) for token in tokens] == [
        (start, end) for start, end in find_reference_words(text) if analyzer.resolve([text[start:end][:64]]) != [None]
    ]
    assert [token.term for token in tokens] == analyzer.terms(text)
    assert all([token.term] == analyzer.resolve([text[token.start : token.end][:64]]) for token in tokens)


@given(texts)
def test_an_unknown_language_keeps_every_word_of_two_letters(text: str) -> None:
    forms = [fold_latin(normalize_word(text[start:end][:64])) for start, end in find_reference_words(text)]
    assert Analyzer("xx").terms(text) == [word for word in forms if sum(map(str.isalpha, word)) >= 2]


def test_a_long_word_is_truncated() -> None:
    analyzer = Analyzer("xx")
    assert analyzer.tokens("acgt" * 100) == [Token("acgt" * 16, 0, 400)]
    assert analyzer.terms("特" * 65) == ["特" * 64]
    assert Analyzer("xx", replace(load_profile(), longest=5)).terms("abcdefg abcdeXYZ") == ["abcde", "abcde"]


def test_the_minimum_length_is_a_setting() -> None:
    assert Analyzer("xx", replace(load_profile(), shortest=1)).terms("a bc") == ["a", "bc"]
    assert Analyzer("xx", replace(load_profile(), shortest=3)).terms("a bc déf") == ["def"]


def test_stop_words_are_compared_before_stemming() -> None:
    only = Profile("one", (("en", Treatment("english", ("Being",))),))
    assert Analyzer("en", only).terms("BEING beings be") == ["be", "be"]


def test_an_analyser_says_what_it_is() -> None:
    assert Analyzer("sv").is_plain
    assert not Analyzer("en").is_plain
    assert repr(Analyzer("EN")) == "Analyzer('en', 'default')"


def test_an_unknown_stemmer_is_rejected() -> None:
    with pytest.raises(UsageError, match=r"unknown stemmer 'klingon'; choose one of .*english"):
        Analyzer("en", Profile("odd", (("en", Treatment("klingon")),)))


def test_analysing_a_query_does_not_load_numba() -> None:
    script = "import sys; from antecede.text import Analyzer; Analyzer('en').terms('a device'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert not {"numba", "llvmlite"} & {*loaded}
    assert "antecede.text.bulk" in loaded
