"""A small schema language for JSON files: rules define what a value must be, and errors name the offending key.

Nothing is converted, so a value that passes is used as it is: `true` is not a number, 1.0 is not 1, and an unknown key
is refused like a missing one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from antecede.errors import shown
from antecede.index.files import FIELDS

if TYPE_CHECKING:
    import re

Rule = Callable[[Any], None]
"""A function that raises `SchemaError` for an invalid value."""
LARGEST = 1 << 53
"""The largest integer that every JSON reader represents exactly."""


class SchemaError(ValueError):
    """A value violates the schema: what is wrong, and the keys that lead to it, innermost first."""

    def __init__(self, what: str, *keys: str | int) -> None:
        self.what, self.keys = what, list(keys)
        super().__init__(what)

    def under(self, key: str | int) -> SchemaError:
        """Prepend the key of the enclosing object or list."""
        self.keys.append(key)
        return self

    def __str__(self) -> str:
        steps = (f"[{key}]" if isinstance(key, int) else f".{shown(key)}" for key in reversed(self.keys))
        place = "".join(steps).removeprefix(".")
        return f"{place}: {self.what}" if place else self.what


def anything(_value: Any) -> None:
    """Any value; its users check it."""


def integer(least: int = 0, most: int = LARGEST) -> Rule:
    """A whole number in a range."""

    def check(value: Any) -> None:
        if type(value) is not int:
            raise SchemaError(f"must be a whole number, it is {describe_value(value)}")
        if not least <= value <= most:
            raise SchemaError(f"must be {least} to {most}, it is {describe_value(value)}")

    return check


def text(pattern: re.Pattern[str] | None = None, meaning: str = "a text") -> Rule:
    """A string that matches a pattern completely; `meaning` is what the message calls it."""

    def check(value: Any) -> None:
        if not isinstance(value, str) or (pattern is not None and pattern.fullmatch(value) is None):
            raise SchemaError(f"must be {meaning}, it is {describe_value(value)}")

    return check


def optional(rule: Rule) -> Rule:
    """A value that satisfies a rule, or null."""

    def check(value: Any) -> None:
        if value is not None:
            rule(value)

    return check


def list_of(rule: Rule) -> Rule:
    """A list whose items satisfy a rule."""

    def check(value: Any) -> None:
        if not isinstance(value, list):
            raise SchemaError(f"must be a list, it is {describe_value(value)}")
        number = 0
        try:
            for number, each in enumerate(value):  # noqa: B007 - for the message
                rule(each)
        except SchemaError as error:
            raise error.under(number) from None

    return check


def some_of(*choices: str) -> Rule:
    """A list of some of these strings: at least one, without duplicates."""
    texts = list_of(text())

    def check(value: Any) -> None:
        texts(value)
        if not value or len(set(value)) < len(value) or not set(value) <= set(choices):
            raise SchemaError(
                f"must be some of {', '.join(choices)}, without duplicates, it is {describe_value(value)}"
            )

    return check


def table(keys: Rule, values: Rule) -> Rule:
    """An object with any keys that satisfy one rule and values that satisfy another."""

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise SchemaError(f"must be an object, it is {describe_value(value)}")
        name = ""
        try:
            for name, each in value.items():
                keys(name)
                values(each)
        except SchemaError as error:
            raise error.under(name) from None

    return check


def record(fields: dict[str, Rule], *, needed: Iterable[str] | None = None, others: bool = False) -> Rule:
    """An object with these keys; all are required, or those in `needed`. Unknown keys are refused unless `others`."""
    required = frozenset(fields if needed is None else needed)

    def check(value: Any) -> None:
        if not isinstance(value, dict):
            raise SchemaError(f"must be an object, it is {describe_value(value)}")
        if missing := required - value.keys():
            raise SchemaError("is missing", min(missing))
        name = ""
        try:
            for name, each in value.items():
                if name in fields:
                    fields[name](each)
                elif not others:
                    raise SchemaError("is unknown")
        except SchemaError as error:
            raise error.under(name) from None

    return check


def describe_value(value: Any) -> str:
    """A value for a message, short and on one line."""
    if isinstance(value, dict | list):
        return f"{'an object' if isinstance(value, dict) else 'a list'} of {len(value)}"
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 128:
        return "a far larger number"
    return shown(repr(value[:1000] if isinstance(value, str) else value))


TREATMENT = record({"stemmer": optional(text()), "stop_words": list_of(text())})
PROFILE = record(
    {
        "version": integer(),
        "name": text(),
        "treatments": table(text(), TREATMENT),
        "shortest": integer(),
        "longest": integer(),
    }
)
INDEX_SETTINGS = record({"profile": PROFILE, "fields": some_of(*FIELDS), "versions": table(text(), text())})
