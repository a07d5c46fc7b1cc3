"""The verbs that search and that make queries, as a user calls them."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.engine import open_index
from antecede.index import build_index
from antecede.search.engine import search_index
from tests.cli.conftest import mesh_patents, one_line, run_alone
from tests.conftest import antecede
from tests.query.worlds import Worlds, world

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


LINES = mesh_patents(7)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    (folder / "patents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    build_index(Collection(folder / "patents.jsonl"), folder / "index", workers=1)
    search_index(open_index(folder / "index"), "a mesh network")  # compiles, so that no test is told so
    return folder / "index"


def test_a_patent_of_the_index_finds_what_came_before(program: Program, index: Path) -> None:
    done = program("search", index, "EP1000004", "--json")
    assert (done.code, done.err) == (0, "")
    assert {hit["doc_id"] for hit in done.json["hits"]} == {"EP1000001", "EP1000002", "EP1000003"}
    assert done.json["topic"] == "EP1000004"
    assert [hit["rank"] for hit in done.json["hits"]] == [1, 2, 3]
    assert len(program("search", index, "EP 1 000 004", "--before", "off", "-k", "4", "--json").json["hits"]) == 4
    assert len(program("search", index, "EP1000004", "--before", "2003-01-01", "--json").json["hits"]) == 2


def test_tables_for_people_and_programs(program: Program, index: Path) -> None:
    lines = program("search", index, "--text", "mesh network", "-k", "2").out.splitlines()
    assert lines[0] == "Found (text, 2 terms, en, feedback + cosine): 2 of 7 documents"
    assert lines[1].split() == ["rank", "score", "patent", "date", "title", "IPC"]
    assert len(lines) == 5
    rows = list(csv.DictReader(io.StringIO(program("search", index, "--text", "mesh", "--format", "csv").out)))
    assert len(rows) == 7
    assert rows[0]["title"].startswith("Network number")


def test_reasons_passages_and_claims(program: Program, index: Path) -> None:
    page = program("search", index, "EP1000003", "-k", "1", "--explain", "--passages", "--claims").out
    assert "evidence: " in page
    assert "terms: " in page
    assert "*mesh*" in page
    assert "for claim 1, “A network with mesh mesh mesh nodes.” → " in page
    assert "why" not in program("search", index, "EP1000003", "-k", "1", "--passages").out


def read_csv(program: Program, *words: object) -> list[dict[str, str]]:
    done = program("search", *words, "--format", "csv")
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_csv_has_a_column_for_everything_that_was_asked_for(program: Program, index: Path) -> None:
    words = (index, "EP1000003", "-k", "2", "--explain", "--passages")
    hits = program("search", *words, "--json").json["hits"]
    rows = read_csv(program, *words)
    assert [row["patent"] for row in rows] == [hit["doc_id"] for hit in hits]
    for row, hit in zip(rows, hits, strict=True):
        assert [each.split()[0] for each in row["why"].split("; ")] == [share["word"] for share in hit["why"]]
        assert len(row["evidence"].split("; ")) == len(hit["features"]) > 1
        for number, passage in enumerate(hit["passages"], 1):
            assert row[f"passage {number}"] == " ".join(passage["text"].split())
            assert float(row[f"passage {number} score"]) == passage["score"]
            assert row[f"passage {number} place"].startswith(passage["field"].removesuffix("s"))
    assert "passage 3" in rows[0]
    assert "passage 1" not in read_csv(program, index, "EP1000003")[0]
    page = program("search", *words, "--format", "html").out
    assert all(" ".join(hit["passages"][0]["text"].split()) in page for hit in hits)


def test_a_claim_chart_has_a_row_for_each_claim_and_hit(program: Program, index: Path) -> None:
    words = (index, "EP1000004", "--claims")
    hits = program("search", *words, "--json").json["hits"]
    rows = read_csv(program, *words)
    assert [(row["patent"], row["claim"]) for row in rows] == [(hit["doc_id"], "1") for hit in hits]
    assert [row["best passage"] for row in rows] == [hit["claims"][0]["passage"]["text"] for hit in hits]
    assert rows[0]["claim text"] == "1. A network with mesh mesh mesh mesh nodes."


def test_programs_get_whole_lists_and_all_bibliographic_data(program: Program, tmp_path: Path) -> None:
    codes, people = ["H04Q 7/22", "H04L 12/56"], ["Acme AG", "Example Inc."]
    line = {
        **LINES[0],
        "ipc": codes,
        "applicants": people,
        "inventors": ["Doe, Jane"],
        "family_id": "42",
        "kinds": ["A1"],
    }
    (tmp_path / "patents.jsonl").write_text(json.dumps(line) + "\n")
    build_index(Collection(tmp_path / "patents.jsonl"), tmp_path / "index", workers=1)
    row = read_csv(program, tmp_path / "index", "--text", "mesh")[0]
    assert row["IPC"] == "H04Q 7/22; H04L 12/56"
    assert (row["applicants"], row["inventors"], row["family"]) == ("Acme AG; Example Inc.", "Doe, Jane", "42")
    assert (row["priority"], row["published"], row["language"]) == ("2001-01-01", "2001-01-01", "en")
    assert row["Google Patents"] == "https://patents.google.com/patent/EP1000001A1/en"
    found = program("search", tmp_path / "index", "--text", "mesh", "--json").json["hits"][0]
    assert (found["ipc"], found["applicants"], found["kinds"]) == (codes, people, ["A1"])
    assert found["links"]["espacenet"] == row["Espacenet"]
    assert (
        f'href="{row["Espacenet"]}"' in program("search", tmp_path / "index", "--text", "mesh", "--format", "html").out
    )
    assert "H04Q 7/22 +1" in program("search", tmp_path / "index", "--text", "mesh").out


def test_standard_input_is_a_patent_or_a_query(index: Path) -> None:
    patent = antecede("search", index, "-", "--json", stdin=json.dumps({**LINES[2], "doc_id": "new"}).encode())
    assert patent.code == 0, patent.err
    assert patent.json["topic"] == "new"
    assert {hit["doc_id"] for hit in patent.json["hits"]} == {"EP1000001", "EP1000002"}
    query = b'{"language": "en", "terms": [{"term": "mesh"}]}'
    assert len(antecede("search", index, "--query", "-", "--json", stdin=query).json["hits"]) == 7


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say what to search for: either a patent, or --text, or --text-file, or --query"),
        (("EP1000001", "--text", "mesh"), "either a patent, or --text, or --text-file, or --query"),
        (("EP99",), "EP99: is neither a file nor a patent of the index"),
        (("EP\udcff",), r"EP\udcff: is neither a file nor a patent of the index"),  # a byte that is not UTF-8
        (("--text", "mesh", "--relevant", "EP\udfff"), r"EP\udfff: is marked, but not in the index"),
        (("--text", "the of"), "there is no word to search for"),
        (("--text", "mesh", "--model", "bm52"), "did you mean bm25?"),
        (("--text", "mesh", "--language", "xx"), "no documents in language 'xx'; it has en"),
        (("--text", "mesh", "--claims"), "claims are those of a patent"),
        (("--query", "nowhere.json"), "nowhere.json: cannot be read"),
    ],
)
def test_a_wrong_call_is_one_line_and_exit_code_2(
    program: Program, index: Path, words: tuple[str, ...], said: str
) -> None:
    one_line(program("search", index, *words), said)


def test_a_file_of_several_patents_and_a_missing_index_are_named(program: Program, index: Path) -> None:
    several = "holds 7 patents (EP1000001, EP1000002, EP1000003 …); choose one: antecede show"
    one_line(program("search", index, index.parent / "patents.jsonl"), several)
    one_line(program("search", index.parent / "none", "--text", "mesh"), "there is no such index")


HEAVY = {"antecede.corpus.citations", "lxml", "matplotlib", "pandas", "polars", "rich"}


@pytest.mark.slow
@pytest.mark.parametrize("ranking", ["auto", "classic"])
def test_a_search_loads_only_what_it_needs(index: Path, ranking: str) -> None:
    out, modules = run_alone("search", index, "--text", "a mesh network", "--ranking", ranking, "--json")
    assert not HEAVY & modules
    assert json.loads(out)["hits"]


@pytest.mark.slow
def test_whatever_compiles_first_says_so_once(index: Path, tmp_path: Path) -> None:
    line = "antecede: compiling search kernels once on this machine (some seconds) …\n"
    search = ("search", index, "--text", "a mesh network")
    expected = [(search, line), (search, ""), ((*search, "--where", "mesh*"), line)]
    for words, printed in expected:
        done = subprocess.run(
            [sys.executable, "-m", "antecede", *map(str, words)],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == printed


MADE = world(1)
TOPIC = next(each for each in MADE.patents if each.description and each.ipc and each.date)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    worlds = Worlds(tmp_path_factory.mktemp("queries"))
    worlds.of("index", MADE)
    return worlds.built["index"]


@pytest.fixture
def topics_folder(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "index").symlink_to(built)
    lines = "".join(json.dumps(each.to_dict()) + "\n" for each in MADE.patents[:8])
    (tmp_path / "topics.jsonl").write_text(lines)
    found = [each.doc_id for each in MADE.patents[8:]]
    (tmp_path / "qrels.txt").write_text("".join(f"{each.doc_id} 0 {d} 1\n" for each in MADE.patents[:8] for d in found))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("topics_folder")
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


def test_a_topic_that_is_not_there_or_broken_is_one_line(topics_folder: Path, program: Program) -> None:
    (topics_folder / "broken.jsonl").write_text("{broken")
    (topics_folder / "empty.jsonl").write_text("")
    for word in ("EP42", "broken.jsonl", "empty.jsonl", "topics.jsonl"):
        one_line(program("query", "index", word))


def test_a_run_is_written_and_can_be_evaluated(topics_folder: Path, program: Program) -> None:
    done = program("run", "index", "topics.jsonl", "--method", "tfidf", "--out", "a.run.gz", "-k", "5", "--quiet")
    assert done.code == 0, done.err
    assert (topics_folder / "a.run.gz").exists()
    assert not [*topics_folder.glob("*.partial")]
    scores = program("evaluate", "qrels.txt", "a.run.gz", "-m", "P@5", "--json").json
    assert scores["runs"][0]["scores"]["P@5"] > 0


def test_a_run_for_each_method_and_one_for_all(topics_folder: Path, program: Program) -> None:
    done = program("run", "index", "qrels.txt", "--method", "tf,bm25(k1=2,b=0.5)", "--out", "runs", "--json", "-q")
    assert done.code == 0
    assert [each["name"] for each in done.json] == ["tf", "bm25-k1=2-b=0.5"]
    assert {path.name for path in (topics_folder / "runs").iterdir()} == {"tf.run", "bm25-k1=2-b=0.5.run"}
    fused = program("run", "index", "qrels.txt", "--method", "tf,lm", "--fusion", "rrf", "--out", "f.run", "--json")
    assert (fused.json["name"], (topics_folder / "f.run").is_file()) == ("tf+lm", True)


def test_topics_that_fail_are_counted_and_the_rest_goes_on(topics_folder: Path, program: Program) -> None:
    with (topics_folder / "topics.jsonl").open("a") as file:
        file.write('{"doc_id": "EMPTY"}\n{broken\n')
    done = program("run", "index", "topics.jsonl", "--out", "a.run", "--json", "--quiet")
    assert done.code == 1
    assert (done.json["topics"], done.json["answered"]) == (10, 8)
    assert ["EMPTY"] in done.json["failed"].values()
    (topics_folder / "none.txt").write_text("EP42\n")
    nothing = program("run", "index", "none.txt", "--out", "b.run", "--quiet")
    one_line(nothing, "no topic found anything: is not in the index")
    assert not (topics_folder / "b.run").exists()


def test_a_wrong_run_is_refused_before_any_work(topics_folder: Path, program: Program) -> None:
    for words in (["--method", "x"], ["--fields", "x"], ["--before", "x"], ["--model", "x"]):
        one_line(program("run", "index", "topics.jsonl", "--out", "a.run", *words))
    (topics_folder / "file").write_text("")
    several = program("run", "index", "topics.jsonl", "--out", "file", "--method", "tf,lm")
    one_line(several, "several runs need a folder")


def test_the_number_of_terms_is_swept(topics_folder: Path, program: Program) -> None:
    options = ("--method", "tf,lm", "--at", "1,4,9", "-m", "P@5", "-k", "9")
    words = ("study", "query-length", "index", "topics.jsonl", "qrels.txt", *options)
    swept = program(*words, "--figure", "m.svg", "--json", "--quiet")
    assert swept.code == 0, swept.err
    assert (swept.json["at"], [each["name"] for each in swept.json["methods"]]) == ([1, 4, 9], ["tf", "lm"])
    assert (topics_folder / "m.svg").stat().st_size > 1000
    assert "enough" in program(*words).out
