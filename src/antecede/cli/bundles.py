"""Bundles of options as one parameter: a verb that takes `reading: ReadOptions` has all options of the bundle.

    @verb("antecede compare qrels.txt runs/*.gz")
    def compare(*, scoring: ScoreOptions, alpha: Alpha = 0.05, reading: ReadOptions, showing: DisplayOptions) -> None: …

The command line has the options one by one, in this order; the verb receives them as a bundle.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Protocol, get_args, get_type_hints

import typer

from antecede.cli import options
from antecede.cli.options import By, NamedAfter, OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style
from antecede.cli.output import choose_style, printed_to
from antecede.cli.outputs import Input, Output, check_outputs
from antecede.ranges import check_size

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.evaluation import RankTable, Scores
    from antecede.measures import Measure
    from antecede.search.settings import Option, SearchSettings
    from antecede.tables import Table

    Settings = SearchSettings
else:
    Settings = Any  # the declarations load the search engine: only a verb that is called needs them


@dataclass(frozen=True)
class ReadOptions:
    """The qrels and runs to read, and how to treat irregularities in them."""

    qrels: options.QrelsOrTable
    runs: options.RunsIfAny = None
    duplicates: options.Duplicates = OnDuplicates.error
    malformed: options.Malformed = OnMalformed.error
    ties: options.Ties = OnTies.docid
    order: options.Order = By.score
    depth: options.Depth = None
    names: options.RunNames = NamedAfter.file
    topics: options.OnlyTopics = None
    without_topics: options.WithoutTopics = None
    quiet: options.Quiet = False

    def table(self, *, warn: bool = True, unreadable: dict[str, str] | None = None) -> RankTable:
        """Read the qrels and runs, or the saved rank table given instead; report runs whose order is in doubt.

        Runs that cannot be read are collected in `unreadable`, if it is given, and refused otherwise.
        """
        from antecede.cli.inputs import table_from, warn_of_order

        table = table_from(self, unreadable)
        if warn:
            warn_of_order(table)
        return table


@dataclass(frozen=True)
class ScoreOptions:
    """The measures, and the topics that count."""

    measures: options.Measures = None
    rel: options.Rel = None
    missing: options.Missing = OnMissing.zero
    no_relevant: options.NoRelevant = OnNoRelevant.skip

    def chosen(self) -> tuple[Measure, ...]:
        """The measures; a wrong one is found before any run is read."""
        from antecede.measures import DEFAULT_MEASURES, parse_measures

        return parse_measures(self.measures or DEFAULT_MEASURES, rel=self.rel)

    def scores(self, reading: ReadOptions, *, warn: bool = True) -> Scores:
        """Read the runs and score them."""
        from antecede.evaluation import evaluate

        chosen = self.chosen()
        return evaluate(
            reading.table(warn=warn), chosen, missing=self.missing.value, no_relevant=self.no_relevant.value
        )


class Result(Protocol):
    """A result that can be drawn, and shown as one JSON document."""

    def plot(self, path: str | Path | None = None) -> object: ...
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class DisplayOptions:
    """How the result is shown."""

    figure: options.Figure = None
    json: options.Json = False
    format_: options.Format = Style.text

    def check(self) -> None:
        """Refuse a figure format that is not supported, before any work is done."""
        if self.figure is not None:
            from antecede.report.figures import resolve_format

            resolve_format(self.figure)

    def show(self, result: Result, *tables: Table) -> None:
        """Draw the figure if requested; print the tables, or the JSON document."""
        from antecede.cli.output import show_json, show_tables

        if self.figure is not None:
            result.plot(self.figure)
        if self.json:
            show_json(result.to_dict())
        else:
            show_tables(tables, self.format_)


@dataclass(frozen=True)
class SearchOptions:
    """Marks the parameter of a verb that takes the settings of a search, as `SearchSettings` declares them.

    def run(*, settings: Annotated[Settings, SearchOptions(defaults={"k": 1000})]) -> None: …
    """

    only: tuple[str, ...] = ()
    """The settings that the verb offers; all of them if empty."""
    without: tuple[str, ...] = ()
    """Settings that it does not offer."""
    defaults: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """Defaults that differ from those of `SearchSettings`."""

    def options(self) -> list[Option]:
        """The settings that the verb offers."""
        from antecede.search.settings import search_options

        return [
            each
            for each in search_options()
            if each.name not in self.without and (not self.only or each.name in self.only)
        ]

    def parameters(self) -> list[inspect.Parameter]:
        """The options of the command line."""
        return [self.parameter(each) for each in self.options()]

    def parameter(self, option: Option) -> inspect.Parameter:
        """One option of the command line."""
        from antecede.search.settings import Implied

        default = self.defaults.get(option.name, option.default)
        implied = isinstance(default, Implied)
        flags = option.flags or (f"--{option.name.replace('_', '-')}",)
        how = typer.Option(
            *flags,
            help=option.help,
            metavar=option.metavar or "|".join(option.choices) or None,
            show_default=option.default_text
            or (", ".join(default) if option.several else str(default) if implied else default not in (None, 0)),
        )
        kind: Any = list[str] | None if option.several else option.kind
        if (option.optional or implied) and not option.several:
            kind = option.kind | None
        return inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None if option.several or implied else default,
            annotation=Annotated[kind, how, Input()] if option.may_be_file else Annotated[kind, how],
        )

    def collect(self, given: dict[str, Any]) -> Settings:
        """The settings that the options denote; those that were not given have their defaults."""
        from antecede.search.settings import Implied, SearchSettings

        chosen = {each.name: given.pop(each.name) for each in self.options()}
        several = {each.name for each in self.options() if each.several}
        implied = {each.name for each in self.options() if isinstance(each.default, Implied)}
        left_out = {name for name, value in chosen.items() if (name in several and not value) or value is None}
        values = {name: value for name, value in chosen.items() if name not in left_out & (several | implied)}
        return SearchSettings(**{**self.defaults, **values})


Verb = Callable[..., None]


def verb(*examples: str) -> Callable[[Verb], Verb]:
    """Decorator: make a function a verb, with examples at the end of its help."""

    def mark(function: Verb) -> Verb:
        function.__dict__["examples"] = examples
        return function

    return mark


def expand_verb(function: Verb) -> Verb:
    """A verb whose bundles are expanded into the options of the command line, as it is called by the parser."""
    hints = get_type_hints(function, include_extras=True)
    bundles: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = hints[parameter.name]
        search = next((each for each in get_args(hint) if isinstance(each, SearchOptions)), None)
        if search is not None:
            bundles[parameter.name] = search.collect
            parameters += search.parameters()
        elif is_dataclass(hint):
            bundles[parameter.name] = collector_of(hint)
            parameters += parameters_of(hint)
        else:
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hint))

    names = {each.name for each in parameters}
    shows_table = "format_" in names
    if shows_table and "out" not in names:
        parameters.append(add_option("out", options.TableFile, None))
    marks = marks_of(parameters)
    if "overwrite" not in names and any(isinstance(mark, Output) and not mark.folder for mark in marks.values()):
        parameters.append(add_option("overwrite", options.Overwrite, False))

    def call(**given: Any) -> None:
        for name, value in given.items():
            check_size(value, f"--{name.rstrip('_').replace('_', '-')}")
        check_outputs(marks, given, overwrite=given.get("overwrite", False))
        out = given["out"] if shows_table and "out" not in names else None
        if shows_table and not given["json"]:
            kind = type(given["format_"])
            style = kind(choose_style(given["format_"], out))
            given |= {"json": True} if style == "json" else {"format_": style}
        for name in {"out", "overwrite"} - names:
            given.pop(name, None)
        whole = {name: collect(given) for name, collect in bundles.items()}
        with printed_to(out):
            function(**whole, **given)

    call.__name__, call.__doc__ = function.__name__, function.__doc__
    call.__dict__["__signature__"] = inspect.Signature(parameters)
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__dict__["examples"] = function.__dict__["examples"]
    return call


def add_option(name: str, declared: Any, default: Any) -> inspect.Parameter:
    """An option that every verb of a kind has."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=declared)


def collector_of(bundle: Any) -> Callable[[dict[str, Any]], Any]:
    """A function that removes the options of a bundle from all that were given and builds the bundle."""
    return lambda given: bundle(**{each.name: given.pop(each.name) for each in fields(bundle)})


def marks_of(parameters: list[inspect.Parameter]) -> dict[str, Input | Output]:
    """Which parameters name what is read, and which what is written."""
    return {
        each.name: mark
        for each in parameters
        for mark in get_args(each.annotation)[1:]
        if isinstance(mark, Input | Output)
    }


def parameters_of(bundle: Any) -> list[inspect.Parameter]:
    """The options of a bundle, one by one."""
    hints = get_type_hints(bundle, include_extras=True)
    signature = inspect.signature(bundle)
    return [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        for parameter in signature.parameters.values()
    ]
