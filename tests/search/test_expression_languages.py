"""Expressions know languages: a word is read in the searched language, or in the one that is named before it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antecede.conditions.filters import Filters, condition_on
from antecede.conditions.parser import ExpressionError, parse_expression
from antecede.conditions.spans import mark_expression
from antecede.engine import open_index
from antecede.errors import UsageError
from antecede.index.maintain import build_index
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings
from tests.engine.plain import PlainEngine
from tests.search.test_spellings import names_in

if TYPE_CHECKING:
    from antecede.engine import Engine

TITLES = {
    "E1": ("en", "A pump for water"),
    "E2": ("en", "Pumped storage, pumping"),
    "E3": ("en", "A motor"),
    "D1": ("de", "Pumpe mit Ventil"),
    "D2": ("de", "Die Pumpen und der Motor"),
    "F1": ("fr", "Pompe avec motif d'eau"),
    "F2": ("fr", "L'eau de la pompe"),
}


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> tuple[Engine, Engine]:
    folder = tmp_path_factory.mktemp("languages")
    rows = [{"doc_id": name, "language": code, "title": {code: title}} for name, (code, title) in TITLES.items()]
    rows[0]["claims"] = {"de": ["Eine Pumpe"], "en": ["A pump"]}
    (folder / "patents.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    build_index(folder / "patents.jsonl", folder / "index", workers=1)
    index = open_index(folder / "index")
    return index, PlainEngine(index.records(range(index.size)))


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("de:pumpe", "D1 D2 E1"),
        ("ti_de:pumpe", "D1 D2"),
        ("cl_de:pumpe", "E1"),
        ("en:pumpe", "E1 E2"),
        ("ti:(de:pumpe OR fr:eau)", "D1 D2 F1 F2"),
        ("de:(ti:pumpe NOT motor)", "D1"),
        ("de:pump*", "D1 D2 E1"),
        ("pumpe", "E1 E2 D1 D2"),  # a condition by itself, in no language that is searched
        ("fr:(motif NEAR/1 eau)", "F1"),
        ('fr:"motif d\'eau"', "F1"),
        ('fr:"l\'eau"', "F1 F2"),
        ("NOT de:pumpe", "E2 E3 F1 F2"),
    ],
)
def test_a_word_is_read_in_the_language_that_is_named(
    engines: tuple[Engine, Engine], expression: str, names: str
) -> None:
    node = parse_expression(expression)
    assert parse_expression(str(node)) == node
    for engine in engines:
        assert names_in(engine, engine.select(Filters(others=(condition_on(engine, node),)))) == {*names.split()}


def found(engine: Engine, where: str, topic: str | None = None, language: str | None = None) -> tuple[set[str], str]:
    result = Ranker(engine, SearchSettings(where=where, language=language, ranking="classic")).rank(topic)
    return {*engine.names(result.merged.numbers)}, " ".join(result.notes)


def test_an_expression_is_read_in_the_searched_language(engines: tuple[Engine, Engine]) -> None:
    for engine in engines:
        assert found(engine, "pumpe", "Pumpe", "de")[0] == {"D1", "D2", "E1"}
        assert found(engine, "pumpe", "pump", "en")[0] == {"E1", "E2"}
        assert found(engine, "pumpe", "pump", "all")[0] == {"E1", "E2", "D1", "D2"}
        assert found(engine, "de:pumpe", "pump", "en")[0] == {"E1"}


def test_without_a_topic_the_language_is_that_in_which_the_words_are_written(engines: tuple[Engine, Engine]) -> None:
    for engine in engines:
        names, notes = found(engine, "pumpe")
        assert names == {"D1", "D2", "E1"}
        assert "the words are read in de" in notes
        names, notes = found(engine, "de:pumpe")
        assert names == {"D1", "D2", "E1"}
        assert "the words are read" not in notes
        assert found(engine, "de:pumpe OR fr:eau")[0] == {"D1", "D2", "E1", "F1", "F2"}
        assert found(engine, "pumpe", language="all")[0] == {"E1", "E2", "D1", "D2"}
        assert found(engine, "pumpe", language="en")[0] == {"E1", "E2"}


def test_only_words_in_the_language_of_a_text_are_marked(engines: tuple[Engine, Engine]) -> None:
    node, text = parse_expression("de:pumpe OR motor"), "pump motor"
    for language, marked in (("en", ["motor"]), ("de", ["pump", "motor"])):
        spans = mark_expression(engines[0].analyzer(language), node, [("title", text)])[0]
        assert [text[first:end] for first, end in spans] == marked


@pytest.mark.parametrize(
    ("expression", "what"),
    [
        ("de:(en:pump)", "en is inside of de, a word is in one language"),
        ("pa_de:bosch", "there is no field 'pa_de'"),
        ("ti_xx:pump", "there is no field 'ti_xx'; there are ti, .*and the languages en, fr, de"),
        ("de:pumpe NEAR/3 ventil", "put the field before the whole"),
    ],
)
def test_what_names_no_language_is_refused(expression: str, what: str) -> None:
    with pytest.raises(ExpressionError, match=what):
        parse_expression(expression)


def test_a_language_that_no_text_is_in_is_refused() -> None:
    class English(PlainEngine):
        languages = ("en",)

        def __init__(self) -> None:
            self.settings = {"fields": ["title"], "positions": True}

    with pytest.raises(UsageError, match=r"^de:pumpe: no text is in de; the index has en; the description is desc:$"):
        condition_on(English(), parse_expression("de:pumpe"))
