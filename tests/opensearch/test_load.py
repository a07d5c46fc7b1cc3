"""The term counts of documents as they are sent, against what Python writes; no cluster is needed for this."""

from __future__ import annotations

import numpy as np
import pytest
import zstandard

from antecede.arrays import pointers_from_sizes
from antecede.index.codec import Lists
from antecede.opensearch.layout import pack_counts, split_counts
from antecede.opensearch.sender import split_actions, write_lists
from antecede.text.vocabulary import Arena

TERMS = ["a", "bolt", "élan", "naïve", "ventil", "ｗ", "発明", "𝛼𝛽"]
COUNTS = [1, 9, 10, 99, 100, 12345, 2**31, 2**32 - 1]


def test_terms_are_written_with_their_counts() -> None:
    random = np.random.default_rng(5)
    chosen = [np.sort(random.choice(len(TERMS), size, replace=False)) for size in (3, 0, 8, 1, 0, 5)]
    counts = [random.choice(COUNTS, len(each)) for each in chosen]
    lists = Lists(
        pointers_from_sizes(np.array([len(each) for each in chosen])),
        np.concatenate(chosen).astype(np.uint32),
        np.concatenate(counts).astype(np.uint32),
    )
    found = [*write_lists(lists, Arena.join([term.encode() for term in TERMS]))]
    assert len(found) == len(chosen)
    for terms, often, (text, lines, kept) in zip(chosen, counts, found, strict=True):
        names = [TERMS[each] for each in terms]
        assert text.decode() == " ".join(f"{name}|{count}" for name, count in zip(names, often, strict=True))
        assert lines.decode() == "\n".join(names)
        assert kept.tolist() == often.tolist()
        read, again = split_counts(zstandard.compress(pack_counts(lines, kept)))
        assert read.decode() == "".join(f"{name}\n" for name in names)
        assert again.tolist() == often.tolist()


@pytest.mark.parametrize("most", [1, 7, 100, 1000, 10**6])
def test_documents_are_sent_in_requests_of_about_the_same_size(most: int) -> None:
    random = np.random.default_rng(11)
    sizes = [*random.integers(1, 90, 50).tolist(), 700, 0, 3, 0]
    actions = [("name", str(at), b"x" * size) for at, size in enumerate(sizes)]
    found = [*split_actions(actions, most)]
    assert [each for part in found for each in part] == actions
    assert all(found)
    assert len(found) <= -(-sum(sizes) // most)
    assert all(sum(len(each[2]) for each in part[:-1]) <= most for part in found)
    assert [*split_actions([], most)] == []
