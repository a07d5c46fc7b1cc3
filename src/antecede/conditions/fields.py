"""The fields of facts, each declared once: what an expression, an option, a file, a facet and both engines know of it.

A field is a row of `FIELDS` and a column of the index (`index/documents.py`); nothing else names it. `letters` write it
in expressions, `setting` is the option and key by which a search is limited to some of its values, `facet` what the
counts of its values are called. `match` says how a value is compared with the column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.conditions.values import cited_key, parse_class_prefix, sought_key

if TYPE_CHECKING:
    from collections.abc import Callable

EQUAL, PREFIX, WORDS, DAYS, NAME = "equal", "prefix", "words", "days", "name"
"""How a value is compared: with the whole value, its beginning, the words of a name in it, a range of days, or with the
name of the document and the patent number that it writes out."""
UNKNOWN = "unknown"
"""The value of a facet that counts documents without one."""


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True)
class Field:
    """A field of facts."""

    name: str
    """As conditions, counts of what was left out, and JSON name it."""
    column: str
    """Of the index."""
    match: str
    letters: tuple[str, ...] = ()
    """How an expression writes it, the customary one first; a field without any is no part of expressions."""
    key: Callable[[str], str] = _as_it_is
    """A value in the form in which it is compared; one that cannot be is refused."""
    truncation: str = ""
    """What a value may end in, which means nothing here: `ipc:H04L*`."""
    reason: str = ""
    """Why a document is left out by it, in words."""
    setting: str = ""
    """The setting of a search that limits it; none, if there is none."""
    help: str = ""
    metavar: str = "CODE"
    spell: Callable[[str], str] = _as_it_is
    """The value of the setting as it is kept and shown."""
    said: str = ""
    """What precedes the values in the words that describe a search: `in H04L or G06F`."""
    facet: str = ""
    """What the counts of its values are called; none, if they are not counted."""
    title: str = ""
    """The heading of the facet."""
    chosen: str = ""
    """What the page calls the values that a user chose: `the offices`; without it, the reason is shown."""
    tree: bool = False
    """Whether values are classes, which are counted level by level."""

    def check(self, text: str) -> str:
        """A value of the setting as it is kept; one that cannot be compared is refused."""
        self.key(text)
        return self.spell(text)


_EVERY = (
    Field(
        "date",
        "day",
        DAYS,
        reason="outside the dates",
        facet="years",
        title="Year",
    ),
    Field("undated", "day", DAYS, reason="no known date"),
    Field("published", "published", DAYS, letters=("pd",)),
    Field(
        "ipc",
        "ipc",
        PREFIX,
        letters=("ipc", "ic"),
        key=parse_class_prefix,
        truncation="*+",
        reason="another IPC class",
        setting="ipc",
        help="Only documents in this IPC class: H04, H04L, H04L 12, H04L 12/56; may be repeated.",
        said="in",
        facet="ipc",
        title="IPC",
        chosen="the IPC classes",
        tree=True,
    ),
    Field(
        "cpc",
        "cpc",
        PREFIX,
        letters=("cpc",),
        key=parse_class_prefix,
        truncation="*+",
        reason="another CPC class",
        setting="cpc",
        help="Only documents in this CPC class, written like an IPC class; may be repeated.",
        said="in CPC",
        facet="cpc",
        title="CPC",
        chosen="the CPC classes",
        tree=True,
    ),
    Field(
        "country",
        "country",
        EQUAL,
        key=str.upper,
        reason="another office",
        setting="country",
        help="Only documents published by this office: EP, US; may be repeated.",
        spell=str.upper,
        said="from",
        facet="offices",
        title="Office",
        chosen="the offices",
    ),
    Field(
        "applicant",
        "applicants",
        WORDS,
        letters=("pa", "ap"),
        key=sought_key,
        reason="another applicant",
        setting="applicant",
        help="Only documents of an applicant with these words in this order in the name, ignoring case, accents and "
        "punctuation; may be repeated.",
        metavar="NAME",
        said="of applicant",
        facet="applicants",
        title="Applicant",
        chosen="the applicants",
    ),
    Field(
        "inventor",
        "inventors",
        WORDS,
        letters=("in",),
        key=sought_key,
        reason="another inventor",
        setting="inventor",
        help="Only documents of an inventor, in the same way; may be repeated.",
        metavar="NAME",
        said="by",
        chosen="the inventors",
    ),
    Field(
        "language",
        "language",
        EQUAL,
        reason="another language of proceedings",
        setting="document_language",
        help="Only documents whose proceedings are in this language; may be repeated.",
        key=str.lower,
        spell=str.lower,
        said="written in",
        facet="languages",
        title="Language",
        chosen="the language of the documents",
    ),
    Field("number", "doc_id", NAME, letters=("pn",)),
    Field("cited", "citations", EQUAL, letters=("ct",), key=cited_key),
    Field("family", "family_id", EQUAL),
)
FIELDS = {field.name: field for field in _EVERY}
SETTINGS = {field.setting: field for field in _EVERY if field.setting}
"""The fields that a setting limits, by its name."""
FACETS = {field.facet: field for field in _EVERY if field.facet}
"""The fields whose values are counted, by the name of the facet."""


def own_conditions(field: Field) -> tuple[str, ...]:
    """The conditions that a facet sets, which its counts disregard."""
    return ("date", "undated") if field.match == DAYS else (field.name,)
