"""Names with parameters, as users write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.named import checked, chosen, read_named, written

NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
VALUES = st.integers(0, 10**6) | st.floats(0, 1e6).map(lambda value: float(f"{value:g}"))


@given(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), st.sampled_from([",", ", "]))
def test_what_is_written_is_read_again(name: str, parameters: dict[str, float], between: str) -> None:
    found = read_named(written(name, parameters, between))
    assert found is not None
    assert found.name == name
    assert {each: float(value) for each, value in found.parameters} == parameters


@pytest.mark.parametrize("text", ["", "bm25(", "bm25)", "bm25(k1=(1))", "a b", "bm25()x"])
def test_what_is_no_name_is_none(text: str) -> None:
    assert read_named(text) is None


def test_words_may_be_joined_as_one_likes() -> None:
    assert read_named(" LM-Dirichlet ( mu = 5 ,, ) ") == ("lm_dirichlet", (("mu", "5"),))


def test_errors_tell_what_there_is() -> None:
    with pytest.raises(UsageError, match=r"there is no thing 'fou'; did you mean four\?"):
        chosen("fou", {"four": 4}, "thing", "fou")
    with pytest.raises(UsageError, match="there is no thing 'x'; there are four, five"):
        chosen("x", {"four": 4, "five": 5}, "thing", "x")
    with pytest.raises(UsageError, match=r"f\(z=1\): f has no parameter 'z'; it has none"):
        checked("f", [("z", "1")], {}, "f(z=1)")
    with pytest.raises(UsageError, match="a is given twice"):
        checked("f", [("a", "1"), ("a", "2")], ["a"], "f(a=1,a=2)")
