"""The languages we have lists for. Another one is an entry here and its lists in `stopwords/` and `abbreviations/`.

A language that is not here is analysed plainly: words in lower case, no stop words, no stemming. The analyser says so:
`Analyzer("sv").description()`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Language:
    """A language and how each profile treats it."""

    code: str
    """ISO 639-1, lower case."""
    name: str
    stemmers: Mapping[str, str] = field(default_factory=dict)
    """Profile → the Snowball algorithm it stems with; a profile that is missing does not stem."""
    stopped: tuple[str, ...] = ()
    """The profiles that leave its stop words out."""

    @property
    def stop_words(self) -> tuple[str, ...]:
        """Function words."""
        return word_list("stopwords", self.code)

    @property
    def boilerplate(self) -> tuple[str, ...]:
        """Words of patents that say nothing about the invention, such as "wherein"."""
        return word_list("stopwords", f"{self.code}-patents")

    @property
    def abbreviations(self) -> tuple[str, ...]:
        """Words whose full stop does not end a sentence."""
        return word_list("abbreviations", self.code)


LANGUAGES = {
    language.code: language
    for language in (
        Language("en", "English", {"published": "porter", "default": "english"}, ("published", "default")),
        Language("fr", "French", {"default": "french"}, ("default",)),
        Language("de", "German", {"default": "german"}, ("default",)),
    )
}


@cache
def word_list(folder: str, name: str) -> tuple[str, ...]:
    """The words of a list, in its order; a line that begins with # is a remark."""
    text = (files("antecede.text") / folder / f"{name}.txt").read_text("utf-8")
    return tuple(word for line in text.splitlines() if not line.startswith("#") for word in line.split())
