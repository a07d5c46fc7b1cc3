"""Every public function, called with every wrong type for every argument: a result, or an error that says why."""

from __future__ import annotations

import inspect
import json
import pickle
import shutil
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl
import pytest

import antecede as ac
from antecede import comparison
from antecede.arguments import TYPES, describe_hint
from antecede.errors import wording_for_shell
from antecede.names import public_names
from antecede.review.judged_topics import topics_from_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TOPICS = tuple(map(str, range(1, 13)))
QRELS = {topic: {"a": 1, "b": 0, "c": 1} for topic in TOPICS}
RUN = {topic: {"a": 3.0, "b": 2.0, "c": 1.0} if topic < "3" else {"b": 3.0, "a": 1.0} for topic in TOPICS}
OTHER = {topic: {"b": 3.0, "c": 2.0, "a": 1.0} for topic in TOPICS}
FUNCTIONS = [name for name in public_names() if inspect.isfunction(attrgetter(name)(ac))]
PROCESSES = ("workers", "threads")
ELSEWHERE = ("learn.translations", "learn.weights", "load_experiment", "run_experiment")
"""Functions that take more than these few patents, or longer, and have tests of their own."""


@dataclass
class Things:
    """One object of each public type, and files, from which every function can be called."""

    folder: Path
    index: Any
    patent: Any
    scores: Any
    judged: Any
    calls: int = 0

    def path(self) -> Path:
        """A file or folder that is not there yet."""
        self.calls += 1
        (folder := self.folder / "out" / str(self.calls)).mkdir()
        return folder / "x"

    def call_of(self, name: str) -> dict[str, Any]:
        """Arguments with which a function does what it is for."""
        table, run = self.scores.rank_table, ac.read_run(RUN)
        calls: dict[str, Callable[[], dict[str, Any]]] = {
            "index.add": lambda: {"index": self.fresh_index(), "collection": self.folder / "more", "workers": 1},
            "study.agreement": lambda: {"scores": self.scores},
            "anova": lambda: {"scores": self.scores},
            "audit": lambda: {"table": QRELS, "runs": [RUN]},
            "build_index": lambda: {"documents": [{"doc_id": "a", "title": "Radar"}]},
            "index.build": lambda: {"collection": self.folder / "patents", "out": self.path(), "workers": 1},
            "review.calibrate": lambda: {"judged": self.judged.readings},
            "compare": lambda: {"scores": self.scores, "samples": 10, "resamples": 100},
            "study.judges": lambda: {"first": QRELS, "second": QRELS, "runs": [RUN, OTHER], "samples": 10},
            "study.bayes": lambda: {"scores": self.scores, "margin": 0.1},
            "study.equivalence": lambda: {"scores": self.scores, "margin": 0.1},
            "study.intervals": lambda: {"scores": self.scores, "samples": 2},
            "study.mixed": lambda: {"scores": self.scores, "collections": self.collections()},
            "study.power": lambda: {"scores": self.scores, "difference": 0.1, "samples": 2},
            "study.reproducibility": lambda: {"qrels": QRELS, "runs": [RUN], "original": [OTHER]},
            "study.tukey": lambda: {"scores": self.scores, "samples": 2},
            "study.correlation": lambda: {"scores": self.scores},
            "study.cutoffs": lambda: {"table": table, "at": [1, 2]},
            "review.stop": lambda: {"text": "knee", "reading": self.judged.readings[0].reading},
            "discriminative_power": lambda: {"values": self.scores.of("AP"), "samples": 10},
            "review.estimate": lambda: {"text": "poisson", "reading": self.judged.readings[0].reading},
            "evaluate": lambda: {"table": table, "measures": "AP"},
            "export": lambda: {"run": run, "path": self.path().parent},
            "fuse": lambda: {"runs": [RUN, OTHER]},
            "gate": lambda: {"qrels": QRELS, "run": RUN, "baseline": OTHER, "measures": "AP", "samples": 10},
            "learn.translations": lambda: {"patents": [self.patent]},
            "learn.weights": lambda: {"index": self.index, "threads": 1},
            "learn.space": lambda: {"index": self.fresh_index(), "workers": 1},
            "load_experiment": lambda: {"folder": self.folder / "nosuch"},
            "make_query": lambda: {"patent": self.patent, "index": self.index},
            "topics": lambda: {"collection": ac.Collection(self.folder / "patents")},
            "index.info": lambda: {"index": self.index.folder},
            "index.merge": lambda: {"index": self.fresh_index(), "workers": 1},
            "study.measures": lambda: {"table": table, "measures": "AP", "samples": 2},
            "open_index": lambda: {"where": self.index.folder},
            "parse_measure": lambda: {"text": "AP"},
            "study.published": lambda: {"samples": 1},
            "rank_table": lambda: {"qrels": QRELS, "runs": [RUN, OTHER]},
            "read_application": lambda: {"path": self.folder / "draft.txt"},
            "review.read_judged": lambda: {"qrels": QRELS, "run": RUN},
            "read_qrels": lambda: {"given": QRELS},
            "read_run": lambda: {"given": RUN},
            "study.retrievability": lambda: {"index": self.index, "topics": ["radar"], "models": ["bm25"]},
            "review.status": lambda: {"review": self.fresh_review()},
            "study.robustness": lambda: {"table": table, "measures": "AP", "samples": 2},
            "run_experiment": lambda: {"file": self.folder / "nosuch.toml"},
            "run": lambda: {"index": self.index, "topics": [self.patent], "threads": 1},
            "score": lambda: {"measure": "AP", "found": [1, 3], "relevant": 3},
            "search_index": lambda: {"index": self.index, "topic": "radar"},
            "study.simulate": lambda: {"runs": 3, "topics": 2, "depth": 10},
            "review.simulate": lambda: {"topics": topics_from_run(RUN, QRELS)},
            "review.start": lambda: {"path": self.path(), "index": self.index, "topic": "radar"},
            "synthesize": lambda: {"out": self.path(), "patents": 100, "topics": 1, "length": 300},
            "study.query_length": lambda: {
                "index": self.index,
                "topics": [self.patent],
                "qrels": {self.patent.doc_id: {"EP-1000001": 1}},
                "method": "tfidf",
                "at": [5, 10],
            },
            "index.verify": lambda: {"index": self.index.folder},
            "write_qrels": lambda: {"qrels": ac.read_qrels(QRELS), "path": self.path()},
            "write_run": lambda: {"run": run, "path": self.path()},
        }
        return calls[name]()

    def collections(self) -> dict[str, str]:
        return {topic: "ab"[at % 2] for at, topic in enumerate(self.scores.topics)}

    def fresh_index(self) -> Path:
        return shutil.copytree(self.index.folder, self.path())

    def fresh_review(self) -> Any:
        return ac.review.start(self.path(), self.index, "radar")

    def values(self) -> Iterator[Any]:
        """A value of every public type, and of those that Python has."""
        yield from (None, True, 10, -1, 2.5, float("nan"), 1j, "nosuch", "", b"bytes", date(2001, 12, 31))
        yield from ([], [None], [1], ["x"], [[1]], (), ("a", 1), {1}, {}, {"a": 1}, {"1": {"a": "x"}}, {1: None}, [{}])
        yield from (object(), print, ValueError("x"), Path("nosuch"), np.array([1.5]), np.zeros((2, 2)), np.array("x"))
        yield from (pl.DataFrame({"a": [1]}), pl.Series([1]), (each for each in [1]), iter(["x"]), range(3), int, ac)
        table = self.scores.rank_table
        yield from (self.index, self.patent, self.scores, table, ac.read_run(RUN), ac.read_qrels(QRELS), ac.Policies())
        yield from (self.judged, self.judged.readings[0].reading, ac.SearchSettings(), ac.parse_measure("AP"))
        yield from (ac.Collection(self.folder / "patents"), ac.SpacePlan("lsa"), self.scores.table(), ac.audit(table))
        yield from (ac.make_query(self.patent, self.index), ac.search_index(self.index, "radar"), ac.compare(table))
        yield from (getattr(ac, name) for name in ("RankTable", "Review", "AntecedeError"))


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Things]:
    folder = tmp_path_factory.mktemp("arguments")
    for name in ("patents", "more"):
        (folder / name).mkdir()
    texts = ("a radar antenna of a ship", "an antenna with two dipoles", "a bearing of an axle", "radar for a car")
    lines = [
        json.dumps(
            {
                "doc_id": f"EP-100000{at}-A1",
                "language": "en",
                "title": {"en": text},
                "description": {"en": text},
                "citations": [f"EP-100000{at - 1}-A1"][:at],
            }
        )
        for at, text in enumerate(texts)
    ]
    (folder / "patents" / "all.jsonl").write_text("\n".join(lines[:3]) + "\n")
    (folder / "more" / "all.jsonl").write_text(lines[3] + "\n")
    (folder / "draft.txt").write_text("A radar antenna of a ship, with two dipoles.")
    (folder / "out").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        ac.index.build(folder / "patents", folder / "index", workers=1)
        index = ac.open_index(folder / "index")
        scores = ac.evaluate(ac.rank_table(QRELS, {"x": RUN, "y": OTHER}), ["AP", "P@10"])
        yield Things(folder, index, index.patent("EP-1000000"), scores, ac.review.read_judged(QRELS, RUN))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_whatever_is_given_there_is_a_result_or_an_error_that_says_why(name: str, things: Things) -> None:
    function = attrgetter(name)(ac)
    own = inspect.signature(inspect.unwrap(function)).parameters
    wrong, given = list[str](), dict[str, Any]()
    for argument, parameter in inspect.signature(function).parameters.items():
        if argument not in own and name != "search_index":
            continue  # the settings of a search, which are the same for all
        for value in things.values():
            if (argument in PROCESSES and isinstance(value, int)) or parameter.kind is parameter.VAR_KEYWORD:
                continue
            given = given or things.call_of(name)
            try:
                if parameter.kind is parameter.VAR_POSITIONAL:
                    first, *others = given
                    function(given[first], value, **{other: given[other] for other in others})
                else:
                    function(**{**given, argument: value})
                given = {}  # it may have been used up
            except ac.AntecedeError as error:
                if "\n" in str(error) or not str(error):
                    wrong.append(f"{argument}={value!r:.60}: {str(error)!r}")
            except Exception as error:  # noqa: BLE001 - any other is what is looked for
                wrong.append(f"{argument}={value!r:.60}: {type(error).__name__}: {error!s:.100}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_calls_that_are_varied_are_right_themselves(name: str, things: Things) -> None:
    if name not in ELSEWHERE:
        attrgetter(name)(ac)(**things.call_of(name))


def test_what_was_plainly_meant_is_done(things: Things) -> None:
    scores, table = things.scores, things.scores.rank_table
    assert ac.compare(table).measures == ac.compare(ac.evaluate(table)).measures
    assert ac.study.correlation(table).to_dict() == ac.study.correlation(ac.evaluate(table)).to_dict()
    assert ac.study.agreement(table).to_dict() == ac.study.agreement(ac.evaluate(table)).to_dict()
    assert ac.anova(table).to_dict() == ac.anova(ac.evaluate(table)).to_dict()
    assert ac.study.cutoffs(scores, at=[1, 2]).to_dict() == ac.study.cutoffs(table, at=[1, 2]).to_dict()
    assert ac.study.robustness(scores, "AP").to_dict() == ac.study.robustness(table, "AP").to_dict()
    assert ac.study.measures(scores, "AP").to_dict() == ac.study.measures(table, "AP").to_dict()
    one = ac.evaluate(table, "AP")
    assert ac.discriminative_power(one).to_dict() == ac.discriminative_power(one.of("AP")).to_dict()
    assert ac.discriminative_power(one.of("AP").tolist()).to_dict() == ac.discriminative_power(one).to_dict()
    assert scores.scores_of_run("y") == scores.scores_of_run(1) == scores.scores_of_run(np.int64(1))
    for where in (things.index.folder, str(things.index.folder)):
        assert [*ac.search_index(cast("Any", where), "radar").doc_ids] == [
            *ac.search_index(things.index, "radar").doc_ids
        ]
        batch = ac.run(cast("Any", where), cast("Any", str(things.folder / "patents")), threads=1)
        assert len(batch.answers) == 3
    assert ac.study.correlation(scores, "kendall").to_dict() == ac.study.correlation(scores, ["kendall"]).to_dict()
    assert ac.score("AP", cast("Any", np.array([1, 3]))) == ac.score("AP", [1, 3])
    assert str(ac.review.calibrate(things.judged)) == str(ac.review.calibrate(things.judged.readings))
    out = things.path()
    ac.write_run(cast("Any", RUN), out)
    ac.write_run(cast("Any", str(out)), things.path())
    assert ac.read_run(out).to_polars().equals(ac.read_run(RUN).to_polars())


MESSAGES = {
    "compare([1, 2])": "compare: scores must be scores (from evaluate) or TopicValues (from antecede.comparison), "
    "not a list",
    "compare(scores, alpha='x')": "compare: alpha must be a number, not the text 'x'",
    "compare(scores, alfa=.1)": "compare: there is no argument 'alfa' (did you mean alpha?)",
    "compare()": "compare: missing a required argument: 'scores'; its arguments are scores, baseline, resamples, "
    "interval, plan, test, correction, alpha, samples, seed",
    "study.cutoffs(ac.evaluate(table, missing='skip'))": 'cutoffs: table: the scores were made with missing="skip" and '
    'no_relevant="skip", of which a rank table knows nothing; give their rank_table instead',
    "discriminative_power(scores)": "values: these are the scores of 2 measures (AP, P@10); give those of one, as in "
    "scores.of('AP')",
    "evaluate(table, None)": "evaluate: measures must be a text, a measure (such as 'PRES@1000'), a list of texts or "
    "measures (such as 'PRES@1000') or left out, not None",
    "evaluate(table, [10])": "evaluate: measures[0] must be a text or a measure (such as 'PRES@1000'), "
    "not the number 10",
    "search_index(3, 'x')": "search_index: index must be an index (from open_index) or the path of one, "
    "not the number 3",
    "search_index('not/there', 'x')": "not/there: there is no such index; build_index makes one",
    "run(index, 'not/there')": "run: topics: there is no file or folder 'not/there'; give patents or the path of some",
    "fuse({'a': {'1': {'d': 1}}})": "runs: a fusion needs at least two runs, but got 1 (a dict); add another run",
    "fuse('x.run')": "runs: a fusion needs at least two runs, but got 1 (the text 'x.run'); add another run",
    "study.retrievability(3)": "retrievability: index must be an index (from open_index) or the path of one, "
    "not the number 3",
    "study.published(progress=int)": "published: progress must be a function of 2 arguments or None, not the class int",
}


@pytest.mark.parametrize("call", MESSAGES)
def test_an_error_names_the_argument_what_it_got_and_what_to_do(call: str, things: Things) -> None:
    with pytest.raises(ac.AntecedeError) as caught:
        eval(  # noqa: S307 - of a text of this file
            f"ac.{call}", {"ac": ac, "scores": things.scores, "table": things.scores.rank_table, "index": things.index}
        )
    assert str(caught.value) == MESSAGES[call]


def test_a_run_that_there_is_not_is_named(things: Things) -> None:
    with pytest.raises(ac.UsageError, match=r"^the run 'nosuch' is not among the runs; the runs are x, y$"):
        things.scores.scores_of_run("nosuch")
    with pytest.raises(ac.UsageError, match=r"^run must be the name of a run \(x, y\) or a number below 2, not None$"):
        things.scores.scores_of_run(None)


def test_an_iterator_is_refused_where_it_is_wrong(things: Things) -> None:
    with pytest.raises(ac.UsageError, match=r"topics\[1\] must be .*, not the number 3"):
        ac.run(things.index, iter([things.patent, 3]), threads=1)


def test_an_unknown_measure_says_where_python_lists_them(things: Things) -> None:
    with pytest.raises(ac.MeasureError, match=r"see antecede\.measures\.MEASURES\)$"):
        ac.evaluate(things.scores.rank_table, "Foo@1")
    with wording_for_shell(), pytest.raises(ac.MeasureError, match=r"see antecede list measures\)$"):
        ac.evaluate(things.scores.rank_table, "Foo@1")


def test_every_type_of_an_argument_has_words() -> None:
    for name in FUNCTIONS:
        function = attrgetter(name)(ac)
        for hint in _hints(function).values():
            assert "antecede." not in describe_hint(hint).replace("from antecede.", "")
            assert "~" not in describe_hint(hint)
    assert {name.partition("list of ")[2] or name for name in TYPES} >= {"Scores", "RankTable", "Index"}


def _hints(function: Callable[..., object]) -> Mapping[str, object]:
    from antecede.arguments import _resolve_hints

    return _resolve_hints(function)


def test_functions_are_what_they_were() -> None:
    assert pickle.loads(pickle.dumps(ac.compare)) is ac.compare  # noqa: S301 - our own
    assert pickle.loads(pickle.dumps(ac.study.judges)) is ac.study.judges  # noqa: S301 - our own
    assert inspect.signature(ac.compare) == inspect.signature(comparison.compare)
    assert (inspect.getdoc(ac.compare) or "").startswith((inspect.getdoc(comparison.compare) or "")[:80])
    assert "    test: The paired test.\n" in (inspect.getdoc(ac.compare) or "")


METHODS = {
    "index.search(3)": "topic must be a patent, a query (from make_query) or a text, not the number 3",
    "index.search('radar', settings=3)": "settings must be SearchSettings or left out, not the number 3",
    "index.patent(3)": "name must be the name or the number of a document, not the number 3",
    "ac.Collection(3)": "paths must be the paths of a collection, not the number 3",
    "ac.SpacePlan(dimensions='x')": "dimensions must be a whole number, not the text 'x'",
    "scores.of(3)": "a measure must be a text such as PRES@1000, or a Measure, not the number 3",
    "scores.rank_table.select(3)": "names must be a list of names, not the number 3",
    "scores.rank_table.select_topics(3)": "topics must be a list of names, not the number 3",
}


@pytest.mark.parametrize("call", METHODS)
def test_methods_that_take_what_functions_take_refuse_it_in_the_same_way(call: str, things: Things) -> None:
    with pytest.raises(ac.UsageError) as caught:
        eval(call, {"ac": ac, "index": things.index, "scores": things.scores})  # noqa: S307 - of a text of this file
    assert str(caught.value) == METHODS[call]
