"""Which language a text is in, told by its function words; for other scripts, by the script.

Only what a patent file can hold is told apart: English, French, German, and the neighbours they could be taken for
(Spanish, Italian, Portuguese, Dutch and the Scandinavian languages), besides Cyrillic, Greek and East Asian scripts.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is for that with by a an are as on from be or at which this wherein said it has",
        "fr": "le la les de des du et en un une à est dans pour que qui par sur avec au aux dont ou il cette sont d l",
        "de": "der die das und in den von zu mit des dem im ein eine ist für auf einer einem eines zur zum wobei durch",
        "es": "el la los las de y en del que un una por con para se al es o su como según dicho entre",
        "it": "il lo la gli di e che in del della per un una con è da sono nel al le dei ad ed detto",
        "pt": "o a os as de e em do da que um uma para com por não se na no ao ou dos das são",
        "nl": "de het een en van in is voor met dat op te zijn door of aan wordt bij uit naar",
        "sv": "och att det som en på är av för med till den har ett om kan vid från eller",
        "da": "og at det som en på er af for med til den har et om kan ved fra eller ikke",
        "no": "og å det som en på er av for med til den har et om kan ved fra eller ikke",
    }.items()
}
SCRIPTS = {
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "CJK": "zh",
    "CYRILLIC": "ru",
    "GREEK": "el",
    "ARABIC": "ar",
}
WORD = re.compile(r"[^\W\d_]+")
SPOKEN_IN = {
    word: tuple(language for language, words in FUNCTION_WORDS.items() if word in words)
    for word in frozenset().union(*FUNCTION_WORDS.values())
}
"""The languages each function word belongs to."""
LOOKED_AT = 1500
"""Letters at the head of a text that are looked at: more than enough, and as much for a book as for an abstract."""
FEWEST = 2
"""Function words that must be found before a text counts as the language of most of them."""


def detect_language(text: str) -> str:
    """The two-letter code of the language a text is in, `""` where it gives too little to go by."""
    head = text[:LOOKED_AT].lower()
    if (script := other_script(head)) is not None:
        return script
    found = Counter(language for word in WORD.findall(head) if word in SPOKEN_IN for language in SPOKEN_IN[word])
    (best, most), (_, second) = [*found.most_common(2), ("", 0), ("", 0)][:2]
    return best if most >= FEWEST and most > second else ""


def other_script(text: str) -> str | None:
    """The language of a text that is mostly not in Latin letters; Japanese wherever a kana stands."""
    if text.isascii():
        return None
    letters = [sign for sign in text[:400] if sign.isalpha()]
    scripts = Counter(unicodedata.name(sign, "?").split(" ")[0].split("-")[0] for sign in letters)
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    if kana * 20 > len(letters):
        return "ja"
    name, count = max(scripts.items(), key=lambda each: each[1], default=("", 0))
    return SCRIPTS.get(name) if count * 2 > len(letters) else None


def language_code(given: str | None) -> str:
    """The two-letter code that a file's own word for a language stands for: `EN`, `eng` and `en-GB` are `en`."""
    code = (given or "").strip().lower().replace("_", "-").split("-")[0]
    return THREE_LETTERS.get(code, code) if code.isalpha() and len(code) in (2, 3) else ""


THREE_LETTERS = {
    "ara": "ar",
    "ces": "cs",
    "chi": "zh",
    "dan": "da",
    "deu": "de",
    "dut": "nl",
    "ell": "el",
    "eng": "en",
    "fin": "fi",
    "fra": "fr",
    "fre": "fr",
    "ger": "de",
    "gre": "el",
    "ita": "it",
    "jpn": "ja",
    "kor": "ko",
    "nld": "nl",
    "nor": "no",
    "pol": "pl",
    "por": "pt",
    "rus": "ru",
    "spa": "es",
    "swe": "sv",
    "zho": "zh",
}
