"""The messages that the page on troubleshooting explains are those that the program prints."""

from __future__ import annotations

import ast
import re
import shutil
from contextlib import chdir
from functools import cache
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT, call_program

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.docs
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


@cache
def messages() -> str:
    """All strings of the code, with … for what is filled in."""
    found = []
    for path in (ROOT / "src/antecede").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.JoinedStr):
                found.append(
                    "".join(str(each.value) if isinstance(each, ast.Constant) else "…" for each in node.values)
                )
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
