"""Filters: documents before a date, of a class, from an office; never the topic or its family."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(frozen=True)
class Filters:
    """Conditions on documents. All of them must be met; of several classes or countries, one is enough."""

    before: date | None = None
    """Published before this date. A document without a known date passes: it may be prior art."""
    ipc: tuple[str, ...] = ()
    """Prefixes of IPC codes: `H`, `H04`, `H04L`, `H04L 12`, `H04L 12/56`."""
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages of the documents' proceedings."""
    without: tuple[str, ...] = ()
    """Documents, by name or number, that are excluded: the topic itself."""
    without_family: str | None = None
    """A family whose members are all excluded."""

    def __post_init__(self) -> None:
        """Accept a single value for a list of one, and refuse a malformed class before anything is searched."""
        for name in ("ipc", "countries", "languages", "without"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        for code in self.ipc:
            parse_class_prefix(code)

    def allowed(self, segment: Segment) -> NDArray[np.bool_] | None:
        """Which documents of a segment pass; None if all do."""
        if self == Filters() and not len(segment.deleted):
            return None
        mask = segment.live.copy()
        if self.before is not None:  # an unknown day is the smallest number, hence before any
            mask &= segment.days < (self.before - EPOCH).days
        for members in self.unions(segment):
            kept = np.zeros(len(mask), np.bool_)
            kept[members] = True
            mask &= kept
        for name in self.without:
            mask[segment.store.numbers_named(name)] = False
        if self.without_family is not None:
            mask[segment.store.numbers_of_family(self.without_family)] = False
        return mask

    def unions(self, segment: Segment) -> Iterator[NDArray[np.uint32]]:
        """For each condition with several values, the documents that meet one of them."""
        store = segment.store
        for values, numbers in (
            (tuple(map(parse_class_prefix, self.ipc)), lambda prefix: store.numbers_with_prefix("ipc", prefix)),
            (tuple(map(str.upper, self.countries)), store.numbers_of_country),
            (self.languages, store.numbers_of_language),
        ):
            if values:
                yield np.concatenate([numbers(value) for value in values])


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
