"""An experiment file is read with every default in its place, and what is wrong in it is said of its key."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from antecede.errors import InputError
from antecede.experiment.searches import SearchSection, default_methods
from antecede.experiment.settings import (
    MEASURES,
    STUDIES,
    CollectionSource,
    Evaluation,
    IndexSource,
    Settings,
    Synthetic,
    TopicSource,
    read_settings,
)

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.experiment.document import Section

SYNTHETIC = "[collection]\nsynthetic = { patents = 300 }\n"
RUNS = 'qrels = "qrels.txt"\nruns = ["a.run", "b.run"]\n'


def read(folder: Path, text: str) -> Settings:
    (folder / "x.toml").write_text(text)
    return read_settings(folder / "x.toml")


def test_a_short_file_gives_the_papers_tables(here: Path) -> None:
    found = read(here, SYNTHETIC)
    assert tuple(each.name for each in found.searches) == default_methods()
    assert (found.evaluation.baseline, found.evaluation.measures) == ("full", MEASURES)
    assert [*found.study] == ["robustness", "agreement", "correlation", "cutoffs"]
    assert (found.title, found.out) == ("x", here / "x")
    assert found.languages is None


def test_runs_alone_need_no_patents(here: Path) -> None:
    found = read(here, 'qrels = "qrels.txt"\nruns = ["*.run"]\n')
    assert [each.name for each in found.runs] == ["a.run", "b.run", "c.run", "d.run"]
    assert found.evaluation.baseline == "a.run"
    assert not found.searches


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
    "syntax": ("title = \n", "x.toml, line 1: is not valid TOML at column 9: Invalid value; correct the syntax"),
    "unknown key": (
        "titel = 'a'\n" + RUNS,
        "titel: unknown key (did you mean title?); the keys are title, out, collection",
    ),
    "unknown key in a section": (
        RUNS + "[evaluation]\n\nmeasure = 'AP'\n",
        "evaluation.measure: unknown key (did you mean measures?)",
    ),
    "missing path": (
        'qrels = "qrel.txt"\nruns = "a.run"\n',
        "qrels: 'qrel.txt' does not exist; did you mean qrels.txt?",
    ),
    "endless run": ('qrels = "qrels.txt"\nruns = ["a.run",\n"/dev/zero"]\n', "'/dev/zero' is a device or a pipe"),
    "long number": (
        RUNS + f"[evaluation]\nalpha = 0x{'f' * 6000}\n",
        "has a number with too many digits; give a smaller one",
    ),
    "missing runs": ('qrels = "qrels.txt"\nruns = "z*.run"\n', "runs: no file matches 'z*.run'; paths are relative to"),
    "missing collection": ('qrels = "qrels.txt"\n[collection]\npaths = ["patents/"]\n', "relative to"),
    "wrong type": (RUNS + "[evaluation]\nalpha = '5 %'\n", "evaluation.alpha: must be a number, not the string '5 %'"),
    "a fraction": (SYNTHETIC + "[search]\nk = 10.5\n", "search.k: must be a whole number, not 10.5"),
    "out of range": (SYNTHETIC + "[search]\nk = 0\n", "search.k: must be between 1 and 1000000, not 0"),
    "terms of a language": (
        SYNTHETIC + "[search]\nterms = { en = 5,\tfr = 0 }\n",
        "search.terms.fr: must be between 1 and 1000000, not 0",
    ),
    "a folder for a run": ("qrels = 'qrels.txt'\nruns = ['a.run', '.']\n", "is a folder; name a file"),
    "a field of the index": (SYNTHETIC + "[index]\nfields = ['title',\n'claim']\n", "(did you mean claims?)"),
    "no day": (
        SYNTHETIC + "[topics]\nafter = 'May'\n",
        "topics.after: must be a date, not the string 'May'; write it as 2001-12-31",
    ),
    "empty list": (SYNTHETIC + "[search]\nmodels = []\n", "search.models: is empty"),
    "unknown method": (SYNTHETIC + "[search]\nmethods = ['full', 'tfdif']\n", "did you mean tfidf"),
    "unknown measure": (
        RUNS + "[evaluation]\nmeasures = ['AP',\n'PERS@10']\n",
        "unknown measure 'PERS@10'; did you mean PRES",
    ),
    "few patents": ("[collection]\nsynthetic = { patents = 3 }\n", "cannot generate 3 patents"),
    "both sources": ("[collection]\npaths = 'a.run'\nsynthetic = {}\n", "needs either paths or synthetic, not both"),
    "index without collection": (RUNS + "[index]\nprofile = 'default'\n", "there is no collection"),
    "baseline": (
        RUNS + "[evaluation]\nbaseline = 'a.rum'\n",
        "there is no run 'a.rum' (did you mean a.run or b.run?); the runs are a.run, b.run",
    ),
    "no judgements": ("[collection]\npaths = 'a.run'\n", "there are no judgements; give qrels = PATH, or make topics"),
    "two kinds of judgements": (
        "qrels = 'qrels.txt'\ncollection = 'a.run'\n[topics]\nafter = 2001-01-01\n",
        "topics from citations have their own judgements; leave out either",
    ),
    "two kinds of topics": (
        "collection = 'a.run'\n[topics]\npaths = 'a.run'\nafter = 2001-01-01\n",
        "leave one of them out",
    ),
    "nothing to search in": (
        "qrels = 'qrels.txt'\n[search]\nmethods = 'tf'\n",
        "there is nothing to search; give a collection",
    ),
    "nothing to do": ("qrels = 'qrels.txt'\n", "there is nothing to evaluate"),
    "languages of runs": ("languages = ['en']\n" + RUNS, "has no effect where only runs are evaluated; leave it out"),
    "a language that is not there": (
        "languages = ['en',\n'it']\n" + SYNTHETIC,
        "the collection has no text in 'it'; it has en",
    ),
    "no language": ("languages = 'English'\n" + SYNTHETIC, "'English' is not a language code; write a code such as en"),
    "names that clash": (
        SYNTHETIC + "[[runs]]\npath = 'a.run'\nname = 'x'\n[[runs]]\npath = 'b.run'\nname = 'x'\n",
        "two runs are named x; give one of them another name",
    ),
    "unfit name": (
        SYNTHETIC + "[[runs]]\npath = 'a.run'\nname = '../x'\n",
        "'../x' cannot be a file name; use letters",
    ),
    "no run": (SYNTHETIC + "[[runs]]\nname = 'x'\n", "does not describe a run; give either a path, or a method"),
    "a study of one run": ("qrels = 'qrels.txt'\nruns = 'a.run'\n[study]\nagreement = true\n", "there is only one"),
    "a sweep without search": (RUNS + "[study]\nquery_length = true\n", "nothing is searched; leave it out"),
    "groups that are not named": (RUNS + "[study]\nrobustness = { remove = 'group' }\n", "give groups = PATH"),
    "qrels that cannot be read": ("qrels = 'x.toml'\nruns = 'a.run'\n", "qrels: "),
    "topics of a synthetic collection": (
        "topics = 'a.run'\n" + SYNTHETIC,
        "your own topics need their own judgements; give qrels = PATH",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_line(here: Path, case: str) -> None:
    text, message = WRONG[case]
    with pytest.raises(InputError) as error:
        read(here, text)
    told = str(error.value)
    assert message in told
    assert "\n" not in told
    assert re.match(re.escape(str(here / "x.toml")) + "(, line 1)?: ", told)
    assert not (here / "x").exists()


ODD = [
    "3", "-1", "true", "[]", "{}", "[{}]", "['a', 3]", "nan", "2001-01-01", "10:00:00", "''", "'x'", "{ a = 1 }",
    f"{10**20}", "9" * 6000, "0x" + "f" * 6000, "'/dev/zero'", f"'{'a' * 300}'", f"'{'a/' * 3000}'",
    "'~nobody-at-all/x'", "'**x'", "'[*'", '"\\u0000"', "'a.run/x'",
]  # fmt: skip
SECTIONS: dict[str, type[Section]] = {
    "": Settings,
    "collection": CollectionSource,
    "collection.synthetic": Synthetic,
    "index": IndexSource,
    "topics": TopicSource,
    "evaluation": Evaluation,
    "search": SearchSection,
    **{f"study.{name}": each.section for name, each in STUDIES.items()},
}


@pytest.mark.parametrize(
    ("section", "key"), [(section, key) for section, kind in SECTIONS.items() for key in kind.model_fields]
)
def test_an_odd_value_of_any_key_is_accepted_or_refused_in_one_line_of_ours(here: Path, section: str, key: str) -> None:
    refused = 0
    for value in ODD:
        text = f"[{section}]\n{key} = {value}\n" if section else f"{key} = {value}\n"
        try:
            read(here, text)
        except InputError as error:
            told = str(error)
            assert told.startswith(f"{here / 'x.toml'}")
            assert "\n" not in told
            assert not re.search("Input |Value |a valid |instance|a dictionary|valid dictionary", told)
            refused += 1
    assert refused


def test_a_file_that_is_not_there_or_no_text_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_settings(tmp_path / "none.toml")
    with pytest.raises(InputError, match="is a device"):
        read_settings("/dev/zero")
    with pytest.raises(InputError, match="is a folder"):
        read_settings(tmp_path)
    (tmp_path / "x.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(InputError, match="is not UTF-8"):
        read_settings(tmp_path / "x.toml")


@pytest.mark.parametrize("depth", [30, 160, 200, 330, 1000, 5000])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, depth: int) -> None:
    for text in ("search = " + "[" * depth + "]" * depth, "search = " + "{a=" * depth + "1" + "}" * depth):
        with pytest.raises(InputError, match=r"x\.toml: (search|has too many|is not valid TOML)"):
            read(tmp_path, text)


def test_results_may_not_go_among_the_files_that_are_read(here: Path) -> None:
    with pytest.raises(InputError, match=r"inside .* which is read; choose another folder with out="):
        read(here, "qrels = 'qrels.txt'\ncollection = '.'\n")
