"""Claims in one piece: parted at their numbers and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.fields.claim_blocks import MOST_STARTS, split_claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("CLAIMS\n1. A pump.\n2. The pump of claim 1.", ["1. A pump.", "2. The pump of claim 1."]),
        ("What is claimed is: 1. A pump. 2. The pump of claim 1.", ["1. A pump.", "2. The pump of claim 1."]),
        ("Ansprüche\n1. Pumpe\nmit Ventil.\n2. Pumpe.", ["1. Pumpe\nmit Ventil.", "2. Pumpe."]),
        ("REIVINDICACIONES\n1.- Bomba.\n2 - Bomba.\n3.-Bomba.", ["1. Bomba.", "2. Bomba.", "3. Bomba."]),
        ("Claim 1 A pump.\nClaim 2: The pump. Claim 3 A hose.", ["1. A pump.", "2. The pump.", "3. A hose."]),
        ("【請求項１】ポンプ。【請求項２】ホース。", ["1. ポンプ。", "2. ホース。"]),
        ("A n s p r ü c h e\n1) Pumpe.\n2) Rohr.", ["1. Pumpe.", "2. Rohr."]),
        ("1. A pump. \n.2. A hose.\n3 A valve.", ["1. A pump.", "2. A hose.", "3. A valve."]),
    ],
)
def test_offices_write_numbers_in_many_ways(text: str, claims: list[str]) -> None:
    assert split_claims(text) == claims


def test_a_number_that_the_scanner_split_is_one() -> None:
    text = "\n".join([*(f"{number}. A pump." for number in range(1, 11)), "1 1. A hose.", "12. A valve."])
    assert split_claims(text)[9:] == ["10. A pump.", "11. A hose.", "12. A valve."]


def test_a_lost_number_leaves_its_claim_with_the_one_before() -> None:
    assert split_claims("1. A pump.\nThe pump of claim 1.\n3. A hose.") == [
        "1. A pump.\nThe pump of claim 1.",
        "3. A hose.",
    ]


@pytest.mark.parametrize("first", ["a valve and a seat.", "L- a valve and a seat."])
def test_what_stands_before_the_second_is_the_first(first: str) -> None:
    assert split_claims(f"CLAIMS\n{first}\n2. A pump.\n3. A hose.")[0] == "1. a valve and a seat."


def test_steps_of_a_method_are_no_claims() -> None:
    assert len(split_claims("1. A method:\n1) Heating;\n2) Cooling.")) == 1
    text = "1. A method:\n1. heating;\n2. cooling.\n2. The method of claim 1.\n3. The method of claim 2."
    assert [each[:6] for each in split_claims(text)] == ["1. A m", "2. The", "3. The"]


@pytest.mark.parametrize(
    "text", ["1. A pump as in Fig. 2. The pump has a valve.", "1. A rod of 2.5 mm.", "A chair, as shown."]
)
def test_other_numbers_part_nothing(text: str) -> None:
    assert split_claims(text) == [text if text.startswith("1") else f"1. {text}"]


def test_amended_claims_begin_again() -> None:
    text = "1. A pump.\n2. A hose.\nAMENDED CLAIMS\n1. A big pump.\n2. A long hose."
    assert split_claims(text) == ["1. A pump.", "2. A hose.", "1. A big pump.", "2. A long hose."]


def test_no_text_is_no_claim_and_a_book_of_numbers_is_one() -> None:
    assert split_claims(" \n") == []
    assert len(split_claims("\n".join(f"{number % 7}. Row" for number in range(MOST_STARTS + 1)))) == 1


@given(
    st.lists(
        st.sampled_from(["A pump of Fig. 3.", "The hose\nof claim 1, wherein 1) is big.", "Pumpe (7).", "ポンプ"]),
        min_size=1,
    )
)
def test_claims_written_one_after_the_other_are_found_again(claims: list[str]) -> None:
    whole = [f"{number}. {claim}" for number, claim in enumerate(claims, start=1)]
    assert split_claims("\n".join(["CLAIMS", *whole])) == whole


@given(st.text(alphabet="1234. \n)AaB-", max_size=60))
def test_no_letter_is_doubled(text: str) -> None:
    found = "".join(split_claims(text))
    assert all(found.count(letter) <= text.count(letter) for letter in "AaB")
