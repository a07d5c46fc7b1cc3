"""PATDOC: a document of our own, as the XML of 2002 and as the SGML of 2001."""

from __future__ import annotations

from datetime import date

import pytest
from lxml import etree

from antecede.corpus.document import RawDocument
from antecede.corpus.formats import by_root
from antecede.patent import Citation, Patent, PatentNumber

GRANT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE PATDOC SYSTEM "ST32-US-Grant-025xml.dtd" [
<!ENTITY US06400001-D00000.TIF SYSTEM "US06400001-D00000.TIF" NDATA TIF>
]>
<PATDOC DTD="2.5" STATUS="Build 20020606">
<SDOBI>
<B100><B110><DNUM><PDAT>06400001</PDAT></DNUM></B110><B130><PDAT>B1</PDAT></B130>
<B140><DATE><PDAT>20020604</PDAT></DATE></B140><B190><PDAT>US</PDAT></B190></B100>
<B200><B210><DNUM><PDAT>09400001</PDAT></DNUM></B210><B211US><PDAT>09</PDAT></B211US>
<B220><DATE><PDAT>19991005</PDAT></DATE></B220></B200>
<B300><B310><DNUM><PDAT>971605</PDAT></DNUM></B310><B320><DATE><PDAT>19980408</PDAT></DATE></B320>
<B330><CTRY><PDAT>NO</PDAT></CTRY></B330></B300>
<B500><B510><B511><PDAT>H01L 21302</PDAT></B511><B512><PDAT>G06F 1516</PDAT></B512><B516><PDAT>7</PDAT></B516></B510>
<B520><B521><PDAT>709202</PDAT></B521></B520>
<B540><STEXT><PDAT>Lamp for TiO</PDAT><HIL><SB><PDAT>2</PDAT></SB></HIL>
</STEXT><STEXT><PDAT>baths</PDAT></STEXT></B540>
<B560>
<B561><PCIT><DOC><DNUM><PDAT>5825759</PDAT></DNUM><DATE><PDAT>19981000</PDAT></DATE><KIND><PDAT>A</PDAT></KIND></DOC>
<PARTY-US><NAM><SNM><STEXT><PDAT>Liu</PDAT></STEXT></SNM></NAM></PARTY-US><PNC><PDAT>370331</PDAT></PNC></PCIT>
<CITED-BY-EXAMINER/></B561>
<B561><PCIT><DOC><DNUM><PDAT>D. 271298</PDAT></DNUM></DOC></PCIT><CITED-BY-EXAMINER/></B561>
<B561><PCIT><DOC><DNUM><PDAT>WO 96/25012</PDAT></DNUM><DATE><PDAT>19960800</PDAT></DATE><CTRY><PDAT>WO</PDAT></CTRY>
</DOC></PCIT><CITED-BY-OTHER/></B561>
<B561><PCIT><DOC><DNUM><PDAT>4000000</PDAT></DNUM></DOC></PCIT></B561>
<B562><NCIT><STEXT><PDAT>Lamps, 1999.</PDAT></STEXT></NCIT><CITED-BY-OTHER/></B562>
</B560>
<B580><B581><PDAT>A61K 3144</PDAT></B581><B582><PDAT>709201</PDAT></B582></B580>
<B590><B595><PDAT>1</PDAT></B595><B597US/></B590></B500>
<B600>
<B630><B631><PARENT-US><CDOC><DOC><DNUM><PDAT>09/400001</PDAT></DNUM></DOC></CDOC><PDOC><DOC><DNUM><PDAT>09/300000</PDAT>
</DNUM><DATE><PDAT>19970402</PDAT></DATE></DOC></PDOC><PSTA><PDAT>01</PDAT></PSTA><PPUB><DOC><DNUM><PDAT>6000000</PDAT>
</DNUM><DATE><PDAT>19950101</PDAT></DATE></DOC></PPUB></PARENT-US></B631></B630>
<B660><PARENT-US><PDOC><DOC><DATE><PDAT>19940101</PDAT></DATE></DOC></PDOC></PARENT-US></B660>
<B680US><DOC><DNUM><PDAT>60/100000</PDAT></DNUM><DATE><PDAT>19960403</PDAT></DATE></DOC></B680US>
<B690US><DOC><DNUM><PDAT>20010000001</PDAT></DNUM><DATE><PDAT>19930101</PDAT></DATE></DOC></B690US>
</B600>
<B700><B720><B721><PARTY-US><NAM><FNM><PDAT>Thanh</PDAT></FNM><SNM><STEXT><PDAT>Do</PDAT></STEXT></SNM></NAM><ADR>
<CITY><PDAT>Oslo</PDAT></CITY></ADR></PARTY-US><LEGAL-REPRESENTATIVE><PARTY-US><NAM><SNM><STEXT><PDAT>Heir</PDAT></STEXT>
</SNM></NAM></PARTY-US></LEGAL-REPRESENTATIVE></B721></B720>
<B730><B731><PARTY-US><NAM><ONM><STEXT><PDAT>Lamps &amp; Co.</PDAT></STEXT><STEXT><PDAT>KG</PDAT></STEXT></ONM></NAM>
</PARTY-US></B731><B732US><PDAT>03</PDAT></B732US></B730>
<B740><B741><PARTY-US><NAM><ONM><STEXT><PDAT>Lawyers</PDAT></STEXT></ONM></NAM></PARTY-US></B741></B740></B700>
</SDOBI>
<SDOAB><BTEXT><PARA ID="P-1" LVL="0"><PTEXT><PDAT>A lamp of &ldquo;TiO</PDAT>
<HIL>
<SB><PDAT>2</PDAT></SB></HIL>
<PDAT>&rdquo;, 3&times;4 &mgr;m.</PDAT></PTEXT></PARA></BTEXT></SDOAB>
<SDODE>
<RELAPP><BTEXT><PARA ID="P-2" LVL="0"><PTEXT><PDAT>A continuation.</PDAT></PTEXT></PARA></BTEXT></RELAPP>
<BRFSUM><BTEXT><H LVL="1"><STEXT><PDAT>FIELD</PDAT></STEXT></H>
<PARA ID="P-3" LVL="0"><PTEXT><PDAT>In </PDAT><FGREF ID="DRAWINGS"><PDAT>FIG. 1</PDAT></FGREF><PDAT>, node N</PDAT>
<HIL><BOLD><PDAT>1</PDAT></BOLD></HIL><PDAT> has </PDAT><F><PTEXT><PDAT>x</PDAT><HIL><SP><PDAT>2</PDAT></SP></HIL>
</PTEXT></F>
<PDAT>.</PDAT></PTEXT><PTEXT><PDAT>And more:</PDAT><LST><UL><LI><PTEXT><PDAT>one</PDAT></PTEXT></LI>
<LI><PTEXT><PDAT>two</PDAT>
</PTEXT></LI></UL></LST><PDAT>ends.</PDAT></PTEXT></PARA></BTEXT></BRFSUM>
<DETDESC><BTEXT><PARA ID="P-4" LVL="0"><PTEXT><PDAT>Here</PDAT><CWU><MATH-US ID="M"><MATHEMATICA ID="N" FILE="m.NB"/>
<MATHML><math><mi>a</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac></math></MATHML><EMI ID="E" FILE="m.TIF"/>
</MATH-US></CWU>
<PDAT>holds, as </PDAT><CIT><DOC><DNUM><PDAT>2094713</PDAT></DNUM><CTRY><PDAT>GB</PDAT></CTRY></DOC></CIT>
</PTEXT></PARA><CWU><TABLE-US ID="T"><TABLE-CALS><table><tgroup cols="2"><colspec colname="1"/>
<thead><row><entry><PTEXT><PDAT>kg</PDAT></PTEXT></entry><entry><PTEXT><PDAT>m</PDAT></PTEXT></entry></row></thead>
<tbody><row>
<entry><PTEXT><PDAT>1</PDAT></PTEXT></entry><entry><PTEXT><PDAT>2</PDAT></PTEXT></entry></row></tbody></tgroup>
</table></TABLE-CALS></TABLE-US></CWU>
<PARA ID="P-5" LVL="0"><PTEXT><PDAT>This <DEL-S DATE="20020604" ID="D1"/>old<DEL-E ID="D1"/> <INS-S DATE="20020604"
 ID="I1"/>new<INS-E ID="I1"/> lamp.</PDAT></PTEXT></PARA>
