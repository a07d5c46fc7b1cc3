"""Term counts and statistics on a cluster. This side numbers the terms, in the order in which they are first met."""

from __future__ import annotations

import threading
from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.errors import shown
from antecede.index.arrays import pointers_from_sizes
from antecede.index.codec import Lists
from antecede.index.matrix import NOTHING, Matrix
from antecede.index.statistics import Frequencies, Statistics
from antecede.opensearch.address import FolderOnly
from antecede.opensearch.answers import VECTORS
from antecede.opensearch.documents import Lookup
from antecede.opensearch.layout import decode, field_of, split_counts
from antecede.text.vocabulary import NEW_LINE, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from antecede.index.matrix import Room
    from antecede.opensearch.cluster import Cluster
    from antecede.opensearch.documents import ClusterSegment

    Vector = tuple[NDArray[np.uint32], NDArray[np.uint32]]

MOST_POSTINGS = 1 << 25
"""Term counts of documents that are kept in memory, of eight bytes each."""
VECTORS_AT_ONCE = 500
"""Documents whose term counts are fetched with one request."""
NUMBERED_AT_ONCE = 32
"""Documents whose terms are numbered together."""
TERMS_AT_ONCE = 4000
"""Terms whose frequencies are fetched with one request."""
UNKNOWN = -1


