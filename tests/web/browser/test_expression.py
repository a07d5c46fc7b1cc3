"""The Boolean expression: parts are counted as it is written, what is wrong is shown, sets are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def test_an_expression_is_written_applied_kept_and_there_after_a_reload(desk: Desk) -> None:
    page = desk.new_case()
    word, other = page.locator("button.chip .chip-word").all_inner_texts()[:2]
    every = desk.searched()
    page.fill("#where", f"{word} OR {other}")
    page.wait_for_selector(".where-parts li >> nth=1")
    assert page.locator(".where-parts li").count() == 2
    assert desk.searched() == every, "nothing is searched while it is written"
    page.press("#where", "Enter")
    desk.wait_for_fewer(every)
    either = desk.searched()

    page.fill("#where", f"({word} OR")
    page.press("#where", "Enter")
    page.wait_for_selector("#where-problem:visible")
    assert "something is missing at the end" in page.inner_text("#where-problem")
    assert desk.searched() == either

    page.fill("#where", f"{word} OR {other}")
    page.wait_for_selector("#keep-set:visible")
    page.click("#keep-set")
    page.fill("#set-name", "either")
    page.keyboard.press("Enter")
    page.wait_for_selector(".where-set")
    desk.settle()
    page.fill("#where", f'S1 NOT "{word}"')
    page.press("#where", "Enter")
    desk.wait_for_fewer(either)
    page.reload()
    page.wait_for_selector(".where-set")
    assert page.input_value("#where") == f'S1 NOT "{word}"'
    assert "either" in page.inner_text(".where-set")
    assert not desk.complaints


def test_the_part_that_empties_a_result_is_named_and_can_be_removed(desk: Desk) -> None:
    page = desk.new_case()
    word = page.locator("button.chip .chip-word").first.inner_text()
    page.fill("#where", f"{word} AND notawordofanypatent")
    page.wait_for_selector(".where-parts .empties:has-text('notawordofanypatent')")
    page.press("#where", "Enter")
    page.wait_for_selector("#nothing-found [data-condition=where]")
    page.click("#nothing-found [data-condition=where]")
    page.wait_for_selector(".hit")
    assert page.input_value("#where") == ""


def test_counting_can_be_cancelled_and_nothing_is_searched(desk: Desk) -> None:
    page = desk.new_case()
    word = page.locator("button.chip .chip-word").first.inner_text()
    every = desk.searched()
    page.route("**/expression", lambda _: None)  # an answer that does not come
    page.fill("#where", word)
    page.press("#where", "Enter")
    page.click("#cancel-count")
    assert page.inner_text("#where-total") == "Cancelled"
    assert page.is_hidden("#cancel-count")
    assert desk.searched() == every
    page.unroute("**/expression")
    page.press("#where", "Enter")
    desk.wait_for_fewer(every)
