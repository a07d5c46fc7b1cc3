"""A server as a user starts it, and pages of a real browser: one of each per process of the tests.

The browser is the system's chromium (the Debian package `chromium`); nothing is downloaded. Without one the tests are
skipped, except in continuous integration (`CI=true`), where they fail.
"""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.browser.collection import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from playwright.sync_api import Browser, Page

MARKS = {"r": "relevant", "m": "maybe", "n": "not"}
TIMEOUT = 180_000
"""Milliseconds after which a state is taken for one that never comes, however busy the machine is."""


@dataclass(frozen=True)
class Site:
    """A running server."""

    address: str
    """With the token, as it is printed at the start."""
    index: Path
    topics: list[dict[str, Any]]
    process: subprocess.Popen[str] = field(repr=False)

    @property
    def root(self) -> str:
        return re.match(r"https?://[^/]+", self.address)[0]  # type: ignore[index]


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def run_site(
    index: Path | str,
    folder: Path,
    topics: list[dict[str, Any]],
    *more: object,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Site]:
    """`antecede serve` on an index, with its cases in a folder."""
    words = ("serve", index, "--cases", folder / "cases.sqlite", "--no-calibrate", *more)
    if "--port" not in words:
        words += ("--port", free_port())
    command = [sys.executable, "-m", "antecede", *map(str, words)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1, env=environment
    ) as process:
        assert process.stdout is not None
        said: list[str] = []
        for line in process.stdout:
            said.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                break
        else:
            pytest.fail(f"the server did not start: {''.join(said)}")
        try:
            yield Site(found[0], Path(index), topics, process)
        finally:
            process.terminate()
            process.wait(600)


