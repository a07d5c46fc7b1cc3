"""Options of verbs that derive from the declaration of an operation, and its call with what was given.

    @verb("antecede study cutoffs qrels.txt a.run b.run")
    def cutoffs(*, call: Annotated[Call, Derived("antecede.study:cutoffs")], showing: DisplayOptions) -> None:
        showing.show(call.run())

An operation that takes a rank table has the options of `rank_table` as well, one that takes scores those of `evaluate`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.cli.inputs import keep_freed_memory, numbers, refuse_repeated_input, warn_of_order, whole_numbers
from antecede.cli.options import Quiet, argument, long_name, option
from antecede.cli.output import progress
from antecede.cli.outputs import Input
from antecede.errors import UsageError, spell
from antecede.operations import Argument, arguments_of, hints_of, load_function, sources_of
from antecede.ranges import Range
from antecede.registry import split_list

if TYPE_CHECKING:
    from antecede.evaluation import RankTable, Scores

MAKERS = {"RankTable": ("antecede.evaluation:rank_table",), "Scores": ("antecede.evaluation:rank_table",
          "antecede.evaluation:evaluate")}  # fmt: skip
"""What makes an argument of a type from what the shell has, and what that takes in turn."""
FILES_ONLY = ("qrels", "topics", "without_topics", "quiet")
"""What may be given with a saved rank table."""


@dataclass(frozen=True)
class Derived:
    """Marks the parameter of a verb that takes the call of an operation."""

    path: str
    """Module and name of the function."""
    also: tuple[str, ...] = ()
    """Functions whose results it takes, or that the verb calls in its place: their arguments are options, too."""
    without: tuple[str, ...] = ()
    """Arguments that the verb does not offer."""

    @property
    def function(self) -> Callable[..., Any]:
        return load_function(self.path)

    def arguments(self) -> dict[str, Argument]:
        """The arguments that the verb offers: those of the operation after those of what makes its input."""
        makers = [path for kind in sources_of(self.function).values() for path in MAKERS[kind]]
        every = [arguments_of(function) for function in (*map(load_function, (*makers, *self.also)), self.function)]
        merged = {name: declared for each in every for name, declared in each.items()}
        own = arguments_of(self.function)
        ordered = [*(name for name in merged if merged[name].help.argument), *own, *merged]
        return {name: merged[name] for name in dict.fromkeys(ordered) if name not in self.without}

    @property
    def reports(self) -> bool:
        """Whether there is progress to be shown."""
        functions = (self.function, *map(load_function, self.also))
        return bool(sources_of(self.function)) or any("progress" in inspect.signature(f).parameters for f in functions)

    def parameters(self) -> list[tuple[str, Any, Any]]:
        """Name, type and declaration of each option."""
        declared = [(name, *declare_option(each)) for name, each in self.arguments().items()]
        return [*declared, ("quiet", Quiet, False)] if self.reports else declared

    def collect(self, given: dict[str, Any]) -> Call:
        """The call with those of the options that are its own."""
        quiet = given["quiet"] if self.reports else True
        values = {
            name: read_option(declared, value)
            for name, declared in self.arguments().items()
            if (value := given[name]) not in (None, [])
        }
        return Call(self, values, quiet)


@dataclass(frozen=True)
class Call:
    """An operation with what was given in the shell."""

    derived: Derived
    given: Mapping[str, Any]
    quiet: bool
    unreadable: dict[str, str] = field(default_factory=dict)
    """Takes up the runs that cannot be read, if the verb asks for it."""

    def run(self, function: Callable[..., Any] | None = None, **more: Any) -> Any:
        """Call the operation, or one of those besides; what it takes but options is made of files unless given."""
        function = function or self.derived.function
        makers: dict[str, Callable[[], Any]] = {"RankTable": self.table, "Scores": self.scores}
        if "ScoreTable" in str(hints_of(function).get("scores")):
            makers["Scores"] = self.scores_or_table
        made = {name: makers[kind]() for name, kind in sources_of(function).items() if name not in more}
        own = self.of(function)
        inputs = [
            own[name] for name, declared in arguments_of(function).items() if declared.help.argument and name in own
        ]
        refuse_repeated_input(*(path for given in inputs for path in ([given] if isinstance(given, str) else given)))
        if "progress" not in inspect.signature(function).parameters or "progress" in more:
            return function(**{**made, **own, **more})
        with progress(function.__name__.replace("_", " "), quiet=self.quiet) as report:
            return function(**{**made, **own, **more, "progress": report})

    def of(self, function: Callable[..., Any]) -> dict[str, Any]:
        """What was given of the arguments of a function."""
        return {name: self.given[name] for name in arguments_of(function) if name in self.given}

    def value(self, name: str) -> Any:
        """What was given of an argument, or its default."""
        return self.given.get(name, self.derived.arguments()[name].default)

    def scores(self, *, warn: bool = True) -> Scores:
        """Score the runs; a wrong measure is found before any run is read."""
        from antecede.evaluation import evaluate
        from antecede.measures import DEFAULT_MEASURES, parse_measures

        own = self.of(evaluate)
        parse_measures(own.get("measures", DEFAULT_MEASURES), rel=own.get("rel"))
        return evaluate(self.table(warn=warn), **own)

    def scores_or_table(self) -> Any:
        """Scores, or the table of scores that is given in place of qrels and runs."""
        from antecede.comparison import read_score_table
        from antecede.evaluation.storage import is_rank_table

        path = self.given["qrels"]
        if "runs" in self.given or path.endswith(".npz") or is_rank_table(path):
            return self.scores()
        if self.differing({"qrels", "measures", "methods"}):
            raise UsageError(
                f"{path}: is a table of scores; give options for reading and topics when scores are computed"
            )
        return read_score_table(path).select(self.given.get("measures"))

    def differing(self, ignored: set[str]) -> list[str]:
        """The options that were given with another value than their default."""
        declared = self.derived.arguments()
        return [name for name, value in self.given.items() if name not in ignored and value != declared[name].default]

    def table(self, *, warn: bool = True, collect: bool = False) -> RankTable:
        """Read the qrels and runs, or the saved rank table given instead; report runs whose order is in doubt."""
        from antecede.evaluation import RankTable, rank_table
        from antecede.evaluation.storage import is_rank_table

        qrels, runs = self.given["qrels"], self.given.get("runs")
        if is_rank_table(qrels) or (not runs and qrels.endswith(".npz")):
            self._check_saved(qrels)
            table = RankTable.load(qrels).select_topics(self.given.get("topics"), self.given.get("without_topics", ()))
        elif not runs:
            raise UsageError("no run is given; name one or more after the qrels")
        else:
            refuse_repeated_input(qrels, *runs)
            keep_freed_memory()
            with progress("reading runs", quiet=self.quiet) as report:
                unreadable = self.unreadable if collect else None
                table = rank_table(**self.of(rank_table), unreadable=unreadable, progress=report)
        if warn:
            warn_of_order(table)
        return table

    def _check_saved(self, qrels: str) -> None:
        """Refuse runs and options that a saved rank table can no longer follow."""
        from antecede.evaluation import rank_table

        if "runs" in self.given:
            raise UsageError(f"{qrels}: is a rank table, which already contains its runs; give it alone")
        fixed = [name for name in arguments_of(rank_table) if name not in FILES_ONLY]
        if {*self.differing(set())} & {*fixed}:
            options = ", ".join(long_name(name) for name in fixed if name != "runs")
            raise UsageError(f"{qrels}: is a saved rank table; give {options} when it is saved")


# One argument as an option


def declare_option(declared: Argument) -> tuple[Any, Any]:
    """The type of an option or argument of the command line, and its declaration."""
    info, kind = declared.help, _kind_of(declared)
    path = Input() if info.path or info.read is not None else None
    several = str(kind).startswith("list")
    if info.argument is not None:
        required = declared.required and not info.argument.startswith("[")
        made = argument(info.argument, info.text, ... if required else None, path=path)
        return (kind if required else kind | None), made
    in_words = (declared.list_of, info.read, info.parse, info.default)
    as_text = any(each is not None for each in in_words)
    default = ... if declared.required else None if as_text or several else declared.default
    worded = as_text and declared.default and not declared.required
    written = info.default or (write_default(declared.default) if worded else None)
    made = option(
        info.text,
        default,
        names=info.flags,
        within=declared.range if declared.list_of is None else None,
        path=path,
        metavar=info.metavar or _metavar_of(declared),
        rich_help_panel=info.heading,
        **({} if written is None else {"show_default": written}),
    )
    return (kind if default not in (None,) or kind is bool else kind | None), made


def _kind_of(declared: Argument) -> Any:
    """The type of the value that the parser reads."""
    if declared.help.argument is not None:
        return list[str] if "..." in declared.help.argument else str
    if declared.help.read is not None or declared.help.parse is not None or declared.choices:
        return list[str] if declared.list_of is not None and declared.choices else str
    if declared.list_of in (int, float):
        return str
    if declared.list_of is not None:
        return list[str]
    return next((kind for kind in (bool, int, float, str, Path) if kind in declared.kinds), str)


def _metavar_of(declared: Argument) -> str | None:
    if declared.choices:
        return "|".join(declared.choices)
    return "N,N,…" if declared.list_of in (int, float) else None


def write_default(value: Any) -> str:
    """A list as it is written in the shell: numbers with commas, names with blanks."""
    if not isinstance(value, list | tuple):
        return str(value)
    return ("," if all(isinstance(item, int | float) for item in value) else " ").join(map(str, value))


def read_option(declared: Argument, value: Any) -> Any:
    """The value of an argument that an option denotes; what is not allowed is refused with the name of the option."""
    name, info = long_name(declared.name), declared.help
    reader = info.read or info.parse
    if reader is not None:
        return reader(value)
    if declared.list_of is int:
        return whole_numbers(value, name, declared.range or Range())
    if declared.list_of is float:
        return numbers(value, name)
    if declared.choices:
        texts = [part for text in value for part in split_list(text)] if isinstance(value, list) else [value]
        chosen = [declared.check_choice(text, f"{name}: ") for text in texts]
        return chosen if isinstance(value, list) else chosen[0]
    if isinstance(value, list) and declared.name != "measures":  # P@5,10 is one measure at two cut-offs
        names = [part for text in value for part in split_list(text)]
        return None if names == ["all"] and declared.optional else names
    if declared.range is not None:
        declared.range.check(value, spell(declared.name))
    return value
