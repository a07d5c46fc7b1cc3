"""The page as a machine: random sequences of what two people and a bad network do, and what must always hold.

Ten sequences that are always the same in every test run; `make fuzz` draws others, more of them and longer ones. A
sequence that finds a fault becomes a plain test in test_one_state.py.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tests.web.browser.conftest import MARKS, Desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import CDPSession, Page

    from tests.web.browser.conftest import Site

SEQUENCES, STEPS = 10, 12
SEQUENCES_OF_FUZZ, STEPS_OF_FUZZ = 200, 30
PLACES = st.integers(0, 30)
EXPRESSIONS = ("", "heat", "heat AND cartridge", "(heat OR", "heat AND xqzt", "xqzt")

STATE = r"""() => {
  const find = (selector) => document.querySelector(selector);
  const text = (selector) => find(selector)?.textContent ?? "";
  const shown = (selector) => Boolean(find(selector)?.checkVisibility());
  return {
    view: find("#main").dataset.view,
    ready: Boolean(find(".bench .chips")),
    rows: [...document.querySelectorAll("[aria-current=true][data-doc]")].map(row => row.dataset.doc),
    reading: text(".reader:not(.side) .reader-name .hit-number").split(" ")[0],
    waiting: text(".reader:not(.side) .reader-empty"),
    address: new URLSearchParams(location.search).get("doc"),
    hits: document.querySelectorAll(".hit").length,
    status: text("#results-status"),
    excuse: shown("#nothing-found") || shown("#search-problem") || Boolean(find(".bench.busy")),
    outdated: shown("#outdated"),
    pending: shown(".where-pending"),
    box: find("#where")?.value ?? "",
    chips: document.querySelectorAll("button.chip[data-word]").length,
    off: document.querySelectorAll("button.chip.off, button.chip.excluded").length,
    label: find("#searches")?.selectedOptions[0]?.textContent ?? "",
    all: text("#all-terms"),
    search: Number(find("#searches")?.value),
    busy: document.documentElement.classList.contains("pending"),
    wide: document.documentElement.scrollWidth - innerWidth,
    text: document.body.innerText,
    conflict: Boolean(find("dialog[open] .versions")),
  };
}"""
WIDER = """() => [...document.querySelectorAll("body *")]
  .filter(each => each.getBoundingClientRect().right > innerWidth)
  .map(each => `${each.localName}.${each.className}`).join(" ")"""
API_TEXT = re.compile(r"\b(query|body|path)\.[a-z_]+\b|Input should|\[object |\bundefined\b|\bNaN\b|Unprocessable")
"""What an error of the API, or of the page itself, would look like if it reached a person."""


def at_the_list(act: Callable[..., None]) -> Callable[..., None]:
    """Decorator: what is done in the search view; nothing elsewhere. What is drawn must not depend on the page."""

    @functools.wraps(act)
    def act_there(self: Machine, **drawn: Any) -> None:
        seen = self.state()
        if seen["view"] == "search" and seen["ready"] and not seen["conflict"]:
            act(self, **drawn)

    return act_there


class Machine(RuleBasedStateMachine):
    """A person at the page of a case, and somebody else who marks its documents."""

    site: Site
    page: Page
    session: CDPSession

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(self.page, self.site)
        self.others: dict[str, str] = {}
        """Notes of somebody else, which stay unless the person decides against them."""
        self.notes = 0
        self.online = True

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(STATE)
        return found

    def network(self, *, offline: bool = False, latency: int = 0) -> None:
        rates = {"downloadThroughput": -1, "uploadThroughput": -1}
        self.session.send("Network.emulateNetworkConditions", {"offline": offline, "latency": latency, **rates})
        self.online = not offline

    def press(self, key: str) -> None:
        self.page.evaluate("document.activeElement.blur()")
        self.page.keyboard.press("Shift+U" if key == "U" else key)

    @initialize()
    def begin(self) -> None:
        self.desk.new_case()

    # What the person does

    @rule(place=PLACES, key=st.sampled_from((" ", "x", "ArrowUp", "ArrowDown", "Delete")))
    @at_the_list
    def refine(self, place: int, key: str) -> None:
        chips = self.page.locator("button.chip[data-word]")
        chips.nth(place % chips.count()).press(key)

    @rule(expression=st.sampled_from(EXPRESSIONS), apply=st.booleans())
    @at_the_list
    def write_expression(self, expression: str, apply: bool) -> None:
        self.page.fill("#where", expression)
        if apply:
            self.page.press("#where", "Enter")

    @rule(words=st.sampled_from(("heat", "xqzt", "heat cartridge")))
    @at_the_list
    def add(self, words: str) -> None:
        self.page.fill("#add-term", words)
        self.page.press("#add-term", "Enter")

    @rule()
    @at_the_list
    def scroll(self) -> None:
        self.page.eval_on_selector(".results", "list => { list.scrollTop = list.scrollHeight; }")

    @rule(place=PLACES)
    @at_the_list
    def open(self, place: int) -> None:
        if hits := self.page.locator(".hit-title").count():
            self.page.locator(".hit-title").nth(place % hits).evaluate("title => title.click()")

    @rule(key=st.sampled_from(("j", "k", "o", "t", "b", "Escape", "1", "2", "4")))
    @at_the_list
    def read(self, key: str) -> None:
        self.press(key)

    @rule(key=st.sampled_from(tuple(MARKS)))
    @at_the_list
    def mark(self, key: str) -> None:
        seen = self.state()
        if not seen["rows"]:
            return
        (document,) = seen["rows"]
        before = self.marks().get(document, {}).get("relevance") if self.online else None
        self.press(key)
        if self.online:
            self.desk.rest()
            after = self.marks().get(document, {}).get("relevance")
            assert after == (None if before == MARKS[key] else MARKS[key]) or self.state()["conflict"], document

    @rule(choice=st.booleans())
    @at_the_list
    def write_note(self, choice: bool) -> None:
        if self.page.locator(".marking .note-input").count():
            self.notes += 1
            note = self.page.input_value(".note-input")
            self.page.fill(".note-input", f"{note} own{self.notes}".strip())
            if choice:
                self.page.locator(".note-input").blur()

    @rule(key=st.sampled_from(("u", "U", "l")))
    @at_the_list
    def undo_redo_more(self, key: str) -> None:
        self.press(key)

    @rule(view=st.sampled_from(("Report", "Found", "Search")))
    def leave_or_come_back(self, view: str) -> None:
        if self.page.locator("#bar-views a").count() and not self.state()["conflict"]:
            self.page.click(f"#bar-views >> text={view}")

    @rule()
    def reload(self) -> None:
        if not self.online:
            return
        self.page.reload()
        self.page.wait_for_selector("#bar-views a[aria-current=page]")

    @rule(choice=st.sampled_from(("theirs", "mine")))
    def decide(self, choice: str) -> None:
        if not self.state()["conflict"]:
            return
        if choice == "mine":
            self.others.clear()
        self.page.click(f"dialog[open] footer button:{'first-of-type' if choice == 'theirs' else 'last-of-type'}")

    # What the network and somebody else do

    @rule(latency=st.sampled_from((0, 300)), offline=st.booleans())
    def change_network(self, latency: int, offline: bool) -> None:
        self.network(offline=offline, latency=latency)

    @rule(place=st.integers(0, 3), relevance=st.sampled_from(("relevant", "not")))
    @at_the_list
    def somebody_else_marks(self, place: int, relevance: str) -> None:
        documents = self.desk.documents()
        if not documents:
            return
        document = documents[place % len(documents)]
        known = self.marks().get(document, {})
        self.notes += 1
        token = self.page.get_attribute("meta[name=csrf-token]", "content") or ""
        values = {
            "doc_id": document,
            "version": known.get("version", 0),
            "relevance": relevance,
            "note": f"theirs{self.notes}",
        }
        answer = self.page.request.patch(f"{self.desk.case}/marks", data=values, headers={"X-CSRF-Token": token})
        if answer.ok:
            self.others[document] = f"theirs{self.notes}"

    def marks(self) -> dict[str, dict[str, Any]]:
        return {mark["doc_id"]: mark for mark in self.page.request.get(f"{self.desk.case}/marks").json()}

    # What must hold after each step

    @invariant()
    def agrees(self) -> None:
        seen = self.state()
        assert seen["wide"] <= 0, self.page.evaluate(WIDER)
        assert not API_TEXT.search(seen["text"]), API_TEXT.search(seen["text"])
        if seen["view"] != "search" or not seen["ready"]:
            return
        assert len(seen["rows"]) <= 1, seen["rows"]
        if seen["reading"]:
            assert seen["rows"] == [seen["reading"]] == [seen["address"]], seen
        elif seen["waiting"].startswith("Loading"):
            assert seen["rows"] == [seen["address"]], seen
        assert seen["hits"] or seen["excuse"] or "cancelled" in seen["status"] or not seen["search"], seen["status"]
        assert f"{seen['chips']} terms" in seen["all"] or "fewer" in seen["all"]

    @invariant()
    def describes_the_search_that_is_shown(self) -> None:
        seen = self.state()
        if (
            seen["view"] != "search"
            or not seen["ready"]
            or not seen["search"]
            or seen["busy"]
            or not self.online
            or seen["excuse"]
        ):
            return
        searches = self.page.request.get(f"{self.desk.case}/searches").json()
        again = self.state()
        if again != seen:  # something came meanwhile
            return
        (shown,) = (search for search in searches if search["number"] == seen["search"])
        where = shown["state"]["filters"].get("where") or ""
        assert where == seen["box"].strip() or seen["pending"] or seen["outdated"], (where, seen["box"])
        terms = re.search(r"(\d+) terms", shown["label"])
        if terms and not seen["outdated"] and not seen["off"]:
            assert int(terms[1]) == seen["chips"], (shown["label"], seen["chips"])

    @invariant()
    def keeps_what_others_wrote(self) -> None:
        marks = self.marks() if self.others else {}
        for document, note in self.others.items():
            assert note in marks.get(document, {}).get("note", ""), (document, note)

    def teardown(self) -> None:
        self.network()
        self.page.goto("about:blank")


def test_random_sequences(desk: Desk) -> None:
    fuzz = settings.get_current_profile_name() == "fuzz"
    Machine.site, Machine.page = desk.site, desk.page
    Machine.session = desk.page.context.new_cdp_session(desk.page)
    Machine.session.send("Network.enable")
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=SEQUENCES_OF_FUZZ if fuzz else SEQUENCES,
            stateful_step_count=STEPS_OF_FUZZ if fuzz else STEPS,
            derandomize=not fuzz,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink) if fuzz else (Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
    desk.complaints[:] = [
        each for each in desk.complaints if "ERR_INTERNET_DISCONNECTED" not in each and "Failed to load" not in each
    ]
