"""Tables in windows of any width: no number, date, identifier or word is ever cut."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import Table
from antecede.cli.table_layout import GAP, lay_out, wrap_words
from antecede.study import published

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
    return ["".join(part.text for part in line) for line in lay_out(table, width)]


@given(table=tables(), width=st.integers(1, 160))
def test_every_word_and_number_is_whole_in_a_window_of_any_width(table: Table, width: int) -> None:
    lines = lines_of(table, width)
    found = Counter(word for line in lines for word in line.split())
    cells = [*table.columns, *(cell for row in table.cells() for cell in row), table.title, *table.notes]
    wanted = Counter(word for cell in cells for word in cell.split())
    assert not wanted - found
    assert all(line == line.rstrip() for line in lines)


@given(table=tables(), width=st.integers(1, 160))
def test_a_line_is_wider_than_the_window_only_for_a_word_that_is(table: Table, width: int) -> None:
    cells = [*table.columns, *(cell for row in table.cells() for cell in row)]
    longest = max(len(word) for text in (*cells, table.title, *table.notes) for word in [*text.split(), ""])
    labels = max(map(len, table.columns)) + len(GAP)
    assert max(map(len, lines_of(table, width))) <= max(width, labels + longest if table.rows else 10**6)


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


def test_a_table_too_narrow_for_that_is_turned_on_its_side() -> None:
    table = Table(("patent", "score"), (("US20040123456A1", 12.5), ("EP1", 1.0)))
    assert lines_of(table, 8) == [
        "patent  US20040123456A1",
        "score   12.5000",
        "",
        "patent  EP1",
        "score   1.0000",
    ]


def test_wide_characters_are_measured_as_the_screen_shows_them() -> None:
    rich = pytest.importorskip("rich.cells")
    table = Table(("title", "n"), (("特許 " * 9, 1),))
    assert all(rich.cell_len("".join(part.text for part in line)) <= 30 for line in lay_out(table, 30, rich.cell_len))


def test_indentation_is_kept_where_a_text_is_wrapped() -> None:
    assert wrap_words("  not answered: no text", 16) == ["  not answered:", "  no text"]


@pytest.mark.parametrize("width", [40, 80])
def test_no_figure_of_the_published_tables_is_lost(width: int) -> None:
    for table in published(samples=1).tables():
        found = Counter(word for line in lines_of(table, width) for word in line.split())
        assert not Counter(word for row in table.cells() for cell in row for word in cell.split()) - found
        assert max(map(len, lines_of(table, width))) <= width
