"""One registry for everything chosen by name: measures, query methods, ranking models, formats, figures.

An entry is a function with a docstring. A decorator registers it; its keyword-only parameters are the ones a user may
write, as in `bm25(k1=0.9,b=0.4)` or `PRES(rel=2)@100`. Types, defaults and ranges are read off the signature:

    def lm(at: Terms, *, lambda_: Share = 0.1) -> Floats: ...

A trailing underscore, needed where the literature uses a Python keyword, is not part of the written name.

Entries come from two places: the module or the files of the package that owns the registry, and other distributions,
which declare the module that registers the entry as an entry point of the same name:

    [project.entry-points."antecede.methods"]
    rarest = "my_package.rarest"
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import textwrap
import threading
import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, NamedTuple, Self, TypeVar, get_args, get_type_hints
from typing import get_origin as origin_of

from antecede.errors import AntecedeError, UsageError, printable
from antecede.ranges import OVERFLOW_GUARD, Range, write_number, write_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.tables import Table

Entry = TypeVar("Entry")

# Parameters


_NON_NEGATIVE = Range(0, OVERFLOW_GUARD)
Count = Annotated[int, Range(1, OVERFLOW_GUARD)]
"""A positive whole number."""
Positive = Annotated[float, Range(0, OVERFLOW_GUARD, open_low=True)]
Share = Annotated[float, Range(0, 1)]
OpenShare = Annotated[float, Range(0, 1, open_low=True, open_high=True)]


@dataclass(frozen=True)
class Parameter:
    """One parameter of an entry, read off the signature of its function."""

    name: str
    """As users write it: without a trailing underscore."""
    keyword: str
    """As the function spells it."""
    kind: type
    default: Any
    """`inspect.Parameter.empty` where the parameter is required."""
    choices: tuple[str, ...] = ()
    range: Range | None = None

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    def read(self, text: str, context: str, error: type[AntecedeError] = UsageError) -> Any:
        """The value that `text` denotes; `context` is the whole call as written, for the message."""
        try:
            value = self.kind(text)
        except (ValueError, OverflowError):
            kind = "a whole number" if self.kind is int else "a number"
            raise error(f"{context}: {self.name} {printable(text)!r} is not {kind}") from None
        return self.check(value, context, error)

    def check(self, value: Any, context: str, error: type[AntecedeError] = UsageError) -> Any:
        """The value, if it is one of the choices or within the range."""
        if self.choices and value not in self.choices:
            raise error(f"{context}: {self.name} {printable(str(value))!r} is not one of {', '.join(self.choices)}")
        if self.range is not None and value not in self.range:
            raise error(f"{context}: {self.name} must be {self.range.describe(value)}, not {write_number(value)}")
        return value


def parameters_of(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """The keyword-only parameters of a function; a number without a declared range is finite and non-negative."""
    keywords = [part for part in inspect.signature(function).parameters.values() if part.kind is part.KEYWORD_ONLY]
    # The annotations of these alone: others may name what is imported for type checks only.
    stub = types.FunctionType((lambda: None).__code__, function.__globals__)
    stub.__annotations__ = {keyword.name: keyword.annotation for keyword in keywords}
    hints = get_type_hints(stub, include_extras=True)
    parameters = []
    for keyword in keywords:
        kind, choices, allowed = _describe_hint(hints[keyword.name])
        name = keyword.name.rstrip("_")
        parameters.append(Parameter(name, keyword.name, kind, keyword.default, choices, allowed))
    return tuple(parameters)


def _describe_hint(hint: Any) -> tuple[type, tuple[str, ...], Range | None]:
    """The type, the choices and the range that an annotation declares; `X | None` is X."""
    options = [part for part in get_args(hint) if part is not type(None)] if type(None) in get_args(hint) else [hint]
    only = options[0]
    if origin_of(only) is Literal:
        return str, get_args(only), None
    if origin_of(only) is Annotated:
        kind, *extras = get_args(only)
        return kind, (), next((extra for extra in extras if isinstance(extra, Range)), None)
    return only, (), _NON_NEGATIVE if only in (int, float) else None


# Definitions, and calls as users write them


@dataclass(frozen=True, eq=False)
class Definition:
    """A registered function, before its parameters are given."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    cite: str

    @property
    def doc(self) -> str:
        """Formula, parameters and caveats: the function's docstring."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.doc.split("\n", 1)[0]

    @property
    def explanation(self) -> str:
        """Formula, parameters, caveats and source."""
        return f"{self.doc}\n\nSource: {self.cite}"

    @property
    def defaults(self) -> dict[str, Any]:
        """The parameters with their defaults; None where one is required."""
        return {part.name: None if part.required else part.default for part in self.parameters}

    @property
    def usage(self) -> str:
        """The call as it is written with every parameter."""
        return write_call(self.name, self.defaults, separator=", ")

    def describe(self) -> dict[str, Any]:
        described = {name: getattr(self, name) for name in ("name", "usage", "summary", "doc", "cite")}
        return {**described, "parameters": self.defaults}

    def bind(
        self, given: Iterable[tuple[str, str]], text: str, error: type[AntecedeError] = UsageError
    ) -> dict[str, Any]:
        """The values of the parameters written in `text`, each checked, in the order of the signature."""
        known = {parameter.name: parameter for parameter in self.parameters}
        values: dict[str, Any] = {}
        for name, value in given:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"
                raise error(f"{printable(text)}: {self.name} has no parameter {printable(name)!r}; {hint}")
            if name in values:
                raise error(f"{printable(text)}: {name} is given twice")
            values[name] = known[name].read(value, printable(text), error)
        return {name: values[name] for name in known if name in values}

    def check(self, values: Mapping[str, Any], text: str) -> None:
        """Refuse values that are out of range, where they were given as data and not as a text."""
        for parameter in self.parameters:
            if parameter.name in values:
                parameter.check(values[parameter.name], text)

    def spell(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Parameters under their written names → keyword arguments of the function."""
        keywords = {parameter.name: parameter.keyword for parameter in self.parameters}
        return {keywords[name]: value for name, value in values.items()}


