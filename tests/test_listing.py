"""What is registered is listed whole, in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antecede.corpus.formats import formats
from antecede.corpus.listing import LISTING as FORMATS
from antecede.measures.listing import LISTING as MEASURES
from antecede.measures.registry import definitions
from antecede.query.listing import LISTING as METHODS
from antecede.query.methods import methods
from antecede.search.listing import LISTING as MODELS
from antecede.search.models import models

if TYPE_CHECKING:
    from antecede.listing import Listing

LISTINGS = {
    "measures": (MEASURES, definitions()),
    "models": (MODELS, models()),
    "methods": (METHODS, methods()),
    "formats": (FORMATS, formats()),
}


@pytest.mark.parametrize(("listing", "registered"), LISTINGS.values(), ids=LISTINGS)
def test_every_name_stands_in_every_form(listing: Listing[Any], registered: dict[str, Any]) -> None:
    names = [each.name for each in registered.values()]
    assert [each["name"] for each in listing.as_dicts()] == names
    assert [str(row[0]).split("(")[0].split("@")[0].split("[")[0] for row in listing.as_table().rows] == names
    page = listing.manual()
    assert [line[3:] for line in page.splitlines() if line.startswith("## ")] == names
    for name in names:
        assert listing.explained([name]).startswith(name)
        assert [each["name"] for each in listing.as_dicts([name])] == [name]
