"""Numbers: all writings of one patent meet, no two patents do, and nothing makes the reading fail."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.patent import PatentNumber
from antecede.patent.number import COUNTRIES
from antecede.patent.offices import OFFICES

if TYPE_CHECKING:
    from pathlib import Path

MEET = {
    "EP1000000": "EP-1000000-A1 | EP1000000A1 | EP 1 000 000 | EP-1000000 | EP 1000000 A1 | EP 1,000,000 | ep1000000b1",
    "EP680812": "EP0680812 | EP680812 | EP-A-0 680 812 | EP-B1-0680812 | EP-A1 0 680 812 | EPA 0680812 | EP 0.680.812"
    " | EP\u00a00\u202f680\u202f812 | EP\u20130680812\u2013A1"
    " | ＥＰ０６８０８１２ | EP 0 680 812 (B1) | EP 0'680'812 | EP 068\u00ad0812",
    "US7596572": "US7596572 | US-7,596,572 | US 7 596 572 B2 | US07596572 | US-B2-7596572 | US 7.596.572",
    "US5123456": "US-A-5 123 456 | US 5,123,456 A | US05123456",
    "US10465445": "US10465445B2 | US 10,465,445 | US-10465445",
    "USD435854": "USD435854 | US D435,854 S | US-D0435854-S1 | US Des. 435,854 | US-435854-S",
    "USPP12345": "USPP12345 | US PP12,345 P2 | US-PP012345-P | US-12345-P3",
    "USRE38123": "USRE38123 | US-RE038123-E | US Re. 38,123 | US-38123-E1",
    "USH1": "US-H1-H | USH0000001 | US H1 H1",
    "UST987001": "US T987,001 | UST987001I4",
    "US20010033243": "US 2001/0033243 A1 | US2001/0033243 | US20010033243A1 | US2001033243 | US200133243"
    " | US-2001033243-A1 | US 2001-0033243 | US 2001 0033243 | US2001/033,243",
    "US20060021003": "US200621003 | US-2006021003-A1 | US20060021003",
    "US20010002912": "US20012912 | US-2001002912-A1",
    "US20050000524": "US2005524A1 | US-2005000524-A1",
    "US2005524": "US2005524 | US 2,005,524 A",
    "WO1978000001": "WO-1978000001-A1 | WO 78/00001 | WO7800001 | WO 1978/000001",
    "WO2001058956": "WO 01/58956 | WO0158956A2 | WO-A-01/58956 | WO2001058956 | WO200158956 | WO 01 58956 | WO158956",
    "WO2006017942": "WO2006017942 | WO 2006/017942 | WO06/017942 | WO06017942 | WO/2006/017942",
    "WO2002000326": "WO 02/00326 | WO20020200326 | WO0200326",
    "WO2003087836": "WO03087836 | WO 03/087836 A1 | WO3087836 | WO200303087836",
    "DE3546191": "DE 35 46 191 A1 | DE3546191 | DE-A1-35 46 191 | DE-OS 35 46 191 | DE-PS 3546191"
    " | DT 35 46 191 | DE P 35 46 191.2",
    "DE102004012345": "DE-10 2004 012 345 A1 | DE102004012345 | DE 10 2004 012 345.6 | DE102004012345B4",
    "DE19912345": "DE 199 12 345 | DE19912345A1 | DE-C2-199 12 345",
    "DE202004012345": "DE 20 2004 012 345 U1 | DE202004012345",
    "DE20112345": "DE 201 12 345 U1 | DE20112345",
    "DE69831809": "DE69831809T2 | DE-698 31 809-D1",
    "DEU1712345": "DE-GM 1 712 345 | DE1712345U",
    "FR2123456": "FR 2 123 456 | FR-A-2 123 456 | FR2123456A1 | FR-A1-2.123.456",
    "FR1234567": "FR 1.234.567 | FR1234567A",
    "GB2123456": "GB 2 123 456 A | GB-A-2123456 | GB2123456B | UK 2,123,456",
    "GB191400043": "GB 43/1914 | GB191400043A | GB 43 of 1914 | GB 00043/1914",
    "GB191443": "GB191443 | GB 191,443",
    "JPH10000001": "JP-10000001-A | JPH10000001 | JP-A-10-1 | JP H10-1 A | JP 10-000001 | JPH101A"
    " | JP1998000001 | JP410000001A",
    "JPS60012345": "JP S60-12345 | JP 60-12345 A | JPS6012345A | JP-60012345-A | JP-A-60-12345"
    " | JP S.60-012345 | JP360012345A | JP 85-12345 | JP 12345/85 A | JP-A-012345/1985",
    "JPH05203879": "JP-5203879-A | JP 5-203879 | JPH05203879A | JP-A-5-203,879",
    "JP2004123456": "JP2004123456A | JP 2004-123456 | JP-A-2004-123456 | JP P2004-123456 A"
    " | JP 2004/123456 | JP H16-123456",
    "JP2000012345": "JP 2000-12345 | JP200012345 | JP 12-12345",
    "JP2500001": "JP2500001B2 | JP 2 500 001 | JP-B2-2500001",
    "JPBH08012345": "JP-B-8-12345 | JPH0812345B2 | JP 8-12345 B",
    "JPBS37008198": "JP 37-8198 | JPS378198B1",
    "JPU3012345": "JP3012345U | JP-U-3012345",
    "JPWO2004012345": "JPWO2004012345A1 | JP WO2004/012345",
    "KR20040012345": "KR20040012345 | KR-10-2004-0012345 | KR1020040012345A | KR 10-2004-0012345 A | KR2004012345",
    "KRU20040012345": "KR-20-2004-0012345 | KR20040012345U",
    "KR100484299": "KR100484299B1 | KR 10-0484299",
    "CN101234567": "CN101234567A | CN 101234567 B | CN-101234567",
    "CN1234567": "CN1234567A | CN 1 234 567",
    "CNC1234567": "CN1234567C | CN-C-1234567",
    "AU1852499": "AU 18524/99 | AU-A-18524/99 | AU1852499A | AU199918524",
    "ATE305749": "AT305749T | ATE305749T1 | AT E 305749",
    "AT305749": "AT305749B | AT 305 749",
    "ITBO20000094": "ITBO20000094 | IT BO2000A000094",
    "BR0412345": "BRPI0412345A | BR PI 0412345-6 | BR0412345",
    "SE9303411": "SE9303411 | SE 9303411-1",
    "SE0401234": "SE0401234 | SE 0401234-5 A",
    "ZA200504838": "ZA 2005/04838 | ZA200504838B",
    "NL9400663": "NL9400663 | NL 94.00663 A",
    "MXPA04012345": "MXPA04012345A | MX PA04012345",
    "AP1206": "AP-1206-A | AP1206",
    "EA10384": "EA010384B1 | EA 10384",
    "SU187894": "SU-187894-A1 | SU 187 894",
    "CH506850": "CH506850A5 | CH-PS 506 850 | CH 506'850",
    "DKT1079809": "DK1079809T3",
}

NONE = """
    PCT/EP2005/001234 | PCT/US99/12345 | WO PCT/EP2005/001234 | WO DM/074086 | WO 97 | WO2012345 | WO20041234 | WO197958
    EP01250068 | EP 98123456.7 | EP 000385562-0106 | EP 96/04547 | EP0 | EP-A1 234 567 | EP
    US 09/413,215 | US 29/123,456 | US-87288306-P | US-51360300-A | US-7800002-W | US 1999/0012345 A1 | US201815919370
    US 20010033243 B2 | GB 0225961.2 | GB0003363 | GB0518273D0 | FR0604462 | CN98814060 | CN 200410012345.6
    DE2001002329 | USD 500
    JP-4123456-B | JP 07-3200754 | JP R1-12345 | JP 2004/098757 A2 | JP 00-12345 | JP S65-1 | JP 40-304303
    JP2004-000000 | ATM 1234
    No. 5,123,456 | No 12345 | NO. 12345 | in 2004 | XX1234567 | 7596572 | | A | EP1000000A1B2 | H04L 12/56 | ISO 9001
    US Patent | U.S. 5,123,456 | EP٣١٢٣٤٥٦ | 2001/0033243 | DE 35 46 191 und 35 46 192 | USß123456
