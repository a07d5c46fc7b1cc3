"""Runs on the command line: what they are called, fused runs, exported runs, and collections by their name."""

from __future__ import annotations

import builtins
from statistics import median
from typing import TYPE_CHECKING, Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import antecede as ac
from antecede import RankTable, UsageError, compare, evaluate, fuse, rank_table, read_run
from antecede.errors import InputError
from antecede.experiment.settings import read_settings
from antecede.fusion import FUSIONS, FusionName
from antecede.trec.output import END, START, parse_entries, write_yaml
from tests.cli.conftest import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
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
    with pytest.raises(UsageError, match="names must be one of 'file', 'tag', not the text 'best'"):
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
    compare = ("compare", "qrels", "x/out.run", "y/out.run", "-m", "Effort@100", "--depth", "1")
    remedy = "never reaches this recall on topic 2; set docs=, leave the topic out (--without-topics 2)"
    one_line(program(*compare), remedy)
    one_line(program(*compare, "--without-topics", "1,2,3"), "no topic is left")


Run = dict[str, dict[str, float]]


def plainly(name: str, rankings: list[dict[str, float]]) -> dict[str, float]:
    votes: dict[str, list[float]] = {doc: [] for ranking in rankings for doc in ranking}
    pool = len(votes)
    for ranking in rankings:
        low, high = min(ranking.values()), max(ranking.values())
        order = sorted(ranking, key=lambda doc: (ranking[doc], doc.encode()), reverse=True)
        for rank, doc in enumerate(order, 1):
            scaled = (ranking[doc] - low) / (high - low) if high > low else 1.0
            absent = (pool - len(ranking) + 1) / 2 if len(ranking) < pool else 0.0
            by_rank = {"rrf": 1 / (60 + rank), "isr": 1 / rank**2, "borda": pool - rank + 1 - absent}
            votes[doc].append(by_rank.get(name, scaled))
    combinations: dict[str, Callable[[list[float]], float]] = {
        "combmnz": lambda each: sum(each) * len(each),
        "isr": lambda each: sum(each) * len(each),
        "combanz": lambda each: sum(each) / len(each),
        "combmax": max,
        "combmin": min,
        "combmed": median,
    }
    combine = combinations.get(name, sum)
    return {doc: float(combine(each)) for doc, each in votes.items()}


runs = st.lists(
    st.dictionaries(
        st.sampled_from(["1", "2"]),
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 6).map(float), min_size=1),
        min_size=1,
    ),
    min_size=2,
    max_size=4,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", FUSIONS)
@given(given_runs=runs)
def test_every_method_is_what_it_says(name: FusionName, given_runs: list[Run]) -> None:
    fused = fuse(given_runs, name).to_polars()
    for topic in {topic for run in given_runs for topic in run}:
        expected = plainly(name, [run[topic] for run in given_runs if topic in run])
        found = fused.filter(fused["topic_id"] == topic)
        assert dict(zip(found["doc_id"], found["score"], strict=True)) == pytest.approx(expected)
        assert found["score"].to_list() == sorted(found["score"], reverse=True)


def test_weights_multiply_the_votes() -> None:
    one, other = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"1": {"c": 9.0, "a": 1.0}, "2": {"x": 1.0}}
    fused = fuse([one, other], "combsum", weights=[2, 0.5]).to_polars()
    # a: 2 · 1 + .5 · 0, b: 2 · .5, c: 2 · 0 + .5 · 1; topic 2 is in the second run only.
    assert list(fused.select("doc_id", "score").iter_rows()) == [("a", 2.0), ("b", 1.0), ("c", 0.5), ("x", 0.5)]
    for name in get_args(FusionName):
        plain, doubled = (fuse([one, other], name, weights=each).to_polars() for each in ([1, 1], [2, 2]))
        assert plain.equals(fuse([one, other], name).to_polars())
        assert doubled["score"].to_list() == (2 * plain["score"]).to_list()


