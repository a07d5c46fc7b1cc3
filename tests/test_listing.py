"""What is registered is listed whole, in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import antecede.corpus.listing
import antecede.measures.listing
import antecede.query.listing
import antecede.search.listing

if TYPE_CHECKING:
    from antecede.registry import Listing

LISTINGS = {
    "measures": antecede.measures.listing.LISTING,
    "models": antecede.search.listing.LISTING,
    "methods": antecede.query.listing.LISTING,
    "formats": antecede.corpus.listing.LISTING,
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
