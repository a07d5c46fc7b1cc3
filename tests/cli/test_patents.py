"""The verbs that read or make patents, and patents as users have them: drafts, tables and exports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.index import build_index
from antecede.search.topics import is_list
from tests.cli.conftest import one_line
from tests.corpus.application_files import docx, pdf
from tests.corpus.formats.test_jsonl import GOOGLE, LENS
from tests.corpus.formats.test_tabular import LENS_CSV
from tests.corpus.worlds import COLLECTION, marec, write_jsonl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_jsonl(tmp_path / "c.jsonl", *COLLECTION)
    (tmp_path / "a.xml").write_text(marec("1000000", "A1"))
    (tmp_path / "zeros").write_bytes(bytes(5000))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_formats_tells_what_files_hold(program: Program) -> None:
    seen = program("list", "formats", "c.jsonl", "a.xml", "zeros", "--rejects", "r.jsonl", "--json")
    assert seen.code == 1
    assert [each["documents"] for each in json.loads(seen.out)] == [5, 1, 0]
    table = program("list", "formats", "zeros")
    assert "a file of zeros" in table.out


def test_topics_writes_both_files(program: Program, here: Path) -> None:
    seen = program("topics", "c.jsonl", "--out", "t", "--json", "--quiet")
    assert seen.code == 0
    assert json.loads(seen.out)["topics"] == 1
    assert (here / "t" / "qrels.txt").read_text() == "EP1000003 0 EP1000001 3\nEP1000003 0 EP1000002 2\n"


@pytest.mark.usefixtures("here")
def test_topics_without_any_say_so(program: Program) -> None:
    one_line(program("topics", "a.xml", "--out", "t", "--quiet"), "no topic")


@pytest.mark.usefixtures("here")
def test_show_lists_or_shows(program: Program) -> None:
    assert "5 patents; name one to see it" in program("show", "c.jsonl").out
    assert "A press with a valve" in program("show", "c.jsonl", "EP-1000003").out
    assert json.loads(program("show", "a.xml", "--json").out)["doc_id"] == "EP1000000"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("field", ["doc_id", "=x", "doc_id="])
def test_a_field_written_wrongly_is_refused(program: Program, field: str) -> None:
    one_line(program("show", "c.jsonl", "--field", field), "ours=theirs")


def test_it_writes_a_collection_and_counts_it(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 120, "--topics", 5, "--out", tmp_path / "made", "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (done.json["patents"], done.json["topics"], done.json["seed"]) == (120, 5, 1)
    assert done.json["documents"] == len(list((tmp_path / "made").rglob("*.xml")))
    assert done.json["relevant"] == len((tmp_path / "made" / "qrels.txt").read_text().splitlines())
    table = program("synthesize", "--patents", 100, "--form", "jsonl", "--out", tmp_path / "small").out
    rows = dict(line.rsplit(maxsplit=1) for line in table.splitlines()[2:-1])
    assert (rows["patents"], rows["topics"]) == ("100", "25")


DRAFT = [
    "Mesh of nodes",
    "Description",
    "The mesh connects the nodes of the network, and the routing is done by each node of the mesh.",
    "Claims",
    "1. A valve with a spring.",
    "2. The valve of claim 1, wherein the spring is a coil.",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two documents: one on what the description of the draft says, the other on what its claims say."""
    folder = tmp_path_factory.mktemp("input")
    table = (
        "id,title,description\nEP1,Mesh,The mesh has nodes and routing.\nEP2,Valve,The valve has a spring and a coil.\n"
    )
    (folder / "patents.csv").write_text(table)
    build_index(Collection(folder / "patents.csv"), folder / "index", workers=1)
    return folder / "index"


@pytest.fixture
def drafts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "draft.txt").write_text("\n".join(DRAFT))
    (tmp_path / "draft.docx").write_bytes(docx(DRAFT))
    (tmp_path / "draft.pdf").write_bytes(pdf(DRAFT, []))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("drafts")
