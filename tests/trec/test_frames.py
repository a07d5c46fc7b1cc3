"""Tables with named columns, frames and dicts give what the TREC file gives."""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import (
    InputError,
    MalformedInputError,
    Policies,
    Qrels,
    Run,
    UsageError,
    fuse,
    gate,
    rank_table,
    read_qrels,
    read_run,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Rows = Sequence[tuple[str, str, float]]

ROWS = [("2", "b,1", 0.5), ("1", "a", 1.5), ("1", '"q"', 1.5), ("10", "é", -2.0), ("1", "c", 1e-300), ("2", "d", 7.0)]
JUDGED = [("1", "a", 1), ("1", "c", 0), ("10", "é", 2), ("2", "x;y", -1)]


def csv_of(rows: Rows, names: str, separator: str) -> bytes:
    import csv

    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator)  # with CRLF, as the format asks for
    writer.writerow(names.split())
    writer.writerows(rows)
    return out.getvalue().encode()


def trec_run(folder: Path) -> Run:
    (folder / "run").write_text("".join(f"{t} Q0 {d} 1 {s!r} x\n" for t, d, s in ROWS), encoding="utf-8")
    return read_run(folder / "run")


def trec_qrels(folder: Path) -> Qrels:
    (folder / "qrels").write_text("".join(f"{t} 0 {d} {s}\n" for t, d, s in JUDGED), encoding="utf-8")
    return read_qrels(folder / "qrels")


def frame_of(rows: Rows, names: list[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=names, orient="row")


def as_dict(rows: Rows) -> dict[str, dict[str, float]]:
    return {
        topic: {doc: value for of, doc, value in rows if of == topic} for topic in dict.fromkeys(r[0] for r in rows)
    }


def as_csv(folder: Path, rows: Rows, value: str) -> object:
    (folder / "a.csv").write_bytes(b"\xef\xbb\xbf" + csv_of(rows, f"topic_id doc_id {value}", ","))
    return folder / "a.csv"


def as_tsv(folder: Path, rows: Rows, value: str) -> object:
    (folder / "a.tsv.gz").write_bytes(gzip.compress(csv_of(rows, f"qid docno {value}", "\t")))
    return str(folder / "a.tsv.gz")


def as_semicolons(folder: Path, rows: Rows, value: str) -> object:
    (folder / "a.csv").write_bytes(csv_of(rows, f"Topic DOCID {value.upper()}", ";") + b"\r\n\r\n")
    return folder / "a.csv"


def as_parquet(folder: Path, rows: Rows, value: str) -> object:
    frame_of(rows, ["topic_id", "doc_id", value]).write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


def as_polars(_folder: Path, rows: Rows, value: str) -> object:
    return frame_of(rows, ["query-id", "corpus-id", value]).with_columns(more=pl.lit("column"))


def as_lazy(_folder: Path, rows: Rows, value: str) -> object:
    return frame_of(rows, ["topic_id", "doc_id", value]).with_columns(pl.col("topic_id").cast(pl.Int32)).lazy()


def as_pandas(_folder: Path, rows: Rows, value: str) -> object:
    return pd.DataFrame(rows, columns=["qid", "docno", value], index=range(5, 5 + len(rows)))


def of_dicts(_folder: Path, rows: Rows, _value: str) -> object:
    return as_dict(rows)


kinds = pytest.mark.parametrize(
    "save", [as_csv, as_tsv, as_semicolons, as_parquet, as_polars, as_lazy, as_pandas, of_dicts]
)


@kinds
def test_a_run_is_the_same_in_every_form(tmp_path: Path, save: Callable[..., object]) -> None:
    expected = trec_run(tmp_path)
    found = read_run(save(tmp_path, ROWS, "score"))
    key = ["topic_id", "rank"]
    assert found.to_polars().sort(key).rows() == expected.to_polars().sort(key).rows()
    assert found.odd["malformed"] == 0


@kinds
def test_qrels_are_the_same_in_every_form(tmp_path: Path, save: Callable[..., object]) -> None:
    assert read_qrels(save(tmp_path, JUDGED, "relevance")).to_polars().rows() == trec_qrels(tmp_path).to_polars().rows()


@given(
    rows=st.dictionaries(
        st.tuples(st.sampled_from(["1", "2"]), st.text("ab,;\"'# é", min_size=1).map(str.strip).filter(bool)),
        st.floats(allow_nan=False, allow_infinity=False),
        min_size=1,
    )
)
def test_a_csv_file_says_what_its_frame_says(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[str, str], float]
) -> None:
    listed = [(topic, doc, score) for (topic, doc), score in rows.items()]
    path = as_csv(tmp_path_factory.mktemp("csv"), listed, "score")
    assert read_run(path).to_polars().rows() == read_run(as_dict(listed)).to_polars().rows()


