"""Named characters: every name that real patents use, and the sign it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from antecede.corpus.markup import find_character

if TYPE_CHECKING:
    from pathlib import Path


SIGNS = {
    "agr": "α", "eegr": "η", "egr": "ε", "thgr": "θ", "sgr": "σ", "sfgr": "ς", "OHgr": "Ω", "PHgr": "Φ", "Dgr": "Δ",
    "aacgr": "ά", "OHacgr": "Ώ", "idiagr": "ΐ", "Udigr": "Ϋ", "b.alpha": "𝛂", "b.Omega": "𝛀", "b.gammad": "𝟋",
    "b.thetav": "𝛝", "b.phiv": "𝛟", "rlarr2": "⇄", "lrhar2": "⇋", "phis": "φ", "mdash": "—", "Circlesolid": "●",
    "SACUTE": "Ś", "UUML": "Ü", "AELIG": "Æ", "OCY": "О", "PHGR": "Φ", "MDASH": "—", "LE": "≤", "PRIME": "′",
    "MICRO": "µ", "LSTROK": "Ł", "EMSP13": "\u2004",
}  # fmt: skip


def test_names() -> None:
    assert {name: find_character(name) for name in SIGNS} == SIGNS


def test_names_of_more_than_one_character_or_none() -> None:
    assert find_character("fjlig") == "fj"
    assert find_character("SZLIG") == "SS"
    assert find_character("AutoLeftMatch") == ""
    assert [find_character(name) for name in ("nosuch", "NOSUCH", "b.nosuch", "b.mdash", "", "agr2")] == [None] * 6


def declared(path: Path) -> dict[str, str]:
    """The entities of a DTD file: name to text, its references to characters resolved."""
    text = re.sub(r"<!--.*?-->", "", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
    found = {}
    for name, value in re.findall(r'<!ENTITY\s+([^\s%]+)\s+"([^"]*)"\s*>', text):
        value = value.replace("%plane1D;", "&#x1D")
        for _ in range(2):  # &#38;#38; is an ampersand, twice wrapped
            value = re.sub(
                r"&#(?:x([0-9A-Fa-f]+)|(\d+));", lambda sign: chr(int(sign[1], 16) if sign[1] else int(sign[2])), value
            )
        found[name] = value
    return found


def test_every_name_in_the_dtds_resolves(data: Path) -> None:
    newest = declared(data / "formats" / "uspto-samples" / "dtd" / "html-entities.dtd")
    assert len(newest) > 2000
    assert {name: find_character(name) for name in newest} == newest
    files = sorted((data / "formats" / "marec-original" / "dtd").rglob("*.ent"))
    assert len(files) == 21
    same = other = 0
    for path in files:
        for name, sign in declared(path).items():
            assert find_character(name) is not None
            if find_character(name) == sign:
                same += 1
            else:  # the sets of 2003 gave another sign to some mathematics
                assert newest[name] == find_character(name)
                other += 1
    assert same > 1500
    assert other < 160
