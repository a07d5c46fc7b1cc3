"""What a field of a patent is: how its values are stored, checked, merged, named and shown.

`Patent` declares each of its fields once, in `patent/record.py`. Records, JSON, formats that name their fields, columns
of an index and of a cluster, exports, the page and `show` are made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

from antecede.patent.number import PatentNumber
from antecede.validation import limited, matching

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

# Codecs: the forms that values have


def _same(value: Any) -> Any:
    return value


def _one_text(value: object) -> Iterable[str]:
    return (str(value),)


@dataclass(frozen=True, eq=False)
class Codec:
    """The form of the values of a field, in memory, as JSON and as text."""

    json: Any
    """The type of the JSON value; its annotations are checked where a stored record is read."""
    empty: Any
    """The value of a patent without it."""
    encode: Callable[[Any], Any] = _same
    """Value → JSON."""
    decode: Callable[[Any], Any] = _same
    """JSON → value."""
    texts: Callable[[Any], Iterable[str]] = _one_text
    """The value as texts, one for each of several: what a column of an index holds, and a cell shows."""

    @property
    def empty_json(self) -> Any:
        """The JSON value of a patent without it."""
        return self.empty if self.empty is None else self.encode(self.empty)


def _by_language(decode: Callable[[Any], Any]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    return lambda value: {language: decode(text) for language, text in value.items()}


def names_of_people(names: Iterable[str]) -> Iterable[str]:
    """Names without needless spaces; none of them empty."""
    return filter(None, (" ".join(name.split()) for name in names))


Day = Annotated[str, matching("[0-9]{4}-[0-9]{2}-[0-9]{2}")]

NAME = Codec(Annotated[str, limited(min_length=1)], "")
"""The name of a document."""
TEXT = Codec(str, "")
CODE = Codec(str, None)
"""A short text that is compared as a whole."""
LANGUAGE = Codec(str, "")
"""The two-letter code of a language in lower case."""
NUMBER = Codec(str, None, str, PatentNumber.parse)
DAY = Codec(Day, None, str, date.fromisoformat)
YEAR = Codec(Annotated[int, limited(ge=0, le=9999)], None)
CODES = Codec(list[str], (), list, tuple, _same)
CLASSES = Codec(list[str], (), list, tuple, _same)
"""Codes of a classification in normal form, `H04L 12/56`."""
PEOPLE = Codec(list[str], (), list, tuple, names_of_people)
"""Names of people and companies; an index compares them by `name_key`."""
TEXTS = Codec(dict[str, str], {}, dict, dict, lambda value: value.values())
"""Language → text; a language is its code, `""` if unknown."""
CLAIMS = Codec(dict[str, list[str]], {}, _by_language(list), _by_language(tuple), lambda value: chain(*value.values()))
"""Language → the claims in order."""
CELLS = Codec(dict[str, str], {}, dict, dict, lambda value: (f"{name}: {text}" for name, text in value.items()))
"""Name → text, in the order of the source; several values of a name are separated by line feeds."""


def objects(kind: Any, stored: Any, texts: Callable[[Any], Iterable[str]], **decoders: Callable[[Any], Any]) -> Codec:
    """The codec of a tuple of dataclasses, which are objects in JSON; values that are not texts need a decoder."""
    names = tuple(part.name for part in fields(kind))

    def encode(one: Any) -> dict[str, str]:
        values = ((name, getattr(one, name)) for name in names)
        return {name: str(value) for name, value in values if value is not None}

    def decode(stored: Mapping[str, Any]) -> Any:
        return kind(**{name: decoders.get(name, _same)(value) for name, value in stored.items()})

    return Codec(
        list[stored], (), lambda values: [*map(encode, values)], lambda values: tuple(map(decode, values)), texts
    )


# Policies: what the publications of a patent give it. Each gets the values that are not empty, from the oldest
# publication to the latest.


def first(values: Sequence[Any]) -> Any:
    return values[0]


def latest(values: Sequence[Any]) -> Any:
    return values[-1]


def earliest(values: Sequence[Any]) -> Any:
    return min(values)


def distinct(values: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    """All of them, each once, in order of appearance."""
    return tuple(dict.fromkeys(chain.from_iterable(values)))


def by_key(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For each key the latest value."""
    return {key: value for one in values for key, value in one.items() if value}


def by_language(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """For each language the latest text; one of unknown language only where there is no other."""
    texts = by_key(values)
    return {language: text for language, text in texts.items() if language or len(texts) == 1}


MAX_SOURCES = 20
"""Sources that a merged patent lists; of the others it gives the number."""


def all_sources(values: Sequence[str]) -> str:
    sources = [*dict.fromkeys(values)][:MAX_SOURCES]
    more = len(values) - MAX_SOURCES if len(sources) == MAX_SOURCES else 0
    return " + ".join(sources) + (f" + {more:,} more" if more > 0 else "")


# Declarations

ALWAYS, KNOWN, NEVER = "always", "known", "never"
"""Whether lists of hits have a field: in every row, in those where it is known, or not at all."""
_KEY = "declared"


@dataclass(frozen=True, eq=False)
class PatentField:
    """One field of a patent."""

    codec: Codec
    label: str = ""
    """What people read beside its values, and the heading of its column; without one it is no fact to be listed."""
    merge: Callable[[Sequence[Any]], Any] = latest
    column: bool = False
    """Whether an index has a column of its values, by which documents can be limited, found and counted."""
    sources: tuple[str, ...] = ()
    """What other sources call it, in order of preference; a format that names its fields reads it by these names."""
    hits: str = KNOWN
    name: str = ""

    def value(self, patent: Any) -> Any:
        return getattr(patent, self.name)

    def json(self, patent: Any) -> Any:
        """Its value in a JSON-compatible form; None where a single value is not known."""
        value = self.value(patent)
        return value if value is None else self.codec.encode(value)

    def texts(self, patent: Any) -> tuple[str, ...]:
        """Its values as texts, each once."""
        value = self.value(patent)
        return tuple(dict.fromkeys(self.codec.texts(value))) if value else ()


def about(codec: Codec, label: str = "", **others: Any) -> dict[str, PatentField]:
    """The metadata of a field of a dataclass: its declaration."""
    return {_KEY: PatentField(codec, label, **others)}


def declare(codec: Codec, label: str = "", **others: Any) -> Any:
    """A field of `Patent` that may be empty; `others` are attributes of `PatentField`."""
    metadata = about(codec, label, **others)
    if isinstance(codec.empty, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=codec.empty, metadata=metadata)


def declared_fields(record: Any) -> tuple[PatentField, ...]:
    """The fields that a dataclass declares, in its order."""
    return tuple(replace(part.metadata[_KEY], name=part.name) for part in fields(record))
