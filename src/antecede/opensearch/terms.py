"""The terms of an index on a cluster: their statistics, and which of them documents have, how often.

This side numbers the terms, in the order in which they are first met.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.arrays import distinct, pointers_from_sizes
from antecede.engine import Frequencies, TermVectors
from antecede.errors import printable
from antecede.index.codec import Lists
from antecede.opensearch.answers import VECTORS
from antecede.opensearch.layout import decode, field_of, split_counts
from antecede.term_matches import DAMPED, TermMatches, add_squares, find_matches
from antecede.text.vocabulary import NEW_LINE, GrowingVocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.arrays import U32, Floats, Ints
    from antecede.opensearch.cluster import Cluster
    from antecede.opensearch.documents import ClusterDocuments

    Vector = tuple[U32, U32]

MAX_POSTINGS = 1 << 25
"""Term counts of documents that are kept in memory, of eight bytes each."""
BATCH_VECTORS = 500
"""Documents whose term counts are fetched with one request."""
BATCH_NUMBERED = 32
"""Documents whose terms are numbered together."""
BATCH_TERMS = 4000
"""Terms whose frequencies are fetched with one request."""
UNKNOWN = -1


class ClusterTerms:
    """The terms of a language that were met so far, with their frequencies; may be used from several threads."""

    def __init__(self, cluster: Cluster, name: str, language: str, routings: Sequence[str], tokens: int = 0) -> None:
        """`routings` are texts by which a document goes to each shard, one per shard; `tokens` are at least there."""
        self.cluster, self.name, self.field, self.routings = cluster, name, field_of("t", language), routings
        self.tokens = tokens
        self.vocabulary = GrowingVocabulary()
        """The terms of documents and queries. A million may come with one search: there is no object per term."""
        self.asked: dict[str, int] = {}
        """The numbers of terms whose frequencies were asked for; −1 for one that no document has."""
        self.often = np.full((2, 1 << 14), UNKNOWN, np.int64)
        """Document and collection frequency of each term; −1 where they were not asked for."""
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def number_terms(self, lines: bytes) -> U32:
        """The numbers of terms that documents have, each followed by a newline; new ones are numbered."""
        data = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(data == NEW_LINE)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1)) if len(ends) else ends
        with self.lock:
            numbers = self.vocabulary.number(data, starts, ends)
            if len(self) > self.often.shape[1]:
                # Another thread may still read the old array: it is not changed.
                more = np.full((2, 2 * len(self) - self.often.shape[1]), UNKNOWN, np.int64)
                self.often = np.concatenate((self.often, more), axis=1)
        return numbers.view(np.uint32)

    def term(self, number: int) -> str:
        with self.lock:
            return self.vocabulary.terms().text(number)

    def find(self, terms: Sequence[str]) -> Ints:
        new = [term for term in dict.fromkeys(terms) if term not in self.asked]
        if new:
            self.learn(new)
        return np.array([self.asked[term] for term in terms], np.int64)

    def frequencies(self, numbers: Ints) -> Frequencies:
        missing = np.unique(numbers[self.often[0, numbers] == UNKNOWN])
        if len(missing):
            self.learn([self.term(number) for number in missing.tolist()])
        often = self.often
        return Frequencies(often[0, numbers], often[1, numbers])

    def learn(self, terms: Sequence[str]) -> None:
        for first in range(0, len(terms), BATCH_TERMS):
            part = terms[first : first + BATCH_TERMS]
            df, cf = self.fetch(part)
            there = np.flatnonzero(df)
            known = [part[at] for at in there.tolist()]
            numbers = self.number_terms("".join(f"{term}\n" for term in known).encode()).astype(np.int64)
            with self.lock:
                self.often[:, numbers] = df[there], cf[there]
                self.asked.update(dict.fromkeys(part, -1) | dict(zip(known, numbers.tolist(), strict=True)))

    def fetch(self, terms: Sequence[str]) -> Ints:
        """Document and collection frequencies: an artificial document with the terms is sent to each shard."""
        place = {term: at for at, term in enumerate(terms) if "|" not in term and term.split() == [term]}
        often = np.zeros((2, len(terms)), np.int64)
        if not place:
            return often
        for vector in self.ask({self.field: " ".join(f"{term}|1" for term in place)}):
            for term, facts in vector.get("terms", {}).items():
                if term not in place:
                    raise self.cluster.misunderstood(f"{term} was not asked for")
                often[:, place[term]] += facts.get("doc_freq", 0), facts.get("ttf", 0)
        return often

    def totals(self) -> tuple[int, int]:
        """Documents with a term, and tokens, as the cluster's BM25 counts them: with documents that were replaced."""
        statistics = [vector["field_statistics"] for vector in self.ask({self.field: "a|1"})]
        return sum(max(facts["doc_count"], 0) for facts in statistics), sum(
            max(facts["sum_ttf"], 0) for facts in statistics
        )

    def ask(self, document: dict[str, str]) -> list[dict[str, Any]]:
        """The statistics of the terms of an artificial document on each shard.

        A shard that does not answer, or a copy that does not have all documents yet, is an error: document frequencies
        that are too small would give another ranking.
        """
        how = {"fields": [self.field], "term_statistics": True, "field_statistics": True}
        how |= dict.fromkeys(("positions", "offsets", "payloads"), False)
        requests = [{"_index": self.name, "doc": document, "routing": routing, **how} for routing in self.routings]
        answers = self.cluster.call(lambda client: client.mtermvectors(body={"docs": requests}), VECTORS)["docs"]
        if len(answers) != len(requests):
            raise self.cluster.misunderstood(f"{len(answers)} statistics of {len(requests)} shards")
        vectors = [
            answer["term_vectors"][self.field] for answer in answers if self.field in answer.get("term_vectors", {})
        ]
        why = next((answer["error"].get("reason", "") for answer in answers if "error" in answer), None)
        tokens = sum(max(vector["field_statistics"]["sum_ttf"], 0) for vector in vectors)
        if why is None and tokens < self.tokens:
            why = f"it has {tokens} tokens of {self.tokens}"
        if why is not None:
            raise self.cluster.error(
                f"a shard does not give its statistics ({printable(why, 200)})",
                "wait until the cluster is green, and repeat the search",
            )
        return vectors


