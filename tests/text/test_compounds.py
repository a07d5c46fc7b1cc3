"""Compounds split by what the collection knows."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.text import Compounding, CompoundSplitter, split_compounds

if TYPE_CHECKING:
    from collections.abc import Iterator

KNOWN = {
    "zeitung": 40,
    "artikel": 50,
    "zeitungsartikel": 5,
    "schraube": 90,
    "kopf": 60,
    "schraubenkopf": 7,
    "kraft": 80,
    "fahrzeug": 70,
    "kraftfahrzeug": 90,
    "aktion": 30,
    "plan": 25,
    "aktionsplan": 5,
    "akt": 500,
    "ionsplan": 500,
    "teil": 400,
    "chen": 2,
    "teilchen": 20,
    "eine": 900,
    "vereine": 4,
    "vere": 50,
}


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("zeitungsartikel", ("zeitung", "artikel")),
        ("schraubenkopf", ("schraube", "kopf")),
        ("kraftfahrzeug", ("kraftfahrzeug",)),  # more frequent than its parts: a word of its own
        ("aktionsplan", ("aktion", "plan")),  # "akt" is too short, however frequent
        ("teilchen", ("teilchen",)),  # "chen" is in too few documents
        ("vereine", ("vereine",)),
        ("kraftfahrzeugteil", ("kraftfahrzeug", "teil")),  # unknown, and better in two parts than in three
        ("zeitungskopfschraube", ("zeitung", "kopf", "schraube")),
        ("kopf", ("kopf",)),
        ("unbekannt", ("unbekannt",)),
        ("", ("",)),
    ],
)
def test_a_word_is_split_where_its_parts_explain_it_better(word: str, parts: tuple[str, ...]) -> None:
    assert CompoundSplitter(KNOWN, never={"eine"}).split(word) == parts


def test_a_vocabulary_is_split_at_once() -> None:
    split = split_compounds(list(KNOWN), np.array([*KNOWN.values()], np.uint32), never={"eine"})
    assert split == {
        "zeitungsartikel": ("zeitung", "artikel"),
        "schraubenkopf": ("schraube", "kopf"),
        "aktionsplan": ("aktion", "plan"),
    }


def test_a_mean_that_is_only_as_high_does_not_split() -> None:
    assert CompoundSplitter({"kopfteil": 20, "kopf": 40, "teil": 10}).split("kopfteil") == ("kopfteil",)
    assert CompoundSplitter({"kopfteil": 20, "kopf": 41, "teil": 10}).split("kopfteil") == ("kopf", "teil")
    assert CompoundSplitter({"abababab": 7, "abab": 7}).split("abababab" * 2) == ("abababab", "abababab")


def test_settings_must_make_sense() -> None:
    for shortest, least, most_parts in ((0, 3, 4), (4, 0, 4), (4, 3, 1)):
        with pytest.raises(UsageError, match="two parts or more"):
            Compounding(shortest, least, most_parts)


def all_splits(word: str, known: dict[str, int], links: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Every way to write a word as known parts with links between them."""
    if word in known:
        yield (word,)
    for end, link in product(range(1, len(word)), links):
        if word[:end] in known and word.startswith(link, end) and end + len(link) < len(word):
            for rest in all_splits(word[end + len(link) :], known, links):
                yield (word[:end], *rest)


@given(
    st.dictionaries(st.text("abs", min_size=1, max_size=4), st.integers(1, 9), max_size=8),
    st.text("abs", max_size=10),
    st.integers(1, 2),
    st.integers(1, 3),
    st.integers(2, 4),
)
def test_no_split_is_better_than_the_one_found(
    known: dict[str, int], word: str, shortest: int, least: int, most_parts: int
) -> None:
    links = ("", "s")
    parts = CompoundSplitter(known, Compounding(shortest, least, most_parts, links)).split(word)
    usable = {part: n for part, n in known.items() if len(part) >= shortest and n >= least}
    rivals = [each for each in all_splits(word, usable, links) if 2 <= len(each) <= most_parts]
    best = max((prod(map(usable.__getitem__, each)) ** (1 / len(each)) for each in rivals), default=0.0)
    own = known.get(word, 0)
    if parts == (word,):
        assert best <= own * (1 + 1e-12)
    else:
        assert parts in rivals
        assert prod(map(usable.__getitem__, parts)) ** (1 / len(parts)) == pytest.approx(best)
        assert best > own
