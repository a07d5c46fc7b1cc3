"""Bundles of options as one parameter: a verb that takes `patents: Patents` has all options of the bundle.

    @verb("antecede add clefip.index new/")
    def add(*, index: IndexFolder, patents: Patents, call: Annotated[Call, Derived(…)], showing: TableOptions): …

The command line has the options one by one, in this order; the verb receives them as a bundle. The call of an operation
(`calls`) and the settings of a search are bundles whose options derive from their declarations. An option that several
bundles of a verb have is one option.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

from antecede.address import is_address
from antecede.cli import options
from antecede.cli.calls import Call, Derived
from antecede.cli.inputs import warn_of_order
from antecede.cli.output import choose_style, printed_to, show_json, show_note, show_tables
from antecede.cli.outputs import Input, Output, check_outputs
from antecede.errors import UsageError
from antecede.operations import describe_in_shell, load_function, result_of
from antecede.ranges import check_size

if TYPE_CHECKING:
    from antecede.corpus import Collection
    from antecede.corpus.document import Rejected
    from antecede.search.settings import Option, SearchSettings
    from antecede.tables import Table

    Settings = SearchSettings
else:
    Settings = Any  # the declarations load the search engine: only a verb that is called needs them


@dataclass(frozen=True)
class TableOptions:
    """How a result is shown: as tables, or as one JSON document."""

    json: options.Json = False
    format_: options.Format = "text"

    def show(self, result: Any, *tables: Table, quiet: bool = False) -> None:
        """Print the tables, or a result with `to_dict` or its JSON-compatible form.

        With `quiet`, which is for summaries of what was written, tables are printed only in a format that was chosen.
        """
        if self.json:
            show_json(result if isinstance(result, dict | list) else result.to_dict())
        elif not quiet or self.format_ != "text":
            show_tables(tables, self.format_)


@dataclass(frozen=True)
class DisplayOptions:
    """How a result is shown that can be drawn."""

    figure: options.Figure = None
    json: options.Json = False
    format_: options.Format = "text"

    def show(
        self, result: Any, *tables: Table, draw: Callable[[Path], object] | None = None, quiet: bool = False
    ) -> None:
        """Draw the figure if requested, that of the result by default; print the tables, or the JSON document."""
        if self.figure is not None:
            (draw or result.plot)(self.figure)
        TableOptions(self.json, self.format_).show(result, *tables, quiet=quiet)


@dataclass(frozen=True, kw_only=True)
class Source:
    """What a JSON source or a table calls our fields."""

    field: options.Fields = None
    preset: options.PresetName = None

    @property
    def names(self) -> dict[str, str]:
        """Our fields, and what the source calls them, with the name of the preset if one is chosen."""
        pairs = [pair.partition("=") for pair in self.field or ()]
        for ours, sign, theirs in pairs:
            if not (ours and sign and theirs):
                raise UsageError(f"--field {ours}{sign}{theirs}: write it as ours=theirs, as in --field doc_id=id")
            if ours == "preset":
                raise UsageError(f"--field {ours}{sign}{theirs}: write it as --preset {theirs}")
        names = {ours: theirs for ours, _, theirs in pairs}
        return names if self.preset is None else {**names, "preset": self.preset}


@dataclass(frozen=True, kw_only=True)
class Patents(Source):
    """The collection, and how to treat documents that cannot be read."""

    collections: options.Paths
    strict: options.Strict = False
    rejects: options.Rejects = None
    quiet: options.Quiet = False

    def collection(
        self, progress: Callable[[int, int], None] | None, on_reject: Callable[[Rejected], None] | None = None
    ) -> Collection:
        """The collection, ready to be read; `on_reject` comes from `rejects_file`."""
        from antecede.corpus import Collection

        for path in self.collections:
            if is_address(path):
                raise UsageError(f"{path}: is an index on a cluster; a collection is made of files")
        return Collection(
            *self.collections,
            names=self.names,
            strict=self.strict,
            on_reject=on_reject,
            on_note=None if self.quiet else show_note,
            progress=progress,
        )


@dataclass(frozen=True)
class SearchOptions:
    """Marks the parameter of a verb that takes the settings of a search, as `SearchSettings` declares them.

    def run(*, settings: Annotated[Settings, SearchOptions(defaults={"before": "off"})]) -> None: …
    """

    only: tuple[str, ...] = ()
    """The settings that the verb offers; all of them if empty."""
    without: tuple[str, ...] = ()
    """Settings that it does not offer."""
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Defaults that differ from those of `SearchSettings`."""

    def options(self) -> list[Option]:
        from antecede.search.settings import search_options

        return [
            option
            for option in search_options()
            if option.name not in self.without and (not self.only or option.name in self.only)
        ]

    def parameters(self) -> list[tuple[str, Any, Any]]:
        """Name, type and declaration of each option."""
        return [self._parameter(option) for option in self.options()]

    def _parameter(self, option: Option) -> tuple[str, Any, Any]:
        from antecede.search.settings import Implied

        default = self.defaults.get(option.name, option.default)
        implied = isinstance(default, Implied)
        shown = ", ".join(default) if option.several else str(default) if implied else default not in (None, 0)
        kind: Any = list[str] | None if option.several else option.kind
        if (option.optional or implied) and not option.several:
            kind = option.kind | None
        declared = options.option(
            option.help,
            None if option.several or implied else default,
            names=" ".join(option.flags),
            metavar=option.metavar or "|".join(option.choices) or None,
            show_default=option.default_text or shown,
            path=Input() if option.may_be_file else None,
        )
        return option.name, kind, declared

    def collect(self, given: dict[str, Any]) -> Settings:
        """The settings that the options denote; those that were not given have their defaults."""
        from antecede.search.settings import Implied, SearchSettings

        values = {}
        for option in self.options():
            value = given[option.name]
            left_out = not value if option.several else value is None and isinstance(option.default, Implied)
            if not left_out:
                values[option.name] = value
        return SearchSettings(**{**self.defaults, **values})


