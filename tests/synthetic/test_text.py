"""Templates are parallel between languages and leave no gaps in a text; articles agree with their nouns."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from antecede.synthetic.collection import compute_lengths
from antecede.synthetic.lexicon import KINDS, LANGUAGES, insert_relation, load_lines, load_templates, load_vocabulary
from antecede.synthetic.plan import RandomStreams, make_plan
from antecede.synthetic.text import STEP, compose

if TYPE_CHECKING:
    from antecede.synthetic.text import SyntheticPatent

PATENTS = 150
GENDERS = {"der": "m", "die": "f", "das": "n"}


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
            found += [patent.abstract, *(paragraph for section in patent.sections.values() for paragraph in section)]
    return found


def test_the_vocabulary_needs_no_escaping() -> None:
    for path in (files("antecede.synthetic") / "vocabulary").iterdir():
        assert not re.search(r'["\\<>&]', path.read_text(encoding="utf-8")), path.name


def test_the_vocabulary_has_synonyms_in_every_language() -> None:
    words = load_vocabulary()
    for language in LANGUAGES:
        assert all(len(set(idea)) == 3 for idea in (*words.modifiers[language], *words.heads[language]))
    assert len(words.fields) >= 60
    assert len({field.subclass for field in words.fields}) == len(words.fields)
    assert all(re.fullmatch(r"[A-H]\d\d[A-Z]", field.subclass) for field in words.fields)
    assert {len(set(field.heads)) for field in words.fields} == {11}, "a prime number, so that every step visits all"
    for field in words.fields:
        assert words.modifier_counts[KINDS.index(field.kind), list(field.heads)].min() >= 20
    assert all(re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]+", noun.word) for idea in words.heads["DE"] for noun in idea)
    assert all(re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]*", word) for idea in words.modifiers["DE"] for word in idea)
    for word in (word for idea in words.modifiers["FR"] for word in idea):
        assert re.match(r"(de [^aeéèêiouyœ]|d'[aeéèêhiouyœ]|à )", word), word


def test_languages_have_the_same_templates_where_claims_must_agree() -> None:
    for kind in KINDS:
        templates = [load_templates(language, kind) for language in LANGUAGES]
        for name in ("title", "claim", "dependent"):
            shapes = [[len(variants) for variants in each[name]] for each in templates]
            assert shapes[0] == shapes[1] == shapes[2]
    for language in LANGUAGES:
        assert load_lines(language).keys() == load_lines("EN").keys()
        for name, lines in load_lines(language).items():
            assert not lines or len({at * STEP % len(lines) for at in range(len(lines))}) == len(lines), name
    assert insert_relation("dass {a.der} {rel#}", "an {b.dem} anliegt") == "dass {a.der} an {b.dem} ({b.n}) anliegt"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_gap_is_left_and_every_sentence_ends(written: list[SyntheticPatent], language: str) -> None:
    found = texts(written, language)
    assert len(found) > PATENTS
    for text in found:
        assert not re.search(r"[{}%]s|\{|\}|  |\(\)| ,|\.\.| \.", text), text
        assert text[0].isupper() or not text[0].isalpha(), text


def test_articles_agree_in_running_text(written: list[SyntheticPatent]) -> None:
    for text in texts(written, "EN"):
        for article, word in re.findall(r"(?<!\d )\b([Aa]n?) ([A-Za-z-]+)", text):
            vowel = word[0].lower() in "aeiou" and not word.startswith(("uni", "u-"))
            assert (article.lower() == "an") == vowel, text
    heads = {noun.word.lower(): noun.gender for idea in load_vocabulary().heads["DE"] for noun in idea}
    seen = 0
    for text in texts(written, "DE"):
        for article, noun in re.findall(
            r"(?:^|[.;] |dass )(Der|Die|Das|der|die|das) ([A-ZÄÖÜ][a-zäöüß]+) \(\d+\)", text
        ):
            ends = [head for head in heads if noun.lower().endswith(head)]
            genders = {heads[head] for head in ends if len(head) == max(map(len, ends))}
            assert genders == {GENDERS[article.lower()]}, f"{article} {noun}"
            seen += 1
    assert seen > 50
    for text in texts(written, "FR"):
        assert not re.search(r"\b([Ll]e|[Ll]a|de|que) [aeéèêiouœ](?!n? )[a-zéèê]", text), text
        assert not re.search(r"\b(de le|à le|de les|à les) ", text), text


def test_every_text_declares_itself_synthetic(written: list[SyntheticPatent]) -> None:
    for patent in written:
        declaration = load_lines(patent.language)["synthetic"][0]
        assert declaration in patent.abstract
        assert next(iter(patent.sections.values()))[0] == declaration


def test_a_paragraph_does_not_repeat_a_sentence(written: list[SyntheticPatent]) -> None:
    for patent in written:
        for section in patent.sections.values():
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
