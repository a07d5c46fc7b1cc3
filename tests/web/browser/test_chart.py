"""7. The claim chart: features down the side, documents across; cells are edited and exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.browser.conftest import Desk


def test_chart_is_filled_edited_and_exported(desk: Desk, tmp_path: Path) -> None:
    page = desk.new_case()
    documents = desk.mark_first("rr")
    desk.view("Chart")
    page.wait_for_selector("table.chart")
    assert sorted(page.locator("table.chart thead th strong").all_inner_texts()) == sorted(documents)
    assert page.locator("table.chart tbody tr").count() >= 2
    assert page.locator("table.chart td mark").count() >= 2
    assert page.locator("table.chart td .strength").count() == page.locator("table.chart td p:not(.quiet)").count()
    edit = page.locator("table.chart td button:has-text('Edit')").first
    edit.click()
    page.fill("table.chart td textarea", "My own words on this feature")
    page.click("table.chart td >> text=Save")
    page.wait_for_selector("table.chart td:has-text('My own words on this feature')")
    with page.expect_download() as caught:
        page.click(".chart-view a:has-text('HTML')")
    caught.value.save_as(tmp_path / "chart.html")
    assert "My own words on this feature" in (tmp_path / "chart.html").read_text()
    page.click("text=Best passage")
    desk.until("!document.querySelector('table.chart').textContent.includes('My own words')")


def test_claims_documents_and_features_are_chosen(desk: Desk) -> None:
    page = desk.new_case()
    documents = desk.mark_first("rm")
    desk.view("Chart")
    rows = page.locator("table.chart tbody tr").count()
    page.locator(".claim-picks input[value='2']").check()
    desk.until("rows => document.querySelectorAll('table.chart tbody tr').length > rows", rows)
    for claim in ("1", "2"):
        page.locator(f".claim-picks input[value='{claim}']").uncheck()
        desk.rest()
    page.wait_for_selector("text=Choose the claims above")
    assert page.locator(".toast, .notice").count() == 0
    page.locator(".claim-picks input[value='1']").check()
    page.wait_for_selector("table.chart")
    page.locator(f".claim-picks input[value='{documents[1]}']").uncheck()
    desk.until("document.querySelectorAll('table.chart thead th').length === 2")
    page.locator("table.chart tbody th textarea").first.fill("a switch of my own")
    page.locator("table.chart tbody th textarea").first.blur()
    desk.rest()
    page.reload()
    page.wait_for_selector("table.chart")
    assert page.locator("table.chart tbody th textarea").first.input_value() == "a switch of my own"


def test_a_claim_alone_is_searched_with_and_undone(desk: Desk) -> None:
    page = desk.new_case()
    desk.mark_first("r")
    desk.view("Chart")
    page.click("table.chart tbody th button:has-text('claim 1')")
    desk.settle()
    desk.settings()
    assert page.inner_text(".fields legend") == "Text from claim 1"
    boxes = page.locator(".fields input")
    assert [boxes.nth(at).input_value() for at in range(boxes.count()) if boxes.nth(at).is_checked()] == ["claims"]
    page.click("button[aria-label=Undo]")
    desk.until("document.querySelector('.fields legend').textContent === 'Text from'")
