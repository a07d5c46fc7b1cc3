"""Families, equivalents, legal status and continuations, in XML and JSON."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

from antecede.corpus import Collection
from antecede.patent import LegalEvent, Patent

if TYPE_CHECKING:
    from pathlib import Path

HEAD = '<ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">'
ID = "<document-id><country>{}</country><doc-number>{}</doc-number><kind>{}</kind><date>{}</date></document-id>"


def member(country: str, number: str, kind: str, day: str, legal: str = "") -> str:
    publication = f"<publication-reference>{ID.format(country, number, kind, day)}</publication-reference>"
    return f'<ops:family-member family-id="7">{publication}{legal}</ops:family-member>'


LAPSE = (
    '<ops:legal code="PG25" desc="LAPSED IN A CONTRACTING STATE [VIA EPO]" infl="-">'
    '<ops:L001EP desc="Country Code">EP</ops:L001EP><ops:L007EP desc="Gazette DATE">2017-01-31</ops:L007EP>'
    '<ops:L500EP><ops:L501EP desc="Ref Country Code">DE</ops:L501EP>'
    '<ops:L510EP desc="Free Format Text">LAPSE BECAUSE OF NON-PAYMENT OF DUE FEES</ops:L510EP>'
    '<ops:L525EP desc="Effective DATE">2016-05-01</ops:L525EP></ops:L500EP></ops:legal>'
)


def read(path: Path, text: str) -> list[Patent]:
    path.write_text(text, "utf-8")
    collection = Collection(path)
    patents = [*collection.patents()]
    assert collection.ledger.rejected == 0, collection.ledger.reasons
    return patents


def test_members_of_a_family_with_their_legal_status(tmp_path: Path) -> None:
    members = member("EP", "2400812", "A1", "20111228", LAPSE) + member("EP", "2400812", "B1", "20191127", LAPSE)
    text = f"{HEAD}<ops:patent-family>{members}{member('US', '9648662', 'B2', '20170509')}</ops:patent-family>"
    european, american = read(tmp_path / "f.xml", f"{text}</ops:world-patent-data>")
    assert (european.doc_id, european.kinds, european.family_id) == ("EP2400812", ("A1", "B1"), "7")
    assert european.legal_status == (LegalEvent("lapsed, fees not paid", date(2016, 5, 1), "DE", "PG25"),)
    assert (american.doc_id, american.family_id, american.legal_status) == ("US9648662", "7", ())


def test_equivalents_are_the_members_of_a_family(tmp_path: Path) -> None:
    inquiry = f"<publication-reference>{ID.format('EP', '2400812', 'A1', '')}</publication-reference>"
    results = "".join(
        "<ops:inquiry-result><publication-reference><document-id document-id-type='epodoc'>"
        f"<doc-number>{number}</doc-number></document-id></publication-reference></ops:inquiry-result>"
        for number in ("EP2400812", "CA2744162")
    )
    body = f"<ops:equivalents-inquiry>{inquiry}{results}</ops:equivalents-inquiry>"
    (patent,) = read(tmp_path / "e.xml", f"{HEAD}{body}</ops:world-patent-data>")
    assert (patent.doc_id, patent.family_members) == ("EP2400812", ("EP2400812", "CA2744162"))


def test_an_answer_in_json_is_read_as_its_xml(tmp_path: Path) -> None:
    ids = [{"@document-id-type": "docdb", "country": {"$": "EP"}, "doc-number": {"$": "3623538"}, "kind": {"$": "A1"}}]
    document = {
        "@country": "EP",
        "@doc-number": "3623538",
        "@kind": "A1",
        "@family-id": "5",
        "bibliographic-data": {
            "publication-reference": {"document-id": ids},
            "invention-title": [{"@lang": "de", "$": "Verbindung"}, {"@lang": "en", "$": "Connection"}],
        },
    }
    answer = {"ops:world-patent-data": {"exchange-documents": {"exchange-document": [document]}}}
    (patent,) = read(tmp_path / "b.json", json.dumps(answer, indent=1))
    assert (patent.doc_id, patent.family_id) == ("EP3623538", "5")
    assert patent.title == {"de": "Verbindung", "en": "Connection"}


def test_steps_of_the_register_belong_to_the_publication_of_the_query(tmp_path: Path) -> None:
    status = '<ep-patent-status change-date="20201002" status-code="7">No opposition filed</ep-patent-status>'
    entry = f"<register-document><ep-patent-statuses>{status}</ep-patent-statuses></register-document>"
    text = f"<register-search><query>publication=EP2400812</query>{entry}</register-search>"
    (patent,) = read(tmp_path / "r.xml", f"<world-patent-data>{text}</world-patent-data>")
    assert patent.doc_id == "EP2400812"
    assert patent.legal_status == (LegalEvent("no opposition filed", date(2020, 10, 2), "EP", "7"),)


def test_continuations_are_a_family(tmp_path: Path) -> None:
    parent = {
        "parentApplicationNumberText": "16695054",
        "parentApplicationStatusDescriptionText": "Patented Case",
        "parentPatentNumber": "10916753",
    }
    bag = [{"applicationNumberText": "17248024", "parentContinuityBag": [parent]}]
    (patent,) = read(tmp_path / "c.json", json.dumps({"count": 1, "patentFileWrapperDataBag": bag}))
    assert (patent.doc_id, patent.family_members) == ("US-application-17248024", ("US10916753",))
    assert patent.legal_status == (LegalEvent("application 16695054: patented case", None, "US"),)
