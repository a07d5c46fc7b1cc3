"""Bibliography of DOCDB and OPS: a document of our own in both dialects, families, then the real files."""

from __future__ import annotations

import re
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.document import DocumentError, RawDocument, Rejected
from antecede.corpus.formats import FORMATS
from antecede.corpus.formats.docdb import docdb
from antecede.corpus.safe_xml import parse_xml
from antecede.corpus.splitter import split
from antecede.patent import Citation
from tests.corpus.formats.mangled import number, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.etree import _Element as Element

DOCDB = """<exch:exchange-document country="EP" doc-number="1000001" kind="A1" date-publ="20000517" family-id="77"
 status="A" xmlns:exch="http://www.epo.org/exchange"><exch:bibliographic-data>
<exch:publication-reference data-format="docdb"><document-id lang="de"><country>EP</country>
<doc-number>1000001</doc-number><kind>A1</kind><date>20000517</date></document-id></exch:publication-reference>
<exch:publication-reference data-format="epodoc"><document-id><doc-number>EP1000001</doc-number></document-id>
</exch:publication-reference>
<exch:classification-ipc><edition>7</edition><main-classification> 7B 28B   5/02   A</main-classification>
<further-classification> 7B 28B   7/00   B</further-classification></exch:classification-ipc>
<exch:classifications-ipcr>
<classification-ipcr sequence="1"><text>B28B   1/29        20060101ALI20051008RMEP        </text></classification-ipcr>
<classification-ipcr sequence="2"><text>B28B   5/02        20060101AFI20051008RMEP        </text></classification-ipcr>
</exch:classifications-ipcr><exch:patent-classifications>
<patent-classification sequence="1"><classification-scheme office="EP" scheme="CPCI"/>
<classification-symbol>B28B   1/29        </classification-symbol><symbol-position>L</symbol-position>
</patent-classification><patent-classification sequence="2"><classification-scheme office="EP" scheme="CPCNO"/>
<classification-symbol>A61K2800/10        </classification-symbol><symbol-position>F</symbol-position>
</patent-classification><patent-classification sequence="3"><classification-scheme office="US" scheme="UC"/>
<classification-symbol>264/297</classification-symbol></patent-classification>
</exch:patent-classifications>
<exch:application-reference data-format="docdb"><document-id><country>EP</country><doc-number>99203729</doc-number>
<kind>A</kind><date>19991108</date></document-id></exch:application-reference>
<exch:application-reference data-format="epodoc"><document-id><doc-number>EP19990203729</doc-number></document-id>
</exch:application-reference><exch:language-of-publication>de</exch:language-of-publication>
<exch:priority-claims><exch:priority-claim sequence="1" data-format="docdb"><document-id><country>NL</country>
<doc-number>1010536</doc-number><kind>A</kind><date>19981112</date></document-id></exch:priority-claim>
<exch:priority-claim sequence="2" data-format="docdb"><document-id><country>DE</country><doc-number>1</doc-number>
<date>19980101</date></document-id></exch:priority-claim></exch:priority-claims>
<exch:parties><exch:applicants>
<exch:applicant sequence="1" data-format="docdb"><exch:applicant-name><name>FA ZIEGEL [DE]</name></exch:applicant-name>
</exch:applicant><exch:applicant sequence="1" data-format="docdba"><exch:applicant-name><name>Firma Ziegel</name>
</exch:applicant-name></exch:applicant></exch:applicants><exch:inventors>
<exch:inventor sequence="1" data-format="docdb"><exch:inventor-name><name>BAUM ANNA</name></exch:inventor-name>
</exch:inventor><exch:inventor sequence="2" data-format="docdb"><exch:inventor-name><name>STEIN OTTO</name>
</exch:inventor-name></exch:inventor><exch:inventor sequence="1" data-format="docdba"><exch:inventor-name>
<name>BAUM, Anna</name></exch:inventor-name></exch:inventor></exch:inventors></exch:parties>
<exch:invention-title lang="de" data-format="docdb">ZIEGEL</exch:invention-title>
<exch:invention-title lang="de" data-format="docdba">Ziegel aus Ton</exch:invention-title>
<exch:invention-title lang="ol" data-format="docdba">Briques de la terre et de l'eau pour les murs
</exch:invention-title>
<exch:references-cited>
<exch:citation cited-phase="ISR" sequence="1"><patcit num="1" dnum="DE3546191A1"><document-id doc-id="1">
<country>DE</country><doc-number>3546191</doc-number><kind>A1</kind><name>X</name><date>19870702</date></document-id>
</patcit><rel-passage><passage>all</passage><category>A</category><category>X</category></rel-passage>
<category>XA</category></exch:citation>
<exch:citation cited-phase="SEA" sequence="2"><patcit num="2" dnum="DE3546191A1"><document-id><country>DE</country>
<doc-number>3546191</doc-number><kind>A1</kind></document-id></patcit><category>A</category></exch:citation>
<exch:citation cited-phase="EXA" sequence="3"><nplcit num="1"><text>A book</text></nplcit></exch:citation>
<exch:citation cited-phase="APP" sequence="4"><patcit num="3" dnum-type="application number"><document-id>
<country>US</country><doc-number>20685698</doc-number></document-id></patcit></exch:citation>
<exch:citation cited-phase="OPP" sequence="5"><patcit num="4" dnum="EP0680812A1"/></exch:citation>
</exch:references-cited></exch:bibliographic-data>
<exch:abstract lang="en" data-format="docdba"><p>A brick. &lt;IMAGE></p></exch:abstract>
<exch:patent-family><family-member><publication-reference data-format="docdb"><document-id><country>AT</country>
<doc-number>1</doc-number></document-id></publication-reference></family-member></exch:patent-family>
</exch:exchange-document>"""

