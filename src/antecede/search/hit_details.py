"""The details of a hit: its header, the shares of the terms, the best passages, and the best passage for each claim."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from antecede.fusion import DEFAULT_FUSION, FUSIONS
from antecede.patent import PatentNumber
from antecede.patent.offices import publication_year
from antecede.search.explain import FeatureShare, Share, explain, sum_shares
from antecede.search.passages import Passages
from antecede.search.results import Bibliography, Hit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from antecede.index.documents import DocumentHeader
    from antecede.search.fusion import Place
    from antecede.search.pipeline import LanguageRanking, Ranker, Ranking
    from antecede.search.results import Details

HEADERS = 50
"""The number of documents whose headers are read together: a person reads one page, a file has all."""
REASONS = 10
"""The number of terms that a hit shows unless a full explanation is requested."""


def describe_hits(
    ranker: Ranker, ranking: Ranking, details: Details, ranks: Iterable[int] | None = None
) -> Iterator[Hit]:
    """The hits of a ranking, each as found in the language in which it ranks highest; all, or those at some ranks."""
    yield from map(
        RankingDescriber(ranker, ranking, details).hit,
        ranks if ranks is not None else range(1, len(ranking.places) + 1),
    )


class RankingDescriber:
    """Describes the documents of a ranking; what all of them need is read once."""

    def __init__(self, ranker: Ranker, ranking: Ranking, details: Details) -> None:
        self.places = ranking.places
        self.languages = [HitDescriber(ranker, ranking, each, details) for each in ranking.languages]

    def hit(self, rank: int) -> Hit:
        """The document at a rank."""
        place = self.places[rank - 1]
        return self.languages[place.language].hit(rank, place)


class HitDescriber:
    """Describes the documents found in one language."""

    def __init__(self, ranker: Ranker, ranking: Ranking, found: LanguageRanking, details: Details) -> None:
        self.ranker, self.ranking, self.found, self.details = ranker, ranking, found, details
        self.headers: dict[int, list[DocumentHeader]] = {}
        self.words: dict[str | None, str] = {
            term: word
            for query in found.query_set.queries
            for term, word in zip(query.terms, query.words, strict=False)
        }
        self.reading = bool(details.passages or details.claims)

    def hit(self, rank: int, place: Place) -> Hit:
        """The document at a place of this ranking, at its rank in the final one."""
        header = self.header(place.rank)
        cited = place.rank <= self.found.cited
        features = self.feature_shares(place)
        order = sorted(self.shares(place, features), key=lambda share: (-abs(share.score), share.term or ""))
        why = order if self.details.explain else order[:REASONS]
        hit = Hit(
            rank,
            header.doc_id,
            place.score,
            header.title,
            header.day,
            header.ipc,
            tuple(replace(share, word=self.words.get(share.term)) for share in why),
            len(order) - len(why),
            features=features,
            cited=cited,
            year=year_of(header.doc_id) if header.day is None else None,
        )
        if not self.reading and not self.details.bibliography:
            return hit
        patent = self.found.hits.patent(place.rank)
        if self.details.bibliography:
            hit = replace(hit, bibliography=Bibliography.of(patent))
        if not self.reading:
            return hit
        language, topic = self.found.query_set.language, self.ranking.topic
        passages = Passages(self.ranker.index, patent, language)
        claims = passages.match_claims(topic) if self.details.claims and topic is not None else ()
        best = passages.find_best(self.found.query_set.queries[0], self.details.passages)
        return replace(hit, passages=tuple(best), claims=tuple(claims))

    def header(self, rank: int) -> DocumentHeader:
        """What a list shows of the document at a rank of this ranking; neighbours are read together."""
        block, at = divmod(rank - 1, HEADERS)
        if block not in self.headers:
            self.headers[block] = self.found.hits.headers(HEADERS * block, HEADERS * (block + 1))
        return self.headers[block][at]

    def feature_shares(self, place: Place) -> tuple[FeatureShare, ...]:
        """The contribution of each feature in a ranking by evidence; they add up to the score.

        Where a boost or a fusion of languages changed the score, all shares change in proportion.
        """
        evidence = self.found.evidence
        if evidence is None or place.rank <= self.found.cited:
            return ()
        column = self.columns[tuple(self.found.hits.places[place.rank - 1].tolist())]
        shares = [
            FeatureShare(name, score, by_terms)
            for (name, by_terms), score in zip(evidence.features, evidence.shares[:, column].tolist(), strict=True)
        ]
        added = sum_shares(shares)
        scale = 1.0 if added == place.score or added <= 0 else place.score / added
        return tuple(shares if scale == 1.0 else (replace(each, score=each.score * scale) for each in shares))

    @cached_property
    def columns(self) -> dict[tuple[int, ...], int]:
        """The position of each document in the ranking by evidence, before others were ranked first."""
        evidence = self.found.evidence
        places = evidence.candidates.places.tolist() if evidence is not None else []
        return {tuple(place): at for at, place in enumerate(places)}

    def shares(self, place: Place, features: tuple[FeatureShare, ...]) -> list[Share]:
        """The contribution of each term; they add up to the score, or to that of the text features.

        Where a boost or a fusion changed the score, all shares change in proportion. A document that is ranked first
        because the topic names it owes its score to no term.
        """
        if place.rank <= self.found.cited:
            return []
        shares = self.fused_shares(place) if len(self.found.rankings) > 1 else self.query_shares(0, place)
        added = sum_shares(shares)
        score = sum(each.score for each in features if each.by_terms) if features else place.score
        if added == score:
            return shares
        if added <= 0:  # fused ranks of a model whose scores may be negative, or no term at all: shares mean nothing
            return []
        return [Share(each.term, each.score * score / added) for each in shares]

    def query_shares(self, number: int, place: Place) -> list[Share]:
        """The contribution of each term of one of the queries to its score for a document."""
        return explain(self.ranker.searcher, self.found.query_set.queries[number], self.found.hits, place.rank)

    def fused_shares(self, place: Place) -> list[Share]:
        """The contribution of each term over all methods: each method's vote is divided among its terms."""
        fusion = FUSIONS[self.ranker.settings.fusion or DEFAULT_FUSION]
        documents = len({tuple(place) for each in self.found.rankings for place in each.places.tolist()})
        votes = fusion.vote([each.scores for each in self.found.rankings], documents)
        document = self.found.hits.places[place.rank - 1]
        sums: dict[str | None, float] = {}
        for number, hits in enumerate(self.found.rankings):
            ranks = np.flatnonzero((hits.places == document).all(axis=1))
            shares = self.query_shares(number, place)
            added = sum_shares(shares)
            if not len(ranks) or added <= 0:
                continue
            for share in shares:
                part = share.score * float(votes[number][ranks[0]]) / added
                sums[share.term] = sums.get(share.term, 0.0) + part
        return [Share(term, score) for term, score in sums.items()]


def year_of(doc_id: str) -> int | None:
    """The year of publication in a document's number, if there is one."""
    number = PatentNumber.parse_name(doc_id)
    return publication_year(number.key) if number is not None else None
