"""Every figure: in all formats, the same bytes each time, with whatever names, few and many, and nothing covered; the
register of figures, which results each draws; labels that keep apart.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.plots import PlotMixin
from antecede.report.display_text import make_labels
from antecede.report.figures import FIGURES, render
from antecede.report.figures.comparisons import format_coefficient, format_p, means
from antecede.report.figures.layout import (
    LOOKS,
    choose_ink,
    format_percent,
    format_signed,
    spread,
    text_width,
    wrap_notes,
)
from antecede.report.figures.paper import MAX_HEIGHT, find_figure
from antecede.review.case import Review, ReviewPlan
from antecede.review.estimators import parse_estimator
from antecede.review.status import review_status
from tests.report.figure_texts import on_axis_lines, outside, overlaps, picture, svg_texts
from tests.report.sample_results import (
    HOSTILE,
    MEASURES,
    SAMPLES,
    SIZED,
    TEN,
    draw_sample,
    make_agreement,
    make_comparison,
    make_correlations,
    make_cutoffs,
    make_ranks,
    make_robustness,
    make_scores,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from matplotlib.figure import Figure


MANY = tuple(f"group{number % 9}.a_rather_long_name_of_a_run.{number:03d}" for number in range(100))

SIX = "PRES@100,AP@100,R@100,P@10,nDCG,RR"

LARGE: dict[str, Callable[[], Figure]] = {
    "systems, 100 long names and ten measures": lambda: FIGURES["systems"](make_scores(MANY, TEN), sort="RR"),
    "rank changes, 100 long names and ten measures": lambda: FIGURES["rank_changes"](make_scores(MANY, TEN)),
    "topic differences, 48 runs": lambda: FIGURES["topic_differences"](make_scores(48)),
    "precision and recall, 20 long names": lambda: FIGURES["precision_recall"](make_scores(MANY[:20])),
    "agreement, nine measures": lambda: FIGURES["agreement"](
        make_agreement(8, "PRES@100,AP@100,R@100,P@10,nDCG,RR,Bpref,AP,R@10")
    ),
    "cut-offs, 20 runs": lambda: FIGURES["cutoffs"](
        make_cutoffs(MANY[:20], ("AP", "R", "PRES", "nDCG"), (10, 20, 50, 100, 1000))
    ),
    "robustness, many measures": lambda: FIGURES["robustness"](
        make_robustness(20, f"{MEASURES},AP@10,R@10,P@10,nDCG,RR,RBP(p=0.8),GMAP", samples=10)
    ),
    "robustness, depth": lambda: FIGURES["robustness"](make_robustness(20, remove="depth")),
    "robustness, depth, one panel": lambda: FIGURES["robustness"](make_robustness(20, "AP@10,R@10", remove="depth")),
    "robustness, wide names beside the axis": lambda: FIGURES["robustness"](
        make_robustness(20, "AP@10,R@10,P@100,R@100,nDCG", samples=10)
    ),
    "robustness, one panel": lambda: FIGURES["robustness"](make_robustness(20, "AP@10,R@10", samples=12)),
    "means, 40 long names": lambda: means(make_scores(MANY[:40]), 0, 3),
    "means, lower is better, no baseline": lambda: means(make_scores(8, "Effort@50"), 0, None),
    "compare, 40 long names": lambda: FIGURES["compare"](make_comparison(MANY[:40])),
    "compare, 48 runs": lambda: FIGURES["compare"](make_comparison(48, SIX)),
    "compare all pairs, 48 runs": lambda: FIGURES["compare"](make_comparison(48, SIX, baseline=None)),
    "robustness, a group left out": lambda: FIGURES["robustness"](
        make_robustness(8, remove="group", groups={run: f"G{run[-1:]}"[:2] for run in make_ranks(8).runs})
    ),
    "compare all pairs, ten runs": lambda: FIGURES["compare"](make_comparison(MANY[:10], baseline=None)),
    "compare all pairs, 60 runs": lambda: FIGURES["compare"](make_comparison(MANY[:60], "AP@100,R@100", baseline=None)),
    "correlation, ten measures": lambda: FIGURES["correlation"](
        make_correlations(20, TEN.replace("Effort@50", "Success@5"))
    ),
    "relevant per topic, named": lambda: FIGURES["relevant_per_topic"](make_ranks(2, 60)),
    "relevant per topic, many": lambda: FIGURES["relevant_per_topic"](make_ranks(2, 700)),
    "more relevant than places": lambda: FIGURES["pres_recall"](n=300, cutoff=200),
    "a long list": lambda: FIGURES["pres_rr"](cutoff=1000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_is_the_same_each_time_and_holds_its_texts_apart(name: str, tmp_path: Path) -> None:
    results, options = SAMPLES[name]()
    if FIGURES[name].results:  # a class of results that has a method `plot`
        results[0].plot(tmp_path / "figure.svg", **options)
    else:
        FIGURES[name].write(tmp_path / "figure.svg", *results, **options)
    again = draw_sample(name)
    image = picture(again)
    svg = render(again, "svg")
    assert (tmp_path / "figure.svg").read_bytes() == svg, "the same, and drawing it as a picture does not change it"
    assert sum(bool(text.strip()) for text in svg_texts(svg)) > 4
    assert FIGURES[name].summary.endswith(".")
    assert b"<date>" not in svg
    assert image.shape[1] <= 7.2 * 300
    assert 0.005 < np.mean(image < 250) < 0.7, "neither blank nor black"
    assert outside(again) == []
    assert overlaps(again) == []
    assert on_axis_lines(again) == []


@pytest.mark.parametrize("kind", ["png", "PDF"])
def test_the_name_of_a_file_decides_on_its_format_and_a_pdf_has_its_fonts_and_no_date(
    kind: str, tmp_path: Path
) -> None:
    figure = FIGURES["systems"].write(tmp_path / f"figure.{kind}", make_scores(HOSTILE))
    data = (tmp_path / f"figure.{kind}").read_bytes()
    assert data == render(figure, kind.lower())
    assert data.startswith(b"%PDF-" if kind == "PDF" else b"\x89PNG")
    assert (b"/FontFile2" in data) == (kind == "PDF")
    assert b"CreationDate" not in data


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_large_figures_hold_their_texts_apart(name: str) -> None:
    figure = LARGE[name]()
    assert outside(figure) == []
    assert overlaps(figure) == []
    assert on_axis_lines(figure) == []
    assert figure.get_figwidth() <= 7.2
    assert figure.get_figheight() <= MAX_HEIGHT or "48 runs" not in name


@pytest.mark.slow
@pytest.mark.parametrize("runs", [2, 12, 40])
@pytest.mark.parametrize("name", SIZED)
def test_texts_keep_apart_at_any_number_of_runs(name: str, runs: int) -> None:
    figure = SIZED[name](runs)
    assert outside(figure) == []
    assert overlaps(figure) == []
    assert on_axis_lines(figure) == []


def test_every_figure_that_shows_runs_is_drawn_with_few_and_many() -> None:
    fixed = {"pres_recall", "pres_rr", "published", "reliability", "reliability_cost", "estimates_truth", "discovery"}
    assert {name.partition(" ")[0] for name in SIZED} - {"means"} == {*FIGURES} - fixed


@pytest.mark.slow
@pytest.mark.parametrize(
    "draw",
    [
        lambda: FIGURES["systems"](make_scores(HOSTILE)),
        lambda: FIGURES["rank_changes"](make_scores(HOSTILE)),
        lambda: FIGURES["compare"](make_comparison(HOSTILE, baseline=1)),
        lambda: FIGURES["compare"](make_comparison(HOSTILE, baseline=None)),
        lambda: FIGURES["cutoffs"](make_cutoffs(HOSTILE[:6])),
    ],
)
def test_names_are_taken_as_they_are(draw: Callable[[], Figure]) -> None:
    figure = draw()
    shown = " ".join(svg_texts(render(figure, "svg")))
    for text in ("pays$$and$more", r"$\frac{1}{0}$", "<b>&amp;\"'</b>", "a_b^c%d#e~f"):
        assert text in shown
    assert "x" * 40 not in shown, "long names are cut"
    assert outside(figure) == []


@pytest.mark.slow
def test_one_of_everything() -> None:
    one = make_scores(1, "AP", 1)
    for figure in (
        *(FIGURES["systems"](one), FIGURES["rank_changes"](one)),
        FIGURES["relevant_per_topic"](make_ranks(1, 1)),
        FIGURES["cutoffs"](make_cutoffs(1, ("AP",), (10,))),
        FIGURES["pres_recall"](n=1, cutoff=1),
        FIGURES["pres_rr"](cutoff=1),
        FIGURES["compare"](make_comparison(2, "AP")),
        FIGURES["compare"](make_comparison(2, "AP", baseline=None)),
        FIGURES["agreement"](make_agreement(2, "AP,RR")),
        FIGURES["correlation"](make_correlations(2, "AP,RR")),
        FIGURES["robustness"](make_robustness(2, "AP", keep=[0.5], samples=1)),
    ):
        assert outside(figure) == []


@pytest.mark.slow
def test_scores_that_are_not_there() -> None:
    of = make_scores(5, "AP@100,R@100,Effort@90")
    totals = of.totals.copy()
    totals[0, 1], totals[1, :] = np.nan, np.nan
    broken = replace(of, totals=totals)
    systems, changes = FIGURES["systems"], FIGURES["rank_changes"]
    for figure in (systems(broken), systems(broken, sort="R@100"), changes(broken)):
        assert "run01" in " ".join(svg_texts(render(figure, "svg")))
        assert outside(figure) == []
    correlations, study, curves = (
        make_correlations(5, "AP@100,R@100,P@10"),
        make_robustness(5, samples=3),
        make_cutoffs(),
    )
    kendall = {"kendall": dict.fromkeys(correlations.values["kendall"], float("nan"))}
    assert "–" in svg_texts(render(FIGURES["correlation"](replace(correlations, values=kendall)), "svg"))
    assert render(FIGURES["robustness"](replace(study, tau=np.full_like(study.tau, np.nan))), "svg")
    assert render(FIGURES["cutoffs"](replace(curves, curves=np.full_like(curves.curves, np.nan))), "svg")
    endless = make_scores(3, "AP@100,Effort@100")
    totals, values = np.array([endless.totals[0], [np.inf, 20.0, np.inf]]), np.where(endless.values > 0, np.inf, 0)
    shown = svg_texts(render(systems(replace(endless, totals=totals, values=values)), "svg"))
    assert sum(text.startswith("never: ") for text in shown) == 2


@pytest.mark.slow
def test_systems_stand_in_the_order_of_the_table() -> None:
    of = make_scores(12, "AP@100,R@100,Effort@50")
    for sort in ("AP@100", "R@100", "Effort@50"):
        axes = FIGURES["systems"](of, sort=sort).axes[0]
        shown = [label.get_text() for label in axes.get_yticklabels()]
        assert shown == [row[0] for row in of.sorted_by(sort).table().rows]


def test_runs_that_move_the_most_are_set_off() -> None:
    of = make_scores(10, "AP@100,R@100")
    ranks = np.argsort(np.argsort(-of.totals, axis=1), axis=1)
    furthest = of.runs[int(np.abs(ranks[0] - ranks[1]).argmax())]
    bold = [text.get_text() for text in FIGURES["rank_changes"](of).axes[0].texts if text.get_fontweight() == "bold"]
    assert any(furthest in text for text in bold)


def test_agreement_prints_the_counts_of_the_table() -> None:
    found = make_agreement(12)
    shown = svg_texts(render(FIGURES["agreement"](found), "svg"))
    for name, count in found.categories().items():
        assert name in shown
        assert any(text.startswith(f"{count:,} (") for text in shown)


def test_pres_lies_between_its_bounds_and_falls_evenly() -> None:
    best, *_, worst = FIGURES["pres_recall"](n=10, cutoff=100).axes[0].lines
    recall = np.arange(11) / 10
    assert best.get_ydata() == pytest.approx(recall)
    assert worst.get_ydata() == pytest.approx(10 * recall**2 / 100)
    pres, _, reciprocal, *_ = FIGURES["pres_rr"](cutoff=10).axes[0].lines
    assert pres.get_ydata() == pytest.approx(1 - np.arange(10) / 10)
    assert reciprocal.get_ydata() == pytest.approx(1 / np.arange(1, 11))


def test_robustness_has_a_panel_for_each_cutoff_that_is_shared() -> None:
    study = make_robustness(8, "AP@100,R@100,AP@10,R@10,nDCG,P@5", samples=3)
    figure = FIGURES["robustness"](study)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Cut-off 100", "Cut-off 10", "Other measures"]
    assert figure.axes[0].lines[1].get_ydata() == pytest.approx(study.mean[0])


def test_compare_fills_what_is_significant() -> None:
    found = make_comparison(30, "PRES@100")
    axes = FIGURES["compare"](found).axes[0]
    filled = [line.get_marker() for line in axes.lines if line.get_marker() in ("<", ">")]
    assert len(filled) == int(found.by_measure["PRES@100"].significant.sum()) > 0


def test_compare_of_six_measures_is_three_by_two_and_explains_its_interval() -> None:
    figure = FIGURES["compare"](make_comparison(9, SIX))
    assert len({round(axes.get_position().x0, 2) for axes in figure.axes}) == 3
    assert len({round(axes.get_position().y0, 2) for axes in figure.axes}) == 2
    assert "bootstrap interval" in " ".join(svg_texts(render(figure, "svg")))


@pytest.mark.slow
def test_cutoffs_label_the_best_runs() -> None:
    curves = make_cutoffs(20)
    best = [curves.runs[run] for run in np.argsort(-curves.curves[0, :, -1], kind="stable")[:6]]
    shown = svg_texts(render(FIGURES["cutoffs"](curves), "svg"))
    assert {text for text in shown if text.startswith("run")} == {*best}
    assert any("the 6 best runs by AP at 100" in text for text in shown)
    lower = replace(curves, better=("lower",) * 3)
    worst = curves.runs[int(np.argmin(curves.curves[0, :, -1]))]
    assert worst in svg_texts(render(FIGURES["cutoffs"](lower), "svg"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_scores().plot(sort="MAP"), "cannot sort by MAP: it is not among the measures, AP@100"),
        (lambda: FIGURES["rank_changes"](make_scores(), measures=["MAP"]), "MAP was not evaluated; choose from AP@100"),
        (lambda: FIGURES["pres_rr"](cutoff=0), "the cut-off must be between 1 and 100,000, not 0"),
        (lambda: FIGURES["pres_recall"](n=-1), "n must be between"),
        (lambda: FIGURES.choose("pie"), "unknown figure 'pie'; available: agreement, "),
        (lambda: FIGURES.choose("robustnes"), "unknown figure 'robustnes'; did you mean robustness"),
        (lambda: FIGURES["pres_rr"].write("no/folder.svg"), "cannot be written"),
    ],
)
def test_wrong_calls(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_a_path_in_the_name_of_an_estimator_is_not_drawn(tmp_path: Path) -> None:
    with Review.start(tmp_path / "r", ReviewPlan("T"), ["a", "b", "c"]) as review:
        review.mark("a", "relevant")
        review.mark("b", "not")
        status = review_status(review, [parse_estimator("poisson")])
    (known,) = status.estimates.values()
    sheet = FIGURES["discovery"](
        replace(status, estimates={f"calibrated(file={'/long' * 20}/c.json)": known, "poisson": known})
    )
    (axes,) = sheet.axes
    assert [text.get_text().split(" ")[0] for text in axes.texts] == ["calibrated(…)", "poisson"]


def plottable() -> list[type[PlotMixin]]:
    """Every class of results, in whatever module of the package."""
    for name in ("comparison", "corpus", "evaluation", "review", "study"):
        package = importlib.import_module(f"antecede.{name}")
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


PLACES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@given(PLACES, st.floats(0.001, 0.2))
def test_labels_keep_their_distance_order_and_bounds(wanted: list[float], gap: float) -> None:
    places = spread(wanted, gap, 0.0, 1.0)
    room = min(gap, 1 / max(len(wanted) - 1, 1))
    assert np.diff(np.sort(places)) == pytest.approx(np.maximum(np.diff(np.sort(places)), room), abs=1e-9)
    assert places.min() >= -1e-9
    assert places.max() <= 1 + 1e-9
    order = np.argsort(wanted, kind="stable")
    assert (np.diff(places[order]) > 0).all() or len(wanted) == 1


@given(st.lists(st.text(max_size=60), unique=True, max_size=12))
def test_names_that_differ_have_labels_that_differ(names: list[str]) -> None:
    found = make_labels(names, 12)
    assert len({*found}) == len(names)
    assert all(label.isprintable() for label in found)


def test_a_long_name_loses_its_middle_and_a_blank_one_is_said_to_be_one() -> None:
    assert make_labels(["short", "a_very_long_name_of_a_run_v2"], 15) == ["short", "a_very_…_run_v2"]
    assert make_labels(["", "a", "  "]) == ["(no name) [1]", "a", "(no name) [2]"]


def test_no_two_looks_share_a_marker_or_a_colour() -> None:
    for one, other in combinations(LOOKS, 2):
        assert one.marker != other.marker
        assert one.colour != other.colour
        assert (one.line, one.marker) != (other.line, other.marker)


def test_numbers_as_people_read_them() -> None:
    assert format_percent(0.2) == "20\u202f%"
    assert format_signed(-0.25, 1) == "−0.2"
    coefficients = [format_coefficient(value) for value in (1.0, 0.999, 0.5, -0.25, 0.0, float("nan"))]
    assert coefficients == ["1.00", ">.99", ".50", "−.25", ".00", "–"]
    assert [format_p(p) for p in (0.0001, 0.0123, 0.4, 1.0, float("nan"))] == ["<.001", ".012", ".40", "1", "–"]
    assert (choose_ink("#FFFFFF"), choose_ink("#000000"), choose_ink("#0072B2")) == ("black", "white", "white")


def test_notes_are_broken_into_lines_that_fit() -> None:
    notes = wrap_notes(["mark: the mean", "line: its interval", "filled: significant"], 1.2)
    assert " ".join(notes.split()) == "Mark: the mean; line: its interval; filled: significant"
    assert text_width(notes.split("\n"), 7.0) <= 1.2
