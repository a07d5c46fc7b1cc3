"""Operations: a public function is the declaration of what it does, from which every door to it is derived.

    @operation
    def robustness(table: RankTable, measures: Measures = DEFAULT_MEASURES, *, infinite: Infinite = "refuse",
                   testing: Testing = Testing(), **_given: Unpack[GivenPlan]) -> Robustness: …

Types carry ranges and `Help` as annotations: `Annotated[int, SAMPLES, Help("The number of samples.")]`. From them
derive the options of the verb, the keys of the section in an experiment file, the checks of keyword arguments and the
reference. What several operations share is a `Bundle`: one parameter of the function, whose fields are options, keys
and keyword arguments like those of the function itself.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cache, cached_property, wraps
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from antecede.errors import UsageError, printable, suggest_names
from antecede.ranges import ALPHA, RELEVANCE, SAMPLES, SEED, THREADS, Range

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Help:
    """What an argument means, and how it is written where that does not follow from its name and type."""

    text: str
    flags: str = ""
    """Its names on the command line, such as `--measure -m`."""
    metavar: str | None = None
    default: str | None = None
    """The default in words, where its value is not informative."""
    heading: str | None = None
    """The heading of the help under which options like this one stand."""
    read: Callable[[str], Any] | None = None
    """In the shell and in files the argument is a path, which this function reads."""
    path: bool = False
    """Whether the argument, a text, may be the path of a file that is read."""
    parse: Callable[[str], Any] | None = None
    """In the shell the argument is a text, which this function reads; it may refuse it."""
    check: Callable[[str], str] | None = None
    """Brings a text of a file into its normal form, or refuses it."""
    argument: str | None = None
    """In the shell it is an argument by position, written so; `...` where it takes several."""


class Bundle:
    """A dataclass of arguments that several operations share, each of which may be given as a keyword argument."""


def parse_day(text: str) -> date:
    """A day, written as 2001-12-31."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{printable(text)!r} is not a day; write it as 2001-12-31") from None


READING = "Reading runs"
"""The heading of options that govern how runs and qrels are read."""
Seed = Annotated[int, SEED, Help("Random seed; the same seed gives the same results.")]
Alpha = Annotated[float, ALPHA, Help("The level of significance.")]
Samples = Annotated[int, SAMPLES, Help("The number of samples.")]
Level = Annotated[int, RELEVANCE, Help("The lowest relevance that counts as relevant, unless a measure sets it.")]
Threads = Annotated[int | None, THREADS, Help("Topics searched in parallel.", default="one per core")]
Workers = Annotated[int | None, THREADS, Help("The number of processes.", metavar="N", default="one per core")]
Progress = Callable[[int, int], None]
"""Called with (done, total)."""


@dataclass(frozen=True)
class Argument:
    """The declaration of one argument."""

    name: str
    hint: Any
    """Its type, without annotations."""
    default: Any
    help: Help
    range: Range | None
    bundle: str | None
    """The parameter of the function whose field it is."""

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """The types that a value may have, without None."""
        kinds = get_args(self.hint) if get_origin(self.hint) in (Union, UnionType) else (self.hint,)
        return tuple(kind for kind in kinds if kind is not NoneType)

    @property
    def optional(self) -> bool:
        return NoneType in get_args(self.hint) or self.hint is None

    @cached_property
    def list_of(self) -> Any:
        """The type of the elements, if the argument takes several values; else None."""
        lists = [kind for kind in self.kinds if _is_list(kind)]
        return get_args(lists[0])[0] if lists else None

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The values of an argument that is a choice, or a list of choices; none where any text may be given."""
        kinds = self.kinds if self.list_of is None else (self.list_of,)
        if str in kinds:
            return ()
        return tuple(choice for kind in kinds if get_origin(kind) is Literal for choice in get_args(kind))

    def check_range(self, value: Any) -> None:
        """Refuse a number that is out of range, also in a list."""
        numbers = value if isinstance(value, list | tuple) else (value,)
        for number in numbers if self.range is not None else ():
            if isinstance(number, int | float) and not isinstance(number, bool) and self.range is not None:
                self.range.check(number, self.name)

    def check_choice(self, value: str, context: str = "") -> str:
        """The choice that a text denotes, in any case."""
        named = value.lower()
        if named in self.choices:
            return named
        near = suggest_names(named, self.choices)
        raise UsageError(
            f"{context}unknown {self.name} {printable(value)!r}{near}; choose one of {', '.join(self.choices)}"
        )


def _is_list(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping)


# Functions and the types of their arguments


@cache
def load_function(path: str) -> Callable[..., Any]:
    """The function that a path names: `antecede.study:robustness`."""
    module, _, name = path.partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function


def operation(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorator: a function takes the fields of its bundles as keyword arguments, too.

    Its last parameter, `**_given: Unpack[…]`, is for type checkers only.
    """
    bundles = _bundles_of(inspect.signature(function))
    keywords = {
        name: [
            make_keyword(field.name, getattr(default, field.name), plain_annotation(str(field.type)))
            for field in fields(default)
        ]
        for name, default in bundles.items()
    }
    return take_keywords(function, keywords, lambda name, given, values: replace(given or bundles[name], **values))


