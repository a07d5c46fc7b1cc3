"""The arguments of the public functions: each is checked against its annotation, and made what was plainly meant.

`check_arguments` wraps every function that `antecede` exports. An argument of another type is converted where there is
only one thing that it can mean (`TYPES`: a rank table where scores are wanted is evaluated, a path where an index is
wanted is opened); otherwise a `UsageError` names the argument, what it must be, and what it got.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cache, wraps
from numbers import Integral, Real
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from typing_extensions import is_protocol

from antecede.errors import UsageError, describe_given, printable, suggest_names
from antecede.operations import arguments_of, hints_of, without_annotations

if TYPE_CHECKING:
    from antecede.evaluation import RankTable, Scores

Given = ParamSpec("Given")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Kind:
    """What is known of a type: its name in messages, and what else stands for it."""

    words: str
    """What the argument must be, and where such a thing comes from."""
    several: str = ""
    """The same in the plural, for lists."""
    makers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    """By the name of another class, how its objects are converted."""


def _evaluate(table: RankTable) -> Scores:
    from antecede.evaluation import evaluate

    return evaluate(table)


def _rank_table_of(scores: Scores) -> RankTable:
    """The table that was scored, unless its topics were treated in another way than a table's are."""
    if scores.missing != "zero" or scores.no_relevant != "skip":
        raise ValueError(
            f'the scores were made with missing="{scores.missing}" and no_relevant="{scores.no_relevant}", of which a '
            "rank table knows nothing; give their rank_table instead"
        )
    return scores.rank_table


def _open_collection(path: str | os.PathLike[str]) -> object:
    from antecede.corpus import Collection

    return Collection(os.fspath(path))


def _open_patents(path: str | os.PathLike[str]) -> object:
    from antecede.corpus import Collection

    if os.fspath(path) != "-" and not Path(path).exists():  # patents are read when their turn comes
        raise ValueError(f"there is no file or folder {printable(os.fspath(path))!r}; give patents or the path of some")
    return Collection(os.fspath(path)).patents()


def _open_index(path: str | os.PathLike[str]) -> object:
    from antecede.engine import open_index

    return open_index(os.fspath(path))


def _open_stored(path: str | os.PathLike[str]) -> object:
    from antecede.index.index import StoredIndex

    return StoredIndex.open(os.fspath(path))


def _read_run(given: object) -> object:
    from antecede.trec import read_run

    return read_run(given)


def _read_qrels(given: object) -> object:
    from antecede.trec import read_qrels

    return read_qrels(given)


