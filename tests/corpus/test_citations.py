"""Patent numbers in running text: sentences as descriptions have them, real descriptions, and hostile text."""

from __future__ import annotations

import gzip
import html
import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.corpus.citations import numbers_in
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from pathlib import Path

# What is between ⟨ and ⟩ must be found, and nothing else; the keys are behind the sentence.
ENGLISH = """
    A clamp of this kind is shown in ⟨U.S. Pat. No. 5,123,456⟩, issued to Doe on June 23, 1992. = US5123456
    See ⟨U.S. Pat. Nos. 4,123,456⟩; ⟨4,234,567⟩ and ⟨4,345,678⟩, which teach wedges. = US4123456 US4234567 US4345678
    See U.S. patents to Roe (⟨U.S. Pat. Nos. 4,111,222⟩, ⟨4,222,333⟩, and ⟨4,333,444⟩). = US4111222 US4222333 US4333444
    No commas: ⟨U.S. Pat. Nos. 7 454 053⟩ ⟨7 324 682⟩ and ⟨8 111 905⟩ which. = US7454053 US7324682 US8111905
    Compare ⟨US 5 123 456⟩ with ⟨US-A-5,123,457⟩. = US5123456 US5123457
    A pump is known from ⟨US-A-5 123 456⟩ and from ⟨US 5,123,457 A⟩, and a valve. = US5123456 US5123457
    ⟨United States Patent 5,123,456⟩ to Doe; ⟨5,123,457⟩ to Roe et al.; and ⟨899,349⟩. = US5123456 US5123457 US899349
    Published as ⟨U.S. Patent Application Publication No. 2004/0123456⟩ A fan turns. = US20040123456
    ⟨U.S. Patent Publication Nos. 2004/0123457⟩ (Doe) and ⟨2005/0123458⟩ (Roe). = US20040123457 US20050123458
    In ⟨US2004/0123456⟩ a fan turns. = US20040123456
    In ⟨US 20040123456 A1⟩ and ⟨U.S. Pub. No. 2004-0123457⟩. = US20040123456 US20040123457
    The ⟨US Patent 5123456⟩ shows a lid; ⟨USP 5,123,457⟩ a rim. = US5123456 US5123457
    ⟨U.S. Pat. No. Re. 33,727⟩, ⟨U.S. Reissue Pat. No. 34,584⟩ and ⟨US RE38,123⟩. = USRE33727 USRE34584 USRE38123
    Designs: ⟨U.S. Pat. No. Des. 435,854⟩ and ⟨U.S. Pat. No. D435,855⟩. = USD435854 USD435855
    An old one, ⟨U.S. Pat. No. 821,781⟩ of 1906. = US821781
    As read by a machine: ⟨U.S. Patent 5,639,61 1⟩ and ⟨US 5, 188, 642⟩. = US5639611 US5188642
    An unnamed ⟨Pat. No. 5,123,456⟩ is American, as is ⟨Publication No. 2002/0133581⟩. = US5123456 US20020133581
    See ⟨EP-A-0 680 812⟩, ⟨EP 0 680 813 A1⟩ and ⟨EP-B1-0680814⟩. = EP680812 EP680813 EP680814
    See ⟨European Patent No. 0 680 812⟩ and ⟨European Patent Application 0680813⟩. = EP680812 EP680813
    See ⟨EP-A-680812⟩ and ⟨0 681 123⟩; not 100 000 cycles. = EP680812 EP681123
    See ⟨EP 88 968 A1⟩ and ⟨European Pat. Pub. No. 75,762⟩. = EP88968 EP75762
    See ⟨WO 98/12345⟩, ⟨99/23456⟩ and ⟨WO-A-9812346⟩. = WO1998012345 WO1999023456 WO1998012346
    See International Publication No. ⟨WO 2004/012345⟩ and ⟨WO03/012345 A2⟩. = WO2004012345 WO2003012345
    See ⟨WO/2007/049716⟩, as well as ⟨WO-A-9 850 093⟩ and ⟨WO 2006-122630⟩. = WO2007049716 WO1998050093 WO2006122630
    See ⟨PCT Publication No. 98/12345⟩ and ⟨W02004/076288⟩. = WO1998012345 WO2004076288
    See ⟨German Offenlegungsschrift 35 46 191⟩ and ⟨German Patent No. 3,546,192⟩. = DE3546191 DE3546192
    See ⟨British Patent Specification 1,347,950⟩ and ⟨GB 2 123 456 A⟩ and others. = GB1347950 GB2123456
    See ⟨UK Patent Application 2,234,791⟩ and ⟨Great Britain Pat. Pub. No. 1,554,083⟩. = GB2234791 GB1554083
    See ⟨French Patent No. 2,123,456⟩ and ⟨FR-A-2 123 457⟩. = FR2123456 FR2123457
    See ⟨JP-A-60-12345⟩, ⟨60-12346⟩ and ⟨JP 2004-123456 A⟩. = JPS60012345 JPS60012346 JP2004123456
    See ⟨Japanese Patent Laid-Open No. 2004-123456⟩ and ⟨JP-B-8-12345⟩. = JP2004123456 JPBH08012345
    See ⟨Japanese Unexamined Patent Publication (Kokai) No. H10-123456⟩. = JPH10123456
    ⟨Japanese Patent Laid-open Nos. Sho 59-22947⟩, ⟨Sho 62-200286⟩, ⟨Hei 5-1783⟩. = JPS59022947 JPS62200286 JPH05001783
    See ⟨Japanese Unexamined Patent Application Publication (JP-A) No. 2000-348338⟩. = JP2000348338
    See ⟨Japanese Examined Patent Publication No. 8-12345⟩ and ⟨Japanese Patent No. 2500001⟩. = JPBH08012345 JP2500001
    See ⟨Japanese Patent Publication No. 61-12345⟩, which is examined. = JPBS61012345
    See ⟨Japanese Patent Publication No. 2000-336057⟩, which can only be laid open. = JP2000336057
    See ⟨Japanese Utility Model Laid-Open No. 59-12345⟩. = JPUS59012345
    See ⟨Japanese Patent Laid-Open No. 24289/96⟩ and ⟨JP-A-053165/1979⟩. = JPH08024289 JPS54053165
    See ⟨Canadian patent No. 1,016,408⟩, ⟨Belgian Patent 825,146⟩, ⟨CH 506 850⟩. = CA1016408 BE825146 CH506850
    See ⟨AU-B-417 614⟩, ⟨AU679448B2⟩ and ⟨South African Patent 85/8794⟩. = AU417614 AU679448 ZA858794
    See ⟨Korean Patent Publication No. 10-2004-0012345⟩ and ⟨CN 101234567 A⟩. = KR20040012345 CN101234567
    A number over lines ⟨U.S.
                Pat. No.   5,123,
         456⟩ it was. = US5123456
"""
GERMAN = """
    Aus der ⟨DE-OS 35 46 191⟩ ist eine Klemme bekannt, ebenso aus der ⟨DE-PS 22 49 759 C2⟩. = DE3546191 DE2249759
    Die ⟨DE 199 12 345 A1⟩ und die ⟨DE-A-3546191⟩ zeigen Federn. = DE19912345 DE3546191
    Die ⟨deutsche Offenlegungsschrift 35 46 191⟩ und ⟨36 12 345⟩ zeigen Keile. = DE3546191 DE3612345
    In der ⟨DE 10 2004 012 345 A1⟩ und der ⟨DE 20 2004 012 346 U1⟩. = DE102004012345 DE202004012346
    Das ⟨deutsche Gebrauchsmuster 1 712 345⟩ und das ⟨DE-GM 83 07 084⟩. = DEU1712345 DE8307084
    Das ⟨US-Patent 5 123 456⟩ und die ⟨US-PS 45 07 540⟩, ⟨US-Patentschrift 5,123,457⟩. = US5123456 US4507540 US5123457
    Die ⟨amerikanische Patentschrift 5 123 456⟩ betrifft Ventile. = US5123456
    Die europäische Patentanmeldung ⟨EP 0 680 812⟩ und die ⟨europäische Patentschrift 0 680 813⟩. = EP680812 EP680813
    Die ⟨japanische Offenlegungsschrift 60-12345⟩ und die ⟨JP-A 61-252369⟩. = JPS60012345 JPS61252369
    Aus der ⟨französischen Patentschrift 2 123 456⟩ und der ⟨britischen Patentschrift 1 234 567⟩. = FR2123456 GB1234567
    Die ⟨schweizerische Patentschrift 506 850⟩ und die ⟨österreichische Patentschrift 410 377⟩. = CH506850 AT410377
    Die internationale Anmeldung ⟨WO 98/12345 A1⟩ beschreibt Garne. = WO1998012345
"""
FRENCH = """
    Le brevet ⟨US 5 123 456⟩ décrit une vanne, le brevet ⟨américain n° 5.123.457⟩ un joint. = US5123456 US5123457
    On connaît le brevet ⟨européen n° 0 680 812⟩ et la demande ⟨EP-A-0 680 813⟩. = EP680812 EP680813
    La demande de brevet ⟨français No 2 123 456⟩ et le brevet ⟨FR 2.123.457⟩. = FR2123456 FR2123457
    Le brevet ⟨allemand n° 35 46 191⟩ et la demande internationale ⟨WO 98/12345⟩. = DE3546191 WO1998012345
    Les brevets ⟨FR 2 123 456⟩ et ⟨2 234 567⟩ concernent des fils. = FR2123456 FR2234567
    La demande ⟨japonaise 60-12345⟩ publiée en 1985. = JPS60012345
"""
NOTHING = """
    This is a continuation of application Ser. No. 09/413,215, filed Oct. 6, 1999.
    Priority is claimed of U.S. Provisional Application No. 60/123,456 and U.S. application No. 10/123,456.
    U.S. patent application Ser. No. 326,763 and U.S. Serial No. 058,480 are abandoned.
    Text without commas has U.S. Ser. No. 11 509 260 filed Aug. 24 2006.
    International Application No. PCT/EP2005/001234, PCT/US99/12345, PCT/US2007/008705 and PCT US2008011500.
    Japanese Patent Application No. 2000-265553 was filed on Sep. 1, 2000; so was JP Application 2000-265554.
    European Patent Application No. 98123456.7 and EP 98 123 456.7; GB application 9812345.6.
    In 1992, 5,123,456 units were sold in the US for 100,000 dollars; the US 2010 census counted more.
    The primer BE908217 and AU158495 bind; IEC60958, ISO 9001, Igepal CA-630,150 mM and FR901228.
    Proc. Natl. Acad. Sci. USA 89:10208-10212, 1992; J. Virol. 80, 1906-1914, 2006.
    Reference numerals 10, 20, 30 and 1234567 denote parts. The European norm EN 123456 holds. WO 97.
    Die Maße betragen 35 46 191 mm; deutsche Länder zählen 83 000 000 Menschen. No 12345 bis No 12346.
    Le document cite 5 123 456 habitants en France en 1999 et 2 123 456 en Belgique.
    A deutsch-französisches Heft 1 234 567. HEI 10 and Sho 5 are years. DE 1 to DE 9 are switches. IN 2004 123456 sold.
"""
SENTENCES = [
    (language, line.strip())
    for language, lines in (("en", ENGLISH), ("de", GERMAN), ("fr", FRENCH))
    for line in re.split(r"\n {4}(?! )", lines.strip())
]


