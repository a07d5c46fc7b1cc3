"""How ranking models are written, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.models import MODELS, CollectionFacts, Model, Postings, model, parse_model
from tests.search.worlds import EVERY_MODEL


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_a_model_is_written_as_it_prints(name: str) -> None:
    definition = MODELS[name]
    assert str(parse_model(definition.usage)) == definition.usage.replace(", ", ",")
    assert str(parse_model(f" {name.upper().replace('_', '-')} ")) == name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("bm52", "unknown ranking model 'bm52'; did you mean bm25?"),
        ("dirichlet", "did you mean lm_dirichlet"),
        ("xyz", "available: bm25, "),
        ("bm25(", "is not a ranking model; write it as bm25"),
        ("bm25(b=2)", "b must be between 0 and 1, not 2"),
        ("bm25(b)", "'b' is not a parameter; write it as name=value"),
        ("lm_jelinek_mercer(lambda=1)", "lambda must be between 0 and 1, both excluded, not 1"),
        ("lm_dirichlet(mu=0)", "mu must be more than 0, not 0"),
    ],
)
def test_a_wrong_model_is_refused_with_a_reason(written: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(written)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_that_gives_no_number_is_refused() -> None:
    broken = Model(MODELS["pl2"], {"c": 1e-300})
    postings = Postings(np.ones(1), np.ones(1), np.ones(1), np.ones(1))
    with pytest.raises(UsageError, match="not finite"):
        broken.impacts(postings, CollectionFacts(10, 100, 10.0))


def test_the_register_refuses_what_its_author_got_wrong() -> None:
    with pytest.raises(ValueError, match="two entries are registered as the ranking model bm25"):
        model("bm25", cite="x")(lambda at, _: at.counts)
