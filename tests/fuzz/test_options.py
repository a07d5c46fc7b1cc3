"""Every kind of numeric option, with numbers that are none, endless, negative or too large, alone and together.

Options of the same range are read and refused by the same code, so one verb stands for all that have it.

A call ends with a result without such a number in it, or with exit code 2 and one line that says what is wrong.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest
from typer.main import get_command as build_command

from antecede.cli.app import MODULES, load_verb, program
from antecede.cli.bundles import expand_verb
from antecede.comparison import bootstrap, discriminative_power, gate
from antecede.corpus import Collection, make_topics
from antecede.errors import AntecedeError
from antecede.evaluation import audit, evaluate, rank_table
from antecede.index import build_index
from antecede.measures.definition import MEASURES
from antecede.measures.names import parse_measures
from antecede.models import MODELS
from antecede.query.methods import METHODS
from antecede.query.query import Query
from antecede.query.query_maker import feedback
from antecede.review.sources import start_review_of_run
from antecede.search import open_index, search_index
from antecede.search.batch import run_topics
from antecede.search.hits import fuse
from antecede.search.settings import SearchSettings
from antecede.study import cutoffs, robustness
from tests.cli.conftest import mesh_patents
from tests.comparison.values import agreement_of_values, compare_values
from tests.conftest import find_command
from tests.fuzz.programs import caller

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.evaluation import Scores
    from antecede.patent import Patent
    from antecede.search import Index
    from tests.conftest import Outcome
    from tests.fuzz.outcomes import Fuzz

    Call = Callable[..., Outcome]

VALUES = (
    "1", "nan", "inf", "-inf", "-1", "0", "1e308", "-1e308", "1e-320", str(2**63), str(2**70), str(-(2**70)),
    "0x10", "",
)  # fmt: skip
"""What is given to every numeric option."""
ENDLESS = re.compile(r"(?<![\w.])-?(nan|NaN|inf|Infinity)(?![\w.])")
LISTS = {("study cutoffs", "--at"), ("study robustness", "--keep")}
"""Options that take several numbers, separated by commas."""
SIZES = {("index", "--memory")}
TEXTS = {
    ("search", "--model"): ["bm25(k1={})", "lm_dirichlet(mu={})"],
    ("search", "--method"): ["bm25(k1={},b=0)", "lm(lambda={})"],
    ("search", "--before"): ["{}"],
    ("search", "--language"): ["{}"],
    ("evaluate", "--measure"): ["P@{}", "AP(rel={})", "RBP(p={})"],
}
"""Options whose text holds a number."""


LINES = [
    {**line, "citations": [f"EP10000{number - 1:02}"] if number > 1 else []}
    for number, line in enumerate(mesh_patents(8), 1)
]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Patents, an index, topics, qrels and three runs."""
    folder = tmp_path_factory.mktemp("options")
    (folder / "patents.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    build_index(Collection(folder / "patents.jsonl"), folder / "index", workers=1)
    (folder / "topics.txt").write_text("EP1000005\nEP1000006\nEP1000007\n")
    relevant = "".join(f"{topic} 0 EP10000{number:02} 1\n" for topic in TOPICS for number in range(1, 4))
    many = range(12)
    (folder / "collections.csv").write_text("".join(f"{topic} {topic[-1]}\n" for topic in TOPICS))
    (folder / "many.txt").write_text("".join(f"{topic} 0 d{topic % 3} 1\n" for topic in many))
    (folder / "many.run").write_text(
        "".join(f"{topic} Q0 d{at} {at} {9 - at} x\n" for topic in many for at in range(9))
    )
    (folder / "qrels.txt").write_text(relevant + "".join(f"{topic} 0 EP1000008 0\n" for topic in TOPICS))
    for run in range(3):
        rows = [
            f"{topic} Q0 EP10000{(rank * (run + 1) + at) % 7 + 1:02} {rank} {10 - rank}.5 r{run}\n"
            for at, topic in enumerate(TOPICS)
            for rank in range(1, 7)
        ]
        (folder / f"r{run}.run").write_text("".join(rows))
    start_review_of_run(folder / "case", folder / "r0.run", "EP1000005").close()
    return folder


TOPICS = ("EP1000005", "EP1000006", "EP1000007")
RUNS = ("qrels.txt", "r0.run", "r1.run", "r2.run")
CALLS: dict[str, tuple[str, ...]] = {
    "add": ("index-to-add", "more.jsonl"),
    "study agreement": RUNS,
    "audit": RUNS,
    "compare": RUNS,
    "study bayes": (*RUNS, "-m", "AP", "--margin", "0.02"),
    "study correlation": RUNS,
    "study cutoffs": RUNS,
    "study equivalence": (*RUNS, "-m", "AP", "--margin", "0.02"),
    "study intervals": (*RUNS, "-m", "AP,P@2", "--samples", "2"),
    "study mixed": (*RUNS, "-m", "AP", "--collections", "collections.csv"),
    "study power": (*RUNS, "-m", "AP", "--difference", "0.1", "--samples", "2"),
    "study reproducibility": (*RUNS[:2], "--original", "r1.run", "-m", "AP"),
    "study tukey": (*RUNS, "-m", "AP", "--samples", "2"),
    "evaluate": RUNS,
    "experiment": ("none.toml",),
    "export": ("r0.run", "--out", "exported.run", "--overwrite"),
    "fuse": ("r0.run", "r1.run", "--out", "fused.run", "--overwrite"),
    "gate": ("qrels.txt", "r0.run", "--baseline", "r1.run", "--test", "randomization"),
    "index": ("patents.jsonl", "--out", "new.index"),
    "study judges": ("qrels.txt", *RUNS, "-m", "AP", "--samples", "2"),
    "learn weights": ("index", "--out", "weights.json", "--overwrite"),
    "merge": ("index",),
    "study measures": (*RUNS, "-m", "AP", "--samples", "2"),
    "study published": (),
    "open": ("patents.jsonl", "--folder", "workspace", "--no-page"),
    "query": ("index", "EP1000005"),
    "study retrievability": ("index", "--method", "tf", "--model", "bm25", "--sample", "2", "--workers", "1"),
    "review calibrate": ("many.txt", "many.run", "--out", "calibration.json", "--overwrite"),
    "review mark": ("case", "EP1000007", "relevant"),
    "review next": ("case", "-n", "1"),
    "review open": ("no-case",),
    "review simulate": ("qrels.txt", "r0.run"),
    "review start": ("r0.run", "EP1000005", "--out", "new-case"),
    "review stop": ("case",),
    "study robustness": (*RUNS, "-m", "AP"),
    "run": ("index", "topics.txt", "--out", "out.run", "--overwrite"),
    "search": ("index", "EP1000005"),
    "serve": ("no.index",),
    "learn space": ("index",),
    "synthesize": ("--out", "made"),
    "study query-length": ("index", "topics.txt", "qrels.txt"),
    "topics": ("patents.jsonl", "--out", "made-topics", "--overwrite"),
    "learn translations": ("patents.jsonl", "--out", "table", "--overwrite"),
}
"""A valid call of each verb that has a numeric option."""
LONG = {"study published", "review start", "synthesize", "index", "add", "merge"}
LONG |= {"learn weights", "learn space", "learn translations"}
"""Verbs that take long: only what must be refused is given to them."""


def numeric_options() -> dict[tuple[str, str], tuple[Any, ...]]:
    """(verb, option) → kind of number and bounds, of every numeric option."""
    found = {}
    for name in MODULES:
        hints = expand_verb(load_verb(name)).__annotations__
        for option in find_command(build_command(program(name.split())), name).params:
            declared, *more = get_args(hints[option.name]) or (None,)
            for kind in {declared, *get_args(declared)} & {int, float}:
                bounds = next(((info.min, info.max) for info in more if hasattr(info, "min")), (None, None))
                found[name, max(option.opts, key=len)] = (kind.__name__, *bounds)
    return found


def one_of_each_kind() -> list[tuple[str, str]]:
    """One option of each range, and of each name where a verb checks the number itself; of a short verb if possible."""
    kinds: dict[tuple[Any, ...], tuple[str, str]] = {}
    for (verb, option), kind in sorted(numeric_options().items(), key=lambda each: each[0][0] in LONG):
        checked_by_verb = kind[1:] == (None, None)
        kinds.setdefault((*kind, option) if checked_by_verb else kind, (verb, option))
    return [*kinds.values()]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, desk: Path) -> Call:
    """The program in this process, called in the folder of the desk."""
    monkeypatch.chdir(desk)
    return caller(monkeypatch)


