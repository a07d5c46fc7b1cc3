"""`ac.build_index` makes a searchable index of whatever Python has of documents, and refuses the rest in one line."""

from __future__ import annotations

import gc
import re
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import antecede as ac
from antecede.corpus.objects import ObjectCollection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DOCUMENTS: list[dict[str, Any]] = [
    {"doc_id": "gear", "title": "Planetary gear with a hollow shaft", "ipc": ["F16H 1/28"]},
    {"doc_id": "pump", "title": "Pump for molten salt", "publication_date": date(2001, 2, 3)},
    {"doc_id": "kiln", "title": "Rotary kiln", "abstract": "A kiln whose shaft is cooled by molten salt."},
]


class Dataset:
    """What this project uses of a dataset of HuggingFace: it is iterated over, and its rows are dictionaries."""

    column_names = ("doc_id", "title")

    def __iter__(self) -> Any:
        return iter(DOCUMENTS)


FORMS: dict[str, Callable[[Path], Any]] = {
    "list": lambda _: DOCUMENTS,
    "iterator": lambda _: iter(DOCUMENTS),
    "patents": lambda _: [*ObjectCollection(DOCUMENTS).documents()],
    "pandas": lambda _: pd.DataFrame(DOCUMENTS),
    "polars": lambda _: pl.DataFrame(DOCUMENTS),
    "lazy": lambda _: pl.LazyFrame(DOCUMENTS),
    "dataset": lambda _: Dataset(),
    "path": lambda folder: folder / "d.jsonl",
    "collection": lambda folder: ac.Collection(folder / "d.jsonl"),
}


@pytest.mark.parametrize("form", FORMS)
def test_documents_of_every_form_are_searched(form: str, tmp_path: Path) -> None:
    pl.DataFrame(DOCUMENTS).write_ndjson(tmp_path / "d.jsonl")
    index = ac.build_index(FORMS[form](tmp_path))
    hits = index.search("a kiln with molten salt", model="bm25", before="off")
    assert hits.doc_ids == ("kiln", "pump")
    assert hits[0].title == "Rotary kiln"
    assert [hit.doc_id for hit in hits] == [hit.doc_id for hit in hits[:]] == ["kiln", "pump"]
    assert hits[-1].date == "2001-02-03"
    assert hits.to_polars()["title"].to_list() == ["Rotary kiln", "Pump for molten salt"]
    assert "<td>Rotary kiln" in re.sub(r"<td[^>]*>", "<td>", hits._repr_html_())
    with pytest.raises(IndexError):
        hits[2]


def test_a_temporary_index_goes_with_its_object_and_a_named_one_stays(tmp_path: Path) -> None:
    index: Any = ac.build_index(DOCUMENTS)
    folder = index.folder
    assert folder.is_dir()
    del index
    gc.collect()
    assert not folder.exists()
    ac.build_index(DOCUMENTS, tmp_path / "index")
    gc.collect()
    assert ac.open_index(tmp_path / "index").documents == 3


def test_cells_of_frames_that_are_empty_are_no_values() -> None:
    frame = pd.DataFrame({"key": ["a", "b"], "title": ["Gear", None], "year": [np.nan, 2001.0], "day": pd.NaT})
    index = ac.build_index(frame, names={"doc_id": "key"})
    assert index.patent("b").title == {}
    assert ac.build_index([{"doc_id": "a", "title": "Gear", "ipc": np.array(["F16H 1/28"])}]).patent("a").ipc


REFUSED: dict[str, tuple[Any, str]] = {
    "a number": (3, "documents: the number 3 is no collection; give a path, a Collection, or"),
    "one dictionary": (DOCUMENTS[0], "documents: a single dict is no collection; put dictionaries into a list"),
    "splits": ({"train": Dataset()}, r"documents: is a dataset with splits \(train\); give one of them"),
    "texts": (["a text"], "the documents#1: is the text 'a text', not a document; give"),
    "nothing": ([], "the documents: are none; give at least one"),
    "no name": ([{"title": "x"}], "the documents#1: no doc_id; the keys are title.*correct the document"),
    "bytes": ([{"doc_id": "a", "title": b"x"}], r"the documents#1: has a value that cannot be read \(a bytes\)"),
    "an invalid name": ([DOCUMENTS[0], {"doc_id": "a\tb", "title": "x"}], r"the documents#2: doc_id 'a\\tb' cannot"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_collection_is_refused_and_leaves_nothing(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    documents, message = REFUSED[kind]
    with pytest.raises(ac.AntecedeError, match=message):
        ac.build_index(documents)
    assert not [*tmp_path.iterdir()]


def test_what_a_file_has_to_reject_is_told(tmp_path: Path) -> None:
    lines = ['{"doc_id": "a", "title": "Gear"}', '{"title": "no name"}']
    (tmp_path / "d.jsonl").write_text("\n".join(lines))
    with pytest.warns(UserWarning, match="1 of 2 documents were rejected: no doc_id"):
        assert ac.build_index(tmp_path / "d.jsonl").documents == 1
    with pytest.raises(ac.UsageError, match="names: a Collection has names of its own"):
        ac.build_index(ac.Collection(tmp_path / "d.jsonl"), names={"doc_id": "key"})
