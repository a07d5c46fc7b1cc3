"""3. Filters with counts: dates, undated documents, the class tree, office, applicant, language, families."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from tests.web.browser.conftest import Desk


def wait_for_count(desk: Desk, other_than: int) -> int:
    desk.until(
        "old => document.querySelector('#query-count strong').textContent.replaceAll(',', '') !== old",
        str(other_than),
    )
    desk.settle()
    return desk.searched()


def test_dates_limit_the_results_and_say_which_date_is_meant(desk: Desk) -> None:
    page = desk.new_case()
    before = desk.searched()
    assert "publication date" in page.inner_text("#date-kind")
    assert page.input_value("#date-before") == desk.site.topics[0]["priority_date"]
    page.fill("#date-after", "1995-01-01")
    page.locator("#date-after").dispatch_event("change")
    assert wait_for_count(desk, before) < before
    dates = page.locator(".hit-date").all_inner_texts()
    assert all(date == "undated" or date.split()[-1] >= "1995-01-01" for date in dates)
    page.click("text=No limit")
    desk.settle()
    assert page.input_value("#date-before") == ""


def test_class_tree_opens_and_its_counts_are_those_of_the_filter(desk: Desk) -> None:
    page = desk.new_case()
    before = desk.searched()
    section = page.locator("button[aria-label^='Classes in ']").first
    letter = (section.get_attribute("aria-label") or "")[-1]
    section.click()
    within = f"input[data-filter^='ipc:{letter}']:not([data-filter='ipc:{letter}'])"
    node = page.locator(f".tree label:has({within})").first
    node.wait_for()
    count = int(node.locator(".count").inner_text().replace(",", ""))
    node.locator("input").check()
    assert wait_for_count(desk, before) == count
    code = node.locator(".facet-name").inner_text()
    hits = page.locator(".hit .hit-classes").all_inner_texts()
    assert hits
    assert all(re.search(rf"\b{code}", each) for each in hits)
    page.click(".filters >> text=Clear all")
    assert wait_for_count(desk, count) == before


def test_office_applicant_and_language(desk: Desk) -> None:
    page = desk.new_case()
    before = desk.searched()
    # Long names that begin alike are told apart: none is cut.
    assert page.eval_on_selector_all(".facet-name", "all => all.every(each => each.scrollWidth <= each.clientWidth)")
    box = page.locator("label.facet:has(input[data-filter^='applicant:'])").first
    count = int(box.locator(".count").inner_text().replace(",", ""))
    box.locator("input").check()
    assert wait_for_count(desk, before) == count
    page.click(".filters >> text=Clear all")
    desk.settle()
    names = "[...document.querySelectorAll('[data-filter^=\"applicant:\"]')].map(each => each.dataset.filter)"
    last = page.evaluate(names)[-1]
    page.fill("#applicant-filter", last.removeprefix("applicant:").upper())
    desk.until(f"name => {names}[0] === name", last)
    assert page.locator("input[data-filter='country:EP']").count() == 1
    languages = page.locator("label.facet:has(input[data-filter^='document_language:'])")
    assert languages.count() >= 2
    count = int(languages.last.locator(".count").inner_text().replace(",", ""))
    languages.last.locator("input").check()
    assert wait_for_count(desk, before) == count


def ranked(desk: Desk) -> int:
    """The number of documents or families that the list has."""
    return int(re.match(r"[\d,]+", desk.page.inner_text("#results-status"))[0].replace(",", ""))  # type: ignore[index]


def test_one_hit_per_family_can_be_expanded(desk: Desk) -> None:
    page = desk.new_case()
    families: dict[str, list[str]] = {}
    for hit in desk.retrieved(1):
        families.setdefault(hit["family_id"] or hit["doc_id"], []).append(hit["doc_id"])
    first, *others = next(members for members in families.values() if len(members) > 1)
    assert "families ranked" in page.inner_text("#results-status")
    assert ranked(desk) == len(families)
    while page.locator(f".hit[data-doc='{first}']").count() == 0:
        page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")
        shown = page.locator(".hit").count()
        desk.until("shown => document.querySelectorAll('.hit').length > shown", shown)
    family = page.locator(f".hit[data-doc='{first}'] .hit-family")
    family.locator("summary").click()
    assert family.locator("button").all_inner_texts() == others
    assert {*others}.isdisjoint(desk.documents())
    page.uncheck("#family")
    desk.until("/^[0-9,]+ documents? ranked/.test(document.querySelector('#results-status').textContent)")
    assert ranked(desk) == sum(map(len, families.values()))


def test_nothing_found_says_which_condition_empties_the_list(desk: Desk) -> None:
    page = desk.new_case()
    page.uncheck("#undated")
    desk.settle()
    page.fill("#date-after", "2025-01-01")
    page.locator("#date-after").dispatch_event("change")
    page.wait_for_selector("#nothing-found")
    assert "the dates: " in page.inner_text("#nothing-found")
    page.click("#nothing-found [data-condition=date]")
    desk.settle()
    assert page.locator("#nothing-found").count() == 0


def test_a_search_can_be_cancelled(desk: Desk) -> None:
    page = desk.new_case()
    held: list[Route] = []
    page.route("**/search", lambda route: held.append(route))
    desk.choose_method("tfidf")
    page.click("#cancel-search")
    page.wait_for_selector("#results-status:has-text('cancelled')")
    assert page.locator(".hit").count() > 0
    page.unroute("**/search")
    desk.choose_method("full")
    page.wait_for_selector("#results-status:has-text('searched')")
