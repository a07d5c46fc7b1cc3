"""TOML documents and their validation: each error names the file and the key, or the line of wrong syntax."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model, model_validator

from antecede.errors import AntecedeError, InputError, shown, suggest_names
from antecede.trec.content import open_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pydantic_core import ErrorDetails

Key = tuple[str | int, ...]
"""The path of a value: `("search", "methods", 2)`."""

POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
DEEPEST = 20
"""Levels of tables and lists: no key needs as many."""
LARGEST_FILE = 10_000_000
MOST_BITS = 1024
"""A larger integer is no float, and may be too long to be written; a smaller one is checked against its range."""
LONG_NUMBER = re.compile(r"[0-9][0-9_]{4000,}")
EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
}


class InvalidValueError(ValueError):
    """A value that a validator refuses; `key` leads to it from the value that is validated."""

    def __init__(self, what: str, remedy: str | None = None, key: Key = ()) -> None:
        super().__init__(what)
        self.what, self.remedy, self.key = what, remedy, key


@dataclass(frozen=True)
class Document:
    """A TOML file that has been parsed."""

    source: str
    folder: Path
    """The folder of the file: its paths are relative to it."""
    text: str
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Location:
    """A key of a document; an error at it begins with its file and key."""

    document: Document
    key: Key = ()

    def __truediv__(self, name: str | int) -> Location:
        return Location(self.document, (*self.key, name))

    @property
    def text(self) -> str:
        """The key as it is written: `search.methods[3]`."""
        parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in self.key)
        return shown("".join(parts).removeprefix("."))

    @property
    def existing(self) -> Location:
        """The longest part of the key that the document has: validators may put single values into lists and tables."""
        value: Any = self.document.data
        for at, name in enumerate(self.key):
            names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            if name not in names:
                return Location(self.document, self.key[:at])
            value = value[name]
        return self

    def error(self, what: str, remedy: str | None = None) -> InputError:
        """The error at this key."""
        prefix = f"{self.text}: " if self.key else ""
        return InputError(f"{prefix}{what}", source=self.document.source, remedy=remedy)


def read_document(file: Path) -> Document:
    """Read and parse a TOML file."""
    with open_input(file, str(file)) as opened:
        data = opened.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise InputError("is too large", source=str(file), remedy="give an experiment file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text (byte {error.start})"
        raise InputError(what, source=str(file), remedy="save it as UTF-8") from None
    document = Document(str(file), file.parent, text, parse_text(text, str(file)))
    for key, value in values_of(document.data):
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            raise Location(document, key).error("is a number with too many digits", "give a smaller one")
    return document


def parse_text(text: str, source: str) -> dict[str, Any]:
    """The data of a TOML text."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Where Python refuses to read an integer for its length, it does not say where that is.
        digits = None if isinstance(error, tomllib.TOMLDecodeError) else LONG_NUMBER.search(text)
        if digits is not None:
            at = text.count("\n", 0, digits.start()) + 1
            what = f"has a number of {len(digits[0])} digits"
            raise InputError(what, source=source, line=at, remedy="give a smaller one") from None
        found = POSITION.search(str(error))
        line = int(found[1]) if found and found[1] else max(len(text.splitlines()), 1)
        column = f" at column {found[2]}" if found and found[2] else ""
        what = f"is not valid TOML{column}: {shown(POSITION.sub('', str(error)))}"
        raise InputError(what, source=source, line=line, remedy="correct the syntax") from None
    level: list[Any] = [data]
    for _ in range(DEEPEST):
        inside = [each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)]
        level = [value for values in inside for value in values]
    if level:
        raise InputError("has too many tables and lists inside each other", source=source, remedy="remove some")
    return data


class Section(BaseModel):
    """A table of the document. Its fields are the keys, with types and defaults."""

    model_config = ConfigDict(frozen=True, strict=True)

    @classmethod
    def expand(cls, given: Any) -> Any:
        """Replace a short form by the table that it denotes."""
        return given

    @model_validator(mode="before")
    @classmethod
    def check_keys(cls, given: Any) -> Any:
        """Refuse anything but a table of known keys."""
        given = cls.expand(given)
        remedy = f"the keys are {', '.join(cls.model_fields)}"
        if not isinstance(given, dict):
            raise InvalidValueError(f"must be a table, not {describe_value(given)}", remedy)
        for name in given:
            if name not in cls.model_fields:
                raise InvalidValueError(f"unknown key{suggest_names(name, cls.model_fields)}", remedy, key=(name,))
        return given


Model = TypeVar("Model", bound=Section)


def make_section(name: str, kinds: Mapping[str, Any]) -> type[Section]:
    """A section with keys of these types, all optional."""
    keys: dict[str, Any] = {key: (kind, None) for key, kind in kinds.items()}
    return create_model(name, __base__=Section, **keys)


def validate(model: type[Model], value: Any, location: Location) -> Model:
    """Validate the value at a location. Of several errors, the first is raised."""
    try:
        return model.model_validate(value, context=location.document.folder)
    except ValidationError as error:
        raise describe_error(error.errors(include_url=False)[0], location) from None


def describe_error(found: ErrorDetails, location: Location) -> InputError:
    """A validation error as one line: where, what and the remedy."""
    invalid = found.get("ctx", {}).get("error")
    at = Location(location.document, (*location.key, *found["loc"])).existing
    if isinstance(invalid, InvalidValueError):
        return Location(at.document, (*at.key, *invalid.key)).existing.error(invalid.what, invalid.remedy)
    if found["type"] == "too_short":
        return at.error("is empty", "give at least one value, or leave the key out")
    expected = EXPECTED.get(found["type"]) or found["msg"].removeprefix("Input should be ")
    return at.error(f"must be {expected}, not {describe_value(found['input'])}")


def describe_value(value: Any) -> str:
    """A value in an error message."""
    if isinstance(value, str):
        return f"the string {shown(value)!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    kind = "number" if isinstance(value, int | float) else "date" if isinstance(value, date) else "time"
    return shown(f"the {kind} {value}")


def refusing(check: Callable[[Any], Any], key: Key = ()) -> Callable[[Any], Any]:
    """A validator that refuses what another package does not accept, with its message."""

    def call(value: Any) -> Any:
        try:
            return check(value)
        except AntecedeError as error:
            raise InvalidValueError(str(error), key=key) from None

    return call


def values_of(value: Any, key: Key = ()) -> Iterator[tuple[Key, Any]]:
    """Everything inside a value, with its key."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inside:
        yield (*key, name), each
        yield from values_of(each, (*key, name))
