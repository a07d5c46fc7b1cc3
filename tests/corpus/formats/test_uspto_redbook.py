"""The red book: documents of our own in the shape of each version, one construct at a time."""

from __future__ import annotations

from datetime import date

import pytest

from antecede.corpus.formats.uspto_redbook import uspto
from antecede.patent import Citation, Patent, PatentNumber
from tests.corpus.formats.mangled import parsed

GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v42-2006-08-23.dtd" [ ]>
<us-patent-grant lang="EN" dtd-version="v4.2 2006-08-23" file="US07000001-20060214.XML" date-publ="20060214">
<us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>07000001</doc-number><kind>B2</kind>
<date>20060214</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>10999999</doc-number>
<date>20041201</date></document-id></application-reference>
<priority-claims><priority-claim sequence="01" kind="national"><country>JP</country><doc-number>2003-1</doc-number>
<date>20031202</date></priority-claim></priority-claims>
<classifications-ipcr><classification-ipcr><ipc-version-indicator><date>20060101</date></ipc-version-indicator>
<section>F</section><class>16</class><subclass>K</subclass><main-group>31</main-group><subgroup>06</subgroup>
</classification-ipcr><classification-ipcr><section>F</section><class>16</class><subclass>K</subclass>
</classification-ipcr></classifications-ipcr>
<classification-national><country>US</country><main-classification>251129</main-classification>
</classification-national>
<invention-title id="d0e1">Valve for CO<sub>2</sub> with a <i>soft</i> seat</invention-title>
<references-cited>
<citation><patcit num="00001"><document-id><country>US</country><doc-number>5123456</doc-number><kind>A</kind>
<name>Smith</name><date>19920600</date></document-id></patcit><category>cited by examiner</category>
<classification-national><country>US</country><main-classification>1</main-classification></classification-national>
</citation>
<citation><nplcit num="00002"><othercit>Handbook of Valves, US 4,000,000, 1980.</othercit></nplcit>
<category>cited by other</category></citation>
<citation><patcit num="00003"><document-id><country>EP</country><doc-number>0 315 013</doc-number><kind>A2</kind>
<date>19890500</date></document-id></patcit><category>cited by other</category></citation>
<citation><patcit num="00004"><document-id><country>US</country><doc-number>2004/0001234</doc-number><kind>A1</kind>
</document-id></patcit><category>cited by applicant</category></citation>
<citation><patcit num="00005"><document-id><country>US</country><doc-number>D0435854</doc-number><kind>S</kind>
</document-id></patcit><category>cited by third party</category></citation>
<citation><patcit num="00006"><text>US-4,111,222 A</text></patcit></citation>
</references-cited>
<us-related-documents>
<continuation><relation><parent-doc><document-id><country>US</country><doc-number>10111111</doc-number>
<date>20020515</date></document-id><parent-grant-document><document-id><country>US</country>
<doc-number>6500000</doc-number><date>19990101</date></document-id></parent-grant-document></parent-doc>
<child-doc><document-id><country>US</country><doc-number>10999999</doc-number></document-id></child-doc></relation>
</continuation>
<us-provisional-application><document-id><country>US</country><doc-number>60111111</doc-number>
<date>20010516</date></document-id></us-provisional-application>
<substitution><relation><parent-doc><document-id><country>US</country><doc-number>09111111</doc-number>
<date>19980101</date></document-id></parent-doc></relation></substitution>
<related-publication><document-id><country>US</country><doc-number>20040001234</doc-number><kind>A1</kind>
<date>20000101</date></document-id></related-publication>
</us-related-documents>
<parties><applicants>
<applicant sequence="001" app-type="applicant-inventor" designation="us-only"><addressbook><last-name>Baker</last-name>
<first-name>Ann</first-name><middle-name>B.</middle-name><suffix>Jr.</suffix><address><city>Ulm</city>
<country>DE</country></address></addressbook></applicant>
</applicants><agents><agent><addressbook><orgname>Lawyers LLP</orgname></addressbook></agent></agents></parties>
<us-deceased-inventor><addressbook><last-name>Cole</last-name><first-name>Dan</first-name></addressbook>
</us-deceased-inventor>
<assignees><assignee><addressbook><orgname>Valves &amp; Seats, Inc.</orgname><role>02</role></addressbook></assignee>
<assignee><orgname>Second Firm</orgname><role>03</role></assignee></assignees>
<examiners><primary-examiner><last-name>Doe</last-name><first-name>Jo</first-name></primary-examiner></examiners>
</us-bibliographic-data-grant>
<abstract id="abstract"><p id="p-0001" num="0000">A valve (<b>1</b>) holds
CO<sub>2</sub>.</p></abstract>
<drawings id="DRAWINGS"><figure><img file="a.TIF"/></figure></drawings>
<description id="description">
<?BRFSUM description="Brief Summary" end="lead"?>
<heading id="h-1" level="1">FIELD</heading>
<p id="p-2" num="1">Valves of 10<sup>−3</sup> m,
 see <figref idref="DRAWINGS">FIG. <b>1</b></figref>:<ul><li>first;</li>
