"""Which group made which run: files and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.errors import AntecedeError, UsageError
from antecede.study.judgement_loss import assign_groups, read_groups

if TYPE_CHECKING:
    from pathlib import Path


def test_names_may_differ_by_what_all_runs_begin_or_end_with() -> None:
    groups = {"fub99a": "fub", "fub99td": "fub", "ok8": "city"}
    assert assign_groups(["ok8", "fub99a"], groups) == ("city", "fub")
    assert assign_groups(["input.fub99a", "input.ok8"], groups) == ("fub", "city")
    assert assign_groups(["input.fub99a", "input.fub99td"], groups) == ("fub", "fub")  # they share more than the prefix
    assert assign_groups(["fub99a.run", "ok8.run"], groups) == ("fub", "city")
    assert assign_groups(["x/input.ok8.txt", "x/input.fub99a.txt"], groups) == ("city", "fub")


def test_exact_names_come_first() -> None:
    assert assign_groups(["xa", "xb"], {"xa": "1", "xb": "2", "a": "3", "b": "4"}) == ("1", "2")


def test_a_missing_run_is_named() -> None:
    with pytest.raises(UsageError, match=r"do not name run input\.b; add a line"):
        assign_groups(["input.a", "input.b"], {"a": "1"})
    with pytest.raises(UsageError, match="do not name run a and 1 more; add a line"):
        assign_groups(["a", "b"], {"c": "1"})


def test_reads_blanks_tabs_and_commas(tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text("# who made what\na  one\nb\ttwo\n\nc,three\nd University of Somewhere\n")
    assert read_groups(file) == {"a": "one", "b": "two", "c": "three", "d": "University of Somewhere"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a one\nb\n", "line 2: 'b' does not name a run and its group"),
        ("a one\na two\n", "line 2: run a is in two groups"),
        ("# nothing\n", "names no run"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text(text)
    with pytest.raises(AntecedeError, match=message) as caught:
        read_groups(file)
    assert "\n" not in str(caught.value)