class WrittenCall(NamedTuple):
    """`name(parameter=value, ...)@at` as written, every part still a text."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    at: str | None


_CALL = re.compile(
    r"\s*(?P<name>[^\W\d][\w′'-]*)\s*(\((?P<inside>[^()]*)\))?\s*(@(?P<at>[^()@\s]+))?\s*(\((?P<after>[^()]*)\))?\s*"
)


def parse_call(text: str, error: type[AntecedeError] = UsageError) -> WrittenCall | None:
    """The parts of a call; None where the text is not a call at all."""
    call = _CALL.fullmatch(text)
    if call is None:
        return None
    arguments = []
    for part in filter(str.strip, ",".join(filter(None, (call["inside"], call["after"]))).split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise error(f"{printable(text.strip())}: {printable(part)!r} is not a parameter; write it as name=value")
        arguments.append((key.strip(), value.strip()))
    return WrittenCall(call["name"], tuple(arguments), call["at"])


def split_list(text: str) -> list[str]:
    """The parts of a list, separated by commas outside parentheses, each once."""
    return [*dict.fromkeys(filter(None, split_outside(text, ",")))]


def split_outside(text: str, separator: str) -> list[str]:
    """The parts that a character separates outside parentheses, without the spaces around them."""
    begin, parts = 0, []
    for run in re.finditer(r"[^()]*+[()]?", text):  # each is looked through once, however many separators it has
        if not run[0].endswith(")"):
            for at in range(*run.span()):
                if text[at] == separator:
                    parts.append(text[begin:at].strip())
                    begin = at + 1
    return [*parts, text[begin:].strip()]


def write_call(name: str, values: Mapping[str, Any], separator: str = ",") -> str:
    """The call with these parameters, as `parse_call` reads it."""
    texts = {parameter: "…" if value is None else write_value(value) for parameter, value in values.items()}
    given = separator.join(f"{parameter}={text}" for parameter, text in texts.items())
    return f"{name}({given})" if given else name


# Choices

Defined = TypeVar("Defined", bound=Definition)


@dataclass(frozen=True)
class Choice(Generic[Defined]):
    """A registered entry with the parameters that a user gave."""

    definition: Defined
    parameters: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.definition.check(self.parameters, self.name)

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The entry as it is written, with its parameters."""
        return write_call(self.definition.name, self.parameters)

    @property
    def keywords(self) -> dict[str, Any]:
        return self.definition.spell(self.parameters)

    @classmethod
    def parse(cls, text: str, registry: Registry[Defined], example: str | None = None) -> Self:
        """The entry that a call such as `bm25(k1=0.9,b=0.4)` denotes.

        Another text is refused: with an example of how one is written, or else as an unknown name.
        """
        call = parse_call(text)
        if call is None or call.at is not None:
            if example is None:
                return cls(registry.choose(text))
            article = "an" if registry.kind[0] in "aeiou" else "a"
            raise registry.error(f"{printable(text)!r} is not {article} {registry.kind}; write it as {example}")
        definition = registry.choose(call.name.lower().replace("-", "_"), text)
        values = definition.bind(call.arguments, text)
        for parameter in definition.parameters:
            if parameter.required and parameter.name not in values:
                raise registry.error(f"{printable(text)} needs {parameter.name}; write it as {definition.usage}")
        return cls(definition, values)


# The registry