<li>second<ul><li>inner</li></ul>rest</li></ul>end.</p>
<?BRFSUM description="Brief Summary" end="tail"?>
<description-of-drawings><p id="p-3" num="2">FIG. 1 shows<br/>a seat.</p></description-of-drawings>
<p id="p-4" num="3">Thus<maths id="M1"><math><mrow><mfrac><mi>a</mi><mn>2</mn></mfrac><mo>\u2062</mo>
<mi>sin</mi><mi>x</mi></mrow></math><img file="m.TIF"/></maths>holds.<tables id="T1"><table><tgroup cols="2">
<colspec/><thead><row><entry>kg</entry><entry>m</entry></row></thead><tbody><row><entry>1</entry><entry>2</entry></row></tbody>
</tgroup></table></tables>
See <patcit><document-id><country>GB</country><doc-number>2094713</doc-number><kind>A</kind></document-id></patcit>.
<chemistry><img file="c.TIF"/></chemistry>Em\u2003space.</p>
</description>
<us-claim-statement>What is claimed is:</us-claim-statement>
<claims id="claims">
<claim id="CLM-00001" num="00001"><claim-text><b>1</b>. A valve, comprising:
<claim-text>a seat; and</claim-text><claim-text>a body,</claim-text>wherein it closes.</claim-text></claim>
<claim id="CLM-00002" num="00002"><claim-text>The valve of <claim-ref idref="CLM-00001">claim 1</claim-ref>,
of 2.5 kg.</claim-text></claim>
<claim id="CLM-00003" num="00003"><claim-text>3-5. (canceled)</claim-text></claim>
</claims>
</us-patent-grant>"""

APPLICATION = """<us-patent-application lang="EN" dtd-version="v4.3 2012-12-04">
<us-bibliographic-data-application country="US">
<publication-reference><document-id><country>US</country><doc-number>20130000001</doc-number><kind>A1</kind>
<date>20130103</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country><doc-number>13111111</doc-number>
<date>20120930</date></document-id></application-reference>
<classifications-cpc><main-cpc><classification-cpc><section>A</section><class>61</class><subclass>K</subclass>
<main-group>2039</main-group><subgroup>505</subgroup></classification-cpc></main-cpc><further-cpc><classification-cpc>
<section>Y</section><class>02</class><subclass>E</subclass><main-group>10</main-group><subgroup>50</subgroup>
</classification-cpc><combination-set><group-number>1</group-number><combination-rank><rank-number>1</rank-number>
<classification-cpc><section>C</section><class>08</class><subclass>L</subclass><main-group>9</main-group>
<subgroup>06</subgroup></classification-cpc></combination-rank></combination-set></further-cpc></classifications-cpc>
<invention-title id="d2e1">Pump</invention-title>
<us-references-cited><us-citation><patcit num="00001"><document-id><country>WO</country>
<doc-number>WO 98/24390</doc-number><kind>A1</kind></document-id></patcit><category>cited by examiner</category>
<classification-cpc-text>F16K 1/00</classification-cpc-text></us-citation></us-references-cited>
{parties}
<pct-or-regional-filing-data><document-id><country>WO</country><doc-number>PCT/EP11/00001</doc-number>
<date>20110401</date></document-id><us-371c124-date><date>20120930</date></us-371c124-date>
</pct-or-regional-filing-data>
</us-bibliographic-data-application>
<abstract><p>A pump.</p></abstract><description><p>It pumps.</p></description>
<claims><claim id="CLM-00001" num="00001"><claim-text>1. A pump.</claim-text></claim></claims>
</us-patent-application>"""
PERSON = "<us-applicant app-type='applicant'><addressbook><last-name>Fox</last-name></addressbook></us-applicant>"
FIRM = "<us-applicant app-type='applicant'><addressbook><orgname>Pumps Ltd</orgname></addressbook></us-applicant>"
INVENTOR = "<inventors><inventor><addressbook><last-name>Fox</last-name></addressbook></inventor></inventors>"
DEAD = "<inventors><deceased-inventor><last-name>Fox</last-name></deceased-inventor></inventors>"
ASSIGNEE = "<assignees><assignee><addressbook><orgname>Holding AG</orgname></addressbook></assignee></assignees>"


def application(parties: str = "") -> Patent:
    return uspto(parsed(APPLICATION.replace("{parties}", parties)), "a.xml")


def test_a_grant_in_every_field() -> None:
    assert uspto(parsed(GRANT), "a.xml#7") == Patent(
        "US7000001",
        PatentNumber("US", "7000001", "B2"),
        ("B2",),
        "en",
        {"en": "Valve for CO2 with a soft seat"},
        {"en": "A valve (1) holds CO2."},
        {
            "en": (
                "1. A valve, comprising:\na seat; and\na body,\nwherein it closes.",
                "2. The valve of claim 1, of 2.5 kg.",
                "3-5. (canceled)",
            )
        },
        {
            "en": "FIELD\nValves of 10−3 m, see FIG. 1:\nfirst;\nsecond\ninner\nrest\nend.\nFIG. 1 shows\na seat.\n"
            "Thus a / 2 sin x holds.\nkg m\n1 2\nSee GB 2094713 A . Em space."
        },
        ("F16K 31/06", "F16K"),
        # the provisional application; neither the parent's grant, nor a substitute, nor an earlier publication
        priority_date=date(2001, 5, 16),
        filing_date=date(2004, 12, 1),
        publication_date=date(2006, 2, 14),
        applicants=("Valves & Seats, Inc.", "Second Firm"),
        inventors=("Baker, Ann B., Jr.", "Cole, Dan"),
        citations=(
            Citation(PatentNumber("US", "5123456", "A"), phase="examination"),
            Citation(PatentNumber("EP", "315013", "A2"), phase="applicant"),
            Citation(PatentNumber("US", "20040001234", "A1"), phase="applicant"),
            Citation(PatentNumber("US", "D435854", "S"), phase="third party"),
            Citation(PatentNumber("US", "4111222", "A")),
            Citation(PatentNumber("GB", "2094713", "A"), phase="description"),
        ),
        source="a.xml#7",
    )


def test_an_application_has_cpc_codes_citations_and_priority_by_the_pct() -> None:
    found = application()
    assert found.cpc == ("A61K 2039/505", "Y02E 10/50", "C08L 9/06")
    assert found.citations == (Citation(PatentNumber("WO", "1998024390", "A1"), phase="examination"),)
    assert found.priority_date == date(2011, 4, 1)


def test_columns_of_version_4_0() -> None:
    old = (
        "<classification-ipc><edition>7</edition><main-classification>A01B  100</main-classification>"
        "<further-classification>G06F015/00</further-classification></classification-ipc><classification-national>"
    )
    found = uspto(parsed(GRANT.replace("<classification-national>", old, 1)), "")
    assert found.ipc[:2] == ("A01B 1/00", "G06F 15/00")


def test_citation_without_kind_takes_none_from_its_neighbours() -> None:
    bare = "<doc-number>5123456</doc-number>"
    found = uspto(parsed(GRANT.replace(f"{bare}<kind>A</kind>", bare)), "").citations[0]
    assert found.number == PatentNumber("US", "5123456")


@pytest.mark.parametrize(
    ("changes", "day"),
    [
        ({"20010516": ""}, date(2002, 5, 15)),
        ({"20010516": "", "20020515": ""}, date(2003, 12, 2)),
        ({"20010516": "", "20020515": "", "20031202": ""}, None),
        ({"20010516": "", "20020515": "", "20031202": "20051202"}, None),  # after the filing: an error of the file
    ],
)
def test_priority_from_the_sources_that_are_left(changes: dict[str, str], day: date | None) -> None:
    text = GRANT
    for written, changed in changes.items():
        text = text.replace(written, changed)
    assert uspto(parsed(text), "").priority_date == day


def test_parent_pct_document() -> None:
    pct = "</document-id><parent-pct-document><document-id><date>20000101</date></document-id></parent-pct-document>"
    found = uspto(parsed(GRANT.replace("</document-id><parent-grant-document>", f"{pct}<parent-grant-document>")), "")
    assert found.priority_date == date(2000, 1, 1)


@pytest.mark.parametrize(
    ("applied", "inventors", "assignees", "meant"),
    [
        (FIRM, INVENTOR, ASSIGNEE, ("Pumps Ltd",)),
        (PERSON, INVENTOR, ASSIGNEE, ("Holding AG",)),
        (PERSON, INVENTOR, "", ("Fox",)),
        (PERSON.replace("Fox", "Executor"), DEAD, ASSIGNEE, ("Holding AG", "Executor")),
        (PERSON + FIRM, DEAD, ASSIGNEE, ("Pumps Ltd",)),
    ],
)
def test_applicants_since_2012(applied: str, inventors: str, assignees: str, meant: tuple[str, ...]) -> None:
    found = application(f"<us-parties><us-applicants>{applied}</us-applicants>{inventors}</us-parties>{assignees}")
    assert (found.inventors, found.applicants) == (("Fox",), meant)


def test_nothing_but_a_number_is_still_a_patent() -> None:
    found = uspto(
        parsed(GRANT[: GRANT.index("<application-reference")] + "</us-bibliographic-data-grant></us-patent-grant>"), ""
    )
    assert found == Patent(
        "US7000001", PatentNumber("US", "7000001", "B2"), ("B2",), "en", publication_date=date(2006, 2, 14)
    )
