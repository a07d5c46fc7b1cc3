"""The query of a case: its state as its users edited it, the settings it means, its terms as chips, its expression."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from antecede.conditions.filters import PUBLISHED, Filters, condition_on
from antecede.conditions.parser import ExpressionError, parse_expression, phrase_of
from antecede.conditions.tree import And, Fact, Not, Or
from antecede.errors import UsageError, printable
from antecede.parallel import time_limited
from antecede.query.query import find_words, with_terms
from antecede.query.topic import patent_text
from antecede.review import views
from antecede.review.records import Phrase, QueryState, TermEdit, dump_state, given_settings
from antecede.review.search_history import DEPTH, EMPTY_STATE
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings
from antecede.text.analyzer import find_words as split_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from antecede.conditions.tree import Node
    from antecede.engine import Engine
    from antecede.patent import Patent
    from antecede.query.query import Query, QueryEdits
    from antecede.review.case import Review
    from antecede.review.search_history import SearchRow
    from antecede.search.query_sets import QuerySet


class NothingToDoError(UsageError):
    """The state of the case does not allow it yet."""


EXPRESSION_SECONDS = 10.0
"""The time in which the expressions of a request must be evaluated."""
MOST_PARTS = 30
"""Parts of an expression that are counted."""


def make_settings(
    index: Engine, state: QueryState, *, relevant: Iterable[str] = (), irrelevant: Iterable[str] = (), k: int = DEPTH
) -> SearchSettings:
    given = given_settings(state)
    given["must"] = [quote(each.words) for each in state.phrases if not each.off and not each.exclude]
    given["must_not"] = [quote(each.words) for each in state.phrases if not each.off and each.exclude]
    given["must_not"] += [excluded_word(index, each) for each in state.terms if each.exclude]
    return SearchSettings(**given, k=k, relevant=tuple(relevant), irrelevant=tuple(irrelevant))


def quote(words: str) -> str:
    """Words as a phrase; a single word is met by all its forms."""
    words = words.replace('"', " ").strip()
    return f'"{words}"' if len(words.split()) > 1 else words


def excluded_word(index: Engine, edit: TermEdit) -> str:
    """The word by which documents with a term are excluded: one whose term it is."""
    language = edit.language if edit.language in index.languages else ""
    analyzer = index.analyzer(language)
    return edit.word if edit.word and analyzer.terms(edit.word) == [edit.term] else edit.term


def make_edits(state: QueryState) -> dict[str, dict[str, float]]:
    """The weights of a state, by language: 0 for terms that are off or excluded."""
    edits: dict[str, dict[str, float]] = {}
    for edit in state.terms:
        weight = 0.0 if edit.off or edit.exclude else edit.weight
        if weight is not None:
            edits.setdefault(edit.language, {})[edit.term] = weight
    return edits


def current_state(review: Review) -> QueryState:
    return QueryState.model_validate(review.store.draft(review.id).state)


class OwnTerms(Ranker):
    """Ranks a topic by terms that are the whole query: what is learned from marks is edited as it is."""

    def build_queries(self, topic: Patent | Query | str | None, edits: QueryEdits | None = None) -> list[QuerySet]:
        """The queries of a topic in each language of the terms, whose weights are `edits`."""
        query_sets = []
        for query_set in self.query_sets(topic):
            weights = {term: weight for term, weight in (edits or {}).get(query_set.language, {}).items() if weight}
            if not weights:
                continue
            ordered = dict(sorted(weights.items(), key=lambda item: -item[1]))
            df = self.index.statistics(query_set.language).frequencies([*ordered]).documents.tolist()
            own = with_terms(query_set.queries[0], ordered, dict(zip(ordered, df, strict=True)))
            queries, evidence = tuple(own for _ in query_set.queries), query_set.evidence and own
            query_sets.append(replace(query_set, queries=queries, evidence=evidence))
        if not query_sets:
            raise UsageError("no term of the query is left; switch one on, or add a word")
        return query_sets


def make_ranker(index: Engine, state: QueryState, settings: SearchSettings) -> Ranker:
    return OwnTerms(index, settings) if state.own else Ranker(index, settings)


def build_queries(review: Review, state: QueryState) -> list[QuerySet]:
    """The queries of a state: before its edits, unless its terms are its own."""
    edits = make_edits(state) if state.own else None
    return make_ranker(review.index, state, make_settings(review.index, state)).build_queries(review.topic, edits)


def view_query(review: Review) -> views.QueryView:
    """The current query with all its terms."""
    draft, state = review.store.draft(review.id), current_state(review)
    settings = make_settings(review.index, state)
    query_sets = build_queries(review, state)
    languages = list(dict.fromkeys(query_set.language for query_set in query_sets))
    with time_limited(EXPRESSION_SECONDS):
        filters = Ranker(review.index, settings).filters(review.topic)
        coverage = review.index.select(filters).coverage(languages)
    return views.QueryView(
        state=state,
        terms=[chip for query_set in query_sets for chip in term_chips(review, query_set, state)],
        phrases=state.phrases,
        language=languages[0] if languages else "",
        languages=languages,
        fields=list(query_sets[0].fields) if query_sets else [],
        method="auto" if settings.evidence is not None and not settings.describes_search else settings.method[0],
        undo=draft.undo,
        redo=draft.redo,
        version=draft.version,
        documents=views.DocumentCounts(**coverage.to_dict()),
        notes=list(dict.fromkeys(note for query_set in query_sets for note in query_set.notes)),
    )


def put_query(review: Review, state: QueryState, seen: int) -> None:
    """Change the query that a user saw in a version; one step that can be undone."""
    terms: set[tuple[str, str]] = set()
    for edit in state.terms:
        if (place := (edit.language, edit.term)) in terms:
            raise UsageError(f"term {printable(edit.term)!r} occurs twice")
        terms.add(place)
    settings = make_settings(review.index, state)  # a state that cannot be searched is none
    make_ranker(review.index, state, settings).build_queries(review.topic, make_edits(state))
    review.store.put_draft(review.id, dump_state(state), review.user, seen)


def step_query(review: Review, step: Literal["undo", "redo", "reset"], seen: int) -> None:
    """Undo or redo a change of the query, or restore the query that the topic gives."""
    if step == "reset":
        review.store.put_draft(review.id, EMPTY_STATE, review.user, seen)
    elif not review.store.step_draft(review.id, -1 if step == "undo" else 1, review.user, seen):
        raise NothingToDoError(f"there is nothing to {step}")


# Words that are added


def describe_words(review: Review, words: str) -> views.WordsView:
    """What it would mean to add words to the query, and how many documents hold them."""
    words = _plain(words)
    terms = [*_find_terms(review, current_state(review), words)]
    with time_limited(EXPRESSION_SECONDS):
        documents = count_meeting(review.index, phrase_of(quote(words)))
        parts = [*dict.fromkeys(words.split())]
        unknown = [word for word in parts if documents == 0 and not count_meeting(review.index, phrase_of(word))]
    several = "each word counts by itself" if len(parts) > 1 else "documents with it rank higher"
    weight = f"as a term with a weight: {several}" if terms else "function words are not searched for by weight"
    must = f"must occur: {_number(documents)} of {_number(review.index.documents)} documents hold it"
    return views.WordsView(
        words=words,
        documents=documents,
        unknown=unknown,
        weight=views.Meaning(possible=bool(terms), says=weight),
        must=views.Meaning(possible=documents > 0, says=must),
    )


def add_words(review: Review, words: str, *, must: bool, weight: float | None, seen: int) -> str:
    """Add words to the query, as terms with a weight or as what must occur; returns what was done, in words."""
    state, words = current_state(review), _plain(words)
    if must:
        others = [phrase for phrase in state.phrases if phrase.words.lower() != words.lower()]
        change: dict[str, object] = {"phrases": [*others, Phrase(words=words)]}
    else:
        added = [*_find_terms(review, state, words, weight)]
        if not added:
            raise UsageError(f"{printable(words)!r} is a function word or too short; it is not searched for")
        places = {(edit.language, edit.term) for edit in added}
        change = {"terms": [*(edit for edit in state.terms if (edit.language, edit.term) not in places), *added]}
    put_query(review, state.model_copy(update=change), seen)
    view = describe_words(review, words)
    if view.unknown:
        return f"{', '.join(map(printable, view.unknown))}: no document holds it"
    how = "must occur" if must else "added with a weight"
    return f"{printable(words)} {how}; {_number(view.documents)} documents hold it"


def _plain(words: str) -> str:
    plain = " ".join(words.replace('"', " ").split())
    if not any(map(str.isalnum, plain)):
        raise UsageError(f"there is no word in {printable(words)!r}")
    return plain


def _number(count: int) -> str:
    return f"{count:,}" if count else "no"


def _find_terms(review: Review, state: QueryState, words: str, weight: float | None = None) -> Iterator[TermEdit]:
    """The terms of words in each language of the query; a word without a weight gets the largest."""
    for query_set in build_queries(review, state):
        query, language = query_set.queries[0], query_set.language
        largest, terms = max(query.weights.tolist(), default=1.0), set()
        for start, end in split_words(words):
            word = words[start:end]
            for term in review.index.analyzer(language).terms(word)[:1]:
                if term not in terms:
                    terms.add(term)
                    new = term not in query.terms
                    value = weight if weight is not None else largest
                    yield TermEdit(term=term, language=language, word=word, weight=value, added=new)


def name_terms(review: Review, query: Query) -> list[str]:
    """A word for each term of a query."""
    return find_words(review.index, query.language, query.terms, [patent_text(review.topic, query.language)])


def term_chips(review: Review, query_set: QuerySet, state: QueryState) -> Iterator[views.TermView]:
    """The terms that the user added to a query of one language, then its own."""
    query, language = query_set.queries[0], query_set.language
    edits = {edit.term: edit for edit in state.terms if edit.language == language}
    base = {} if state.own else dict(zip(query.terms, query.weights.tolist(), strict=True))
    terms = [*(term for term in edits if term not in base), *base]
    words = find_words(review.index, language, terms, [patent_text(review.topic, language)])
    df = review.index.statistics(language).frequencies(terms).documents.tolist()
    counts = dict(zip(query.terms, query.counts, strict=False))
    for term, word, often in zip(terms, words, df, strict=True):
        edit = edits.get(term) or TermEdit.model_construct(term=term)
        yield views.TermView(
            term=term,
            word=edit.word if edit.word and term not in base else word,
            language=language,
            weight=edit.weight if edit.weight is not None else base.get(term, 1.0),
            base=base.get(term),
            df=often,
            count=counts.get(term, 0),
            off=edit.off,
            exclude=edit.exclude,
            added=edit.added if state.own else term not in base,
            edited=term in edits,
        )


def count_expression(review: Review, where: str, written_sets: Sequence[str]) -> views.ExpressionView:
    """Count the documents that meet an expression, and each of its parts."""
    try:
        sets = [parse_expression(text, written_sets[:number]) for number, text in enumerate(written_sets)]
        node = parse_expression(where, written_sets) if where.strip() else None
    except ExpressionError as error:
        problem = views.ExpressionProblem(what=error.what, place=error.place, text=error.text)
        return views.ExpressionView(problem=problem)
    with time_limited(EXPRESSION_SECONDS):
        return views.ExpressionView(
            documents=count_meeting(review.index, node) if node is not None else None,
            parts=[*islice(describe_parts(review.index, node), MOST_PARTS)] if node is not None else [],
            sets=[count_meeting(review.index, each) for each in sets],
            unpublished=count_unpublished(review.index, node) if node is not None else 0,
        )


def expression_of(search: SearchRow | None) -> Node | None:
    """The expression that the documents of a search meet, if it has one."""
    where, sets = search.expression if search is not None else (None, ())
    return parse_expression(where, sets) if where else None


def describe_parts(index: Engine, node: Node, depth: int = 0) -> Iterator[views.ExpressionPart]:
    """The parts that AND, OR and NOT join, with their documents.

    Where all must be met, the first part that leaves none is the one that empties the result.
    """
    members = node.members if isinstance(node, And | Or) else (node,)
    for number, part in enumerate(members, 1):
        left = count_meeting(index, And(members[:number])) if isinstance(node, And) else None
        yield views.ExpressionPart(text=str(part), documents=count_meeting(index, part), depth=depth, left=left)
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, And | Or):
            yield from describe_parts(index, inner, depth + 1)


def count_unpublished(index: Engine, node: Node) -> int:
    """The documents without a publication date, which an expression that names one does not find."""
    if not any(isinstance(part, Fact) and part.field == PUBLISHED for part in node.walk()):
        return 0
    return index.documents - count_meeting(index, Fact(PUBLISHED, ".."))


def count_meeting(index: Engine, node: Node) -> int:
    return index.select(Filters(others=(condition_on(index, node),))).coverage(()).passed
