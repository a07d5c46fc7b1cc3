"""Weights of rankings: as an option, as a file, and which ranking settings mean."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antecede.errors import InputError, UsageError
from antecede.ranking import parse_weights, read_weights, write_weights
from antecede.ranking.weights import DRAFTS, LONG_TEXTS, SHORT_TEXTS, parse_ranking, resolve_weights
from antecede.search import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.embedded.engine import EmbeddedEngine


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("bm25=1,cosine=.5", "bm25=1,cosine=0.5"),
        (" bm25 , jelinek-mercer( lambda = 0.5, terms=100 ) = 2 ", "bm25=1,jelinek_mercer(lambda=0.5,terms=100)=2"),
        ("auto,classes=0", "auto,classes=0"),
        ("auto", "auto"),
        ("classic=1,title=1e-3", "classic=1,title=0.001"),
    ],
)
def test_weights_have_a_normal_form(written: str, normal: str) -> None:
    assert parse_ranking(written) == normal
    assert parse_ranking(normal) == normal


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "no feature is given"),
        ("bm52=1", "unknown feature 'bm52'; did you mean bm25"),
        ("bm25=x", "the weight 'x' is not a number"),
        ("bm25=-1", "the weight of bm25 must be between 0 and 1000000, not -1"),
        ("bm25=nan", "the weight of bm25 must be between 0 and 1000000, not nan"),
        ("bm25=1e999", "the weight of bm25 must be between 0 and 1000000, not inf"),
        ("bm25=0", "a ranking needs a feature with a weight above 0"),
        ("bm25=1,bm25(k1=2)=1", "the feature bm25 is given two weights"),
        ("jelinek_mercer(lambda=2)=1", "lambda must be between 0 and 1, both excluded, not 2"),
        ("jelinek_mercer(mu=2)=1", "has no parameter 'mu'"),
        ("bm25==1", "is not a weight; write it as cosine=0.5"),
    ],
)
def test_what_is_not_a_ranking_is_refused(written: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_ranking(written)


def test_a_file_gives_back_the_weights_that_were_written(tmp_path: Path) -> None:
    weights = parse_weights("bm25=1,jelinek_mercer(lambda=0.5)=0.25")
    write_weights(weights, tmp_path / "weights.json", learned_from={"topics": 50})
    assert read_weights(tmp_path / "weights.json") == weights
    assert json.loads((tmp_path / "weights.json").read_text())["learned_from"] == {"topics": 50}
    assert SearchSettings(ranking=str(tmp_path / "weights.json")).ranking == str(weights)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[]", "is not a file of ranking weights"),
        (b'{"format": "antecede ranking", "version": 2, "weights": {}}', "has version 2, this program reads version 1"),
        (b'{"format": "antecede ranking", "version": 1}', "has no weights"),
        (b'{"format": "antecede ranking", "version": 1, "weights": {"bm25": "1"}}', "bm25: the weight 1 is not"),
        (b'{"format": "antecede ranking", "version": 1, "weights": {"bm25": -1}}', "bm25: the weight -1 is not"),
        (b'{"format": "antecede ranking", "version": 1, "weights": {"bm25": NaN}}', "bm25: the weight nan is not"),
        (b'{"format": "antecede ranking", "version": 1, "weights": {"fame": 1}}', "unknown feature 'fame'"),
        (b'{"format": "antecede ranking", "version": 1, "weights": {"bm25": 0}}', "needs a feature with a weight"),
        (b'{"format": "antecede ranking", "version": 1, "version": 1}', "'version' is given twice"),
    ],
)
def test_a_damaged_file_is_refused_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "weights.json").write_bytes(content)
    with pytest.raises(InputError, match=message) as error:
        parse_ranking(str(tmp_path / "weights.json"))
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(str(tmp_path / "weights.json"))


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json: cannot be read"):
        parse_ranking(str(tmp_path / "absent.json"))
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match=r"folder\.json: is not a file"):
        parse_ranking(str(tmp_path / "folder.json"))
    with pytest.raises(InputError, match="cannot be read"):
        parse_ranking("a\0.json")
    for odd in ("a" * 5000, "a\0", "\n", "(" * 100):
        with pytest.raises(UsageError):
            parse_ranking(odd)


# Which ranking settings mean


@pytest.mark.parametrize(
    ("given", "ranking"),
    [
        ({}, "auto"),
        ({"k": 5, "before": "off", "ipc_boost": 0.3}, "auto"),
        ({"method": "logtfidf"}, "classic"),
        ({"model": "bm25"}, "classic"),
        ({"terms": 75}, "classic"),
        ({"fusion": "rrf"}, "classic"),
        ({"method": "tfidf", "ranking": "auto"}, "auto"),
        ({"model": "pl2", "ranking": "classic=1,cosine=1"}, "classic=1,cosine=1"),
        ({"ranking": "classic"}, "classic"),
    ],
)
def test_whoever_describes_a_search_means_that_search(given: dict[str, Any], ranking: str) -> None:
    settings = SearchSettings(**given)
    assert settings.ranking == ranking
    assert settings.evidence == (None if ranking == "classic" else ranking)
    assert replace(settings, k=7).ranking == ranking
    again = SearchSettings(**settings.to_dict())
    assert (again, again.evidence) == (settings, settings.evidence)


def test_a_search_described_later_replaces_the_default_ranking() -> None:
    assert replace(SearchSettings(), method=("tfidf",)).evidence is None
    assert replace(SearchSettings(ranking="auto"), method=("tfidf",)).evidence == "auto"
    assert (SearchSettings().name, SearchSettings(method=("tf",)).name) == ("ranking", "tf")
    assert SearchSettings(method=("tf",), ranking="auto").name == "tf+ranking"


def test_the_default_depends_on_the_length_of_the_texts_and_can_be_changed(index: EmbeddedEngine) -> None:
    assert resolve_weights("auto", index, "en").to_dict()["weights"] == SHORT_TEXTS
    assert {*SHORT_TEXTS} - {*LONG_TEXTS} == {"feedback", "title"}
    assert {*DRAFTS} - {*SHORT_TEXTS} == set()
    changed = resolve_weights("auto,classes=0,cosine(terms=50)=2,date_distance=1", index, "en").to_dict()["weights"]
    assert changed["classes"] == 0
    assert changed["cosine(terms=50)"] == 2
    assert changed["date_distance"] == 1
    assert "cosine" not in changed
    given = resolve_weights("auto", index, "en", search_given=True).to_dict()["weights"]
    assert ("classic" in given, "bm25" in given) == (True, False)
