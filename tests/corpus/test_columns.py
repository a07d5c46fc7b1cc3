"""Hit lists and tables of references: columns by name and by content, dates, encodings, workbooks."""

from __future__ import annotations

import io
import zipfile
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pytest
import xlsxwriter

from antecede.corpus import Collection
from antecede.corpus.columns import COLUMN_NAMES, RECORD_FIELDS, fold
from antecede.corpus.dates import find_order, read_dates
from antecede.corpus.formats import field_names

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.patent import Patent


def read(path: Path, data: bytes | str, **names: str) -> tuple[list[Patent], list[str], Collection]:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    notes: list[str] = []
    collection = Collection(path, names=names, on_note=lambda note: notes.append(note.split(": ", 1)[-1]))
    patents = [*collection.patents()]
    ledger = collection.ledger
    assert ledger.read == len(patents) + ledger.merged + ledger.rejected
    return patents, notes, collection


ESPACENET_DE = """Espacenet;;;;;;
;;;;;;
"2 Treffer gefunden für (ctxt any ""press*"")";;;;;;
Nr.;Titel;Erfinder;Anmelder;Veröffentlichungsnummer;Früheste Priorität;CPC;Veröffentlichungsdatum;Früheste \
Veröffentlichung
1;Presse mit einem Rahmen;"MÜLLER ANNA [DE] \r
MAIER BERT [AT]";PRESSEN GMBH [DE];"EP1000001A1 \r
EP1000001B1";31.08.2007;"B30B1/00 (EP,US) \r
B30B15/04 (EP)";"2009-03-04 \r
2011-05-11";04.03.2009
2;Ziegel;;;DE102004000001A1;01.02.2004;;03.04.2005;03.04.2005
"""


def test_a_german_list_of_espacenet_with_lines_before_the_header(tmp_path: Path) -> None:
    (press, brick), notes, _ = read(tmp_path / "liste.csv", ESPACENET_DE)
    assert (press.doc_id, press.kinds) == ("EP1000001", ("A1", "B1"))
    assert press.title == {"de": "Presse mit einem Rahmen"}
    assert (press.inventors, press.applicants) == (("MÜLLER ANNA", "MAIER BERT"), ("PRESSEN GMBH",))
    assert press.cpc == ("B30B 1/00", "B30B 15/04")
    assert (press.priority_date, press.publication_date) == (date(2007, 8, 31), date(2009, 3, 4))
    assert (brick.doc_id, brick.publication_date) == ("DE102004000001", date(2005, 4, 3))
    assert notes[0].startswith("read as an export of Espacenet: number = Veröffentlichungsnummer, title = Titel")


def test_the_same_list_in_windows_1252_is_read_and_counted(tmp_path: Path) -> None:
    patents, notes, _ = read(tmp_path / "liste.csv", ESPACENET_DE.encode("cp1252"))
    assert patents[0].inventors == ("MÜLLER ANNA", "MAIER BERT")
    assert notes[-1] == "1 row has bytes that are not UTF-8, read as Windows-1252"


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("Numéro de publication;Titre;Demandeurs;Date de publication", "fr"),
        ("Número de publicación;Título;Solicitantes;Fecha de publicación", "es"),
        ("Número de publicação;Título;Requerentes;Data de publicação", "pt"),
        ("Patent Number;Title of invention;Assignee;Pub Date", "en"),
        ("Veroeffentlichungs-Nr;Bezeichnung;Anmelder/Inhaber;Veröffentlichungstag", "de"),
    ],
)
def test_columns_in_five_languages(header: str, title: str, tmp_path: Path) -> None:
    (patent,), _, _ = read(tmp_path / "a.csv", f"{header}\nWO2013142934A1;{title};ACME SA;27.03.2013\n")
    assert (patent.doc_id, [*patent.title.values()], patent.applicants) == ("WO2013142934", [title], ("ACME SA",))
    assert patent.publication_date == date(2013, 3, 27)


def test_columns_are_recognised_by_what_is_in_them(tmp_path: Path) -> None:
    rows = "".join(
        f"{at};US{7000000 + at}B2;A press with {at} frames and a drive;B30B1/{at:02}\n" for at in range(1, 9)
    )
    patents, notes, _ = read(tmp_path / "a.csv", f"X1;X2;X3;X4\n{rows}")
    assert (patents[0].doc_id, patents[0].title) == ("US7000001", {"en": "A press with 1 frames and a drive"})
    assert patents[7].ipc == ("B30B 1/08",)
    assert notes == ["read as a table: number = X2, ipc = X4, title = X3; not interpreted: X1"]


@pytest.mark.parametrize(
    ("cells", "order"),
    [
        (["25/04/13", "01/02/03"], "day"),
        (["04/25/13", "01/02/03"], "month"),
        (["01/02/03", "03/03/03"], "unknown"),
        (["03/03/03", ""], "any"),
        (["27.03.2013", "01.02.2003"], "any"),
        (["2013-03-27"], "any"),
        (["13/01/2003", "01/13/2003", "01/02/2003"], "unknown"),
    ],
)
def test_the_order_of_day_and_month_is_that_of_the_column(cells: list[str], order: str) -> None:
    assert find_order(cells) == order


