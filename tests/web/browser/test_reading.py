"""5. The reading pane: parts, coloured terms, jumping, languages, citations in both directions, the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk


def test_terms_are_coloured_and_the_next_one_is_a_key_away(desk: Desk) -> None:
    page = desk.new_case()
    desk.open_hit(0)
    page.click("#tab-description")
    assert page.locator(".reader-text mark").count() > 5
    groups = page.eval_on_selector_all(".reader-text mark", "marks => new Set(marks.map(mark => mark.className)).size")
    assert groups >= 3
    page.keyboard.press("t")
    assert page.inner_text(".jump-place").startswith("1 of")
    page.keyboard.press("t")
    assert page.inner_text(".jump-place").startswith("2 of")
    page.keyboard.press("Shift+T")
    assert page.inner_text(".jump-place").startswith("1 of")
    legend = page.locator(".legend").first
    legend.click()
    term = page.locator(".reader-text mark.here").inner_text().lower()
    assert term[:3] == legend.inner_text().lower()[:3]


def test_the_application_and_another_document_are_read_beside_a_document(desk: Desk) -> None:
    page = desk.new_case()
    documents = desk.documents()
    desk.open_hit(0)
    desk.open_hit(1)
    page.keyboard.press("b")
    page.wait_for_selector(".side .claim-match")
    assert "The application" in page.inner_text(".side .hit-number")
    page.locator(".side .claim-match button").first.click()
    place = page.locator(".reader:not(.side) .place-here")
    assert place.count() == 1
    page.keyboard.press("j")  # the next document is read against the same claims
    page.wait_for_selector(f".reader:not(.side) .hit-number:has-text('{documents[2]}')")
    desk.rest()
    page.select_option(".beside-choice", documents[0])
    page.wait_for_selector(f".side .hit-number:has-text('{documents[0]}')")
    page.reload()
    page.wait_for_selector(f".side .hit-number:has-text('{documents[0]}')")
    page.wait_for_selector(f".reader:not(.side) .hit-number:has-text('{documents[2]}')")
    desk.rest()
    page.keyboard.press("Escape")
    page.wait_for_selector(".side", state="hidden")
    page.go_back()
    page.wait_for_selector(f".side .hit-number:has-text('{documents[0]}')")


def test_parts_and_languages(desk: Desk) -> None:
    page = desk.new_case()
    desk.open_hit(0)
    for part in ("claims", "description", "abstract"):
        page.click(f"#tab-{part}")
        assert len(page.inner_text(".reader-text")) > 40
    page.click("#tab-claims")
    english = page.inner_text(".reader-text")
    tabs = page.locator(".languages [role=tab]")
    assert tabs.count() >= 2
    page.click(".languages [role=tab][aria-selected=false]")
    assert page.inner_text(".reader-text") != english


def test_citations_lead_to_the_cited_document_and_back(desk: Desk) -> None:
    page = desk.new_case()
    for place in range(8):
        desk.open_hit(place)
        page.click("#tab-citations")
        if page.locator(".citations section:first-child button.link").count():
            break
    citing = page.locator(".reader .hit-number").first.inner_text()
    page.locator(".citations section:first-child button.link").first.click()
    desk.until("citing => document.querySelector('.reader .hit-number')?.textContent !== citing", citing)
    page.wait_for_selector("#tab-citations[aria-selected=true]")  # the walk goes on among the citations
    assert page.locator(".citations section:nth-child(2) button.link").count() >= 1
    page.go_back()
    desk.until("citing => document.querySelector('.reader .hit-number')?.textContent === citing", citing)


def test_keyboard_alone(desk: Desk) -> None:
    page = desk.new_case()
    documents = desk.documents()
    page.keyboard.press("j")
    assert page.locator(".hit[aria-current=true]").get_attribute("data-doc") == documents[1]
    page.keyboard.press("k")
    assert page.locator(".hit[aria-current=true]").get_attribute("data-doc") == documents[0]
    page.keyboard.press("o")
    page.wait_for_selector(".reader-text")
    for place, (key, mark) in enumerate((("r", "relevant"), ("m", "maybe"), ("n", "not"))):
        page.keyboard.press(key)
        page.wait_for_selector(f".hit[data-doc='{documents[place]}'][data-mark={mark}]")
    page.keyboard.press("j")  # with a document open the next one is read
    page.wait_for_selector(f".hit[data-doc='{documents[4]}'].seen")
    page.keyboard.press("Escape")
    page.wait_for_selector(".reader-empty")
    page.keyboard.press("?")
    assert "relevant" in page.inner_text("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "add-term"
    page.keyboard.type("jrn")  # in a field the keys are letters
    assert page.input_value("#add-term") == "jrn"


def test_narrow_window_shows_one_pane_and_the_way_back(desk: Desk) -> None:
    page = desk.page
    page.set_viewport_size({"width": 800, "height": 900})
    desk.new_case()
    assert not page.is_visible(".reader")
    page.click(".filters-toggle")
    assert page.is_visible(".filters")
    desk.open_hit(1)
    assert not page.is_visible(".results")
    page.click("text=‹ List")
    assert page.is_visible(".results")
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    page.route("**/document?*", lambda route: route.abort())  # the way back also from what cannot be shown
    page.locator(".hit-title").first.click()
    page.wait_for_selector(".reader [role=alert]")
    assert page.locator(".reader [role=alert] code").inner_text() == "antecede serve"
    page.click("text=‹ List")
    assert page.is_visible(".results")
    desk.complaints.clear()  # the browser itself reports the request that failed
