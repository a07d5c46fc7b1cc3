"""Options that belong together, as one parameter: a verb that takes `reading: Reading` has all options of reading.

    @verb("antecede compare qrels.txt runs/*.gz")
    def compare(*, scoring: Scoring, alpha: Alpha = 0.05, reading: Reading, showing: Showing) -> None: …

The command line sees the options one by one, in this order; the verb gets them back as a bundle.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Protocol, get_args, get_type_hints

from antecede.cli import options
from antecede.cli.options import OnDuplicates, OnMalformed, OnMissing, OnNoRelevant, OnTies, Style
from antecede.cli.outputs import Input, Output, check_outputs
from antecede.ranges import check_size

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.evaluation import RankTable, Scores
    from antecede.measures import Measure
    from antecede.tables import Table


@dataclass(frozen=True)
class Reading:
    """Which qrels and runs, and what to do with what is not clean in them."""

    qrels: options.QrelsOrTable
    runs: options.RunsIfAny = None
    duplicates: options.Duplicates = OnDuplicates.error
    malformed: options.Malformed = OnMalformed.error
    ties: options.Ties = OnTies.docid
    depth: options.Depth = None
    quiet: options.Quiet = False

    def table(self) -> RankTable:
        """Read them, or the saved rank table given in their place."""
        from antecede.cli.inputs import table_from

        return table_from(self)


@dataclass(frozen=True)
class Scoring:
    """Which measures, and which topics count."""

    measures: options.Measures = None
    rel: options.Rel = None
    missing: options.Missing = OnMissing.zero
    no_relevant: options.NoRelevant = OnNoRelevant.skip

    def chosen(self) -> tuple[Measure, ...]:
        """The measures; a wrong one is found before any run is read."""
        from antecede.measures import DEFAULT_MEASURES, parse_measures

        return parse_measures(self.measures or DEFAULT_MEASURES, rel=self.rel)

    def scores(self, reading: Reading) -> Scores:
        """Read the runs and score them."""
        from antecede.evaluation import evaluate

        chosen = self.chosen()
        return evaluate(reading.table(), chosen, missing=self.missing.value, no_relevant=self.no_relevant.value)


class Result(Protocol):
    """What can be shown: drawn, and given as one JSON document."""

    def plot(self, path: str | Path | None = None) -> object: ...
    def to_dict(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Showing:
    """How the result is shown."""

    figure: options.Figure = None
    json: options.Json = False
    format_: options.Format = Style.text

    def check(self) -> None:
        """Refuse a figure of a kind that cannot be drawn, before any work is done."""
        if self.figure is not None:
            from antecede.report.figures import resolve_format

            resolve_format(self.figure)

    def show(self, result: Result, *tables: Table) -> None:
        """Draw the figure if one is asked for; print the tables, or the JSON document."""
        from antecede.cli.output import show_json, show_tables

        if self.figure is not None:
            result.plot(self.figure)
        if self.json:
            show_json(result.to_dict())
        else:
            show_tables(tables, self.format_)


Verb = Callable[..., None]


def verb(*examples: str) -> Callable[[Verb], Verb]:
    """Make a function a verb: its bundles are taken apart into options, and its help ends with examples."""

    def make(function: Verb) -> Verb:
        hints = get_type_hints(function, include_extras=True)
        bundles: list[tuple[str, Any]] = [(name, kind) for name, kind in hints.items() if is_dataclass(kind)]
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(function).parameters.values():
            if is_dataclass(hints[parameter.name]):
                parameters += parameters_of(hints[parameter.name])
            else:
                kind = inspect.Parameter.KEYWORD_ONLY
                parameters.append(parameter.replace(kind=kind, annotation=hints[parameter.name]))

        marks = marks_of(parameters)

        def called(**given: Any) -> None:
            for name, value in given.items():
                check_size(value, f"--{name.rstrip('_').replace('_', '-')}")
            check_outputs(marks, given)
            whole = {name: kind(**{each.name: given.pop(each.name) for each in fields(kind)}) for name, kind in bundles}
            function(**whole, **given)

        called.__name__, called.__doc__ = function.__name__, function.__doc__
        called.__dict__["__signature__"] = inspect.Signature(parameters)
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        called.__dict__["examples"] = examples
        return called

    return make


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
