"""Expressions: what they mean in a folder, against a plain reading of every text."""

from __future__ import annotations

import fnmatch
import json
import random
import subprocess
import sys
import threading
import unicodedata
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions import spans
from antecede.conditions.filters import Filters, condition_on
from antecede.conditions.parser import parse_expression
from antecede.conditions.spans import mark_expression
from antecede.embedded import evaluation
from antecede.embedded.engine import EmbeddedEngine
from antecede.embedded.evaluation import Portion
from antecede.errors import UsageError
from antecede.index import build_index, places, verify_index
from antecede.index.terms import concatenate_texts
from antecede.parallel import (
    AbandonedError,
    TimeSpentError,
    abandonable,
    check_wanted,
    counting_time,
    time_limited,
)
from antecede.search import SearchSettings, search_index
from antecede.text import load_profile
from antecede.text.patterns import match_pattern
from tests.search.plain_expressions import meets, patents_of

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.conditions.tree import Node
    from tests.search.worlds import Shelf

WORDS = ("mesh", "Network", "networks", "the", "pressure", "pressures")
PIECES = ("mesh", "network", "networking", "the", "pressure", "press*", "pressure?", "netw*k", "hub", "missing", "netz")
FACTS = ("ipc:H04L", "ipc:A61", "pa:acme", "in:meier", "pd:2001..2002", "pd:<2002-05", "pn:EP1000003", "ct:US5000000")


def make_parts() -> list[list[dict[str, Any]]]:
    """Three words in every order, in several parts and languages; the last part replaces documents of the first."""
    lines: list[dict[str, Any]] = []
    for at, (a, b, c) in enumerate(product(WORDS, repeat=3)):
        line: dict[str, Any] = {
            "doc_id": f"EP{1000000 + at}",
            "language": "en",
            "filing_date" if at % 9 == 4 else "publication_date": f"200{at % 4}-05-03",
        }
        line |= {"description": {"en": f"hub {a} {b}. {c}"}, "title": {"en": f"{c} {a}"}}
        line |= {"ipc": ["H04L 12/56"] if at % 3 else ["A61K 1/00"], "applicants": ["Acme Corp"] if at % 2 else []}
        line |= {"inventors": ["Meier, A."] if at % 5 else [], "citations": [{"number": "US5000000"}] if at % 7 else []}
        lines.append(line)
    lines[3]["claims"] = {"en": ["1. A mesh,", "2. A network of pressure"]}
    lines[4]["abstract"] = {"en": "pressure mesh", "de": "Ein Netz im Mesh"}
    german = {"doc_id": "DE1", "language": "de", "title": {"de": "Ein Mesh Netz im Mesh"}, "abstract": {"de": "Netze"}}
    french = {"doc_id": "FR1", "language": "fr", "title": {"fr": "la pressure du mesh"}, "claims": {"fr": ["mesh hub"]}}
    unknown = {"doc_id": "XX1", "title": {"": "hub mesh networks"}, "abstract": {"": "pressures hub"}}
    both = {"doc_id": "XX2", "title": {"": "mesh network"}, "abstract": {"en": "pressure hub"}}
    replaced = [{**line, "title": {"en": "hub hub network"}} for line in lines[10:25]]
    return [lines[:100], [*lines[100:], german, french, unknown, both], replaced]


@pytest.fixture(scope="module")
def index(shelf: Shelf) -> EmbeddedEngine:
    return shelf.index("expressions", *make_parts())


def meeting(index: EmbeddedEngine, node: Node) -> set[str]:
    selection = index.select(Filters(others=(condition_on(index, node),)))
    return {*selection.names((), index.documents)}


