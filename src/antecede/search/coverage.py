"""How many documents a search looks at, and how many it does not: because of their language, a date bound, a filter."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.index.filters import DROP, Filters
from antecede.query.topic import join_languages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from antecede.index import Index

NO_FILTERS = Filters()
REASONS = {
    "date": "outside the dates",
    "undated": "no known date",
    "ipc": "another IPC class",
    "cpc": "another CPC class",
    "applicant": "another applicant",
    "inventor": "another inventor",
    "country": "another office",
    "language": "another language of proceedings",
    "topic": "the topic, its family or a marked document",
    "must": "without a word that is required",
    "must not": "with a word that is excluded",
}
"""Why a filter leaves documents out, in words."""


@dataclass(frozen=True)
class Coverage:
    """The documents that pass the filters: those with text in a language that is searched, and the others."""

    languages: tuple[str, ...]
    """The languages that are searched. Documents of unknown language are searched with each of them."""
    searched: int
    unsearched: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    """The languages of the documents that are not searched; one that has text in several counts in each. Documents
    without any text count as `index.filters.NO_TEXT`."""
    excluded: Mapping[str, int] = field(default_factory=dict)
    """Filter → documents that it leaves out; one that several leave out counts for the first."""
    undated: int = 0
    """Documents that pass the date bounds because their date is not known."""
    dated_by_year: int = 0
    """Documents without a date that the year in their number admits or excludes."""

    def note(self) -> str:
        """How many documents were not searched because of their language, in one line; empty where none."""
        if not self.unsearched:
            return ""
        where = ", ".join(f"{language or 'unknown'} {count}" for language, count in self.others.items())
        have = "document has" if self.unsearched == 1 else "documents have"
        were = "was" if self.unsearched == 1 else "were"
        return f"{self.unsearched} {have} no text in {join_languages(self.languages)} and {were} not searched ({where})"

    def date_notes(self) -> Iterator[str]:
        """What became of documents without a date."""
        if self.undated:
            have = "document has" if self.undated == 1 else "documents have"
            were = "it was" if self.undated == 1 else "they were"
            yield f"{self.undated} {have} no known date; {were} searched all the same; --undated drop leaves them out"
        if dropped := self.excluded.get("undated", 0):
            have = "document has" if dropped == 1 else "documents have"
            yield f"{dropped} {have} no known date and {'was' if dropped == 1 else 'were'} left out (--undated drop)"
        if self.dated_by_year:
            noun = "document has" if self.dated_by_year == 1 else "documents have"
            yield f"{self.dated_by_year} {noun} no date but a year in the number, by which the date bound was applied"

    def filter_note(self) -> str:
        """How many documents the filters leave out, and why; empty where none."""
        total = sum(self.excluded.values())
        if not total:
            return ""
        why = ", ".join(f"{REASONS.get(name, name)} {count}" for name, count in self.excluded.items())
        return f"{total} {'document was' if total == 1 else 'documents were'} left out by the filters: {why}"

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        others = {language or "unknown": count for language, count in self.others.items()}
        return {
            "searched": self.searched,
            "unsearched": self.unsearched,
            "unsearched_languages": others,
            "excluded": {name.replace(" ", "_"): count for name, count in self.excluded.items()},
            "undated": self.undated,
            "dated_by_year": self.dated_by_year,
        }


def measure_coverage(index: Index, languages: Sequence[str], filters: Filters = NO_FILTERS) -> Coverage:
    """What a search in these languages looks at."""
    found = index.tally(languages, filters)
    return Coverage(
        tuple(languages),
        found.passed - found.elsewhere,
        found.elsewhere,
        found.others,
        found.excluded,
        found.undated,
        found.by_year,
    )


def undated_note(index: Index, filters: Filters) -> str:
    """What date bounds make of the documents of an index without a date, in one line; empty where there is none."""
    if not filters.dated or not index.undated:
        return ""
    became = "are left out" if filters.undated == DROP else "pass every date bound; --undated drop leaves them out"
    return f"{index.undated} documents of the index have no known date and {became}"
