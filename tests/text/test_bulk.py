"""Counting in bulk gives the same terms as one by one, for any text, batches and table sizes."""

from __future__ import annotations

import contextlib
import gzip
import json
import sys
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import InputError, UsageError
from antecede.text import Analyzer, BulkAnalyzer, load_profile, term_tables
from antecede.text.analyzer import MARK, OTHER, classify_character
from tests.text.reference import count_reference_terms, list_counts, texts

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.text import Profile

LANGUAGES = ["en", "fr", "de", "xx"]


def count_in_bulk(documents: list[str], language: str, how: Profile | str = "default") -> list[list[tuple[str, int]]]:
    analyzer = BulkAnalyzer(language, how)
    batch = analyzer.add([text.encode() for text in documents])
    return list_counts(batch, analyzer.vocabulary())


def count_one_by_one(
    documents: list[str], language: str, how: Profile | str = "default"
) -> list[list[tuple[str, int]]]:
    analyzer = Analyzer(language, how)
    return [count_reference_terms(analyzer.terms(text)) for text in documents]


lengths = st.builds(
    lambda shortest, longest: replace(load_profile(), shortest=shortest, longest=longest),
    st.integers(1, 4),
    st.integers(4, 20),
)


@given(st.lists(texts, max_size=5), st.sampled_from(LANGUAGES), st.sampled_from(["published", "default"]) | lengths)
def test_bulk_and_single_analysis_agree(documents: list[str], language: str, profile: Profile | str) -> None:
    assert count_in_bulk(documents, language, profile) == count_one_by_one(documents, language, profile)


@given(
    st.lists(texts, max_size=12),
    st.lists(st.integers(0, 12), max_size=4),
    st.sampled_from([(2, 8), (3, 16), (1 << 14, 1 << 16)]),
    st.sampled_from([1, 20, 1 << 22]),
)
def test_batches_and_table_sizes_make_no_difference(
    documents: list[str], cuts: list[int], sizes: tuple[int, int], group: int
) -> None:
    expected = BulkAnalyzer("fr")
    whole = list_counts(expected.add([text.encode() for text in documents]), expected.vocabulary())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(term_tables, "WORDS", sizes[0])
        patch.setattr(term_tables, "SLOTS", sizes[1])
        patch.setattr(term_tables, "GROUP", group)
        analyzer = BulkAnalyzer("fr")
        bounds = sorted({0, len(documents), *(cut for cut in cuts if cut < len(documents))})
        batches = [analyzer.add([text.encode() for text in documents[a:b]]) for a, b in pairwise(bounds)]
    assert analyzer.vocabulary() == expected.vocabulary()
    assert [each for batch in batches for each in list_counts(batch, analyzer.vocabulary())] == whole
    assert analyzer.words == expected.words


@pytest.mark.parametrize("longest", [4, 15, 16, 17, 64, 100])
def test_words_of_any_length_are_found_at_any_place(longest: int) -> None:
    settings = replace(load_profile(), shortest=1, longest=longest)
    words = ["A" * n for n in (1, 7, 8, 9, 15, 16, 17, 63, 64, 65, 130)]
    for word in (*words, "Maß", "é", "e\u0301" * 9, "x" * 15 + "ü", "字" * 30):
        documents = ["." * before + word + after for before in range(66) for after in ("", " b", "–c", "\u0301")]
        assert count_in_bulk(documents, "xx", settings) == count_one_by_one(documents, "xx", settings)


def test_empty_input_gives_an_empty_batch() -> None:
    analyzer = BulkAnalyzer("en")
    empty = analyzer.add([])
    assert (empty.ptr.tolist(), len(empty.terms)) == ([0], 0)
    blank = analyzer.add([b"", b"the 1234", b""])
    assert blank.ptr.tolist() == [0, 0, 0, 0]
    assert analyzer.vocabulary() == []
    assert analyzer.export_terms().ptr.tolist() == [0]


