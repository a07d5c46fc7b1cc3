"""What every engine must do, asked through the `Engine` protocol alone and compared with the plain engine.

A world is an engine and the plain one over the same patents. The numbers of documents differ where some were replaced,
so that answers are compared by the numbers of the plain engine, which has only what can be retrieved, in the same
order. All else must be equal, scores bit by bit: each is a sum of 32-bit numbers in the order of the query.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import strategies as st

from antecede.conditions.classes import LEVELS, ClassQuestion
from antecede.conditions.fields import FACETS
from antecede.conditions.filters import Filters, NamedCondition, condition_on, limit_field
from antecede.conditions.tree import TEXT_FIELDS, And, Fact, InField, Near, Not, Or, Phrase, Truncation, Word
from antecede.corpus import Collection
from antecede.engine import Capability, number_of, read_headers, read_lists, relatives_of, require
from antecede.errors import AntecedeError, InputError, UsageError
from antecede.models import MODELS, parse_model
from antecede.query.query import Query
from tests.engine.plain import PlainEngine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antecede.engine import Engine, Numbers

WORDS = {
    "en": ("press", "presses", "pressing", "valve", "valves", "housing", "spring", "the", "of", "naïve", "x"),
    "de": ("Ventil", "Ventile", "Gehäuse", "Größe", "der", "die", "press", "Feder"),
    "": ("valve", "presses", "zeta", "the"),
}
OTHER_PARAMETERS = ("bm25(k1=0.4,b=0.9)", "bm25(b=0)", "lm_dirichlet(mu=10)", "tfidf(s=1)", "pl2(c=5)")
CODES = ("H04L 12/56", "H04L 12/28", "H04L 1/00", "A61K 31/44", "A61K 9/00", "G06F 17/30")
APPLICANTS = ("Größe & Söhne", "GROSSE & SOHNE", "Société L'Air", "Acme Corp.", "Air Acme")
INVENTORS = ("Müller, Jörg", "Muller Jorg", "Ada Lovelace")
FAMILIES = ("7", "8", "9")
COLUMNS = (
    "doc_id", "identity", "patent_number", "title", "language", "published", "day", "family_id", "country", "ipc",
    "cpc", "applicants", "inventors", "citations",
)  # fmt: skip


def write_collection(path: Path, seed: int, numbers: range, *, unknown: bool = False) -> Path:
    """Random patents of some numbers, as a file; with `unknown`, the language of some is not known."""
    chance = random.Random(seed)  # noqa: S311 - nothing secret

    def text(language: str) -> str:
        return " ".join(chance.choices(WORDS[language], k=chance.choice([0, 1, 4, 9, 30])))

    def texts(languages: list[str]) -> dict[str, str]:
        return {language: text(language) for language in languages if chance.random() < 0.8}

    def patent(number: int) -> dict[str, Any]:
        # A year is in the numbers of some, a second name has the number of the first, and some names have none.
        names = (
            f"EP{1000000 + number}",
            f"US2005{number:07d}",
            f"EP-{1000000 + number - 2}-A1",
            f"D-{'abc'[number % 3]}{number}",
        )
        languages = [""] if unknown and chance.random() < 0.3 else chance.choice([["en"], ["de"], ["en", "de"], []])
        day = f"{chance.randint(1998, 2007)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        maybe: dict[str, Any] = {
            "language": (languages or ["en"])[0],
            "publication_date": day,
            "priority_date": "1999-01-31",
            "family_id": chance.choice(FAMILIES),
            "ipc": chance.sample(CODES, chance.randint(1, 3)),
            "cpc": chance.sample(CODES, 1),
            "applicants": chance.sample(APPLICANTS[chance.randint(0, 1) :], 1),
            "inventors": chance.sample(INVENTORS, 1),
            "citations": [{"number": f"EP-{1000000 + chance.choice(numbers)}-A1"} for _ in range(2)],
        }
        return {
            "doc_id": names[number % 4],
            "title": texts(languages),
            "abstract": texts(languages),
            "description": texts(languages),
            "claims": {language: [text(language), text(language)] for language in languages[:1]},
            **{name: value for name, value in maybe.items() if chance.random() < 0.6},
        }

    path.write_text("".join(json.dumps(patent(number)) + "\n" for number in numbers))
    return path


@dataclass
class World:
    """An engine, and the plain one over the same patents."""

    engine: Engine
    plain: PlainEngine
    own: Numbers
    """The number in the engine of each document of the plain one, ascending."""

    @classmethod
    def of(cls, engine: Engine, *files: Path) -> World:
        """The world of an engine over the patents of files, of which a later one replaces those of an earlier."""
        patents = {patent.doc_id: patent for file in files for patent in Collection(file).patents()}
        number = dict(zip(patents, engine.numbers([*patents]).tolist(), strict=True))
        ordered = sorted(patents.values(), key=lambda patent: number[patent.doc_id])
        return cls(engine, PlainEngine(ordered), np.array(sorted(number.values()), np.int64))

    def back(self, numbers: Any) -> list[int]:
        """Numbers of the engine as those of the plain one; each must be one that can be retrieved."""
        wanted = np.asarray(numbers, np.int64)
        places = np.searchsorted(self.own, wanted)
        assert (self.own[places] == wanted).all()
        return [*places.tolist()]

    def some(self, draw: Draw, least: int = 0) -> tuple[Numbers, Numbers]:
        """Some documents, by their numbers in the engine and in the plain one."""
        plain = np.array(draw(st.lists(st.integers(0, len(self.own) - 1), min_size=least, max_size=12)), np.int64)
        return self.own[plain], plain

    def with_text(self, draw: Draw, language: str) -> tuple[Numbers, Numbers]:
        """Some documents with terms in a language, each once."""
        there = [at for at, own in self.plain.counts(language, True).items() if own]
        chosen = np.array(draw(st.lists(st.sampled_from(there), max_size=9, unique=True)), np.int64)
        return self.own[chosen], chosen

    def language(self, draw: Draw) -> str:
        return str(draw(st.sampled_from(self.engine.languages)))

    def terms(self, draw: Draw, language: str, most: int = 7) -> list[str]:
        """Terms of documents, and one that none has."""
        known = sorted({term for own in self.plain.counts(language, True).values() for term in own})
        return [*draw(st.lists(st.sampled_from([*known, "unheard"]), max_size=most, unique=True))]

    def query(self, draw: Draw, language: str) -> Query:
        terms = self.terms(draw, language)
        usual = st.one_of(st.floats(0.01, 100), st.integers(1, 20).map(float))
        weights = st.one_of(usual, st.sampled_from([0.0, -1.0, -0.25]))
        if draw(st.booleans()):
            weights = usual
        given = draw(st.lists(weights, min_size=len(terms), max_size=len(terms)))
        return Query(tuple(terms), np.array(given, np.float64), language)

    def filters(self, draw: Draw) -> Filters:
        """Any filters."""
        names = st.sampled_from([*self.plain.names(self.plain.all_numbers()), "EP1000001", "nobody"])
        limits = {
            "ipc": ("H04L", "H04L12/56", "A61", "G"), "cpc": ("H04L1",), "country": ("ep", "US"),
            "applicant": ("sohne", "l'air", "acme"), "inventor": ("Jörg", "lovelace"), "language": ("en", "de"),
        }  # fmt: skip
        others = [limit_field(name, draw(st.lists(st.sampled_from(values), min_size=1, max_size=2)))
                  for name, values in limits.items() if draw(st.integers(0, 5)) == 0]  # fmt: skip
        if draw(st.booleans()):
            others.append(condition_on(self.engine, draw(nodes)))
        return Filters(
            before=draw(st.none() | st.dates(date(1998, 1, 1), date(2007, 1, 1))),
            after=draw(st.none() | st.dates(date(1996, 1, 1), date(2003, 1, 1))),
            undated=draw(st.sampled_from(["keep", "drop"])),
            without=tuple(draw(st.lists(names, max_size=2))),
            without_family=draw(st.none() | st.sampled_from(FAMILIES)),
            others=tuple(others),
        )


Draw = Any
"""What draws a value of a Hypothesis strategy."""

words = st.sampled_from([*(word.lower() for own in WORDS.values() for word in own), "absent"]).map(Word)
truncated = st.sampled_from(["pres*", "*ring", "v?lve", "the*", "gr*e", "?"]).map(Truncation)
leaves = words | truncated
phrases = st.lists(leaves, min_size=2, max_size=3).map(lambda each: Phrase(tuple(each)))
_sides = st.recursive(
    leaves | phrases,
    lambda part: (
        st.builds(Near, part, part, st.integers(1, 6), st.booleans())
        | st.lists(part, min_size=2, max_size=2).map(lambda each: Or(tuple(each)))
    ),
    max_leaves=3,
)
near = st.builds(Near, _sides, _sides, st.integers(1, 6), st.booleans())
facts = st.sampled_from(
    [
        Fact("ipc", "H04L"), Fact("ipc", "H04L 12/56"), Fact("cpc", "A61K 9/"), Fact("applicant", "grosse sohne"),
        Fact("inventor", "muller"), Fact("date", "2000-01-01..2003-06-30"), Fact("date", "..<2002-02-02"),
        Fact("date", "2001-01-01.."), Fact("undated", "2000-01-01..2006-06-30"), Fact("number", "EP1000001"),
        Fact("number", "D-a3"), Fact("cited", "EP1000004"), Fact("family", "7"), Fact("country", "EP"),
        Fact("language", "de"), Fact("language", ""),
    ]
)  # fmt: skip
_one = words | truncated | phrases | near | facts
nodes = st.recursive(
    _one,
    lambda part: (
        st.lists(part, min_size=2, max_size=3).map(lambda each: And(tuple(each)))
        | st.lists(part, min_size=2, max_size=3).map(lambda each: Or(tuple(each)))
        | part.map(Not)
        | st.builds(InField, st.sampled_from([*TEXT_FIELDS.values()]), words | truncated | phrases | near)
    ),
    max_leaves=5,
)
models = st.sampled_from([*sorted(MODELS), *OTHER_PARAMETERS])


# The documents


def check_what_it_is(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    for name in ("documents", "languages", "undated", "without_day"):
        assert getattr(engine, name) == getattr(plain, name), name
    assert engine.size > int(world.own[-1])
    assert engine.settings["fields"] == plain.settings["fields"]
    assert json.loads(engine.profile.to_json()) == json.loads(plain.profile.to_json())
    assert isinstance(engine.state, str)
    assert isinstance(engine.kind, str)
    assert all(isinstance(note, str) for note in engine.notes)
    for language in (*engine.languages, "xx"):
        assert engine.documents_in(language) == plain.documents_in(language)
        text = " ".join(word for own in WORDS.values() for word in own)
        assert engine.analyzer(language).terms(text) == plain.analyzer(language).terms(text)


def check_names_and_numbers(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    numbers, same = world.some(draw)
    assert engine.names(numbers) == plain.names(same)
    assert engine.numbers(plain.names(same)).tolist() == numbers.tolist()
    assert np.argsort(engine.name_ranks(numbers), kind="stable").tolist() == sorted(
        range(len(same)), key=lambda at: (plain.names(same)[at].encode(), at)
    ) or len({*same.tolist()}) < len(same)
    for name in ("EP1000000", "EP 1 000 000 A1", "US20050000001", "US 2005/0000001", "D-a0", "nobody", "", "EP1000004"):
        assert world.back(engine.numbers_of(name)) == plain.numbers_of(name).tolist(), name
        if len(plain.numbers_of(name)) > 1:
            with pytest.raises(InputError, match="is the number of"):
                number_of(engine, name)
        else:
            found = number_of(engine, name)
            assert (None if found is None else world.back([found])[0]) == number_of(plain, name)
    if Capability.WALK in engine.capabilities:
        assert engine.all_numbers().tolist() == world.own.tolist()


def check_columns(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    numbers, same = world.some(draw)
    columns = draw(st.lists(st.sampled_from(COLUMNS), min_size=1, unique=True))
    assert engine.columns(numbers, *columns) == plain.columns(same, *columns)
    assert read_headers(engine, numbers) == read_headers(plain, same)
    assert read_lists(engine, numbers, "ipc") == read_lists(plain, same, "ipc")
    own, expected = engine.days(numbers), plain.days(same)
    assert own.day.dtype == own.last.dtype == np.int32
    assert (own.day.tolist(), own.last.tolist()) == (expected.day.tolist(), expected.last.tolist())
    assert [*engine.records(numbers.tolist())] == [replace(each, source=each.source) for each in plain.records(same)]
    for lists in (("citations",), ("applicants", "inventors"), ("cpc",)):
        assert engine.has_values(*lists) == plain.has_values(*lists)


def check_inverse_columns(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    numbers, same = world.some(draw)
    for column in ("doc_id", "patent_number", "family_id", "country", "citations", "ipc", "language"):
        known = {value for at in range(plain.size) for value in plain.values(at, column) if value}
        values = draw(st.lists(st.sampled_from([*sorted(known), "nothing"]), max_size=6, unique=True))
        found = engine.having(column, values)
        assert {value: world.back(own) for value, own in found.items()} == plain.having(column, values), column
        if column in ("ipc", "citations"):
            assert engine.have(numbers, column, values).tolist() == plain.have(same, column, values).tolist(), column
    written = draw(
        st.lists(st.sampled_from(["EP1000000", "EP 1 000 004", "EP-1000004-A1", "D-a0", "none"]), unique=True)
    )
    found = engine.having("number", written)
    assert {value: world.back(own) for value, own in found.items()} == plain.having("number", written)
    keys = draw(st.lists(st.sampled_from(["grosse sohne", "acme corp", "air acme", "sohne"]), max_size=3))
    assert engine.have(numbers, "applicants", keys).tolist() == plain.have(same, "applicants", keys).tolist()
    names = plain.names(same)
    for family in (None, "7", "no such"):
        relatives = relatives_of(engine, [*names, "EP1000000"], family)
        assert world.back(relatives) == relatives_of(plain, [*names, "EP1000000"], family).tolist()


# Conditions


def check_conditions(world: World, draw: Draw) -> None:
    node = draw(nodes)
    expected = [at for at in range(world.plain.size) if world.plain.meets(at, node)]
    selection = world.engine.select(Filters(others=(NamedCondition("where", node),)))
    assert np.flatnonzero(selection.contains(world.own)).tolist() == expected, str(node)


def check_selections(world: World, draw: Draw) -> None:
    filters = world.filters(draw)
    found, expected = world.engine.select(filters), world.plain.select(filters)
    _, same = world.some(draw)
    assert found.contains(world.own[same]).tolist() == expected.contains(same).tolist()
    for language in (*world.engine.languages, "xx"):
        assert found.count(language) == expected.count(language)
    languages = draw(st.lists(st.sampled_from(world.engine.languages), unique=True))
    assert found.coverage(languages) == expected.coverage(languages)
    without, most = world.plain.names(same[:3]), draw(st.integers(0, 40))
    assert found.names(without, most) == expected.names(without, most)


def check_facets(world: World, draw: Draw) -> None:
    filters = world.filters(draw)
    languages = draw(st.none() | st.lists(st.sampled_from(world.engine.languages), unique=True))
    retrieved = world.plain.names(world.some(draw)[1])
    nodes_ = {name: draw(st.sampled_from(["", "H", "H04L", "H04L 12", "A61K"])) for name in ("ipc", "cpc")}
    found = world.engine.facets(filters, languages, retrieved, nodes_)
    expected = world.plain.facets(filters, languages, retrieved, nodes_)
    assert (found.documents, found.results) == (expected.documents, expected.results)
    for name in FACETS:
        own = tuple({value: n for value, n in each.items() if n} for each in found.totals[name])
        right = tuple({value: n for value, n in each.items() if n} for each in expected.totals[name])
        assert own == right, name
        for value in right[0] if name in expected.written else ():
            assert found.written[name][value] == expected.written[name][value]


def check_latest(world: World, draw: Draw) -> None:
    language, filters, most = world.language(draw), world.filters(draw), draw(st.integers(1, 40))
    found = world.engine.latest(language, world.engine.select(filters), most)
    assert world.back(found) == world.plain.latest(language, world.plain.select(filters), most).tolist()


def check_same_class(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    filters, language = world.filters(draw), world.language(draw)
    codes = tuple(draw(st.lists(st.sampled_from([*CODES, "B01D 1/00"]), max_size=3, unique=True)))
    more = {
        "level": draw(st.sampled_from(LEVELS)),
        "fewest": draw(st.integers(0, 20)),
        "most": draw(st.integers(1, 30)),
    }
    if "" in engine.languages:  # those come last, and of too many are left out first
        more["most"] = 1000
    found = world.back(engine.same_class(ClassQuestion(codes, language, engine.select(filters), **more)))
    expected = plain.same_class(ClassQuestion(codes, language, plain.select(filters), **more)).tolist()
    assert (sorted(found) if "" in engine.languages else found) == expected


# Terms


def check_statistics(world: World, draw: Draw) -> None:
    for language in (*world.engine.languages, "xx"):
        terms = world.terms(draw, language) if language != "xx" else ["valv"]
        left_out = np.unique(world.some(draw)[1])
        for how in ({}, {"assumed": False}, {"without": left_out}):
            own = {**how, **({"without": world.own[left_out]} if "without" in how else {})}
            found, expected = world.engine.statistics(language, **own), world.plain.statistics(language, **how)  # type: ignore[arg-type]
            assert (found.documents, found.tokens) == (expected.documents, expected.tokens)
            assert found.average_length == expected.average_length
            often, right = found.frequencies(terms), expected.frequencies(terms)
            assert often.documents.tolist() == right.documents.tolist()
            assert often.occurrences.tolist() == right.occurrences.tolist()


def check_lengths(world: World, draw: Draw) -> None:
    numbers, same = world.some(draw)
    for language in (*world.engine.languages, "xx"):
        for assumed in (True, False):
            found = world.engine.lengths(numbers, language, assumed=assumed)
            assert found.tolist() == world.plain.lengths(same, language, assumed=assumed).tolist()
        are_assumed = world.engine.are_assumed(numbers, language)
        assert are_assumed.tolist() == world.plain.are_assumed(same, language).tolist()


def check_vectors(world: World, draw: Draw) -> None:
    language = world.language(draw)
    numbers, same = world.with_text(draw, language)
    also = world.terms(draw, language)
    found, expected = world.engine.vectors(numbers, language, also), world.plain.vectors(same, language, also)
    names, right_names = ([each.vocabulary[at] for at in range(len(each.vocabulary))] for each in (found, expected))
    assert names == right_names
    for part in ("ptr", "terms", "counts", "lengths"):
        assert getattr(found, part).tolist() == getattr(expected, part).tolist(), part
    sought = [*names[::2], *also, "unheard"]
    assert found.vocabulary.find(sought).tolist() == expected.vocabulary.find(sought).tolist()
    statistics = world.engine.statistics(language).frequencies_in(found.vocabulary)
    right = world.plain.statistics(language).frequencies_in(expected.vocabulary)
    assert statistics.documents.tolist() == right.documents.tolist()
    assert statistics.occurrences.tolist() == right.occurrences.tolist()
    weights = np.arange(len(names), dtype=np.float64)
    if len(numbers):
        assert found.by_document(weights).tolist() == expected.by_document(weights).tolist()
        assert found.by_term(found.lengths).tolist() == expected.by_term(found.lengths).tolist()
        taken, right_ones = found.take(np.array([0])), expected.take(np.array([0]))
        assert taken.terms.tolist() == right_ones.terms.tolist()


def check_matches(world: World, draw: Draw) -> None:
    language = world.language(draw)
    numbers, same = world.with_text(draw, language)
    terms = tuple(world.terms(draw, language))
    found, expected = world.engine.matches(terms, numbers, language), world.plain.matches(terms, same, language)
    weights = np.linspace(0.1, 3, len(terms))
    for by_count in (np.sqrt, np.log1p):
        assert found.add_up(by_count, weights).tolist() == expected.add_up(by_count, weights).tolist()
    assert _by_document(found) == _by_document(expected)
    assert world.engine.norms(numbers, language).tolist() == world.plain.norms(same, language).tolist()


def _by_document(matches: Any) -> dict[int, list[tuple[int, int]]]:
    pairs = [*zip(matches.terms.tolist(), matches.counts.tolist(), strict=True)]
    ends = zip(matches.documents.tolist(), matches.ptr[:-1].tolist(), matches.ptr[1:].tolist(), strict=True)
    return {document: pairs[start:end] for document, start, end in ends}


def check_fullest_document(world: World, draw: Draw) -> None:
    language = world.language(draw)
    counts = world.plain.counts(language, True)
    for term in world.terms(draw, language):
        found, best = world.engine.fullest_document(language, term), world.plain.fullest_document(language, term)
        assert (found is None) == (best is None)
        assert found is None or counts[world.back([found])[0]][term] > 0


# Ranking


def check_retrieval(world: World, draw: Draw) -> None:
    engine, plain = world.engine, world.plain
    language, model, k = world.language(draw), draw(models), draw(st.integers(1, 40))
    query, filters = world.query(draw, language), draw(st.none()) or world.filters(draw)
    given = draw(st.booleans())
    chosen = model if draw(st.booleans()) else parse_model(model)
    selected = [each.select(filters) if given else None for each in (engine, plain)]
    keep = draw(st.booleans())
    found = engine.retrieve(query, k, selected[0], chosen, keep_scores=keep)
    expected = plain.retrieve(query, k, selected[1], chosen, keep_scores=keep)
    assert world.back(found.numbers) == expected.numbers.tolist()
    assert found.scores.dtype == np.float32
    assert found.scores.tolist() == expected.scores.tolist()
    assert (found.language, {*found.unmatched}) == (expected.language, {*expected.unmatched})
    assert found.certificate is None or (found.certificate.k, found.certificate.exact) == (k, True)
    numbers, same = world.with_text(draw, language)
    if keep:
        assert found.scores_of(numbers).tolist() == expected.scores_of(same).tolist()
    else:
        assert found.scores_of(found.numbers).tolist() == found.scores.tolist()


def check_impacts(world: World, draw: Draw) -> None:
    language, model = world.language(draw), draw(models)
    query = world.query(draw, language)
    weights = query.weights.astype(np.float32)
    hits = world.engine.retrieve(query, 1000, None, model)
    for number, score in zip(hits.numbers.tolist(), hits.scores.tolist(), strict=True):
        found = world.engine.impacts(query, number, model)
        expected = world.plain.impacts(query, world.back([number])[0], model)
        assert found.terms.tolist() == expected.terms.tolist()
        assert found.impacts.tolist() == expected.impacts.tolist()
        assert found.document == expected.document
        total = np.float32(0)
        for term, impact in zip(found.terms.tolist(), found.impacts, strict=True):
            total += weights[term] * impact
        if found.document is not None:
            total += found.document * np.float32(query.weights.sum())
        assert float(total + np.float32(0)) == score


# What is refused


def check_refusals(world: World, draw: Draw) -> None:
    engine = world.engine
    for capability in Capability:
        if capability in engine.capabilities:
            require(engine, capability)
            continue
        with pytest.raises(UsageError, match=f"needs an index in a folder, not on a cluster, for {capability.value}"):
            require(engine, capability)
    if Capability.WALK not in engine.capabilities:
        with pytest.raises(UsageError, match="needs an index in a folder"):
            engine.all_numbers()
    if Capability.SPACES not in engine.capabilities:
        assert [engine.space(language, kind) for language in engine.languages for kind in ("lsa", "dense")].count(None)
    if Capability.TRANSLATION not in engine.capabilities:
        assert engine.translation is None
    language = world.language(draw)
    query = Query(("valv",), np.ones(1), language)
    with pytest.raises(UsageError, match="the index has no documents in language 'xx'; it has "):
        engine.retrieve(replace(query, language="xx"), 5)
    for k in (0, -1):
        with pytest.raises(UsageError, match="k"):
            engine.retrieve(query, k)
    foreign: Any = _OfAnother()
    for call in (
        lambda: engine.retrieve(query, 5, foreign),
        lambda: engine.latest(language, foreign, 5),
        lambda: engine.same_class(ClassQuestion(("H04L 12/56",), language, foreign)),
    ):
        with pytest.raises(TypeError, match="the selection is one of another engine"):
            call()
    without = [at for at, length in enumerate(world.plain.lengths(world.plain.all_numbers(), language)) if length < 0]
    if without:
        with pytest.raises(AntecedeError, match=r"no text in|without text in"):
            engine.vectors(world.own[without[:1]], language)
    with pytest.raises(UsageError, match="ranking model"):
        engine.retrieve(query, 5, None, "no_such_model")


class _OfAnother:
    """A selection of an engine that nobody knows."""

    def contains(self, numbers: Numbers) -> Any:
        return np.ones(len(numbers), np.bool_)


CHECKS: dict[str, Callable[[World, Draw], None]] = {
    name.removeprefix("check_"): check for name, check in [*globals().items()] if name.startswith("check_")
}
"""Every check by its name: each is called with a world, and with what draws values."""
