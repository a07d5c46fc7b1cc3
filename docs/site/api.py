"""The API reference, generated from the docstrings of the public names: `docs/api.md` and a page for each topic."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from functools import cache, cached_property
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import antecede
from antecede.cli.app import MODULES
from antecede.names import function_of, public_names
from antecede.operations import complete_docstring, plain_annotation
from antecede.search.settings import search_options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HEAD = """# Python API

Generated from the code by `make docs`. The names in the tables can be imported from `antecede`:

```py
import antecede as ac
```

The other classes on the pages are what functions return; they are written with their modules. The names are loaded on
first use, so importing the package is fast, and evaluation loads neither lxml nor numba. All errors derive from
[AntecedeError](api/errors.md#class-antecedeerror).

Each function checks what it is given. What can mean only one thing is taken for it: a rank table where scores are
wanted is evaluated by the default measures, scores give their rank table, a path is opened as the index, collection or
run that is wanted, and one name stands for a list of it. Anything else is a
[UsageError](api/errors.md#class-usageerror) that names the argument, what it must be and what it got. Choices such as
`test="wilcoxon"` and the settings of a search are typed, so that mypy and editors find a misspelt one.
"""
VERBS = """## Verbs and functions

A verb and its function have the same name, the same arguments and the same defaults; sections of [experiment
files](experiments.md) have them as well, such as `[study.robustness]`. Names of the release before, such as
`ac.correlate`, can be used for one more release: a `FutureWarning` names what takes their place."""
TOPICS: dict[str, tuple[str, ...]] = {
    "Reading patents": ("patent", "corpus", "synthetic"),
    "Indexing": ("index",),
    "Searching": ("query", "search", "opensearch", "engine", "ranking", "learning", "review"),
    "Reading runs and qrels": ("trec",),
    "Evaluating": ("measures", "evaluation"),
    "Comparing": ("comparison",),
    "Studying measures": ("study",),
    "Experiments and reports": ("experiment", "report", "tables", "plots"),
    "Errors": ("errors",),
    "Other": (),
}
"""The topics of the page, each with the packages whose names it lists."""
WIDTH = 100
"""A longer signature has one line per parameter."""
SETTINGS = "Each [search setting](../settings.md) may also be given as a keyword argument."


def api_manual() -> str:
    """The page that lists every public name."""
    sections = []
    for topic, things in group_names().items():
        rows = [
            f"| [`{name}`](api/{page_of(topic)}.md#{anchor_of(name, thing)}) | {summarize(thing)} |"
            for name, thing in things.items()
            if name in public_names()
        ]
        sections.append("\n".join([f"## {topic}\n", "| | |", "|---|---|", *rows]))
    return "\n\n".join([HEAD.rstrip(), VERBS, list_verbs(), *sections]) + "\n"


def list_verbs() -> str:
    """A table of the verbs of the shell and of the functions that do the same."""
    rows = []
    for verb in MODULES:
        name = function_of(verb)
        written = "for the shell only" if name is None else f"`ac.{name}`"
        rows.append(f"| `antecede {verb}` | {written} |")
    return "\n".join(["| in the shell | in Python |", "|---|---|", *rows])


def topic_manual(topic: str) -> str:
    """The page of a topic, with the description of each name."""
    things = group_names()[topic]
    head = f"# {topic}\n\nGenerated from the code by `make docs`. [All names](../api.md)."
    return "\n\n".join([head, *(describe_name(name, thing) for name, thing in things.items())]) + "\n"


def page_of(topic: str) -> str:
    """The name of the page of a topic."""
    return topic.lower().replace(" ", "-")


@cache
def group_names() -> dict[str, dict[str, Any]]:
    """The public names and what functions return, by topic; functions first, since a reader starts from them."""
    things = {name: attrgetter(name)(antecede) for name in public_names()}
    things |= {name: kind for thing in list(things.values()) for name, kind in list_results(thing)}
    ordered = sorted(things.items(), key=lambda item: (inspect.isclass(item[1]), item[0].lower()))
    groups: dict[str, dict[str, Any]] = {topic: {} for topic in TOPICS}
    for name, thing in ordered:
        groups[topic_of(thing)][name] = thing
    return {topic: names for topic, names in groups.items() if names}


def list_results(function: Any) -> Iterator[tuple[str, type]]:
    """The classes of this package that a function returns, by name."""
    if inspect.isfunction(function):
        module = inspect.getmodule(inspect.unwrap(function))
        for name in re.findall(r"\w+", write_annotation(inspect.signature(function).return_annotation)):
            kind = getattr(module, name, None)
            if inspect.isclass(kind) and kind.__module__.startswith("antecede."):
                yield name, kind


def topic_of(thing: Any) -> str:
    """The topic that lists a function or a class, by its package."""
    package = inspect.unwrap(thing).__module__.split(".")[1]
    return next((topic for topic, packages in TOPICS.items() if package in packages), "Other")


def anchor_of(name: str, thing: Any) -> str:
    """The anchor of a name; a class and a function may differ in case only."""
    return f"class-{name.lower()}" if inspect.isclass(thing) else name.lower().replace(".", "")


def summarize(thing: Any) -> str:
    """The first sentence of a docstring, for a table."""
    paragraph = split_docstring(thing)[0].split("\n\n")[0]
    return re.split(r"(?<=[.?])\s", join_lines(paragraph))[0].replace("|", "\\|")


def describe_name(name: str, thing: Any) -> str:
    """The section of a name."""
    return describe_class(name, thing) if inspect.isclass(thing) else describe_function(name, thing)


def describe_function(name: str, function: Callable[..., Any]) -> str:
    """Signature, description and parameters of a function."""
    text, arguments = split_docstring(function)
    parts = [f"## {name}", fence(f"antecede.{name}", inspect.signature(function)), text]
    listed = [f"- `{argument}`: {words}" for argument, words in arguments.items()]
    parts += ["\n".join(listed)] if listed else []
    if "settings" in arguments and "method" in inspect.signature(function).parameters:
        parts.append(SETTINGS)
    return "\n\n".join(parts)


def describe_class(name: str, kind: type) -> str:
    """Signature, description, attributes and methods of a class."""
    text, arguments = split_docstring(kind)
    home = "antecede" if name in public_names() else kind.__module__
    parts = [f"## class {name}", fence(f"{home}.{name}", class_signature(kind)), text]
    parts += ["\n".join(f"- `{argument}`: {words}" for argument, words in arguments.items())] if arguments else []
    attributes = [f"- `{attribute}`: {words}" for attribute, words in list_attributes(kind)]
    parts += ["Attributes:\n\n" + "\n".join(attributes)] if attributes else []
    methods = [f"- `{write_signature(method, signature)}`: {words}" for method, signature, words in list_methods(kind)]
    parts += ["Methods:\n\n" + "\n".join(methods)] if methods else []
    return "\n\n".join(parts)


def class_signature(kind: type) -> inspect.Signature | None:
    """How an object is made; None for exceptions, which users catch rather than make."""
    return None if issubclass(kind, BaseException) else inspect.signature(kind)


def list_attributes(kind: type) -> Iterator[tuple[str, str]]:
    """The public fields and properties of a class that have a description."""
    described = {name: words for base in reversed(own_bases(kind)) for name, words in field_docstrings(base).items()}
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(kind):
            if field.name in described and not field.name.startswith("_"):
                yield field.name, described[field.name]
            elif "help" in field.metadata:
                yield field.name, field.metadata["help"]
    for name, member in inspect.getmembers(kind):
        getter = member.fget if isinstance(member, property) else getattr(member, "func", None)
        words = inspect.getdoc(getter) if getter is not None else None
        if words and not name.startswith("_"):
            yield name, join_lines(words.split("\n\n")[0])


def list_methods(kind: type) -> Iterator[tuple[str, inspect.Signature, str]]:
    """The public methods of a class with their signatures, without `self`."""
    for name, member in inspect.getmembers(kind, inspect.isroutine):
        own = getattr(member, "__module__", None) or ""
        words = inspect.getdoc(member)
        computed = isinstance(member, cached_property)
        if name.startswith("_") or computed or not own.startswith("antecede.") or not words:
            continue
        signature = inspect.signature(member)
        parameters = list(signature.parameters.values())
        bound = not isinstance(inspect.getattr_static(kind, name), staticmethod | classmethod)
        kept = parameters[1:] if bound else parameters
        yield name, signature.replace(parameters=kept), join_lines(words.split("\n\n")[0])


def own_bases(kind: type) -> list[type]:
    """The class and its bases in this package."""
    return [base for base in kind.__mro__ if base.__module__.startswith("antecede.")]


@cache
def field_docstrings(kind: type) -> dict[str, str]:
    """The strings that follow the fields of a class in its source."""
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    lines = tree.body if isinstance(tree, ast.ClassDef) else []
    found = {}
    for field, after in pairwise(lines):
        match field, after:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = join_lines(inspect.cleandoc(words))
    return found


def split_docstring(thing: Any) -> tuple[str, dict[str, str]]:
    """A docstring without its `Args:` section, in Markdown, and the descriptions of the arguments."""
    doc = complete_docstring(thing) if inspect.isfunction(thing) else inspect.getdoc(thing) or ""
    doc = re.sub(r"\n*^Shell:\n(?: {4}.*\n?)+", "", doc, flags=re.MULTILINE)
    before, _, rest = doc.partition("\nArgs:\n")
    listed, _, after = rest.partition("\n\n")
    arguments = {}
    for found in re.finditer(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", listed, re.MULTILINE):
        arguments[found[1]] = join_lines(found[2])
    text = "\n\n".join(part.strip("\n") for part in (before, after) if part.strip())
    example = re.search(r"(^>>> .*)", text, re.MULTILINE | re.DOTALL)
    if example:
        text = text[: example.start()] + f"```python\n{example[1].rstrip()}\n```"
    return text, arguments


def join_lines(text: str) -> str:
    """A paragraph on one line."""
    return " ".join(text.split())


def fence(name: str, signature: inspect.Signature | None) -> str:
    """A signature as a block of code; `py`, since blocks of `python` are run by a test."""
    return f"```py\n{write_signature(name, signature)}\n```"


def write_signature(name: str, signature: inspect.Signature | None) -> str:
    """A call with every parameter, its type and default."""
    if signature is None:
        return name
    parts = list(list_parameters(signature))
    returns = (
        ""
        if signature.return_annotation in (signature.empty, "None", None)
        else (f" -> {write_annotation(signature.return_annotation)}")
    )
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= WIDTH or not name.startswith("antecede."):
        return line
    rows = "".join(f"    {part},\n" for part in parts)
    return f"{name}(\n{rows}){returns}"


STARS: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def list_parameters(signature: inspect.Signature) -> Iterator[str]:
    """Each parameter as it is written, and the star before keyword-only ones."""
    starred = False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        starred = starred or each.kind is each.VAR_POSITIONAL
        mark = STARS.get(each.kind, "")
        kind = "" if each.annotation is each.empty else f": {write_annotation(each.annotation)}"
        default = "" if each.default is each.empty else f" = {write_default(each.default)}"
        yield f"{mark}{each.name}{kind}{default}"


def write_annotation(annotation: Any) -> str:
    """A type as it is written in the source."""
    text = plain_annotation(annotation if isinstance(annotation, str) else inspect.formatannotation(annotation))
    return re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)


def write_default(value: Any) -> str:
    """A default value; `…` for one that has no literal form."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type) and value == type(value)():
        return f"{type(value).__name__}()"
    text = repr(value)
    return "…" if text.startswith("<") else text


def undocumented_parameters(function: Callable[..., Any]) -> set[str]:
    """The parameters that a docstring does not describe, and those it describes that do not exist.

    Search settings, which several functions take, are described on a page of their own.
    """
    described = {*split_docstring(function)[1]}
    settings = {each.name for each in search_options()} if "settings" in described else set()
    return ({*inspect.signature(function).parameters} - settings) ^ described
