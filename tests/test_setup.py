"""The set-up: what `make` installs for whom, and that everything it installs is pinned."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def installs(target: str, environment: Path) -> list[str]:
    """What each `pip install` of a target installs into an environment that does not exist yet."""
    if shutil.which("make") is None:
        pytest.skip("there is no make on this machine")
    words = ["make", "--dry-run", target, f"VENV={environment}"]
    planned = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return re.findall(r"--editable (\S+)", planned.replace("\\\n", ""))


@pytest.mark.parametrize(
    ("target", "installed"),
    [("demo", "."), ("serve", "."), ("test", "'.[dev]'"), ("check", "'.[dev]'"), ("bench", "'.[bench]'")],
)
def test_a_target_installs_what_it_needs_and_no_more(target: str, installed: str, tmp_path: Path) -> None:
    assert installs(target, tmp_path / "venv") == [installed]


def test_every_requirement_is_pinned() -> None:
    pinned = {plain_name(line) for line in (ROOT / "constraints.txt").read_text().splitlines()}
    required = sum(PROJECT["optional-dependencies"].values(), PROJECT["dependencies"])
    assert {plain_name(each) for each in required} - pinned == {PROJECT["name"]}


def plain_name(requirement: str) -> str:
    """The normalized name of the package that a requirement names."""
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def test_the_workflow_runs_the_quick_tests_of_the_makefile() -> None:
    [(workflow,), (makefile,)] = (
        re.findall(r"^ *QUICK *:=? *(.+)$", (ROOT / name).read_text(), re.MULTILINE)
        for name in (".github/workflows/tests.yml", "Makefile")
    )
    assert workflow == makefile