@pytest.mark.parametrize(
    ("cell", "order", "year", "days"),
    [
        ("03/04/12", "day", None, [date(2012, 4, 3)]),
        ("03/04/12", "month", None, [date(2012, 3, 4)]),
        ("21/09/76", "day", None, [date(1976, 9, 21)]),
        ("30/12/87", "day", 1986, [date(1986, 12, 30)]),
        ("27.03.2013", "month", None, [date(2013, 3, 27)]),
        ("2009-03-04 \r\n2011-05-11", "any", None, [date(2009, 3, 4), date(2011, 5, 11)]),
        ("4 Mar 2009", "any", None, [date(2009, 3, 4)]),
        ("March 4, 2009", "any", None, [date(2009, 3, 4)]),
        ("1. Februar 2009", "any", None, [date(2009, 2, 1)]),
        ("25-Apr-13", "any", None, [date(2013, 4, 25)]),
        ("Apr 25", "any", None, []),
        ("2013.04.25.", "any", None, [date(2013, 4, 25)]),
        ("2013年4月25日", "any", None, [date(2013, 4, 25)]),
        ("2019 Mar 5", "any", None, [date(2019, 3, 5)]),
        ("yesterday", "any", None, []),
    ],
)
def test_dates(cell: str, order: Any, year: int | None, days: list[date]) -> None:
    assert read_dates(cell, order, year)[0] == days


def test_dates_that_no_row_settles_are_asked_for(tmp_path: Path) -> None:
    text = "Publication Number,Title,Publication Date\nEP1000000A1,Press,03/04/2012\nEP1000001A1,Brick,05/06/2012\n"
    patents, _, collection = read(tmp_path / "a.csv", text)
    assert patents == []
    assert [*collection.ledger.reasons] == [
        (
            "column 'Publication Date': dates such as 03/04/2012 may begin with the day or the month; say"
            ' names={"dates": "day"} or dates=month'
        )
    ]
    (press, _), _, _ = read(tmp_path / "a.csv", text, dates="month")
    assert press.publication_date == date(2012, 3, 4)


def test_a_date_that_is_none_is_left_out_and_counted(tmp_path: Path) -> None:
    text = "Publication Number,Title,Publication Date\nEP1000000A1,Press,n/a\nEP1000001A1,Brick,05.06.2012\n"
    patents, notes, _ = read(tmp_path / "a.csv", text)
    assert [patent.publication_date for patent in patents] == [None, date(2012, 6, 5)]
    assert notes[-1] == "1 row has a publication_date that is no date, as n/a, left out"


def workbook(*sheets: tuple[str, list[list[Any]]], hidden: str = "") -> bytes:
    data = io.BytesIO()
    with xlsxwriter.Workbook(data) as book:
        day = book.add_format({"num_format": "dd.mm.yyyy"})
        for name, rows in sheets:
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if isinstance(cell, datetime):
                        sheet.write_datetime(at, column, cell, day)
                    elif isinstance(cell, tuple):
                        sheet.write_formula(at, column, cell[0], None, cell[1])
                    else:
                        sheet.write(at, column, cell)
            if name == hidden:
                sheet.hide()
    return data.getvalue()


def test_a_french_workbook_with_a_hidden_sheet_and_formulas(tmp_path: Path) -> None:
    rows: list[list[Any]] = [
        ["Espacenet"],
        ["N°", "Titre", "Numéro de publication", "Date de publication", "Priorité la plus ancienne"],
        [1, "Presse à cadre", "FR2870627A1", datetime(2005, 11, 25), ("=D3-365", "2004-05-20")],
        [2, ('="Bri"&"que"', "Brique"), "EP2031600A1\nEP2031600B1", "04.03.2009", ""],
    ]
    data = workbook(("Liste", rows), ("Notes", rows), hidden="Notes")
    (press, brick), notes, _ = read(tmp_path / "liste.xlsx", data)
    assert (press.doc_id, press.publication_date, press.priority_date) == (
        "FR2870627",
        date(2005, 11, 25),
        date(2004, 5, 20),
    )
    assert (brick.doc_id, [*brick.title.values()], brick.kinds) == ("EP2031600", ["Brique"], ("A1", "B1"))
    assert notes[:2] == [
        "4 cells are formulas, read by their stored values",
        "hidden sheets are not read: Notes",
    ]


def test_a_workbook_without_a_header_or_with_rows_before_it(tmp_path: Path) -> None:
    rows: list[list[Any]] = [["EP1234567A1", "Pump with a valve"], ["US9833479B2", "Gene correction of cells"]]
    patents, _, _ = read(tmp_path / "a.xlsx", workbook(("Liste", rows)))
    assert [(patent.doc_id, *patent.title.values()) for patent in patents] == [
        ("EP1234567", "Pump with a valve"),
        ("US9833479", "Gene correction of cells"),
    ]
    rows = [
        ["Report of a search"],
        ["by", "somebody"],
        [],
        ["", "Country", "Number", "Title"],
        ["", "EP", 1234567, "x"],
    ]
    patents, _, _ = read(tmp_path / "b.xlsx", workbook(("Info", [["a", "b"]]), ("Liste", rows)))
    assert [(patent.doc_id, *patent.title.values()) for patent in patents] == [("EP1234567", "x")]


