"""Names and duplicates of the records in tables and exports of references.

A record is named by what a person would call it: its id, else its DOI, its PubMed number, else file and position. Two
records with one DOI, or with the same title, year and first author, are duplicates and become one. Records that have
the same id and another text are two, and the second gets a name of its own. Patents are told apart by their numbers.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple

from antecede.corpus.columns import fold
from antecede.corpus.document import RawDocument
from antecede.corpus.event_codes import read_event_codes
from antecede.corpus.formats import field_names
from antecede.errors import UsageError, advise, printable
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Callable

    from antecede.corpus.formats import FieldNames

_DOI = re.compile(r"10\.[0-9.]{1,9}(?:/\S+)?")
_UNSAFE = re.compile(r"[\s\x00\ufeff]+|\A#+")
KEEP = "keep"


class _Known(NamedTuple):
    """What is remembered of a record: enough to tell another one from it."""

    doc_id: str
    text: int
    doi: str
    year: str
    author: str


class RecordIdentities:
    """Names each record of a reading; the counts of what was merged and what was kept apart are told at the end."""

    def __init__(self, names: FieldNames, on_note: Callable[[str], None] | None = None) -> None:
        self.names, self.on_note = names, on_note
        self.keeps_duplicates = names.get(field_names.DUPLICATES) == KEEP
        self.counts: Counter[str] = Counter()
        self._told: set[str] = set()
        self._by_id: dict[str, _Known] = {}
        self._by_doi: dict[str, _Known] = {}
        self._by_title: dict[int, list[_Known]] = {}

    def note(self, file: str, text: str) -> None:
        """Tell the user something about a file; what was already told of another one is not repeated."""
        if self.on_note is not None and text not in self._told:
            self._told.add(text)
            self.on_note(f"{printable(file, 200)}: {text}")

    def make(
        self, record: dict[str, Any], root: str, file: str, number: int, offset: int = 0, *, patents: bool = False
    ) -> RawDocument:
        """The document of a record, under a name of its own or that of the record it duplicates."""
        if not patents or record.get("doc_id") in field_names.EMPTY:
            record["doc_id"] = self._identify(record, file, number)
        record = {ours: value for ours, value in record.items() if ours in field_names.FIELD_NAMES}
        data = json.dumps(record, ensure_ascii=False).encode("utf-8", "backslashreplace")
        return RawDocument(data, root, file, number, offset)

    def _identify(self, record: dict[str, Any], file: str, number: int) -> str:
        doi, title, year = find_doi(record), _text_of(record, "title"), _text_of(record, "publication_year")[:4]
        pmid, author = _text_of(record, "pmid"), _first_author(record)
        named = _text_of(record, "doc_id").split("; ")[0].lstrip("#")  # `#12` of Covidence
        if PatentNumber.parse_name(named) is not None:  # documents with the number of a patent are of that patent
            return named
        given = named or doi or (f"pmid:{pmid}" if pmid.isdecimal() else pmid)
        stem = PurePath(file.rpartition("!")[2]).stem
        doc_id = _UNSAFE.sub("_", given) or _UNSAFE.sub("_", f"{stem}-{number}")
        text = hash((fold(title), fold(_text_of(record, "abstract"))))
        new = _Known(doc_id, text, doi, year, author)
        if doi:
            record["doi"] = doi
        duplicate, why = (None, "") if self.keeps_duplicates else self._find_duplicate(new, title)
        if duplicate is not None:
            self.counts[why] += 1
            return duplicate.doc_id
        if (same := self._by_id.get(doc_id)) is not None and same.text == text and not self.keeps_duplicates:
            self.counts["id and text"] += 1
            return doc_id
        if same is not None:
            self.counts["renamed"] += 1
            new = new._replace(doc_id=self._free_name(doc_id))
        self._by_id[new.doc_id] = new
        if doi:
            self._by_doi.setdefault(doi, new)
        if title:
            self._by_title.setdefault(hash(fold(title)), []).append(new)
        return new.doc_id

    def _find_duplicate(self, new: _Known, title: str) -> tuple[_Known | None, str]:
        if new.doi and (known := self._by_doi.get(new.doi)) is not None:
            return known, "DOI"
        for known in self._by_title.get(hash(fold(title)), ()) if fold(title) else ():
            pairs = ((known.doi, new.doi), (known.year, new.year), (known.author, new.author))
            if any(one and other and one != other for one, other in pairs):
                continue
            if known.text == new.text and title and new.text != hash((fold(title), "")):
                return known, "title and abstract"
            if known.year == new.year != "" and known.author == new.author != "":
                return known, "title, year and first author"
        return None, ""

    def _free_name(self, doc_id: str) -> str:
        number = 2
        while (name := f"{doc_id}~{number}") in self._by_id:
            number += 1
        return name

    def finish(self) -> None:
        """Tell how many records were merged and how many renamed."""
        renamed = self.counts.pop("renamed", 0)
        merged = sum(self.counts.values())
        if self.on_note is not None and merged:
            ways = ", ".join(f"{count} by {why}" for why, count in self.counts.most_common())
            how = advise(f'names={{"{field_names.DUPLICATES}": "{KEEP}"}}', f"--field {field_names.DUPLICATES}={KEEP}")
            self.on_note(f"{merged} {'duplicate is' if merged == 1 else 'duplicates are'} merged ({ways}); {how} keeps"
                         " them apart")  # fmt: skip
        if self.on_note is not None and renamed:
            what = "record has the id of another one" if renamed == 1 else "records have the id of another one"
            self.on_note(f"{renamed} {what} but a different text: kept apart, with ~2, ~3, … after the id")


def _text_of(record: dict[str, Any], ours: str) -> str:
    value = record.get(ours)
    if isinstance(value, dict):
        value = next(iter(value.values()), "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value if value is not None else "").strip()


def _first_author(record: dict[str, Any]) -> str:
    """The family name of the first author: before the comma, else the longest word, since initials may be anywhere."""
    name = _text_of(record, "authors").split(";")[0]
    family = name.split(",")[0] if "," in name else name
    words = fold(family).split()
    return max(words, key=len, default="") if "," not in name else fold(family)


def find_doi(record: dict[str, Any]) -> str:
    """The DOI of a record in lower case, without the address of a resolver; empty if it has none."""
    match = _DOI.search(_text_of(record, "doi").casefold())
    return match.group().rstrip(".,;") if match is not None else ""


def check_names(names: FieldNames) -> None:
    """Refuse a value that a choice given among the names of fields does not have, and a list that cannot be read."""
    for name, choices in field_names.CHOICES.items():
        if name in names and names[name] not in choices:
            raise UsageError(f"{name}={printable(names[name])}: choose {' or '.join(choices)}")
    if field_names.EVENT_CODES in names:
        read_event_codes(names[field_names.EVENT_CODES])
