"""A test collection from citations."""

from __future__ import annotations

import gzip
import json
from datetime import date
from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection, make_topics
from antecede.errors import InputError
from antecede.trec import read_qrels
from tests.corpus.worlds import CITING, COLLECTION, marec, write_jsonl

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    return Collection(write_jsonl(tmp_path / "c.jsonl", *COLLECTION))


def test_what_is_cited_is_relevant_by_its_strongest_category(collection: Collection) -> None:
    topics = make_topics(collection)
    assert topics.relevant == {"EP1000003": {"EP1000001": 3, "EP1000002": 2}}
    assert topics.dropped == {"not in the collection": 1, "the topic itself": 1, "of the topic's family": 1}
    assert make_topics(collection, grading="one").relevant == {"EP1000003": {"EP1000001": 1, "EP1000002": 1}}


def test_numbers_in_the_description_are_citations_too(collection: Collection) -> None:
    assert make_topics(collection, citations="text").relevant == {"EP1000003": {"EP1000001": 1, "US5123456": 1}}
    both = make_topics(collection, citations="both").relevant
    assert both == {"EP1000003": {"EP1000001": 3, "EP1000002": 2, "US5123456": 1}}


def test_topics_are_chosen_by_day_language_and_number(collection: Collection) -> None:
    assert make_topics(collection, after=date(2005, 3, 1)).relevant
    for choice in ({"after": date(2005, 3, 2)}, {"languages": ["de"]}, {"fewest": 3}, {"most": 1}):
        with pytest.raises(InputError, match="no topic"):
            make_topics(collection, **choice)


def test_the_documents_of_a_patent_make_one_topic(tmp_path: Path) -> None:
    cited = (
        "<patcit ucid='EP-{}-A1'><document-id><country>EP</country><doc-number>{}</doc-number></document-id></patcit>"
    )
    for kind, number in (("A1", "1000001"), ("B1", "1000002")):
        patcit = cited.format(number, number)
        citations = f"<citations><patent-citations>{patcit}</patent-citations></citations>"
        whole = marec("1000009", kind).replace("</technical-data>", f"{citations}</technical-data>")
        (tmp_path / f"EP-1000009-{kind}.xml").write_text(whole)
    write_jsonl(tmp_path / "old.jsonl", *COLLECTION[:2])
    collection = Collection(tmp_path)
    topics = make_topics(collection)
    assert topics.relevant == {"EP1000009": {"EP1000001": 1, "EP1000002": 1}}
    assert topics.records["EP1000009"].kinds == ("A1", "B1")
    assert (collection.ledger.read, collection.ledger.merged, collection.ledger.patents) == (4, 1, 3)


def test_the_files_hold_the_topics_whole_and_qrels_that_are_read_back(collection: Collection, tmp_path: Path) -> None:
    topics = make_topics(collection)
    topics.write(tmp_path / "out")
    assert len(read_qrels(tmp_path / "out" / "qrels.txt")) == 2
    (line,) = (tmp_path / "out" / "topics.jsonl").read_text().splitlines()
    assert json.loads(line)["description"] == {"en": CITING["description"]}


@pytest.mark.slow
def test_real_front_page_citations_come_back(data: Path, tmp_path: Path) -> None:
    """Of every fifth topic, in a collection of those patents and every tenth other."""
    judged = [line.split() for line in (data / "patents-abstract" / "qrels.txt").read_text().splitlines()]
    topics = {*sorted({topic for topic, _, _, _ in judged})[::5]}
    wanted = {(topic, document) for topic, _, document, _ in judged if topic in topics}
    named = {name for pair in wanted for name in pair}
    with gzip.open(data / "patents-abstract" / "patents.jsonl.gz", "rt") as every:
        kept = [line for at, line in enumerate(every) if at % 10 == 0 or json.loads(line)["id"] in named]
    (tmp_path / "patents.jsonl").write_text("".join(kept))
    made = make_topics(Collection(tmp_path / "patents.jsonl"), grading="one")
    assert len(wanted) > 200
    assert wanted <= {(topic, document) for topic, documents in made.relevant.items() for document in documents}
