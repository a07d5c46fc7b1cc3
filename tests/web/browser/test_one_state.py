"""What two places of the page once said differently: each is one field of its state now, and a test of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.web.browser.conftest import Desk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Page, Route

WIDTHS = (360, 390, 768, 1440)
MOST_STOPS = 25
SHOWN = "document.querySelectorAll('.hit').length"


def scroll_to_the_end(desk: Desk) -> None:
    """Scroll until every hit of the list is there."""
    while desk.page.is_visible(".results-foot button"):
        shown = desk.page.locator(".hit").count()
        desk.page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")
        desk.until(f"shown => {SHOWN} > shown", shown)


def highlighted(desk: Desk) -> str | None:
    (row,) = desk.page.locator("[aria-current=true][data-doc]").all()
    return row.get_attribute("data-doc")


def test_a_reload_and_a_return_show_every_row_that_was_there(desk: Desk) -> None:
    page = desk.new_case()
    scroll_to_the_end(desk)
    rows = desk.documents()
    assert len(rows) >= 150
    desk.open_hit(len(rows) - 5)
    place = page.eval_on_selector(".results", "list => list.scrollTop")
    page.reload()
    desk.settle()
    desk.until(f"rows => {SHOWN} === rows", len(rows))
    assert desk.documents() == rows
    assert abs(page.eval_on_selector(".results", "list => list.scrollTop") - place) < 3
    assert highlighted(desk) == rows[-5]
    desk.home()
    page.click("table.cases tbody th a >> nth=0")
    desk.until(f"rows => {SHOWN} === rows", len(rows))


def test_rows_that_do_not_come_are_asked_for_again_and_none_is_lost(desk: Desk) -> None:
    page = desk.new_case()
    page.route(re.compile("offset=25"), lambda route: route.abort())
    page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")
    page.wait_for_selector(".results-foot [role=alert]")
    assert page.locator(".hit").count() == 25
    page.unroute(re.compile("offset=25"))
    page.click(".results-foot >> text=Try again")
    desk.until(f"{SHOWN} > 25")
    page.wait_for_selector(".results-foot [role=alert]", state="detached")
    desk.complaints.clear()  # the browser itself reports the request that failed


@pytest.fixture
def windows(desk: Desk) -> Iterator[tuple[Desk, Desk]]:
    """A case in two windows: what one does is to the other as if somebody else did it."""
    page = desk.new_case()
    other = Desk(page.context.new_page(), desk.site)
    other.watch()
    other.page.goto(page.url)
    other.settle()
    yield desk, other
    assert other.complaints == []
    other.page.close()


def test_two_people_change_different_fields_and_both_are_kept(windows: tuple[Desk, Desk]) -> None:
    one, two = windows
    document = one.documents()[0]
    one.open_hit(0)
    two.open_hit(0)
    one.page.click(".mark-button.relevant")
    two.page.wait_for_selector(".mark-button.relevant[aria-pressed=true]")
    one.page.fill(".note-input", "Discloses the relay")
    two.page.select_option(".marking select", "X")
    one.page.locator(".note-input").blur()
    one.page.fill(".claims-input", "1-3")
    one.page.locator(".claims-input").blur()
    for each in windows:
        each.page.wait_for_selector(f".hit[data-doc='{document}'] .badge:has-text('X')")
        each.until("document.querySelector('.note-input').value === 'Discloses the relay'")
        each.until("document.querySelector('.claims-input').value === '1-3'")
    assert one.page.locator("dialog").count() == two.page.locator("dialog").count() == 0


def written_at_once(windows: tuple[Desk, Desk]) -> Page:
    """Both write a note; the second to store it sees both versions."""
    one, two = windows
    one.open_hit(0)
    two.open_hit(0)
    one.page.click(".mark-button.relevant")
    two.page.wait_for_selector(".mark-button.relevant[aria-pressed=true]")
    two.page.fill(".note-input", "mine")
    one.page.fill(".note-input", "theirs")
    one.page.locator(".note-input").blur()
    two.page.wait_for_selector(".mark-problem:has-text('theirs')")  # shown while the own one is being written
    assert two.page.input_value(".note-input") == "mine"
    two.page.locator(".note-input").blur()
    two.page.wait_for_selector("dialog[open]")
    assert re.search(r"Note\s+theirs\s+mine", two.page.inner_text("dialog[open]"))
    return two.page


@pytest.mark.parametrize(
    ("choice", "note"), [("Keep theirs", "theirs"), ("Keep mine", "mine"), ("Keep both", "theirs\nmine")]
)
def test_two_notes_on_one_document_are_shown_and_one_person_decides(
    windows: tuple[Desk, Desk], choice: str, note: str
) -> None:
    page = written_at_once(windows)
    page.click(f"dialog[open] >> text={choice}")
    page.wait_for_selector("dialog", state="detached")
    for each in windows:
        each.until("note => document.querySelector('.note-input').value === note", note)


def test_undo_does_not_undo_what_somebody_else_did_since(windows: tuple[Desk, Desk]) -> None:
    one, two = windows
    document = one.documents()[0]
    one.open_hit(0)
    one.page.click(".mark-button.relevant")
    two.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=relevant]")
    two.open_hit(0)
    two.page.click(".mark-button.not")
    one.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=not]")
    one.page.locator("body").press("u")
    one.page.wait_for_selector("dialog[open]:has-text('Undo anyway')")
    one.page.click("dialog[open] >> text=Keep theirs")
    one.rest()
    assert one.page.get_attribute(f".hit[data-doc='{document}']", "data-mark") == "not"


def test_the_open_document_is_highlighted_before_the_list_is_there(desk: Desk) -> None:
    page = desk.new_case()
    desk.open_hit(1)
    document = highlighted(desk)
    held: list[Route] = []
    page.route("**/searches/*", lambda route: held.append(route))
    page.reload()
    page.wait_for_selector(".bench .chips")
    page.wait_for_selector(".reader-empty:has-text('Loading')")
    assert page.locator(".hit").count() == 0
    assert highlighted(desk) == document
    held[0].continue_()
    desk.settle()
    assert page.locator("[data-doc][aria-current=true]").count() == 1
    assert highlighted(desk) == document


def test_more_like_these_highlights_what_is_read_and_a_key_marks_that(desk: Desk) -> None:
    page = desk.new_case()
    desk.mark_first("rr")
    page.click("#more-like-these")
    page.wait_for_selector("#results-status:has-text('by what is marked')")
    desk.settle()
    page.wait_for_selector(".reader .hit-number")
    document = highlighted(desk)
    assert document in desk.documents()
    assert page.inner_text(".reader .hit-number").startswith(str(document))
    page.keyboard.press("n")
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=not]")


def test_more_like_these_is_a_query_of_chips_that_can_be_edited_and_undone(desk: Desk) -> None:
    page = desk.new_case()
    before = page.locator("button.chip .chip-word").all_inner_texts()
    desk.mark_first("rr")
    page.click("#more-like-these")
    page.wait_for_selector("#results-status:has-text('by what is marked')")
    desk.settle()
    chips = page.locator("button.chip[data-word]")
    words = chips.locator(".chip-word").all_inner_texts()
    assert words != before
    status = page.inner_text("#results-status")
    assert f"{desk.searched():,} documents searched" in status
    assert "without the 2 documents it was learned from" in status
    terms = re.search(r"(\d+) terms", page.inner_text("#searches option:checked"))
    assert terms is not None
    assert int(terms[1]) == len(words)
    assert page.locator("#outdated").count() == 0
    chips.first.press("x")
    page.wait_for_selector("button.chip.excluded")
    desk.settle()
    assert page.locator("button.chip[data-word]").count() == len(
        words
    )  # still what was learned, with one word excluded
    for _ in range(2):
        page.locator("body").press("u")
        desk.rest()
        desk.settle()
    shown = "[...document.querySelectorAll('button.chip .chip-word')].map(word => word.textContent)"
    desk.until(f"words => {shown}.join() === words", ",".join(before))


def test_the_label_says_where_a_list_ends_and_the_advice_counts_what_it_holds(desk: Desk) -> None:
    page = desk.new_case()

    def cut(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, json={**answer.json(), "limit_reached": True, "retrieved": 10_000})

    page.route("**/search", cut)
    desk.choose_method("tfidf")
    page.wait_for_selector("#results-status:has-text('the best 10,000 documents; the list ends there')")
    page.unroute("**/search")
    desk.settle()
    desk.mark_first("nn")
    progress = page.request.get(f"{desk.case}/progress").json()
    assert progress["advice"]["more"] is None or progress["advice"]["more"] <= progress["unread"]
    desk.view("Found")
    assert f"{progress['unread']} of the {progress['documents']} documents" in page.inner_text(".advice")


def test_a_refused_expression_that_is_cleared_leaves_box_and_list_agreed(desk: Desk) -> None:
    page = desk.new_case()
    word = page.locator("button.chip .chip-word").first.inner_text()
    every = desk.searched()
    page.fill("#where", word)
    page.press("#where", "Enter")
    desk.wait_for_fewer(every)
    page.fill("#where", f"({word} OR")
    page.press("#where", "Enter")
    page.fill("#where", "")
    page.wait_for_selector(f".where-pending:has-text('{word}')")  # what the list still meets
    desk.rest()
    assert page.locator("#where-problem").is_hidden()
    page.press("#where", "Enter")
    desk.until("every => document.querySelector('#query-count strong').textContent === every", f"{every:,}")
    assert page.locator(".where-pending").count() == 0


def test_a_list_that_is_not_of_the_query_says_so(desk: Desk) -> None:
    page = desk.new_case()
    page.route("**/search", lambda route: route.abort())
    desk.choose_method("tfidf")
    page.wait_for_selector("#search-problem")
    assert "search 1" in page.inner_text("#results-status")
    page.wait_for_selector("#outdated")
    page.unroute("**/search")
    page.click("#outdated >> text=Search with the query above")
    page.wait_for_selector("#outdated", state="detached")
    desk.settle()
    page.select_option("#searches", "1")
    page.wait_for_selector("#outdated:has-text('search 1')")
    page.click("#outdated >> text=Use the query of search 1")
    page.wait_for_selector("#outdated", state="detached")
    assert desk.settings().input_value("#method") == "auto"
    desk.complaints.clear()  # the browser itself reports the request that failed


def test_a_hit_opens_at_its_passage_and_the_location_is_whole(desk: Desk) -> None:
    page = desk.new_case()
    location = page.locator(".hit-location:has-text('paragraph')").first
    hit = page.locator(".hit", has=page.locator(".hit-location", has_text="paragraph")).first
    text = location.inner_text()
    assert page.eval_on_selector_all(
        ".hit-location",
        "all => all.every(each => each.scrollHeight <= each.clientHeight + 1 && each.scrollWidth <= each.clientWidth)",
    )
    hit.locator(".hit-title").click()
    page.wait_for_selector(".reader-text .place-here")
    assert page.inner_text(".passage-place") == text
    passage = page.locator(".place-here")
    assert passage.get_attribute("data-place") == text.split()[-1]
    box, pane = passage.bounding_box(), page.locator(".reader-text").bounding_box()
    assert box is not None
    assert pane is not None
    assert pane["y"] - 1 <= box["y"] + box["height"] / 2 <= pane["y"] + pane["height"]
    page.keyboard.press("t")
    here = page.locator("mark.here").bounding_box()
    assert here is not None
    assert abs(here["y"] - box["y"]) < pane["height"]


COLOURED = """
  () => Object.values(JSON.parse(localStorage.getItem(`antecede.colours.${location.pathname.split("/")[2]}`)))
