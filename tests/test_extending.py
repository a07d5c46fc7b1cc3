"""The six files of docs/extending.md, put into their rooms as they stand there, and used as the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.documented import SHELL, blocks

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.docs
PAGE = ROOT / "docs/extending.md"
PROGRAM = """
import importlib, sys
from pathlib import Path
for room in Path("rooms").iterdir():
    importlib.import_module(room.name).__path__.append(str(room.absolute()))
for file in Path("my_package").glob("*.py"):
    importlib.import_module(f"my_package.{file.stem}")
from tests.documented import run_line
for line in Path("commands.txt").read_text().splitlines():
    outcome = run_line(line)
    print("$", line, outcome.code, outcome.out, outcome.err, sep="\\n")
import antecede as ac
from antecede.report.figures import FIGURES
scores = ac.evaluate(ac.rank_table("qrels.txt", ["a.run", "b.run"]), ["AP", "R@100"])
drawn = FIGURES["score_spread"].write("spread.svg", scores, measure="R@100")
print("median", *(line.get_ydata()[0] for line in drawn.axes[0].lines[4::6]))
print("expected", *map(float, __import__("numpy").median(scores.of("R@100"), axis=1)))
print("figure", FIGURES["score_spread"].summary, Path("spread.svg").read_text()[:5])
print(ac.score("HalfR@10", found=[1, 9], relevant=2))
"""


@pytest.fixture(scope="module")
def told(documented_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """What a process prints that has the six files, for every command of the page."""
    here = shutil.copytree(documented_folder, tmp_path_factory.mktemp("extending") / "here")
    for block in blocks(PAGE, "python"):
        put(here, block.text)
    (here / "disclosures.xml").write_text(blocks(PAGE, "xml")[0].text)
    lines = [line for block in blocks(PAGE, *SHELL) for line in block.commands]
    (here / "commands.txt").write_text("\n".join(lines))
    known = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=here, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def put(folder: Path, code: str) -> None:
    """Write a file that says in its first line where it belongs: a package of antecede, or one of the reader's own."""
    place = re.match(r"# (?:src/(antecede/.+)|(my_package))/(\w+\.py)\n", code)
    assert place, code
    room = folder / "rooms" / place[1].replace("/", ".") if place[1] else folder / place[2]
    room.mkdir(parents=True, exist_ok=True)
    (room / place[3]).write_text(code)


def answer(told: str, line: str) -> tuple[int, str]:
    """How a command ended, and what it said."""
    code, _, rest = told.partition(f"$\n{line}\n")[2].partition("\n")
    return int(code), rest.partition("\n$\n")[0]


def test_the_page_names_every_kind_of_entry_point_and_no_other() -> None:
    written = {*re.findall(r'entry-points\."(antecede\.\w+)"', PAGE.read_text())}
    sources = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    assert written == {*re.findall(r'group="(antecede\.\w+)"', sources)}


def test_the_measure(told: str) -> None:
    assert told.rstrip().endswith("\n0.5")
    code, said = answer(told, "antecede list measures HalfR")
    assert (code, "k at N/2, divided by n" in said) == (0, True)
    code, said = answer(told, "antecede evaluate qrels.txt a.run b.run -m HalfR@100,R@50")
    assert code == 0
    for line in said.splitlines()[2:4]:
        _, half, recall = line.replace("*", "").split()
        assert half == recall, "HalfR@100 is R@50"


def test_the_query_method(told: str) -> None:
    code, said = answer(told, 'antecede query clefip.index EP1234567 --method "rarest(least=3)" --terms 10')
    rows = [line.split() for line in said.splitlines()[3:13]]
    assert code == 0
    assert min(int(n) for _, _, n, _ in rows) >= 3
    assert [int(df) for *_, df in rows] == sorted(int(df) for *_, df in rows)
    assert answer(told, "antecede run clefip.index topics/ --method rarest --out rarest.run")[0] == 0


def test_the_ranking_model(told: str) -> None:
    code, said = answer(told, "antecede search clefip.index EP1234567 --model coordination -k 5")
    assert (code, "coordination" in said) == (0, True)


def test_the_feature(told: str) -> None:
    code, said = answer(told, "antecede list features same_office")
    assert (code, "of the topic's office" in said) == (0, True)
    line = "antecede search clefip.index EP1234567 --ranking auto,same_office=0.2 -k 5 --explain"
    code, said = answer(told, line)
    assert (code, "same_office 0.20" in said) == (0, True)


def test_the_format(told: str) -> None:
    code, said = answer(told, "antecede list formats disclosures.xml")
    assert code == 1, "one of the two was rejected, which is more than 5 %"
    assert "a disclosure without an id" in said
    code, said = answer(told, "antecede show disclosures.xml D-7")
    assert (code, "Valve with a soft seat" in said) == (0, True)


def test_the_figure(told: str) -> None:
    lines = dict(line.split(" ", 1) for line in told.rstrip().splitlines()[-4:-1])
    assert lines["median"] == lines["expected"]
    assert lines["figure"] == "The spread of the scores over the topics, one box per run. <?xml"