OPS = """<exchange-document xmlns="http://www.epo.org/exchange" system="ops.epo.org" family-id="77" country="EP"
 doc-number="1000001" kind="A1"><bibliographic-data><publication-reference><document-id document-id-type="docdb">
<country>EP</country><doc-number>1000001</doc-number><kind>A1</kind><date>20000517</date></document-id>
<document-id document-id-type="epodoc"><doc-number>EP1000001</doc-number><date>20000517</date></document-id>
</publication-reference><classification-ipc><text>B28B5/02</text><text>B28B7/00</text></classification-ipc>
<patent-classifications><patent-classification sequence="1"><classification-scheme office="EP" scheme="CPCI"/>
<section>B</section><class>28</class><subclass>B</subclass><main-group>7</main-group><subgroup>0064</subgroup>
</patent-classification></patent-classifications>
<application-reference doc-id="1"><document-id document-id-type="docdb"><country>EP</country>
<doc-number>99203729</doc-number><kind>A</kind></document-id><document-id document-id-type="epodoc">
<doc-number>EP19990203729</doc-number><date>19991108</date></document-id></application-reference>
<priority-claims><priority-claim sequence="1" kind="national"><document-id document-id-type="epodoc">
<doc-number>NL19981010536</doc-number><date>19981112</date></document-id></priority-claim></priority-claims>
<parties><inventors><inventor sequence="1" data-format="epodoc"><inventor-name><name>BAUM ANNA [DE]</name>
</inventor-name></inventor><inventor sequence="1" data-format="original"><inventor-name><name>BAUM, ANNA,</name>
</inventor-name></inventor></inventors></parties>
<references-cited><citation cited-phase="national-search-report" cited-by="examiner" sequence="1">
<patcit dnum-type="publication number" num="1"><document-id document-id-type="epodoc"><doc-number>DE3546191</doc-number>
</document-id><document-id document-id-type="docdb"><country>DE</country><doc-number>3546191</doc-number>
<kind>A1</kind></document-id></patcit><category>A</category></citation></references-cited>
</bibliographic-data></exchange-document>"""


