"""What tests share: how they are marked and seeded, the real data, the program as a user runs it, and a browser."""

from __future__ import annotations

import io
import json
import math
import os
import shutil
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import settings

# Before numpy is imported, here and in the programs that tests start: the threads of a matrix product wait for each
# other at work, and several processes of tests share the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from antecede.files import acquire_lock
from antecede.parallel import pause_garbage_collection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

# The same cases at every run, whatever the machine: the random search is `make fuzz`, with the other profile.
settings.register_profile("steady", derandomize=True, database=None, deadline=None, max_examples=15)
settings.register_profile("fuzz", database=None, deadline=None, max_examples=200, print_blob=True)
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
COMPONENTS = ("browser", "cluster")
"""Fixtures that start a component; a test that uses one has the marker of that name."""
FOLDERS = ("docs", "fuzz")
"""Folders whose tests have the marker of that name."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests; and let those of each component begin the share of one process, which alone starts it.

    A process with less to do takes from the end of the share of another.
    """
    for item in items:
        if item.path.parent.name in FOLDERS:
            item.add_marker(item.path.parent.name)
        for name in COMPONENTS:
            if name in getattr(item, "fixturenames", ()):
                item.add_marker(name)
    share = len(items) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    for number, name in enumerate(COMPONENTS):
        own = [item for item in items if item.get_closest_marker(name)]
        others = [item for item in items if not item.get_closest_marker(name)]
        begin = number * share
        items[:] = [*others[:begin], *own, *others[begin:]]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    with pause_garbage_collection():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Collect garbage between tests: finalisers fail where one nests to Python's limit, whoever left the garbage."""
    with pause_garbage_collection():
        return (yield)


@pytest.fixture(autouse=True, scope="session")
def no_fsync() -> Iterator[None]:
    """Whether bytes reach the disk matters only when the machine itself breaks down."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_progress_lines() -> Iterator[None]:
    """What takes seconds reports its progress, which on a busy machine is any call, and tests compare what is said."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("output",):
            patch.setattr(f"antecede.cli.{module}.EVERY_SECONDS", math.inf)
        yield


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A folder that all processes of the test run share."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if hasattr(request.config, "workerinput") else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True, scope="session")
def own_settings(shared_folder: Path) -> Iterator[None]:
    """Programs keep a token among the settings of their user, who here is not whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(shared_folder / "settings"))
        patch.setenv("XDG_DATA_HOME", str(shared_folder / "data"))
        yield


@pytest.fixture(scope="session")
def once(shared_folder: Path) -> Callable[[str, Callable[[], Any]], Any]:
    """A function that has something made by one process only; the others wait, and get the same JSON."""

    def make_once(name: str, make: Callable[[], Any]) -> Any:
        path = shared_folder / f"{name}.json"
        with (shared_folder / f"{name}.lock").open("w") as lock:
            while not acquire_lock(lock.fileno()):
                time.sleep(0.05)
            if not path.exists():
                part = path.with_suffix(".part")  # this process may end at any time
                part.write_text(json.dumps(make()))
                part.replace(path)
            return json.loads(path.read_text())

    return make_once


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; tests that need it are skipped where it is not there."""
    folder = Path(os.environ.get("ANTECEDE_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("no real data: set ANTECEDE_DATA, or put it at ../shared/data")
    return folder


@pytest.fixture(scope="session")
def documented_folder(once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path) -> Path:
    """The folder that README and docs speak of. A test that writes into it takes a copy."""
    from tests.documented_folder import lay

    folder = shared_folder / "documented"

    def make() -> str:
        folder.mkdir()
        return str(lay(folder))

    return Path(once("documented", make))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser of the system: here, since playwright refuses a second one in the same process."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        refuse = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        refuse("no chromium on this machine: install the package chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=program, args=[*alone, "--disable-dev-shm-usage"])
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


def call_program(*words: object, stdin: bytes = b"") -> Outcome:
    """Run the program in this process, without the half second it takes to start; a traceback fails the test."""
    from antecede.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    code = 0
    with (
        patch.object(sys, "argv", ["antecede", *map(str, words)]),
        patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    printed = [stream.buffer.getvalue().decode(errors="surrogateescape") for stream in (out, err)]  # xlsx is no text
    return Outcome(code, *printed)


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
