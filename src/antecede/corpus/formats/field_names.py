"""The fields of a record in a source with names of its own: where each of ours is, and what it is called there.

A field is found under the name that the user gave, else under that of a preset, else under our own, else under one of
the usual names. A name may be a path: `title_localized.text` leads through objects and lists, and `country+number` is
two values joined. On the way, a key `language` or `lang` beside a text gives its language.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.corpus.document import DocumentError
from antecede.corpus.language import language_code
from antecede.errors import UsageError, advise, printable
from antecede.patent.fields import TEXTS as TEXTS_CODEC
from antecede.patent.record import PATENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from antecede.corpus.formats import FieldNames

READ_FIELDS = tuple(declared for declared in PATENT_FIELDS if declared.name != "source")
FIELD_NAMES = {declared.name: declared.sources for declared in READ_FIELDS}
"""Our fields, with the names that other sources use for them, in order of preference."""
TEXTS = tuple(declared.name for declared in READ_FIELDS if declared.codec is TEXTS_CODEC)
EMPTY: tuple[Any, ...] = (None, "", [], {})
_LANGUAGE_KEYS = ("language", "lang")
STEP, JOIN = ".", "+"
_DEEPEST = 50
"""The deepest nesting of objects and lists that a path leads through."""
_MOST_KEYS = 20
"""Keys that a message lists."""


class _Meanings(NamedTuple):
    keys: Mapping[str, tuple[tuple[str, int], ...]]
    """Key → the fields it may denote, each with its rank among the names of the field."""
    paths: Mapping[str, tuple[tuple[int, str], ...]]
    """Field → the paths at which it is looked for, each with its rank among the names of the field."""


@lru_cache(maxsize=64)
def _meanings_of(names: frozenset[tuple[str, str]], shape: Shape | None) -> _Meanings:
    given = dict(names)
    found: dict[str, list[tuple[str, int]]] = {}
    paths: dict[str, tuple[tuple[int, str], ...]] = {}
    for ours, others in FIELD_NAMES.items():
        paths_there = () if shape is None or ours in given else shape.names.get(ours, ())
        preset = (paths_there,) if isinstance(paths_there, str) else paths_there
        own = (given[ours],) if ours in given else (*preset, *((ours, *others) if not preset else ()))
        for place, name in enumerate(own):
            found.setdefault(name, []).append((ours, place))
        paths[ours] = tuple((place, name) for place, name in enumerate(own) if STEP in name or JOIN in name)
    return _Meanings({name: tuple(each) for name, each in found.items()}, {o: p for o, p in paths.items() if p})


def select_fields(line: Mapping[str, Any], names: FieldNames, shape: Shape | None = None) -> dict[str, Any]:
    """The values of our fields.

    It iterates over the keys of the record, not over all possible names, which are ten times as many.
    """
    got: dict[str, Any] = {}
    places: dict[str, int] = {}
    known = _meanings_of(frozenset(names.items()), shape)
    for name, value in line.items():
        if name not in known.keys or value in EMPTY:
            continue
        for ours, place in known.keys[name]:
            if place < places.get(ours, place + 1):
                got[ours], places[ours] = value, place
    for ours, paths in known.paths.items():
        for place, path in paths:
            if place < places.get(ours, place + 1) and (value := _follow_path(line, path, ours)) not in EMPTY:
                got[ours], places[ours] = value, place
    return got


def _follow_path(line: Mapping[str, Any], path: str, ours: str) -> Any:
    """The value of a field at a path; None if there is none."""
    if JOIN in path:
        parts = [_follow_path(line, part, ours) if STEP in part else line.get(part) for part in path.split(JOIN)]
        return "".join(map(str, parts)) if all(isinstance(each, str | int) and each != "" for each in parts) else None
    found = [each for each in _follow(line, path.split(STEP)) if each[1] not in EMPTY]
    if ours in TEXTS or ours == "claims":
        return _by_language(found, ours)
    values = [value for _, value in found]
    return values[0] if len(values) == 1 else values


def _by_language(found: Iterable[tuple[str, Any]], ours: str) -> dict[str, Any]:
    """Texts by language: several of one language are one text, but for claims, which are a list."""
    texts: dict[str, list[Any]] = {}
    for language, value in found:
        if isinstance(value, dict):
            for each, text in value.items():
                texts.setdefault(language_code(each), []).append(text)
        else:
            texts.setdefault(language, []).append(value)
    if ours == "claims":
        return {language: each[0] if len(each) == 1 else each for language, each in texts.items()}
    return {language: "\n".join(map(str, each)) if len(each) > 1 else each[0] for language, each in texts.items()}


def _follow(value: Any, parts: list[str], language: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values at a path, each with the language given beside it; lists are followed into every element."""
    if depth > _DEEPEST:
        raise DocumentError(f"objects and lists nested more than {_DEEPEST} deep")
    if isinstance(value, list):
        for each in value:
            yield from _follow(each, parts, language, depth + 1)
    elif not parts:
        yield language, value
    elif isinstance(value, dict) and parts[0] in value:
        beside = next((each for key in _LANGUAGE_KEYS if isinstance(each := value.get(key), str)), "")
        yield from _follow(value[parts[0]], parts[1:], language_code(beside) or language, depth + 1)


