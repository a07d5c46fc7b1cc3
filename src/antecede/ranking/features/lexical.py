"""Features of the words: the searches, likelihood, cosine, and pairs of neighbouring words.

Pairs are read from the stored texts of documents: an index counts words, not their order.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.patent.texts import filed_under, indexed_text
from antecede.query.query_maker import move_query
from antecede.query.topic import DESCRIPTION, mask_numbers, text_for
from antecede.ranking.attributes import ListCache, NumberLists
from antecede.ranking.evidence import Candidates
from antecede.ranking.features import NOT_A_PATENT, Absent, feature
from antecede.registry import Count, OpenShare, Positive, Share, write_call
from antecede.text.term_tables import WordTable
from antecede.text.vocabulary import ENDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.arrays import Floats, Ints
    from antecede.engine import Engine, Hits
    from antecede.patent import Patent
    from antecede.ranking.evidence import Evidence
    from antecede.ranking.features import Scores


_DEFAULTS = {"k1": 1.2, "b": 0.75}
"""Those of the ranking model, whose impacts a classic search has computed already."""


def _search_by_bm25(at: Evidence, terms: int | None = None, k1: float = 1.2, b: float = 0.75) -> Hits:
    given = {"k1": k1, "b": b}
    return at.search(at.query(terms), write_call("bm25", given if given != _DEFAULTS else {}))


@feature("bm25", kind="text", cite="Robertson & Zaragoza, Foundations and Trends in IR 2009", retrieve=_search_by_bm25)
def bm25(at: Evidence, *, terms: Count | None = None, k1: float = 1.2, b: Share = 0.75) -> Scores:
    """BM25 with the heaviest terms of the topic.

    Σ_t w(t) · impact(t), as in the model of that name, over the terms with the highest log(1 + n)·log((N + 1) / df), by
    default 75, in French 45.
    """
    return _search_by_bm25(at, terms, k1, b).scores_of(at.pool.numbers)


def _search_by_settings(at: Evidence) -> Hits:
    return at.once("classic", at.task.classic)


@feature("classic", kind="text", cite="the query methods and ranking models chosen", retrieve=_search_by_settings)
def classic(at: Evidence) -> Scores:
    """The score of the search that the settings describe: query methods, model, terms, weights and fusion.

    With the default settings it is `bm25`. With others it lets a ranking include them: `--method lmipc --ranking
    classic=1,cosine=0.5`. A document that a fusion does not find has score 0.
    """
    return _search_by_settings(at).scores_of(at.pool.numbers)


def _search_by_likelihood(at: Evidence, lambda_: float = 0.7, terms: int = 300) -> Hits:
    return at.search(at.query(terms), write_call("lm_jelinek_mercer", {"lambda": lambda_}))


@feature("jelinek_mercer", kind="text", cite="Zhai & Lafferty, SIGIR 2001", retrieve=_search_by_likelihood)
def jelinek_mercer(at: Evidence, *, lambda_: OpenShare = 0.7, terms: Count = 300) -> Scores:
    """Query likelihood with Jelinek–Mercer smoothing, with many terms of the topic.

    Σ_t w(t) · impact(t), as in the model `lm_jelinek_mercer`. Unlike BM25 it can use long queries, since a frequent
    term that both texts share counts little, but counts. lambda: the share of the collection model, larger for longer
    topics. At most 300 terms.
    """
    return _search_by_likelihood(at, lambda_, terms).scores_of(at.pool.numbers)


def _search_by_feedback(
    at: Evidence, documents: int = 3, beta: float = 0.3, terms: int = 200, lambda_: float = 0.7
) -> Hits:
    first, task = _search_by_likelihood(at, lambda_), at.task

    def search() -> Hits:
        best = first.numbers[:documents]
        scores = first.scores_of(best).astype(np.float64)
        if task.relevant or not scores.sum() > 0:  # marked documents have moved the query already
            return first
        moved = move_query(task.query, task.index, best, beta * scores / scores.sum(), terms)
        return task.search(moved, task.size, write_call("lm_jelinek_mercer", {"lambda": lambda_}))

    return at.once(("feedback", documents, beta, terms, lambda_), search)


def _best_by_feedback(at: Evidence, **parameters: Any) -> Candidates:
    """The best documents; each has a word of the topic, as a user who searches for one word expects."""
    hits = _search_by_feedback(at, **parameters)
    first = _search_by_likelihood(at, parameters.get("lambda_", 0.7))
    return Candidates(hits.numbers[first.scores_of(hits.numbers) > 0], at.index)


@feature(
    "feedback",
    kind="text",
    cite="Rocchio 1971; Buckley et al., TREC-3 1994, on unjudged documents",
    retrieve=_best_by_feedback,
)
def feedback(
    at: Evidence, *, documents: Count = 3, beta: Positive = 0.3, terms: Count = 200, lambda_: OpenShare = 0.7
) -> Scores:
    """`jelinek_mercer` twice: the second time with words of the best documents of the first.

    The query is moved towards these documents, weighted by their scores, as in relevance feedback: q + β·mean. It helps
    short topics, which lack words. documents: their number; beta: β; lambda: λ of both searches. Documents marked as
    relevant have already moved the query, so that there is no second search.
    """
    return _search_by_feedback(at, documents, beta, terms, lambda_).scores_of(at.pool.numbers)


@feature("cosine", kind="text", cite="Salton & Buckley, Information Processing & Management 1988")
def cosine(at: Evidence, *, terms: Count = 200) -> Scores:
    """The cosine of the vectors of (1 + log n)·log((N + 1) / df) of the topic and of the document.

    Σ_t q(t)·d(t) / |d|, where |d| is the length of the document's whole vector. It rewards documents that are alike as
    a whole, where BM25 rewards single rare terms. At most 300 terms.
    """
    matches, query = at.matches, at.task.query
    rarity = np.log((at.index.statistics(at.task.language).documents + 1) / np.maximum(at.frequencies.documents, 1))
    often = 1 + np.log(np.maximum(query.counts, 1)) if query.counts else query.weights
    weights = np.where(np.arange(len(query)) < terms, often, 0.0) * rarity
    sums = matches.add_up(lambda counts: 1 + np.log(counts), weights * rarity)
    norms = at.index.norms(at.pool.numbers, at.task.language)
    return np.divide(sums, norms, out=np.zeros(len(norms)), where=norms > 0)


# Pairs of neighbouring words

_CACHE_KEY = "word pairs for rankings"
BITS = 32
"""A pair is one number: that of its first term, and in the lower bits that of its second."""
_STOP, _END = -1, -2
"""In place of a term: a word that is dropped, and the end of a text."""
_SATURATION = 1.2
"""How quickly the frequency of a pair saturates, as k1 of BM25."""


@feature("bigrams", kind="text", cite="Metzler & Croft, SIGIR 2005, on ordered term dependence")
def bigrams(at: Evidence, *, most: Count = 200, pairs: Count = 150) -> Scores | Absent:
    """Pairs of neighbouring words that the document shares with the topic, such as "fuel cell"; rare words count more.

    Σ_p √n(p) · r(p) · 2.2·n / (n + 1.2), where n is the frequency of the pair in the document and r(p) the sum of
    log((N + 1) / df) of its two words. Stop words between two words are skipped. most: how many documents, the best by
    BM25, have their stored texts read, which takes as long as a search or longer (others score 0); pairs: how many
    pairs of the topic are used, those with the highest log(1 + n(p))·r(p). Not part of the default.
    """
    if at.task.patent is None:
        return NOT_A_PATENT
    patent, reader = at.task.patent, _pair_reader(at.index, at.task.language)
    chosen = at.once(("pairs", pairs), lambda: _choose_pairs(at, reader, patent, pairs))
    if not len(chosen.keys):
        return Absent("the topic has no two words next to each other")
    best = at.search(at.query(), "bm25").numbers[:most]
    places = at.pool.find(Candidates(best, at.index))
    places = places[places >= 0]
    lists = reader.documents(at.pool.numbers[places])
    owners, ranks = chosen.find(lists)
    # Each document and pair once, with the number of its occurrences.
    both, often = np.unique(owners * len(chosen.keys) + ranks, return_counts=True)
    values = chosen.weights[both % len(chosen.keys)] * often * (_SATURATION + 1) / (often + _SATURATION)
    scores = np.zeros(len(at.pool))
    scores[places] = np.bincount(both // len(chosen.keys), values, len(places))
    return scores


@dataclass(frozen=True, eq=False)
class _TopicPairs:
    keys: Ints
    """Ascending."""
    ranks: Ints
    """Their places in the order of the text, in which values are summed: term numbers depend on what was read."""
    weights: Floats
    """What an occurrence of each is worth, in the order of the text."""

    def find(self, lists: NumberLists) -> tuple[Ints, Ints]:
        """The documents and ranks of the pairs that lists have of these, each occurrence."""
        places = np.minimum(np.searchsorted(self.keys, lists.items), len(self.keys) - 1)
        matched = self.keys[places] == lists.items
        return lists.owners[matched], self.ranks[places[matched]]


def _choose_pairs(at: Evidence, reader: PairReader, patent: Patent, most: int) -> _TopicPairs:
    """The heaviest pairs of a topic; of equally heavy ones, those that come first in the text."""
    keys, first, counts = np.unique(reader.topic(patent), return_index=True, return_counts=True)
    used, places = np.unique(np.concatenate((keys >> BITS, keys & ((1 << BITS) - 1))), return_inverse=True)
    statistics = at.index.statistics(at.task.language)
    df = statistics.frequencies([reader.names[number] for number in used.tolist()]).documents
    rarity = np.log((statistics.documents + 1) / np.maximum(df, 1))[places].reshape(2, -1).sum(axis=0)
    order = np.lexsort((first, -np.log1p(counts) * rarity))[:most]
    chosen = order[np.argsort(first[order])]
    ascending = np.argsort(chosen)
    return _TopicPairs(keys[chosen[ascending]], ascending, np.sqrt(counts[chosen]) * rarity[chosen])


class PairReader:
    """Reads the pairs of terms of texts; those of documents once. May be used from several threads."""

    def __init__(self, index: Engine, language: str) -> None:
        self.index, self.language = index, language
        self.analyzer = index.analyzer(language)
        self.words = WordTable(self.analyzer.profile.longest)
        self.term_of = np.zeros(0, np.int64)
        """The number of the term of each word, in the order of the table."""
        self.number: dict[str, int] = {}
        self.names: list[str] = []
        """The terms by their numbers."""
        self.lock = threading.Lock()
        self.cache = ListCache(index.size)

    def documents(self, documents: Ints) -> NumberLists:
        return self.cache.lists(documents, lambda missing: NumberLists.of(self._learn(missing)))

    def _learn(self, documents: Ints) -> Iterator[Ints]:
        """The pairs of documents, which ascend, from their stored texts."""
        fields = self.index.settings["fields"]
        patents = self.index.records(documents.tolist())
        yield from self.read([indexed_text(patent, filed_under(patent, self.language), fields) for patent in patents])

    def topic(self, patent: Patent) -> Ints:
        """The pairs of a topic: of the text that a query is made of by default, patent numbers masked."""
        text = text_for(patent, DESCRIPTION, filed_under(patent, self.language))[0]
        return self.read([mask_numbers(text, self.language).encode("utf-8", "replace")])[0]

    def read(self, texts: Sequence[bytes]) -> list[Ints]:
        """The pairs of neighbouring terms of each text, as often as they occur; stop words between them are skipped."""
        with self.lock:
            parts = [np.zeros(0, np.uint32)]
            for words, new in self.words.scan(texts):
                if new:
                    self._learn_words(new)
                parts.append(self.words.ids[:words].copy())
            ids = np.concatenate(parts)
            ends = ids == ENDS
            numbers = np.full(len(ids), _END, np.int64)
            numbers[~ends] = self.term_of[ids[~ends]]
        kept = numbers[numbers != _STOP]
        first, second = kept[:-1], kept[1:]
        pair = (first >= 0) & (second >= 0)
        owners = np.cumsum(kept == _END)[:-1][pair]
        sizes = np.bincount(owners, minlength=len(texts))
        return np.split((first << BITS | second)[pair], np.cumsum(sizes)[:-1])[: len(texts)]

    def _learn_words(self, words: str) -> None:
        """Add new words, each ended by a newline."""
        terms = self.analyzer.resolve_lines(words).split("\n")[:-1]
        new = [term for term in dict.fromkeys(terms) if term and term not in self.number]
        self.number.update(zip(new, range(len(self.names), len(self.names) + len(new)), strict=True))
        self.names += new
        numbers = [self.number[term] if term else _STOP for term in terms]
        self.term_of = np.concatenate((self.term_of, np.array(numbers, np.int64)))


def _pair_reader(index: Engine, language: str) -> PairReader:
    readers: dict[str, PairReader] = index.cache.setdefault(_CACHE_KEY, {})
    return readers.get(language) or readers.setdefault(language, PairReader(index, language))
