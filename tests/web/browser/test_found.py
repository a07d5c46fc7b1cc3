"""8. How much have I found: counts, the curve, the estimate that moves with the marks, advice, coverage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def facts(desk: Desk) -> dict[str, int]:
    texts = desk.page.locator(".fact").all_inner_texts()
    return {label: int(value.replace(",", "")) for value, label in (each.split("\n") for each in texts)}


def test_curve_estimate_and_advice_follow_the_marks(desk: Desk) -> None:
    page = desk.new_case()
    desk.view("Found")
    assert "Nothing is marked yet" in page.inner_text(".found-view")
    assert "165 documents" in page.inner_text(".found-view")  # what the index contains
    assert page.locator("svg.columns rect").count() > 5
    desk.view("Search")
    desk.settle()
    desk.mark_first("rrnrn")
    desk.view("Found")
    page.wait_for_selector("svg.curve")
    assert facts(desk) == {"read": 5, "relevant": 3, "maybe": 0, "not relevant": 2, "opened, not marked": 1}
    assert "No number yet" in page.inner_text(".found-view")  # five documents are too few
    assert page.inner_text(".advice").startswith("Go on.")
    assert "more documents would show it, if none of them is relevant" in page.inner_text(".advice")
    desk.view("Search")
    desk.settle()
    desk.mark_next("rrnrrrnrrrnrnnrn")
    desk.view("Found")
    page.wait_for_selector("table.estimates")
    assert facts(desk) == {"read": 21, "relevant": 13, "maybe": 0, "not relevant": 8, "opened, not marked": 1}
    assert " to " in page.inner_text("table.estimates")
    assert "the estimate allows" in page.get_attribute("svg.curve", "aria-label")  # type: ignore[operator]
    assert page.inner_text(".advice").startswith(("Go on.", "You may stop."))