def test_columns_may_have_the_names_others_give_them_and_our_own_wins() -> None:
    for names in ("topic document sim", "query_id doc_id value", "QUERY patent similarity"):
        scores = read_run(frame_of(ROWS, names.split())).scores.tolist()
        assert sorted(scores) == sorted(score for _, _, score in ROWS)
    for name in ("rel", "label", "grade", "judgement", "score"):
        assert read_qrels(frame_of(JUDGED, ["qid", "docno", name])).relevance.tolist() == [1, 0, -1, 2]
    frame = pl.DataFrame({"query": ["text"], "qid": ["1"], "docno": ["a"], "value": [9.0], "score": [1.0]})
    run = read_run(frame)
    assert (run.topics, run.scores.tolist()) == (("1",), [1.0])


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("topic_id,doc_id,rank\n1,a,1\n")
    with pytest.raises(
        InputError, match=r"a\.csv: has no column score; rename one of its columns .topic_id, doc_id, rank"
    ):
        read_run(tmp_path / "a.csv")
    with pytest.raises(InputError, match="the qrels given: has no column relevance"):
        read_qrels(pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"]}))
    with pytest.raises(InputError, match="has no column rank"):
        read_run(pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "score": [1.0]}), Policies(ties="rank"))


class RanxLike:
    """What is read of a `Run` or `Qrels` of ranx; it cannot be iterated over."""

    def __init__(self, content: dict[str, dict[str, float]], name: str | None = None) -> None:
        self.content, self.name = content, name

    def keys(self) -> object:
        return self.content.keys()

    def to_dict(self) -> dict[str, dict[str, float]]:
        return self.content

    def __getitem__(self, topic: str) -> dict[str, float]:
        return self.content[topic]


def ranx_like(content: dict[str, dict[str, float]], name: str | None = None) -> tuple[object, object]:
    return RanxLike({"1": {"a": 1, "b": 0}, "2": {"c": 2}}), RanxLike(content, name)


def ranx_itself(content: dict[str, dict[str, float]], name: str | None = None) -> tuple[object, object]:
    ranx = pytest.importorskip("ranx")
    return ranx.Qrels({"1": {"a": 1, "b": 0}, "2": {"c": 2}}), ranx.Run(content, name=name)


@pytest.mark.parametrize("make", [ranx_like, ranx_itself])
def test_runs_and_qrels_of_ranx_are_read_wherever_others_are(make: Any) -> None:
    content = {"1": {"b": 2.0, "a": 1.0}, "2": {"c": 1.0}}
    qrels, run = make(content, "theirs")
    assert read_run(run, name="x").to_polars().equals(read_run(content).to_polars())
    assert read_qrels(qrels).to_polars().equals(read_qrels({"1": {"a": 1, "b": 0}, "2": {"c": 2}}).to_polars())
    table = rank_table(qrels, [run, make(content)[1]])
    assert table.runs == ("theirs", "run2")
    assert read_run(run).name == "theirs"
    assert fuse({"a": run, "b": content}).topics == ("1", "2")
    assert gate(qrels, run, content).passed


def test_lists_of_ir_measures_are_read_wherever_others_are() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    qrels = [ir_measures.Qrel("1", "a", 1), ir_measures.Qrel("2", "c", 2)]
    run = [ir_measures.ScoredDoc("1", "b", 2.0), ir_measures.ScoredDoc("1", "a", 1.0)]
    assert read_run(iter(run)).doc_ids.to_list() == ["b", "a"]
    assert read_qrels(qrels).relevance.tolist() == [1, 2]
    assert rank_table(iter(qrels), run).runs == ("run1",)
    assert rank_table(qrels, {"mine": run}).runs == ("mine",)
    assert rank_table(qrels, [run, {"1": {"a": 1.0}}]).runs == ("run1", "run2")
    with pytest.raises(InputError, match="mine: is not a run: entry 0 is a Qrel without query_id, doc_id, score; "):
        rank_table(qrels, {"mine": qrels})


@pytest.mark.parametrize("library", [pl, pd])
def test_results_of_pyterrier_are_read_by_docno(library: Any) -> None:
    # Beside the document they have its number in the index, the text of the query, and what else a pipeline adds.
    results = library.DataFrame(
        {
            "qid": ["1"],
            "docid": [17],
            "docno": ["a"],
            "rank": [0],
            "score": [1.5],
            "query": ["valve"],
            "docs": [object()],
        }
    )
    qrels = library.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    assert rank_table(qrels, results).ranks.ranks.tolist() == [[1]]


