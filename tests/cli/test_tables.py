"""Tables in windows of any width, where nothing is ever cut, and as workbooks."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
import zipfile
from collections import Counter
from typing import TYPE_CHECKING, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede import Table, UsageError
from antecede.cli import options
from antecede.cli.table_layout import lay_out, wrap_words
from antecede.tables import STYLES, escape_name
from antecede.workbook import CHARACTERS, make_workbook
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


words = st.text("abcEP0123456789/.-", min_size=1, max_size=30)
texts = st.lists(words, max_size=8).map(" ".join)
values = st.one_of(texts, st.floats(-1e6, 1e6), st.integers(-(10**12), 10**12), st.none())


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.lists(st.one_of(words, texts), min_size=1, max_size=7))
    rows = draw(st.lists(st.tuples(*[values] * len(columns)), max_size=5))
    places = [(row, column) for row in range(len(rows)) for column in range(len(columns))]
    chosen = draw(st.sets(st.sampled_from(places), max_size=4)) if places else set()
    marks = dict.fromkeys(chosen, "†")
    return Table(
        tuple(columns), tuple(rows), title=draw(texts), notes=(draw(texts),), best=frozenset(chosen), marks=marks
    )


def lines_of(table: Table, width: int) -> list[str]:
    return [line.plain for line in lay_out(table, width)]


@given(table=tables(), width=st.integers(1, 160))
def test_every_word_and_number_is_whole_in_a_window_of_any_width(table: Table, width: int) -> None:
    lines = lines_of(table, width)
    found = Counter(word for line in lines for word in line.split())
    cells = [*table.columns, *(cell for row in table.cells() for cell in row), table.title, *table.notes]
    wanted = Counter(word for cell in cells for word in cell.split())
    assert not wanted - found
    assert all(line == line.rstrip() for line in lines)


@given(table=tables(), width=st.integers(1, 160))
def test_a_table_is_wider_than_the_window_only_where_two_columns_are(table: Table, width: int) -> None:
    rules = [line for line in lines_of(table, width) if line.startswith("─")]
    assert all(len(rule.split()) <= 2 for rule in rules if len(rule) > width)


def test_prose_is_wrapped_before_anything_else_gives_way() -> None:
    table = Table(("rank", "patent", "title"), ((1, "EP1000000B1", "A method of routing packets in a mesh network"),))
    assert lines_of(table, 46) == [
        "rank  patent       title",
        "────  ───────────  ───────────────────────────",
        "   1  EP1000000B1  A method of routing packets",
        "                   in a mesh network",
    ]


def test_columns_that_do_not_fit_are_folded_after_the_first() -> None:
    table = Table(("run", "AP@1000", "PRES@1000"), (("full", 0.25, 0.5), ("tfidf", 0.125, 0.75)))
    assert lines_of(table, 16) == [
        "run    AP@1000",
        "─────  ───────",
        "full    0.2500",
        "tfidf   0.1250",
        "",
        "run    PRES@1000",
        "─────  ─────────",
        "full      0.5000",
        "tfidf     0.7500",
    ]


def test_wide_characters_are_measured_as_the_screen_shows_them() -> None:
    table = Table(("title", "n"), (("特許 " * 9, 1),))
    assert all(line.cell_len <= 30 for line in lay_out(table, 30))


def test_indentation_is_kept_where_a_text_is_wrapped() -> None:
    assert wrap_words("  not answered: no text", 16) == ["  not answered:", "  no text"]


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
