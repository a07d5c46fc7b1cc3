"""CONTRIBUTING says how many files an addition takes: one of each is added to a copy of the program, and used."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow
TABLE = (ROOT / "CONTRIBUTING.md").read_text()
MEASURE = '''
from antecede.measures import Cutoff, Level, measure

@measure("HalfR", at="cutoff", cite="an example")
def half_recall(ranks, *, cutoff: Cutoff, rel: Level = 1):
    """Half recall.

    k at N/2, divided by n.
    """
    relevant = ranks.relevant(rel)
    return relevant.found(cutoff // 2) / relevant.n
'''
METHOD = '''

@method("flat", cite="an example", cut=True)
def flat(at: Terms) -> Floats:
    """All terms alike."""
    return np.ones_like(at.counts, dtype=np.float64)
'''
MODEL = '''

@model("coordination", cite="an example")
def coordination(at: Postings, collection: CollectionFacts) -> Floats:
    """Coordination level."""
    return np.ones_like(at.counts)
'''
FEATURE = '''
from antecede.ranking.features import feature

@feature("one", kind="metadata", cite="an example")
def one(at):
    """1 for every document."""
    return [1.0 for _ in at.pool.doc_ids]
'''
ESTIMATOR = '''

@estimator("doubled", cite="an example", assumption="half is found")
def doubled(reading: Reading) -> Bounds:
    """Twice what is found."""
    return Bounds(2.0 * reading.found, float(reading.found), float(reading.documents))
'''
RULE = '''

@stopping_rule("page", cite="an example")
def page(reading: Reading, target: float, *, n: Count = 10) -> Decision:
    """A page: stop after n documents."""
    return Decision(reading.read >= n, "a page is read")
'''
FORMAT = '''
from antecede.corpus.formats import xml_format
from antecede.patent import Patent

@xml_format("memo", title="memos", roots=("memo",))
def memo(root, source):
    """A memo."""
    return Patent(doc_id=root.get("id"), title={"en": root.text or ""}, source=source)
'''
OFFICE = """
OFFICES["CU"] = lambda body, kind: f"9{body}" if body.isdecimal() else None
"""
FIGURE = '''
from antecede.report.figures.paper import COLUMN, figure, new_figure

@figure("blank")
def blank(scores):
    """Nothing."""
    return new_figure(COLUMN, 1)
'''
OPERATION = '''
from antecede.evaluation import RankTable
from typing import Annotated
from antecede.operations import Help
from antecede.tables import Table

def count(table: RankTable, *, least: Annotated[int, Help("The least.")] = 2):
    """Count the runs."""
    return Table(("runs",), ((max(least, len(table.runs)),),))
'''
ADDITIONS: dict[str, list[tuple[str, str | None, str]]] = {
    "a measure": [("measures/half_recall.py", None, MEASURE)],
    "a query method": [("query/methods.py", None, METHOD)],
    "a ranking model": [("models.py", None, MODEL)],
    "a feature of a ranking": [("ranking/features/one.py", None, FEATURE)],
    "a stopping rule": [("review/stopping.py", None, RULE)],
    "a format": [("corpus/formats/memo.py", None, FORMAT)],
    "a patent office": [("patent/offices.py", None, OFFICE)],
    "a figure": [("report/figures/blank.py", None, FIGURE)],
    "a parameter of an operation": [
        (
            "study/cutoffs.py",
            "    progress: Progress | None = None,\n) -> Cutoffs:",
            '    least: Annotated[int, Help("The least.")] = 1,\n',
        )
    ],
    "an operation, which is a verb": [
        ("study/count.py", None, OPERATION),
        (
            "names/study.py",
            "    from antecede.study import cutoffs",
            "    from antecede.study.count import count as count\n",
        ),
        ("cli/verbs/__init__.py", '"cutoffs", "measures"', '"count", '),
    ],
    "a study in experiment files": [
        (
            "experiment/settings.py",
            '        StudyDefinition("cutoffs"',
            '        StudyDefinition("anova", "antecede.comparison:anova", by_default=False),\n',
        )
    ],
}
"""For each row of the table: file, the text before which something is added (None: at its end), and what."""
ELSEWHERE = {"an estimator", "a filter", "a search option that is no filter"}
"""Rows with a test of their own: coverage is computed, `tests/test_new_field.py`, `tests/search/test_settings.py`."""
USE = """
import json
import antecede as ac
from antecede.cli.app import program
from antecede.corpus.formats import FORMATS
from antecede.experiment.settings import studies
from antecede.models import MODELS
from antecede.patent.number import PatentNumber
from antecede.query.methods import METHODS
from antecede.ranking.features import FEATURES
from antecede.report.figures import FIGURES
from antecede.review.stopping import STOPPING_RULES
import typer
group = typer.main.get_command(program(["study", "cutoffs"]))
options = [option.name for option in group.commands["study"].commands["cutoffs"].params]
table = ac.rank_table({"1": {"a": 1}}, [{"1": {"a": 1.0}}])
print(json.dumps({
    "a measure": ac.score("HalfR@10", found=[1, 9], relevant=2) == 0.5,
    "a query method": "flat" in METHODS,
    "a ranking model": "coordination" in MODELS,
    "a feature of a ranking": "one" in FEATURES,
    "a stopping rule": "page" in STOPPING_RULES,
    "a format": "memo" in FORMATS,
    "a patent office": str(PatentNumber.of("CU", "12")) == "CU912",
    "a figure": "blank" in FIGURES,
    "a parameter of an operation": "least" in options and "least" in ac.study.cutoffs.__doc__
    and "least" in studies()["cutoffs"].section.model_fields,
    "an operation, which is a verb": ac.study.count(table, least=3).rows == ((3,),),
    "a study in experiment files": "anova" in studies(),
}))
"""


def numbers_of_files() -> dict[str, int]:
    """The rows of the table, and how many files each says that it takes."""
    return {row[1]: int(row[2]) for row in re.finditer(r"^\| (an? [^|]+?) \| .*? \| (\d) \| ", TABLE, re.MULTILINE)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program to which all additions were made."""
    folder = tmp_path_factory.mktemp("contributing")
    package = shutil.copytree(ROOT / "src/antecede", folder / "antecede")
    for additions in ADDITIONS.values():
        for name, before, added in additions:
            file = package / name
            text = file.read_text() if file.exists() else '"""An example."""\n'
            if before is None:
                text += added
            else:
                assert before in text, f"{name} has no {before}"
                text = text.replace(before, added + before, 1)
            file.write_text(text)
    return folder


def call(place: Path, *words: str) -> str:
    known = {**os.environ, "PYTHONPATH": str(place)}
    done = subprocess.run([sys.executable, *words], cwd=place, env=known, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_row_is_tried() -> None:
    assert {*numbers_of_files()} == {*ADDITIONS} | ELSEWHERE


def test_each_takes_as_many_files_as_the_table_says() -> None:
    written = numbers_of_files()
    assert {row: len(additions) for row, additions in ADDITIONS.items()} == {row: written[row] for row in ADDITIONS}


def test_each_is_there_once_it_was_added(place: Path) -> None:
    used: dict[str, Any] = json.loads(call(place, "-c", USE))
    assert used == dict.fromkeys(ADDITIONS, True)
    said = call(place, "-m", "antecede", "study", "count", "--help")
    assert "Count the runs." in said
    assert "--least" in said
