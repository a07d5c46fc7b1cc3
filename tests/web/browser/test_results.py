"""4. Results: number, dates, applicant, title, best passage, classes, why, seen, links; the position survives."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def test_hit_shows_what_a_searcher_needs(desk: Desk) -> None:
    page = desk.new_case()
    hit = page.locator(".hit").first
    assert hit.locator(".hit-number").inner_text().startswith("EP")
    assert hit.locator(".hit-date").inner_text()
    assert len(hit.locator(".hit-title").inner_text()) > 5
    assert hit.locator(".hit-passage mark").count() >= 2
    assert hit.locator(".badge.code").count() >= 1
    assert hit.locator(".why-row").count() >= 3
    bars = "bars => bars.slice(0, 5).map(bar => bar.offsetWidth)"
    widths = page.eval_on_selector_all(".hit:first-child .why-bar", bars)
    assert widths == sorted(widths, reverse=True)
    links = hit.locator("a.outward")
    assert [link.get_attribute("href").split("/")[2] for link in links.all()] == [  # type: ignore[union-attr]
        "worldwide.espacenet.com",
        "patents.google.com",
    ]
    assert "noopener" in (links.first.get_attribute("rel") or "")


def test_further_results_come_by_scrolling_and_the_position_survives_going_back(desk: Desk) -> None:
    page = desk.new_case()
    page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")
    desk.until("document.querySelectorAll('.hit').length > 30")
    assert page.locator(".hit.seen").count() == 0
    desk.open_hit(28)
    desk.rest()
    shown = page.locator(".hit[aria-current=true]").get_attribute("data-doc")
    place = page.eval_on_selector(".results", "list => list.scrollTop")
    assert place > 0
    desk.view("Report")
    page.go_back()
    desk.settle()
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{shown}']")
    assert page.locator(".hit.seen").count() == 1
    assert abs(page.eval_on_selector(".results", "list => list.scrollTop") - place) < 3
    page.wait_for_selector(".reader-text")