@pytest.mark.parametrize("name", ["draft.txt", "draft.docx", "draft.pdf"])
def test_a_draft_finds_by_its_description_or_its_claims(program: Program, index: Path, name: str) -> None:
    found = program("search", index, name, "--json")
    assert (found.code, found.json["hits"][0]["doc_id"]) == (0, "EP1")
    assert (found.json["topic"], "1 of 2 pages have no text" in found.err) == (name, name == "draft.pdf")
    by_claims = program("search", index, name, "--fields", "claims", "--claims", "--json").json
    assert by_claims["hits"][0]["doc_id"] == "EP2"
    terms = program("query", index, name, "--fields", "claims", "--json").json["terms"]
    assert {each["term"] for each in terms} >= {"valv", "spring"}
    shown = program("show", name, "--json").json
    assert (shown["title"], len(shown["claims"]["en"])) == ({"en": "Mesh of nodes"}, 2)


@pytest.mark.usefixtures("drafts")
def test_a_draft_is_one_topic_of_a_run(program: Program, index: Path, drafts: Path) -> None:
    assert program("run", index, "draft.txt", "--out", "a.run", "-q").code == 0
    assert (drafts / "a.run").read_text().startswith("draft.txt Q0 EP1 1 ")
    (drafts / "topics.csv").write_text("id,title,description\nEP9,x,The valve has a spring.\n")
    assert program("run", index, "topics.csv", "--out", "b.run", "-q").code == 0
    assert (drafts / "b.run").read_text().startswith("EP9 Q0 EP2 1 ")
    comment = "# those that are to be searched for, after a long comment of more than twelve words"
    (drafts / "names.txt").write_text(f"{comment}\nEP2\n")
    assert is_list(drafts / "names.txt")
    assert not any(is_list(drafts / name) for name in ("draft.txt", "draft.pdf", "draft.docx", "topics.csv"))


@pytest.mark.usefixtures("drafts")
def test_a_text_from_a_file_or_from_standard_input(program: Program, index: Path, drafts: Path) -> None:
    asked = program("search", index, "--text", "valve with a spring", "--json").json["hits"]
    assert program("search", index, "--text", "-", "--json", stdin=b"valve with a spring\n").json["hits"] == asked
    (drafts / "words.txt").write_text("valve with a spring\n")
    assert program("search", index, "--text-file", "words.txt", "--json").json["hits"] == asked
    one_line(program("search", index, "--text", "a", "--text-file", "words.txt"))
    for words, stdin, reason in (
        (["--text", "-"], b"", "standard input: an empty file"),
        (["--text", "-"], bytes(100), "standard input: a file of zeros"),
        (["--text-file", "nothing.txt"], b"", "nothing.txt: cannot be read: No such file"),
        (["--text-file", "draft.pdf.gz"], b"", "draft.pdf.gz: a gzip file"),
    ):
        (drafts / "draft.pdf.gz").write_bytes(b"\x1f\x8b" + bytes(range(100)))
        one_line(program("search", index, *words, stdin=stdin), reason)


@pytest.mark.usefixtures("drafts")
def test_exports_are_indexed_as_they_are(program: Program, drafts: Path) -> None:
    (drafts / "google.jsonl").write_text(json.dumps(GOOGLE) + "\n")
    (drafts / "lens.jsonl").write_text(json.dumps(LENS) + "\n")
    (drafts / "lens.csv").write_text(LENS_CSV)
    built = program("index", "google.jsonl", "lens.jsonl", "lens.csv", "--out", "i", "--workers", "1", "--json")
    assert (built.code, built.json["read"], built.json["rejected"]) == (0, 3, 0)
    assert built.err.count("(--preset google)") == built.err.count("(--preset lens)") == 1
    assert "--preset" not in program("list", "formats", "google.jsonl", "-q").err
    assert program("show", "i", "EP1000000", "--json").json["applicants"] == ["WORKS BV"]
    shown = program("show", "google.jsonl", "--field", "title=abstract_localized.text", "--json").json
    assert shown["title"] == {"en": "A press for data."}
    wrong = program("list", "formats", "google.jsonl", "--preset", "lense")
    assert (wrong.code, wrong.err) == (2, "antecede: unknown preset 'lense'; did you mean lens?\n")
    field = program("list", "formats", "google.jsonl", "--field", "titel=x")
    assert "there is no field 'titel'; did you mean title?" in field.err
