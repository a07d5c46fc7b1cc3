"""The pictures of the page in README and docs, taken with a browser from a server that is running.

They show the synthetic collection only: no text of a real patent may be published here.

    antecede demo --serve                    # prints the address
    python -m docs.site.page_pictures ADDRESS EP1001877
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

if TYPE_CHECKING:
    from playwright.sync_api import Page

IMAGES = Path(__file__).resolve().parents[1] / "images"
WIDTH, HEIGHT = 1400, 860
KEYS = "rrnrrmrrnrrnrrnrnrnnmnnn"
"""The marks of the example, one document after the other."""
COLOURS = 160
"""Of a stored picture: flat colours need few, and the file stays small."""


def take_pictures(address: str, number: str) -> None:
    """Work on a case as a searcher would, and keep a picture of each view."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light").new_page()
        page.set_default_timeout(120_000)  # the machine may be busy
        page.goto(address)
        page.goto(address.split("?")[0].rstrip("/") + "/cases")
        page.fill("#start-box", number)
        page.click("#start-read")
        page.wait_for_selector("form.topic")
        page.evaluate("scrollTo(0, 0)")
        store(page, "start")
        page.click("text=Start the search")
        work(page)
        store(page, "search")
        for view in ("Chart", "Found", "Compare"):
            page.click(f"#bar-views >> text={view}")
            rest(page)
            store(page, view.lower())
        browser.close()


def rest(page: Page) -> None:
    """Wait until no request is under way."""
    page.wait_for_selector("html:not(.pending)", state="attached")


def settle(page: Page) -> None:
    """Wait until the results are shown."""
    page.wait_for_selector(".hit")
    rest(page)


def work(page: Page) -> None:
    """Edit the query, read and mark, and rank again by the marks."""
    settle(page)
    page.locator("button.chip").nth(6).focus()
    page.keyboard.press(" ")
    settle(page)
    page.locator("button.chip").nth(9).focus()
    page.keyboard.press("x")
    settle(page)
    page.locator(".hit-title").first.click()
    for number, key in enumerate(KEYS, 1):  # a mark goes on to the next document without one
        page.wait_for_selector(".hit[aria-current=true].seen")
        page.keyboard.press(key)
        page.locator(".hit:not([data-mark=''])").nth(number - 1).wait_for()
    page.click("#more-like-these")
    settle(page)
    page.wait_for_selector(".toast", state="detached")
    page.locator(".hit-title").nth(1).click()
    page.wait_for_selector(".reader-text")
    rest(page)


def store(page: Page, name: str) -> None:
    """A picture of what is on the screen, with few colours."""
    page.evaluate("document.activeElement?.blur()")
    path = IMAGES / f"page-{name}.png"
    page.screenshot(path=path)
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    take_pictures(*sys.argv[1:3])
