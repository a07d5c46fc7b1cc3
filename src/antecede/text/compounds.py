"""German compounds split into words that the collection itself knows.

A word is split where its parts explain it better than it does itself: where the geometric mean of their document
frequencies is higher than its own (Koehn & Knight, Empirical methods for compound splitting, EACL 2003). Between two
parts a linking element may stand, which belongs to neither: Zeitung|s|artikel, Schraube|n|kopf.

A splitter is a pure function of a vocabulary and its frequencies, and works on words as well as on stems. No analyser
calls it: frequencies are known only when the collection has been counted, and splitting is off unless asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    Split = tuple[int, tuple[str, ...]]
    """The product of the parts' frequencies, and the parts."""

LINKS = ("", "s", "es", "n", "en", "er", "e", "ens", "ns", "nen", "ien")


@dataclass(frozen=True)
class Compounding:
    """When a word is split."""

    shortest: int = 4
    """The fewest letters of a part."""
    least: int = 3
    """The fewest documents that a part must stand in."""
    most_parts: int = 4
    links: tuple[str, ...] = LINKS
    """What may stand between two parts."""

    def __post_init__(self) -> None:
        if min(self.shortest, self.least) < 1 or self.most_parts < 2:
            raise UsageError(f"{self}: a part needs a letter and a document, and there must be two parts or more")


def split_compounds(
    vocabulary: Sequence[str],
    frequencies: Iterable[int],
    settings: Compounding | None = None,
    never: Collection[str] = (),
) -> dict[str, tuple[str, ...]]:
    """The words of a vocabulary that are compounds, each with its parts. Words in `never` are no parts."""
    known = dict(zip(vocabulary, map(int, frequencies), strict=True))
    splitter = CompoundSplitter(known, settings, never)
    return {word: parts for word in known if len(parts := splitter.split(word)) > 1}


class CompoundSplitter:
    """Splits words, also such as the vocabulary does not have, into parts that it has."""

    def __init__(
        self, frequencies: Mapping[str, int], settings: Compounding | None = None, never: Collection[str] = ()
    ) -> None:
        self.settings = settings or Compounding()
        self._frequencies = frequencies
        without = frozenset(never)
        self._parts = {
            word: frequency
            for word, frequency in frequencies.items()
            if frequency >= self.settings.least and len(word) >= self.settings.shortest and word not in without
        }
        self._longest = max(map(len, self._parts), default=0)

    def split(self, word: str) -> tuple[str, ...]:
        """The parts of a word, or the word alone. Of splits that are equally good, the one with fewer parts.

        The means are compared as powers of whole numbers, so that the result is the same on every machine.
        """
        best: Split = self._frequencies.get(word, 0), (word,)
        reached: dict[int, Split] = {0: (1, ())}
        for count in range(1, self.settings.most_parts + 1):
            reached, whole = self._extended(word, reached)
            if count > 1 and whole is not None and whole[0] ** len(best[1]) > best[0] ** count:
                best = whole
        return best[1]

    def _extended(self, word: str, reached: Mapping[int, Split]) -> tuple[dict[int, Split], Split | None]:
        """From the best splits up to some places, those with one part more; and the best of them of the whole word."""
        further: dict[int, Split] = {}
        whole: Split | None = None
        for begin, (product, parts) in reached.items():
            for end in range(begin + self.settings.shortest, min(len(word), begin + self._longest) + 1):
                part = word[begin:end]
                if part not in self._parts:
                    continue
                split = product * self._parts[part], (*parts, part)
                if end == len(word):
                    whole = better(split, whole)
                for link in self.settings.links:
                    at = end + len(link)
                    if at + self.settings.shortest <= len(word) and word.startswith(link, end):
                        further[at] = better(split, further.get(at))
        return further, whole


def better(split: Split, other: Split | None) -> Split:
    """The split with the larger product; the other, which was found first, where they are equal."""
    return split if other is None or split[0] > other[0] else other