def judge(fuzz: Fuzz, words: tuple[str, ...], done: Outcome) -> str | None:
    """What is wrong with the outcome of a call; None if nothing is."""
    if done.code == 2:
        fuzz.count("refused")
        good = re.fullmatch(r"antecede: [^\n]+\n", done.err) is not None and not done.out
        return None if good else f"{words}: not refused in one line: {done.err!r} {done.out[:200]!r}"
    fuzz.count("valid")
    if done.code not in (0, 1):
        return f"{words}: {done.err}"
    found = ENDLESS.search(done.out)
    return f"{words}: prints {found[0]!r}" if found else None


def test_every_verb_with_a_numeric_option_is_called_here() -> None:
    assert {verb for verb, _ in numeric_options()} == {*CALLS}


def test_no_number_is_too_odd_for_an_option(called: Call, fuzz: Fuzz) -> None:
    wrong = []
    for verb, option in (*one_of_each_kind(), *LISTS, *SIZES):
        for value in VALUES:
            if verb not in LONG or value not in ("0", "1"):
                words = (*verb.split(), *CALLS[verb], f"{option}={value}")
                wrong.append(judge(fuzz, words, called(*words)))
    assert [each for each in wrong if each] == []


def test_no_number_is_too_odd_within_a_text(called: Call, fuzz: Fuzz) -> None:
    wrong = []
    for (verb, option), texts in TEXTS.items():
        for text in texts:
            for value in VALUES:
                words = (*verb.split(), *CALLS[verb], f"{option}={text.format(value)}")
                wrong.append(judge(fuzz, words, called(*words)))
    assert [each for each in wrong if each] == []


