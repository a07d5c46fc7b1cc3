"""The program, and a folder with qrels and two runs in which it is called."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from tests.conftest import Outcome, call_program

if TYPE_CHECKING:
    from pathlib import Path


class Program(Protocol):
    def __call__(self, *words: object, stdin: bytes = b"") -> Outcome: ...


@pytest.fixture
def program() -> Program:
    return call_program


def one_line(outcome: Outcome, *parts: str) -> str:
    """The message of a call that is refused: one line with these parts, without a sign that steers the terminal."""
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1), outcome
    line = outcome.err[:-1]
    assert line.startswith("antecede: ")
    assert line.isprintable()
    for part in parts:
        assert part in line, line
    return line


def run_alone(*words: object) -> tuple[str, set[str]]:
    """What the program prints in a process of its own, and the modules that it has loaded then."""
    script = (
        f"import sys; from antecede.cli import main\nsys.argv = {['antecede', *map(str, words)]}\n"
        "try: main()\nexcept SystemExit as end: print(end.code, *sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    code, *modules = done.stderr.splitlines()[-1].split()
    assert code in ("0", "None"), done.stderr
    return done.stdout, {*modules}


def mesh_patents(count: int) -> list[dict[str, Any]]:
    """Patents about a mesh network, one for each year, as lines of JSON; every other one is of class G06F."""
    return [
        {
            "doc_id": f"EP10000{number:02}",
            "publication_date": f"20{number:02}-01-01",
            "priority_date": f"20{number:02}-01-01",
            "ipc": ["H04L 12/56" if number % 2 else "G06F 17/30"],
            "language": "en",
            "title": f"Network number {number}",
            "claims": {"en": [f"1. A network with {'mesh ' * number}nodes."]},
            "description": {
                "en": f"The network has nodes. {'A mesh connects them. ' * number}Routing is done by each node."
            },
        }
        for number in range(1, count + 1)
    ]


QRELS = "1 0 a 1\n1 0 b 1\n1 0 n 0\n2 0 a 1\n3 0 n 0\n"
GOOD = "1 Q0 a 1 3.0 t\n1 Q0 b 2 2.0 t\n1 Q0 x 3 1.0 t\n2 Q0 a 1 1.0 t\n"
POOR = "1 Q0 x 1 3.0 t\n1 Q0 b 2 2.0 t\n9 Q0 a 1 1.0 t\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with qrels and two runs, in which the program is called."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "good.run").write_text(GOOD)
    (tmp_path / "poor.run").write_text(POOR)
    monkeypatch.chdir(tmp_path)
    return tmp_path
