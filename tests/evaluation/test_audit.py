"""Every count of the audit, each on a file made to show it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antecede import (
    Audit,
    UsageError,
    audit,
    compare,
    evaluate,
    gate,
    rank_table,
)
from antecede.comparison import agreement, correlation
from antecede.evaluation.audit import RUN_COUNTS
from antecede.study import cutoffs, judges, measures, robustness

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c -1\n2 0 a 1\n3 0 a 0\n4 0 a 1\n"
# A letter a document, best first; topic 4 is missing, topics 8 and 9 have no qrels.
LINES = [
    *("1 Q0 a 1 5 t", "1 Q0 x 2 4 t", "1 Q0 b 3 4 t", "1 Q0 y 4 3 t", "1 Q0 z 5 3 t"),
    *("2 Q0 x 1 1 t", "2 Q0 a 2 2 t", "2 Q0 2 3 0 t"),
    *("3 Q0 a 1 1 t", "8 Q0 a 1 1 t", "9 Q0 a 1 1 t"),
]


def counted(folder: Path, lines: list[str], qrels: str = QRELS, cutoff: int = 3, **policies: Any) -> Audit:
    (folder / "qrels").write_text(qrels)
    (folder / "a.run").write_text("".join(line + "\n" for line in lines))
    policies = {"duplicates": "first", "malformed": "skip", **policies}
    return audit(rank_table(folder / "qrels", folder / "a.run", **policies), k=cutoff)


def test_the_counts_of_a_run(tmp_path: Path) -> None:
    document = counted(tmp_path, LINES).to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    (counts,) = [run["counts"] for run in document["runs"]]
    # Of the lists for 1, 2 and 3: three of five, two of three and none of one are not judged.
    unjudged = pytest.approx((3 / 5 + 2 / 3 + 0) / 3)
    assert counts == {
        **dict.fromkeys(RUN_COUNTS, 0),
        "lines": 11,
        "topics": 5,
        "topics_missing": 1,  # 4; 3 has results
        "topics_unjudged": 2,  # 8 and 9
        "ties": 1,  # x and b; y and z are not judged
        "unsorted_topics": 1,  # 2
        "rank_conflicts": 1,  # 2
        "self_retrieved": 1,  # 2
        **dict.fromkeys(("unjudged@10", "unjudged@100", "unjudged@1000"), unjudged),
        "shorter_than_3": 1,  # 3; the list of 2 has just three
    }


def test_a_pool_document_that_was_not_judged_is_not_judged(tmp_path: Path) -> None:
    (counts,) = counted(tmp_path, ["1 Q0 c 1 2 t", "1 Q0 a 2 2 t"]).counts
    assert counts["unjudged@10"] == 0.5
    assert counts["ties"] == 1, "the other of the two is judged"
    (counts,) = counted(tmp_path, ["1 Q0 c 1 2 t", "1 Q0 x 2 2 t", "1 Q0 a 3 1 t"]).counts
    assert counts["ties"] == 0


@pytest.mark.parametrize(
    ("more", "key", "number"),
    [
        (["1 Q0 a 9 0 t", "1 Q0 a 9 0 t", "1 Q0 b 9 0 t"], "duplicates", 3),
        (["1 Q0 q 9 nan t", "1 Q0 r 9 x t", "1 Q0 s 9 inf t"], "bad_scores", 3),
        (["1 Q0 q 9 nan t", "1 Q0 r 9 0", "word"], "malformed", 3),
        (["1 Q0 q 9 0 t more", "1 Q0 r 9 0 t still more"], "wide", 2),
        (["1 Q0 q 9 0 u", "1 Q0 r 9 0 t"], "other_tags", 1),
        (["1 Q0 q 9 0 u", "1 Q0 r 9 0 t", "1  Q0 s 9 0 v"], "other_tags", 2),
        (["1 Q0 q 9 0 a-tag-of-one-system", "1 Q0 r 9 0 b-tag-of-one-system"], "other_tags", 2),
        (["# a", " # b", "", "#1 Q0 q 9 0 t"], "comments", 3),
        (["1 Q0 1 9 0 t", "8 Q0 8 9 0 t"], "self_retrieved", 3),
        (["8 Q0 q 9 7 t", "9 Q0 q 9 7 t"], "unsorted_topics", 3),
        (["8 Q0 q 9 0 t", "9 Q0 q 1.5 0.5 t"], "odd_ranks", 2),
        (["7 Q0 p 4.5 1 t", "7 Q0 q 3.5 2 t"], "swapped_columns", 1),
    ],
)
def test_each_kind_of_oddity_is_counted(tmp_path: Path, more: list[str], key: str, number: int) -> None:
    found = counted(tmp_path, [*LINES, *more])
    assert found.counts[0][key] == number
    assert found.refused == (key in {"duplicates", "bad_scores", "malformed"}), "what evaluate would refuse"
    table = found.table()
    assert key in table.columns
    assert any(note.startswith(f"{key}: ") for note in table.notes)


def test_the_counts_of_the_qrels(tmp_path: Path) -> None:
    found = counted(tmp_path, LINES, QRELS + "1 0 a 0\n2 0 q\n5 0 a 0\n")
    assert found.qrels == {
        "topics": 5,
        "judged": 6,
        "relevant": 3,
        "topics_without_relevant": 2,
        "unjudged": 1,
        "duplicates": 1,
        "malformed": 1,
    }
    assert found.refused
    assert found.counts[0]["topics_missing"] == 1, "a topic without anything to find is not missed"
    assert found.table().title == (
        "qrels: 5 topics, 3 relevant of 6 judged documents, 2 topics without a relevant document, "
        "1 in the pool, but not judged, 1 documents judged twice, 1 lines that could not be read"
    )
    copies = counted(tmp_path, [*LINES, "1 Q0 a 9 0 t"], duplicates="keep")
    assert (copies.qrels["judged"], copies.qrels["relevant"]) == (5, 3), "a copy is not judged twice"


def test_what_is_nowhere_odd_is_named_in_one_line(tmp_path: Path) -> None:
    table = counted(tmp_path, ["1 Q0 a 1 5 t", "2 Q0 a 1 5 t", "3 Q0 a 1 5 t", "4 Q0 a 1 5 t"], cutoff=1).table()
    assert table.columns == ("run", "lines", "topics")
    (note,) = table.notes
    assert note.startswith("none: ")
    assert len(note.split("; ")) == 20


def test_identical_runs_are_found_under_any_name(tmp_path: Path) -> None:
    lines = [line + "\n" for line in LINES]
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text("".join(lines))
    (tmp_path / "again.run").write_text("".join(reversed(lines)).replace(" t\n", " other\n"))
    (tmp_path / "other.run").write_text("".join(lines).replace("1 Q0 z", "1 Q0 w"))  # a document that is not judged
    table = rank_table(tmp_path / "qrels", [tmp_path / name for name in ("a.run", "other.run", "again.run")])
    table.save(tmp_path / "ranks.npz")
    for each in (table, type(table).load(tmp_path / "ranks.npz")):
        found = audit(each)
        assert found.identical == (("a.run", "again.run"),)
        assert [count["identical_runs"] for count in found.counts] == [1, 0, 1]
        assert "the same ranking: a.run, again.run" in found.table().notes


def test_notes_name_few_runs_and_count_many() -> None:
    judged = {"1": {"a": 1}, "2": {"a": 1}}
    found = {f"r{at}": {"1": {"a": 1.0}} for at in range(4)}
    few = evaluate(rank_table(judged, dict(list(found.items())[:3])), "AP").table().notes
    many = evaluate(rank_table(judged, found), "AP").table().notes
    assert "r0 (1), r1 (1), r2 (1): topics without results score 0" in few
    assert "4 of 4 runs (4 in all): topics without results score 0" in many


JUDGED = {str(topic): {"a": 1, "b": 1} for topic in range(12)}
WHOLE = {topic: {"a": 3.0, "x": 2.0, "b": 1.0} for topic in JUDGED}
PART = {topic: {"x": 2.0, "a": 1.0} for topic in [*JUDGED][:7]}


RESULTS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda runs: compare(evaluate(rank_table(JUDGED, runs), "AP,R@2")),
    "agreement": lambda runs: agreement(evaluate(rank_table(JUDGED, runs), "AP,R@2")),
    "correlate": lambda runs: correlation(evaluate(rank_table(JUDGED, runs), "AP,R@2")),
    "cutoffs": lambda runs: cutoffs(rank_table(JUDGED, runs), "AP", at=[1, 2]),
    "robustness": lambda runs: robustness(rank_table(JUDGED, runs), "AP", samples=2),
    "meta": lambda runs: measures(rank_table(JUDGED, runs), "AP", samples=2),
    "judges": lambda runs: judges(JUDGED, JUDGED, runs, "AP"),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_says_that_a_run_lacks_topics(name: str) -> None:
    def result(run: dict[str, dict[str, float]]) -> Any:
        return RESULTS[name]({"whole": WHOLE, "part": run})

    line = "part (5): topics without results score 0"
    lacking, complete = result(PART), result({topic: {"x": 2.0, "a": 1.0} for topic in JUDGED})
    assert f"Note: {line}" in [note for table in lacking.tables() for note in table.notes]
    assert line in lacking.to_dict()["advice"]
    assert "topics without results" not in str(complete)
    assert line not in complete.to_dict().get("advice", [])


def test_all_say_the_same_of_what_is_left_out() -> None:
    qrels = {**JUDGED, "nothing": {"a": 0}}
    run = {**PART, "unknown": {"a": 1.0}}
    scores = evaluate(rank_table(qrels, {"whole": WHOLE, "part": run}), "AP,R@2", missing="skip")
    lines = (
        "1 topics of the qrels have no relevant document and are left out",
        "part (7 of 12): mean over the topics with results only, not comparable with a mean over all topics",
        "part (1): topics without qrels are left out",
    )
    assert scores.caveats() == lines
    assert [note for note in scores.table().notes if note in lines] == [*lines]
    assert compare(scores).advice[:3] == agreement(scores).advice[:3] == correlation(scores).advice == lines
    note = "5 topics (7, 8, 9, …) without results in this run score 0."
    assert note in gate(JUDGED, PART, WHOLE, "AP").notes


def test_qrels_and_runs_are_audited_without_a_rank_table(tmp_path: Path) -> None:
    expected = counted(tmp_path, [*LINES, "1 Q0 a 6 1 t", "broken"], duplicates="first", malformed="skip")
    (tmp_path / "empty.run").touch()
    found = audit(tmp_path / "qrels", [tmp_path / "a.run", tmp_path / "empty.run"], k=3)
    assert found.counts == expected.counts
    assert [*found.unreadable] == ["empty.run"]
    with pytest.raises(UsageError, match="audit: a str is not a rank table; pass the qrels and the runs"):
        audit("qrels")
