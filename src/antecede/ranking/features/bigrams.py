"""Shared pairs of neighbouring words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from antecede.ranking.attributes import attributes_of
from antecede.ranking.candidates import Candidates
from antecede.ranking.features.classes import NOT_A_PATENT
from antecede.ranking.features.registry import Absent, feature
from antecede.ranking.word_pairs import BITS, pair_reader
from antecede.registry import Count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from antecede.ranking.attributes import NumberLists
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features.registry import Floats
    from antecede.ranking.word_pairs import PairReader

    Ints = NDArray[np.int64]

NO_PAIR = Absent("the topic has no two words next to each other")
SATURATION = 1.2
"""How quickly the frequency of a pair saturates, as k1 of BM25."""


@feature("bigrams", kind="text", cite="Metzler & Croft, SIGIR 2005, on ordered term dependence")
def bigrams(at: Evidence, *, most: Count = 200, pairs: Count = 150) -> Floats | Absent:
    """Pairs of neighbouring words that the document shares with the topic, such as "fuel cell"; rare words count more.

    Σ_p √n(p) · r(p) · 2.2·n / (n + 1.2), n being how often the document has the pair, r(p) the sum of log((N + 1) / df)
    of its two words, over the pairs with the most log(1 + n(p))·r(p). Stop words between two words are skipped. Pairs
    are read from the stored texts of the best documents by BM25, which takes as long as a search or longer; others have
    score 0. most: how many documents are read; pairs: how many pairs of the topic are used. Not part of the default.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    reader = pair_reader(at.index, at.task.language)
    chosen: TopicPairs = at.once(("pairs", pairs), lambda: choose_pairs(at, reader, pairs))
    if not len(chosen.keys):
        return NO_PAIR
    found = at.search(at.query(), "bm25")
    places = at.pool.find(Candidates(found.places[:most], at.pool.matrices))
    places = places[places >= 0]
    lists = reader.documents(attributes_of(at.index).positions(at.pool.take(places)))
    owners, ranks = chosen.find(lists)
    # Each document and pair once, with the number of its occurrences.
    both, often = np.unique(owners * len(chosen.keys) + ranks, return_counts=True)
    values = chosen.weights[both % len(chosen.keys)] * often * (SATURATION + 1) / (often + SATURATION)
    scores = np.zeros(len(at.pool))
    scores[places] = np.bincount(both // len(chosen.keys), values, len(places))
    return scores


@dataclass(frozen=True, eq=False)
class TopicPairs:
    """The heaviest pairs of a topic."""

    keys: Ints
    """Ascending."""
    ranks: Ints
    """Their places in the order of the text, in which values are summed: term numbers depend on what was read."""
    weights: NDArray[np.float64]
    """What an occurrence of each is worth, in the order of the text."""

    def find(self, lists: NumberLists) -> tuple[Ints, Ints]:
        """The documents and ranks of the pairs that lists have of these, each occurrence."""
        found = np.minimum(np.searchsorted(self.keys, lists.items), len(self.keys) - 1)
        matched = self.keys[found] == lists.items
        return lists.owners[matched], self.ranks[found[matched]]


def choose_pairs(at: Evidence, reader: PairReader, most: int) -> TopicPairs:
    """The heaviest pairs of a topic; of equally heavy ones, those that come first in the text."""
    patent = at.task.patent
    whole = reader.topic(patent) if patent is not None else np.zeros(0, np.int64)
    keys, first, counts = np.unique(whole, return_index=True, return_counts=True)
    used, places = np.unique(np.concatenate((keys >> BITS, keys & ((1 << BITS) - 1))), return_inverse=True)
    statistics = at.index.statistics(at.task.language)
    df = statistics.frequencies([reader.names[number] for number in used.tolist()]).documents
    rarity = np.log((statistics.documents + 1) / np.maximum(df, 1))[places].reshape(2, -1).sum(axis=0)
    order = np.lexsort((first, -np.log1p(counts) * rarity))[:most]
    chosen = order[np.argsort(first[order])]
    ascending = np.argsort(chosen)
    return TopicPairs(keys[chosen[ascending]], ascending, np.sqrt(counts[chosen]) * rarity[chosen])