def test_the_calls_themselves_are_valid(called: Call) -> None:
    for verb, words in CALLS.items():
        if verb not in LONG and verb not in ("experiment", "serve", "review open"):
            done = called(*verb.split(), *words)
            assert done.code in (0, 1), f"{verb}: {done.err}"


def test_odd_numbers_together(called: Call, fuzz: Fuzz) -> None:
    options = [each for each in (*numeric_options(), *LISTS) if each[0] not in LONG]
    verbs = sorted({verb for verb, _ in options} - {"experiment"})
    wrong = []
    for number, rng in fuzz.cases(150):
        verb = rng.choice(verbs)
        of_verb = [option for each, option in options if each == verb]
        chosen = rng.sample(of_verb, rng.randint(1, len(of_verb)))
        values = (rng.choice([str(rng.randint(1, 9)), f"{rng.random():.3f}", *VALUES[:2]]) for _ in chosen)
        pairs = zip(chosen, values, strict=True)
        words = (*verb.split(), *CALLS[verb], *(f"{option}={value}" for option, value in pairs))
        if (problem := judge(fuzz, words, called(*words))) is not None:
            wrong.append(f"case {number}: {problem}")
    assert wrong == []


def test_no_number_is_too_odd_for_a_parameter_of_a_measure_model_or_method(desk: Path, fuzz: Fuzz) -> None:
    table = rank_table(desk / "qrels.txt", [desk / "r0.run", desk / "r1.run"])
    index = open_index(desk / "index")
    patent = index.patent("EP1000005")
    calls: list[tuple[str, Callable[[str], object]]] = []
    for name, measure in MEASURES.items():
        at = "@10" if measure.at is not None and any(each.required for each in measure.parameters) else ""
        for each in measure.parameters:
            text = f"{name}@{{}}" if each.name == measure.at else f"{name}({each.name}={{}}){at}"
            calls.append((text, lambda written: finite_scores(evaluate(table, written))))
    for name, model in MODELS.items():
        calls += [
            (f"{name}({each}={{}})", lambda text: finite_hits(index, patent, model=text)) for each in model.defaults
        ]
    for name, method in METHODS.items():
        numbers = [each.name for each in method.parameters if not each.choices]
        calls += [(f"{name}({each}={{}})", lambda text: finite_hits(index, patent, method=text)) for each in numbers]
    assert len(calls) > 60
    wrong = [
        f"{text.format(value)}: {problem}"
        for text, call in calls
        for value in VALUES
        if (problem := outcome(fuzz, call, text.format(value))) is not None
    ]
    assert wrong == []


def finite_scores(scores: Scores) -> None:
    """Scores are numbers; ∞ is what a measure of effort says of what is never reached."""
    assert not np.isnan(scores.totals).any() or all(each.definition.aggregate_only for each in scores.measures)


def finite_hits(index: Index, patent: Patent, **how: Any) -> None:
    assert all(np.isfinite(hit.score) for hit in search_index(index, patent, **how).hits)


