"""Formats told by the root element, and what is no patent told by its bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.detection import OTHER_ROOTS, describe_content, detect_format, explain_root, is_text
from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.formats import FORMATS, by_root


def test_each_root_finds_its_format() -> None:
    assert by_root()
    for root, form in by_root().items():
        assert detect_format(RawDocument(b"", root, "misnamed.txt")) is form
    assert detect_format(RawDocument(b"", "{", "f")).name == "jsonl"


def test_an_unknown_root_is_named_beside_what_is_read() -> None:
    with pytest.raises(DocumentError, match="unknown root element <foo>") as told:
        detect_format(RawDocument(b"", "foo", "f"))
    assert all(name in told.value.reason for name in FORMATS)
    assert "\n" not in explain_root("a\nb" * 100)
    assert len(explain_root("x" * 10_000)) < 400


@pytest.mark.parametrize("root", OTHER_ROOTS)
def test_roots_known_for_something_else(root: str) -> None:
    assert root not in by_root()
    with pytest.raises(DocumentError, match=r"not a patent|alone: nothing in"):
        detect_format(RawDocument(b"", root, "f"))


@given(st.binary(max_size=300))
def test_anything_is_something(head: bytes) -> None:
    told = describe_content(head)
    assert told
    assert "\n" not in told


@given(st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1))
def test_texts_are_texts(text: str) -> None:
    assert is_text(text.encode())
    assert "binary" not in describe_content(text.encode())
