"""What is shown of a document that a search found, and why it is there: header, shares of the terms, passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from antecede.conditions.filters import WHERE
from antecede.engine import Engine, read_headers, read_record
from antecede.fusion import DEFAULT_FUSION, FUSIONS
from antecede.patent import PatentNumber
from antecede.patent.bibliography import Bibliography
from antecede.patent.offices import publication_year
from antecede.search.passages import Passages, emphasize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antecede.conditions.tree import Node
    from antecede.engine import DocumentHeader, Numbers
    from antecede.models import Model
    from antecede.query import Query
    from antecede.search.hits import Ranking
    from antecede.search.passages import Passage
    from antecede.search.results import SearchResult

HEADERS = 50
"""The number of documents whose headers are read together: a person reads one page, a file has all."""
_MAX_TITLE = 60
"""The terms of the longest title: a document with more has another text."""
REASONS = 10
"""The number of terms that a hit shows unless a full explanation is requested."""


def count_titles_alone(index: Engine, numbers: Numbers | None = None) -> int:
    """How many of some documents, or of all, have no text but a title, so that they are ranked by it alone."""
    numbers = index.all_numbers() if numbers is None else numbers
    lengths = np.max([index.lengths(numbers, language) for language in index.languages], axis=0, initial=0)
    short = numbers[(lengths > 0) & (lengths <= _MAX_TITLE)]
    return sum(patent.has_title_alone for patent in index.records(short.tolist()))


@dataclass(frozen=True)
class Hit:
    """A document found, with what a list shows of it and why it is there."""

    rank: int
    doc_id: str
    score: float
    title: str
    date: str | None
    ipc: tuple[str, ...]
    why: tuple[Share, ...]
    """The contribution of each term, the largest first."""
    more: int = 0
    """Terms that `why` leaves out."""
    passages: tuple[Passage, ...] = ()
    claims: tuple[tuple[str, Passage | None], ...] = ()
    """Each claim of the topic, with the passage that fits it best."""
    features: tuple[FeatureShare, ...] = ()
    """The contribution of each feature in a ranking by evidence, in the order in which they add up to the score; `why`
    divides those of the text features among the terms."""
    cited: bool = False
    """Whether it is ranked first because the topic names it; its score is not comparable with others then."""
    year: int | None = None
    """The year of publication in its number, where its date is not known."""
    bibliography: Bibliography | None = None
    """Only where it was asked for."""

    @property
    def date_text(self) -> str | None:
        """Its date, or else the year in its number."""
        return self.date or (str(self.year) if self.year is not None else None)

    @property
    def term_score(self) -> float:
        """What the contributions of all terms add up to: the score, or the part of it that the text features have."""
        return sum(feature.score for feature in self.features if feature.by_terms) if self.features else self.score

    def to_dict(self) -> dict[str, Any]:
        """The hit in a JSON-compatible form; passages only where they were requested."""
        names = ("rank", "doc_id", "score", "title", "date")
        plain: dict[str, Any] = {name: getattr(self, name) for name in names}
        plain |= {"ipc": list(self.ipc), "why": [each.to_dict() for each in self.why]}
        if self.features:
            plain["features"] = [{"feature": feature.feature, "score": feature.score} for feature in self.features]
        if self.bibliography is not None:
            plain |= self.bibliography.to_dict()
        if self.year is not None:
            plain["year"] = self.year
        if self.cited:
            plain["cited"] = True
        if self.passages:
            plain["passages"] = [passage.to_dict() for passage in self.passages]
        if self.claims:
            plain["claims"] = [{"claim": claim, "passage": best and best.to_dict()} for claim, best in self.claims]
        return plain


@dataclass(frozen=True)
class Share:
    """The contribution of one term; the term None denotes the part of the score that depends on the document alone."""

    term: str | None
    score: float
    word: str | None = None
    """The most frequent form of the term, if known."""

    def to_dict(self) -> dict[str, Any]:
        """The share in a JSON-compatible form."""
        word = {"word": self.word} if self.word is not None else {}
        return {"term": self.term, **word, "score": self.score}

    @property
    def name(self) -> str:
        """The term for people: a whole word."""
        return self.word or self.term or "(the document's length)"


@dataclass(frozen=True)
class FeatureShare:
    """What one feature adds in a ranking by evidence."""

    feature: str
    score: float
    by_terms: bool
    """Whether it is a feature of the text, whose share the terms divide among them."""


def explain(engine: Engine, query: Query, number: int, model: Model | str = "bm25") -> list[Share]:
    """The shares of the query terms in the score of a document, in the order of the query.

    They are the same 32-bit numbers that the search added, so adding them in this order gives exactly the score: see
    `sum_shares`.

    Args:
        engine: The index that was searched.
        query: The query that was searched.
        number: The document, by its number: `hits.numbers[0]` is the best one.
        model: The ranking model.
    """
    terms, impacts, document = engine.impacts(query, number, model)
    scores = query.weights.astype(np.float32)[terms] * impacts
    shares = [Share(query.terms[at], score) for at, score in zip(terms.tolist(), scores.tolist(), strict=True)]
    if document is not None:
        shares.append(Share(None, float(document * np.float32(query.weights.sum()))))
    return shares


def sum_shares(shares: Iterable[Share | FeatureShare]) -> float:
    """The sum of shares, as the search adds: sequentially, in 32 bits."""
    score = np.float32(0)
    for share in shares:
        score = np.float32(score + np.float32(share.score))
    return float(score)


class HitDescriber:
    """Describes the documents found in one language; what all of them need is read once."""

    def __init__(self, result: SearchResult, ranking: Ranking, queries: tuple[Query, ...]) -> None:
        self.result, self.found, self.queries = result, ranking, queries
        self.headers: dict[int, list[DocumentHeader]] = {}
        self.words: dict[str | None, str] = {
            term: word for query in queries for term, word in zip(query.terms, query.words, strict=False)
        }

    def hit(self, final_rank: int, rank: int, score: float) -> Hit:
        """The document at a rank of this ranking, at its rank in the final one, where it has a score."""
        result, header = self.result, self.header(rank)
        features = self.feature_shares(rank, score)
        order = sorted(self.shares(rank, score, features), key=lambda share: (-abs(share.score), share.term or ""))
        why = order if result.explain else order[:REASONS]
        number = PatentNumber.parse_name(header.doc_id) if header.day is None else None
        hit = Hit(
            final_rank,
            header.doc_id,
            score,
            header.title,
            header.day,
            header.ipc,
            tuple(replace(share, word=self.words.get(share.term)) for share in why),
            len(order) - len(why),
            features=features,
            cited=rank <= self.found.cited,
            year=publication_year(number.key) if number is not None else None,
        )
        if not (result.passages or result.claims or result.bibliography):
            return hit
        patent = read_record(self.result.index, int(self.found.numbers[rank - 1]))
        hit = replace(hit, bibliography=Bibliography.of(patent) if result.bibliography else None)
        if not (result.passages or result.claims):
            return hit
        passages = Passages(result.index, patent, self.queries[0].language)
        claims = passages.match_claims(result.patent) if result.claims and result.patent is not None else ()
        best = passages.find_best(self.sought, result.passages, self.expression)
        return replace(hit, passages=tuple(best), claims=tuple(claims))

    @cached_property
    def expression(self) -> Node | None:
        """The expression that the documents meet, if one was given."""
        return next((condition.node for condition in self.result.ranker.conditions if condition.name == WHERE), None)

    @cached_property
    def sought(self) -> Query:
        """What passages are chosen by: the query, and above all the words of the expression."""
        query, node = self.queries[0], self.expression
        return query if node is None else emphasize(query, node, self.result.index.analyzer(query.language))

    def header(self, rank: int) -> DocumentHeader:
        """What a list shows of the document at a rank of this ranking; neighbours are read together."""
        block, at = divmod(rank - 1, HEADERS)
        if block not in self.headers:
            self.headers[block] = read_headers(
                self.result.index, self.found.numbers[HEADERS * block : HEADERS * (block + 1)]
            )
        return self.headers[block][at]

    def feature_shares(self, rank: int, score: float) -> tuple[FeatureShare, ...]:
        """The contribution of each feature in a ranking by evidence; they add up to the score.

        Where a boost or a fusion of languages changed the score, all shares change in proportion.
        """
        evidence = self.found.evidence
        if evidence is None or rank <= self.found.cited:
            return ()
        column = self.columns[int(self.found.numbers[rank - 1])]
        shares = [
            FeatureShare(name, share, by_terms)
            for (name, by_terms), share in zip(evidence.features, evidence.shares[:, column].tolist(), strict=True)
        ]
        added = sum_shares(shares)
        scale = 1.0 if added == score or added <= 0 else score / added
        return tuple(shares if scale == 1.0 else (replace(each, score=each.score * scale) for each in shares))

    @cached_property
    def columns(self) -> dict[int, int]:
        evidence = self.found.evidence
        numbers = evidence.candidates.numbers.tolist() if evidence is not None else []
        return {number: at for at, number in enumerate(numbers)}

    def shares(self, rank: int, score: float, features: tuple[FeatureShare, ...]) -> list[Share]:
        """The contribution of each term; they add up to the score, or to that of the text features.

        Where a boost or a fusion changed the score, all shares change in proportion. A document that is ranked first
        because the topic names it owes its score to no term.
        """
        if rank <= self.found.cited:
            return []
        shares = self._fused_shares(rank) if len(self.found.by_query) > 1 else self._query_shares(0, rank)
        added = sum_shares(shares)
        total = sum(feature.score for feature in features if feature.by_terms) if features else score
        if added == total:
            return shares
        if added <= 0:  # fused ranks of a model whose scores may be negative, or no term at all: shares mean nothing
            return []
        return [Share(share.term, share.score * total / added) for share in shares]

    def _query_shares(self, at: int, rank: int) -> list[Share]:
        return explain(self.result.index, self.queries[at], int(self.found.numbers[rank - 1]), self.found.models[at])

    def _fused_shares(self, rank: int) -> list[Share]:
        """The contribution of each term over all methods: each method's vote is divided among its terms."""
        fusion = FUSIONS[self.result.ranker.settings.fusion or DEFAULT_FUSION]
        documents = len(np.unique(np.concatenate([each.numbers for each in self.found.by_query])))
        votes = fusion.vote([each.scores for each in self.found.by_query], documents)
        document = self.found.numbers[rank - 1]
        sums: dict[str | None, float] = {}
        for at, hits in enumerate(self.found.by_query):
            ranks = np.flatnonzero(hits.numbers == document)
            shares = self._query_shares(at, rank)
            added = sum_shares(shares)
            if not len(ranks) or added <= 0:
                continue
            for share in shares:
                part = share.score * float(votes[at][ranks[0]]) / added
                sums[share.term] = sums.get(share.term, 0.0) + part
        return [Share(term, score) for term, score in sums.items()]