"""


@pytest.mark.parametrize("key", MEET)
def test_all_writings_of_a_patent_meet(key: str) -> None:
    read = {text: PatentNumber.parse(text) for text in MEET[key].split(" | ")}
    assert {text: number and number.key for text, number in read.items()} == dict.fromkeys(read, key)


@pytest.mark.parametrize("text", [text.strip() for text in re.split(r"[|\n]", NONE)])
def test_what_is_no_publication_is_none(text: str) -> None:
    assert PatentNumber.parse(text) is None


def test_kinds_are_kept_beside_the_number() -> None:
    kinds = {
        "EP-A1-0680812": "A1",
        "DE-OS 35 46 191": "A",
        "DE-GM 8912345": "U",
        "US 5,123,456 A": "A",
        "EP680812": None,
    }
    assert {text: getattr(PatentNumber.parse(text), "kind", "?") for text in kinds} == kinds
    assert str(PatentNumber.parse("EP 0 680 812 B1")) == "EP-680812-B1"
    assert str(PatentNumber.parse("EP 0 680 812")) == "EP680812"


@pytest.mark.parametrize(
    ("country", "number", "kind", "key"),
    [
        ("EP", "1 000 000", "B1", "EP1000000"),
        ("us", "2003/0129724", "A1", "US20030129724"),
        ("US", "D0614828", "S1", "USD614828"),
        ("US", "7199227", "A ", "US7199227"),
        ("WO", "WO 89/03351", None, "WO1989003351"),
        ("WO", "W02004/067391", "A2", "WO2004067391"),
        ("WO", "94 19814", None, "WO1994019814"),
        ("DE", "29910056 U", None, "DE29910056"),
        ("DE", "20 2009 001 036 U", None, "DE202009001036"),
        ("JP", "6 120809", None, "JPH06120809"),
        ("JP", "A-10-100907", None, "JPH10100907"),
        ("JP", "59 035659", "U", "JPUS59035659"),
        ("KR", "10 2004-0085675", "A", "KR20040085675"),
        ("AU", "PP 7180", None, "AUPP7180"),
        ("US", "10172094", "00", None),
        ("WO", "PCT/EP02/11355", "00", None),
        ("XX", "1234567", "A", None),
        ("EP", "", "A1", None),
        ("EP", "x" * 5000, None, None),
    ],
)
def test_parts_of_real_files(country: str, number: str, kind: str | None, key: str | None) -> None:
    read = PatentNumber.of(country, number, kind)
    assert (read and read.key) == key


def test_series_beside_each_other_stay_apart() -> None:
    apart = ["JPH0812345A", "JPH0812345B2", "JPH0812345U", "JPH0812345Y2", "CN1234567A", "CN1234567C", "AT305749B",
             "AT305749T", "AT305749U1", "DE1079809B", "DE1079809T1", "DE1079809U", "KR20040012345A", "KR20040012345U",
             "US435854", "USD435854", "US-435854-S", "EP435854", "DK1079809T3", "DK1079809A"]  # fmt: skip
    keys = [number.key for text in apart if (number := PatentNumber.parse(text))]
    assert len(keys) == len(apart)
    assert len(set(keys)) == len(apart) - 1  # the two designs are one


SIGNS = "0123456789 -/.,ABCDEHMOPRSTUWXY'\u00a0\u2013０"
TEXTS = st.one_of(
    st.text(max_size=80),
    st.builds(str.__add__, st.sampled_from(sorted(COUNTRIES)), st.text(SIGNS, max_size=20)),
    st.builds(str.__add__, st.sampled_from(sorted(OFFICES)), st.from_regex(r"[-A-Z ]{0,3}\d{1,14}[A-Z]?\d?")),
)
KINDS = st.one_of(st.none(), st.from_regex(r"[A-Z][0-9]?", fullmatch=True), st.text(max_size=3))


def check_round_trip(number: PatentNumber) -> None:
    again = PatentNumber.parse(str(number))
    assert again == number, (str(number), again)
    keyed = PatentNumber.parse(number.key)
    assert keyed is not None, number.key
    assert keyed.key == number.key
    assert number.country in COUNTRIES
    assert re.fullmatch(r"[A-Z]{0,5}[0-9]{1,14}", number.number)


@given(TEXTS)
def test_any_text_is_read_or_none_and_comes_round(text: str) -> None:
    number = PatentNumber.parse(text)
    if number is not None:
        check_round_trip(number)


@given(st.sampled_from([*sorted(OFFICES), "MX", "DK", "HU", "NL"]), st.text(SIGNS, max_size=16), KINDS)
def test_any_parts_are_read_or_none_and_come_round(country: str, body: str, kind: str | None) -> None:
    number = PatentNumber.of(country, body, kind)
    if number is not None:
        check_round_trip(number)


@given(
    st.sampled_from(["EP", "US", "DE", "FR", "GB", "CH", "CA", "ES", "SU", "RU"]),
    st.integers(1, 1_999_999),
    st.sampled_from([" ", ",", ".", "'", "\u00a0"]),
    st.sampled_from(["", " ", "-"]),
    st.sampled_from(["", "A", "B1", " B2", "-B9", "-C"]),
)
def test_separators_and_zeros_mean_nothing(country: str, count: int, mark: str, gap: str, kind: str) -> None:
    grouped = f"{count:,}".replace(",", mark)
    padded = f"{count:09,}".replace(",", mark)
    texts = [f"{country}{gap}{written}{kind}" for written in (str(count), grouped, padded)]
    assert {number and number.key for number in map(PatentNumber.parse, texts)} == {f"{country}{count}"}


@given(st.integers(2001, 2030), st.integers(1, 499_999))
def test_every_form_of_a_us_application(year: int, serial: int) -> None:
    texts = [f"US{year}/{serial:07}", f"US {year}/{serial:07} A1", f"US{year}{serial:06}", f"US-{year}{serial:06}-A1",
             f"US{year}{serial}A1", f"US{year}{serial:07}A9"]  # fmt: skip
    texts += [f"US{year}{serial}"] if serial > 999 else []
    assert {number and number.key for number in map(PatentNumber.parse, texts)} == {f"US{year}{serial:07}"}


@given(st.integers(1978, 2030), st.integers(1, 99_999))
def test_every_form_of_an_international_application(year: int, serial: int) -> None:
    texts = [f"WO{year}{serial:06}", f"WO {year}/{serial:06}", f"WO {year % 100:02}/{serial:05}",
             f"WO{year}{serial:05}A1", f"WO-A-{year % 100:02}/{serial:06}", f"WO{year}{year}{serial:06}"]  # fmt: skip
    assert {number and number.key for number in map(PatentNumber.parse, texts)} == {f"WO{year}{serial:06}"}


def test_what_is_too_long_for_a_number_is_none() -> None:
    padded = f"{' ' * 55}1000000"
    assert PatentNumber.of("EP", padded) == PatentNumber.of("EP", "1000000") is not None
    assert PatentNumber.of("EP", f" {padded}") is None


def test_ids_and_publications_of_real_records_meet(data: Path) -> None:
    """All but those of seven digits: `US2005524` might be the 524th application of 2005 or the grant of 1935."""
    with gzip.open(data / "patents-abstract" / "patents.jsonl.gz", "rt", encoding="utf-8") as file:
        pairs = [(record["id"], record["pub"]) for record in map(json.loads, file)]
    apart = [pair for pair in pairs if key(pair[0]) is None or key(pair[0]) != key(pair[1])]
    assert len(pairs) == 17887
    assert len(apart) == 11
    assert all(
        re.fullmatch(r"US20[0-2][0-9]\d{3}", written) and publication.endswith("A1") for written, publication in apart
    )


def test_ids_of_real_full_texts(data: Path) -> None:
    with gzip.open(data / "patents-fulltext" / "patents.jsonl.gz", "rt", encoding="utf-8") as file:
        keys = [key(json.loads(line)["id"]) for line in file]
    assert None not in keys
    assert len(set(keys)) == len(keys) == 5000


PUBLISHED = re.compile(
    r'<(?:publication-reference|patcit)\b[^>]*?\bucid="([^"]+)"[^>]*>\s*(?:<document-id[^>]*>\s*)?'
    r"<country>([^<]*)</country>\s*<doc-number>([^<]*)</doc-number>\s*(?:<kind>([^<]*)</kind>)?"
)


def test_ucids_of_real_files_say_what_their_parts_say(data: Path) -> None:
    seen = 0
    for path in sorted(data.glob("formats/marec-*/**/*.xml")):
        for ucid, country, number, kind in PUBLISHED.findall(path.read_text(encoding="utf-8", errors="replace")):
            whole, parts = PatentNumber.parse(ucid), PatentNumber.of(country, number, kind)
            assert whole is not None, (path.name, ucid)
            assert whole == parts, (path.name, ucid)
            seen += 1
    assert seen > 250


def key(text: str) -> str | None:
    number = PatentNumber.parse(text)
    return None if number is None else number.key
