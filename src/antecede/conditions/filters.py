"""Which documents may be found at all: a list of named conditions, with what counts as prior art of a topic among them;
and how many documents pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from antecede.conditions.fields import FIELDS
from antecede.conditions.tree import TEXTUAL, Fact, InField, InLanguage, Node, Not, Or, Truncation, any_of
from antecede.corpus.merge import names_of
from antecede.errors import UsageError, printable, spell
from antecede.patent import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from antecede.engine import Engine
    from antecede.patent import Patent

AUTO, OFF = "auto", "off"
"""Values of a date bound: the date that counts for the topic, and no bound."""
Undated = Literal["keep", "drop"]
KEEP: Undated
DROP: Undated
KEEP, DROP = get_args(Undated)
UNDATED = get_args(Undated)
"""What becomes of a document whose date is not known where there is a date bound."""
DATE, UNKNOWN_DATE, PUBLISHED = "date", "undated", "published"
TOPIC, WHERE, MUST, MUST_NOT = "topic", "where", "must", "must not"
"""Names of conditions that are not those of fields."""
OTHER_REASONS = {
    TOPIC: "the topic, its family or a marked document",
    WHERE: "not what the expression asks for",
    MUST: "without a word that is required",
    MUST_NOT: "with a word that is excluded",
}
"""Why these leave documents out, in words."""


@dataclass(frozen=True)
class NamedCondition:
    """A condition of a search, and what the documents that it leaves out are counted under."""

    name: str
    node: Node
    said: str = ""
    """In words, where a user set it: `in H04L or G06F`."""


@dataclass(frozen=True)
class Filters:
    """The conditions that a document must meet, all of them."""

    before: date | None = None
    """Published before this day."""
    after: date | None = None
    """Published on this day or after it."""
    undated: str = KEEP
    """Whether a document without a known date passes the bounds, since it may be prior art, or not. A year in its
    number decides where it can."""
    without: tuple[str, ...] = ()
    """Documents, by name or number, that are excluded: the topic itself."""
    without_family: str | None = None
    """A family whose members are all excluded."""
    others: tuple[NamedCondition, ...] = ()
    """Facts and texts."""

    def __post_init__(self) -> None:
        """Refuse what is not one of the values."""
        if self.undated not in UNDATED:
            raise UsageError(f"{printable(self.undated)!r} is not one of {', '.join(UNDATED)}")

    @property
    def dated(self) -> bool:
        """Whether there is a date bound."""
        return self.before is not None or self.after is not None

    @cached_property
    def days(self) -> tuple[Fact, Fact]:
        """The documents within the date bounds for certain, and those of which that is not known."""
        bounds = f"{self.after or ''}..{f'<{self.before}' if self.before is not None else ''}"
        return Fact(DATE, bounds), Fact(UNKNOWN_DATE, bounds)

    @cached_property
    def conditions(self) -> tuple[NamedCondition, ...]:
        """Every condition, in the order in which what they leave out is counted."""
        return (*self._dates(), *(other for other in self.others if other.name in FIELDS), *self._own(),
                *(other for other in self.others if other.name not in FIELDS))  # fmt: skip

    def _dates(self) -> Iterator[NamedCondition]:
        if self.dated:
            said = " ".join(
                f"{word} {day}" for word, day in (("from", self.after), ("before", self.before)) if day is not None
            )
            within, unknown = self.days
            yield NamedCondition(DATE, Or((within, unknown)), said)
            if self.undated == DROP:
                yield NamedCondition(UNKNOWN_DATE, Not(unknown))

    def _own(self) -> Iterator[NamedCondition]:
        own: list[Node] = [Fact("number", name) for name in self.without]
        if self.without_family is not None:
            own.append(Fact("family", self.without_family))
        if own:
            yield NamedCondition(TOPIC, Not(any_of(own)))


def limit_field(name: str, values: Iterable[str]) -> NamedCondition:
    """The condition that a document has one of some values in a field."""
    declared, given = FIELDS[name], (values,) if isinstance(values, str) else tuple(values)
    facts = [Fact(name, declared.key(value)) for value in given]
    return NamedCondition(name, any_of(facts), f"{declared.said} {' or '.join(given)}")


def condition_on(engine: Engine, node: Node, name: str = WHERE) -> NamedCondition:
    """A condition on texts and facts; what no document of an index can meet, whatever it says, is refused."""
    indexed = engine.settings["fields"]
    for part in node.walk():
        if isinstance(part, InField):
            missing = [field for field in part.names if field not in indexed]
            if missing:
                raise UsageError(f"{part}: {missing[0]} is not indexed; the index has {', '.join(indexed)}")
        elif isinstance(part, InLanguage):
            missing = [language for language in part.languages if language not in engine.languages]
            if missing:
                remedy = "; the description is desc:" if str(part).startswith("de:") else ""
                known = ", ".join(filter(None, engine.languages)) or "texts of unknown language"
                raise UsageError(f"{part}: no text is in {missing[0]}; the index has {known}{remedy}")
        elif isinstance(part, Truncation):
            longest = max(
                (engine.analyzer(language).profile.longest for language in engine.languages), default=part.shortest
            )
            if part.shortest > longest:
                raise UsageError(
                    f"{printable(part.pattern)!r} matches words of {part.shortest} letters and "
                    f"more, but the index has the "
                    f"first {longest} of a word; write at most so many"
                )
    return NamedCondition(name, node, str(node))


def read_conditions(conditions: Iterable[NamedCondition], languages: Sequence[str]) -> tuple[NamedCondition, ...]:
    """Conditions whose words are read in certain languages, unless they name one; in every one if none is given."""
    own = tuple(languages)
    return tuple(
        replace(condition, node=InLanguage(own, condition.node))
        if own and any(isinstance(part, TEXTUAL) for part in condition.node.walk())
        else condition
        for condition in conditions
    )


def prior_art(patent: Patent, before: str | date | None = AUTO) -> Filters:
    """The filter of what counts as prior art of a patent: published before it, not itself, not of its family.

    `before` is a day; `auto` for the date that counts for the patent (priority, else filing, else publication; none if
    it has none); `off` or None for no bound.
    """
    return Filters(
        before=patent.date if before == AUTO else day_before(before),
        without=names_of(patent),
        without_family=patent.family_id,
    )


def day_before(bound: str | date | None) -> date | None:
    """The day of a date bound; None for `off`."""
    if bound is None or bound == OFF:
        return None
    if not isinstance(bound, str):
        return bound
    day = parse_date(bound)
    if day is None:
        raise UsageError(f"{printable(bound)!r} is not a day; write it as 2001-12-31, or auto, or off")
    return day


NO_TEXT = "no text at all"
"""What documents without text in any language are counted under, in place of a language."""


@dataclass(frozen=True)
class Coverage:
    """The documents that pass the filters: those with text in a language that is searched, and the others."""

    languages: tuple[str, ...]
    """The languages that are searched. Documents of unknown language are searched with each of them."""
    searched: int
    unsearched: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    """The languages of the documents that are not searched; one that has text in several counts in each. Documents
    without any text count as `NO_TEXT`."""
    excluded: Mapping[str, int] = field(default_factory=dict)
    """Filter → documents that it leaves out; one that several leave out counts for the first."""
    undated: int = 0
    """Documents that pass the date bounds because their date is not known."""
    dated_by_year: int = 0
    """Documents without a date that the year in their number admits or excludes."""

    @property
    def passed(self) -> int:
        """The documents that pass the filters."""
        return self.searched + self.unsearched

    def note(self) -> str:
        """How many documents were not searched because of their language, in one line; empty where none."""
        if not self.unsearched:
            return ""
        where = ", ".join(f"{language or 'unknown'} {count}" for language, count in self.others.items())
        were = "was" if self.unsearched == 1 else "were"
        searched = ", ".join(language or "an unknown language" for language in self.languages) or "no language"
        have = f"{_documents_have(self.unsearched)} no text in {searched}"
        return f"{have} and {were} not searched ({where})"

    def date_notes(self) -> Iterator[str]:
        if self.undated:
            have, were = _documents_have(self.undated), "it was" if self.undated == 1 else "they were"
            yield f"{have} no known date; {were} searched all the same; {spell('undated', DROP)} leaves them out"
        if dropped := self.excluded.get("undated", 0):
            were = "was" if dropped == 1 else "were"
            yield f"{_documents_have(dropped)} no known date and {were} left out ({spell('undated', DROP)})"
        if self.dated_by_year:
            have = _documents_have(self.dated_by_year)
            yield f"{have} no date but a year in the number, by which the date bound was applied"

    def filter_note(self) -> str:
        """How many documents the filters leave out, and why; empty where none."""
        total = sum(self.excluded.values())
        if not total:
            return ""
        why = ", ".join(f"{_reason(name)} {count}" for name, count in self.excluded.items())
        return f"{total} {'document was' if total == 1 else 'documents were'} left out by the filters: {why}"

    def to_dict(self) -> dict[str, Any]:
        others = {language or "unknown": count for language, count in self.others.items()}
        return {
            "searched": self.searched,
            "unsearched": self.unsearched,
            "unsearched_languages": others,
            "excluded": {name.replace(" ", "_"): count for name, count in self.excluded.items()},
            "undated": self.undated,
            "dated_by_year": self.dated_by_year,
        }


def _documents_have(number: int) -> str:
    return f"{number} {'document has' if number == 1 else 'documents have'}"


def _reason(name: str) -> str:
    return OTHER_REASONS.get(name) or (FIELDS[name].reason if name in FIELDS else name)
