"""Our measures in ir_measures: the same figures as ours by themselves, and as theirs where both have a measure."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import DuplicateDocumentError, InputError, MeasureError
from antecede.evaluation import evaluate, rank_table
from antecede.measures import MEASURES, score

theirs = pytest.importorskip("ir_measures")

from antecede.adapters import ir_measures as adapter  # noqa: E402

QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"d": 1}, "3": {"e": 0}}
RUN = {"1": {"x": 9.0, "a": 8.0, "c": 7.0, "y": 6.0, "b": 5.0}, "2": {"x": 2.0, "d": 1.0}, "9": {"z": 1.0}}
NEEDED = {"docs": 1000, "percent": 80, "cutoff": 3, "recall": 0.5}

Numbers = dict[str, dict[str, float]]


def test_pres_beside_a_measure_of_theirs() -> None:
    pres, ndcg = adapter.PRES @ 100, theirs.nDCG @ 10
    found = theirs.calc_aggregate([pres, ndcg], QRELS, RUN)
    by_hand = score("PRES@100", found=[2, 5], relevant=2) + score("PRES@100", found=[2], relevant=1)
    assert found[pres] == pytest.approx(by_hand / 3), "the third topic has nothing to find and counts as 0, as there"
    assert found[ndcg] == pytest.approx(theirs.pytrec_eval.calc_aggregate([ndcg], QRELS, RUN)[ndcg])


def test_by_name() -> None:
    measure = theirs.parse_measure("PRES(rel=2)@100")
    assert (repr(measure), measure.params) == ("PRES(rel=2)@100", {"rel": 2, "cutoff": 100})
    assert measure == adapter.PRES(rel=2) @ 100
    per_topic = {each.query_id: each.value for each in theirs.iter_calc([measure], QRELS, RUN)}
    assert per_topic["1"] == pytest.approx(score("PRES@100", found=[5], relevant=1))
    assert theirs.providers.registry["antecede"] is adapter.provider


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_every_measure_of_ours_is_there_and_gives_our_figures(name: str) -> None:
    definition = MEASURES[name]
    needed = {each.name: NEEDED[each.name] for each in definition.parameters if each.required}
    measure = adapter.measures[name](**needed)
    if name == "RBP":
        measure = measure(rel=1)
    if name in ("P", "R"):
        measure = measure @ 3
    if name in ("NumQ", "NumRelRet"):
        assert not adapter.provider.supports(measure), "theirs means something else"
        return
    ours = evaluate(rank_table(QRELS, {"run": RUN}), [adapter.translate_measure(measure)], no_relevant="zero")
    found = adapter.provider.calc(  # the provider, since a shared measure would else be computed by them
        [measure], QRELS, RUN
    )
    if isinstance(measure, adapter.AntecedeMeasure):
        assert found.aggregated[measure] == pytest.approx(ours.totals[0, 0])
        assert theirs.calc_aggregate([measure], QRELS, RUN)[measure] == pytest.approx(ours.totals[0, 0])
    for metric in found.per_query:
        at = ours.rank_table.topics.index(metric.query_id)
        assert metric.value == pytest.approx(ours.values[0, 0, at])


def numbers(values: st.SearchStrategy[float] | st.SearchStrategy[int]) -> st.SearchStrategy[Numbers]:
    docs = st.dictionaries(st.sampled_from("abcdefghij"), values, min_size=1)
    return st.dictionaries(st.sampled_from(["1", "2", "3"]), docs, min_size=3, max_size=3)


@pytest.mark.slow
@given(numbers(st.integers(0, 2)), numbers(st.integers(0, 5).map(float)))
def test_what_both_have_is_the_same_figure(qrels: Numbers, run: Numbers) -> None:
    qrels["1"]["a"] = 1  # something to find
    chosen = [
        theirs.AP, theirs.AP @ 3, theirs.AP(rel=2), theirs.P @ 5, theirs.R @ 2, theirs.nDCG, theirs.nDCG @ 4, theirs.RR,
        theirs.Bpref, theirs.infAP, theirs.Rprec, theirs.Success @ 1, theirs.SetAP, theirs.NumRet, theirs.NumRel,
    ]  # fmt: skip
    assert all(adapter.provider.supports(each) for each in chosen)
    want = theirs.pytrec_eval.calc(chosen, qrels, run)
    got = adapter.provider.calc(chosen, qrels, run)
    wanted = {(each.query_id, each.measure): each.value for each in want.per_query}
    for each in got.per_query:
        assert each.value == pytest.approx(wanted[each.query_id, each.measure], abs=1e-9), each


def test_what_ours_cannot_do_is_left_to_others() -> None:
    for measure in (theirs.AP(judged_only=True), theirs.alpha_nDCG @ 10, theirs.nDCG(gains={1: 5})):
        assert not adapter.provider.supports(measure), measure
    assert adapter.provider.supports(theirs.nDCG(dcg="exp-log2"))
    assert adapter.provider.supports(theirs.ERR @ 10)
    with pytest.raises(ValueError, match="Unsupported"):
        theirs.calc_aggregate([adapter.PRES @ 0], QRELS, RUN)


def test_interpolated_precision_and_rbp_without_a_level() -> None:
    binary = {topic: {doc: min(grade, 1) for doc, grade in docs.items()} for topic, docs in QRELS.items()}
    precision, rbp = theirs.IPrec @ 0.1, theirs.RBP(p=0.8)
    assert adapter.provider.supports(precision)
    assert adapter.provider.supports(rbp)
    found = {
        (each.query_id, each.measure): each.value for each in adapter.provider.iter_calc([precision, rbp], binary, RUN)
    }
    assert found["1", precision] == pytest.approx(score("IPrec@0.1", found=[2, 5], relevant=2))
    assert found["1", rbp] == pytest.approx(score("RBP(p=0.8)", found=[2, 5], relevant=2))
    with pytest.raises(MeasureError, match=r"grades above 1, .* as in RBP\(p=0.8, rel=1\)"):
        adapter.provider.calc_aggregate([rbp], QRELS, RUN)
    assert adapter.provider.calc_aggregate([rbp(rel=1)], QRELS, RUN)


def test_frames_and_tuples_give_the_same() -> None:
    pres = adapter.PRES @ 10
    rows = [(topic, doc, value) for topic, docs in RUN.items() for doc, value in docs.items()]
    judged = [(topic, doc, value) for topic, docs in QRELS.items() for doc, value in docs.items()]
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score"])
    qrels = pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"])
    tuples = (theirs.ScoredDoc(*row) for row in rows)
    want = theirs.calc_aggregate([pres], QRELS, RUN)[pres]
    assert theirs.calc_aggregate([pres], qrels, frame)[pres] == want
    assert theirs.calc_aggregate([pres], (theirs.Qrel(*row) for row in judged), tuples)[pres] == want


def test_nothing_is_lost_in_silence() -> None:
    twice = [theirs.ScoredDoc("1", "a", 2.0), theirs.ScoredDoc("1", "a", 1.0)]
    with pytest.raises(DuplicateDocumentError):
        theirs.calc_aggregate([adapter.PRES @ 10], QRELS, twice)
    with pytest.raises(InputError, match="no topic in common"):
        theirs.calc_aggregate([adapter.PRES @ 10], QRELS, {"77": {"a": 1.0}})
    nothing = theirs.calc_aggregate([adapter.PRES @ 10, adapter.Effort @ 80], QRELS, [])
    assert sorted(nothing.values()) == [0.0, np.inf]


@pytest.mark.slow
def test_without_ir_measures_the_package_works_and_the_adapter_says_what_it_needs() -> None:
    program = (
        "import sys; sys.modules['ir_measures'] = None; sys.modules['pyterrier'] = None; sys.modules['pandas'] = None\n"
        "import antecede as ac; print(ac.score('PRES@100', found=[1], relevant=1))\n"
        "import antecede.adapters.frames, antecede.adapters.pyterrier\n"
        "import antecede.adapters.ir_measures"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "1.0\n"
    assert "pip install ir-measures" in done.stderr.splitlines()[-1]