class Registry(Mapping[str, Entry]):
    """Entries by name, in alphabetical order, loaded on first use; an entry registered later appears immediately."""

    def __init__(
        self, kind: str, *, package: str, group: str | None = None, error: type[AntecedeError] = UsageError
    ) -> None:
        self.kind, self.package, self.group, self.error = kind, package, group, error
        self.entries: dict[str, Entry] = {}
        self.failures: dict[str, str] = {}
        """Entry points that could not be loaded, with the reason."""
        self.complete: set[Callable[[], None]] = set()
        """The ways of loading entries that have been completed."""
        self.lock = threading.RLock()
        self.loading = False

    def add(self, name: str, entry: Entry) -> None:
        """Register an entry. Running the same definition again, as in a notebook, replaces it."""
        known = self.entries.get(name)
        if known is not None and _origin(known) != _origin(entry):
            raise ValueError(f"two entries are registered as the {self.kind} {name}")
        self.entries[name] = entry

    def load(self) -> None:
        """Import the files of the package and the entry points of other distributions, once."""
        self._load_once(self.load_package)
        self._load_once(self.load_entry_points)

    def _load_once(self, load: Callable[[], None]) -> None:
        """Load some entries unless they are there. Other threads wait; what is imported may use this registry."""
        if load in self.complete:
            return
        with self.lock:
            if self.loading or load in self.complete:
                return
            self.loading = True
            try:
                load()
                self.complete.add(load)
            finally:
                self.loading = False

    def load_package(self) -> None:
        """Import the module, or every file of the package, so that its entries register themselves."""
        owner = importlib.import_module(self.package)
        for file in pkgutil.iter_modules(getattr(owner, "__path__", ())):
            importlib.import_module(f"{self.package}.{file.name}")

    def load_entry_points(self) -> None:
        """Import the entry points of other distributions. Finding them reads the metadata of all of these.

        A failure concerns this entry alone and is reported when it is chosen.
        """
        from importlib.metadata import entry_points

        for entry_point in entry_points(group=self.group) if self.group else ():
            source = entry_point.dist.name if entry_point.dist is not None else entry_point.value
            reason = f"{entry_point.value} registers no {self.kind} of that name"
            try:
                entry_point.load()
            except Exception as error:  # noqa: BLE001 - a third-party module may raise anything
                reason = f"{type(error).__name__}: {error}"
            else:
                if entry_point.name in self.entries:
                    continue
            self.failures[entry_point.name] = printable(f"{source}: {reason}", 200)

    def choose(self, name: str, text: str | None = None) -> Entry:
        """The entry of a name; an unknown name is an error that suggests the nearest one."""
        if name in self:
            return self.entries[name]
        if name in self.failures:
            raise self.error(f"the {self.kind} {name} could not be loaded ({self.failures[name]})")
        near = get_close_matches(name, [*self], 1)
        hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(self)}"
        raise self.error(f"unknown {self.kind} {printable(name if text is None else text)!r}; {hint}")

    def __getitem__(self, name: str) -> Entry:
        if name not in self:
            raise KeyError(name)
        return self.entries[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is an entry of this name. Other distributions are searched only for names not known here."""
        self._load_once(self.load_package)
        if name not in self.entries:
            self._load_once(self.load_entry_points)
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        self.load()
        return iter(sorted(self.entries, key=lambda name: (name.lower(), name)))

    def __len__(self) -> int:
        self.load()
        return len(self.entries)


def _origin(entry: object) -> tuple[str | None, str | None]:
    """The module and the name of the definition that an entry comes from."""
    function = getattr(entry, "function", entry)
    return getattr(function, "__module__", None), getattr(function, "__qualname__", None)


# Listings of registered entries


@dataclass(frozen=True)
class Listing(Generic[Entry]):
    """The entries of a registry for people and machines: a table, full descriptions, data, a page of the manual."""

    registry: Registry[Entry]
    tabulate: Callable[[Sequence[Entry]], Table]
    manual_head: str = ""
    write_section: Callable[[Entry], str] = attrgetter("explanation")
    explain: Callable[[Entry], str] = attrgetter("explanation")
    describe: Callable[[Entry], dict[str, Any]] = methodcaller("describe")
    choose: Callable[[str], Entry] | None = None
    """Looks up a name where more than the registered names are understood."""
    usage: Callable[[Entry], str] = attrgetter("usage")
    """The form in which the entry is written, in one line."""

    def select(self, names: Sequence[str] | None = None) -> list[Entry]:
        """The entries of these names, or all."""
        choose = self.choose or self.registry.choose
        return [choose(name) for name in names] if names else list(self.registry.values())

    def as_table(self, names: Sequence[str] | None = None) -> Table:
        return self.tabulate(self.select(names))

    def as_text(self, names: Sequence[str] | None = None) -> str:
        return "\n\n".join(
            f"{self.usage(entry)}\n{textwrap.indent(self.explain(entry), '    ')}" for entry in self.select(names)
        )

    def as_dicts(self, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
        return [self.describe(entry) for entry in self.select(names)]

    def as_manual(self) -> str:
        """All entries as a page of the manual, in Markdown."""
        parts = [self.manual_head, *map(self.write_section, self.select())]
        return "\n\n".join(part.rstrip() for part in parts) + "\n"
