"""The plan and the citations: which patents resemble each other and which cite which; the random streams."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from antecede.synthetic.collection import format_day
from antecede.synthetic.lexicon import load_vocabulary
from antecede.synthetic.plan import (
    CORE,
    FIRST_NUMBER,
    MAX_COUNT,
    MIN_COUNT,
    PARTS,
    Plan,
    RandomStreams,
    SyntheticCitation,
    draw_integers,
    format_citation,
    make_citations,
    make_plan,
    mix,
)

PATENTS, TOPICS = 3000, 400


@pytest.fixture(scope="module")
def plan() -> Plan:
    return make_plan(PATENTS, TOPICS, 17)


def test_a_plan_takes_less_than_80_bytes_per_patent(plan: Plan) -> None:
    large = make_plan(50_000, 500, 17)
    size = sum(each.nbytes for each in large if isinstance(each, np.ndarray))
    assert size / 50_500 < 80


def test_languages_are_distributed_as_in_clefip(plan: Plan) -> None:
    shares = np.bincount(plan.language, minlength=3) / len(plan.language)
    assert shares == pytest.approx([0.70, 0.23, 0.07], abs=0.03)


def test_parts_are_distinct_and_do_not_repeat_a_word(plan: Plan) -> None:
    assert all(len(set(row)) == PARTS for row in plan.parts.tolist())
    words = load_vocabulary()
    for part in np.unique(plan.parts).tolist():
        modifiers, heads = words.modifiers["EN"][part >> 8], words.heads["EN"][part & 0xFF]
        assert not {word for idea in modifiers for word in idea.split()} & {
            word for noun in heads for word in noun.word.split()
        }


def test_patents_of_a_line_share_more_than_patents_of_a_field(plan: Plan) -> None:
    def shared(first: int, second: int) -> int:
        return len(set(plan.parts[first].tolist()) & set(plan.parts[second].tolist()))

    members = plan.field_members.tolist()
    neighbours = [
        (a, b)
        for step in (1, 5, 25)
        for a, b in zip(members[:-step], members[step:], strict=True)
        if plan.field[a] == plan.field[b]
    ]
    of_line = [shared(a, b) for a, b in neighbours if plan.line[a] == plan.line[b]]
    of_field = [shared(a, b) for a, b in neighbours if plan.line[a] != plan.line[b]]
    assert CORE * 0.5 < np.mean(of_line) < CORE
    assert np.mean(of_field) < 1


def test_dates_are_in_order(plan: Plan) -> None:
    published = plan.published[:PATENTS]
    assert np.all(np.diff(published) >= 0)
    assert (format_day(int(published[0])), format_day(int(published[-1]))) == ("1985-01-02", "2000-12-27")
    assert np.all(plan.priority < plan.published)
    assert np.all((plan.published - 6) % 7 == 0), "a Wednesday: 1970-01-07 was one"
    granted = plan.granted[plan.granted > 0]
    assert len(granted) > PATENTS / 4
    assert granted.max() <= published[-1]
    assert np.all(plan.granted[plan.granted > 0] > plan.published[plan.granted > 0])
    assert format_day(int(plan.priority[PATENTS:].min())) >= "2001-01-01"
    assert not plan.granted[PATENTS:].any()


def test_families_have_two_similar_members(plan: Plan) -> None:
    second = np.flatnonzero(plan.family != np.arange(len(plan.family)))
    assert 0.01 < len(second) / PATENTS < 0.05
    assert second.max() < PATENTS
    first = plan.family[second]
    assert np.all(plan.family[first] == first)
    assert len(set(first.tolist())) == len(first)
    assert np.array_equal(plan.parts[first], plan.parts[second])
    assert np.array_equal(plan.applicant[first], plan.applicant[second])


def test_cited_patents_were_published_before_the_priority_date(plan: Plan) -> None:
    draws, grades = RandomStreams(17), Counter[str]()
    for row in range(len(plan.line)):
        cited = make_citations(plan, row, draws.open_stream(row))
        inside = [each for each in cited if each.row >= 0]
        assert len({each.number for each in inside}) == len(inside)
        for each in inside:
            assert plan.published[each.row] < plan.priority[row]
            assert plan.family[each.row] != plan.family[row]
            assert each.number == str(FIRST_NUMBER + each.row)
            grades[each.category[0]] += 1
        for each in set(cited) - set(inside):
            assert each.country != "EP" or int(each.number) < FIRST_NUMBER
            assert each.category in ("", "A", "X", "Y")
        if row >= PATENTS:
            assert MIN_COUNT <= len(inside) <= MAX_COUNT
    assert grades["A"] > grades["X"] > grades["Y"] > 0


@pytest.mark.parametrize(
    ("citation", "written"),
    [
        (SyntheticCitation("EP", "1001234", "A1", "A", "SEA"), "EP 1 001 234 A1"),
        (SyntheticCitation("US", "4123456", "A", "A", "SEA"), "US 4,123,456"),
        (SyntheticCitation("JP", "54123456", "A", "A", "SEA"), "JP 54-123456 A"),
        (SyntheticCitation("EP", "0304727", "A1", "A", "SEA"), "EP 304 727 A1"),
    ],
)
def test_numbers_in_running_text(citation: SyntheticCitation, written: str) -> None:
    assert format_citation(citation, 0) == written


# Random streams are the same on every machine: these numbers are part of what a seed means


def test_the_stream_of_a_seed_never_changes() -> None:
    draw = RandomStreams(1).open_stream(0)
    assert [draw() for _ in range(4)] == [1969390303, 1303814779, 3133017647, 3645176323]
    assert draw_integers(1, 2, (3,)).tolist() == [1328497427, 1533115363, 158503751]
    assert mix(1, 2, 3) == 19705061
