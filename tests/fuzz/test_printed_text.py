"""Text from data that steers terminals, breaks out of tables and pages, or becomes a formula, through every output.

Nothing printed as text holds a control character but line feeds and tabs; HTML parses and has no element that the data
brought; CSV gives the same cells back; Markdown and LaTeX have as many cells in each row as before.
"""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import lxml.html
import pytest

from antecede.corpus import Collection
from antecede.errors import CONTROLS, printable, printable_text
from antecede.index import build_index
from antecede.report.html import render_report
from antecede.report.results import ReportContents
from antecede.report.terminal_text import render_hits, render_patent
from antecede.search import open_index, search_index
from antecede.tables import STYLES, Table, plain_text
from tests.fuzz.programs import caller
from tests.report.sample_reports import part
from tests.report.sample_results import make_ranks

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Outcome
    from tests.fuzz.outcomes import Fuzz

CODES = (
    *range(32), 0x7F, *range(0x80, 0xA0), 0xA0, 0xAD, 0x61C, *range(0x200B, 0x2010), 0x2028, 0x2029,
    *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF, *range(0xFFF9, 0xFFFC), 0xE0001, 0xE0041, 0xD800, 0xDFFF,
)  # fmt: skip
SEQUENCES = (
    "\x1b[2J", "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "\x1b[31m", "\x9b31m", "\x1bP$q\x1b\\",
    "\r\x1b[K", "\x08\x08\x08", "\u202egnp.exe\u202c", "\u2066\u2069", "\x1b[6n", "\x1b(0", "\x0e\x0f",
)  # fmt: skip
SCRIPTS = (
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>", '"><script>alert(1)</script>', "'><b onmouseover=alert(1)>", "<iframe src=javascript:1>",
    "</td></tr></table><script>x</script>", "<!--", "-->", "]]>", "<![CDATA[x]]>", "&lt;script&gt;", "&#60;b&#62;",
    "javascript:alert(1)", "{{7*7}}", "{% raw %}", "${7*7}", "</style><script>x</script>", "<a href='javascript:1'>x",
    "</title><script>x</script>", "<math><mi//xlink:href=javascript:1>", "<body onload=x>", "\" onclick=x \"",
    "</textarea><script>x</script>", "<base href=//x>",
)  # fmt: skip
MARKUP = (
    "a|b", "`code`", "**bold**", "_it_", "[x](javascript:1)", "# head", "- item", "1. item", "$x$",
    "\\input{/etc/passwd}", "%c", "{", "}", "\\", "~", "^", "&", "#", "=1+1", "+1", "-cmd|' /C calc'!A0", "@SUM(A1)",
    "\t=1", " =1",
    '"', ",", ";", "'", "'=x", "", " ", "-0.5", "\uff1d1",
)  # fmt: skip
WORDS = ("valve", "spring", "seal", "gear", "Ventil", "für", "手持", "🙂", "e\u0301")


OF_A_TABLE = {"table", "caption", "thead", "tbody", "tr", "th", "td", "b", "p", "span"}
"""The elements that a table is made of."""
OF_A_PAGE = OF_A_TABLE | {"html", "head", "meta", "title", "style", "body"}
SITES = ("https://worldwide.espacenet.com/patent/", "https://patents.google.com/")
"""The only sites that are linked to."""


def hostile(rng: random.Random) -> str:
    """A text with anything in it."""
    pools: list[Callable[[], str]] = [
        lambda: chr(rng.choice(CODES)),
        lambda: rng.choice(SEQUENCES),
        lambda: rng.choice(SCRIPTS),
        lambda: rng.choice(MARKUP),
        lambda: rng.choice(WORDS),
        lambda: chr(rng.randrange(0x110000)),
    ]
    return "".join(rng.choice(pools)() for _ in range(rng.randint(1, 6)))


def steering(text: str) -> list[str]:
    """The characters of a text that a terminal or a reader would obey."""
    return [*CONTROLS.findall(text)]


def test_texts_and_messages(fuzz: Fuzz) -> None:
    for number, rng in fuzz.cases(3000):
        text = hostile(rng)
        kept = printable_text(text)
        assert not steering(kept), f"case {number}"
        assert printable_text(kept) == kept, f"case {number}"
        assert CONTROLS.sub("", text) == re.sub(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\r", "", kept) or (
            "\\" in text
        ), f"case {number}"
        assert printable(text, 200).isprintable(), f"case {number}"
        fuzz.count("exact")


class Elements(HTMLParser):
    """The elements of a page and the text of its cells, as a browser finds them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.cells: list[str] = []
        self.inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag in ("td", "th"):
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def test_tables_in_every_style(fuzz: Fuzz) -> None:
    for number, rng in fuzz.cases(600):
        width, height = rng.randint(1, 4), rng.randint(0, 4)
        columns = tuple(hostile(rng) for _ in range(width))
        rows = tuple(
            tuple(
                rng.choice([hostile(rng), hostile(rng), rng.random() - 0.5, rng.randint(-9, 9), None]) for _ in columns
            )
            for _ in range(height)
        )
        table = Table(columns, rows, title=hostile(rng), notes=(hostile(rng),), marks={(0, 0): hostile(rng)})
        rendered = {style: table.render(style) for style in STYLES}
        for style, text in rendered.items():
            assert not steering(text.replace("\n", "")), f"case {number}: {style}"
            assert "\t" not in text, f"case {number}: {style}"
        check_csv(table, rendered, f"case {number}")
        check_html(table, rendered["html"], f"case {number}")
        lines = [line for line in rendered["md"].split("\n") if line.startswith("| ")]
        assert len(lines) == 2 + height, f"case {number}"
        assert all(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) == width + 1 for line in lines), f"case {number}"
        latex = [line for line in rendered["latex"].split("\n") if line.endswith(r" \\")]
        assert len(latex) == 1 + height, f"case {number}"
        for line in latex:
            body = re.sub(r"\\[&%$#_{}]", "", line)
            assert body.count("&") == width - 1, f"case {number}"
            assert body.count("{") == body.count("}"), f"case {number}"
            assert not re.search(r"(?<!\\)[%#~]", body), f"case {number}"
            assert not re.search(r"\\(input|write|include|def)", body), f"case {number}"
        fuzz.count("exact")


def check_csv(table: Table, rendered: dict[str, str], case: str) -> None:
    """Both forms of CSV have the same cells; none of the safe one is a formula."""
    safe, raw = (list(csv.reader(io.StringIO(rendered[style], newline=""))) for style in ("csv", "csv-raw"))
    escaped = [
        [printable(cell, 10**6) if isinstance(cell, str) else value_text(cell) for cell in row]
        for row in (table.export().columns, *table.export().rows)
    ]
    assert raw == escaped, case
    assert [[plain_text(cell) for cell in row] for row in safe] == [
        [plain_text(cell) for cell in row] for row in raw
    ], case
    exported = table.export()
    for given, row in zip((exported.columns, *exported.rows), safe, strict=True):
        for value, cell in zip(given, row, strict=True):
            formula = re.match(r"\s*[=+@\uff1d\uff0b\uff0d\uff20-]", cell)
            number = re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", cell)
            assert not formula or number or not isinstance(value, str), f"{case}: {cell!r}"


def value_text(value: float | None) -> str:
    return "" if value is None else repr(value)


def check_html(table: Table, text: str, case: str) -> None:
    """The page has the elements of a table alone, and its cells are what the table holds."""
    found = Elements()
    found.feed("<table" + text.partition("<table")[2].partition("</table>")[0])
    assert found.tags <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "b"}, case
    assert found.attributes <= {"class", "style"}, case
    assert len(found.cells) == len(table.columns) * (1 + len(table.rows)), case
    for cell, column in zip(found.cells, table.columns, strict=False):
        assert cell == printable(column, 10**6), case
    check_page(text, case)


def check_page(text: str, case: str) -> None:
    """A whole page has the elements of one, and links to known sites alone."""
    root = lxml.html.document_fromstring(text.encode())
    assert {each.tag for each in root.iter()} <= {*OF_A_PAGE, "a"}, case
    for link in root.iter("a"):
        assert {*link.attrib} == {"href", "rel"}, case
        assert link.get("href", "").startswith(SITES), case


def lines(rng: random.Random, count: int) -> list[dict[str, Any]]:
    """Patents whose every text is hostile."""

    def text(words: str = "") -> str:
        return f"{words} {hostile(rng)} {rng.choice(WORDS)} {hostile(rng)}".encode("utf-8", "replace").decode()

    return [
        {
            "doc_id": f"EP10000{number:02}",
            "publication_date": f"20{number:02}-01-01",
            "language": "en",
            "title": text("Valve"),
            "applicants": [text()],
            "inventors": [text()],
            "family_id": text(),
            "abstract": text("The valve of a spring."),
            "claims": {"en": [text("1. A valve."), text("2. The valve.")]},
            "description": {"en": "\n".join(text("The valve of the spring.") for _ in range(3))},
        }
        for number in range(1, count + 1)
    ]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Outcome]:
    """The program in this process, called in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return caller(monkeypatch)


def test_patents_through_the_program(called: Callable[..., Outcome], tmp_path: Path, fuzz: Fuzz) -> None:
    for number, rng in fuzz.cases(6):
        patents = lines(rng, 4)
        (tmp_path / "patents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in patents))
        build_index(Collection(tmp_path / "patents.jsonl"), tmp_path / f"index{number}", workers=1)
        index = f"index{number}"
        text = hostile(rng).replace("\0", "")
        styles = [("--format", style) for style in STYLES]
        calls: list[tuple[str, ...]] = [
            ("show", "patents.jsonl", "EP1000001", "-q"),
            ("show", "patents.jsonl", "EP1000002", "--whole", "-q"),
            ("show", "patents.jsonl", "EP1000002", "--json", "-q"),
            *(("show", "patents.jsonl", "-q", *style) for style in styles),
            ("search", index, "EP1000004", "--passages", "--explain", "--claims", "--before", "off"),
            ("search", index, "EP1000004", "--json", "--passages", "--before", "off"),
            *(("search", index, "EP1000003", "--before", "off", *style) for style in styles),
            ("search", index, f"--text=valve {text}"),
            ("search", index, f"--text=valve {text}", "--json"),
            ("search", index, f"--ipc={text}", "--text=valve"),
            ("search", index, text or "x"),
            ("search", f"{text}.index", "--text=valve"),
            *(("query", index, "EP1000001", *style) for style in styles),
            ("query", index, "EP1000001", f"--method={text}"),
            ("list", "formats", "patents.jsonl", "-q"),
            ("info", index),
        ]
        for words in calls:
            done = called(*words)
            assert done.code in (0, 1, 2), f"case {number}: {words}"
            assert not steering(done.out + done.err), f"case {number}: {words}"
            if "--json" in words and done.code == 0:
                json.loads(done.out)
            if "html" in words:
                check_page(done.out, f"case {number}")
            fuzz.count("printed" if done.code != 2 else "refused")


def test_pages_of_patents_and_hits(tmp_path: Path, fuzz: Fuzz) -> None:
    for number, rng in fuzz.cases(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "patents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines(rng, 3)))
        build_index(Collection(folder / "patents.jsonl"), folder / "index", workers=1)
        index = open_index(folder / "index")
        for name in ("EP1000001", "EP1000002", "EP1000003"):
            assert not steering(render_patent(index.patent(name), whole=True)), f"case {number}"
        found = search_index(index, index.patent("EP1000003"), before="off", passages=3, claims=True)
        assert found.hits, f"case {number}"
        assert not steering(render_hits(found)), f"case {number}"
        on_a_terminal = render_hits(found, bold=True)
        assert not steering(on_a_terminal.replace("\x1b[1m", "").replace("\x1b[0m", "")), f"case {number}"
        fuzz.count("exact")


def test_names_of_runs_topics_and_documents_through_the_program(
    called: Callable[..., Outcome], tmp_path: Path, fuzz: Fuzz
) -> None:
    for number, rng in fuzz.cases(6):

        def name(at: int, rng: random.Random = rng) -> str:
            """A name as a run can hold it: without white space."""
            text = "".join(sign for sign in hostile(rng) if not sign.isspace() and sign > " ")
            return f"{text}{at}".encode("utf-8", "replace").decode()

        topics, docs = [name(at) for at in range(3)], [name(at) for at in range(6)]
        qrels = [f"{topic} 0 {doc} {at % 2}" for topic in topics for at, doc in enumerate(docs)]
        (tmp_path / "qrels.txt").write_text("\n".join(qrels) + "\n", encoding="utf-8")
        runs = []
        for at in range(2):
            ranking = rng.sample(docs, 5)
            rows = [f"{topic} Q0 {doc} {r} {9 - r} {name(at)}" for topic in topics for r, doc in enumerate(ranking, 1)]
            file = re.sub(r"[/\x00\ud800-\udfff]", "", hostile(rng))[:40] or "run"
            path = tmp_path / f"{at}{file}.run"
            try:
                path.write_text("\n".join(rows) + "\n", encoding="utf-8")
            except (OSError, UnicodeError):
                path = tmp_path / f"{at}.run"
                path.write_text("\n".join(rows) + "\n", encoding="utf-8")
            runs.append(path.name)
        for words in (
            *(("evaluate", "qrels.txt", *runs, "--format", style, "-q") for style in STYLES),
            *(("evaluate", "qrels.txt", *runs, "--per-topic", "--format", style, "-q") for style in STYLES),
            ("evaluate", "qrels.txt", *runs, "--json", "--per-topic", "-q"),
            *(("audit", "qrels.txt", *runs, "--format", style, "-q") for style in STYLES),
            *(("compare", "qrels.txt", *runs, "-m", "AP", "--format", style, "-q") for style in STYLES),
            ("compare", "qrels.txt", *runs, "-m", f"AP{hostile(rng)}".replace("\0", ""), "-q"),
            ("evaluate", "qrels.txt", f"missing{hostile(rng)}".replace("\0", ""), "-q"),
        ):
            done = called(*words)
            assert done.code in (0, 1, 2), f"case {number}: {words}: {done.err}"
            assert not steering(done.out + done.err), f"case {number}: {words}"
            if "html" in words and done.code == 0:
                check_page(done.out, f"case {number}")
            fuzz.count("printed" if done.code != 2 else "refused")


def test_the_report(fuzz: Fuzz) -> None:
    usual = elements(render_report(ReportContents("A report", (part("en"),), {})))
    for number, rng in fuzz.cases(2):
        runs = tuple(f"{hostile(rng)}{at}" for at in range(4))
        titles = {f"T{at}": hostile(rng) for at in range(12)} | {f"d{at}": hostile(rng) for at in range(40)}
        record = {hostile(rng): hostile(rng), "plan": hostile(rng)}
        built = part(hostile(rng), ranks=make_ranks(runs), titles=titles, notes=(hostile(rng), hostile(rng)))
        text = render_report(ReportContents(hostile(rng), (built,), record))
        assert not steering(text), f"case {number}"
        found = elements(text)
        assert {tag for tag, _ in found} <= {tag for tag, _ in usual} | {"ul", "li", "dl", "dt", "dd"}, f"case {number}"
        handlers = {name for _, names in found for name in names if name.startswith("on")}
        assert not handlers, f"case {number}: {handlers}"
        scripts = [tag for tag, _ in found if tag == "script"]
        assert len(scripts) == sum(tag == "script" for tag, _ in usual), f"case {number}"
        fuzz.count("exact")


def elements(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Every element of a page with the names of its attributes."""
    root = lxml.html.document_fromstring(text)
    return [(str(each.tag), tuple(map(str, each.attrib))) for each in root.iter() if isinstance(each.tag, str)]
