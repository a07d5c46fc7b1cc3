"""From text to terms and sentences, with stop words and stemmers for English, French and German.

    Analyzer("de").terms("Die Schrauben wurden gelöst")        →  ["schraub", "gelost"]
    BulkAnalyzer("en").add([text.encode() for text in texts])  →  term counts per document
    split_sentences("See Fig. 3. It turns.", "en")             →  the start and end of each sentence

`analyzer.py` defines what a word is; a profile (`profiles.py`) defines which words are stop words and how the others
are stemmed.
"""

from antecede.text.analyzer import Analyzer, Token, collect_versions
from antecede.text.bulk import BulkAnalyzer, TermBatch
from antecede.text.profiles import LANGUAGES, PROFILES, Language, Profile, Treatment, load_profile
from antecede.text.sentences import Sentence, split_sentences

__all__ = [
    "LANGUAGES",
    "PROFILES",
    "Analyzer",
    "BulkAnalyzer",
    "Language",
    "Profile",
    "Sentence",
    "TermBatch",
    "Token",
    "Treatment",
    "collect_versions",
    "load_profile",
    "split_sentences",
]
