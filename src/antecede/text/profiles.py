"""Profiles: how the words of each language become terms. An index keeps its profile, and queries follow it.

A profile holds the stop words themselves, not the name of a list, so that an index is analysed the same way for ever.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from antecede.errors import InputError, UsageError
from antecede.text.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Mapping

PROFILES = {
    "published": "English: Porter stemmer and stop words; French and German untouched (Zhou et al., NLPCC 2013)",
    "default": "English, French and German: Snowball stemmers and stop words",
}
VERSION = 1
MOST = 1000


@dataclass(frozen=True)
class Treatment:
    """What is done to the words of one language."""

    stemmer: str | None = None
    """A Snowball algorithm by its name, or none."""
    stop_words: tuple[str, ...] = ()

    def __str__(self) -> str:
        stemmed = f"stemmed with Snowball {self.stemmer}" if self.stemmer else "not stemmed"
        return f"{stemmed}, {len(self.stop_words) or 'no'} stop words"


PLAIN = Treatment()


@dataclass(frozen=True)
class Profile:
    """The settings of an analysis, all of them."""

    name: str
    treatments: tuple[tuple[str, Treatment], ...]
    """Language → treatment; any other language is left plain."""
    shortest: int = 2
    """Words with fewer letters are left out."""
    longest: int = 64
    """Longer runs are cut to this many signs."""

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest <= MOST:
            bounds = f"{self.shortest} to {self.longest} letters"
            raise UsageError(f"profile {self.name}: words of {bounds}; take 1 ≤ shortest ≤ longest ≤ {MOST}")

    def treatment(self, language: str) -> Treatment:
        """What is done to a language; nothing to one that the profile does not know."""
        return dict(self.treatments).get(language.lower(), PLAIN)

    def without_boilerplate(self) -> Profile:
        """This profile, with the boilerplate of patents left out too in every language it has stop words for."""
        more = tuple(
            (code, replace(treatment, stop_words=joined(treatment.stop_words, LANGUAGES[code].boilerplate)))
            if treatment.stop_words and code in LANGUAGES
            else (code, treatment)
            for code, treatment in self.treatments
        )
        return replace(self, name=f"{self.name}, no boilerplate", treatments=more)

    def to_json(self) -> str:
        """The settings as text, to be kept with an index."""
        settings = {**asdict(self), "treatments": {code: asdict(each) for code, each in self.treatments}}
        return json.dumps({"version": VERSION, **settings}, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str, source: str | None = None) -> Profile:
        """The profile that `to_json` wrote; anything else is refused."""
        try:
            written = json.loads(text)
            if written["version"] != VERSION:
                raise ValueError(f"its version is {written['version']}, this program knows version {VERSION}")
            treatments = [(str(code), read_treatment(each)) for code, each in written["treatments"].items()]
            shortest, longest = int(written["shortest"]), int(written["longest"])
            profile = cls(str(written["name"]), tuple(treatments), shortest, longest)
            if json.loads(profile.to_json()) != written:
                raise ValueError("it has settings that this program does not know")
        except KeyError as missing:
            raise not_a_profile(f"it has no {missing}", source) from None
        except (ValueError, TypeError, AttributeError, UsageError) as problem:
            raise not_a_profile(str(problem), source) from None
        return profile


def read_treatment(written: Mapping[str, Any]) -> Treatment:
    return Treatment(written["stemmer"], tuple(written["stop_words"]))


def not_a_profile(problem: str, source: str | None) -> InputError:
    return InputError(f"not a profile: {problem}", source=source, remedy="use the version that wrote it, or build anew")


def joined(words: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*words, *more]))


@cache
def profile(name: str = "default") -> Profile:
    """A profile by its name."""
    if name not in PROFILES:
        raise UsageError(f"no profile is called {name!r}; there are {', '.join(PROFILES)}")
    return Profile(
        name,
        tuple(
            (each.code, Treatment(each.stemmers.get(name), each.stop_words if name in each.stopped else ()))
            for each in LANGUAGES.values()
        ),
    )