class ClusterVocabulary:
    """Some terms in alphabetical order."""

    def __init__(self, table: ClusterTerms, numbers: Ints) -> None:
        self.table, self.numbers = table, numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, place: int) -> str:
        return self.table.term(int(self.numbers[place]))

    def place_numbers(self, numbers: NDArray[np.integer[Any]]) -> Ints:
        """The places of terms given by their numbers."""
        places = np.full(len(self.table), -1)
        places[self.numbers] = np.arange(len(self.numbers))
        return np.asarray(places[numbers])

    def find(self, terms: Sequence[str]) -> Ints:
        numbers = self.table.find(terms)
        return np.where(numbers >= 0, self.place_numbers(numbers), -1)


class ClusterCounts:
    """The term counts of the documents of one language on a cluster; may be used from several threads."""

    def __init__(self, documents: ClusterDocuments, language: str, table: ClusterTerms) -> None:
        self.documents, self.language, self.table = documents, language, table
        self.norms: dict[int, float] = {}
        self.kept: OrderedDict[int, Vector] = OrderedDict()
        self.postings_kept = 0
        self.lock = threading.Lock()

    @cached_property
    def candidate_totals(self) -> tuple[int, int]:
        """Documents and tokens as the cluster's own BM25 counts them."""
        return self.table.totals()

    def lengths(self, numbers: Ints) -> Ints:
        """The number of tokens of each document; −1 for one without text in the language."""
        language = self.language
        return np.array(self.documents.read(numbers, lambda head: head.lengths.get(language, -1)), np.int64)

    def lists(self, numbers: Ints) -> Lists:
        """The terms of each document, by their numbers, with counts."""
        vectors = self.vectors(numbers.tolist())
        ptr = pointers_from_sizes(np.array([len(items) for items, _ in vectors], np.int64))
        empty = [np.zeros(0, np.uint32)]
        return Lists(
            ptr, np.concatenate(empty + [i for i, _ in vectors]), np.concatenate(empty + [c for _, c in vectors])
        )

    def match(self, terms: Ints, numbers: Ints) -> TermMatches:
        """Where terms occur in documents, given by their numbers, −1 for one that no document has."""
        lists = self.lists(numbers)
        slots = np.full(len(self.table), -1, np.int32)
        there = np.flatnonzero(terms >= 0)
        slots[terms[there]] = there
        starts, ends = np.ascontiguousarray(lists.ptr[:-1]), np.ascontiguousarray(lists.ptr[1:])
        most = min(len(numbers) * len(terms), len(lists.items))
        matches = find_matches(starts, ends, lists.items, lists.counts, slots, most)
        return TermMatches(np.arange(len(numbers)), *matches)

    def measure(self, numbers: Ints, documents: int) -> Floats:
        """√Σ_t ((1 + log n) · log((N + 1) / df))² of each document, over all of its terms."""
        missing = np.array([number for number in numbers.tolist() if number not in self.norms], np.int64)
        if len(missing):
            lists = self.lists(missing)
            used = distinct(lists.items).astype(np.int64)
            rarity = np.zeros(len(self.table), np.float32)
            rarity[used] = np.log((documents + 1) / np.maximum(self.table.frequencies(used).documents, 1))
            squares = np.empty(len(missing))
            starts, ends = np.ascontiguousarray(lists.ptr[:-1]), np.ascontiguousarray(lists.ptr[1:])
            add_squares(starts, ends, lists.items, lists.counts, rarity, DAMPED, squares)
            self.norms.update(zip(missing.tolist(), np.sqrt(squares).tolist(), strict=True))
        return np.array([self.norms[number] for number in numbers.tolist()], np.float64)

    def gather(self, numbers: Ints, also: Sequence[str]) -> TermVectors:
        """The vectors of documents over their terms, in alphabetical order, and those of `also`."""
        lists, more = self.lists(numbers), self.table.find(also)
        used = distinct(np.concatenate((lists.items.astype(np.int64), more[more >= 0])))
        names = sorted((self.table.term(number), number) for number in used.tolist())
        vocabulary = ClusterVocabulary(self.table, np.array([number for _, number in names], np.int64))
        counts, lengths = lists.counts.astype(np.float64), self.lengths(numbers).astype(np.float64)
        return TermVectors(lists.ptr, vocabulary.place_numbers(lists.items), counts, lengths, vocabulary)

    def vectors(self, rows: Sequence[int]) -> list[Vector]:
        """The term numbers and counts of each of some rows; those that are not kept are fetched together."""
        kept = self.kept
        vectors = {row: vector for row in rows if (vector := kept.get(row)) is not None}
        missing = [row for row in dict.fromkeys(rows) if row not in vectors]
        for first in range(0, len(missing), BATCH_VECTORS):
            vectors.update(self.fetch(missing[first : first + BATCH_VECTORS]))
        if not vectors.keys() >= {*rows}:
            raise self.documents.damaged(f"documents without text in {self.language or 'an unknown language'}")
        return [vectors[row] for row in rows]

    def fetch(self, rows: Sequence[int]) -> dict[int, Vector]:
        """The vectors of some rows from the cluster; the other facts of the documents are fetched with them."""
        field, store = field_of("v", self.language), self.documents
        read: list[tuple[int, bytes, U32]] = []
        for fields in store.cluster.by_number(store.name, rows, ["n", "head", field]):
            number, _ = store.learn(fields)
            if field in fields:
                try:
                    read.append((number, *split_counts(decode(fields[field][0]))))
                except (ValueError, TypeError, IndexError, zstandard.ZstdError) as error:
                    raise store.damaged(f"document {number}: {printable(str(error))}") from None
        store.forget()
        vectors = {}
        for first in range(0, len(read), BATCH_NUMBERED):
            part = read[first : first + BATCH_NUMBERED]
            numbers = self.table.number_terms(b"".join(lines for _, lines, _ in part))
            ptr = pointers_from_sizes(np.array([len(counts) for _, _, counts in part], np.int64)).tolist()
            for at, (number, _, counts) in enumerate(part):
                vectors[number] = numbers[ptr[at] : ptr[at + 1]].copy(), counts
        with self.lock:
            self.kept.update(vectors)
            self.postings_kept += sum(len(items) for items, _ in vectors.values())
            while self.postings_kept > MAX_POSTINGS and self.kept:
                self.postings_kept -= len(self.kept.popitem(last=False)[1][0])
        return vectors


