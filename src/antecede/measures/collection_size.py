"""The size of the collection, which some measures require: one number, the judged documents, or a file of sizes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from antecede.errors import InputError, MalformedInputError, MeasureError, printable, spell
from antecede.ranges import Range
from antecede.trec.content import read_content
from antecede.trec.layout import find_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.measures.ranks import Ranks

SIZES = Range(1, 10**12, whole=True)
JUDGED = "judged"
MAX_NUMBER_LENGTH = 100


@dataclass(frozen=True)
class CollectionSize:
    """`docs=1000`, `docs=judged` (the judged documents of each topic) or `docs=FILE` (lines of `topic size`)."""

    given: str | int

    def __post_init__(self) -> None:
        text = str(self.given).strip()
        digits = text.removeprefix("-").removeprefix("+")
        if digits.isdecimal() and len(text) <= MAX_NUMBER_LENGTH:
            object.__setattr__(self, "given", int(text))
            if int(text) not in SIZES:
                raise MeasureError(f"docs must be {SIZES.describe(int(text))}, not {printable(text)}")
        elif text != JUDGED and not Path(text).is_file():
            raise MeasureError(
                f"docs: {printable(text)!r} is not a number, {JUDGED!r} or a file; give the size of the collection, "
                "docs=judged, or a file of lines `topic size`"
            )

    def __str__(self) -> str:
        return str(self.given)

    @cached_property
    def by_topic(self) -> dict[str, int]:
        """The size for each topic, from the file."""
        return read_sizes(str(self.given))

    def resolve(self, ranks: Ranks, measure: str) -> NDArray[np.float64]:
        """float64[T]: the size for each topic; one below the number of documents that are known is refused."""
        if ranks.origin is not None:  # judgements that are missing from a sample make no collection smaller
            origin = ranks.origin
            return self.resolve(origin.table, measure)[origin.topics]
        if isinstance(self.given, int):
            ranks.check_collection(self.given, measure)
            return np.full(ranks.topics, float(self.given))
        counted = np.flatnonzero(~np.isnan(ranks.relevant().n))
        sizes = np.full(ranks.topics, np.nan)
        if self.given == JUDGED:
            sizes[counted] = ranks.judged().n[counted]
        else:
            sizes[counted] = [self.size_of(ranks.topic_name(topic), measure) for topic in counted.tolist()]
        least = np.maximum(np.nan_to_num(ranks.relevant().n), ranks.retrieved.max(axis=0, initial=0))
        short = counted[sizes[counted] < least[counted]]
        if len(short):
            topic = int(short[0])
            raise MeasureError(
                f"{measure}(docs={printable(str(self))}): topic {printable(ranks.topic_name(topic))} has at least "
                f"{least[topic]:.0f} documents, not {sizes[topic]:.0f}; give the sizes of what was ranked, or cut the "
                f"runs with {spell('depth')}"
            )
        return sizes

    def size_of(self, topic: str, measure: str) -> int:
        """The size that the file has for a topic."""
        if topic not in self.by_topic:
            raise MeasureError(
                f"{measure}(docs={printable(str(self))}): the file has no size for topic {printable(topic)}; "
                "add a line for it"
            )
        return self.by_topic[topic]


def read_sizes(path: str) -> dict[str, int]:
    """The sizes in a file of lines `topic size`, parted by blanks, a tab or a comma; # begins a comment line."""
    content = read_content(path)
    sizes: dict[str, int] = {}
    for number, line in enumerate(content.data.decode("utf-8", "replace").splitlines(), 1):
        words = line.replace(",", " ").split()
        header = number == 1 and len(words) == 2 and not words[1].isdecimal() and find_column(words[:1], "topic_id")
        if not words or words[0].startswith("#") or header:
            continue
        short = len(words) == 2 and words[1].isdecimal() and len(words[1]) <= MAX_NUMBER_LENGTH
        if not short or int(words[1]) not in SIZES:
            raise MalformedInputError(
                f"{printable(line)!r} is not a topic and the size of its collection",
                source=content.source,
                line=number,
                remedy="write `topic size` on each line",
            )
        if sizes.setdefault(words[0], int(words[1])) != int(words[1]):
            raise InputError("has two sizes", source=content.source, line=number, topic_id=words[0])
    if not sizes:
        raise InputError("has no size", source=content.source, remedy="write `topic size` on each line")
    return sizes
