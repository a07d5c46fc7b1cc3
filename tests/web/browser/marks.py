"""Marking as a user does it: with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk

NAMES = {"r": "relevant", "m": "maybe", "n": "not"}


def mark_first(desk: Desk, keys: str) -> list[str]:
    """Open the first documents one after the other and mark each with its key; the documents."""
    documents = desk.documents()[: len(keys)]
    desk.open_hit(0)
    mark(desk, keys[0])
    mark_next(desk, keys[1:])
    return documents


def mark_next(desk: Desk, keys: str) -> None:
    """Go on to the documents that follow the one being read, and mark each with its key."""
    for key in keys:
        desk.page.keyboard.press("j")
        mark(desk, key)


def mark(desk: Desk, key: str) -> None:
    """Mark the document being read."""
    desk.page.wait_for_selector(".hit[aria-current=true].seen")
    desk.rest()
    desk.page.keyboard.press(key)
    desk.page.wait_for_selector(f".hit[aria-current=true][data-mark={NAMES[key]}]")
