"""Marking as a user does it: with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk

NAMES = {"r": "relevant", "m": "maybe", "n": "not"}


def mark_first(desk: Desk, keys: str) -> list[str]:
    """Open the first document and mark one after the other with its key; the documents."""
    documents = desk.documents()[: len(keys)]
    desk.open_hit(0)
    mark_next(desk, keys)
    return documents


def mark_next(desk: Desk, keys: str) -> None:
    """Mark the document being read and those that follow, each with its key: a mark goes on to the next."""
    for key in keys:
        desk.page.wait_for_selector(".hit[aria-current=true].seen")
        desk.rest()
        document = desk.page.get_attribute(".hit[aria-current=true]", "data-doc")
        desk.page.keyboard.press(key)
        desk.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark={NAMES[key]}]")
    desk.page.wait_for_selector(".hit[aria-current=true].seen")  # the next one is opened, and counts as such
    desk.rest()
