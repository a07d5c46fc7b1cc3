"""The rank table holds, for every run and judged document, the rank a plain look into the run gives; and keeps it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import AntecedeError, InputError, RankTable, UsageError, evaluate, rank_table, read_qrels, read_run
from antecede.evaluation.rank_table import Matcher
from antecede.evaluation.storage import is_rank_table
from antecede.trec.rows import RowTopics, find_duplicates, hash_pairs
from antecede.trec.run_names import name_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

topics = st.sampled_from(["1", "2", "10", "x"])
documents = st.sampled_from(["a", "b", "c", "aa", "é", "x" * 50])
Judged = dict[str, dict[str, int]]
SearchResult = dict[str, dict[str, float]]
judgements: st.SearchStrategy[Judged] = st.dictionaries(
    topics, st.dictionaries(documents, st.integers(-1, 2), min_size=1), min_size=1
).filter(lambda judged: any(grade > 0 for of in judged.values() for grade in of.values()))
# Half the scores are equal, so that ties are everywhere.
runs = st.dictionaries(topics, st.dictionaries(documents, st.sampled_from([0.0, 1.0, 2.5]), min_size=1), min_size=1)


def plain_rank(found: SearchResult, topic: str, doc: str) -> int:
    own = found.get(topic, {})
    best_first = sorted(own, key=lambda each: (own[each], each.encode()), reverse=True)
    return best_first.index(doc) + 1 if doc in own else 0


@given(judged=judgements, found=st.lists(runs, min_size=1, max_size=3))
def test_every_rank_is_that_of_a_plain_look_into_the_run(judged: Judged, found: list[SearchResult]) -> None:
    shared = [run for run in found if run.keys() & judged.keys()]
    if len(shared) < len(found):
        with pytest.raises(InputError, match="no topic in common"):
            rank_table(judged, found)
    if not shared:
        return
    table = rank_table(judged, shared)
    pairs = list(zip(table.ranks.topic.tolist(), table.doc_ids, strict=True))
    assert {(table.topics[t], d): g for (t, d), g in zip(pairs, table.ranks.relevance.tolist(), strict=True)} == {
        (topic, doc): grade for topic, of in judged.items() for doc, grade in of.items()
    }
    for run, row in zip(shared, table.ranks.ranks.tolist(), strict=True):
        assert row == [plain_rank(run, table.topics[topic], doc) for topic, doc in pairs]
    assert table.ranks.retrieved.tolist() == [[len(run.get(topic, {})) for topic in table.topics] for run in shared]
    assert table.missing.tolist() == [[topic not in run for topic in table.topics] for run in shared]
    assert table.without_relevant.tolist() == [max(judged[topic].values()) < 1 for topic in table.topics]
    assert table.counts["topics_unjudged"].tolist() == [len(run.keys() - judged.keys()) for run in shared]
    assert table.counts["ties"].tolist() == [tied_groups(judged, run) for run in shared]


def tied_groups(judged: Judged, found: SearchResult) -> int:
    """Groups of equal scores that contain a judged document."""
    groups = {(t, s): [d for d in found[t] if found[t][d] == s] for t in found for s in found[t].values()}
    return sum(
        len(docs) > 1 and any(judged.get(t, {}).get(d, -1) >= 0 for d in docs) for (t, _), docs in groups.items()
    )


HASHES: dict[str, Callable[[RowTopics, pl.Series], NDArray[np.uint64]] | None] = {
    "real": None,  # which almost never meet
    "all equal": lambda _, docs: np.zeros(len(docs), np.uint64),
    "by first letter": lambda _, docs: np.array([ord(text[0]) for text in docs.to_list()], np.uint64),
    "small numbers, which begin alike": lambda _, docs: np.array([len(text) for text in docs.to_list()], np.uint64),
}


@pytest.mark.parametrize("kind", HASHES)
@given(judged=judgements, found=runs)
def test_keys_find_what_texts_find(kind: str, judged: Judged, found: SearchResult) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("evaluation.rank_table", "trec.runs", "trec.qrels"):
            patch.setattr(sys.modules[f"antecede.{module}"], "hash_pairs", HASHES[kind] or hash_pairs)
        qrels, run = read_qrels(judged), read_run(found)
        pairs, rows, topic_of = Matcher(qrels).match(run)
    assert len(run) == sum(map(len, found.values())), "documents with equal keys are no duplicates"
    named = [(qrels.topics[qrels.topic[pair]], qrels.doc_ids[pair]) for pair in pairs.tolist()]
    assert named == [(run.topics[run.topic[row]], run.doc_ids[row]) for row in rows.tolist()]
    assert sorted(named) == sorted((t, d) for t in judged for d in judged[t] if d in found.get(t, {}))
    assert [at >= 0 for at in topic_of.tolist()] == [topic in judged for topic in run.topics]


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "b", "c"])), min_size=1, max_size=30),
    same_keys=st.booleans(),
)
def test_find_duplicates_are_those_of_a_plain_count(rows: list[tuple[int, str]], same_keys: bool) -> None:
    docs = pl.Series([doc for _, doc in rows])
    topics = RowTopics(tuple("abcd"), np.array([topic for topic, _ in rows], np.int32))
    keys = np.zeros(len(rows), np.uint64) if same_keys else hash_pairs(topics, docs)
    found = find_duplicates(keys, topics.of_row, docs)
    expected = [[at for at, each in enumerate(rows) if each == row] for row in dict.fromkeys(rows)]
    assert sorted(group.tolist() for group in found) == sorted(group for group in expected if len(group) > 1)


def test_copies_of_a_document_get_columns_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("".join(f"1 Q0 {doc} 1 {-at} t\n" for at, doc in enumerate("axbaab")))
    table = rank_table({"1": {"a": 1, "b": 0, "c": 1}}, tmp_path / "a.run", duplicates="keep")
    assert table.doc_ids.to_list() == ["a", "a", "a", "b", "b", "c"]
    assert table.ranks.ranks.tolist() == [[1, 4, 5, 3, 6, 0]]
    assert table.ranks.copies is not None
    assert table.ranks.copies.tolist() == [False, True, True, False, True, False]
    assert table.ranks.relevant().n.tolist() == [2]


NAMES: dict[str, tuple[object, list[str]]] = {
    "files": (["r/a.run", "r/b.run.gz"], ["a.run", "b.run"]),
    "same names": (["x/a.run", "y/a.run"], ["x/a.run", "y/a.run"]),
    "same folders": (["p/x/a.run", "q/x/a.run", "q/x/b.run"], ["p/x/a.run", "q/x/a.run", "q/x/b.run"]),
    "packed and plain": (["a.run", "a.run.gz"], ["a.run#1", "a.run#2"]),
    "stdin": (["-", "a.run"], ["stdin", "a.run"]),
    "dicts": ([{"1": {"a": 1.0}}, {"1": {"b": 1.0}}], ["run1", "run2"]),
    "one dict": ({"1": {"a": 1.0}, "2": {}}, ["run1"]),
    "named dicts": ({"bm25": {"1": {"a": 1.0}}, "lm": {"1": {"b": 1.0}}}, ["bm25", "lm"]),
    "named of all kinds": ({"bm25": {"1": {"a": 1.0}}, "lm": "a.run"}, ["bm25", "lm"]),
    "runs of one name": ([read_run({"1": {"a": 1}}, name="x"), read_run({"1": {"a": 1}}, name="x")], ["x#1", "x#2"]),
}


@pytest.mark.parametrize("kind", NAMES)
def test_runs_get_names_that_tell_them_apart(kind: str) -> None:
    given_runs, names = NAMES[kind]
    assert list(name_runs(given_runs)) == names


@pytest.mark.parametrize(
    ("qrels", "runs", "message"),
    [
        ({"1": {"a": 1}}, ["a.run", "b.run", "a.run"], "given twice"),
        ({"1": {"a": 1}}, ["./a.run", Path("a.run").absolute()], "given twice"),
        ({"1": {"a": 1}}, {1: "a.run", "1": "b.run"}, "same name"),
        ({"1": {"a": 1}}, [], "no run is given"),
        ({"1": {"a": 0}, "2": {"b": -1}}, {"1": {"a": 1.0}}, "no topic has a relevant document"),
    ],
)
def test_what_makes_no_table_is_refused(qrels: Judged, runs: object, message: str) -> None:
    with pytest.raises(AntecedeError, match=message):
        rank_table(qrels, runs)


def test_an_error_in_one_run_is_that_of_the_first_in_order(tmp_path: Path) -> None:
    # Runs are read side by side; which error is shown must not depend on who is faster.
    for at in range(6):
        (tmp_path / f"{at}.run").write_text("1 Q0 a 1 1.0 t\n" * (500 if at == 2 else 1 if at < 2 else 2))
    with pytest.raises(InputError, match=r"2\.run"):
        rank_table({"1": {"a": 1}}, [tmp_path / f"{at}.run" for at in range(6)])


PLAIN_EVALUATION = """
import sys
from antecede import RankTable, evaluate
scores = evaluate(RankTable.load("ranks.npz"), ["AP", "PRES@10"]).to_dict()["runs"][0]["scores"]
print(*(f"{score:.9f}" for score in scores.values()), "polars" in sys.modules)
"""


def test_a_saved_table_is_evaluated_without_polars(tmp_path: Path) -> None:
    # To load it takes longer than to read the table.
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n10 0 c 2\n2 0 a 0\n")
    (tmp_path / "a.run").write_text("1 Q0 c 1 2.0 t\n1 Q0 a 2 1.0 t\n1 Q0 b 3 1.0 t\n10 Q0 c 1 -1.5 t\n")
    rank_table(tmp_path / "qrels", tmp_path / "a.run").save(tmp_path / "ranks.npz")
    done = subprocess.run(
        [sys.executable, "-c", PLAIN_EVALUATION], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("0.791666667 0.950000000 False\n", "")


def test_select_and_to_polars() -> None:
    table = rank_table({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}})
    assert table.to_polars().rows() == [
        ("x", "1", "a", 1, 1),
        ("x", "1", "b", 0, None),
        ("y", "1", "a", 1, 2),
        ("y", "1", "b", 0, 1),
    ]
    assert table.select(["y"]).to_polars().rows() == table.to_polars().rows()[2:]
    with pytest.raises(UsageError, match="the run 'z' is not among the runs; the runs are x, y"):
        table.select(["z"])


def example(folder: Path) -> RankTable:
    """A small table with everything in it: copies, missing topics, names that are not ASCII."""
    (folder / "naïve").write_text("1 Q0 a 1 2.0 t\n1 Q0 a 1 1.0 t\n2 Q0 b 1 1.0 t\n9 Q0 a 1 1.0 t\n")
    judged = {"1": {"a": 1, "é": 2, "c": 0}, "2": {"a": 1}, "10": {"b": -1}}
    return rank_table(judged, {"naïve": folder / "naïve", "b": {"1": {"é": 1.0, "c": 0.5}}}, duplicates="keep")


def everything(table: RankTable) -> list[Any]:
    ranks = table.ranks
    return [
        table.runs,
        table.topics,
        table.doc_ids.to_list(),
        *(each.tolist() for each in (ranks.ranks, ranks.relevance, ranks.offsets, ranks.retrieved)),
        None if ranks.copies is None else ranks.copies.tolist(),
        {name: values.tolist() for name, values in table.counts.items()},
        table.qrels_counts,
    ]


def test_a_saved_table_is_loaded_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 t\n1 Q0 b 1 2 t\n1 Q0 a 1 1 t\n")
    copies = rank_table({"1": {"a": 1, "b": 0}}, tmp_path / "a.run", duplicates="keep")
    deep = rank_table({"1": {"deep": 1}}, {"1": {"deep": -1.0, **{str(at): 1.0 for at in range(70_000)}}})
    assert deep.ranks.ranks.tolist() == [[70_001]], "more than 16 bits hold"
    for table in (example(tmp_path), copies, deep):
        table.save(tmp_path / "table.npz")
        loaded = RankTable.load(tmp_path / "table.npz")
        assert everything(loaded) == everything(table)
        for ours, theirs in zip(vars(loaded.ranks).values(), vars(table.ranks).values(), strict=False):
            if isinstance(ours, np.ndarray):
                assert ours.dtype == theirs.dtype
        assert is_rank_table(tmp_path / "table.npz")


def repacked(path: Path, change: dict[str, bytes | None]) -> None:
    """Write the file again with other arrays; the checksums fit."""
    with zipfile.ZipFile(path) as archive:
        stored = {name: archive.read(name) for name in archive.namelist()}
    stored |= {name: each for name, each in change.items() if each is not None}
    with zipfile.ZipFile(path, "w") as archive:
        for name, each in stored.items():
            if change.get(name, each) is not None:
                archive.writestr(name, each)


def array_file(values: Any) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asarray(values), allow_pickle=True)
    return out.getvalue()


def head(**change: object) -> bytes:
    fields = {"format": "antecede rank table", "version": 1, "counts": {}, "qrels_counts": {}} | change
    return array_file(np.frombuffer(json.dumps(fields).encode(), np.uint8))


FOREIGN: dict[str, dict[str, bytes | None]] = {
    "no head": {"head.npy": None},
    "no ends": {"doc_ids_end.npy": None},
    "another format": {"head.npy": head(format="something else")},
    "a head that is not JSON": {"head.npy": array_file(np.frombuffer(b"{", np.uint8))},
    "a head without counts": {"head.npy": head(counts=None)},
    "a pickle": {"ranks.npy": array_file(np.array([{}], dtype=object))},
    "not an array": {"ranks.npy": b"text"},
    "fewer ranks": {"ranks.npy": array_file([[1, 0]])},
    "offsets that fall": {"offsets.npy": array_file(np.array([0, 9, 4]))},
    "an array too many": {"more.npy": array_file([1])},
    "ranks that are texts": {"ranks.npy": array_file(np.array([["1"]]))},
    "ids that are not UTF-8": {"runs.npy": array_file(np.full(7, 255, np.uint8))},
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_another_file_of_arrays_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "table.npz"
    example(tmp_path).save(path)
    repacked(path, FOREIGN[kind])
    with pytest.raises(InputError, match=r"table\.npz: is not a rank table, or a damaged one"):
        RankTable.load(path)


def test_a_table_of_another_version_is_refused_by_its_version(tmp_path: Path) -> None:
    path = tmp_path / "table.npz"
    example(tmp_path).save(path)
    # A later version may have other arrays: its number must be looked at first.
    repacked(path, {"head.npy": head(version=2), "ranks.npy": None})
    with pytest.raises(InputError, match="of version 2, this antecede reads version 1"):
        RankTable.load(path)


def test_what_is_no_table_does_not_look_like_one(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    np.savez(tmp_path / "foreign.npz", ranks=np.zeros(3))
    assert not any(map(is_rank_table, [tmp_path / "qrels", tmp_path / "foreign.npz", tmp_path, tmp_path / "none"]))
    for name in ("qrels", "foreign.npz"):
        with pytest.raises(InputError, match="not a rank table"):
            RankTable.load(tmp_path / name)


def table_with(path: Path, **change: Any) -> RankTable:
    """The table of two runs and two topics, with other arrays in its file."""
    qrels = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"d": 1, "e": 1}}
    run = {"1": {"a": 3.0, "x": 2.0, "c": 1.0}, "2": {"d": 2.0, "e": 1.0}}
    rank_table(qrels, {"r": run, "s": run}).save(path)
    with np.load(path) as stored:
        arrays = {**stored}
    for name, new in change.items():
        arrays[name] = np.array(new, arrays[name].dtype)
    np.savez(path, **arrays)
    return RankTable.load(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"offsets": [0, 4, 3]}, "its offsets are wrong"),
        ({"offsets": [0, 6, 5]}, "its offsets are wrong"),
        ({"offsets": [-1, 3, 5]}, "its offsets are wrong"),
        ({"ranks": [[1, 0, 1, 1, 2], [1, 0, 3, 1, 2]]}, "two documents have the same rank"),
        ({"ranks": [[1, 0, 4, 1, 2], [1, 0, 3, 1, 2]]}, "a rank is beyond the documents retrieved"),
        ({"retrieved": [[3, 2], [3, 1]]}, "a rank is beyond the documents retrieved"),
        ({"retrieved": [[3, 2], [-3, 2]]}, "a number of documents is negative"),
        ({"relevance": [2, 0, 1, 1, 10**9]}, "a relevance is out of range"),
        ({"topics": [49, 49]}, "two topics have the same name"),
        ({"runs": [114, 114]}, "two runs have the same name"),
        ({"runs_end": [2, 2]}, "runs contains an empty text"),
        ({"runs_end": [3, 2]}, "runs contains an empty text"),
        ({"runs_end": [1, 3]}, "runs is truncated"),
        ({"doc_ids": [97, 98, 97, 100, 101]}, "a document is judged twice for a topic"),
        ({"retrieved": [[300, 2], [3, 2]]}, "there are more lines than are counted"),
    ],
)
def test_numbers_that_no_run_can_have_are_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    path = tmp_path / "table.npz"
    assert evaluate(table_with(path), "AP").values.max() <= 1
    with pytest.raises(InputError, match=reason):
        table_with(path, **change)
