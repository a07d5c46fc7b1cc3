"""Patent text, numbers, notes, names and file names are data: no markup in them ever runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.browser.collection import ATTACK

if TYPE_CHECKING:
    from pathlib import Path

    from tests.web.browser.conftest import Desk

HOSTILE = "EP9000001"


def test_markup_in_a_patent_is_shown_as_text_in_every_view(desk: Desk) -> None:
    page = desk.new_case(name=f"Case {ATTACK}")
    assert ATTACK in page.inner_text("#bar-case")
    hit = page.locator(f".hit[data-doc={HOSTILE}]")
    assert "<script>" in hit.locator(".hit-title").inner_text()
    hit.locator(".hit-title").click()
    page.wait_for_selector(".reader-text")
    assert "<script>" in page.inner_text(".reader h2")
    for part in ("claims", "description", "abstract"):
        page.click(f"#tab-{part}")
        assert "<img" in page.inner_text(".reader-text")
    page.click(".mark-button.relevant")
    page.fill(".note-input", ATTACK)
    page.locator(".note-input").blur()
    page.fill("#add-term", ATTACK)
    page.keyboard.press("Enter")
    desk.rest()
    for view in ("Application", "Chart", "Found", "Compare", "Report", "Search"):
        desk.view(view)
        assert not desk.attacked, view
    assert page.locator("main img, main script").count() == 0
    with page.expect_popup() as opened:
        desk.view("Report").click("text=Open the report")
    opened.value.wait_for_load_state()
    assert opened.value.evaluate("window.attacked") is None
    assert opened.value.locator("img[onerror], script:has-text('attacked')").count() == 0
    page.click("a.brand")
    page.wait_for_selector("table.cases")
    assert "<script>" in page.inner_text("table.cases")
    assert not desk.attacked


def test_markup_in_file_names_and_pasted_text(desk: Desk, tmp_path: Path) -> None:
    page = desk.understand(f"{ATTACK} a switch with a relay and a coil {ATTACK}")
    assert not desk.attacked
    page.set_input_files(
        "#start-file",
        {"name": "<img src=x onerror=window.attacked=1>.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4"},
    )
    page.wait_for_selector(".start-answer .notice")
    assert not desk.attacked
    assert page.locator(".start-answer img").count() == 0


def test_address_of_a_case_that_is_not_there(desk: Desk) -> None:
    page = desk.page
    page.goto(f"{desk.site.root}/cases/%3Cscript%3Ealert(1)%3C%2Fscript%3E/search")
    page.wait_for_selector(".notice.bad, body:has-text('not')")
    assert not desk.attacked
