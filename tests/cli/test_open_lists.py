"""Lists of titles alone, the fuller texts that take their place, and lists that go out and come back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import rispy  # type: ignore[import-untyped]

from antecede.corpus import Collection
from antecede.engine import open_index, read_record
from antecede.review.case import Review

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Program

TITLES = """Espacenet;;
;;
Title;Publication number;Publication date
Press with a frame;EP1000001A1;2001-02-03
Brick of clay;EP1000002A1;2002-02-03
Frame of a press;EP1000003A1;2003-02-03
"""


def test_titles_alone_are_said_and_a_fuller_text_takes_their_place_with_the_marks(
    tmp_path: Path, program: Program
) -> None:
    hits, full, folder = tmp_path / "hits.csv", tmp_path / "full.jsonl", tmp_path / "case"
    hits.write_text(TITLES, "utf-8")
    words = ("--application", "EP1000001", "--folder", folder, "--no-page")
    outcome = program("open", hits, *words)
    assert "3 of 3 records have a title alone: ranked by it" in outcome.err
    found = program("search", folder / "documents.index", "--text", "press with a frame", "--explain")
    assert "2 of the first 2 have a title alone: ranked by it" in found.out + found.err
    with Review.open(folder / "cases.sqlite") as review:
        review.mark("EP1000003", "relevant", category="X", note="the same drive")
    texts = {"doc_id": "EP1000003", "number": "EP-1000003-B1", "claims": {"en": ["1. A frame with a hydraulic drive."]}}
    full.write_text(json.dumps({**texts, "abstract": {"en": "A drive."}, "title": {"en": "Frame"}}), "utf-8")
    outcome = program("open", hits, full, *words)
    assert "4 records = 3 kept + 1 merged + 0 rejected" in outcome.err
    assert "2 of 3 records have a title alone" in outcome.err
    index = open_index(folder / "documents.index")
    (patent,) = (record for record in (read_record(index, at) for at in range(3)) if record.doc_id == "EP1000003")
    assert patent.claims == {"en": ("1. A frame with a hydraulic drive.",)}
    assert patent.original["Publication date"] == "2003-02-03"
    with Review.open(folder / "cases.sqlite") as review:
        mark = review.marks.current["EP1000003"]
        assert (mark.relevance, mark.category, mark.note) == ("relevant", "X", "the same drive")
    for ending in ("csv", "xlsx", "ris"):
        out = tmp_path / f"out.{ending}"
        assert program("open", hits, full, *words[:4], "--export", out).code == 0
        back = {patent.doc_id: patent for patent in Collection(out).patents()}
        assert [*back] == ["EP1000001", "EP1000002", "EP1000003"]
        kept = " ".join(back["EP1000003"].original.values())
        assert "the same drive" in kept
        assert "X" in kept
        assert "2003-02-03" in kept or "2003/02/03" in kept
        assert str(back["EP1000003"].publication_date) == "2003-02-03"
    (reference,) = (
        entry for entry in rispy.loads((tmp_path / "out.ris").read_text("utf-8")) if entry["id"] == "EP1000003"
    )
    assert "antecede: X" in reference["notes"]


def test_a_text_too_long_for_a_cell_is_refused_in_a_workbook_and_whole_in_csv(tmp_path: Path, program: Program) -> None:
    table, folder = tmp_path / "a.csv", tmp_path / "case"
    table.write_text(f"id,title,abstract\n1,Press,{'word ' * 8000}\n", "utf-8")
    refused = program("open", table, "--folder", folder, "--export", tmp_path / "out.xlsx")
    assert refused.code == 2
    assert "row 1, column 'abstract': 40,000 characters, a cell holds 32,767; write .csv or .ris" in refused.err
    assert not (tmp_path / "out.xlsx").exists()
    assert program("open", table, "--folder", folder, "--export", tmp_path / "out.csv").code == 0
    (back,) = Collection(tmp_path / "out.csv").patents()
    assert next(iter(back.abstract.values())).split() == ["word"] * 8000
