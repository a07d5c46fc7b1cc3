"""What may stand behind a key of an experiment file: each kind takes a value and where it stands, and checks it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from antecede.errors import AntecedeError, InputError, shown

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from antecede.experiment.key_lines import Key, Lines


@dataclass(frozen=True)
class Place:
    """Where a value stands in the file: what a message begins with."""

    source: str
    folder: Path
    """The folder of the file, from which its paths are read."""
    lines: Lines
    key: Key = ()

    def __truediv__(self, name: str | int) -> Place:
        return replace(self, key=(*self.key, name))

    @property
    def line(self) -> int | None:
        """The line of the value, or of the nearest thing around it."""
        return next((self.lines[self.key[:n]] for n in range(len(self.key), 0, -1) if self.key[:n] in self.lines), None)

    @property
    def named(self) -> str:
        """The key as a person writes it."""
        parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in self.key)
        return shown("".join(parts).removeprefix("."))

    def wrong(self, what: str, remedy: str | None = None) -> InputError:
        """The error that says what is wrong here."""
        named = f"{self.named}: " if self.key else ""
        return InputError(f"{named}{what}", source=self.source, line=self.line, remedy=remedy)

    def passed_on(self, check: Callable[[], Any]) -> Any:
        """What a check of another room gives; what it refuses is said of this place."""
        try:
            return check()
        except AntecedeError as error:
            raise self.wrong(str(error)) from None


Kind = Callable[[Any, Place], Any]
"""Takes a value, gives what it stands for, or raises an error that points at its place."""


def kind_of(value: Any) -> str:
    """What a value is, in a message."""
    if isinstance(value, str):
        return f"the text {shown(value)!r}"
    if isinstance(value, bool):
        return "true" if value else "false"
    names = {int: f"the number {value}", float: f"the number {value}", list: "a list", dict: "a table"}
    return names.get(type(value), f"the day {value}")


def text(value: Any, at: Place) -> str:
    if not isinstance(value, str) or not value.strip():
        raise at.wrong(f"must be a text, not {kind_of(value)}" if not isinstance(value, str) else "is empty")
    return value


def flag(value: Any, at: Place) -> bool:
    if not isinstance(value, bool):
        raise at.wrong(f"must be true or false, not {kind_of(value)}")
    return value


def whole(least: int = 0, most: int | None = None) -> Kind:
    def read(value: Any, at: Place) -> int:
        if isinstance(value, bool) or not isinstance(value, int):
            raise at.wrong(f"must be a whole number, not {kind_of(value)}")
        if value < least or (most is not None and value > most):
            raise at.wrong(f"is {value}; it must be {least} or more" + (f", and at most {most}" if most else ""))
        return value

    return read


def number(least: float = 0.0, most: float = math.inf) -> Kind:
    def read(value: Any, at: Place) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise at.wrong(f"must be a number, not {kind_of(value)}")
        if not least <= value <= most or math.isinf(value):
            raise at.wrong(f"is {value:g}; it must lie between {least:g} and {most:g}")
        return float(value)

    return read


def day(value: Any, at: Place) -> date:
    """A day, with or without quotes."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    try:
        return date.fromisoformat(text(value, at))
    except ValueError:
        raise at.wrong(f"{shown(value)!r} is no day; write it as 2001-12-31") from None


def word(*words: str) -> Kind:
    """One of some words."""

    def read(value: Any, at: Place) -> str:
        if text(value, at) not in words:
            raise at.wrong(f"there is no {shown(value)!r}{meant(value, words)}", f"there are {', '.join(words)}")
        return str(value)

    return read


def path(value: Any, at: Place) -> Path:
    """A file or folder that is there; a path is relative to the experiment file."""
    found = at.folder / Path(text(value, at)).expanduser()
    if not found.exists():
        near = get_close_matches(found.name, [each.name for each in siblings(found)], 1)
        hint = f"did you mean {shown(near[0])}?" if near else f"paths are relative to {shown(str(at.folder))}"
        raise at.wrong(f"there is no {shown(value)!r}", hint)
    return found


def siblings(found: Path) -> list[Path]:
    """What there is in the folder where a file was looked for."""
    try:
        return sorted(found.parent.iterdir())
    except OSError:
        return []


def many(kind: Kind) -> Kind:
    """One value, or a list of one or more."""

    def read(value: Any, at: Place) -> tuple[Any, ...]:
        if not isinstance(value, list):
            return (kind(value, at),)
        if not value:
            raise at.wrong("is empty; name one, or leave it out")
        return tuple(kind(each, at / number) for number, each in enumerate(value))

    return read


def each_once(values: Iterable[Any], at: Place) -> None:
    """Refuse what a list names twice."""
    seen: list[Any] = []
    for number, value in enumerate(values):
        if value in seen:
            raise (at / number).wrong(f"{shown(str(value))} stands there twice; name it once")
        seen.append(value)


def table(keys: Mapping[str, Kind]) -> Kind:
    """A table of these keys; those that are given, read."""

    def read(value: Any, at: Place) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise at.wrong(f"must be a table of keys, not {kind_of(value)}", f"it takes {', '.join(keys)}")
        for name in value:
            if name not in keys:
                where = f"{at.named} has" if at.key else "there is"
                known = f"there are {', '.join(keys)}"
                what = f"{where} no key {shown(name)!r}{meant(name, keys)}"
                raise InputError(what, source=at.source, line=(at / name).line, remedy=known)
        return {name: keys[name](each, at / name) for name, each in value.items()}

    return read


def meant(name: str, names: Collection[str]) -> str:
    """A suggestion, where a name is near."""
    near = get_close_matches(name.lower(), list(names), 1)
    return f" (did you mean {near[0]}?)" if near else ""


RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+=-]{0,99}")
"""The names a run may have, since it is a file name too."""


def run_name(value: Any, at: Place) -> str:
    if not RUN_NAME.fullmatch(text(value, at)):
        raise at.wrong(f"{shown(value)!r} cannot be the name of a file", "take letters, digits and _ . + = -")
    return str(value)
