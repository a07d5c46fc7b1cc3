"""From a text to its terms."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.text import LANGUAGES, Analyzer, Profile, Token, Treatment, profile, versions
from antecede.text.words import form
from tests.text.plain import plain_runs, texts


@pytest.mark.parametrize(
    ("language", "name", "text", "expected"),
    [
        # Porter and its successor differ on these words, as their authors' tables say.
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
def test_a_token_stands_where_its_word_does(language: str, name: str, text: str) -> None:
    analyzer = Analyzer(language, name)
    tokens = analyzer.tokens(text)
    assert [(token.start, token.end) for token in tokens] == [
        (start, end) for start, end in plain_runs(text) if analyzer.resolve([text[start:end][:64]]) != [None]
    ]
    assert [token.term for token in tokens] == analyzer.terms(text)
    assert all([token.term] == analyzer.resolve([text[token.start : token.end][:64]]) for token in tokens)


@given(texts)
def test_a_plain_analyser_keeps_every_word_of_two_letters(text: str) -> None:
    forms = [form(text[start:end][:64]) for start, end in plain_runs(text)]
    assert Analyzer("xx").terms(text) == [word for word in forms if sum(map(str.isalpha, word)) >= 2]


def test_highlighting_has_the_place_of_the_word_as_written() -> None:
    text = "Eine Ver\N{SOFT HYPHEN}bindung (Fu\N{COMBINING DIAERESIS}hrung)."
    assert Analyzer("de", "published").tokens(text)[1:] == [Token("verbindung", 5, 16), Token("führung", 18, 26)]


def test_a_long_run_is_cut_to_its_first_signs() -> None:
    analyzer = Analyzer("xx")
    assert analyzer.tokens("acgt" * 100) == [Token("acgt" * 16, 0, 400)]
    assert analyzer.terms("特" * 65) == ["特" * 64]
    assert Analyzer("xx", replace(profile(), longest=5)).terms("abcdefg abcdeXYZ") == ["abcde", "abcde"]


def test_the_shortest_word_is_a_setting() -> None:
    assert Analyzer("xx", replace(profile(), shortest=1)).terms("a bc") == ["a", "bc"]
    assert Analyzer("xx", replace(profile(), shortest=3)).terms("a bc déf") == ["déf"]


def test_stop_words_are_left_out_as_they_are_written_not_as_they_are_stemmed() -> None:
    only = Profile("one", (("en", Treatment("english", ("Being",))),))
    assert Analyzer("en", only).terms("BEING beings be") == ["be", "be"]


def test_what_is_done_is_said() -> None:
    assert Analyzer("sv").is_plain
    assert Analyzer("sv").description() == (
        "language 'sv': not stemmed, no stop words, for the profile does not know it"
    )
    assert Analyzer("fr", "published").description() == "French: not stemmed, no stop words"
    assert Analyzer("en").description().startswith("English: stemmed with Snowball english, 2")
    assert not Analyzer("en").is_plain
    assert repr(Analyzer("EN")) == "Analyzer('en', 'default')"


def test_a_stemmer_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no stemmer is called 'klingon'; there are .*english"):
        Analyzer("en", Profile("odd", (("en", Treatment("klingon")),)))


def test_what_the_terms_depend_on_besides_can_be_written_down() -> None:
    assert {*versions()} == {"unicode", "stemmer"}


def test_a_query_loads_no_compiler() -> None:
    script = "import sys; from antecede.text import Analyzer; Analyzer('en').terms('a device'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert not {"numba", "llvmlite"} & {*loaded}
    assert "antecede.text.bulk" in loaded
