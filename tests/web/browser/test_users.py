"""Named users sign in, each with cases and marks of their own, as a browser does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.web.access import put_user
from antecede.web.server import open_page
from tests.web.browser.conftest import Desk, Site, free_port, run_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Route

PASSWORDS = {"ann": "correct horse", "bob": "battery staple"}


@pytest.fixture(scope="module")
def team(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("team")
    for name, password in PASSWORDS.items():
        put_user(folder / "users.json", name, password)
    with run_site(site.index, folder, site.topics, "--users", folder / "users.json") as running:
        yield running


@pytest.fixture
def desks(browser: Browser, team: Site) -> Iterator[dict[str, Desk]]:
    """A browser of each user."""
    contexts = {name: browser.new_context(viewport={"width": 1400, "height": 900}) for name in PASSWORDS}
    opened = {name: Desk(context.new_page(), team) for name, context in contexts.items()}
    for each in opened.values():
        each.watch()
    yield opened
    for context in contexts.values():
        context.close()
    assert [each.complaints for each in opened.values()] == [[], []]


def sign_in(desk: Desk, name: str, password: str) -> None:
    desk.page.goto(f"{desk.site.root}/cases")
    desk.page.fill("input[name=user]", name)
    desk.page.fill("input[name=password]", password)
    desk.page.click("text=Sign in >> nth=-1")


def test_two_users_sign_in_and_see_only_their_own_cases(desks: dict[str, Desk]) -> None:
    for name, desk in desks.items():
        sign_in(desk, name, "not the password")
        assert "wrong" in desk.page.inner_text("[role=alert]")
        sign_in(desk, name, PASSWORDS[name])
        desk.page.wait_for_selector("#start-box")
        assert name in desk.page.inner_text("#bar-tools")
        desk.new_case(name=f"Case of {name}")
        desk.mark_first("r")
        marks = desk.page.request.get(f"{desk.case}/marks").json()
        assert [mark["user"] for mark in marks] == [name]
    addresses = {name: desk.case for name, desk in desks.items()}
    for name, desk in desks.items():
        page = desk.home()
        page.wait_for_selector("table.cases")
        (other,) = {*desks} - {name}
        assert f"Case of {name}" in page.inner_text("table.cases")
        assert f"Case of {other}" not in page.inner_text("table.cases")
        assert page.request.get(addresses[other]).status == 404
    page, other_page = (desks[name].page for name in ("ann", "bob"))
    page.click("table.cases >> text=Share")
    page.wait_for_selector("table.cases >> text=Shared")
    desks["bob"].home()
    other_page.wait_for_selector("tr:has-text('Case of ann') >> text=shared with you")
    other_page.click("text=Case of ann")
    desks["bob"].settle()
    assert desks["bob"].case == addresses["ann"]
    page.click("#bar-tools >> text=ann")
    page.click("dialog >> text=Sign out >> nth=-1")
    page.wait_for_selector("input[name=password]")


def test_a_case_is_shared_by_name_and_who_is_there_is_shown(desks: dict[str, Desk]) -> None:
    ann, bob = desks["ann"], desks["bob"]
    for name, desk in desks.items():
        sign_in(desk, name, PASSWORDS[name])
        desk.page.wait_for_selector("#start-box")
    page = ann.new_case(name="Named sharing")
    ann.view("Application")
    page.select_option("select[aria-label='What bob may do']", "read")
    page.wait_for_selector(".toast:has-text('Sharing changed')")
    bob.page.goto(page.url.replace("/topic", "/search"))
    bob.settle()
    page.wait_for_selector(".person:has-text('bob')")
    bob.page.wait_for_selector(".person:has-text('ann')")
    assert "read only" in bob.page.inner_text("#bar-case")
    assert bob.page.locator("#more-like-these").is_hidden()
    bob.open_hit(0)
    assert bob.page.locator(".mark-button.relevant").is_disabled()
    bob.page.keyboard.press("r")  # nothing is sent
    bob.rest()
    ann.view("Search")
    ann.open_hit(0)
    (document,) = ann.documents()[:1]
    page.click(".mark-button.relevant")
    bob.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=relevant] .badge:has-text('ann')")
    ann.view("Application")
    page.select_option("select[aria-label='What bob may do']", "write")
    page.wait_for_selector(".toast:has-text('Sharing changed')")
    bob.page.wait_for_selector("#bar-case:not(:has-text('read only'))")
    bob.page.click(".mark-button.not")
    ann.view("Search")
    page.wait_for_selector(f".hit[data-doc='{document}'][data-mark=not] .badge:has-text('bob')")
    bob.page.goto("about:blank")
    page.wait_for_selector(".person", state="detached")


def test_a_page_whose_session_has_ended_leads_to_signing_in_again(desks: dict[str, Desk]) -> None:
    desk = desks["ann"]
    page = desk.page
    sign_in(desk, "ann", PASSWORDS["ann"])
    page.wait_for_selector("#start-box")
    desk.new_case(name="An ended session")
    asked: list[str] = []

    def answer(route: Route) -> None:
        """As a server that was started anew does once the page is there."""
        asked.append(route.request.url)
        route.continue_() if len(asked) == 1 else route.fulfill(status=401, json={"detail": "sign in"})

    page.route(f"{desk.case}/events*", lambda route: route.fulfill(status=401, json={"detail": "sign in"}))
    page.route(desk.case, answer)
    page.reload()
    page.wait_for_selector("input[name=password]")
    assert len(asked) == 2


def test_page_opens_by_a_file_without_the_token_on_a_command_line(
    browser: Browser, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    open_page(site.address, str(tmp_path))
    assert "token" not in opened[0]
    assert (tmp_path / "antecede.html").stat().st_mode & 0o077 == 0
    page = browser.new_page()
    page.goto(opened[0])
    page.wait_for_selector("#start-box")
    assert "token" not in page.url
    page.close()


def test_an_open_page_and_a_bookmark_survive_a_restart(browser: Browser, site: Site, tmp_path: Path) -> None:
    port = free_port()
    context = browser.new_context()
    for restarted in (False, True):
        with run_site(site.index, tmp_path, site.topics, "--port", port) as running:
            desk = Desk(context.pages[0] if restarted else context.new_page(), running)
            if restarted:
                desk.mark_first("r")  # on the page that was left open
                desk.page.reload()
                desk.page.wait_for_selector(".hit")
                assert len(desk.page.request.get(f"{desk.case}/marks").json()) == 1
            else:
                desk.page.goto(running.address)
                desk.new_case(name="left open")
    context.close()