@pytest.fixture(scope="session")
def site(
    once: Callable[[str, Callable[[], Any]], Any], shared_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    folder = shared_folder / "browser"

    def make() -> list[dict[str, Any]]:
        folder.mkdir()
        return build(folder)

    topics = once("browser", make)
    with run_site(folder / "index", tmp_path_factory.mktemp("site"), topics) as running:
        yield running


@dataclass
class Desk:
    """A page of the browser, as a user sits in front of it, and what must not happen while it is used."""

    page: Page
    site: Site
    complaints: list[str] = field(default_factory=list)
    """Errors in the console, uncaught exceptions, requests to another host."""

    def watch(self) -> None:
        self.page.set_default_timeout(TIMEOUT)
        self.page.on("pageerror", lambda error: self.complaints.append(f"exception: {error}"))
        self.page.on("console", self.hear)
        self.page.on("request", self.see)

    def sign_in(self) -> None:
        """Follow the address with the token, without showing the page: what comes next opens it."""
        answer = self.page.context.request.get(self.site.address)
        assert answer.ok, answer.text()

    def hear(self, message: Any) -> None:
        # The browser itself reports every answer that is not 2xx; a refusal that a test asks for is not a fault.
        if message.type in ("error", "warning") and "the server responded with a status of 4" not in message.text:
            self.complaints.append(f"console: {message.text}")

    def see(self, request: Any) -> None:
        if not request.url.startswith((self.site.root, "data:", "blob:")):
            self.complaints.append(f"request to another host: {request.url}")

    def home(self) -> Page:
        self.page.goto(f"{self.site.root}/cases")
        self.page.wait_for_selector("#start-box")
        return self.page

    def understand(self, text: str) -> Page:
        """Give the start box a number or a text."""
        page = self.home()
        page.fill("#start-box", text)
        page.click("#start-read")
        page.wait_for_selector("form.topic, .start-answer .notice")
        return page

    def new_case(self, number: str | None = None, name: str = "") -> Page:
        """Start a case on a topic that is in the index, and wait for its results."""
        page = self.understand(number or self.site.topics[0]["doc_id"])
        if name:
            page.fill("input[name=name]", name)
        page.click("text=Start the search")
        self.settle()
        return page

    def until(self, expression: str, argument: Any = None) -> None:
        """Wait until an expression is true; the policy of the page forbids the browser to evaluate it by itself."""
        end = time.monotonic() + TIMEOUT / 1000
        while not self.page.evaluate(expression, argument):
            assert time.monotonic() < end, f"not true in time: {expression}"
            self.page.wait_for_timeout(20)

    def rest(self) -> None:
        """Wait until no request is under way."""
        self.page.wait_for_selector("html:not(.pending)", state="attached")

    def settle(self) -> None:
        """Wait until the results are there and nothing is under way."""
        self.page.wait_for_selector(".hit")
        self.rest()

    def view(self, name: str) -> Page:
        self.page.click(f"#bar-views >> text={name}")
        self.page.wait_for_selector(f"#bar-views a[aria-current=page]:has-text('{name}')")
        self.rest()
        return self.page

    def open_hit(self, place: int) -> Page:
        self.page.locator(".hit-title").nth(place).click()
        self.page.wait_for_selector(".reader-text")
        self.rest()
        return self.page

    def mark_first(self, keys: str) -> list[str]:
        """Open the first document and mark one after the other with its key; the documents."""
        documents = self.documents()[: len(keys)]
        self.open_hit(0)
        self.mark_next(keys)
        return documents

    def mark_next(self, keys: str) -> None:
        """Mark the document being read and those that follow, each with its key: a mark goes on to the next."""
        for key in keys:
            self.page.wait_for_selector(".hit[aria-current=true].seen")
            self.rest()
            document = self.page.get_attribute(".hit[aria-current=true]", "data-doc")
            self.page.keyboard.press(key)
            self.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark={MARKS[key]}]")
        self.page.wait_for_selector(".hit[aria-current=true].seen")  # the next one is opened, and counts as such
        self.rest()

    def settings(self) -> Page:
        """Open how the query is made: the method, the number of terms, the parts of the text."""
        if not self.page.is_visible("#method"):
            self.page.click(".query-settings > summary")
            self.page.wait_for_selector("#method")
        return self.page

    def choose_method(self, name: str) -> None:
        self.settings().select_option("#method", name)

    def choose_terms(self, number: str) -> None:
        self.settings().fill("#term-count", number)

    def documents(self) -> list[str]:
        """The documents of the list, in its order."""
        shown: list[str] = self.page.eval_on_selector_all(".hit", "hits => hits.map(hit => hit.dataset.doc)")
        return shown

    def wait_for_fewer(self, than: int) -> None:
        """Wait until fewer documents pass than before, and the results are there."""
        shown = "Number(document.querySelector('#query-count strong').textContent.replaceAll(',', ''))"
        self.until(f"than => {shown} < than", than)
        self.settle()

    def searched(self) -> int:
        """The number of documents that pass, as the query shows it."""
        return int(self.page.inner_text("#query-count strong").replace(",", ""))

    @property
    def case(self) -> str:
        """The address of the case in the API."""
        return f"{self.site.root}/api/cases/{self.page.url.split('/cases/')[1].split('/')[0]}"

    def retrieved(self, search: int) -> list[dict[str, Any]]:
        """All hits of a search of the case, one per document, as the API has them."""
        address = f"{self.case}/searches/{search}?family=false&limit=100&offset="
        found = self.page.request.get(f"{address}0").json()
        more = (self.page.request.get(f"{address}{at}").json()["hits"] for at in range(100, found["total"], 100))
        return [*found["hits"], *(hit for hits in more for hit in hits)]

    def mark_elsewhere(self, doc_id: str, relevance: str) -> None:
        """Mark a document that the list does not show."""
        self.change_mark({"doc_id": doc_id, "relevance": relevance, "version": 0})

    def change_mark(self, values: dict[str, Any]) -> None:
        """Change a mark, as another window would."""
        token = self.page.get_attribute("meta[name=csrf-token]", "content") or ""
        answer = self.page.request.patch(f"{self.case}/marks", data=values, headers={"X-CSRF-Token": token})
        assert answer.ok, answer.text()

    def conflict(self) -> None:
        """Write a note while somebody else stores one on the same document, and wait until both are shown."""
        page, document = self.page, self.page.get_attribute("[aria-current=true][data-doc]", "data-doc") or ""
        page.click(".mark-button.maybe")
        page.wait_for_selector(f"[data-doc='{document}'][data-mark=maybe]")
        page.fill(".note-input", "mine")
        (mark,) = (each for each in page.request.get(f"{self.case}/marks").json() if each["doc_id"] == document)
        self.change_mark({"doc_id": document, "version": mark["version"], "note": "theirs"})
        page.wait_for_selector(".mark-problem:has-text('theirs')")
        page.locator(".note-input").blur()
        page.wait_for_selector("dialog[open] .versions")

    @property
    def attacked(self) -> bool:
        return bool(self.page.evaluate("window.attacked === 1"))


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[Page]:
    """An empty page, whose profile and window all tests share: new ones cost the browser more than a page does."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, accept_downloads=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def desk(profile: Page, site: Site) -> Iterator[Desk]:
    """A signed-in page; whatever it complained about fails the test, and nothing it stored is there in the next."""
    sat = Desk(profile.context.new_page(), site)
    sat.sign_in()
    sat.watch()
    yield sat
    for page in profile.context.pages:
        if page is not profile:
            page.close()
    profile.context.clear_cookies()
    storage = profile.context.new_cdp_session(profile)
    storage.send("Storage.clearDataForOrigin", {"origin": site.root, "storageTypes": "local_storage"})
    storage.detach()
    assert sat.complaints == []
