"""Query methods side by side, as in the tables of the papers: python papers_table.py clefip.index topics/ qrels.txt"""

from __future__ import annotations

import sys
from pathlib import Path

import antecede as ac

METHODS = ("full", "uft", "tf", "tfidf", "bm25", "lm", "lmipc", "qr", "logtfidf")


def main(folder: str, topics: str, qrels: str) -> ac.Comparison:
    """Run each method, compare it with the full text, and write the table as LaTeX."""
    index = ac.open_index(folder)
    patents = list(ac.Collection(topics).patents())
    runs = {method: ac.run(index, patents, ac.SearchSettings((method,))).rankings for method in METHODS}
    scores = ac.evaluate(ac.rank_table(qrels, runs), ["AP@1000", "R@100", "PRES@1000"])
    compared = ac.compare(scores, baseline="full")
    print(compared.table())
    Path("methods.tex").write_text(compared.table().render("latex"))
    return compared


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["clefip.index", "topics/", "qrels.txt"]))
