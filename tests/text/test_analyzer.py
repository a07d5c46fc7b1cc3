"""From a text to its terms."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.text import LANGUAGES, Analyzer, Profile, Token, Treatment, collect_versions, load_profile
from antecede.text.analyzer import normalize_word
from tests.text.reference import find_reference_words, texts


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
    forms = [normalize_word(text[start:end][:64]) for start, end in find_reference_words(text)]
    assert Analyzer("xx").terms(text) == [word for word in forms if sum(map(str.isalpha, word)) >= 2]


def test_tokens_have_the_place_of_the_word_as_written() -> None:
    text = "Eine Ver\N{SOFT HYPHEN}bindung (Fu\N{COMBINING DIAERESIS}hrung)."
    assert Analyzer("de", "published").tokens(text)[1:] == [Token("verbindung", 5, 16), Token("führung", 18, 26)]


def test_a_long_word_is_truncated() -> None:
    analyzer = Analyzer("xx")
    assert analyzer.tokens("acgt" * 100) == [Token("acgt" * 16, 0, 400)]
    assert analyzer.terms("特" * 65) == ["特" * 64]
    assert Analyzer("xx", replace(load_profile(), longest=5)).terms("abcdefg abcdeXYZ") == ["abcde", "abcde"]


def test_the_minimum_length_is_a_setting() -> None:
    assert Analyzer("xx", replace(load_profile(), shortest=1)).terms("a bc") == ["a", "bc"]
    assert Analyzer("xx", replace(load_profile(), shortest=3)).terms("a bc déf") == ["déf"]


def test_stop_words_are_compared_before_stemming() -> None:
    only = Profile("one", (("en", Treatment("english", ("Being",))),))
    assert Analyzer("en", only).terms("BEING beings be") == ["be", "be"]


def test_the_treatment_of_words_is_described() -> None:
    assert Analyzer("sv").is_plain
    assert Analyzer("sv").describe() == "language 'sv': not stemmed, no stop words (not in the profile)"
    assert Analyzer("fr", "published").describe() == "French: not stemmed, no stop words"
    assert Analyzer("en").describe().startswith("English: stemmed with Snowball english, 2")
    assert not Analyzer("en").is_plain
    assert repr(Analyzer("EN")) == "Analyzer('en', 'default')"


def test_an_unknown_stemmer_is_rejected() -> None:
    with pytest.raises(UsageError, match=r"unknown stemmer 'klingon'; choose one of .*english"):
        Analyzer("en", Profile("odd", (("en", Treatment("klingon")),)))


def test_the_versions_that_terms_depend_on() -> None:
    assert {*collect_versions()} == {"unicode", "stemmer"}


def test_analysing_a_query_does_not_load_numba() -> None:
    script = "import sys; from antecede.text import Analyzer; Analyzer('en').terms('a device'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert not {"numba", "llvmlite"} & {*loaded}
    assert "antecede.text.bulk" in loaded
