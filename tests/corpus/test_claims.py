"""Claims with their numbers: from mark-up, and from texts in which only the numbers part them."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.claims import MAX_STARTS, _Start, claim_set, heaviest_chain, split_claims, typed_claims


def marked_up(xml: str) -> tuple[str, ...]:
    return claim_set(etree.fromstring(f"<claims>{xml}</claims>"))


def typed(text: str) -> tuple[str, ...]:
    return typed_claims(etree.fromstring(f"<claims><claim><claim-text>{escape(text)}</claim-text></claim></claims>"))


@pytest.mark.parametrize(
    ("claim", "read"),
    [
        ('<claim num="0007"><claim-text>A pump.</claim-text></claim>', "7. A pump."),
        ('<claim num="" id="c-en-01-0003"><claim-text>A pump.</claim-text></claim>', "3. A pump."),
        ("<claim>A pump.</claim>", "1. A pump."),
        ('<claim num="0001"><claim-text>1. A pump.</claim-text></claim>', "1. A pump."),
        ('<claim num="0002"><claim-text>(2) A pump.</claim-text></claim>', "(2) A pump."),
        ('<claim num="0002"><claim-text>2 A pump.</claim-text></claim>', "2 A pump."),
        ('<claim num="0001"><claim-text>1.5 mm of wire.</claim-text></claim>', "1. 1.5 mm of wire."),
        ('<claim num="0001"><claim-text>1,3-Butadiene.</claim-text></claim>', "1. 1,3-Butadiene."),
    ],
)
def test_a_claim_begins_with_its_number(claim: str, read: str) -> None:
    assert marked_up(claim) == (read,)


@pytest.mark.parametrize(
    ("xml", "read"),
    [
        ('<p>What is claimed:</p><claim num="1">A.</claim><p>or</p><claim num="2">B.</claim>', ("1. A.", "2. B.")),
        ("<p>1. A.</p><p>2. B</p><p>and b.</p>", ("1. A.", "2. B\nand b.")),
        ("<p>A pump.</p>", ("1. A pump.",)),
        ("<group><claim>A.</claim><claim>B.</claim></group>", ("1. A.", "2. B.")),
        ('<claim num="1"/><claim num="2"><claim-text>B.</claim-text></claim>', ("2. B.",)),
        ('<claim num="1">A\u2029a.</claim><claim num="2">B.</claim>', ("1. A\na.", "2. B.")),
    ],
)
def test_marked_up_sets(xml: str, read: tuple[str, ...]) -> None:
    assert marked_up(xml) == read


@pytest.mark.parametrize(
    "parts",
    [
        ["1. A pump with\n10. parts", "2. A pump as in claim 1.", "3. Another."],
        ["1. A.", "2. B.\nS. C.", "4. D.", "5. E."],
        ["1. A.", "2. A method as in claim 1 with\n1. first", "3. C."],
        ["1. A method with steps\n1. first\n1. again\nas in Fig. 2. The end."],
        [("A long story " * 30).strip(), "1. A pump."],
    ],
)
def test_lines_that_begin_claims_and_lines_that_do_not(parts: list[str]) -> None:
    assert typed("\n".join(parts)) == tuple(parts)


def test_headings_sets_and_claims_in_one_line() -> None:
    assert typed("Claims\n1. A.\n2. B.\nAMENDED CLAIMS\n1. C.\n2. D.") == ("1. A.", "2. B.", "1. C.", "2. D.")
    run_on = ("1. A pump.", "2. A pump as in claim 1.", "3. A pump as in Fig. 4. It turns.")
    assert typed(" ".join(run_on)) == run_on
    assert typed("1. A.\n3. C.\n4 D.") == ("1. A.", "3. C.", "4. D.")
    root = etree.fromstring("<claims><claim><claim-text>A.</claim-text><claim-text>B.</claim-text></claim></claims>")
    assert typed_claims(root) == ("1. A.", "2. B.")


@given(
    st.lists(
        st.sampled_from(["A pump.", "A valve\nthat turns.", "Ein Ventil nach Anspruch 1."]), min_size=1, max_size=30
    )
)
def test_typed_claims_are_what_was_typed(claims: list[str]) -> None:
    written = tuple(f"{place}. {claim}" for place, claim in enumerate(claims, start=1))
    assert typed("\n".join(written)) == written
    assert typed(" ".join(each.replace("\n", " ") for each in written)) == tuple(
        each.replace("\n", " ") for each in written
    )


@given(st.text(alphabet="1234. )\nA,Fig", max_size=200))
def test_no_typed_letter_is_lost_but_what_stands_before_claim_1(text: str) -> None:
    whole, given_text = (re.sub(r"[\s.)]", "", each) for each in ("".join(typed(text)), text))
    assert given_text.endswith(whole) or whole == f"1{given_text}"


# Blocks of claims


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
        ("1. A pump.\nThe pump of claim 1.\n3. A hose.", ["1. A pump.\nThe pump of claim 1.", "3. A hose."]),
        (
            "1. A pump.\n2. A hose.\nAMENDED CLAIMS\n1. A big pump.\n2. A long hose.",
            ["1. A pump.", "2. A hose.", "1. A big pump.", "2. A long hose."],
        ),
        ("1. A pump as in Fig. 2. The pump has a valve.", ["1. A pump as in Fig. 2. The pump has a valve."]),
        ("1. A rod of 2.5 mm.", ["1. A rod of 2.5 mm."]),
        ("A chair, as shown.", ["1. A chair, as shown."]),
        (" \n", []),
    ],
)
def test_offices_write_numbers_in_many_ways(text: str, claims: list[str]) -> None:
    assert split_claims(text) == claims


def test_a_number_that_the_scanner_split_is_one() -> None:
    text = "\n".join([*(f"{number}. A pump." for number in range(1, 11)), "1 1. A hose.", "12. A valve."])
    assert split_claims(text)[9:] == ["10. A pump.", "11. A hose.", "12. A valve."]


@pytest.mark.parametrize("first", ["a valve and a seat.", "L- a valve and a seat."])
def test_what_stands_before_the_second_is_the_first(first: str) -> None:
    assert split_claims(f"CLAIMS\n{first}\n2. A pump.\n3. A hose.")[0] == "1. a valve and a seat."


def test_steps_of_a_method_are_no_claims() -> None:
    assert len(split_claims("1. A method:\n1) Heating;\n2) Cooling.")) == 1
    text = "1. A method:\n1. heating;\n2. cooling.\n2. The method of claim 1.\n3. The method of claim 2."
    assert [each[:6] for each in split_claims(text)] == ["1. A m", "2. The", "3. The"]


def test_steps_that_leave_out_numbers_are_no_claims() -> None:
    weights = {1: 1.0, 4: 0.8, 5: 0.8, 6: 0.8, 2: 1.0, 3: 1.0}  # 1, 4, 5, 6 weigh more, but for the gap
    starts = [_Start(at, at + 2, number, weight) for at, (number, weight) in enumerate(weights.items())]
    assert [start.number for start in heaviest_chain(starts)] == [1, 2, 3]


def test_a_book_of_numbers_is_one_claim() -> None:
    assert len(split_claims("\n".join(f"{number % 7}. Row" for number in range(MAX_STARTS + 1)))) == 1


@given(st.text(alphabet="1234. \n)AaB-", max_size=60))
def test_no_letter_is_doubled(text: str) -> None:
    found = "".join(split_claims(text))
    assert all(found.count(letter) <= text.count(letter) for letter in "AaB")
