"""Verbs that need an index in a folder refuse the address of a cluster before they connect to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conftest import antecede

if TYPE_CHECKING:
    from pathlib import Path

ADDRESS = "opensearch://127.0.0.1:1/patents"
"""Nobody listens there."""
CALLS = {
    "serve": (ADDRESS, "--cases", "OUT"),
    "case report": (ADDRESS, "cases.sqlite", "valve", "--out", "OUT"),
    "review start": (ADDRESS, "--text", "valve", "--out", "OUT"),
    "review start of a run": ("a.run", "1", "--index", ADDRESS, "--out", "OUT"),
    "review simulate": ("qrels.txt", "--index", ADDRESS),
    "review calibrate": (ADDRESS, "--out", "OUT"),
    "learn": (ADDRESS, "--out", "OUT"),
    "space": (ADDRESS,),
    "translate learn": (ADDRESS, "--out", "OUT"),
    "translate learn into": ("patents.jsonl", "--into", ADDRESS),
    "translate show": (ADDRESS,),
    "retrievability": (ADDRESS, "topics.jsonl"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_verb_that_needs_a_folder_refuses_an_address(call: str, tmp_path: Path) -> None:
    verb = call.removesuffix(" of a run").removesuffix(" into")
    out = tmp_path / "out"
    found = antecede(*verb.split(), *(out if word == "OUT" else word for word in CALLS[call]))
    said = f"antecede {verb.split()[0] if verb.startswith('translate') else verb} needs an index in a folder"
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert len(found.err.strip().splitlines()) == 1
    assert not out.exists()
