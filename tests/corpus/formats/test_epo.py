"""European full texts: a document of our own in every construct, then the real files."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.document import RawDocument
from antecede.corpus.formats.epo import epo
from antecede.corpus.prose import LINE, PART
from antecede.corpus.safe_xml import parse_xml
from antecede.patent import Citation, Patent
from tests.corpus.formats.mangled import indented, number, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.etree import _Element as Element

GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ep-patent-document PUBLIC "-//EPO//EP PATENT DOCUMENT 1.5//EN" "ep-patent-document-v1-5.dtd">
<ep-patent-document id="EP01234567B1" lang="en" country="EP" doc-number="2000001" kind="B1" date-publ="20100203">
<SDOBI lang="en"><B000><eptags><B001EP>ATBE</B001EP></eptags></B000>
<B100><B110>2000001</B110><B130>B1</B130><B140><date>20100203</date></B140><B190>EP</B190></B100>
<B200><B210>01234567.8</B210><B220><date>20010105</date></B220><B250>en</B250><B260>en</B260></B200>
<B300><B310>2</B310><B320><date>20000301</date></B320><B330><ctry>US</ctry></B330>
<B310>1</B310><B320><date>20000105</date></B320><B330><ctry>GB</ctry></B330></B300>
<B400><B430><date>20010711</date></B430><B450><date>20100203</date></B450></B400>
<B500><B510EP>
<classification-ipcr sequence="1"><text>F16B   5/00        20060101ALI20090101BHEP        </text></classification-ipcr>
<classification-ipcr sequence="2"><text>E04C   2/26        20060101AFI20090101BHEP        </text></classification-ipcr>
</B510EP><B520EP><classifications-cpc>
<classification-cpc sequence="1"><text>Y10T 428/24        20150115 LA20150501BHEP        </text></classification-cpc>
<classification-cpc sequence="2"><text>E04C   2/26        20130101 FI20130101BHEP        </text></classification-cpc>
</classifications-cpc></B520EP>
<B540><B541>de</B541><B542>Platte aus <i>Holz</i></B542><B541>en</B541><B542>Panel of
 wood</B542><B541>fr</B541><B542>Panneau de bois</B542></B540>
<B560><B561><text>EP-A1- 1 234 567</text></B561><B561><text>US-A- 5 948 634</text></B561>
<B561><text>WO-A1-00/20705</text></B561><B562><text>A. AUTHOR: "US 4 444 444 revisited"</text></B562></B560></B500>
<B700><B720><B721><snm>Baum, Anna</snm><adr><ctry>DE</ctry></adr></B721><B721><snm>BAUM, Anna</snm></B721></B720>
<B730><B731><snm>Holz &amp; Söhne
  GmbH</snm><iid>1</iid></B731></B730><B740><B741><snm>Vertreter, V.</snm></B741></B740></B700>
</SDOBI>
<abstract id="abst" lang="en"><p id="pa01" num="0001">A panel.<img file="a.tif"/></p></abstract>
<description id="desc" lang="en"><heading id="h1"><b>FIELD</b></heading><!-- EPO <DP n="1"> -->
<p id="p1" num="0001">Water is H<sub>2</sub>O, half is <maths><math><mfrac><mn>1</mn><mn>2</mn></mfrac></math></maths>.
<ul><li>first</li><li>second</li></ul><table><row><entry>a</entry><entry>b</entry></row></table></p>
<p id="p2" num="0002">See <patcit id="pcit1" dnum="US3000001A"><text>US 3,000,001</text></patcit>.</p></description>
<claims id="claims01" lang="en"><claim id="c-en-0001" num="0001"><claim-text>A panel comprising:<claim-text>a board;
and</claim-text><claim-text>a nail.</claim-text></claim-text></claim>
<claim id="c-en-0002" num=""><claim-text><b>2.</b> A panel as in claim 1.</claim-text></claim></claims>
<claims id="claims02" lang="de"><claim id="c-de-0001" num="0001"><claim-text>Platte.</claim-text></claim></claims>
<claims id="claims03" lang="fr"><claim id="c-fr-0001" num="0001"><claim-text>Panneau.</claim-text></claim></claims>
<amended-claims id="a" lang="en"><claim num="0001"><claim-text>A better panel.</claim-text></claim></amended-claims>
<search-report-data id="srep" lang="en" srep-office="EP"><srep-for-pub><srep-citations>
<citation id="1"><patcit num="0001" dnum="DE3546191A1"><document-id><country>DE</country>
<doc-number>3546191</doc-number><kind>A1</kind></document-id></patcit><rel-passage><passage>all</passage></rel-passage><category>D,Y</category>
<corresponding-docs><document-id><country>US</country><doc-number>4999999</doc-number></document-id>
</corresponding-docs></citation>
<citation id="2"><nplcit num="0002"><text>A book</text></nplcit><category>X</category></citation>
</srep-citations></srep-for-pub></search-report-data>
<ep-reference-list id="ref-list"><heading>REFERENCES</heading><p><ul>
<li><patcit id="r1" dnum="US3000001A"><document-id><country>US</country><doc-number>3000001</doc-number><kind>A</kind>
</document-id></patcit><crossref idref="pcit1">[0002]</crossref></li>
<li><patcit id="r2" dnum="US777859B"><document-id><country>US</country><doc-number>777859</doc-number><kind>B</kind>
<date>19911016</date></document-id></patcit></li>
<li><patcit id="r3" dnum="US662276A" dnum-type="L"><document-id><country>US</country><doc-number>662276</doc-number>
<kind>A</kind></document-id></patcit></li></ul></p></ep-reference-list>
</ep-patent-document>"""


