"""Profiles: the settings of an analysis, kept with an index."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import AntecedeError, InputError, UsageError
from antecede.text import LANGUAGES, PROFILES, Analyzer, Profile, Treatment, profile

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
def test_an_analyser_from_a_file_is_the_same(name: str) -> None:
    kept = Profile.from_json(profile(name).to_json(), "profile.json")
    assert kept == profile(name)
    assert hash(kept) == hash(profile(name))
    text = "The inventions, said les inventions, der Erfindungen"
    for language in LANGUAGES:
        assert Analyzer(language, kept).terms(text) == Analyzer(language, name).terms(text)


def test_the_published_profile_is_that_of_the_paper() -> None:
    published = profile("published")
    assert published.treatment("en").stemmer == "porter"
    assert published.treatment("en").stop_words == LANGUAGES["en"].stop_words
    assert published.treatment("fr") == published.treatment("DE") == Treatment()


def test_boilerplate_is_left_out_only_if_asked_for() -> None:
    claim = "Ventil nach Anspruch 1, dadurch gekennzeichnet, dass die Feder gelöst ist"
    assert Analyzer("de").terms(claim) == ["ventil", "anspruch", "gekennzeichn", "fed", "gelost"]
    spare = profile("default").without_boilerplate()
    assert Analyzer("de", spare).terms(claim) == ["ventil", "fed", "gelost"]
    assert Analyzer("en", spare).terms("said valve, wherein the embodiment") == ["valv"]
    assert Analyzer("fr", spare).terms("ledit ressort, caractérisé en ce que") == ["ressort"]
    assert spare.name == "default, no boilerplate"
    assert profile("published").without_boilerplate().treatment("fr") == Treatment()


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"shortest": "2"},
        {"shortest": 0},
        {"longest": 10**6},
        {"longest": None},
        {"treatments": []},
        {"treatments": {"en": {"stemmer": None}}},
        {"treatments": {"en": {"stemmer": None, "stop_words": "abc"}}},
        {"treatments": {"en": {"stemmer": None, "stop_words": [], "fold": True}}},
        {"case": "kept"},
    ],
)
def test_what_is_not_a_profile_is_refused(change: dict[str, object]) -> None:
    written = {**json.loads(profile().to_json()), **change}
    with pytest.raises(InputError, match=r"^profile\.json: not a profile: .*; use the version that wrote it"):
        Profile.from_json(json.dumps(written), "profile.json")


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", '{"version": 1}', "null"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a profile"):
        Profile.from_json(text)


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no profile is called 'best'; there are published, default"):
        profile("best")


def test_lengths_must_make_sense() -> None:
    for shortest, longest in ((0, 64), (9, 8), (2, 5000)):
        with pytest.raises(AntecedeError, match="take 1 ≤ shortest ≤ longest ≤ 1000"):
            replace(profile(), shortest=shortest, longest=longest)
