"""References in RIS, nbib and other tagged formats, tables of them, their names, duplicates and labels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antecede.corpus import Collection
from antecede.corpus.document import RawDocument
from antecede.review.labels import Decision, read_decision

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.patent import Patent


def read(path: Path, data: bytes | str, **names: str) -> tuple[list[Patent], list[str], Collection]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    notes: list[str] = []
    collection = Collection(path, names=names, on_note=notes.append)
    patents = [*collection.patents()]
    ledger = collection.ledger
    assert ledger.read == len(patents) + ledger.merged + ledger.rejected
    return patents, notes, collection


def originals(path: Path) -> list[dict[str, Any]]:
    raw = Collection(path).raw()
    return [json.loads(document.data) for document in raw if isinstance(document, RawDocument)]


RIS = """Provider: Somebody
TY  - JOUR
AU  - Gray, Anna
AU  - Brown, B.
TI  - Presses with <i>two</i> frames &amp; a drive
AB  - First line
of two.
PY  - 2014/03/01/
KW  - presses
frames
DO  - https://doi.org/10.1000/ABC
N1  - note one
N1  - note two
ER  -

TY  - JOUR
T1  - Bricks
A1  - White, C
Y1  - 2013
ID  - 7
ER  -
"""


def test_ris(tmp_path: Path) -> None:
    (press, brick), _, collection = read(tmp_path / "a.ris", RIS)
    assert (press.doc_id, press.title) == ("10.1000/abc", {"en": "Presses with two frames & a drive"})
    assert press.abstract == {"en": "First line of two."}
    assert (brick.doc_id, [*brick.title.values()]) == ("7", ["Bricks"])
    assert collection.ledger.rejected == 0
    first, _ = originals(tmp_path / "a.ris")
    if "original" in first:
        assert (first["original"]["N1"], first["original"]["KW"]) == ("note one\nnote two", "presses\nframes")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n\n"])
def test_line_ends_and_encodings_of_ris(end: str, tmp_path: Path) -> None:
    text = RIS.replace("\n", end).replace("Gray", "Gräy")
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        patents, _, _ = read(tmp_path / "a.ris", text.encode(encoding))
        assert [patent.doc_id for patent in patents] == ["10.1000/abc", "7"]


def test_a_record_that_is_cut_off_is_kept_and_said(tmp_path: Path) -> None:
    patents, notes, _ = read(tmp_path / "a.ris", RIS.rpartition("ID")[0])
    assert [patent.doc_id for patent in patents] == ["10.1000/abc", "a-2"]
    assert notes[-1].endswith("1 records have no last line (ER): cut off?")


def test_a_patent_in_ris_has_its_number(tmp_path: Path) -> None:
    text = "TY  - PAT\nTI  - Press\nAU  - Gray, A\nM1  - US7650331B1\nER  - \n"
    (patent,), _, _ = read(tmp_path / "a.ris", text)
    assert (patent.doc_id, str(patent.number), patent.inventors) == ("US7650331", "US-7650331-B1", ("Gray, A",))


NBIB = """
PMID- 12345678
TI  - Presses with two frames and
      a drive.
AB  - They press.
FAU - Gray, Anna
DP  - 2014 Mar
LID - 10.1000/abc [doi]

PMID- 12345679
TI  - Bricks.
"""
WOS = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Gray, A
   Brown, B
TI Presses with two frames
   and a drive
SO JOURNAL OF PRESSES
PY 2014
UT WOS:000300000000001
ER

EF
"""
REFER = (
    "%0 Journal Article\n%T Presses with two frames\n%A Gray, A\n%D 2014\n%K presses\nframes\n\n%0 Book\n%T Bricks\n"
)


@pytest.mark.parametrize(
    ("text", "ids", "title"),
    [
        (NBIB, ["12345678", "12345679"], "Presses with two frames and a drive."),
        (WOS, ["WOS:000300000000001"], "Presses with two frames and a drive"),
        (REFER, ["a-1", "a-2"], "Presses with two frames"),
    ],
)
def test_other_formats_of_references(text: str, ids: list[str], title: str, tmp_path: Path) -> None:
    patents, _, collection = read(tmp_path / "a.txt", text)
    assert [patent.doc_id for patent in patents] == ids
    assert [*patents[0].title.values()] == [title]
    assert collection.ledger.rejected == 0


