"""Which documents may be found at all: within dates, of a class, office or person; never the topic or its family."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from antecede.corpus.merge import names_of
from antecede.errors import UsageError, shown
from antecede.index.documents import EPOCH
from antecede.patent import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from numpy.typing import NDArray

    from antecede.index.segment import Segment
    from antecede.patent import Patent

AUTO, OFF = "auto", "off"
"""Values of a date bound: the date that counts for the topic, and no bound."""
CLASS_PREFIX = re.compile(r"([A-HY])(?:(\d|\d\d)|(\d\d[A-Z])(?:0*([1-9]\d{0,3})(?:/(\d{0,6}))?)?)?")


KEEP, DROP = "keep", "drop"
UNDATED = (KEEP, DROP)
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


class TextQuestion(Protocol):
    """Words or a phrase that are looked for in texts."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in whose texts they may be."""
        ...

    @property
    def pattern(self) -> re.Pattern[str] | None:
        """What a text must match; None where terms decide."""
        ...

    def terms(self, language: str) -> list[str]:
        """The terms of the words in a language; none where all of them are stop words or numbers."""
        ...

    def matches(self, patent: Patent) -> bool:
        """Whether a text of a patent matches the pattern."""
        ...

    def look(self, segment: Segment) -> NDArray[np.bool_]:
        """Which documents of a segment on this machine have them."""
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
            own.append(segment.store.numbers_of_family(self.without_family).tolist())
        return [number for each in own for number in each]

    def unions(self, segment: Segment) -> Iterator[tuple[str, NDArray[np.uint32]]]:
        """For each condition with several values, the documents that meet one of them."""
        store = segment.store
        for name, values, numbers in (
            ("ipc", tuple(map(parse_class_prefix, self.ipc)), lambda prefix: store.numbers_with_prefix("ipc", prefix)),
            ("cpc", tuple(map(parse_class_prefix, self.cpc)), lambda prefix: store.numbers_with_prefix("cpc", prefix)),
            ("applicant", self.applicants, lambda name: store.numbers_with_name("applicants", name)),
            ("inventor", self.inventors, lambda name: store.numbers_with_name("inventors", name)),
            ("country", tuple(map(str.upper, self.countries)), store.numbers_of_country),
            ("language", self.languages, store.numbers_of_language),
        ):
            if values:
                yield name, np.concatenate([numbers(value) for value in values])


def allowed_documents(segment: Segment, filters: Filters) -> NDArray[np.bool_] | None:
    """Which documents of a segment on this machine pass filters; None if all do."""
    if filters == Filters() and not len(segment.deleted):
        return None
    mask = segment.live.copy()
    for _, passed in filters.stages(segment):
        mask &= passed
    return mask


def mask_of(members: NDArray[np.integer[Any]], segment: Segment) -> NDArray[np.bool_]:
    """Documents by number as a mask."""
    mask = np.zeros(segment.documents, np.bool_)
    mask[members] = True
    return mask


class DateBounds:
    """Which documents of a segment lie within date bounds, and of which that is not known."""

    def __init__(self, segment: Segment, before: date | None, after: date | None) -> None:
        """`before` is excluded, `after` included."""
        end = (before - EPOCH).days if before is not None else np.iinfo(np.int32).max
        start = (after - EPOCH).days if after is not None else np.iinfo(np.int32).min
        self.passed = segment.days < end
        self.unknown = np.zeros(len(self.passed), np.bool_)
        """Documents without a date, where not even the year in their number decides; they are among `passed`."""
        self.by_year = 0
        """Documents without a date that the year in their number admits or excludes."""
        if after is not None:
            self.passed &= segment.days >= start
        undated = segment.undated
        if len(undated.numbers):
            out = (undated.first >= end) | (undated.last < start)
            inside = (undated.last < end) & (undated.first >= start)
            self.passed[undated.numbers] = ~out
            self.unknown[undated.numbers] = ~out & ~inside
            self.by_year = int((segment.live[undated.numbers] & (out | inside)).sum())


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
    found = CLASS_PREFIX.fullmatch("".join(text.upper().split()))
    if found is None:
        raise UsageError(f"{shown(text)!r} is not a prefix of an IPC code; write it as H04, H04L, H04L 12, H04L 12/56")
    section, numbers, subclass, group, rest = found.groups()
    return f"{section}{numbers or subclass or ''}" + (f" {group}/{rest or ''}" if group else "")