@pytest.mark.parametrize(("language", "sentence"), SENTENCES)
def test_numbers_of_a_sentence(language: str, sentence: str) -> None:
    marked, _, keys = sentence.rpartition(" = ")
    text = re.sub("[⟨⟩]", "", marked)
    found = numbers_in(text, language=language)
    assert [text[each.start : each.end] for each in found] == re.findall("⟨([^⟩]*)⟩", marked)
    assert [each.number.key for each in found] == keys.split()


@pytest.mark.parametrize("sentence", NOTHING.strip().split("\n    "))
def test_what_is_no_publication_is_passed_over(sentence: str) -> None:
    assert [sentence[each.start : each.end] for each in numbers_in(sentence)] == []


def test_an_unnamed_patent_is_american_in_english_only() -> None:
    text = "Siehe Patent No. 5,123,456."
    assert numbers_in(text, language="de") == []
    assert [each.number.key for each in numbers_in(text)] == ["US5123456"]


PIECES = [
    "U.S. Pat. No. 5,123,456", "EP-A-0 680 812", "WO 98/12345", "DE 35 46 191 A1", "JP-A-60-12345", "FR 2 123 456",
]  # fmt: skip
PLAIN = st.text("abc xyz.\n\t  éß“", max_size=30)


@given(st.lists(st.tuples(PLAIN, st.sampled_from(PIECES)), max_size=6), PLAIN)
def test_places_are_those_of_the_text(parts: list[tuple[str, str]], rest: str) -> None:
    text = "".join(f"{before} ({piece});" for before, piece in parts) + rest
    found = numbers_in(text)
    assert [text[each.start : each.end] for each in found] == [piece for _, piece in parts]


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*PIECES, " and ", ", ", "U.S.", "Nos. ", "1", ",", " ", "(", "to A"])).map("".join)
)
def test_any_text_gives_numbers_in_order_that_come_round(text: str) -> None:
    found = numbers_in(text)
    ends = [0, *(place for each in found for place in (each.start, each.end))]
    assert ends == sorted(ends)
    assert all(each.start < each.end <= len(text) for each in found)
    assert all(PatentNumber.parse(str(each.number)) == each.number for each in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("unit", "size"),
    [("U.S. Pat. Nos. 1,", 1_000_000), ("1,", 1_000_000), ("1", 1_000_000), ("\n1 ", 500_000), (" ", 1_000_000),
     ("12345a", 200_000), ("US 12345 ", 80_000), ("US 5,123,456 (", 80_000), ("US 5,123,456 to Aaaa ", 80_000),
     ("European Patent Application ", 300_000), ("PCT/", 300_000), ("French 12345 ", 80_000)],
)  # fmt: skip
def test_hostile_text_is_read_in_time_that_grows_with_its_length(unit: str, size: int) -> None:
    """Were any step to look back or ahead without a bound, these would not end."""
    text = unit * (size // len(unit))
    found = numbers_in(text)
    assert len(found) == (text.count("5,123,456"))


def marked_text(xml: str) -> tuple[str, list[tuple[int, int]]]:
    """The text of a description, and the places that its annotators marked as citations of patents."""
    text, marks, begun = "", [], -1
    for part in re.split(r"(<[^>]*>)", xml):
        if re.match(r'<ref type?="(?:patent|pl)"', part):
            begun = len(text)
        elif part == "</ref>" and begun >= 0:
            marks.append((begun, len(text)))
            begun = -1
        elif not part.startswith("<"):
            text += html.unescape(part)
        elif re.match(r"</?(?:p|heading|li)\b", part):
            text += "\n"
    return text, marks


FILED = re.compile(
    r"PCT|Ser\b|[Ss]erial|[Pp]rovisional|Application [Nn]os?|\d\d ?/ ?\d{3}[,.]?\d{3}|Docket|[Aa]pplication \d+-"
)


@pytest.mark.slow
def test_citations_that_readers_marked_are_found(data: Path) -> None:
    """At least 98 of 100 marks of a publication are found, and what is found stands almost always within a mark."""
    marked = found = inside = outside = 0
    for path in sorted((data / "formats" / "marec-clefip").rglob("*.xml")):
        for xml in re.findall(r"<description\b.*?</description>", path.read_text(encoding="utf-8"), re.DOTALL):
            text, marks = marked_text(xml)
            if not marks:
                continue
            mentions = numbers_in(text)
            for start, end in marks:
                hit = any(each.start < end and each.end > start for each in mentions)
                found += hit
                marked += hit or FILED.search(text[start:end]) is None
            for each in mentions:
                within = any(each.start < end and each.end > start for start, end in marks)
                inside += within
                outside += not within
    assert marked > 900
    assert found / marked > 0.98
    assert outside / (inside + outside) < 0.03


@pytest.mark.slow
def test_in_text_citations_of_real_full_texts_are_found(data: Path) -> None:
    """These qrels were made from citations in the text: all pairs are found whose number the cut text still has."""
    folder = data / "patents-fulltext"
    pairs = [line.split()[::2] for line in (folder / "qrels.txt").read_text().splitlines()]
    citing = {topic for topic, _ in pairs}
    with gzip.open(folder / "patents.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = {record["id"]: record["description"] for record in map(json.loads, file) if record["id"] in citing}
    keys = {topic: {each.number.key for each in numbers_in(text, language="en")} for topic, text in texts.items()}
    there = [(topic, cited) for topic, cited in pairs if re.search(r"\D{0,2}".join(cited[3:]), texts[topic])]
    missed = [pair for pair in there if pair[1].replace("-", "") not in keys[pair[0]]]
    assert len(there) > 200
    assert missed == []
