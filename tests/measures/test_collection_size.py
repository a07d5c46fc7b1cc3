"""The size of the collection: one number, the judged documents of each topic, or a file of sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede import InputError, MalformedInputError, MeasureError, evaluate, parse_measure, rank_table
from antecede.study import robustness

if TYPE_CHECKING:
    from pathlib import Path

    from antecede import RankTable

# Two reviews: one with 10 documents judged, 2 of them relevant; one with 40 documents, 3 of them relevant.
SIZES = {"CD1": (10, ("d2", "d7")), "CD2": (40, ("d1", "d5", "d20"))}


@pytest.fixture
def table(tmp_path: Path) -> RankTable:
    """Each review ranked in the order d1, d2, …; the second list is cut before d20."""
    qrels = [
        f"{topic} 0 d{i} {int(f'd{i}' in relevant)}\n"
        for topic, (size, relevant) in SIZES.items()
        for i in range(1, size + 1)
    ]
    (tmp_path / "qrels").write_text("".join(qrels))
    lengths = {"CD1": 10, "CD2": 15}
    lines = [f"{topic} Q0 d{i} {i} {100 - i} t\n" for topic, length in lengths.items() for i in range(1, length + 1)]
    (tmp_path / "a.run").write_text("".join(lines))
    return rank_table(tmp_path / "qrels", tmp_path / "a.run")


def by_hand(read: dict[str, int], sizes: dict[str, int]) -> list[float]:
    return [(sizes[topic] - read[topic]) / sizes[topic] - 0.05 for topic in sizes]


def test_each_topic_has_its_own_size(table: RankTable, tmp_path: Path) -> None:
    judged = {"CD1": 10, "CD2": 40}
    # 95 % of 2 and of 3 are all: CD1 is read down to d7; CD2 never gets to d20, so all of it is read.
    scores = evaluate(table, ["WSS(docs=judged)@95", "Effort(docs=judged)@95", "TNR(docs=judged)@95"])
    assert scores.of("WSS(docs=judged)@95")[0].tolist() == pytest.approx(by_hand({"CD1": 7, "CD2": 40}, judged))
    assert scores.of("Effort(docs=judged)@95")[0].tolist() == [7, 40]
    assert scores.of("TNR(docs=judged)@95")[0].tolist() == pytest.approx([(8 - 5) / 8, 0])
    sizes = tmp_path / "sizes.tsv"
    for text in ("CD1\t20\nCD2\t50\n", "topic,size\nCD2,50\nCD1,20\nCD9,3\n", "# of two reviews\nCD1 20\n\nCD2  50"):
        sizes.write_text(text)
        measure = f"WSS(docs={sizes})@95"
        found = evaluate(table, [measure, f"Rnorm(docs={sizes})", f"Utility(docs={sizes}, rest=1)"])
        assert found.values[0, 0].tolist() == pytest.approx(by_hand({"CD1": 7, "CD2": 50}, {"CD1": 20, "CD2": 50}))
        # CD1: ranks 2 and 7; CD2: ranks 1, 5, and the last of 50.
        assert found.values[1, 0].tolist() == pytest.approx([1 - (9 - 3) / (2 * 18), 1 - (56 - 6) / (3 * 47)])
        assert found.values[2, 0].tolist() == pytest.approx([2 - 8 + (20 - 10), 2 - 13 + (50 - 15 - 1)])
        assert str(parse_measure(measure)) == measure
    assert evaluate(table, "WSS(docs=1000)@95").values[0, 0, 0] == pytest.approx((1000 - 7) / 1000 - 0.05)


def test_lost_judgements_make_no_collection_smaller(table: RankTable, tmp_path: Path) -> None:
    lines = [f"{topic} Q0 d{i} {i} {i} t\n" for topic in SIZES for i in range(1, 11)]
    (tmp_path / "b.run").write_text("".join(lines))
    both = rank_table(tmp_path / "qrels", [tmp_path / "a.run", tmp_path / "b.run"])
    result = robustness(both, "Effort(docs=judged)@100", keep=[0.5], samples=4, seed=1)
    # A document that neither list has costs reading all of the topic's collection, however many judgements remain.
    efforts = {2, 7, 1, 5, 10, 40, 9, 4, 6, 3}
    assert {float(total) for total in result.totals.ravel()} <= {(a + b) / 2 for a in efforts for b in efforts}
    assert result.full[0].tolist() == [(7 + 40) / 2, (9 + 40) / 2]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("CD1 20\n", MeasureError, "the file has no size for topic CD2; add a line for it"),
        ("CD1 20\nCD2 12\n", MeasureError, "topic CD2 has at least 15 documents, not 12"),
        ("CD1 20\nCD2 many\n", MalformedInputError, "line 2: 'CD2 many' is not a topic and the size"),
        ("CD1 20 CD2 30\n", MalformedInputError, "line 1"),
        ("CD1 20\nCD1 21\n", InputError, "has two sizes"),
        ("# nothing\n", InputError, "has no size"),
    ],
)
def test_sizes_that_cannot_be_used_are_refused(
    table: RankTable, tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    (tmp_path / "sizes").write_text(text)
    with pytest.raises(error, match=message):
        evaluate(table, f"WSS(docs={tmp_path / 'sizes'})@95")


def test_what_is_no_size_is_refused_before_anything_is_read() -> None:
    for wrong in ("WSS(docs=juged)@95", "Effort(docs=/no/such/file)@80"):
        with pytest.raises(MeasureError, match="is not a number, 'judged' or a file"):
            parse_measure(wrong)
    with pytest.raises(MeasureError, match="docs must be 1 or more, not 0"):
        parse_measure("WSS(docs=0)@95")
    assert parse_measure("WSS(docs=0100)@95") == parse_measure("WSS(docs=100)@95")


def test_a_run_that_ranks_more_than_was_judged_needs_another_size(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "a.run").write_text("1 Q0 a 1 3 t\n1 Q0 x 2 2 t\n1 Q0 y 3 1 t\n")
    with pytest.raises(MeasureError, match=r"topic 1 has at least 3 documents, not 2; give the sizes .* depth="):
        evaluate(rank_table(tmp_path / "qrels", tmp_path / "a.run"), "WSS(docs=judged)@95")
