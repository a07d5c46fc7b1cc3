"""10. Two searches of a case side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def test_two_searches_side_by_side(desk: Desk) -> None:
    page = desk.new_case()
    desk.view("Compare")
    assert "two searches" in page.inner_text("main")
    desk.view("Search")
    desk.settle()
    desk.choose_method("tfidf")
    desk.settle()
    desk.choose_terms("3")
    page.keyboard.press("Enter")
    desk.until("document.querySelectorAll('button.chip').length === 3")
    desk.settle()
    page.click("#name-search")
    page.fill("#search-name", "three words")
    page.keyboard.press("Enter")
    desk.until("document.querySelector('#searches').selectedOptions[0].textContent.includes('three words')")
    desk.view("Compare")
    assert "Only three words" in page.inner_text(".compare")
    page.select_option("#depth", "20")
    desk.rest()
    columns = [each.locator("li") for each in page.locator(".compare section").all()]
    first, both, second = (each.count() for each in columns)
    assert both + first == both + second == 20
    assert first > 0
    document = columns[2].first.locator("button").inner_text()
    columns[2].first.locator("button").click()
    desk.settle()
    page.wait_for_selector(".reader-text")
    assert document[2:] in page.locator(".reader .hit-number").first.inner_text().replace(" ", "").replace("-", "")
