"""Runs are ranked by score, and ties as the policy says, whatever the file looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede import DuplicateDocumentError, InputError, Policies, Run, UsageError, read_run
from antecede.trec.runs import cut_run

if TYPE_CHECKING:
    from pathlib import Path

Line = tuple[str, str, float]
"""topic, document, score"""

# Few topics, few scores and near-equal ids: ties and interleaved topics are the rule, not the exception.
documents = st.sampled_from(["a", "b", "aa", "ab", "B", "é", "z", "ż", "🙂", "EP-1", "EP-10", "EP-2", "~", "\u00a0"])
tied_scores = st.sampled_from([0.0, -0.0, 1.0, 1.0 + 2**-52, 1e300, -2.5, 0.1 + 0.2, 0.3, 5e-324, -5e-324])
any_scores = st.one_of(tied_scores, st.floats(allow_nan=False, allow_infinity=False))
lines = st.lists(
    st.tuples(st.sampled_from(["1", "2", "10"]), documents, any_scores),
    min_size=1,
    max_size=40,
    unique_by=lambda line: line[:2],
)


def written(found: list[Line]) -> str:
    return "".join(f"{topic} Q0 {doc} {7} {score!r} tag\n" for topic, doc, score in found)


def read_text(folder: Path, text: str, **policies: str | int) -> Run:
    path = folder / "a.run"
    path.write_text(text, encoding="utf-8")
    return read_run(path, Policies(**policies))  # type: ignore[arg-type]


def ranked(run: Run) -> dict[str, list[str]]:
    """The documents of each topic, best first."""
    frame = run.to_polars()
    return {topic: frame.filter(frame["topic_id"] == topic)["doc_id"].to_list() for topic in run.topics}


@given(found=lines)
def test_the_order_is_that_of_a_plain_sort(tmp_path_factory: pytest.TempPathFactory, found: list[Line]) -> None:
    run = read_text(tmp_path_factory.mktemp("runs"), written(found))
    for topic in run.topics:
        own = [(score, doc) for of, doc, score in found if of == topic]
        # trec_eval: score descending, then document id descending, compared byte by byte.
        best_first = sorted(own, key=lambda pair: (pair[0], pair[1].encode()), reverse=True)
        assert ranked(run)[topic] == [doc for _, doc in best_first]
    assert sorted(run.ranks.tolist()) == sorted(
        rank for topic in run.topics for rank in range(1, sum(line[0] == topic for line in found) + 1)
    )
    assert run.scores.dtype == np.float64


@given(found=lines, depth=st.integers(1, 5))
def test_depth_keeps_the_best_of_each_topic(
    tmp_path_factory: pytest.TempPathFactory, found: list[Line], depth: int
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    whole, short = read_text(folder, written(found)), read_text(folder, written(found), depth=depth)
    assert ranked(short) == {topic: docs[:depth] for topic, docs in ranked(whole).items()}
    # A run that was read before is cut just the same.
    assert ranked(read_run(whole, Policies(depth=depth))) == ranked(short) == ranked(cut_run(whole, depth))


TIED = "1 Q0 b 2 1.0 t\n1 Q0 c 3 1.0 t\n2 Q0 x 1 5 t\n1 Q0 a 1 1.0 t\n1 Q0 d 9 2.0 t\n"


@pytest.mark.parametrize(
    ("ties", "order"),
    [("docid", ["d", "c", "b", "a"]), ("input", ["d", "b", "c", "a"]), ("rank", ["d", "a", "b", "c"])],
)
def test_ties_are_broken_as_asked(tmp_path: Path, ties: str, order: list[str]) -> None:
    run = read_text(tmp_path, TIED, ties=ties)
    assert ranked(run) == {"1": order, "2": ["x"]}
    assert run.tied is not None
    assert [doc for doc, tied in zip(run.doc_ids, run.tied, strict=True) if tied] == ["b", "c", "a"]


def test_ranks_are_numbers_where_they_decide(tmp_path: Path) -> None:
    # As text, 10 stands before 9.
    text = "".join(f"1 Q0 d{rank} {rank} 1.0 t\n" for rank in (10, 9, 1, 2))
    assert ranked(read_text(tmp_path, text, ties="rank"))["1"] == ["d1", "d2", "d9", "d10"]
    with pytest.raises(InputError, match="rank column is not all numbers"):
        read_text(tmp_path, text.replace(" 9 ", " nine "), ties="rank")
    # Elsewhere the column is not looked at.
    assert len(read_text(tmp_path, text.replace(" 9 ", " nine "))) == 4


def test_scores_are_read_in_64_bits(tmp_path: Path) -> None:
    # In 32 bits these are all the same, and the document ids would decide the other way.
    text = "1 Q0 a 1 0.30000000000000004 t\n1 Q0 b 2 0.3 t\n1 Q0 c 3 0.29999999999999993 t\n"
    run = read_text(tmp_path, text)
    assert ranked(run)["1"] == ["a", "b", "c"]
    assert run.tied is None
    # Beyond 2^53 neighbours are equal even in 64 bits.
    run = read_text(tmp_path, "1 Q0 a 1 9007199254740993 t\n1 Q0 b 2 9007199254740992 t\n")
    assert ranked(run)["1"] == ["b", "a"]


DOUBLED = "1 Q0 a 1 5 t\n# a comment\n1 Q0 b 2 4 t\n2 Q0 a 1 3 t\n\n1 Q0 a 3 1 t\n1 Q0 b 4 0 t\n"


@pytest.mark.parametrize("messy", [True, False])
def test_a_duplicate_is_refused_by_file_line_topic_and_document(tmp_path: Path, messy: bool) -> None:
    text = DOUBLED if messy else DOUBLED.replace("# a comment\n", "").replace("\n\n", "\n")
    second = 6 if messy else 4
    with pytest.raises(DuplicateDocumentError) as caught:
        read_text(tmp_path, text)
    error = caught.value
    assert (error.source, error.line, error.topic_id, error.doc_id) == (str(tmp_path / "a.run"), second, "1", "a")
    for part in (str(tmp_path / "a.run"), f"line {second}", "topic 1", "document a", "first on line 1", "duplicates="):
        assert part in str(error)


@pytest.mark.parametrize(
    ("duplicates", "order", "counted"),
    [("first", ["a", "b"], 2), ("last", ["a", "b"], 2), ("keep", ["a", "b", "a", "b"], 2)],
)
def test_the_policy_for_duplicates(tmp_path: Path, duplicates: str, order: list[str], counted: int) -> None:
    run = read_text(tmp_path, DOUBLED, duplicates=duplicates)
    assert ranked(run)["1"] == order
    assert run.odd["duplicates"] == counted
    first_a = run.scores[(run.doc_ids == "a").to_numpy() & (run.topic == 0)]
    assert first_a.tolist() == {"first": [5], "last": [1], "keep": [5, 1]}[duplicates]


def test_what_is_odd_is_counted(tmp_path: Path) -> None:
    text = "1 Q0 1 1 5 t\n1 Q0 b 2 6 t\n2 Q0 b 1 3 t\n2 Q0 2 2 2 t\n2 Q0 1 3 1 t\n3 Q0 3 1 1 t\n3 Q0 3 1 1 t\n"
    odd = read_text(tmp_path, text, duplicates="first").odd
    assert odd["self_retrieved"] == 3, "topics that retrieve themselves: one that does so twice is one topic"
    assert odd["unsorted_topics"] == 1
    assert odd["duplicates"] == 1


def test_ranks_stay_with_their_topic_where_its_first_line_is_dropped(tmp_path: Path) -> None:
    # Topic 2 is mentioned first; once that line is dropped as a duplicate, topic 1 comes first.
    lines = ["2 Q0 a 1 1 t", "1 Q0 x 1 1 t", "1 Q0 y 2 2 t", "1 Q0 z 2 0 t", "2 Q0 b 1 5 t", "2 Q0 a 2 9 t"]
    run = read_text(tmp_path, "\n".join(lines), duplicates="last")
    assert ranked(run) == {"2": ["a", "b"], "1": ["y", "x", "z"]}
    assert run.odd["unsorted_topics"] == 2
    assert ranked(cut_run(run, 1)) == {"2": ["a"], "1": ["y"]}


def test_policies_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UsageError, match="docid, input, rank"):
        Policies(ties="random")  # type: ignore[arg-type]
    for depth in (0, -1, 2**31, 2**63, 2**64 + 1, 10**30):
        with pytest.raises(UsageError, match=r"depth: .* is out of range; give 1 to 2147483647"):
            Policies(depth=depth)
    assert len(read_run({"1": {"a": 1.0}}, Policies(depth=2**31 - 1))) == 1
