"""Conditions as a cluster evaluates them: facts, expressions, and the filters of a search.

An expression means the sets of documents that a folder gives, from Lucene's own intervals. The words of each field are
a text of their own, in order: a word as written and its term at one place (`layout.py`). Lucene finds the shortest
intervals only, so it is asked for what these decide: phrases, and words or phrases near each other. Where NEAR is part
of NEAR, the documents with all the words are read (`MAX_READ` at most).
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from antecede.conditions.fields import DAYS, NAME, PREFIX, WORDS
from antecede.conditions.fields import FIELDS as FACT_FIELDS
from antecede.conditions.filters import DATE, PUBLISHED, UNKNOWN_DATE
from antecede.conditions.reading import read_in
from antecede.conditions.spans import TextSource, find_places, named_if_too_wide, needs_positions
from antecede.conditions.tree import And, Fact, InField, InLanguage, Near, Not, Or, Phrase, Truncation, Word
from antecede.conditions.values import name_key
from antecede.engine import EPOCH
from antecede.errors import UsageError, printable
from antecede.opensearch.layout import WORD_TERM, field_of, words_field
from antecede.parallel import counting_time, while_wanted
from antecede.patent import PatentNumber
from antecede.patent.texts import FIELDS, filed_under

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import date

    from antecede.conditions.filters import Filters
    from antecede.conditions.tree import Node
    from antecede.opensearch.engine import ClusterEngine
    from antecede.text.folding import Folding

Clause = dict[str, Any]
NO_DAY: Clause = {"bool": {"must_not": {"exists": {"field": "day"}}}}
MAX_READ = 20_000
"""Documents that are read at most to see whether they have a phrase."""
MAX_AUTOMATON = 10_000
"""The size of the largest automaton of a pattern; Lucene refuses those that take it ten times the work."""
MAX_EXPANSIONS = 1000
"""Words that a truncated word near another may stand for; a cluster allows 1,024 by default."""
MAX_CHOICES = 200
"""Combinations of phrases of OR that are near each other."""


def any_of(clauses: Iterable[Clause]) -> Clause:
    """Documents that meet one of some conditions; none if there are none, which a cluster would treat as no limit."""
    every = [*clauses]
    return {"bool": {"should": every, "minimum_should_match": 1}} if every else {"match_none": {}}


def all_of(clauses: Iterable[Clause]) -> Clause:
    return {"bool": {"filter": [*clauses]}}


def none_of(*clauses: Clause) -> Clause:
    return {"bool": {"must_not": [*clauses]}}


def stages(engine: ClusterEngine, filters: Filters) -> Iterator[tuple[str, Clause]]:
    """Each condition of filters by name, in the order in which what they leave out is counted."""
    conditions = Clauses(engine)
    for condition in filters.conditions:
        if condition.name == DATE:  # what is within the bounds or of unknown date, at once
            yield condition.name, within(filters.before, filters.after)
        else:
            with counting_time(engine.prepare):
                clause = conditions.clause(condition.node)
            yield condition.name, clause


def named(name: str) -> Clause:
    """The documents of a name, and those of the patent number that it writes out."""
    number = PatentNumber.parse_name(name)
    exact: Clause = {"term": {"doc_id": name}}
    return exact if number is None else any_of([exact, {"term": {"patent_number": number.key}}])


def _days(before: date | None, after: date | None) -> dict[str, int]:
    bounds = {"lt": before, "gte": after}
    return {name: (day - EPOCH).days for name, day in bounds.items() if day is not None}


def within(before: date | None, after: date | None) -> Clause:
    """Documents within date bounds; one without a date passes unless the year in its number excludes it."""
    outside = [{"range": {"year_first": _days(None, before)}}, {"range": {"year_last": _days(after, None)}}]
    excluding = [clause for clause, bound in zip(outside, (before, after), strict=True) if bound is not None]
    return any_of([{"range": {"day": _days(before, after)}}, all_of([NO_DAY, none_of(*excluding)])])


def _year_inside(before: date | None, after: date | None) -> Clause:
    """Documents without a date whose year lies within date bounds."""
    inside = [{"range": {"year_last": _days(before, None)}}, {"range": {"year_first": _days(None, after)}}]
    including = [clause for clause, bound in zip(inside, (before, after), strict=True) if bound is not None]
    return all_of([NO_DAY, {"exists": {"field": "year_first"}}, *including])


def date_unknown(before: date | None, after: date | None) -> Clause:
    """Documents that pass date bounds because neither their date nor their year decides."""
    return all_of([NO_DAY, within(before, after), none_of(_year_inside(before, after))])


def decided_by_year(before: date | None, after: date | None) -> Clause:
    """Documents without a date that the year in their number admits or excludes."""
    return all_of([NO_DAY, any_of([none_of(within(before, after)), _year_inside(before, after)])])


class Clauses:
    """Conditions as the cluster evaluates them."""

    def __init__(self, index: ClusterEngine) -> None:
        self.index = index

    def clause(self, node: Node, fields: tuple[str, ...] = (), languages: tuple[str, ...] = ()) -> Clause:
        """The documents that meet an expression, its words being in certain fields and languages, if given."""
        if isinstance(node, And | Or):
            members = (self.clause(part, fields, languages) for part in node.members)
            return (all_of if isinstance(node, And) else any_of)(members)
        if isinstance(node, Not):
            return none_of(self.clause(node.part, fields, languages))
        if isinstance(node, InField):
            return self.clause(node.part, node.names, languages)
        if isinstance(node, InLanguage):
            return self.clause(node.part, fields, node.languages)
        if isinstance(node, Fact):
            return _fact_clause(node, self.index.profile.names)
        if any(isinstance(part, Near) for top in node.parts for part in top.walk()):
            return self.read(node, fields, languages)
        return any_of(
            self.in_language(read_in(self.index.analyzer(language), node), fields, language)
            for language in languages or self.index.languages
        )

    def term(self, word: Word, language: str) -> str | None:
        return self.index.analyzer(language).term(word.text)

    def token(self, word: Word, language: str) -> str:
        """What stands for a word among the words of a text: its term, or a stop word itself."""
        term = self.term(word, language)
        return word.text if term is None else WORD_TERM + term

    def in_language(self, node: Node, fields: tuple[str, ...], language: str) -> Clause:
        """The documents with words, or words near each other, in a language."""
        if isinstance(node, Word) and not fields and (term := self.term(node, language)) is not None:
            return {"term": {field_of("t", language): term}}
        if not self.index.settings["positions"]:
            raise needs_positions()
        every = [words_field(language, name) for name in fields or FIELDS]
        if isinstance(node, Truncation):
            return any_of({"wildcard": {field: {"value": _allowed_pattern(node)}}} for field in every)
        if isinstance(node, Word):
            return any_of({"term": {field: self.token(node, language)}} for field in every)
        rules = [self.rule(simple, language) for simple in _alternatives(node)]
        return any_of({"intervals": {field: {"any_of": {"intervals": rules}}}} for field in every)

    def rule(self, node: Node, language: str) -> dict[str, Any]:
        """The intervals that meet a part without phrases in OR."""
        if isinstance(node, Phrase):
            return _in_order([self.rule(word, language) for word in node.words], 1)
        if isinstance(node, Near):
            left, right = (self.rule(part, language) for part in node.parts)
            ordered = _in_order([left, right], node.distance)
            if node.ordered:
                return ordered
            return {"any_of": {"intervals": [ordered, _in_order([right, left], node.distance)]}}
        if isinstance(node, Or):
            return {"any_of": {"intervals": [self.rule(part, language) for part in node.members]}}
        if isinstance(node, Truncation):
            return {"wildcard": {"pattern": _allowed_pattern(node), "max_expansions": MAX_EXPANSIONS}}
        if not isinstance(node, Word):
            raise TypeError(f"{type(node).__name__} has no places")
        return {"match": {"query": self.token(node, language)}}

    def read(self, node: Node, fields: tuple[str, ...], languages: tuple[str, ...]) -> Clause:
        """The documents with all words of a part that meet it, each of them read."""
        leaves = [leaf for leaf in node.walk() if not leaf.parts]
        having = any_of if any(isinstance(part, Or) for part in node.walk()) else all_of
        clause = having(self.clause(leaf, fields, languages) for leaf in leaves)
        cluster, name = self.index.cluster, self.index.generation.name
        number = cluster.count(name, clause)
        if number > MAX_READ:
            raise UsageError(
                f"{number} documents have the words of {printable(str(node))} and would have to be read, {MAX_READ} at "
                "most are; put a rarer word in it"
            )
        numbers = [int(each["n"][0]) for each in cluster.scan(name, clause, ["n"])]
        with named_if_too_wide(node):
            met = [number for number in while_wanted(numbers) if self.meets(number, node, fields, languages)]
            return {"terms": {"n": met}}

    def meets(self, number: int, node: Node, fields: tuple[str, ...], languages: tuple[str, ...]) -> bool:
        """Whether a document meets a part, in one of its languages."""
        patent = self.index.stored.record(number)
        for language in languages or self.index.languages:
            filed = filed_under(patent, language)
            for name in fields or self.index.settings["fields"]:
                text = getattr(patent, name).get(filed, "")
                analyzer = self.index.analyzer(language)
                source = TextSource(analyzer, [text] if isinstance(text, str) else text)
                if any(map(len, find_places(source, read_in(analyzer, node)))):
                    return True
        return False


def _fact_clause(fact: Fact, names: Folding) -> Clause:
    """The documents with a value in a field; `names` is the folding of names."""
    field = FACT_FIELDS[fact.field]
    if field.match == DAYS:
        first, end = fact.days
        unknown = date_unknown(end, first)
        if fact.field == UNKNOWN_DATE:
            return unknown
        dated = [any_of([{"exists": {"field": "published"}}, NO_DAY])] if fact.field == PUBLISHED else []
        return all_of([within(end, first), none_of(unknown), *dated])
    if field.match == PREFIX:
        return {"prefix": {field.column: fact.value}}
    if field.match == WORDS:
        return {"match_phrase": {field.column: name_key(fact.value, names)}}
    return named(fact.value) if field.match == NAME else {"term": {field.column: fact.value}}


def _allowed_pattern(node: Truncation) -> str:
    """The pattern of a truncated word, unless Lucene would refuse the automaton that it makes of it."""
    if _automaton_size(node.pattern) > MAX_AUTOMATON:
        raise UsageError(
            f"{printable(node.pattern)!r} can match words in too many ways for a cluster; write fewer ? after a *"
        )
    return node.pattern


def _automaton_size(pattern: str) -> int:
    """The places in a pattern where a word can be, added up over all sets of them; counted until it is too large."""
    letters = {*pattern, ""} - {"*", "?"}  # the empty one stands for any other
    first = _with_skipped({0}, pattern)
    known, waiting, size = {first}, [first], 0
    while waiting and size <= MAX_AUTOMATON:
        places = waiting.pop()
        size += len(places)
        for letter in letters:
            reached = {at + 1 for at in places if at < len(pattern) and pattern[at] in ("?", letter)}
            reached |= {at for at in places if at < len(pattern) and pattern[at] == "*"}
            following = _with_skipped(reached, pattern)
            if following not in known:
                known.add(following)
                waiting.append(following)
    return size


def _with_skipped(places: set[int], pattern: str) -> frozenset[int]:
    """Some places, and those after each `*` there, which need not match anything."""
    return frozenset(places | {at + 1 for at in places if at < len(pattern) and pattern[at] == "*"})


def _in_order(rules: list[dict[str, Any]], distance: int) -> dict[str, Any]:
    return {"all_of": {"ordered": True, "max_gaps": distance - 1, "intervals": rules}}


def _alternatives(node: Node) -> Iterator[Node]:
    """A part as several without phrases in OR: of intervals of different lengths Lucene keeps the shortest only."""
    if isinstance(node, Or) and any(isinstance(part, Phrase | Or) for part in node.members):
        for part in node.members:
            yield from _alternatives(part)
    elif isinstance(node, Near):
        sides = [[*_alternatives(part)] for part in node.parts]
        if len(sides[0]) * len(sides[1]) > MAX_CHOICES:
            raise UsageError(f"{printable(str(node))} has too many phrases in OR for a cluster; use fewer")
        for left, right in product(*sides):
            yield Near(left, right, node.distance, node.ordered)
    else:
        yield node
