"""On which line of a TOML file each key and each entry of a list stands, for messages that point at it.

The parser of the standard library gives values without their places. This scanner looks at text that it has read
already, so it only has to find where things are, not whether they are right.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping

Key = tuple[str | int, ...]
"""Where a value stands: `("search", "methods", 2)`."""
Lines = Mapping[Key, int]

BLANK = " \t\r\n"
BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def key_lines(text: str) -> dict[Key, int]:
    """Key → line, the first being 1, of everything in a text that is right TOML."""
    scanner = Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.lines


class Scanner:
    """Walks through the text once."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.lines: dict[Key, int] = {}
        self.entries: dict[Key, int] = {}
        """How many tables each `[[name]]` has so far."""
        self.seen, self.line = 0, 1

    def note(self, key: Key, at: int) -> None:
        """Write down where a key stands, the first time it is met, and the tables it stands in."""
        self.line += self.text.count("\n", self.seen, at) if at >= self.seen else -self.text.count("\n", at, self.seen)
        self.seen = at
        for length in range(1, len(key) + 1):
            self.lines.setdefault(key[:length], self.line)

    def document(self) -> None:
        """Headers and keys, one after the other."""
        table: Key = ()
        while self.skip(BLANK):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)

    def header(self) -> Key:
        """`[a.b]` or `[[a.b]]`: the key of the table that follows."""
        begun, double = self.at, self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        key = self.resolved(self.dotted())
        self.at = self.text.index("]", self.at) + (2 if double else 1)
        if double:
            self.entries[key] = self.entries.get(key, -1) + 1
            self.lines.setdefault(key, self.text.count("\n", 0, begun) + 1)
            key = (*key, self.entries[key])
        self.note(key, begun)
        return key

    def resolved(self, names: Key) -> Key:
        """A header's key; a name of tables stands for the last of them."""
        found: Key = ()
        for place, name in enumerate(names):
            found = (*found, name)
            if found in self.entries and place < len(names) - 1:
                found = (*found, self.entries[found])
        return found

    def pair(self, table: Key) -> None:
        """`key = value`."""
        begun = self.at
        key = (*table, *self.dotted())
        self.note(key, begun)
        self.skip(" \t=")
        self.value(key)

    def dotted(self) -> Key:
        """The names of a key: `a.b`, `"a b".c`."""
        names: list[str] = []
        while True:
            self.skip(" \t")
            begun = self.at
            if self.text[self.at] in "\"'":
                self.string()
            else:
                while self.at < len(self.text) and self.text[self.at] in BARE:
                    self.at += 1
            names.append(plain(self.text[begun : self.at]))
            self.skip(" \t")
            if self.text[self.at : self.at + 1] != ".":
                return tuple(names)
            self.at += 1

    def value(self, key: Key) -> None:
        """A value of any kind; those within lists and tables are written down too."""
        sign = self.text[self.at]
        if sign in "\"'":
            self.string()
        elif sign == "[":
            self.inside("]", lambda number: self.entry((*key, number)))
        elif sign == "{":
            self.inside("}", lambda _: self.pair(key))
        else:
            while self.at < len(self.text) and self.text[self.at] not in ",]}#\n":
                self.at += 1

    def entry(self, key: Key) -> None:
        self.note(key, self.at)
        self.value(key)

    def inside(self, end: str, each: Callable[[int], None]) -> None:
        """What stands between brackets, with commas between."""
        self.at += 1
        number = 0
        while self.skip(BLANK + ",") and self.text[self.at] != end:
            each(number)
            number += 1
        self.at += 1

    def string(self) -> None:
        """A string of any of the four kinds."""
        quote = self.text[self.at]
        long = self.text.startswith(quote * 3, self.at)
        close = quote * 3 if long else quote
        self.at += len(close)
        while not self.text.startswith(close, self.at):
            self.at += 2 if quote == '"' and self.text[self.at] == "\\" else 1
        self.at += len(close)
        while long and self.text[self.at : self.at + 1] == quote:  # one or two more belong to the text
            self.at += 1

    def skip(self, signs: str) -> bool:
        """Go on to the next sign that is none of these and in no comment; whether there is one."""
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign == "#" and "\n" in signs:
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif sign in signs:
                self.at += 1
            else:
                return True
        return False


def plain(written: str) -> str:
    """A name without its quotes."""
    return next(iter(tomllib.loads(f"{written} = 0"))) if written[:1] in "\"'" else written
