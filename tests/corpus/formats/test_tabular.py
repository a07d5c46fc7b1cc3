"""Tables of patents: the same patents from every format, what real exports look like, and hostile tables."""

from __future__ import annotations

import csv
import gzip
import io
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antecede.corpus import Collection, table_splitter
from antecede.corpus.formats.field_names import PRESETS
from antecede.patent import Citation, Patent, PatentNumber
from antecede.synthetic import synthesize

LISTS = ("kinds", "ipc", "cpc", "applicants", "inventors")


def read(path: Path, **names: str) -> tuple[list[Patent], Collection]:
    collection = Collection(path, names=names)
    found = [replace(each, source="", original={}) for each in collection.patents()]
    assert collection.ledger.read == collection.ledger.patents + collection.ledger.merged + collection.ledger.rejected
    return found, collection


def cells_of(patent: Patent) -> dict[str, str]:
    """A patent as a row: lists separated by semicolons, what has languages or parts as JSON."""
    whole = patent.to_dict()
    whole.pop("source", None)
    return {
        name: "; ".join(value)
        if name in LISTS
        else value
        if isinstance(value, str)
        else json.dumps(value, ensure_ascii=False)
        for name, value in whole.items()
    }


def write_table(path: Path, rows: list[dict[str, str]], delimiter: str, end: str = "\r\n") -> Path:
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter=delimiter, lineterminator=end)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_all(folder: Path, patents: list[Patent]) -> list[Path]:
    """The same patents in every format."""
    rows = [cells_of(each) for each in patents]
    lines = folder / "a.jsonl"
    lines.write_text("".join(json.dumps(each.to_dict()) + "\n" for each in patents), "utf-8")
    texts, nested = folder / "texts.parquet", folder / "nested.parquet"
    pl.DataFrame(rows).write_parquet(texts)
    kept = [{name: each.to_dict().get(name) for name in ("doc_id", "title", *LISTS)} for each in patents]
    pl.DataFrame(kept, infer_schema_length=None).write_parquet(nested)
    return [
        lines,
        write_table(folder / "a.csv", rows, ","),
        write_table(folder / "b.csv", rows, ";", "\n"),
        write_table(folder / "a.tsv", rows, "\t", "\n"),
        texts,
        nested,
    ]


def test_synthetic_patents_are_the_same_from_every_format(tmp_path: Path) -> None:
    synthesize(tmp_path / "s", patents=100, seed=3, length=300)
    patents = [replace(each, source="") for each in Collection(tmp_path / "s" / "collection").patents()][:30]
    lines, *tables, nested = write_all(tmp_path, patents)
    wanted, _ = read(lines)
    assert len(wanted) == len({each.doc_id for each in patents}) > 10
    for path in tables:
        found, collection = read(path)
        assert found == wanted, path.name
        assert collection.ledger.rejected == 0
    assert [(each.title, each.ipc) for each in read(nested)[0]] == [(each.title, each.ipc) for each in wanted]


WORDS = st.text(st.sampled_from('abcé",;\t\n|{[1. ') | st.characters(codec="utf-8", categories=["L", "P"]), max_size=20)
TEXTS = st.dictionaries(st.sampled_from(["en", "de", "fr"]), WORDS.filter(str.strip).map(str.strip), max_size=2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(TEXTS, TEXTS, st.lists(WORDS.filter(str.strip), max_size=3)), min_size=1, max_size=4))
def test_any_text_survives_every_format(tmp_path: Path, given: list[tuple[Any, Any, Any]]) -> None:
    patents = [
        Patent(
            f"EP{1000000 + at}",
            PatentNumber("EP", str(1000000 + at), "A1"),
            ("A1",),
            "en",
            {"en": "Press", **title},
            abstract,
            {"en": tuple(claims)} if claims else {},
            ipc=("H04L 12/56", "B28B 1/00"),
            publication_date=date(2000, 1, 1 + at),
            applicants=("Brick Works, Inc.", "Press & Co"),
            family_id=str(at),
            citations=(Citation(PatentNumber("US", "5123456", "A"), "X", "search"),),
        )
        for at, (title, abstract, claims) in enumerate(given)
    ]
    lines, *tables, _ = write_all(tmp_path, patents)
    wanted, _ = read(lines)
    assert len(wanted) == len(patents)
    for path in tables:
        assert read(path)[0] == wanted, path.name


def rows(text: str, tmp_path: Path, **names: str) -> tuple[list[Patent], Collection]:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    return read(path, **names)


def test_usual_names_of_columns_and_lists_in_cells(tmp_path: Path) -> None:
    (patent,), _ = rows(
        "Publication Number;Title;Title_DE;Assignee;Inventor/Author;IPC Classifications;Citations;Filing Date\n"
        'EP 1 000 000 A1;Press;Presse;"Brick; Works";A. Maker|B. Maker;H04L12/56, 12/28;"US 5,123,456; EP1; DE2, FR3";'
        "09.06.2004\n",
        tmp_path,
    )
    assert (patent.doc_id, patent.kinds, patent.filing_date) == ("EP1000000", ("A1",), date(2004, 6, 9))
    assert (patent.applicants, patent.inventors) == (("Brick", "Works"), ("A. Maker", "B. Maker"))
    assert patent.ipc == ("H04L 12/56", "H04L 12/28")
    assert [each.number.key for each in patent.citations] == ["US5123456", "EP1", "DE2", "FR3"]
    assert patent.title == {"": "Press", "de": "Presse"}


