"""Marking as a user does it: with the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.web.browser.conftest import Desk

NAMES = {"r": "relevant", "m": "maybe", "n": "not"}


def mark_first(desk: Desk, keys: str) -> list[str]:
    """Open the first documents one after the other and mark each with its key; the documents."""
    documents = desk.documents()[: len(keys)]
    for place, (document, key) in enumerate(zip(documents, keys, strict=True)):
        if place == 0:
            desk.open_hit(0)
        else:
            desk.page.keyboard.press("j")
        desk.page.wait_for_selector(f".hit[data-doc='{document}'].seen")
        desk.page.keyboard.press(key)
        desk.page.wait_for_selector(f".hit[data-doc='{document}'][data-mark={NAMES[key]}]")
    return documents
