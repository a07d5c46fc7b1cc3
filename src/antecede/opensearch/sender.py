"""Sends the documents of a scratch index to a cluster, in portions.

A document has a fixed id and is only ever created, so a portion may be sent any number of times: it is done when each
of its documents is acknowledged, or is there already. Its terms are written as `term|3 other|1` for the postings, and
one per line for its vector.
"""

from __future__ import annotations

import json
import time
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import zstandard

from antecede.errors import InputError, printable, spell
from antecede.index.build import BuildProgress
from antecede.opensearch.answers import RESULTS
from antecede.opensearch.cluster import BATCH_NUMBERS, DISK_FULL, TIMEOUT, Cluster, describe_cause
from antecede.opensearch.layout import (
    WORD_TERM,
    Generation,
    document_of,
    encode,
    field_of,
    pack_counts,
    words_field,
)
from antecede.parallel import map_threads
from antecede.patent.texts import indexed_texts
from antecede.text.bulk import BulkAnalyzer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from antecede.arrays import U32, Ints
    from antecede.index.codec import Lists
    from antecede.index.index import StoredIndex
    from antecede.text.vocabulary import Arena

LEVEL = 1
"""How much time is spent on compression: the sizes of higher levels are hardly smaller."""
PORTION = 1000
"""Documents that are made ready together."""
REQUEST = 20 << 20
"""Bytes of documents sent with one request, about: a node accepts 100 MB, and a tenth of its memory at a time."""
THREADS = 2
"""Portions in flight."""
WAIT = "10s"
"""How long the cluster waits for a shard before it refuses a document."""
PATIENCE = 300.0
"""Seconds for which a portion is sent again where the cluster refuses some of its documents."""
CREATED, THERE = 201, 409
PASSING = (429, 500, 502, 503, 504)
"""What a document of a portion may be refused with for a while: it is sent again."""
ACCEPTED = {"timeout": WAIT, "request_timeout": TIMEOUT, "filter_path": "items.*.status,items.*.error"}
"""How documents are sent: of an answer, what became of each is of interest."""
Action = tuple[str, str, bytes]
"""An index, the number of a document, and the document as JSON."""


def write_lists(lists: Lists, vocabulary: Arena) -> Iterator[tuple[bytes, bytes, U32]]:
    """For each list of numbers of terms: the terms with their counts, the terms one per line, and the counts."""
    arena, places = vocabulary
    distinct, number = np.unique(lists.items, return_inverse=True)
    bounds = zip(places[distinct].tolist(), places[distinct + np.uint32(1)].tolist(), strict=True)
    terms = np.array([arena[start:end].tobytes() for start, end in bounds], object)[number]
    times, number = np.unique(lists.counts, return_inverse=True)
    counted = terms + np.array([b"|%d " % count for count in times.tolist()], object)[number]
    for first, end in pairwise(lists.ptr.tolist()):
        text = b"".join(counted[first:end].tolist())
        yield text[:-1], b"\n".join(terms[first:end].tolist()), lists.counts[first:end]


class Sender:
    def __init__(self, target: Generation, index: StoredIndex, first: int = 0) -> None:
        """`first` is the number of the first document on the cluster."""
        self.target, self.index, self.first = target, index, first
        (self.segment,) = index.segments

    def send(self, portion: tuple[int, list[tuple[Any, ...]]]) -> int:
        """Send a portion until each document is there; returns how many there are."""
        first, rows = portion
        for actions in split_actions(self.actions(first, rows)):
            self.send_all(actions)
        return len(rows)

    def send_all(self, actions: list[Action]) -> None:
        """Send documents with one request, and again those that were not accepted for a reason that may pass."""
        until, pause = time.monotonic() + PATIENCE, 0.2
        while True:
            lines = []
            for index, name, document in actions:
                lines += [b'{"create":{"_index":"%b","_id":"%b"}}' % (index.encode(), name.encode()), document]
            results = _send_lines(self.target.cluster, lines, "create", len(actions))
            refused = [pair for pair in zip(actions, results, strict=True) if pair[1]["status"] not in (CREATED, THERE)]
            for action, result in refused:
                text = describe_cause(result.get("error"))
                if result["status"] not in PASSING or DISK_FULL.matches(result["status"], text):
                    raise self.refused(action[1], result)
            if not refused:
                return
            if time.monotonic() > until:
                raise self.target.cluster.error(
                    f"documents were refused for {PATIENCE / 60:.0f} minutes: shards of the index are missing, or busy",
                    f"start the nodes that hold them, then {spell('resume', True)}; without it, the load begins again",
                )
            time.sleep(pause)
            actions, pause = [action for action, _ in refused], min(2 * pause, 5.0)

    def refused(self, number: str, result: dict[str, Any]) -> InputError:
        error = describe_cause(result.get("error"))
        if DISK_FULL.matches(result["status"], error):
            return self.target.cluster.error(DISK_FULL.what, DISK_FULL.remedy)
        name = self.segment.doc_ids(np.array([int(number) - self.first]))[0]
        return InputError(
            f"the cluster refuses it ({result['status']}: {printable(error, 200)})",
            source=str(self.target.cluster.address),
            doc_id=name,
        )

    def actions(self, first: int, rows: Sequence[tuple[Any, ...]]) -> Iterator[Action]:
        """The documents of a portion with where they go: to be searched, and their records."""
        numbers = np.arange(first, first + len(rows))
        texts: list[dict[str, str]] = [{} for _ in rows]
        lengths: list[dict[str, int]] = [{} for _ in rows]
        compressor = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        for language, matrix in self.segment.matrices.items():
            places = matrix.rows_of(numbers)
            here = np.flatnonzero(places >= 0)
            written = write_lists(matrix.vectors_of(places[here]), matrix.vocabulary)
            for at, (text, terms, counts) in zip(here.tolist(), written, strict=True):
                lengths[at][language] = int(counts.sum())
                packed = encode(compressor.compress(pack_counts(terms, counts)))
                texts[at] |= {field_of("t", language): text.decode(), field_of("v", language): packed}
            if matrix.places is not None:
                for at, words in zip(here.tolist(), self.write_words(language, numbers[here]), strict=True):
                    texts[at] |= words
        data, ptr = self.segment.store.packed(first, first + len(rows))
        for at, row in enumerate(rows):
            number = self.first + first + at
            document = {**document_of(number, row, lengths[at], self.index.profile.names), **texts[at]}
            record = {"record": encode(data[ptr[at] : ptr[at + 1]].tobytes())}
            for index, content in ((self.target.name, document), (self.target.records, record)):
                yield index, str(number), json.dumps(content, ensure_ascii=False).encode()

    def write_words(self, language: str, numbers: Ints) -> Iterator[dict[str, str]]:
        """For each of some documents, the words of its fields in order, each with its term, as values of the fields."""
        records = map(self.segment.store.record, numbers.tolist())
        texts = [indexed_texts(patent, language, self.index.settings["fields"]) for patent in records]
        bulk = BulkAnalyzer(language, self.index.profile)
        parts = [text for fields in texts for text in fields.values()]
        _, batch = bulk.add_in_order(parts, np.ones(len(parts), np.bool_))
        known, terms = bulk.export_words(), bulk.vocabulary()
        written = np.array(
            [
                word if term < 0 else f"{word}|{WORD_TERM}{terms[term]}"
                for word, term in zip(known.texts(), batch.term_of.tolist(), strict=True)
            ],
            object,
        )
        ends = np.cumsum(batch.sizes).tolist()
        begins = iter(zip([0, *ends], ends, strict=False))
        for fields in texts:
            values: dict[str, str] = {}
            for name in fields:
                first, end = next(begins)
                words = batch.words[first:end]
                value = np.where(words >= 0, written[words], "|").tolist() if len(written) else []
                values[words_field(language, name)] = " ".join(value)
            yield values


