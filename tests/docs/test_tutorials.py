"""README and the tutorials are followed line by line in an empty folder, and print what they show."""

from __future__ import annotations

import os
import re
from contextlib import chdir
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

from tests.conftest import ROOT
from tests.documented import FENCE, run_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.docs
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
