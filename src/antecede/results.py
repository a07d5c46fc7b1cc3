"""What all results share: a representation in one line, JSON, frames of pandas, and a list of their public names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sized
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, printable

if TYPE_CHECKING:
    import pandas as pd

MAX_TEXT_LENGTH, MAX_LENGTH = 32, 160
"""Characters of a text, and of the whole line."""
SHORT = 4
"""Shorter collections are written out."""


def concise_repr(self: Any) -> str:
    """`Comparison(runs=48 items, measures=('AP',), …)`: every field in short, in one line of at most 160 characters.

    Assigned as `__repr__` in the body of a dataclass.
    """
    name = type(self).__name__
    inside = ", ".join(f"{field.name}={describe(getattr(self, field.name))}" for field in fields(self) if field.repr)
    room = MAX_LENGTH - len(name) - 2
    return f"{name}({inside if len(inside) <= room else f'{inside[: room - 1]}…'})"


def describe(value: Any) -> str:
    """A value in a few characters: texts and numbers as they are, arrays by their shape, collections by their size."""
    if isinstance(value, str):
        return repr(printable(value, MAX_TEXT_LENGTH))
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{value.dtype}{[*value.shape]}"
    if isinstance(value, tuple | list) and len(value) < SHORT:
        whole = ", ".join(map(describe, value)) + ("," if len(value) == 1 else "")
        if len(whole) <= MAX_TEXT_LENGTH:
            return f"({whole})"
    is_table = hasattr(value, "table") or hasattr(value, "rows")  # it prints as a whole
    if isinstance(value, Sized) and not is_table:
        kind = "" if isinstance(value, Mapping | tuple | list | set | frozenset) else f" of {type(value).__name__}"
        return f"{len(value)} items{kind}"
    named = any("__str__" in vars(each) for each in type(value).__mro__[:-1]) and not is_table
    return printable(str(value), MAX_TEXT_LENGTH) if named else type(value).__name__


def to_json(value: Any) -> Any:
    """A result as JSON data: arrays and tuples as lists, dataclasses as objects, None for NaN and infinity."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [to_json(inner) for inner in value]
    if isinstance(value, Mapping):
        return {str(name): to_json(inner) for name, inner in value.items()}
    if hasattr(value, "dtype"):
        return to_json(value.tolist())
    return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}


def by_name(values: Any, *names: Iterable[object]) -> dict[str, Any]:
    """The values of an array as an object of JSON, by the names along each of its first axes."""
    first, *others = names
    return {str(name): by_name(of, *others) if others else of for name, of in zip(first, values, strict=True)}


def list_public_names(self: Any) -> list[str]:
    """The names that `dir()` lists: fields, properties and methods, without those that begin with an underscore."""
    return sorted(name for name in object.__dir__(self) if not name.startswith("_"))


def make_pandas(columns: Mapping[str, Any]) -> pd.DataFrame:
    """A pandas frame of columns by name; pandas need not be installed for anything else."""
    try:
        import pandas as pd
    except ModuleNotFoundError:
        raise UsageError("pandas is not installed; install it (pip install pandas), or use to_polars()") from None
    return pd.DataFrame({name: [*values] for name, values in columns.items()})
