"""What README, tutorials and the page on troubleshooting tell a reader to type prints what they show."""

from __future__ import annotations

import ast
import os
import re
import shutil
from contextlib import chdir
from functools import cache
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from antecede.errors import advise, spell, wording_for_shell
from tests.conftest import ROOT, call_program
from tests.documented import FENCE, run_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


FOLLOWED = [ROOT / "README.md", ROOT / "docs/tutorials/evaluate.md", ROOT / "docs/tutorials/search.md"]
NOT_RUN = re.compile(r"make |pip |python3 -m venv|\. \.venv|git |cd |antecede (demo|serve)")
"""What sets up an environment, or goes on until it is stopped."""
WIDTH = "100"
"""Columns of the terminal that the tables are made for."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Path]:
    """The empty folder that a reader starts in."""
    with chdir(tmp_path), patch.object(os, "cpu_count", lambda: 1), patch.dict(os.environ, COLUMNS=WIDTH):
        yield tmp_path


def steps(page: Path) -> Iterator[tuple[list[str], list[str]]]:
    """The commands of a page, block by block, with the lines that are shown below them."""
    commands: list[str] = []
    for found in FENCE.finditer(page.read_text()):
        if found[1] == "sh":
            if commands:
                yield commands, []
            commands = [line.partition("  #")[0].strip() for line in found[2].splitlines() if line.strip()]
        elif found[1] == "text" and commands:
            yield commands, found[2].splitlines()
            commands = []
    if commands:
        yield commands, []


@pytest.mark.parametrize("page", FOLLOWED, ids=lambda page: page.stem)
@pytest.mark.usefixtures("start")
def test_a_reader_who_copies_every_line_sees_what_is_shown(page: Path) -> None:
    for commands, shown in steps(page):
        printed: list[str] = []
        for command in commands:
            if not NOT_RUN.match(command):
                outcome = run_line(command)
                assert outcome.code == 0, f"{page.name}: {command}\n{outcome.err}"
                printed += outcome.out.splitlines()
        rest = iter([line.rstrip() for line in printed])
        for line in shown:
            assert any(line.rstrip() == each for each in rest), f"{page.name}: {commands[-1]} does not print: {line}"
    for found in FENCE.finditer(page.read_text()):  # which reads what the commands have written
        if found[1] == "python":
            exec(compile(found[2], page.name, "exec"), {})  # noqa: S102 - our own page


PAGE = ROOT / "docs/guides/troubleshooting.md"
FEWEST = 20
COMPOSED = {
    "6 columns where qrels has 4": "evaluate first.run qrels.txt",
    "… columns where a run has 6": "evaluate qrels.txt short.run",
    "topics without results score 0": "evaluate qrels.txt first.run -m AP",
    "the rank column contradicts the scores": "evaluate qrels.txt swapped.run -m AP",
    "PRES needs its cutoff": "evaluate qrels.txt first.run -m PRES",
    "exists already": "fuse first.run swapped.run --out short.run",
}
"""Messages that are put together of several parts, and commands that lead to them."""


def write_part(part: ast.expr) -> str:
    """A part of a message: options as the command line has them, and … for anything else that is filled in."""
    if isinstance(part, ast.Constant):
        return str(part.value)
    call = part.value if isinstance(part, ast.FormattedValue) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in WORDINGS):
        return "…"
    if not all(isinstance(argument, ast.Constant) for argument in call.args):
        return "…"
    with wording_for_shell():
        return WORDINGS[call.func.id](*(ast.literal_eval(argument) for argument in call.args))


WORDINGS: dict[str, Callable[..., str]] = {"spell": spell, "advise": advise}


@cache
def messages() -> str:
    """All strings of the code, with … for what is filled in."""
    found = []
    for path in (ROOT / "src/antecede").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                found.append("".join(map(write_part, node.values)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return "\n".join(found)


def explained() -> list[str]:
    """The messages of the page."""
    return re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(), re.MULTILINE)


def fragments(message: str) -> list[str]:
    """What a message says between what is filled in, and before and after a remedy."""
    return [part for each in re.split("…|; ", message) if (part := each.strip(" ,;:()"))]


def test_every_message_is_one_of_the_code() -> None:
    assert len(explained()) >= FEWEST
    for message in explained():
        if not message.startswith((*COMPOSED,)):
            for fragment in fragments(message):
                assert fragment in messages(), f"{message}: no message says {fragment!r}"


def test_messages_of_several_parts_are_printed(documented_folder: Path, tmp_path: Path) -> None:
    shutil.copy(documented_folder / "qrels.txt", tmp_path)
    lines = (documented_folder / "a.run").read_text().splitlines()
    topic = [line.split() for line in lines if line.split()[0] == lines[0].split()[0]]
    (tmp_path / "first.run").write_text("".join(" ".join(row) + "\n" for row in topic))
    swapped = [[*row[:4], str(-float(row[4])), row[5]] for row in topic]
    (tmp_path / "swapped.run").write_text("".join(" ".join(row) + "\n" for row in swapped))
    (tmp_path / "short.run").write_text("1 Q0 doc\n")
    with chdir(tmp_path):
        for beginning, command in COMPOSED.items():
            message = next(each for each in explained() if each.startswith(beginning))
            outcome = call_program(*command.split())
            said = " ".join((outcome.err + outcome.out).split())
            for fragment in fragments(message):
                assert fragment in said, f"{command}: {said}"
