"""Patents as a search engine sees them: words by Zipf's law, topics that share words, lengths that differ widely.

    python -P bench/collection_work.py FOLDER DOCUMENTS SEED [--words WORDS]

writes as many files of JSON lines as the documents need, unless FOLDER holds them already, and prints their names as
JSON. A file depends on its number and the seed alone, so a smaller collection is the beginning of a larger one. The
patents of `topics.jsonl` are in none of them: queries are made from these. A patent has 1,500 words, WORDS if that is
said; one that is longer says more of the same, as patents do: beyond 1,500 words it repeats those it has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

A_FILE = 1_000
"""Documents in a file."""
TOPICS = 100
WORDS = 500_000
FIELDS = 2_000
"""Fields of technology; a patent is of one to three."""
FIELD_WORDS = 200
MEAN_LENGTH = 1_500
SYLLABLES = [first + second for first in "bcdfghjklmnpqrstvwxz" for second in "aeiou"]


@dataclass(frozen=True)
class Language:
    """The words, and how likely each is: in all patents, and in those of a field."""

    words: NDArray[np.uint64]
    """The letters of each word and a blank, eight at most, as the bytes of a number: one look-up in memory."""
    likely: NDArray[np.float32]
    other: NDArray[np.int32]
    """Walker's tables of aliases: a word by two random numbers."""
    fields: NDArray[np.int32]
    """The words of each field, the most typical first."""
    typical: NDArray[np.float64]


def language(seed: int) -> Language:
    """The words and the fields of a seed."""
    random = np.random.default_rng(seed)
    words = np.array([int.from_bytes(f"{word(number)} ".encode(), "little") for number in range(WORDS)], np.uint64)
    zipf = (np.arange(WORDS) + 61.0) ** -1.05
    likely, other = aliases(zipf / zipf.sum())
    fields = np.exp(random.uniform(np.log(200), np.log(400_000), (FIELDS, FIELD_WORDS))).astype(np.int32)
    typical = np.cumsum((np.arange(FIELD_WORDS) + 3.0) ** -0.9)
    return Language(words, likely.astype(np.float32), other.astype(np.int32), fields, typical / typical[-1])


def word(number: int) -> str:
    """A word of letters alone, short for a common one; no two numbers have the same."""
    first, rest = number % 100, number // 100
    second, third = rest % 100, rest // 100
    return SYLLABLES[first] + SYLLABLES[second] + (SYLLABLES[third % 100] if third else "")


def aliases(chances: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Walker's tables: place i is drawn with equal chance, and stands for itself or for its alias."""
    scaled = chances * len(chances)
    kept, other = np.ones(len(chances)), np.arange(len(chances))
    small, large = np.flatnonzero(scaled < 1).tolist(), np.flatnonzero(scaled >= 1).tolist()
    while small and large:
        less, more = small.pop(), large[-1]
        kept[less], other[less] = scaled[less], more
        scaled[more] += scaled[less] - 1
        if scaled[more] < 1:
            small.append(large.pop())
    return kept, other


def write_text(
    seed: int,
    length: int,
    fields: NDArray[np.int64],
    share: float,
    words: NDArray[np.uint64],
    likely: NDArray[np.float32],
    other: NDArray[np.int32],
    field_words: NDArray[np.int32],
    typical: NDArray[np.float64],
    own: NDArray[np.int32],
    out: NDArray[np.uint8],
) -> int:
    """The text of one patent: each word from one of its fields, or from all words; how many bytes it takes.

    When `own` is full, words are drawn from it, those at its beginning most often.
    """
    np.random.seed(seed)  # noqa: NPY002  numba has no other
    at = 0
    for place in range(length):
        if place >= len(own):
            number = own[np.int64(np.random.random() ** 2 * len(own))]  # noqa: NPY002
        elif np.random.random() < share:  # noqa: NPY002
            which = np.random.random()  # noqa: NPY002
            field = fields[0 if which < 0.6 else (1 if which < 0.85 else 2)]
            number = field_words[field, np.searchsorted(typical, np.random.random())]  # noqa: NPY002
        else:
            drawn = np.random.random() * len(likely)  # noqa: NPY002
            number = np.int32(drawn)
            if drawn - number >= likely[number]:
                number = other[number]
        if place < len(own):
            own[place] = number
        letters = words[number]
        while letters:
            out[at] = np.uint8(letters & np.uint64(255))
            letters >>= np.uint64(8)
            at += 1
    return at - 1


fast_text: Any = numba.njit(write_text)


def patents(number: int, documents: int, seed: int, known: Language, words: int) -> Iterator[dict[str, Any]]:
    """The patents of a file, of so many words."""
    random = np.random.default_rng([seed, number])
    lengths = np.clip(random.lognormal(np.log(words) - 0.18, 0.6, documents), 100, 10 * words).astype(int)
    fields = random.integers(FIELDS, size=(documents, 3))
    fields[:, 1:] = np.where(random.random((documents, 2)) < 0.5, fields[:, :1], fields[:, 1:])
    shares, seeds = random.uniform(0.25, 0.5, documents), random.integers(2**31, size=documents)
    names, days = random.permutation(documents), random.integers(0, 365 * 40, documents)
    out = np.empty(10 * words * 8, np.uint8)
    for at in range(documents):
        used = fast_text(
            seeds[at], lengths[at], fields[at], shares[at],
            known.words, known.likely, known.other, known.fields, known.typical,
            np.empty(lengths[at] * MEAN_LENGTH // words, np.int32), out,
        )  # fmt: skip
        field = int(fields[at, 0])
        yield {
            "doc_id": f"US{3_000_000 + number * A_FILE + int(names[at])}",
            "language": "en",
            "publication_date": str(np.datetime64("1970-01-01") + days[at]),
            "ipc": [f"{'ABCDEFGH'[field % 8]}{field % 40 + 10}{'BCDFGHK'[field % 7]} {field % 50 + 1}/00"],
            "description": out[:used].tobytes().decode(),
        }


def provide(folder: Path, documents: int, seed: int, words: int = MEAN_LENGTH) -> dict[str, Any]:
    """Write the files that are not there yet."""
    fingerprint = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "made-by"
    if not stamp.exists() or stamp.read_text() != fingerprint:
        for old in folder.glob("*.jsonl"):
            old.unlink()
        stamp.write_text(fingerprint)
    files = -(-documents // A_FILE)
    wanted = {folder / f"{number:04d}.jsonl": (number, A_FILE) for number in range(files)}
    wanted[folder / "topics.jsonl"] = (1_000_000, TOPICS)
    missing = {path: which for path, which in wanted.items() if not path.exists()}
    known = language(seed) if missing else None
    for path, (number, size) in missing.items():
        fresh = path.with_suffix(".unfinished")
        with fresh.open("w") as file:
            file.writelines(json.dumps(each) + "\n" for each in patents(number, size, seed, known, words))  # type: ignore[arg-type]
        fresh.replace(path)
    return {
        "files": [str(folder / f"{number:04d}.jsonl") for number in range(files)],
        "topics": str(folder / "topics.jsonl"),
        "bytes": sum((folder / f"{number:04d}.jsonl").stat().st_size for number in range(files)),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("documents", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("--words", type=int, default=MEAN_LENGTH)
    json.dump(provide(**vars(parser.parse_args())), sys.stdout)
