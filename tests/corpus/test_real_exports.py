"""What databases and programs really export, where the data is at hand: records = kept + merged + rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antecede.corpus import Collection

if TYPE_CHECKING:
    from pathlib import Path

EXPORTS = {
    "exports/espacenet.csv": (307, 0, 0),
    "exports/google-patents.csv": (536, 0, 0),
    "exports/google-patents-one.csv": (1, 0, 0),
    "exports/lens-2015.csv": (997, 3, 0),
    "exports/lens-2026.csv.gz": (130, 0, 0),
    "exports/patentscope.csv": (400, 0, 0),
    "screening/exports/baseline_tag-notes_labels.ris": (32, 0, 0),
    "screening/exports/duplicate_records.csv": (12, 2, 0),
    "screening/exports/embase.csv": (6, 0, 0),
    "screening/exports/embase.ris": (6, 0, 0),
    "screening/exports/faulty_year.ris": (1, 0, 0),
    "screening/exports/generic_labels.csv": (2, 4, 0),
    "screening/exports/generic_semicolon.csv": (2, 0, 0),
    "screening/exports/generic_tab.tsv": (2, 0, 0),
    "screening/exports/missing_values.csv": (4, 0, 0),
    "screening/exports/ovid_zotero.ris": (6, 0, 0),
    "screening/exports/pubmed_zotero.ris": (6, 0, 0),
    "screening/exports/record_id.csv": (10, 0, 0),
    "screening/exports/ris_issue_992.txt": (19, 0, 0),
    "families/epo-ops/biblio-EP3732452.json": (1, 1, 0),
    "families/epo-ops/family_with_legal.xml": (4, 1, 0),
    "families/epo-ops/register_events.xml": (1, 0, 0),
    "families/uspto-odp/continuity.json": (1, 0, 0),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_every_record_is_kept_merged_or_rejected(name: str, data: Path) -> None:
    if not (data / name).exists():
        pytest.skip(f"there is no {name}")
    collection = Collection(data / name)
    kept = [*collection.patents()]
    ledger = collection.ledger
    assert (len(kept), ledger.merged, ledger.rejected) == EXPORTS[name]
    assert all(patent.original or name.startswith("families") for patent in kept)


def test_the_hit_list_of_espacenet_has_the_patents_that_its_searcher_found(data: Path) -> None:
    relevant = {*(data / "exports" / "espacenet.relevant.txt").read_text("utf-8").split()}
    collection = Collection(data / "exports" / "espacenet.csv")
    assert relevant - {patent.doc_id for patent in collection.patents()} == {"ES2403013"}
