"""English, German and French nouns in all the forms that sentence patterns use.

An inflected noun is a tuple of strings; `NOUN_FORMS` names their order for each language. Compounds are formed here
(`pressure` + `valve`, `Druck` + `Ventil`, `soupape` + `de pression`) and take the grammar of their head.
"""

from __future__ import annotations

from typing import NamedTuple

NOUN_FORMS: dict[str, tuple[str, ...]] = {
    "EN": ("bare", "Bare", "the", "The", "a", "A", "pl", "n"),
    "DE": (
        *("bare", "der", "Der", "den", "dem", "des"),
        *("ein", "Ein", "einen", "einem", "eines", "pl", "pln", "n"),
    ),
    "FR": ("bare", "Bare", "le", "Le", "un", "Un", "du", "au", "pl", "n", "e"),
}
Forms = tuple[str, ...]


class Head(NamedTuple):
    """A noun as listed in the vocabulary."""

    word: str
    plural: str
    gender: str = ""
    """m, f or n; empty in English."""
    genitive: str = ""
    """The German genitive singular."""
    vowel: bool = False
    """Whether it begins with a vowel sound, which changes a French or English article."""


# English

IRREGULAR = {"leaf": "leaves", "knife": "knives", "matrix": "matrices", "nucleus": "nuclei", "annulus": "annuli"}
UNCHANGED = {"chassis", "apparatus"}
CONSONANT_SOUND = ("uni", "use", "u-", "one-", "eu")


def pluralize_english(phrase: str) -> str:
    """The plural of a noun phrase, formed on its last word or on the word before "of"."""
    first, of, rest = phrase.partition(" of ")
    if of:
        return f"{pluralize_english(first)} of {rest}"
    front, space, word = phrase.rpartition(" ")
    if word in IRREGULAR:
        word = IRREGULAR[word]
    elif word in UNCHANGED:
        pass
    elif word.endswith(("s", "x", "z", "ch", "sh")):
        word += "es"
    elif word.endswith("y") and word[-2] not in "aeiou":
        word = f"{word[:-1]}ies"
    else:
        word += "s"
    return f"{front}{space}{word}"


def takes_an(word: str) -> bool:
    """Whether the English article before a word is "an"."""
    lower = word.lower()
    return lower[0] in "aeiou" and not lower.startswith(CONSONANT_SOUND)


def parse_english(entry: str) -> Head:
    return Head(entry, pluralize_english(entry), vowel=takes_an(entry))


def inflect_english(head: Head, modifier: str = "", numeral: str = "") -> Forms:
    """All forms of an English noun, preceded by its modifier if it has one."""
    word, plural = head.word, head.plural
    vowel = head.vowel
    if modifier:
        word, plural = f"{modifier} {word}", f"{modifier} {plural}"
        vowel = takes_an(modifier)
    article = "n " if vowel else " "
    return (
        word,
        word[0].upper() + word[1:],
        f"the {word}",
        f"The {word}",
        f"a{article}{word}",
        f"A{article}{word}",
        plural,
        numeral,
    )


# German

UNCHANGED_GENITIVE = {"Relais", "Mikroorganismus"}
ARTICLES = {
    "m": ("der ", "Der ", "den ", "dem ", "des ", "ein ", "Ein ", "einen ", "einem ", "eines "),
    "f": ("die ", "Die ", "die ", "der ", "der ", "eine ", "Eine ", "eine ", "einer ", "einer "),
    "n": ("das ", "Das ", "das ", "dem ", "des ", "ein ", "Ein ", "ein ", "einem ", "eines "),
}


def form_german_genitive(word: str, gender: str) -> str:
    """The genitive singular of a strong noun (the word lists contain no weak nouns)."""
    if gender == "f" or word in UNCHANGED_GENITIVE:
        return word
    return word + ("es" if word.endswith(("s", "ß", "x", "z")) else "s")


def parse_german(entry: str) -> Head:
    """Parse word/gender/plural, where the plural is an ending or a whole word; `-` or nothing means no ending."""
    word, gender, *rest = entry.split("/")
    ending = rest[0] if rest else "-"
    if gender not in ARTICLES:
        raise ValueError(f"{entry}: a German noun needs a gender")
    plural = word if ending == "-" else ending if ending[0].isupper() else word + ending
    return Head(word, plural, gender, form_german_genitive(word, gender))


def inflect_german(head: Head, modifier: str = "", numeral: str = "") -> Forms:
    """All forms of a German noun, as the second part of a compound if there is a modifier."""
    word, plural, gender, genitive, _ = head
    if modifier:
        word = modifier + word[0].lower() + word[1:]
        genitive = modifier + genitive[0].lower() + genitive[1:]
        plural = modifier + plural[0].lower() + plural[1:]
    the, the_start, the_acc, the_dat, the_gen, one, one_start, one_acc, one_dat, one_gen = ARTICLES[gender]
    return (
        word,
        the + word,
        the_start + word,
        the_acc + word,
        the_dat + word,
        the_gen + genitive,
        one + word,
        one_start + word,
        one_acc + word,
        one_dat + word,
        one_gen + genitive,
        plural,
        plural if plural[-1] in "ns" else plural + "n",
        numeral,
    )


# French

VOWELS = "aeiouyàâéèêëîïôöùûüœh"
ASPIRATED = ("haut", "hublot", "harnais", "hache")
FRENCH_ARTICLES = {
    "m": ("le ", "Le ", "un ", "Un ", "du ", "au "),
    "f": ("la ", "La ", "une ", "Une ", "de la ", "à la "),
}
ELIDED = {
    "m": ("l'", "L'", "un ", "Un ", "de l'", "à l'"),
    "f": ("l'", "L'", "une ", "Une ", "de l'", "à l'"),
}


def pluralize_french(word: str) -> str:
    """The plural of one regular French word."""
    if word.endswith(("s", "x", "z")):
        return word
    return word + ("x" if word.endswith(("eau", "au", "eu")) else "s")


def parse_french(entry: str) -> Head:
    """Parse phrase/gender[/plural], where `+` follows each word that takes the plural; by default only the first."""
    phrase, gender, *rest = entry.split("/")
    if gender not in FRENCH_ARTICLES:
        raise ValueError(f"{entry}: a French noun needs a gender")
    words = phrase.split(" ")
    marked = any(word.endswith("+") for word in words)
    plural = " ".join(
        pluralize_french(word.rstrip("+")) if word.endswith("+") or (at == 0 and not marked) else word
        for at, word in enumerate(words)
    )
    word = phrase.replace("+", "")
    vowel = word[0].lower() in VOWELS and not word.startswith(ASPIRATED)
    return Head(word, rest[0] if rest else plural, gender, vowel=vowel)


def inflect_french(head: Head, modifier: str = "", numeral: str = "") -> Forms:
    """All forms of a French noun, followed by its modifier if it has one."""
    word, plural, gender, _, vowel = head
    if modifier:
        word, plural = f"{word} {modifier}", f"{plural} {modifier}"
    le, le_start, un, un_start, du, au = (ELIDED if vowel else FRENCH_ARTICLES)[gender]
    return (
        word,
        word[0].upper() + word[1:],
        le + word,
        le_start + word,
        un + word,
        un_start + word,
        du + word,
        au + word,
        plural,
        numeral,
        "e" if gender == "f" else "",
    )


PARSERS = {"EN": parse_english, "DE": parse_german, "FR": parse_french}
INFLECTORS = {"EN": inflect_english, "DE": inflect_german, "FR": inflect_french}
