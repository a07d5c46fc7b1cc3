"""trec_eval's own test outputs, to the digits it prints, for every measure we share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antecede import evaluate, rank_table
from antecede.errors import MeasureError
from antecede.measures import parse_measure

if TYPE_CHECKING:
    from pathlib import Path

    from antecede import Scores

NOT_OURS = {"runid", "relstring", "relstring_20"}
"""What trec_eval prints and we do not have: names and signs, no numbers."""

WITH_PARAMETERS = {"utility_2,-1,0,0": "Utility(found=2, noise=-1, missed=0, rest=0)"}
"""Names with parameters between commas. We part measures by commas, so ours are written out."""

CASES: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "out.test": ("qrels.test", "results.test", {}, {"missing": "skip"}),
    "out.test.a": ("qrels.test", "results.test", {}, {"missing": "skip"}),
    "out.test.aq": ("qrels.test", "results.test", {}, {"missing": "skip"}),
    "out.test.aqc": ("qrels.test", "results.trunc", {}, {"missing": "zero"}),
    "out.test.aqcM": ("qrels.test", "results.trunc", {"depth": 100}, {"missing": "zero"}),
    "out.test.aql": ("qrels.rel_level", "results.test", {}, {"missing": "skip", "rel": 2}),
    "out.test.meas_params": ("qrels.test", "results.test", {}, {"missing": "skip"}),
    "out.comment.test": ("qrels.comment.test", "results.comment.test", {}, {"missing": "skip", "no_relevant": "zero"}),
}


def expected_lines(path: Path) -> list[tuple[str, str, str]]:
    found = []
    for line in path.read_text().splitlines():
        name, topic, value = line.split()
        found.append((name, topic, value))
    return found


def known(name: str, rel: int | None) -> str | None:
    """The name of one of trec_eval's measures if it is ours too, written as we write it."""
    if name in NOT_OURS or name.startswith(("11pt_avg_", "ndcg_1=")):
        return None
    measure = parse_measure(WITH_PARAMETERS.get(name, name))
    takes_level = any(parameter.name == "rel" for parameter in measure.definition.parameters)
    if rel is not None and takes_level:
        inside, at, behind = measure.name.partition("@")
        inside = f"{inside[:-1]}, rel={rel})" if inside.endswith(")") else f"{inside}(rel={rel})"
        return str(parse_measure(f"{inside}{at}{behind}"))
    return str(measure)


def differs_on_purpose(case: str, name: str, topic: str) -> bool:
    # Grades above 1: trec_eval's rbp takes them as gains, ours is binary at `rel`.
    graded = case == "out.test.aql" and name == "rbp"
    # A run without results for topic 302: trec_eval's residual is 0, though all it could have found is unknown: 1.
    empty = case in {"out.test.aqc", "out.test.aqcM"} and name == "rbp_resid" and topic in {"302", "all"}
    return graded or empty


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_trec_eval_to_the_printed_digits(data: Path, case: str) -> None:
    folder = data / "trec_eval"
    qrels, run, reading, scoring = CASES[case]
    rel: int | None = scoring.get("rel")
    lines = [line for line in expected_lines(folder / case) if not differs_on_purpose(case, *line[:2])]
    ours = {name: known(name, rel) for name, _, _ in lines}
    table = rank_table(folder / qrels, folder / run, **reading)
    measures = [each for each in ours.values() if each]
    scores = evaluate(table, measures, missing=scoring["missing"], no_relevant=scoring.get("no_relevant", "skip"))
    compared = 0
    for name, topic, printed in lines:
        measure = ours[name]
        if measure is None:
            continue
        value = value_of(scores, measure, topic)
        digits = len(printed.partition(".")[2])
        assert f"{value:.{digits}f}" == printed, (name, topic)
        compared += 1
    assert compared > 20


@pytest.mark.parametrize(
    ("case", "group"), [("out.test", "official"), ("out.test.a", "all_trec"), ("out.test.aq", "all_trec")]
)
def test_prints_what_trec_eval_prints(data: Path, case: str, group: str) -> None:
    folder = data / "trec_eval"
    table = rank_table(folder / "qrels.test", folder / "results.test")
    printed = evaluate(table, group, missing="skip").to_trec_eval(run_id=True).splitlines(keepends=True)
    expected = (folder / case).read_text().splitlines(keepends=True)
    only_all = case != "out.test.aq"
    assert [line for line in printed if not only_all or "\tall\t" in line] == [
        line for line in expected if not line.startswith("relstring")
    ]


def value_of(scores: Scores, measure: str, topic: str) -> Any:
    at = [str(each) for each in scores.measures].index(measure)
    if topic == "all":
        return scores.totals[at, 0]
    return scores.values[at, 0, scores.rank_table.topics.index(topic)]


def test_comments_in_qrels_change_nothing(data: Path) -> None:
    folder = data / "trec_eval"
    plain = evaluate(rank_table(folder / "qrels.test", folder / "results.test"), "AP,nDCG,Bpref")
    commented = evaluate(rank_table(folder / "qrels.test.with-comments", folder / "results.test"), "AP,nDCG,Bpref")
    assert plain.totals.tolist() == commented.totals.tolist()


def test_no_name_of_trec_eval_is_claimed_without_a_measure(data: Path) -> None:
    unknown = set()
    for name, _, _ in expected_lines(data / "trec_eval" / "out.test.a"):
        try:
            parse_measure(name)
        except MeasureError:
            unknown.add(name)
    assert unknown <= NOT_OURS


def test_where_version_9_differs_as_the_documentation_says() -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")

    def both(qrels: dict[str, int], run: dict[str, float], name: str) -> tuple[float, float]:
        theirs = pytrec_eval.RelevanceEvaluator({"1": qrels}, {name.rpartition("_")[0] or name, name})
        ours = evaluate(rank_table({"1": qrels}, {"run": {"1": run}}), name)
        return float(theirs.evaluate({"1": run})["1"][name]), float(ours.totals[0, 0])

    # Of 13 relevant documents, a tenth is 1.3: version 9 asks for two, version 10 for one.
    found = both({f"d{at}": 1 for at in range(13)}, {"d1": 3.0, "x": 2.0, "d2": 1.0}, "iprec_at_recall_0.10")
    assert found == pytest.approx((2 / 3, 1.0))
    # Equal with 32 bits, so that b comes first there; with 64 bits a does.
    assert both({"a": 1, "b": 0}, {"a": 1.000000001, "b": 1.0}, "map") == pytest.approx((0.5, 1.0))
    assert both({"a": 1, "b": 0}, {"a": 1.001, "b": 1.0}, "map") == pytest.approx((1.0, 1.0))
