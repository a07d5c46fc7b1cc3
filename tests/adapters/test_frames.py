"""Frames in, frames out, of polars and of pandas; and every result shows itself in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import polars as pl
import pytest

import antecede as ac
from antecede.adapters.frames import to_pandas, to_polars
from antecede.tables import Table

if TYPE_CHECKING:
    from pathlib import Path

QRELS = {"1": {"a": 1, "b": 2}, "2": {"d": 1}}
RUN = {"1": {"x": 3.0, "a": 2.0, "b": 1.0}, "2": {"d": 1.0}}


@pytest.mark.parametrize("frame", [pl.DataFrame, pd.DataFrame])
def test_frames_of_both_kinds_go_in_and_come_out(frame: type[pl.DataFrame | pd.DataFrame]) -> None:
    run = frame({"qid": ["1", "1", "1", "2"], "docno": ["x", "a", "b", "d"], "score": [3.0, 2.0, 1.0, 1.0]})
    qrels = frame({"qid": ["1", "1", "2"], "docno": ["a", "b", "d"], "label": [1, 2, 1]})
    ranks = ac.rank_table(qrels, {"mine": run})
    scores = ac.evaluate(ranks, ["PRES@10", "AP"])
    want = ac.evaluate(ac.rank_table(QRELS, {"mine": RUN}), ["PRES@10", "AP"])
    assert scores.totals.tolist() == want.totals.tolist()
    out = to_pandas(scores)
    assert list(out.columns) == ["run", "PRES@10", "AP"]
    assert out["PRES@10"][0] == pytest.approx((0.9 + 1) / 2)
    topics = to_pandas(scores, per_topic=True)
    assert topics[["topic_id", "AP"]].to_dict("list") == {"topic_id": ["1", "2"], "AP": [pytest.approx(7 / 12), 1.0]}


def test_a_run_goes_out_and_in_again() -> None:
    run = ac.read_run(RUN, name="mine")
    frame = to_pandas(run)
    assert frame.columns.tolist() == ["topic_id", "doc_id", "rank", "score"]
    assert to_polars(ac.read_run(frame, name="mine")).equals(to_polars(run))
    assert to_pandas(ac.read_qrels(QRELS))["relevance"].tolist() == [1, 2, 1]


def test_a_table_keeps_numbers_numbers_and_says_missing() -> None:
    table = Table(("run", "AP", "Effort"), (("a", 0.5, "never: 7"), ("b", None, 12.0)))
    frame = to_polars(table)
    assert frame.schema == {"run": pl.String, "AP": pl.Float64, "Effort": pl.String}
    assert to_pandas(table)["AP"].isna().tolist() == [False, True]
    assert to_polars(Table(("a", "b"), ())).columns == ["a", "b"]


def test_what_is_no_result_is_refused() -> None:
    with pytest.raises(ac.UsageError, match="a int is not a result"):
        to_pandas(7)


def test_hits_become_a_frame(documented_folder: Path) -> None:
    index = ac.open_index(documented_folder / "clefip.index")
    found = ac.search_index(index, index.patent("EP1234567"), k=5)
    frame = to_pandas(found)
    assert frame["rank"].tolist() == [1, 2, 3, 4, 5]
    assert frame["doc_id"].tolist() == [hit.doc_id for hit in found.hits]
    assert set(frame["topic_id"]) == {"EP1234567"}


def results(documented_folder: Path) -> dict[str, object]:
    """One of every result that a user gets."""
    ranks = ac.RankTable.load(documented_folder / "ranks.npz")
    scores = ac.evaluate(ranks, ["PRES@100", "AP", "R@100"])
    index = ac.open_index(documented_folder / "clefip.index")
    topics = list(ac.Collection(documented_folder / "topics").patents())[:3]
    return {
        "table": scores.table(),
        "scores": scores,
        "audit": ac.audit(ranks),
        "comparison": ac.compare(scores),
        "correlations": ac.study.correlation(scores),
        "agreement": ac.study.agreement(scores),
        "cutoffs": ac.study.cutoffs(ranks, ["PRES"], at=[10, 50]),
        "robustness": ac.study.robustness(ranks, ["PRES@100"], samples=2),
        "batch": ac.run(index, topics, ac.SearchSettings(("tfidf",)), threads=1),
        "topics": ac.topics(ac.Collection(documented_folder / "clefip")),
    }


def test_every_result_is_a_frame_and_shows_itself_in_a_notebook(documented_folder: Path) -> None:
    for name, result in results(documented_folder).items():
        frame = to_pandas(result)
        assert len(frame) > 0, name
        assert len(frame.columns) > 1, name
        page: str = result._repr_html_()  # type: ignore[attr-defined]
        assert "<table" in page, name
        assert page.count("<tr") > len(frame), name
