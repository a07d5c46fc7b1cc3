"""antecede experiment and report, as a user calls them."""

from __future__ import annotations

import math
import re
import threading
from concurrent.futures import Executor, Future
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from antecede.cli import output
from antecede.experiment.cache import STAMPS, StepResult, StepRunner
from tests.conftest import antecede
from tests.experiment.conftest import QRELS, run_text, without_drawing

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

FILE = 'title = "Runs"\nqrels = "qrels.txt"\nruns = ["*.run"]\n[evaluation]\nmeasures = ["AP", "R@5"]\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    for at, name in enumerate("abc"):
        (tmp_path / f"{name}.run").write_text(run_text(2 * at))
    (tmp_path / "x.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    without_drawing(monkeypatch)
    return tmp_path


def test_steps_go_to_standard_error_and_tables_to_standard_output(here: Path, program: Program) -> None:
    found = program("experiment", "x.toml")
    assert found.code == 0
    assert found.out.startswith("Scores\npart  run ")
    lines = found.err.splitlines()
    assert lines[0].split()[:5] == ["11", "%", "made", "part", "all"]
    assert lines[-1] == "report: x/report.html"
    again = program("experiment", "x.toml", "--json")
    assert {each["state"] for each in again.json["steps"]} == {"kept"}
    assert {line.split()[2] for line in again.err.splitlines()} == {"kept"}
    assert [run["name"] for run in again.json["parts"][0]["runs"]] == ["a.run", "b.run", "c.run"]
    assert again.json["parts"][0]["comparison"]["baseline"] == "a.run"


def test_a_long_step_says_what_it_does_and_how_far_it_is(
    here: Path, program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antecede.cli.output.EVERY_SECONDS", 0.0)
    told = [re.sub(r"\d+", "N", line.strip()) for line in program("experiment", "x.toml").err.splitlines()]
    for step in ("part all", "ranks all", "tables all", "study all/robustness", "study all/agreement", "report"):
        named = {step, f"N %  {step}"}
        assert named & {*told}, f"{step} is not named when it begins"
    for step in ("ranks all", "study all/robustness", "study all/cutoffs"):
        assert f"N %  {step}, N %, N:N left" in told


def test_a_step_that_reports_nothing_is_named_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    def show(line: str, **_: Any) -> None:
        told.append(line)
        shown.set()

    told, shown = list[str](), threading.Event()
    monkeypatch.setattr(output, "EVERY_SECONDS", 0.2)
    monkeypatch.setattr(output, "SHORTEST_SECONDS", 0.01)
    monkeypatch.setattr(output, "show_text", show)
    with closing(output.ProgressLines()) as lines:
        lines.show("study all/agreement", 0, 0)
        assert shown.wait(60)
        monkeypatch.setattr(output, "EVERY_SECONDS", math.inf)
        lines.show("report", 0, 0)
        lines.show("", 0, 0)
        monkeypatch.setattr(output, "EVERY_SECONDS", 0.0)
        lines._show_due()
    assert told == ["study all/agreement"]


def test_a_step_of_another_process_is_named_while_it_is_waited_for(tmp_path: Path) -> None:
    class Pool(Executor):
        future: Future[Any] = Future()

        def submit(self, *_: Any, **__: Any) -> Future[Any]:
            return self.future

    def finish(name: str, done: int, total: int) -> None:
        named.append((name, done, total))
        Pool.future.set_result((StepResult(), 1.0))

    named = list[tuple[str, int, int]]()
    (tmp_path / STAMPS).mkdir()
    end = StepRunner(tmp_path, progress=finish, pool=Pool()).begin("study all/cutoffs", {}, StepResult)
    assert named == []
    assert end().step == "study all/cutoffs"
    assert named == [("study all/cutoffs", 0, 0)]


def test_quiet_says_nothing_and_out_is_another_place(here: Path, program: Program) -> None:
    found = program("experiment", "x.toml", "--out", "deep/results", "--quiet", "--json")
    assert (found.code, found.err) == (0, "")
    assert found.json["report"] == "deep/results/report.html"
    assert (here / "deep" / "results" / "record.json").exists()


def test_a_list_does_nothing(here: Path, program: Program) -> None:
    found = program("experiment", "x.toml", "--list")
    assert (found.code, "to be made" in found.out) == (0, True)
    assert not (here / "x").exists()
    whole = program("experiment", "x.toml", "--list", "--json").json
    assert whole["options"]["evaluation"]["measures"] == ["AP", "R@5"]
    assert whole["steps"][0] == {"step": "part all", "state": "to be made", "why": "not made before"}


def test_the_report_is_made_again_from_what_was_saved(here: Path, program: Program) -> None:
    again = ("experiment", "x", "--report")
    assert program(*again, "x/report.html").code == 2
    program("experiment", "x.toml", "--quiet")
    (here / "x" / "report.html").unlink()
    for name in "abc":
        (here / f"{name}.run").unlink()
    found = program(*again, "x/report.html")
    assert (found.code, found.out) == (0, "x/report.html\n")
    page = (here / "x" / "report.html").read_text()
    assert page.startswith("Runs\nall ")
    other = program(*again, "talk.html", "--json").json
    part = {"name": "all", "title": "Runs", "runs": ["a.run", "b.run", "c.run"]}
    assert other == {"report": "talk.html", "title": "Runs", "parts": [part]}
    assert (here / "talk.html").read_text() == page


def test_a_real_page_is_written(here: Path) -> None:
    text = FILE + "[study]\nrobustness = false\nagreement = false\ncorrelation = false\ncutoffs = false\n"
    (here / "x.toml").write_text(text)
    found = antecede("experiment", "x.toml", "--quiet")
    assert (found.code, found.err) == (0, "")
    assert "<html" in (here / "x" / "report.html").read_text().lower()
