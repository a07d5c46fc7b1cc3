"""Many samples scored together give what each gives alone, for every measure there is."""

from __future__ import annotations

import numpy as np
import pytest

from antecede.measures import Ranks
from antecede.study import judgement_loss
from antecede.study.judgement_loss import JudgementSamples, find_distinct, rescore
from tests.measures.worlds import every_measure
from tests.study.worlds import drawn_table

MEASURES = every_measure()


def alone(sampled: JudgementSamples, sample: int) -> Ranks:
    """The rank table of one sample, made the plain way."""
    ranks = sampled.ranks
    present = np.ones(len(ranks.relevance), bool)
    present[sampled.pairs] = sampled.kept[sample]
    columns = np.flatnonzero(present)
    return Ranks(
        ranks.ranks[:, columns],
        ranks.relevance[columns],
        np.searchsorted(columns, ranks.offsets),
        ranks.retrieved,
        None if ranks.copies is None else ranks.copies[columns],
    )


@pytest.mark.parametrize("least", [-1, 1, 2], ids=["any is lost", "a relevant one is lost", "a high grade is lost"])
@pytest.mark.parametrize("copies", [False, True])
@pytest.mark.parametrize("cells", [1, 60, 100_000])
def test_equals_each_sample_on_its_own(cells: int, copies: bool, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judgement_loss, "CELLS", cells)
    table = drawn_table(5, copies=copies)
    random = np.random.default_rng(1)
    # A copy goes with its document: the draws are by document.
    of = np.arange(len(table.doc_ids)) if table.ranks.copies is None else np.cumsum(~table.ranks.copies) - 1
    pairs = np.flatnonzero((random.random(len(of)) < 0.6)[of] & (table.ranks.relevance >= least))
    kept = (random.random((12, len(of))) < 0.5)[:, of[pairs]]
    kept[3] = kept[7]
    kept[4] = False
    sampled = JudgementSamples(table.ranks, pairs, kept)
    together = rescore(sampled, MEASURES)
    for sample in range(len(kept)):
        plain = alone(sampled, sample)
        for at, measure in enumerate(MEASURES):
            expected = measure.aggregate(measure.score(plain))
            np.testing.assert_allclose(together[at, sample], expected, rtol=1e-12, atol=1e-14, err_msg=str(measure))


def test_what_samples_share_is_scored_once() -> None:
    table = drawn_table(2, topics=3)
    pairs = np.flatnonzero(table.ranks.topic == 1)
    kept = np.ones((6, len(pairs)), bool)
    kept[1, 0] = kept[4, 0] = False
    cases = JudgementSamples(table.ranks, pairs, kept).find_cases()
    assert cases.topic.tolist() == [0, 1, 1, 2]
    assert len({*cases.of[:, 1].tolist()}) == 2
    assert cases.of[1].tolist() == cases.of[4].tolist() != cases.of[0].tolist()


def test_rows_are_told_apart_however_wide_they_are() -> None:
    random = np.random.default_rng(0)
    for width in (1, 8, 9, 64, 65, 200):
        rows = random.random((50, width)) < 0.5
        rows[10:20] = rows[0:10]
        first, kind = find_distinct(rows)
        assert (rows[first][kind] == rows).all()
        assert len(first) == len(np.unique(rows, axis=0))


def test_progress_reaches_its_end() -> None:
    table = drawn_table(2)
    kept = np.ones((2, 3), bool)
    told: list[tuple[int, int]] = []
    rescore(
        JudgementSamples(table.ranks, np.arange(3), kept), MEASURES[:1], lambda done, total: told.append((done, total))
    )
    assert told[-1][0] == told[-1][1] > 0