def make_keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    """A keyword argument with a default."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def take_keywords(
    function: Callable[Given, Result],
    keywords: Mapping[str, Iterable[inspect.Parameter]],
    merge: Callable[[str, Any, dict[str, Any]], Any],
) -> Callable[Given, Result]:
    """Wrap a function so that it takes the parts of some of its parameters as keyword arguments, which `help` lists.

    Args:
        function: The function.
        keywords: By parameter, the keyword arguments that are parts of it.
        merge: Called with a parameter, its value or None, and the parts that were given; returns the new value.
    """
    declared = inspect.signature(function)
    own = declared.replace(parameters=[p for p in declared.parameters.values() if p.kind is not p.VAR_KEYWORD])
    names = {name: [keyword.name for keyword in parts] for name, parts in keywords.items()}

    @wraps(function)
    def call(*arguments: Given.args, **given: Given.kwargs) -> Result:
        chosen = {name: {key: given.pop(key) for key in keys if key in given} for name, keys in names.items()}
        bound = own.bind(*arguments, **given)
        for name, values in chosen.items():
            if values:
                bound.arguments[name] = merge(name, bound.arguments.get(name), values)
        return function(*bound.args, **bound.kwargs)

    written = [p.replace(annotation=plain_annotation(str(p.annotation))) for p in own.parameters.values()]
    signature = own.replace(parameters=[*written, *(keyword for parts in keywords.values() for keyword in parts)])
    vars(call)["__signature__"] = signature
    annotations = {name: parameter.annotation for name, parameter in signature.parameters.items()}
    call.__annotations__ = annotations | {"return": signature.return_annotation}
    return call


def _bundles_of(signature: inspect.Signature) -> dict[str, Any]:
    """The defaults of the parameters that are bundles."""
    return {name: p.default for name, p in signature.parameters.items() if isinstance(p.default, Bundle)}


@cache
def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters of a function and of the fields of its bundles, with their annotations."""
    inner = inspect.unwrap(function)
    signature = inspect.signature(inner)
    named = {name for name, p in signature.parameters.items() if p.kind is not p.VAR_KEYWORD}
    hints = resolve_hints(inner.__module__, {n: of for n, of in inner.__annotations__.items() if n in named})
    for bundle in _bundles_of(signature).values():
        hints |= _bundle_hints(type(bundle))
    return hints


def result_of(function: Callable[..., Any]) -> Any:
    """The type of the result of a function, if it is declared."""
    inner = inspect.unwrap(function)
    return resolve_hints(inner.__module__, {"return": inner.__annotations__.get("return")})["return"]


def _bundle_hints(bundle: type) -> dict[str, Any]:
    """The types of the fields of a bundle."""
    hints: dict[str, Any] = {}
    for base in reversed(bundle.__mro__):
        if "__dataclass_fields__" in vars(base):
            hints |= resolve_hints(base.__module__, vars(base).get("__annotations__", {}))
    return hints


def resolve_hints(module: str, annotations: Mapping[str, Any]) -> dict[str, Any]:
    """Types of a module, also where it writes them as texts; what it imports for type checkers only is loaded, too."""
    imports, aliases = declare_for_checkers(module)
    texts = {
        name: re.sub(r"\b[A-Z]\w*", lambda word: aliases.get(word[0], word[0]), text)
        for name, text in annotations.items()
        if isinstance(text, str)
    }
    used = {*re.findall(r"[A-Za-z_]\w*", " ".join(texts.values()))}
    names = {name: getattr(import_module(home), known) for name, (home, known) in imports.items() if name in used}
    written = vars(sys.modules[module])
    resolved = get_type_hints(_Annotated(texts), globalns=written, localns=names, include_extras=True)
    return {name: resolved.get(name, of) for name, of in annotations.items()}


class _Annotated:
    """Something that has annotations, for `typing`."""

    def __init__(self, annotations: dict[str, Any]) -> None:
        self.__annotations__ = annotations


def _source_of(module: str) -> str:
    """The source of a module; empty where there is none, as in a notebook."""
    loader = getattr(sys.modules[module], "__loader__", None)
    if hasattr(loader, "get_source"):
        return str(loader.get_source(module) or "")  # type: ignore[union-attr]
    file = getattr(sys.modules[module], "__file__", None)
    return Path(file).read_text(encoding="utf-8") if file else ""


