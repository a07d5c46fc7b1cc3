"""How hard the synthetic collection is, and what shape it has: every number that was tuned, in one place.

A *line* is a strand of inventions on one problem, the way real patents follow each other. Patents of a line share
most of its parts and cite each other, but each applicant has its own words for them. Shares are in percent.

Tuned so that BM25 (tantivy, all languages in one index, English stemming, the 50 most frequent words of a topic) has
MAP .28 and recall .95 within 1,000 at 2,000 patents, MAP .10 and recall .67 at 100,000 (seed 1).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dials:
    """The numbers that decide who resembles whom, and in how many words."""

    line_size: int = 14
    """Patents in a line, on average."""
    kept: int = 87
    """How many parts of its line a patent keeps; the others are any parts of the field."""
    strange: int = 60
    """How many parts of a line have a modifier from another field of the same kind."""
    own_words: int = 88
    """How often an applicant uses its own word for an idea; else any synonym."""
    home: int = 80
    """How many patents of a line are in the line's own language; the others are spread like the whole collection."""
    line_name: int = 40
    """How often a coined name in a text is the one of its line (each applicant still has its own way to write it)."""
    cited_from_line: int = 70
    """How many citations go to the patent's own line, where it has enough members; the others to its field."""
    same_language: int = 2
    """How much nearer a patent in the same language seems to who cites: two are one shared part."""
    carelessness: int = 4
    """How far chance decides who is cited, on the same scale."""
    granted: int = 55
    """How many of the patents old enough for a grant have a B1 document."""
    family: int = 4
    """How many patents are second members of a family."""


DIALS = Dials()
LANGUAGE_SHARES = (70, 23, 7)
"""English, German, French, as in CLEF-IP."""
SYNONYM_SHARES = (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2)
"""Which of three synonyms an applicant takes for its own, one choice in twelve."""
FIELD_EVENNESS = 12
"""Fields are as busy as one over their rank plus this."""
SENTENCE_TOKENS = {"EN": 14, "DE": 12, "FR": 16}
"""Tokens of an average sentence, by which lengths are turned into sentences."""
LINE_WEIGHTS = (1, 1, 1, 1, 1, 2, 2, 2, 4, 4)
"""How busy lines are, against each other."""
