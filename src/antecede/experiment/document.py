"""TOML documents and the types of their values: an error names the file and the key, or the line of wrong syntax.

Numbers have the ranges of the verbs. Packages that read patents are imported only by experiments that use them.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    model_validator,
)

from antecede.address import is_address
from antecede.errors import AntecedeError, InputError, printable, suggest_names
from antecede.operations import Argument
from antecede.ranges import COUNT, Range, write_number
from antecede.trec.content import open_input

Key = tuple[str | int, ...]
"""The path of a value: `("search", "methods", 2)`."""

POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
LARGEST_FILE = 10_000_000
MOST_BITS = 1024
"""An integer with more bits is no float."""
EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
}
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=-]{0,99}")
"""A run is also a file."""


class InvalidValueError(ValueError):
    """A value that a validator refuses; `key` leads to it from the value that is validated."""

    def __init__(self, what: str, remedy: str | None = None, key: Key = ()) -> None:
        super().__init__(what)
        self.what, self.remedy, self.key = what, remedy, key


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


def make_section(name: str, kinds: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> type[Section]:
    """A section with keys of these types, all optional; None where there is no default."""
    keys: dict[str, Any] = {key: (kind, (defaults or {}).get(key)) for key, kind in kinds.items()}
    return create_model(name, __base__=Section, **keys)


@dataclass(frozen=True)
class Document:
    """A TOML file that has been parsed."""

    file: Path
    text: str
    data: Mapping[str, Any]

    @property
    def folder(self) -> Path:
        """The folder of the file: its paths are relative to it."""
        return self.file.parent

    def error(self, key: Key, what: str, remedy: str | None = None) -> InputError:
        """The error at a key, or at the longest part of it that the document has."""
        parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in self._existing(key))
        place = printable("".join(parts).removeprefix("."))
        return InputError(f"{place}: {what}" if place else what, source=str(self.file), remedy=remedy)

    def validate(self, model: type[Model]) -> Model:
        """The document as a section. Of several errors, the first is raised."""
        reason: Any = None
        try:
            return model.model_validate(self.data, context=self.folder)
        except ValidationError as error:
            reason = error
        key: Key = ()
        while isinstance(reason, ValidationError):  # a validator may itself validate a section
            first = reason.errors(include_url=False)[0]
            key = self._existing((*key, *first["loc"]))
            reason = first.get("ctx", {}).get("error")
        if isinstance(reason, InvalidValueError):
            raise self.error((*key, *reason.key), reason.what, reason.remedy)
        if first["type"] == "too_short":
            raise self.error(key, "is empty", "give at least one value, or leave the key out")
        expected = EXPECTED.get(first["type"]) or first["msg"].removeprefix("Input should be ")
        raise self.error(key, f"must be {expected}, not {describe_value(first['input'])}")

    def _existing(self, key: Key) -> Key:
        """The part of a key that the document has: validators may put single values into lists and tables."""
        value: Any = self.data
        for at, name in enumerate(key):
            names = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
            if name not in names:
                return key[:at]
            value = value[name]
        return key


def read_document(file: Path) -> Document:
    """Read and parse a TOML file."""
    source = str(file)
    with open_input(file, source) as opened:
        content = opened.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise InputError("is too large", source=source, remedy="give an experiment file")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", source=source, remedy="save it as UTF-8") from None
    try:
        data = tomllib.loads(text)
        numbers = [value for value in _values_of(data) if isinstance(value, int)]
    except tomllib.TOMLDecodeError as error:
        position = POSITION.search(str(error))
        line = int(position[1]) if position and position[1] else max(len(text.splitlines()), 1)
        column = f" at column {position[2]}" if position and position[2] else ""
        what = f"is not valid TOML{column}: {printable(POSITION.sub('', str(error)))}"
        raise InputError(what, source=source, line=line, remedy="correct the syntax") from None
    except RecursionError:
        what = "has too many tables and lists inside each other"
        raise InputError(what, source=source, remedy="remove some") from None
    except ValueError:  # an integer that Python does not read
        numbers = [1 << MOST_BITS]
    if any(number.bit_length() > MOST_BITS for number in numbers):
        raise InputError("has a number with too many digits", source=source, remedy="give a smaller one")
    return Document(file, text, data)


def _values_of(value: Any) -> Iterator[Any]:
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _values_of(item)


def describe_value(value: Any) -> str:
    """A value in an error message."""
    if isinstance(value, str):
        return f"the string {printable(value)!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    kind = "number" if isinstance(value, int | float) else "date" if isinstance(value, date) else "time"
    return printable(f"the {kind} {value}")


# Validators


def refusing(check: Callable[[Any], Any], key: Key = ()) -> Callable[[Any], Any]:
    """A validator that refuses what another package does not accept, with its message."""

    def call(value: Any) -> Any:
        try:
            return check(value)
        except AntecedeError as error:
            raise InvalidValueError(str(error), key=key) from None

    return call


def check_text(value: str) -> str:
    if not value.strip():
        raise InvalidValueError("is empty", "give a value, or leave the key out")
    return value


def choose(value: str, choices: Mapping[str, Any] | tuple[str, ...], key: Key = ()) -> str:
    """Refuse a name that is not among the choices."""
    if value not in choices:
        what = f"unknown name {printable(value)!r}{suggest_names(value, choices)}"
        raise InvalidValueError(what, f"choose one of {', '.join(choices)}", key)
    return value


def within(allowed: Range) -> AfterValidator:
    def check(value: float) -> float:
        if value not in allowed:
            raise InvalidValueError(f"must be {allowed.describe(value)}, not {write_number(value)}")
        return value

    return AfterValidator(check)


def _resolve_path(value: Any, info: ValidationInfo) -> Path:
    """A path relative to the experiment file, whether it exists or not."""
    if not isinstance(value, str) or not value.strip():
        raise InvalidValueError(f"must be a path, not {describe_value(value)}")
    folder: Any = info.context
    try:
        path: Path = folder / Path(value).expanduser()
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, RuntimeError, ValueError) as error:  # too long, an unknown home folder, a null character
        reason = getattr(error, "strerror", None) or error
        raise InvalidValueError(f"{printable(value)!r} cannot be used ({reason})", "give another path") from None
    return path


def _check_existence(path: Path, info: ValidationInfo) -> Path:
    """Refuse a path that does not exist, and what is read more than once but may be endless: devices and pipes."""
    folder: Any = info.context
    if not path.exists():
        close = get_close_matches(path.name, sorted(sibling.name for sibling in path.parent.glob("*")), 1)
        hint = f"did you mean {printable(close[0])}?" if close else f"paths are relative to {printable(str(folder))}"
        written = path.relative_to(folder) if path.is_relative_to(folder) else path
        raise InvalidValueError(f"{printable(str(written))!r} does not exist", hint)
    if not (path.is_file() or path.is_dir()):
        raise InvalidValueError(f"{printable(str(path))!r} is a device or a pipe, not a file", "name a file")
    return path


def _check_file(path: Path) -> Path:
    if path.is_dir():
        raise InvalidValueError(f"{printable(str(path))!r} is a folder", "name a file")
    return path


def _resolve_place(value: Any, info: ValidationInfo) -> Path:
    """The folder of an index, or its address on a cluster; what is wrong with an address is found on opening it."""
    if isinstance(value, str) and is_address(value):
        return Path(value)
    return _check_existence(_resolve_path(value, info), info)


def _parse_date(value: Any) -> date:
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidValueError(f"must be a date, not {describe_value(value)}", "write it as 2001-12-31") from None


def _check_run_name(value: str) -> str:
    if not RUN_NAME.fullmatch(value):
        raise InvalidValueError(f"{printable(value)!r} cannot be a file name", "use letters, digits and _ . + = -")
    return value


def _check_field_names(value: Any) -> Any:
    """The fields of a patent with their names in a JSON source or a table; `preset` names the export that it is."""
    from antecede.corpus.formats.field_names import FIELD_NAMES, PRESET, choose_preset

    if not isinstance(value, dict):
        raise InvalidValueError(f"must be a table, not {describe_value(value)}", "the keys are the fields of a patent")
    for name in value:
        choose(name, (*FIELD_NAMES, PRESET), key=(name,))
    if isinstance(value.get(PRESET), str):
        refusing(choose_preset, key=(PRESET,))(value[PRESET])
    return value


def _parse_method(text: str) -> str:
    from antecede.query.methods import parse_method

    return str(parse_method(text))


def type_of_key(declared: Argument) -> Any:
    """The type of the key that is an argument of an operation, as it is declared."""
    info = declared.help
    if info.read is not None:
        return Annotated[ExistingFile, AfterValidator(refusing(info.read))]
    kinds = declared.kinds if declared.list_of is None else (declared.list_of,)
    kind: Any = next((kind for kind in (bool, int, float) if kind in kinds), str)
    if declared.choices:
        kind = Annotated[str, AfterValidator(refusing(declared.check_choice))]
    elif declared.range is not None:
        kind = Annotated[kind, within(declared.range)]
    elif kind is str:
        kind = Annotated[Text, AfterValidator(refusing(info.check))] if info.check is not None else Text
    return kind if declared.list_of is None else Several[kind]


Item = TypeVar("Item")
Several = Annotated[
    tuple[Item, ...],
    BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else (value,)),
    Field(min_length=1),
]
"""One value or a list of values."""
Text = Annotated[str, AfterValidator(check_text)]
RunName = Annotated[str, AfterValidator(_check_run_name)]
AnyPath = Annotated[Path, BeforeValidator(_resolve_path)]
ExistingPath = Annotated[AnyPath, AfterValidator(_check_existence)]
ExistingFile = Annotated[ExistingPath, AfterValidator(_check_file)]
IndexPlace = Annotated[Path, BeforeValidator(_resolve_place)]
FieldNames = Annotated[Mapping[str, Text], BeforeValidator(_check_field_names)]
Day = Annotated[date, BeforeValidator(_parse_date)]
Count = Annotated[int, within(COUNT)]
MethodName = Annotated[Text, AfterValidator(refusing(_parse_method))]