def test_similar_words_are_distinguished() -> None:
    # Lengths around 8 and 16 bytes, where the second number of a key and the hash come in; and prefixes.
    letters = "abcdefghijklmnopqrstuvwxyz"
    stems = [("abcdefghij" * 7)[:size] for size in (1, 7, 8, 9, 15, 16, 17, 24, 32, 33, 63)]
    documents = [" ".join(stem + last for last in letters) for stem in stems]
    documents += [" ".join(first + stem for first in letters) for stem in stems]
    documents += [" ".join(stem[:8] + inner + stem[8:] for inner in "üßж中𐐨") for stem in stems]
    stems = ["x" * n for n in (7, 8, 15, 16, 17, 24, 32)] + ["é" * n for n in (3, 4, 7, 8, 9)]
    documents += [" ".join(stem + ending for ending in ("", "a", "b", "ab", "ba", "à", "á")) for stem in stems]
    assert count_in_bulk(documents, "xx", "published") == count_one_by_one(documents, "xx", "published")
    assert len(count_in_bulk([" ".join(documents)], "xx", "published")[0]) == len({*" ".join(documents).split()})


def test_a_word_of_several_megabytes() -> None:
    analyzer = BulkAnalyzer("xx", "published")
    batch = analyzer.add([b"x" * 5_000_000, ("é" * 2_000_000).encode(), b"valve " * 500_000])
    assert analyzer.vocabulary() == ["x" * 64, "é" * 64, "valve"]
    assert batch.counts.tolist() == [1, 1, 500_000]
    assert analyzer.nbytes < 5_000_000


def test_memory_grows_with_the_vocabulary_and_not_with_the_text() -> None:
    analyzer = BulkAnalyzer("xx")
    letters = str.maketrans("0123456789", "abcdefghij")
    text = " ".join(f"w{number}".translate(letters) for number in range(50_000)).encode()
    analyzer.add([text, text])
    once = analyzer.nbytes
    analyzer.add([text] * 10)
    assert analyzer.nbytes == once
    assert analyzer.words == len(analyzer.vocabulary()) == 50_000
    assert 50_000 * 60 < once < 50_000 * 400


@pytest.mark.parametrize("word", ["éà".encode("latin-1"), b"x\xe4\xb8", b"\xf0\x90\x90 ab"])
def test_words_that_are_not_utf8_are_rejected(word: bytes) -> None:
    analyzer = BulkAnalyzer("fr")
    with pytest.raises(
        InputError, match="a text is not UTF-8; decode it with its actual encoding, and encode it as UTF-8"
    ):
        analyzer.add([b"clapet", word])
    with pytest.raises(UsageError, match="start again with a new BulkAnalyzer"):
        analyzer.add([b"clapet"])


@given(st.lists(st.binary(max_size=40), max_size=4))
def test_any_bytes_are_counted_or_rejected(documents: list[bytes]) -> None:
    analyzer = BulkAnalyzer("xx")
    with contextlib.suppress(InputError):
        assert len(analyzer.add([*documents, b"valve"]).ptr) - 1 == len(documents) + 1
        assert analyzer.vocabulary()[-1] == "valve"


def test_the_kind_table_is_correct_for_every_code_point() -> None:
    table = term_tables.build_kind_table()
    assert table[: sys.maxunicode + 1].tolist() == [classify_character(code) for code in range(sys.maxunicode + 1)]
    assert not table[sys.maxunicode + 1 :].any()
    assert np.count_nonzero(table == MARK) > 2000 > OTHER


def test_real_patents_are_counted_the_same_in_bulk(data: Path) -> None:
    with gzip.open(data / "patents-fulltext" / "patents.jsonl.gz", "rt") as lines:
        patents = [json.loads(line) for line, _ in zip(lines, range(60), strict=False)]
    documents = ["\n".join(patent[field] or "" for field in ("title", "abstract", "description")) for patent in patents]
    for name in ("published", "default"):
        assert count_in_bulk(documents, "en", name) == count_one_by_one(documents, "en", name)
