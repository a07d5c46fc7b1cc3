"""The text of a patent as it is indexed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.patent import Patent


def languages_of(patent: Patent, fields: Sequence[str]) -> set[str]:
    """The languages in which these fields of a patent have text; `""` where the language is not known."""
    return {language for name in fields for language, text in getattr(patent, name).items() if text}


def text_of(patent: Patent, language: str, fields: Sequence[str]) -> bytes:
    """The text of a patent in a language, as it is indexed."""
    parts = (getattr(patent, name).get(language, "") for name in fields)
    return "\n".join(part if isinstance(part, str) else "\n".join(part) for part in parts if part).encode()