def outcome(fuzz: Fuzz, call: Callable[[Any], object], value: object) -> str | None:
    """What is wrong with a call of the API: anything but a result or an error of ours in one line."""
    try:
        call(value)
    except AntecedeError as error:
        fuzz.count("refused")
        return None if "\n" not in str(error) else f"several lines: {error}"
    except Exception as error:  # noqa: BLE001 - a caller would see a traceback
        fuzz.count("wrong")
        return f"{type(error).__name__}: {error}"
    fuzz.count("valid")
    return None


NUMBERS: tuple[Any, ...] = (
    float("nan"), float("inf"), -float("inf"), -1, 0, 1, 0.5, 1e308, -1e308, 2**63, 2**70, -(2**70), True,
    np.int64(2), np.float64("nan"),
)  # fmt: skip


def test_the_api_refuses_what_the_options_refuse(desk: Path, fuzz: Fuzz) -> None:
    index = open_index(desk / "index")
    patent, query = index.patent("EP1000005"), Query.from_terms({"mesh": 1.0}, "en")
    table = rank_table(desk / "qrels.txt", [desk / f"r{run}.run" for run in range(3)])
    values = {name: evaluate(table, name).values[0] for name in ("AP", "nDCG")}
    collection = Collection(desk / "patents.jsonl")
    marked = ["EP1000002"]
    calls: dict[str, Callable[[Any], object]] = {
        "search k": lambda n: finite_hits(index, patent, k=n),
        "search terms": lambda n: finite_hits(index, patent, terms=n),
        "search boost": lambda n: finite_hits(index, patent, ipc_boost=n),
        "search passages": lambda n: finite_hits(index, patent, passages=n),
        "retrieve k": lambda n: index.retrieve(query, n),
        "fuse k": lambda n: fuse(index, "rrf", [index.retrieve(query, 1000)] * 2, n),
        "plan k": lambda n: SearchSettings(k=n),
        "plan boost": lambda n: SearchSettings(ipc_boost=n),
        "plan terms": lambda n: SearchSettings(terms=n),
        "run threads": lambda n: run_topics(index, [patent], threads=n),
        "feedback alpha": lambda n: feedback(query, index, marked, alpha=n),
        "feedback beta": lambda n: feedback(query, index, marked, beta=n),
        "feedback gamma": lambda n: feedback(query, index, marked, ["EP1000003"], gamma=n),
        "feedback terms": lambda n: feedback(query, index, marked, terms=n),
        "query weight": lambda n: Query.from_terms({"mesh": n}, "en"),
        "compare alpha": lambda n: compare_values(values, table.runs, alpha=n, resamples=10),
        "compare samples": lambda n: compare_values(values, table.runs, samples=n, resamples=10, test="randomization"),
        "compare resamples": lambda n: compare_values(values, table.runs, resamples=n),
        "compare seed": lambda n: compare_values(values, table.runs, seed=n, resamples=10, test="randomization"),
        "agreement alpha": lambda n: agreement_of_values(values, table.runs, alpha=n),
        "agreement samples": lambda n: agreement_of_values(values, table.runs, samples=n, test="randomization"),
        "power alphas": lambda n: discriminative_power(values["AP"], [n]),
        "bootstrap confidence": lambda n: bootstrap(values["AP"], confidence=n, resamples=10),
        "bootstrap resamples": lambda n: bootstrap(values["AP"], resamples=n),
        "bootstrap seed": lambda n: bootstrap(values["AP"], seed=n, resamples=10),
        "gate drop": lambda n: gate(desk / "qrels.txt", desk / "r0.run", desk / "r1.run", drop=n),
        "robustness keep": lambda n: robustness(table, "AP", keep=[n]),
        "robustness samples": lambda n: robustness(table, "AP", samples=n),
        "robustness seed": lambda n: robustness(table, "AP", seed=n),
        "robustness rel": lambda n: robustness(table, "AP", rel=n),
        "robustness depth": lambda n: robustness(table, "AP", keep=[n], remove="depth"),
        "cutoffs at": lambda n: cutoffs(table, "AP", at=[n]),
        "topics fewest": lambda n: make_topics(collection, fewest=n),
        "topics most": lambda n: make_topics(collection, most=n),
        "audit k": lambda n: audit(table, k=n),
        "measure rel": lambda n: evaluate(table, parse_measures("AP", rel=n)),
    }
    wrong = [
        f"{name} {number!r}: {problem}"
        for name, call in calls.items()
        for number in NUMBERS
        if (problem := outcome(fuzz, call, number)) is not None
    ]
    assert wrong == []
