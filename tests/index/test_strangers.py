"""An index that a stranger made, its checksums right: refused before a compiled loop uses its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.embedded.engine import EmbeddedEngine
from antecede.errors import InputError
from antecede.index import build_index, merge_index, verify_index
from antecede.index.codec import decode_numbers, encode_numbers
from antecede.index.files import METADATA, SEGMENTS
from antecede.query.query import Query
from tests.fuzz.index_worlds import dense_of, seal, write_direction
from tests.index.worlds import WORDS, each_once, write
from tests.search.worlds import retrieve
from tests.sqlite_files import with_endless_schema

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def index(tmp_path: Path) -> Path:
    build_index(write(tmp_path / "a.jsonl", each_once(1, 30)), tmp_path / "index", workers=1)
    return tmp_path / "index"


def change(index: Path, name: str, columns: int, by: Callable[[Any], Any]) -> None:
    """Change the numbers of a file, and seal the index."""
    path = index / SEGMENTS / "s000001" / name
    data = path.read_bytes()
    if columns:
        found = decode_numbers(np.frombuffer(data, np.uint8), columns)
        assert found is not None
        path.write_bytes(encode_numbers(*by(found.copy()).T).tobytes())
    else:
        kind = {"u32": np.uint32, "i64": np.int64, "u8": np.uint8}[path.suffix[1:]]
        path.write_bytes(by(np.frombuffer(data, kind).copy()).tobytes())
    seal(index)


def put(place: Any, value: int) -> Callable[[Any], Any]:
    """Put a number into a place."""

    def by(numbers: Any) -> Any:
        numbers[place] = value
        return numbers

    return by


def swap(one: Any, other: Any) -> Callable[[Any], Any]:
    """Swap two numbers, or two rows."""

    def by(numbers: Any) -> Any:
        numbers[[one, other]] = numbers[[other, one]]
        return numbers

    return by


def far_before(sizes: Any) -> Any:
    """A term that shares −2⁴⁰ bytes with the one before it, and another that makes up for it in the sum."""
    sizes[3, 0], sizes[4, 0] = 2**64 - 2**40, 2**40
    return sizes


@pytest.mark.parametrize(
    ("name", "columns", "by"),
    [
        ("en/terms_sizes.u8", 2, far_before),
        ("en/terms_sizes.u8", 2, put((3, 0), 2**62)),
        ("en/terms_sizes.u8", 2, put((0, 0), 1)),
        ("en/terms_sizes.u8", 2, swap(2, 5)),
        ("en/documents.u32", 0, put(-1, 4_000_000_000)),
        ("en/documents.u32", 0, put(1, 0)),
        ("en/by_term_heads.u8", 3, put((0, 0), 2**31)),
        ("en/by_term_heads.u8", 3, put((0, 0), 0)),
        ("en/by_term_heads.u8", 3, put((0, 1), 2**62)),
        ("en/by_term_heads.u8", 3, put((0, 2), 2**62)),
        ("en/by_row_heads.u8", 3, put((0, 0), 2**40)),
        ("en/by_row_heads.u8", 3, put((0, 2), 0)),
        ("order.u32", 0, put(0, 4_000_000_000)),
        ("order.u32", 0, swap(0, 1)),
        ("doc_ids_ptr.i64", 0, put(2, -5)),
        ("doc_ids_ptr.i64", 0, put(2, 2**60)),
        ("doc_ids.u8", 0, put(3, 255)),
    ],
)
def test_numbers_that_cannot_be_are_refused(index: Path, name: str, columns: int, by: Callable[[Any], Any]) -> None:
    change(index, name, columns, by)
    assert not verify_index(index).ok
    with pytest.raises(InputError, match=r"is damaged \(|does not fit the rest"):
        search(index)


def search(index: Path) -> list[str]:
    opened = EmbeddedEngine.open(index)
    terms = dict.fromkeys(opened.analyzer("en").terms(" ".join(WORDS)), 1.0)
    return list(retrieve(opened, Query.from_terms(terms, "en"), model="lm_dirichlet").doc_ids)


def test_records_out_of_place_are_refused_by_a_merge(index: Path) -> None:
    change(index, "records_ptr.i64", 0, put(4, 2**50))
    with pytest.raises(InputError, match="records_ptr"):
        EmbeddedEngine.open(index).patent(EmbeddedEngine.open(index).segments[0].doc_ids(np.array([3]))[0])
    assert not verify_index(index).ok
    assert merge_index(index).segments == 1  # one segment, nothing replaced: there is nothing to do


def test_two_directions_that_differ_are_found_by_verify(index: Path) -> None:
    """Each list is right in itself; only the comparison of all postings shows that a row has another term by term."""
    folder = index / SEGMENTS / "s000001" / "en"
    counts = dense_of(folder, index)[2]
    row, term = (int(each[0]) for each in np.nonzero(counts))
    free = int(np.flatnonzero(counts[row] == 0)[0])
    counts[row, free], counts[row, term] = counts[row, term], 0
    write_direction(folder, "by_row", counts)
    seal(index)
    assert [problem for problem in verify_index(index).problems if "by row than by term" in problem]


def test_bits_of_rows_that_differ_from_the_places_are_found_by_verify(tmp_path: Path) -> None:
    index = tmp_path / "index"
    build_index(write(tmp_path / "a.jsonl", [{"doc_id": "EP1", "title": {"en": "the press"}}]), index, workers=1)
    assert verify_index(index).ok
    change(index, "en/row_bits.u8", 0, put(0, 0))
    assert [problem for problem in verify_index(index).problems if "other rows than its bits say" in problem]


def test_counts_of_unknown_language_that_add_up_to_more_than_fits_are_refused(tmp_path: Path) -> None:
    """`valve` and `valves` are one term of a search in English; their counts are added then."""
    documents: list[dict[str, Any]] = [
        {"doc_id": "EP1", "title": "valve valves"},
        {"doc_id": "EP2", "title": {"en": "the press of valves"}},
    ]
    index = tmp_path / "index"
    build_index(write(tmp_path / "a.jsonl", documents), index, workers=1)
    assert sorted(search(index)) == ["EP1", "EP2"]
    folder = index / SEGMENTS / "s000001" / "unknown"
    counts = dense_of(folder, index)[2]
    counts[:] = 2**32 - 1
    write_direction(folder, "by_row", counts)
    write_direction(folder, "by_term", counts.T)
    seal(index)
    with pytest.raises(InputError, match="more tokens than 32 bits"):
        search(index)
    assert not verify_index(index).ok


def test_a_schema_that_is_never_read_to_its_end_is_refused(index: Path) -> None:
    path = index / SEGMENTS / "s000001" / METADATA
    path.write_bytes(with_endless_schema(path.read_bytes(), "documents"))
    seal(index)
    with pytest.raises(InputError, match="interrupted"):
        EmbeddedEngine.open(index).segments[0].store.number_of("EP1")
    assert [problem for problem in verify_index(index).problems if "interrupted" in problem]