<CWU><SEQLST-US><SEQ-LST-NEW><S100><S160><PDAT>1</PDAT></S160></S100><S400><PDAT>acgt</PDAT></S400></SEQ-LST-NEW></SEQLST-US>
</CWU></BTEXT></DETDESC>
</SDODE>
<SDOCL><H LVL="1"><STEXT><PDAT>What is claimed is: </PDAT></STEXT></H>
<CL><CLM ID="CLM-00001"><PARA ID="P-6" LVL="0"><PTEXT><PDAT>1. A lamp, comprising:</PDAT></PTEXT></PARA>
<CLMSTEP LVL="2"><PTEXT><PDAT>a wire; and </PDAT></PTEXT>
</CLMSTEP><CLMSTEP LVL="2"><PTEXT><PDAT>a bulb. </PDAT></PTEXT>
</CLMSTEP></CLM>
<CLM ID="CLM-00002"><PARA ID="P-7" LVL="0"><PTEXT><PDAT>The lamp of </PDAT>
<CLREF ID="CLM-00001"><PDAT>claim 1</PDAT></CLREF><PDAT>, lit.</PDAT></PTEXT></PARA></CLM></CL></SDOCL>
<SDODR ID="DRAWINGS"><EMI ID="EMI-D00000" FILE="US06400001-D00000.TIF"/></SDODR>
</PATDOC>"""


def as_sgml(text: str) -> str:
    """The same as it was in 2001: no XML declaration, nothing closed that is empty, tables in capitals."""
    body = text[text.index("<!DOCTYPE") :].replace("/>", ">").replace("SYSTEM", "PUBLIC", 1)
    for name in ("table", "tgroup", "colspec", "thead", "tbody", "row", "entry"):
        body = body.replace(f"<{name}", f"<{name.upper()}").replace(f"</{name}", f"</{name.upper()}")
    return body


def read(text: str) -> Patent:
    """Through the registered format, as a user reads."""
    return by_root()["PATDOC"].parse(RawDocument(text.encode(), "PATDOC", "a.sgm"), {})


@pytest.mark.parametrize("text", [GRANT, as_sgml(GRANT)], ids=["xml", "sgml"])
def test_a_grant_in_every_field(text: str) -> None:
    assert read(text) == Patent(
        "US6400001",
        PatentNumber("US", "6400001", "B1"),
        ("B1",),
        "en",
        {"en": "Lamp for TiO2 baths"},
        {"en": "A lamp of “TiO2”, 3×4 μm."},
        {"en": ("1. A lamp, comprising:\na wire; and\na bulb.", "2. The lamp of claim 1, lit.")},
        {
            "en": "A continuation.\nFIELD\nIn FIG. 1, node N1 has x2. And more:\none\ntwo\nends.\n"
            "Here a = 1 / 2 holds, as 2094713 GB\nkg m\n1 2\nThis old new lamp."
        },
        ("H01L 21/302", "G06F 15/16"),
        # the provisional; not the parent's patent, the substitute or the prior publication, which are earlier
        priority_date=date(1996, 4, 3),
        filing_date=date(1999, 10, 5),
        publication_date=date(2002, 6, 4),
        applicants=("Lamps & Co. KG",),
        inventors=("Do, Thanh",),
        citations=(
            Citation(PatentNumber("US", "5825759", "A"), phase="examination"),
            Citation(PatentNumber("US", "D271298"), phase="examination"),
            Citation(PatentNumber("WO", "1996025012"), phase="applicant"),
            Citation(PatentNumber("US", "4000000")),
            Citation(PatentNumber("GB", "2094713"), phase="description"),
        ),
        source="a.sgm",
    )


def test_sgml_is_sgml() -> None:
    """The test of SGML tests something: XML parsers refuse it."""
    with pytest.raises(etree.XMLSyntaxError):
        etree.fromstring(as_sgml(GRANT).encode(), etree.XMLParser(resolve_entities=False))


@pytest.mark.parametrize(("gone", "left"), [("19960403", (1997, 4, 2)), ("19970402", (1996, 4, 3))])
def test_priority_without_one_of_its_sources(gone: str, left: tuple[int, int, int]) -> None:
    assert read(GRANT.replace(gone, "")).priority_date == date(*left)


def test_pct_gives_priority() -> None:
    pct = "<B800><B860><B861><DOC><DATE><PDAT>19920101</PDAT></DATE></DOC></B861></B860></B800></SDOBI>"
    assert read(GRANT.replace("</SDOBI>", pct)).priority_date == date(1992, 1, 1)


def test_design_has_no_ipc_and_no_abstract() -> None:
    design = GRANT.replace("06400001</PDAT></DNUM></B110><B130><PDAT>B1", "D0435854</PDAT></DNUM></B110><B130><PDAT>S")
    design = design.replace("H01L 21302", "1402").replace("<B512><PDAT>G06F 1516</PDAT></B512>", "")
    found = read(design[: design.index("<SDOAB>")] + design[design.index("<SDODE>") :])
    assert (found.doc_id, found.ipc, found.abstract) == ("USD435854", (), {})


def test_a_hundred_thousand_line_feeds_are_no_work() -> None:
    """Each was once compared with each, which took minutes: this test ends, or the reader is broken."""
    sign = "<PTEXT><PDAT>x</PDAT>\n<HIL>\n<SB>\n<PDAT>2</PDAT>\n</SB>\n</HIL>\n</PTEXT>"
    text = GRANT[: GRANT.index("<SDODE>")] + f"<SDODE><BTEXT>{f'<PARA>{sign}</PARA>' * 20_000}</BTEXT></SDODE></PATDOC>"
    assert read(text).description["en"].split("\n") == ["x2"] * 20_000
