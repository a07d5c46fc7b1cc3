"""2. The query: chips of whole words with weights that can be edited, undone and redone; the count follows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Route

    from tests.web.browser.conftest import Desk


def chip(desk: Desk, place: int) -> Locator:
    return desk.page.locator("button.chip").nth(place)


def weight(chip: Locator) -> float:
    found = re.search(r"weight ([\d.]+)", chip.get_attribute("aria-label") or "")
    assert found is not None
    return float(found[1])


def test_chips_are_whole_words_of_the_topic_with_weight_and_frequency(desk: Desk) -> None:
    page = desk.new_case()
    words = page.locator("button.chip .chip-word").all_inner_texts()
    assert len(words) > 20
    topic = " ".join(str(desk.site.topics[0][name]) for name in ("title", "abstract", "claims", "description")).lower()
    assert [word for word in words[:20] if word.lower() not in topic] == []
    assert weight(chip(desk, 0)) > 0
    assert int(page.locator("button.chip .chip-df").first.inner_text().replace(",", "")) >= 1
    assert desk.settings().input_value("#method") == "auto"


def test_slider_changes_the_weight_and_the_ranking_and_undo_takes_it_back(desk: Desk) -> None:
    page = desk.new_case()
    before, old = desk.documents(), weight(chip(desk, 3))
    chip(desk, 3).click()
    slider = page.locator(".chip-editor input[type=range]")
    slider.fill(slider.get_attribute("max") or "")
    slider.dispatch_event("change")
    desk.settle()
    assert weight(chip(desk, 3)) > old
    desk.until(
        "before => JSON.stringify([...document.querySelectorAll('.hit')].map(hit => hit.dataset.doc)) !== before",
        str(before),
    )
    page.keyboard.press("Escape")
    page.click("button[aria-label=Undo]")
    desk.settle()
    desk.until("document.querySelector('button[aria-label=Undo]').disabled")
    assert weight(chip(desk, 3)) == old
    assert desk.documents() == before
    page.click("button[aria-label=Redo]")
    desk.settle()
    assert weight(chip(desk, 3)) > old


def test_off_and_exclude(desk: Desk) -> None:
    page = desk.new_case()
    all_documents = desk.searched()
    word = chip(desk, 0).locator(".chip-word").inner_text()
    frequency = int(chip(desk, 0).locator(".chip-df").inner_text().replace(",", ""))
    chip(desk, 0).click()
    page.check(".chip-editor [data-switch=off]")
    page.wait_for_selector(f"button.chip.off:has-text('{word}')")
    assert desk.searched() == all_documents  # a term that is off changes the ranking alone
    page.check(".chip-editor [data-switch=exclude]")
    page.wait_for_selector(f"button.chip.excluded:has-text('{word}')")
    desk.settle()
    assert all_documents - frequency <= desk.searched() < all_documents


def test_word_and_phrase_are_added(desk: Desk) -> None:
    page = desk.new_case()
    before = desk.searched()
    page.keyboard.press("/")
    page.keyboard.type("membrane")
    page.keyboard.press("Enter")
    page.wait_for_selector("button.chip.edited:has-text('membrane')")
    phrase = " ".join(page.locator(".hit-title").nth(1).inner_text().lower().split()[:2])
    page.fill("#add-term", phrase)
    page.click(".add-term button")
    page.wait_for_selector(f".chip.phrase:has-text('{phrase}')")
    desk.settle()
    assert 0 < desk.searched() < before
    page.click(f"button[aria-label='Remove the phrase {phrase}']")
    desk.until("before => document.querySelector('#query-count strong').textContent === before", f"{before:,}")


def test_what_is_typed_while_a_search_runs_is_kept(desk: Desk) -> None:
    page = desk.new_case()
    held: list[Route] = []
    page.route("**/search", lambda route: held.append(route))
    page.fill("#add-term", "membrane")
    with page.expect_request("**/search"):
        page.keyboard.press("Enter")
    page.fill("#add-term", "electric")
    held[0].continue_()
    desk.settle()
    assert page.input_value("#add-term") == "electric"


def test_method_number_of_terms_and_fields(desk: Desk) -> None:
    page = desk.new_case()
    desk.choose_method("tfidf")
    desk.settle()
    desk.choose_terms("12")
    page.keyboard.press("Enter")
    desk.until("document.querySelectorAll('button.chip').length === 12")
    by_description = page.locator("button.chip .chip-word").all_inner_texts()
    page.check(".fields input[value=claims]")
    desk.settle()
    page.uncheck(".fields input[value=description]")
    desk.settle()
    assert page.locator("button.chip .chip-word").all_inner_texts() != by_description
    assert page.is_checked(".fields input[value=claims]")
    assert not page.is_checked(".fields input[value=description]")
    desk.settings().click("text=Start over")
    desk.until("document.querySelector('#method').value === 'auto'")


def test_edits_made_before_the_server_has_answered_are_all_kept(desk: Desk) -> None:
    page = desk.new_case()
    old = weight(chip(desk, 1))
    page.eval_on_selector_all(
        "button.chip",
        """chips => {
          const press = (at, key) => chips[at].dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          press(1, "ArrowUp"); press(1, "ArrowUp"); press(2, " "); press(4, "x");
          document.querySelector("#undated").click();
        }""",
    )
    page.wait_for_selector("button.chip.excluded")
    desk.settle()
    assert page.locator("button.chip.edited").count() == 3
    assert page.locator("button.chip.off").count() == 1
    step = max(weight(each) for each in page.locator("button.chip").all()) / 10
    assert weight(chip(desk, 1)) > old + step
    assert not page.is_checked("#undated")
    assert page.locator("#searches option").count() == 2  # searches that were overtaken are not stored
