"""Lists of the codes of registers, and what the events of a patent are called with them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import xlsxwriter

from antecede.corpus import Collection
from antecede.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

FAMILY = """<world-patent-data><patent-family><family-member family-id="7"><publication-reference><document-id>
<country>EP</country><doc-number>1000000</doc-number><kind>A1</kind></document-id></publication-reference>
<legal code="XX1"><L001EP desc="Country Code">EP</L001EP><L007EP desc="Gazette DATE">2017-01-31</L007EP></legal>
<legal code="XX2" desc="SECOND"><L001EP desc="Country Code">EP</L001EP></legal></family-member></patent-family>
</world-patent-data>"""
COLUMNS = ["Authority", "Event-code", "Influence", "Description ENG", "Event-class", "Event-class Description"]
ROWS = [["EP", "XX1 ", "-", "ENDED [BY LAW]", "H", "CESSATION"], ["DE", "XX2", " ", "OTHER", "R", "PARTY"]]


def test_events_are_said_in_the_words_of_the_list(tmp_path: Path) -> None:
    (tmp_path / "family.xml").write_text(FAMILY, "utf-8")
    (plain,) = Collection(tmp_path / "family.xml").patents()
    assert [event.text for event in plain.legal_status] == ["event XX1", "second"]
    with xlsxwriter.Workbook(tmp_path / "codes.xlsx") as book:
        sheet = book.add_worksheet()
        for at, row in enumerate([COLUMNS, *ROWS]):
            sheet.write_row(at, 0, row)
    (tmp_path / "codes.csv").write_text("\n".join(";".join(row) for row in [COLUMNS, *ROWS]), "utf-8")
    for name in ("codes.xlsx", "codes.csv"):
        codes = {"event_codes": str(tmp_path / name)}
        (patent,) = Collection(tmp_path / "family.xml", names=codes).patents()
        assert [event.text for event in patent.legal_status] == ["ended (cessation)", "second"]
        collection = Collection(tmp_path / name)
        assert [*collection.patents()] == []
    collection = Collection(tmp_path / "codes.xlsx")
    assert [*collection.patents()] == []
    (reason,) = collection.ledger.reasons
    assert reason == 'a list of legal event codes, not patents; use it with names={"event_codes": FILE}'


def test_the_status_codes_of_the_uspto(tmp_path: Path) -> None:
    entry = {"applicationStatusCode": 150, "applicationStatusDescriptionText": "Patented Case"}
    (tmp_path / "codes.json").write_text(json.dumps({"count": 1, "statusCodeBag": [entry]}), "utf-8")
    bag = [{"childApplicationNumberText": "2", "childPatentNumber": "11000000", "childApplicationStatusCode": 150}]
    data = {"inventionTitle": "Pump", "filingDate": "2018-09-06", "patentNumber": "10916753", "grantDate": "2021-02-09"}
    application = {"applicationNumberText": "1", "applicationMetaData": data, "childContinuityBag": bag}
    (tmp_path / "a.json").write_text(json.dumps({"patentFileWrapperDataBag": [application]}), "utf-8")
    (patent,) = Collection(tmp_path / "a.json", names={"event_codes": str(tmp_path / "codes.json")}).patents()
    assert (patent.doc_id, patent.title, patent.family_members) == ("US10916753", {"en": "Pump"}, ("US11000000",))
    assert [event.text for event in patent.legal_status] == ["application 2: patented case"]
    collection = Collection(tmp_path / "codes.json")
    assert [*collection.patents()] == []
    assert [*collection.ledger.reasons] == [
        'a list of status codes, not patents; use it with names={"event_codes": FILE}'
    ]


@pytest.mark.parametrize("text", ["", "a;b\n1;2\n", '{"a": 1}', "PK\x03\x04", "[1]"])
def test_other_files_are_no_lists_of_codes(text: str, tmp_path: Path) -> None:
    (tmp_path / "codes").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"holds no codes|cannot be read"):
        Collection(tmp_path / "a.xml", names={"event_codes": str(tmp_path / "codes")})


def test_several_entries_of_the_register_are_several_patents(tmp_path: Path) -> None:
    entries = "".join(
        "<register-document><bibliographic-data><publication-reference><document-id><country>EP</country>"
        f"<doc-number>{number}</doc-number><kind>A1</kind></document-id></publication-reference>"
        f"<invention-title lang='en'>Pump {number}</invention-title></bibliographic-data></register-document>"
        for number in (1111111, 2222222)
    )
    answer = f"<register-search><query>pa=ACME</query><register-documents>{entries}</register-documents>"
    (tmp_path / "r.xml").write_text(f"<world-patent-data>{answer}</register-search></world-patent-data>", "utf-8")
    assert [patent.doc_id for patent in Collection(tmp_path / "r.xml").patents()] == ["EP1111111", "EP2222222"]
