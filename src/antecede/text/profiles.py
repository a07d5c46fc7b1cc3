"""Languages and profiles: how the words of each language become terms. An index stores the profile it was built with.

A new language is an entry in `LANGUAGES` and its lists in `stopwords/` and `abbreviations/`. Words of any other
language are only normalised, without stop words and stemming.

A profile holds the stop words themselves rather than the name of a list, so that the analysis of an existing index
never changes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

from antecede.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Language:
    """A language and its treatment in each profile."""

    code: str
    """ISO 639-1, lower case."""
    stemmers: Mapping[str, str] = field(default_factory=dict)
    """The Snowball algorithm that each profile uses; a profile that is missing does not stem."""
    stop_word_profiles: tuple[str, ...] = ()
    """The profiles that remove its stop words."""

    @property
    def stop_words(self) -> tuple[str, ...]:
        """Function words."""
        return read_word_list("stopwords", self.code)

    @property
    def boilerplate(self) -> tuple[str, ...]:
        """Words of patents that say nothing about the invention, such as "wherein"."""
        return read_word_list("stopwords", f"{self.code}-patents")

    @property
    def abbreviations(self) -> tuple[str, ...]:
        """Words whose full stop does not end a sentence."""
        return read_word_list("abbreviations", self.code)


LANGUAGES = {
    language.code: language
    for language in (
        Language("en", {"published": "porter", "default": "english"}, ("published", "default")),
        Language("fr", {"default": "french"}, ("default",)),
        Language("de", {"default": "german"}, ("default",)),
    )
}


@cache
def read_word_list(folder: str, name: str) -> tuple[str, ...]:
    """The words of a list, in its order; lines that begin with # are comments."""
    text = (files("antecede.text") / folder / f"{name}.txt").read_text("utf-8")
    return tuple(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


ProfileName = Literal["published", "default"]
PROFILES: Mapping[str, str] = {
    "published": "English: Porter stemmer and stop words; French and German untouched (Zhou et al., NLPCC 2013)",
    "default": "English, French and German: Snowball stemmers and stop words",
}
VERSION = 1
MAX_COUNT = 1000


@dataclass(frozen=True)
class Treatment:
    """What is done to the words of one language."""

    stemmer: str | None = None
    """The name of a Snowball algorithm, or None."""
    stop_words: tuple[str, ...] = ()


PLAIN = Treatment()


@dataclass(frozen=True)
class Profile:
    """All settings of an analysis."""

    name: str
    treatments: tuple[tuple[str, Treatment], ...]
    """Treatments by language; words of any other language are only normalised."""
    shortest: int = 2
    """Words with fewer letters are dropped."""
    longest: int = 64
    """Longer words are truncated to this many characters."""

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest <= MAX_COUNT:
            bounds = f"{self.shortest} to {self.longest} letters"
            raise UsageError(f"profile {self.name}: words of {bounds}; use 1 ≤ shortest ≤ longest ≤ {MAX_COUNT}")

    def treatment(self, language: str) -> Treatment:
        """The treatment of a language."""
        return dict(self.treatments).get(language.lower(), PLAIN)

    def to_json(self) -> str:
        """The settings as JSON, to be stored with an index."""
        settings = {**asdict(self), "treatments": {code: asdict(each) for code, each in self.treatments}}
        return json.dumps({"version": VERSION, **settings}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str, source: str | None = None) -> Profile:
        """The profile that `to_json` wrote; anything else is rejected."""
        try:
            written = json.loads(text)
            if written["version"] != VERSION:
                raise ValueError(f"it has version {written['version']}, and this program supports version {VERSION}")
            treatments = tuple(
                (code, Treatment(treatment["stemmer"], tuple(treatment["stop_words"])))
                for code, treatment in written["treatments"].items()
            )
            shortest, longest = int(written["shortest"]), int(written["longest"])
            profile = cls(str(written["name"]), treatments, shortest, longest)
            if json.loads(profile.to_json()) != written:
                raise ValueError("it has settings that this program does not support")
        except (KeyError, ValueError, TypeError, AttributeError, UsageError) as error:
            problem = f"it has no {error}" if isinstance(error, KeyError) else error
            remedy = "use the version that wrote it, or rebuild the index"
            raise InputError(f"not a profile: {problem}", source=source, remedy=remedy) from None
        return profile


@cache
def load_profile(name: str = "default") -> Profile:
    """The profile of a name."""
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; choose one of {', '.join(PROFILES)}")
    return Profile(
        name,
        tuple(
            (each.code, Treatment(each.stemmers.get(name), each.stop_words if name in each.stop_word_profiles else ()))
            for each in LANGUAGES.values()
        ),
    )
