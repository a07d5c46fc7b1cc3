"""Many topics → rankings: none is lost, a stopped batch goes on, threads change nothing."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from antecede.conditions.filters import prior_art
from antecede.embedded.engine import EmbeddedEngine
from antecede.engine import open_index
from antecede.errors import UnusableIndexError, UsageError
from antecede.patent import Patent
from antecede.query.query_maker import QueryMaker
from antecede.search.batch import Answer, TermSweep, fingerprint, run_topics
from antecede.search.settings import SearchSettings
from antecede.search.topics import read_topics
from tests.query.worlds import Worlds, world
from tests.search.worlds import retrieve


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedEngine:
    return Worlds(tmp_path_factory.mktemp("batch")).of("w1", world(1))


TOPICS = world(1).patents[:10]
BROKEN: list[Patent | Answer] = [
    Patent("NOTHING"),
    Patent("JAPANESE", description={"ja": "歯車"}),
    Patent("UNKNOWN", description={"en": "frumious"}),
    Answer("UNREAD", failed="is no JSON"),
]


def test_every_topic_is_answered_or_counted_with_its_reason(index: EmbeddedEngine) -> None:
    batch = run_topics(index, [*TOPICS[:5], *BROKEN, *TOPICS[5:]])
    assert [each.topic_id for each in batch.answers] == [
        each.doc_id if isinstance(each, Patent) else each.topic_id for each in [*TOPICS[:5], *BROKEN, *TOPICS[5:]]
    ]
    assert {*batch.rankings} == {each.doc_id for each in TOPICS}
    assert batch.failed == {
        "has no text: title, abstract, claims and description are empty": ["NOTHING"],
        "is in ja, the index has en": ["JAPANESE"],
        "none of its 1 terms is in the index": ["UNKNOWN"],
        "is no JSON": ["UNREAD"],
    }
    facts = batch.to_dict()
    assert (facts["topics"], facts["answered"]) == (14, 10)
    assert "not answered: is no JSON" in str(batch.table())
    json.dumps(facts)


def test_threads_change_nothing(index: EmbeddedEngine) -> None:
    plan = SearchSettings(("tfidf", "lmipc", "qr"), fusion="combsum", ipc_boost=0.3)
    one, four = (run_topics(index, TOPICS, plan, threads=threads) for threads in (1, 4))
    assert one.answers == four.answers


def test_a_stopped_batch_goes_on_and_gives_the_same(index: EmbeddedEngine, tmp_path: Path) -> None:
    keep = tmp_path / "a.run.partial"
    whole = run_topics(index, TOPICS)

    def stop(done: int, _: int) -> None:
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_topics(index, TOPICS, threads=1, keep=keep, progress=stop)
    kept = len(keep.read_text().splitlines()) - 1
    assert kept >= 4
    with keep.open("a") as file:
        file.write('["cut off in the mid')
    again = run_topics(index, TOPICS, keep=keep, resume=True)
    assert (again.resumed, again.answers) == (kept, whole.answers)
    assert not keep.exists()


@pytest.mark.parametrize("change", ["plan", "topic", "no resume", "empty", "older form", "another version", "damaged"])
def test_what_is_kept_serves_only_for_the_same(
    index: EmbeddedEngine, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = tmp_path / "a.run.partial"
    with pytest.raises(KeyboardInterrupt):
        run_topics(index, TOPICS[:3], SearchSettings(("tf",)), threads=1, keep=keep, progress=interrupt)
    plan = SearchSettings(("tf",), terms=3 if change == "plan" else None)
    topics = [replace(each, title={"en": "Other"}) for each in TOPICS[:3]] if change == "topic" else TOPICS[:3]
    if change == "empty":
        keep.write_bytes(b"")
    if change == "older form":
        keep.write_bytes(keep.read_bytes().replace(b"unfinished run 5", b"unfinished run 4"))
    if change == "damaged":
        keep.write_bytes(keep.read_bytes().replace(b'"scores": [', b'"scores": [9'))
    if change == "another version":
        monkeypatch.setattr("antecede.search.batch.version", lambda _: "0.0.0")
    assert run_topics(index, topics, plan, keep=keep, resume=change != "no resume").resumed == 0


def test_a_damaged_index_ends_the_batch_instead_of_finding_nothing(index: EmbeddedEngine, tmp_path: Path) -> None:
    """What is found in time is found; a topic without an answer would count as one that finds nothing."""
    refused = 0
    for path in sorted(path for path in index.folder.rglob("segments/*/*") if path.is_file()):
        copy = Path(shutil.copytree(index.folder, tmp_path / path.parent.name / path.name))
        opened, damaged = open_index(copy), copy / path.relative_to(index.folder)
        damaged.write_bytes(bytes(byte ^ 255 for byte in path.read_bytes()))
        try:
            batch = run_topics(opened, TOPICS[:3], SearchSettings(("tf",)), threads=1)
        except UnusableIndexError:
            refused += 1
        else:
            assert not batch.failed, path.name
    assert refused > 3


def test_a_foreign_file_in_the_place_of_a_partial_run_stays(index: EmbeddedEngine, tmp_path: Path) -> None:
    keep = tmp_path / "a.run.partial"
    keep.write_bytes(b"\xff\x00 mine")
    for resume in (False, True):
        with pytest.raises(UsageError, match=r"a\.run\.partial: is not an unfinished run of antecede"):
            run_topics(index, TOPICS[:3], keep=keep, resume=resume)
    assert keep.read_bytes() == b"\xff\x00 mine"


def interrupt(done: int, total: int) -> None:
    if done == total:
        raise KeyboardInterrupt


def test_the_index_is_part_of_what_is_kept(index: EmbeddedEngine) -> None:
    assert fingerprint(index, SearchSettings()) == fingerprint(open_index(index.folder), SearchSettings())
    entry = index.manifest.segments[0]
    name, file = next(iter(entry.files.items()))
    files = {**entry.files, name: replace(file, sha256="0" * 64)}  # built again from other texts, of the same size
    other = replace(index.manifest, segments=(replace(entry, files=files), *index.manifest.segments[1:]))
    assert fingerprint(index, SearchSettings()) != fingerprint(EmbeddedEngine(index.folder, other), SearchSettings())
    assert fingerprint(index, SearchSettings()) != fingerprint(index, SearchSettings(k=7))


def test_two_topics_of_one_name_are_refused(index: EmbeddedEngine) -> None:
    with pytest.raises(UsageError, match=f"2 topics are called {TOPICS[0].doc_id}"):
        run_topics(index, [TOPICS[0], TOPICS[0]])


def test_an_answer_carries_the_heaviest_terms_it_was_searched_with(
    index: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("antecede.search.batch.HEAVIEST", 3)
    batch = run_topics(index, [*TOPICS, BROKEN[0]], SearchSettings(("tf", "full"), terms=4))
    maker = QueryMaker(index, partial(retrieve, index))
    for topic, answer in zip(TOPICS, batch.answers, strict=False):
        made = maker.make(maker.topic(topic), "tf", terms=3, filters=prior_art(topic)).query
        assert [*answer.queries["tf"].items()] == [*zip(made.terms, made.weights.tolist(), strict=True)]
        assert [*answer.queries] == ["tf", "full"]
        assert Answer.from_dict(json.loads(json.dumps(answer.to_dict()))) == answer
    assert (batch.answers[-1].queries, batch.answers[-1].milliseconds) == ({}, (0.0, 0.0))
    assert batch.to_dict()["milliseconds"] == dict(zip(("making", "searching"), batch.milliseconds, strict=True))
    assert min(batch.milliseconds) > 0


def test_documents_that_a_topic_names_are_put_in_front_and_counted(index: EmbeddedEngine) -> None:
    named = next(each for each in world(1).patents if each.publication_date and each.description)
    topic = Patent(
        "EP9000001", language="en", description={"en": f"A gear as in {named.doc_id[:2]}-A-{named.doc_id[2:]}. A hub."}
    )
    plain, cited = (run_topics(index, [topic], SearchSettings(("full",), cited=c)).answers[0] for c in (False, True))
    assert (plain.cited, cited.cited) == (0, 1)
    assert cited.doc_ids[0] == named.doc_id
    assert [*cited.scores] == sorted(cited.scores, reverse=True)
    rest = [doc for doc in plain.doc_ids if doc != named.doc_id]
    assert [*cited.doc_ids[1:]] == rest[: len(cited.doc_ids) - 1]
    early = replace(topic, priority_date=named.publication_date)
    assert run_topics(index, [early], SearchSettings(("full",), cited=True)).answers[0].cited == 0


def test_topics_are_patents_in_files_or_names_of_the_index(index: EmbeddedEngine, tmp_path: Path) -> None:
    lines = tmp_path / "topics.jsonl"
    lines.write_text("".join(json.dumps(each.to_dict()) + "\n" for each in TOPICS[:3]) + "{broken\n")
    read = read_topics(index, str(lines))
    assert [each.doc_id for each in read if isinstance(each, Patent)] == [each.doc_id for each in TOPICS[:3]]
    assert sum(isinstance(each, Answer) for each in read) == 1
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(f"{TOPICS[0].doc_id} 0 EP1 1\n{TOPICS[0].doc_id} 0 EP2 1\nEP42 0 EP1 1\n\n# a comment\n")
    named = read_topics(index, str(qrels))
    assert [each.doc_id if isinstance(each, Patent) else each for each in named] == [
        TOPICS[0].doc_id,
        Answer("EP42", failed="is not in the index"),
    ]


def test_a_sweep_is_the_same_as_runs_with_fewer_terms(index: EmbeddedEngine) -> None:
    sweep = TermSweep(index, [*TOPICS, BROKEN[0], BROKEN[3]], SearchSettings(k=20), 12, threads=2)
    for terms in (1, 5, 12):
        assert (
            sweep.rankings("tfidf", terms)
            == run_topics(index, TOPICS, SearchSettings(("tfidf",), terms=terms, k=20)).rankings
        )
    assert [*sweep.failed] == ["NOTHING"]


def test_a_folder_that_we_wrote_gives_its_topics_alone(index: EmbeddedEngine, tmp_path: Path) -> None:
    (tmp_path / "topics.jsonl").write_text(json.dumps(TOPICS[0].to_dict()) + "\n")
    (tmp_path / "qrels.txt").write_text(f"{TOPICS[0].doc_id} 0 EP1 1\n")
    assert [each.doc_id for each in read_topics(index, str(tmp_path)) if isinstance(each, Patent)] == [TOPICS[0].doc_id]
    (tmp_path / "more.jsonl").write_text(json.dumps(TOPICS[1].to_dict()) + "\n")
    whole = read_topics(index, str(tmp_path))
    assert [each.doc_id for each in whole if isinstance(each, Patent)] == [TOPICS[1].doc_id, TOPICS[0].doc_id]
    assert sum(isinstance(each, Answer) for each in whole) == 1  # somebody's own folder: nothing of it is passed over


def test_a_boost_of_scores_below_zero_is_refused(index: EmbeddedEngine) -> None:
    plan = SearchSettings(("full",), model="lm_dirichlet", ipc_boost=0.5)
    plain = run_topics(index, TOPICS, replace(plan, ipc_boost=0.0))
    below = {each.topic_id for each in plain.answers if each.scores and min(each.scores) < 0}
    boosted = run_topics(index, TOPICS, plan)
    assert below
    assert {topic for why, topics in boosted.failed.items() if "non-negative scores" in why for topic in topics} == {
        each.doc_id for each in TOPICS if each.doc_id in below and each.ipc
    }
