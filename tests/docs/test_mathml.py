"""Formulas are converted to MathML with the precedence that their spaces show; what is unknown is refused."""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt

from docs.site.mathml import FormulaError, convert, convert_block
from docs.site.pages import list_pages


@cache
def formulas() -> list[tuple[str, str]]:
    """Every formula of the pages, with the address of its page."""
    return [
        (page.url, token.content)
        for page in list_pages()
        for token in MarkdownIt("commonmark").enable("table").parse(page.text)
        if token.type == "code_block"
    ]


def outline(formula: str) -> str:
    """The structure of a formula: fractions, powers, subscripts and roots in brackets, names as they are."""

    def walk(element: ElementTree.Element) -> str:
        inside = [walk(each) for each in element]
        if element.tag in {"mfrac", "msup", "msub", "munder", "msqrt"}:
            return f"{element.tag}[{','.join(inside)}]"
        return (element.text or "") + "".join(inside)

    return walk(ElementTree.fromstring(f"<math>{convert(formula)}</math>"))  # noqa: S314 - our own markup


@pytest.mark.parametrize(
    ("formula", "want"),
    [
        ("k / N", "mfrac[k,N]"),
        ("a·b / c·d", "mfrac[a·b,c·d]"),
        ("a / b · c / d", "mfrac[a,b]·mfrac[c,d]"),
        ("(n + 1)/2", "(n+1)/2"),
        ("1 − (S/n − (n + 1)/2) / N", "1−mfrac[S/n−(n+1)/2,N]"),
        ("k² / (n·L)", "mfrac[msup[k,2],n·L]"),
        ("p^(r_i − 1)", "msup[p,msub[r,i]−1]"),
        ("2^g_r", "msup[2,msub[g,r]]"),
        ("√n(t)", "msqrt[n(t)]"),
        ("1 / n · Σ P(r_i) / k1", "mfrac[1,n]·∑mfrac[P(msub[r,i]),msub[k,1]]"),
        ("Σ_d P(t|d)", "munder[∑,d]P(t|d)"),
        ("(1 − p) Σ p", "(1−p)∑p"),
        ("b·|d| / avg|d|", "mfrac[b·|d|,avg|d|]"),
        ("½·log₂(2πf), x ≥ .5", "mfrac[1,2]·msub[log,2](2πf),x≥0.5"),
        ("⌈p·n / 100⌉", "⌈mfrac[p·n,100]⌉"),
        ("IPrec11", "IPrec11"),
    ],
)
def test_the_structure_of_a_formula(formula: str, want: str) -> None:
    assert outline(formula) == want


@pytest.mark.parametrize("formula", ["a +", "(a", "(a⌉", "a § b", "a)", "/ b", "a ^", "x%"])
def test_what_is_not_a_formula_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError, match=re.escape(formula)):
        convert(formula)


def test_every_formula_of_the_pages_is_converted() -> None:
    assert len(formulas()) > 45
    for url, text in formulas():
        whole = ElementTree.fromstring(f"<div>{convert_block(text)}</div>")  # noqa: S314 - our own markup
        assert len(whole) == len(text.strip().splitlines()), url


def test_measures_methods_and_models_have_a_formula() -> None:
    urls = {url for url, _ in formulas()}
    without = [page.url for page in list_pages() if page.section in {"Methods", "Models"} and page.url not in urls]
    assert without == ["methods/index.html", "models/index.html"]
    counts = {"measures/success.html", "measures/index.html"}
    named = {page.url for page in list_pages() if page.section == "Measures" and "/num" not in page.url}
    assert named - urls == counts
