"""The public API is complete: what is promised can be imported, and each verb says what it does."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
from operator import attrgetter

import pytest
import typer

import antecede
from antecede import errors
from antecede.cli.app import MODULES, choose_verb, load_verb, program
from antecede.names import CHANGED, GROUPS, RENAMED, public_names
from tests.conftest import find_command

VERBS = [*MODULES]


NAMES = public_names()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_promised_is_there_and_documented(name: str) -> None:
    found = attrgetter(name)(antecede)
    assert inspect.unwrap(found).__module__.startswith("antecede.")
    assert inspect.getdoc(found)
    if inspect.isfunction(found):
        hints = inspect.get_annotations(found)
        assert {*inspect.signature(found).parameters, "return"} == {*hints}


def test_these_names_are_there_and_no_others() -> None:
    assert len(NAMES) < 90
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        antecede.nothing  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match=r"antecede.study has no attribute 'robustnes' \(did you mean robustness"):
        antecede.study.robustnes  # type: ignore[attr-defined]  # noqa: B018
    names: dict[str, object] = {}
    exec("from antecede import *", names)  # noqa: S102
    assert {*dir(antecede)} <= names.keys()


@pytest.mark.parametrize("old", RENAMED)
def test_a_name_of_the_release_before_is_there_with_a_warning_that_names_the_new_one(old: str) -> None:
    with pytest.warns(FutureWarning, match=f"antecede.{old} is now antecede.{RENAMED[old]}"):
        function = getattr(antecede, old)
    attrgetter(RENAMED[old])(antecede)
    if old not in CHANGED:
        assert function is attrgetter(RENAMED[old])(antecede)


def test_namespaces_stay_when_the_packages_of_their_names_are_imported() -> None:
    from importlib import import_module

    for group in GROUPS:
        assert getattr(antecede, group).__name__ == f"antecede.names.{group}"
        if group != "learn":
            assert import_module(f"antecede.{group}") is not getattr(antecede, group)
    assert antecede.review.marks is import_module("antecede.review.marks")  # type: ignore[attr-defined]


def test_every_error_is_public_and_of_one_tree() -> None:
    own = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
    assert {each.__name__ for each in own} <= {*dir(antecede)}
    assert all(issubclass(each, antecede.AntecedeError) for each in own)
    assert all(each.__name__ in (errors.__doc__ or "") for each in own)


def test_importing_the_package_loads_no_room() -> None:
    script = "import sys, antecede; print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()
    assert not {"numpy", "polars", "typer"} & {*modules}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_is_documented_with_examples_that_call_it(verb: str) -> None:
    function = load_verb(verb)
    assert (inspect.getdoc(function) or "").endswith((".", "twice, since evaluate refuses such a file."))
    assert function.__dict__["examples"]
    group = typer.main.get_command(program(verb.split()))
    options = {flag for parameter in find_command(group, verb).params for flag in parameter.opts}
    for example in function.__dict__["examples"]:
        for call in example.split("; "):
            words = shlex.split(call)
            assert words[0] == "antecede"
            called = choose_verb(words[1:])
            assert called is not None
            if called == verb:
                given = [word for word in words if re.match(r"--?[a-z]", word)]
                assert {*given} <= options, f"{call} has an option that {verb} does not"


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_of_a_verb_is_explained(verb: str) -> None:
    group = typer.main.get_command(program(verb.split()))
    command = find_command(group, verb)
    assert [parameter.name for parameter in command.params if not parameter.help] == []
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    assert [argument.name for argument in arguments if not argument.metavar] == []  # the help shows nothing else
