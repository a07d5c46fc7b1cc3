"""Articles, cases and plurals of nouns."""

from __future__ import annotations

import re

import pytest

from antecede.synthetic.lexicon import LANGUAGES, load_lexicon
from antecede.synthetic.nouns import INFLECTORS, NOUN_FORMS, PARSERS, pluralize_english, pluralize_french, takes_an


def forms(language: str, entry: str, modifier: str = "") -> dict[str, str]:
    return dict(zip(NOUN_FORMS[language], INFLECTORS[language](PARSERS[language](entry), modifier, "10"), strict=True))


def test_german_articles_follow_the_gender_of_the_head() -> None:
    ring = forms("DE", "Ring/m/e", "Druck")
    assert [ring[case] for case in ("der", "den", "dem", "des")] == [
        *("der Druckring", "den Druckring", "dem Druckring", "des Druckrings")
    ]
    assert (ring["einen"], ring["eines"], ring["pl"], ring["pln"]) == (
        *("einen Druckring", "eines Druckrings", "Druckringe", "Druckringen"),
    )
    pump = forms("DE", "Pumpe/f/n", "Öl")
    assert [pump[case] for case in ("Der", "den", "dem", "des", "einem", "pln")] == [
        *("Die Ölpumpe", "die Ölpumpe", "der Ölpumpe", "der Ölpumpe", "einer Ölpumpe", "Ölpumpen")
    ]
    wheel = forms("DE", "Rad/n/Räder", "Zahn")
    assert [wheel[case] for case in ("der", "den", "dem", "des", "einen", "pl", "pln")] == [
        *("das Zahnrad", "das Zahnrad", "dem Zahnrad", "des Zahnrads", "ein Zahnrad", "Zahnräder", "Zahnrädern")
    ]


@pytest.mark.parametrize(
    ("entry", "genitive"),
    [("Schloss/n/Schlösser", "des Schlosses"), ("Netz/n/e", "des Netzes"), ("Relais/n/-", "des Relais")],
)
def test_irregular_german_genitives(entry: str, genitive: str) -> None:
    assert forms("DE", entry)["des"] == genitive


def test_french_articles_elide_and_contract() -> None:
    shaft = forms("FR", "arbre/m", "d'entraînement")
    assert (shaft["le"], shaft["du"], shaft["au"], shaft["un"], shaft["e"]) == (
        *("l'arbre d'entraînement", "de l'arbre d'entraînement", "à l'arbre d'entraînement", "un arbre d'entraînement"),
        "",
    )
    valve = forms("FR", "soupape/f", "de pression")
    assert (valve["Le"], valve["du"], valve["au"], valve["pl"], valve["e"]) == (
        *("La soupape de pression", "de la soupape de pression", "à la soupape de pression"),
        *("soupapes de pression", "e"),
    )
    assert forms("FR", "carter/m")["du"] == "du carter"
    assert forms("FR", "haut-parleur/m/haut-parleurs")["le"] == "le haut-parleur"
    assert forms("FR", "pièce+ polaire+/f")["pl"] == "pièces polaires"
    assert [pluralize_french(word) for word in ("tuyau", "réseau", "vis", "roue")] == [
        "tuyaux",
        "réseaux",
        "vis",
        "roues",
    ]


def test_english_articles_and_plurals() -> None:
    assert forms("EN", "valve", "oil")["a"] == "an oil valve"
    assert forms("EN", "opening", "pressure")["A"] == "A pressure opening"
    assert not takes_an("unit")
    assert not takes_an("U-shaped")
    plurals = {
        "assembly": "assemblies",
        "brush": "brushes",
        "piece of furniture": "pieces of furniture",
        "leaf": "leaves",
    }
    assert {word: pluralize_english(word) for word in plurals} == plurals


def test_a_noun_without_a_gender_is_rejected() -> None:
    with pytest.raises(ValueError, match="needs a gender"):
        PARSERS["DE"]("Ventil/x/e")
    with pytest.raises(ValueError, match="needs a gender"):
        PARSERS["FR"]("soupape/n")


def test_every_idea_has_synonyms_in_every_language() -> None:
    words = load_lexicon()
    for language in LANGUAGES:
        assert all(len(set(idea)) >= 3 for idea in words.modifiers[language])
        assert all(len({head.word for head in idea}) >= 3 for idea in words.heads[language])
    assert len(words.fields) >= 60
    assert len({field.subclass for field in words.fields}) == len(words.fields)
    assert all(re.fullmatch(r"[A-H]\d\d[A-Z]", field.subclass) for field in words.fields)


def test_german_words_are_capitalised_single_words() -> None:
    words = load_lexicon()
    nouns = [head for idea in words.heads["DE"] for head in idea]
    assert all(re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]+", word) for head in nouns for word in (head.word, head.plural))
    prefixes = [word for idea in words.modifiers["DE"] for word in idea]
    assert all(re.fullmatch(r"[A-ZÄÖÜ][a-zäöüß]*", word) for word in prefixes)


def test_french_modifiers_follow_the_noun() -> None:
    for idea in load_lexicon().modifiers["FR"]:
        assert all(re.match(r"(de |d'[aeéèêhiouyœ]|à |antichoc)", word) for word in idea), idea
        assert not any(re.match(r"de [aeéèêiouyœ]", word) for word in idea), idea
