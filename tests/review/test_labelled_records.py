"""Tables of finished screenings: names of columns, decisions in words, what is missing, and what is refused."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from antecede.errors import InputError
from antecede.review.labelled_records import is_labelled, read_labelled

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, text: str, name: str = "r.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(
    "text",
    [
        "record_id,title,abstract,year,doi,label_included\n1,A valve,Of a spring,2001,10.1,1\n2,A net,,2002,,0\n",
        "Title;Abstract;Included\nA valve;Of a spring;yes\nA net;;no\n",
        "decision\tTI\tAB\nInclude\tA valve\tOf a spring\nExcluded\tA net\n",
        "\ufefftitle,abstract,label\r\nA valve,Of a spring,1.0\r\n\r\nA net,,0.0\r\n",
        "final_inclusion,abstract,title\nTRUE,Of a spring,A valve\nFALSE,,A net\n",
    ],
)
def test_columns_and_decisions_are_recognised(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    assert is_labelled(path)
    records = read_labelled(path)
    assert records.texts == ("A valve Of a spring", "A net ")
    assert records.relevant.tolist() == [True, False]
    assert (records.unlabelled, records.without_title, records.without_abstract) == (0, 0, 1)


def test_what_is_missing_is_counted(tmp_path: Path) -> None:
    text = 'title,abstract,included\n,"a, ""b""\nc",1\nd,e,\nf,g,0\nh,i,-1\n,,0\n'
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(text.encode()))
    records = read_labelled(tmp_path / "r.csv.gz")
    assert (records.name, len(records), records.texts[0]) == ("r", 3, ' a, "b"\nc')
    assert records.describe() == [
        "r: 2 records without a decision are left out",
        "r: 2 records have no title",
        "r: 1 record has no abstract",
    ]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title,abstract,label_included\na,b,1\nc,d,perhaps\n", "line 3: 'perhaps' in the column label_included"),
        ("title,abstract\na,b\n", "line 1: has no column of decisions"),
        ("included,year\n1,2000\n", "line 1: has neither titles nor abstracts"),
        ("title,abstract,label\na,b,0\nc,d,0\n", "no record is included, of 2 with a decision"),
        ("title,abstract,label\na,b,1\n", "every record is included, of 1 with a decision"),
        ("title,abstract,label\na,b,1\nc\n", "line 3: has 1 column, and the decision is in column 3"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_understood_is_refused(text: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=why):
        read_labelled(write(tmp_path, text))


def test_qrels_and_runs_are_no_labelled_records(tmp_path: Path) -> None:
    for text in ("1 0 d1 1\n", "topic_id,doc_id,relevance\n1,d1,1\n", "1 Q0 d1 1 2.0 a\n"):
        assert not is_labelled(write(tmp_path, text))
