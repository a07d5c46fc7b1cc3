"""Texts by language, where each part of a document declares its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from antecede.corpus.fields.st36 import NAMES_FIRST, form_of, preference_of
from antecede.corpus.language import detect_language, language_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lxml.etree import _Element as Element

Text = TypeVar("Text", str, tuple[str, ...])

NO_LANGUAGE = frozenset({"ol", "xx", "un", "zz"})
"""Codes of databases for an unspecified language."""


def declared_language(given: str | None) -> str:
    """The language that a file declares; empty if it declares none."""
    code = language_code(given)
    return "" if code in NO_LANGUAGE else code


def language_of(given: str | None, text: str) -> str:
    """The language that a file declares for a text, else the detected one."""
    return declared_language(given) or detect_language(text)


def collect_texts(elements: Iterable[Element], read: Callable[[Element], Text]) -> dict[str, Text]:
    """All texts by language, those of one language joined in order: a description in several parts."""
    found: dict[str, Text] = {}
    for each in elements:
        if text := read(each):
            language = language_of(each.get("lang"), opening_of(text))
            found[language] = join_texts(found[language], text) if language in found else text
    return found


def choose_texts(elements: Iterable[Element], read: Callable[[Element], str]) -> dict[str, str]:
    """One text per language, the office's form before that of a database: titles and abstracts of exchange files."""
    found: dict[str, str] = {}
    for each in sorted(elements, key=lambda each: preference_of(form_of(each), NAMES_FIRST)):
        if text := read(each):
            found.setdefault(language_of(each.get("lang"), text), text)
    return found


def opening_of(text: Text) -> str:
    """Enough of a text to detect its language."""
    return text if isinstance(text, str) else "\n".join(text[:5])


def join_texts(one: Text, other: Text) -> Text:
    """Join two texts, or two lists of claims; what is in both is kept once."""
    if isinstance(one, str):
        return one if other in one else f"{one}\n{other}"
    return one + tuple(each for each in other if each not in one)
