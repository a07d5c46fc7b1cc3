"""BM25 as another engine has it. It keeps a document's length in one byte, which is exact for up to 40 words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from antecede.query.query import Query
from antecede.search.hits import Ranking
from tests.search.worlds import Document, memory_index

if TYPE_CHECKING:
    from pathlib import Path

tantivy: Any = pytest.importorskip("tantivy", reason="tantivy is installed for the bench only")

WORDS = [f"w{number}" for number in range(300)]


def collection(seed: int, shortest: int, longest: int) -> list[Document]:
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(2, len(WORDS) + 2)
    lengths = random.integers(shortest, longest + 1, 400).tolist()
    drawn = (random.choice(WORDS, length, p=chances / chances.sum()) for length in lengths)
    return [Document(f"EP{at:04d}", tuple(words.tolist())) for at, words in enumerate(drawn)]


def asked_of_tantivy(folder: Path, documents: list[Document], query: dict[str, float]) -> list[tuple[str, float]]:
    made = tantivy.SchemaBuilder()
    made.add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    made.add_text_field("name", stored=True, tokenizer_name="raw")
    schema = made.build()
    index = tantivy.Index(schema, path=str(folder))
    writer = index.writer(heap_size=50_000_000, num_threads=1)
    for each in documents:
        document = tantivy.Document()
        document.add_text("text", " ".join(each.terms))
        document.add_text("name", each.name)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    of, searcher = tantivy.Query, index.searcher()
    parts = [
        (tantivy.Occur.Should, of.boost_query(of.term_query(schema, "text", term, index_option="freq"), weight))
        for term, weight in query.items()
    ]
    hits = searcher.search(of.boolean_query(parts), limit=len(documents), count=False).hits
    return [(searcher.doc(place)["name"][0], score) for score, place in hits]


@pytest.mark.parametrize(("seed", "shortest", "longest"), [(1, 40, 40), (2, 12, 12), (3, 1, 40)])
def test_the_rankings_are_the_same_where_lengths_are_exact(
    tmp_path: Path, seed: int, shortest: int, longest: int
) -> None:
    documents = collection(seed, shortest, longest)
    random = np.random.default_rng(seed)
    query = {word: float(random.uniform(0.5, 4)) for word in random.choice(WORDS[:80], 25, replace=False).tolist()}
    theirs = asked_of_tantivy(tmp_path, documents, query)
    index = memory_index(documents)
    found = Ranking.of(index.retrieve(Query.from_terms(query, "en"), len(documents)), index)
    ours = dict(zip(found.doc_ids, found.scores.tolist(), strict=True))
    assert len(theirs) == len(found) > 300
    for name, score in theirs:
        assert ours[name] == pytest.approx(score, rel=2e-6)
    # Sums are rounded in another order there, so scores that are next to each other may change places; no others do.
    for (name, score), (ours_name, ours_score) in zip(
        theirs, zip(found.doc_ids, found.scores.tolist(), strict=True), strict=True
    ):
        assert name == ours_name or ours_score == pytest.approx(score, rel=2e-6)