Verb = Callable[..., None]


def verb(*examples: str) -> Callable[[Verb], Verb]:
    """Decorator: make a function a verb, with examples at the end of its help."""

    def mark(function: Verb) -> Verb:
        vars(function)["examples"] = examples
        return function

    return mark


def derive_verb(path: str) -> Verb:
    """The verb of an operation that needs nothing besides: its result is shown, and drawn if requested."""

    def run(*, call: Call, showing: DisplayOptions | TableOptions) -> None:
        result = call.run()
        if getattr(result, "rank_table", None) is not None:
            warn_of_order(result.rank_table)
        showing.show(result, *(result.tables() if hasattr(result, "tables") else [result.table()]))

    function = load_function(path)
    run.__doc__, examples = describe_in_shell(function)
    showing = DisplayOptions if hasattr(result_of(function), "plot") else TableOptions
    run.__annotations__ = {"call": Annotated[Call, Derived(path)], "showing": showing}
    return verb(*examples)(run)


def expand_verb(function: Verb) -> Verb:
    """A verb whose bundles are expanded into the options of the command line, as it is called by the parser."""
    hints = get_type_hints(function, include_extras=True)
    bundles: dict[str, Callable[[dict[str, Any]], Any]] = {}
    declared: dict[str, inspect.Parameter] = {}
    own = inspect.signature(function).parameters
    for parameter in own.values():
        hint = hints[parameter.name]
        mark = next((mark for mark in get_args(hint) if isinstance(mark, SearchOptions | Derived)), None)
        if mark is not None:
            bundles[parameter.name] = mark.collect
            listed = [_option(*option) for option in mark.parameters()]
        elif is_dataclass(hint):
            bundles[parameter.name] = partial(_collect, hint)
            listed = _list_options(hint)
        else:
            listed = [_option(parameter.name, hint, parameter.default)]
        for option in listed:
            declared.setdefault(option.name, option)

    shows_table = "format_" in declared and "out" not in declared
    if shows_table:
        declared["out"] = _option("out", options.TableFile, None)
    parameters = [*declared.values()]
    marks = marks_of(parameters)
    if "overwrite" not in declared and any(isinstance(mark, Output) and not mark.folder for mark in marks.values()):
        parameters.append(_option("overwrite", options.Overwrite, False))

    def call(**given: Any) -> None:
        for name, value in given.items():
            check_size(value, options.long_name(name))
        check_outputs(marks, given, overwrite=given.get("overwrite", False))
        out = given["out"] if shows_table else None
        if "format_" in given and not given["json"]:
            style = choose_style(given["format_"], out)
            given |= {"json": True} if style == "json" else {"format_": style}
        whole = {name: collect(given) for name, collect in bundles.items()}
        with printed_to(out):
            function(**whole, **{name: given[name] for name in own if name in given and name not in whole})

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    vars(call)["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(call)["examples"] = vars(function)["examples"]
    return call


def _option(name: str, hint: Any, default: Any) -> inspect.Parameter:
    """A parameter of a verb as typer reads it, with the mark of a path."""
    declared = next((part for part in (default, *get_args(hint)) if isinstance(part, options.Declared)), None)
    if declared is not None:
        kind = hint if declared is default else get_args(hint)[0]
        default = declared.default if declared is default else default
        default = inspect.Parameter.empty if default is ... else default
        hint = Annotated[kind, declared.make(name), declared.path]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _list_options(bundle: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(bundle, include_extras=True)
    declared = inspect.signature(bundle).parameters.values()
    return [_option(option.name, hints[option.name], option.default) for option in declared]


def _collect(bundle: Any, given: dict[str, Any]) -> Any:
    return bundle(**{field.name: given[field.name] for field in fields(bundle)})


def marks_of(parameters: list[inspect.Parameter]) -> dict[str, Input | Output]:
    """Which parameters name what is read, and which what is written."""
    return {
        parameter.name: mark
        for parameter in parameters
        for mark in get_args(parameter.annotation)[1:]
        if isinstance(mark, Input | Output)
    }
