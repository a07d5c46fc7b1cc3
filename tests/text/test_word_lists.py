"""The word lists contain only entries that an analyser can match."""

from __future__ import annotations

import pytest

from antecede.text import LANGUAGES
from antecede.text.analyzer import find_words, normalize_word
from antecede.text.profiles import read_word_list

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


def test_a_language_does_not_repeat_common_abbreviations() -> None:
    everywhere = {*read_word_list("abbreviations", "all")}
    assert not any(everywhere & {*language.abbreviations} for language in LANGUAGES.values())
    assert not everywhere & {*read_word_list("abbreviations", "numbered")}