def _of_paths(maker: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    return {"str": maker, "PathLike": maker}


def _of_data(reader: Callable[[Any], Any]) -> dict[str, Callable[[Any], Any]]:
    """Whatever holds a run or qrels: paths, dicts, frames, lists of ir_measures, and the classes of ranx."""
    return dict.fromkeys(
        ("str", "PathLike", "Mapping", "DataFrame", "LazyFrame", "list", "tuple", "Run", "Qrels"), reader
    )


TYPES: Mapping[str, Kind] = {
    "str": Kind("a text", "texts"),
    "int": Kind("a whole number", "whole numbers"),
    "float": Kind("a number", "numbers"),
    "bool": Kind("True or False", "True or False"),
    "NoneType": Kind("None", "None"),
    "Path": Kind("a path", "paths"),
    "date": Kind("a date, such as '2001-12-31'", "dates", {"str": date.fromisoformat}),
    "Collection": Kind("a collection or the path of one", "collections", _of_paths(_open_collection)),
    **dict.fromkeys(
        ("Index", "Engine"), Kind("an index (from open_index) or the path of one", "indexes", _of_paths(_open_index))
    ),
    "StoredIndex": Kind("an index in a folder, or its path", "indexes", _of_paths(_open_stored)),
    "SpacePlan": Kind("a SpacePlan", "SpacePlan"),
    "Patent": Kind("a patent (from a collection, read_application or index.patent)", "patents"),
    "Query": Kind("a query (from make_query)", "queries"),
    "SearchSettings": Kind("SearchSettings", "SearchSettings"),
    "Review": Kind("a review (from start_review or Review.open)", "reviews"),
    "Reading": Kind("a reading (from read_judged, or the reading of a review)", "readings"),
    "JudgedReading": Kind("a judged reading (from read_judged)", "judged readings (from read_judged)"),
    "ReviewTopic": Kind("a review topic", "review topics (from antecede.review.judged_topics.topics_from_run)"),
    "Run": Kind("a run (from read_run)", "runs", _of_data(_read_run)),
    "Qrels": Kind("qrels (from read_qrels)", "qrels", _of_data(_read_qrels)),
    "Policies": Kind("Policies", "Policies"),
    "Measure": Kind("a measure (such as 'PRES@1000')", "measures (such as 'PRES@1000')"),
    "RankTable": Kind("a rank table (from rank_table)", "rank tables", {"Scores": _rank_table_of}),
    "Scores": Kind("scores (from evaluate)", "scores", {"RankTable": _evaluate}),
    "ScoreTable": Kind("a table of scores (from read_score_table)", "tables of scores"),
    "TopicValues": Kind("TopicValues (from antecede.comparison)", "TopicValues"),
    "ndarray": Kind("an array of numbers", "arrays of numbers"),
    "list of Patent": Kind("patents, or the path of a collection", makers=_of_paths(_open_patents)),
    "list of JudgedReading": Kind("", makers={"JudgedReadings": lambda judged: judged.readings}),
}
"""The types of arguments, by the names of the classes. Only those that can be converted must be here."""


class _MismatchError(Exception):
    """A value is not what its annotation says; `place` is the argument, or the element of it."""

    def __init__(self, place: str, hint: Any, value: object) -> None:
        super().__init__(place)
        self.place, self.hint, self.value = place, hint, value


def check_arguments(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """Wrap a function so that each argument is what its annotation says, or an `AntecedeError` names it.

    The arguments of a function without an annotation here, such as search settings, are left to the function.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*arguments: Given.args, **options: Given.kwargs) -> Result:
        name = call.__name__  # by which it is public
        try:
            bound = signature.bind(*arguments, **options)
        except TypeError as error:
            raise UsageError(f"{name}: {_explain_call(str(error), signature)}") from None
        hints, declared = _resolve_hints(function), arguments_of(function)
        for argument, value in bound.arguments.items():
            parameter = signature.parameters[argument]
            if argument in hints and value is not parameter.default:
                try:
                    bound.arguments[argument] = _admit_argument(value, hints[argument], parameter)
                    if argument in declared:
                        declared[argument].check_range(bound.arguments[argument])
                except _MismatchError as wrong:
                    optional = wrong.value is None and parameter.default is not parameter.empty
                    raise UsageError(f"{name}: {_explain(wrong, optional=optional)}") from None
                except UsageError as error:
                    raise UsageError(f"{name}: {error}") from None
        return function(*bound.args, **bound.kwargs)

    return call


def _explain(wrong: _MismatchError, *, optional: bool = False) -> str:
    """The place of a mismatch, what it must be, and what it got."""
    words = [*_list_words(wrong.hint), *(["left out"] if optional else [])]
    near = suggest_names(wrong.value, _list_choices(wrong.hint)) if isinstance(wrong.value, str) else ""
    return f"{wrong.place} must be {_join_words(words)}, not {describe_given(wrong.value)}{near}"


def _list_choices(hint: Any) -> list[str]:
    """The texts that a hint allows."""
    if get_origin(hint) in (Union, UnionType):
        return [choice for part in get_args(hint) for choice in _list_choices(part)]
    return [*get_args(hint)] if get_origin(hint) is Literal else []


def _explain_call(reason: str, signature: inspect.Signature) -> str:
    """What Python says of arguments that do not fit, with the names that are like an unknown one."""
    unknown = re.search(r"unexpected keyword argument '(\w+)'", reason)
    if unknown is None:
        return f"{reason}; its arguments are {', '.join(signature.parameters)}"
    names = [*signature.parameters]
    hint = suggest_names(unknown[1], names) or f"; there are {', '.join(names)}"
    return f"there is no argument {unknown[1]!r}{hint}"


@cache
def _resolve_hints(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of the parameters of a function, and of the fields of its bundles."""
    return {name: without_annotations(hint) for name, hint in hints_of(function).items()}


def _admit_argument(value: Any, hint: Any, parameter: inspect.Parameter) -> Any:
    name = parameter.name
    if parameter.kind is parameter.VAR_POSITIONAL:
        return tuple(_admit(each, hint, f"{name}[{at}]") for at, each in enumerate(value))
    if parameter.kind is parameter.VAR_KEYWORD:
        return value
    try:
        return _admit(value, hint, name)
    except _MismatchError as wrong:
        made = _convert(value, hint, name)
        if made is None:
            raise wrong from None
        return made


def _admit(value: Any, hint: Any, place: str) -> Any:
    """The value, if it is what the hint says; numbers and lists of numpy and frames become those of Python."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _admit_one_of(value, parts, place)
    if origin is Literal:
        named = value.lower() if isinstance(value, str) else value  # BH, Holm and Bonferroni are names
        admitted = [each for each in parts if type(each) is type(value) and each in (value, named)]
        return admitted[0] if admitted else _refuse(place, hint, value)
    if origin is not None and isinstance(origin, type):
        return _admit_generic(value, hint, place)
    return _admit_plain(value, hint, place)


def _refuse(place: str, hint: Any, value: object) -> Any:
    raise _MismatchError(place, hint, value)


def _admit_one_of(value: Any, parts: tuple[Any, ...], place: str) -> Any:
    """The value as the first of several types that it fits; the innermost mismatch says most."""
    inner: _MismatchError | None = None
    for part in parts:
        try:
            return _admit(value, part, place)
        except _MismatchError as wrong:
            inner = wrong if wrong.place != place else inner
    raise inner or _MismatchError(place, Union[parts], value)  # noqa: UP007 - of a tuple


def _admit_plain(value: Any, hint: Any, place: str) -> Any:
    if hint in (float, int):
        wanted: Any = Real if hint is float else Integral
        if isinstance(value, wanted) and not isinstance(value, bool):
            return value if isinstance(value, int | float) else hint(value)
        return _refuse(place, hint, value)
    if hint is Path:
        return Path(value) if isinstance(value, str | os.PathLike) else _refuse(place, hint, value)
    if is_protocol(hint):
        return value if _has_methods(value, hint) else _refuse(place, hint, value)
    fits = hint is Any or not isinstance(hint, type) or isinstance(value, hint)
    return value if fits or _is_truth(value, hint) else _refuse(place, hint, value)


def _has_methods(value: object, protocol: type) -> bool:
    """Whether the class of a value has the methods of a protocol; properties are not asked for, which may be slow."""
    declared = (vars(part) for part in protocol.__mro__ if is_protocol(part))
    methods = {name for members in declared for name, member in members.items() if inspect.isfunction(member)}
    return all(callable(getattr(type(value), name, None)) for name in methods if not name.startswith("_"))


def _is_truth(value: Any, hint: Any) -> bool:
    """Whether a truth value is numpy's own."""
    return hint is bool and type(value).__name__ in ("bool", "bool_")


def _admit_generic(value: Any, hint: Any, place: str) -> Any:
    """Lists, dicts, functions and arrays, with what is in them."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Callable:
        return value if _takes(value, parts[0]) else _refuse(place, hint, value)
    if issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            return _refuse(place, hint, value)
        for key, inner in value.items():
            _admit(key, parts[0], f"a key of {place}")
            _admit(inner, parts[1], f"{place}[{printable(repr(key))}]")
        return value
    if origin.__name__ == "ndarray":
        return _admit_array(value, hint, place)
    if issubclass(origin, Iterable):
        return _admit_list(value, hint, place)
    return value if isinstance(value, origin) else _refuse(place, hint, value)


def _takes(function: Any, arguments: Any) -> bool:
    """Whether something is a function that can be called with so many arguments; a class is none."""
    if not callable(function) or isinstance(function, type):
        return False
    try:
        inspect.signature(function).bind(*(arguments if isinstance(arguments, list) else ()))
    except TypeError:
        return not isinstance(arguments, list)
    except ValueError:  # a function of C without a signature
        return True
    return True


def _admit_array(value: Any, hint: Any, place: str) -> Any:
    """An array of the type that is wanted, also of lists of numbers."""
    import numpy as np

    kind = get_args(get_args(hint)[1])[0]
    if not isinstance(value, list | tuple | np.ndarray):
        return _refuse(place, hint, value)
    try:
        return np.asarray(value, kind)
    except (TypeError, ValueError):
        return _refuse(place, hint, value)


def _admit_list(value: Any, hint: Any, place: str) -> Any:
    """A list, tuple or other collection with its elements; an iterator is checked as it is consumed."""
    origin, part = get_origin(hint), get_args(hint)[0]
    if isinstance(value, str):  # one name where several are wanted
        return (
            (_admit(value, part, place),) if part is str or get_origin(part) is Literal else _refuse(place, hint, value)
        )
    listed = getattr(value, "tolist", None) or getattr(value, "to_list", None)
    if listed is not None and hasattr(value, "shape"):
        value = listed() if len(value.shape) == 1 else None
    ordered = not isinstance(value, Mapping | str | bytes) and isinstance(
        value, Sequence if origin is tuple else origin
    )
    if not ordered:
        return _refuse(place, hint, value)
    if isinstance(value, Iterator):
        return _admit_each(value, part, place)
    if type(value).__module__.startswith("antecede."):
        return value  # such as topics that are read when their turn comes
    admitted = [_admit(each, part, f"{place}[{at}]") for at, each in enumerate(value)]
    return tuple(admitted) if isinstance(value, list | tuple) else value


def _admit_each(values: Iterator[Any], part: Any, place: str) -> Iterator[Any]:
    for at, value in enumerate(values):
        try:
            yield _admit(value, part, f"{place}[{at}]")
        except _MismatchError as wrong:
            raise UsageError(_explain(wrong)) from None


def _convert(value: Any, hint: Any, place: str) -> Any:
    """What the value stands for among the types of a hint; None if nothing."""
    for part in get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,):
        kind = TYPES.get(_name_kind(part), Kind(""))
        for source, maker in kind.makers.items():
            if _is_of(value, source):
                return _make(maker, value, place)
    return None


def _name_kind(hint: Any) -> str:
    """The entry of `TYPES` for a hint: the name of a class, or of a list by what is first in it."""
    parts = get_args(hint)
    if not parts:
        return getattr(hint, "__name__", "")
    first = (*get_args(parts[0]), parts[0])[0]
    return f"list of {getattr(first, '__name__', '')}"


def _make(maker: Callable[[Any], Any], value: Any, place: str) -> Any:
    """A conversion; what cannot be converted is reported with the argument."""
    try:
        return maker(value)
    except ValueError as error:
        raise UsageError(f"{place}: {error}") from None


def _is_of(value: object, name: str) -> bool:
    """Whether a value is of a class of this name; so no module must be loaded that the value does not come from."""
    abstract = {"Mapping": Mapping, "PathLike": os.PathLike}
    if name in abstract:
        return isinstance(value, abstract[name])
    return any(each.__name__ == name for each in type(value).__mro__)


def _list_words(hint: Any, *, several: bool = False) -> list[str]:
    """Each type of a hint in words; None comes last."""
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    ordered = sorted(parts, key=lambda part: part is NoneType)
    return [*dict.fromkeys(describe_hint(part, several=several) for part in ordered)]


def _join_words(words: list[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def describe_hint(hint: Any, *, several: bool = False) -> str:
    """A type in words: `a whole number or None`, `a list of texts`."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _join_words(_list_words(hint, several=several))
    if origin is Literal:
        return f"{'any of' if several else 'one of'} {', '.join(map(repr, parts))}"
    if origin is Callable or hint is Callable:
        count = len(parts[0]) if parts and isinstance(parts[0], list) else None
        return "a function" if count is None else f"a function of {count} argument{'s' * (count != 1)}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a dict of {describe_hint(parts[1], several=True)} by name"
    if isinstance(origin, type) and origin.__name__ != "ndarray" and issubclass(origin, Iterable):
        return f"{'lists' if several else 'a list'} of {describe_hint(parts[0], several=True)}"
    name = getattr(origin or hint, "__name__", str(hint))
    kind = TYPES.get(name, Kind(f"{'an' if name[0] in 'AEIO' else 'a'} {name}", name))
    return kind.several if several else kind.words
