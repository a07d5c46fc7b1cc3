"""Tables in every form: hostile names harm none of them, and no digit is lost where programs read."""

from __future__ import annotations

import csv
import io
import math
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import Table, UsageError
from antecede.tables import STYLES, Value, as_page, best_of, format_cell, plain_text

HOSTILE = [
    "a|b",
    "**bold**",
    "_under_score_",
    "[link](x)",
    "[1ex] row",
    "* star",
    "50% & more",
    "$x_1^2$",
    "{open",
    "close}",
    "back\\slash",
    "#1~^",
    "<script>alert(1)</script>",
    '"quoted", with comma',
    "line\nbreak",
    "\x1b[31mred",
    "tab\tand\rCR",
    "\u2028separator",
    "`code`",
    "=cmd()",
    "%comment",
    "naïve 🙂",
    "",
]


def table_of(*names: str) -> Table:
    return Table(
        columns=("run", "AP", "topics"),
        rows=tuple((name, 0.25 + at, at) for at, name in enumerate(names)),
        title=names[0],
        notes=names,
        best=frozenset({(0, 1)}),
        marks={(0, 1): "†"},
    )


names = st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8)), min_size=1, max_size=4)


@given(names=names)
def test_no_name_reaches_the_terminal_or_breaks_a_line(names: list[str]) -> None:
    for style in STYLES:
        lines = table_of(*names).render(style).removesuffix("\n").split("\n")
        assert all(sign.isprintable() for line in lines for sign in line), style
        assert "run" in Table(("run", "AP"), ()).render(style)
        assert "\x1b" not in Table(("a",), (("x",),), marks={(0, 0): "\x1b[1m"}).render(style)
    title = bool(names[0])
    assert len(table_of(*names).render("text").splitlines()) == title + 2 + len(names) + len(names)
    with pytest.raises(UsageError, match="there are text, md, csv, csv-raw, latex, html"):
        Table(("a",), ()).render("pdf")


@given(names=names)
def test_markdown_has_as_many_cells_in_each_row(names: list[str]) -> None:
    rows = [line for line in table_of(*names).render("md").splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(names)
    for row in rows:
        assert len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) == 4


def test_markdown_shows_names_as_they_are() -> None:
    rendered = table_of("**a|b**", "_x_y_ [z](u) <i>").render("md")
    assert r"| \*\*a\|b\*\* |" in rendered
    assert r"| \_x_y\_ \[z\](u) \<i\> |" in rendered
    assert "**0.2500†**" in rendered


@given(names=names)
def test_latex_is_balanced_and_has_as_many_cells_in_each_row(names: list[str]) -> None:
    rendered = table_of(*names).render("latex")
    lines = [line for line in rendered.splitlines() if not line.startswith("%")]
    assert lines[:2] == [r"\begin{tabular}{lrr}", r"\toprule"]
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    rows = [line for line in lines[2:-2] if line != r"\midrule"]
    assert len(rows) == 1 + len(names)
    for row in rows:
        assert row.endswith(r" \\")
        body = re.sub(r"\\[&%$#_{}]", "", row.removesuffix(r" \\"))
        assert body.count(" & ") == body.count("&") == 2
        assert body.count("{") == body.count("}")
        assert body.count("$") % 2 == 0
        assert not re.search(r"[%#~]", body)
        # Behind the \\ of the row before, a [ would begin an option and a * be swallowed.
        assert not row.startswith(("[", "*"))


def test_latex_is_escaped_sign_by_sign() -> None:
    rendered = table_of("a_b & 50% [x] {#1} \\ ^~ <|> *").render("latex")
    assert (
        r"a\_b \& 50\% {[}x{]} \{\#1\} \textbackslash{} \textasciicircum{}\textasciitilde{} "
        r"\textless{}\textbar{}\textgreater{} {*} & \textbf{0.2500}\textsuperscript{\dag{}} & 0 \\"
    ) in rendered


