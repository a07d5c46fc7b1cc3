"""A mean is one number: for any order of topics and runs, for equal sums of hits, and in every format."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.comparison import CORRELATIONS, TESTS, Comparison, ScoreTable, coefficient, correlation
from antecede.evaluation import evaluate, rank_table
from antecede.measures.definition import RunningSums, mean, sum_exactly
from antecede.study import robustness
from tests.comparison.values import agreement_of_values, compare_values
from tests.conftest import call_program

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

SCORES = st.floats(0, 1, allow_subnormal=False)
"""A score of any size."""
TENTHS = st.integers(0, 10)
"""Hits among ten documents."""
ORDERS = st.randoms(use_true_random=False)


@given(st.lists(SCORES | st.just(math.nan), min_size=1, max_size=60), ORDERS)
def test_the_order_of_topics_changes_no_mean(scores: list[float], orders: Random) -> None:
    shuffled = orders.sample(scores, len(scores))
    one, other = mean(np.array([scores])), mean(np.array([shuffled]))
    np.testing.assert_array_equal(one, other)
    known = [Fraction(score) for score in scores if not math.isnan(score)]
    if known:
        assert one[0] == pytest.approx(float(sum(known) / len(known)), abs=6e-13)


@given(st.lists(TENTHS, min_size=1, max_size=120), st.sampled_from([5, 10, 100, 1000]), ORDERS)
def test_equal_numbers_of_hits_give_equal_means(hits: list[int], cutoff: int, orders: Random) -> None:
    """Two runs with as many hits on other topics: .3 + 0 and .1 + .2 are the same mean of precision."""
    moved = [*hits]
    for _ in range(len(hits)):
        giver, taker = orders.randrange(len(hits)), orders.randrange(len(hits))
        if moved[giver] > 0:
            moved[giver] -= 1
            moved[taker] += 1
    precision = np.array([hits, moved]) / cutoff
    first, second = mean(precision)
    assert first == second
    assert mean(precision[:1] - precision[1:])[0] == 0


def test_a_mean_of_precision_is_written_as_it_is_said() -> None:
    assert mean(np.array([[0.7] * 11 + [0.2] * 17 + [0.0] * 22])).tolist() == [0.222]


@given(st.lists(st.lists(SCORES, min_size=3, max_size=3), min_size=1, max_size=40))
def test_running_sums_are_exact_sums(rows: list[list[float]]) -> None:
    terms = np.array(rows)
    running = RunningSums((3,))
    for row in terms:
        running.add(row)
    np.testing.assert_allclose(running.sums(), sum_exactly(terms.T), rtol=2.3e-16, atol=0)  # the nearest or the next


def test_running_sums_of_infinite_terms_are_infinite() -> None:
    running = RunningSums((2,))
    for row in ([1.0, math.inf], [2.0, math.inf], [3.0, 1.0]):
        running.add(np.array(row))
    assert running.sums().tolist() == [6.0, math.inf]


def _marks_by_run(result: Comparison) -> dict[tuple[str, str], tuple[str, bool]]:
    """By run and measure: the mark, with letters as the names of the runs beaten, and whether it is the best."""
    table, first = result.table(), 1 if result.baseline is not None else 2
    marked = {}
    for row, run in enumerate(result.runs):
        for column, measure in enumerate(result.measures, start=first):
            beaten = sorted(result.runs[place] for place in result.runs_beaten(measure, row))
            mark = table.marks.get((row, column), "") if result.baseline is not None else " ".join(beaten)
            marked[run, measure] = mark, (row, column) in table.best
    return marked


@pytest.mark.parametrize("test", [*TESTS])
@pytest.mark.parametrize("baseline", [None, "run2"])
@given(data=st.data())
def test_the_order_of_topics_and_runs_changes_no_score_and_no_mark(
    test: str, baseline: str | None, data: st.DataObject
) -> None:
    runs, topics = data.draw(st.integers(3, 5)), data.draw(st.integers(2, 24))
    hits = data.draw(st.lists(st.lists(TENTHS, min_size=topics, max_size=topics), min_size=runs, max_size=runs))
    values = np.array(hits) / 10
    names = [f"run{number}" for number in range(runs)]
    of_runs, of_topics = data.draw(st.permutations(range(runs))), data.draw(st.permutations(range(topics)))
    other = values[np.ix_(of_runs, of_topics)]
    options: dict[str, Any] = {"baseline": baseline, "test": test, "samples": 200, "resamples": 20}
    one = compare_values({"P@10": values, "half": values / 2}, names, **options)
    two = compare_values({"P@10": other, "half": other / 2}, [names[run] for run in of_runs], **options)
    assert _marks_by_run(one) == _marks_by_run(two)
    for measure in one.measures:
        assert [*one.scores[measure][of_runs]] == [*two.scores[measure]]


@given(data=st.data())
def test_the_order_of_topics_and_runs_changes_no_correlation_and_no_agreement(data: st.DataObject) -> None:
    runs, topics = data.draw(st.integers(3, 8)), data.draw(st.integers(2, 20))
    rows = st.lists(st.lists(SCORES, min_size=topics, max_size=topics), min_size=runs, max_size=runs)
    values = {name: np.array(data.draw(rows)) for name in ("a", "b")}
    of_runs, of_topics = data.draw(st.permutations(range(runs))), data.draw(st.permutations(range(topics)))
    other = {name: of[np.ix_(of_runs, of_topics)] for name, of in values.items()}
    names = [f"run{number}" for number in range(runs)]
    tables = [
        ScoreTable(tuple(order), {name: mean(of) for name, of in scores.items()})
        for order, scores in ((names, values), ([names[run] for run in of_runs], other))
    ]
    one, two = (json.dumps(correlation(table).to_dict()) for table in tables)
    assert one == two
    agreements = [agreement_of_values(scores, names) for scores in (values, other)]
    assert agreements[0].categories() == agreements[1].categories()


def _write_runs(folder: Path, runs: int, topics: int) -> list[str]:
    """Qrels and runs with many true ties of P@10, whose hits are on different topics."""
    rng = np.random.default_rng(5)
    (folder / "qrels").write_text("".join(f"{t} 0 d{d} {int(d < 20)}\n" for t in range(topics) for d in range(40)))
    for run in range(runs):
        lines = [
            f"{t} Q0 d{d} 0 {40 - place} r\n"
            for t in range(topics)
            for place, d in enumerate(rng.permutation(40).tolist())
        ]
        (folder / f"run{run:02}").write_text("".join(lines))
    return [str(folder / "qrels"), *(str(folder / f"run{run:02}") for run in range(runs))]


def test_every_format_gives_the_correlations_of_the_runs(tmp_path: Path) -> None:
    files = _write_runs(tmp_path, runs=30, topics=50)
    options = ["-m", "AP,P@10,R@10"]
    scores = evaluate(rank_table(files[0], files[1:]), "AP,P@10,R@10")
    precision = scores.totals[1].tolist()
    hits = np.rint(scores.of("P@10") * 10).sum(axis=1).tolist()
    assert len({*precision}) == len({*hits}) < 30  # runs tie, and only those with as many hits
    (tmp_path / "scores.csv").write_text(call_program("evaluate", *files, *options, "--format", "csv").out)
    written = json.loads(call_program("evaluate", *files, *options, "--json").out)
    totals = {name: np.array([run["scores"][name] for run in written["runs"]]) for name in written["measures"]}
    for style in ("csv", "latex", "md"):
        direct = call_program("study", "correlation", *files, *options, "--format", style).out
        piped = call_program("study", "correlation", str(tmp_path / "scores.csv"), "--format", style).out
        assert direct == piped
    direct = json.loads(call_program("study", "correlation", *files, *options, "--json").out)
    for method in CORRELATIONS:
        assert direct[method]["AP|P@10"] == coefficient(totals["AP"], totals["P@10"], method)
    latex = call_program("study", "correlation", *files, *options, "--format", "latex").out
    rows = re.findall(r"^AP -- P@10 & (.*?) ", latex, re.MULTILINE)
    assert rows == [f"{direct['kendall']['AP|P@10']:.3f}"]


def test_ties_of_an_evaluation_are_ties_in_samples_of_the_judgements(tmp_path: Path) -> None:
    files = _write_runs(tmp_path, runs=30, topics=50)
    study = robustness(rank_table(files[0], files[1:]), "P@10", keep=[1.0], samples=1)
    assert study.tau.tolist() == [[[1.0]]]
