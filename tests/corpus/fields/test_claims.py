"""Claims with their numbers: from mark-up, and from texts in which only the numbers part them."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.fields.claims import claim_set, typed_claims


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


def test_headings_between_claims_are_no_part_of_them() -> None:
    assert marked_up('<p>What is claimed:</p><claim num="1">A.</claim><p>or</p><claim num="2">B.</claim>') == (
        "1. A.",
        "2. B.",
    )


def test_claims_without_their_mark_up() -> None:
    assert marked_up("<p>1. A.</p><p>2. B</p><p>and b.</p>") == ("1. A.", "2. B\nand b.")
    assert marked_up("<p>A pump.</p>") == ("1. A pump.",)
    assert marked_up("<group><claim>A.</claim><claim>B.</claim></group>") == ("1. A.", "2. B.")


def test_a_claim_without_text_is_none() -> None:
    assert marked_up('<claim num="1"/><claim num="2"><claim-text>B.</claim-text></claim>') == ("2. B.",)


def test_separators_in_the_text_do_not_shift_the_claims() -> None:
    assert marked_up('<claim num="1">A\u2029a.</claim><claim num="2">B.</claim>') == ("1. A\na.", "2. B.")


def test_lines_that_begin_with_the_next_number() -> None:
    assert typed("Claims\n1. A pump with\n10. parts\n2. A pump as in claim 1.\n3) Another.") == (
        "1. A pump with\n10. parts",
        "2. A pump as in claim 1.",
        "3) Another.",
    )


def test_a_number_that_is_missing_does_not_glue_the_rest() -> None:
    assert typed("1. A.\n2. B.\nS. C.\n4. D.\n5. E.") == ("1. A.", "2. B.\nS. C.", "4. D.", "5. E.")


def test_a_second_set_behind_a_heading() -> None:
    assert typed("1. A.\n2. B.\nAMENDED CLAIMS\n1. C.\n2. D.") == ("1. A.", "2. B.", "1. C.", "2. D.")


def test_a_list_behind_a_line_that_names_a_claim() -> None:
    assert typed("1. A.\n2. A method as in claim 1 with\n1. first\n3. C.") == (
        "1. A.",
        "2. A method as in claim 1 with\n1. first",
        "3. C.",
    )


def test_numbers_inside_a_claim_part_nothing() -> None:
    assert typed("1. A method with steps\n1. first\n1. again\nas in Fig. 2. The end.") == (
        "1. A method with steps\n1. first\n1. again\nas in Fig. 2. The end.",
    )


def test_claims_that_run_on_in_a_line() -> None:
    assert typed("1. A pump. 2. A pump as in claim 1. 3. A pump as in Fig. 4. It turns.") == (
        "1. A pump.",
        "2. A pump as in claim 1.",
        "3. A pump as in Fig. 4. It turns.",
    )


def test_without_numbers_each_text_is_a_claim() -> None:
    root = etree.fromstring("<claims><claim><claim-text>A.</claim-text><claim-text>B.</claim-text></claim></claims>")
    assert typed_claims(root) == ("1. A.", "2. B.")


def test_a_text_that_does_not_begin_with_claim_1_stays_whole() -> None:
    assert typed("A long story " * 30 + "\n1. A pump.") == ("1. " + ("A long story " * 30).strip() + "\n1. A pump.",)


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
    whole, given_text = ("".join(each.split()) for each in ("".join(typed(text)), text))
    assert given_text.endswith(whole) or whole == f"1.{given_text}"


def test_a_number_without_its_stop_behind_a_gap() -> None:
    assert typed("1. A.\n3. C.\n4 D.") == ("1. A.", "3. C.", "4 D.")