def test_a_page_in_which_a_table_is_only_a_part_is_no_list(tmp_path: Path) -> None:
    table = (
        "<table><tr><th>Publication number</th><th>Title</th></tr><tr><td>EP1000000A1</td><td>Press</td></tr></table>"
    )
    patents, _, collection = read(tmp_path / "a.html", f"<html><p>{'The text of a patent. ' * 20}</p>{table}</html>")
    assert (patents, [*collection.ledger.reasons]) == ([], ["an HTML page, not a patent"])
    (press,), _, _ = read(tmp_path / "a.xls", f"<html><body>{table}</body></html>")
    assert press.doc_id == "EP1000000"


def test_workbooks_that_would_not_fit_in_memory_are_refused(tmp_path: Path) -> None:
    cell = b'<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    for name, content, reason in (
        ("wide", cell, "spans 16,384 columns and 1,048,576 rows"),
        ("bomb", bytes(80 << 20), "unpacks to"),
        ("entities", b'<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>', "declares entities"),
    ):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b"<workbook/>")
            archive.writestr("xl/worksheets/sheet1.xml", content)
        patents, _, collection = read(tmp_path / f"{name}.xlsx", data.getvalue())
        assert patents == []
        ((found, count),) = collection.ledger.reasons.items()
        assert (reason in found, count) == (True, 1)


def test_cells_that_a_spreadsheet_would_execute_are_text(tmp_path: Path) -> None:
    text = "Publication Number,Title\nEP1000000A1,=cmd|' /C calc'!A0\nEP1000001A1,<script>x</script>\n"
    patents, _, _ = read(tmp_path / "a.csv", text)
    assert [[*patent.title.values()] for patent in patents] == [["=cmd|' /C calc'!A0"], ["<script>x</script>"]]


def test_too_many_columns_are_one_line(tmp_path: Path) -> None:
    header = ",".join(f"c{at}" for at in range(20_000))
    patents, _, collection = read(tmp_path / "a.csv", f"{header}\n{',' * 19_999}\n")
    assert (patents, [*collection.ledger.reasons]) == ([], ["a table of more than 4,096 columns"])


def test_cells_that_spreadsheets_show_as_text_and_titles_with_markup(tmp_path: Path) -> None:
    link = '"=HYPERLINK(""https://example.org/EP1000001A1"",""EP1000001A1"")"'
    more = "EP1000002A1,&lt;p&gt;from<i>In vitro</i>to CO<sub>2</sub> <i>p</i>-value\n"
    text = f'Publication Number,Title\n="EP1000000A1",<b>Press</b> &amp; brick\n{link},a < b\n{more}'
    patents, _, _ = read(tmp_path / "a.csv", text)
    assert [(patent.doc_id, *patent.title.values()) for patent in patents] == [
        ("EP1000000", "Press & brick"),
        ("EP1000001", "a < b"),
        ("EP1000002", "from In vitro to CO2 p-value"),
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_table_in_utf_16_without_a_byte_order_mark(encoding: str, tmp_path: Path) -> None:
    (press,), _, _ = read(tmp_path / "a.csv", "id;Titel;Zusammenfassung\n1;Prüfung;Text\n".encode(encoding))
    assert [*press.title.values()] == ["Prüfung"]


def test_identifiers_of_the_articles_that_a_patent_cites_are_not_its_own(tmp_path: Path) -> None:
    header = "#,Jurisdiction,Kind,Publication Number,Simple Family Size,Title,PubMed Id(s),DOI(s)"
    (pump,), _, _ = read(tmp_path / "a.csv", f"{header}\n1,EP,A1,EP 1000000 A1,2,Pump,123,10.1000/abc\n")
    assert (pump.doc_id, pump.doi, pump.original["DOI(s)"]) == ("EP1000000", None, "10.1000/abc")


def test_too_many_columns_of_a_page_are_one_line(tmp_path: Path) -> None:
    row = "<tr>" + "<td>x</td>" * 20_000 + "</tr>"
    patents, _, collection = read(tmp_path / "a.xls", f"<table>{row * 2}</table>")
    assert (patents, [*collection.ledger.reasons]) == ([], ["a table of more than 4,096 columns"])


def test_every_name_of_a_column_is_in_the_form_in_which_names_are_compared() -> None:
    names = [name for names in COLUMN_NAMES.values() for name in names.split("|")]
    assert [name for name in names if not fold(name)] == []
    assert {*field_names.FIELD_NAMES} <= {*RECORD_FIELDS} | {*field_names.FIELD_NAMES}


def test_exports_that_were_put_together_repeat_no_record(tmp_path: Path) -> None:
    patents, _, collection = read(tmp_path / "liste.csv", ESPACENET_DE + ESPACENET_DE)
    assert [patent.doc_id for patent in patents] == ["EP1000001", "DE102004000001"]
    assert collection.ledger.merged == 2
    assert collection.ledger.rejected == 3
    assert "the header of the table again" in collection.ledger.reasons
