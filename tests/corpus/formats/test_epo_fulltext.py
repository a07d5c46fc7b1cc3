"""Texts of the Open Patent Services: descriptions typed as lines, claims typed as one text."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.document import DocumentError, RawDocument
from antecede.corpus.formats.docdb import epo_fulltext
from antecede.corpus.safe_xml import parse_xml
from tests.corpus.formats.mangled import parsed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lxml.etree import _Element as Element

DOCUMENT = """<ftxt:fulltext-document xmlns="http://www.epo.org/fulltext" xmlns:ftxt="http://www.epo.org/fulltext"
 system="ops.epo.org" fulltext-format="text-only"><bibliographic-data><publication-reference data-format="docdb">
<document-id><country>WO</country><doc-number>0100832</doc-number><kind>A1</kind><date>20010104</date></document-id>
</publication-reference></bibliographic-data>{}</ftxt:fulltext-document>"""
DESCRIPTION = """<description lang="EN"><p>
Field of Invention
 </p><p>[0001]    A pump for Ca&lt;2+> ions. </p><p>First line
second line

&lt;tb>Name&lt;sep>Value
&lt;tb>a&lt;sep>1
</p><p>Indented by
   an editor.</p></description>"""
CLAIMS = """<claims lang="EN"><claim><claim-text>1. A pump.</claim-text><claim-text>2. A pump as in claim 1,
with a valve.</claim-text><claim-text>in which the valve turns.</claim-text></claim></claims>
<claims lang="DE"><claim><claim-text>Patentansprüche
1. Pumpe.
2. Pumpe nach Anspruch 1.</claim-text></claim></claims>"""
WHOLE = DOCUMENT.format(DESCRIPTION + CLAIMS)


def test_a_full_text() -> None:
    found = epo_fulltext(parsed(WHOLE), "a.xml")
    assert (found.doc_id, found.kinds, found.language, found.source) == ("WO2001000832", ("A1",), "en", "a.xml")
    assert found.publication_date == date(2001, 1, 4)
    assert found.description == {
        "en": "Field of Invention\n[0001] A pump for Ca<2+> ions.\nFirst line\nsecond line\nName Value\na 1\n"
        "Indented by an editor."
    }
    assert found.claims == {
        "en": ("1. A pump.", "2. A pump as in claim 1,\nwith a valve.\nin which the valve turns."),
        "de": ("1. Pumpe.", "2. Pumpe nach Anspruch 1."),
    }


def test_a_number_in_the_attributes_of_the_document() -> None:
    claims = "<claims><claim>1. A panel of the wood.</claim></claims>"
    text = f'<fulltext-document country="EP" doc-number="1000000" kind="B1">{claims}</fulltext-document>'
    found = epo_fulltext(parsed(text), "")
    assert (found.doc_id, found.claims) == ("EP1000000", {"en": ("1. A panel of the wood.",)})


def test_a_document_that_the_service_did_not_find() -> None:
    with pytest.raises(DocumentError, match="not found") as caught:
        epo_fulltext(parsed(DOCUMENT.format("").replace("system=", 'status="not found" system=')), "")
    assert caught.value.doc_id == "WO2001000832"


# The real files


def real(data: Path) -> Iterator[tuple[Path, Element]]:
    """The documents of the real files."""
    folders = [data / "formats" / "marec-clefip", data / "formats" / "epo-ops" / "published" / "test"]
    for file in sorted(each for folder in folders for each in folder.rglob("*.xml")):
        content = file.read_bytes()
        if re.search(rb"<(?:ftxt:)?fulltext-document\b", content[:3000]) is not None:
            root = parse_xml(RawDocument(content, "fulltext-document", file.name))
            yield file, next(root.iter("fulltext-document"))


def squeezed(text: str) -> str:
    return re.sub(r"\s|<tb>|<sep>|<EMI ID=[^<>]*>|<(?:IMAGE|CHEM|MATH|TABLE|FORM)>", "", text)


def test_the_real_texts_are_whole(data: Path) -> None:
    """Each letter once, in order, of every description and all claims."""
    seen, counted = 0, {}
    for file, root in real(data):
        texts = {
            part: squeezed("".join(map(str, each.itertext())))
            for part in ("description", "claims")
            for each in root.iter(part)
        }
        found = epo_fulltext(root, file.name)
        seen += 1
        assert set(found.languages) == {"en"}, file
        assert squeezed("".join(found.description.values())) == texts.get("description", ""), file
        assert squeezed("".join("".join(each) for each in found.claims.values())) == texts.get(
            "claims", ""
        ).removeprefix("Claims"), file
        assert bool(found.description) == ("description" in texts), file
        assert bool(found.claims) == ("claims" in texts), file
        if (named := re.match(r"(EP)(\d{7})", file.stem)) is not None:
            assert (found.doc_id, found.kinds[0][0]) == (named[0], "A"), file
        counted[file.name] = len(found.claims.get("en", ()))
    assert seen == 44
    assert counted["claims_example.xml"] == 11  # a claim-text each
    assert counted["claims_example_2.xml"] == 20  # lines of a single claim-text