def test_texts_by_language_and_claims_in_one_cell(tmp_path: Path) -> None:
    text = 'id,title_en,title_de,claims\nEP1,Press,Presse,"1. A press,\nwith a frame. 2. The press of claim 1."\n'
    (patent,), _ = rows(text, tmp_path)
    assert patent.title == {"en": "Press", "de": "Presse"}
    assert [*patent.claims.values()] == [("1. A press,\nwith a frame.", "2. The press of claim 1.")]


def test_the_download_of_google_patents(tmp_path: Path) -> None:
    """It has a line before the header."""
    (patent,), _ = rows(
        "search URL:,https://patents.google.com/?q=press\n"
        "id,title,assignee,inventor/author,priority date,filing/creation date,publication date,grant date,result link\n"
        'US-7650331-B1,"Press, hot","Works, Inc.","A. Maker, B. Maker",2004-06-18,2004-06-19,2010-01-19,2010-01-19,x\n',
        tmp_path,
    )
    assert (patent.doc_id, patent.kinds, patent.title) == ("US7650331", ("B1",), {"": "Press, hot"})
    assert (patent.priority_date, patent.filing_date) == (date(2004, 6, 18), date(2004, 6, 19))
    assert patent.applicants == ("Works, Inc.",)


LENS_CSV = (
    "#,Jurisdiction,Kind,Display Key,Lens ID,Publication Date,Earliest Priority Date,Title,Abstract,Applicants,"
    "CPC Classifications,IPCR Classifications,Simple Family Members,Cited Patents\n"
    "1,US,B2,US 7650331 B2,091-428-408-796-283,2010-01-19,2004-06-18,Press,A press,WORKS INC;;PRESS LTD,"
    "G06F9/46;;G06F17/30,G06F9/46,US 7650331 B2;;EP 1000000 A1,US 5870743 A;;EP 680812 A1\n"
)


def test_the_csv_export_of_lens_is_recognised_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text("\ufeff" + LENS_CSV, "utf-8")
    notes: list[str] = []
    (patent,) = Collection(path, on_note=notes.append).patents()
    assert (patent.doc_id, str(patent.number), patent.kinds) == ("US7650331", "US-7650331-B2", ("B2",))
    assert (patent.ipc, patent.cpc) == (("G06F 9/46",), ("G06F 9/46", "G06F 17/30"))
    assert (patent.applicants, patent.family_id) == (("WORKS INC", "PRESS LTD"), "EP 1000000 A1")
    assert (patent.priority_date, patent.publication_date) == (date(2004, 6, 18), date(2010, 1, 19))
    assert [each.number.key for each in patent.citations] == ["US5870743", "EP680812"]
    (note,) = notes
    assert note.startswith(f"{path}: read as an export of The Lens: number = Display Key, ")
    assert note.endswith("; not interpreted: #, Lens ID")


