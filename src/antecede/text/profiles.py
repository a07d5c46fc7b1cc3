"""Languages and profiles: how the words of each language become terms. An index stores the profile it was built with.

A new language is an entry in `LANGUAGES` and its lists in `stopwords/` and `abbreviations/`. Words of any other
language have no stop words and no stemmer; the default profile folds them (`folding.py`).

A profile holds the stop words themselves rather than the name of a list, so that the analysis of an existing index
never changes.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal

from antecede.errors import InputError, UsageError, printable
from antecede.text.folding import FOLDINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from antecede.text.folding import Folding


@dataclass(frozen=True)
class Language:
    """A language and its treatment in each profile."""

    code: str
    """ISO 639-1, lower case."""
    stemmers: Mapping[str, str] = field(default_factory=dict)
    """The Snowball algorithm that each profile uses; a profile that is missing does not stem."""
    stop_word_profiles: tuple[str, ...] = ()
    """The profiles that remove its stop words."""
    folding: Folding = "latin"
    """How the default profile folds its words; `published` does not fold."""
    elisions: bool = False
    """Whether an apostrophe ends an article or pronoun that is no word of its own: "l'eau", "qu'il"."""

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
        Language("fr", {"default": "french"}, ("default",), elisions=True),
        Language("de", {"default": "german"}, ("default",), "german"),
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
    "default": "English, French and German: folding, Snowball stemmers and stop words",
}
VERSION = 2
"""Of the JSON; a profile that does not fold is written as version 1, in which there was no folding."""
MAX_COUNT = 1000


@dataclass(frozen=True)
class Treatment:
    """What is done to the words of one language."""

    stemmer: str | None = None
    """The name of a Snowball algorithm, or None."""
    stop_words: tuple[str, ...] = ()
    folding: Folding = "none"
    """Which spellings are compared as one: `antecede.text.folding`."""
    elisions: bool = False
    """Whether elided words have no place among the words of a text."""


PLAIN = Treatment()


@dataclass(frozen=True)
class Profile:
    """All settings of an analysis."""

    name: str
    treatments: tuple[tuple[str, Treatment], ...]
    """Treatments by language."""
    shortest: int = 2
    """Words with fewer letters are dropped."""
    longest: int = 64
    """Longer words are truncated to this many characters."""
    others: Treatment = PLAIN
    """The treatment of any other language, and of texts of unknown language."""
    names: Folding = "none"
    """How names of people and companies are folded."""

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest <= MAX_COUNT:
            bounds = f"{self.shortest} to {self.longest} letters"
            raise UsageError(f"profile {self.name}: words of {bounds}; use 1 ≤ shortest ≤ longest ≤ {MAX_COUNT}")

    def treatment(self, language: str) -> Treatment:
        """The treatment of a language."""
        return dict(self.treatments).get(language.lower(), self.others)

    def to_json(self) -> str:
        """The settings as JSON, to be stored with an index."""
        treatments = {code: asdict(treatment) for code, treatment in self.treatments}
        settings = {**asdict(self), "treatments": treatments}
        version = VERSION if self._folds else 1
        if version == 1:
            settings = {name: value for name, value in settings.items() if name not in ("others", "names")}
            for treatment in treatments.values():
                del treatment["folding"], treatment["elisions"]
        return json.dumps({"version": version, **settings}, ensure_ascii=False, indent=1)

    @property
    def _folds(self) -> bool:
        """Whether it has settings that version 1 does not have."""
        unfolded = (Treatment(each.stemmer, each.stop_words) == each for _, each in self.treatments)
        return not (all(unfolded) and self.others == PLAIN and self.names == "none")

    @classmethod
    def from_json(cls, text: str, source: str | None = None) -> Profile:
        """The profile that `to_json` wrote; anything else is rejected."""
        try:
            written = json.loads(text)
            if written["version"] not in (1, VERSION):
                raise ValueError(f"it has version {written['version']}, and this program supports version {VERSION}")
            treatments = tuple((code, _read_treatment(each)) for code, each in written["treatments"].items())
            shortest, longest = int(written["shortest"]), int(written["longest"])
            others, names = _read_treatment(written.get("others", {})), _read_folding(written.get("names", "none"))
            profile = cls(str(written["name"]), treatments, shortest, longest, others, names)
            if json.loads(profile.to_json()) != written:
                raise ValueError("it has settings that this program does not support")
        except (KeyError, ValueError, TypeError, AttributeError, UsageError) as error:
            problem = f"it has no {error}" if isinstance(error, KeyError) else error
            remedy = "use the version that wrote it, or rebuild the index"
            raise InputError(f"not a profile: {problem}", source=source, remedy=remedy) from None
        return profile


def _read_treatment(written: Mapping[str, Any]) -> Treatment:
    folding, elisions = _read_folding(written.get("folding", "none")), bool(written.get("elisions", False))
    return Treatment(written.get("stemmer"), tuple(written.get("stop_words", ())), folding, elisions)


def _read_folding(name: Any) -> Folding:
    folding = next((known for known in FOLDINGS if known == name), None)
    if folding is None:
        raise ValueError(f"it folds by {printable(str(name))!r}, and there are {', '.join(FOLDINGS)}")
    return folding


@cache
def load_profile(name: str = "default") -> Profile:
    """The profile of a name."""
    if name not in PROFILES:
        raise UsageError(f"unknown profile {name!r}; choose one of {', '.join(PROFILES)}")
    folds = name == "default"
    return Profile(
        name,
        tuple(
            (
                each.code,
                Treatment(
                    each.stemmers.get(name),
                    each.stop_words if name in each.stop_word_profiles else (),
                    each.folding if folds else "none",
                    each.elisions and folds,
                ),
            )
            for each in LANGUAGES.values()
        ),
        others=Treatment(folding="latin") if folds else PLAIN,
        names="german" if folds else "none",
    )
