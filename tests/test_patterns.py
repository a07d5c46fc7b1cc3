"""Texts that make a regular expression try again and again: each is answered in time in proportion to its length.

Where it is not, an answer takes minutes or years: no time is measured.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from antecede.conditions.values import MAX_NAME_LENGTH
from antecede.corpus import Collection
from antecede.corpus.pdf import _lines_of
from antecede.errors import UsageError, hide_secrets
from antecede.measures import parse_measures
from antecede.parallel import parse_size
from antecede.patent.classification import codes
from antecede.ranking.weights import parse_weights
from antecede.registry import split_outside
from antecede.report.page import LONG_NUMBER, REFERENCE
from antecede.search import SearchSettings

if TYPE_CHECKING:
    from pathlib import Path

LONG = 400_000
SPACES = " " * LONG


@pytest.mark.parametrize(
    "unit", ["a.s", "aa:/", "aa:/b:c ", "aa:/b:", "?pass", "?key", ";a", "=a:/", "@aa:/b:c"], ids=repr
)
@pytest.mark.parametrize("end", ["", "=", " @"], ids=repr)
def test_secrets_are_looked_for_in_a_long_message(unit: str, end: str) -> None:
    text = unit * (LONG // len(unit)) + end
    assert hide_secrets(text).startswith(unit[:2])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a, b(c,d) ,e", ["a", "b(c,d)", "e"]),
        ("a,b),c(d,(e,f),g", ["a,b)", "c(d", "(e,f)", "g"]),
        ("", [""]),
        (",", ["", ""]),
        ("," * LONG, [""] * (LONG + 1)),
        ("(" * LONG, ["(" * LONG]),
        ("a,(" * 9, ["a", *["(a"] * 8, "("]),
    ],
    ids=range(7),
)
def test_a_list_is_split_outside_parentheses(text: str, parts: list[str]) -> None:
    assert split_outside(text, ",") == parts


def test_long_lists_of_measures_and_weights_are_refused_or_read() -> None:
    assert len(parse_measures("AP," * (LONG // 3))) == 1
    for text in ("x" + SPACES, "bm25" + SPACES + "=" + SPACES + "x", "a" * LONG + "=", "bm25=1(" + SPACES):
        with pytest.raises(UsageError):
            parse_weights(text)


def test_long_sizes_are_refused() -> None:
    for text in (SPACES, f"1{SPACES}x", "9" * LONG, f"1.{'9' * LONG}x"):
        with pytest.raises(UsageError, match="is not a size") as refused:
            parse_size(text)
        assert len(str(refused.value)) < 200
    assert parse_size(f" 1.5{SPACES}GiB ") == 3 << 29


def test_a_name_that_is_looked_for_is_no_longer_than_names_are() -> None:
    for settings in ({"applicant": "a " * MAX_NAME_LENGTH}, {"inventor": "a " * MAX_NAME_LENGTH}):
        with pytest.raises(UsageError, match=f"a name has at most {MAX_NAME_LENGTH} characters, this one has"):
            SearchSettings(**settings)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=f"a name has at most {MAX_NAME_LENGTH} characters, this one has"):
        SearchSettings(where=f'pa:"{"a " * MAX_NAME_LENGTH}"')


def test_a_truncated_name_is_refused_as_none_would_be_found() -> None:
    for name in ("sie*", "e*trade bo?", "ab " * 99 + "sie*"):
        with pytest.raises(UsageError, match=r"is truncated; of names only whole words are found, so write the word"):
            SearchSettings(applicant=(name,))
        with pytest.raises(UsageError, match=r"is truncated; of names only whole words are found.*\(at character 5\)"):
            SearchSettings(where=f'pa:"{name}"')
    assert SearchSettings(applicant=("E*Trade",), where="pa:e*trade in:Smith*John").applicant == ("E*Trade",)


def test_blanks_in_cells_and_page_numbers(tmp_path: Path) -> None:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerows([["doc_id", "title", "ipc", "applicants"], ["EP1", "Valve", f"F16K 1/00;{SPACES}x", SPACES + "A"]])
    (tmp_path / "patents.csv").write_text(text.getvalue())
    [patent] = Collection(str(tmp_path / "patents.csv")).patents()
    assert patent.applicants == ("A",)
    lines = [SPACES + "x", f"7{SPACES}x", f"page{SPACES}", f"7{SPACES}of{SPACES}9", f"- 7 of {SPACES}x"]
    assert _lines_of(["\n".join(lines)])[0] == [lines[0], lines[1], lines[2], lines[4]]


@pytest.mark.parametrize("words", ["IPC", "INT", "CPC.", "INT CL"])
def test_blanks_in_classes(words: str) -> None:
    assert codes([f"{words}{' ' * 190};" * 2000 + "H04L 12/56"]) == ("H04L 12/56",)
    assert codes([f"{words} (8) : H04L 12/56"]) == (("H04L 12/56",) if words != "INT" else ())


def test_numbers_and_references_of_figures() -> None:
    assert LONG_NUMBER.sub("n", f"{'1' * LONG} -1.2345 1-2.3456 a1.234") == f"{'1' * LONG} n 1n an"
    assert REFERENCE.findall("url(#" * LONG + "url(#a)") == ["a"]
