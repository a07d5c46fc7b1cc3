"""The collection as files: reproducible, well formed, and consistent with its qrels and topics."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections import Counter, defaultdict
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
import zstandard
from lxml import etree

from antecede.corpus import Collection
from antecede.corpus.topics import make_topics
from antecede.errors import UsageError
from antecede.synthetic import synthesize
from antecede.synthetic.collection import choose_topic_count, compute_lengths
from tests.synthetic.conftest import PATENTS, SEED, TOPICS, SampleCollection

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.synthetic.collection import Form


def digests(folder: Path) -> dict[str, str]:
    """The digest of each file in a folder."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines(folder: Path) -> list[dict[str, Any]]:
    """The records of a compressed file of JSON lines."""
    with (folder / "patents.jsonl.zst").open("rb") as packed:
        stream = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        return [json.loads(line) for line in io.TextIOWrapper(stream, encoding="utf-8")]


def qrels(folder: Path) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels.txt").read_text().splitlines():
        topic, zero, doc_id, relevance = line.split(" ")
        assert zero == "0"
        assert doc_id not in found[topic]
        found[topic][doc_id] = int(relevance)
    return found


@pytest.fixture(scope="module")
def records(jsonl: SampleCollection) -> dict[str, dict[str, Any]]:
    """The patents and topics of the JSON lines by name."""
    return {each["doc_id"]: each for part in ("collection", "topics") for each in lines(jsonl.folder / part)}


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(jsonl: SampleCollection, tmp_path: Path) -> None:
    synthesize(tmp_path / "again", PATENTS, SEED, topics=TOPICS, form="jsonl")
    assert digests(tmp_path / "again") == digests(jsonl.folder)
    synthesize(tmp_path / "other", PATENTS, SEED + 1, topics=TOPICS, form="jsonl")
    assert not digests(tmp_path / "other").items() & digests(jsonl.folder).items()


