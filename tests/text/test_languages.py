"""The lists of words: each entry is one that an analyser can meet."""

from __future__ import annotations

import pytest

from antecede.text import LANGUAGES
from antecede.text.languages import word_list
from antecede.text.words import form, runs

CONTENT = {
    "en": "method device valve well gold image means apparatus first second",
    "fr": "procédé dispositif soupape or image moyen personne premier",
    "de": "verfahren vorrichtung ventil bild mittel gold erste zweite",
}


@pytest.mark.parametrize("code", LANGUAGES)
def test_stop_words_are_words_in_their_final_form_and_once(code: str) -> None:
    for words in (LANGUAGES[code].stop_words, LANGUAGES[code].boilerplate):
        assert len({*words}) == len(words)
        assert [word for word in words if form(word) != word or list(runs(word)) != [(0, len(word))]] == []


@pytest.mark.parametrize("code", LANGUAGES)
def test_boilerplate_is_apart_from_function_words_and_neither_has_content(code: str) -> None:
    language = LANGUAGES[code]
    assert not {*language.stop_words} & {*language.boilerplate}
    assert not {*language.stop_words} & {*CONTENT[code].split()}
    assert 100 < len(language.stop_words) < 450
    assert len(language.boilerplate) > 50


@pytest.mark.parametrize("name", [*LANGUAGES, "all", "numbered"])
def test_abbreviations_are_small_letters_without_their_full_stop_and_once(name: str) -> None:
    words = word_list("abbreviations", name)
    assert len({*words}) == len(words)
    assert [word for word in words if word != word.lower() or word.endswith(".") or len(word) > 24] == []


def test_a_language_does_not_repeat_what_holds_for_all() -> None:
    everywhere = {*word_list("abbreviations", "all")}
    assert not any(everywhere & {*language.abbreviations} for language in LANGUAGES.values())
    assert not everywhere & {*word_list("abbreviations", "numbered")}
