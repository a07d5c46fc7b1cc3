"""Claims are divided into features without losing a word, and query terms are marked without changing a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.search.passages import MOST_FEATURES, mark_terms, split_features
from antecede.text import Analyzer

WORDS = st.lists(
    st.sampled_from(["a valve", "comprising:", "a seat;", ",", "wherein", "said spring", "characterised in that", "\n",
                     "und", "wobei", "ledit ressort", "is of flat wire.", "ö😀", ";", ":", "1."]),
    max_size=60,
)  # fmt: skip


@given(WORDS)
def test_features_are_the_claim(words: list[str]) -> None:
    claim = " ".join(words)
    found = split_features(f"3. {claim}")
    assert "".join("".join(found).split()) in ("".join(claim.split()), "".join(claim.split()).removeprefix("1."))
    assert all(each == each.strip() and each for each in found)
    assert len(found) <= MOST_FEATURES


@pytest.mark.parametrize(
    ("claim", "number"),
    [
        ("1. A lamp.", 1),
        ("1. A lamp comprising: a housing made of glass; a filament; and a socket for the filament.", 2),
        ("1. Lampe mit einem Gehäuse aus Glas, dadurch gekennzeichnet, dass der Glühfaden gewendelt ist.", 2),
        ("1. Lampe avec un boîtier en verre, caractérisée en ce que le filament est enroulé.", 2),
        ("1. A method in which a packet is sent,\nwherein the packet has a header,\nand the header is checked.", 3),
    ],
)
def test_features_end_where_a_reader_would_end_them(claim: str, number: int) -> None:
    assert len(split_features(claim)) == number, split_features(claim)


@given(st.text(max_size=300))
def test_marked_runs_are_the_text(text: str) -> None:
    text += " Routing routers ROUTED 😀 route."
    analyzer = Analyzer("en")
    runs = mark_terms(text, analyzer, {"rout": 7, "router": 8})
    assert "".join(run if isinstance(run, str) else run[0] for run in runs) == text
    assert {run[1] for run in runs if not isinstance(run, str)} == {7, 8}
    for run in runs:
        if not isinstance(run, str):
            assert analyzer.terms(run[0]) == [{7: "rout", 8: "router"}[run[1]]]
