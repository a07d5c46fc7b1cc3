"""What the program prints: one place prints, and it escapes what would steer a terminal."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import threading
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

import antecede.cli
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

PRINTING = {"app.py", "output.py"}
EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2066\u2028\u200f\x7f"
LINES = [
    {
        "doc_id": "EP1000001",
        "title": f"=Valve {EVIL}",
        "applicants": [f"Acme {EVIL}"],
        "abstract": f"The valve {EVIL} of a spring.",
        "claims": {"en": [f"1. A valve {EVIL}"]},
        "description": f"The valve of the spring {EVIL}\nis\tshut.",
        "language": "en",
        "publication_date": "2001-01-01",
    },
    {"doc_id": "EP1000002", "title": "@Spring", "language": "en", "description": "The spring of a valve."},
]


def steering(text: str) -> set[str]:
    """The characters of a text that a terminal would obey."""
    return {sign for sign in text if not sign.isprintable() and sign not in "\n\t"}


def test_no_verb_prints_by_itself() -> None:
    folder = ROOT / "src" / "antecede" / "cli"
    assert folder.samefile(antecede.cli.__path__[0])
    for path in folder.rglob("*.py"):
        if path.name in PRINTING:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            written = isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout.write", "typer.echo")
            assert not named, (
                f"{path.name} prints in line {getattr(node, 'lineno', 0)}: call show_text of cli/output.py"
            )
            assert not written, f"{path.name}: write with cli/output.py"


def collection(folder: Path) -> Path:
    (folder / "patents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    return folder / "patents.jsonl"


def test_a_patent_is_shown_without_its_control_characters(program: Program, tmp_path: Path) -> None:
    path = collection(tmp_path)
    for words in (("EP1000001",), ("EP1000001", "--whole"), (), ("--format", "csv"), ("--format", "html")):
        done = program("show", path, *words, "--quiet")
        assert done.code == 0
        assert steering(done.out + done.err) == set()
        assert r"\x1b]0;owned\x07" in done.out
        assert r"\u202egnp" in done.out
    whole = program("show", path, "EP1000001", "--quiet").out
    assert "is  " in whole.replace("\t", "  ")


def test_json_escapes_control_characters_and_loses_none(program: Program, tmp_path: Path) -> None:
    done = program("show", collection(tmp_path), "EP1000001", "--json", "--quiet")
    assert steering(done.out) == set()
    assert done.json["title"]["en"] == f"=Valve {EVIL}"


@pytest.mark.slow
def test_a_search_shows_none_on_a_terminal_either(program: Program, tmp_path: Path) -> None:
    index = tmp_path / "index"
    assert program("index", collection(tmp_path), "--out", index, "--quiet").code == 0
    for words in (("--explain",), ("--passages",), ("--format", "csv"), ()):
        done = program("search", index, "--text", f"valve {EVIL}", *words)
        assert done.code == 0
        assert steering(done.out + done.err) == set()
    printed = on_a_terminal("search", str(index), "--text", "valve spring", "--passages", "--explain")
    assert "\x1b[1m" in printed  # words in bold, which is ours
    assert steering(re.sub(r"\x1b\[[01]m|\r", "", printed)) == set()
    printed = on_a_terminal("show", str(index), "EP1000001")
    assert steering(printed.replace("\r", "")) == set()


@pytest.mark.slow
def test_a_narrow_terminal_cuts_no_number_date_or_score(program: Program, tmp_path: Path) -> None:
    line = {
        "doc_id": "US20041234567A1",
        "title": "A valve with a spring " * 9,
        "language": "en",
        "ipc": ["F16K 17/0424"],
    }
    path = tmp_path / "patents.jsonl"
    path.write_text(json.dumps({**line, "publication_date": "2004-12-23"}) + "\n")
    assert program("index", path, "--out", tmp_path / "index", "--quiet").code == 0
    score = program("search", tmp_path / "index", "--text", "valve", "--json").json["hits"][0]["score"]
    for width in (40, 60, 80):
        printed = on_a_terminal("search", str(tmp_path / "index"), "--text", "valve", width=width)
        words = re.sub(r"\x1b\[\d*m", "", printed).split()
        assert {"US20041234567A1", "2004-12-23", f"{score:.4f}", "17/0424"} <= {*words}, width


def on_a_terminal(*words: str, width: int = 100) -> str:
    """What the program prints where its output is a terminal."""
    import pty

    ours, theirs = pty.openpty()
    parts: list[bytes] = []

    def read() -> None:
        with suppress(OSError):  # the other side was closed
            while part := os.read(ours, 1 << 16):
                parts.append(part)

    reader = threading.Thread(target=read)
    reader.start()
    with (
        os.fdopen(theirs, "w", encoding="utf-8") as screen,
        patch.dict(os.environ, TERM="xterm", COLUMNS=str(width)),
        patch.object(sys, "argv", ["antecede", *words]),
        redirect_stdout(screen),
        redirect_stderr(screen),
        pytest.raises(SystemExit) as ended,
    ):
        antecede.cli.main()
    assert not ended.value.code
    reader.join()
    os.close(ours)
    return b"".join(parts).decode()


def test_a_spreadsheet_computes_no_cell_unless_the_texts_are_asked_for_as_they_are(
    program: Program, tmp_path: Path
) -> None:
    path = collection(tmp_path)
    assert ",'@Spring" in program("show", path, "--format", "csv", "--quiet").out
    assert ",@Spring" in program("show", path, "--format", "csv-raw", "--quiet").out


def test_notes_of_a_search_are_printed_where_its_form_has_no_place_for_them(program: Program, tmp_path: Path) -> None:
    index, german = tmp_path / "index", {"doc_id": "DE1", "language": "de", "title": {"de": "Ventil"}}
    path = collection(tmp_path)
    path.write_text(path.read_text() + json.dumps(german) + "\n")
    program("index", path, "--out", index, "--quiet")
    note = "1 document has no text in en and was not searched (de 1); --language all searches them"
    for words in (("--json",), ("--format", "csv")):
        assert program("search", index, "--text", "valve", *words).err == f"antecede: {note}\n"
    done = program("search", index, "--text", "valve", "--json").json
    counts = {"searched": 2, "unsearched": 1, "unsearched_languages": {"de": 1}}
    assert done["documents"] == {**counts, "excluded": {}, "undated": 0, "dated_by_year": 0}
    assert done["notes"] == [note]
    assert note in program("search", index, "--text", "valve").out
    every = program("search", index, "--text", "valve ventil", "--language", "all", "--json")
    assert {hit["doc_id"] for hit in every.json["hits"]} == {"EP1000001", "EP1000002", "DE1"}
    assert every.json["documents"]["unsearched"] == 0
