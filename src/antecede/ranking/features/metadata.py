"""Features of what is known of a document besides its text: classes, title, applicants, dates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from antecede.conditions.values import name_key
from antecede.engine import EPOCH, UNKNOWN_DAY
from antecede.patent.texts import filed_under
from antecede.ranking.attributes import LEVELS, attributes_of, levels_of
from antecede.ranking.features import NOT_A_PATENT, Absent, feature
from antecede.registry import Positive

if TYPE_CHECKING:
    from collections.abc import Sequence

    from antecede.arrays import Floats, Mask
    from antecede.ranking.attributes import NumberLists, TextCache
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features import Scores


@feature("classes", kind="classes", cite="Lopez & Romary, CLEF 2009; weights of classes as those of terms")
def classes(at: Evidence, *, overlap: float = 1.0) -> Scores | Absent:
    """IPC and CPC codes that the document shares with the topic, at three levels; rare ones count more.

    Mean over subclass (H04L), main group (H04L 12) and group (H04L 12/56) of Σ r(c) over the shared codes /
    √(Σ r(c) of the topic · Σ r(c) of the document), r(c) = log((P + 1) / p), p of the P candidates having the code.
    A document without a class scores 0, so that where only some documents have classes, those are favoured. overlap:
    the weight of this beside the deepest level at which a code is shared (⅓, ⅔ or 1).
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    own = [*at.task.patent.ipc, *at.task.patent.cpc]
    attributes = attributes_of(at.index)
    if not attributes.has("ipc", "cpc"):
        return Absent("no document of the index has a class", for_every_topic=True)
    if not own:
        return Absent("the topic has no class")
    shared, similarity = _compare(own, *attributes.classes(at.pool))
    deepest, total = np.zeros(len(at.pool)), np.zeros(len(at.pool))
    for level in range(LEVELS):
        deepest = np.where(shared[level], (level + 1) / LEVELS, deepest)
        total += similarity[level] / LEVELS
    return overlap * total + deepest


def _compare(codes: Sequence[str], lists: NumberLists, cache: TextCache) -> tuple[Mask, Floats]:
    """Whether each document shares a code with the topic, and how similar the codes are, rare ones counting more.

    One row per level, one column per document.
    """
    own = levels_of(codes)
    mine = cache.mark(own)
    often = np.bincount(lists.items, minlength=len(mine))
    rarity = np.log((lists.size + 1) / often[lists.items])
    levels = cache.values_of(lambda names: np.array([float(name[0]) for name in names]))[lists.items]
    places = levels.astype(np.int64) * lists.size + lists.owners

    def add_up(values: Floats) -> Floats:
        sums = np.bincount(places, values, LEVELS * lists.size).astype(np.float64, copy=False)
        return sums.reshape(LEVELS, lists.size)

    totals = np.zeros(LEVELS)
    for code in own:  # one that no candidate has is as rare as can be
        number = cache.number.get(code, len(often))
        totals[int(code[0])] += np.log((lists.size + 1) / max(often[number] if number < len(often) else 0, 1))
    matched = mine[lists.items]
    product = np.sqrt(totals[:, None] * add_up(rarity))
    similarity = np.divide(
        add_up(np.where(matched, rarity, 0.0)), product, out=np.zeros_like(product), where=product > 0
    )
    return add_up(matched.astype(np.float64)) > 0, similarity


@feature("title", kind="metadata", cite="Robertson, Zaragoza & Taylor, CIKM 2004, on fields that count more")
def title(at: Evidence) -> Scores | Absent:
    """The cosine of the titles of topic and document, rare words counting more.

    Σ r(t)² over the shared terms / (length of the topic's vector · length of the document's), r(t) = log((N + 1) / df)
    in the whole texts. The title is the one in the language of the proceedings. Helps where the text is short; says
    little where titles are general ("Apparatus and method").
    """
    patent = at.task.patent
    if patent is None:
        return NOT_A_PATENT
    written = patent.title.get(filed_under(patent, at.task.language), "")
    own = set(at.index.analyzer(at.task.language).terms(written)) if written else set()
    if not own:
        return Absent("the topic has no title in the language of the search")
    titles, cache = attributes_of(at.index).titles(at.pool, at.task.language)
    statistics = at.index.statistics(at.task.language)

    def weigh(terms: list[str]) -> Floats:
        df = statistics.frequencies(terms).documents
        rarity: Floats = np.log((statistics.documents + 1) / np.maximum(df, 1))
        return rarity**2

    squares = cache.values_of(weigh)[titles.items]
    lengths = np.sqrt(titles.add_up(squares))
    shared = titles.add_up(np.where(cache.mark(own)[titles.items], squares, 0.0))
    return np.divide(shared, lengths, out=np.zeros(len(shared)), where=lengths > 0)


@feature("same_applicant", kind="metadata", cite="Lopez & Romary, CLEF 2009")
def same_applicant(at: Evidence) -> Scores | Absent:
    """1 for a document with an applicant of the topic, else 0; names are compared without case, accents, punctuation.

    Applicants build on, and cite, their own earlier patents. An invalidity search may do without it.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    attributes = attributes_of(at.index)
    if not attributes.has("applicants"):
        return Absent("no document of the index has an applicant", for_every_topic=True)
    own = {*map(name_key, at.task.patent.applicants)} - {""}
    if not own:
        return Absent("the topic has no applicant")
    return at.index.have(at.pool.numbers, "applicants", own).astype(np.float64)


@feature("date_distance", kind="metadata", cite="the age of cited patents: Hall, Jaffe & Trajtenberg, NBER 2001")
def date_distance(at: Evidence, *, years: Positive = 10.0) -> Scores | Absent:
    """How near in time a document is to the topic: exp(−|distance in years| / years).

    Recent documents are cited more often than old ones. A document without a known date has the mean of the others.
    years: how slowly the score falls.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    date = at.task.patent.date
    if date is None:
        return Absent("the topic has no date")
    known = at.pool.days != UNKNOWN_DAY
    if not known.any():
        return Absent("no candidate has a date")
    nearness = np.exp(-np.abs((date - EPOCH).days - at.pool.days) / 365.25 / years)
    return np.where(known, nearness, nearness[known].mean())