def test_a_document_of_exchange() -> None:
    found = docdb(parsed(DOCDB), "a.xml")
    assert (found.number, found.kinds, found.language) == (number("EP", "1000001", "A1"), ("A1",), "de")
    assert found.title == {"de": "Ziegel aus Ton", "fr": "Briques de la terre et de l'eau pour les murs"}
    assert found.abstract == {"en": "A brick."}
    assert found.ipc == ("B28B 5/02", "B28B 1/29", "B28B 7/00")
    assert found.cpc == ("A61K 2800/10", "B28B 1/29")
    assert (found.priority_date, found.filing_date) == (date(1998, 1, 1), date(1999, 11, 8))
    assert found.publication_date == date(2000, 5, 17)
    assert found.applicants == ("Firma Ziegel",)
    assert found.inventors == ("BAUM, Anna", "STEIN OTTO")
    assert found.family_id == "77"
    assert found.citations == (
        Citation(number("DE", "3546191", "A1"), "X", "search"),
        Citation(number("EP", "0680812", "A1"), None, "opposition"),
    )


def test_the_same_from_open_patent_services() -> None:
    found = docdb(parsed(OPS), "a.xml")
    assert (found.number, found.family_id) == (number("EP", "1000001", "A1"), "77")
    assert (found.ipc, found.cpc) == (("B28B 5/02", "B28B 7/00"), ("B28B 7/0064",))
    assert (found.priority_date, found.filing_date) == (date(1998, 11, 12), date(1999, 11, 8))
    assert found.publication_date == date(2000, 5, 17)
    assert found.inventors == ("BAUM, ANNA",)
    assert found.citations == (Citation(number("DE", "3546191", "A1"), "A", "search"),)


@pytest.mark.parametrize(
    ("given", "phase"),
    [
        ("SEA", "search"),
        ("SUP", "search"),
        ("international-search-report", "search"),
        ("national-examination", "examination"),
        ("CH2", "examination"),
        ("FOP", "opposition"),
        ("APL", "appeal"),
        ("applicant", "applicant"),
        ("third-party-observation", "third party"),
        ("XYZ", "xyz"),
        ("undefined", None),
    ],
)
def test_phases_in_our_words(given: str, phase: str | None) -> None:
    found = docdb(parsed(OPS.replace("national-search-report", given)), "")
    assert [each.phase for each in found.citations] == [phase]


@pytest.mark.parametrize(
    ("given", "category"), [("X", "X"), ("XY", "X"), ("A,D", "A"), ("PY", "Y"), ("y", "Y"), ("T", "T"), ("-", None)]
)
def test_the_strongest_category(given: str, category: str | None) -> None:
    found = docdb(parsed(OPS.replace("<category>A</category>", f"<category>{given}</category>")), "")
    assert [each.category for each in found.citations] == [category]


def test_the_attributes_are_not_needed() -> None:
    found = docdb(parsed(re.sub(r'country="EP"\s+doc-number="1000001" kind="A1"', "", OPS)), "")
    assert (found.doc_id, found.kinds) == ("EP1000001", ("A1",))


@pytest.mark.parametrize(("status", "reason"), [("not found", "has no such document"), ("D", "was deleted")])
def test_a_notice_is_no_document(status: str, reason: str) -> None:
    with pytest.raises(DocumentError, match=reason):
        docdb(parsed(f'<exchange-document country="EP" doc-number="9" kind="A1" status="{status}"/>'), "")


MEMBER = """<ops:family-member family-id="77"><publication-reference><document-id document-id-type="docdb">
<country>EP</country><doc-number>1000001</doc-number><kind>A1</kind><date>20000517</date></document-id>
</publication-reference>{}</ops:family-member>"""
FAMILY = """<?xml version="1.0"?><ops:world-patent-data xmlns="http://www.epo.org/exchange" xmlns:ops="http://ops.epo.org">
<ops:patent-family><ops:publication-reference/>{}</ops:patent-family></ops:world-patent-data>"""
FORMAT = FORMATS["docdb"]


