"""The number of a patent in one normal form, so that `EP-1000000-A1`, `EP1000000A1` and `EP 1 000 000` meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from antecede.patent.countries import COUNTRIES, RENAMED
from antecede.patent.offices import normal_number
from antecede.patent.writing import KIND, LONGEST, PLAIN, is_standard, plain, take_country, take_kind


@dataclass(frozen=True, slots=True)
class PatentNumber:
    """Country and number in normal form; the kind code stays beside it and takes no part in meeting."""

    country: str
    number: str
    kind: str | None = None

    @property
    def key(self) -> str:
        """Country and number, `EP1000000`: the same for all documents of a patent."""
        return f"{self.country}{self.number}"

    def __str__(self) -> str:
        return f"{self.country}-{self.number}-{self.kind}" if self.kind else self.key

    @classmethod
    def parse(cls, text: str) -> PatentNumber | None:
        """The number that a text writes out, country included; None where it is none."""
        return parse_number(text) if len(text) <= LONGEST else None

    @classmethod
    def parse_name(cls, text: str) -> PatentNumber | None:
        """The number that a document's name, or a user, writes out in a customary form; None for any other name.

        `parse` joins digits however they are grouped, which suits citations. For a name that is too lenient: `CH1-11`
        and `CH11-1` are two names, and neither is the patent CH 111.
        """
        return parse_name(text) if len(text) <= LONGEST else None

    @classmethod
    def of(cls, country: str, number: str, kind: str | None = None) -> PatentNumber | None:
        """The number whose parts a file gives one by one; None where they make no number."""
        return number_of(country, number, kind) if len(country) + len(number) <= LONGEST else None


@lru_cache(maxsize=1 << 16)
def parse_number(text: str) -> PatentNumber | None:
    """`PatentNumber.parse`, remembered: a collection cites the same numbers again and again."""
    if (found := PLAIN.match(text)) is not None and found[1] in COUNTRIES:
        number = build(RENAMED.get(found[1], found[1]), found[2], found[3])
        if number is not None or found[2].isdecimal():
            return number
    parts = take_country(plain(text))
    return None if parts is None else build(parts[0], *take_kind(*parts))


@lru_cache(maxsize=1 << 16)
def parse_name(text: str) -> PatentNumber | None:
    """`PatentNumber.parse_name`, remembered."""
    if PLAIN.match(text) is not None:
        return parse_number(text)
    parts = take_country(plain(text))
    if parts is None:
        return None
    country, rest = parts
    body, kind = take_kind(country, rest)
    return build(country, body, kind) if is_standard(country, body) else None


@lru_cache(maxsize=1 << 16)
def number_of(country: str, number: str, kind: str | None) -> PatentNumber | None:
    """`PatentNumber.of`, remembered."""
    country = country.strip().upper()
    country = RENAMED.get(country, country)
    if country not in COUNTRIES:
        return None
    given = (kind or "").strip().upper()
    if given == "00":  # USPTO files mark an application so
        return None
    rest = plain(number).upper()
    if not rest.isascii():
        return None
    if rest.startswith(country):
        rest = rest[2:]
    body, found = take_kind(country, rest)
    return build(country, body, given if KIND.match(given) else found)


def build(country: str, body: str, kind: str | None) -> PatentNumber | None:
    """The number, if its office knows one of that form."""
    number = normal_number(country, body, kind)
    return None if number is None else PatentNumber(country, number, kind)