def test_a_mistake_in_a_dict_names_the_run_as_it_was_given() -> None:
    qrels = {"1": {"a": 1}}
    for wrong, what in (
        ({"1": {"a": "x"}}, "mine, topic 1, document a: score 'x' is not a finite number"),
        ({"1": {"a": 1.0}, "2": 5}, "mine, topic 2: holds the number 5"),
        ({"7": {"a": 1.0}}, "mine: no topic in common"),
        (5, "mine: the number 5 is not a run"),
    ):
        with pytest.raises(InputError, match=what):
            rank_table(qrels, {"mine": wrong})
        with pytest.raises(InputError, match=what):
            gate(qrels, {"mine": wrong}, qrels)
    for role, runs in (("run", ({"1": {"a": "x"}}, qrels)), ("baseline", (qrels, {"1": {"a": "x"}}))):
        with pytest.raises(InputError, match=f"^{role}, topic 1, document a: score 'x'"):
            gate(qrels, *runs)
    with pytest.raises(InputError, match="mine, topic 1, document a: score 'x'"):
        fuse({"mine": {"1": {"a": "x"}}, "other": qrels})
    with pytest.raises(UsageError, match="a fusion needs at least two runs, but got 1"):
        fuse("x.run")


MISSING: dict[str, object] = {
    "polars null": pl.DataFrame({"topic_id": ["1", None], "doc_id": ["a", "b"], "score": [1.0, 2.0]}),
    "polars empty text": pl.DataFrame({"topic_id": ["1", "1"], "doc_id": ["a", ""], "score": [1.0, 2.0]}),
    "polars NaN id": pl.DataFrame({"topic_id": [1.0, float("nan")], "doc_id": ["a", "b"], "score": [1.0, 2.0]}),
    "pandas NaN id": pd.DataFrame({"qid": [1, np.nan], "docno": ["a", "b"], "score": [1.0, 2.0]}),
    "pandas NaN in texts": pd.DataFrame({"qid": ["1", "1"], "docno": ["a", np.nan], "score": [1.0, 2.0]}),
    "pandas NA": pd.DataFrame({"qid": pd.array([1, pd.NA], dtype="Int64"), "docno": ["a", "b"], "score": [1.0, 2.0]}),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_id_is_no_id(kind: str) -> None:
    # pandas writes a missing id as NaN, and «NaN» would be a fine topic.
    with pytest.raises(MalformedInputError, match="line 2: topic or document is missing"):
        read_run(MISSING[kind])
    run = read_run(MISSING[kind], Policies(malformed="skip"))
    assert (run.topics, run.doc_ids.to_list(), run.odd["malformed"]) == (("1",), ["a"], 1)


def test_whole_numbers_stay_whole_as_ids() -> None:
    # pandas turns 401 into 401.0 where another id of the column was missing and has been filtered out since.
    frame = pd.DataFrame({"qid": [401.0, 402.0], "docno": [7.0, 7.5], "score": [1, 2]})
    run = read_run(frame)
    assert (run.topics, run.doc_ids.to_list()) == (("401", "402"), ["7", "7.5"])


@pytest.mark.parametrize("score", [None, float("nan"), float("inf"), "abc", "", "1,5"])
def test_a_score_must_be_a_finite_number(score: Any) -> None:
    given_run = {"1": {"a": 1.0, "b": score}}
    with pytest.raises(
        MalformedInputError, match=r"the run given, topic 1, document b: score '.*' is not a finite number"
    ):
        read_run(given_run)
    run = read_run(given_run, Policies(malformed="skip"))
    assert (run.doc_ids.to_list(), run.odd["malformed"], run.odd["bad_scores"]) == (["a"], 1, 1)


def test_relevance_is_a_whole_number_that_fits_in_any_guise() -> None:
    for relevance in (0.5, "1.5", None, float("nan"), 2**32 + 1, -(2**31), 1e12):
        with pytest.raises(MalformedInputError, match="is not a whole number"):
            read_qrels({"1": {"a": 1, "b": relevance}})
    assert read_qrels({"1": {"a": 2.0, "b": True, "c": np.int8(1), "d": -1}}).relevance.tolist() == [2, 1, 1, -1]
    assert read_qrels({"1": {"a": "3", "b": " 2.0 ", "c": 1}}).relevance.tolist() == [3, 2, 1]


@pytest.mark.parametrize("first", [np.int64(3), np.float32(3), np.int8(3), True, 3, "3"])
def test_numbers_of_all_kinds_keep_their_digits(first: Any) -> None:
    # A numpy number in front would make all behind it of its kind: 0.75 → 0.
    values = {"a": first, "b": 0.75, "c": 0.1, "d": np.float64(0.1) + 2**-56}
    run = read_run({"1": values})
    assert run.scores.tolist() == [float(value) for value in values.values()]
    frame = pd.DataFrame({"qid": "1", "docno": list(values), "score": pd.Series(list(values.values()), dtype=object)})
    assert read_run(frame).scores.tolist() == run.scores.tolist()


def test_blanks_around_the_values_of_a_csv_file_do_not_count(tmp_path: Path) -> None:
    # « d1» would match nothing in the qrels, and the run would score 0.
    (tmp_path / "a.csv").write_text("topic_id, doc_id, score\n1, d1, 2\n1, US 1 A, 1 \n\n\n")
    run = read_run(tmp_path / "a.csv")
    assert (run.topics, run.doc_ids.to_list(), run.scores.tolist()) == (("1",), ["d1", "US 1 A"], [2.0, 1.0])
    (tmp_path / "a.csv").write_bytes("topic_id,doc_id,score\n1,Müller,2\n".encode("latin-1"))  # as in TREC files
    assert read_run(tmp_path / "a.csv").doc_ids.to_list() == ["Müller"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("topic_id,doc_id,score\n", "is empty"),
        ("topic_id,doc_id,score\n1,a,1\n1,b\n", "line 3: score 'None'"),
        ("topic_id,doc_id,score\n1,a,1\n\n1,b,1\n", "line 3: topic or document is missing"),
        ("topic_id,doc_id,score\n1,a,1,9\n", "cannot be read as a table"),
        ("topic_id,doc_id,score\n1,a,x\n", "line 2: score 'x'"),
        ("topic_id,doc_id,score\n1,a,1\n1,a,2\n", "line 3, topic 1, document a: appears twice"),
        ("1,a,0.5\n", "1 column where a run has 6"),
    ],
)
def test_a_csv_file_that_is_wrong_is_refused_by_line(tmp_path: Path, text: str, what: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=what):
        read_run(tmp_path / "a.csv")


