"""The program as a whole: interruption, help, completion, and what is printed, which steers no terminal."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

import antecede.cli
from antecede.cli import app
from antecede.cli.bundles import expand_verb
from tests.cli.conftest import one_line
from tests.conftest import ROOT

if TYPE_CHECKING:
    from tests.cli.conftest import Program


PROGRAM = [sys.executable, "-c", "from antecede.cli import main; main()"]


def test_the_verbs_that_resume_say_so_when_they_are_interrupted(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_resume = set()
    for name in app.MODULES:
        if "resume" in inspect.signature(expand_verb(app.load_verb(name))).parameters:
            with_resume.add(name)
    assert {name for name, text in app.CONTINUED.items() if "--resume" in text} == with_resume

    def interrupt(_: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "call", interrupt)
    for words, end in (
        (("run", "x.index", "topics", "--out", "a.run"), "; the same command with --resume continues"),
        (("experiment", "x.toml"), "; the same command continues with the step that was interrupted"),
        (("evaluate", "qrels", "a.run"), ""),
    ):
        done = program(*words)
        assert (done.code, done.out, done.err) == (130, "", f"antecede: interrupted{end}\n")


LISTS: dict[str, tuple[str, str, str, str]] = {
    "methods": ("lmipc", "tfidf", "log(N / df)", "tfidff"),
    "models": ("lm_dirichlet(mu=2000)", "pl2", "Source: Amati & van Rijsbergen", "pl3"),
    "formats": ("<patent-document>", "jsonl", "doc_id", ""),
    "measures": ("PRES", "PRES", "PRES", "PRESS"),
    "features": ("cosine", "cosine", "cosine", "cosin"),
    "rules": ("knee", "knee", "knee", "kne"),
    "estimators": ("chapman", "chapman", "chapman", "chapmann"),
}
"""Of each verb of `list`: what it lists, a name, what the name is explained by, and a name that is wrong."""


@pytest.mark.parametrize("verb", LISTS)
def test_entries_are_listed_and_explained(program: Program, verb: str) -> None:
    listed, name, explanation, wrong = LISTS[verb]
    assert listed in program("list", verb).out
    assert explanation in program("list", verb, name).out
    assert name in {entry["name"] for entry in program("list", verb, "--json").json}
    if wrong:
        one_line(program("list", verb, wrong), f"did you mean {name}")


def test_ctrl_c_ends_in_one_line() -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        [*PROGRAM, "evaluate", "-", "x.run"],
        stdin=read,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a shell's & ignores it
    ) as running:
        try:
            os.write(write, b"1 0 a 1\n")
            while select.select([read], [], [], 0)[0]:  # until the program has read it, and waits for more
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            _, err = running.communicate()
        finally:
            running.kill()
            os.close(write)
    assert (running.returncode, err) == (130, "antecede: interrupted\n")


def test_a_folder_that_takes_no_files_is_not_said_to_be_missing(here: Path, program: Program) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("there is no /proc here")
    done = program("evaluate", "qrels", "good.run", "--save", "/proc/ranks.npz")
    assert done.code == 2
    assert "no file can be created in that folder" in done.err


def test_the_help_shows_arguments_as_declared(program: Program) -> None:
    """With any release of typer: 0.29 on its own prints `{QRELS} [RUN...]...`."""
    assert "--debug" in program("--help").out
    shown = program("evaluate", "--help").out
    assert shown.startswith("Usage: antecede evaluate [OPTIONS] QRELS [RUN...]\n")
    assert re.findall(r"^  (\S+)  +\S.*", shown.partition("Arguments:")[2].partition("Options:")[0], re.MULTILINE) == [
        "QRELS",
        "[RUN...]",
    ]


def test_a_terminal_without_bold_has_stars() -> None:
    """What a dumb terminal shows, through a real one."""
    pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")
    code = (
        "from antecede.tables import Table; from antecede.cli.output import show_tables; "
        "show_tables([Table(('run', 'AP'), (('a', 0.5), ('b', 0.7)), best=frozenset({(1, 1)}))], 'text')"
    )
    for term, mark in (("dumb", "0.7000*"), ("xterm", "\x1b[")):
        parent, child = pty.openpty()
        environment = {**os.environ, "TERM": term}
        environment.pop("NO_COLOR", None)
        subprocess.run([sys.executable, "-c", code], stdout=child, env=environment, check=True)
        os.close(child)
        assert mark in os.read(parent, 4096).decode()
        os.close(parent)


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({"_ANTECEDE_COMPLETE": "complete_bash", "COMP_WORDS": "antecede ev", "COMP_CWORD": "1"}, "evaluate"),
        ({"_ANTECEDE_COMPLETE": "complete_bash", "COMP_WORDS": "antecede evaluate --or", "COMP_CWORD": "2"}, "--order"),
        ({"_ANTECEDE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "antecede fu"}, '"fuse"'),
        ({"_ANTECEDE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "antecede fuse --b"}, '"--by"'),
        (
            {
                "_ANTECEDE_COMPLETE": "complete_fish",
                "_TYPER_COMPLETE_FISH_ACTION": "get-args",
                "_TYPER_COMPLETE_ARGS": "antecede study robustness --tr",
            },
            "--treat-as",
        ),
        *(
            ({"_ANTECEDE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}, found)
            for words, found in {
                "antecede evaluate qrels.txt -m PRES": "PRESest",
                "antecede compare qrels.txt -m AP,nD": "AP,nDCG",
                "antecede search x.index --method log": "logtfidf",
                "antecede study retrievability x.index --model bm": "bm25",
                "antecede learn weights x.index --feature cos": "cosine",
                "antecede search x.index --fields cl": "claims",
                "antecede review stop x.sqlite --rule kn": "knee",
            }.items()
        ),
    ],
)
def test_shells_complete_verbs_and_options(environment: dict[str, str], found: str) -> None:
    done = subprocess.run(PROGRAM, capture_output=True, text=True, env={**os.environ, **environment}, check=True)
    assert found in done.stdout
    assert done.stderr == ""


def test_runs_and_folders_are_completed(tmp_path: Path) -> None:
    for name in ("a.run", "a.png"):
        (tmp_path / name).touch()
    (tmp_path / "all").mkdir()
    words = {"_ANTECEDE_COMPLETE": "complete_bash", "COMP_WORDS": "antecede evaluate q.txt a", "COMP_CWORD": "3"}
    done = subprocess.run(
        PROGRAM, capture_output=True, text=True, env={**os.environ, **words}, check=True, cwd=tmp_path
    )
    assert done.stdout.split() == ["a.run", "all/"]


def test_nothing_private_of_typer_is_used() -> None:
    for path in Path(antecede.cli.__file__).parent.rglob("*.py"):
        assert not re.search(r"typer\._|from typer\.\w+ import _", path.read_text()), path


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    named = {**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}  # tests need not be run from a shell
    done = subprocess.run(
        [*PROGRAM, "--show-completion", shell], capture_output=True, text=True, check=False, env=named
    )
    assert done.returncode == 0, done.stderr
    assert f"_ANTECEDE_COMPLETE=complete_{shell}" in done.stdout


def test_the_version_names_the_commit_of_a_checkout(program: Program) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+( \(commit [0-9a-f]{7,}(-dirty)?\))?\n", program("--version").out)


def test_the_version_names_the_commit_that_was_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    for origin, commit in (('{"vcs_info": {"commit_id": "0123456789abcdef"}}', "0123456789ab"), (None, None)):
        installed = SimpleNamespace(read_text=lambda _, origin=origin: origin)
        monkeypatch.setattr("importlib.metadata.distribution", lambda _, installed=installed: installed)
        assert app.find_commit() == commit


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
    assert program("search", index, "--text", "valve", "--json").json["notes"] == [note]
    assert note in program("search", index, "--text", "valve").out
