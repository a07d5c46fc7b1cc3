"""What tests share: where the real data is, and the program as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# One machine is slower than another, and a test that fails by the clock says nothing about the code.
settings.register_profile("steady", deadline=None, max_examples=60)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it are skipped where it is not there."""
    folder = Path(os.environ.get("ANTECEDE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data: set ANTECEDE_DATA, or put it at ../shared/data")
    return folder


@dataclass(frozen=True)
class Outcome:
    """What the program printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def antecede(*words: object, stdin: bytes | None = None) -> Outcome:
    """Run the program as a user would, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "antecede", *map(str, words)], input=stdin, capture_output=True, check=False
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def find_command(program: Any, verb: str) -> Any:
    """The command of a verb, which may be one of a group."""
    for word in verb.split():
        program = program.commands[word]
    return program
