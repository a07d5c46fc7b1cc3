"""The collection as files: the same bytes again, well formed, and what qrels and topics promise is there."""

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
from antecede.synthetic.collection import lengths, usual_topics
from antecede.synthetic.composition import compose
from antecede.synthetic.plan import Plan, make_plan
from antecede.synthetic.shares import AT_ONCE, Task, shares
from tests.synthetic.conftest import PATENTS, SEED, TOPICS, Made

if TYPE_CHECKING:
    from pathlib import Path

    from antecede.synthetic.document import SyntheticPatent
    from antecede.synthetic.writer import Draw


def digests(folder: Path) -> dict[str, str]:
    """What each file of a folder holds."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def lines(folder: Path) -> list[dict[str, Any]]:
    """The records of a packed file of JSON lines."""
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


def test_the_same_seed_gives_the_same_bytes(jsonl: Made, tmp_path: Path) -> None:
    synthesize(tmp_path / "again", PATENTS, SEED, topics=TOPICS, form="jsonl")
    assert digests(tmp_path / "again") == digests(jsonl.folder)
    synthesize(tmp_path / "other", PATENTS, SEED + 1, topics=TOPICS, form="jsonl")
    assert not digests(tmp_path / "other").items() & digests(jsonl.folder).items()


@pytest.mark.parametrize("form", ["marec", "jsonl"])
def test_the_number_of_workers_changes_nothing(form: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    alone: Made = request.getfixturevalue(form)
    synthesize(tmp_path / "two", PATENTS, SEED, topics=TOPICS, form=form, workers=2)
    assert digests(tmp_path / "two") == digests(alone.folder)


def test_every_file_is_well_formed_and_says_that_it_is_synthetic(marec: Made) -> None:
    paths = sorted(marec.folder.rglob("*.xml"))
    assert len(paths) == marec.said.documents
    for path in paths:
        root = etree.fromstring(path.read_bytes())
        assert root.tag == "patent-document"
        assert f"{root.get('ucid')}.xml" == path.name
        assert path.parent.relative_to(marec.folder).as_posix().endswith(f"EP/{path.name[6:8]}/{path.name[8:10]}")
        assert b"<!-- Synthetic: " in path.read_bytes()
        assert re.search(r"synthetic text|künstlicher|texte de synthèse", etree.tostring(root, encoding=str))


def test_a_granted_patent_has_claims_in_three_languages(marec: Made) -> None:
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


def test_qrels_resolve_inside_the_collection(marec: Made) -> None:
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
        *(marec.said.fewest_relevant, marec.said.most_relevant, marec.said.relevant),
    )
    assert Counter(grade for each in judged.values() for grade in each.values()).keys() == {1, 2, 3}


def test_topics_are_listed_with_their_files(marec: Made, jsonl: Made) -> None:
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


def test_both_forms_say_the_same(marec: Made, jsonl: Made) -> None:
    """As our own readers see it, which were written without this package in view."""
    read = []
    for made in (marec, jsonl):
        collection = Collection(made.folder / "collection", made.folder / "topics")
        read.append({patent.doc_id: patent.to_dict() | {"source": ""} for patent in collection.patents()})
        assert collection.ledger.rejected == 0
    assert read[0] == read[1]
    assert (marec.folder / "qrels.txt").read_bytes() == (jsonl.folder / "qrels.txt").read_bytes()


def test_topics_made_from_its_citations_are_its_qrels(jsonl: Made) -> None:
    made = make_topics(Collection(jsonl.folder / "collection", jsonl.folder / "topics"), after=date(2001, 1, 1))
    assert sorted(made.qrels().splitlines()) == sorted((jsonl.folder / "qrels.txt").read_text().splitlines())


def test_citations_were_published_before(jsonl: Made) -> None:
    patents = {each["doc_id"]: each for part in ("collection", "topics") for each in lines(jsonl.folder / part)}
    inside = outside = 0
    for patent in patents.values():
        assert patent["priority_date"] <= patent["filing_date"] < patent["publication_date"]
        for each in patent["citations"]:
            country, number, _ = each["number"].split("-")
            cited = patents.get(f"{country}{number.lstrip('0')}")
            if cited is None:
                outside += 1
                continue
            inside += 1
            assert cited["publication_date"] < patent["priority_date"]
            assert cited["family_id"] != patent["family_id"]
    assert inside > outside > 100


def test_words_differ_between_a_topic_and_what_it_cites(jsonl: Made) -> None:
    """Vocabulary mismatch: of the parts that a topic names in its first claim, what it cites names few alike."""
    patents = {each["doc_id"]: each for part in ("collection", "topics") for each in lines(jsonl.folder / part)}
    named, alike = 0, 0
    for topic, relevant in qrels(jsonl.folder).items():
        if patents[topic]["language"] != "en":
            continue
        parts = re.findall(r"an? ([a-z -]+?) \(\d+\)", patents[topic]["claims"]["en"][0])
        for doc_id in relevant:
            text = patents[doc_id]["description"].get("en")
            if text is not None:
                named += len(parts)
                alike += sum(part in text for part in parts)
    assert 0.05 < alike / named < 0.5


def test_vocabulary_keeps_growing(jsonl: Made) -> None:
    words: set[str] = set()
    sizes = []
    for patent in lines(jsonl.folder / "collection"):
        words.update(re.findall(r"[^\W\d_]+", patent["description"].get("en", "").lower()))
        sizes.append(len(words))
    half, quarter = sizes[PATENTS // 2], sizes[PATENTS // 4]
    assert sizes[-1] - half > 0.5 * (half - quarter) > 50


def test_lengths_have_the_mean_that_was_asked_for(tmp_path: Path, jsonl: Made) -> None:
    drawn = lengths(1300)
    assert sum(drawn) / len(drawn) == pytest.approx(1300, rel=0.01)
    assert max(drawn) > 3 * min(drawn)
    texts = [text for each in lines(jsonl.folder / "collection") for text in each["description"].values()]
    tokens = [len(re.findall(r"[^\W\d_]+", text)) for text in texts]
    assert sum(tokens) / len(tokens) == pytest.approx(1300, rel=0.1)
    synthesize(tmp_path / "short", 100, form="jsonl", length=600)
    short = [text for each in lines(tmp_path / "short" / "collection") for text in each["description"].values()]
    assert sum(map(len, short)) / len(short) < 0.7 * sum(map(len, texts)) / len(texts)


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    made = synthesize(tmp_path / "told", 300, topics=30, form="jsonl", progress=lambda *each: told.append(each))
    assert [done for done, _ in told] == [256, 300, 330]
    assert {total for _, total in told} == {330}
    assert sum(made.languages.values()) == 330
    assert made.to_dict()["topics"] == 30
    assert "no patent in it is real" in str(made.table())


def test_patents_are_written_as_they_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that memory holds a share of them at a time, and the plan, whose size is tested beside it."""
    composed: list[int] = []

    def counting(plan: Plan, row: int, draw: Draw, lengths: tuple[int, ...]) -> SyntheticPatent:
        composed.append(row)
        return compose(plan, row, draw, lengths)

    monkeypatch.setattr("antecede.synthetic.shares.compose", counting)
    task = Task(make_plan(3 * AT_ONCE, 10, 1), tmp_path, "jsonl", (300,))
    taken = shares(task, workers=1)
    assert not composed
    first = next(taken)
    assert composed == list(range(AT_ONCE))
    assert first.written.documents == AT_ONCE
    assert [share.written.documents for share in taken] == [AT_ONCE, AT_ONCE, 10]


