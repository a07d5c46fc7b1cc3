"""Search with a whole patent and explain each hit: python search_with_a_patent.py clefip.index EP1234567"""

from __future__ import annotations

import sys

import antecede as ac


def main(folder: str, number: str) -> ac.SearchResult:
    """Print the ten best hits, each with the terms that contribute most."""
    index = ac.open_index(folder)
    patent = index.patent(number)
    query = ac.make_query(patent, index, method="tfidf", terms=30)
    heaviest = zip(query.terms[:5], query.weights[:5], strict=True)
    print("query:", ", ".join(f"{term} {weight:.2f}" for term, weight in heaviest), "…")
    found = ac.search_index(index, query, k=10)
    for hit in found.hits:
        why = ", ".join(share.term or "length" for share in hit.why[:3])
        print(f"{hit.rank:3} {hit.score:8.2f}  {hit.doc_id}  {hit.date}  {hit.title}  ({why})")
    return found


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["clefip.index", "EP1234567"]))
