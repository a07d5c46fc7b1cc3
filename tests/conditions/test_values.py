"""Values as they are compared: the beginnings of classes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.conditions.values import parse_class_prefix
from antecede.errors import UsageError


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("h", "H"),
        ("H04", "H04"),
        (" h04l ", "H04L"),
        ("H04L12", "H04L 12/"),
        ("H04L 012", "H04L 12/"),
        ("H04L 12/", "H04L 12/"),
        ("H04L  12/56", "H04L 12/56"),
        ("Y02E60/10", "Y02E 60/10"),
    ],
)
def test_beginnings_of_codes_are_brought_into_normal_form(written: str, normal: str) -> None:
    assert parse_class_prefix(written) == normal


@given(text=st.text(max_size=12))
def test_a_code_stays_itself_or_is_refused(text: str) -> None:
    try:
        normal = parse_class_prefix(text)
    except UsageError:
        return
    assert parse_class_prefix(normal) == normal
    assert normal[0] in "ABCDEFGHY"


@pytest.mark.parametrize("text", ["", "4", "HO4L", "H04L-12", "H04L 12/56/7", "electricity"])
def test_a_wrong_code_is_named_with_the_right_form(text: str) -> None:
    with pytest.raises(UsageError, match="is not a prefix of an IPC code; write it as H04, H04L, H04L 12, H04L 12/56"):
        parse_class_prefix(text)
