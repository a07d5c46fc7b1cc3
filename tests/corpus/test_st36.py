"""Numbers, dates and names as ST.36 has them, one form of each."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from antecede.corpus.st36 import document_ids, first_date, first_number, party_name, party_names
from antecede.patent import PatentNumber

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


def document_id(country: str, number: str, rest: str = "", form: str = "") -> str:
    given = f' format="{form}"' if form else ""
    country = f"<country>{country}</country>" if country else ""
    return f"<document-id{given}>{country}<doc-number>{number}</doc-number>{rest}</document-id>"


def element(xml: str) -> Element:
    return etree.fromstring(xml)


def test_the_data_base_writes_numbers_best_and_any_form_may_have_the_date() -> None:
    forms = document_id("JP", "2001-12", "<date>20010102</date>", "original") + document_id(
        "JP", "2001000012", "", "epo"
    )
    ids = document_ids(element(f"<publication-reference>{forms}</publication-reference>"))
    assert first_number(ids) == PatentNumber.of("JP", "2001000012")
    assert first_date(ids) == date(2001, 1, 2)


def party(name: str, form: str = "", sequence: str = "", book: str = "addressbook") -> str:
    attributes = (f' format="{form}"' if form else "") + (f' sequence="{sequence}"' if sequence else "")
    return f"<party{attributes}><{book}>{name}</{book}></party>"


def written(*parties: str) -> tuple[str, ...]:
    return party_names(element(f"<parties>{''.join(parties)}</parties>"))


@pytest.mark.parametrize(
    ("xml", "name"),
    [
        ("<last-name>Meyer</last-name><first-name>Anna</first-name><middle-name>B.</middle-name>", "Meyer, Anna B."),
        ("<last-name>Meyer</last-name><first-name>Jo</first-name><suffix>Jr.</suffix>", "Meyer, Jo, Jr."),
        ("<name> MEYER   ANNA [DE]</name>", "MEYER ANNA"),
        ("<orgname>Pumps &amp;amp; Sons Ltd.</orgname>", "Pumps & Sons Ltd."),
        ("<last-name>Ito, Ken, c/o Pumps K.K.</last-name><address><city>Osaka</city></address>", "Ito, Ken"),
        ("<text>Anna Meyer,</text>", "Anna Meyer"),
        ("<last-name>The designation of the inventor has not yet been filed</last-name>", ""),
        ("<address><city>Ulm</city></address>", ""),
    ],
)
def test_the_name_of_a_party(xml: str, name: str) -> None:
    assert party_name(element(party(xml))) == name


DATABASE = [party(f"<name>{name}</name>", "epo") for name in ("MUELLER", "ITO")]


@pytest.mark.parametrize(
    ("parties", "names"),
    [
        ([*DATABASE, party("<name>Müller</name>", "original"), party("<name>Itō</name>", "original")], "Müller Itō"),
        ([*DATABASE, party("<name/>", "original")], "MUELLER ITO"),
        (
            [
                party("<name>ITO</name>", "epo", "2"),
                party("<name>MUELLER</name>", "epo", "01"),
                party("<name>Müller</name>", "original", "1"),
                party("<name>WU</name>", "epo", "10"),
            ],
            "Müller ITO WU",
        ),
        ([party("<name>A</name>", "", "1"), party("<name>B</name>", "", "1")], "A B"),
        ([party(f"<name>{name}</name>") for name in ("Ito", "ITO", "Wu")], "Ito Wu"),
        ([], ""),
    ],
)
def test_everybody_is_named_once_in_the_most_readable_form(parties: list[str], names: str) -> None:
    assert " ".join(written(*parties)) == names


@given(
    st.lists(
        st.tuples(st.sampled_from(["", "epo", "original", "odd"]), st.sampled_from(["", "1", "2", "x", "²"])),
        max_size=6,
    )
)
def test_whoever_is_named_in_the_chosen_form_is_there(forms: list[tuple[str, str]]) -> None:
    found = written(*[party(f"<name>N{place}</name>", *each) for place, each in enumerate(forms)])
    assert len(found) == len(set(found))
    assert bool(found) == bool(forms)
