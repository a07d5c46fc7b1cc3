"""The query of a case: its state as the user edited it, the settings it means, its terms as chips, its expression."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Literal

from antecede.conditions.filters import Filters, condition_on
from antecede.conditions.parser import ExpressionError, parse_expression
from antecede.conditions.tree import And, Not, Or
from antecede.errors import UsageError, shown
from antecede.parallel import time_limited
from antecede.query.query import find_words
from antecede.query.topic import patent_text
from antecede.review.store import EMPTY_STATE
from antecede.search.pipeline import Ranker
from antecede.search.settings import SearchSettings
from antecede.text.analyzer import find_words as split_words
from antecede.web import answers
from antecede.web.requests import ExpressionRequest, Phrase, QueryState, TermEdit, WordsRequest, given_settings
from antecede.web.workbench import OpenCase, route

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from antecede.conditions.tree import Node
    from antecede.engine import Engine
    from antecede.review.store import SearchRow
    from antecede.search.query_sets import QuerySet


class NothingToDoError(UsageError):
    """The state of the case does not allow it yet."""


DEPTH = 1000
"""Documents that a search retrieves."""
EXPRESSION_SECONDS = 10.0
"""The time in which the expressions of a request must be evaluated."""
MOST_PARTS = 30
"""Parts of an expression that are counted."""


def make_settings(
    index: Engine, state: QueryState, *, relevant: Iterable[str] = (), irrelevant: Iterable[str] = ()
) -> SearchSettings:
    given = given_settings(state)
    if not given.get("where"):  # sets are kept also while no expression names them
        given = {name: value for name, value in given.items() if name not in ("where", "sets")}
    given["must"] = [quote(each.words) for each in state.phrases if not each.off and not each.exclude]
    given["must_not"] = [quote(each.words) for each in state.phrases if not each.off and each.exclude]
    given["must_not"] += [excluded_word(index, each) for each in state.terms if each.exclude]
    return SearchSettings(**given, k=DEPTH, relevant=tuple(relevant), irrelevant=tuple(irrelevant))


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


def current_state(case: OpenCase) -> QueryState:
    return QueryState.model_validate(case.store.draft(case.id)[0])


def dump_state(state: QueryState) -> dict[str, Any]:
    """A state as it is stored: only what was given."""
    return {
        "settings": state.settings.model_dump(exclude_none=True),
        "filters": state.filters.model_dump(exclude_none=True),
        "terms": [each.model_dump() for each in state.terms],
        "phrases": [each.model_dump() for each in state.phrases],
        **({"set_names": state.set_names} if state.set_names else {}),
    }


@route("GET", "/query")
def get_query(case: OpenCase) -> answers.QueryView:
    """The current query with all its terms."""
    _, undo, redo = case.store.draft(case.id)
    state = current_state(case)
    settings = make_settings(case.index, state)
    ranker = Ranker(case.index, settings)
    query_sets = ranker.build_queries(case.topic)
    languages = list(dict.fromkeys(each.language for each in query_sets))
    with time_limited(EXPRESSION_SECONDS):
        coverage = case.index.select(ranker.filters(case.topic)).coverage(languages)
    edits = {(each.language, each.term): each for each in state.terms}
    return answers.QueryView(
        state=state,
        terms=[chip for each in query_sets for chip in term_chips(case, each, edits)],
        phrases=state.phrases,
        language=languages[0] if languages else "",
        languages=languages,
        fields=list(query_sets[0].fields) if query_sets else [],
        method="auto" if settings.evidence is not None and not settings.describes_search else settings.method[0],
        undo=undo,
        redo=redo,
        documents=answers.DocumentCounts(**coverage.to_dict()),
        notes=list(dict.fromkeys(note for each in query_sets for note in each.notes)),
    )


@route("PUT", "/query")
def put_query(state: QueryState, case: OpenCase) -> answers.QueryView:
    """Change the query; one step that can be undone."""
    seen: set[tuple[str, str]] = set()
    for edit in state.terms:
        if (place := (edit.language, edit.term)) in seen:
            raise UsageError(f"term {shown(edit.term)!r} occurs twice")
        seen.add(place)
    settings = make_settings(case.index, state)
    Ranker(case.index, settings).build_queries(case.topic, make_edits(state))  # a state that cannot be searched is none
    case.store.put_draft(case.id, dump_state(state))
    return get_query(case)


@route("POST", "/query/words")
def post_words(asked: WordsRequest, case: OpenCase) -> answers.QueryView:
    """Add a word, or a phrase that must occur, to the query."""
    state, words = current_state(case), asked.words
    if len(list(split_words(words))) != 1:
        phrase = Phrase(words=" ".join(words.replace('"', " ").split()) or words)
        others = [each for each in state.phrases if each.words.lower() != phrase.words.lower()]
        return put_query(state.model_copy(update={"phrases": [*others, phrase]}), case)
    added: list[TermEdit] = []
    for query_set in Ranker(case.index, make_settings(case.index, state)).build_queries(case.topic):
        query, language = query_set.queries[0], query_set.language
        for term in case.index.analyzer(language).terms(words)[:1]:
            weight = asked.weight if asked.weight is not None else max(query.weights.tolist(), default=1.0)
            new = term not in query.terms
            added.append(TermEdit(term=term, language=language, word=words.strip(), weight=weight, added=new))
    if not added:
        raise UsageError(f"{shown(words)!r} is a function word or too short; it is not searched for")
    places = {(each.language, each.term) for each in added}
    kept = [each for each in state.terms if (each.language, each.term) not in places]
    return put_query(state.model_copy(update={"terms": [*kept, *added]}), case)


def term_chips(
    case: OpenCase, query_set: QuerySet, edits: Mapping[tuple[str, str], TermEdit]
) -> Iterator[answers.TermView]:
    """The terms that the user added to a query of one language, then its own."""
    query, language = query_set.queries[0], query_set.language
    base = dict(zip(query.terms, query.weights.tolist(), strict=True))
    added = [each.term for (of, term), each in edits.items() if of == language and term not in base]
    terms = [*added, *query.terms]
    words = find_words(case.index, language, terms, [patent_text(case.topic, language)])
    df = case.index.statistics(language).frequencies(terms).documents.tolist()
    counts = dict(zip(query.terms, query.counts, strict=False))
    for term, word, often in zip(terms, words, df, strict=True):
        edit = edits.get((language, term)) or TermEdit.model_construct(term=term)
        yield answers.TermView(
            term=term,
            word=edit.word if edit.added and edit.word else word,
            language=language,
            weight=edit.weight if edit.weight is not None else base.get(term, 1.0),
            base=base.get(term),
            df=often,
            count=counts.get(term, 0),
            off=edit.off,
            exclude=edit.exclude,
            added=term not in base,
            edited=(language, term) in edits,
        )


# The Boolean expression, while it is written


@route("POST", "/query/expression", long=True)
def post_expression(asked: ExpressionRequest, case: OpenCase) -> answers.ExpressionView:
    """Count the documents that meet an expression, and each of its parts."""
    try:
        sets = [parse_expression(text, asked.sets[:number]) for number, text in enumerate(asked.sets)]
        node = parse_expression(asked.where, asked.sets) if asked.where.strip() else None
    except ExpressionError as error:
        problem = answers.ExpressionProblem(what=error.what, place=error.place, text=error.text)
        return answers.ExpressionView(problem=problem)
    with time_limited(EXPRESSION_SECONDS):
        return answers.ExpressionView(
            documents=count_meeting(case.index, node) if node is not None else None,
            parts=[*islice(describe_parts(case.index, node), MOST_PARTS)] if node is not None else [],
            sets=[count_meeting(case.index, each) for each in sets],
        )


def expression_of(search: SearchRow | None) -> Node | None:
    """The expression that the documents of a search meet, if it has one."""
    settings = search.settings if search is not None else {}
    where = settings.get("where")
    return parse_expression(where, settings.get("sets") or ()) if where else None


def describe_parts(index: Engine, node: Node, depth: int = 0) -> Iterator[answers.ExpressionPart]:
    """The parts that AND, OR and NOT join, with their documents.

    Where all must be met, the first part that leaves none is the one that empties the result.
    """
    members = node.members if isinstance(node, And | Or) else (node,)
    for number, part in enumerate(members, 1):
        left = count_meeting(index, And(members[:number])) if isinstance(node, And) else None
        yield answers.ExpressionPart(text=str(part), documents=count_meeting(index, part), depth=depth, left=left)
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, And | Or):
            yield from describe_parts(index, inner, depth + 1)


def count_meeting(index: Engine, node: Node) -> int:
    return index.select(Filters(others=(condition_on(index, node),))).coverage(()).passed


# After the routes with names of their own, which this one would take for steps


@route("POST", "/query/{step}")
def post_step(step: Literal["undo", "redo", "reset"], case: OpenCase) -> answers.QueryView:
    """Undo or redo a change of the query, or restore the query that the topic gives."""
    if step == "reset":
        case.store.put_draft(case.id, EMPTY_STATE)
    elif not case.store.step_draft(case.id, -1 if step == "undo" else 1):
        raise NothingToDoError(f"there is nothing to {step}")
    return get_query(case)