def cut_out(content: bytes) -> list[RawDocument | Rejected]:
    """What the splitting of files makes of a response."""
    return list(split(BytesIO(content), "a.xml", roots=FORMAT.roots, containers=FORMAT.containers))


def test_family_members_with_their_bibliography_are_documents() -> None:
    found = cut_out(FAMILY.format(MEMBER.format(OPS) + MEMBER.format(OPS.replace("1000001", "1000002"))).encode())
    patents = [FORMAT.parse(each, {}) for each in found if isinstance(each, RawDocument)]
    assert [(each.doc_id, len(each.ipc)) for each in patents] == [("EP1000001", 2), ("EP1000002", 2)]


@pytest.mark.parametrize("inside", ["", '<ops:legal code="17Q "/>'])
def test_family_members_that_are_only_named_are_none(inside: str) -> None:
    (rejected,) = cut_out(FAMILY.format(MEMBER.format(inside) * 3).encode())
    assert isinstance(rejected, Rejected)
    assert "world-patent-data" in rejected.reason


# The real files


def real(data: Path) -> Iterator[tuple[Path, Element]]:
    """The documents of the real files."""
    folders = [data / "formats" / "epo-docdb", data / "formats" / "epo-ops"]
    for file in sorted(each for folder in folders for each in folder.rglob("*.xml")):
        content = file.read_bytes()
        if content.startswith(b"{"):
            continue  # JSON, whatever its name
        root = parse_xml(RawDocument(content, "exchange-document", file.name))
        yield from ((file, each) for each in root.iter("exchange-document"))


def values(root: Element, path: str) -> list[str]:
    """What an XPath of strings finds."""
    found = root.xpath(path)
    return [str(each) for each in found] if isinstance(found, list) else []


def test_every_field_of_the_real_documents(data: Path) -> None:
    """Counted by XPath on the tree, in other terms than the reader's."""
    seen = 0
    for file, root in real(data):
        found = docdb(root, file.name)
        seen += 1
        assert set(found.title) == set(values(root, "*/invention-title/@lang")), file
        assert set(found.abstract) == set(values(root, "abstract/@lang")), file
        cited = values(root, "*/references-cited/citation/patcit/document-id[country]/doc-number/text()")
        assert len(found.citations) == len(set(cited)) > 0, file
        assert len(found.applicants) == len(set(values(root, "*/parties/applicants/applicant/@sequence"))), file
        assert len(found.inventors) == len(set(values(root, "*/parties/inventors/inventor/@sequence"))), file
        priorities = values(root, "*/priority-claims/priority-claim/document-id/date/text()")
        assert str(found.priority_date).replace("-", "") == min(priorities), file
        filed = values(root, "*/application-reference/document-id/date/text()")
        assert str(found.filing_date).replace("-", "") in filed, file
        assert found.publication_date is not None, file
        assert found.family_id == root.get("family-id"), file
        schemes = values(root, ".//classification-scheme/@scheme")
        assert bool(found.cpc) == any(scheme.startswith("CPC") for scheme in schemes), file
        codes = tuple(code.replace(" ", "") for code in found.ipc)
        for text in values(root, ".//classification-ipcr/text/text()"):
            assert "".join(text.split()).startswith(codes), (file, text)
    assert seen == 4


@pytest.mark.parametrize(
    "name", ["family/fixtures/family_input", "legal/fixtures/example_1", "legal/fixtures/example_3"]
)
def test_real_families_and_legal_status_hold_no_document(data: Path, name: str) -> None:
    (rejected,) = cut_out((data / "formats" / "epo-ops" / f"{name}.xml").read_bytes())
    assert isinstance(rejected, Rejected)
    assert "<world-patent-data> contains no document" in rejected.reason
