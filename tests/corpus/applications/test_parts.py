"""The parts of an application by its headings, in three languages."""

from __future__ import annotations

import pytest

from antecede.corpus.applications.parts import recognise_parts

ENGLISH = """Press for making bricks

Technical field
The invention relates to a press for making bricks from clay, with a frame and a ram.

Background of the Invention
Presses are known from the prior art.

CLAIMS

1. A press comprising a frame
and a ram.
2. The press of claim 1, wherein the ram is driven by a motor.

Abstract
A press for making bricks is disclosed.
"""
FRENCH = """Presse à briques
Description
L'invention concerne une presse pour la fabrication de briques en argile, avec un bâti et un piston.
Revendications
1. Presse comprenant un bâti.
2. Presse selon la revendication 1, caractérisée en ce que le piston est entraîné par un moteur.
Abrégé
La presse comprend un bâti et un piston.
"""
GERMAN = """Bezeichnung: Ziegelpresse
Beschreibung
Die Erfindung betrifft eine Presse für die Herstellung von Ziegeln aus Ton mit einem Rahmen und einem Stempel.
Stand der Technik
Pressen sind aus dem Stand der Technik bekannt.
Patentansprüche
1. Presse mit einem Rahmen.
2. Presse nach Anspruch 1, dadurch gekennzeichnet, dass der Stempel von einem Motor angetrieben wird.
Zusammenfassung
Die Presse weist einen Rahmen und einen Stempel auf.
"""


@pytest.mark.parametrize(
    ("text", "language", "title", "claims", "abstract", "described"),
    [
        (
            ENGLISH,
            "en",
            "Press for making bricks",
            (
                "1. A press comprising a frame\nand a ram.",
                "2. The press of claim 1, wherein the ram is driven by a motor.",
            ),
            "A press",
            "Technical field",
        ),
        (
            FRENCH,
            "fr",
            "Presse à briques",
            ("1. Presse comprenant un bâti.", FRENCH.split("\n")[5]),
            "La presse",
            "L'invention",
        ),
        (
            GERMAN,
            "de",
            "Ziegelpresse",
            ("1. Presse mit einem Rahmen.", GERMAN.split("\n")[7]),
            "Die Presse",
            "Die Erfindung",
        ),
    ],
)
def test_parts_in_three_languages(
    text: str, language: str, title: str, claims: tuple[str, ...], abstract: str, described: str
) -> None:
    found = recognise_parts(text.split("\n"))
    assert (found.language, found.title) == (language, {language: title})
    assert found.claims == {language: claims}
    assert found.abstract[language].startswith(abstract)
    assert found.description[language].startswith(described)


def test_without_headings_all_is_description() -> None:
    lines = ["A press", "The press makes bricks of clay and has a frame.", "We claim that claims: matter."]
    found = recognise_parts(lines)
    assert found.description == {"en": "\n".join(lines)}
    assert (found.title, found.abstract, found.claims) == ({}, {}, {})


def test_no_line_is_lost() -> None:
    for text in (ENGLISH, FRENCH, GERMAN):
        found = recognise_parts(text.split("\n"))
        whole = "\n".join(
            part if isinstance(part, str) else "\n".join(part) for texts in found[1:] for part in texts.values()
        )
        headings = ("description", "beschreibung", "claims", "abstract", "revendications", "abrégé")
        for line in filter(None, text.split("\n")):
            if line.casefold() not in (*headings, "patentansprüche", "zusammenfassung"):
                assert line.removeprefix("Bezeichnung: ") in whole


@pytest.mark.parametrize(
    "heading",
    [
        "Claims",
        "CLAIMS:",
        "C L A I M S",
        "What is claimed is:",
        "We claim:",
        "5. Claims",
        "[0041] Claims",
        "IV. CLAIMS",
    ],
)
def test_headings_of_claims(heading: str) -> None:
    found = recognise_parts(["Description", "The press is made of the steel.", heading, "1. A press.", "2. A ram."])
    assert found.claims == {"en": ("1. A press.", "2. A ram.")}


def test_the_codes_of_a_front_page() -> None:
    found = recognise_parts(
        ["(54) BRICK PRESS", "(57) ABSTRACT", "A press for the bricks.", "DESCRIPTION", "The press."]
    )
    assert (found.title, found.abstract) == ({"en": "BRICK PRESS"}, {"en": "A press for the bricks."})
    assert found.description == {"en": "The press."}


def test_claims_in_three_languages_are_kept_apart() -> None:
    text = "\n".join(each.split("\n", 1)[1] for each in (ENGLISH, FRENCH, GERMAN))
    long = text.replace(
        "a ram.", "a ram, in which the frame is made of the steel and the ram is made of the same steel."
    )
    found = recognise_parts(long.split("\n"))
    assert {language: len(claims) for language, claims in found.claims.items()} == {"en": 2, "fr": 2, "de": 2}


def test_a_description_after_the_abstract_without_a_heading_is_not_the_abstract() -> None:
    lines = ["Abstract", "A press for the bricks.", "", *(f"The press {at} is made of the steel." for at in range(200))]
    found = recognise_parts(lines)
    assert found.abstract == {"en": "A press for the bricks."}
    assert found.description["en"].count("\n") == 199
    found = recognise_parts([line for line in lines if line])
    assert (found.abstract, found.description["en"].count("\n")) == ({}, 200)


def test_a_title_further_down_is_that_of_something_else() -> None:
    lines = [
        "Brick press",
        "Description",
        "The press is made of the steel.",
        "Title: A study of the press",
        "Claims",
        "1. A press.",
    ]
    assert recognise_parts(lines).title == {"en": "Brick press"}
    lines = ["DESCRIPTION", "TITLE OF THE INVENTION", "", "Brick press", "The press is made of the steel."]
    found = recognise_parts(lines)
    assert (found.title, found.description) == ({"en": "Brick press"}, {"en": "The press is made of the steel."})