def test_a_grant_in_every_field() -> None:
    own = number("EP", "2000001", "B1")
    assert epo(parsed(GRANT), "a.xml") == Patent(
        doc_id=own.key,
        number=own,
        kinds=("B1",),
        language="en",
        title={"de": "Platte aus Holz", "en": "Panel of wood", "fr": "Panneau de bois"},
        abstract={"en": "A panel."},
        claims={
            "en": ("1. A panel comprising:\na board; and\na nail.", "2. A panel as in claim 1."),
            "de": ("1. Platte.",),
            "fr": ("1. Panneau.",),
        },
        description={"en": "FIELD\nWater is H2O, half is 1/2 .\nfirst\nsecond\na b\nSee US 3,000,001."},
        ipc=("E04C 2/26", "F16B 5/00"),
        cpc=("E04C 2/26", "Y10T 428/24"),
        priority_date=date(2000, 1, 5),
        filing_date=date(2001, 1, 5),
        publication_date=date(2010, 2, 3),
        applicants=("Holz & Söhne GmbH",),
        inventors=("Baum, Anna",),
        citations=(
            Citation(number("DE", "3546191", "A1"), "Y", "search"),
            Citation(number("EP", "1234567", "A1")),
            Citation(number("US", "5948634", "A")),
            Citation(number("WO", "00/20705", "A1")),
            Citation(number("US", "3000001", "A"), phase="description"),
        ),
        source="a.xml",
    )


@pytest.mark.parametrize(
    ("digits", "kind", "day", "published"),
    [
        ("5123456", "A", "19920623", True),
        ("6836899", "B1", "20050104", True),
        ("10465445", "B2", "20191105", True),
        ("20010033243", "A1", "20011025", True),
        ("777859", "B", "19911016", False),  # of 1905: the serial number of an application
        ("9208694", "B", "19921016", False),  # of 2015: an international application
        ("62454417", "B", "20170203", False),
        ("5123456", "A", "yesterday", False),
    ],
)
def test_a_dated_american_reference_counts_if_it_was_granted_then(
    digits: str, kind: str, day: str, published: bool
) -> None:
    dated = f"<doc-number>{digits}</doc-number><kind>{kind}</kind>\n<date>{day}</date>"
    text = GRANT.replace("<doc-number>777859</doc-number><kind>B</kind>\n<date>19911016</date>", dated)
    text = text.replace('dnum="US777859B"', f'dnum="US{digits}{kind}"')
    assert text != GRANT or digits == "777859"
    cited = [each.number for each in epo(parsed(text), "").citations if each.phase == "description"]
    assert cited == [number("US", "3000001", "A"), *([number("US", digits, kind)] if published else [])]


def test_a_dated_reference_of_another_office_is_an_application() -> None:
    dated = "<country>DE</country><doc-number>3546191</doc-number><kind>A1</kind><date>19870702</date>"
    text = re.sub(r"<country>US</country><doc-number>777859.*?</date>", dated, GRANT, flags=re.S)
    cited = [each.number for each in epo(parsed(text), "").citations if each.phase == "description"]
    assert cited == [number("US", "3000001", "A")]


def test_the_bibliography_of_an_application_that_came_by_the_pct() -> None:
    text = re.sub(
        r"<(abstract|description|claims|amended-claims|search-report-data|ep-reference-list)\b.*</\1>",
        "",
        GRANT,
        flags=re.S,
    )
    found = epo(parsed(text.replace("B731", "B711")), "a.xml")
    assert (found.abstract, found.claims, found.description) == ({}, {}, {})
    assert found.title["fr"] == "Panneau de bois"
    assert found.applicants == ("Holz & Söhne GmbH",)


SEVENTH = "<B510><B516>7</B516><B511> 7G 06F  17/60   A</B511><B512> 7B 22D  31/00   B</B512></B510>"
GERMAN = "<description><p>Die Platte ist mit dem Nagel und der Schraube an einer Wand befestigt.</p></description>"


def test_parts_that_are_given_in_other_places_or_not_at_all() -> None:
    def read(pattern: str, replacement: str = "") -> Patent:
        return epo(parsed(re.sub(pattern, replacement, GRANT, flags=re.S)), "")

    assert read(r"<B510EP>.*</B510EP>", SEVENTH).ipc == ("G06F 17/60", "B22D 31/00")
    assert read(r"<claims .*</claims>").claims == {"en": ("1. A better panel.",)}
    assert list(read(r"<description .*</description>", GERMAN).description) == ["de"]
    found = read(r'country="EP" doc-number="2000001" kind="B1" date-publ="20100203"')
    assert (found.number, found.kinds) == (number("EP", "2000001", "B1"), ("B1",))
    assert found.publication_date == date(2010, 2, 3)


