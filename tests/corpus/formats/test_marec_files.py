"""Real files of MAREC and CLEF-IP, against counts made another way: by XPath and by regular expressions on the file."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from antecede.corpus.document import RawDocument
from antecede.corpus.formats.marec import marec
from antecede.corpus.safe_xml import parse_xml

if TYPE_CHECKING:
    from pathlib import Path

    from lxml.etree import _Element as Element

    from antecede.patent import Patent

FIELDS = {
    "title": "//invention-title[normalize-space()]",
    "abstract": "/*/abstract[normalize-space()]",
    "claims": "/*/claims//claim[normalize-space()]",
    "description": "/*/description[normalize-space()]",
    "ipc": "//classification-ipcr|//classification-ipc/main-classification",
    "citations": "//patent-citations/patcit",
    "priority_date": "//priority-claims/priority-claim//date",
    "filing_date": "//bibliographic-data/application-reference//date",
    "publication_date": "/*/@date|/*/@date-published|//publication-reference//date",
    "applicants": "//parties/applicants/applicant//*[self::name or self::last-name]|//parties/assignees/assignee",
    "inventors": "//parties/inventors/inventor//*[self::name or self::last-name]",
    "family_id": "/*/@family-id",
}
"""Where the XML has what a record should."""
INSIDE_LINES = (
    "b|i|u|o|sub|sup|sub2|sup2|smallcaps|ref|figref|crossref|patcit|nplcit|claim-ref|img|imgref|bio-deposit|text|che|chr|f"
    "|crf|frac|sqrt|fence|chemistry|math|mi|mn|mo|mrow|msup"
)
"""Elements that part no words."""
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Read:
    """A file as we read it, and as another does."""

    name: str
    patent: Patent
    text: str
    root: Element


@cache
def files_of(data: Path) -> tuple[Read, ...]:
    found = []
    for path in sorted(data.glob("formats/marec-*/**/*.xml")):
        content = path.read_bytes()
        if re.search(rb"<patent-document[\s>]", content[:4000]):
            patent = marec(parse_xml(RawDocument(content, "patent-document", path.name)), path.name)
            found.append(Read(path.name, patent, content.decode(), etree.fromstring(content)))
    return tuple(found)


@pytest.fixture(scope="module")
def files(data: Path) -> tuple[Read, ...]:
    return files_of(data)


def nodes(read: Read, path: str) -> list[Element]:
    found = read.root.xpath(path)
    assert isinstance(found, list)
    return [each for each in found if isinstance(each, etree._Element)]


def words(xml: str) -> Counter[str]:
    """The words in a piece of XML."""
    text = re.sub(r"<!--.*?-->|<\?.*?\?>", "", xml, flags=re.DOTALL)
    text = re.sub(rf"</?(?:\w+:)?(?:{INSIDE_LINES})(?:\s[^>]*)?/?>", "", text)
    return Counter(WORD.findall(html.unescape(re.sub(r"<[^>]+>", " ", text))))


def parts(read: Read, name: str) -> str:
    """The elements of a name, as they stand in the file."""
    return " ".join(re.findall(rf"<{name}[ >].*?</{name}>", read.text, re.DOTALL))


def test_there_are_files(files: tuple[Read, ...]) -> None:
    assert len(files) == 136


@pytest.mark.parametrize("field", FIELDS)
def test_every_file_that_has_a_field_yields_it(files: tuple[Read, ...], field: str) -> None:
    having = [read for read in files if read.root.xpath(FIELDS[field])]
    without = [read for read in files if not read.root.xpath(FIELDS[field])]
    assert [read.name for read in having if not getattr(read.patent, field)] == []
    assert [read.name for read in without if getattr(read.patent, field)] == []


@pytest.mark.parametrize("field", ["title", "abstract", "claims", "description"])
def test_every_language_that_a_file_names_is_there(files: tuple[Read, ...], field: str) -> None:
    path = "//invention-title" if field == "title" else f"/*/{field}"
    for read in files:
        named = {each.get("lang", "").lower() for each in nodes(read, path) if each.get("lang")}
        assert named <= set(getattr(read.patent, field)), read.name


def test_descriptions_word_for_word(files: tuple[Read, ...]) -> None:
    """Nothing missing, doubled or run together; scanned files differ by words cut at line ends, formulas by `/`."""
    for read in files:
        theirs = words(re.sub(r"&lt;EMI ID=.*?&gt;", " ", parts(read, "description")))
        ours = words(html.escape(" ".join(read.patent.description.values())))
        if not re.search("¬|<mfrac|over>", read.text):
            assert ours == theirs, read.name
        assert abs(sum(map(len, ours.elements())) - sum(map(len, theirs.elements()))) == 0, read.name


def test_claims_word_for_word(files: tuple[Read, ...]) -> None:
    for read in files:
        given = re.sub(r"<claim-statement.*?</claim-statement>", "", parts(read, "claims"), flags=re.DOTALL)
        theirs = words(re.sub(r"&lt;EMI ID=.*?&gt;", " ", given))
        ours = words(html.escape(" ".join(each for claims in read.patent.claims.values() for each in claims)))
        if "¬" not in given:
            assert not ours - theirs, read.name
            lost = sum((theirs - ours).values())
            assert lost <= 25 if read.name.startswith(("WO", "JP")) else lost == 0, read.name


def test_claims_are_as_many_as_the_file_has(files: tuple[Read, ...]) -> None:
    for read in files:
        for claims in nodes(read, "/*/claims[count(claim)>1][@lang]"):
            language = claims.get("lang", "").lower()
            count = len(claims.findall("claim"))
            found = read.patent.claims[language]
            assert len(found) == count or read.name.startswith("JP"), read.name
            assert all(re.match(r"\d+\D", claim) for claim in found)


def test_claims_in_one_piece_are_parted(files: tuple[Read, ...]) -> None:
    """The highest number that begins a `claim-text` is reached, and few are missing on the way."""
    blocks = [read for read in files if nodes(read, "/*/claims[count(claim)=1]")]
    assert len(blocks) > 30
    for read in blocks:
        texts = ("".join(map(str, each.itertext())).strip() for each in nodes(read, "//claims//claim-text"))
        begun = (re.match(r"(?:Claim )?(\d{1,3})\s?(?:[.-]|$|[A-Z ])", text) for text in texts)
        highest = max((int(found[1]) for found in begun if found), default=1)
        (claims,) = read.patent.claims.values()
        numbers = [int(claim.split(".")[0]) for claim in claims]
        assert numbers == sorted(numbers), read.name
        assert numbers[-1] >= highest, read.name
        assert len(numbers) >= numbers[-1] - 1, read.name


def test_citations_are_as_many_as_the_file_has(files: tuple[Read, ...]) -> None:
    for read in files:
        cited = {each.get("ucid") for each in nodes(read, "//patent-citations/patcit")}
        assert len({str(each.number) for each in read.patent.citations}) == len(cited), read.name
        named = nodes(read, "//patent-citations/patcit//source[@category]|//patent-citations/patcit[@category]")
        assert sum(each.category is not None for each in read.patent.citations) == len(named), read.name


def test_codes_are_as_many_as_the_file_has(files: tuple[Read, ...]) -> None:
    for read in files:
        path = "//classification-ipcr|//classification-ipc/*[not(self::edition)]"
        codes = (re.match(r"([A-H]\d\d[A-Z])(?:\s+(\d+/\d+))?\s", f"{each.text} ") for each in nodes(read, path))
        assert set(read.patent.ipc) == {" ".join(filter(None, code.groups())) for code in codes if code}, read.name
