"""MAREC and CLEF-IP: a document of our own with every construct, whole and mangled."""

from __future__ import annotations

from datetime import date

import pytest

from antecede.corpus.formats.marec import marec
from antecede.patent import Citation, Patent
from tests.corpus.formats.mangled import indented, number, parsed

HEAD = 'ucid="EP-1234567-B1" country="EP" doc-number="1234567" kind="B1" lang="DE" date="20050302" family-id="99"'
DATA = """<bibliographic-data>
<publication-reference ucid="EP-1234567-B1"><document-id format="original"><country>EP</country>
<doc-number>1234567</doc-number><kind>B1</kind><date>20050302</date><lang>DE</lang></document-id></publication-reference>
<application-reference ucid="EP-01200001-A"><document-id format="epo"><country>EP</country>
<doc-number>01200001</doc-number><kind>A</kind><date>20010105</date></document-id></application-reference>
<priority-claims><priority-claim><document-id format="epo"><country>DE</country><doc-number>10000002</doc-number>
<date>20000303</date></document-id></priority-claim><priority-claim><document-id format="epo"><country>DE</country>
<doc-number>10000001</doc-number><date>20000202</date></document-id></priority-claim><priority-claim status="deleted">
<document-id><country>DE</country><doc-number>9</doc-number><date>19900101</date></document-id></priority-claim>
</priority-claims><technical-data>
<classification-ipc><edition>7</edition><main-classification>F04B   1/00</main-classification>
<further-classification>F04B  53/10</further-classification><additional-info>F16K   1/00</additional-info>
</classification-ipc>
<classifications-ipcr><classification-ipcr>F16K  15/02        20060101A N20051008RMEP        </classification-ipcr>
<classification-ipcr>F04B  53/10        20060101ALI20051008RMEP        </classification-ipcr>
<classification-ipcr>F04B  39/00        20060101CFI20051008RMEP        </classification-ipcr>
<classification-ipcr>F04B  39/10        20060101AFI20051008RMEP        </classification-ipcr>
<classification-ipcr status="deleted">A01B   1/00        20060101AFI20051008RMEP        </classification-ipcr>
</classifications-ipcr>
<classification-national country="US"><main-classification>417559000</main-classification></classification-national>
<classification-ecla><classification-symbol scheme="EC">F04B  53/10B</classification-symbol></classification-ecla>
<classifications-cpc><classification-cpc>F04B  39/1066      20130101 FI20130101BHEP</classification-cpc>
</classifications-cpc>
<invention-title lang="DE">Pumpe &amp;amp; Ventil</invention-title>
<invention-title lang="EN" load-source="mxw-smt">Pump &amp;amp; flap</invention-title>
<invention-title lang="EN">Pump and
 valve</invention-title>
<citations><patent-citations>
<patcit ucid="DE-3000001-A1"><document-id format="epo"><country>DE</country><doc-number>3000001</doc-number>
<kind>A1</kind></document-id><sources><source category="XP" name="SEA" created-by-npl="N"/>
<source category="A" name="OPP"/></sources></patcit>
<patcit ucid="US-4000001-A" category="DY" source="EXA"/>
<patcit ucid="GB-2000001-A"><document-id><country>GB</country></document-id><sources><source name="UNKNOWN"/></sources>
</patcit>
<patcit><document-id><country>FR</country><doc-number>2500001</doc-number></document-id><sources><source name="APP"/>
</sources><rel-passage><passage>page 3</passage><category>a</category></rel-passage></patcit>
<patcit><text>a book</text></patcit></patent-citations>
<non-patent-citations><nplcit><text>Pumps, page 3</text></nplcit></non-patent-citations></citations>
<field-of-search><classification-national country="US"><text>417/559</text></classification-national></field-of-search>
</technical-data><parties>
<applicants><applicant format="epo"><addressbook><name>PUMPEN GMBH</name></addressbook></applicant>
<applicant format="intermediate"><addressbook><name>PUMPEN G.M.B.H.</name></addressbook></applicant></applicants>
<inventors><inventor format="epo"><addressbook><name>MUELLER ANNA</name></addressbook></inventor>
<inventor format="original"><addressbook><last-name>Müller</last-name><first-name>Anna</first-name></addressbook>
</inventor></inventors>
<assignees><assignee format="original"><addressbook><last-name>Pumpen GmbH</last-name></addressbook></assignee>
</assignees>
<assignee-history><reassignments><reassignment><assignees><assignee format="original"><addressbook>
<name>Buyer AG</name></addressbook></assignee></assignees></reassignment></reassignments></assignee-history></parties>
</bibliographic-data>"""
TEXTS = """
<abstract lang="EN" source="transcript"><p>A told pump.</p></abstract>
<abstract lang="DE" source="EPO"><p>Eine Pumpe der Datenbank.</p></abstract>
<abstract lang="DE"><p>Eine Pumpe (1).</p><p>Mit Ventil.<img file="a.tif"/></p></abstract>
<abstract lang="EN" source="EPO"><p>A pump of the data base.</p></abstract>
<abstract lang="FR" ref-ucid="FR-1-A"><p>Une pompe.</p></abstract><abstract lang="FR"><p> </p></abstract>
<description lang="DE"><heading>Stand der Technik</heading><p num="0001">Aus <ref type="patent">DE 3000001</ref>
 ist H<sub>2</sub>O bekannt,<ul><li>erstens</li><li>zweitens</li></ul>und mehr.</p>
<p><tables><table><tgroup><tbody><row><entry>a</entry><entry>1</entry></row></tbody></tgroup></table></tables></p>
<technical-field><p>Pumpen.</p></technical-field></description>
<claims lang="DE"><claim-statement>Patentansprüche</claim-statement>
<claim num="xx"><claim-text>Pumpe mit<claim-text>einem
 Ventil und</claim-text><claim-text>einem Sitz.</claim-text></claim-text></claim>
<claim num="xx"><claim-text>Pumpe nach <claim-ref idref="c1">Anspruch 1</claim-ref>.</claim-text></claim></claims>
<claims lang="EN"><claim num="0001"><claim-text>1. Pump.</claim-text></claim>
<claim num="0003"><claim-text>Hose.</claim-text></claim></claims>
<claims lang="EN" load-source="mxw-smt"><claim num="1"><claim-text>Pumping.</claim-text></claim></claims>
<claims lang="DE"><claim num="1"><claim-text>Pumpe für ES.</claim-text></claim>
<claim num="2"><claim-text>Pumpe nach Anspruch 1.</claim-text></claim></claims>
<amended-claims lang="EN"><claim num="1"><claim-text>Amended.</claim-text></claim></amended-claims>
<amended-claims lang="FR"><claim num="1"><claim-text>Pompe modifiée.</claim-text></claim></amended-claims>
<copyright>nobody</copyright>"""
WHOLE = f"<patent-document {HEAD}>{DATA}{TEXTS}</patent-document>"


