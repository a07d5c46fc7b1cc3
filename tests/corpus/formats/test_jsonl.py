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
from antecede.corpus.safe_xml import parse_xml
from antecede.errors import UsageError
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
    assert read({"doc_id": "d", "title": {"": "x", "de": "y"}}).title == {"": "x", "de": "y"}  # neither is replaced


def test_the_name_is_kept_as_the_source_writes_it_unless_no_run_could_hold_it() -> None:
    assert read({"doc_id": "US-7596572"}).doc_id == "US-7596572"
    assert read({"doc_id": "EP 1 000 000"}).doc_id == "EP1000000"
    assert read({"doc_id": "case_7"}).number is None


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
        (b'{"doc_id": "a\\ud800"}', "half a surrogate pair"),
        (b'{"doc_id": "a\\udfff"}', "half a surrogate pair"),
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("marks", [0, 1, 2, 3])
def test_byte_order_marks_before_a_file_mean_nothing(marks: int, encoding: str, tmp_path: Path) -> None:
    line, xml = json.dumps({"doc_id": "a", "title": "Press"}), marec("1000001", "A1").replace(' encoding="UTF-8"', "")
    two = line + "\n" + "\ufeff" * marks + '{"doc_id": "b"}\n'
    for name, text, doc_ids in (
        ("c.jsonl", two, ["a", "b"]),
        ("c.json", f"[{line}]", ["a"]),
        ("c", xml, ["EP1000001"]),
    ):
        data = ("\ufeff" * marks + text).encode(encoding)
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
        for path in (tmp_path / name, tmp_path / f"{name}.gz"):
            assert [each.doc_id for each in Collection(path).patents()] == doc_ids
    if encoding == "utf-8":
        assert jsonl(RawDocument(("\ufeff" * marks + line).encode(), ROOT, "f"), {}).doc_id == "a"
        raw = RawDocument(("\ufeff" * marks + xml).encode(), "patent-document", "f")
        assert parse_xml(raw).get("kind") == "A1"


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


GOOGLE = {
    "publication_number": "US-7650331-B1",
    "country_code": "US",
    "kind_code": "B1",
    "application_number": "US-87188304-A",
    "family_id": "41509794",
    "title_localized": [
        {"text": "Data press", "language": "en", "truncated": False},
        {"text": "Datenpresse", "language": "de", "truncated": False},
    ],
    "abstract_localized": [{"text": "A press for data.", "language": "en"}],
    "claims_localized": [
        {"text": "What is claimed is:\n1. A press.\n2. The press of claim 1,\nhot.", "language": "en"}
    ],
    "description_localized": [],
    "publication_date": 20100119,
    "filing_date": 20040618,
    "priority_date": 0,
    "ipc": [{"code": "G06F9/46", "inventive": True, "first": True, "tree": []}],
    "cpc": [{"code": "G06F9/5066"}, {"code": "G06F16/00"}],
    "citation": [
        {"publication_number": "US-5870743-A", "category": "SEA", "type": "X", "npl_text": "", "filing_date": 0},
        {"publication_number": "EP-0680812-A1", "category": "APP", "type": ""},
        {"publication_number": "", "category": "", "type": "", "npl_text": "A journal"},
    ],
    "assignee_harmonized": [{"name": "WORKS INC", "country_code": "US"}],
    "inventor_harmonized": [{"name": "MAKER A", "country_code": "US"}],
}
LENS = {
    "lens_id": "186-488-232-022-055",
    "jurisdiction": "EP",
    "doc_number": "1000000",
    "kind": "A1",
    "date_published": "2000-05-17",
    "doc_key": "EP_1000000_A1_20000517",
    "lang": "en",
    "biblio": {
        "application_reference": {"jurisdiction": "EP", "doc_number": "99203729", "kind": "A", "date": "1999-11-08"},
        "priority_claims": {"claims": [{"date": "1998-11-12"}, {"date": "1999-01-02"}]},
        "invention_title": [{"text": "Brick press", "lang": "en"}, {"text": "Ziegelpresse", "lang": "de"}],
        "parties": {
            "applicants": [{"residence": "NL", "extracted_name": {"value": "WORKS BV"}}],
            "inventors": [{"extracted_name": {"value": "MAKER A"}}, {"extracted_name": {"value": "MAKER B"}}],
        },
        "classifications_ipcr": {"classifications": [{"symbol": "B28B1/29"}]},
        "classifications_cpc": {"classifications": [{"symbol": "B28B1/29"}, {"symbol": "B28B5/02"}]},
        "references_cited": {
            "citations": [
                {
                    "sequence": 1,
                    "patcit": {
                        "document_id": {"jurisdiction": "DE", "doc_number": "3546191", "kind": "A1"},
                        "lens_id": "1",
                    },
                    "category": ["X"],
                    "cited_phase": "SEA",
                },
                {"sequence": 2, "nplcit": {"text": "A journal"}},
            ]
        },
    },
    "families": {"simple_family": {"members": [{"lens_id": "186-488-232-022-055"}, {"lens_id": "100-1"}]}},
    "abstract": [{"text": "A press for bricks.", "lang": "en"}],
    "claims": [
        {"claims": [{"claim_text": ["1. A press."]}, {"claim_text": ["2. The press of claim 1."]}], "lang": "en"},
        {"claims": [{"claim_text": ["1. Eine Presse."]}], "lang": "de"},
    ],
    "description": {"text": "The press is about bricks.", "lang": "en"},
}


