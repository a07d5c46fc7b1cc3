"""The program as a whole: interruption, messages about places, the help, completion, and terminals without bold."""

from __future__ import annotations

import inspect
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from antecede.cli import app
from antecede.cli.bundles import expand_verb

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
    missing = program("evaluate", "qrels", "good.run", "--save", "nowhere/ranks.npz")
    assert "create the folder first" in missing.err


def test_debug_is_in_the_help(program: Program) -> None:
    assert "--debug" in program("--help").out


def test_the_help_shows_arguments_as_declared(program: Program) -> None:
    """With any release of typer: 0.29 on its own prints `{QRELS} [RUN...]...`."""
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
    ],
)
def test_shells_complete_verbs_and_options(environment: dict[str, str], found: str) -> None:
    done = subprocess.run(PROGRAM, capture_output=True, text=True, env={**os.environ, **environment}, check=True)
    assert found in done.stdout
    assert done.stderr == ""


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
