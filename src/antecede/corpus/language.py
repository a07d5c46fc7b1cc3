"""Language detection by common words, word endings and letters; for other scripts, by the script.

Only the languages of patent files are distinguished: English, French, German, and those they could be confused with
(Spanish, Italian, Portuguese, Dutch and the Scandinavian languages), as well as Cyrillic, Greek and East Asian
scripts. The same text always gives the same result, whatever else a collection contains. A text too short for a
reliable decision is classified as English, French or German, whichever is most similar, unless another language is
clearly ahead.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

CONJUNCTIONS = r"(?:und|oder|bzw|beziehungsweise|sowie|bis|et|ou|and|or)\b"
"""What follows a word whose second part comes later, `Saug- und Druckleitung`: its hyphen divides no word."""
COMMON_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is for that with by a an are as on from be or at which this wherein said it has have"
        " one first second each when may can into between its such not also other at least more than having includes"
        " including comprising comprises provided disclosed described method device system apparatus use used using"
        " present invention embodiment according whereby thereof therein plurality member surface portion about through"
        " these their they there was were been will would if then so no any all both after before during within without"
        " about over under out up wherein being made relates formed example process composition control data being do",
        "fr": "le la les de des du et en un une à est dans pour que qui par sur avec au aux dont ou il cette sont d l a"
        " ce ces se sa son ses leur elle être ainsi plus moins comprend comprenant caractérisé procédé dispositif"
        " présente invention selon ladite ledit lesdits lesdites laquelle lequel entre deux première premier moyen"
        " moyens fabrication utilisation appareil permettant comme ne pas on sans sous afin chaque au-dessus peut",
        "de": "der die das und in den von zu mit des dem im ein eine ist für auf einer einem eines zur zum wobei durch"
        " einen sind wird werden bei aus an als nach oder sich nicht auch über zwischen mindestens wenigstens am vom"
        " wenn dass daß kann es sie er dieser diese dieses vorrichtung verfahren erfindung betrifft herstellung"
        " verwendung gekennzeichnet umfasst weist jeweils einrichtung anordnung dadurch ersten zweiten unter vor so",
        "es": "el la los las de y en del que un una por con para se al es o su como según dicho dicha entre a lo más"
        " sus ser está procedimiento dispositivo invención comprende medio sobre desde son cada mediante presente"
        " caracterizado aparato método sistema donde",
        "it": "il lo la gli di e che in del della per un una con è da sono nel al le dei ad ed detto a i si alla delle"
        " dal dalla nella essere come più detta procedimento dispositivo comprende invenzione mezzi secondo ciascun"
        " apparecchio metodo sistema",
        "pt": "o a os as de e em do da que um uma para com por não se na no ao ou dos das são pelo pela é à mais"
        " invenção dispositivo compreende processo presente refere método sistema aparelho meio segundo",
        "nl": "de het een en van in is voor met dat op te zijn door of aan wordt bij uit naar om ten worden waarbij die"
        " tot als ook kan niet werkwijze inrichting uitvinding volgens omvat",
        "sv": "och att det som en på är av för med till den har ett om kan vid från eller i de inte genom samt även"
        " uppfinningen förfarande anordning enligt innefattar vilken",
        "da": "og at det som en på er af for med til den har et om kan ved fra eller ikke i de der samt til"
        " opfindelsen fremgangsmåde indretning ifølge omfatter hvor",
        "no": "og å det som en på er av for med til den har et om kan ved fra eller ikke i de der samt"
        " oppfinnelsen fremgangsmåte innretning ifølge omfatter hvor",
    }.items()
}
_ENDINGS: dict[str, tuple[str, ...]] = {
    "en": ("ing", "ings", "ed", "ly", "able", "ness", "ment", "ments", "ity", "ture", "ical", "ous", "tion", "tions"),
    "fr": ("eur", "eurs", "euse", "ment", "ements", "ique", "iques", "eux", "ées", "tion", "tions", "aire", "age"),
    "de": ("ung", "ungen", "lich", "liche", "lichen", "isch", "ische", "keit", "heit", "schaft", "chen", "barer"),
    "es": ("ción", "ciones", "dad", "dades", "miento", "ador", "ados", "adas", "iento"),
    "it": ("zione", "zioni", "tore", "tori", "mente", "ità", "ati", "ante"),
    "pt": ("ção", "ções", "dade", "mento", "mentos", "ados", "agem"),
    "nl": ("heid", "heden", "ijk", "ijke", "tie", "ende", "ingen"),
    "sv": ("ningen", "ningar", "lighet", "heten", "else"),
    "da": ("ningen", "ninger", "else", "elsen", "hed"),
    "no": ("ningen", "ninger", "else", "elsen", "het"),
}
_LETTERS = {
    "fr": frozenset("éèêàâîôûçùœë"),
    "de": frozenset("äöüß"),
    "es": frozenset("ñáíóú"),
    "it": frozenset("ìòàèù"),
    "pt": frozenset("ãõáâçêí"),
    "nl": frozenset("ĳë"),
    "sv": frozenset("åäö"),
    **dict.fromkeys(("da", "no"), frozenset("åæø")),
}
_PREFERRED = ("en", "fr", "de")
"""The languages of most patents, preferred over the others in case of doubt."""
SCRIPTS = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "CYRILLIC": "ru", "GREEK": "el", "ARABIC": "ar",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_LANGUAGES_OF_WORD = {
    word: tuple(language for language, words in COMMON_WORDS.items() if word in words)
    for word in frozenset().union(*COMMON_WORDS.values())
}
"""Common word → the languages it belongs to."""
_MAX_SAMPLE_LENGTH, _SHORT_SAMPLE = 1500, 500
"""Characters at the beginning of a text that are examined; the short sample is nearly always sufficient."""
_CLEAR = 12
"""Common words of a language, more than twice as many as of any other, that decide at once."""
_LONG_WORD = 5
"""The shortest word whose ending is examined."""
_ENDING, _LETTER = 0.3, 0.4
"""The weights of a word's ending and of its letters; a common word has weight 1."""
_LEAD, _LEAD_FACTOR = 1.5, 1.25
"""The difference and the ratio by which the score of another language must exceed that of the preferred ones."""
_MANY_WORDS, _FOREIGN = 12, 0.1
"""A text of so many words whose score is below this share of them is in none of the languages."""


