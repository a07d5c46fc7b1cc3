"""Every example runs in the folder of the docs, and gives the figures that the program gives."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pytest

import antecede as ac
from docs.site.notebook import NOTEBOOK, run_notebook
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = ROOT / "examples"


pytestmark = pytest.mark.docs


@pytest.fixture(scope="module")
def here(documented_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    mpl.use("agg")
    folder = shutil.copytree(documented_folder, tmp_path_factory.mktemp("examples") / "here")
    with chdir(folder):
        yield folder


def main_of(name: str) -> Any:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


def test_evaluate_my_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = main_of("evaluate_my_runs")("qrels.txt", "a.run", "b.run")
    assert scores.runs == ("a.run", "b.run")
    assert (here / "differences.svg").stat().st_size > 1000
    assert "significantly better" in capsys.readouterr().out


def test_search_with_a_patent(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = main_of("search_with_a_patent")("clefip.index", "EP1234567")
    assert len(found.hits) == 10
    assert "EP1234567" not in [hit.doc_id for hit in found.hits]
    assert len(capsys.readouterr().out.splitlines()) == 11


def test_papers_table(here: Path) -> None:
    compared = main_of("papers_table")("clefip.index", "topics/", "qrels.txt")
    assert compared.baseline == "full"
    assert (here / "methods.tex").read_text().count("\\\\") >= 9
    want = ac.evaluate(ac.rank_table("qrels.txt", {"full": "a.run"}), ["PRES@1000"]).totals[0, 0]
    assert f"{want:.4f}" in str(compared.table())


def test_ir_measures_pres(here: Path) -> None:
    pytest.importorskip("ir_measures")
    found = main_of("ir_measures_pres")("qrels.txt", "a.run")
    want = ac.evaluate(ac.rank_table("qrels.txt", "a.run"), ["PRES@100", "nDCG@10"]).totals[:, 0].tolist()
    assert [found[each] for each in sorted(found, key=str)][1:] == pytest.approx([*want])


def test_the_notebook_runs_as_shipped_and_stores_what_it_shows() -> None:
    stored, now = json.loads(NOTEBOOK.read_text()), run_notebook(NOTEBOOK)
    cells = [each for each in stored["cells"] if each["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [*range(1, len(cells) + 1)]
    for cell, again in zip(stored["cells"], now["cells"], strict=True):
        assert figures_of(cell) == figures_of(again), "run: python -m docs.site.notebook"
    kinds = [kind for cell in cells for output in cell["outputs"] for kind in output.get("data", ["stream"])]
    assert all(cell["outputs"] for cell in cells)
    assert {"text/html", "image/svg+xml", "stream"} <= {*kinds}


def figures_of(cell: dict[str, Any]) -> list[dict[str, list[str]]]:
    """The kinds of output of a cell, and the figures in each but the drawings, whose bytes depend on matplotlib."""
    outputs = [output.get("data", {"stream": output.get("text", [])}) for output in cell.get("outputs", [])]
    return [
        {
            kind: [] if kind == "image/svg+xml" else re.findall(r"\d+\.\d{3,4}", "".join(text))
            for kind, text in data.items()
        }
        for data in outputs
    ]


def test_every_example_is_tested_here_and_listed() -> None:
    tested = (ROOT / "tests/examples/test_examples.py").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert f"def test_{path.stem}(" in tested, path.name
