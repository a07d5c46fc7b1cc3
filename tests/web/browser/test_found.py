"""8. How much have I found: counts, the curve, the estimate that moves with the marks, advice, coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.browser.marks import mark_first

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def facts(desk: Desk) -> dict[str, int]:
    texts = desk.page.locator(".fact").all_inner_texts()
    return {label: int(value.replace(",", "")) for value, label in (each.split("\n") for each in texts)}


def test_curve_estimate_and_advice_follow_the_marks(desk: Desk) -> None:
    page = desk.new_case()
    desk.view("Found")
    assert "Nothing is marked yet" in page.inner_text(".found-view")
    desk.view("Search")
    desk.settle()
    mark_first(desk, "rrnrn")
    desk.view("Found")
    page.wait_for_selector("svg.curve")
    assert facts(desk) == {"read": 5, "relevant": 3, "maybe": 0, "not relevant": 2}
    assert page.locator("svg.curve path.finds").count() == 1
    assert page.locator("table.estimates tbody tr").count() >= 1
    assert " to " in page.locator("table.estimates tbody tr td:nth-child(3)").first.inner_text()
    advice, estimate = page.inner_text(".advice"), page.inner_text("table.estimates")
    assert advice.startswith(("Go on.", "You may stop."))
    desk.view("Search")
    desk.settle()
    for _ in range(8):
        page.keyboard.press("j")
        current = page.locator(".hit[aria-current=true]").get_attribute("data-doc")
        page.wait_for_selector(f".hit[data-doc='{current}'].seen")
        page.keyboard.press("n")
        page.wait_for_selector(f".hit[data-doc='{current}'][data-mark=not]")
    desk.view("Found")
    page.wait_for_selector("svg.curve")
    assert facts(desk)["read"] == 13
    assert page.inner_text("table.estimates") != estimate


def test_coverage_says_what_the_index_does_not_contain(desk: Desk) -> None:
    page = desk.new_case()
    desk.view("Found")
    text = page.inner_text(".found-view")
    assert "165 documents" in text
    assert "1 document has no known date" in text
    assert page.locator("svg.columns rect").count() > 5
    assert "EP" in page.inner_text(".coverage")
