"""The query methods again, slow and plain: dictionaries of counted terms, a formula at a time, no index."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from antecede.query.topic import make_topic
from antecede.text import Analyzer, split_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from antecede.patent import Patent

    Weights = dict[str, float]

ANALYZER = Analyzer("en")


class Plain:
    """A topic before a collection of patents that are not of its family."""

    def __init__(self, topic: Patent, patents: Iterable[Patent], fields: tuple[str, ...] = ("description",)) -> None:
        self.topic = topic
        self.others = [each for each in patents if not related(topic, each)]
        self.bags = {each.doc_id: bag for each in self.others if (bag := Counter(terms_of(each))) or has_text(each)}
        self.text = make_topic(topic, ANALYZER, "en", fields).text
        self.whole = Counter(ANALYZER.terms(self.text))
        self.length = sum(self.whole.values())
        self.df = Counter(term for bag in self.bags.values() for term in bag)
        self.cf: Counter[str] = Counter()
        for bag in self.bags.values():
            self.cf.update(bag)
        self.documents, self.tokens = len(self.bags), sum(self.cf.values())
        self.n = {term: count for term, count in self.whole.items() if self.df[term]}

    def full(self) -> Weights:
        return {t: float(n) for t, n in self.n.items()}

    def uft(self) -> Weights:
        repeated = {t: float(n) for t, n in self.n.items() if n > 1}
        return repeated or self.full()

    def tf(self) -> Weights:
        return {t: n / max(self.n.values()) for t, n in self.n.items()}

    def tfidf(self) -> Weights:
        return {t: n / max(self.n.values()) * math.log(self.documents / self.df[t]) for t, n in self.n.items()}

    def logtfidf(self) -> Weights:
        return {t: math.log(1 + n) * math.log((self.documents + 1) / self.df[t]) for t, n in self.n.items()}

    def bm25(self, k1: float = 1.2, b: float = 0.75, k3: float = 7.0) -> Weights:
        average = self.tokens / self.documents
        big_k = k1 * ((1 - b) + b * self.length / average)
        found = {}
        for t, n in self.n.items():
            w = math.log((self.documents - self.df[t] + 0.5) / (self.df[t] + 0.5))
            found[t] = w * ((k1 + 1) * n / (big_k + n)) * ((k3 + 1) * n / (k3 + n))
        return found

    def lm(self, lam: float = 0.1) -> Weights:
        found = {}
        for t, n in self.n.items():
            collection = self.cf[t] / self.tokens
            query = (1 - lam) * n / self.length + lam * collection
            found[t] = query * math.log(query / collection)
        total = sum(weight for weight in found.values() if weight > 0)
        return {t: weight / total for t, weight in found.items() if weight > 0}

    def lmipc(self, lam: float = 0.5, fewest: int = 50, rounds: int = 2) -> Weights:
        mates = self.same_class(fewest)
        own = self.lm()
        if not mates:
            return own
        probability = {d: 1 / len(mates) for d in mates}
        theta = self.theta(probability)
        for _ in range(rounds):
            worth = {
                d: max(
                    0.0,
                    sum(
                        n / sum(self.bags[d].values()) * log(theta[t] / (self.cf[t] / self.tokens))
                        for t, n in self.bags[d].items()
                    ),
                )
                for d in mates
            }
            if sum(worth.values()) <= 0:
                break
            probability = {d: value / sum(worth.values()) for d, value in worth.items()}
            theta = self.theta(probability)
        return {t: (1 - lam) * theta.get(t, 0.0) + lam * own.get(t, 0.0) for t in {*theta, *own}}

    def theta(self, probability: dict[str, float]) -> Weights:
        found: Weights = {}
        for d, p in probability.items():
            for t, n in self.bags[d].items():
                found[t] = found.get(t, 0.0) + n / sum(self.bags[d].values()) * p
        return found

    def same_class(self, fewest: int) -> list[str]:
        """Earlier documents that share a code: the very code, the main group, the subclass."""
        found: list[str] = []
        levels: list[Callable[[str], str]] = [str, lambda code: code.split("/")[0], lambda code: code[:4]]
        for cut in levels:
            own = {cut(code) for code in self.topic.ipc}
            found = [
                each.doc_id
                for each in self.others
                if own & {cut(code) for code in each.ipc} and self.earlier(each) and self.bags.get(each.doc_id)
            ]
            if len(found) >= fewest:
                break
        return found

    def earlier(self, other: Patent) -> bool:
        return self.topic.date is None or other.publication_date is None or other.publication_date < self.topic.date

    def qr(self, best: list[str], tau: float = 0.9, lam: float = 0.5) -> Weights:
        """`best` are the documents that the first search found."""
        spans = [self.text[start:end] for start, end in split_sentences(self.text, "en")]
        bags = [Counter(ANALYZER.terms(span)) for span in spans]
        scores = []
        for bag in bags:
            score = 0.0
            for d in best:
                for t, n in bag.items():
                    if self.df[t]:
                        p_d = self.bags[d][t] / sum(self.bags[d].values())
                        score += n * math.log(1 + lam * p_d / ((1 - lam) * self.cf[t] / self.tokens))
            scores.append(score)
        order = sorted(range(len(bags)), key=lambda at: (-round(scores[at], 9), at))
        kept = order[: math.ceil(tau * len(bags))]
        total: Counter[str] = Counter()
        for at in kept:
            total.update(bags[at])
        return {t: float(n) for t, n in total.items() if self.df[t]}


def log(value: float) -> float:
    """The logarithm, −∞ of 0."""
    return math.log(value) if value > 0 else -math.inf


def related(one: Patent, other: Patent) -> bool:
    """Whether two are one patent, or of one family."""
    return one.doc_id == other.doc_id or (one.family_id is not None and one.family_id == other.family_id)


def terms_of(patent: Patent) -> list[str]:
    """The terms of all its text in English."""
    parts = (patent.title, patent.abstract, patent.claims, patent.description)
    texts = (part.get("en", "") for part in parts)
    return ANALYZER.terms("\n".join(text if isinstance(text, str) else "\n".join(text) for text in texts))


def has_text(patent: Patent) -> bool:
    return any(part.get("en") for part in (patent.title, patent.abstract, patent.claims, patent.description))
