"""The reference of each verb, written into its page: usage, examples and options, from the declarations in the code.

A page of `docs/verbs` is written by hand around parts such as `<!--study robustness-->` … `<!---->`, which are
replaced when the pages are generated.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import typer

from antecede.cli.app import MODULES, load_verb, program, write_argument
from antecede.cli.calls import write_default
from antecede.search.settings import search_options

if TYPE_CHECKING:
    from pathlib import Path

PART = re.compile(r"^<!--([a-z][a-z -]*)-->\n.*?^<!---->$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^<!--.*?-->\n+", re.MULTILINE)
SHARED = {
    "[evaluate](evaluate.md)": ("evaluate", ("measures", "rel", "highlight")),
    "[compare](compare.md)": ("compare", ("test", "alpha", "seed", "samples")),
    "[index](index.md)": ("index", ("memory", "workers", "resume")),
    "[search](search.md)": ("search", ("patent",)),
    "[run](run.md)": ("run", ("topics", "threads")),
    "[topics](topics.md)": ("topics", ("citations",)),
    "[reading runs](../reading.md)": (
        "evaluate",
        (
            *("duplicates", "malformed", "ties", "order", "depth", "names", "topics", "without_topics"),
            *("missing", "no_relevant"),
        ),
    ),
    "[reading patents](../patents.md)": ("index", ("field", "preset", "strict", "rejects")),
    "[output](evaluate.md#output)": ("evaluate", ("figure", "format_", "json", "out", "overwrite", "quiet")),
}
"""Options that many verbs have: the page that explains them, a verb that declares them, and their names in the code."""
SETTINGS = "[search settings](../settings.md)"
WHOLE = (SETTINGS, "[reading runs](../reading.md)", "[reading patents](../patents.md)", "[output](evaluate.md#output)")
"""Pages that explain all options of a kind: a verb that has one of them has most."""
COMMON = {"INDEX", "QRELS", "RUN", "RUN...", "[RUN...]", "CASES", "CASE", "COLLECTION...", "[NAME...]"}
"""Arguments that mean the same wherever they occur; the list of the verbs explains them."""
ON_PAGE = "[above](#options-of-several-verbs)"
"""Where a page with several verbs explains the options that more than one of them has."""
MIN_SETTINGS = 5
"""A verb with this many search settings refers to their page."""


def write_verbs(page: str) -> str:
    """A page of `docs/verbs` with its generated parts replaced."""
    return PART.sub(lambda found: f"<!--{found[1]}-->\n{describe_part(found[1])}\n<!---->", page)


def strip_marks(path: Path) -> str:
    """A page without the marks around its generated parts."""
    return COMMENT.sub("", path.read_text())


def describe_part(name: str) -> str:
    """What a part of a page is replaced by: a verb, or the options that several verbs of a group have."""
    kind, _, group = name.partition(" ")
    if kind == "sections":
        return describe_sections()
    return describe_group(group) if kind == "shared" else describe_verb(name)


def describe_sections() -> str:
    """The sections of an experiment file that operations declare, with what each key means and its default."""
    from antecede.experiment.settings import EVALUATION, STUDIES, list_keys

    sections = {"evaluation": list_keys(EVALUATION), **{f"study.{name}": study.keys for name, study in STUDIES.items()}}
    lines = ["| key | meaning | default |", "|---|---|---|"]
    for section, keys in sections.items():
        for name, declared in keys.items():
            default = declared.help.default or write_default(declared.default)
            text = declared.help.text.replace("|", "\\|")
            lines.append(f"| `{section}.{name}` | {text} | {default if default != 'None' else ''} |")
    return "\n".join([*lines, ""])


def describe_verb(name: str) -> str:
    """What a verb does, how it is called, examples and options."""
    function = load_verb(name)
    command = find_command(name)
    context = typer.Context(command)
    arguments = [each for each in find_parameters(name) if each.param_type_name == "argument"]
    usage = " ".join(["antecede", name, *map(write_argument, arguments), "[OPTIONS]"])
    examples = "\n".join(function.__dict__["examples"])
    own, shared = sort_parameters(name)
    lines = [describe(each, write_name(each, context), context) for each in own]
    others = [
        f"{', '.join(write_shared(each, place) for each in parameters)}: {place}"
        for place, parameters in shared.items()
        if place not in WHOLE
    ]
    whole = [place for place in shared if place in WHOLE and place not in common_places(name)]
    others += [f"{'options' if others else 'Options'} of {', '.join(whole)}"] if whole else []
    lines += [f"- {'; '.join(others)}."] if others else []
    text = f"{inspect.getdoc(function)}\n\n```sh\n{usage}\n\n{examples}\n```\n"
    return "\n".join([text, *lines, ""]) if lines else text


def describe_group(group: str) -> str:
    """The options that several verbs of a group have, and the pages that explain options of all of them."""
    known: dict[str, str] = {}
    for name in verbs_of(group):
        context = typer.Context(find_command(name))
        for each in sort_parameters(name)[1].get(ON_PAGE, ()):
            known.setdefault(each.name, describe(each, write_name(each, context), context))
    places = common_places(f"{group} ")
    lines = [*known.values(), *([f"- All verbs: options of {', '.join(places)}."] if places else [])]
    return "\n".join([*lines, ""])


def sort_parameters(name: str) -> tuple[list[Any], dict[str, list[Any]]]:
    """The arguments and options that a verb explains itself, and those that another place explains, by place."""
    own: list[Any] = []
    shared: dict[str, list[Any]] = {}
    left_out = {"help", *set_aside(name)}
    if set_aside(name):
        shared[SETTINGS] = []
    for each in find_parameters(name):
        if each.name in left_out or (each.param_type_name == "argument" and each.metavar in COMMON):
            continue
        place = find_shared(each)
        if place is None and " " in name and count_on_page(name, each) > 1:
            place = ON_PAGE
        if place is None or f"({name}.md)" in place:
            own.append(each)
        else:
            shared.setdefault(place, []).append(each)
    return own, shared


def set_aside(name: str) -> set[str]:
    """The search settings of a verb that has so many of them that their page explains them."""
    settings = {each.name for each in search_options()}
    return settings if len(settings & {each.name for each in find_parameters(name)}) >= MIN_SETTINGS else set()


def count_on_page(name: str, option: Any) -> int:
    """How many verbs on the page of a verb declare an option in the same words, with the same default."""
    every = [each for verb in verbs_of(name.split()[0]) for each in find_parameters(verb)]
    return sum((each.opts, each.help, each.default) == (option.opts, option.help, option.default) for each in every)


def common_places(name: str) -> list[str]:
    """The pages of options that every verb on the page of a verb has."""
    group, space, _ = name.partition(" ")
    if not space:
        return []
    each_has = [sort_parameters(verb)[1] for verb in verbs_of(group)]
    return [place for place in WHOLE if all(place in shared for shared in each_has)]


def write_shared(option: Any, place: str) -> str:
    """The name of an option that another place explains, with its default where that differs from the one there."""
    declared = next((each for each in explained_at(place) if each.opts == option.opts), option)
    differs = option.default is not None and option.default != declared.default
    name = option.opts[0] if option.param_type_name == "option" else option.metavar.strip("[]")
    return f"`{name}`" + (f" (default {option.default})" if differs else "")


def find_shared(option: Any) -> str | None:
    """The page that explains an option, if it is one of those that many verbs have."""
    for place in SHARED:
        if any((option.name, option.help) == (each.name, each.help) for each in explained_at(place)):
            return place
    return "[output](evaluate.md#output)" if option.name == "format_" else None


@cache
def explained_at(place: str) -> list[Any]:
    """The options that a page explains, as the verb that it names declares them."""
    verb, names = SHARED.get(place, ("", ()))
    return [each for each in find_parameters(verb) if each.name in names] if verb else []


@cache
def find_parameters(verb: str) -> list[Any]:
    """The arguments of a verb, then its options, each in their order."""
    command = find_command(verb)
    return sorted(command.get_params(typer.Context(command)), key=lambda each: each.param_type_name == "option")


def write_name(parameter: Any, context: Any) -> str:
    """An argument as the usage writes it, or an option with its values."""
    if parameter.param_type_name == "argument":
        return write_argument(parameter)
    return str(parameter.get_help_record(context)[0])


def verbs_of(group: str) -> list[str]:
    """The verbs of a group."""
    return [name for name in MODULES if name.startswith(f"{group} ")]


def find_command(verb: str) -> Any:
    """The command of a verb, with its parameters."""
    command: Any = typer.main.get_command(program(verb.split()))
    for word in verb.split():
        command = command.commands[word]
    return command


def describe(parameter: Any, written: str, context: Any) -> str:
    """One argument or option: how it is written, what it means, its default."""
    explained = parameter.get_help_record(context)[1]
    text, _, facts = explained.partition("  [")
    default = re.search(r"default: (\((.*)\)|[^;\]]+)", facts)
    value = (default[2] or default[1]) if default else ""
    if value and value not in {"()", "True", "False"}:
        text += f" Default: {value}."
    written = re.sub(r"(INTEGER|FLOAT)( RANGE)?", "N", written).replace("[%Y-%m-%d]", "DATE")
    written = re.sub(r"\[(\w[\w|-]+)\]$", r"\1", written)
    return f"- `{written}`: {text if text[1:2].isupper() else text[:1].lower() + text[1:]}"