@pytest.mark.parametrize(
    "text",
    [
        "TY  - PAT\nT1  - Pump\nN1  - US20130101709A1\nER  -\n",
        "TY  - PAT\nTI  - Pump\nM1  - 13/657,122\nIS  - US20130101709A1\nDA  - 2013/04/25/\nER  -\n",
        "%0 Patent\n%A Rader, Jeff\n%T Pump\n%N US 20130101709 A1\n",
    ],
)
def test_patents_among_references_have_their_numbers(text: str, tmp_path: Path) -> None:
    (patent,), _, _ = read(tmp_path / "a.ris", text)
    assert (patent.doc_id, patent.kinds) == ("US20130101709", ("A1",))


TABLE = """key,title,abstract,authors,year,doi,label_included
k1,Presses with two frames,They press.,"Gray, A; Brown, B",2014,10.1000/A,1
k2,Presses with two frames!,,"Gray, Anna",2014,,1
k3,Bricks,They build.,"White, C",2013,https://doi.org/10.1000/a,0
k1,Tiles,They cover.,"Black, D",2012,,
k1,Tiles,They cover.,"Black, D",2012,,
"""


def test_duplicates_are_merged_and_the_same_id_with_another_text_is_kept_apart(tmp_path: Path) -> None:
    patents, notes, collection = read(tmp_path / "a.csv", TABLE)
    assert [patent.doc_id for patent in patents] == ["k1", "k1~2"]
    assert (collection.ledger.read, collection.ledger.merged) == (5, 3)
    assert notes[-2:] == [
        (
            "3 duplicates are merged (1 by title, year and first author, 1 by DOI, 1 by title and abstract);"
            ' names={"duplicates": "keep"} keeps them apart'
        ),
        "1 record has the id of another one but a different text: kept apart, with ~2, ~3, … after the id",
    ]


def test_duplicates_are_kept_on_request(tmp_path: Path) -> None:
    patents, _, collection = read(tmp_path / "a.csv", TABLE, duplicates="keep")
    assert [patent.doc_id for patent in patents] == ["k1", "k2", "k3", "k1~2", "k1~3"]
    assert collection.ledger.merged == 0


def test_the_title_alone_makes_no_duplicate(tmp_path: Path) -> None:
    patents, _, _ = read(tmp_path / "a.csv", "title,abstract,year\nEditorial,,2012\nEditorial,,2013\nEditorial,,\n")
    assert [patent.doc_id for patent in patents] == ["a-1", "a-2", "a-3"]


@pytest.mark.parametrize(
    ("original", "decision"),
    [
        ({"label_included": "1"}, Decision("relevant")),
        ({"Final_Included": "0", "ASReview_prior": "1"}, Decision("irrelevant", prior=True)),
        ({"included": "", "title": "x"}, None),
        ({"N1": "Notes. ASReview_relevant\nASReview_prior"}, Decision("relevant", prior=True)),
        ({"N1": "<p>ASReview_irrelevant</p>"}, Decision("irrelevant")),
        ({"N1": "ASReview_not_seen"}, None),
        ({"notes": 'RAYYAN-INCLUSION: {"Anna"=>"Included"} | RAYYAN-LABELS: x'}, Decision("relevant")),
        ({"notes": 'RAYYAN-INCLUSION: {"Anna"=>"Included", "Bert"=>"Excluded"}'}, Decision("maybe")),
        ({"RAYYAN-INCLUSION": '{"Anna"=>"Included"}'}, Decision("relevant")),
        ({"INCLUSION": "Excluded"}, Decision("irrelevant")),
        ({"Eingeschlossen": "ja"}, Decision("relevant")),
        ({"label": "", "asreview_label": "0"}, Decision("irrelevant")),
        ({"included": "-1"}, None),
    ],
)
def test_decisions(original: dict[str, str], decision: Decision | None) -> None:
    assert read_decision(original) == decision


def test_exports_that_were_put_together_have_a_byte_order_mark_inside(tmp_path: Path) -> None:
    both = RIS.partition("\n")[2].encode("utf-8-sig") + RIS.partition("\n")[2].encode("utf-8-sig")
    patents, _, collection = read(tmp_path / "a.ris", both)
    assert [patent.doc_id for patent in patents] == ["10.1000/abc", "7"]
    assert (collection.ledger.merged, collection.ledger.rejected) == (2, 0)
