"""Expressions: how they are written, and what is refused."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from antecede.conditions.parser import ExpressionError, parse_expression
from antecede.errors import UsageError

if TYPE_CHECKING:
    from antecede.conditions.tree import Node


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("radar  sonar", "radar AND sonar"),
        ("radar or sonar not ship", "radar OR sonar AND NOT ship"),
        ("(a b) c", "a AND b AND c"),
        ("fuel-cell", '"fuel cell"'),
        ("“live Migration”", '"live migration"'),
        ("„a b“ «c d»", '"a b" AND "c d"'),
        ("a NEAR b", "a NEAR/1 b"),
        ("a near5 b adj3 c", "(a NEAR/5 b) ADJ/3 c"),
        ("pressur+ colo#r valve$", "pressur* AND colo?r AND valve*"),
        ("ti=valve ctxt=(a or b) desc:c", "ti:valve AND ctxt:(a OR b) AND desc:c"),
        ("ic:h04l12/56 pa:'Robert", 'ipc:"H04L 12/56" AND pa:robert'),
        ("pd:2001", "pd:2001-01-01..2001-12-31"),
        ("pd:[2001-02 TO 2003]", "pd:2001-02-01..2003-12-31"),
        ("pd>2001 pd<2003-02-01", "pd:2002-01-01.. AND pd:..2003-01-31"),
        ('pd:"2001..*"', "pd:2001-01-01.."),
        ('"near" and "or"', '"near" AND "or"'),
        ("S1 AND NOT S2", "(radar OR sonar) AND NOT (radar OR sonar) AND ship"),
    ],
)
def test_an_expression_has_a_normal_form(written: str, normal: str) -> None:
    node = parse_expression(written, ("radar OR sonar", "S1 AND ship") if "S1" in written else ())
    if "S1" not in written:
        assert str(node) == normal
        assert parse_expression(normal) == node
    else:
        assert [type(part).__name__ for part in node.walk()].count("Or") == 2


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "is empty", 0),
        ("radar AND", "missing at the end", 9),
        ("AND radar", "missing before AND", 0),
        ("(radar", "is not closed", 0),
        ("radar)", "was not opened", 5),
        ("()", "missing before this parenthesis", 1),
        ('ship "radar', "quotation mark is not closed", 5),
        ("wi:fi", "no field 'wi'", 0),
        ("ti:(ab:x)", "inside the field ti:", 4),
        ("ship 5w radar", "write ADJ/5", 5),
        ("ship prox/distance<3 radar", "write ADJ/5", 5),
        ('"a b"~5', "write ADJ/5", 5),
        ("ship | radar", "write OR", 5),
        ("ship -radar", "write NOT", 5),
        ("ship NEAR/0 radar", "a distance is", 5),
        ("ship NEAR/99999999999 radar", "a distance is", 5),
        ("ship NEAR/5 (a AND b)", "AND cannot be part of NEAR/5", 12),
        ("ship NEAR/5 NOT b", "missing before NOT", 12),
        ("(NOT a) ADJ b", "NOT cannot be part of ADJ", 8),
        ("a NEAR ipc:H04L", "ipc:H04L cannot be part of NEAR", 7),
        ("S1", "no set is defined", 0),
        ("802.11", "digits are not indexed", 0),
        ("a*", "matches too many words", 0),
        ("ship ***", "matches too many words", 5),
        ("–", "has no word", 0),
        ("ipc:ZZ9", "is not a prefix of an IPC code", 4),
        ("pa:–", "has no word", 3),
        ("ct:x", "is not a patent number", 3),
        ("pd:soon", "is not a date", 0),
        ("pd:>9999-12-31", "for an open range", 0),
        ("pd:2010..2005", "no date is from 2010-01-01 to 2005-12-31", 0),
        ("pd:..", "give a date", 0),
        ("pd:", "give one date", 3),
        ("ti>5", "compares dates only", 0),
        ("(" * 60 + "a" + ")" * 60, "levels of parentheses", 51),
        ("NOT " * 60 + "a", "levels of parentheses", 204),
        ("word NEAR/5 " * 60 + "a", "levels of parentheses, NOT, NEAR or ADJ", 605),
        (" ".join(["word"] * 3000), "at most 2000 are allowed", 0),
    ],
)
def test_what_cannot_be_understood_is_refused_with_its_place(text: str, message: str, place: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    line, caret = caught.value.picture.split("\n")
    assert message in str(caught.value)
    assert str(caught.value).isprintable()
    assert caught.value.place == place
    assert caret.index("^") - 4 == min(place, 50)
    assert len(line) <= 84


def test_malformed_expressions_are_refused_in_one_line_or_understood() -> None:
    draw = random.Random(7)  # noqa: S311
    pieces = (
        '" ( ) AND OR NOT NEAR/3 ADJ ti: pd: ipc: pa= * ? a ab* S1 [ ] 2001 .. >= é 漢字 - + /5w ~2 | \\ “ »'.split()  # noqa: SIM905
    )
    pieces += ["'", "\x00", "\u202e"]
    for _ in range(3000):
        text = "".join(draw.choice(pieces) + draw.choice(["", " "]) for _ in range(draw.randint(1, 12)))
        node, problem = parsed(text)
        assert problem.isprintable()
        assert node is None or parse_expression(str(node)) == node, text


def parsed(text: str) -> tuple[Node | None, str]:
    try:
        return parse_expression(text), ""
    except UsageError as error:
        return None, str(error)


def test_sets_grow_without_bound_no_more_than_words() -> None:
    doubling = ["radar OR sonar", *(f"S{at} AND S{at}" for at in range(1, 40))]
    with pytest.raises(ExpressionError, match="at most 2000"):
        parse_expression("S40", doubling)
    with pytest.raises(ExpressionError, match="set S2: there is no set S2"):
        parse_expression("S2", ("radar", "S2"))
    growing = ["radar", *(f"S{at} NEAR/9 sonar NEAR/8 radar" for at in range(1, 200))]
    with pytest.raises(ExpressionError, match="with its sets"):
        parse_expression("S199", growing)
    with pytest.raises(ExpressionError, match="at most 2000"):  # which would be millions of words
        parse_expression("S2 " * 20_000, ("radar", "S1 " * 1500))


@pytest.mark.parametrize("text", ["pd:[" + "a," * 45_000, "pd:[" + " " * 90_000, "pd:[a TO" + " " * 90_000 + "]"])
def test_an_expression_is_read_in_linear_time(text: str) -> None:
    with pytest.raises(ExpressionError, match=r"is not a date|give one date"):
        parse_expression(text)
