"""When a reading has lost too much."""

from __future__ import annotations

import pytest

from antecede.corpus.collection import Ledger
from antecede.corpus.detection import MAGIC, describe_content
from antecede.corpus.document import Rejected

TIFF, PDF, DTD = b"II*\x00", b"%PDF-1.4", b"<!ELEMENT claim (#PCDATA)>"


def ledger_of(read: int, *heads: bytes) -> Ledger:
    """So many patents, and files that begin so."""
    ledger = Ledger(read=read)
    for head in heads:
        ledger.reject(Rejected("file", describe_content(head)))
    return ledger


@pytest.mark.parametrize(
    ("ledger", "failed"),
    [
        (ledger_of(0), False),
        (ledger_of(95, *[b"hello"] * 5), False),
        (ledger_of(94, *[b"hello"] * 5), True),
        (ledger_of(1, *[TIFF, PDF, DTD] * 9), False),
        (ledger_of(95, *[TIFF] * 500, *[b"hello"] * 5), False),
        (ledger_of(94, *[TIFF] * 500, *[b"hello"] * 5), True),
        (ledger_of(0, TIFF), True),
        (ledger_of(1, b"<html><body>503 Service Unavailable"), True),
    ],
)
def test_files_beside_patents_do_not_make_a_reading_fail(ledger: Ledger, failed: bool) -> None:
    assert ledger.failed is failed
    assert ledger.read == ledger.patents + ledger.merged + ledger.rejected


def test_what_might_hold_patents_counts_as_lost() -> None:
    for magic, name in MAGIC:
        assert ledger_of(1, magic).failed is not name.endswith(("image", "PDF file")), name
