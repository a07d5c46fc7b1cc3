"""Documents and archives with bits flipped and stretches lost: what is left is read, or rejected with a reason."""

from __future__ import annotations

import gzip
import lzma
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpus.hostile_documents import END, GOOD, ROOT, START, doctype, rows, survives
from tests.corpus.hostile_files import tarred, zipped

pytestmark = pytest.mark.fuzz
VALID = GOOD + b"\n" + doctype('<!ENTITY a "b">', "x &a; &agr; <![CDATA[<&]]><!-- c --> y") + b"\n" + GOOD


@st.composite
def mutated(draw: st.DrawFn, whole: bytes) -> bytes:
    """Bits flipped, stretches cut out, doubled or overwritten."""
    data = bytearray(whole)
    for _ in range(draw(st.integers(1, 4))):
        at, length = draw(st.integers(0, len(data))), draw(st.integers(0, 60))
        change = draw(st.sampled_from(["flip", "cut", "double", "write"]))
        if change == "flip" and at < len(data):
            data[at] ^= 1 << draw(st.integers(0, 7))
        elif change == "cut":
            del data[at : at + length]
        elif change == "double":
            data[at:at] = data[at : at + length]
        else:
            data[at:at] = draw(st.binary(max_size=10))
    return bytes(data)


@given(mutated(VALID))
def test_mutated_documents_are_read_or_rejected(data: bytes) -> None:
    read, rejected = survives(data)
    assert read + rejected >= 1


@given(mutated(VALID.replace(ROOT.encode(), b"PATDOC")))
def test_mutated_sgml_is_read_or_rejected(data: bytes) -> None:
    assert sum(survives(data)) >= 1


@given(st.binary(max_size=400))
def test_arbitrary_bytes_are_rejected(data: bytes) -> None:
    assert survives(data)[1] >= 1
    assert survives(START + data + END)[0] + survives(START + data + END)[1] >= 1


ARCHIVES = (
    zipped({"a.xml": GOOD, "b/c.xml": GOOD}),
    tarred(("a.xml", tarfile.REGTYPE, GOOD), ("b", tarfile.SYMTYPE, b"")),
    gzip.compress(GOOD),
    lzma.compress(GOOD),
)


@given(st.sampled_from(ARCHIVES).flatmap(mutated))
def test_mutated_archives_are_read_or_rejected(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        texts, reasons = rows(Path(file.name))
        assert texts or reasons
