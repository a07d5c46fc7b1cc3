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

from antecede.cli.app import load_verb, program, write_argument
from antecede.search.settings import search_options

if TYPE_CHECKING:
    from pathlib import Path

PART = re.compile(r"^<!--([a-z][a-z -]*)-->\n.*?^<!---->$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^<!--.*?-->\n+", re.MULTILINE)
SHARED = {
    "[evaluate](evaluate.md)": ("evaluate", ("measures", "rel")),
    "[compare](compare.md)": ("compare", ("test", "alpha", "seed", "samples")),
    "[index](index.md)": ("index", ("memory", "workers")),
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
WHOLE = ("[reading runs](../reading.md)", "[reading patents](../patents.md)", "[output](evaluate.md#output)")
"""Pages that explain all options of a kind: a verb that has one of them has most."""
COMMON = {"INDEX", "QRELS", "RUN", "RUN...", "[RUN...]", "CASES", "COLLECTION..."}
"""Arguments that mean the same wherever they occur."""
MIN_SETTINGS = 5
"""A verb with this many search settings refers to their page."""


def write_verbs(page: str) -> str:
    """A page of `docs/verbs` with its generated parts replaced."""
    return PART.sub(lambda found: f"<!--{found[1]}-->\n{describe_verb(found[1])}\n<!---->", page)


def strip_marks(path: Path) -> str:
    """A page without the marks around its generated parts."""
    return COMMENT.sub("", path.read_text())


def describe_verb(name: str) -> str:
    """What a verb does, how it is called, examples and options."""
    function = load_verb(name)
    command = find_command(name)
    context = typer.Context(command)
    parameters = command.get_params(context)
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    usage = " ".join(["antecede", name, *map(write_argument, arguments), "[OPTIONS]"])
    examples = "\n".join(function.__dict__["examples"])
    settings = {each.name for each in search_options()}
    only = settings if len(settings & {each.name for each in parameters}) >= MIN_SETTINGS else set()
    options = [each for each in parameters if each not in arguments and each.name not in {"help", *only}]
    lines = [describe(each, write_argument(each), context) for each in arguments if each.metavar not in COMMON]
    shared: dict[str, list[str]] = {}
    for each in options:
        place = find_shared(each)
        place = None if place is not None and f"({name}.md)" in place else place
        if place is None:
            lines.append(describe(each, each.get_help_record(context)[0], context))
        else:
            shared.setdefault(place, []).append(f"`{each.opts[0]}`")
    pages = ["[search settings](../settings.md)"] if only else []
    pages += [place if place in WHOLE else f"{place} ({', '.join(names)})" for place, names in shared.items()]
    lines += [f"- Options of {', '.join(pages)}."] if pages else []
    return f"{inspect.getdoc(function)}\n\n```sh\n{usage}\n\n{examples}\n```\n\n" + "\n".join(lines) + "\n"


def find_shared(option: Any) -> str | None:
    """The page that explains an option, if it is one of those that many verbs have."""
    for place, (verb, _) in SHARED.items():
        if any(option.opts == each.opts and option.help == each.help for each in shared_options(place, verb)):
            return place
    return "[output](evaluate.md#output)" if option.name == "format_" else None


@cache
def shared_options(place: str, verb: str) -> list[Any]:
    """The options that a page explains, as a verb declares them."""
    command = find_command(verb)
    return [each for each in command.get_params(typer.Context(command)) if each.name in SHARED[place][1]]


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
