"""The tuned numbers that decide how hard the synthetic collection is and what shape it has.

A *line* is a series of inventions that address the same problem, as real patents follow one another. Patents of a line
share most of its parts and cite each other, but each applicant uses its own words for them. Shares are percentages.

With these values, BM25 (tantivy, all languages in one index, English stemming, the 50 most frequent words of a topic)
reaches MAP .28 and recall .95 at rank 1,000 on 2,000 patents, and MAP .10 and recall .67 on 100,000 (seed 1).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Parameters:
    """The numbers that decide which patents resemble each other, and in which words."""

    line_size: int = 14
    """Mean number of patents per line."""
    kept_parts: int = 87
    """Share of the line's parts that a patent keeps; the others are drawn from the parts of the field."""
    foreign_modifiers: int = 60
    """Share of a line's parts whose modifier comes from another field of the same kind."""
    own_words: int = 88
    """Share of ideas for which an applicant uses its own word; otherwise any synonym is drawn."""
    line_language: int = 80
    """Share of patents in the language of their line; the others are distributed like the whole collection."""
    line_name: int = 40
    """Share of coined names that are the name of the line, which each applicant still spells in its own way."""
    cited_from_line: int = 70
    """Share of citations to the patent's own line, if it has enough members; the others go to the field."""
    same_language_bonus: int = 2
    """How much closer a citing patent ranks candidates in its own language; one shared part counts 2."""
    citation_noise: int = 4
    """Range of the random number added to the closeness of a candidate, on the same scale."""
    granted: int = 55
    """Share of patents with a B1 document, among those old enough to be granted."""
    family: int = 4
    """Share of patents that are the second member of a family."""


PARAMETERS = Parameters()
LANGUAGE_SHARES = (70, 23, 7)
"""English, German, French, as in CLEF-IP."""
SYNONYM_SHARES = (0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2)
"""Which of three synonyms an applicant prefers, in twelfths."""
FIELD_EVENNESS = 12
"""The number of lines in a field is proportional to 1 / (rank of the field + this number)."""
SENTENCE_TOKENS = {"EN": 14, "DE": 12, "FR": 16}
"""Mean tokens per sentence, used to convert lengths into numbers of sentences."""
LINE_WEIGHTS = (1, 1, 1, 1, 1, 2, 2, 2, 4, 4)
"""Relative numbers of patents per line."""
