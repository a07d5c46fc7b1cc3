"""Collections by their name in ir_datasets: a small one that is registered here through its own interface."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import pytest

import antecede as ac
from antecede.errors import InputError, UsageError
from antecede.experiment.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import Program

QRELS = "1 0 a 2\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 b 1 2.0 t\n1 Q0 a 2 1.0 t\n2 Q0 c 1 1.0 t\n"


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A collection of two topics in ir_datasets' registry, read from a file."""
    library = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed")
    from ir_datasets.formats import TrecQrels
    from ir_datasets.util import LocalDownload

    path = tmp_path_factory.mktemp("collection") / "qrels.txt"
    path.write_text(QRELS)
    name = "antecede-test/small"
    if name not in list(library.registry):
        library.registry.register(name, library.Dataset(TrecQrels(LocalDownload(path), {0: "no", 1: "some", 2: "yes"})))
        library.registry.register("antecede-test/empty", library.Dataset())
    return f"irds:{name}"


def test_judgements_by_name_equal_those_of_the_file(collection: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text(QRELS)
    named, read = ac.read_qrels(collection), ac.read_qrels(tmp_path / "qrels.txt")
    assert named.to_polars().equals(read.to_polars())
    assert ac.read_qrels(collection.replace("irds:", "ir_datasets:")).topics == ("1", "2")
    assert named.source == collection


def test_evaluate_takes_the_name(collection: str, tmp_path: Path, program: Program) -> None:
    (tmp_path / "a.run").write_text(RUN)
    done = program("evaluate", collection, str(tmp_path / "a.run"), "-m", "AP", "--format", "csv")
    assert done.code == 0, done.err
    assert "a.run,0.75" in done.out


def test_an_experiment_takes_the_name(collection: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "a.run").write_text(RUN)
    (tmp_path / "e.toml").write_text(f'qrels = "{collection}"\nruns = ["a.run"]\n')
    stored = read_settings(tmp_path / "e.toml").qrels
    assert stored == tmp_path / "cache/antecede/ir_datasets/antecede-test/small/qrels.txt"
    assert stored.read_text() == QRELS
    (tmp_path / "e.toml").write_text('runs = ["a.run"]\nqrels = "irds:antecede-test/none"\n')
    with pytest.raises(InputError, match=r"e\.toml: qrels: irds:antecede-test/none: .* no such collection"):
        read_settings(tmp_path / "e.toml")


def test_what_is_not_there_is_a_clear_line(collection: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"irds:antecede-test/smal: ir_datasets has no such collection \(did you mean"):
        ac.read_qrels("irds:antecede-test/smal")
    with pytest.raises(InputError, match="this collection has no judgements"):
        ac.read_qrels("irds:antecede-test/empty")
    with pytest.raises(InputError, match="names a test collection, not a run"):
        ac.read_run(collection)


def test_a_collection_that_cannot_be_loaded(collection: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import ir_datasets

    def fail(_self: Any) -> Iterator[Any]:
        raise ConnectionError("no route to host")

    from ir_datasets.formats import TrecQrels

    monkeypatch.setattr(TrecQrels, "qrels_iter", fail)
    assert ir_datasets is not None
    with pytest.raises(InputError, match=r"cannot load it \(no route to host\); check the network"):
        ac.read_qrels(collection)


def test_without_the_package_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def without(name: str, *more: Any, **named: Any) -> Any:
        if name == "ir_datasets":
            raise ImportError(name)
        return load(name, *more, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"irds:antique/test: needs the package ir_datasets.*pip install ir_datasets"):
        ac.read_qrels("irds:antique/test")


def test_a_file_of_that_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irds:mine").write_text(QRELS)
    assert ac.read_qrels("irds:mine").topics == ("1", "2")