class ClusterStatistics:
    """The statistics of one language on a cluster, as if some documents were not there."""

    def __init__(self, counts: ClusterCounts | None, documents: int, tokens: int, without: Ints | None = None) -> None:
        self.counts = counts
        self.without = np.zeros(0, np.int64) if without is None else without
        own = counts.lengths(self.without) if counts is not None else np.zeros(0, np.int64)
        self.without = self.without[own >= 0]
        self.documents, self.tokens = documents - len(self.without), tokens - int(own[own >= 0].sum())

    @property
    def average_length(self) -> float:
        return self.tokens / self.documents if self.documents else 0.0

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        if self.counts is None:
            return Frequencies(np.zeros(len(terms), np.int64), np.zeros(len(terms), np.int64))
        return self.frequencies_of(self.counts.table.find(terms))

    def frequencies_in(self, vocabulary: ClusterVocabulary) -> Frequencies:
        return self.frequencies_of(vocabulary.numbers)

    def frequencies_of(self, numbers: Ints) -> Frequencies:
        """The frequencies of terms given by their numbers; −1 for one that no document has."""
        df, cf = np.zeros(len(numbers), np.int64), np.zeros(len(numbers), np.int64)
        if self.counts is None:
            return Frequencies(df, cf)
        there = np.flatnonzero(numbers >= 0)
        known_frequencies = self.counts.table.frequencies(numbers[there])
        df[there], cf[there] = known_frequencies.documents, known_frequencies.occurrences
        if len(self.without):
            own_df, own_cf = self._own_counts
            known = there[numbers[there] < len(own_df)]
            df[known] -= own_df[numbers[known]]
            cf[known] -= own_cf[numbers[known]]
        return Frequencies(df, cf)

    @cached_property
    def _own_counts(self) -> tuple[Ints, Ints]:
        """How many of the documents left out have each term, and how often."""
        assert self.counts is not None  # noqa: S101 - without it, no document is left out
        lists = self.counts.lists(self.without)
        often = np.bincount(lists.items, lists.counts, len(self.counts.table)).astype(np.int64)
        return np.bincount(lists.items, minlength=len(self.counts.table)), often
