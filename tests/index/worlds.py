"""Small collections for indexes, what an index of them must hold, and all the bytes of one."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import strategies as st

from antecede.corpus import Collection
from antecede.index import build, chunk
from antecede.index.codec import Lists
from antecede.patent.texts import FIELDS
from antecede.text import Analyzer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index.matrix import Matrix
    from antecede.patent import Patent

    Counts = dict[str, Counter[str]]
    """Document → how often each term occurs in it."""

WORDS = [
    "press", "presses", "pressing", "valve", "valves", "housing", "of", "the", "and", "with", "zeta", "naïve", "Größe",
    "élément", "Ventil", "der", "die", "le", "la", "polytetrafluoroethylene", "supercalifragilisticexpialidocious", "x",
    "42", "a12b", "ﬁne", "İstanbul",
]  # fmt: skip


def random_patent(chance: random.Random, number: int) -> dict[str, Any]:
    """A document of the patent of a number, with texts in several languages, some of them empty."""

    def text() -> str:
        return " ".join(chance.choices(WORDS, k=chance.choice([0, 1, 5, 12])))

    def texts() -> dict[str, str]:
        return {language: text() for language in chance.sample(["en", "de", "fr", "ja"], chance.choice([0, 1, 1, 2]))}

    def day() -> str:
        return f"{chance.randint(1950, 2030)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"

    claims = {
        language: [text() for _ in range(chance.randint(0, 3))] for language in chance.choice([[], ["en"], ["de"]])
    }
    whole: dict[str, Any] = {"title": texts(), "abstract": texts(), "description": texts(), "claims": claims}
    maybe = {
        "kinds": [chance.choice(["A1", "B1"])],
        "language": chance.choice(["en", "de"]),
        "publication_date": day(),
        "filing_date": day(),
        "family_id": chance.choice(["7", "8"]),
        "ipc": chance.sample(["H04L 12/56", "H04L 1/00", "A61K 31/44"], 2),
        "citations": [{"number": "EP-1000001-A1", "category": "X"}],
        "applicants": ["Größe & Söhne"],
    }
    return {
        "doc_id": f"EP{1000000 + number}",
        **whole,
        **{name: maybe[name] for name in maybe if chance.random() < 0.7},
    }


def random_collection(seed: int, size: int, patents: int) -> list[dict[str, Any]]:
    """So many documents of so many patents."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret
    return [random_patent(chance, chance.randint(1, patents)) for _ in range(size)]


def each_once(seed: int, size: int) -> list[dict[str, Any]]:
    """So many patents of one document each."""
    chance = random.Random(seed)  # noqa: S311
    return [random_patent(chance, number) for number in chance.sample(range(1, 100), size)]


collection = st.builds(random_collection, st.integers(0, 2**32), st.integers(1, 25), st.integers(1, 12))


@contextmanager
def chunks_of(documents: int) -> Iterator[None]:
    """Chunks of a few documents."""
    kept = chunk.CHUNK_DOCUMENTS, build.LATE_DOCUMENTS
    chunk.CHUNK_DOCUMENTS = build.LATE_DOCUMENTS = documents
    try:
        yield
    finally:
        chunk.CHUNK_DOCUMENTS, build.LATE_DOCUMENTS = kept


def write(path: Path, patents: Iterable[dict[str, Any]]) -> Path:
    """Patents as JSON lines."""
    path.write_text("".join(json.dumps(each) + "\n" for each in patents), encoding="utf-8")
    return path


def merged(path: Path) -> dict[str, Patent]:
    """The patents of a file by name, merged as the corpus merges them."""
    return {each.doc_id: each for each in Collection(path).patents()}


def counts_of(patents: Iterable[Patent], language: str, fields: Sequence[str] = FIELDS) -> Counts:
    """The terms of texts, counted one by one with the analyser of queries."""
    analyzer, found = Analyzer(language), {}
    for each in patents:
        texts = [getattr(each, name).get(language, "") for name in fields]
        whole = "\n".join(text if isinstance(text, str) else "\n".join(text) for text in texts if text)
        if whole:
            found[each.doc_id] = Counter(analyzer.terms(whole))
    return found


def by_row(index: EmbeddedEngine, language: str) -> Counts:
    """What an index says, from its rows; documents that were replaced left out."""
    found: Counts = {}
    for segment, matrix in index.matrices(language):
        terms = matrix.all_terms()
        lists = matrix.vectors_of(np.arange(matrix.rows))
        for row, name in enumerate(segment.doc_ids(matrix.documents)):
            if row in matrix.deleted:
                continue
            place = slice(lists.ptr[row], lists.ptr[row + 1])
            items = (terms[term] for term in lists.items[place])
            found[name] = Counter(dict(zip(items, lists.counts[place].tolist(), strict=True)))
            assert found[name].total() == matrix.lengths[row]
    return found


def by_term(index: EmbeddedEngine, language: str) -> Counts:
    """What an index says, from its terms."""
    found: Counts = {}
    for segment, matrix in index.matrices(language):
        names = segment.doc_ids(matrix.documents)
        gone = set(matrix.deleted.tolist())
        found |= {name: Counter() for row, name in enumerate(names) if row not in gone}
        lists = matrix.postings_of(np.arange(matrix.terms))
        for number, term in enumerate(matrix.all_terms()):
            place = slice(lists.ptr[number], lists.ptr[number + 1])
            for row, count in zip(lists.items[place].tolist(), lists.counts[place].tolist(), strict=True):
                if row not in gone:
                    found[names[row]][term] = count
    return found


def dense_counts(matrix: Matrix) -> NDArray[np.int64]:
    """A matrix with a zero for each term that a row does not have."""
    counts = np.zeros((matrix.rows, matrix.terms), np.int64)
    lists = matrix.vectors_of(np.arange(matrix.rows))
    counts[np.repeat(np.arange(matrix.rows), np.diff(lists.ptr)), lists.items] = lists.counts
    return counts


def match_lists(lists: Lists, wanted: NDArray[np.int64]) -> Lists:
    """The wanted items of lists, each as its place among them; `wanted` ascends."""
    places = np.searchsorted(wanted, lists.items)
    kept = np.append(wanted, -1)[places] == lists.items
    ptr = np.concatenate([[0], np.cumsum(kept)])[lists.ptr]
    return Lists(ptr, places[kept].astype(np.uint32), lists.counts[kept])


def records(index: EmbeddedEngine) -> dict[str, Patent]:
    """Every patent that an index holds, by name."""
    return {
        name: segment.store.record(number)
        for segment in index.segments
        for number, name in enumerate(segment.doc_ids(np.arange(segment.documents)))
        if segment.live[number]
    }


def all_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of an index, but for the lock."""
    return {
        str(each.relative_to(folder)): each.read_bytes()
        for each in sorted(folder.rglob("*"))
        if each.is_file() and each.name != "lock"
    }


def busy_collection(path: Path, seed: int, size: int, first: int) -> Path:
    """Patents with texts long enough that a few thousand of them are several chunks."""
    chance = random.Random(seed)  # noqa: S311
    words = [f"{chance.choice(WORDS)}{chance.choice('abcdefgh')}{chance.choice('klmnop')}" for _ in range(3000)]
    numbers = [number for number in range(first, first + size) for _ in range(1 + (number % 9 == 0))]
    chance.shuffle(numbers)
    return write(
        path,
        (
            {"doc_id": f"EP{1000000 + number}", "language": "en", "description": " ".join(chance.choices(words, k=900))}
            for number in numbers
        ),
    )
