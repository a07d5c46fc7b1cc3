"""Profiles: the settings of an analysis, stored with an index."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import AntecedeError, InputError
from antecede.text import LANGUAGES, PROFILES, Analyzer, Profile, Treatment, load_profile
from antecede.text.analyzer import find_words, normalize_word
from antecede.text.profiles import read_word_list

words = st.text(min_size=1, max_size=8)
treatments = st.builds(Treatment, st.none() | words, st.lists(words, max_size=4).map(tuple))
profiles = st.builds(
    Profile,
    words,
    st.dictionaries(words, treatments, max_size=3).map(lambda each: tuple(each.items())),
    st.integers(1, 9),
    st.integers(9, 1000),
)


@given(profiles)
def test_a_profile_is_read_as_it_was_written(written: Profile) -> None:
    assert Profile.from_json(written.to_json()) == written


@pytest.mark.parametrize("name", PROFILES)
def test_an_analyser_from_a_stored_profile_is_the_same(name: str) -> None:
    kept = Profile.from_json(load_profile(name).to_json(), "profile.json")
    assert kept == load_profile(name)
    assert hash(kept) == hash(load_profile(name))
    text = "The inventions, said les inventions, der Erfindungen"
    for language in LANGUAGES:
        assert Analyzer(language, kept).terms(text) == Analyzer(language, name).terms(text)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"shortest": "2"},
        {"shortest": 0},
        {"longest": 10**6},
        {"longest": None},
        {"treatments": []},
        {"treatments": {"en": {"stemmer": None}}},
        {"treatments": {"en": {"stemmer": None, "stop_words": "abc"}}},
        {"treatments": {"en": {"stemmer": None, "stop_words": [], "fold": True}}},
        {"case": "kept"},
        *("", "[]", "{}", "7", '{"version": 1}', "null"),
    ],
)
def test_anything_but_a_profile_is_rejected(change: dict[str, object] | str) -> None:
    text = change if isinstance(change, str) else json.dumps({**json.loads(load_profile().to_json()), **change})
    with pytest.raises(InputError, match=r"^profile\.json: not a profile: .*; use the version that wrote it"):
        Profile.from_json(text, "profile.json")


def test_lengths_out_of_range_are_rejected() -> None:
    for shortest, longest in ((0, 64), (9, 8), (2, 5000)):
        with pytest.raises(AntecedeError, match="use 1 ≤ shortest ≤ longest ≤ 1000"):
            replace(load_profile(), shortest=shortest, longest=longest)


# The word lists

CONTENT = {
    "en": "method device valve well gold image means apparatus first second",
    "fr": "procédé dispositif soupape or image moyen personne premier",
    "de": "verfahren vorrichtung ventil bild mittel gold erste zweite",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_stop_words_are_normalised_and_distinct(code: str) -> None:
    for words in (LANGUAGES[code].stop_words, LANGUAGES[code].boilerplate):
        assert len({*words}) == len(words)
        assert [
            word for word in words if normalize_word(word) != word or list(find_words(word)) != [(0, len(word))]
        ] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_boilerplate_and_stop_words_are_disjoint_and_without_content_words(code: str) -> None:
    language = LANGUAGES[code]
    assert not {*language.stop_words} & {*language.boilerplate}
    assert not {*language.stop_words} & {*CONTENT[code].split()}
    assert 100 < len(language.stop_words) < 450
    assert len(language.boilerplate) > 50


@pytest.mark.parametrize("name", [*LANGUAGES, "all", "numbered"])
def test_abbreviations_are_lower_case_without_full_stop_and_distinct(name: str) -> None:
    words = read_word_list("abbreviations", name)
    assert len({*words}) == len(words)
    assert [word for word in words if word != word.lower() or word.endswith(".") or len(word) > 24] == []