def test_a_named_column_goes_before_all_others_and_a_wrong_one_is_explained(tmp_path: Path) -> None:
    text = "Key,id,Text body\nEP1,EP2,A press\n"
    (patent,), _ = rows(text, tmp_path, doc_id="Key", description="Text body")
    assert (patent.doc_id, patent.description) == ("EP1", {"en": "A press"})
    found, collection = rows(text, tmp_path, doc_id="Key", description="Text bdy")
    assert found == []
    (reason,) = collection.ledger.reasons
    assert reason == (
        "a table that has no description: there is no column 'Text bdy'; the columns are Key, id, Text body; "
        'did you mean names={"description": "Text body"}?'
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("packed", [False, True])
def test_encodings_line_ends_and_compression(encoding: str, end: str, packed: bool, tmp_path: Path) -> None:
    data = end.join(["", "id,title", "", 'EP1,"Préss"', "EP2,b", ""]).encode(encoding)
    (tmp_path / "t").write_bytes(gzip.compress(data) if packed else data)
    found, _ = read(tmp_path / "t")
    assert [(each.doc_id, *each.title.values()) for each in found] == [("EP1", "Préss"), ("EP2", "b")]


@pytest.mark.parametrize(
    ("text", "kept", "reasons"),
    [
        ("id,title\nEP1,a\nEP2\nEP3,b,c\nEP4,d\n", ["EP1", "EP4"], ["has 1 cells", "has 3 cells"]),
        ('id,title\nEP1,"a" b\nEP2,c\n', ["EP2"], ["text follows a closing quote"]),
        ('id,title\nEP1,"a\nEP2,c\n', ["EP2"], ["is not closed"]),
        ("id,title\nEP1,a\n,b\nEP2,c\n", ["EP1", "t-2", "EP2"], []),
        ("id,title\n", [], ["contains no document"]),
        ("title,abstract\na,b\n", ["t-1"], []),
        ("id,title,title\nEP1,a,b\n", ["EP1"], []),
        (
            'id,Title,Pub Date\nEP1,"a\nb",2004-06-09\nEP2,c,yesterday\n',
            ["EP1", "EP2"],
            [],
        ),
        ("topic_id,doc_id,score\n1,EP1,2\n", [], ["plain text, not a supported format"]),
        ("Dear reader, this is a letter\nwith, commas\n", [], ["plain text, not a supported format"]),
        ("id,title\n" + "EP1,\udc00a\n", ["EP1"], []),
    ],
)
def test_what_is_wrong_with_a_table_is_said(text: str, kept: list[str], reasons: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    found, collection = read(path)
    assert [each.doc_id for each in found] == kept
    assert len(collection.ledger.reasons) == len(reasons)
    for expected, reason in zip(reasons, collection.ledger.reasons, strict=True):
        assert expected in reason
        assert reason.isprintable()


def test_quotes_in_tsv_may_be_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text('id\ttitle\nEP1\t"Smart" press\nEP2\t"a ""b""\nc"\nEP3\t5" disk\nEP4\t"open\n', "utf-8")
    found, _ = read(path)
    assert [(each.doc_id, *each.title.values()) for each in found] == [
        ("EP1", '"Smart" press'),
        ("EP2", 'a "b"\nc'),
        ("EP3", '5" disk'),
        ("EP4", '"open'),
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text('ab,;"\n\r\t', max_size=60).map(str.encode), st.sampled_from([b",", b"\t"]))
def test_every_row_is_read_or_rejected(tmp_path: Path, body: bytes, delimiter: bytes) -> None:
    path = tmp_path / "t"
    path.write_bytes(delimiter.join([b"id", b"title", b"ipc"]) + b"\nEP1" + delimiter * 2 + b"\n" + body)
    found, collection = read(path)
    whole = csv.reader(io.StringIO(body.decode("latin-1"), newline=""), delimiter=delimiter.decode())
    rows = [row for row in whole if any(cell.strip() for cell in row)]
    assert collection.ledger.read >= 1
    assert found[:1] == [] or found[0].doc_id == "EP1"
    assert collection.ledger.read > 1 or not rows or "binary" in "".join(collection.ledger.reasons)


def test_parquet_with_the_nested_fields_of_google(tmp_path: Path) -> None:
    path = tmp_path / "g.parquet"
    pl.DataFrame(
        {
            "publication_number": ["US-7650331-B1", None],
            "title_localized": [[{"text": "Press", "language": "en"}, {"text": "Presse", "language": "de"}], []],
            "publication_date": [20100119, 0],
            "cpc": [[{"code": "G06F9/46"}], []],
            "filing_date": [date(2004, 6, 18), None],
            "family_id": ["-1", "-1"],
        }
    ).write_parquet(path)
    (patent,), collection = read(path)
    assert (patent.title, patent.cpc, patent.family_id) == ({"en": "Press", "de": "Presse"}, ("G06F 9/46",), None)
    assert (patent.publication_date, patent.filing_date) == (date(2010, 1, 19), date(2004, 6, 18))
    (reason,) = collection.ledger.reasons
    assert reason.startswith("no doc_id; the columns are publication_number, title_localized")
    packed = tmp_path / "g.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(packed)[0] == [patent]


def test_damaged_parquet_is_one_rejection(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"id": ["EP1"], "title": ["a"]}).write_parquet(path)
    whole = path.read_bytes()
    for data in (whole[:-20], whole[:4] + bytes(60) + whole[64:], b"PAR1" + bytes(100) + b"PAR1"):
        path.write_bytes(data)
        found, collection = read(path)
        assert found == [] or data == whole
        assert collection.ledger.rejected == 1
        (reason,) = collection.ledger.reasons
        assert "\n" not in reason
    pl.DataFrame({"id": [], "title": []}).write_parquet(path)
    assert [*read(path)[1].ledger.reasons] == ["a Parquet file without rows"]
    pl.DataFrame({"x": ["EP1"], "title": ["a"]}).write_parquet(path)
    assert "no doc_id; the columns are x, title" in next(iter(read(path)[1].ledger.reasons))


def test_parquet_that_unpacks_to_too_much_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame({"id": [f"EP{at}" for at in range(3000)], "title": ["press " * 500] * 3000}).write_parquet(path)
    monkeypatch.setattr(table_splitter, "FREE_BYTES", 1000)
    found, collection = read(path)
    assert len(found) < 3000
    assert [*collection.ledger.reasons] == ["unpacks to more than 200 times its size: not read on"]


def test_every_preset_is_documented() -> None:
    docs = Path(__file__).parents[3] / "docs" / "patents.md"
    for name in PRESETS:
        assert f"`{name}`" in docs.read_text("utf-8")
