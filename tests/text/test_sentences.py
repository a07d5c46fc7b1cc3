"""Claims and descriptions are split into sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.text import LANGUAGES, split_sentences

ENGLISH = [
    "As shown in Fig. 3, the valve (see U.S. Pat. No. 5,123,456 to J. Smith et al.) is closed. | It opens at 3.5 bar.",
    "It is known in the art. | Methods are described, e.g. milling, i.e. Cutting of steel.",
    "1. A valve with a spring. | 2. The valve of claim 1. | 3. The valve of claim 1 or 2, wherein it is red.",
    "The end of portion A. | The spring is held by B. Meyer & Co.",
    "International Appl. No. PCT/US01/12345, filed on Jan. 5, 2001. | See also Ser. No. 10/123,456. | This is new.",
    'He called it "new." | She did not (or did she?). | Really! | [0012] Next paragraph…',
    "Heat to 50° C. | The mixture is stirred for 30 min. | After cooling vol. 3 was read.",
    "Mixing at approx. 30 rpm vs. 40 rpm is preferred. | Is it? | Yes.",
    "a. First step. | iv) Second step. | (c) Third, e.g. (d) or no step.",
]
FRENCH = [
    "Le ressort, p. ex. Fig. 2, est fixé par une vis. | L'écrou (cf. EP 123) est dit « libre. » | Il tourne.",
    "1. Dispositif selon l'art. 5, c.-à-d. une soupape. | 2. Soupape selon la revendication 1.",
    "Le document de M. Dupont, n°. 5, est connu. | Ces vis etc. sont en acier.",
]
GERMAN = [
    "Wie z. B. in Abb. 3 gezeigt, d. h. im 3. Schritt, wird die Feder bzw. Hebel gelöst. | Das ist neu.",
    "Vorrichtung nach Anspruch 1. | 2. Verfahren nach Anspruch 1. | Die Federn, Hebel usw. | Die Schraube.",
    "Der Druck beträgt ca. 5 bar, vgl. Fig. 2 und S. 7. | Er steigt ggf. auf 10 bar an einem 2. Ventil.",
]


@pytest.mark.parametrize(
    ("language", "marked"),
    [*(("en", each) for each in ENGLISH), *(("fr", each) for each in FRENCH), *(("de", each) for each in GERMAN)],
)
def test_sentences_end_where_a_reader_expects(language: str, marked: str) -> None:
    text = marked.replace("| ", "")
    assert [text[start:end] for start, end in split_sentences(text, language)] == marked.split(" | ")


def test_a_newline_ends_a_paragraph_and_its_sentence() -> None:
    text = "BACKGROUND\n\n  The valve of Fig. \n1. A claim\r\nwithout end"
    expected = ["BACKGROUND", "The valve of Fig.", "1. A claim", "without end"]
    assert [text[start:end] for start, end in split_sentences(text)] == expected


def test_eastern_full_stops_need_no_white_space() -> None:
    text = "弁を開く。「ばね」を押す！終わり"
    expected = ["弁を開く。", "「ばね」を押す！", "終わり"]
    assert [text[start:end] for start, end in split_sentences(text, "ja")] == expected


pieces = st.sampled_from([*" .!?\n\t…。\"'»«)([,;12aAbBéÉ", ". ", "Fig. ", "The ", "z. B. ", "No. 5", "\u2028", "\xa0"])


@given(st.lists(pieces).map("".join) | st.text(), st.sampled_from([*LANGUAGES, "xx"]))
def test_every_character_is_in_one_sentence(text: str, language: str) -> None:
    found = split_sentences(text, language)
    covered = "".join(text[start:end] for start, end in found)
    assert "".join(covered.split()) == "".join(text.split())
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in found)
    assert all(before.end <= after.start for before, after in pairwise(found))
    assert all(len(text[start:end].splitlines()) == 1 for start, end in found if not {*"\x1c\x1d\x1e"} & {*text})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        *((piece, 1) for piece in ("a", ".", ". ", "A. ", '."', ". (", "« ", "。")),
        *((piece, 0) for piece in (" ", "\n ")),
        *((piece, None) for piece in ("1. ", "The. ", ". » ")),
        ("x.\n", 100_000),
    ],
)
def test_splitting_takes_linear_time(piece: str, expected: int | None) -> None:
    # With any unbounded look-behind or look-ahead, this would take hours.
    found = split_sentences(piece * 100_000, "de")
    assert expected is None or len(found) == expected


def test_long_white_space_is_scanned_once() -> None:
    assert len(split_sentences(("x." + " " * 1000) * 500 + "\n" * 100_000 + "." + "(" * 100_000)) == 2
