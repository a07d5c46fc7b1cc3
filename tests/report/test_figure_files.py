"""Figures as files: endings, places that cannot be written, and the settings of whoever draws."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import matplotlib
import pytest

from antecede.errors import UsageError
from antecede.report.figures import FIGURES, render
from tests.report.sample_results import make_scores

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["figure.jpg", "figure", "figure.svg.gz", ".svg"])
def test_another_ending_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"end its name in one of \.svg, \.png, \.pdf") as caught:
        FIGURES["pres_rr"].write(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        FIGURES["pres_rr"].write(tmp_path / "no" / "folder.svg")


def test_a_figure_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "old.svg"
    path.write_text("old")
    with pytest.raises(UsageError):
        FIGURES["systems"].write(path, make_scores(), sort="nothing")
    assert path.read_text() == "old"
    FIGURES["systems"].write(path, make_scores())
    assert path.read_text().startswith("<?xml")


def test_settings_of_the_user_neither_count_nor_change() -> None:
    plain = render(FIGURES["pres_rr"](), "svg")
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path"}):
        assert render(FIGURES["pres_rr"](), "svg") == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_a_figure_shows_itself_in_a_notebook() -> None:
    figure = FIGURES["pres_rr"]()
    assert figure._repr_svg_().startswith("<?xml")


PROGRAM = """
import sys
from antecede.report.figures import FIGURES, render
sys.stdout.buffer.write(render(FIGURES["pres_recall"](), "svg"))
assert "matplotlib.pyplot" not in sys.modules
"""


@pytest.mark.slow
def test_another_process_writes_the_same_bytes_without_pyplot() -> None:
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": other}
    )
    assert done.stdout == render(FIGURES["pres_recall"](), "svg")
