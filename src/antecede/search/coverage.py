"""The coverage of a search: the documents that are searched, and those that have no text in its languages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from antecede.index.filters import Filters
from antecede.query.topic import join_languages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from antecede.index import Index

NO_FILTERS = Filters()


@dataclass(frozen=True)
class Coverage:
    """The documents that pass the filters: those with text in a language that is searched, and the others."""

    languages: tuple[str, ...]
    """The languages that are searched. Documents of unknown language are searched with each of them."""
    searched: int
    unsearched: int = 0
    others: Mapping[str, int] = field(default_factory=dict)
    """The languages of the documents that are not searched; one that has text in several counts in each."""

    def note(self) -> str:
        """A note for the user, in one line; empty where every document is searched."""
        if not self.unsearched:
            return ""
        where = ", ".join(f"{language or 'unknown'} {count}" for language, count in self.others.items())
        have = "document has" if self.unsearched == 1 else "documents have"
        were = "was" if self.unsearched == 1 else "were"
        return f"{self.unsearched} {have} no text in {join_languages(self.languages)} and {were} not searched ({where})"

    def to_dict(self) -> dict[str, Any]:
        """The counts in a JSON-compatible form."""
        others = {language or "unknown": count for language, count in self.others.items()}
        return {"searched": self.searched, "unsearched": self.unsearched, "unsearched_languages": others}


def measure_coverage(index: Index, languages: Sequence[str], filters: Filters = NO_FILTERS) -> Coverage:
    """The coverage of a search in these languages."""
    passed, documents, found = 0, 0, Counter[str]()
    for segment in index.segments:
        allowed = filters.allowed(segment)
        left = segment.live.copy() if allowed is None else allowed.copy()
        passed += int(left.sum())
        for language in languages:
            for each, matrix in index.matrices(language):
                if each is segment:
                    left[matrix.documents] = False
        documents += int(left.sum())
        if left.any():
            found.update({language: int(left[matrix.documents].sum()) for language, matrix in segment.matrices.items()})
    known = {language: count for language, count in found.most_common() if count}
    return Coverage(tuple(languages), passed - documents, documents, known)
