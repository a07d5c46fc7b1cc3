"""Citations of examiners as judgements: office actions, registers, search reports."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antecede.corpus import Collection
from antecede.corpus.examiners import read_examiners
from antecede.corpus.topics import topics_of_examiners
from antecede.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

ACTION = {
    "patentApplicationNumber": "16123456",
    "legalSectionCode": "102",
    "parsedReferenceIdentifier": "20070217688",
    "referenceIdentifier": "Somebody US 20070217688 A1",
}
ENRICHED = {
    "patentApplicationNumber": "16123456",
    "citationCategoryCode": "Y",
    "citedDocumentIdentifier": "EP 1000001 A1",
    "relatedClaimNumberText": "1-3",
    "passageLocationText": ["paragraph [0076]|figure 1"],
}
REGISTER = """<r:register-document xmlns:r="http://www.epo.org/register"><r:bibliographic-data>
<r:publication-reference><r:document-id><r:country>EP</r:country><r:doc-number>2400812</r:doc-number><r:kind>A1</r:kind>
</r:document-id></r:publication-reference><r:references-cited>
<r:citation><r:patcit><r:document-id><r:country>EP</r:country><r:doc-number>1000001</r:doc-number></r:document-id>
<r:text>(ACME) [XI] 1-15 * page 3, line 7 * * figure 2 *</r:text></r:patcit><r:category>X</r:category></r:citation>
<r:citation><r:nplcit><r:text>A book</r:text></r:nplcit></r:citation>
</r:references-cited></r:bibliographic-data></r:register-document>"""


def write(path: Path, entries: list[dict[str, Any]]) -> Path:
    path.write_text(json.dumps({"response": {"numFound": len(entries), "docs": entries}}), "utf-8")
    return path


@pytest.fixture
def collection(tmp_path: Path) -> Collection:
    patents = [{"doc_id": name, "title": "A press"} for name in ("US20070217688", "EP1000001", "EP2400812")]
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, patents)), "utf-8")
    return Collection(tmp_path / "c.jsonl")


def test_office_actions_become_graded_judgements(tmp_path: Path, collection: Collection) -> None:
    other = {"patentApplicationNumber": "1", "legalSectionCode": "112", "parsedReferenceIdentifier": "20070217688"}
    path = write(tmp_path / "a.json", [ACTION, ENRICHED, other, {"patentApplicationNumber": "2"}])
    topics = topics_of_examiners(collection, path)
    assert topics.qrels() == "16123456 0 US20070217688 3\n16123456 0 EP1000001 2\n"
    assert topics.dropped == {
        "without a ground of prior art": 1,
        "without a number of a patent": 1,
        "topics that are not in the collection": 1,
    }
    topics.write(tmp_path / "out")
    passages = [json.loads(line) for line in (tmp_path / "out" / "passages.jsonl").read_text("utf-8").splitlines()]
    assert passages[1] == {
        "topic_id": "16123456",
        "doc_id": "EP1000001",
        "relevance": 2,
        "category": "Y",
        "claims": "1-3",
        "passages": ["paragraph [0076]", "figure 1"],
    }
    assert (tmp_path / "out" / "topics.jsonl").read_text("utf-8") == ""


def test_a_register_entry_holds_its_citations_against_the_publication(tmp_path: Path, collection: Collection) -> None:
    (tmp_path / "r.xml").write_text(REGISTER, "utf-8")
    topics = topics_of_examiners(collection, tmp_path / "r.xml")
    assert topics.qrels() == "EP2400812 0 EP1000001 3\n"
    assert [*topics.records] == ["EP2400812"]
    assert topics.passages[0]["passages"] == ["page 3, line 7", "figure 2"]
    assert topics.passages[0]["claims"] == "1-15"


SEARCH_REPORT = """<search-report-data><publication-reference><document-id><country>EP</country>
<doc-number>2400812</doc-number></document-id></publication-reference><srep-citations><citation><patcit><document-id>
<country>US</country><doc-number>2007217688</doc-number></document-id></patcit><category>X</category><rel-passage>
<passage>* claim 1 *</passage><rel-claims>1-3</rel-claims></rel-passage></citation></srep-citations>
</search-report-data>"""
OPS_JSON = {
    "ops:world-patent-data": {
        "exchange-document": {
            "publication-reference": {"document-id": {"country": {"$": "EP"}, "doc-number": {"$": "2400812"}}},
            "references-cited": {
                "citation": [
                    {
                        "patcit": {"document-id": {"country": {"$": "US"}, "doc-number": {"$": "2007217688"}}},
                        "category": {"$": "X"},
                        "rel-claims": {"$": "1-3"},
                    }
                ]
            },
        }
    }
}


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("app_id,citation_pat_pgpub_id,parsed,action_type,claims\n16123456,US 2007/0217688 A1,,102,1-3\n", "16123456"),
        ("application;cited;category;claims\nEP2400812;US2007217688A1;X;1-3\n", "EP2400812"),
        (json.dumps({**ACTION, "claims": "1-3"}) + "\n" + json.dumps({"patentApplicationNumber": "2"}), "16123456"),
        (
            json.dumps(
                {
                    "officeActionBag": [
                        {
                            "patentApplicationNumber": ["16/123,456"],
                            "legalSectionCode": ["102(a)"],
                            "relatedClaimNumberText": "1-3",
                            "referenceIdentifier": "Somebody et al. (US 2007/0217688 A1)",
                        }
                    ]
                }
            ),
            "16123456",
        ),
        (SEARCH_REPORT, "EP2400812"),
        (json.dumps(OPS_JSON), "EP2400812"),
    ],
)
def test_other_forms_of_examiners_citations(text: str, topic: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text, "utf-8")
    (citation,) = read_examiners(tmp_path / "a").citations
    assert (citation.topic_id, citation.number.key) == (topic, "US20070217688")
    assert (citation.category, citation.claims) == ("X", "1-3")


@pytest.mark.parametrize("text", ["[]", "{", "<a>", '{"docs": [{"x": 1}]}', "<a/>", ""])
def test_files_without_citations_are_refused_in_one_line(text: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(text, "utf-8")
    with pytest.raises(InputError, match="holds no citation"):
        read_examiners(tmp_path / "a")


def test_citations_of_other_documents_are_no_judgements(tmp_path: Path, collection: Collection) -> None:
    path = write(tmp_path / "a.json", [{**ACTION, "parsedReferenceIdentifier": "7000001"}])
    with pytest.raises(InputError, match="none of its 1 citations is one of 3 patents"):
        topics_of_examiners(collection, path)