def localized_texts(value: list[Any], field: str) -> Any:
    """A list of texts, or of objects with a text and its language, as texts by language."""
    found: list[tuple[str, Any]] = []
    for each in value:
        found += _follow(each, ["text"]) if isinstance(each, dict) and "text" in each else [("", each)]
    return _by_language(found, field) if all(isinstance(text, str) for _, text in found) else value


def explain_missing(line: Mapping[str, Any], field: str, names: FieldNames, noun: str = "key") -> str:
    """Why a record has no value for a field: the keys it has, and the nearest to the one that is missing."""
    wanted = names.get(field)
    level: Any = line
    if wanted is not None and wanted not in line and STEP in wanted:
        first, _, rest = wanted.partition(STEP)
        level, wanted = next(((each, rest) for each in objects_in(line.get(first)) if each), (line, wanted))
    keys = [str(key) for key in level]
    sought = (wanted,) if wanted is not None else (field, *FIELD_NAMES.get(field, ()))
    near = (get_close_matches(each.casefold(), [key.casefold() for key in keys], 1, 0.7) for each in sought)
    closest = next((each[0] for each in near if each), None)
    meant = next((key for key in keys if key.casefold() == closest), None)
    what = f"no {field}" if wanted is None else f"no {field}: there is no {noun} {printable(wanted)!r}"
    more = ", …" if len(keys) > _MOST_KEYS else ""
    has = f"; the {noun}s are {', '.join(map(printable, keys[:_MOST_KEYS]))}{more}" if keys else "; the record is empty"
    if meant is None:
        return f"{what}{has}; if it has another name, use {name_field(field, 'NAME')}"
    path = names[field] if wanted is not None else ""
    return f"{what}{has}; did you mean {name_field(field, path.removesuffix(wanted or '') + printable(meant))}?"


def name_field(field: str, name: str) -> str:
    """How a user says what a source calls one of our fields."""
    return advise(f'names={{"{field}": "{name}"}}', f"--field {field}={name}")