def with_texts(texts: str, head: str = HEAD) -> Patent:
    return marec(parsed(f"<patent-document {head}>{texts}</patent-document>"), "a.xml")


def cited(country: str, digits: str, kind: str | None, category: str | None, phase: str | None) -> Citation:
    return Citation(number(country, digits, kind), category, phase)


def test_a_document_in_every_field() -> None:
    """Titles are people's before machines'; abstracts the document's own before a database's; claims have sets for
    other states, and amended ones only where there are no others; parties are once as printed."""
    assert marec(parsed(WHOLE), "a.xml") == Patent(
        "EP1234567",
        number("EP", "1234567", "B1"),
        ("B1",),
        "de",
        {"de": "Pumpe & Ventil", "en": "Pump and valve"},
        {"de": "Eine Pumpe (1).\nMit Ventil.", "en": "A pump of the data base.", "fr": "Une pompe."},
        {
            "de": ("1. Pumpe mit\neinem Ventil und\neinem Sitz.", "2. Pumpe nach Anspruch 1.", "1. Pumpe für ES."),
            "en": ("1. Pump.", "3. Hose."),
            "fr": ("1. Pompe modifiée.",),
        },
        {"de": "Stand der Technik\nAus DE 3000001 ist H2O bekannt,\nerstens\nzweitens\nund mehr.\na 1\nPumpen."},
        ("F04B 39/10", "F04B 39/00", "F04B 1/00", "F04B 53/10", "F16K 15/02", "F16K 1/00"),
        ("F04B 39/1066",),
        date(2000, 2, 2),
        date(2001, 1, 5),
        date(2005, 3, 2),
        ("Pumpen GmbH",),
        ("Müller, Anna",),
        "99",
        (
            cited("DE", "3000001", "A1", "X", "search"),
            cited("DE", "3000001", "A1", "A", "opposition"),
            cited("US", "4000001", "A", "Y", "examination"),
            cited("GB", "2000001", "A", None, None),
            cited("FR", "2500001", None, "A", "applicant"),
        ),
        "a.xml",
    )


def test_an_editor_may_indent_it() -> None:
    plain, laid_out = marec(parsed(WHOLE), ""), marec(indented(f"<patent-document {HEAD}>{DATA}</patent-document>"), "")
    assert (laid_out.title, laid_out.ipc, laid_out.citations) == (plain.title, plain.ipc, plain.citations)


@pytest.mark.parametrize(
    ("texts", "claims", "description"),
    [
        (
            (
                "<claims lang='EN'><claim num='1'><claim-text/><claim-text>CLAIMS</claim-text><claim-text>1. A pump."
                "</claim-text><claim-text>2. A hose. 3. A valve.</claim-text></claim></claims>"
            ),
            {"en": ("1. A pump.", "2. A hose.", "3. A valve.")},
            {},
        ),
        ("<claims lang='EN'>\n1. A pump.\n\n2. A\nhose.\n</claims>", {"en": ("1. A pump.", "2. A hose.")}, {}),
        ("<claims><claim><claim-text>XQ-7</claim-text></claim></claims>", {"de": ("1. XQ-7",)}, {}),
        ("<description lang='EN'>Field\n\nA pump\nis known.</description>", {}, {"en": "Field\nA pump is known."}),
        ("", {}, {}),
    ],
)
def test_texts_with_little_mark_up(texts: str, claims: object, description: object) -> None:
    patent = with_texts(texts)
    assert (patent.doc_id, patent.claims, patent.description) == ("EP1234567", claims, description)


def test_a_language_that_is_not_given_is_told_from_the_text() -> None:
    claims = "<claims><claim><claim-text>Bomba con una válvula y el asiento de la bomba</claim-text></claim></claims>"
    patent = with_texts(claims, 'country="WO" docnumber="2006000001" kind="A1" date-published="20060105"')
    assert patent.claims == {"es": ("1. Bomba con una válvula y el asiento de la bomba",)}
    assert (patent.doc_id, patent.language, patent.publication_date) == ("WO2006000001", "es", date(2006, 1, 5))


@pytest.mark.parametrize(
    "head", ['ucid="EP-1234567-A1"', 'id="EP1234567A1"', 'country="EP" doc-number="1234567" ucid="EP-1234567-A1"']
)
def test_the_number_may_stand_in_other_places(head: str) -> None:
    assert str(with_texts("", head).number) == "EP-1234567-A1"


def test_the_number_may_stand_in_the_reference_alone() -> None:
    assert str(marec(parsed(f"<patent-document>{DATA}</patent-document>"), "").number) == "EP-1234567-B1"
