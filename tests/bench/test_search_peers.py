"""The engines of the bench on a collection so small that each of them must find what antecede finds."""

from __future__ import annotations

import gzip
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from bench.engine_process import ENGINES, EngineKind, MissingEngineError
from bench.search_peers import Collection, Contest, compete, contest_table, goals, share
from bench.searched_texts import TOPICS, provide

from bench import search_peers

WORDS = ["".join(chr(97 + number // 26**at % 26) for at in range(3)) for number in range(300)]
DOCUMENTS, LONGEST = 300, 40
EXACT = {"index.search", "tantivy", "Lucene", "bm25s", "Terrier"}
"""Engines that must agree on documents this short; the others have impacts in eight bits."""
COMPARED = ENGINES if os.environ.get("ANTECEDE_PEERS") else ENGINES[:3]
"""Antecede, also by `index.search`, and tantivy; the others take minutes to install and to start: on request."""


def write_texts(file: Path, number: int, random: np.random.Generator) -> None:
    chances = 1 / np.arange(2, len(WORDS) + 2)
    lengths = random.integers(10, LONGEST + 1, number).tolist()
    with file.open("w", encoding="utf-8") as lines:
        for at, length in enumerate(lengths):
            words = random.choice(WORDS, length, p=chances / chances.sum()).tolist()
            lines.write(json.dumps({"doc_id": f"US{at}", "language": "en", "description": " ".join(words)}) + "\n")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    folder, random = tmp_path_factory.mktemp("searched"), np.random.default_rng(5)
    write_texts(folder / "texts.jsonl", DOCUMENTS, random)
    write_texts(folder / "topics.jsonl", TOPICS, random)
    files = (str(folder / "texts.jsonl"),)
    return Collection("tiny", folder, files, str(folder / "topics.jsonl"), DOCUMENTS, 25, "generated")


@pytest.fixture(scope="module")
def contest(collection: Collection) -> Contest:
    """All engines that are installed, one that is not and one that ends at once."""

    def missing() -> str:
        raise MissingEngineError("javac is not installed")

    def provide_index(kind: EngineKind, given: Collection) -> Path:
        return provided(ENGINES[0] if kind.name == "broken" else kind, given)

    engines = [replace(kind, warm_up=0) for kind in COMPARED]
    engines.append(replace(ENGINES[0], name="absent", version=missing))
    engines.append(replace(ENGINES[0], name="broken", command=lambda *_: ("false",)))
    provided = search_peers.provide
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_peers, "ROUNDS", 1)
        patch.setattr(search_peers, "provide", provide_index)
        return compete(collection, engines)


@pytest.mark.slow
@pytest.mark.parametrize("peer", ENGINES[1:], ids=lambda peer: peer.name)
def test_peer_finds_what_we_find(contest: Contest, peer: EngineKind) -> None:
    if peer not in COMPARED:
        pytest.skip("set ANTECEDE_PEERS=1 to compare every engine of the bench")
    if contest.missing.get(peer.name, "").startswith("not installed"):
        pytest.skip(contest.missing[peer.name])
    assert peer.name not in contest.missing
    for kind, number in search_peers.QUERIES.items():
        assert all(len(contest.best[peer.name, kind, k]) == number for k in search_peers.DEPTHS)
        shares = [contest.shares[peer.name, kind, k] for k in search_peers.DEPTHS]
        assert min(shares) == 1 if peer.name in EXACT else min(shares) > 0.8
        assert ((peer.name, kind) in contest.rates) == peer.threads
        (row,) = (row for row in contest_table(contest, kind).rows if row[0] == peer.name)
        assert "–" not in row[2:8]


@pytest.mark.slow
def test_engine_without_figures_is_reported_and_the_others_go_on(contest: Contest) -> None:
    assert contest.missing["absent"] == "not installed: javac is not installed"
    assert contest.missing["broken"] == "failed: broken ended with exit code 1"
    assert "absent: not installed: javac is not installed." in search_peers.remarks([contest])
    assert contest.middle("antecede", "full", 1000) is not None


def test_missing_engine_has_a_row(collection: Collection) -> None:
    contest = Contest(collection, {}, {"Lucene": "not installed: javac is not installed"})
    assert [row[:3] for row in contest_table(contest, "q75").rows] == [("Lucene", "–", "not installed")]
    assert goals([contest]).rows == ()


def test_java_is_not_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(MissingEngineError, match="java is not installed"):
        next(kind for kind in ENGINES if kind.name == "Lucene").version()


def test_share_counts_equal_scores_in_any_order() -> None:
    ours = [("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)]
    assert share(ours, [("a", 30.0), ("c", 20.0)], 2) == 1
    assert share(ours, [("a", 30.0), ("d", 20.0)], 2) == 0.5
    assert share(ours[:1], [("a", 1.0)], 100) == 1


def test_goals_compare_with_the_fastest_rival(collection: Collection) -> None:
    contest = Contest(collection, {})
    for name, seconds in (("antecede", 1.0), ("tantivy", 6.0), ("Lucene", 9.0), ("bm25s", 4.0), ("BMP", 1.0)):
        for kind in search_peers.KINDS:
            for k in search_peers.DEPTHS:
                contest.best[name, kind, k] = [seconds, seconds, 99.0]
    found = {goal: (got, met) for goal, got, met in goals([contest]).rows}
    assert found["tiny, 300 documents, q75, k = 100: 5 × the fastest of tantivy, Lucene, bm25s"] == (
        "4.00 × (bm25s)",
        "no",
    )
    assert found["tiny, 300 documents, full, k = 1,000: 5 × tantivy"] == ("6.00 ×", "yes")
    assert found["tiny, 300 documents, q75, k = 100: at least level with BMP"] == ("1.00 ×", "yes")


@pytest.mark.slow
def test_grown_texts_are_real_words_and_no_copies(tmp_path: Path) -> None:
    random, source = np.random.default_rng(3), tmp_path / "patents.jsonl.gz"
    with gzip.open(source, "wt", encoding="utf-8") as file:
        for at in range(120):
            paragraphs = [" ".join(random.choice(WORDS, 12).tolist()) for _ in range(6)]
            file.write(json.dumps({"id": f"US-{at}", "title": "a title", "description": "\n".join(paragraphs)}) + "\n")
    facts = provide(source, tmp_path / "out", 300, 0)
    assert (facts["documents"], facts["real"]) == (300, 120 - TOPICS)
    texts = [json.loads(line) for line in Path(facts["files"][0]).read_text().splitlines()]
    topics = [json.loads(line)["description"] for line in Path(facts["topics"]).read_text().splitlines()]
    assert len({each["doc_id"] for each in texts}) == len({each["description"] for each in texts}) == 300
    assert [each["ipc"] for each in texts] == sorted(each["ipc"] for each in texts)
    assert len(topics) == TOPICS
    assert not set(topics) & {each["description"] for each in texts}
    assert provide(source, tmp_path / "out", 300, 0) == facts
