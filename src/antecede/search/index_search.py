"""A search of an index with a patent, a text or a query, shown with its details: the same on each engine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from antecede.errors import UsageError, shown
from antecede.index.index import Index
from antecede.patent import Patent
from antecede.query.query import with_words
from antecede.query.topic import filed_under, languages_of, patent_text
from antecede.ranges import PASSAGES
from antecede.search.coverage import measure_coverage
from antecede.search.hit_details import describe_hits
from antecede.search.pipeline import Ranker
from antecede.search.results import Details, SearchResult
from antecede.search.settings import ALL_LANGUAGES, accept_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from antecede.query import Query
    from antecede.search.coverage import Coverage
    from antecede.search.hits import Hits
    from antecede.search.pipeline import Ranking
    from antecede.search.settings import SearchSettings

MAX_NAMED = 5
"""The number of terms that a note names."""


class SearchableIndex(Index):
    """An index that can be searched."""

    @accept_settings
    def search(
        self,
        topic: Patent | Query | str,
        settings: SearchSettings | None = None,
        *,
        explain: bool = False,
        passages: int = 0,
        claims: bool = False,
        bibliography: bool = False,
    ) -> SearchResult:
        """Search for a patent, a query or a text: `antecede.search_index` on this index."""
        return search_index(
            self,
            topic,
            settings=settings,
            explain=explain,
            passages=passages,
            claims=claims,
            bibliography=bibliography,
        )


@accept_settings
def search_index(
    index: Index,
    topic: Patent | Query | str,
    settings: SearchSettings | None = None,
    *,
    explain: bool = False,
    passages: int = 0,
    claims: bool = False,
    bibliography: bool = False,
) -> SearchResult:
    """Search an index with a patent, a query or a text, and return hits with their details.

    A patent and its family are never retrieved for itself, nor are documents marked as `relevant` or `irrelevant`.

    Args:
        index: The index, from `open_index`.
        topic: A patent, a query, or a text.
        settings: Search settings together; each may also be given as a keyword argument.
        explain: List the share of every term in the score, not only the largest.
        passages: The number of best matching passages to return per hit.
        claims: Return the best matching passage for each claim of the patent.
        bibliography: Return applicants, inventors, dates, classes and links of each hit.
    """
    PASSAGES.check(passages, "the number of passages")
    details = Details(explain, passages, claims, bibliography)
    ranker = Ranker(index, settings)
    ranking = name_terms(ranker, ranker.rank(topic), topic)
    first = ranking.queries[0]
    if claims:
        check_claims(ranking.topic, first.language)
    languages = [each.query_set.language for each in ranking.languages]
    covered = measure_coverage(index, languages, ranking.filters)
    notes = [*ranking.notes, *describe_ranking(ranker, ranking)]
    if covered.unsearched:
        notes.append(covered.note() + suggest_languages(covered, topic, ranker.settings.language))
    notes += covered.date_notes()
    return SearchResult(
        ranking.topic_id,
        title_of(ranking.topic, first.language) if ranking.topic is not None else "",
        ranking.queries,
        describe_model(ranker, ranking),
        ranking.filters,
        tuple(describe_hits(ranker, ranking, details)),
        covered,
        tuple(dict.fromkeys(notes)),
        details,
        describe_evidence(ranker, ranking),
        ranking.certificate,
        ranking.work,
    )


def name_terms(ranker: Ranker, ranking: Ranking, topic: Patent | Query | str) -> Ranking:
    """The ranking with a word for each term of its queries."""
    extra = ranker.settings.with_words or ""
    languages = []
    for found in ranking.languages:
        language = found.query_set.language
        text = topic if isinstance(topic, str) else patent_text(ranking.topic, language) if ranking.topic else ""
        queries = (with_words(ranker.index, query, (text, extra)) for query in found.query_set.queries)
        languages.append(replace(found, query_set=replace(found.query_set, queries=tuple(queries))))
    return replace(ranking, languages=tuple(languages))


def describe_model(ranker: Ranker, ranking: Ranking) -> str:
    """The ranking model, or the features that rank."""
    names = [name for each in ranking.languages if each.evidence is not None for name in each.evidence.pool.features]
    return " + ".join(dict.fromkeys(names)) if names else ranker.settings.model


def describe_evidence(ranker: Ranker, ranking: Ranking) -> dict[str, Any] | None:
    """How documents are ranked by evidence, in a JSON-compatible form: weights, candidates and processor time."""
    found = [each for each in ranking.languages if each.evidence is not None]
    if not found:
        return None
    weights = {each.query_set.language: ranker.weights(each.query_set.language) for each in found}
    used = {language: each.to_dict()["weights"] for language, each in weights.items()}
    return {
        "weights": used if len(found) > 1 else next(iter(used.values())),
        "absent": {
            name: each.why for part in found if part.evidence for name, each in part.evidence.pool.absent.items()
        },
        "candidates": sum(len(each.evidence.pool.candidates) for each in found if each.evidence is not None),
        "milliseconds": ranking.feature_milliseconds,
    }


def suggest_languages(covered: Coverage, topic: Patent | Query | str, language: str | None) -> str:
    """How to cover the documents that were not searched, if there is a way."""
    if isinstance(topic, str) and language != ALL_LANGUAGES:
        return "; --language all searches them"
    if isinstance(topic, Patent) and language != ALL_LANGUAGES and {*languages_of(topic)} & {*covered.others}:
        return "; --language all searches in every language that the patent has text in"
    return ""


def check_claims(topic: Patent | None, language: str) -> None:
    """Refuse a search for passages for claims where the topic has none."""
    if topic is None or not topic.claims.get(filed_under(topic, language)):
        who = f"{topic.doc_id} has none in {language or 'it'}" if topic is not None else "none is searched with"
        raise UsageError(f"claims are those of a patent, in the language of the search: {who}")


def title_of(topic: Patent, language: str) -> str:
    """The title of a patent, in the language of the search if it has one."""
    return topic.title.get(language) or topic.title.get(topic.language) or next(iter(topic.title.values()), "")


def describe_ranking(ranker: Ranker, ranking: Ranking) -> Iterator[str]:
    """Notes on a ranking: terms without a match, filters that no document passes, cited documents."""
    for found in ranking.languages:
        where = f" of the search in {found.query_set.language or 'an unknown language'}"
        allowed = ranker.searcher.allowed_documents(found.query_set.language, ranking.filters)
        for query, hits in zip(found.query_set.queries, found.rankings, strict=True):
            yield from describe_query(ranker.index, query, hits, allowed, where if len(ranking.languages) > 1 else "")
    cited = sum(each.cited for each in ranking.languages)
    if cited:
        verb = "documents are" if cited > 1 else "document is"
        yield f"{cited} {verb} ranked first because the topic names {'them' if cited > 1 else 'it'} in its text"


def describe_query(index: Index, query: Query, hits: Hits, allowed: int, where: str) -> Iterator[str]:
    """Notes on one query."""
    if hits.unmatched:
        words = map(query.word_of, hits.unmatched[:MAX_NAMED])
        names = ", ".join(map(shown, words)) + (" …" if len(hits.unmatched) > MAX_NAMED else "")
        yield f"{len(hits.unmatched)} of {len(query)} terms{where} occur in no document: {names}"
        if known := known_forms(index, query.language, hits.unmatched):
            yield f"a query has the terms of the index: write {known}"
    if not allowed:
        yield "no document passes the filters (dates, classes, names, words; never the topic or its family)"
    elif not len(hits):
        yield f"no document that passes the filters has a term of the query{where}"


def known_forms(index: Index, language: str, words: Sequence[str]) -> str:
    """Words that the index has in another form, as in `rout for Routing`: an edited query may have the full word."""
    analyzer = index.analyzer(language)
    forms = {word: terms[0] for word in words if len(terms := analyzer.terms(word)) == 1 and terms[0] != word}
    df = index.statistics(language).frequencies(list(forms.values())).documents.tolist()
    known = [f"{shown(form)} for {shown(word)}" for (word, form), often in zip(forms.items(), df, strict=True) if often]
    return ", ".join(known[:3])