def expressions() -> st.SearchStrategy[str]:
    phrases = st.lists(st.sampled_from(PIECES), min_size=2, max_size=3).map(lambda words: f'"{" ".join(words)}"')
    words = st.one_of(st.sampled_from(PIECES), phrases)
    distance = st.builds("{}/{}".format, st.sampled_from(["NEAR", "ADJ"]), st.integers(1, 4))
    either = st.lists(words, min_size=2, max_size=3).map(lambda parts: f"({' OR '.join(parts)})")
    near = st.recursive(
        st.one_of(words, either), lambda part: st.builds("({} {} {})".format, part, distance, part), max_leaves=3
    )
    field = st.builds("{}:{}".format, st.sampled_from(["ti", "ab", "cl", "de", "ta", "ctxt"]), near)
    leaves = st.one_of(near, field, st.sampled_from(FACTS))
    return st.recursive(
        leaves,
        lambda part: st.one_of(
            st.builds("({} AND {})".format, part, part),
            st.builds("({} OR {})".format, part, part),
            st.builds("NOT {}".format, part),
        ),
        max_leaves=4,
    )


@given(expressions())
def test_an_expression_finds_what_a_plain_reading_finds(index: EmbeddedEngine, text: str) -> None:
    node = parse_expression(text)
    assert meeting(index, node) == {patent.doc_id for patent in patents_of(index) if meets(patent, node, index)}
    assert parse_expression(str(node)) == node, "its normal form means the same"


@given(expressions(), expressions())
def test_the_laws_of_sets_hold(index: EmbeddedEngine, one: str, other: str) -> None:
    def found(text: str) -> set[str]:
        return meeting(index, parse_expression(text))

    every = found("hub OR NOT hub")
    assert found(f"({one}) AND ({other})") == found(one) & found(other)
    assert found(f"({one}) OR ({other})") == found(one) | found(other)
    assert (
        found(f"NOT (({one}) AND ({other}))")
        == found(f"(NOT ({one})) OR (NOT ({other}))")
        == every - (found(one) & found(other))
    )


@given(st.sampled_from(PIECES), st.sampled_from(PIECES), st.integers(1, 5))
def test_a_phrase_is_within_adj_within_near_within_and(
    index: EmbeddedEngine, one: str, other: str, distance: int
) -> None:
    steps = [
        f'"{one} {other}"',
        f"{one} ADJ/{distance} {other}",
        f"{one} NEAR/{distance} {other}",
        f"{one} AND {other}",
    ]
    found = [meeting(index, parse_expression(text)) for text in steps]
    assert found[0] <= found[1] <= found[2] <= found[3]
    assert found[2] == found[1] | meeting(index, parse_expression(f"{other} ADJ/{distance} {one}"))


@pytest.fixture(scope="module")
def long_texts(shelf: Shelf) -> EmbeddedEngine:
    """Words in so many places that their lists have several blocks, some of texts that have a word at every place."""
    chance = random.Random(5)  # noqa: S311
    vocabulary = (*WORDS, *["filler"] * 9, "hub")
    lines = [
        {
            "doc_id": f"EP{at}",
            "language": "en",
            "title": {"en": chance.choice(WORDS)},
            "description": {"en": " ".join(chance.choices(vocabulary[: chance.choice([2, 6, 16])], k=size))},
        }
        for at, size in enumerate([0, 900, 1, 0, *(chance.randrange(120) for _ in range(90)), 400, 0])
    ]
    return shelf.index("long texts", lines)