@pytest.mark.slow
@pytest.mark.parametrize("form", ["marec", "jsonl"])
def test_the_number_of_workers_changes_nothing(form: Form, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    alone: SampleCollection = request.getfixturevalue(form)
    synthesize(tmp_path / "two", PATENTS, SEED, topics=TOPICS, form=form, workers=2)
    assert digests(tmp_path / "two") == digests(alone.folder)


def test_every_file_is_well_formed_and_declares_itself_synthetic(marec: SampleCollection) -> None:
    paths = sorted(marec.folder.rglob("*.xml"))
    assert len(paths) == marec.counts.documents
    for path in paths:
        root = etree.fromstring(path.read_bytes())
        assert root.tag == "patent-document"
        assert f"{root.get('ucid')}.xml" == path.name
        assert path.parent.relative_to(marec.folder).as_posix().endswith(f"EP/{path.name[6:8]}/{path.name[8:10]}")
        assert b"<!-- Synthetic: " in path.read_bytes()
        assert re.search(r"synthetic text|künstlicher|texte de synthèse", etree.tostring(root, encoding=str))


def test_a_granted_patent_has_claims_in_three_languages(marec: SampleCollection) -> None:
    grants = sorted(marec.folder.rglob("*-B1.xml"))
    assert len(grants) > PATENTS / 4
    for path in grants:
        root = etree.parse(path).getroot()
        claims = {each.get("lang"): each.findall("claim") for each in root.iterfind("claims")}
        assert list(claims) == ["DE", "EN", "FR"]
        assert len({len(each) for each in claims.values()}) == 1
        numerals = [
            [re.findall(r"\(\d+\)", each.findtext("claim-text") or "") for each in claims[language]]
            for language in claims
        ]
        for one, two, three in zip(*numerals, strict=True):
            assert set(one) == set(two) == set(three), path.name
        assert root.find("abstract") is None
        assert not (path.parent / path.name.replace("-B1", "-B2")).exists()


def test_qrels_resolve_inside_the_collection(marec: SampleCollection) -> None:
    judged = qrels(marec.folder)
    inside = {f"EP{path.name.split('-')[1]}" for path in (marec.folder / "collection").rglob("*.xml")}
    topics = {f"EP{path.name.split('-')[1]}" for path in (marec.folder / "topics").rglob("*.xml")}
    assert len(inside) == PATENTS
    assert judged.keys() == topics
    assert not topics & inside
    assert {doc_id for each in judged.values() for doc_id in each} <= inside
    counts = [len(each) for each in judged.values()]
    assert 3 <= min(counts) <= max(counts) <= 20
    assert 5 < sum(counts) / len(counts) < 7
    assert (min(counts), max(counts), sum(counts)) == (
        *(marec.counts.fewest_relevant, marec.counts.most_relevant, marec.counts.relevant),
    )
    assert Counter(grade for each in judged.values() for grade in each.values()).keys() == {1, 2, 3}


def test_topics_are_listed_with_their_files(marec: SampleCollection, jsonl: SampleCollection) -> None:
    for made in (marec, jsonl):
        head, *rows = (made.folder / "topics.tsv").read_text().splitlines()
        assert head.split("\t") == ["topic_id", "language", "path", "priority_date"]
        assert len(rows) == TOPICS
        for row in rows:
            topic, language, path, priority = row.split("\t")
            assert (made.folder / path).is_file()
            assert language in ("EN", "DE", "FR")
            assert priority >= "2001-01-01"
            assert topic[2:] in path or made is jsonl


@pytest.mark.slow
def test_both_forms_have_the_same_content(marec: SampleCollection, jsonl: SampleCollection) -> None:
    """Read with the readers of antecede.corpus, which are independent of this package."""
    read = []
    for made in (marec, jsonl):
        collection = Collection(made.folder / "collection", made.folder / "topics")
        read.append({patent.doc_id: patent.to_dict() | {"source": ""} for patent in collection.patents()})
        assert collection.ledger.rejected == 0
    assert read[0] == read[1]
    judged = (marec.folder / "qrels.txt").read_text()
    assert judged == (jsonl.folder / "qrels.txt").read_text()
    made_again = make_topics(collection, after=date(2001, 1, 1)).qrels()
    assert sorted(made_again.splitlines()) == sorted(judged.splitlines()), "topics made from its citations"


def test_words_differ_between_a_topic_and_its_citations(
    jsonl: SampleCollection, records: dict[str, dict[str, Any]]
) -> None:
    """Vocabulary mismatch: documents that a topic cites use few of the part names in its first claim."""
    named, alike = 0, 0
    for topic, relevant in qrels(jsonl.folder).items():
        if records[topic]["language"] != "en":
            continue
        parts = re.findall(r"an? ([a-z -]+?) \(\d+\)", records[topic]["claims"]["en"][0])
        for doc_id in relevant:
            text = records[doc_id]["description"].get("en")
            if text is not None:
                named += len(parts)
                alike += sum(part in text for part in parts)
    assert 0.05 < alike / named < 0.5


def test_vocabulary_keeps_growing(jsonl: SampleCollection) -> None:
    words: set[str] = set()
    sizes = []
    for patent in lines(jsonl.folder / "collection"):
        words.update(re.findall(r"[^\W\d_]+", patent["description"].get("en", "").lower()))
        sizes.append(len(words))
    half, quarter = sizes[PATENTS // 2], sizes[PATENTS // 4]
    assert sizes[-1] - half > 0.5 * (half - quarter) > 50


def test_lengths_have_the_requested_mean(tmp_path: Path, jsonl: SampleCollection) -> None:
    drawn = compute_lengths(1300)
    assert sum(drawn) / len(drawn) == pytest.approx(1300, rel=0.01)
    assert max(drawn) > 3 * min(drawn)
    texts = [text for each in lines(jsonl.folder / "collection") for text in each["description"].values()]
    tokens = [len(re.findall(r"[^\W\d_]+", text)) for text in texts]
    assert sum(tokens) / len(tokens) == pytest.approx(1300, rel=0.1)
    synthesize(tmp_path / "short", 100, form="jsonl", length=600)
    short = [text for each in lines(tmp_path / "short" / "collection") for text in each["description"].values()]
    assert sum(map(len, short)) / len(short) < 0.7 * sum(map(len, texts)) / len(texts)


def test_what_was_written_is_reported(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []
    made = synthesize(tmp_path / "out", 300, topics=30, form="jsonl", progress=lambda *each: reports.append(each))
    assert [done for done, _ in reports] == [256, 300, 330]
    assert {total for _, total in reports} == {330}
    assert sum(made.languages.values()) == 330
    assert made.to_dict()["topics"] == 30
    assert "no patent in it is real" in str(made.table())
    readme = (tmp_path / "out" / "README.md").read_text()
    assert "antecede synthesize --patents 300 --topics 30 --seed 1 --form jsonl --length 1300" in readme
    assert "Nothing in this folder is real" in readme
    assert [choose_topic_count(patents) for patents in (100, 2000, 10**6)] == [25, 100, 500]


def test_the_folder_appears_only_when_complete(tmp_path: Path) -> None:
    def stop(done: int, _total: int) -> None:
        if done > 256:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(tmp_path / "never", 400, form="jsonl", length=300, progress=stop)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UsageError, match=r"full: already exists and is not an empty folder.*choose another folder"):
        synthesize(tmp_path / "full", 200)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="not an empty folder"):
        synthesize(tmp_path / "file", 200)
    with pytest.raises(UsageError, match="cannot be created"):
        synthesize(tmp_path / "file" / "below", 200)
    (tmp_path / "empty").mkdir()
    assert synthesize(tmp_path / "empty", 100, topics=2, form="jsonl").topics == 2
    assert (tmp_path / "empty" / "qrels.txt").is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patents": 99}, "cannot generate 99 patents; choose 100 to 5,000,000"),
        ({"patents": 10**7}, "cannot generate 10000000 patents"),
        ({"topics": 0}, "0 topics"),
        ({"topics": 201}, "cannot generate 201 topics for 200 patents"),
        ({"seed": -1}, "out of range"),
        ({"seed": 2**63}, "out of range"),
        ({"form": "pdf"}, "unknown form 'pdf'; choose one of marec, jsonl"),
        ({"length": 10}, "descriptions of 10 tokens"),
        ({"workers": 0}, "0 workers"),
    ],
)
def test_requests_out_of_range_are_rejected(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        synthesize(tmp_path / "out", **{"patents": 200, **options})
    assert not list(tmp_path.iterdir())