"""


def test_no_two_words_share_a_colour_however_the_query_changes(desk: Desk) -> None:
    page = desk.new_case()
    for method in ("tfidf", "tf"):
        desk.choose_method(method)
        desk.settle()
        desk.open_hit(0)
    desk.mark_next("r")
    page.click("#more-like-these")
    page.wait_for_selector("#results-status:has-text('by what is marked')")
    desk.settle()
    colours = page.evaluate(COLOURED)
    assert len(colours) > 8  # more than the heaviest words of one query
    assert len(colours) == len({*colours})


def test_a_word_has_one_colour_in_the_whole_case(desk: Desk) -> None:
    page = desk.new_case()
    colours: dict[str, set[str]] = {}

    def collect() -> None:
        pairs = page.eval_on_selector_all(
            ".legend", "all => all.map(each => [each.firstChild.textContent, each.className])"
        )
        for word, colour in pairs:
            colours.setdefault(word, set()).add(colour)

    for place in range(6):
        desk.open_hit(place)
        collect()
    page.reload()
    desk.settle()
    page.wait_for_selector(".legend")
    collect()
    desk.choose_method("tfidf")
    desk.settle()
    desk.open_hit(0)
    collect()
    assert len(colours) > 8
    assert {word: found for word, found in colours.items() if len(found) > 1} == {}


VIEWS = ("Application", "Search", "Chart", "Found", "Compare", "Report")


WIDER = """() => {
  const scrolls = ({ overflowX: x, textOverflow }) => ["auto", "scroll"].includes(x) || textOverflow === "ellipsis";
  const within = ({ parentElement: box }) => box && (scrolls(getComputedStyle(box)) || within(box));
  const reaches = each => each.getBoundingClientRect().right > innerWidth + 1;
  const all = [...document.body.querySelectorAll("*:not(.hidden-text, svg *)")].filter(each => each.checkVisibility());
  const wider = all.filter(each => reaches(each) && !within(each));
  const [bar, root] = [document.querySelector("#bar-views"), document.documentElement];
  if (bar.scrollWidth > bar.clientWidth) wider.push(bar);
  if (root.scrollWidth > innerWidth) wider.push(root);
  return wider.map(each => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`);
}"""


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(desk: Desk, width: int) -> None:
    page = desk.page
    seen: dict[str, list[str]] = {}
    page.set_viewport_size({"width": width, "height": 780})
    desk.understand(desk.site.topics[0]["claims"]["en"][0])
    seen["start"] = page.evaluate(WIDER)
    desk.new_case(name="A case with a rather long name that nobody would want to read twice on a telephone")
    seen["list"] = page.evaluate(WIDER)
    desk.settings()
    seen["settings"] = page.evaluate(WIDER)
    page.locator("button.chip").nth(2).click()
    seen["editor"] = page.evaluate(WIDER)
    page.keyboard.press("Escape")
    page.fill("#add-term", "a phrase of several words")
    page.wait_for_selector("#add-says:not(:empty)")
    page.fill("#where", f"averyverylongwordthatnobodyhaseverwritten{'x' * 80} OR")
    seen["expression"] = page.evaluate(WIDER)
    page.fill("#where", "")
    page.fill("#add-term", "")
    desk.open_hit(0)
    page.keyboard.press("r")
    desk.rest()
    seen["document"] = page.evaluate(WIDER)
    page.keyboard.press("b")
    page.wait_for_selector(".side .reader-text")
    seen["beside"] = page.evaluate(WIDER)
    page.keyboard.press("?")
    seen["help"] = page.evaluate(WIDER)
    page.keyboard.press("Escape")
    for name in VIEWS:
        desk.view(name)
        seen[name] = page.evaluate(WIDER)
    desk.home()
    page.wait_for_selector("table.cases")
    seen["home"] = page.evaluate(WIDER)
    page.set_viewport_size({"width": 1400, "height": 900})
    assert {name: wider for name, wider in seen.items() if wider} == {}


def test_a_slow_answer_makes_nothing_wider_than_the_window(desk: Desk) -> None:
    page = desk.new_case()
    held: list[Route] = []
    page.route("**/search", lambda route: held.append(route))
    desk.choose_method("tfidf")
    for _ in range(10):  # a line moves in the header meanwhile
        page.wait_for_timeout(150)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    held[0].continue_()
    desk.settle()


def test_few_stops_of_the_tab_key_lead_to_the_first_hit(desk: Desk) -> None:
    page = desk.new_case()
    desk.open_hit(0)
    page.keyboard.press("r")  # there is something to undo
    desk.rest()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.focus(".skip")
    stops = 1
    while not page.evaluate("document.activeElement.matches('.hit-title')"):
        page.keyboard.press("Tab")
        stops += 1
        assert stops < 200
    assert stops <= MOST_STOPS
    page.focus("button.chip >> nth=0")
    words = page.locator("button.chip .chip-word").all_inner_texts()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.word") == words[2]
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.matches('.chip')")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.dataset.word") == words[2]


def test_dates_are_named_as_what_they_are(desk: Desk) -> None:
    page = desk.new_case()
    assert all(
        re.fullmatch(r"(published|filed|priority) \d{4}-\d\d-\d\d|undated", date)
        for date in page.locator(".hit-date").all_inner_texts()
    )
    desk.open_hit(0)
    assert re.match(r"published \d{4}-\d\d-\d\d · filed \d{4}-\d\d-\d\d", page.inner_text(".reader-facts"))
    page.click("#tab-citations")
    cited = page.locator(".citations section:first-child li").all_inner_texts()
    assert all(re.search(r"published|filed|priority|not in the index", line) for line in cited)


def test_a_toast_says_what_was_undone_and_is_gone_in_the_next_view(desk: Desk) -> None:
    page = desk.new_case()
    (document,) = desk.mark_first("r")
    before = page.request.get(f"{desk.case}/marks").json()[0]
    page.locator("body").press("u")
    page.wait_for_selector(f".toast:has-text('Undone: {document} marked relevant')")
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark='']")
    page.locator("body").press("Shift+U")
    page.wait_for_selector(f".toast:has-text('Done again: {document} marked relevant')")
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=relevant]")
    after = page.request.get(f"{desk.case}/marks").json()[0]
    assert (after["search"], after["rank"]) == (before["search"], before["rank"]) == (1, before["rank"])
    assert before["rank"] is not None
    page.click("#bar-views >> text=Report")
    page.wait_for_selector("table.marks")
    assert page.locator(".toast").count() == 0


def test_the_box_says_what_it_adds_before_it_does(desk: Desk) -> None:
    page = desk.new_case()
    every = desk.searched()
    word = page.locator("button.chip .chip-word").nth(3).inner_text()
    page.fill("#add-term", word)
    assert page.is_checked("input[name=add-as][value=weight]")
    page.check("input[name=add-as][value=must]")
    page.click(".add-term button[type=submit]")
    page.wait_for_selector(f".chip.phrase:has-text('must contain “{word}”')")
    desk.wait_for_fewer(every)
    page.fill("#add-term", "xqzt")
    page.wait_for_selector("#add-says:has-text('xqzt')")
    assert "no document" in page.inner_text("#add-says").lower()
    page.keyboard.press("Enter")
    page.wait_for_selector("button.chip.unheld:has-text('xqzt')")
    assert "no document" in page.inner_text("#add-says").lower()
    page.fill("#add-term", "heat cartridge")
    assert page.is_checked("input[name=add-as][value=must]")
    page.check("input[name=add-as][value=weight]")
    page.keyboard.press("Enter")
    desk.settle()
    assert page.locator(".chip.phrase").count() == 1
