"""From an evaluation or a table of scores to a comparison."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from antecede.comparison import ScoreTable, agreement, compare, correlation, read_score_table
from antecede.errors import AntecedeError, UsageError
from antecede.evaluation import evaluate
from tests.comparison.values import agreement_of_values, compare_values
from tests.study.worlds import drawn_table

if TYPE_CHECKING:
    from pathlib import Path

SCORES = evaluate(drawn_table(3, topics=12), "AP,R@10,Effort(docs=100)@50")


def test_compares_the_scores_topic_by_topic() -> None:
    given = compare(SCORES, baseline="a", test="wilcoxon")
    better = {"AP": "higher", "R@10": "higher", "Effort(docs=100)@50": "lower"}
    values = dict(zip(better, SCORES.values, strict=True))
    plain = compare_values(values, SCORES.runs, baseline="a", test="wilcoxon", better=better)
    assert (given.measures, given.runs, given.better) == (plain.measures, plain.runs, plain.better)
    for measure, expected in plain.by_measure.items():
        found = given.by_measure[measure]
        np.testing.assert_allclose(found.p, expected.p)
        np.testing.assert_allclose(found.difference, expected.difference)
        np.testing.assert_array_equal(found.verdicts, expected.verdicts)
    assert agreement(SCORES).to_dict() == agreement_of_values(values, SCORES.runs, better=better).to_dict()


def test_correlates_totals() -> None:
    totals = {str(measure): row for measure, row in zip(SCORES.measures, SCORES.totals, strict=True)}
    ours, plain = correlation(SCORES).to_dict(), correlation(ScoreTable(SCORES.runs, totals)).to_dict()
    for method, by_pair in plain.items():
        assert ours[method] == pytest.approx(by_pair)


def test_a_measure_for_sets_of_topics_cannot_be_tested_but_correlated() -> None:
    scores = evaluate(drawn_table(3), "AP,GMAP")
    for function in (compare, agreement):
        with pytest.raises(UsageError, match="GMAP: is defined for a set of topics only"):
            function(scores)
    assert "AP|GMAP" in correlation(scores).to_dict()["kendall"]


def test_what_never_ends_is_refused_in_one_line() -> None:
    scores = evaluate(drawn_table(3), "AP,Effort@100")
    with pytest.raises(UsageError, match=r"Effort@100: run . does not reach this recall on every topic"):
        correlation(scores)
    with pytest.raises(UsageError, match=r"Effort@100: run . never reaches this recall on topic"):
        compare(scores)


@pytest.mark.parametrize("separator", [",", "\t", ";", "   "])
def test_reads_tables_of_scores(separator: str, tmp_path: Path) -> None:
    rows = [("run", "MAP", "Recall"), ("R1", "0.1", "0.5"), ("R2", "0.3", "0.4"), ("R3", "0.2", "–")]
    file = tmp_path / "scores"
    file.write_text("# from a paper\n" + "\n".join(separator.join(row) for row in rows) + "\n")
    table = read_score_table(file)
    assert table.runs == ("R1", "R2", "R3")
    assert table.scores["MAP"].tolist() == [0.1, 0.3, 0.2]
    assert np.isnan(table.scores["Recall"][2])
    result = correlation(table)
    assert result.left_out == ("R3",)
    assert result.to_dict()["kendall"] == {"MAP|Recall": -1.0}


def test_reads_quoted_and_packed_tables(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv.gz"
    file.write_bytes(gzip.compress(b'run,"AP(rel=2, x)",R\n"a, b",0.1,0.5\nc,0.3,0.4\n'))
    table = read_score_table(file)
    assert table.runs == ("a, b", "c")
    assert [*table.scores] == ["AP(rel=2, x)", "R"]


def test_chooses_columns_by_name(tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_text("run AP R PRES\na 1 2 3\nb 2 1 4\n")
    assert [*read_score_table(file).select(["pres,AP"]).scores] == ["PRES", "AP"]
    assert [*read_score_table(file).select(None).scores] == ["AP", "R", "PRES"]
    with pytest.raises(UsageError, match=r"no column 'PREX' \(did you mean PRES\?\)"):
        read_score_table(file).select(["PREX"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b 1\n", "is not a table of scores; name two or more measures"),
        ("run AP R\n", "is not a table of scores"),
        ("run AP R\na 1\n", "line 2: has 1 scores, but 2 measures are named"),
        ("run AP R\na 1 x\n", "line 2: 'x' is not a number"),
        ("run AP R\na 1 2\na 1 2\n", "line 3: run a appears twice"),
    ],
)
def test_bad_tables_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "scores"
    file.write_text(text)
    with pytest.raises(AntecedeError, match=message) as caught:
        read_score_table(file)
    assert "\n" not in str(caught.value)
