"""What folding words before they are stemmed costs in French: docs/studies/languages.csv and its page.

    python bench/folding_study.py COLLECTION …

The French texts of collections are counted. Words are compared by the stem that they have with their accents: of the
words of one such stem, those that folding gives another stem than the most of their occurrences are `separated`; of the
words of one stem after folding, those that had another with accents are `merged`. Both are shares of the occurrences of
words that are no stop words, once with the endings restored for the stemmer, as the default profile does, once without.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from antecede.corpus.collection import Collection
from antecede.patent.texts import FIELDS
from antecede.text import Analyzer, load_profile
from antecede.text.analyzer import find_words, make_stemmer, normalize_word
from antecede.text.folding import fold_latin
from docs.site.evidence import Figure, read_figures, write_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FRENCH = "fr"


def count_words(collections: Iterable[str]) -> tuple[int, Counter[str]]:
    """The patents with text in French, and how often each word occurs in it."""
    patents, words = 0, Counter[str]()
    for collection in collections:
        for patent in Collection(collection).patents():
            values = [getattr(patent, name).get(FRENCH, "") for name in FIELDS]
            texts = [text for value in values for text in ([value] if isinstance(value, str) else value) if text]
            patents += bool(texts)
            for text in texts:
                words.update(normalize_word(text[first:end]) for first, end in find_words(text))
    return patents, words


def share_moved(words: Counter[str], groups: Mapping[str, str], others: Mapping[str, str]) -> float:
    """The share of occurrences that are in another group than most of those that they were grouped with."""
    parts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, count in words.items():
        parts[groups[word]][others[word]] += count
    return sum(part.total() - max(part.values()) for part in parts.values()) / words.total()


def main() -> None:
    patents, counted = count_words(sys.argv[1:])
    profile = load_profile()
    treatment = profile.treatment(FRENCH)
    folding, stemmer = Analyzer(FRENCH), make_stemmer(treatment.stemmer)
    plain = Analyzer(FRENCH, replace(profile, treatments=((FRENCH, replace(treatment, folding="none")),)))
    words = Counter({word: count for word, count in counted.items() if folding.term(word) and plain.term(word)})
    accented = {word: plain.term(word) or "" for word in words}
    ways = {
        "restored": {word: folding.term(word) or "" for word in words},
        "folded": {word: stemmer.stemWord(fold_latin(word)) if stemmer else word for word in words},
    }
    figures = [
        *(figure for figure in read_figures("languages") if figure.collection != "real"),
        Figure("real", "vocabulary", "", "patents", str(patents)),
        Figure("real", "vocabulary", "", "tokens", str(words.total())),
        Figure("real", "vocabulary", "", "words", str(len(words))),
    ]
    for name, folded in ways.items():
        separated, merged = share_moved(words, accented, folded), share_moved(words, folded, accented)
        figures.append(Figure("real", "vocabulary", name, "separated", f"{separated:.4f}"))
        figures.append(Figure("real", "vocabulary", name, "merged", f"{merged:.4f}"))
    write_figures("languages", figures)


if __name__ == "__main__":
    main()
