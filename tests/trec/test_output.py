"""What is written is read back as it was; what cannot be written leaves no trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import InputError, read_qrels, read_run, write_qrels, write_run
from tests.trec.plain import CONTROLS, SIGNS

if TYPE_CHECKING:
    from pathlib import Path

ids = st.text(st.sampled_from([*SIGNS, *CONTROLS]), min_size=1, max_size=5)
topic_ids = ids.filter(lambda text: not text.startswith("#"))
finite = st.floats(allow_nan=False, allow_infinity=False)


@given(found=st.dictionaries(topic_ids, st.dictionaries(ids, finite, min_size=1, max_size=5), min_size=1, max_size=3))
def test_a_run_is_read_back_with_the_same_ranks_and_scores(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, dict[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "a.run"
    run = read_run(found)
    write_run(run, path)
    again = read_run(path)
    # By their bits, so that the last digit and the sign of zero count.
    assert [(t, d, r, s.hex()) for t, d, r, s in again.to_polars().rows()] == [
        (t, d, r, s.hex()) for t, d, r, s in run.to_polars().rows()
    ]


@given(
    judged=st.dictionaries(
        topic_ids, st.dictionaries(ids, st.integers(-999_999_999, 999_999_999), min_size=1, max_size=5), min_size=1
    )
)
def test_qrels_are_read_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, judged: dict[str, dict[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("qrels") / "qrels"
    qrels = read_qrels(judged)
    write_qrels(qrels, path)
    assert read_qrels(path).to_polars().rows() == qrels.to_polars().rows()


MARKS = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd", ".GZ": b"\x1f\x8b"}


@pytest.mark.parametrize("ending", MARKS)
def test_the_name_says_how_it_is_packed(tmp_path: Path, ending: str) -> None:
    run = read_run({"1": {"a": 2.0, "b": 1.0}}, name="mine")
    path = tmp_path / f"a.run{ending}"
    write_run(run, path)
    packed = path.read_bytes()
    assert packed.startswith(MARKS[ending])
    assert read_run(path).to_polars().rows() == run.to_polars().rows()
    write_run(run, path)
    assert path.read_bytes() == packed, "the same run gives the same bytes"


def test_the_lines_are_those_of_trec(tmp_path: Path) -> None:
    run = read_run({"2": {"a": 1.0, "b": 2.5}, "1": {"c": 1e-7}}, name="mine")
    write_run(run, tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "2 Q0 b 1 2.5 mine\n2 Q0 a 2 1.0 mine\n1 Q0 c 1 1e-7 mine\n"
    write_qrels(read_qrels({"10": {"a": 1}, "9": {"b": 0, "a": -1}}), tmp_path / "qrels")
    assert (tmp_path / "qrels").read_text() == "9 0 a -1\n9 0 b 0\n10 0 a 1\n"


@pytest.mark.parametrize("bad", ["a b", "a\tb", "a\nb", "a\r", "a\vb", "a\fb", " "])
def test_an_id_that_would_not_be_read_back_is_refused(tmp_path: Path, bad: str) -> None:
    (tmp_path / "a.run").write_text("old")
    for run in (
        read_run({"1": {"x": 1.0, bad: 0.5}}),
        read_run({bad: {"x": 1.0}}),
        read_run({"1": {"x": 1}}, name=bad),
    ):
        with pytest.raises(InputError, match="cannot be written to a TREC file"):
            write_run(run, tmp_path / "a.run")
    with pytest.raises(InputError, match="cannot be written to a TREC file"):
        write_run(read_run({"1": {"x": 1}}, name="a\0b"), tmp_path / "a.run")
    with pytest.raises(InputError, match="cannot be written to a TREC file"):
        write_qrels(read_qrels({"1": {bad: 1}}), tmp_path / "a.run")
    assert (tmp_path / "a.run").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.run"]


@pytest.mark.parametrize("topic", ["#1", "\ufeff1"])
def test_a_topic_that_would_be_a_comment_or_a_mark_is_refused(tmp_path: Path, topic: str) -> None:
    with pytest.raises(InputError, match=r"cannot be written to a TREC file|byte-order mark"):
        write_run(read_run({topic: {"x": 1.0}}), tmp_path / "a.run")
    # Elsewhere in the line these are signs like any other.
    run = read_run({"1": {topic: 1.0}})
    write_run(run, tmp_path / "a.run")
    assert read_run(tmp_path / "a.run").doc_ids.to_list() == [topic]
