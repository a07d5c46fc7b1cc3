"""An experiment file is read with every default in its place, and what is wrong in it is said of its own line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.errors import InputError
from antecede.experiment.reading import read_settings
from antecede.experiment.searches import default_methods
from antecede.experiment.settings import MEASURES

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.experiment.settings import Settings

SYNTHETIC = "[collection]\nsynthetic = { patents = 300 }\n"
RUNS = 'qrels = "qrels.txt"\nruns = ["a.run", "b.run"]\n'


def read(folder: Path, text: str) -> Settings:
    (folder / "x.toml").write_text(text)
    return read_settings(folder / "x.toml")


def test_a_short_file_gives_the_papers_tables(here: Path) -> None:
    found = read(here, SYNTHETIC)
    assert tuple(each.name for each in found.searches) == default_methods()
    assert (found.evaluation.baseline, found.evaluation.measures) == ("full", MEASURES)
    assert [*found.studies] == ["robustness", "agreement", "correlate", "cutoffs"]
    assert (found.title, found.out) == ("x", here / "x")
    assert found.languages is None


def test_runs_alone_need_no_patents(here: Path) -> None:
    found = read(here, 'qrels = "qrels.txt"\nruns = ["*.run"]\n')
    assert [each.name for each in found.runs] == ["a.run", "b.run", "c.run", "d.run"]
    assert found.evaluation.baseline == "a.run"
    assert not found.searching


def test_methods_models_and_parameters_are_crossed_and_named_by_what_differs(here: Path) -> None:
    search = '[search]\nmethods = ["full", "tf", "tfidf+lm(lambda=0.2)"]\nterms = [10, 20]\nk = 5\n'
    search += 'models = ["bm25", "pl2"]\n'
    found = read(here, SYNTHETIC + search).searches
    assert [each.name for each in found] == [
        *("full-model=bm25", "full-model=pl2"),
        *(f"tf-model={m}-terms={t}" for m in ("bm25", "pl2") for t in (10, 20)),
        *(f"tfidf+lm-lambda=0.2--model={m}-terms={t}" for m in ("bm25", "pl2") for t in (10, 20)),
    ]
    assert [each.settings.terms for each in found[:3]] == [None, None, 10]
    assert found[-1].settings.method == ("tfidf", "lm(lambda=0.2)")
    assert {each.settings.k for each in found} == {5}


def test_terms_may_be_given_by_language(here: Path) -> None:
    found = read(here, SYNTHETIC + '[search]\nmethods = "tf"\nterms = { en = 60, fr = 30 }\n').searches[0]
    assert [found.settings_for(language).terms for language in ("en", "fr", "de", None)] == [60, 30, None, None]


def test_runs_are_described_one_by_one(here: Path) -> None:
    text = (
        SYNTHETIC
        + '[[runs]]\nmethod = "tf"\nterms = 9\n[[runs]]\nname = "mine"\nmethods = ["tf", "lm"]\nfusion = "combsum"\n'
    )
    found = read(here, text + '[[runs]]\npath = "a.run"\nname = "theirs"\n')
    assert found.names == ("tf-terms=9", "mine", "theirs")
    assert (found.searches[0].settings.terms, found.searches[1].settings.fusion) == (9, "combsum")
    assert found.evaluation.baseline == "tf-terms=9"


WRONG = {
    "syntax": ("title = \n", 1, "is no TOML, column 9: Invalid value"),
    "key twice": ("title = 'a'\n\ntitle = 'b'\n", 3, "is no TOML"),
    "unfinished": ('title = "a', 1, "is no TOML"),
    "unknown key": ("titel = 'a'\n" + RUNS, 1, "there is no key 'titel' (did you mean title?)"),
    "unknown key in a section": (RUNS + "[evaluation]\n\nmeasure = 'AP'\n", 5, "evaluation has no key 'measure' (did"),
    "unknown study": (RUNS + "[studies]\nrobust = true\n", 4, "(did you mean robustness?)"),
    "unknown option of a study": (
        RUNS + "[studies.robustness]\nsamples = 3\nsample = 3\n",
        5,
        "studies.robustness has no key 'sample' (did you",
    ),
    "missing path": (
        'qrels = "qrel.txt"\nruns = "a.run"\n',
        1,
        "qrels: there is no 'qrel.txt'; did you mean qrels.txt?",
    ),
    "missing run": ('qrels = "qrels.txt"\nruns = [\n"a.run",\n"e.run" ]\n', 4, "runs[2]: there is no 'e.run'"),
    "missing runs": ('qrels = "qrels.txt"\nruns = "z*.run"\n', 2, "there is no 'z*.run'"),
    "missing collection": ('qrels = "qrels.txt"\n[collection]\npaths = ["patents/"]\n', 3, "relative to"),
    "wrong type": (RUNS + "[evaluation]\nalpha = '5 %'\n", 4, "evaluation.alpha: must be a number, not the text '5 %'"),
    "wrong type of a list": (
        SYNTHETIC + "[search]\nmethods = ['tf',\n 3]\n",
        5,
        "methods[2]: must be a text, not the number 3",
    ),
    "text for a table": (RUNS + "studies = 'all'\n", 3, "studies: must be a table of keys, not the text 'all'"),
    "a fraction": (SYNTHETIC + "[search]\nk = 10.5\n", 4, "search.k: must be a whole number, not 10.5"),
    "out of range": (SYNTHETIC + "[search]\nk = 0\n", 4, "search.k: must be between 1 and 1000000, not 0"),
    "no day": (SYNTHETIC + "[topics]\nafter = 'May'\n", 4, "topics.after: 'May' is no day; write it as 2001-12-31"),
    "no boolean": (RUNS + "[studies]\ncorrelate = 'yes'\n", 4, "must be true or false, not the text 'yes'"),
    "empty list": (SYNTHETIC + "[search]\nmodels = []\n", 4, "search.models: is empty"),
    "unknown method": (SYNTHETIC + "[search]\nmethods = ['full', 'tfdif']\n", 4, "did you mean tfidf"),
    "unknown model": (
        SYNTHETIC + "[search]\nmodels = 'bm52'\n",
        4,
        "unknown ranking model 'bm52'; did you mean bm25",
    ),
    "unknown measure": (
        RUNS + "[evaluation]\nmeasures = ['AP',\n'PERS@10']\n",
        5,
        "unknown measure 'PERS@10'; did you mean PRES",
    ),
    "unknown test": (RUNS + "[evaluation]\ntest = 'z'\n", 4, "there is no 'z'; there are t, wilcoxon, randomization"),
    "unknown weights": (SYNTHETIC + "[search]\nweights = 'roots'\n", 4, "(did you mean root?)"),
    "unknown field": (SYNTHETIC + "[search]\nfields = 'claim'\n", 4, "there is no field 'claim'"),
    "no bound": (SYNTHETIC + "[search]\nbefore = 'soon'\n", 4, "'soon' is not a day"),
    "unknown profile": ("[collection]\nsynthetic = {}\n[index]\nprofile = 'x'\n", 4, "there is no 'x'"),
    "no size": ("[collection]\nsynthetic = {}\n[index]\nmemory = 'much'\n", 4, "'much' is not a size"),
    "few patents": ("[collection]\nsynthetic = { patents = 3 }\n", 2, "cannot generate 3 patents"),
    "both sources": ("[collection]\npaths = 'a.run'\nsynthetic = {}\n", 1, "needs either paths or synthetic, not both"),
    "no index": ("qrels = 'qrels.txt'\nindex = '.'\n", 2, "index: "),
    "index without collection": (RUNS + "[index]\nprofile = 'default'\n", 3, "there is no collection"),
    "baseline": (
        RUNS + "[evaluation]\nbaseline = 'a.rum'\n",
        4,
        "'a.rum' is none of the runs (did you mean a.run or b.run?)",
    ),
    "no judgements": (
        "[collection]\npaths = 'a.run'\n",
        None,
        "there are no judgements; give qrels = PATH, or make topics",
    ),
    "two kinds of judgements": (
        "qrels = 'qrels.txt'\ncollection = 'a.run'\n[topics]\nafter = 2001-01-01\n",
        1,
        "citations make the topics",
    ),
    "two kinds of topics": (
        "collection = 'a.run'\n[topics]\npaths = 'a.run'\nafter = 2001-01-01\n",
        4,
        "leave one out",
    ),
    "nothing to search in": ("qrels = 'qrels.txt'\n[search]\nmethods = 'tf'\n", 2, "there is nothing to search in"),
    "nothing to do": ("qrels = 'qrels.txt'\n", None, "there is nothing to evaluate"),
    "languages of runs": ("languages = ['en']\n" + RUNS, 1, "says nothing where only runs are evaluated"),
    "a language that is not there": (
        "languages = ['en',\n'it']\n" + SYNTHETIC,
        2,
        "the collection has no text in 'it'; it has en",
    ),
    "no language": ("languages = 'English'\n" + SYNTHETIC, 1, "'English' is no language"),
    "language twice": ("languages = ['en', 'en']\n" + SYNTHETIC, 1, "stands there twice"),
    "names that clash": (
        SYNTHETIC + "[[runs]]\npath = 'a.run'\nname = 'x'\n[[runs]]\npath = 'b.run'\nname = 'x'\n",
        3,
        "called x",
    ),
    "unfit name": (SYNTHETIC + "[[runs]]\npath = 'a.run'\nname = '../x'\n", 5, "cannot be the name of a file"),
    "no run": (SYNTHETIC + "[[runs]]\nname = 'x'\n", 3, "is no run; give it a path, or a method"),
    "a study of one run": (
        "qrels = 'qrels.txt'\nruns = 'a.run'\n[studies]\nagreement = true\n",
        4,
        "there is only one",
    ),
    "a sweep without search": (RUNS + "[studies]\nterms = true\n", 4, "nothing is searched for"),
    "groups that are not named": (RUNS + "[studies]\nrobustness = { lose = 'group' }\n", 4, "give groups = PATH"),
    "qrels that cannot be read": ("qrels = 'x.toml'\nruns = 'a.run'\n", 1, "qrels: "),
    "topics of a made-up collection": (
        "topics = 'a.run'\n" + SYNTHETIC,
        1,
        "topics of your own need qrels of their own",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line_with_its_own_line(here: Path, case: str) -> None:
    text, line, message = WRONG[case]
    with pytest.raises(InputError) as error:
        read(here, text)
    told = str(error.value)
    assert message in told
    assert "\n" not in told
    assert error.value.line == line
    where = f"{here / 'x.toml'}, line {line}: " if line is not None else f"{here / 'x.toml'}: "
    assert told.startswith(where)
    assert not (here / "x").exists()


def test_a_file_that_is_not_there_or_no_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_settings(tmp_path / "none.toml")
    (tmp_path / "x.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_settings(tmp_path / "x.toml")


def test_results_may_not_go_among_the_files_that_are_read(here: Path) -> None:
    with pytest.raises(InputError, match=r"inside .* which is read; choose another place with --out"):
        read(here, "qrels = 'qrels.txt'\ncollection = '.'\n")
