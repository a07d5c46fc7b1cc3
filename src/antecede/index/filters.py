"""Which documents may be found at all (within dates, of a class, office or person; never the topic or its family), how
many pass, and which share a class with a topic.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from antecede.corpus.merge import names_of
from antecede.errors import UsageError, shown, spell
from antecede.index.documents import EPOCH, LATEST_DAY, UNKNOWN_DAY
from antecede.patent import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date

    from numpy.typing import NDArray

    from antecede.index.index import Index, Segment
    from antecede.patent import Patent

    Ints = NDArray[np.int64]


AUTO, OFF = "auto", "off"
"""Values of a date bound: the date that counts for the topic, and no bound."""
CLASS_PREFIX = re.compile(r"([A-HY])(?:(\d|\d\d)|(\d\d[A-Z])(?:0*([1-9]\d{0,3})(?:/(\d{0,6}))?)?)?")


Undated = Literal["keep", "drop"]
KEEP: Undated
DROP: Undated
KEEP, DROP = get_args(Undated)
UNDATED = get_args(Undated)
"""What becomes of a document whose date is not known where there is a date bound."""


class Condition(Protocol):
    """A condition of a layer above, such as words that a text must have."""

    @property
    def name(self) -> str:
        """What it is about, in a word or two."""
        ...

    def allowed(self, segment: Segment) -> NDArray[np.bool_]:
        """Which documents of a segment meet it."""
        ...


@dataclass(frozen=True)
class Filters:
    """Conditions that a document must meet, all of them; of several classes, countries or names, one."""

    before: date | None = None
    """Published before this day."""
    ipc: tuple[str, ...] = ()
    """Prefixes of IPC codes: `H`, `H04`, `H04L`, `H04L 12`, `H04L 12/56`."""
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages of the documents' proceedings."""
    without: tuple[str, ...] = ()
    """Documents, by name or number, that are excluded: the topic itself."""
    without_family: str | None = None
    """A family whose members are all excluded."""
    after: date | None = None
    """Published on this day or after it."""
    undated: str = KEEP
    """Whether a document without a known date passes the bounds, since it may be prior art, or not. A year in its
    number decides where it can."""
    cpc: tuple[str, ...] = ()
    """Prefixes of CPC codes."""
    applicants: tuple[str, ...] = ()
    """Words of an applicant's name, one after the other."""
    inventors: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()

    def __post_init__(self) -> None:
        """Accept a single value for a list of one, and refuse a malformed class before anything is searched."""
        for name in ("ipc", "cpc", "countries", "languages", "applicants", "inventors", "without"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        for code in (*self.ipc, *self.cpc):
            parse_class_prefix(code)
        if self.undated not in UNDATED:
            raise UsageError(f"{shown(self.undated)!r} is not one of {', '.join(UNDATED)}")

    @property
    def dated(self) -> bool:
        """Whether there is a date bound."""
        return self.before is not None or self.after is not None

    def allowed(self, segment: Segment) -> NDArray[np.bool_] | None:
        """Which documents of a segment pass, by their numbers; None if all do."""
        return segment.allowed(self)

    def apply(self, segment: Segment, excluded: Counter[str]) -> NDArray[np.bool_]:
        """The documents of a segment that pass; the others are counted by the first filter that excludes them."""
        left = segment.live.copy()
        for name, mask in self.stages(segment):
            before = int(left.sum())
            left &= mask
            excluded[name] += before - int(left.sum())
        return left

    def stages(self, segment: Segment) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """Each condition by name, with the documents of a segment that meet it, whatever the others say."""
        if self.dated:
            bounds = DateBounds(segment, self.before, self.after)
            yield "date", bounds.passed
            if self.undated == DROP:
                yield "undated", ~bounds.unknown
        for name, members in self.unions(segment):
            yield name, mask_of(members, segment)
        if own := self.own_documents(segment):
            yield "topic", ~mask_of(np.array(own, np.int64), segment)
        for condition in self.conditions:
            yield condition.name, condition.allowed(segment)

    def own_documents(self, segment: Segment) -> list[int]:
        """The documents of a segment that are excluded by name, or as members of the family."""
        own = [segment.store.numbers_named(name) for name in self.without]
        if self.without_family is not None:
            own.append(segment.store.numbers_with("family_id", self.without_family).tolist())
        return [number for each in own for number in each]

    def unions(self, segment: Segment) -> Iterator[tuple[str, NDArray[np.uint32]]]:
        """For each condition with several values, the documents that meet one of them."""
        store = segment.store
        for name, find, column, values in (
            ("ipc", store.numbers_with_prefix, "ipc", map(parse_class_prefix, self.ipc)),
            ("cpc", store.numbers_with_prefix, "cpc", map(parse_class_prefix, self.cpc)),
            ("applicant", store.numbers_with_name, "applicants", self.applicants),
            ("inventor", store.numbers_with_name, "inventors", self.inventors),
            ("country", store.numbers_with, "country", map(str.upper, self.countries)),
            ("language", store.numbers_with, "language", self.languages),
        ):
            if numbers := [find(column, value) for value in values]:
                yield name, np.concatenate(numbers)


def mask_of(members: NDArray[np.integer[Any]], segment: Segment) -> NDArray[np.bool_]:
    mask = np.zeros(segment.documents, np.bool_)
    mask[members] = True
    return mask


class DateBounds:
    """Which documents of a segment lie within date bounds, and of which that is not known."""

    def __init__(self, segment: Segment, before: date | None, after: date | None) -> None:
        """`before` is excluded, `after` included."""
        self.segment = segment
        self.end = (before - EPOCH).days if before is not None else LATEST_DAY
        self.start = (after - EPOCH).days if after is not None else UNKNOWN_DAY
        self.passed = segment.first_days < self.end
        if after is not None:
            self.passed &= segment.last_days >= self.start

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """Documents without a date, where not even the year in their number decides; they are among `passed`."""
        surely = (self.segment.last_days < self.end) & (self.segment.first_days >= self.start)
        return self.passed & ~surely

    @property
    def by_year(self) -> int:
        """Documents without a date that the year in their number admits or excludes."""
        return int((self.segment.live & (self.segment.days == UNKNOWN_DAY) & ~self.unknown).sum())


def prior_art(patent: Patent, before: str | date | None = AUTO) -> Filters:
    """The filter of what counts as prior art of a patent: published before it, not itself, not of its family.

    `before` is a day; `auto` for the date that counts for the patent (priority, else filing, else publication; none if
    it has none); `off` or None for no bound.
    """
    return Filters(
        before=patent.date if before == AUTO else day_before(before),
        without=names_of(patent),
        without_family=patent.family_id,
    )


def day_before(bound: str | date | None) -> date | None:
    """The day of a date bound; None for `off`."""
    if bound is None or bound == OFF:
        return None
    if not isinstance(bound, str):
        return bound
    day = parse_date(bound)
    if day is None:
        raise UsageError(f"{shown(bound)!r} is not a day; write it as 2001-12-31, or auto, or off")
    return day


def parse_class_prefix(text: str) -> str:
    """The prefix of an IPC code in normal form: `H04L12/56` is `H04L 12/56`, `H04L12` is `H04L 12/`, `h04` is `H04`."""
    match = CLASS_PREFIX.fullmatch("".join(text.upper().split()))
    if match is None:
        raise UsageError(f"{shown(text)!r} is not a prefix of an IPC code; write it as H04, H04L, H04L 12, H04L 12/56")
    section, numbers, subclass, group, rest = match.groups()
    return f"{section}{numbers or subclass or ''}" + (f" {group}/{rest or ''}" if group else "")


NO_TEXT = "no text at all"
"""What documents without text in any language are counted under, in place of a language."""


REASONS = {
    "date": "outside the dates",
    "undated": "no known date",
    "ipc": "another IPC class",
    "cpc": "another CPC class",
    "applicant": "another applicant",
    "inventor": "another inventor",
    "country": "another office",
    "language": "another language of proceedings",
    "topic": "the topic, its family or a marked document",
    "where": "not what the expression asks for",
    "must": "without a word that is required",
    "must not": "with a word that is excluded",
}
"""Why a filter leaves documents out, in words."""


@dataclass(frozen=True)
class Coverage:
    """The documents that pass the filters: those with text in a language that is searched, and the others."""

    languages: tuple[str, ...]
    """The languages that are searched. Documents of unknown language are searched with each of them."""
    searched: int
    unsearched: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    """The languages of the documents that are not searched; one that has text in several counts in each. Documents
    without any text count as `NO_TEXT`."""
    excluded: Mapping[str, int] = field(default_factory=dict)
    """Filter → documents that it leaves out; one that several leave out counts for the first."""
    undated: int = 0
    """Documents that pass the date bounds because their date is not known."""
    dated_by_year: int = 0
    """Documents without a date that the year in their number admits or excludes."""

    @property
    def passed(self) -> int:
        """The documents that pass the filters."""
        return self.searched + self.unsearched

    def note(self) -> str:
        """How many documents were not searched because of their language, in one line; empty where none."""
        if not self.unsearched:
            return ""
        where = ", ".join(f"{language or 'unknown'} {count}" for language, count in self.others.items())
        were = "was" if self.unsearched == 1 else "were"
        searched = ", ".join(language or "an unknown language" for language in self.languages) or "no language"
        have = f"{_documents_have(self.unsearched)} no text in {searched}"
        return f"{have} and {were} not searched ({where})"

    def date_notes(self) -> Iterator[str]:
        if self.undated:
            have, were = _documents_have(self.undated), "it was" if self.undated == 1 else "they were"
            yield f"{have} no known date; {were} searched all the same; {spell('undated', DROP)} leaves them out"
        if dropped := self.excluded.get("undated", 0):
            were = "was" if dropped == 1 else "were"
            yield f"{_documents_have(dropped)} no known date and {were} left out ({spell('undated', DROP)})"
        if self.dated_by_year:
            have = _documents_have(self.dated_by_year)
            yield f"{have} no date but a year in the number, by which the date bound was applied"

    def filter_note(self) -> str:
        """How many documents the filters leave out, and why; empty where none."""
        total = sum(self.excluded.values())
        if not total:
            return ""
        why = ", ".join(f"{REASONS.get(name, name)} {count}" for name, count in self.excluded.items())
        return f"{total} {'document was' if total == 1 else 'documents were'} left out by the filters: {why}"

    def to_dict(self) -> dict[str, Any]:
        others = {language or "unknown": count for language, count in self.others.items()}
        return {
            "searched": self.searched,
            "unsearched": self.unsearched,
            "unsearched_languages": others,
            "excluded": {name.replace(" ", "_"): count for name, count in self.excluded.items()},
            "undated": self.undated,
            "dated_by_year": self.dated_by_year,
        }


def _documents_have(number: int) -> str:
    return f"{number} {'document has' if number == 1 else 'documents have'}"


def count_documents(index: Index, languages: Sequence[str], filters: Filters) -> Coverage:
    """How many documents pass filters, and how many of them have text in one of these languages."""
    passed, elsewhere, undated, by_year = 0, 0, 0, 0
    by_language, excluded = Counter[str](), Counter[str]()
    for segment in index.segments:
        left = filters.apply(segment, excluded)
        passed += int(left.sum())
        if filters.dated:
            bounds = DateBounds(segment, filters.before, filters.after)
            by_year += bounds.by_year
            undated += int((left & bounds.unknown).sum()) if filters.undated != DROP else 0
        for language in languages:
            for each, matrix in index.matrices(language):
                if each is segment:
                    left[matrix.documents] = False
        elsewhere += int(left.sum())
        if left.any():
            by_language.update(
                {language: int(left[matrix.documents].sum()) for language, matrix in segment.matrices.items()}
            )
            for matrix in segment.matrices.values():
                left[matrix.documents] = False
            by_language[NO_TEXT] += int(left.sum())
    known = {language: count for language, count in by_language.most_common() if count}
    return Coverage(tuple(languages), passed - elsewhere, elsewhere, known, dict(+excluded), undated, by_year)


LEVELS = ("group", "main", "subclass")
"""How far two IPC codes agree, from narrow to wide: `H04L 12/56`, `H04L 12/`, `H04L`."""


def _class_condition(code: str, level: str) -> tuple[str, tuple[str, ...]]:
    """The SQL condition for documents that share a code at a level, and its values."""
    if level == "group":
        return "attributes WHERE field = 'ipc' AND value = ?", (code,)
    group, slash, _ = code.partition("/")
    prefix = code[:4] if level == "subclass" else group + slash
    return "attributes WHERE field = 'ipc' AND value >= ? AND value < ?", (prefix, prefix + "\U0010ffff")


@dataclass(frozen=True)
class ClassQuestion:
    """Which documents are sought: those that share codes, have text in a language, and pass filters."""

    codes: tuple[str, ...]
    language: str
    filters: Filters
    level: str = "group"
    fewest: int = 50
    """The level is widened until so many are found."""
    most: int = 2000
    """Of more than that, those that share most codes are taken, then the latest, then the first of the index."""

    @property
    def levels(self) -> list[str]:
        """The levels from the one given to the widest."""
        return [*LEVELS[LEVELS.index(self.level) :]]


def find_same_class(index: Index, asked: ClassQuestion) -> list[NDArray[np.int64]]:
    """For each matrix of a language, the rows of non-empty documents that share an IPC code, ascending."""
    rows: list[Ints] = []
    shared: list[Ints] = []
    for name in asked.levels:
        rows, shared = _find_sharing(index, asked, name)
        if sum(map(len, rows)) >= max(asked.fewest, 1):
            break
    return _choose_nearest(index, asked, rows, shared) if sum(map(len, rows)) > asked.most else rows


def _find_sharing(index: Index, asked: ClassQuestion, level: str) -> tuple[list[Ints], list[Ints]]:
    """For each matrix, the rows of documents that share a code at a level, and the number of shared codes."""
    questions = dict.fromkeys(_class_condition(code, level) for code in asked.codes)
    rows, shared = [], []
    for segment, matrix in index.matrices(asked.language):
        matches = [segment.store.numbers(condition, values) for condition, values in questions]
        numbers, times = np.unique(np.concatenate(matches).astype(np.int64), return_counts=True)
        candidates = matrix.rows_of(numbers)
        kept = (candidates >= 0) & (matrix.lengths[candidates] > 0)
        allowed = asked.filters.allowed(segment)
        if allowed is not None:
            kept &= allowed[numbers]
        rows.append(candidates[kept])
        shared.append(times[kept])
    return rows, shared


def _choose_nearest(index: Index, asked: ClassQuestion, rows: Sequence[Ints], shared: Sequence[Ints]) -> list[Ints]:
    """The first `most` rows by number of shared codes, then by later date, then by order in the index."""
    days = [
        segment.days[matrix.documents[each]]
        for (segment, matrix), each in zip(index.matrices(asked.language), rows, strict=True)
    ]
    of = np.repeat(np.arange(len(rows)), [len(each) for each in rows])
    every = np.concatenate(rows)
    order = np.lexsort((every, of, -np.concatenate(days).astype(np.int64), -np.concatenate(shared)))[: asked.most]
    return [np.sort(every[order][of[order] == place]) for place in range(len(rows))]
