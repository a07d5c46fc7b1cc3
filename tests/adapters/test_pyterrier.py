"""An index of ours as a retriever of PyTerrier. What needs PyTerrier itself runs where it is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest

import antecede as ac
from antecede.adapters.pyterrier import qrels, retrieval, retriever, topics
from antecede.cli.bundles import SearchOptions
from antecede.experiment.searches import _make_search_run

if TYPE_CHECKING:
    from pathlib import Path


def test_patents_as_queries_give_what_a_batch_gives(documented_folder: Path) -> None:
    wanted = topics(documented_folder / "topics").head(3)
    assert list(wanted.columns) == ["qid", "query", "patent"]
    found = retrieval(documented_folder / "clefip.index", method="tfidf", k=10)(wanted)
    assert list(found.columns) == ["qid", "query", "patent", "docno", "score", "rank"]
    index = ac.open_index(documented_folder / "clefip.index")
    batch = ac.run(index, list(wanted["patent"]), ac.SearchSettings(("tfidf",), k=10), threads=1)
    for topic, ranking in batch.rankings.items():
        rows = found[found["qid"] == topic]
        assert rows["docno"].tolist() == list(ranking)
        assert rows["score"].tolist() == list(ranking.values())
        assert rows["rank"].tolist() == list(range(len(ranking))), "PyTerrier counts from 0"
        assert topic not in rows["docno"].tolist()


def test_every_way_to_retrieve_for_measuring_has_the_same_default_length(documented_folder: Path) -> None:
    index = ac.open_index(documented_folder / "clefip.index")
    patents = topics(documented_folder / "topics").head(2)
    batch = ac.run(index, list(patents["patent"]), before="off", threads=1)
    from_frame = retrieval(index, before="off")
    assert batch.settings.k == from_frame.ranker.settings.k == ac.SearchSettings().k == 1000
    run = next(each for each in SearchOptions().options() if each.name == "k")
    assert run.default == 1000
    assert _make_search_run("a", ("tfidf",), {}).settings.k == 1000
    assert {topic: [*ranking] for topic, ranking in batch.rankings.items()} == {
        topic: rows["docno"].tolist() for topic, rows in from_frame(patents).groupby("qid")
    }


def test_a_patent_may_be_a_number_or_a_file(documented_folder: Path) -> None:
    work = retrieval(documented_folder / "clefip.index", k=5)
    names = ["EP1234567", str(documented_folder / "application.xml")]
    found = work(pd.DataFrame({"qid": ["1", "2"], "patent": names}))
    assert found.groupby("qid").size().tolist() == [5, 5]


def test_a_text_is_searched_for_as_it_stands(documented_folder: Path) -> None:
    index = ac.open_index(documented_folder / "clefip.index")
    text = index.patent("EP1000000").title["en"]
    found = retrieval(index, k=7)(pd.DataFrame({"qid": ["1"], "query": [text]}))
    want = ac.search_index(index, text, k=7)
    assert found["docno"].tolist() == [hit.doc_id for hit in want.hits]


def test_an_earlier_ranking_is_replaced_and_no_query_gives_no_row(documented_folder: Path) -> None:
    work = retrieval(documented_folder / "clefip.index", k=2)
    earlier = pd.DataFrame({"qid": ["1"], "query": ["valve"], "docno": ["x"], "score": [1.0], "rank": [0]})
    assert "x" not in work(earlier)["docno"].tolist()
    assert list(work(earlier.head(0)).columns) == ["qid", "query", "docno", "score", "rank"]


def test_what_cannot_be_searched_for_is_said(documented_folder: Path) -> None:
    work = retrieval(documented_folder / "clefip.index")
    with pytest.raises(ac.UsageError, match="queries need a qid"):
        work(pd.DataFrame({"qid": ["1"], "words": ["valve"]}))
    with pytest.warns(UserWarning, match="topic 7: "):
        assert work(pd.DataFrame({"qid": ["7"], "patent": [ac.Patent("X1")]})).empty


def test_qrels_as_pyterrier_wants_them(documented_folder: Path) -> None:
    frame = qrels(documented_folder / "qrels.txt")
    assert list(frame.columns) == ["qid", "docno", "label"]
    assert len(frame) == len((documented_folder / "qrels.txt").read_text().splitlines())


def test_an_experiment_of_pyterrier(documented_folder: Path) -> None:
    pt = pytest.importorskip("pyterrier")
    from antecede.adapters.pyterrier import PRES

    ours = retriever(documented_folder / "clefip.index", method="tfidf")
    table = pt.Experiment(
        [ours, retriever(documented_folder / "clefip.index", method="tfidf", k=2)],
        topics(documented_folder / "topics"),
        qrels(documented_folder / "qrels.txt"),
        eval_metrics=[PRES @ 100, "recall_100", "map"],
        names=["all", "two"],
    )
    ranks = ac.rank_table(documented_folder / "qrels.txt", documented_folder / "b.run")
    want = ac.evaluate(ranks, ["PRES@100", "R@100", "AP"]).totals[:, 0]
    columns = [str(PRES @ 100), "recall_100", "map"]
    assert table.loc[0, columns].tolist() == pytest.approx(want.tolist())
    assert (table.loc[1, columns] < table.loc[0, columns]).all()
    assert "tfidf" in repr(ours)
