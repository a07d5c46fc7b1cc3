"""The verbs that make queries: methods, query, run, terms; and a query that was edited, searched with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.conftest import antecede
from tests.query.worlds import Worlds, world

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

MADE = world(1)
TOPIC = next(each for each in MADE.patents if each.description and each.ipc and each.date)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    worlds = Worlds(tmp_path_factory.mktemp("queries"))
    worlds.of("index", MADE)
    return worlds.built["index"]


@pytest.fixture
def here(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "index").symlink_to(built)
    lines = "".join(json.dumps(each.to_dict()) + "\n" for each in MADE.patents[:8])
    (tmp_path / "topics.jsonl").write_text(lines)
    found = [each.doc_id for each in MADE.patents[8:]]
    (tmp_path / "qrels.txt").write_text("".join(f"{each.doc_id} 0 {d} 1\n" for each in MADE.patents[:8] for d in found))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_methods_are_listed_and_explained(program: Program) -> None:
    assert "lmipc" in program("list", "methods").out
    assert "log(N / df)" in program("list", "methods", "tfidf").out
    assert {each["name"] for each in program("list", "methods", "--json").json} >= {"full", "qr"}
    wrong = program("list", "methods", "tfidff")
    assert (wrong.code, "did you mean tfidf" in wrong.err) == (2, True)


@pytest.mark.usefixtures("here")
def test_a_query_is_shown_edited_and_searched_with(program: Program) -> None:
    shown = program("query", "index", TOPIC.doc_id, "--method", "tf", "--terms", "3")
    assert shown.code == 0
    assert f"{TOPIC.doc_id}: 3 terms by tf from its description (en)" in shown.out
    query = program("query", "index", TOPIC.doc_id, "--method", "tf", "--terms", "3", "--json").json
    assert {*query} == {"topic", "method", "language", "terms"}
    assert [{*term} for term in query["terms"]] == [{"term", "weight", "count", "df", "word"}] * 3
    query["terms"] = [{"term": query["terms"][2]["term"], "weight": 5.0}]
    before = program("search", "index", TOPIC.doc_id, "--json", "--explain").json
    after = program("search", "index", "--query", "-", "--json", "--explain", stdin=json.dumps(query).encode()).json
    assert [hit["doc_id"] for hit in after["hits"]] != [hit["doc_id"] for hit in before["hits"]]
    assert {share["term"] for hit in after["hits"] for share in hit["why"]} == {query["terms"][0]["term"]}


def test_a_query_from_standard_input_and_what_stands_in(here: Path) -> None:
    line = json.dumps({"doc_id": "EP9", "lang": "en", "title": "Gear and hub"}).encode()
    made = antecede("query", here / "index", "-", "--json", stdin=line)
    assert made.code == 0
    assert "topic EP9: has no description; its title is used" in made.err
    assert {term["term"] for term in made.json["terms"]} <= {"gear", "hub"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"doc_id": "EP9"}, "has no text"),
        ({"doc_id": "EP9", "description": {"ja": "歯車"}}, "is in ja, the index has en"),
        ({"doc_id": "EP9", "description": {"en": "frumious"}}, "none of its 1 terms is in the index"),
    ],
)
def test_a_topic_that_cannot_be_searched_with_is_one_line(
    here: Path, program: Program, line: dict[str, object], message: str
) -> None:
    (here / "topic.jsonl").write_text(json.dumps(line))
    made = program("query", "index", "topic.jsonl")
    assert (made.code, made.out, len(made.err.splitlines())) == (2, "", 1)
    assert message in made.err


def test_a_topic_that_is_not_there_or_broken_is_one_line(here: Path, program: Program) -> None:
    (here / "broken.jsonl").write_text("{broken")
    (here / "empty.jsonl").write_text("")
    for word in ("EP42", "broken.jsonl", "empty.jsonl", "topics.jsonl"):
        made = program("query", "index", word)
        assert (made.code, made.out, len(made.err.splitlines())) == (2, "", 1)


def test_a_run_is_written_and_can_be_evaluated(here: Path, program: Program) -> None:
    done = program("run", "index", "topics.jsonl", "--method", "tfidf", "--out", "a.run.gz", "-k", "5", "--quiet")
    assert done.code == 0, done.err
    assert (here / "a.run.gz").exists()
    assert not [*here.glob("*.partial")]
    scores = program("evaluate", "qrels.txt", "a.run.gz", "-m", "P@5", "--json").json
    assert scores["runs"][0]["scores"]["P@5"] > 0


def test_a_run_for_each_method_and_one_for_all(here: Path, program: Program) -> None:
    done = program("run", "index", "qrels.txt", "--method", "tf,bm25(k1=2,b=0.5)", "--out", "runs", "--json", "-q")
    assert done.code == 0
    assert [each["name"] for each in done.json] == ["tf", "bm25-k1=2-b=0.5"]
    assert {path.name for path in (here / "runs").iterdir()} == {"tf.run", "bm25-k1=2-b=0.5.run"}
    fused = program("run", "index", "qrels.txt", "--method", "tf,lm", "--fusion", "rrf", "--out", "f.run", "--json")
    assert (fused.json["name"], (here / "f.run").is_file()) == ("tf+lm", True)


def test_topics_that_fail_are_counted_and_the_rest_goes_on(here: Path, program: Program) -> None:
    with (here / "topics.jsonl").open("a") as file:
        file.write('{"doc_id": "EMPTY"}\n{broken\n')
    done = program("run", "index", "topics.jsonl", "--out", "a.run", "--json", "--quiet")
    assert done.code == 1
    assert (done.json["topics"], done.json["answered"]) == (10, 8)
    assert ["EMPTY"] in done.json["failed"].values()
    (here / "none.txt").write_text("EP42\n")
    nothing = program("run", "index", "none.txt", "--out", "b.run")
    assert (nothing.code, "no topic found anything: is not in the index" in nothing.err) == (2, True)
    assert not (here / "b.run").exists()


def test_a_wrong_run_is_refused_before_any_work(here: Path, program: Program) -> None:
    for words in (["--method", "x"], ["--fields", "x"], ["--before", "x"], ["--model", "x"]):
        done = program("run", "index", "topics.jsonl", "--out", "a.run", *words)
        assert (done.code, len(done.err.splitlines())) == (2, 1), words
    (here / "file").write_text("")
    several = program("run", "index", "topics.jsonl", "--out", "file", "--method", "tf,lm")
    assert (several.code, "several runs need a folder" in several.err) == (2, True)


def test_the_number_of_terms_is_swept(here: Path, program: Program) -> None:
    words = (
        "study",
        "query-length",
        "index",
        "topics.jsonl",
        "qrels.txt",
        "--method",
        "tf,lm",
        "--at",
        "1,4,9",
        "-m",
        "P@5",
        "-k",
        "9",
    )
    swept = program(*words, "--figure", "m.svg", "--json", "--quiet")
    assert swept.code == 0, swept.err
    assert (swept.json["at"], [each["name"] for each in swept.json["methods"]]) == ([1, 4, 9], ["tf", "lm"])
    assert (here / "m.svg").stat().st_size > 1000
    assert "enough" in program(*words).out
