"""Documents of every XML format, spoilt or without a number: a patent or a reason, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.document import DocumentError
from antecede.corpus.formats.docdb import docdb, epo_fulltext
from antecede.corpus.formats.epo import epo
from antecede.corpus.formats.marec import marec
from antecede.corpus.formats.uspto_2001 import pap, patdoc
from antecede.corpus.formats.uspto_redbook import uspto
from tests.corpus.formats import (
    test_docdb,
    test_epo,
    test_epo_fulltext,
    test_marec,
    test_uspto_pap,
    test_uspto_patdoc,
    test_uspto_redbook,
)
from tests.corpus.formats.mangled import mangled, outcome, parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element as Element

    from antecede.patent import Patent

    Reader = Callable[[Element, str], Patent]

SAMPLES: list[tuple[Reader, str, str]] = [
    (docdb, test_docdb.DOCDB, "1000001"),
    (docdb, test_docdb.OPS, "1000001"),
    (epo_fulltext, test_epo_fulltext.WHOLE, "0100832"),
    (epo, test_epo.GRANT, "2000001"),
    (marec, test_marec.WHOLE, "1234567"),
    (pap, test_uspto_pap.APPLICATION, "20030000001"),
    (patdoc, test_uspto_patdoc.GRANT, "06400001"),
    (uspto, test_uspto_redbook.GRANT, "07000001"),
]
"""Readers, each with a document and the number in it."""


@pytest.mark.parametrize(("read", "text", "number"), SAMPLES)
@given(data=st.data())
def test_a_spoilt_document_is_a_patent_or_a_reason(read: Reader, text: str, number: str, data: st.DataObject) -> None:
    assert outcome(read, data.draw(mangled(text)))


@pytest.mark.parametrize(("read", "text", "number"), SAMPLES)
def test_a_document_without_a_number_is_rejected(read: Reader, text: str, number: str) -> None:
    root = parsed(text)
    for broken in (text.replace(number, ""), text.replace(number, "?"), f"<{root.tag}/>"):
        with pytest.raises(DocumentError, match=r"no .*publication number"):
            read(parsed(broken), "")
