"""Which documents may be found at all: before a day, of a class, from an office; never the topic or its family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.documents import EPOCH, UNKNOWN_DAY
from antecede.patent import parse_code

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from numpy.typing import NDArray

    from antecede.index.segment import Segment


@dataclass(frozen=True)
class Filters:
    """Conditions that a document must meet, all of them; of several classes or countries, one."""

    before: date | None = None
    """Published before this day. A document whose day nobody knows stays: it might be prior art."""
    ipc: tuple[str, ...] = ()
    """Beginnings of IPC codes: `H04L`, `H04L 12`, `H04L 12/56`."""
    countries: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages of the documents' proceedings."""
    without: tuple[str, ...] = ()
    """Documents, by name or number, that are not to be found: the topic itself."""
    without_family: str | None = None
    """A family none of whose members is to be found."""

    def allowed(self, segment: Segment) -> NDArray[np.uint8]:
        """A 1 for each document of a segment that may be found."""
        mask = segment.live.astype(np.uint8)
        if self.before is not None:
            day = (self.before - EPOCH).days
            mask &= ((segment.days < day) | (segment.days == UNKNOWN_DAY)).view(np.uint8)
        for members in self.unions(segment):
            kept = np.zeros(len(mask), np.uint8)
            kept[members] = 1
            mask &= kept
        for name in self.without:
            number = segment.store.number_of(name)
            if number is not None:
                mask[number] = 0
        if self.without_family is not None:
            mask[segment.store.numbers_of_family(self.without_family)] = 0
        return mask

    def unions(self, segment: Segment) -> Iterator[NDArray[np.uint32]]:
        """For each condition with several values, the documents that meet one of them."""
        store = segment.store
        for values, numbers in (
            (tuple(map(prefix, self.ipc)), store.numbers_with_ipc),
            (tuple(map(str.upper, self.countries)), store.numbers_of_country),
            (self.languages, store.numbers_of_language),
        ):
            if values:
                yield np.concatenate([numbers(value) for value in values])


def prefix(written: str) -> str:
    """The beginning of a code in normal form: `H04L12/56` is `H04L 12/56`, `H04L12` is `H04L 12/`, `h04` is `H04`."""
    text = written.strip().upper()
    compact = text.replace(" ", "")
    if "/" in compact:
        return parse_code(text) or text
    return f"{compact[:4]} {compact[4:].lstrip('0')}/" if len(compact) > 4 else compact
