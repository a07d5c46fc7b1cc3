"""Folders in the form of BEIR, from the collection to the evaluation."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from antecede.errors import InputError
from antecede.search.topics import _locate_topics
from antecede.trec import read_qrels

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = [{"_id": f"d{at}", "title": f"Press {at}", "text": "A press with a frame."} for at in range(3)]
    queries = [{"_id": f"q{at}", "text": "press", "metadata": {}} for at in range(2)]
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, documents)).encode()))
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    (tmp_path / "qrels").mkdir()
    for name, topic in (("test", "q0"), ("train", "q1")):
        judgements = f"query-id\tcorpus-id\tscore\r\n{topic}\td1\t1\r\n"
        (tmp_path / "qrels" / f"{name}.tsv").write_bytes(judgements.encode())
    return tmp_path


def test_only_the_corpus_is_the_collection(folder: Path) -> None:
    collection = Collection(folder)
    assert [patent.doc_id for patent in collection.patents()] == ["d0", "d1", "d2"]
    assert (collection.ledger.rejected, collection.ledger.failed) == (3, False)
    assert {*collection.ledger.reasons} == {
        "the queries of a BEIR folder, not documents",
        "the judgements of a BEIR folder, not documents",
    }


def test_the_queries_are_its_topics_and_the_test_judgements_its_qrels(folder: Path) -> None:
    assert _locate_topics(str(folder)) == str(folder / "queries.jsonl")
    assert read_qrels(folder).topics == ("q0",)
    (folder / "qrels" / "test.tsv").unlink()
    assert read_qrels(folder).topics == ("q1",)
    (folder / "qrels" / "train.tsv").unlink()
    with pytest.raises(InputError, match="is a folder"):
        read_qrels(folder)


def test_queries_alone_are_a_collection_as_any_file(folder: Path) -> None:
    assert len([*Collection(folder / "queries.jsonl").patents()]) == 2