def test_the_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    def stop(done: int, _total: int) -> None:
        if done > 256:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synthesize(tmp_path / "never", 400, form="jsonl", progress=stop)
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    with pytest.raises(UsageError, match=r"full: is there already.*choose another --out"):
        synthesize(tmp_path / "full", 200)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="not an empty folder"):
        synthesize(tmp_path / "file", 200)
    with pytest.raises(UsageError, match="cannot be made"):
        synthesize(tmp_path / "file" / "below", 200)
    (tmp_path / "empty").mkdir()
    assert synthesize(tmp_path / "empty", 100, topics=2, form="jsonl").topics == 2
    assert (tmp_path / "empty" / "qrels.txt").is_file()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patents": 99}, "99 patents cannot be made; ask for 100"),
        ({"patents": 10**7}, "cannot be made"),
        ({"topics": 0}, "0 topics"),
        ({"topics": 201}, "201 topics cannot be made for 200 patents"),
        ({"seed": -1}, "out of range"),
        ({"seed": 2**63}, "out of range"),
        ({"form": "pdf"}, "unknown form 'pdf'; there are marec, jsonl"),
        ({"length": 10}, "descriptions of 10 tokens"),
        ({"workers": 0}, "0 workers"),
    ],
)
def test_what_cannot_be_made_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        synthesize(tmp_path / "out", **{"patents": 200, **options})
    assert not list(tmp_path.iterdir())


def test_topics_are_one_to_twenty_patents() -> None:
    assert [usual_topics(patents) for patents in (100, 2000, 10**6)] == [25, 100, 500]


def test_the_readme_tells_how_to_make_it_again(marec: Made) -> None:
    text = (marec.folder / "README.md").read_text()
    assert f"antecede synthesize --patents {PATENTS} --topics {TOPICS} --seed {SEED} --form marec --length 1300" in text
    assert "Nothing in this folder is real" in text
