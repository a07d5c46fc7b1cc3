"""Runs exported with metadata: readable as YAML, by trec_eval's rules, and in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import antecede as ac
from antecede.errors import InputError, UsageError
from antecede.trec.output import END, START, parse_entries, write_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

RUN = "1 Q0 b 1 2.0 mine\n1 Q0 a 2 1.0 mine\n2 Q0 c 1 1.0 mine\n"
BY_RANK = "1 Q0 b 1 1.0 mine\n1 Q0 a 2 2.0 mine\n2 Q0 c 1 1.0 mine\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "x.run").write_text(RUN)
    return tmp_path / "x.run"


def test_a_folder_has_the_files_that_tirex_expects(run: Path, tmp_path: Path, program: Program) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    out = tmp_path / "upload"
    done = program("export", str(run), "--out", str(out), "--set", "actor.team=A: B", "--set", "method.automatic=false")
    assert done.code == 0, done.err
    assert sorted(each.name for each in out.iterdir()) == ["ir-metadata.yml", "run.txt"]
    assert (out / "run.txt").read_text() == RUN
    whole = yaml.safe_load((out / "ir-metadata.yml").read_text())
    assert whole == {
        "schema-version": 0.1,
        "run-version": 1.0,
        "tag": "mine",
        "method": {"automatic": False},
        "actor": {"team": "A: B"},
    }
    assert program("export", str(run), "--out", str(out), "--here", "--tag", "other", "--gzip", "--overwrite").code == 0
    whole = yaml.safe_load((out / "ir-metadata.yml").read_text())
    assert whole["platform"]["software"]["retrieval toolkit"][0].startswith("antecede==")
    assert ac.read_run(out / "run.txt.gz").tag == "other"


def test_a_file_begins_with_its_metadata_and_reads_as_before(run: Path, tmp_path: Path, program: Program) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for name in ("y.run", "y.run.gz"):
        assert program("export", str(run), "--out", str(tmp_path / name), "--set", "data.docs=3").code == 0
        assert ac.read_run(tmp_path / name).to_polars().equals(ac.read_run(run).to_polars())
    lines = (tmp_path / "y.run").read_text().splitlines()
    assert lines[0] == START
    inside = lines[1 : lines.index(END)]
    assert all(line.startswith("# ") for line in inside)
    assert yaml.safe_load("\n".join(line[2:] for line in inside))["data"] == {"docs": 3}


def test_a_run_read_by_rank_gets_scores_of_that_order(tmp_path: Path, program: Program) -> None:
    (tmp_path / "x.run").write_text(BY_RANK)
    out = tmp_path / "y.run"
    assert program("export", str(tmp_path / "x.run"), "--out", str(out), "--order", "rank").code == 0
    assert ac.read_run(out).to_polars()["doc_id"].to_list() == ["b", "a", "c"]


def test_foreign_files_stay(run: Path, tmp_path: Path, program: Program) -> None:
    (tmp_path / "upload").mkdir()
    (tmp_path / "upload" / "run.txt").write_text("mine")
    done = program("export", str(run), "--out", str(tmp_path / "upload"))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "exists already" in done.err
    assert (tmp_path / "upload" / "run.txt").read_text() == "mine"
    done = program("export", str(run), "--out", str(run))
    assert done.code == 2
    assert run.read_text() == RUN


@pytest.mark.parametrize(
    "document",
    [
        {"a": {"b": ["x", {"name": "y: z", "n": 1.5, "list": ["p", "q"]}, True], "c": None}, "d e": "no", "f": "# x"},
        {"empty": [], "nothing": {}, "text": "line\nline", "number": "1e5", "dash": "- x", "é": "ü"},
    ],
)
def test_yaml_is_read_back_unchanged(document: dict[str, Any]) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    assert yaml.safe_load(write_yaml(document)) == document


def test_entries(run: Path) -> None:
    assert parse_entries(["actor.team=x", "actor.mail.first=y=z", "data.n=3"]) == {
        "actor": {"team": "x", "mail": {"first": "y=z"}},
        "data": {"n": 3},
    }
    for wrong in ("actor", "actor=x", "actor.team", "acter.team=x", "actor..x=1"):
        with pytest.raises(UsageError, match=r"SECTION\.KEY=VALUE"):
            parse_entries([wrong])
    with pytest.raises(InputError, match="cannot be written"):
        ac.export_run(ac.read_run(run), run.with_name("z.run"), {"tag": "two words"})
