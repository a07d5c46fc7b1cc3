"""Methods as they are written: names, parameters, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from antecede.errors import UsageError
from antecede.query.listing import LISTING
from antecede.query.methods import methods, parse_method


def test_the_eight_of_the_papers_and_one_more() -> None:
    assert {*methods()} == {"full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr", "logtfidf"}


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
        ("", "there is no query method ''; there are bm25, full"),
        ("bm25(k9=1)", "bm25 has no parameter 'k9'; it has k1, b, k3"),
        ("full(k1=1)", "it has none"),
        ("bm25(k1=x)", "k1 'x' is no number"),
        ("bm25(k1=-1)", "k1 must not be below 0"),
        ("bm25(k1=nan)", "k1 must not be below 0 or endless"),
        ("qr(r=2.5)", "r '2.5' is no whole number"),
        ("lmipc(level=class)", "level 'class' is not one of group, main, subclass"),
        ("bm25(k1=1", "there is no query method"),
    ],
)
def test_what_is_wrong_is_said(written: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_method(written)
    assert message in str(error.value)


def test_every_method_is_documented_with_its_parameters() -> None:
    page = LISTING.manual()
    for each in methods().values():
        assert each.doc
        assert each.cite
        assert f"## {each.name}\n" in page
        for name in each.defaults:
            assert name in LISTING.explained([each.name]), f"{each.name} does not explain {name}"
    assert [each["name"] for each in LISTING.as_dicts()] == [*methods()]
    assert len(LISTING.as_table().rows) == len(methods())