def split_actions(actions: Iterable[Action], most: int = REQUEST) -> Iterator[list[Action]]:
    """Documents in lists of about the same size, at most about `most` bytes each."""
    every = [*actions]
    sizes = np.array([len(document) for _, _, document in every], np.int64)
    total = int(sizes.sum())
    parts = max(-(-total // most), 1)
    # Where a document begins decides which list it is in.
    begins = np.cumsum(sizes) - sizes
    bounds = np.searchsorted(begins, [total * part // parts for part in range(parts)]).tolist()
    yield from (every[first:end] for first, end in pairwise([*bounds, len(every)]) if first < end)


def _send_lines(cluster: Cluster, lines: Sequence[bytes], action: str, number: int) -> list[dict[str, Any]]:
    """Send so many actions of a kind on documents, and return what became of each."""
    body = b"\n".join(lines) + b"\n"
    items = cluster.call(lambda client: client.bulk(body=body, params=dict(ACCEPTED)), RESULTS)["items"]
    results = [item[action] for item in items if action in item]
    if len(results) != number or len(items) != number:
        raise cluster.misunderstood(f"{len(results)} results of {number} actions")
    return results


def send_documents(
    target: Generation, index: StoredIndex, progress: Callable[[BuildProgress], None], *, first: int = 0, resume: bool
) -> None:
    """Send every document of a scratch index; `first` is the number of its first document on the cluster."""
    sender = Sender(target, index, first)
    if resume:
        target.cluster.call(lambda client: client.indices.refresh(index=target.both))
    sent = 0
    for number in map_threads(sender.send, _portions(sender, resume=resume), THREADS):
        sent += number
        progress(BuildProgress("sending", sent, sent, sender.segment.documents))


def _portions(sender: Sender, *, resume: bool) -> Iterator[tuple[int, list[tuple[Any, ...]]]]:
    """The documents in portions; those that are there completely are left out where a load is resumed."""
    rows = sender.segment.store.all_rows()
    for first in range(0, sender.segment.documents, PORTION):
        portion = [*islice(rows, PORTION)]
        begin = sender.first + first
        if not (resume and _is_there(sender.target, begin, begin + len(portion))):
            yield first, portion


def _is_there(target: Generation, first: int, end: int) -> bool:
    """Whether the documents of a range are on the cluster, with their records."""
    ids = {"ids": {"values": [str(number) for number in range(first, end)]}}
    searched = target.cluster.count(target.name, {"range": {"n": {"gte": first, "lt": end}}})
    return searched == end - first and target.cluster.count(target.records, ids) == end - first


def delete_numbers(target: Generation, numbers: Sequence[int]) -> None:
    if not numbers:
        return
    for first in range(0, len(numbers), BATCH_NUMBERS):
        part = numbers[first : first + BATCH_NUMBERS]
        lines = [json.dumps({"delete": {"_index": name, "_id": str(number)}}).encode()
                 for number in part for name in (target.name, target.records)]  # fmt: skip
        results = _send_lines(target.cluster, lines, "delete", len(lines))
        bad = [result for result in results if result["status"] not in (200, 404)]
        if bad:
            why = printable(describe_cause(bad[0].get("error")), 200)
            raise target.cluster.error(f"a document cannot be removed ({why})", f"repeat with {spell('resume', True)}")
    target.cluster.call(lambda client: client.indices.refresh(index=target.both))
