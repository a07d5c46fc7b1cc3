"""Methods as they are written: names, parameters, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from antecede.errors import UsageError
from antecede.query.listing import LISTING
from antecede.query.methods import METHODS, parse_method


def test_the_eight_of_the_papers_and_one_more() -> None:
    assert {*METHODS} == {"full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr", "logtfidf"}


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("bm25", "bm25"),
        (" BM25 ( k1 = 2 , b=0.5 ) ", "bm25(k1=2,b=0.5)"),
        ("lm(lambda=0.3)", "lm(lambda=0.3)"),
        ("lmipc(level=subclass,fewest=10)", "lmipc(level=subclass,fewest=10)"),
        ("qr(r=5,tau=1)", "qr(r=5,tau=1)"),
    ],
)
def test_what_is_written_is_read(written: str, plain: str) -> None:
    assert str(parse_method(written)) == plain
    assert str(parse_method(plain)) == plain


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("tfidff", "did you mean tfidf"),
        ("", "unknown query method ''; available: bm25, full"),
        ("bm25(k9=1)", "bm25 has no parameter 'k9'; it takes k1, b, k3"),
        ("full(k1=1)", "it takes none"),
        ("bm25(k1=x)", "k1 'x' is not a number"),
        ("bm25(k1=-1)", "k1 must be 0 or more"),
        ("bm25(k1=nan)", "k1 must be 0 or more, not nan"),
        ("qr(r=2.5)", "r '2.5' is not a whole number"),
        ("lmipc(level=class)", "level 'class' is not one of group, main, subclass"),
        ("bm25(k1=1", "unknown query method"),
        ("bm25(b=2)", "b must be between 0 and 1"),
        ("qr(lambda=1)", "lambda must be 0 or more and less than 1"),
    ],
)
def test_what_is_wrong_is_said(written: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_method(written)
    assert message in str(error.value)


def test_every_method_is_documented_with_its_parameters() -> None:
    page = LISTING.as_manual()
    for each in METHODS.values():
        assert each.doc
        assert each.cite
        assert f"## {each.name}\n" in page
        for name in each.defaults:
            assert name in LISTING.as_text([each.name]), f"{each.name} does not explain {name}"
    assert [each["name"] for each in LISTING.as_dicts()] == [*METHODS]
    assert len(LISTING.as_table().rows) == len(METHODS)
