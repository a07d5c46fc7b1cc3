"""Folding: which spellings are one word, by cases and by properties over all of Unicode."""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.values import name_key
from antecede.text import LANGUAGES, Analyzer, BulkAnalyzer
from antecede.text.analyzer import LETTER, MARK, classify_character, find_words, is_elided, normalize_word
from antecede.text.folding import FOLDINGS, fold_german, fold_latin
from tests.text.reference import texts


@pytest.mark.parametrize(
    ("language", "spellings"),
    [
        ("fr", "mémoire MÉMOIRE MEMOIRE memoire me\u0301moire mé\u00admoire"),
        ("fr", "œuvre oeuvre ŒUVRE OEUVRE"),
        ("fr", "étanchéité ÉTANCHÉITÉ etancheite ETANCHEITE"),
        ("fr", "façade facade FAÇADE"),
        ("de", "Wärme Waerme WÄRME WAERME Warme Wa\u0308rme"),
        ("de", "Verschluß Verschluss VERSCHLUSS VERSCHLUẞ Ver\u00adschluß"),
        ("de", "Prüfung Pruefung PRUEFUNG Prufung"),
        ("de", "gemäß gemäss gemaess gemaeß GEMÄSS"),
        ("en", "naïve naive NAÏVE"),
        ("", "étanche ETANCHE"),
    ],
)
def test_spellings_of_one_word_have_one_form_and_one_term(language: str, spellings: str) -> None:
    analyzer = Analyzer(language)
    assert len({*map(analyzer.form, spellings.split())}) == 1
    assert len({*analyzer.terms(spellings)}) == 1
    assert len({*map(analyzer.form_pattern, (f"{each}*" for each in spellings.split()))}) == 1


@pytest.mark.parametrize("word", ["neue", "steuer", "quelle", "bauer", "treue"])
def test_ue_after_a_vowel_or_q_transcribes_no_umlaut(word: str) -> None:
    assert fold_german(word) == word


def test_other_scripts_keep_their_marks() -> None:
    for word in ("йод", "καλός", "がくせい", "हिन्दी", "한국"):
        assert fold_german(normalize_word(word)) == normalize_word(word)


def test_every_latin_letter_is_folded_to_ascii_or_kept_and_once_is_enough() -> None:
    for code in range(0x250):
        letter = chr(code)
        if letter.isalpha():
            once = fold_latin(normalize_word(letter))
            assert fold_latin(once) == once
            if unicodedata.normalize("NFD", letter)[0].isascii():
                assert once.isascii()


@given(texts, st.sampled_from([*FOLDINGS]))
def test_folding_is_idempotent_and_leaves_letters(text: str, name: str) -> None:
    fold = FOLDINGS[name]  # type: ignore[index]
    for first, end in find_words(text):
        once = fold(normalize_word(text[first:end]))
        assert fold(once) == once
        assert normalize_word(once) == once
        assert all(classify_character(ord(each)) in (LETTER, MARK) for each in once)


@given(texts)
def test_a_text_of_unknown_language_can_be_read_in_any_later(text: str) -> None:
    for language in LANGUAGES:
        analyzer, unknown = Analyzer(language), Analyzer("")
        for first, end in find_words(text):
            piece = text[first:end][:64]
            assert analyzer.form(unknown.form(piece)) == analyzer.form(piece)


@given(texts, st.sampled_from([*LANGUAGES, "xx"]))
def test_many_words_are_folded_as_one_is(text: str, language: str) -> None:
    words = [text[first:end] for first, end in find_words(text)]
    analyzer = Analyzer(language)
    lines = "".join(f"{word}\n" for word in words)
    assert analyzer.form_lines(lines).split("\n")[:-1] == [*map(analyzer.form, words)]


def test_the_profile_of_the_papers_folds_nothing() -> None:
    for language in (*LANGUAGES, ""):
        analyzer = Analyzer(language, "published")
        assert [analyzer.form(word) for word in ("Wärme", "mémoire", "Verschluß")] == ["wärme", "mémoire", "verschluß"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *combinations(["Müller", "MUELLER", "Mueller", "MÜLLER", "Muller"], 2),
        ("Sœurs S.A.", "SOEURS SA".replace("SA", "S A")),
    ],
)
def test_names_are_folded_by_the_same_function(one: str, other: str) -> None:
    assert name_key(one, "german") == name_key(other, "german") == name_key(name_key(one), "german")


def elided_words(text: str) -> list[str]:
    return [text[first:end] for first, end in find_words(text) if not is_elided(text, first, end)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("L'eau d’une pompe qu'il faut", "eau une pompe il faut"),
        ("« l'axe »\N{NO-BREAK SPACE}l'axe é'l s' l", "axe axe é l l"),
        ("aujourd'hui jusqu'à presqu'île", "aujourd hui à île"),
    ],
)
def test_elided_words_have_no_place_in_french(text: str, words: str) -> None:
    assert elided_words(text) == words.split()
    _, batch = (bulk := BulkAnalyzer("fr")).add_in_order([text.encode()], np.ones(1, np.bool_))
    known = bulk.export_words().texts()
    assert [known[word] for word in batch.words.tolist()] == [*map(Analyzer("fr").form, words.split())]


@given(st.lists(st.text(st.sampled_from("lLdquQs'’é «\N{NO-BREAK SPACE}"), max_size=70), min_size=1, max_size=4))
def test_elided_words_are_found_in_bulk_as_in_a_text(parts: list[str]) -> None:
    bulk, analyzer = BulkAnalyzer("fr"), Analyzer("fr")
    _, batch = bulk.add_in_order([part.encode() for part in parts], np.ones(len(parts), np.bool_))
    known = bulk.export_words().texts()
    assert [known[word] for word in batch.words.tolist() if word >= 0] == [
        form for part in parts for form in map(analyzer.form, elided_words(part)) if form
    ]
    assert re.fullmatch("[a-z]*", "".join(known))


@pytest.mark.parametrize(
    ("language", "formula"),
    [
        (
            "de",
            "dadurch gekennzeichnet, dass es aufweist, besteht, umfasst, nach einem der vorhergehenden Ansprüche gemäß",
        ),
        ("de", "UMFASST BESTEHEND BEINHALTET VORANGEHENDEN ANSPRUECHE GEMAESS"),
        (
            "fr",
            "selon l'une quelconque des revendications précédentes, caractérisé en ce qu'il comporte, ladite",
        ),
        ("fr", "CARACTERISEE COMPRENANT SELON REVENDICATION PRECEDENTE"),
        ("en", "according to any one of the preceding claims, characterised in that, wherein said, comprising"),
    ],
)
def test_the_formulas_of_claims_are_boilerplate_in_every_spelling(language: str, formula: str) -> None:
    analyzer = Analyzer(language)
    boilerplate = {*analyzer.terms(" ".join(LANGUAGES[language].boilerplate))}
    rest = {*analyzer.terms(formula)} - boilerplate
    assert rest <= {"one", "any"}