def test_the_shape_of_google_is_recognised_by_its_keys() -> None:
    patent = read(GOOGLE)
    assert (patent.doc_id, str(patent.number), patent.kinds) == ("US-7650331-B1", "US-7650331-B1", ("B1",))
    assert patent.title == {"en": "Data press", "de": "Datenpresse"}
    assert patent.claims == {"en": ("1. A press.", "2. The press of claim 1,\nhot.")}
    assert (patent.ipc, patent.cpc) == (("G06F 9/46",), ("G06F 9/5066", "G06F 16/00"))
    assert (patent.priority_date, patent.filing_date) == (None, date(2004, 6, 18))
    assert (patent.publication_date, patent.family_id) == (date(2010, 1, 19), "41509794")
    assert (patent.applicants, patent.inventors) == (("WORKS INC",), ("MAKER A",))
    assert patent.citations == (
        Citation(number("US-5870743-A"), "X", "search"),
        Citation(number("EP-0680812-A1"), None, "applicant"),
    )
    for no_family in ("-1", "0"):
        assert read({**GOOGLE, "family_id": no_family}).family_id is None
    assert read({"doc_id": "a", "family_id": "0"}).family_id == "0"


def test_the_shape_of_lens_is_recognised_by_its_keys() -> None:
    patent = read(LENS)
    assert (patent.doc_id, str(patent.number), patent.kinds) == ("EP1000000", "EP-1000000-A1", ("A1",))
    assert (patent.language, patent.title) == ("en", {"en": "Brick press", "de": "Ziegelpresse"})
    assert patent.claims == {"en": ("1. A press.", "2. The press of claim 1."), "de": ("1. Eine Presse.",)}
    assert patent.description == {"en": "The press is about bricks."}
    assert (patent.ipc, patent.cpc) == (("B28B 1/29",), ("B28B 1/29", "B28B 5/02"))
    assert (patent.priority_date, patent.filing_date) == (date(1998, 11, 12), date(1999, 11, 8))
    assert (patent.applicants, patent.inventors) == (("WORKS BV",), ("MAKER A", "MAKER B"))
    assert (patent.family_id, patent.publication_date) == ("100-1", date(2000, 5, 17))
    assert patent.citations == (Citation(number("DE-3546191-A1"), "X", "search"),)
    assert read({"lens_id": "186-488-232-022-055", "biblio": {}}).doc_id == "186-488-232-022-055"


