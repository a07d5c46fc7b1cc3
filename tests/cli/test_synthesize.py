"""antecede synthesize, as a user calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


def test_it_writes_a_collection_and_counts_it(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 120, "--topics", 5, "--out", tmp_path / "made", "--json", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert (done.json["patents"], done.json["topics"], done.json["seed"]) == (120, 5, 1)
    assert done.json["documents"] == len(list((tmp_path / "made").rglob("*.xml")))
    assert done.json["relevant"] == len((tmp_path / "made" / "qrels.txt").read_text().splitlines())


def test_the_table_has_the_counts(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 100, "--form", "jsonl", "--out", tmp_path / "made", "-q")
    assert done.code == 0
    rows = dict(line.rsplit(maxsplit=1) for line in done.out.splitlines()[2:-1])
    assert (rows["patents"], rows["topics"]) == ("100", "25")
    assert {"documents", "patents in EN", "relevant per topic, mean", "megabytes", "seconds"} <= rows.keys()


def test_what_is_there_is_not_written_over(program: Program, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    done = program("synthesize", "--patents", 100, "--out", tmp_path, "-q")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "choose another --out" in done.err


def test_a_call_that_cannot_be_carried_out_is_one_line(program: Program, tmp_path: Path) -> None:
    done = program("synthesize", "--patents", 3, "--out", tmp_path / "made", "-q")
    assert (done.code, done.err) == (2, "antecede: cannot generate 3 patents; choose 100 to 5,000,000\n")
