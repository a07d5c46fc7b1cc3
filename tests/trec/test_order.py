"""The order of a ranking: by score, by the rank column or as in the file; and files in which these disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import InputError, Policies, Run, UsageError, compare, evaluate, gate, rank_table, read_run

if TYPE_CHECKING:
    from pathlib import Path

Line = tuple[str, str, str, float]
"""topic, document, rank, score"""

rank_texts = st.one_of(
    st.integers(0, 12).map(str),
    st.sampled_from(["01", "1.0", "2.5", "10", "100", "99999999", "123456789", "1e1", "+3"]),
)
lines = st.lists(
    st.tuples(
        st.sampled_from(["1", "2", "10"]),
        st.sampled_from([*"abcdefgh", "EP-1", "EP-10"]),
        rank_texts,
        st.sampled_from([0.0, 1.0, 2.0, 2.5, 3.0, 7.25]),
    ),
    min_size=1,
    max_size=24,
    unique_by=lambda line: line[:2],
)


def write(path: Path, found: list[Line]) -> Path:
    path.write_text("".join(f"{topic} Q0 {doc} {rank} {score} tag\n" for topic, doc, rank, score in found))
    return path


def ranking(run: Run, topic: str) -> list[str]:
    frame = run.to_polars()
    return frame.filter(frame["topic_id"] == topic)["doc_id"].to_list()


@given(found=lines, ordered=st.booleans())
def test_conflicts_are_those_of_a_plain_comparison(
    tmp_path_factory: pytest.TempPathFactory, found: list[Line], ordered: bool
) -> None:
    if ordered:  # files sorted by score are checked without parsing their ranks
        found = sorted(found, key=lambda line: (line[0], -line[3]))
    run = read_run(write(tmp_path_factory.mktemp("runs") / "a.run", found))
    contradicted = equal = 0
    for topic in run.topics:
        own = [(float(rank), score) for of, _, rank, score in found if of == topic]
        contradicted += any(a < b and s < t for a, s in own for b, t in own)
        equal += len(own) > 1 and len({score for _, score in own}) == 1
    assert (run.odd["rank_conflicts"], run.odd["equal_scores"]) == (contradicted, equal)


@given(found=lines, as_expected=st.booleans())
def test_odd_ranks_are_those_of_a_plain_comparison(
    tmp_path_factory: pytest.TempPathFactory, found: list[Line], as_expected: bool
) -> None:
    if as_expected:  # ranks from 1 on, along the file: topics may be interleaved
        found = [
            (topic, doc, str(1 + sum(of == topic for of, *_ in found[:at])), score)
            for at, (topic, doc, _, score) in enumerate(found)
        ]
    run = read_run(write(tmp_path_factory.mktemp("runs") / "a.run", found))
    ranks = {topic: sorted(float(rank) for of, _, rank, _ in found if of == topic) for topic in run.topics}
    odd = sum(each != [*range(1, len(each) + 1)] for each in ranks.values())
    assert run.odd["odd_ranks"] == odd
    assert not (as_expected and odd)


@pytest.mark.parametrize(
    ("ranks", "scores", "odd", "swapped"),
    [
        ("1 2 3", "9.5 8 7", 0, 0),
        ("3 1 2", "7 9.5 8", 0, 0),
        ("0 1 2", "9.5 8 7", 1, 0),  # counted from 0
        ("1 1 1", "9.5 8 7", 1, 0),
        ("2 5 9", "9 6 3", 1, 0),  # what is left of a longer ranking
        ("2 5 9", "3 2 1", 1, 0),
        ("9 5 2", "1 2 3", 1, 1),  # whole scores in the rank column, along the file
        ("9.5 8 7", "1 2 3", 1, 1),
        ("7 9.5 8", "3 1 2", 1, 1),
        ("9.5 8 7", "0 1 2", 1, 1),
        ("3 2 1", "1 2 3", 0, 0),  # a file sorted from the worst to the best
        ("0 0 0", "1 2 3", 1, 0),
        ("1.5 2.5 3.5", "9.5 8 7", 1, 0),
        ("x - ?", "3 2 1", 2, 0),  # a column that is not all numbers gives no order
        ("123456789 2 3", "9.5 8 7", 1, 0),
    ],
)
def test_ranks_that_are_not_1_to_n_and_columns_that_are_swapped(
    tmp_path: Path, ranks: str, scores: str, odd: int, swapped: int
) -> None:
    rows = list(zip("abc", ranks.split(), map(float, scores.split()), strict=True))
    run = write(tmp_path / "a.run", [("1", *row) for row in rows] + [("2", "a", "1", 1.0)])
    found = read_run(run).odd
    assert (found["odd_ranks"], found["swapped_columns"]) == (odd, swapped)
    assert read_run(run, order="input").odd["swapped_columns"] == 0, "neither column is used"


def test_swapped_columns_are_said_wherever_the_run_is_scored(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    right = write(tmp_path / "right.run", [(topic, doc, "1", 1.0) for topic in "12" for doc in "a"])
    rows = [(topic, doc, f"{9.5 - at}", at + 1.0) for topic in "12" for at, doc in enumerate("axyz")]
    swapped = write(tmp_path / "swapped.run", rows)
    scores = evaluate(rank_table(tmp_path / "qrels", [right, swapped]), "AP,R@1")
    (line,) = scores.caveats()
    assert line.startswith("swapped.run (2): topics in which the rank and the score column appear to be swapped")
    assert line in scores.notes()
    assert f"Note: {line}" in compare(scores).table().notes
    assert f"Note: {line}." in gate(tmp_path / "qrels", swapped, right, "AP").notes


@given(found=lines)
def test_each_order_is_that_of_a_plain_sort(tmp_path_factory: pytest.TempPathFactory, found: list[Line]) -> None:
    path = write(tmp_path_factory.mktemp("runs") / "a.run", found)
    by_input = read_run(path, order="input")
    for topic in by_input.topics:
        assert ranking(by_input, topic) == [doc for of, doc, *_ in found if of == topic]
    assert by_input.odd["ordered_by_input"] == len(by_input.topics)
    if len({(topic, float(rank)) for topic, _, rank, _ in found}) < len(found):
        with pytest.raises(InputError, match='the rank column gives no order; choose order="score"'):
            read_run(path, order="rank")
        return
    by_rank = read_run(path, order="rank")
    for topic in by_rank.topics:
        own = sorted((float(rank), doc) for of, doc, rank, _ in found if of == topic)
        assert ranking(by_rank, topic) == [doc for _, doc in own]


def test_the_other_reading_is_scored_beside_the_one_by_score(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n")
    contrary = write(tmp_path / "contrary.run", [("1", "a", "1", 1.0), ("1", "x", "2", 3.0), ("1", "b", "3", 2.0)])
    equal = write(tmp_path / "equal.run", [("1", "a", "1", 1.0), ("1", "x", "2", 1.0), ("1", "b", "3", 1.0)])
    useless = write(tmp_path / "useless.run", [("1", "a", "0", 1.0), ("1", "x", "0", 1.0), ("1", "b", "0", 1.0)])
    clear = write(tmp_path / "clear.run", [("1", "a", "1", 3.0), ("1", "x", "2", 2.0), ("1", "b", "3", 1.0)])
    given_runs = [contrary, equal, useless, clear]
    scores = evaluate(rank_table(tmp_path / "qrels", given_runs), "AP")
    # contrary: x b a; equal: x b a (by name, descending); by rank or as in the file: a x b. Topic 2 scores 0.
    by_score, by_rank = (1 / 2 + 2 / 3) / 2 / 2, (1 + 2 / 3) / 2 / 2
    assert scores.totals[0].tolist() == pytest.approx([by_score, by_score, by_score, by_rank])
    contradicts, all_equal = "the rank column contradicts the scores", "all scores are equal"
    column, file = 'by the rank column (order="rank")', 'in the order of the file (order="input")'
    for path, why, other in ((contrary, contradicts, column), (equal, all_equal, column), (useless, all_equal, file)):
        (line,) = evaluate(rank_table(tmp_path / "qrels", [path, clear]), "AP").order_conflicts()
        assert line == (
            f"{path.name}: {why} in 1 of 1 topics. It is read by score, as in trec_eval: AP {by_score:.4f}; "
            f"{other}: AP {by_rank:.4f}"
        )
    # Of several runs there is one line, with the number of topics and the largest change.
    (line,) = scores.order_conflicts()
    assert line == (
        f"contrary.run, equal.run, useless.run: {contradicts} in 1 of 3 topics and {all_equal} in 2 of 3 topics. "
        f"They are read by score, as in trec_eval. The largest change is that of contrary.run: AP {by_score:.4f}; "
        f"{column}: AP {by_rank:.4f}"
    )
    # Where nothing is relevant enough, there are no scores to compare.
    (line,) = evaluate(rank_table(tmp_path / "qrels", [contrary, clear]), "AP(rel=9)").order_conflicts()
    assert line.endswith(
        'It is read by score, as in trec_eval; by the rank column with order="rank" where the runs are read'
    )
    ordered = evaluate(rank_table(tmp_path / "qrels", [contrary, equal, clear], order="rank"), "AP")
    assert ordered.totals[0].tolist() == pytest.approx([by_rank] * 3)
    assert ordered.order_conflicts() == ()
    assert any("are ordered by the rank column" in note for note in ordered.notes())


def test_a_saved_table_still_says_that_scores_and_ranks_disagree(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    run = write(tmp_path / "a.run", [("1", "a", "1", 1.0), ("1", "x", "2", 3.0)])
    table = rank_table(tmp_path / "qrels", run)
    table.save(tmp_path / "ranks.npz")
    (line,) = evaluate(type(table).load(tmp_path / "ranks.npz"), "AP").order_conflicts()
    assert line.startswith("a.run: the rank column contradicts the scores in 1 of 1 topics.")
    assert line.endswith('by the rank column with order="rank" where the runs are read')


@pytest.mark.parametrize(
    "given_run",
    [
        {"topic_id": ["1", "1"], "doc_id": ["a", "x"], "score": [1.0, 2.0], "rank": [1, 2]},
        {"qid": ["1", "1"], "docno": ["a", "x"], "score": [1.0, 2.0], "rank": ["1", "2"]},
    ],
)
def test_frames_have_an_order_too(given_run: dict[str, Any]) -> None:
    import polars as pl

    frame = pl.DataFrame(given_run)
    assert ranking(read_run(frame), "1") == ["x", "a"]
    assert read_run(frame).odd["rank_conflicts"] == 1
    assert ranking(read_run(frame, order="rank"), "1") == ["a", "x"]
    with pytest.raises(InputError, match="has no column rank"):
        read_run(frame.drop("rank"), order="rank")
    odd_column = frame.with_columns(pl.Series("rank", [[1], [2]]))
    assert read_run(odd_column).odd["rank_conflicts"] == 0  # lists are not ranks, and nobody asked for them


def test_orders_that_cannot_be_followed_are_refused(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", [("1", "a", "x", 1.0), ("1", "b", "2", 3.0)])
    with pytest.raises(InputError, match=r"its rank column is not all numbers; choose another order="):
        read_run(run, order="rank")
    assert read_run(run).odd["rank_conflicts"] == 0
    with pytest.raises(UsageError, match="order must be one of 'score', 'rank', 'input' or None, not the text 'best'"):
        read_run(run, order="best")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="leave it out with rank"):
        Policies(order="rank", ties="input")
    with pytest.raises(UsageError, match="was read by score; choose input where it is read"):
        read_run(read_run(run), order="input")
    assert read_run(read_run(run, order="input"), order="input").order == "input"


def test_the_depth_cuts_the_order_that_was_chosen(tmp_path: Path) -> None:
    run = write(tmp_path / "a.run", [("1", "a", "1", 1.0), ("1", "x", "2", 3.0), ("1", "b", "3", 2.0)])
    assert ranking(read_run(run, Policies(depth=2)), "1") == ["x", "b"]
    assert ranking(read_run(run, Policies(depth=2, order="rank")), "1") == ["a", "x"]
    assert np.array_equal(read_run(run, Policies(depth=2, order="rank")).ranks, [1, 2])
