"""Every example runs in the folder of the docs, and gives the figures that the program gives."""

from __future__ import annotations

import ast
import json
import runpy
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib.figure import Figure

import antecede as ac
from tests.conftest import ROOT
from tests.desk import copied, shared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    mpl.use("agg")
    folder = copied(shared(tmp_path_factory), tmp_path_factory.mktemp("examples") / "desk")
    with chdir(folder):
        yield folder


def main_of(name: str) -> Any:
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


def test_evaluate_my_runs(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scores = main_of("evaluate_my_runs")("qrels.txt", "a.run", "b.run")
    assert scores.runs == ("a.run", "b.run")
    assert (desk / "differences.svg").stat().st_size > 1000
    assert "significantly better" in capsys.readouterr().out


def test_search_with_a_patent(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = main_of("search_with_a_patent")("clefip.index", "EP1234567")
    assert len(found.hits) == 10
    assert "EP1234567" not in [hit.doc_id for hit in found.hits]
    assert len(capsys.readouterr().out.splitlines()) == 11


def test_papers_table(desk: Path) -> None:
    compared = main_of("papers_table")("clefip.index", "topics/", "qrels.txt")
    assert compared.baseline == "full"
    assert (desk / "methods.tex").read_text().count("\\\\") >= 9
    want = ac.evaluate(ac.rank_table("qrels.txt", {"full": "a.run"}), ["PRES@1000"]).totals[0, 0]
    assert f"{want:.4f}" in str(compared.table())


def test_ir_measures_pres(desk: Path) -> None:
    pytest.importorskip("ir_measures")
    found = main_of("ir_measures_pres")("qrels.txt", "a.run")
    want = ac.evaluate(ac.rank_table("qrels.txt", "a.run"), ["PRES@100", "nDCG@10"]).totals[:, 0].tolist()
    assert [found[each] for each in sorted(found, key=str)][1:] == pytest.approx([*want])


def test_the_notebook_runs_cell_by_cell_and_shows_what_it_says(desk: Path) -> None:
    notebook = json.loads((EXAMPLES / "notebook.ipynb").read_text())
    names: dict[str, Any] = {}
    shown: list[Any] = [
        run_cell("".join(cell["source"]), names) for cell in notebook["cells"] if cell["cell_type"] == "code"
    ]
    assert all(cell.get("outputs", []) == [] for cell in notebook["cells"]), "outputs do not belong into the tree"
    kinds = [ac.RankTable, ac.Scores, ac.Table, Figure, pd.DataFrame, pd.DataFrame]
    assert all(isinstance(each, kind) for each, kind in zip(shown, kinds, strict=True))
    assert all("<table" in str(each._repr_html_()) for each in (shown[1], shown[2], *shown[4:]))
    assert "<svg" in shown[3]._repr_svg_()


def run_cell(code: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; the value of its last line."""
    *steps, last = ast.parse(code).body
    assert isinstance(last, ast.Expr), "a cell ends with what it shows"
    exec(compile(ast.Module(steps, []), "cell", "exec"), names)  # noqa: S102 - our own notebook
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307


def test_every_example_is_tested_here_and_listed() -> None:
    tested = (ROOT / "tests/examples/test_examples.py").read_text()
    for path in EXAMPLES.glob("*.py"):
        assert f"def test_{path.stem}(" in tested, path.name