@given(expressions(), st.sampled_from([200, 1 << 18]), st.sampled_from([600, 1 << 22]))
def test_long_lists_are_read_block_by_block(
    long_texts: EmbeddedEngine, text: str, at_once: int, most_pairs: int
) -> None:
    node = parse_expression(text)
    expected = {patent.doc_id for patent in patents_of(long_texts) if meets(patent, node, long_texts)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(places, "BATCH_PLACES", at_once)
        patched.setattr(spans, "MAX_PAIRS", most_pairs)
        long_texts.cache.clear()
        assert meeting(long_texts, node) == expected


NESTED = "((hub NEAR/9 filler) NEAR/9 (mesh NEAR/9 the)) NEAR/9 ((filler NEAR/9 hub) ADJ/9 the)"


def test_what_is_too_wide_to_be_paired_at_once_is_looked_at_in_parts(
    long_texts: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = parse_expression(NESTED)
    expected = meeting(long_texts, node)
    assert expected == {patent.doc_id for patent in patents_of(long_texts) if meets(patent, node, long_texts)} != set()
    calls, find = 0, Portion.find

    def count(self: Portion, node: Node) -> Any:
        nonlocal calls
        calls += 1
        return find(self, node)

    monkeypatch.setattr(Portion, "find", count)
    monkeypatch.setattr(spans, "MAX_PAIRS", 500)
    long_texts.cache.clear()
    assert meeting(long_texts, node) == expected
    assert calls > 1
    monkeypatch.setattr(spans, "MAX_PAIRS", 50)
    long_texts.cache.clear()
    with pytest.raises(UsageError, match="is too wide: too many of its words are near each other in one text"):
        meeting(long_texts, node)
    text = " ".join(["hub filler mesh the"] * 9)
    marks = mark_expression(long_texts.analyzer("en"), node, [("description", text)])
    assert len(marks[0]) == 36


def test_an_expression_ends_when_its_time_is_spent_and_says_which_part_is_too_wide(
    long_texts: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "BATCH_PLACES", 200)
    for threads in (1, 1000):
        monkeypatch.setattr(evaluation, "MIN_PORTIONS", threads)
        long_texts.cache.clear()
        with pytest.raises(UsageError) as refused:
            search_index(long_texts, where=f"mesh OR {NESTED}", time_limit=1e-6)
        assert str(refused.value) == (
            "mesh is too wide: the time limit of 1e-06 s is spent; use rarer words or smaller distances"
        )
        with time_limited(60), time_limited(1e-6), pytest.raises(UsageError, match="1e-06 s is spent"):
            meeting(long_texts, parse_expression(NESTED))
        with time_limited(1e-6), time_limited(60), pytest.raises(UsageError, match="1e-06 s is spent"):
            meeting(long_texts, parse_expression(NESTED))
    assert search_index(long_texts, where=NESTED, time_limit=600).hits
    for wrong in (0, -1, float("nan")):
        with pytest.raises(UsageError, match="time_limit: must be"):
            SearchSettings(time_limit=wrong)


COMPILED = """
import sys
from numba.core.registry import CPUDispatcher
from antecede import parallel
from antecede.conditions.filters import Filters, condition_on
from antecede.conditions.parser import parse_expression
from antecede.engine import open_index
from antecede.search import search_index

def compiled():
    modules = [module for name, module in [*sys.modules.items()] if name.startswith("antecede.")]
    kernels = {kernel for module in modules for kernel in vars(module).values() if isinstance(kernel, CPUDispatcher)}
    return {f"{kernel.__name__} {signature}" for kernel in kernels for signature in kernel.signatures}

index = open_index(sys.argv[1])
index.prepare()
before = compiled()
assert before
for written in sys.argv[2:]:
    condition = condition_on(index, parse_expression(written))
    with parallel.time_limited(600):
        index.select(Filters(others=(condition,))).names((), 10)
print("\\n".join(sorted(compiled() - before)))
"""


@pytest.mark.parametrize("which", ["index", "long_texts"])
def test_compiling_is_not_in_the_time_of_an_expression(which: str, request: pytest.FixtureRequest) -> None:
    opened = request.getfixturevalue(which)
    every = (
        *PIECES,
        '"the mesh"',
        "ti:the",
        "desc:(hub NEAR/9 press*)",
        '("a mesh" OR net*) ADJ/9 (hub OR "hub the")',
        NESTED,
    )
    words = [sys.executable, "-c", COMPILED, str(opened.folder), *every]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("", "", 0)


def test_only_what_counts_is_in_the_time(long_texts: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0
    monkeypatch.setattr("antecede.parallel.time.monotonic", lambda: clock)

    def prepare() -> None:
        nonlocal clock
        clock += 100

    with time_limited(50), time_limited(30):
        clock += 100
        check_wanted()
        for _ in range(2):
            with counting_time(prepare):
                clock += 10
                check_wanted()
                with counting_time(prepare):
                    check_wanted()
        with counting_time(prepare):
            clock += 11
            with pytest.raises(TimeSpentError, match="30 s"):
                check_wanted()
        check_wanted()


def test_an_expression_that_nobody_waits_for_ends_at_its_next_portion(
    long_texts: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    abandoned, portions = threading.Event(), 0
    find = Portion.find

    def count(self: Portion, node: Node) -> Any:
        nonlocal portions
        portions += 1
        abandoned.set()
        return find(self, node)

    monkeypatch.setattr(places, "BATCH_PLACES", 200)
    monkeypatch.setattr(evaluation, "MIN_PORTIONS", 1000)
    monkeypatch.setattr(Portion, "find", count)
    long_texts.cache.clear()
    with abandonable(abandoned), pytest.raises(AbandonedError):
        meeting(long_texts, parse_expression('"mesh network"'))
    assert portions == 1


def test_a_merge_changes_no_set_and_both_indexes_verify(index: EmbeddedEngine, shelf: Shelf) -> None:
    merged = shelf.index("merged expressions", *make_parts(), merge=True)
    assert (len(index.segments), len(merged.segments)) == (3, 1)
    assert "" in index.languages
    for text in (
        '"mesh network"',
        "mesh NEAR/2 pressure NOT the",
        "press*",
        "ti:hub",
        'desc:"hub the"',
        "pressures",
        "the",
    ):
        node = parse_expression(text)
        assert meeting(merged, node) == meeting(index, node) != set(), text
    for opened in (index, merged):
        assert verify_index(opened.folder).problems == ()


def test_a_search_ranks_what_meets_the_expression_and_counts_the_rest(index: EmbeddedEngine) -> None:
    found = search_index(index, "hub", k=1000, where="S1 NOT S2", sets=('"mesh network"', "ti:the"))
    wanted = meeting(index, parse_expression('"mesh network" NOT ti:the'))
    assert {hit.doc_id for hit in found.hits} == {name for name in wanted if name not in ("DE1", "FR1")}
    assert found.coverage.excluded["where"] == index.documents - len(wanted)
    must = search_index(index, "hub", k=1000, must=["mesh network"], must_not="the")
    same = search_index(index, "hub", k=1000, where='"mesh network" NOT the')
    assert [hit.doc_id for hit in must.hits] == [hit.doc_id for hit in same.hits]


def test_settings_are_checked_before_anything_is_searched() -> None:
    with pytest.raises(UsageError, match="not closed"):
        SearchSettings(where="(radar")
    with pytest.raises(UsageError, match="parts of `where`"):
        SearchSettings(sets=("radar",))
    with pytest.raises(UsageError, match=r"must: .*has no word"):
        SearchSettings(must=("–",))
    assert SearchSettings(must=(" mesh or  Network ",)).must == ('"mesh or network"',)


def test_an_index_without_positions_refuses_what_needs_them(tmp_path: Path) -> None:
    lines = tmp_path / "patents.jsonl"
    lines.write_text('{"doc_id": "EP1", "description": {"en": "a hub of the mesh network"}, "language": "en"}\n')
    build_index(lines, tmp_path / "index", positions=False, workers=1)
    plain = EmbeddedEngine.open(tmp_path / "index")
    assert meeting(plain, parse_expression("mesh AND network NOT radar")) == {"EP1"}
    for text in ('"mesh network"', "mesh NEAR network", "net*", "ti:mesh", "the"):
        with pytest.raises(UsageError, match="need positions: the index was built without"):
            meeting(plain, parse_expression(text))
    assert verify_index(tmp_path / "index").ok


def test_what_matched_is_marked_in_the_text(index: EmbeddedEngine) -> None:
    text = "The mesh of networks; a network mesh under pressure."

    def marked(expression: str) -> list[list[str]]:
        texts = [("title", "mesh network network"), ("abstract", text), ("claims", "mesh")]
        found = mark_expression(index.analyzer("en"), parse_expression(expression), texts)
        return [[each[a:b] for a, b in marks] for (_, each), marks in zip(texts, found, strict=True)]

    assert marked('"mesh network"') == [["mesh", "network"], [], []]
    assert marked("ab:(mesh NEAR/2 network) NOT radar") == [[], ["mesh", "networks", "network", "mesh"], []]
    assert marked("press* OR ab:the") == [[], ["The", "pressure"], []]


def test_two_expressions_that_are_written_alike_are_not_taken_for_one_another(index: EmbeddedEngine) -> None:
    one, other = parse_expression('pn:«x" OR "hub»'), parse_expression('pn:x OR "hub"')
    assert str(one) == 'pn:"x" OR "hub"'
    assert meeting(index, one) == set() != meeting(index, other)


def test_a_field_that_is_not_indexed_is_refused(tmp_path: Path) -> None:
    lines = tmp_path / "patents.jsonl"
    line = {"doc_id": "EP1", "language": "en", "title": {"en": "hub"}, "claims": {"en": ["1. A mesh."]}}
    lines.write_text(json.dumps(line) + "\n")
    build_index(lines, tmp_path / "index", fields=("title", "abstract"), workers=1)
    titles = EmbeddedEngine.open(tmp_path / "index")
    assert meeting(titles, parse_expression("ta:hub")) == {"EP1"}
    for text in ("cl:mesh", "NOT cl:mesh", "hub OR ctxt:mesh"):
        with pytest.raises(UsageError, match="claims is not indexed; the index has title, abstract"):
            search_index(titles, where=text)


def test_long_and_decomposed_words_are_what_the_index_makes_of_them(tmp_path: Path) -> None:
    longest = load_profile().longest
    gene, title = "acgt" * longest, unicodedata.normalize("NFD", "Ein größeres Ventil")
    lines = tmp_path / "patents.jsonl"
    abstract = f"Die Sequenz {gene} der Probe ist lang"
    line = {"doc_id": "DE1", "language": "de", "title": {"de": title}, "abstract": {"de": abstract}}
    lines.write_text(json.dumps(line) + "\n")
    build_index(lines, tmp_path / "index", workers=1)
    german = EmbeddedEngine.open(tmp_path / "index")
    for text in (gene, f'"sequenz {gene}"', "größ*", unicodedata.normalize("NFD", "größ* ADJ/1 ventil")):
        node = parse_expression(text)
        assert meeting(german, node) == {"DE1"}, text
        marks = mark_expression(german.analyzer("de"), node, [("title", title), ("abstract", abstract)])
        assert any(marks), text


LETTERS, MARKS = "aéß漢", "*?"


@given(st.lists(st.text(LETTERS, min_size=1, max_size=8)), st.text(LETTERS + MARKS, max_size=8))
def test_a_pattern_matches_what_it_matches_by_trying_everything(words: list[str], pattern: str) -> None:
    matched = match_pattern(concatenate_texts(words), pattern).tolist()
    assert matched == [fnmatch.fnmatchcase(word, pattern) for word in words]


def index_of_title(title: str, folder: Path) -> EmbeddedEngine:
    lines = folder / "patents.jsonl"
    lines.write_text(json.dumps({"doc_id": "EP1", "language": "en", "title": {"en": title}}) + "\n")
    build_index(lines, folder / "index", workers=1)
    return EmbeddedEngine.open(folder / "index")


def test_no_pattern_takes_longer_than_its_length_times_that_of_a_word(tmp_path: Path) -> None:
    longest = load_profile().longest
    word = "f" * longest
    opened = index_of_title(f"{word} valve", tmp_path)
    for pattern in (f"ff{'*f' * 30}x", f"ff{'*f?' * 15}*x", f"ff{'*f*' * 30}x"):  # 2^60 ways to try
        node = parse_expression(pattern)
        assert meeting(opened, node) == set()
        assert mark_expression(opened.analyzer("en"), node, [("title", f"{word} valve")]) == [[]]
    for pattern in (f"ff{'*f' * 62}", f"{word[:-1]}?", f"{word}*", f"{word}* ADJ valve"):
        assert meeting(opened, parse_expression(pattern)) == {"EP1"}
    for pattern in (f"{word}f*", f"ff*{word}", f"valve NEAR/3 {word}?", "ff*" + "?" * longest):
        with pytest.raises(UsageError, match=rf"of {longest + 1} letters|of {longest + 2} letters") as refused:
            meeting(opened, parse_expression(pattern))
        assert f"the index has the first {longest} of a word" in str(refused.value)