EMPTY: tuple[object, ...] = (
    {},
    {"1": {}},
    pl.DataFrame({"topic_id": [], "doc_id": [], "score": []}),
    pd.DataFrame(columns=["qid", "docno", "score"]),
)


@pytest.mark.parametrize(
    ("given_run", "what"),
    [
        *((empty, "is empty") for empty in EMPTY),
        *((wrong, "is not a run") for wrong in (7, None, ["a"])),
        *((wrong, "holds ") for wrong in ({"1": 5}, {"1": ["a"]})),
        *((wrong, "contains a zero byte") for wrong in ({"1\0": {"a": 1.0}}, {"1": {"\0": 1.0}})),
    ],
)
def test_what_is_empty_or_no_run_is_refused(given_run: object, what: str) -> None:
    with pytest.raises(InputError, match=what):
        read_run(given_run)


@pytest.mark.parametrize(
    "values", [{"score": [[1]]}, {"doc_id": [[1]]}, {"doc_id": [b"\xff"]}, {"score": [object()]}, {"score": [1j]}]
)
def test_columns_of_other_kinds_are_refused(values: dict[str, list[object]]) -> None:
    with pytest.raises(MalformedInputError, match="neither texts nor numbers"):
        read_run(pl.DataFrame({"topic_id": ["1"], "doc_id": ["a"], "score": [1.0]} | values))


def test_a_parquet_file_that_the_reader_panics_at_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_parquet(tmp_path, ROWS, "score")

    def panic(_source: object) -> pl.DataFrame:
        raise pl.exceptions.PanicException("called `Result::unwrap()` on an `Err` value")

    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(MalformedInputError, match="cannot be read as a table"):
        read_run(tmp_path / "a.parquet")


@pytest.mark.parametrize("first_id", ["x" * 200_000, "x" * 70_000, '"', "a\rb"])
def test_looking_for_names_survives_any_first_line(tmp_path: Path, first_id: str) -> None:
    # Python's own CSV reader fails on fields of more than 128 KB and on a lone CR.
    text = f"1 Q0 {first_id} 1 2.0 t\n".replace("a\rb", "a 1 2.0 t\r1 Q0 b")
    (tmp_path / "a.run").write_text(text, newline="")
    assert read_run(tmp_path / "a.run").topics == ("1",)


def test_a_run_in_place_of_qrels_is_refused_though_some_call_the_relevance_a_score(tmp_path: Path) -> None:
    run = tmp_path / "run.csv"
    run.write_text("qid,docno,rank,score\n1,a,1,3\n1,b,2,2\n")
    with pytest.raises(InputError, match="it is a run, not qrels"):
        read_qrels(run)
    beir = tmp_path / "beir.tsv"
    beir.write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n")
    assert read_qrels(beir).relevance.tolist() == [1]