def test_the_best_k_and_what_is_refused() -> None:
    one, other = {"1": {"a": 2.0, "b": 1.0}}, {"1": {"b": 3.0, "c": 2.0}, "2": {"x": 1.0}}
    assert len(fuse([one, other], k=1)) == 2
    with pytest.raises(UsageError, match="needs at least two runs, but got 1"):
        fuse([one])
    with pytest.raises(
        UsageError, match=r"by must be one of 'rrf', 'combsum', .* not the text 'sum' .did you mean combsum"
    ):
        fuse([one, other], cast("Any", "sum"))
    with pytest.raises(UsageError, match="k must be 1 or more"):
        fuse([one, other], k=0)
    with pytest.raises(UsageError, match="a fusion of 2 runs needs 2 weights, but got 1"):
        fuse([one, other], weights=[1])
    with pytest.raises(UsageError, match="weights must be"):
        fuse([one, other], weights=[1, float("nan")])


def test_k_is_the_number_of_documents_and_rrf_k_the_constant_of_rrf(here: Path, program: Program) -> None:
    small = program("fuse", "good.run", "poor.run", "--by", "rrf", "-k", "60", "--out", "a.run", "--json")
    assert small.err == "antecede: -k 60 is the number of documents per topic; the constant of rrf is --rrf-k (60)\n"
    assert small.json["rrf_k"] == 60
    given_constant = program("fuse", "good.run", "poor.run", "--rrf-k", "1", "-k", "2", "--out", "b.run")
    assert given_constant.err == ""
    assert given_constant.out == "b.run: rrf (constant 1) of 2 runs, 3 topics, 4 documents\n"
    found = read_run("b.run").to_polars()
    # Topic 1: x is third and first, b second in both; of a, which is first once, two documents are ahead.
    assert found.filter(found["topic_id"] == "1")["doc_id"].to_list() == ["x", "b"]
    assert found["score"].to_list()[:2] == pytest.approx([1 / 4 + 1 / 2, 1 / 3 + 1 / 3])
    assert program("fuse", "good.run", "poor.run", "--out", "c.run").err == ""


def test_the_verb_writes_a_run_that_is_read_again(here: Path, program: Program) -> None:
    done = program("fuse", "good.run", "poor.run", "--by", "combsum", "--out", "fused.run", "--json")
    assert done.code == 0, done.err
    assert done.json == {
        "fusion": "combsum",
        "runs": ["good.run", "poor.run"],
        "topics": 3,
        "documents": 5,
        "out": "fused.run",
    }
    run = read_run("fused.run")
    assert run.tag == "combsum"
    assert run.odd["rank_conflicts"] == 0
    first = run.to_polars().filter(run.to_polars()["topic_id"] == "1")
    # x: 0 + 1, a: 1 + nothing, b: 0.5 + 0; equal sums by name, descending.
    assert first["doc_id"].to_list() == ["x", "a", "b"]
    assert first["score"].to_list() == [1.0, 1.0, 0.5]
    refused = program("fuse", "good.run", "poor.run", "--by", "borda", "--rrf-k", "60", "--out", "x.run")
    assert refused.err == ("antecede: rrf_k is the constant of rrf, and borda has none; leave it out, or fuse by rrf\n")
    refused = program("fuse", "good.run", "poor.run", "--out", "good.run")
    assert (refused.code, "is read by this call" in refused.err) == (2, True)
    refused = program("fuse", "good.run", "--out", "x.run")
    assert refused.err == "antecede: a fusion needs at least two runs, but got 1; add another run\n"
    by_rank = program("fuse", "good.run", "poor.run", "--order", "rank", "--by", "combsum", "--out", "ranks.run")
    assert by_rank.code == 0


MINE = "1 Q0 b 1 2.0 mine\n1 Q0 a 2 1.0 mine\n2 Q0 c 1 1.0 mine\n"
BY_RANK = "1 Q0 b 1 1.0 mine\n1 Q0 a 2 2.0 mine\n2 Q0 c 1 1.0 mine\n"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "x.run").write_text(MINE)
    return tmp_path / "x.run"


def test_a_folder_has_the_files_that_tirex_expects(run: Path, tmp_path: Path, program: Program) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    out = tmp_path / "upload"
    done = program("export", str(run), "--out", str(out), "--set", "actor.team=A: B", "--set", "method.automatic=false")
    assert done.code == 0, done.err
    assert sorted(each.name for each in out.iterdir()) == ["ir-metadata.yml", "run.txt"]
    assert (out / "run.txt").read_text() == MINE
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
    assert run.read_text() == MINE


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
        ac.export(ac.read_run(run), run.with_name("z.run"), {"tag": "two words"})


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
