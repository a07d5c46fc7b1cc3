"""What users have, as they give it to the program: drafts to search with, tables and exports to index."""

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

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

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
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "draft.txt").write_text("\n".join(DRAFT))
    (tmp_path / "draft.docx").write_bytes(docx(DRAFT))
    (tmp_path / "draft.pdf").write_bytes(pdf(DRAFT, []))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
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


@pytest.mark.usefixtures("here")
def test_a_draft_is_one_topic_of_a_run(program: Program, index: Path, here: Path) -> None:
    assert program("run", index, "draft.txt", "--out", "a.run", "-q").code == 0
    assert (here / "a.run").read_text().startswith("draft.txt Q0 EP1 1 ")
    (here / "topics.csv").write_text("id,title,description\nEP9,x,The valve has a spring.\n")
    assert program("run", index, "topics.csv", "--out", "b.run", "-q").code == 0
    assert (here / "b.run").read_text().startswith("EP9 Q0 EP2 1 ")
    comment = "# those that are to be searched for, after a long comment of more than twelve words"
    (here / "names.txt").write_text(f"{comment}\nEP2\n")
    assert is_list(here / "names.txt")
    assert not any(is_list(here / name) for name in ("draft.txt", "draft.pdf", "draft.docx", "topics.csv"))


@pytest.mark.usefixtures("here")
def test_a_text_from_a_file_or_from_standard_input(program: Program, index: Path, here: Path) -> None:
    asked = program("search", index, "--text", "valve with a spring", "--json").json["hits"]
    assert program("search", index, "--text", "-", "--json", stdin=b"valve with a spring\n").json["hits"] == asked
    (here / "words.txt").write_text("valve with a spring\n")
    assert program("search", index, "--text-file", "words.txt", "--json").json["hits"] == asked
    one_line(program("search", index, "--text", "a", "--text-file", "words.txt"))
    for words, stdin, reason in (
        (["--text", "-"], b"", "standard input: an empty file"),
        (["--text", "-"], bytes(100), "standard input: a file of zeros"),
        (["--text-file", "nothing.txt"], b"", "nothing.txt: cannot be read: No such file"),
        (["--text-file", "draft.pdf.gz"], b"", "draft.pdf.gz: a gzip file"),
    ):
        (here / "draft.pdf.gz").write_bytes(b"\x1f\x8b" + bytes(range(100)))
        one_line(program("search", index, *words, stdin=stdin), reason)


@pytest.mark.usefixtures("here")
def test_exports_are_indexed_as_they_are(program: Program, here: Path) -> None:
    (here / "google.jsonl").write_text(json.dumps(GOOGLE) + "\n")
    (here / "lens.jsonl").write_text(json.dumps(LENS) + "\n")
    (here / "lens.csv").write_text(LENS_CSV)
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