def objects_in(value: Any) -> Iterator[Mapping[str, Any]]:
    """An object, or those of a list."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, dict):
            yield each


# Presets: the shapes in which public databases export patents, as data.
#
# A shape gives for each of our fields the path at which an export has it; a path is written as in `--field`. A record
# is recognised by its keys where these are unmistakable. A preset with a table shape is recognised by the header.

PRESET = "preset"
"""The name under which the name of a preset is passed along with the names of fields."""
DATES, DUPLICATES, EVENT_CODES = "dates", "duplicates", "event_codes"
CHOICES = {DATES: ("day", "month"), DUPLICATES: ("merge", "keep")}
OPTIONS = (PRESET, *CHOICES, EVENT_CODES)
"""What else is passed along with them: what comes first in dates, what becomes of duplicate references, the file that
says what codes of registers mean."""


def advise_codes() -> str:
    """How a list of codes is used, for messages."""
    return "use it with " + advise(f'names={{"{EVENT_CODES}": FILE}}', f"--field {EVENT_CODES}=FILE")


@dataclass(frozen=True)
class Shape:
    """One form in which a database exports patents."""

    preset: str
    title: str
    """The name of the database."""
    keys: frozenset[str]
    """Keys that every record has."""
    one_of: frozenset[str]
    """Keys of which a record has at least one."""
    names: Mapping[str, str | tuple[str, ...]] = field(hash=False)
    """Our field → its path, or several of which the first that has a value counts."""
    no_family: tuple[str, ...] = ()
    """Family identifiers that mean that there is none."""

    def fits(self, keys: Collection[str]) -> bool:
        """Whether a record with these keys has this shape."""
        return all(key in keys for key in self.keys) and any(key in keys for key in self.one_of)


_OF_GOOGLE = frozenset({
    "title_localized", "abstract_localized", "claims_localized", "description_localized", "assignee_harmonized",
    "inventor_harmonized",
})  # fmt: skip
_SHAPES = (
    Shape(
        "google",
        "Google Patents (BigQuery)",
        keys=frozenset({"publication_number"}),
        one_of=_OF_GOOGLE,
        names={
            "doc_id": "publication_number",
            "number": "publication_number",
            "kinds": "kind_code",
            "title": "title_localized.text",
            "abstract": "abstract_localized.text",
            "claims": "claims_localized.text",
            "description": "description_localized.text",
            "ipc": "ipc.code",
            "cpc": "cpc.code",
            "priority_date": "priority_date",
            "filing_date": "filing_date",
            "publication_date": "publication_date",
            "applicants": ("assignee_harmonized.name", "assignee"),
            "inventors": ("inventor_harmonized.name", "inventor"),
            "family_id": "family_id",
            "citations": "citation",
        },
        no_family=("0", "-1"),
    ),
    Shape(
        "lens",
        "The Lens",
        keys=frozenset({"lens_id"}),
        one_of=frozenset({"biblio", "doc_key", "doc_number"}),
        names={
            "doc_id": ("jurisdiction+doc_number", "lens_id"),
            "number": ("jurisdiction+doc_number+kind", "jurisdiction+doc_number"),
            "kinds": "kind",
            "language": "lang",
            "title": "biblio.invention_title.text",
            "abstract": "abstract.text",
            "claims": ("claims.claims.claim_text", "claims.text"),
            "description": "description.text",
            "ipc": "biblio.classifications_ipcr.classifications.symbol",
            "cpc": "biblio.classifications_cpc.classifications.symbol",
            "priority_date": ("biblio.priority_claims.earliest_claim.date", "biblio.priority_claims.claims.date"),
            "filing_date": "biblio.application_reference.date",
            "publication_date": "date_published",
            "applicants": "biblio.parties.applicants.extracted_name.value",
            "inventors": "biblio.parties.inventors.extracted_name.value",
            "family_id": "families.simple_family.members.lens_id",
            "citations": ("biblio.references_cited.citations", "references_cited.citations"),
        },
    ),
)
PRESETS = ("google", "lens", "espacenet", "patentscope")


def choose_preset(name: str) -> str:
    """The name of a preset; an unknown one is an error that suggests the nearest."""
    if name in PRESETS:
        return name
    near = get_close_matches(name, PRESETS, 1)
    hint = f"did you mean {near[0]}?" if near else f"available: {', '.join(PRESETS)}"
    raise UsageError(f"unknown preset {printable(name)!r}; {hint}")


def shape_of(keys: Collection[str], names: FieldNames) -> Shape | None:
    """The shape of a record: the one its keys give away, or of the preset the user chose the one that fits best."""
    chosen = names.get(PRESET)
    if chosen is None:
        return next((shape for shape in _SHAPES if shape.fits(keys)), None)
    ours = (shape for shape in _SHAPES if shape.preset == chosen)
    return max(
        ours, key=lambda shape: (shape.fits(keys), len((shape.keys | shape.one_of).intersection(keys))), default=None
    )
