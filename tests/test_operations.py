"""One declaration of an operation: what a signature says is in the shell, Python, experiments and reference."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

import pytest
import typer

import antecede
from antecede.arguments import check_arguments
from antecede.cli.app import MODULES, load_verb, program
from antecede.cli.bundles import derive_verb, expand_verb
from antecede.cli.calls import Derived
from antecede.comparison.gate import GivenGate, Limits
from antecede.comparison.significance import GivenPlan, SignificancePlan
from antecede.errors import UsageError
from antecede.evaluation.rank_table import GivenReading, Reading
from antecede.experiment import settings as experiment
from antecede.experiment.document import Document, Section
from antecede.names import GROUPS, SHELL_ONLY, function_of, public_names
from antecede.operations import Bundle, Help, Seed, arguments_of, complete_docstring, operation
from antecede.ranges import COUNT
from antecede.study.judgement_loss import GivenLoss, JudgementLoss
from antecede.study.judges import GivenJudging, Judging
from antecede.study.meta_evaluation import GivenMetaPlan, MetaPlan
from antecede.trec.reader import GivenPolicies, Policies
from tests.conftest import ROOT, find_command

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.evaluation import RankTable


@dataclass(frozen=True)
class Draws(Bundle):
    """How often something is drawn."""

    samples: Annotated[int, COUNT, Help("The number of samples.")] = 5
    seed: Seed = 0


@operation
def count_topics(
    table: RankTable,
    *,
    min_topics: Annotated[int, COUNT, Help("The fewest topics that a run must have.")] = 2,
    how: Annotated[Literal["each", "all"], Help("Each run, or all.")] = "each",
    at: Annotated[Sequence[int], COUNT, Help("The cut-offs.")] = (10, 20),
    draws: Draws = Draws(),
    **_given: Any,
) -> dict[str, Any]:
    """Count the topics of runs.

    Args:
        table: The rank table.

    Shell:
        antecede study count-topics qrels.txt a.run --min-topics 3
    """
    return {"topics": len(table.topics), "min_topics": min_topics, "how": how, "at": [*at], **vars(draws)}


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> str:
    """The function as a module of its own, as an entry point names it."""
    module = ModuleType("tests_of_operations")
    vars(module)["count_topics"] = count_topics
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return f"{module.__name__}:count_topics"


def test_a_parameter_is_an_option_with_its_range_default_and_help(path: str) -> None:
    app = typer.Typer()
    app.command()(expand_verb(derive_verb(path)))
    options: dict[str | None, Any] = {option.name: option for option in typer.main.get_command(app).params}
    assert options["min_topics"].opts == ["--min-topics"]
    assert options["min_topics"].default == 2
    assert options["min_topics"].help == "The fewest topics that a run must have."
    assert options["min_topics"].type.min == 1
    assert {"qrels", "runs", "ties", "how", "at", "samples", "seed", "quiet", "json"} <= {*options}
    assert "figure" not in options, "a dictionary is not drawn"


def test_a_parameter_is_a_key_of_the_experiment_file_with_the_same_default(path: str, tmp_path: Path) -> None:
    section = experiment.StudyDefinition("count_topics", path).section
    given: Any = section.model_validate({"min_topics": 3, "at": 5}, context=tmp_path)
    assert (given.min_topics, given.how, given.at, given.samples) == (3, "each", (5,), 5)
    for wrong, words in {
        "min_topic": "min_topic: unknown key (did you mean min_topics?)",
        "min_topics": "min_topics: must be 1 or more, not 0",
        "how": "how: unknown how 'al' (did you mean all?)",
    }.items():
        document = Document(tmp_path / "x.toml", "", {wrong: "al" if wrong == "how" else 0})
        with pytest.raises(antecede.InputError) as caught:
            document.validate(section)
        assert words in str(caught.value)


def test_a_parameter_is_a_keyword_that_is_checked(path: str) -> None:
    table = antecede.rank_table({"1": {"a": 1}}, [{"1": {"a": 1.0}}])
    checked: Any = check_arguments(count_topics)
    assert checked(table, min_topics=1, samples=7)["samples"] == 7
    assert checked(table, draws=Draws(3), seed=2) == {
        "topics": 1, "min_topics": 2, "how": "each", "at": [10, 20], "samples": 3, "seed": 2,
    }  # fmt: skip
    for wrong, words in {
        "min_topic": r"there is no argument 'min_topic' \(did you mean min_topics",
        "min_topics": "min_topics must be 1 or more, not 0",
        "samples": "samples must be 1 or more, not 0",
    }.items():
        with pytest.raises(UsageError, match=words):
            checked(table, **{wrong: 0})
    with pytest.raises(UsageError, match=r"how must be one of 'each', 'all', not the text 'al' \(did you mean all"):
        checked(table, how="al")
    with pytest.raises(TypeError, match="min_topic"):
        count_topics(table, min_topic=3)


def test_a_parameter_is_in_the_reference() -> None:
    doc = complete_docstring(count_topics)
    assert "\n    min_topics: The fewest topics that a run must have.\n" in doc
    assert "\n    seed: Random seed" in doc
    assert "\n    table: The rank table.\n" in doc


# Every verb


@pytest.mark.parametrize("verb", MODULES)
def test_a_verb_has_a_function(verb: str) -> None:
    name = function_of(verb)
    if name is None:
        assert {verb, verb.partition(" ")[0]} & {*SHELL_ONLY}
    else:
        assert callable(attrgetter(name)(antecede))


OF_PARTS = {"export", "review stop"}
"""Verbs with the options of a part of what they do: the policies of reading, and stopping rules asked of a case."""


@pytest.mark.parametrize("verb", [verb for verb in MODULES if verb not in OF_PARTS])
def test_a_verb_derives_its_options_from_its_function(verb: str) -> None:
    hints = get_type_hints(load_verb(verb), include_extras=True).values()
    derived = [mark for hint in hints for mark in get_args(hint) if isinstance(mark, Derived)]
    name = function_of(verb)
    for mark in derived:
        assert name is not None
        assert inspect.unwrap(mark.function) is inspect.unwrap(attrgetter(name)(antecede))
    without = {"info", "query", "review mark", "review next", "show", "verify"}  # they take no options of it
    assert derived or name is None or verb in without


@pytest.mark.parametrize("verb", [verb for verb in MODULES if function_of(verb) in public_names()])
def test_a_verb_has_the_defaults_of_its_function(verb: str) -> None:
    declared = arguments_of(attrgetter(str(function_of(verb)))(antecede))
    group = typer.main.get_command(program(verb.split()))
    for option in find_command(group, verb).params:
        if option.param_type_name == "option" and option.name in declared and option.default is not None:
            default = declared[option.name].default
            assert option.default == default, f"{verb} --{option.name}"
    bundled = [name for name, argument in declared.items() if argument.bundle is not None]
    offered = {option.name for option in find_command(group, verb).params}
    assert {*bundled} <= offered or "call" not in load_verb(verb).__annotations__


WITHOUT_SECTION = {"bayes", "equivalence", "intervals", "mixed", "power", "reproducibility", "tukey"}
"""Studies that no experiment makes: most need an argument that only who asks can give, such as a margin."""


def test_every_study_is_a_verb_a_function_and_a_section() -> None:
    verbs = {verb.partition(" ")[2].replace("-", "_") for verb in MODULES if verb.startswith("study ")}
    assert {*experiment.STUDIES} == verbs - WITHOUT_SECTION
    assert verbs <= {*dir(antecede.study)}


@pytest.mark.parametrize("name", experiment.STUDIES)
def test_a_section_has_the_keys_and_the_defaults_of_its_function(name: str) -> None:
    study = experiment.STUDIES[name]
    declared = arguments_of(attrgetter(f"study.{name}")(antecede))
    files = {key for key, argument in declared.items() if argument.help.argument or argument.help.path}
    parsed = {key for key, argument in declared.items() if argument.help.parse}
    assert issubclass(study.section, Section)
    fields = study.section.model_fields
    assert {*declared} - files - parsed - {*study.without} <= {*fields}
    for key in {*declared} & {*fields} - files:
        assert fields[key].default == declared[key].default, f"study.{name}.{key}"


MOST_PARAMETERS = 8
PACKAGES = ("adapters", "cli", "comparison", "evaluation", "experiment", "learning", "names", "study")
OTHER_SIGNATURES = {"Experiment"}
"""Functions whose signature is another program's."""