def test_two_claim_sets_of_one_language_are_both_kept() -> None:
    other = '<claims lang="EN"><claim num="0001"><claim-text>A panel for Spain.</claim-text></claim></claims><amended'
    found = epo(parsed(GRANT.replace("<amended", other, 1)), "")
    assert found.claims["en"][-1] == "1. A panel for Spain."
    assert len(found.claims["en"]) == 3


def test_layout_says_nothing() -> None:
    """An editor's indentation, which puts line feeds between blocks and lists, changes no text."""
    plain, laid_out = epo(parsed(GRANT), ""), epo(indented(GRANT), "")
    assert laid_out.claims == plain.claims
    ours, theirs = plain.description["en"].split("\n"), laid_out.description["en"].split("\n")
    assert [squeezed(line) for line in ours] == [squeezed(line) for line in theirs]


# The real files


BROKEN = "v1-5-1-A1-2.xml"
"""Saved from a browser, which wrote `<First Embodiment` for a heading in angle brackets: not XML."""


def real(data: Path) -> Iterator[tuple[Path, Element, Patent]]:
    """The real files, as parsed and as read; all but one can be."""
    for file in sorted((data / "formats" / "epo-fulltext").rglob("*.xml")):
        if file.name != BROKEN:
            root = parse_xml(RawDocument(file.read_bytes(), "ep-patent-document", file.name))
            yield file, root, epo(root, file.name)


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


def letters(element: Element) -> str:
    """The text under an element without its white space."""
    return squeezed("".join(str(each) for each in element.itertext()).replace(LINE, "").replace(PART, ""))


def test_every_field_of_the_real_files(data: Path) -> None:
    """Counted on the raw bytes with regular expressions, which know nothing of the reader."""
    seen = 0
    for file, _, found in real(data):
        text = re.sub(r"<!--.*?-->", "", file.read_text("utf-8"), flags=re.S)
        seen += 1
        assert len(found.title) == text.count("<B542>"), file
        assert len(found.abstract) == text.count("<abstract "), file
        assert len(found.description) == text.count("<description "), file
        sets = re.findall(r'<claims [^>]*lang="(\w\w)".*?</claims>', text, flags=re.S)
        assert sorted(found.claims) == sorted(sets), file
        for claims in re.finditer(r'<claims [^>]*lang="(\w\w)".*?</claims>', text, flags=re.S):
            assert len(found.claims[claims[1]]) == len(re.findall(r"<claim [^>]*>", claims[0])), file
        assert len(found.ipc) == len(
            set(re.findall(r"<B51[12]>|<classification-ipcr .*?</classification-ipcr>", text, flags=re.S))
        ), file
        assert len(found.cpc) == text.count("<classification-cpc "), file
        assert (found.priority_date is not None) == ("<B320>" in text), file
        assert str(found.filing_date).replace("-", "") in re.findall(r"<B220>\s*<date>(\d+)", text), file
        assert str(found.publication_date).replace("-", "") in re.findall(r'date-publ="(\d+)"', text), file
        fronted = set(re.findall(r"<B561>\s*<text>([^<]*)", text))
        assert sum(each.phase is None for each in found.citations) == len(fronted), file
        listed = re.findall(r'<patcit id="ref-[^>]*>.*?</patcit>', text, flags=re.S)
        published = [each for each in listed if "<date>" not in each]
        assert (sum(each.phase == "description" for each in found.citations) > 0) == bool(published), file
        assert len(found.inventors) == len(set(re.findall(r"<B721>.*?</snm>", text, flags=re.S))), file
        assert found.applicants, file
    assert seen == 20


def test_no_letter_of_the_real_texts_is_lost_doubled_or_moved(data: Path) -> None:
    for file, root, found in real(data):
        for element in root.iterfind("description"):
            ours = squeezed(found.description[str(element.get("lang"))])
            if element.find(".//mfrac") is None:
                assert ours == letters(element), file
            else:
                assert ours.replace("/", "") == letters(element).replace("/", ""), file
        for element in root.iterfind("claims"):
            texts = [letters(each) for each in element.findall("claim")]
            for ours, theirs in zip(found.claims[str(element.get("lang"))], texts, strict=True):
                assert squeezed(ours) == theirs or re.sub(r"^\d+\.", "", squeezed(ours)) == theirs, file


def test_the_real_claims_are_numbered(data: Path) -> None:
    for file, _, found in real(data):
        for claims in found.claims.values():
            numbers = [int(re.match(r"\d+", claim)[0]) for claim in claims]  # type: ignore[index]
            assert numbers[0] == 1
            # One real application has two claims called 5, and asks for the correction of it.
            assert numbers == list(range(1, len(claims) + 1)) or file.name == "v1-2-A1.xml"
