"""Our JSON lines: the record there and back, other sources' names, and what is wrong said clearly."""

from __future__ import annotations

import gzip
import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus import Collection
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.formats.jsonl import ROOT, jsonl
from antecede.corpus.xml.safe_xml import parse_xml
from antecede.patent import Citation, Patent, PatentNumber
from tests.corpus.worlds import marec

if TYPE_CHECKING:
    from pathlib import Path


def read(line: Any, **names: str) -> Patent:
    data = line if isinstance(line, bytes) else json.dumps(line).encode()
    return jsonl(RawDocument(data, ROOT, "a.jsonl"), names)


def number(text: str) -> PatentNumber:
    found = PatentNumber.parse(text)
    assert found is not None
    return found


WHOLE = Patent(
    "EP1000000",
    number("EP-1000000-B1"),
    ("A1", "B1"),
    "en",
    {"en": "Brick press", "de": "Ziegelpresse"},
    {"en": "A press for bricks."},
    {"en": ("1. A press.", "2. The press of claim 1."), "fr": ("1. Une presse.",)},
    {"en": "Field\nThe press is about bricks."},
    ("B28B 1/29", "H02P 6/08"),
    ("B28B 5/02",),
    date(1998, 11, 12),
    date(1999, 11, 8),
    date(2000, 5, 17),
    ("Brick Works",),
    ("Maker, A.",),
    "19768124",
    (Citation(number("DE-3546191-A1"), "A", "search"), Citation(number("EP680812"))),
    "a.jsonl",
)


def test_a_record_written_out_is_read_back() -> None:
    assert read(WHOLE.to_dict()) == WHOLE
    assert Patent.from_dict(json.loads(json.dumps(WHOLE.to_dict()))) == WHOLE


def test_other_sources_names_are_understood() -> None:
    patent = read(
        {
            "id": "US200133243",
            "pub": "US-2001033243-A1",
            "date": "20011025",
            "lang": "EN",
            "title": "Remote control",
            "owner": "Somebody",
            "ipc": ["H04L9/10"],
            "refs": ["US6130625", "a journal"],
            "src": "not ours",
        }
    )
    assert (patent.doc_id, str(patent.number)) == ("US200133243", "US-20010033243-A1")
    assert patent.publication_date == date(2001, 10, 25)
    assert (patent.language, patent.title) == ("en", {"en": "Remote control"})
    assert (patent.applicants, patent.ipc, patent.kinds) == (("Somebody",), ("H04L 9/10",), ("A1",))
    assert [citation.number.key for citation in patent.citations] == ["US6130625"]


def test_of_several_names_the_first_that_says_something_counts() -> None:
    """Whatever the order in which a line has them."""
    assert read({"body": "b", "doc_id": "x", "text": "q", "id": "y"}).description == {"": "q"}
    assert read({"doc_id": "", "docno": "z", "id": "y", "text": None, "body": "b"}).description == {"": "b"}
    assert read({"docno": "z", "doc_id": "", "id": "y"}).doc_id == "y"
    pub = read({"publication_number": "US6130625", "title": "t"})
    assert (pub.doc_id, str(pub.number)) == ("US6130625", "US6130625")


def test_a_name_given_by_the_user_goes_before_all_others() -> None:
    assert read({"id": "a", "key": "b", "full": "x"}, doc_id="key", description="full").doc_id == "b"
    with pytest.raises(DocumentError, match="no doc_id"):
        read({"id": "a"}, doc_id="key")


def test_the_language_is_told_by_the_longest_text() -> None:
    patent = read(
        {"doc_id": "d", "title": "Presse", "description": "Die Presse ist mit dem Rahmen verbunden und wird …"}
    )
    assert patent.language == "de"
    assert patent.title == {"de": "Presse"}


def test_the_name_is_kept_as_the_source_writes_it() -> None:
    assert read({"doc_id": "US-7596572"}).doc_id == "US-7596572"
    assert read({"doc_id": "case 7".replace(" ", "_")}).number is None


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"7", "one JSON object"),
        ({}, "no doc_id"),
        ({"doc_id": {"x": 1}}, "doc_id must be text"),
        ({"doc_id": "a", "publication_date": "yesterday"}, "is not a date"),
        ({"doc_id": "a", "title": 7.5}, "title must be text"),
        ({"doc_id": "a", "claims": [["x"]]}, "claims must be text"),
        ({"doc_id": "a", "citations": [{"number": [1]}]}, "citations must be text"),
    ],
)
def test_what_is_wrong_is_said(line: Any, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        read(line)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", " a", "a\n", "a\u00a0b", "a\u2028b", "a\x00b", "#a", "\ufeffa", "a\ufeff"]
)
def test_an_id_that_no_run_could_hold_is_refused_when_it_is_read(name: str, tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("".join(json.dumps({"doc_id": each, "title": "t"}) + "\n" for each in (name, "b#c")), "utf-8")
    collection = Collection(path)
    assert [each.doc_id for each in collection.patents()] == ["b#c"]
    (reason,) = collection.ledger.reasons
    assert reason.startswith("no doc_id") if name == "" else "cannot be written to a run" in reason
    assert reason.isprintable()
    assert (collection.ledger.read, collection.ledger.patents, collection.ledger.rejected) == (2, 1, 1)


def test_ids_with_half_a_surrogate_pair_are_not_made_one() -> None:
    for half in ("\\ud800", "\\udfff"):
        with pytest.raises(DocumentError, match="half a surrogate pair"):
            read(b'{"doc_id": "a%s"}' % half.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("marks", [0, 1, 2, 3])
def test_byte_order_marks_before_a_file_mean_nothing(marks: int, encoding: str, tmp_path: Path) -> None:
    line, xml = json.dumps({"doc_id": "a", "title": "Press"}), marec("1000001", "A1").replace(' encoding="UTF-8"', "")
    for name, text, doc_id in (("c.jsonl", line, "a"), ("c.json", f"[{line}]", "a"), ("c.xml", xml, "EP1000001")):
        data = ("\ufeff" * marks + text).encode(encoding)
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        for path in (tmp_path / name, tmp_path / f"{name}.gz"):
            assert [each.doc_id for each in Collection(path).patents()] == [doc_id]
    if encoding == "utf-8":
        assert jsonl(RawDocument(("\ufeff" * marks + line).encode(), ROOT, "f"), {}).doc_id == "a"
        raw = RawDocument(("\ufeff" * marks + xml).encode(), "patent-document", "f")
        assert parse_xml(raw).get("kind") == "A1"


def test_files_joined_with_their_byte_order_marks(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(b'\xef\xbb\xbf{"doc_id": "a"}\n\xef\xbb\xbf{"doc_id": "b"}\n')
    assert [each.doc_id for each in Collection(tmp_path / "c.jsonl").patents()] == ["a", "b"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(["doc_id", "number", "title", "claims", "description", "ipc", "citations", "date", "family"])


@given(st.dictionaries(FIELDS, JSON, max_size=6))
def test_any_object_is_a_patent_or_a_reason(line: dict[str, Any]) -> None:
    try:
        patent = read(line)
    except DocumentError:
        return
    assert Patent.from_dict(json.loads(json.dumps(patent.to_dict()))) == patent
