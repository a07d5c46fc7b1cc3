"""A thing of a register as a user writes it: a name, perhaps with parameters, as in `bm25(k1=0.9,b=0.4)`."""

from __future__ import annotations

import importlib
import pkgutil
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from antecede.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Thing = TypeVar("Thing")
WRITTEN = re.compile(r"\s*([\w-]+)\s*(?:\(([^()]*)\))?\s*")


class Named(NamedTuple):
    """A name and its parameters, each a text still."""

    name: str
    """In small letters, its words joined by _."""
    parameters: tuple[tuple[str, str], ...]


def read_named(text: str) -> Named | None:
    """The name and the parameters that are written so; None where it is nothing of the kind."""
    found = WRITTEN.fullmatch(text)
    if found is None:
        return None
    parts = filter(None, (each.strip() for each in (found[2] or "").split(",")))
    pairs = (part.partition("=") for part in parts)
    return Named(found[1].lower().replace("-", "_"), tuple((name.strip(), value.strip()) for name, _, value in pairs))


def chosen(name: str, known: Mapping[str, Thing], what: str, text: str) -> Thing:
    """The thing of a name; one that is not known is an error that tells the near one."""
    if name in known:
        return known[name]
    near = get_close_matches(name, known, 1)
    remedy = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
    raise UsageError(f"there is no {what} {shown(text)!r}; {remedy}")


def checked(name: str, parameters: Iterable[tuple[str, str]], known: Iterable[str], text: str) -> dict[str, str]:
    """The parameters, if a thing of this name has them all and none stands there twice."""
    found: dict[str, str] = {}
    for parameter, value in parameters:
        if parameter not in known:
            there = ", ".join(known) or "none"
            raise UsageError(f"{shown(text)}: {name} has no parameter {shown(parameter)!r}; it has {there}")
        if parameter in found:
            raise UsageError(f"{shown(text)}: {parameter} is given twice")
        found[parameter] = value
    return found


def written(name: str, parameters: Mapping[str, Any], between: str = ",") -> str:
    """How a thing is written with these parameters."""
    given = between.join(f"{parameter}={value_as_written(value)}" for parameter, value in parameters.items())
    return f"{name}({given})" if given else name


def value_as_written(value: Any) -> str:
    """A value as short as it is the same."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def load_folder(package: str) -> None:
    """Load every file of a folder, so that what is in them registers itself."""
    folder = importlib.import_module(package)
    for module in pkgutil.iter_modules(folder.__path__):
        importlib.import_module(f"{package}.{module.name}")
