"""The public API is complete: what is promised can be imported, and each verb says what it does."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys

import pytest

import antecede
from antecede import errors
from antecede.cli.app import MODULES, choose_verb, load_verb
from antecede.cli.bundles import expand_verb
from tests.conftest import find_command

VERBS = [*MODULES]


@pytest.mark.parametrize("name", antecede.__all__)
def test_what_is_promised_is_there_and_documented(name: str) -> None:
    found = getattr(antecede, name)
    assert inspect.unwrap(found).__module__.startswith("antecede.")
    assert inspect.getdoc(found)
    if inspect.isfunction(found):
        hints = inspect.get_annotations(found)
        assert {*inspect.signature(found).parameters, "return"} == {*hints}


def test_these_names_are_there_and_no_others() -> None:
    assert len({*antecede.__all__}) == len(antecede.__all__)
    assert {*antecede.__all__} == {*antecede._MODULE_OF}
    assert dir(antecede) == sorted(antecede.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        antecede.nothing  # noqa: B018
    names: dict[str, object] = {}
    exec("from antecede import *", names)  # noqa: S102
    assert {*antecede.__all__} <= names.keys()


def test_every_error_is_public_and_of_one_tree() -> None:
    own = [each for _, each in inspect.getmembers(errors, inspect.isclass) if each.__module__ == errors.__name__]
    assert {each.__name__ for each in own} <= {*antecede.__all__}
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
    options = {
        f"--{name.rstrip('_').replace('_', '-')}" for name in inspect.signature(expand_verb(function)).parameters
    }
    options |= {"--measure", "-m", "-q", "-k", "-n"}
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
    import typer

    from antecede.cli.app import program

    group = typer.main.get_command(program(verb.split()))
    command = find_command(group, verb)
    assert [parameter.name for parameter in command.params if not parameter.help] == []
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    assert [argument.name for argument in arguments if not argument.metavar] == []  # the help shows nothing else
