"""How ranking models are written, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from antecede.errors import UsageError
from antecede.search.listing import LISTING
from antecede.search.models import CollectionFacts, Model, Postings, models, parse_model
from antecede.search.models.registry import Range, model
from tests.search.worlds import EVERY_MODEL


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_a_model_is_written_as_it_prints(name: str) -> None:
    definition = models()[name]
    assert str(parse_model(definition.usage)) == definition.usage
    assert str(parse_model(f" {name.upper().replace('_', '-')} ")) == name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("bm52", "no ranking model 'bm52'; did you mean bm25?"),
        ("dirichlet", "did you mean lm_dirichlet"),
        ("xyz", "there are bm25, inl2, lm_dirichlet"),
        ("bm25(", "is no ranking model; write it as bm25"),
        ("bm25(k3=1)", "bm25 has no parameter 'k3'; it has k1, b"),
        ("bm25(b=2)", "b is 2, it must be 0 ≤ b ≤ 1"),
        ("bm25(b)", "b '' is no number"),
        ("bm25(b=x)", "b 'x' is no number"),
        ("bm25(b=nan)", "b is nan, it must be 0 ≤ b ≤ 1"),
        ("bm25(k1=-1)", "k1 is -1, it must be 0 ≤ k1"),
        ("bm25(k1=inf)", "k1 is inf, it must be 0 ≤ k1"),
        ("bm25(b=0,b=1)", "b is given twice"),
        ("lm_jelinek_mercer(lam=1)", "lam is 1, it must be 0 < lam < 1"),
        ("lm_dirichlet(mu=0)", "mu is 0, it must be 0 < mu"),
    ],
)
def test_a_wrong_model_is_refused_with_a_reason(written: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model(written)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_model_that_gives_no_number_is_refused() -> None:
    broken = Model(models()["pl2"], {"c": 1e-300})
    postings = Postings(np.ones(1), np.ones(1), np.ones(1), np.ones(1))
    with pytest.raises(UsageError, match="gives no number"):
        broken.impacts(postings, CollectionFacts(10, 100, 10.0))


def test_the_register_refuses_what_its_author_got_wrong() -> None:
    with pytest.raises(ValueError, match="two models are called bm25"):
        model("bm25", cite="x")(lambda at, _: at.counts)
    with pytest.raises(ValueError, match="has no parameter b"):
        model("fresh", cite="x", b="0 < b")(lambda at, _: at.counts)
    with pytest.raises(ValueError, match="does not say from where to where b goes"):
        Range.of("b", "0 to 1")


def test_the_listing_has_every_model_with_formula_and_source() -> None:
    assert [row[0] for row in LISTING.as_table().rows] == [each.usage for each in models().values()]
    for each in LISTING.as_dicts():
        assert each["cite"]
        assert "·" in each["doc"] or "log" in each["doc"]
        assert set(each["parameters"]) == set(each["ranges"])
        assert each["usage"] in LISTING.explained([each["name"]])
        assert each["doc"] in LISTING.manual()
