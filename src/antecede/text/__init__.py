"""Words out of text: the analysers of each language, and sentences.

    Analyzer("de").terms("Die Schrauben wurden gelöst")     →  ["schraub", "gelost"]
    BulkAnalyzer("en").add([text.encode() for text in texts])  →  counts of terms, document by document
    sentences("See Fig. 3. It turns.", "en")               →  where each sentence begins and ends

What a word is stands in `words.py`; which words are left out and how they are stemmed, in a profile.
"""

from antecede.text.analyzer import Analyzer, Token, versions
from antecede.text.bulk import Arena, Batch, BulkAnalyzer
from antecede.text.languages import LANGUAGES, Language
from antecede.text.profiles import PROFILES, Profile, Treatment, profile
from antecede.text.sentences import Sentence, sentences

__all__ = [
    "LANGUAGES",
    "PROFILES",
    "Analyzer",
    "Arena",
    "Batch",
    "BulkAnalyzer",
    "Language",
    "Profile",
    "Sentence",
    "Token",
    "Treatment",
    "profile",
    "sentences",
    "versions",
]