class Cells(HTMLParser):
    """The text of each cell, as a browser would show it."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.add(tag)
        if tag == "td":
            self.found.append("")

    def handle_data(self, data: str) -> None:
        if self.found:
            self.found[-1] += data


def test_html_shows_names_as_they_are_and_runs_none_of_them() -> None:
    printable = [name for name in HOSTILE if name.isprintable()]
    parser = Cells()
    parser.feed("<table" + table_of(*printable).render("html").partition("<table")[2].partition("</table>")[0])
    assert parser.tags == {"table", "caption", "thead", "tr", "th", "tbody", "td", "b"} - (
        {"caption"} if not printable[0] else set()
    )
    assert [cell.strip() for cell in parser.found[::3]] == [name.strip() for name in printable]


@given(names=names, values=st.lists(st.floats(), min_size=4, max_size=4))
def test_csv_keeps_every_name_and_digit(names: list[str], values: list[float]) -> None:
    rows = tuple(zip(names, values, range(4), strict=False))
    table = Table(("run, name", "AP", "n"), rows, title="t", notes=("n",), best=frozenset({(0, 1)}))
    rendered = table.render("csv-raw")
    read = list(csv.reader(io.StringIO(rendered, newline="")))
    assert read[0] == ["run, name", "AP", "n"]
    assert len(read) == 1 + len(rows) == rendered.count("\n")
    for (name, value, number), (ours, digits, whole) in zip(rows, read[1:], strict=True):
        assert int(whole) == number
        assert ours == name if name.isprintable() else ours.isprintable()
        assert digits == "" if math.isnan(value) else float(digits).hex() == value.hex()


@given(names=names)
def test_no_text_of_a_csv_is_a_formula_and_each_can_be_read_back(names: list[str]) -> None:
    table = Table(("=run", "AP"), tuple((name, -0.5) for name in names))
    safe, raw = (list(csv.reader(io.StringIO(table.render(style), newline=""))) for style in ("csv", "csv-raw"))
    assert (safe[0][0], raw[0][0]) == ("'=run", "=run")
    for one, other in zip(safe, raw, strict=True):
        assert not re.match(r"\s*[=+@-](?![\d.]*$)", one[0])
        assert plain_text(one[0]) == other[0]
    assert [row[1] for row in safe[1:]] == ["-0.5"] * len(names)


def test_csv_has_the_marks_of_a_column_in_a_column_of_their_own() -> None:
    marks = {(0, 1): " b", (1, 1): ""}
    table = Table(("run", "AP", "n"), (("a", 0.5, 1), ("b", 0.25, 2)), marks=marks)
    assert table.render("csv") == "run,AP,n,AP mark\na,0.5,1,b\nb,0.25,2,\n"
    assert Table(("a",), ((1,),), complete=Table(("a", "b"), ((1, None),))).render("csv") == "a,b\n1,\n"


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        *(
            (formula, f"'{formula}")
            for formula in ("=cmd|'/c calc'!A0", "+1+1", "-2+3", "@SUM(A1)", " =1+1", "＝1+1", "-")
        ),
        *((text, text) for text in ("-0.5", "+.25", "-1e-5", "EP1", "a=b", "'quoted", "")),
        ("\t=1", r"\t=1"),
        ("\r=1", r"\r=1"),
    ],
)
def test_a_text_that_a_spreadsheet_would_compute_gets_an_apostrophe(text: str, safe: str) -> None:
    assert next(csv.reader(Table(("a",), ((text,),)).render("csv").splitlines()[1:]), [""])[0] == safe


def test_markdown_takes_no_note_or_entity_for_a_command() -> None:
    notes = ("# heading", "- item", "12. item", "&lt;b&gt;", "=====", "plain 1. text")
    rendered = Table(("a",), (("&amp;",),), notes=notes).render("md")
    assert [line.rstrip() for line in rendered.splitlines()[-6:]] == [
        r"\# heading",
        r"\- item",
        r"12\. item",
        r"\&lt;b\&gt;",
        r"\=====",
        "plain 1. text",
    ]
    assert r"| \&amp; |" in rendered


@pytest.mark.parametrize(
    ("columns", "better", "best"),
    [
        ([[0.1, 0.3, 0.2]], ["higher"], {(1, 1)}),
        ([[0.1, 0.3, 0.2]], ["lower"], {(0, 1)}),
        ([[0.1, 0.3, 0.2]], [None], set()),
        ([[0.3, 0.1, 0.3]], ["higher"], {(0, 1), (2, 1)}),
        ([[0.3, 0.3]], ["higher"], set()),
        ([[0.3]], ["higher"], set()),
        ([[math.nan, 0.3, 0.1]], ["higher"], {(1, 1)}),
        ([[math.inf, 5.0]], ["lower"], {(1, 1)}),
        ([[math.nan, math.nan]], ["higher"], set()),
        ([[1.0, 2.0], [2.0, 1.0]], ["higher", "lower"], {(1, 1), (1, 2)}),
    ],
)
def test_the_best_of_a_column(columns: list[list[float]], better: list[str | None], best: set[tuple[int, int]]) -> None:
    assert best_of(columns, better) == best


def test_text_sets_numbers_in_line_beside_stars_and_marks() -> None:
    table = Table(
        ("run", "AP"),
        (("a", 0.5), ("b", 10.25), ("c", None)),
        title="T",
        notes=("note",),
        best=frozenset({(1, 1)}),
        marks={(0, 1): "†"},
    )
    lines = str(table).splitlines()
    assert lines[0] == "T"
    assert lines[-1] == "note"
    assert lines[3].index(".") == lines[4].index(".")
    assert lines[4].endswith("10.2500*")
    assert "0.5000†" in lines[3]
    assert lines[5].rstrip().endswith("–")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.1235"), (3, "3"), (None, "–"), (math.nan, "–"), (math.inf, "∞"), (-math.inf, "−∞"), ("x", "x")],
)
def test_a_value_as_people_read_it(value: Value, text: str) -> None:
    assert format_cell(value, 4) == text


def test_html_is_a_whole_page_in_utf_8_with_a_title_and_links() -> None:
    table = Table(("patent",), (("EP1",),), title="<Grün>", links={(0, 0): {"Espacenet": 'https://x.example/?a="&b=1'}})
    page = table.render("html")
    assert page.startswith("<!doctype html>")
    assert '<meta charset="utf-8">' in page
    assert "<title>&lt;Grün&gt;</title>" in page
    assert 'nowrap">EP1</span> <a href="https://x.example/?a=&quot;&amp;b=1" rel="noreferrer">Espacenet</a>' in page
    assert "<script" not in page
    assert table._repr_html_().startswith("<table")
    assert as_page([table, table]).count("<table") == 2
    page = Table(("date", "IPC"), (("1985-04-24", "H04L 12/56; H04W 4/00; G06F 17/30 & more"),)).render("html")
    assert '<td style="text-align:left;white-space:nowrap">1985-04-24</td>' in page
    assert "H04L&nbsp;12/56; H04W&nbsp;4/00; G06F&nbsp;17/30&nbsp;&amp;&nbsp;more" in page


def test_a_repeated_value_of_a_grouped_column_is_shown_once_and_written_in_every_row() -> None:
    rows = (("en", "a", 1), ("en", "b", 2), ("de", "b", 3), ("de", "b", 4))
    table = Table(("part", "run", "n"), rows, grouped=2)
    people = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.render("md").splitlines()[2:]]
    assert people == [["en", "a", "1"], ["", "b", "2"], ["de", "b", "3"], ["", "", "4"]]
    assert (
        table.render("latex").count("en &")
        == table.render("html").count(">de<")
        == table.render("text").count("en")
        == 1
    )
    assert table.render("csv").splitlines()[1:] == ["en,a,1", "en,b,2", "de,b,3", "de,b,4"]
    assert table.to_polars().rows() == [*rows]
