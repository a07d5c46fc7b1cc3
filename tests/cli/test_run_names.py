"""What runs are called: after files, tags or as the user says; and which run a name, a path or a tag denotes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede import RankTable, UsageError, compare, evaluate, rank_table
from antecede.errors import InputError
from tests.cli.conftest import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders with runs of the same file name, and a third run that has the tag of the first."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 b 1\n3 0 a 1\n")
    for place, tag, docs in (("x", "bm25", "ab"), ("y", "dense", "ba"), ("z", "bm25", "ba")):
        (tmp_path / place).mkdir()
        name = "first.run" if place == "z" else "out.run"
        lines = [f"{t} Q0 {d} {i} {9 - i} {tag}\n" for t in "123" for i, d in enumerate(docs, 1)]
        (tmp_path / place / name).write_text("# made by a test\n\n" + "".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_from_files_tags_and_aliases(folder: Path) -> None:
    both = ["x/out.run", "y/out.run"]
    assert rank_table("qrels", both).runs == ("x/out.run", "y/out.run")
    assert rank_table("qrels", both, names="tag").runs == ("bm25", "dense")
    assert rank_table("qrels", ["mine=x/out.run", "y/out.run"], names="tag").runs == ("mine", "dense")
    assert rank_table("qrels", {"a": "x/out.run", "b": "y/out.run"}, names="tag").runs == ("a", "b")
    with pytest.raises(UsageError, match=r"out.run and first.run have the same tag, bm25; name them with NAME=PATH"):
        rank_table("qrels", ["x/out.run", "z/first.run"], names="tag")
    with pytest.raises(UsageError, match="two runs are named a"):
        rank_table("qrels", ["a=x/out.run", "a=y/out.run"])
    with pytest.raises(InputError, match="no such file"):
        rank_table("qrels", ["=x/out.run"])
    with pytest.raises(UsageError, match="names: there is no 'best'"):
        rank_table("qrels", both, names="best")  # type: ignore[arg-type]
    (folder / "k=1.run").write_text((folder / "x/out.run").read_text())
    assert rank_table("qrels", "k=1.run").runs == ("k=1.run",)  # a file is what it is called


def test_a_run_is_found_by_name_path_and_tag(folder: Path) -> None:
    table = rank_table("qrels", ["x/out.run", "y/out.run", "z/first.run"])
    assert table.find_run("x/out.run") == "x/out.run"
    assert table.find_run("./y/out.run") == "y/out.run"
    assert table.find_run(folder / "y/out.run") == "y/out.run"
    assert table.find_run("dense") == "y/out.run"
    assert table.find_run("z/first.run") == table.find_run("first.run") == "z/first.run"
    for name in ("bm25", "out.run"):
        with pytest.raises(UsageError, match=f"the baseline '{name}' could be x/out.run or "):
            table.find_run(name, "baseline")
    with pytest.raises(UsageError, match=r"the run 'fist.run' is not among the runs \(did you mean z/first.run"):
        table.find_run("fist.run")
    assert compare(evaluate(table, "AP"), baseline="dense").baseline == "y/out.run"
    table.save("ranks.npz")
    assert RankTable.load("ranks.npz").find_run("dense") == "y/out.run"
    assert table.select(["dense"]).find_run(folder / "y/out.run") == "y/out.run"


def test_some_of_the_topics(folder: Path) -> None:
    table = rank_table("qrels", ["x/out.run", "y/out.run"])
    every = evaluate(table, "AP,nDCG,Bpref")
    for chosen in (table.select_topics(["3", "1"]), table.select_topics(without=["2"])):
        some = evaluate(chosen, "AP,nDCG,Bpref")
        assert some.topics == ("1", "3")
        assert some.values.tolist() == every.values[:, :, [0, 2]].tolist()
        assert "1 topics of the qrels are left out on request" in some.notes()
        assert chosen.doc_ids.to_list() == ["a", "b", "a"]
    with pytest.raises(UsageError, match="the qrels have no topic '4'"):
        table.select_topics(["4"])
    with pytest.raises(UsageError, match="no topic is left"):
        table.select_topics(without=["1", "2", "3"])


def test_the_command_line_names_runs_and_topics(folder: Path, program: Program) -> None:
    words = ("-m", "AP", "--format", "csv")
    found = program("evaluate", "qrels", "mine=x/out.run", "y/out.run", "--names", "tag", *words)
    assert [line.split(",")[0] for line in found.out.splitlines()] == ["run", "mine", "dense"]
    (folder / "topics.txt").write_text("# two of them\n1\n3\n")
    for option in (("--topics", "1,3"), ("--topics", "topics.txt"), ("--without-topics", "2")):
        found = program("evaluate", "qrels", "x/out.run", "-m", "AP", *option, "--json")
        assert (found.json["topics"], found.json["runs"][0]["scores"]["AP"]) == (2, 1.0)
    for baseline in ("x/out.run", "dense"):
        found = program("compare", "qrels", "x/out.run", "y/out.run", "-m", "AP", "--baseline", baseline, "--json")
        assert found.code == 0
    found = program("compare", "qrels", "x/out.run", "z/first.run", "-m", "AP", "--baseline", "bm25")
    one_line(found, "the baseline 'bm25' could be out.run or first.run; give one of these names")
    one_line(program("evaluate", "qrels", "mine=x/out.run", "--save", "x/out.run"), "is read by this call")
    words = ("compare", "qrels", "x/out.run", "y/out.run", "-m", "Effort@100", "--depth", "1")
    remedy = "never reaches this recall on topic 2; set docs=, leave the topic out (--without-topics 2)"
    one_line(program(*words), remedy)
    one_line(program(*words, "--without-topics", "1,2,3"), "no topic is left")
