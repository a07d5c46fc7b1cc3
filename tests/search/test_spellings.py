"""Every spelling of a word finds the same documents in every door: text, word, field, phrase, truncation, filter."""

from __future__ import annotations

import json
import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antecede.conditions.filters import Filters, condition_on, limit_field
from antecede.conditions.parser import parse_expression
from antecede.conditions.spans import mark_expression
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import open_index
from antecede.index.maintain import build_index
from antecede.search.pipeline import rank
from antecede.text import load_profile
from tests.engine.plain import PlainEngine

if TYPE_CHECKING:
    from antecede.engine import Engine, Selection

FAMILIES = {
    "fr": ("mémoire", "œuvre", "étanchéité", "fenêtre", "façade", "caractérisée", "naïveté", "première"),
    "de": ("wärme", "gemäß", "verschluß", "prüfung", "größe", "höhe", "prozeß", "äußerer"),
}
"""Words whose spellings are generated."""
COMPANY = {"fr": "Société", "de": "Müller"}
TRANSCRIBED = {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE"}


def spellings_of(word: str, language: str) -> st.SearchStrategy[str]:
    """A word as somebody may write it: letter by letter with or without accents, written out, in capitals, decomposed,
    with soft hyphens.
    """

    def spell(how: list[int], capitals: str, form: str, hyphen: int | None) -> str:
        letters = []
        for letter, choice in zip(word, how, strict=True):
            written = {"œ": "oe", "ß": "ss"}.get(letter, letter) if choice else letter
            if choice == 1 and language == "de":
                written = TRANSCRIBED.get(written, written)
            elif choice == 2:
                written = "".join(c for c in unicodedata.normalize("NFD", written) if not unicodedata.combining(c))
            letters.append(written)
        if hyphen is not None:
            letters.insert(hyphen, "\N{SOFT HYPHEN}")
        text = "".join(letters)
        return unicodedata.normalize(
            "NFC" if form == "NFC" else "NFD", {"upper": text.upper(), "title": text.title(), "lower": text}[capitals]
        )

    return st.builds(
        spell,
        st.lists(st.integers(0, 2), min_size=len(word), max_size=len(word)),
        st.sampled_from(["upper", "title", "lower"]),
        st.sampled_from(["NFC", "NFD"]),
        st.none() | st.integers(1, len(word) - 1),
    )


words = st.sampled_from([(language, word) for language in FAMILIES for word in FAMILIES[language]])
spelled = words.flatmap(lambda own: st.tuples(st.just(own[0]), st.just(own[1]), spellings_of(own[1], own[0])))


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> tuple[EmbeddedEngine, PlainEngine]:
    """Each word in three spellings, of the one field and the other."""
    folder, patents = tmp_path_factory.mktemp("spellings"), []
    for language, own in FAMILIES.items():
        article = {"fr": "l'", "de": "der "}[language]
        for word in own:
            plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
            for at, written in enumerate((word, word.upper(), plain.replace("œ", "oe"))):
                other = "".join(TRANSCRIBED.get(letter, letter) for letter in written) if language == "de" else written
                patents.append(
                    {
                        "doc_id": f"{language}-{word}-{at}",
                        "language": language,
                        "title": {language: f"pompe {article}{written} axe"},
                        "claims": {language: [f"pompe avec {other} axe"]},
                        "applicants": [COMPANY[language] if at else COMPANY[language].upper(), other],
                    }
                )
    file = folder / "patents.jsonl"
    file.write_text("".join(json.dumps(patent) + "\n" for patent in patents))
    build_index(file, folder / "index", workers=1)
    index = open_index(folder / "index")
    assert isinstance(index, EmbeddedEngine)
    return index, PlainEngine(index.records(range(index.size)))


def meeting(engine: Engine, expression: str) -> set[str]:
    selection = engine.select(Filters(others=(condition_on(engine, parse_expression(expression)),)))
    return names_in(engine, selection)


def names_in(engine: Engine, selection: Selection) -> set[str]:
    numbers = np.arange(engine.size)
    return {*engine.names(numbers[selection.contains(numbers)])}


DOORS = (
    "{}", "ti:{}", "cl:{}", '"pompe {}"', '"{} axe"', "ti:(pompe NEAR/2 {})", "{}*", "ti:{}*", "cl:({} ADJ/1 axe)",
    'ti:"{} ax*"', "ti:(pompe NEAR/2 l'{})",
)  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(spelled)
def test_every_spelling_finds_the_same_documents(
    engines: tuple[EmbeddedEngine, PlainEngine], own: tuple[str, str, str]
) -> None:
    language, word, written = own
    every = {f"{language}-{word}-{at}" for at in range(3)}
    for engine in engines:
        for door in DOORS:
            if ("l'" in door or door == '"pompe {}"') and language != "fr":
                continue
            assert meeting(engine, door.format(written)) == every, (door, written)
    index = engines[0]
    hits = rank(index, written, language=language, ranking="classic")
    assert {*index.names(hits.merged.numbers)} == every
    named = index.select(Filters(others=(limit_field("applicant", [written]),)))
    assert names_in(index, named) >= every
    text = f"pompe {written} axe"
    marks = mark_expression(index.analyzer(language), parse_expression(f"{word}*"), [("title", text)])
    assert [text[first:end] for first, end in marks[0]] == [written]


@pytest.mark.parametrize("written", ["Müller", "MUELLER", "mueller", "MÜLLER", "Muller", "Mu\u0308ller"])
def test_every_spelling_of_a_name_is_the_same(engines: tuple[EmbeddedEngine, PlainEngine], written: str) -> None:
    assert meeting(engines[0], f"pa:{written}") == {f"de-{word}-{at}" for word in FAMILIES["de"] for at in range(3)}


def test_an_index_without_folding_answers_by_its_own_rules(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("published")
    file = folder / "patents.jsonl"
    titles = {"A": "mémoire", "B": "MEMOIRE", "C": "l'eau"}
    rows = [{"doc_id": name, "language": "fr", "title": {"fr": title}} for name, title in titles.items()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    build_index(file, folder / "index", workers=1, profile="published")
    index = open_index(folder / "index")
    assert index.profile == load_profile("published")
    assert '"version": 1' in index.profile.to_json()  # as indexes have it that were made before there was folding
    assert meeting(index, "mémoire") == meeting(index, "mémoire*") == {"A"}
    assert meeting(index, "memoire") == {"B"}
    assert meeting(index, '"l eau"') == {"C"}
