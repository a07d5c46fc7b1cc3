"""Pairs of neighbouring words, read from the stored texts of documents: an index counts words, not their order."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from antecede.index.records import text_of
from antecede.query.topic import DESCRIPTION, filed_under, mask_numbers, text_for
from antecede.ranking.attributes import ListCache, attributes_of
from antecede.text.term_tables import WordTable
from antecede.text.vocabulary import ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.ranking.attributes import NumberLists

    Ints = NDArray[np.int64]

CACHE_KEY = "word pairs for rankings"
BITS = 32
"""A pair is one number: that of its first term, and in the lower bits that of its second."""
STOP, END = -1, -2
"""In place of a term: a word that is dropped, and the end of a text."""


class PairReader:
    """Reads the pairs of terms of texts; those of documents once. May be used from several threads."""

    def __init__(self, index: Index, language: str) -> None:
        self.index, self.language = index, language
        self.analyzer = index.analyzer(language)
        self.words = WordTable(self.analyzer.profile.longest)
        self.term_of = np.zeros(0, np.int64)
        """The number of the term of each word, in the order of the table."""
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        """The terms by their numbers."""
        self.lock = threading.Lock()
        self.cache = ListCache(int(attributes_of(index).offsets[-1]))

    def documents(self, documents: Ints) -> NumberLists:
        """The pairs of documents, given by their positions in the index."""
        return self.cache.lists(documents, self.learn)

    def learn(self, documents: Ints) -> Iterator[Ints]:
        """The pairs of documents, which ascend, from their stored texts."""
        fields = self.index.settings["fields"]
        for _, segment, numbers in attributes_of(self.index).by_segment(documents):
            patents = map(segment.store.record, numbers.tolist())
            yield from self.read([text_of(each, filed_under(each, self.language), fields) for each in patents])

    def topic(self, patent: Patent) -> Ints:
        """The pairs of a topic: of the text that a query is made of by default, patent numbers masked."""
        text = text_for(patent, DESCRIPTION, filed_under(patent, self.language))[0]
        return self.read([mask_numbers(text, self.language).encode("utf-8", "replace")])[0]

    def read(self, texts: Sequence[bytes]) -> list[Ints]:
        """The pairs of neighbouring terms of each text, as often as they occur; stop words between them are skipped."""
        with self.lock:
            parts = [np.zeros(0, np.uint32)]
            for words, new in self.words.scan(texts):
                if new:
                    self.learn_words(new)
                parts.append(self.words.ids[:words].copy())
            ids = np.concatenate(parts)
            ends = ids == ENDS
            numbers = np.full(len(ids), END, np.int64)
            numbers[~ends] = self.term_of[ids[~ends]]
        kept = numbers[numbers != STOP]
        first, second = kept[:-1], kept[1:]
        pair = (first >= 0) & (second >= 0)
        owners = np.cumsum(kept == END)[:-1][pair]
        sizes = np.bincount(owners, minlength=len(texts))
        return np.split((first << BITS | second)[pair], np.cumsum(sizes)[:-1])[: len(texts)]

    def learn_words(self, words: str) -> None:
        """Take in words that were not met before, each ended by a newline."""
        terms = self.analyzer.resolve_lines(words).split("\n")[:-1]
        new = [term for term in dict.fromkeys(terms) if term and term not in self.number]
        self.number.update(zip(new, range(len(self.names), len(self.names) + len(new)), strict=True))
        self.names += new
        numbers = [self.number[term] if term else STOP for term in terms]
        self.term_of = np.concatenate((self.term_of, np.array(numbers, np.int64)))


def pair_reader(index: Index, language: str) -> PairReader:
    """The reader of the pairs of a language, kept with the index."""
    readers: dict[str, PairReader] = index.cache.setdefault(CACHE_KEY, {})
    return readers.get(language) or readers.setdefault(language, PairReader(index, language))