def test_no_function_has_more_parameters_than_a_reader_can_hold() -> None:
    wrong = []
    for package in PACKAGES:
        for file in (ROOT / "src/antecede" / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.FunctionDef) and node.name not in OTHER_SIGNATURES:
                    count = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
                    if count > MOST_PARAMETERS:
                        wrong.append(f"{file.name}: {node.name} has {count}")
    assert wrong == []


@pytest.mark.parametrize("name", public_names())
def test_no_public_function_has_more_parameters_than_bundles_hold(name: str) -> None:
    function = attrgetter(name)(antecede)
    if inspect.isfunction(function):
        parameters = inspect.signature(inspect.unwrap(function)).parameters.values()
        own = [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
        assert len(own) <= MOST_PARAMETERS, own


def test_completion_of_namespaces_lists_what_is_there() -> None:
    for group in GROUPS:
        module = getattr(antecede, group)
        assert dir(module)
        assert all(callable(getattr(module, name)) for name in dir(module))
    assert inspect.getdoc(antecede.study)


@pytest.mark.parametrize(
    ("bundles", "given"),
    [
        ((SignificancePlan,), GivenPlan),
        ((Policies,), GivenPolicies),
        ((Reading,), GivenReading),
        ((SignificancePlan, Policies, Limits), GivenGate),
        ((Judging, SignificancePlan, Reading), GivenJudging),
        ((JudgementLoss,), GivenLoss),
        ((MetaPlan,), GivenMetaPlan),
    ],
)
def test_type_checkers_know_the_fields_of_bundles(bundles: tuple[Any, ...], given: Any) -> None:
    names = {name for each in given.__mro__ for name in getattr(each, "__annotations__", {})} | {*given.__annotations__}
    assert names == {field.name for bundle in bundles for field in fields(bundle)}
