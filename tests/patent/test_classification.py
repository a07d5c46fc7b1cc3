"""Classification codes: every writing in real files comes to one form, other systems' classes to none."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antecede.patent.classification import codes, parse_code

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = {
    "H04L 12/56": ["7H04L 12/56", "H04L  12/56", "H04L12/56", "H04L012/56", "h04l 12/56", " 7H 04L  12/56   A",
                   "H04L  12/56        20060101C I20051008RMEP        ", "H04L  12/    56            A I",
                   "H 04 L 12/56", "Int. Cl.7 H04L 12/56", "H04L 12/56 (2006.01)", "H04L12/56D", "H04L-012/56",
                   "H04L 1256", "H04L 12/56-64", "IPC: H04L 12/56", "H04L12/56 B1", "H04L\u00a012/56"],
    "A61K 9/16": [" 7A 61K   9/16   A", "7A61K 9/16", "A61K   9/16        20060101A I20051008RMEP        ",
                  "A61K  916"],
    "A61B 5/404": ["A61B5/404", "A61B  5404"],
    "B32B 3/02": ["B32B  302", "B32B 302", "B32B003/02"],
    "G06F 15/16": ["G06F 1516", "G06F015/16"],
    "H05K 7/20": ["H05K  720", "H05K 720"],
    "H01L 21/302": ["H01L 21302", "H01L021/302"],
    "H01L 4/58": ["H01L 0458", "H01L  458"],
    "C07C 249/00": ["C07C24900", "C07C 249/00"],
    "C07C 51/373": ["C07C  51/373+59/147"],
    "F25B 2313/0233": ["F25B2313/0233 20130101 LA20200715BHEP ", "F25B 2313/0233"],
    "Y02E 60/10": ["Y02E 60/10", "Y02E60/10", "Y02E  60/10        20130101 LA20200801RGEP"],
    "G08C 2201/21": ["G08C 2201/21", "G08C2201/21"],
    "A61B 2017/320733": ["A61B2017/320733"],
    "G02F 1/13357": ["G02F1/13357"],
    "A45D": ["A45D    /", "A45D/", "A45D"],
}  # fmt: skip

OTHERS = ["709202", "709202000", "257E33062", "D0801", "D 1106", "D21623", "D 1100-199", "0801", "08-01",
          "LOC (8) Cl. 08-01", "M03B201:12", "L23K35:28D", "K61B17:34V", "G9B 5", "257/E21.001", "H04L 12", "H04L 12/5",
          "H04L 12/5678901", "", "None", "A61K and others", "H04L 0/00", "Z99Z 1/00", "XA61K 9/16", "427 58",
          "A6K 9/16", "G06F 15161234",
          "339/97 R", "E04F15", "H04L/56"]  # fmt: skip


@pytest.mark.parametrize("code", WRITTEN)
def test_every_writing_comes_to_one_form(code: str) -> None:
    assert {text: parse_code(text) for text in WRITTEN[code]} == dict.fromkeys(WRITTEN[code], code)


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_no_code_is_none(text: str) -> None:
    assert parse_code(text) is None


def test_codes_of_several_texts_come_once_and_in_order() -> None:
    assert codes(["H04L 12/56", None, "709202", "A61K9/16", "H04L012/56", ""]) == ("H04L 12/56", "A61K 9/16")
    printed = ["C07D 401/12, 403/12; A61K 31/44 // (C07D 401/12, 211:00)", "9/16, 9/50"]
    assert codes(printed) == ("C07D 401/12", "C07D 403/12", "A61K 31/44")


PARTS = st.tuples(
    st.sampled_from("ABCDEFGHY"),
    st.integers(1, 99),
    st.sampled_from("ABCDEFGHJKLMNPQRSTUVWXYZ"),
    st.integers(1, 9999),
    st.from_regex(r"[0-9]{2,6}", fullmatch=True),
)


@given(PARTS)
def test_forms_of_any_code_come_round(parts: tuple[str, int, str, int, str]) -> None:
    section, number, letter, group, subgroup = parts
    subclass = f"{section}{number:02}{letter}"
    code = f"{subclass} {group}/{subgroup}"
    texts = [code, code.replace(" ", ""), f"{subclass}{group:>4}/{subgroup:<11}20060101AFI20051008BHEP        ",
             f" 7{section} {number:02}{letter}{group:>4}/{subgroup}   A"]  # fmt: skip
    texts += [f"{subclass}{group:03}/{subgroup}"] if group < 1000 else []
    texts += [f"{subclass}{group:>3}{subgroup}"] if group < 1000 and len(subgroup) <= 4 else []
    assert {parse_code(text) for text in texts} == {code}


@given(st.text(max_size=40) | st.text("ABDHK019 /-", max_size=16))
def test_any_text_is_a_code_or_none(text: str) -> None:
    code = parse_code(text)
    if code is not None:
        assert re.fullmatch(r"[A-HY][0-9]{2}[A-Z](?: [1-9][0-9]{0,3}/[0-9]{2,6})?", code)
        assert parse_code(code) == code
        assert codes([code]) == (code,)


def test_codes_of_real_records_are_all_read(data: Path) -> None:
    with gzip.open(data / "patents-abstract" / "patents.jsonl.gz", "rt", encoding="utf-8") as file:
        texts = [text for record in map(json.loads, file) for text in (*record["ipc"], *record["cpc"])]
    read = [(text, parse_code(text)) for text in texts]
    assert len(texts) > 48_000
    assert [text for text, code in read if code is None or code.replace(" ", "") != text.rstrip("/")] == []


def test_codes_of_real_files_are_all_read(data: Path) -> None:
    kept = re.compile(r"<classification-ipcr\b[^>]*>(?:<text>)?([^<]+)<")
    seen = 0
    for path in sorted(data.glob("formats/*/**/*.xml")):
        for text in kept.findall(path.read_text(encoding="utf-8", errors="replace")):
            if text.strip():
                assert re.sub(r"\s+", "", text[:19]) == (parse_code(text) or "").replace(" ", ""), text
                seen += 1
    assert seen > 1000
