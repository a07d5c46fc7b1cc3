"""Validation of what is read from files, or answered by a cluster: types, whose annotations are the schema.

pydantic is strict here: nothing is converted (`true` is not a number, 1.0 is not 1), and an unknown key is refused like
a missing one. An error is one line that names the key. It is loaded by the first parse, not by the annotations: a
process that only writes saves a tenth of a second.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from antecede.errors import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import TypeAdapter

Parsed = TypeVar("Parsed")


class _Constraint:
    """A change to pydantic's schema of the type that it annotates."""

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.change = change

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return self.change(handler(source))


def limited(**limits: int | str | bool) -> _Constraint:
    """A constraint in the words of pydantic: `ge`, `le`, `min_length`, `pattern`, `allow_inf_nan`."""
    return _Constraint(lambda schema: {**schema, **limits})


def matching(pattern: str) -> _Constraint:
    """A constraint of texts: a pattern that matches all of it."""
    return limited(pattern=f"^(?:{pattern})$")


Count = Annotated[int, limited(ge=0, le=1 << 53)]
"""A number that every JSON reader represents exactly."""


class FieldError(ValueError):
    """A value is not what it must be: what is wrong, and the keys that lead to it, outermost first."""

    def __init__(self, what: str, *keys: str | int) -> None:
        place = "".join(f"[{key}]" if isinstance(key, int) else f".{printable(key)}" for key in keys).removeprefix(".")
        super().__init__(f"{place}: {what}" if place else what)


def parse(kind: Callable[..., Parsed], data: bytes | str) -> Parsed:
    """JSON as a value of a type; `FieldError` where it is not of that type, or not JSON."""
    parsed: Parsed = _validate(lambda: _adapter(kind, "forbid").validate_json(data))
    return parsed


def check(kind: Any, value: object) -> None:
    """Raise `FieldError` where a JSON value is not of a type; keys that the type does not have are left alone."""
    _validate(lambda: _adapter(kind, "ignore").validate_python(value))


def _validate(validation: Callable[[], Any]) -> Any:
    from pydantic import ValidationError

    try:
        return validation()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise FieldError(printable(first["msg"], 200), *first["loc"]) from None


@cache
def _adapter(kind: Any, extra: Literal["forbid", "ignore"]) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter, with_config

    config = ConfigDict(strict=True, extra=extra)  # the classes inside have the same configuration
    return TypeAdapter(with_config(config)(kind)) if isinstance(kind, type) else TypeAdapter(kind, config=config)
