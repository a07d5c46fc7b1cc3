from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import antecede.measures
from antecede.errors import MeasureError
from antecede.experiment import settings
from antecede.measures import DEFAULT_MEASURES, MEASURES, parse_measure, parse_measures, score
from antecede.measures.names import GROUPS, write_trec_eval_names
from antecede.study.cutoffs import FAMILIES
from antecede.study.term_counts import MEASURES as TERM_MEASURES
from tests.measures.worlds import every_measure


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("PRES@1000", "PRES@1000"),
        ("PRES(rel=2)@100", "PRES(rel=2)@100"),
        (" pres( rel = 2 )@100 ", "PRES(rel=2)@100"),
        ("F(rel=2, beta=0.5)@10", "F(beta=0.5, rel=2)@10"),
        ("nDCG(gain=exp)@10", "nDCG(gain=exp)@10"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("MRR", "RR"),
        ("map", "AP"),
        ("map_cut_100", "AP@100"),
        ("P_10", "P@10"),
        ("recall_1000", "R@1000"),
        ("recip_rank", "RR"),
        ("gm_map", "GMAP"),
        ("set_F", "F"),
        ("rbp", "RBP(p=0.9)"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("unj_20", "Unjudged@20"),
        ("utility", "Utility"),
        ("err@20", "ERR@20"),
        ("Utility(noise=-0.5, found=2)", "Utility(found=2, noise=-0.5)"),
    ],
)
def test_is_understood(written: str, name: str) -> None:
    assert str(parse_measure(written)) == name


@pytest.mark.parametrize("measure", every_measure(), ids=str)
def test_what_a_measure_calls_itself_means_the_same_measure(measure: antecede.measures.Measure) -> None:
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("PRS@100", "did you mean PRES"),
        ("ndgc@10", "nDCG"),
        ("PRES", "needs its cutoff; write it as PRES@1000"),
        ("PRES@0", "cutoff must be 1 or more, not 0"),
        ("PRES@ten", "cutoff 'ten' is not a whole number"),
        ("PRES(level=2)@10", "has no parameter 'level'; it takes cutoff, rel"),
        ("PRES(2)@10", "write it as name=value"),
        ("Rnorm", "needs its docs"),
        ("WSS@95", "WSS(docs=…, rel=1)@percent"),
        ("Bpref@10", "takes nothing after an @"),
        ("RBP(p=1)", "p must be between 0 and 1"),
        ("nDCG(gain=cubic)", "is not one of linear, exp"),
        ("Effort@0.95", "is not a whole number"),
        ("AP(rel=0)", "rel must be 1 or more"),
        ("utility_2,-1,0,0", "not a measure"),
        ("", "not a measure"),
        ("🎉", "not a measure"),
    ],
)
def test_an_error_says_what_is_near_or_right(written: str, said: str) -> None:
    with pytest.raises(MeasureError) as error:
        parse_measure(written)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_level_for_all_that_do_not_say() -> None:
    found = parse_measures("AP,P(rel=3)@5,nDCG", rel=2)
    assert [str(each) for each in found] == ["AP(rel=2)", "P(rel=3)@5", "nDCG"]
    assert parse_measures(["PRES@10,R@5", "AP"]) == parse_measures("PRES@10,R@5,AP")


def test_the_worked_examples_hold() -> None:
    tried = 0
    for module in pkgutil.iter_modules(antecede.measures.__path__):
        found = doctest.testmod(
            importlib.import_module(f"antecede.measures.{module.name}"), extraglobs={"score": score}
        )
        assert not found.failed, module.name
        tried += found.attempted
    assert tried >= len(MEASURES)


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_carries_its_documentation(name: str) -> None:
    definition = MEASURES[name]
    assert definition.cite
    assert definition.summary.endswith(".")
    assert len(definition.doc.split("\n\n")) >= 3, "summary, formula, example"
    assert f'score("{name}' in definition.doc, "a worked example of the measure itself"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("PRES@10,R(rel=2)@5,AP , map,R@5", "PRES@10 R(rel=2)@5 AP R@5"),
        ("P@5,10,20", "P@5 P@10 P@20"),
        ("P_5,10,R@5,10", "P@5 P@10 R@5 R@10"),
        ("AP(rel=2)@5, 10 ,map", "AP(rel=2)@5 AP(rel=2)@10 AP"),
        ("iprec_at_recall.10,.25", "IPrec@0.1 IPrec@0.25"),
        ("set", "NumQ NumRet NumRel NumRelRet Utility P RelP R SetAP F"),
        ("map,set,map", "AP NumQ NumRet NumRel NumRelRet Utility P RelP R SetAP F"),
    ],
)
def test_several_cutoffs_and_groups(text: str, names: str) -> None:
    assert " ".join(map(str, parse_measures(text))) == names


@pytest.mark.parametrize("text", ["5", "map,10", "P@5,x", "AP,5,10", []])
def test_a_number_without_a_cutoff_before_it_is_no_measure(text: str) -> None:
    with pytest.raises(MeasureError):
        parse_measures(text)


def test_every_name_of_trec_eval_is_written_as_it_is_read() -> None:
    for group in GROUPS.values():
        assert write_trec_eval_names(parse_measures(group)) == [*group]
    names = write_trec_eval_names(parse_measures("PRES@100,AP(rel=2),map,P(rel=2)@5"))
    assert names == ["PRES@100", "AP(rel=2)", "AP", "P_5"]


ROOT = Path(__file__).parents[2]
COUNT = re.compile(r"\b(eight|nine|ten|eleven|twelve|\d+)\s+(\[?query )?(methods|queries of a topic)\b", re.IGNORECASE)
"""A number of methods in words or digits, which is wrong as soon as a method is added."""


def test_pres_is_the_first_default_measure_everywhere() -> None:
    for measures in (DEFAULT_MEASURES, FAMILIES, TERM_MEASURES, settings.MEASURES):
        assert measures[0].startswith("PRES"), measures


def test_the_number_of_methods_is_never_written() -> None:
    files = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    files += [*(ROOT / "src").rglob("*.toml")]
    found = {str(path.relative_to(ROOT)): COUNT.findall(path.read_text(encoding="utf-8")) for path in files}
    assert {name: counts for name, counts in found.items() if counts} == {}
