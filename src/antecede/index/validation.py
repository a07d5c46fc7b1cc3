"""Validation of what is read from files: JSON is parsed into typed classes, whose annotations are the schema.

pydantic is strict here: nothing is converted (`true` is not a number, 1.0 is not 1), and an unknown key is refused like
a missing one. An error is one line that names the key.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config

from antecede.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable

Parsed = TypeVar("Parsed")
STRICT = ConfigDict(strict=True, extra="forbid")
Count = Annotated[int, Field(ge=0, le=1 << 53)]
"""A number that every JSON reader represents exactly."""


class FieldError(ValueError):
    """A value is not what it must be: what is wrong, and the keys that lead to it, outermost first."""

    def __init__(self, what: str, *keys: str | int) -> None:
        place = "".join(f"[{key}]" if isinstance(key, int) else f".{shown(key)}" for key in keys).removeprefix(".")
        super().__init__(f"{place}: {what}" if place else what)


def parse(kind: Callable[..., Parsed], data: bytes | str) -> Parsed:
    """JSON as a value of a type; `FieldError` where it is not of that type, or not JSON."""
    try:
        parsed: Parsed = _adapter(kind).validate_json(data)
        return parsed
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise FieldError(shown(first["msg"], 200), *first["loc"]) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(with_config(STRICT)(kind))  # the classes inside have the same configuration


def matching(pattern: str) -> Any:
    """A constraint of texts: a pattern that matches all of it."""
    return Field(pattern=f"^(?:{pattern})$")


def with_keys(*names: str) -> AfterValidator:
    """A constraint of objects: exactly these keys."""

    def check(table: dict[str, Any]) -> dict[str, Any]:
        if differing := sorted(table.keys() ^ set(names)):
            raise ValueError(f"{differing[0]} is {'missing' if differing[0] in names else 'unknown'}")
        return table

    return AfterValidator(check)
