"""Every table of a page is one: a row per line, the same number of cells in each, and a rule below the first."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.documented import pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES = [*pages(), *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/results.md"))]
ROW = re.compile(r"\|.*(?<!\\)\|")
RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")


def find_faults(text: str) -> Iterator[str]:
    """The lines that look like part of a table and are none."""
    text = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip() for line in text.splitlines()]
    for has_bars, block in groupby(lines, key=lambda line: line.startswith(("| ", "|-")) or line.endswith(" |")):
        rows = [*block] if has_bars else []
        if rows and not (len(rows) > 1 and RULE.fullmatch(rows[1])):
            yield rows[0]
        counts = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
        yield from (
            row for row, count in zip(rows, counts, strict=True) if not ROW.fullmatch(row) or count != counts[0]
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_tables_of_a_page_are_well_formed(page: Path) -> None:
    assert not [*find_faults(page.read_text())]


TABLE = "| a | b |\n|---|---:|\n| 1 | `x \\| y` |\n| 2 | z |\n"


def test_a_broken_table_is_noticed() -> None:
    assert not [*find_faults(f"Words.\n\n{TABLE}\nMore | words.\n\n```\n| no table\n```\n")]
    for broken in ("| 2 | z\n\nmore |\n| 3 | z |\n", "| 2 |\n", "| 2 | x | y |\n", "\n| 3 | z |\n"):
        assert [*find_faults(TABLE + broken)], broken
