"""The texts of a patent: its fields in each language, as they are indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antecede.patent.fields import CLAIMS, TEXTS
from antecede.patent.record import PATENT_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent.record import Patent

FIELDS = tuple(declared.name for declared in PATENT_FIELDS if declared.codec in (TEXTS, CLAIMS))
"""The fields of a patent that have a text in each language."""


def indexed_languages(patent: Patent, fields: Sequence[str]) -> set[str]:
    """The languages in which these fields of a patent have text; `""` where the language is not known."""
    return {language for name in fields for language, text in getattr(patent, name).items() if text}


def indexed_texts(patent: Patent, language: str, fields: Sequence[str]) -> dict[str, bytes]:
    """The texts of a patent in a language by field, as they are indexed; without empty fields."""
    parts = {name: text for name in fields if (text := getattr(patent, name).get(language))}
    texts = {name: (text if isinstance(text, str) else "\n".join(text)).encode() for name, text in parts.items()}
    return texts if any(texts.values()) else {}


def indexed_text(patent: Patent, language: str, fields: Sequence[str]) -> bytes:
    """The text of a patent in a language, as it is indexed."""
    return b"\n".join(indexed_texts(patent, language, fields).values())


def filed_under(patent: Patent, language: str) -> str:
    """The language under which a patent has the text for a search in a language: that language, or the unknown one."""
    has_text = any(getattr(patent, name).get(language) for name in FIELDS)
    return language if has_text else ""