@cache
def declare_for_checkers(module: str) -> tuple[dict[str, tuple[str, str]], dict[str, str]]:
    """What a module declares only `if TYPE_CHECKING`.

    By name, the module that an import is from and its name there; and the text of each name for another type.
    """
    tree = ast.parse(_source_of(module))
    nodes = [
        node
        for block in tree.body
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in block.body
    ]
    imports = {
        name.asname or name.name: (str(node.module), name.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    return imports, {ast.unparse(node.targets[0]): ast.unparse(node.value) for node in assigned}


def plain_annotation(text: str) -> str:
    """A type as it is written, without what annotates it."""
    if "Annotated[" not in text:
        return text

    class Plain(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
            if isinstance(node.value, ast.Name) and node.value.id == "Annotated" and isinstance(node.slice, ast.Tuple):
                return self.visit(node.slice.elts[0])  # type: ignore[no-any-return]
            return self.generic_visit(node)

    return ast.unparse(Plain().visit(ast.parse(text, mode="eval")))


def without_annotations(hint: Any) -> Any:
    """A type without its annotations, also those inside of it."""
    if get_origin(hint) is Annotated:
        return without_annotations(get_args(hint)[0])
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(map(without_annotations, get_args(hint)))]  # noqa: UP007 - of a tuple
    return hint


@cache
def arguments_of(function: Callable[..., Any]) -> dict[str, Argument]:
    """The declared arguments of a function: those with `Help`, in their order, and the fields of its bundles."""
    signature = inspect.signature(inspect.unwrap(function))
    hints = hints_of(function)
    declared: dict[str, Argument] = {}
    for name, parameter in signature.parameters.items():
        if isinstance(parameter.default, Bundle):
            for field in fields(parameter.default):  # type: ignore[arg-type]
                _declare(declared, field.name, hints[field.name], getattr(parameter.default, field.name), name)
        elif name in hints:
            _declare(declared, name, hints[name], parameter.default, None)
    return declared


def _declare(declared: dict[str, Argument], name: str, hint: Any, default: Any, bundle: str | None) -> None:
    marks = [*_marks(hint)]
    helps = [mark for mark in marks if isinstance(mark, Help)]
    if helps:
        ranges = [mark for mark in marks if isinstance(mark, Range)]
        declared[name] = Argument(
            name, without_annotations(hint), default, helps[0], ranges[0] if ranges else None, bundle
        )


def _marks(hint: Any) -> Iterable[Any]:
    """The annotations of a type, and of its alternatives."""
    if get_origin(hint) is Annotated:
        kind, *marks = get_args(hint)
        yield from marks
        yield from _marks(kind)
    elif get_origin(hint) in (Union, UnionType):
        for kind in get_args(hint):
            yield from _marks(kind)


def describe_in_shell(function: Callable[..., Any]) -> tuple[str, list[str]]:
    """What the help of a verb says of an operation, and the examples of its docstring (`Shell:`)."""
    doc = inspect.getdoc(function) or ""
    parts = re.split(r"\n*^(Args|Shell):\n((?: {4}.*\n?|\n(?= {4}))*)", f"{doc}\n", flags=re.MULTILINE)
    sections = dict(zip(parts[1::3], parts[2::3], strict=True))
    text = "\n\n".join(part.strip() for part in parts[0::3] if part.strip())
    return text, [line.strip() for line in sections.get("Shell", "").splitlines() if line.strip()]


def sources_of(function: Callable[..., Any], kinds: Iterable[str] = ("RankTable", "Scores")) -> dict[str, str]:
    """The parameters that whoever calls an operation makes of what it has, with the last of the types that fits."""
    declared = arguments_of(function)
    texts = {name: str(hint) for name, hint in hints_of(function).items() if name not in declared}
    fitting = {name: [kind for kind in kinds if f".{kind}" in text] for name, text in texts.items()}
    return {name: names[-1] for name, names in fitting.items() if names}


def complete_docstring(function: Callable[..., Any]) -> str:
    """The docstring of a function, with the arguments whose explanation is their declaration."""
    doc = inspect.getdoc(function) or ""
    before, head, rest = doc.partition("\nArgs:\n")
    listed, gap, after = rest.partition("\n\n") if head else ("", "", "")
    written = dict(re.findall(r"^    (\w+): (.+(?:\n {8}.+)*)", listed, re.MULTILINE))
    known = {name: argument.help.text for name, argument in arguments_of(function).items()}
    every = {**written, **{name: text for name, text in known.items() if name not in written}}
    order = sorted(every, key=[*inspect.signature(function).parameters, *every].index)
    if not order:
        return doc
    lines = "\n".join(f"    {name}: {every[name]}" for name in order)
    return f"{before.rstrip()}\n\nArgs:\n{lines}{gap}{after}"
