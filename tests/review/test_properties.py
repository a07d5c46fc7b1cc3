"""Readings, and properties of every registered estimator and stopping rule; a new one needs no line here."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.errors import UsageError
from antecede.review.calibration import fit_calibration, write_calibration
from antecede.review.estimators import ESTIMATORS, Estimator, estimate
from antecede.review.reading import Reading
from antecede.review.stopping import STOPPING_RULES, StoppingRule, decide
from tests.review.drawn_topics import draw_topics

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("properties") / "c.json"
    write_calibration(fit_calibration(draw_topics(30, 1, documents=60)), path)
    return path


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    """Anything that could be read: nothing, one document, all of them; none relevant, or every one."""
    read = draw(st.integers(0, 60))
    kind = draw(st.sampled_from(["some", "none", "all"]))
    flags = np.array(draw(st.lists(st.booleans(), min_size=read, max_size=read)), bool)
    relevant = {"some": flags, "none": np.zeros(read, bool), "all": np.ones(read, bool)}[kind]
    documents = max(read + draw(st.sampled_from([0, 1, 5, 1000])), 1)
    random = np.random.default_rng(draw(st.integers(0, 9)))
    audited = random.random(read) < 0.3 if read + 1 < documents else np.zeros(read, bool)
    return Reading(
        relevant,
        documents,
        audited=audited,
        ranks=random.permutation(documents)[:read] + 1,
        probabilities=random.uniform(0.01, 1, read),
        found_by=random.random((3, read)) < 0.5,
    )


def parameters(definition: Any, file: Path) -> dict[str, Any]:
    return {"file": str(file)} if definition.needs == "calibration" else {}


@pytest.mark.parametrize("name", [*ESTIMATORS])
def test_estimates_are_possible(name: str, file: Path) -> None:
    estimator = Estimator(ESTIMATORS[name], parameters(ESTIMATORS[name], file))

    @given(reading=readings())
    def check(reading: Reading) -> None:
        answer = estimator.estimate(reading)
        assert reading.found <= answer.low <= answer.total <= answer.high <= reading.found + reading.unread
        assert 0 <= answer.recall_low <= answer.recall_high <= 1
        if answer.recall is None:
            assert (answer.found, answer.total) == (0, 0) < (0, answer.high)
        else:
            assert answer.recall_low <= answer.recall <= answer.recall_high
        assert answer == estimator.estimate(reading)
        assert answer.assumption
        assert answer.level == 0.95

    check()


@pytest.mark.parametrize("name", [*STOPPING_RULES])
def test_decisions_have_reasons(name: str, file: Path) -> None:
    rule = StoppingRule(STOPPING_RULES[name], parameters(STOPPING_RULES[name], file))

    @given(reading=readings(), target=st.sampled_from([0.8, 0.95, 1.0]))
    def check(reading: Reading, target: float) -> None:
        decision = rule.decide(reading, target)
        assert decision == rule.decide(reading, target)
        assert isinstance(decision.stop, bool)
        assert decision.reason
        assert "\n" not in decision.reason
        if reading.complete:
            assert decision.stop
        elif not reading.read:
            assert not decision.stop

    check()


@pytest.mark.parametrize("name", [*ESTIMATORS])
def test_a_wider_level_is_a_wider_interval(name: str, file: Path) -> None:
    given_parameters = parameters(ESTIMATORS[name], file)
    reading = Reading(
        np.arange(50) % 7 == 0, 500, audited=np.arange(50) > 40, probabilities=np.linspace(1, 0.2, 50),
        found_by=np.array([np.arange(50) % 2 == 0, np.arange(50) % 3 == 0]),
    )  # fmt: skip
    narrow, wide = (
        Estimator(ESTIMATORS[name], {**given_parameters, "level": level}).estimate(reading) for level in (0.5, 0.95)
    )
    assert wide.low <= narrow.low <= narrow.high <= wide.high


REVIEW = importlib.import_module("antecede.review")
NAMES = [each.name for each in pkgutil.walk_packages(REVIEW.__path__, "antecede.review.")]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_right(name: str) -> None:
    module = importlib.import_module(name)
    names = {"Reading": Reading, "estimate": estimate, "decide": decide}
    assert not doctest.testmod(module, extraglobs=names).failed


@pytest.mark.parametrize("registry", [ESTIMATORS, STOPPING_RULES], ids=["estimators", "rules"])
def test_every_entry_has_a_formula_a_paper_and_an_example(registry: dict) -> None:  # type: ignore[type-arg]
    for definition in registry.values():
        assert definition.cite, definition.name
        assert ">>>" in definition.doc, definition.name
        assert definition.summary.endswith("."), definition.name


# Readings


def test_counts_and_parts() -> None:
    reading = Reading([True, False, True, False], 10, audited=[0, 1, 0, 0])
    assert (reading.found, reading.read, reading.unread, reading.complete) == (2, 4, 6, False)
    assert reading.finds.tolist() == [1, 3]
    part = reading.up_to(2)
    assert (part.found, part.read, part.documents) == (1, 2, 10)
    assert reading.up_to(99) is reading
    ranked = reading.from_ranking
    assert (ranked.read, ranked.documents, ranked.finds.tolist()) == (3, 9, [1, 2])
    assert "bool[4]" in repr(reading)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"relevant": [True] * 3, "documents": 2}, "3 documents are read of 2"),
        ({"relevant": [], "documents": 0}, "documents must be 1 or more, not 0"),
        ({"relevant": [0, 2], "documents": 5}, "relevant must be true or false"),
        ({"relevant": ["yes"], "documents": 5}, "relevant must be true or false"),
        ({"relevant": [[True]], "documents": 5}, "one element per document read"),
        ({"relevant": [True], "documents": 5, "probabilities": [0.0]}, "probabilities must be more than 0"),
        ({"relevant": [True], "documents": 5, "probabilities": [np.nan]}, "probabilities must be more than 0"),
        ({"relevant": [True], "documents": 5, "found_by": [True]}, "found_by must have one element"),
        ({"relevant": [1, 0], "documents": 5, "ranks": [3, 3]}, "two documents cannot share a rank"),
        ({"relevant": [1, 0], "documents": 5, "ranks": [3, -1]}, "ranks must be positive"),
    ],
)
def test_contradictions_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Reading(**given)


def test_inclusion_probabilities_belong_to_the_whole_sample() -> None:
    reading = Reading([True, False], 9, probabilities=[0.5, 0.5])
    assert reading.up_to(2) is reading
    with pytest.raises(UsageError, match="hold for the whole sample"):
        reading.up_to(1)


def test_a_ranking_in_which_everything_was_audited() -> None:
    with pytest.raises(UsageError, match="every document was audited"):
        _ = Reading([True, False], 2, audited=[True, True]).from_ranking
