"""What tests share: where the real data is, the program as a user runs it, and a browser."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

# One machine is slower than another, and a test that fails by the clock says nothing about the code.
settings.register_profile("steady", deadline=None, max_examples=60)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it are skipped where it is not there."""
    folder = Path(os.environ.get("ANTECEDE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data: set ANTECEDE_DATA, or put it at ../shared/data")
    return folder


@pytest.fixture(scope="session")
def browser_program() -> str:
    """The browser of the system."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        reason = "no chromium on this machine: install the package chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="session")
def browser(browser_program: str) -> Iterator[Browser]:
    """A browser: here, since playwright refuses a second one in the same process."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser_program, args=[*alone, "--disable-dev-shm-usage"])
        yield opened
        opened.close()


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
