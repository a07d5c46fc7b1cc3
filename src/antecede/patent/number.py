"""The number of a patent in one normal form, so that `EP-1000000-A1`, `EP1000000A1` and `EP 1 000 000` meet."""

from __future__ import annotations

from dataclasses import dataclass


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
        raise NotImplementedError

    @classmethod
    def of(cls, country: str, number: str, kind: str | None = None) -> PatentNumber | None:
        """The number whose parts a file gives one by one; None where they make no number."""
        raise NotImplementedError