class ClusterTerms:
    """The terms of a language that were met so far, with their frequencies; may be used from several threads."""

    def __init__(self, cluster: Cluster, name: str, language: str, routings: Sequence[str], tokens: int = 0) -> None:
        """`routings` are texts by which a document goes to each shard, one per shard; `tokens` are at least there."""
        self.cluster, self.name, self.field, self.routings = cluster, name, field_of("t", language), routings
        self.tokens = tokens
        self.vocabulary = Vocabulary()
        """The terms of documents and queries. A million may come with one search: there is no object per term."""
        self.asked: dict[str, int] = {}
        """The numbers of terms whose frequencies were asked for."""
        self.often = np.full((2, 1 << 14), UNKNOWN, np.int64)
        """Document and collection frequency of each term; −1 where they were not asked for."""
        self.absent: set[str] = set()
        """Terms that no document has."""
        self.lock = threading.Lock()

    def __len__(self) -> int:
        return len(self.vocabulary)

    def number_terms(self, lines: bytes) -> NDArray[np.uint32]:
        """The numbers of terms that documents have, each followed by a newline; new ones are numbered."""
        data = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(data == NEW_LINE)
        starts = np.concatenate((np.zeros(1, np.int64), ends[:-1] + 1)) if len(ends) else ends
        with self.lock:
            found = self.vocabulary.number(data, starts, ends)
            if len(self) > self.often.shape[1]:
                # Another thread may still read the old array: it is not changed.
                more = np.full((2, 2 * len(self) - self.often.shape[1]), UNKNOWN, np.int64)
                self.often = np.concatenate((self.often, more), axis=1)
        return found.view(np.uint32)

    def term(self, number: int) -> str:
        with self.lock:
            arena, ptr = self.vocabulary.terms()
            return arena[ptr[number] : ptr[number + 1]].tobytes().decode()

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        new = [term for term in dict.fromkeys(terms) if term not in self.asked and term not in self.absent]
        if new:
            self.learn(new)
        return np.array([self.asked.get(term, -1) for term in terms], np.int64)

    def frequencies(self, numbers: NDArray[np.int64]) -> Frequencies:
        """The frequencies of terms by number."""
        missing = np.unique(numbers[self.often[0, numbers] == UNKNOWN])
        if len(missing):
            self.learn([self.term(number) for number in missing.tolist()])
        often = self.often
        return Frequencies(often[0, numbers], often[1, numbers])

    def learn(self, terms: Sequence[str]) -> None:
        """Ask for the frequencies of terms."""
        for first in range(0, len(terms), TERMS_AT_ONCE):
            part = terms[first : first + TERMS_AT_ONCE]
            df, cf = self.fetch(part)
            there = np.flatnonzero(df)
            known = [part[at] for at in there.tolist()]
            numbers = self.number_terms("".join(f"{term}\n" for term in known).encode()).astype(np.int64)
            with self.lock:
                self.often[:, numbers] = df[there], cf[there]
                self.asked.update(zip(known, numbers.tolist(), strict=True))
                self.absent.update(part[at] for at in np.flatnonzero(df == 0).tolist())

    def fetch(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """Document and collection frequencies: an artificial document with the terms is sent to each shard."""
        place = {term: at for at, term in enumerate(terms) if "|" not in term and term.split() == [term]}
        often = np.zeros((2, len(terms)), np.int64)
        if not place:
            return often
        for vector in self.ask({self.field: " ".join(f"{term}|1" for term in place)}):
            for term, each in vector.get("terms", {}).items():
                if term not in place:
                    raise self.cluster.misunderstood(f"{term} was not asked for")
                often[:, place[term]] += each.get("doc_freq", 0), each.get("ttf", 0)
        return often

    def totals(self) -> tuple[int, int]:
        """Documents with a term, and tokens, as the cluster's BM25 counts them: with documents that were replaced."""
        found = [vector["field_statistics"] for vector in self.ask({self.field: "a|1"})]
        return sum(max(each["doc_count"], 0) for each in found), sum(max(each["sum_ttf"], 0) for each in found)

    def ask(self, document: dict[str, str]) -> list[dict[str, Any]]:
        """The statistics of the terms of an artificial document on each shard.

        A shard that does not answer, or a copy that does not have all documents yet, is an error: document frequencies
        that are too small would give another ranking.
        """
        how = {"fields": [self.field], "term_statistics": True, "field_statistics": True}
        how |= dict.fromkeys(("positions", "offsets", "payloads"), False)
        asked = [{"_index": self.name, "doc": document, "routing": each, **how} for each in self.routings]
        answers = self.cluster.call(lambda client: client.mtermvectors(body={"docs": asked}), VECTORS)["docs"]
        if len(answers) != len(asked):
            raise self.cluster.misunderstood(f"{len(answers)} statistics of {len(asked)} shards")
        found = [each["term_vectors"][self.field] for each in answers if self.field in each.get("term_vectors", {})]
        why = next((each["error"].get("reason", "") for each in answers if "error" in each), None)
        tokens = sum(max(each["field_statistics"]["sum_ttf"], 0) for each in found)
        if why is None and tokens < self.tokens:
            why = f"it has {tokens} tokens of {self.tokens}"
        if why is not None:
            raise self.cluster.error(
                f"a shard does not give its statistics ({shown(why, 200)})",
                "wait until the cluster is green, and repeat the search",
            )
        return found


class ClusterMatrix(FolderOnly, Matrix):
    """The term counts of one language on a cluster; rows are the numbers of documents."""

    complete = False

    def __init__(self, segment: ClusterSegment, language: str, table: ClusterTerms) -> None:
        self.segment, self.language, self.table = segment, language, table
        self.deleted = NOTHING
        self.kept: OrderedDict[int, Vector] = OrderedDict()
        self.postings_kept = 0
        self.lock = threading.Lock()

    @property
    def rows(self) -> int:
        return self.segment.documents

    @property
    def terms(self) -> int:
        """Number of distinct terms that were met so far."""
        return len(self.table)

    @cached_property
    def documents(self) -> Any:
        return Lookup(lambda numbers: numbers, np.uint32)

    @cached_property
    def lengths(self) -> Any:
        return Lookup(
            lambda numbers: self.segment.of_heads(numbers, lambda head: head.lengths.get(self.language, 0)), np.uint32
        )

    def rows_of(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        numbers = np.asarray(documents, np.int64)
        there = self.segment.of_heads(numbers.tolist(), lambda head: self.language in head.lengths)
        return np.where(np.array(there, np.bool_), numbers, -1)

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of terms, −1 where one does not occur."""
        return self.table.find(terms)

    def term(self, number: int) -> str:
        """The term with a number."""
        return self.table.term(number)

    def vectors_of(self, rows: NDArray[np.int64], room: Room | None = None) -> Lists:  # noqa: ARG002 - they are kept
        found = self.vectors(np.asarray(rows, np.int64).tolist())
        ptr = pointers_from_sizes(np.array([len(items) for items, _ in found], np.int64))
        empty = [NOTHING]
        return Lists(ptr, np.concatenate(empty + [i for i, _ in found]), np.concatenate(empty + [c for _, c in found]))

    def vectors(self, rows: Sequence[int]) -> list[Vector]:
        """The term numbers and counts of each of some rows; those that are not kept are fetched together."""
        kept = self.kept
        found = {row: vector for row in rows if (vector := kept.get(row)) is not None}
        missing = [row for row in dict.fromkeys(rows) if row not in found]
        for first in range(0, len(missing), VECTORS_AT_ONCE):
            found.update(self.fetch(missing[first : first + VECTORS_AT_ONCE]))
        if not found.keys() >= {*rows}:
            raise self.segment.store.damaged(f"documents without text in {self.language or 'an unknown language'}")
        return [found[row] for row in rows]

    def fetch(self, rows: Sequence[int]) -> dict[int, Vector]:
        """The vectors of some rows from the cluster; what else is known of the documents comes with them."""
        field, store = field_of("v", self.language), self.segment.store
        read: list[tuple[int, bytes, NDArray[np.uint32]]] = []
        for each in store.cluster.by_number(store.name, rows, ["n", "head", field]):
            number, _ = store.learn(each)
            if field in each:
                try:
                    read.append((number, *split_counts(decode(each[field][0]))))
                except (ValueError, TypeError, IndexError, zstandard.ZstdError) as error:
                    raise store.damaged(f"document {number}: {shown(str(error))}") from None
        store.forget()
        found = {}
        for first in range(0, len(read), NUMBERED_AT_ONCE):
            part = read[first : first + NUMBERED_AT_ONCE]
            numbers = self.table.number_terms(b"".join(lines for _, lines, _ in part))
            ptr = pointers_from_sizes(np.array([len(counts) for _, _, counts in part], np.int64)).tolist()
            for at, (number, _, counts) in enumerate(part):
                found[number] = numbers[ptr[at] : ptr[at + 1]].copy(), counts
        with self.lock:
            self.kept.update(found)
            self.postings_kept += sum(len(items) for items, _ in found.values())
            while self.postings_kept > MOST_POSTINGS and self.kept:
                self.postings_kept -= len(self.kept.popitem(last=False)[1][0])
        return found


class ClusterStatistics(Statistics):
    """The statistics of one language on a cluster."""

    def __init__(self, matrix: ClusterMatrix, documents: int, tokens: int) -> None:
        super().__init__(matrix.language, [matrix])
        self.table = matrix.table
        self.__dict__["documents"], self.__dict__["tokens"] = documents, tokens

    def frequencies_of(self, numbers: Sequence[NDArray[np.int64]]) -> Frequencies:
        only = numbers[0]
        df, cf = np.zeros(len(only), np.int64), np.zeros(len(only), np.int64)
        there = np.flatnonzero(only >= 0)
        found = self.table.frequencies(only[there])
        df[there], cf[there] = found.documents, found.occurrences
        return Frequencies(df, cf)

    @cached_property
    def candidate_totals(self) -> tuple[int, int]:
        """Documents and tokens as the cluster's own BM25 counts them."""
        return self.table.totals()
