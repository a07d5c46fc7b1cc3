"""References for other programs: whatever a title, a name or a note has, it stays within its field."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from antecede.patent import Patent
from antecede.review.exports import bibtex_entries, ris_lines
from antecede.review.marks import Mark

if TYPE_CHECKING:
    from tests.web.world import Client

HOSTILE = "Lid}} \\input{x} {open\nER  - \r\nTY  - JOUR @book{y, 5 % & $5 #1 a_b ~ ^ \u2028TI  - no \x00\x1b"
REFERENCES = [
    (
        Mark("EP 1/A", "relevant", category="X", claims="1,3", note=HOSTILE, time="2026-01-01"),
        Patent(
            "EP 1/A",
            language="en",
            title={"en": HOSTILE},
            inventors=("Müller, Jörg", "Stone and Sons, Ltd., Inc.", HOSTILE),
            applicants=("Ben & Jerry", HOSTILE),
            publication_date=date(2001, 2, 3),
        ),
    ),
    (Mark("EP-1-A", "maybe", title="Gone"), None),
]


def test_ris_has_one_line_per_value() -> None:
    lines = [*ris_lines(REFERENCES)]
    assert all(re.fullmatch(r"[A-Z][A-Z0-9]  - .*", line) for line in lines)
    assert "\n".join(lines).splitlines() == lines
    assert [line for line in lines if line.startswith(("TY", "ER"))] == ["TY  - PAT", "ER  - "] * 2
    assert {"SN  - EP 1/A", "AU  - Müller, Jörg", "DA  - 2001/02/03", "KW  - category X", "TI  - Gone"} <= {*lines}


def test_bibtex_has_balanced_braces_and_no_live_command() -> None:
    first, second = bibtex_entries(REFERENCES)
    for entry in (first, second):
        depth = 0
        for at, char in enumerate(entry):
            depth += (char == "{") - (char == "}")
            assert depth > 0 or at < entry.index("{") or at >= len(entry) - 2
        assert depth == 0
    assert first.count("\n") == len(re.findall(r"^  \w+ = \{.*\},$", first, re.MULTILINE)) + 2
    plain = re.sub(r"\\(text\w+\{\}|[#$%&_])", "", first)
    assert not re.search(r"[\\%&$#~^]", plain)
    assert "author = {Müller, Jörg and {Stone and Sons, Ltd., Inc.} and " in first
    assert (first.splitlines()[0], second.splitlines()[0]) == ("@patent{EP-1-A,", "@patent{EP-1-A-2,")


def test_references_are_exported_with_what_the_index_knows(client: Client) -> None:
    case = client.case()
    for doc_id, relevance in (("EP1000004", "relevant"), ("EP1000099", "maybe"), ("EP1000008", "not")):
        client.ask("PATCH", f"{case}/marks", json={"doc_id": doc_id, "relevance": relevance, "note": "<b>&"})
    ris = client.get(f"{case}/export/marks.ris")
    assert ris.headers["content-type"].startswith("application/x-research-info-systems")
    assert ris.text.count("TY  - PAT\r\n") == 2
    assert "AU  - Müller, Jörg\r\n" in ris.text
    assert "EP1000008" not in ris.text
    bib = client.get(f"{case}/export/marks.bib").text
    assert "holder = {{Société L'Air}}" in bib
    assert "note = {<b>\\&, priority date 19" in bib
