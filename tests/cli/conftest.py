"""The program, and a folder with qrels and two runs in which it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.conftest import Outcome, call_program

if TYPE_CHECKING:
    from pathlib import Path


class Program(Protocol):
    def __call__(self, *words: object, stdin: bytes = b"") -> Outcome: ...


@pytest.fixture
def program() -> Program:
    return call_program


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
