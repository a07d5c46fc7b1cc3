"""One index, built from files of JSON lines by antecede or by tantivy.

    python -P bench/index_building.py ENGINE OUT CORES MB FILE…

prints the seconds from the first file to the index on disk, and its size, as JSON. The words of the texts are analysed
already, so nothing is left out or stemmed; an engine of the name `…-english` does that too. `tantivy-stored` keeps the
texts, as antecede always does.
"""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def by_antecede(out: Path, cores: int, megabytes: int, files: list[str], *, english: bool = False) -> dict[str, Any]:
    from antecede.corpus import Collection
    from antecede.embedded.engine import EmbeddedEngine
    from antecede.index import build_index
    from antecede.index.statistics import describe_index
    from antecede.text.profiles import Profile, load_profile

    profile = load_profile() if english else Profile("analysed already", ())
    begin = time.perf_counter()
    built = build_index(Collection(*files), out, profile=profile, workers=cores, memory=megabytes * 10**6)
    taken = time.perf_counter() - begin
    facts = describe_index(EmbeddedEngine.open(out))
    vocabulary = sum(each.stat().st_size for each in out.rglob("terms*"))
    sizes = facts["bytes"]
    (language,) = facts["languages"].values()
    return {
        "seconds": taken,
        "documents": built.indexed,
        "postings": language["postings"],
        "bytes": sizes["total"],
        "postings_bytes": sizes["by_term"] + sizes["by_row"] + vocabulary,
    }


def by_tantivy(
    out: Path, cores: int, megabytes: int, files: list[str], *, stored: bool = False, english: bool = False
) -> dict[str, Any]:
    import tantivy

    out.mkdir(parents=True)
    made = tantivy.SchemaBuilder()
    made.add_text_field(
        "text", stored=stored, tokenizer_name="en_stem" if english else "whitespace", index_option="freq"
    )
    made.add_text_field("doc_id", stored=True, tokenizer_name="raw", index_option="basic")
    begin = time.perf_counter()
    index = tantivy.Index(made.build(), path=str(out))
    writer = index.writer(heap_size=megabytes * 10**6, num_threads=cores)
    documents = 0
    for file in files:
        with Path(file).open(encoding="utf-8") as lines:
            for line in lines:
                patent = json.loads(line)
                document = tantivy.Document()
                document.add_text("text", patent["description"])
                document.add_text("doc_id", patent["doc_id"])
                writer.add_document(document)
                documents += 1
    writer.commit()
    writer.wait_merging_threads()
    taken = time.perf_counter() - begin
    sizes = {each: each.stat().st_size for each in out.iterdir()}
    of_texts = sum(size for each, size in sizes.items() if each.suffix == ".store")
    return {
        "seconds": taken,
        "documents": documents,
        "bytes": sum(sizes.values()),
        "postings_bytes": sum(sizes.values()) - of_texts,
    }


ENGINES: dict[str, Callable[[Path, int, int, list[str]], dict[str, Any]]] = {
    "antecede": by_antecede,
    "antecede-english": lambda *given: by_antecede(*given, english=True),
    "tantivy": by_tantivy,
    "tantivy-stored": lambda *given: by_tantivy(*given, stored=True),
    "tantivy-english": lambda *given: by_tantivy(*given, english=True),
}

if __name__ == "__main__":
    engine, where, cores, megabytes, *files = sys.argv[1:]
    shutil.rmtree(where, ignore_errors=True)
    json.dump(ENGINES[engine](Path(where), int(cores), int(megabytes), files), sys.stdout)
