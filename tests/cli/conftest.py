"""The program inside the test's own process: as the real one, but without the half second it takes to start."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Protocol

import pytest

from antecede.cli import main
from tests.conftest import Outcome

if TYPE_CHECKING:
    from pathlib import Path


class Program(Protocol):
    def __call__(self, *words: object, stdin: bytes = b"") -> Outcome: ...


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    def run(*words: object, stdin: bytes = b"") -> Outcome:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        monkeypatch.setattr(sys, "argv", ["antecede", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        printed = [stream.buffer.getvalue().decode() for stream in (out, err)]
        return Outcome(int(ended.value.code or 0), *printed)

    return run


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
