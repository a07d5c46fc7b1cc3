"""A claim chart: the features of a claim, and for each document the passage that fits each feature best."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from antecede.query.query import Query, count_terms
from antecede.query.topic import filed_under, languages_of
from antecede.search.passages import Passages
from antecede.text.profiles import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.index import Index
    from antecede.patent import Patent
    from antecede.search.passages import Passage

NUMBER = re.compile(r"\s*\d{1,4}\s*[.)]\s*")
BOUNDARY = re.compile(
    r"\n+"
    r"|(?<=;)\s+"
    r"|(?<=:)\s+"
    r"|\s+(?=(?:and |und |et )?(?:characteri[sz]ed (?:in that|by)|the improvement (?:comprising|wherein)"
    r"|dadurch gekennzeichnet|gekennzeichnet durch|caract[ée]ris[ée]e?s? (?:en ce qu\w*|par))\b)"
    r"|(?<=,)\s+(?=(?:and |und |et )?(?:wherein|whereby|in which|said|wobei|bei (?:dem|der|denen)"
    r"|dans (?:lequel|laquelle|lesquels|lesquelles)|ledit|ladite)\b)",
    re.IGNORECASE,
)
"""Where a feature ends: at a new line, a semicolon or colon, before the characterising part, and before a clause."""
SHORTEST = 25
"""A shorter piece belongs to the feature after it."""
MOST_FEATURES = 200
"""Features of one claim; a claim with more is cut into this many, the last with the rest."""


@dataclass(frozen=True)
class ChartRow:
    """What one document has for one feature."""

    feature: int
    """The position of the feature, from 0."""
    passage: Passage | None
    """The best passage; None where no word of the feature occurs."""


def split_features(claim: str) -> list[str]:
    """The features of a claim, in order; joined they are the claim without its number.

    >>> split_features("1. A lamp comprising: a housing made of glass; and a filament held by the housing.")
    ['A lamp comprising: a housing made of glass;', 'and a filament held by the housing.']
    """
    text = NUMBER.sub("", claim, count=1) if NUMBER.match(claim) else claim
    pieces = [piece.strip() for piece in BOUNDARY.split(text) if piece.strip()]
    found: list[str] = []
    carried = ""
    for piece in pieces:
        carried = f"{carried} {piece}" if carried else piece
        if len(carried) >= SHORTEST and len(found) < MOST_FEATURES - 1:
            found.append(carried)
            carried = ""
    if carried and found and (len(carried) < SHORTEST or len(found) >= MOST_FEATURES):
        found[-1] = f"{found[-1]} {carried}"
    elif carried:
        found.append(carried)
    return found


def chart_document(index: Index, patent: Patent, features: Sequence[str], language: str) -> Iterator[ChartRow]:
    """The best passage of a document for each feature, in its text of a language."""
    if language not in languages_of(patent) and filed_under(patent, language) not in languages_of(patent):
        yield from (ChartRow(number, None) for number in range(len(features)))
        return
    passages = Passages(index, patent, language)
    known = LANGUAGES.get(language)
    formula = frozenset(passages.analyzer.terms(" ".join(known.boilerplate)) if known is not None else ())
    for number, feature in enumerate(features):
        terms = [term for term in passages.analyzer.terms(feature) if term not in formula]
        query = Query.from_terms(count_terms(terms), language, "claim")
        yield ChartRow(number, next(iter(passages.find_best(query, 1)), None) if terms else None)