def detect_language(text: str) -> str:
    """The two-letter code of the language a text is in, `""` where it gives nothing to go by or is in another one."""
    if (script := _script_language(text[:_MAX_SAMPLE_LENGTH].lower())) is not None:
        return script
    common = Counter(
        language
        for word in _WORD.findall(text[:_SHORT_SAMPLE].lower())
        if word in _LANGUAGES_OF_WORD
        for language in _LANGUAGES_OF_WORD[word]
    )
    (clear, most), (_, second) = [*common.most_common(2), ("", 0), ("", 0)][:2]
    if most >= _CLEAR and most > 2 * second:  # nearly all texts are decided by their common words
        return clear
    words = Counter(_WORD.findall(text[:_MAX_SAMPLE_LENGTH].lower()))
    scores = _score_languages(words)
    ours = max(_PREFERRED, key=scores.__getitem__)
    best = max(scores, key=scores.__getitem__)
    if scores[best] < scores[ours] + _LEAD or scores[best] < scores[ours] * _LEAD_FACTOR:
        best = ours
    many = sum(words.values())
    sure = scores[best] > 0 and (many < _MANY_WORDS or scores[best] >= _FOREIGN * many)
    return best if sure else ""


def _score_languages(words: Counter[str]) -> dict[str, float]:
    """The score of each language for the words of a text; the weight of a shared word is divided."""
    scores = dict.fromkeys(COMMON_WORDS, 0.0)
    for word, count in words.items():
        spoken = _LANGUAGES_OF_WORD.get(word)
        weight = 1.0
        if spoken is None:
            spoken, weight = _languages_like(word)
        for language in spoken:
            scores[language] += count * weight / len(spoken)
    return scores


@lru_cache(maxsize=1 << 14)
def _languages_like(word: str) -> tuple[tuple[str, ...], float]:
    """The languages that a word resembles, by its letters or else its ending, with the weight of that evidence."""
    if not word.isascii():
        found = tuple(language for language, letters in _LETTERS.items() if not letters.isdisjoint(word))
        if found:
            return found, _LETTER
    if len(word) < _LONG_WORD:
        return (), 0.0
    return tuple(language for language, endings in _ENDINGS.items() if word.endswith(endings)), _ENDING


def _script_language(text: str) -> str | None:
    """The language of a text that is mostly not in Latin script; Japanese if it contains enough kana."""
    if text.isascii():
        return None
    letters = [letter for letter in text[:400] if letter.isalpha()]
    scripts = Counter(unicodedata.name(letter, "?").split(" ")[0].split("-")[0] for letter in letters)
    kana = scripts["HIRAGANA"] + scripts["KATAKANA"]
    if kana * 20 > len(letters):
        return "ja"
    name, count = max(scripts.items(), key=lambda each: each[1], default=("", 0))
    return SCRIPTS.get(name) if count * 2 > len(letters) else None


def language_code(given: str | None) -> str:
    """The two-letter code of a language as a file gives it: `EN`, `eng` and `en-GB` are `en`."""
    code = (given or "").strip().lower().replace("_", "-").split("-")[0]
    return _THREE_LETTERS.get(code, code) if code.isalpha() and len(code) in (2, 3) else ""


_THREE_LETTERS = {
    "ara": "ar", "ces": "cs", "chi": "zh", "dan": "da", "deu": "de", "dut": "nl", "ell": "el", "eng": "en",
    "fin": "fi", "fra": "fr", "fre": "fr", "ger": "de", "gre": "el", "ita": "it", "jpn": "ja", "kor": "ko",
    "nld": "nl", "nor": "no", "pol": "pl", "por": "pt", "rus": "ru", "spa": "es", "swe": "sv", "zho": "zh",
}  # fmt: skip
