"""Comparing runs: figures against SciPy, marks, letters, the JSON shape, advice and errors."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from antecede.comparison import CORRECTIONS, TESTS
from antecede.comparison.comparison import format_letters
from antecede.errors import UsageError
from tests.comparison.values import compare_values

RUNS = ["full", "tfidf", "bm25", "copy"]


def made(topics: int = 40, *, gap: float = 0.1) -> dict[str, np.ndarray]:
    """Four runs: tfidf well above full, bm25 well below, copy the same as full."""
    rng = np.random.default_rng(21)
    base = rng.beta(2, 3, topics)
    noise = rng.normal(0, 0.05, (2, topics))
    values = np.stack([base, base + gap + noise[0], base - gap + noise[1], base])
    return {"AP@1000": values, "R@1000": np.sqrt(np.clip(values, 0, None))}


def test_baseline_figures_are_scipys_with_the_correction_on_top() -> None:
    values = made()
    found = compare_values(values, RUNS, baseline="full", test="wilcoxon", correction="holm")
    for name, array in values.items():
        here = found.by_measure[name]
        p = [stats.wilcoxon(array[i], array[0]).pvalue for i in (1, 2)] + [1.0]
        assert here.p == pytest.approx(p, abs=1e-12)
        assert here.adjusted == pytest.approx(CORRECTIONS["holm"](np.array(p)), abs=1e-12)
        assert here.difference == pytest.approx(array[1:].mean(axis=1) - array[0].mean(), abs=1e-12)
        assert here.topics.tolist() == [40] * 3
        assert here.verdicts.tolist() == [1, -1, 0]
        assert (here.low <= here.difference).all()
        assert (here.difference <= here.high).all()
        assert found.scores[name] == pytest.approx(array.mean(axis=1))


def test_less_is_better_turns_marks_but_not_differences() -> None:
    values = {"Effort@95": made()["AP@1000"]}
    more, less = (compare_values(values, RUNS, baseline="full", better={"Effort@95": b}) for b in ("higher", "lower"))
    assert more.by_measure["Effort@95"].difference.tolist() == less.by_measure["Effort@95"].difference.tolist()
    assert (more.table().marks, [*more.table().best]) == ({(1, 1): "†", (2, 1): "‡"}, [(1, 1)])
    assert (less.table().marks, [*less.table().best]) == ({(1, 1): "‡", (2, 1): "†"}, [(2, 1)])
    assert "than full" in less.table().notes[0]
    assert not compare_values(values, RUNS, baseline="full", better={"Effort@95": None}).table().best


def test_letters_without_a_baseline() -> None:
    found = compare_values(made(), RUNS)
    table = found.table()
    assert len(found.pairs) == 6
    # full (a) and copy (d) beat bm25 (c); tfidf (b) beats all three.
    assert [table.marks.get((row, 2), "") for row in range(4)] == [" c", " acd", "", " c"]
    assert [row[0] for row in table.rows] == ["a", "b", "c", "d"]


def test_json() -> None:
    beside, pairs = (
        json.loads(json.dumps(compare_values(made(), RUNS, baseline=baseline).to_dict(), allow_nan=False))
        for baseline in ("full", None)
    )
    assert (beside["baseline"], beside["measures"]) == ("full", ["AP@1000", "R@1000"])
    assert [run["name"] for run in beside["runs"]] == RUNS
    full, tfidf, _, copy = beside["runs"]
    assert tfidf["significant"] == {"AP@1000": True, "R@1000": True}
    low, high = tfidf["interval"]["AP@1000"]
    assert low < tfidf["difference"]["AP@1000"] < high
    assert tfidf["p"]["AP@1000"] <= tfidf["p_adjusted"]["AP@1000"] < 0.001
    assert (copy["p"]["AP@1000"], copy["effect"]["AP@1000"]) == (1.0, 0.0)
    # The baseline has the same keys and no figures.
    assert full.keys() == tfidf.keys()
    assert full["p"] == {"AP@1000": None, "R@1000": None}
    assert full["significant"] == {"AP@1000": False, "R@1000": False}
    assert pairs["baseline"] is None
    assert pairs["runs"][1]["better_than"]["AP@1000"] == ["full", "bm25", "copy"]
    assert [(pair["first"], pair["second"]) for pair in pairs["pairs"]][:2] == [("full", "tfidf"), ("full", "bm25")]
    assert pairs["pairs"][0]["difference"]["AP@1000"] < 0


@pytest.mark.parametrize("baseline", ["full", None])
def test_a_frame_has_p_values_as_tested_and_adjusted(baseline: str | None) -> None:
    pytest.importorskip("pandas")
    found = compare_values(made(), RUNS, baseline=baseline, correction="holm")
    frame = found.to_pandas().set_index("run")
    against = "" if baseline else " against full"
    tests = found.by_measure["AP@1000"]
    pairs = zip(found.pairs.first.tolist(), found.pairs.second.tolist(), strict=True)
    at = next(at for at, pair in enumerate(pairs) if {*pair} == {0, 2})
    assert frame.loc["bm25", f"AP@1000 p{against}"] == tests.p[at]
    assert frame.loc["bm25", f"AP@1000 adjusted p{against}"] == tests.adjusted[at] > tests.p[at]
    assert np.isnan(frame.loc["full", f"AP@1000 p{against}"])
    assert frame.loc["bm25", "AP@1000"] == found.scores["AP@1000"][2]


def test_details_have_a_row_for_each_pair_and_measure() -> None:
    table = compare_values(made(), RUNS).details()
    assert len(table.rows) == 12
    assert table.rows[0][:3] == ("AP@1000", "full", "tfidf")
    marked = table.columns.index("adjusted p")
    differences = [value for _, _, _, value, *_ in table.rows if isinstance(value, float)]
    marks = [table.marks.get((at, marked), "") for at in range(len(table.rows))]
    assert {"†", "‡"} >= {*filter(None, marks)}
    for difference, mark in zip(differences, marks, strict=True):  # better or worse, as in the table of the runs
        assert mark in {"", "†" if difference > 0 else "‡"}
    assert marks[0]
    # An even difference has an endless effect, which JSON cannot hold.
    even = compare_values({"P@10": np.array([[0.1] * 12, [0.2] * 12])}, ["x", "y"])
    assert even.to_dict()["pairs"][0]["effect"] == {"P@10": None}


def test_topics_left_out_are_counted() -> None:
    values = made()
    values["AP@1000"][1, :3] = np.nan
    found = compare_values(values, RUNS, baseline="full")
    assert found.by_measure["AP@1000"].topics.tolist() == [37, 40, 40]
    assert found.scores["AP@1000"][1] == pytest.approx(np.nanmean(values["AP@1000"][1]))
    assert "AP@1000: 0 to 3 of 40 topics are left out of each pair because a run has no score there." in found.advice


def advice_of(values: np.ndarray, **options: object) -> str:
    runs = [f"r{i}" for i in range(len(values))]
    return " ".join(compare_values({"AP": values}, runs, **options).advice)  # type: ignore[arg-type]


def test_no_advice_where_all_is_well() -> None:
    values = np.random.default_rng(22).random((3, 50))
    assert [advice_of(values, test=test) for test in TESTS] == ["", "", ""]


def test_advice() -> None:
    rng = np.random.default_rng(23)
    few, wide = rng.random((3, 5)), rng.random((20, 50))
    assert "only 5 topics" in advice_of(few)
    assert "smallest possible p is 0.062" in advice_of(few, test="wilcoxon", correction="none")
    assert "the same score on every topic: r0 and r1." in advice_of(few[[0, 0, 1]])
    assert "the same difference on every topic: r0 and r1." in advice_of(np.stack([few[0], few[0] + 1]))
    many = advice_of(np.stack([np.zeros(5000), rng.normal(0.05, 1, 5000)]) + rng.random(5000))
    assert "with 5,000 topics even tiny differences become significant (1 of 1 significant ones" in many
    coarse = advice_of(wide, test="randomization", samples=1000)
    assert "1,000 samples are too few" in coarse
    assert "in 190 tests (holm). Use 38,000 samples." in coarse
    assert "too few" not in advice_of(wide, test="randomization", samples=1000, correction="none")
    assert "too few" not in advice_of(wide, test="randomization", samples=38_000)
    ties = rng.integers(0, 2, (3, 40)).astype(np.float64)
    assert "in 3 of 3 pairs more than half of the topics" in advice_of(ties, test="wilcoxon")
    skewed = np.concatenate([np.linspace(0.010, 0.011, 45), np.linspace(-0.9, -0.8, 5)])
    assert "ranks and means favour different runs: r0 and r1" in advice_of(
        np.stack([skewed + 1, np.ones(50)]), test="wilcoxon"
    )


def test_advice_that_holds_for_all_measures_is_said_once() -> None:
    found = compare_values(made(6), RUNS, baseline="full")
    assert [text for text in found.advice if "only 6 topics" in text] == [found.advice[0]]
    assert found.table().notes[1] == f"Note: {found.advice[0]}"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"baseline": "ful"}, "the baseline 'ful' is not among the runs (did you mean full?)"),
        ({"baseline": "xyz"}, "the baseline 'xyz' is not among the runs; the runs are full, tfidf, bm25, copy"),
        (
            {"test": "wilcoxson"},
            "unknown test 'wilcoxson' (did you mean wilcoxon?); available: t, wilcoxon, randomization",
        ),
        ({"correction": "tukey"}, "unknown correction 'tukey'; available: none, bonferroni, holm, bh"),
        ({"alpha": 0.0}, "alpha must lie between 0 and 1, both excluded, not 0; 0.05 is usual"),
        ({"samples": 0}, "the number of samples must be between 1 and 10000000, not 0"),
        ({"seed": -1}, "the seed must be 0 or more, not -1"),
        ({"resamples": 0}, "the number of resamples must be between 1 and 10000000, not 0"),
        ({"runs": ["full"]}, "a comparison needs at least two runs, but got 1; add another run"),
        ({"runs": ["a", "b", "c", "a"]}, "two runs are named a; rename one of them"),
        ({"runs": ["a", "b"]}, "AP@1000: the scores have shape (4, 40); expected 2 runs × topics"),
        ({"values": {}}, "no measure was given to compare by; give at least one"),
    ],
)
def test_wrong_calls_get_one_clear_line(options: dict[str, object], message: str) -> None:
    call: dict[str, object] = {"values": made(), "runs": RUNS, **options}
    with pytest.raises(UsageError) as caught:
        compare_values(**call)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_the_package_loads_neither_matplotlib_nor_numba_nor_scipy() -> None:
    program = "import sys, antecede.comparison; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "numba", "lxml", "scipy"} & {*loaded}


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([2, 0, 4], "ace"),
        ([0, 1, 2, 3], "a–d"),
        ([0, 2, 3, 4, 6], "a,c–e,g"),
        ([25, 51, 701, 702], "z,az,zz,aaa"),
    ],
)
def test_letters_continue_after_z_and_spans_are_shortened(numbers: list[int], text: str) -> None:
    assert format_letters(numbers) == text
