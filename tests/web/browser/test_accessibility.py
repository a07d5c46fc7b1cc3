"""Every view in light and dark: axe-core finds nothing, and nothing is wider than the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.web.browser.conftest import Desk

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

    from tests.web.browser.conftest import Site

VIEWS = ("Application", "Chart", "Found", "Compare", "Report", "Search")


COLOURS = ("color-contrast", "link-in-text-block")
"""The rules of axe-core that a theme can break."""


def violations(page: Page, rules: tuple[str, ...]) -> list[str]:
    """What axe-core finds; by all rules, where none are named."""
    options = {"resultTypes": ["violations"], **({"runOnly": {"type": "rule", "values": rules}} if rules else {})}
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    found: list[dict[str, Any]] = axe.Axe().run(page, options=options).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]


@pytest.mark.parametrize(("theme", "rules"), [("light", ()), ("dark", COLOURS)], ids=["light", "dark"])
def test_every_view(browser: Browser, site: Site, theme: Any, rules: tuple[str, ...]) -> None:
    # axe-core is put into the page by the test; the page's own policy allows no foreign script.
    context = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme=theme, bypass_csp=True)
    page = context.new_page()
    desk = Desk(page, site)
    desk.sign_in()
    desk.watch()
    found = {"start": violations(desk.understand(site.topics[0]["claims"]["en"][0]), rules)}
    desk.new_case()
    desk.mark_first("rmn")
    page.locator("button.chip").nth(2).click()
    found["chip editor"] = violations(page, rules)
    page.keyboard.press("Escape")
    desk.choose_method("tfidf")
    desk.settle()
    desk.open_hit(1)
    for name in VIEWS:
        desk.view(name)
        if name == "Search":
            page.wait_for_selector(".reader-text")
        found[name] = violations(page, rules)
        for width in (800, 1400):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
    page.fill("#add-term", "heat cartridge")
    page.fill("#where", "(heat OR")
    page.wait_for_selector("#where-problem:visible")
    page.wait_for_selector("#add-says:not(:empty)")
    found["what is typed"] = violations(page, rules)
    page.fill("#add-term", "")
    page.fill("#where", "")
    page.locator("#where").blur()
    page.keyboard.press("r")
    desk.rest()
    page.keyboard.press("u")
    page.wait_for_selector(".toast")
    found["toast"] = violations(page, rules)
    desk.conflict()
    found["conflict"] = violations(page, rules)
    page.click("dialog[open] >> text=Keep theirs")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("b")
    page.wait_for_selector(".side .reader-text")
    found["beside"] = violations(page, rules)
    page.set_viewport_size({"width": 800, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    page.set_viewport_size({"width": 1400, "height": 900})
    page.keyboard.press("?")
    found["help"] = violations(page, rules)
    page.keyboard.press("Escape")
    page.click("a.brand")
    page.wait_for_selector("table.cases")
    found["home"] = violations(page, rules)
    assert {name: each for name, each in found.items() if each} == {}
    assert desk.complaints == []
    context.close()


def test_theme_is_remembered(desk: Desk) -> None:
    page = desk.home()
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("button[aria-label='Light or dark']")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark != light
    page.reload()
    page.wait_for_selector("#start-box")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark


def test_the_box_takes_what_is_typed_before_the_cases_are_there(desk: Desk) -> None:
    held: list[Route] = []
    desk.page = page = desk.page.context.new_page()  # which has asked for nothing yet
    page.route("**/api/cases", lambda route: held.append(route))
    with page.expect_request("**/api/cases"):
        desk.home()
    page.keyboard.type("EP 1")
    assert page.input_value("#start-box") == "EP 1"
    assert page.locator(".case-list h2").count() == 0
    held[0].continue_()
    page.wait_for_selector(".case-list h2")
    page.keyboard.type(" 234")
    assert page.input_value("#start-box") == "EP 1 234"


def test_start_to_first_mark_by_keyboard_alone(desk: Desk) -> None:
    page = desk.home()
    page.keyboard.type(desk.site.topics[0]["doc_id"])
    page.keyboard.press("Enter")
    page.wait_for_selector("form.topic")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start the search":
            break
    page.keyboard.press("Enter")
    desk.settle()
    page.keyboard.press("o")
    page.wait_for_selector(".reader-text")
    page.keyboard.press("r")
    page.wait_for_selector(".hit[data-mark=relevant]")
