"""Addresses of pages about patents, in the forms of Espacenet and Google Patents."""

from __future__ import annotations

import pytest

from antecede.patent import PatentNumber
from antecede.patent.links import ESPACENET, GOOGLE, espacenet_link, google_link


@pytest.mark.parametrize(
    ("written", "kinds", "espacenet", "google"),
    [
        ("EP0680812", ("A1",), "pn%3DEP0680812A1", "patent/EP0680812A1/en"),
        ("EP1000000", ("A1", "B1"), "pn%3DEP1000000", "patent/EP1000000B1/en"),
        ("EP1000000", (), "pn%3DEP1000000", "?oq=EP1000000"),
        ("US7596572", ("B2",), "pn%3DUS7596572B2", "patent/US7596572B2/en"),
        ("US7596572", (), "pn%3DUS7596572", "patent/US7596572/en"),
        ("US2004046892", ("A1",), "pn%3DUS2004046892A1%20OR%20pn%3DUS20040046892A1", "patent/US20040046892A1/en"),
        ("USD435854", ("S1",), "pn%3DUSD435854S1", "patent/USD435854S1/en"),
        ("WO98/12345", ("A1",), "pn%3DWO9812345A1", "patent/WO1998012345A1/en"),
        ("WO02/12345", ("A1",), "pn%3DWO0212345A1%20OR%20pn%3DWO02012345A1", "patent/WO2002012345A1/en"),
        ("WO03/012345", ("A2",), "pn%3DWO03012345A2", "patent/WO2003012345A2/en"),
        ("WO2004012345", ("A1",), "pn%3DWO2004012345A1", "patent/WO2004012345A1/en"),
        ("JPH10123456", ("A",), "pn%3DJPH10123456A", "patent/JPH10123456A/en"),
        ("DE102004012345", ("A1",), "pn%3DDE102004012345A1", "patent/DE102004012345A1/en"),
    ],
)
def test_each_site_has_its_form_of_a_number(written: str, kinds: tuple[str, ...], espacenet: str, google: str) -> None:
    number = PatentNumber.parse(written)
    assert number is not None
    assert espacenet_link(number, kinds) == ESPACENET + espacenet
    assert google_link(number, kinds) == GOOGLE + google
