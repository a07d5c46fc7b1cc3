"""Exports of databases, offices and programs in other columns, orders, languages, encodings and forms of dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection
from tests.corpus.source_variants import EXPECTED, VARIANTS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", VARIANTS)
def test_an_export_is_read_as_a_person_reads_it(name: str, tmp_path: Path) -> None:
    text, encoding = VARIANTS[name]
    (tmp_path / name).write_bytes(text.encode(encoding))
    collection = Collection(tmp_path / name)
    kept = [*collection.patents()]
    ledger = collection.ledger
    counts, fields = EXPECTED[name]
    assert (len(kept), ledger.merged, ledger.rejected) == counts
    assert ledger.read == sum(counts)
    first = kept[0].to_dict() if kept else {}
    assert {field: first.get(field) for field in fields} == fields
    assert all(patent.title for patent in kept)
