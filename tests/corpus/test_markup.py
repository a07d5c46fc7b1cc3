"""Named characters: every name that real patents use, and the sign it stands for."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest

from antecede.corpus.markup import find_character, known_entities

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "sign"),
    [
        ("agr", "GREEK SMALL LETTER ALPHA"),
        ("eegr", "GREEK SMALL LETTER ETA"),
        ("egr", "GREEK SMALL LETTER EPSILON"),
        ("thgr", "GREEK SMALL LETTER THETA"),
        ("xgr", "GREEK SMALL LETTER XI"),
        ("khgr", "GREEK SMALL LETTER CHI"),
        ("sgr", "GREEK SMALL LETTER SIGMA"),
        ("sfgr", "GREEK SMALL LETTER FINAL SIGMA"),
        ("ohgr", "GREEK SMALL LETTER OMEGA"),
        ("OHgr", "GREEK CAPITAL LETTER OMEGA"),
        ("PHgr", "GREEK CAPITAL LETTER PHI"),
        ("EEgr", "GREEK CAPITAL LETTER ETA"),
        ("Dgr", "GREEK CAPITAL LETTER DELTA"),
        ("aacgr", "GREEK SMALL LETTER ALPHA WITH TONOS"),
        ("OHacgr", "GREEK CAPITAL LETTER OMEGA WITH TONOS"),
        ("idiagr", "GREEK SMALL LETTER IOTA WITH DIALYTIKA AND TONOS"),
        ("Udigr", "GREEK CAPITAL LETTER UPSILON WITH DIALYTIKA"),
        ("b.alpha", "MATHEMATICAL BOLD SMALL ALPHA"),
        ("b.Omega", "MATHEMATICAL BOLD CAPITAL OMEGA"),
        ("b.omega", "MATHEMATICAL BOLD SMALL OMEGA"),
        ("b.Sigma", "MATHEMATICAL BOLD CAPITAL SIGMA"),
        ("b.gammad", "MATHEMATICAL BOLD SMALL DIGAMMA"),
        ("b.thetav", "MATHEMATICAL BOLD THETA SYMBOL"),
        ("b.phiv", "MATHEMATICAL BOLD PHI SYMBOL"),
        ("rlarr2", "RIGHTWARDS ARROW OVER LEFTWARDS ARROW"),
        ("lrhar2", "LEFTWARDS HARPOON OVER RIGHTWARDS HARPOON"),
        ("phis", "GREEK SMALL LETTER PHI"),
        ("mdash", "EM DASH"),
        ("Circlesolid", "BLACK CIRCLE"),
        ("SACUTE", "LATIN CAPITAL LETTER S WITH ACUTE"),
        ("UUML", "LATIN CAPITAL LETTER U WITH DIAERESIS"),
        ("AELIG", "LATIN CAPITAL LETTER AE"),
        ("OCY", "CYRILLIC CAPITAL LETTER O"),
        ("PHGR", "GREEK CAPITAL LETTER PHI"),
        ("MDASH", "EM DASH"),
        ("LE", "LESS-THAN OR EQUAL TO"),
        ("PRIME", "PRIME"),
        ("MICRO", "MICRO SIGN"),
        ("LSTROK", "LATIN CAPITAL LETTER L WITH STROKE"),
        ("EMSP13", "THREE-PER-EM SPACE"),
    ],
)
def test_names(name: str, sign: str) -> None:
    assert find_character(name) == unicodedata.lookup(sign)


def test_names_of_more_than_one_character_or_none() -> None:
    assert find_character("fjlig") == "fj"
    assert find_character("SZLIG") == "SS"
    assert find_character("AutoLeftMatch") == ""
    assert [find_character(name) for name in ("nosuch", "NOSUCH", "b.nosuch", "b.mdash", "", "agr2")] == [None] * 6


def test_all_letters_of_the_greek_alphabet() -> None:
    small = {find_character(name) for name in known_entities() if name.endswith("gr") and name.islower()}
    alphabet = {chr(sign) for sign in range(0x3B1, 0x3CA)}
    assert alphabet <= small
    assert {letter.upper() for letter in alphabet} <= {
        find_character(name) for name in known_entities() if name.endswith("gr")
    }


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