def test_a_field_goes_before_the_preset_and_a_preset_can_be_chosen() -> None:
    assert read(GOOGLE, title="family_id").title == {"en": "41509794"}
    assert read({"publication_number": "US1", "ipc": [{"code": "G06F9/46"}]}, preset="google").ipc == ("G06F 9/46",)
    with pytest.raises(UsageError, match="unknown preset 'googel'; did you mean google"):
        Collection("x.jsonl", preset="googel")


@pytest.mark.parametrize(
    ("path", "line", "title"),
    [
        ("a.b", {"a": {"b": "x"}}, {"": "x"}),
        ("a.b", {"a.b": "y", "a": {"b": "x"}}, {"": "y"}),
        ("a.b", {"a": [{"b": "x"}, {"b": "y"}]}, {"": "x\ny"}),
        ("a.b", {"a": [{"b": "x", "lang": "EN"}, {"b": "y", "language": "deu"}]}, {"en": "x", "de": "y"}),
        ("a.b.c", {"a": {"lang": "fr", "b": [[{"c": "x"}]]}}, {"fr": "x"}),
        ("a.b", {"a": {"b": {"en": "x", "fr": "y"}}}, {"en": "x", "fr": "y"}),
        ("a", {"a": [{"text": "x", "language": "en"}, {"text": "y", "language": "fr"}]}, {"en": "x", "fr": "y"}),
        ("a", {"a": ["x", "y"]}, {"": "x\ny"}),
        ("a.b", {"a": {"c": "x"}}, {}),
        ("a.b", {"a": None}, {}),
    ],
)
def test_paths_lead_through_objects_and_lists(path: str, line: Any, title: dict[str, str]) -> None:
    assert read({"doc_id": "d", **line}, title=path).title == title


def test_paths_join_values_and_do_not_lead_too_deep() -> None:
    assert read({"cc": "EP", "no": 1000000}, doc_id="cc+no").doc_id == "EP1000000"
    assert read({"id": {"cc": "EP", "no": "1"}}, doc_id="id.cc+id.no").doc_id == "EP1"
    with pytest.raises(DocumentError, match="no doc_id"):
        read({"cc": "EP"}, doc_id="cc+no")
    deep: Any = "x"
    for _ in range(200):
        deep = [deep]
    with pytest.raises(DocumentError, match="nested more than 50 deep"):
        read({"doc_id": "d", "a": deep}, title="a.b")


@pytest.mark.parametrize(
    ("line", "names", "reason"),
    [
        (
            {"publicationnumber": "EP1", "x": 1},
            {},
            'no doc_id; the keys are publicationnumber, x; did you mean names={"doc_id": "publicationnumber"}?',
        ),
        (
            {"pub_nr": "EP1", "x": 1},
            {"doc_id": "pubnr"},
            'no doc_id: there is no key \'pubnr\'; the keys are pub_nr, x; did you mean names={"doc_id": "pub_nr"}?',
        ),
        (
            {"id": {"number": "EP1"}},
            {"doc_id": "id.numbr"},
            'no doc_id: there is no key \'numbr\'; the keys are number; did you mean names={"doc_id": "id.number"}?',
        ),
        ({"q": 1}, {}, 'no doc_id; the keys are q; if it has another name, use names={"doc_id": "NAME"}'),
        ({}, {}, 'no doc_id; the record is empty; if it has another name, use names={"doc_id": "NAME"}'),
    ],
)
def test_a_missing_key_is_explained_by_the_keys_there_are(line: Any, names: dict[str, str], reason: str) -> None:
    with pytest.raises(DocumentError) as error:
        read(line, **names)
    assert error.value.reason == reason


def test_a_key_that_no_record_has_is_reported_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(json.dumps({"id": f"d{at}", "titel": "a", "late": at}) + "\n" for at in range(150)), "utf-8"
    )
    notes: list[str] = []
    assert (
        len([*Collection(path, names={"title": "title_", "abstract": "late"}, on_note=notes.append).patents()]) == 150
    )
    (note,) = notes
    assert note == (
        f"{path}: the first 100 records have no title: there is no key 'title_'; the keys are id, titel, late; "
        'did you mean names={"title": "titel"}?'
    )
