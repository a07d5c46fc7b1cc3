"""The one-call experiment: the frames of PyTerrier, and the figures of the separate steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import antecede as ac
from antecede.adapters.experiment import Experiment, results, score_frame
from antecede.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

QRELS = pd.DataFrame({"qid": list("112233"), "docno": list("abcdef"), "label": [1, 1, 1, 0, 2, 1]})
GOOD = pd.DataFrame({"qid": list("112233"), "docno": list("axcdef"), "score": [3.0, 2.0, 2.0, 1.0, 5.0, 4.0]})
POOR = pd.DataFrame({"qid": list("112233"), "docno": list("xbdcye"), "score": [3.0, 2.0, 2.0, 1.0, 5.0, 4.0]})


@pytest.mark.filterwarnings("ignore:.*treats the rest as not found")
def test_scores_and_columns_are_those_of_pyterrier() -> None:
    frame = Experiment([GOOD, POOR], None, QRELS, ["map", "PRES@10"], names=["good", "poor"])
    assert [*frame.columns] == ["name", "AP", "PRES@10"]
    scores = ac.evaluate(ac.rank_table(QRELS, {"good": GOOD, "poor": POOR}), "AP,PRES@10")
    assert np.allclose(frame[["AP", "PRES@10"]], scores.totals.T)
    long = Experiment([GOOD, POOR], None, QRELS, "AP", names=["good", "poor"], perquery=True)
    assert [*long.columns] == ["name", "qid", "measure", "value"]
    assert len(long) == 6
    assert long.equals(score_frame(ac.evaluate(scores.rank_table, "AP"), per_query=True))


def test_a_baseline_adds_wins_losses_and_p() -> None:
    frame = Experiment([POOR, GOOD], None, QRELS, ["AP"], names=["poor", "good"], baseline=0, correction="holm")
    assert [*frame.columns] == ["name", "AP", "AP +", "AP -", "AP p-value", "AP reject", "AP p-value corrected"]
    values = ac.evaluate(ac.rank_table(QRELS, {"poor": POOR, "good": GOOD}), "AP").of("AP")
    row = frame.iloc[1]
    assert (row["AP +"], row["AP -"]) == ((values[1] > values[0]).sum(), (values[1] < values[0]).sum())
    assert row["AP p-value"] == pytest.approx(stats.ttest_rel(values[1], values[0]).pvalue)
    assert frame.iloc[0][["AP +", "AP p-value"]].isna().all()


@pytest.mark.filterwarnings("ignore:.*treats the rest as not found")
def test_systems_are_files_or_functions_too(tmp_path: Path) -> None:
    ac.write_run(ac.read_run(GOOD), tmp_path / "good.run")

    def search(topics: Any) -> Any:
        return POOR[POOR["qid"].isin(topics["qid"])]

    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["x", "y"]})
    frame = Experiment([tmp_path / "good.run", search], topics, QRELS, ["R@10"])
    assert frame["name"].tolist()[0] == "good.run"
    assert frame["R@10"].tolist() == pytest.approx([(1 / 2 + 1 + 1) / 3, (1 / 2 + 1 + 0) / 3])


def test_a_run_as_a_result_frame() -> None:
    frame = results(GOOD)
    assert [*frame.columns] == ["qid", "docno", "rank", "score"]
    assert frame.iloc[0].tolist() == ["1", "a", 0, 3.0]
    library = pytest.importorskip("ir_measures")
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = library.calc_aggregate([library.AP], QRELS.rename(columns=names), frame.rename(columns=names))
    assert found[library.AP] == pytest.approx(Experiment([frame], None, QRELS, ["AP"])["AP"][0])


def test_wrong_calls_are_one_clear_line() -> None:
    for words, given in (
        ("no system", {"systems": []}),
        ("one for each", {"systems": [GOOD], "names": ["a", "b"]}),
        ("two systems are named a", {"systems": [GOOD, POOR], "names": ["a", "a"]}),
        ("needs topics", {"systems": [lambda topics: topics]}),
        ("there is no system 3", {"systems": [GOOD], "baseline": 3}),
        ("leave perquery out", {"systems": [GOOD, POOR], "baseline": 0, "perquery": True}),
    ):
        with pytest.raises(UsageError, match=words):
            Experiment(**{"topics": None, "qrels": QRELS, "eval_metrics": ["AP"], **given})


def test_a_cutoff_beyond_the_runs_is_said() -> None:
    with pytest.warns(UserWarning, match=r"^good holds 2 documents a topic; P@10 treats the rest as not found$"):
        Experiment([GOOD], None, QRELS, ["P@10"], names=["good"])
