"""What is registered is listed whole, in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import antecede.corpus.formats
import antecede.measures.names
import antecede.models
import antecede.query.methods
import antecede.ranking.features
from antecede.errors import MeasureError

if TYPE_CHECKING:
    from antecede.registry import Listing

LISTINGS: dict[str, Listing[Any]] = {
    "measures": antecede.measures.names.LISTING,
    "models": antecede.models.LISTING,
    "methods": antecede.query.methods.LISTING,
    "features": antecede.ranking.features.LISTING,
    "formats": antecede.corpus.formats.LISTING,
}


@pytest.mark.parametrize("listing", LISTINGS.values(), ids=LISTINGS)
def test_every_name_appears_in_every_form(listing: Listing[Any]) -> None:
    names = [each.name for each in listing.registry.values()]
    assert names
    assert [each["name"] for each in listing.as_dicts()] == names
    assert [str(row[0]).split("(")[0].split("@")[0].split("[")[0] for row in listing.as_table().rows] == names
    page = listing.as_manual()
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == names
    for name in names:
        assert listing.as_text([name]).startswith(name)
        assert [each["name"] for each in listing.as_dicts([name])] == [name]


def test_a_measure_is_explained_as_it_is_written() -> None:
    for written, head in (("PRES@1000", "PRES@1000"), ("map_cut_100", "AP@100"), ("AP(rel=2)", "AP(rel=2)")):
        text = LISTINGS["measures"].as_text([written])
        assert text.startswith(f"{head}\n    ")
        assert "Source: " in text
    assert LISTINGS["measures"].as_text(["PRES"]).startswith("PRES(rel=1)@N\n")
    with pytest.raises(MeasureError, match="cutoff 'x' is not a whole number"):
        LISTINGS["measures"].as_text(["PRES@x"])
