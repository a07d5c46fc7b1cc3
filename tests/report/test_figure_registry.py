"""The register of figures: which results each draws, `.plot()` through the hook, a new figure; and figures as files."""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import matplotlib
import pytest

from antecede import comparison, corpus, evaluation, review, study
from antecede.errors import UsageError
from antecede.plots import PlotMixin
from antecede.report.figures import FIGURES, render
from antecede.report.figures.paper import find_figure
from tests.report.sample_results import make_ranks, make_scores

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def plottable() -> list[type[PlotMixin]]:
    """Every class of results, in whatever module of the package."""
    for package in (comparison, corpus, evaluation, review, study):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    own = {each for each in leaves(PlotMixin) if each.__module__.startswith("antecede.")}
    return sorted(own, key=lambda each: each.__name__)


def leaves(kind: type[PlotMixin]) -> Iterator[type[PlotMixin]]:
    """The classes below one that have none below them: what they share is not a result."""
    below = kind.__subclasses__()
    yield from [leaf for each in below for leaf in leaves(each)] if below else [kind]


PLOTTABLE = plottable()


def test_every_result_that_can_be_plotted_has_exactly_one_figure() -> None:
    claimed = Counter(name for definition in FIGURES.values() for name in definition.results)
    assert claimed == Counter(each.__name__ for each in PLOTTABLE)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_claims_only_results_that_it_accepts(name: str) -> None:
    definition = FIGURES[name]
    hints = inspect.get_annotations(definition.function)
    accepted = [each for hint in hints.values() for each in str(hint).split(" | ")]
    assert set(definition.results) <= set(accepted)


def test_options_of_plot_are_declared() -> None:
    for each in PLOTTABLE:
        definition = next(found for found in FIGURES.values() if each.__name__ in found.results)
        assert set(inspect.signature(each.plot).parameters) - {"self", "path"} == set(definition.options)
    assert FIGURES["topic_differences"].options == ("baseline", "measure", "highlight")


def test_a_subclass_is_drawn_as_its_base_class_and_others_are_refused() -> None:
    class Special(type(make_ranks())):  # type: ignore[misc]
        pass

    assert find_figure(object.__new__(Special)).name == "relevant_per_topic"
    with pytest.raises(UsageError, match="no figure draws a dict"):
        find_figure({})


PROGRAM = """
import sys
from antecede.evaluation import evaluate, rank_table
assert "matplotlib" not in sys.modules and "antecede.report" not in sys.modules
result = evaluate(rank_table({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2.0}}, "y": {"1": {"b": 1.0}}}), "AP")
assert "matplotlib" not in sys.modules
result.plot(sys.argv[1])
"""


def test_plot_works_where_only_a_submodule_was_imported(tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    subprocess.run([sys.executable, "-c", PROGRAM, path], check=True)
    assert path.read_text().startswith("<?xml")


# Files


@pytest.mark.parametrize("name", ["figure.jpg", ".svg"])
def test_another_ending_is_refused_in_one_line(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"end its name in one of \.svg, \.png, \.pdf") as caught:
        FIGURES["pres_rr"].write(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


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
    assert FIGURES["pres_rr"]()._repr_svg_().encode() == plain
    with matplotlib.rc_context({"font.size": 30, "lines.linewidth": 9, "svg.fonttype": "path"}):
        assert render(FIGURES["pres_rr"](), "svg") == plain
        assert matplotlib.rcParams["font.size"] == 30


DRAWING = """
import sys
from antecede.report.figures import FIGURES, render
sys.stdout.buffer.write(render(FIGURES["pres_recall"](), "svg"))
assert "matplotlib.pyplot" not in sys.modules
"""


@pytest.mark.slow
def test_another_process_writes_the_same_bytes_without_pyplot() -> None:
    other = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-c", DRAWING], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": other}
    )
    assert done.stdout == render(FIGURES["pres_recall"](), "svg")
