"""A small schema for JSON that comes from a file: rules say what a value must be, and name the key where it is not.

A rule is a function of a value and its place. Nothing is converted, so a value that passes is used as it is: `true` is
not a number, 1.0 is not 1, and a key that no rule knows is refused like one that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from antecede.errors import shown

if TYPE_CHECKING:
    import re

Rule = Callable[[Any, str], None]
LARGEST = 1 << 53
"""The largest number that every reader of JSON knows exactly."""


class SchemaError(ValueError):
    """A value is not what the schema says: where it is, and what is wrong with it."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{place or 'the whole'}: {what}")


def anything(_value: Any, _place: str) -> None:
    """Any value: whoever uses it looks at it."""


def integer(least: int = 0, most: int = LARGEST) -> Rule:
    """A whole number in a range."""

    def check(value: Any, place: str) -> None:
        if type(value) is not int:
            raise SchemaError(place, f"must be a whole number, it is {described(value)}")
        if not least <= value <= most:
            raise SchemaError(place, f"must be {least} to {most}, it is {described(value)}")

    return check


def text(pattern: re.Pattern[str] | None = None, meaning: str = "text") -> Rule:
    """A text, all of which fits a pattern; `meaning` says in the message what it must be."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, str) or (pattern is not None and pattern.fullmatch(value) is None):
            raise SchemaError(place, f"must be {meaning}, it is {described(value)}")

    return check


def optional(rule: Rule) -> Rule:
    """What a rule says, or null."""

    def check(value: Any, place: str) -> None:
        if value is not None:
            rule(value, place)

    return check


def list_of(rule: Rule, choices: Iterable[str] | None = None) -> Rule:
    """A list whose items fit a rule; with `choices`, some of these, at least one, none twice."""
    known = None if choices is None else tuple(choices)

    def check(value: Any, place: str) -> None:
        if not isinstance(value, list):
            raise SchemaError(place, f"must be a list, it is {described(value)}")
        for number, each in enumerate(value):
            rule(each, f"{place}[{number}]")
        if known is not None and (not value or len(set(value)) < len(value) or not set(value) <= set(known)):
            raise SchemaError(place, f"must be some of {', '.join(known)}, none twice, it is {described(value)}")

    return check


def table(keys: Rule, values: Rule) -> Rule:
    """An object with any keys that fit a rule, and values that fit another."""

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise SchemaError(place, f"must be an object, it is {described(value)}")
        for name, each in value.items():
            keys(name, f"{place}, key {shown(name)!r}")
            values(each, joined(place, name))

    return check


def record(fields: dict[str, Rule], *, needed: Iterable[str] | None = None) -> Rule:
    """An object with these keys and no others; all of them, or at least those `needed`."""
    required = tuple(fields if needed is None else needed)

    def check(value: Any, place: str) -> None:
        if not isinstance(value, dict):
            raise SchemaError(place, f"must be an object, it is {described(value)}")
        for name in required:
            if name not in value:
                raise SchemaError(joined(place, name), "is missing")
        for name, each in value.items():
            if name not in fields:
                raise SchemaError(joined(place, name), "is unknown")
            fields[name](each, joined(place, name))

    return check


def joined(place: str, name: str) -> str:
    """The place of a key."""
    return f"{place}.{shown(name)}" if place else shown(name)


def described(value: Any) -> str:
    """A value for a message, short and on one line whatever it is."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a far larger number"
    return shown(repr(value))
