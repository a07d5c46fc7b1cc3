"""Applications of 2001 to 2004: a document of our own."""

from __future__ import annotations

from datetime import date

import pytest

from antecede.corpus.formats.uspto_2001 import pap
from antecede.patent import Citation, Patent, PatentNumber
from tests.corpus.formats.mangled import parsed

APPLICATION = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE patent-application-publication SYSTEM "pap-v16-2002-01-01.dtd" >
<patent-application-publication>
<subdoc-bibliographic-information>
<document-id><doc-number>20030000001</doc-number><kind-code>A1</kind-code><document-date>20030102</document-date>
</document-id>
<publication-filing-type>new</publication-filing-type>
<domestic-filing-data><application-number><doc-number>10111111</doc-number></application-number>
<application-number-series-code>10</application-number-series-code><filing-date>20020627</filing-date>
</domestic-filing-data>
<foreign-priority-data><priority-application-number><doc-number>101 23 456.7</doc-number></priority-application-number>
<filing-date>20010628</filing-date><country-code>DE</country-code></foreign-priority-data>
<technical-information><classification-ipc><classification-ipc-primary><ipc>A41B001/00</ipc></classification-ipc-primary>
<classification-ipc-secondary><ipc>A41D013/08</ipc></classification-ipc-secondary>
<classification-ipc-edition>07</classification-ipc-edition></classification-ipc>
<classification-us><classification-us-primary><uspc><class>002</class><subclass>069000</subclass></uspc>
</classification-us-primary></classification-us>
<title-of-invention>Glove with <highlight><italic>loops</italic></highlight></title-of-invention>
<citation><cited-patent-literature><document-id><doc-number>5688137</doc-number><kind-code>A</kind-code></document-id>
</cited-patent-literature></citation></technical-information>
<continuity-data>
<continuations><continuation-of><parent-child><child><document-id><doc-number>10111111</doc-number>
<document-date>19900101</document-date></document-id></child><parent><document-id><doc-number>09111111</doc-number>
<document-date>20000730</document-date><country-code>US</country-code></document-id></parent>
<parent-status>GRANTED</parent-status><parent-patent><document-id><doc-number>6557176</doc-number>
<document-date>19910101</document-date></document-id></parent-patent></parent-child></continuation-of></continuations>
<substitution-for><parent-child><parent><document-id><document-date>19920101</document-date></document-id></parent>
</parent-child></substitution-for>
<non-provisional-of-provisional><document-id><doc-number>60111111</doc-number><document-date>19990801</document-date>
</document-id></non-provisional-of-provisional>
</continuity-data>
<prior-publication><document-id><doc-number>20020000001</doc-number><document-date>19930101</document-date>
</document-id></prior-publication>
<inventors><first-named-inventor><name><given-name>Ann</given-name><middle-name>B.</middle-name>
<family-name>Baker</family-name></name><residence/></first-named-inventor>
<inventor><name><given-name>Dan</given-name><family-name>Cole</family-name><name-suffix>III</name-suffix></name></inventor>
</inventors>
<assignee><organization-name>Gloves, Inc.</organization-name><assignee-type>02</assignee-type></assignee>
<correspondence-address><name-1>LAWYERS LLP</name-1></correspondence-address>
</subdoc-bibliographic-information>
<subdoc-abstract><paragraph id="A-0001" lvl="0">A glove of H<highlight>
<subscript>2</subscript>
</highlight>O.</paragraph></subdoc-abstract>
<subdoc-description>
<cross-reference-to-related-applications><heading lvl="1">RELATED</heading>
<paragraph id="P-1" lvl="0"><number>&lsqb;0001&rsqb;</number> A continuation.</paragraph>
</cross-reference-to-related-applications>
<federal-research-statement><paragraph-federal-research-statement><number>&lsqb;0002&rsqb;</number>Paid by
<us-agency>NASA</us-agency>.</paragraph-federal-research-statement></federal-research-statement>
<detailed-description><section><heading lvl="1">DETAILS</heading>
<paragraph id="P-3" lvl="7"><number>&lsqb;0003&rsqb;</number> In
<cross-reference target="DRAWINGS">FIG. 1</cross-reference>: <lists><list-item>one</list-item>
<list-item>two</list-item></lists>and<table-cwu id="T"><number>1</number>
<table><tgroup><tbody><row><entry>kg</entry><entry>m</entry></row><row><entry>1</entry><entry>2</entry></row></tbody>
</tgroup></table></table-cwu>cited in <citation><cited-patent-literature><document-id><doc-number>2094713</doc-number>
<country-code>GB</country-code></document-id></cited-patent-literature></citation>,
where<math-cwu id="M"><number>2</number><math><mi>x</mi><mo>=</mo><mn>1</mn></math><mathematica-file/><image/>
</math-cwu>holds.</paragraph></section></detailed-description>
</subdoc-description>
<sequence-cwu><number>1</number><sequence-list-new-rules><s400>acgt</s400></sequence-list-new-rules></sequence-cwu>
<subdoc-claims><heading lvl="1">What is claimed is:</heading>
<claim id="CLM-00001"><claim-text><highlight><bold>1</bold></highlight>. A glove, comprising:<claim-text>a thumb; and
</claim-text><claim-text>a palm;</claim-text>in leather.</claim-text></claim>
<claim id="CLM-00002"><claim-text>A glove as in
<dependent-claim-reference depends_on="CLM-00001">claim 1</dependent-claim-reference>, dyed.</claim-text></claim>
</subdoc-claims>
<subdoc-drawings id="DRAWINGS"><heading lvl="0">Drawings</heading><representative-figure>1</representative-figure>
</subdoc-drawings>
</patent-application-publication>"""


def test_an_application_in_every_field() -> None:
    assert pap(parsed(APPLICATION), "a.xml") == Patent(
        "US20030000001",
        PatentNumber("US", "20030000001", "A1"),
        ("A1",),
        "en",
        {"en": "Glove with loops"},
        {"en": "A glove of H2O."},
        {"en": ("1. A glove, comprising:\na thumb; and\na palm;\nin leather.", "2. A glove as in claim 1, dyed.")},
        {
            "en": "RELATED\nA continuation.\nPaid by NASA.\nDETAILS\nIn FIG. 1:\none\ntwo\nand\nkg m\n1 2\n"
            "cited in 2094713 GB , where x = 1 holds."
        },
        ("A41B 1/00", "A41D 13/08"),
        priority_date=date(1999, 8, 1),  # the provisional; earlier ones of patents, substitutes, publications are none
        filing_date=date(2002, 6, 27),
        publication_date=date(2003, 1, 2),
        applicants=("Gloves, Inc.",),
        inventors=("Baker, Ann B.", "Cole, Dan, III"),
        citations=(
            Citation(PatentNumber("US", "5688137", "A")),
            Citation(PatentNumber("GB", "2094713"), phase="description"),
        ),
        source="a.xml",
    )


def test_priority_from_the_sources_that_are_left() -> None:
    without = APPLICATION.replace("19990801", "")
    assert pap(parsed(without), "").priority_date == date(2000, 7, 30)
    assert pap(parsed(without.replace("20000730", "")), "").priority_date == date(2001, 6, 28)


@pytest.mark.parametrize(
    "path",
    [
        ("international-conventions", "pct-application"),
        ("continuity-data", "division-of", "parent-pct"),
        ("continuity-data", "a-371-of-international", "parent-child", "parent"),
    ],
)
def test_international_application_gives_priority(path: tuple[str, ...]) -> None:
    added = "<document-id><document-date>19980102</document-date></document-id>"
    for name in reversed(path):
        added = f"<{name}>{added}</{name}>"
    text = APPLICATION.replace("</subdoc-bibliographic", f"{added}</subdoc-bibliographic", 1)
    assert pap(parsed(text), "").priority_date == date(1998, 1, 2)
