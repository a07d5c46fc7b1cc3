"""Exports of references as lines with tags: RIS, nbib (PubMed), the plain text of Web of Science, EndNote (refer).

Every line is read: `rispy` keeps only the first of a repeated tag, and drops a record without its last line, so it is
used to check what is written, not to read.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.corpus.columns import clean
from antecede.corpus.dates import read_dates
from antecede.corpus.document import Rejected
from antecede.corpus.identities import find_doi
from antecede.corpus.table_splitter import MIXED, decode_mixed
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from antecede.corpus.document import RawDocument
    from antecede.corpus.identities import RecordIdentities
    from antecede.corpus.streams import Window


@dataclass(frozen=True)
class Dialect:
    """How one program writes references."""

    name: str
    title: str
    tag: re.Pattern[str]
    """A line with a tag: the tag, and the value."""
    start: str
    """The tag that a record begins with."""
    end: str
    """The tag that it ends with; empty if only the next record shows where it ends."""
    fields: Mapping[str, tuple[str, ...]] = field(hash=False)
    """Our field → its tags, the preferred ones first."""
    lines: frozenset[str] = frozenset()
    """Tags whose values continue as one value a line."""


_RIS_FIELDS = {
    "doc_id": ("ID", "AN", "UI", "U2", "C7"),
    "title": ("TI", "T1", "CT", "BT", "ST"),
    "abstract": ("AB", "N2"),
    "authors": ("AU", "A1"),
    "journal": ("JO", "JF", "T2", "JA", "J2", "J1"),
    "publication_year": ("PY", "Y1", "YR", "DA"),
    "doi": ("DO", "DI", "M3", "L3", "LK", "L2", "UR"),
    "pmid": ("PM",),
    "keywords": ("KW", "DE"),
    "notes": ("N1", "RN"),
    "url": ("UR", "L2", "LK", "L1"),
    "language": ("LA",),
}
DIALECTS = (
    Dialect(
        "ris", "RIS", re.compile(r"([A-Z][A-Z0-9]) {1,2}-(?: (.*)|\s*\Z)", re.DOTALL), "TY", "ER", _RIS_FIELDS,
        frozenset({"KW"}),
    ),
    Dialect(
        "nbib", "PubMed (nbib)", re.compile(r"([A-Z]{2,4}) {0,2}- (.*)", re.DOTALL), "PMID", "",
        {
            "doc_id": ("PMID",), "pmid": ("PMID",), "title": ("TI", "BTI", "TT"), "abstract": ("AB", "OAB"),
            "authors": ("FAU", "AU"), "journal": ("JT", "TA"), "publication_year": ("DP", "DEP"),
            "doi": ("LID", "AID", "SO"), "keywords": ("OT", "MH"), "notes": ("GN",), "language": ("LA",),
        },
    ),
    Dialect(
        "wos", "Web of Science (plain text)", re.compile(r"([A-Z][A-Z0-9])(?: (.*)|\s*\Z)", re.DOTALL), "PT", "ER",
        {
            "doc_id": ("UT",), "title": ("TI",), "abstract": ("AB",), "authors": ("AU", "AF"), "journal": ("SO", "J9"),
            "publication_year": ("PY",), "doi": ("DI",), "pmid": ("PM",), "keywords": ("DE", "ID"), "language": ("LA",),
        },
        frozenset({"AU", "AF", "CR"}),
    ),
    Dialect(
        "refer", "EndNote (refer)", re.compile(r"%([A-Z0-9@!$&()*+?\[<>=~^#|]) (.*)", re.DOTALL), "0", "",
        {
            "doc_id": ("M",), "title": ("T",), "abstract": ("X",), "authors": ("A",), "journal": ("J", "B"),
            "publication_year": ("D", "8"), "doi": ("R", "U"), "keywords": ("K",), "notes": ("Z",), "url": ("U",),
        },
        frozenset({"K"}),
    ),
)  # fmt: skip
"""The formats of references; one more is one more description."""
REFERENCE = {dialect.name: f"{dialect.name} record" for dialect in DIALECTS}
"""The value of `RawDocument.root` for a record of each."""
_LINE_END, _BLANK_LINES = re.compile(rb"[\r\n]"), re.compile(rb"[\r\n]*+")
_WITHOUT_END = "records have no last line (ER): cut off?"
_TRAILERS = ("EF", "ER")
_STARTS = (
    ("ris", re.compile(rb"(?:\A|[\r\n])TY {1,2}- ?[A-Za-z]")),
    ("nbib", re.compile(rb"(?:\A|[\r\n])PMID- ?[0-9]")),
    ("wos", re.compile(rb"(?:\A|[\r\n])PT [A-Z]\s")),
    ("refer", re.compile(rb"\A\s*%0 [A-Z]")),
)
_PATENT_NUMBER_TAGS = ("M1", "SN", "IS", "VL", "AN", "C6", "PN", "UR", "ID", "M3", "C2", "N1", "N", "@", "M")
_YEAR = re.compile(r"(?<![0-9])(1[6-9][0-9]{2}|20[0-9]{2})(?![0-9])")
_MAX_LINES = 100_000
"""Lines of one record: memory stays bounded where no record ends."""


def find_dialect(head: bytes) -> Dialect | None:
    """The format of references that a file has; None for another file."""
    name = next((name for name, start in _STARTS if start.search(head.removeprefix(b"\xef\xbb\xbf"))), None)
    return next((dialect for dialect in DIALECTS if dialect.name == name), None)


class ReferenceSplitter:
    """Splits a file of references into records."""

    def __init__(self, window: Window, file: str, dialect: Dialect, identities: RecordIdentities) -> None:
        self.window, self.file, self.dialect, self.identities = window, file, dialect, identities
        self.number = 0
        self.problems: Counter[str] = Counter()

    def __iter__(self) -> Iterator[RawDocument | Rejected]:
        self.identities.note(self.file, f"read as references, {self.dialect.title}")
        for offset, tags, reason in self.records():
            self.number += 1
            if reason:
                yield Rejected(self.file, reason, self.number, offset)
                continue
            record = read_record(self.dialect, tags)
            patents = "number" in record
            root = REFERENCE[self.dialect.name]
            yield self.identities.make(record, root, self.file, self.number, offset, patents=patents)
        for problem, count in self.problems.items():
            if count:
                self.identities.note(self.file, f"{count} {problem}")

    def records(self) -> Iterator[tuple[int, list[tuple[str, str]], str]]:
        """The lines of each record, as tags with values, or why there is none."""
        dialect, offset, strays, started = self.dialect, 0, 0, False
        tags: list[tuple[str, str]] = []
        for at, line in self.lines():
            if line is None:
                yield at, [], f"a line {self.window.too_long}"
                continue
            match = dialect.tag.match(line)
            tag, value = (match[1], (match[2] or "").strip()) if match is not None else ("", line.strip())
            if tag == dialect.start or (tags and tag == dialect.end != ""):
                if tags:
                    self.problems[_WITHOUT_END] += tag == dialect.start and dialect.end != ""
                    yield offset, tags, ""
                tags, offset, started = ([(tag, value)] if tag == dialect.start else []), at, True
            elif tags:
                self.append(tags, tag, value)
            elif started:
                strays += bool(value) and tag not in _TRAILERS
        failure = self.window.take_failure()
        if tags:
            self.problems[_WITHOUT_END] += bool(dialect.end or failure)
            yield offset, tags, ""
        if strays or failure:
            reason = f"{strays} lines that belong to no record" if strays else f"ends inside the file: {failure}"
            yield self.window.offset, [], reason

    def append(self, tags: list[tuple[str, str]], tag: str, value: str) -> None:
        """Add a line to a record: a tag, or the continuation of the last one."""
        if len(tags) >= _MAX_LINES:
            self.problems[f"lines beyond the {_MAX_LINES:,} of a record are left out"] += 1
        elif tag:
            tags.append((tag, value))
        elif value and tags[-1][0] in self.dialect.lines:
            tags.append((tags[-1][0], value))
        elif value:
            last, text = tags[-1]
            tags[-1] = (last, f"{text} {value}".strip())

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """The lines with their offsets; None for one that is too long."""
        window = self.window
        while window.skip_match(_BLANK_LINES):
            offset = window.offset
            while (end := window.search(_LINE_END, 0)) is None and len(window) <= window.limit and window.grow():
                pass
            if end is None and len(window) > window.limit:
                window.skip_to(_LINE_END)
                yield offset, None
                continue
            length = len(window) if end is None else end[0]
            text, mixed = decode_mixed(window.take(0, length))
            window.skip(length)
            self.problems[f"lines have {MIXED}"] += mixed
            yield offset, text.lstrip("\ufeff")


def read_record(dialect: Dialect, tags: list[tuple[str, str]]) -> dict[str, Any]:
    """The fields of a record; all its tags are kept under `columns`."""
    values: dict[str, list[str]] = {}
    for tag, value in tags:
        if value:
            values.setdefault(tag, []).append(value)
    record: dict[str, Any] = {}
    for ours, names in dialect.fields.items():
        given = next((values[name] for name in names if name in values), [])
        if ours == "doi":
            found = (find_doi({"doi": clean(value)}) for name in names for value in values.get(name, ()))
            given = [doi for doi in found if doi and "/" in doi][:1]
        if given:
            given = [part.strip() for text in given for part in text.split(";")] if ours == "keywords" else given
            record[ours] = [*map(clean, given)] if ours in ("authors", "keywords", "notes") else clean(given[0])
    if (year := _YEAR.search(str(record.get("publication_year", "")))) is not None:
        record["publication_year"] = year[1]
        written = (value for name in dialect.fields["publication_year"] for value in values.get(name, ()))
        days = (day for text in written if (day := _read_day(text)) is not None and str(day.year) == year[1])
        if (day := next(days, None)) is not None:
            record["publication_date"] = [str(day)]
    if record.get("title") is None and "T2" in values:
        record["title"] = clean(values["T2"][0])
    if [kind.upper() for kind in values.get(dialect.start, ())] in (["PAT"], ["PATENT"]):
        _read_patent(record, values)
    record["original"] = {name: "\n".join(value) for name, value in values.items()}
    return record


def _read_day(text: str) -> date | None:
    """A date such as `2019/03/01/`, or `2019 Mar`; None where it is a year alone, or a season."""
    written = text.strip().rstrip("/").replace("/", "-")
    day = None if _YEAR.fullmatch(written) else next(iter(read_dates(written, "any")[0]), None)
    names_month = day is None or re.search(r"(?<!\d)0?1(?!\d)|jan", written, re.IGNORECASE) is not None
    return day if day is None or day.month > 1 or names_month else None


def _read_patent(record: dict[str, Any], values: Mapping[str, list[str]]) -> None:
    """The number of a patent among the tags in which programs write it, and its parties."""
    texts = (text for tag in _PATENT_NUMBER_TAGS for text in values.get(tag, ()))
    numbers = (PatentNumber.parse_name(text.rstrip("/en").rpartition("/")[2]) for text in texts)
    number = next((number for number in numbers if number is not None and len(number.number) > 3), None)
    if number is not None:
        record["number"], record["doc_id"] = str(number), number.key
    record["inventors"] = record.get("authors", [])
    if applicants := values.get("PB") or values.get("A2"):
        record["applicants"] = applicants
