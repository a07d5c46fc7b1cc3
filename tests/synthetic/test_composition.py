"""Sentence patterns are parallel between languages, and leave no gaps in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from antecede.synthetic.collection import compute_lengths
from antecede.synthetic.composition import STEP, compose
from antecede.synthetic.lexicon import (
    FILES,
    KINDS,
    LANGUAGES,
    insert_relation,
    load_lexicon,
    load_phrase_book,
    read_sections,
)
from antecede.synthetic.plan import make_plan
from antecede.synthetic.random_streams import RandomStreams

if TYPE_CHECKING:
    from antecede.synthetic.composition import SyntheticPatent

PATENTS = 150
RIGHT_ARTICLE = {"der": "m", "die": "f", "das": "n"}


@pytest.fixture(scope="module")
def written() -> list[SyntheticPatent]:
    plan, streams = make_plan(PATENTS, 30, 11), RandomStreams(11)
    return [compose(plan, row, streams.open_stream(row), compute_lengths(900)) for row in range(PATENTS + 30)]


def texts(patents: list[SyntheticPatent], language: str) -> list[str]:
    """All texts in one language: titles and claims, and everything else if it is the language of the patent."""
    found = []
    for patent in patents:
        found += [patent.titles[language], *patent.claims.get(language, [])]
        if patent.language == language:
            found += [patent.abstract, *(paragraph for section in patent.sections for paragraph in section)]
    return found


def test_german_relations_in_main_and_subordinate_clauses() -> None:
    engaging = "greift; in {b.den} ein; in {b.den} eingreift"
    assert insert_relation("{a.Der} {fin} {mid}.", engaging) == "{a.Der} greift in {b.den} ein."
    assert insert_relation("dass {a.der} {sub#}", engaging) == "dass {a.der} in {b.den} ({b.n}) eingreift"
    connected = "ist; mit {b.dem} verbunden"
    assert insert_relation("dass {a.der} {sub}", connected) == "dass {a.der} mit {b.dem} verbunden ist"


def test_languages_have_the_same_patterns_where_claims_must_agree() -> None:
    for kind in KINDS:
        books = [load_phrase_book(language, kind) for language in LANGUAGES]
        for part in ("title", "claim", "dependent"):
            shapes = [[len(variants) for variants in getattr(each, part)] for each in books]
            assert shapes[0] == shapes[1] == shapes[2]
        assert len({len(load_lexicon().relations[kind][language]) for language in LANGUAGES}) == 1
        assert len({len(each.headings) for each in books}) == 1


def test_the_stride_reaches_every_pattern_of_a_list() -> None:
    for language in LANGUAGES:
        for name, lines in read_sections(FILES[language]).items():
            assert len({at * STEP % len(lines) for at in range(len(lines))}) == len(lines), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_gap_is_left_and_every_sentence_ends(written: list[SyntheticPatent], language: str) -> None:
    found = texts(written, language)
    assert len(found) > PATENTS
    for text in found:
        assert not re.search(r"[{}%]s|\{|\}|  |\(\)| ,|\.\.| \.", text), text
        assert text[0].isupper() or not text[0].isalpha(), text


def test_english_articles_in_running_text(written: list[SyntheticPatent]) -> None:
    for text in texts(written, "EN"):
        for article, word in re.findall(r"(?<!\d )\b([Aa]n?) ([A-Za-z-]+)", text):
            vowel = word[0].lower() in "aeiou" and not word.startswith(("uni", "u-"))
            assert (article.lower() == "an") == vowel, text


def test_german_articles_agree_in_running_text(written: list[SyntheticPatent]) -> None:
    """Nouns with a nominative article at the start of a sentence have the article of their gender."""
    heads = {head.word.lower(): head.gender for idea in load_lexicon().heads["DE"] for head in idea}
    seen = 0
    for text in texts(written, "DE"):
        for article, noun in re.findall(r"(?:^|[.;] )(Der|Die|Das) ([A-ZÄÖÜ][a-zäöüß]+) \(\d+\)", text):
            ends = [head for head in heads if noun.lower().endswith(head)]
            genders = {heads[head] for head in ends if len(head) == max(map(len, ends))}
            assert genders == {RIGHT_ARTICLE[article.lower()]}, f"{article} {noun}"
            seen += 1
    assert seen > 50


def test_french_elides_before_a_vowel(written: list[SyntheticPatent]) -> None:
    for text in texts(written, "FR"):
        assert not re.search(r"\b([Ll]e|[Ll]a|de|que) [aeéèêiouœ](?!n? )[a-zéèê]", text), text
        assert not re.search(r"\b(de le|à le|de les|à les) ", text), text


def test_every_text_declares_itself_synthetic(written: list[SyntheticPatent]) -> None:
    for patent in written:
        declaration = load_phrase_book(patent.language, "m").synthetic
        assert declaration in patent.abstract
        assert patent.sections[0][0] == declaration


def test_a_paragraph_does_not_repeat_a_sentence(written: list[SyntheticPatent]) -> None:
    for patent in written:
        for section in patent.sections:
            for paragraph in section:
                sentences = paragraph.split(". ")
                assert len(sentences) - len(set(sentences)) <= 1


def test_a_claim_refers_to_an_earlier_one(written: list[SyntheticPatent]) -> None:
    for patent in written:
        for claims in patent.claims.values():
            assert len(claims) == len(set(claims)) >= 3
            for number, claim in enumerate(claims, 1):
                named = [int(each) for each in re.findall(r"(?:claim|Anspruch|revendication) (\d+)", claim)]
                assert all(each < number for each in named)
                several = re.search(r"(?:claims|Ansprüche|revendications) 1 (?:to|bis|à) (\d+)", claim)
                assert several is None or 1 < int(several[1]) < number
