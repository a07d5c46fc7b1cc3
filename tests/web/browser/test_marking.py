"""6. Marking with category, claims and note; "more like these" ranks again and shows what is new."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.web.browser.conftest import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Route


def test_mark_with_category_claims_and_note_is_stored_at_once(desk: Desk) -> None:
    page = desk.new_case()
    document = desk.documents()[2]
    desk.open_hit(2)
    page.click(".mark-button.relevant")
    page.wait_for_selector(".mark-button.relevant[aria-pressed=true]")
    page.select_option(".marking select", "X")
    page.wait_for_selector(f".hit[data-doc='{document}'] .badge:has-text('X')")
    page.fill(".claims-input", "1, 3-5")
    page.locator(".claims-input").blur()
    page.fill(".note-input", "Discloses the relay")
    page.locator(".note-input").blur()
    desk.rest()
    page.reload()
    desk.settle()
    desk.open_hit(2)
    assert page.locator(".marking select").input_value() == "X"
    assert page.input_value(".claims-input") == "1, 3-5"
    assert page.input_value(".note-input") == "Discloses the relay"
    page.click(".mark-button.relevant")  # the same again takes the mark back
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark='']")


def test_changes_made_while_a_mark_is_being_stored_are_kept(desk: Desk) -> None:
    page = desk.new_case()
    document = desk.documents()[2]
    desk.open_hit(2)
    held: list[Route] = []
    page.route("**/marks", lambda route: route.continue_() if held else held.append(route))
    page.click(".mark-button.maybe")
    page.fill(".claims-input", "1, 3-5")
    page.locator(".claims-input").blur()
    page.locator(".note-input").press_sequentially("Discloses")
    held[0].continue_()
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=maybe]")
    desk.rest()
    assert page.input_value(".note-input") == "Discloses"  # what is being written is not taken away
    page.locator(".note-input").press_sequentially(" the relay")
    page.locator(".note-input").blur()
    desk.rest()
    page.reload()
    desk.settle()
    desk.open_hit(2)
    page.wait_for_selector(".mark-button.maybe[aria-pressed=true]")
    assert page.input_value(".claims-input") == "1, 3-5"
    assert page.input_value(".note-input") == "Discloses the relay"


def test_a_mark_goes_on_to_the_next_unread_and_the_same_key_takes_it_back(desk: Desk) -> None:
    page = desk.new_case()
    documents = desk.mark_first("rnm")
    following = desk.documents()[3]
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{following}']")
    desk.open_hit(0)
    page.keyboard.press("r")  # marked relevant already
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{documents[0]}'][data-mark='']")
    page.keyboard.press("m")  # the next two are marked: the fourth is the next
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{following}']")
    page.uncheck("text=r m n go on to the next")
    page.keyboard.press("n")
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{following}'][data-mark=not]")


def test_u_undoes_the_last_thing_done_and_says_what(desk: Desk) -> None:
    page = desk.new_case()
    before = desk.documents()
    desk.choose_method("tfidf")
    desk.settle()
    documents = desk.mark_first("rn")
    for done in (f"{documents[1]} marked not relevant", f"{documents[0]} marked relevant", "the method"):
        page.locator("body").press("u")
        page.wait_for_selector(f".toast:has-text('Undone: {done}')")
        desk.settle()
    assert page.locator(".hit:not([data-mark=''])").count() == 0
    assert desk.settings().input_value("#method") == "auto"
    assert desk.documents() == before


def test_a_second_tab_follows_the_first(desk: Desk) -> None:
    page = desk.new_case()
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".hit")
    (document,) = desk.mark_first("r")
    other.wait_for_selector(f".hit[data-doc='{document}'][data-mark=relevant]")
    page.locator("body").press("u")
    other.wait_for_selector(f".hit[data-doc='{document}'][data-mark='']")
    desk.choose_method("tfidf")
    follower = Desk(other, desk.site)
    follower.until("document.querySelector('#searches').value === '2'")
    desk.settle()
    follower.settle()
    assert follower.settings().input_value("#method") == "tfidf"
    assert follower.documents() == desk.documents()
    other.select_option("#searches", "1")  # what was chosen there stays
    follower.settle()
    desk.choose_method("tf")
    other.wait_for_selector("#searches option[value='3']", state="attached")
    follower.rest()
    assert other.input_value("#searches") == "1"
    follower.settle()
    other.reload()
    follower.settle()
    desk.mark_first("r")
    page.click("#more-like-these")
    follower.until("document.querySelector('#searches').value === '4'")
    other.close()


def test_a_document_has_an_address(desk: Desk) -> None:
    page = desk.new_case()
    first, second = desk.documents()[:2]
    desk.open_hit(0)
    desk.open_hit(1)
    assert page.url.endswith(f"?doc={second}")
    page.go_back()
    page.wait_for_selector(f".hit[aria-current=true][data-doc='{first}']")
    linked = page.context.new_page()
    linked.goto(page.url)
    linked.wait_for_selector(f".hit[aria-current=true][data-doc='{first}']")
    linked.wait_for_selector(".reader-text")
    linked.close()
    page.go_back()
    page.wait_for_selector(".reader-empty")


def test_more_like_these_ranks_again_and_shows_what_is_new(desk: Desk) -> None:
    page = desk.new_case()
    page.click("#more-like-these")
    assert "mark" in page.inner_text("#search-problem").lower()  # nothing is marked yet
    desk.choose_method("tfidf")
    desk.settle()
    desk.choose_terms("10")
    page.keyboard.press("Enter")
    desk.until("document.querySelectorAll('button.chip').length === 10")
    desk.settle()
    before = desk.documents()
    desk.mark_first("nn")
    # One that only the first search found is relevant: its words bring in others.
    everything, old = ([hit["doc_id"] for hit in desk.retrieved(number)] for number in (1, 3))
    desk.mark_elsewhere([each for each in everything if each not in old][-1], "relevant")
    page.click("#more-like-these")
    desk.until("document.querySelector('#results-status').textContent.includes('by what is marked')")
    desk.settle()
    assert page.inner_text("#searches option:checked").startswith("4. more like these")
    again = [hit["doc_id"] for hit in desk.retrieved(4)]
    assert {*before[:2]}.isdisjoint(again)  # what is marked is not shown again
    shown_before = {hit["doc_id"] for number in (1, 2, 3) for hit in desk.retrieved(number)[:100]}
    new = {*again[:100]} - shown_before
    assert new
    assert f"· {len(new)} new" in page.inner_text("#results-status")
    while "Show more" in page.inner_text(".results-foot"):
        shown = page.locator(".hit").count()
        page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")
        desk.until("shown => document.querySelectorAll('.hit').length > shown", shown)
    badges = page.locator(".hit:has(.badge.new)")
    assert {each.get_attribute("data-doc") for each in badges.all()} == new & {*desk.documents()}
    # Which search found a document is recorded with it.
    desk.open_hit(0)
    page.click("#tab-citations")
    assert "search 4 at rank 1" in page.inner_text(".citations")
