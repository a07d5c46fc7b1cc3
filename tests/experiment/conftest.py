"""Small experiments: figures and pages, which take long and are tested elsewhere, are only noted here."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from antecede.experiment import steps

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from antecede.report.results import ReportContents

QRELS = "".join(f"{topic} 0 d{topic}{rank} 1\n" for topic in range(1, 13) for rank in range(3))


def run_text(quality: int) -> str:
    """A run that finds the relevant documents of a topic earlier, the better it is."""
    lines = []
    for topic in range(1, 13):
        found = [f"x{at}" for at in range(10)]
        for rank in range(3):
            found.insert((topic * (rank + 1)) % (11 - quality), f"d{topic}{rank}")
        lines += [f"{topic} Q0 {name} {at} {100 - at} t\n" for at, name in enumerate(found, 1)]
    return "".join(lines)


def stand_in(results: ReportContents, path: Path) -> None:
    """A page that says what it was given."""
    told = [f"{part.name} {', '.join(part.studies)}" for part in results.parts]
    path.write_text("\n".join([results.title, *told]))


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    without_drawing(monkeypatch)


def without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figures, and a stand-in for the page."""

    def note(folder: Path, figures: Mapping[str, Callable[[Path], object]]) -> tuple[list[Path], list[str]]:
        folder.mkdir(exist_ok=True, parents=True)
        paths = [folder / f"{name}.svg" for name in figures]
        for path in paths:
            path.write_text("a figure")
        return paths, []

    monkeypatch.setattr(steps, "write_figures", note)
    page: Any = ModuleType("antecede.report.html")
    page.write_report = stand_in
    monkeypatch.setitem(sys.modules, "antecede.report.html", page)


@pytest.fixture
def here(tmp_path: Path, plain: None) -> Path:
    """A folder with qrels and four runs."""
    write_inputs(tmp_path)
    return tmp_path


def write_inputs(folder: Path) -> None:
    (folder / "qrels.txt").write_text(QRELS)
    for at, name in enumerate("abcd"):
        (folder / f"{name}.run").write_text(run_text(2 * at))
