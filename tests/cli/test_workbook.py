"""Tables as a workbook: every value with all digits, no text a formula, links, and nothing cut."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede import Table, UsageError
from antecede.cli import options
from antecede.report.workbook import CHARACTERS, make_workbook
from antecede.tables import STYLES, escape_name
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

Cell = str | float | None
SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def read(data: bytes) -> dict[str, list[list[Cell]]]:
    """The sheets of a workbook, by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [
            each.get("name", "") for each in etree.fromstring(archive.read("xl/workbook.xml")).iter(f"{SPACE}sheet")
        ]
        texts: list[str] = []
        if "xl/sharedStrings.xml" in archive.namelist():
            shared = etree.fromstring(archive.read("xl/sharedStrings.xml"))
            texts = ["".join(map(str, each.itertext())) for each in shared.iter(f"{SPACE}si")]
        sheets = [etree.fromstring(archive.read(f"xl/worksheets/sheet{at + 1}.xml")) for at in range(len(names))]
    assert not any(list(sheet.iter(f"{SPACE}f")) for sheet in sheets)  # no formula anywhere
    return {
        name: [cells(row, texts) for row in sheet.iter(f"{SPACE}row")]
        for name, sheet in zip(names, sheets, strict=True)
    }


def cells(row: etree._Element, texts: list[str]) -> list[Cell]:
    found: list[Cell] = []
    for each in row.iter(f"{SPACE}c"):
        column = ord(each.get("r", "A")[0]) - ord("A")
        found += [None] * (column - len(found))
        value = each.findtext(f"{SPACE}v")
        found.append(None if value is None else texts[int(value)] if each.get("t") == "s" else float(value))
    return found


def test_no_verb_has_a_list_of_formats_without_them() -> None:
    for declared in (options.Format, options.ScoreFormat):
        assert {"csv-excel", "xlsx", *STYLES} <= {*get_args(get_args(declared)[0])}


TEXTS = ["=1+1", "@x", "+1", "-2", "naïve 🙂", "https://a.example", "H04L 12/56; H04W 4/00"]


@given(
    values=st.lists(
        st.one_of(
            st.none(),
            st.floats(),
            st.integers(-(10**15), 10**15),
            st.sampled_from(TEXTS),
            st.text(min_size=1, max_size=6),
        ),
        max_size=5,
    )
)
def test_every_value_is_read_back_and_no_text_is_a_formula(values: list[Cell]) -> None:
    table = Table(("row", "=value"), tuple(enumerate(values)))
    head, *rows = read(make_workbook([table]))["table 1"]
    assert head == ["row", "=value"]
    for (at, *found), (number, value) in zip(rows, enumerate(values), strict=True):
        assert at == number
        if value is None or (isinstance(value, float) and math.isnan(value)):
            assert found in ([], [None])
        elif isinstance(value, str):
            assert found == [escape_name(value)]
        elif math.isinf(value):
            assert found == ["∞" if value > 0 else "−∞"]
        elif abs(value) > 9.99e307:
            assert found == [repr(value)]
        else:
            assert found == [pytest.approx(value, rel=1e-15)]


def test_each_table_has_a_sheet_and_the_notes_have_one() -> None:
    one = Table(("a",), ((1,),), title="Scores: of [all] runs", notes=("a note",), marks={(0, 0): "†"})
    book = read(make_workbook([one, one, Table(("b",), ())]))
    assert list(book) == ["Scores", "table 2", "table 3", "notes"]
    assert book["Scores"] == [["a", "a mark"], [1.0, "†"]]
    assert [row[0] for row in book["notes"]] == ["Scores: of [all] runs", "a note"] * 2


def test_the_same_tables_give_the_same_bytes_and_links_are_kept() -> None:
    address = "https://worldwide.espacenet.com/patent/search?q=pn%3DEP1"
    table = Table(("page",), ((address,),), links={(0, 0): {"Espacenet": address}})
    assert make_workbook([table]) == make_workbook([table])
    with zipfile.ZipFile(io.BytesIO(make_workbook([table]))) as archive:
        assert address in archive.read("xl/worksheets/_rels/sheet1.xml.rels").decode()
    assert read(make_workbook([table]))["table 1"][1] == [address]


def test_what_does_not_fit_a_cell_is_refused_and_not_cut() -> None:
    assert read(make_workbook([Table(("a",), (("x" * CHARACTERS,),))]))["table 1"][1] == ["x" * CHARACTERS]
    with pytest.raises(UsageError, match="has 32768 characters, a cell holds 32767"):
        make_workbook([Table(("a",), (("x" * (CHARACTERS + 1),),))])


def test_every_number_of_a_verb_is_in_its_workbook(here: Path, program: Program) -> None:
    words = ("evaluate", "qrels", "good.run", "poor.run", "-m", "AP,P@10")
    command = [sys.executable, "-m", "antecede", *words, "--format", "xlsx"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, check=True, cwd=here, env=environment)
    head, *rows = next(iter(read(done.stdout).values()))
    assert head == ["run", "AP", "P@10"]
    for row, run in zip(rows, program(*words, "--json").json["runs"], strict=True):
        assert row == [run["name"], pytest.approx(run["scores"]["AP"]), pytest.approx(run["scores"]["P@10"])]


def test_csv_for_excel_begins_with_a_byte_order_mark_and_has_its_line_ends(here: Path, program: Program) -> None:
    plain = program("evaluate", "qrels", "good.run", "-m", "AP", "--format", "csv").out
    excel = program("evaluate", "qrels", "good.run", "-m", "AP", "--format", "csv-excel").out
    assert excel == "\ufeff" + plain.replace("\n", "\r\n")
